/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of transfers against LLVM 19's text: the mnemonic gives size and direction, the operands
 * the registers. Words that LLVM does not know are passed over; conditions are left at "always",
 * since "strhs" is STR or STRH. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/isa.h>

#include "llvm_disasm.h"
#include "transfer_text.h"

enum { TEXT_SIZE = 256, MAX_SHOWN = 20, DEFAULT_WORDS = 200000, MAX_OPERANDS = 40 };

enum shape {
    NOTHING,
    FIRST,      /* the first operand */
    SECOND,     /* behind a status register */
    FIRST_TWO,  /* two words */
    SECOND_TWO, /* two words behind a status register */
    REGISTERS,  /* the operands in braces */
    ELEMENTS,   /* only the number of bytes */
    SWAP,
    RETURN_STATE,
    TABLE,
    TO_LDC,
    MOVE, /* between core and coprocessor registers */
};

/* The first that fits counts. `stem` is compared with the beginning of the mnemonic. */
static const struct {
    const char *stem;
    char letter;
    unsigned size;
    enum shape shape;
} rules[] = {
    {"ldrexd", 'L', 4, FIRST_TWO},  {"ldaexd", 'L', 4, FIRST_TWO}, {"strexd", 'S', 4, SECOND_TWO},
    {"stlexd", 'S', 4, SECOND_TWO}, {"ldrexb", 'L', 1, FIRST},     {"ldaexb", 'L', 1, FIRST},
    {"ldrexh", 'L', 2, FIRST},      {"ldaexh", 'L', 2, FIRST},     {"strexb", 'S', 1, SECOND},
    {"stlexb", 'S', 1, SECOND},     {"strexh", 'S', 2, SECOND},    {"stlexh", 'S', 2, SECOND},
    {"ldrex", 'L', 4, FIRST},       {"ldaex", 'L', 4, FIRST},      {"strex", 'S', 4, SECOND},
    {"stlex", 'S', 4, SECOND},      {"ldab", 'L', 1, FIRST},       {"ldah", 'L', 2, FIRST},
    {"lda", 'L', 4, FIRST},         {"stlb", 'S', 1, FIRST},       {"stlh", 'S', 2, FIRST},
    {"stl", 'S', 4, FIRST},         {"ldrd", 'L', 4, FIRST_TWO},   {"strd", 'S', 4, FIRST_TWO},
    {"ldrsb", 'L', 1, FIRST},       {"ldrsh", 'L', 2, FIRST},      {"ldrb", 'L', 1, FIRST},
    {"ldrh", 'L', 2, FIRST},        {"ldr", 'L', 4, FIRST},        {"strb", 'S', 1, FIRST},
    {"strh", 'S', 2, FIRST},        {"str", 'S', 4, FIRST},        {"ldm", 'L', 4, REGISTERS},
    {"stm", 'S', 4, REGISTERS},     {"pop", 'L', 4, REGISTERS},    {"push", 'S', 4, REGISTERS},
    {"vldm", 'L', 4, REGISTERS},    {"vstm", 'S', 4, REGISTERS},   {"fldm", 'L', 4, REGISTERS},
    {"fstm", 'S', 4, REGISTERS},    {"vpop", 'L', 4, REGISTERS},   {"vpush", 'S', 4, REGISTERS},
    {"vldr", 'L', 4, FIRST},        {"vstr", 'S', 4, FIRST},       {"vld1", 'L', 1, ELEMENTS},
    {"vld2", 'L', 2, ELEMENTS},     {"vld3", 'L', 3, ELEMENTS},    {"vld4", 'L', 4, ELEMENTS},
    {"vst1", 'S', 1, ELEMENTS},     {"vst2", 'S', 2, ELEMENTS},    {"vst3", 'S', 3, ELEMENTS},
    {"vst4", 'S', 4, ELEMENTS},     {"swpb", 'L', 1, SWAP},        {"swp", 'L', 4, SWAP},
    {"rfe", 'L', 4, RETURN_STATE},  {"srs", 'S', 4, RETURN_STATE}, {"tbb", 'L', 1, TABLE},
    {"tbh", 'L', 2, TABLE},         {"ldc", 'L', 4, TO_LDC},       {"stc", 'S', 4, TO_LDC},
    {"mcr", 'T', 4, MOVE},          {"mrc", 'F', 4, MOVE},         {"mrrc", 'F', 4, MOVE},
    {"vmov", 'T', 4, MOVE},         {"vmrs", 'F', 4, MOVE},        {"vmsr", 'T', 4, MOVE},
    {"vdup", 'T', 4, MOVE},
};

