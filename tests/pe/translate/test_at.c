/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker beside QEMU's AT instructions: random registers and tables, PAR_EL1 and the descriptors
 * afterwards. The machine's memory is shared with it. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "pe/translate_fields.h"
#include "qemu/layout.h"
#include "qemu/random.h"

#define BATCH 5000
#define SECONDS 120

static const char *qemu, *program;
static unsigned cases = 2000;
static uint64_t seed = 1;
static const char *const operation_names[OPERATIONS] = {"S1E1R",  "S1E1W",  "S1E0R",  "S1E0W",
                                                        "S12E1R", "S12E1W", "S12E0R", "S12E0W",
                                                        "S1E2R",  "S1E2W",  "S1E1RP", "S1E1WP"};

struct machine {
    const char *core;
    int memory;
    uint64_t *ram;
    struct cairn_pe_registers identification;
    struct cairn_pe_features features;
    unsigned seen[8], seen_stage2, seen_S1PTW, agreed;
};

static uint64_t *at(const struct machine *m, uint64_t address)
{
    return m->ram + (address - RAM) / 8;
}

/* Runs the machine once over the cases in its memory; false: it did not end well. */
static bool run(const struct machine *m)
{
    char memory[128];
    snprintf(memory, sizeof memory,
             "memory-backend-file,id=ram,share=on,size=%u,mem-path=/proc/self/fd/%d", RAM_BYTES,
             m->memory);
    char loader[512];
    snprintf(loader, sizeof loader, "loader,file=%s,cpu-num=0", program);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        execlp(qemu, qemu, "-M", "virt,secure=on,virtualization=on,memory-backend=ram", "-cpu",
               m->core, "-m", "256M", "-object", memory, "-device", loader, "-semihosting",
               "-display", "none", "-serial", "none", "-monitor", "none", "-net", "none",
               (char *)NULL);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void begin(struct machine *m, const char *core)
{
    *m = (struct machine){.core = core};
    m->memory = memfd_create("cairn-test-ram", 0);
    assert_true(m->memory >= 0);
    assert_int_equal(ftruncate(m->memory, RAM_BYTES), 0);
    m->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m->memory, 0);
    assert_ptr_not_equal(m->ram, MAP_FAILED);
    assert_true(run(m));
    uint64_t *value = m->identification.value;
    value[CAIRN_PE_ID_AA64MMFR0_EL1] = at(m, HEADER)[1];
    value[CAIRN_PE_ID_AA64MMFR1_EL1] = at(m, HEADER)[2];
    value[CAIRN_PE_ID_AA64MMFR2_EL1] = at(m, HEADER)[3];
    bool is_max = strncmp(core, "max", 3) == 0;
    m->features = (struct cairn_pe_features){.EL2 = true, .EL3 = true, .secure_EL2 = is_max};
}

static void end(struct machine *m)
{
    munmap(m->ram, RAM_BYTES);
    close(m->memory);
}

/* What the operation asks for. */
static struct cairn_pe_translate_request request_of(const struct machine *m,
                                                    const struct random_case *c)
{
    const struct cairn_pe_registers *registers = &c->registers;
    unsigned security = CAIRN_GETS(registers, SCR_EL3, SCR_EL3_NS) ? CAIRN_NONSECURE : CAIRN_SECURE;
    bool host = cairn_pe_EL0_is_host(&m->features, registers, security) &&
                CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H);
    struct cairn_pe_translate_request r = {
        .address = c->address,
        .security = (uint8_t)security,
        .regime = host ? CAIRN_PE_EL20 : CAIRN_PE_EL10,
        .privileged = true,
        .manages = true,
        .stage1_only = true,
    };
    switch (c->operation) {
    case S1E1R: break;
    case S1E1W: r.access = CAIRN_PE_MEMORY_WRITE; break;
    case S1E0R: r.privileged = false; break;
    case S1E0W: r.privileged = false, r.access = CAIRN_PE_MEMORY_WRITE; break;
    case S12E1R: r.stage1_only = false; break;
    case S12E1W: r.stage1_only = false, r.access = CAIRN_PE_MEMORY_WRITE; break;
    case S12E0R: r.stage1_only = r.privileged = false; break;
    case S12E0W: r.stage1_only = r.privileged = false, r.access = CAIRN_PE_MEMORY_WRITE; break;
    case S1E2R:
    case S1E2W:
        r.regime = CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H) ? CAIRN_PE_EL20 : CAIRN_PE_EL2;
        r.access = c->operation == S1E2W ? CAIRN_PE_MEMORY_WRITE : CAIRN_PE_MEMORY_READ;
        break;
    case S1E1RP: r.PAN = c->PAN; break;
    case S1E1WP: r.PAN = c->PAN, r.access = CAIRN_PE_MEMORY_WRITE; break;
    case OPERATIONS: break;
    }
    return r;
}

