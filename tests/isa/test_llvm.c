/* SPDX-License-Identifier: BSD-2-Clause */
/* src/isa against LLVM 19's text: all 16-bit T32 patterns under five architectures, and as many
 * random and stratified words of A64, A32 and 32-bit T32 as the first argument says. Half of the
 * words are uniform; the other half come from the encodings of branches with a few bits turned, so
 * that every neighbour of a branch is met. Words LLVM does not know must not be P0 instructions,
 * and words src/isa calls undefined must be undefined to LLVM, or differences.h says why not. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/isa.h>

#include "differences.h"
#include "llvm_disasm.h"
#include "oracle.h"
#include "strata.h"

enum {
    DEFAULT_WORDS = 200000,
    DEFAULT_THREADS = 2,
    MAX_THREADS = 16,
    MAX_SHOWN = 20,
    TEXT_SIZE = 256,
    HALFWORDS = 0x10000,
    FIRST_WORD_HALF = 0xe800, /* T32: from here on a first halfword needs a second */
    RARE = 10,                /* fewer words for the architectures with few encodings */
    ALL_ROWS_WORDS = 100000,  /* with so many words every row of differences.h is met */
};

struct target {
    const char *name;
    unsigned on;
    enum cairn_isa isa;
    const char *triple;
    const char *features;
    struct cairn_arch arch;
    const struct stratum *strata;
    size_t stratum_count;
    enum { WORDS, RARE_WORDS, PAIRS, HALFWORDS_ONLY } what;
};

#define ARM_FEATURES                                                                               \
    "+neon,+fp-armv8,+fullfp16,+crypto,+dotprod,+i8mm,+bf16,+fp16fml,+crc,+ras,+sb,+mp,"           \
    "+trustzone,+virtualization,+hwdiv,+hwdiv-arm,+dsp"
#define M_FEATURES "+lob,+mve.fp,+pacbti,+8msecext,+dsp,+fp-armv8d16,+fullfp16,+hwdiv,+ras"
#define A_ALL                                                                                      \
    {                                                                                              \
        CAIRN_PROFILE_A, 9, 6,                                                                     \
            CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_TME | CAIRN_FEATURE_PAUTH | CAIRN_FEATURE_WFXT |  \
                CAIRN_FEATURE_CMPBR | CAIRN_FEATURE_HBC | CAIRN_FEATURE_TEXIT                      \
    }
#define M_ALL                                                                                      \
    {                                                                                              \
        CAIRN_PROFILE_M, 8, 1, CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_LOB | CAIRN_FEATURE_PAUTH      \
    }
#define STRATA(list) list, sizeof(list) / sizeof *(list)

static const struct target targets[] = {
    {"all 16-bit T32, Armv8-A", ON_T32_A, CAIRN_ISA_T32, "thumbv8.6a", ARM_FEATURES, A_ALL, NULL, 0,
     HALFWORDS_ONLY},
    {"all 16-bit T32, Armv8.1-M", ON_T32_M, CAIRN_ISA_T32, "thumbv8.1m.main", M_FEATURES, M_ALL,
     NULL, 0, HALFWORDS_ONLY},
    {"all 16-bit T32, Armv8-M Baseline",
     ON_T32_M_BASE,
     CAIRN_ISA_T32,
     "thumbv8m.base",
     "+8msecext",
     {CAIRN_PROFILE_M, 8, 0, 0},
     NULL,
     0,
     HALFWORDS_ONLY},
    {"all 16-bit T32, Armv6-M",
     ON_T32_V6M,
     CAIRN_ISA_T32,
     "thumbv6m",
     "",
     {CAIRN_PROFILE_M, 6, 0, 0},
     NULL,
     0,
     HALFWORDS_ONLY},
    {"all 16-bit T32, Armv5TE",
     ON_T32_V5,
     CAIRN_ISA_T32,
     "thumbv5te",
     "",
     {CAIRN_PROFILE_A, 5, 0, 0},
     NULL,
     0,
     HALFWORDS_ONLY},
    {"A64", ON_A64, CAIRN_ISA_A64, "aarch64", "+all", A_ALL, STRATA(a64_strata), WORDS},
    {"A32", ON_A32, CAIRN_ISA_A32, "armv8.6a", ARM_FEATURES, A_ALL, STRATA(a32_strata), WORDS},
    {"32-bit T32, Armv8-A", ON_T32_A, CAIRN_ISA_T32, "thumbv8.6a", ARM_FEATURES, A_ALL,
     STRATA(t32_strata), WORDS},
    {"32-bit T32, Armv8.1-M", ON_T32_M, CAIRN_ISA_T32, "thumbv8.1m.main", M_FEATURES, M_ALL,
     STRATA(t32_strata), WORDS},
    {"32-bit T32, Armv8-M Baseline",
     ON_T32_M_BASE,
     CAIRN_ISA_T32,
     "thumbv8m.base",
     "+8msecext",
     {CAIRN_PROFILE_M, 8, 0, 0},
     STRATA(t32_strata),
     RARE_WORDS},
    {"32-bit T32, Armv6-M",
     ON_T32_V6M,
     CAIRN_ISA_T32,
     "thumbv6m",
     "",
     {CAIRN_PROFILE_M, 6, 0, 0},
     STRATA(t32_strata),
     RARE_WORDS},
    {"BL and BLX pairs, Armv5TE",
     ON_T32_V5,
     CAIRN_ISA_T32,
     "thumbv5te",
     "",
     {CAIRN_PROFILE_A, 5, 0, 0},
     STRATA(pair_strata),
     PAIRS},
};