struct words {
    char mnemonic[TEXT_SIZE];
    char *operands[MAX_OPERANDS];
    size_t count;
    size_t brace; /* the first operand in braces, and the first behind */
    size_t brace_end;
    char space[TEXT_SIZE];
};

/* "vld1.32\t{d0[], d1[]}, [r0]" -> vld1.32; d0[], d1[], [r0]. */
static void split(const char *text, struct words *words)
{
    char *next = words->space;

    *words = (struct words){0};
    while (*text == '\t' || *text == ' ')
        text++;
    const size_t length = strcspn(text, "\t ");
    memcpy(words->mnemonic, text, length);
    text += length;
    for (char c = ','; *text != '\0'; text++) {
        if (*text == '{')
            words->brace = words->count;
        if (*text == '}')
            words->brace_end = words->count;
        if (*text == ',' || *text == ' ' || *text == '\t' || *text == '{' || *text == '}') {
            *next++ = '\0';
            c = ',';
            continue;
        }
        if (c == ',' && words->count < MAX_OPERANDS)
            words->operands[words->count++] = next;
        *next++ = c = *text;
    }
}

/* "r0" to "r15" under any name; NULL if it is no core register. */
static const char *core(const char *name)
{
    static const char *const names[][2] = {
        {"sp", "r13"},         {"lr", "r14"},  {"pc", "r15"},  {"r0", "r0"},
        {"r1", "r1"},          {"r2", "r2"},   {"r3", "r3"},   {"r4", "r4"},
        {"r5", "r5"},          {"r6", "r6"},   {"r7", "r7"},   {"r8", "r8"},
        {"r9", "r9"},          {"r10", "r10"}, {"r11", "r11"}, {"r12", "r12"},
        {"r13", "r13"},        {"r14", "r14"}, {"r15", "r15"}, {"apsr_nzcv", "flags"},
        {"APSR_nzcv", "flags"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

/* One register of memory: a D register is two words. Returns the offset behind. */
static unsigned put(char *text, char letter, unsigned size, const char *name, unsigned offset)
{
    const size_t at = strlen(text);
    const char *space = at ? " " : "";
    const char *number = core(name) ? core(name) : name;

    if (name[0] == 'd') {
        (void)snprintf(text + at, TRANSFER_TEXT_SIZE - at, "%s%c4:%s.0@%u %c4:%s.1@%u", space,
                       letter, name, offset, letter, name, offset + 4);
        return offset + 8;
    }
    (void)snprintf(text + at, TRANSFER_TEXT_SIZE - at, "%s%c%u:%s@%u", space, letter, size, number,
                   offset);
    return offset + size;
}

static void put_range(char *text, char letter, unsigned size, const struct words *words,
                      size_t from, size_t to)
{
    unsigned offset = 0;

    for (size_t i = from; i < to && i < words->count; i++)
        offset = put(text, letter, size, words->operands[i], offset);
}

/* Moves of core registers; the direction of VMOV is told by its first operand. */
static void put_moves(char *text, char letter, const struct words *words)
{
    unsigned found = 0;

    if (strncmp(words->mnemonic, "vmov", 4) == 0 && words->count && core(words->operands[0]))
        letter = 'F';
    for (size_t i = 0; i < words->count; i++) {
        const size_t at = strlen(text);

        if (!core(words->operands[i]))
            continue;
        (void)snprintf(text + at, TRANSFER_TEXT_SIZE - at, "%s%c4:%s", found++ ? " " : "", letter,
                       core(words->operands[i]));
    }
    if (found == 2)
        strcat(text, " assumed");
}

static unsigned element_bytes(const struct words *words, unsigned structure)
{
    const size_t registers = words->brace_end - words->brace;
    const bool lanes = strchr(words->operands[words->brace], '[') != NULL;
    const char *dot = strchr(words->mnemonic, '.');
    const unsigned bits = dot ? (unsigned)strtoul(dot + 1, NULL, 10) : 0;

    return lanes ? structure * bits / 8 : (unsigned)registers * 8;
}

/* What the text says: in the words of transfer_text.h, and for elements "bytes N". */
static void expect(const char *assembly, char text[TRANSFER_TEXT_SIZE])
{
    struct words words;
    size_t i = 0;

    split(assembly, &words);
    text[0] = '\0';
    if (strcmp(words.mnemonic, "clrex") == 0)
        strcpy(text, "unknown");
    while (i < sizeof rules / sizeof *rules &&
           strncmp(words.mnemonic, rules[i].stem, strlen(rules[i].stem)) != 0)
        i++;
    if (i == sizeof rules / sizeof *rules)
        return;

    const char letter = rules[i].letter;
    const bool half = strstr(words.mnemonic, ".16") != NULL;
    const unsigned size = half ? 2 : rules[i].size;

    switch (rules[i].shape) {
    case NOTHING: return;
    case FIRST: put_range(text, letter, size, &words, 0, 1); return;
    case SECOND: put_range(text, letter, size, &words, 1, 2); return;
    case FIRST_TWO: put_range(text, letter, size, &words, 0, 2); return;
    case SECOND_TWO: put_range(text, letter, size, &words, 1, 3); return;
    case REGISTERS:
        put_range(text, letter, size, &words, words.brace, words.brace_end);
        if (strchr(assembly, '^') && !(letter == 'L' && strstr(assembly, "pc}")))
            strcat(text, " user");
        return;
    case ELEMENTS: (void)sprintf(text, "bytes %u", element_bytes(&words, rules[i].size)); return;
    case SWAP:
        put_range(text, 'L', size, &words, 0, 1);
        put(text, 'S', size, words.operands[1], 0);
        return;
    case RETURN_STATE:
        (void)sprintf(text, "%c4:%s@0 %c4:psr@4", letter, letter == 'L' ? "r15" : "r14", letter);
        return;
    case TABLE: (void)sprintf(text, "L%u:-@0", size); return;
    case TO_LDC:
        put_range(text, letter, 4, &words, 1, 2);
        if (strcmp(words.operands[0], "p14") != 0 || strcmp(words.operands[1], "c5") != 0)
            strcat(text, " more");
        return;
    case MOVE: put_moves(text, letter, &words); return;
    }
}

static void actual(const struct cairn_transfers *transfers, bool elements,
                   char text[TRANSFER_TEXT_SIZE])
{
    unsigned bytes = 0;

    if (!elements) {
        transfer_text(transfers, text);
        return;
    }
    for (unsigned i = 0; i < transfers->count; i++)
        bytes += transfers->list[i].size;
    (void)sprintf(text, "bytes %u", bytes);
}

struct target {
    const char *name;
    const char *triple;
    const char *features;
    enum cairn_isa isa;
    struct cairn_arch arch;
    unsigned at_least; /* of a thousand words: known, with transfers */
};

#define FEATURES "+neon,+fp-armv8,+fullfp16,+hwdiv,+hwdiv-arm,+mp,+trustzone,+virtualization"

static const struct target targets[] = {
    {"A32, Armv8.2",
     "armv8.2a",
     FEATURES,
     CAIRN_ISA_A32,
     {CAIRN_PROFILE_A, 8, 2, CAIRN_FEATURE_THUMB2},
     150},
    {"A32, Armv7",
     "armv7a",
     "+neon,+vfp4,+mp,+trustzone",
     CAIRN_ISA_A32,
     {CAIRN_PROFILE_A, 7, 0, CAIRN_FEATURE_THUMB2},
     150},
    {"A32, Armv6", "armv6", "+vfp2", CAIRN_ISA_A32, {CAIRN_PROFILE_A, 6, 0, 0}, 150},
    {"T32, Armv8.2",
     "thumbv8.2a",
     FEATURES,
     CAIRN_ISA_T32,
     {CAIRN_PROFILE_A, 8, 2, CAIRN_FEATURE_THUMB2},
     150},
    {"T32, Armv7-M",
     "thumbv7em",
     "+vfp4d16sp,+fp64",
     CAIRN_ISA_T32,
     {CAIRN_PROFILE_M, 7, 0, CAIRN_FEATURE_THUMB2},
     150},
};

/* splitmix64: every run checks the same words. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Loads, stores and coprocessors more often than they come by chance. */
static uint32_t pick(const struct target *target, uint64_t *seed)
{
    static const uint32_t a32[][2] = {{0x0e000090, 0x00000090}, {0x0c000000, 0x04000000},
                                      {0x0e000000, 0x08000000}, {0x0e000000, 0x0c000000},
                                      {0x0f000010, 0x0e000010}, {0x0f8000f0, 0x01800090},
                                      {0x0f000e00, 0x0d000a00}, {0x0fe00000, 0x0c400000}};
    static const uint32_t t32[][2] = {{0xfe000000, 0xe8000000}, {0xfe000000, 0xf8000000},
                                      {0xee000000, 0xec000000}, {0xef000010, 0xee000010},
                                      {0xffe00000, 0xe8c00000}, {0xff000e00, 0xed000a00}};
    const uint64_t dice = next(seed);
    uint32_t word = (uint32_t)(dice >> 32);

    if (target->isa == CAIRN_ISA_A32) {
        const uint32_t *s = a32[dice % (sizeof a32 / sizeof *a32)];

        word = (word & ~s[0]) | s[1];
        return (word & 0x0fffffffu) | (dice & 0x10000 ? 0xf0000000u : 0xe0000000u);
    }

    const uint32_t *s = t32[dice % (sizeof t32 / sizeof *t32)];

    return (word & ~s[0]) | s[1];
}

struct sum {
    unsigned long known, moving, wrong;
};

/* Where LLVM has a text, and src/isa means something else by the word: structures that reach beyond
 * D31, which LLVM prints as if D0 came next; LDC2 and kin of the coprocessors 8 to 13, which are
 * Arm's own and Advanced SIMD since Armv8.2 (transfers.c). */
static bool is_left_out(const struct target *target, uint32_t opcode, size_t size,
                        const struct cairn_transfers *transfers)
{
    const uint32_t elements = target->isa == CAIRN_ISA_A32 ? 0xf4000000 : 0xf9000000;
    const uint32_t number = opcode >> 8 & 15;
    const bool unconditional = size == 4 && opcode >> 28 == 15;

    if (unconditional && (opcode & 0xff000000) == elements)
        return (transfers->flags & CAIRN_TRANSFERS_UNKNOWN) != 0;
    return unconditional && (opcode >> 26 & 3) == 3 && number >= 8 && number <= 13;
}

static void check(const struct target *target, struct llvm_disasm *disasm, uint32_t opcode,
                  size_t size, struct sum *sum)
{
    const bool turned = target->isa == CAIRN_ISA_T32 && size == 4;
    const uint32_t stored = turned ? opcode << 16 | opcode >> 16 : opcode;
    uint8_t bytes[] = {(uint8_t)stored, (uint8_t)(stored >> 8), (uint8_t)(stored >> 16),
                       (uint8_t)(stored >> 24)};
    char assembly[TEXT_SIZE];
    char expected[TRANSFER_TEXT_SIZE];
    char text[TRANSFER_TEXT_SIZE];
    struct cairn_transfers transfers;
    struct cairn_insn insn;

    if (llvm_disasm_text(disasm, 0x1000, bytes, size, assembly, sizeof assembly) != size ||
        cairn_insn_decode(&target->arch, target->isa, 0x1000, bytes, size, &insn) != size)
        return;
    cairn_insn_transfers(&target->arch, target->isa, &insn, 0, &transfers);
    if (is_left_out(target, opcode, size, &transfers))
        return;
    expect(assembly, expected);
    actual(&transfers, strncmp(expected, "bytes", 5) == 0, text);
    sum->known++;
    sum->moving += transfers.count != 0;
    if (strcmp(text, expected) == 0)
        return;
    if (sum->wrong++ < MAX_SHOWN)
        printf("# %08x%s: \"%s\", not \"%s\"\n", opcode, assembly, text, expected);
}

static bool check_target(unsigned number, const struct target *target, unsigned long words)
{
    struct llvm_disasm *disasm = llvm_disasm_new(target->triple, target->features);
    struct sum sum = {0};
    uint64_t seed = number;

    if (disasm == NULL) {
        printf("not ok %u - %s: no such target\n", number, target->name);
        return false;
    }
    for (unsigned long i = 0; i < words; i++)
        check(target, disasm, pick(target, &seed), 4, &sum);
    /* Not IT, which LLVM remembers. */
    for (uint32_t half = 0; target->isa == CAIRN_ISA_T32 && half < 0xe800; half++)
        if (half >> 8 != 0xbf)
            check(target, disasm, half, 2, &sum);
    llvm_disasm_free(disasm);

    const bool good = sum.wrong == 0 && sum.moving >= words / 1000 * target->at_least;

    printf("%s %u - %s: %lu words known to LLVM, %lu with transfers, %lu differ\n",
           good ? "ok" : "not ok", number, target->name, sum.known, sum.moving, sum.wrong);
    return good;
}

/* test_transfer_llvm [WORDS] */
int main(int argc, char **argv)
{
    const unsigned long words = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_WORDS;
    const unsigned count = sizeof targets / sizeof *targets;
    bool good = true;

    if (!llvm_load()) {
        printf("1..0 # SKIP LLVM 19 (libLLVM.so.19.1) is not installed\n");
        return 0;
    }
    printf("1..%u\n", count);
    for (unsigned i = 0; i < count; i++)
        good = check_target(i + 1, &targets[i], words) && good;
    return good ? 0 : 1;
}