/* The walker's answer, which also brings the case's descriptors about. */
static struct cairn_pe_translation answer(const struct machine *m, struct random_case *c)
{
    struct cairn_pe_translate_request request = request_of(m, c);
    struct cairn_pe_translate_choices choices = {0};
    struct cairn_pe_memory memory = {c, case_read, case_update};
    struct cairn_pe_translation out;
    cairn_pe_translate(&m->features, &c->registers, &request, &choices, &memory, &out);
    return out;
}

static bool is_fit(const struct machine *m, const struct random_case *c,
                   const struct cairn_pe_translation *t)
{
    unsigned security =
        CAIRN_GETS(&c->registers, SCR_EL3, SCR_EL3_NS) ? CAIRN_NONSECURE : CAIRN_SECURE;
    /* UNDEFINED where there is no EL2. */
    if ((c->operation == S1E2R || c->operation == S1E2W) &&
        !cairn_pe_has_EL2(&m->features, &c->registers, security))
        return false;
    if ((c->operation == S1E1RP || c->operation == S1E1WP) &&
        CAIRN_GETS(&c->registers, ID_AA64MMFR1_EL1, ID_AA64MMFR1_PAN) < 2)
        return false;
    /* HCR_EL2.TGE makes SCTLR_EL1.M 0 for EL1&0; QEMU 7.2's AT walks the tables all the same. */
    if (request_of(m, c).regime == CAIRN_PE_EL10 &&
        CAIRN_GETS(&c->registers, HCR_EL2, HCR_EL2_TGE) &&
        cairn_pe_has_EL2(&m->features, &c->registers, security))
        return false;
    /* QEMU 7.2 stops at an assertion where a fault has level -1, as it has its own idea of the level of
     * S1PTW (below) where stage 1 may be at that level. */
    if (t->fault && (t->level < 0 || (c->DS && t->S1PTW)))
        return false;
    /* Without EL2 in Secure state there is no stage 2, of Non-secure addresses either. */
    if (security == CAIRN_SECURE && !cairn_pe_has_EL2(&m->features, &c->registers, security) &&
        (c->registers.value[CAIRN_PE_HCR_EL2] & (CAIRN_MASK(HCR_EL2_VM) | CAIRN_MASK(HCR_EL2_DC))))
        return false;
    return !c->unfit;
}

static void show(const struct random_case *c)
{
    fprintf(stderr, "%s 0x%016" PRIx64 " PAN %d\n", operation_names[c->operation], c->address,
            c->PAN);
    static const char *const names[16] = {"SCTLR_EL1", "TCR_EL1",    "TTBR0_EL1", "TTBR1_EL1",
                                          "MAIR_EL1",  "SCTLR_EL2",  "TCR_EL2",   "TTBR0_EL2",
                                          "TTBR1_EL2", "MAIR_EL2",   "VTCR_EL2",  "VTTBR_EL2",
                                          "VSTCR_EL2", "VSTTBR_EL2", "HCR_EL2",   "SCR_EL3"};
    for (unsigned i = 0; i < 16; i++)
        fprintf(stderr, "  %-10s 0x%016" PRIx64 "\n", names[i],
                c->registers.value[case_registers[i]]);
    for (unsigned i = 0; i < c->count; i++)
        fprintf(stderr, "  [0x%010" PRIx64 "] 0x%016" PRIx64 " -> 0x%016" PRIx64 "\n",
                c->descriptors[i].address, c->descriptors[i].first, c->descriptors[i].now);
}

/* The case as the machine reads it; returns where the next begins. */
static uint64_t *put_case(uint64_t *words, const struct random_case *c)
{
    words[CASE_OPERATION] = c->operation;
    words[CASE_ADDRESS] = c->address;
    words[CASE_PAN] = c->PAN;
    for (unsigned i = 0; i < 16; i++)
        words[CASE_REGISTERS + i] = c->registers.value[case_registers[i]];
    words[CASE_DESCRIPTORS] = c->count;
    uint64_t *pair = words + CASE_WORDS;
    for (unsigned i = 0; i < c->count; i++, pair += 2) {
        pair[0] = c->descriptors[i].address;
        pair[1] = c->descriptors[i].first;
    }
    return pair;
}