enum { TARGET_COUNT = sizeof targets / sizeof *targets };

static atomic_ullong row_hits[DIFFERENCE_COUNT];
static atomic_uint shown;

struct job {
    const struct target *target;
    uint64_t words;
    uint64_t seed;
    uint64_t unlisted;
    uint64_t listed;
    uint64_t known; /* words LLVM knows */
    uint64_t p0;    /* words that are branches, ISB, WFX or TSTART */
};

/* The rows of differences.h are strata, too, so that every one is met. */
static uint32_t place(const struct target *target, uint32_t word, uint32_t choice)
{
    const uint32_t chosen = choice % (uint32_t)(target->stratum_count + DIFFERENCE_COUNT);

    if (chosen < target->stratum_count) {
        const struct stratum *s = &target->strata[chosen];
        return (word & ~s->mask) | s->value;
    }

    const struct difference *d = &differences[chosen - target->stratum_count];
    return (d->on & target->on) != 0 && d->mask >> 16 != 0 ? (word & ~d->mask) | d->value : word;
}

static uint32_t pick_word(const struct target *target, uint64_t *state)
{
    const uint64_t dice = stratum_next(state);
    const uint32_t choice = dice >> 8 & 0xffff;
    const unsigned turns = (dice >> 1 & 3) == 3 ? 2 : dice >> 1 & 1; /* 0, 1 or 2 bits */
    uint32_t word = (uint32_t)(dice >> 32);

    if (target->what == PAIRS) {
        const struct stratum *s = &target->strata[choice % target->stratum_count];
        return (word & ~s->mask) | s->value;
    }
    if (dice & 1) {
        word = place(target, word, choice);
        for (unsigned i = 0; i < turns; i++)
            word ^= 1u << (stratum_next(state) & 31);
    }
    if (target->isa == CAIRN_ISA_T32) /* into 0xe8000000 to 0xffffffff */
        word = word >= (uint32_t)FIRST_WORD_HALF << 16 ? word : word | 0xe8000000u;
    return word;
}

static bool decides_path(unsigned kind)
{
    return kind != CAIRN_INSN_OTHER && kind != CAIRN_INSN_UNDEFINED;
}

static bool agrees(const struct cairn_insn *insn, const struct oracle *oracle, const char *text)
{
    const uint32_t flags = insn->flags & ~CAIRN_INSN_NEVER_N;
    const bool known = text[0] != '\0';

    if (!known)
        return !decides_path(insn->kind);
    if (insn->kind != oracle->kind)
        return false;
    if (!decides_path(insn->kind)) {
        const uint32_t ignored = CAIRN_INSN_CONDITIONAL; /* A32: any instruction can have it */
        return (flags & ~ignored) == oracle->flags;
    }
    return flags == oracle->flags && insn->cond == oracle->cond && insn->target == oracle->target &&
           insn->target_isa == oracle->target_isa;
}

/* The row of differences.h that covers a word, or DIFFERENCE_COUNT. */
static unsigned find_row(const struct target *target, uint32_t opcode, bool refused)
{
    unsigned row = 0;

    for (; row < DIFFERENCE_COUNT; row++) {
        const struct difference *d = &differences[row];
        const bool covers = (d->on & target->on) != 0 && (opcode & d->mask) == d->value;
        if (covers && (d->llvm == REFUSES) == refused && (d->also == NULL || d->also(opcode)))
            break;
    }
    return row;
}

