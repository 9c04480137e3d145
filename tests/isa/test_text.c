/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's own text of instructions (src/isa/text.h) against that of every LLVM that is
 * installed: each 16-bit T32 pattern, and random words of A64, A32 and 32-bit T32, half of them from
 * the encodings of branches with a few bits turned; T32 outside of IT blocks and in them. Where both
 * have a text it is the same, to the letter; and what decides the path in LLVM's words has a text.
 *
 * usage: test_text [WORDS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/isa.h>

#include "differences.h"
#include "isa/text.h"
#include "oracle.h"
#include "pipeline/llvm.h"
#include "strata.h"

enum {
    DEFAULT_WORDS = 100000,
    TEXT_SIZE = 256,
    OWN_SIZE = 128,
    MAX_SHOWN = 20,
    OLDEST = 14,
    NEWEST = 40,
    VERSIONS_MAX = 16,
    FIRST_OF_TWO = 0xe800,
    LEAST_REFERENCE = 19, /* the version that differences.h is about */
    BLOCK_MAX = 4,
    IT_HALFWORD = 0xbf00,
};

struct target {
    const char *name;
    enum cairn_llvm_dialect dialect;
    enum cairn_isa isa;
    unsigned on; /* differences.h */
    struct cairn_arch arch;
    const struct stratum *strata;
    size_t stratum_count;
    enum { WORDS, HALFWORDS } what;
    bool in_it;
};

#define A_ALL                                                                                      \
    {                                                                                              \
        CAIRN_PROFILE_A, 9, 6,                                                                     \
            CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_TME | CAIRN_FEATURE_PAUTH | CAIRN_FEATURE_WFXT |  \
                CAIRN_FEATURE_CMPBR | CAIRN_FEATURE_HBC | CAIRN_FEATURE_TEXIT                      \
    }
#define A_V7                                                                                       \
    {                                                                                              \
        CAIRN_PROFILE_A, 7, 0, CAIRN_FEATURE_THUMB2                                                \
    }
#define M_ALL                                                                                      \
    {                                                                                              \
        CAIRN_PROFILE_M, 8, 1, CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_LOB | CAIRN_FEATURE_PAUTH      \
    }
#define STRATA(list) list, sizeof(list) / sizeof *(list)
#define NO_STRATA NULL, 0

static const struct target targets[] = {
    {"A64", CAIRN_LLVM_A64, CAIRN_ISA_A64, ON_A64, A_ALL, STRATA(a64_strata), WORDS, false},
    {"A32", CAIRN_LLVM_A32, CAIRN_ISA_A32, ON_A32, A_ALL, STRATA(a32_strata), WORDS, false},
    {"A32, Armv7", CAIRN_LLVM_A32_V7, CAIRN_ISA_A32, ON_A32, A_V7, STRATA(a32_strata), WORDS,
     false},
    {"16-bit T32, Armv9-A", CAIRN_LLVM_T32, CAIRN_ISA_T32, ON_T32_A, A_ALL, NO_STRATA, HALFWORDS,
     false},
    {"16-bit T32, Armv8.1-M", CAIRN_LLVM_T32_M, CAIRN_ISA_T32, ON_T32_M, M_ALL, NO_STRATA,
     HALFWORDS, false},
    {"16-bit T32 in IT blocks, Armv9-A", CAIRN_LLVM_T32, CAIRN_ISA_T32, ON_T32_A, A_ALL, NO_STRATA,
     HALFWORDS, true},
    {"32-bit T32, Armv9-A", CAIRN_LLVM_T32, CAIRN_ISA_T32, ON_T32_A, A_ALL, STRATA(t32_strata),
     WORDS, false},
    {"32-bit T32, Armv7-A", CAIRN_LLVM_T32_V7, CAIRN_ISA_T32, ON_T32_A, A_V7, STRATA(t32_strata),
     WORDS, false},
    {"32-bit T32, Armv8.1-M", CAIRN_LLVM_T32_M, CAIRN_ISA_T32, ON_T32_M, M_ALL, STRATA(t32_strata),
     WORDS, false},
    {"32-bit T32 in IT blocks, Armv8.1-M", CAIRN_LLVM_T32_M, CAIRN_ISA_T32, ON_T32_M, M_ALL,
     STRATA(t32_strata), WORDS, true},
};
enum { TARGET_COUNT = sizeof targets / sizeof *targets };

struct job {
    const struct target *target;
    const struct cairn_llvm *llvm;
    void *context;
    uint64_t seed;
    uint64_t same, missing, different, alone;
    unsigned shown;
};

/* LLVM's line as a listing has it: no tabs, no comment. */
static void tidy(const char *raw, char text[TEXT_SIZE])
{
    size_t length = 0;

    for (; *raw && *raw != '@' && strncmp(raw, "//", 2) != 0 && length + 1 < TEXT_SIZE; raw++)
        if (*raw != '\t' || length)
            text[length++] = *raw == '\t' ? ' ' : *raw;
    while (length && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

/* What a label stands for by LLVM's own words, written as an address. */
static void write_target(char text[TEXT_SIZE], uint64_t target)
{
    char *label = strrchr(text, '#');

    if (label)
        snprintf(label, (size_t)(text + TEXT_SIZE - label), "0x%llx", (unsigned long long)target);
}

static bool decides_path(unsigned kind)
{
    return kind != CAIRN_INSN_OTHER;
}

/* LLVM does not have it, or calls it unpredictable: differences.h. */
static bool is_known_refusal(const struct target *target, uint32_t opcode)
{
    for (unsigned i = 0; i < DIFFERENCE_COUNT; i++) {
        const struct difference *d = &differences[i];

        if ((d->on & target->on) && (opcode & d->mask) == d->value && (!d->also || d->also(opcode)))
            return true;
    }
    return false;
}

static void show(struct job *job, uint64_t address, uint32_t opcode, uint8_t it, const char *own,
                 const char *theirs)
{
    if (job->shown++ < MAX_SHOWN)
        printf("# %s, %s: %08x at %#llx, IT %02x: \"%s\", LLVM \"%s\"\n", job->target->name,
               job->llvm->name, opcode, (unsigned long long)address, it, own, theirs);
}

static void feed(struct job *job, unsigned halfword)
{
    uint8_t bytes[2] = {(uint8_t)halfword, (uint8_t)(halfword >> 8)};
    char text[TEXT_SIZE];

    job->llvm->disassemble(job->context, bytes, sizeof bytes, 0, text, sizeof text);
}

static size_t ask_llvm(struct job *job, uint64_t address, uint32_t opcode, size_t size, uint8_t it,
                       char raw[TEXT_SIZE])
{
    const bool swapped = job->target->isa == CAIRN_ISA_T32 && size == 4;
    const uint32_t stored = swapped ? opcode << 16 | opcode >> 16 : opcode;
    uint8_t bytes[4] = {(uint8_t)stored, (uint8_t)(stored >> 8), (uint8_t)(stored >> 16),
                        (uint8_t)(stored >> 24)};

    raw[0] = '\0';
    if (it)
        feed(job, IT_HALFWORD | it);
    const size_t length =
        job->llvm->disassemble(job->context, bytes, size, address, raw, TEXT_SIZE);
    if (!length)
        raw[0] = '\0';
    for (unsigned i = 0; job->target->isa == CAIRN_ISA_T32 && i < BLOCK_MAX; i++)
        feed(job, IT_HALFWORD);
    return length;
}

/* Where LLVM's text is not what the architecture says. */
static bool is_mistaken(const struct job *job, uint32_t opcode, size_t size, const char *theirs)
{
    switch (job->target->isa) {
    case CAIRN_ISA_A32: /* the base register of RFE is an addressing mode's number */
        return (opcode & 0xfe500000) == 0xf8100000 && !strncmp(theirs, "rfe", 3);
    case CAIRN_ISA_T32: /* UDF #254 and #249 by what compilers use them for */
        return size == 2 && (!strcmp(theirs, "trap") || !strcmp(theirs, "__brkdiv0"));
    case CAIRN_ISA_A64: /* transactions have gone from LLVM 22; DSB #12 is DFB in Armv8-R alone; BTI */
        return !strncmp(theirs, "mrs x", 5) || !strncmp(theirs, "msr S0_3_C3_C0_3", 16) ||
               !strcmp(theirs, "dfb") || !strcmp(theirs, "bti r");
    case CAIRN_ISA_UNKNOWN: break;
    }
    return false;
}

static void check_word(struct job *job, uint32_t opcode, size_t size)
{
    const struct target *target = job->target;
    const uint64_t random = stratum_next(&job->seed);
    const uint64_t address = target->isa == CAIRN_ISA_A64   ? random >> 8 & ~UINT64_C(3)
                             : target->isa == CAIRN_ISA_A32 ? random >> 32 & ~UINT64_C(3)
                                                            : random >> 32 & ~UINT64_C(1);
    /* Of one instruction, so that branches may stand there; its condition is not AL. */
    const uint8_t it = target->in_it ? (uint8_t)((random & 0xff) % 14 << 4 | 8) : 0;
    const uint32_t stored =
        target->isa == CAIRN_ISA_T32 && size == 4 ? opcode << 16 | opcode >> 16 : opcode;
    const uint8_t bytes[4] = {(uint8_t)stored, (uint8_t)(stored >> 8), (uint8_t)(stored >> 16),
                              (uint8_t)(stored >> 24)};
    char raw[TEXT_SIZE], theirs[TEXT_SIZE], own[OWN_SIZE] = "";
    struct cairn_insn insn = {0};
    const size_t length = ask_llvm(job, address, opcode, size, it, raw);

    if (cairn_insn_decode(&target->arch, target->isa, address, bytes, size, &insn) != size)
        return;
    const bool has_own =
        cairn_insn_text(&target->arch, target->isa, address, &insn, it, own, sizeof own);
    const struct oracle oracle = oracle_read(target->isa, address, length == size ? raw : "");

    if (length != size) {
        if (has_own && !target->in_it && target->arch.major > 7 &&
            job->llvm->major >= LEAST_REFERENCE && !is_known_refusal(target, opcode) &&
            strncmp(own, "tcancel ", 8) != 0) {
            job->alone++;
            show(job, address, opcode, it, own, "");
        }
        return;
    }
    tidy(raw, theirs);
    if (oracle.kind == CAIRN_INSN_BRANCH_DIRECT)
        write_target(theirs, oracle.target);
    else if (!strncmp(theirs, "retaasppc ", 10) || !strncmp(theirs, "retabsppc ", 10))
        write_target(theirs, address + (uint64_t)strtoll(strrchr(theirs, '#') + 1, NULL, 0));
    if (is_mistaken(job, opcode, size, theirs))
        return;
    if (!has_own && (oracle.kind == CAIRN_INSN_OTHER || !decides_path(insn.kind)))
        return;
    if (!has_own) {
        job->missing++;
    } else if (strcmp(own, theirs) != 0) {
        job->different++;
    } else {
        job->same++;
        return;
    }
    show(job, address, opcode, it, own, theirs);
}

static uint32_t pick_word(const struct target *target, uint64_t *state)
{
    const uint64_t dice = stratum_next(state);
    const unsigned turns = (dice >> 1 & 3) == 3 ? 2 : dice >> 1 & 1; /* 0, 1 or 2 bits */
    uint32_t word = (uint32_t)(dice >> 32);

    if (dice & 1) {
        const struct stratum *s = &target->strata[(dice >> 8 & 0xffff) % target->stratum_count];

        /* Fields of 16 bits are 0 as often as not, which may be written otherwise than other numbers. */
        if (dice >> 3 & 1)
            word &= (uint32_t)stratum_next(state) & (uint32_t)stratum_next(state) &
                    (uint32_t)stratum_next(state) & (uint32_t)stratum_next(state);
        word = (word & ~s->mask) | s->value;
        for (unsigned i = 0; i < turns; i++)
            word ^= 1u << (stratum_next(state) & 31);
    }
    return target->isa == CAIRN_ISA_T32 && word >> 16 < FIRST_OF_TWO ? word | 0xe8000000u : word;
}

static bool check(const struct target *target, const struct cairn_llvm *llvm, uint64_t words)
{
    struct job job = {.target = target, .llvm = llvm, .seed = llvm->major};

    job.context = cairn_llvm_context(llvm, target->dialect);
    if (!job.context) {
        printf("# %s: %s has no such target\n", target->name, llvm->name);
        return false;
    }
    if (target->what == HALFWORDS)
        for (uint32_t halfword = 0; halfword < FIRST_OF_TWO; halfword++)
            check_word(&job, halfword, 2);
    else
        for (uint64_t i = 0; i < words; i++)
            check_word(&job, pick_word(target, &job.seed), 4);
    llvm->dispose(job.context);
    printf("# %s, %s: %llu the same; %llu different, %llu missing, %llu that LLVM does not know\n",
           target->name, llvm->name, (unsigned long long)job.same,
           (unsigned long long)job.different, (unsigned long long)job.missing,
           (unsigned long long)job.alone);
    return job.same && !(job.different + job.missing + job.alone);
}

/* Every LLVM that is installed, the oldest first. */
static size_t open_all(struct cairn_llvm llvms[VERSIONS_MAX])
{
    size_t count = 0;

    for (unsigned version = OLDEST; version <= NEWEST && count < VERSIONS_MAX; version++) {
        char path[2][32];

        snprintf(path[0], sizeof path[0], "libLLVM.so.%u.1", version);
        snprintf(path[1], sizeof path[1], "libLLVM-%u.so.1", version);
        const char *const names[] = {path[0], path[1], NULL};
        if (cairn_llvm_open(names, &llvms[count]))
            count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    const uint64_t words = argc > 1 ? strtoull(argv[1], NULL, 0) : DEFAULT_WORDS;
    static struct cairn_llvm llvms[VERSIONS_MAX];
    FILE *const said = tmpfile();
    bool all_good = true;

    if (!said || dup2(fileno(said), STDERR_FILENO) < 0)
        return 1;
    const size_t count = open_all(llvms);

    if (!count) {
        printf("1..0 # SKIP LLVM is not installed (Debian: libllvm19)\n");
        return 0;
    }
    printf("1..%d\n", (int)TARGET_COUNT + 1);
    for (unsigned i = 0; i < TARGET_COUNT; i++) {
        bool good = true;

        for (size_t k = 0; k < count; k++)
            good = check(&targets[i], &llvms[k], words) && good;
        all_good = all_good && good;
        printf("%s %u - %s, %zu LLVMs\n", good ? "ok" : "not ok", i + 1, targets[i].name, count);
        fflush(stdout);
    }
    fflush(stderr);
    /* LLVM writes there what it does not know of the features that it is asked for. */
    const bool quiet = fseek(said, 0, SEEK_END) == 0 && ftell(said) == 0;
    printf("%s %d - no LLVM has anything to say on standard error\n", quiet ? "ok" : "not ok",
           (int)TARGET_COUNT + 1);
    if (!quiet) {
        char line[TEXT_SIZE];

        rewind(said);
        while (fgets(line, sizeof line, said))
            printf("# %s", line);
    }
    return all_good && quiet ? 0 : 1;
}