/* A descriptor in the order that the walk reads it in. */
static uint64_t descriptor(const struct random_case *c, unsigned i)
{
    uint64_t value = c->descriptors[i].first;
    return CAIRN_GETS(&c->registers, SCTLR_EL1, SCTLR_EE) ? __builtin_bswap64(value) : value;
}

/* Where the walker stops, and QEMU 7.2 goes on, at the last descriptor that was read:
 * - a block above level 1 (4KB) or level 2 (16KB, 64KB), or one higher with 52-bit addresses: there is none;
 * - bits 51:48 of an address that stand low in descriptors: QEMU ignores them where PS is less than 52 bits.
 * And where QEMU finds an address too large, but the bits of a block are within its size, and ignored. */
static bool is_known(const struct random_case *c, const struct cairn_pe_translation *t,
                     uint64_t PAR)
{
    if (c->count == 0)
        return false;
    uint64_t last = descriptor(c, c->count - 1);
    for (unsigned i = 0; (PAR & 0x71) == 1 && i < c->count; i++)
        if ((descriptor(c, i) & 3) == 1 && CAIRN_GET2(descriptor(c, i), 47, 32))
            return true;
    if (t->fault == CAIRN_PE_FAULT_ADDRESS_SIZE)
        return (c->DS && (last & UINT64_C(0x3000000000300))) || (c->large && (last & 0xf000));
    return t->fault == CAIRN_PE_FAULT_TRANSLATION && t->level < 3 && (last & 3) == 1;
}

static bool agrees(const struct random_case *c, const struct cairn_pe_translation *t,
                   const uint64_t *words)
{
    const uint64_t *pair = words + CASE_WORDS;
    /* QEMU 7.2 sets the Access flag before HCR_EL2.PTW makes a fault of it, which is permitted. */
    bool is_PTW = t->S1PTW && t->fault == CAIRN_PE_FAULT_PERMISSION &&
                  CAIRN_GETS(&c->registers, HCR_EL2, HCR_EL2_PTW);
    for (unsigned i = 0; i < c->count; i++, pair += 2)
        if (pair[1] != c->descriptors[i].now && !is_PTW)
            return false;
    uint64_t ESR = words[CASE_ESR], PAR = words[CASE_PAR], want = cairn_pe_translation_PAR(t);
    /* An External Abort on a walk is an exception instead: its syndrome tells. */
    if (t->fault == CAIRN_PE_FAULT_ABORT_ON_WALK) {
        PAR = ESR & 0x3f;
        PAR = PAR << 1 | (ESR & 0x80) << 1 | 0x801 | (want & 0x200);
        ESR = 0;
    }
    /* Of a fault of stage 2 on a walk of stage 1 QEMU 7.2 gives the level in stage 1, the architecture that
     * in stage 2 (S1PTW of ESR_ELx.ISS, PAR_EL1.PTW). */
    if (t->S1PTW) {
        static const uint8_t same[64] = {[0x29] = 0x00, [0x2b] = 0x04, [0x13] = 0x14};
        for (unsigned i = 0; i < 2; i++) {
            uint64_t *value = i ? &PAR : &want;
            unsigned FST = *value >> 1 & 0x3f;
            FST = FST == 0x29 || FST == 0x2b || FST == 0x13 ? same[FST] : FST & 0x3cu;
            *value = (*value & ~UINT64_C(0x7e)) | FST << 1;
        }
    }
    /* QEMU 7.2 gives the shareability of the tables for memory that is Outer Shareable whatever they say. */
    if (!(PAR & 1) && (!(PAR >> 60) || PAR >> 56 == ATTR_NONCACHEABLE))
        PAR = (PAR & ~UINT64_C(0x180)) | SH_OUTER << 7;
    if (!(want & 1) && !t->fault && (c->operation >= S12E1R && c->operation <= S12E0W)) {
        /* Device and Normal memory together: QEMU 7.2 reads a type of Device out of the Normal one too. And
         * with HCR_EL2.FWB it takes stage 2's type of Device where stage 1's is the stronger. */
        if (!(want >> 60) && !(PAR >> 60) && (PAR >> 56 < want >> 56) == !c->FWB)
            PAR = (PAR & ~(UINT64_C(0xff) << 56)) | (want & UINT64_C(0xff) << 56);
        /* Device memory of stage 1 that stage 2 forces to be Normal: it was Outer Shareable to begin with. */
        if (c->FWB && t->shareability == SH_OUTER)
            PAR = (PAR & ~UINT64_C(0x180)) | SH_OUTER << 7;
    }
    return ESR == 0 && PAR == want;
}