static void show(const struct target *target, uint64_t address, const struct cairn_insn *insn,
                 const struct oracle *oracle, const char *text)
{
    if (atomic_fetch_add(&shown, 1) >= MAX_SHOWN)
        return;
    printf("# %s %08x at %#llx: \"%s\": size %u; kind %u/%u, cond %u/%u, flags %#x/%#x, "
           "target %#llx/%#llx\n",
           target->name, insn->opcode, (unsigned long long)address, text + (text[0] == '\t'),
           insn->size, insn->kind, oracle->kind, insn->cond, oracle->cond,
           insn->flags & ~CAIRN_INSN_NEVER_N, oracle->flags, (unsigned long long)insn->target,
           (unsigned long long)oracle->target);
}

/* LLVM's T32 decoder remembers IT and VPT blocks, even those it then refuses: the latter are in the
 * space of MVE's VPT and VPST. */
static bool may_be_in_block(const struct target *target, uint32_t opcode, const char *text)
{
    const bool vpt_space = (opcode >> 24 | 0x10) == 0xfe; /* 0xee, 0xfe */

    return target->isa == CAIRN_ISA_T32 && (vpt_space || oracle_opens_block(text));
}

/* Walks it out with NOPs. */
static void leave_block(struct llvm_disasm *disasm)
{
    static uint8_t nop[] = {0x00, 0xbf};
    char text[TEXT_SIZE];

    for (unsigned i = 0; i < 4; i++)
        (void)llvm_disasm_text(disasm, 0, nop, sizeof nop, text, sizeof text);
}

static void check_word(struct job *job, struct llvm_disasm *disasm, uint32_t opcode, size_t size)
{
    const struct target *target = job->target;
    const uint64_t random = stratum_next(&job->seed);
    const uint64_t address = target->isa == CAIRN_ISA_A64   ? random >> 8 & ~UINT64_C(3)
                             : target->isa == CAIRN_ISA_A32 ? random >> 32 & ~UINT64_C(3)
                                                            : random >> 32 & ~UINT64_C(1);
    const uint32_t stored =
        target->isa == CAIRN_ISA_T32 && size == 4 ? opcode << 16 | opcode >> 16 : opcode;
    uint8_t bytes[4] = {(uint8_t)stored, (uint8_t)(stored >> 8), (uint8_t)(stored >> 16),
                        (uint8_t)(stored >> 24)};
    char text[TEXT_SIZE];
    struct cairn_insn insn = {0};
    const size_t length = llvm_disasm_text(disasm, address, bytes, size, text, sizeof text);
    const unsigned ours =
        cairn_insn_decode(&target->arch, target->isa, address, bytes, size, &insn);
    const struct oracle oracle = oracle_read(target->isa, address, text);
    const bool same_size = ours == size && insn.size == size && (length == 0 || length == size);

    if (may_be_in_block(target, opcode, text))
        leave_block(disasm);
    job->known += length != 0;
    job->p0 += decides_path(insn.kind);
    if (same_size && insn.opcode == opcode && agrees(&insn, &oracle, text))
        return;

    const unsigned row = find_row(target, opcode, length == 0);
    if (row < DIFFERENCE_COUNT && same_size) {
        atomic_fetch_add(&row_hits[row], 1);
        job->listed++;
        return;
    }
    job->unlisted++;
    show(target, address, &insn, &oracle, text);
}

/* 0xe800 and above. With Thumb-2, and in the M profile, such a halfword needs a second one.
 * Without, it is half of a BL or BLX (DDI0100 A7.1.15): a prefix asks for the second half; a suffix
 * on its own branches to LR plus an offset. LLVM has no word for these. */
static void check_half(struct job *job, uint32_t halfword)
{
    const bool pairs = job->target->on == ON_T32_V5;
    const bool prefix = halfword >= 0xf000 && halfword < 0xf800;
    const bool suffix = halfword >= 0xf800 || (halfword < 0xf000 && (halfword & 1) == 0);
    const uint8_t bytes[2] = {(uint8_t)halfword, (uint8_t)(halfword >> 8)};
    struct cairn_insn insn = {0};
    const unsigned size =
        cairn_insn_decode(&job->target->arch, CAIRN_ISA_T32, 0, bytes, sizeof bytes, &insn);
    const unsigned expected_kind = suffix ? CAIRN_INSN_BRANCH_INDIRECT : CAIRN_INSN_OTHER;
    const bool good = !pairs || prefix ? size == 0
                                       : size == 2 && insn.kind == expected_kind &&
                                             insn.flags == (suffix ? CAIRN_INSN_LINK : 0);

    job->unlisted += !good;
    if (!good)
        printf("# %s: %04x is %u bytes, kind %u\n", job->target->name, halfword, size, insn.kind);
}

static void *run_job(void *argument)
{
    struct job *job = argument;
    struct llvm_disasm *disasm = llvm_disasm_new(job->target->triple, job->target->features);

    if (disasm == NULL) {
        job->unlisted = job->words;
        return NULL;
    }
    if (job->target->what == HALFWORDS_ONLY) {
        for (uint32_t halfword = 0; halfword < FIRST_WORD_HALF; halfword++)
            check_word(job, disasm, halfword, 2);
        for (uint32_t halfword = FIRST_WORD_HALF; halfword < HALFWORDS; halfword++)
            check_half(job, halfword);
    } else {
        for (uint64_t i = 0; i < job->words; i++)
            check_word(job, disasm, pick_word(job->target, &job->seed), 4);
    }
    llvm_disasm_free(disasm);
    return NULL;
}

static bool check_target(unsigned number, const struct target *target, uint64_t words,
                         unsigned threads)
{
    struct job jobs[MAX_THREADS] = {0};
    pthread_t ids[MAX_THREADS];
    struct job sum = {0};

    if (target->what == HALFWORDS_ONLY) {
        threads = 1;
        words = HALFWORDS;
    } else if (target->what != WORDS) {
        words /= RARE;
    }
    for (unsigned i = 0; i < threads; i++) {
        jobs[i] = (struct job){
            .target = target, .words = words / threads, .seed = number * UINT64_C(1000) + i};
        if (pthread_create(&ids[i], NULL, run_job, &jobs[i]) != 0)
            return false;
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        sum.words += jobs[i].words;
        sum.unlisted += jobs[i].unlisted;
        sum.listed += jobs[i].listed;
        sum.known += jobs[i].known;
        sum.p0 += jobs[i].p0;
    }
    printf("%s %u - %s: %llu words, %llu known to LLVM, %llu P0, %llu listed and %llu other "
           "differences\n",
           sum.unlisted == 0 ? "ok" : "not ok", number, target->name, (unsigned long long)sum.words,
           (unsigned long long)sum.known, (unsigned long long)sum.p0,
           (unsigned long long)sum.listed, (unsigned long long)sum.unlisted);
    fflush(stdout);
    return sum.unlisted == 0;
}

static bool check_rows(unsigned number)
{
    bool all = true;

    for (unsigned i = 0; i < DIFFERENCE_COUNT; i++) {
        const unsigned long long hits = atomic_load(&row_hits[i]);
        printf("# %10llu x %08x/%08x: %s\n", hits, differences[i].value, differences[i].mask,
               differences[i].reason);
        all = all && hits != 0;
    }
    printf("%s %u - every listed difference is met\n", all ? "ok" : "not ok", number);
    return all;
}

/* test_llvm [WORDS [THREADS]] */
int main(int argc, char **argv)
{
    const uint64_t words = argc > 1 ? strtoull(argv[1], NULL, 0) : DEFAULT_WORDS;
    const unsigned long asked = argc > 2 ? strtoul(argv[2], NULL, 0) : DEFAULT_THREADS;
    const unsigned threads = asked < 1 ? 1 : asked > MAX_THREADS ? MAX_THREADS : (unsigned)asked;
    bool good = true;

    if (!llvm_load()) {
        printf("1..0 # SKIP LLVM 19 (libLLVM.so.19.1) is not installed\n");
        return 0;
    }
    printf("1..%u\n", (unsigned)TARGET_COUNT + 1);
    for (unsigned i = 0; i < TARGET_COUNT; i++)
        good = check_target(i + 1, &targets[i], words, threads) && good;
    if (words >= ALL_ROWS_WORDS)
        good = check_rows(TARGET_COUNT + 1) && good;
    else
        printf("ok %u - every listed difference is met # SKIP too few words\n", TARGET_COUNT + 1);
    return good ? 0 : 1;
}