static unsigned compare(struct machine *m, const struct random_case *all,
                        const struct cairn_pe_translation *answers, unsigned count)
{
    unsigned differ = 0;
    const uint64_t *words = at(m, CASES);
    for (unsigned i = 0; i < count; i++) {
        const struct random_case *c = &all[i];
        const struct cairn_pe_translation *t = &answers[i];
        if (agrees(c, t, words)) {
            m->agreed++;
            m->seen[t->fault]++;
            m->seen_stage2 += t->fault && t->stage == 2;
            m->seen_S1PTW += t->S1PTW;
        } else if (!is_known(c, t, words[CASE_PAR]) && differ++ < 4) {
            fprintf(stderr,
                    "%s: PAR_EL1 0x%016" PRIx64 " ESR 0x%" PRIx64 ", walker 0x%016" PRIx64 "\n",
                    m->core, words[CASE_PAR], words[CASE_ESR], cairn_pe_translation_PAR(t));
            show(c);
            for (unsigned n = 0; n < c->count; n++)
                if (words[CASE_WORDS + 2 * n + 1] != c->descriptors[n].now)
                    fprintf(stderr, "  descriptor %u became 0x%016" PRIx64 "\n", n,
                            words[CASE_WORDS + 2 * n + 1]);
        }
        words += CASE_WORDS + 2 * c->count;
    }
    return differ;
}

static unsigned run_batch(struct machine *m, uint64_t *from, unsigned count)
{
    struct random_case *all = calloc(count, sizeof *all);
    struct cairn_pe_translation *answers = calloc(count, sizeof *answers);
    assert_non_null(all);
    assert_non_null(answers);
    uint64_t *words = at(m, CASES);
    for (unsigned i = 0; i < count;) {
        make_case(&all[i], (*from)++, &m->identification);
        answers[i] = answer(m, &all[i]);
        if (!is_fit(m, &all[i], &answers[i]))
            continue;
        words = put_case(words, &all[i++]);
        assert_true(words < at(m, TABLES));
    }
    at(m, HEADER)[0] = count;
    bool ended = run(m);
    unsigned differ = ended ? compare(m, all, answers, count) : count;
    if (!ended)
        fprintf(stderr, "the machine did not end\n");
    free(all);
    free(answers);
    return differ;
}

static void run_core(const char *core)
{
    struct machine m;
    uint64_t from = seed;
    unsigned differ = 0;
    begin(&m, core);
    for (unsigned left = cases; left > 0;) {
        unsigned count = left < BATCH ? left : BATCH;
        differ += run_batch(&m, &from, count);
        left -= count;
    }
    printf(
        "# %s: %u alike; %u translated, faults: %u address size, %u translation, %u access flag, "
        "%u permission, %u abort; %u of stage 2, %u of them on a walk of stage 1\n",
        core, m.agreed, m.seen[0], m.seen[CAIRN_PE_FAULT_ADDRESS_SIZE],
        m.seen[CAIRN_PE_FAULT_TRANSLATION], m.seen[CAIRN_PE_FAULT_ACCESS_FLAG],
        m.seen[CAIRN_PE_FAULT_PERMISSION], m.seen[CAIRN_PE_FAULT_ABORT_ON_WALK], m.seen_stage2,
        m.seen_S1PTW);
    end(&m);
    assert_int_equal(differ, 0);
    assert_true(m.agreed >= cases - cases / 8);
    /* All kinds came up. */
    for (unsigned kind = 0; kind <= CAIRN_PE_FAULT_ABORT_ON_WALK; kind++)
        assert_true(m.seen[kind] > 0);
    assert_true(m.seen_stage2 > m.seen_S1PTW && m.seen_S1PTW > 0);
}

static void test_max(void **state)
{
    (void)state;
    run_core("max");
}

static void test_no_LPA2(void **state)
{
    (void)state;
    run_core("max,lpa2=off");
}

static void test_cortex_a57(void **state)
{
    (void)state;
    run_core("cortex-a57");
}

static void test_cortex_a76(void **state)
{
    (void)state;
    run_core("cortex-a76");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_max),
        cmocka_unit_test(test_no_LPA2),
        cmocka_unit_test(test_cortex_a57),
        cmocka_unit_test(test_cortex_a76),
    };
    if (argc < 4) {
        fprintf(stderr, "usage: test_pe_translate_at QEMU PROGRAM CASES [SEED]\n");
        return 2;
    }
    qemu = argv[1];
    program = argv[2];
    cases = (unsigned)strtoul(argv[3], NULL, 0);
    if (argc > 4)
        seed = strtoull(argv[4], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
