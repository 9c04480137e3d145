/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/disasm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The part of LLVM's C interface that is used, declared here so that a build needs no LLVM. */
typedef void llvm_initialize(void);
typedef void *llvm_create(const char *triple, const char *cpu, const char *features, void *info,
                          int tag_type, void *op_info, void *symbol_lookup);
typedef int llvm_set_options(void *context, uint64_t options);
typedef size_t llvm_disassemble(void *context, uint8_t *bytes, uint64_t size, uint64_t address,
                                char *text, size_t text_size);
typedef void llvm_dispose(void *context);

#define LLVM_OPTION_PRINT_IMMEDIATES_IN_HEX 2

#define TEXT_SIZE 256

/* One LLVM context each: what an opcode is depends on these. */
enum dialect {
    DIALECT_A64,
    DIALECT_A32,
    DIALECT_A32_V7,
    DIALECT_T32,
    DIALECT_T32_V7,
    DIALECT_T32_M,
    DIALECT_COUNT,
};

/* As permissive as LLVM can be made: which core it is matters little to a reader. Before Armv8
 * there were instructions that Armv8 took away (SWP, coprocessor accesses). */
#define FEATURES_V8                                                                                \
    "+fp-armv8,+neon,+crypto,+crc,+fullfp16,+fp16fml,+dotprod,+bf16,+i8mm,+ras,+sb,+dsp,+hwdiv,"   \
    "+hwdiv-arm,+mp,+virtualization,+trustzone,+clrbhb"
#define FEATURES_V7                                                                                \
    "+vfp4,+neon,+fp16,+dsp,+hwdiv,+hwdiv-arm,+mp,+virtualization,+trustzone,+perfmon,+v7clrex"
static const struct {
    const char *triple;
    const char *features;
} dialects[DIALECT_COUNT] = {
    [DIALECT_A64] = {"aarch64-none-elf", "+all"},
    [DIALECT_A32] = {"armv9.5a-none-eabi", FEATURES_V8},
    [DIALECT_A32_V7] = {"armv7a-none-eabi", FEATURES_V7},
    [DIALECT_T32] = {"thumbv9.5a-none-eabi", FEATURES_V8},
    [DIALECT_T32_V7] = {"thumbv7a-none-eabi", FEATURES_V7},
    [DIALECT_T32_M] = {"thumbv8.1m.main-none-eabi",
                       "+mve.fp,+fp-armv8d16,+fp64,+fullfp16,+lob,+pacbti,+dsp,+8msecext,+hwdiv"},
};

struct cairn_disasm {
    const char *const *libraries;
    bool is_loaded; /* or loading has failed */
    bool is_tried[DIALECT_COUNT];
    void *contexts[DIALECT_COUNT];
    llvm_create *create;
    llvm_set_options *set_options;
    llvm_disassemble *disassemble;
    llvm_dispose *dispose;
    uint8_t it; /* of the next text */
};

struct cairn_disasm *cairn_disasm_new_from(const char *const *libraries)
{
    struct cairn_disasm *const disasm = calloc(1, sizeof *disasm);
    if (disasm)
        disasm->libraries = libraries;
    return disasm;
}

struct cairn_disasm *cairn_disasm_new(void)
{
    static const char *const libraries[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",
                                            NULL};
    return cairn_disasm_new_from(libraries);
}

void cairn_disasm_free(struct cairn_disasm *disasm)
{
    if (!disasm)
        return;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (disasm->contexts[i])
            disasm->dispose(disasm->contexts[i]);
    }
    free(disasm);
}

/* A symbol as a function: ISO C has no cast from dlsym's object pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool initialize_targets(void *library)
{
    static const char *const names[] = {
        "LLVMInitializeAArch64TargetInfo",   "LLVMInitializeAArch64TargetMC",
        "LLVMInitializeAArch64Disassembler", "LLVMInitializeARMTargetInfo",
        "LLVMInitializeARMTargetMC",         "LLVMInitializeARMDisassembler"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        llvm_initialize *initialize = NULL;
        if (!find(library, names[i], &initialize))
            return false;
        initialize();
    }
    return true;
}

/* The library is never closed: it registers targets and exit handlers of its own. */
static void load(struct cairn_disasm *disasm)
{
    if (disasm->is_loaded)
        return;
    disasm->is_loaded = true;
    void *library = NULL;
    for (const char *const *name = disasm->libraries; *name && !library; name++)
        library = dlopen(*name, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return;
    llvm_create *create = NULL;
    if (find(library, "LLVMCreateDisasmCPUFeatures", &create) &&
        find(library, "LLVMSetDisasmOptions", &disasm->set_options) &&
        find(library, "LLVMDisasmInstruction", &disasm->disassemble) &&
        find(library, "LLVMDisasmDispose", &disasm->dispose) && initialize_targets(library))
        disasm->create = create;
}

bool cairn_disasm_has_names(struct cairn_disasm *disasm)
{
    if (!disasm)
        return false;
    load(disasm);
    return disasm->create != NULL;
}

void cairn_disasm_in_it(struct cairn_disasm *disasm, uint8_t it)
{
    if (disasm)
        disasm->it = it;
}

static enum dialect dialect_of(const struct cairn_arch *arch, enum cairn_isa isa)
{
    const bool is_old = arch && arch->profile != CAIRN_PROFILE_M && arch->major < 8;
    switch (isa) {
    case CAIRN_ISA_A64: return DIALECT_A64;
    case CAIRN_ISA_A32: return is_old ? DIALECT_A32_V7 : DIALECT_A32;
    case CAIRN_ISA_T32:
        if (arch && arch->profile == CAIRN_PROFILE_M)
            return DIALECT_T32_M;
        return is_old ? DIALECT_T32_V7 : DIALECT_T32;
    case CAIRN_ISA_UNKNOWN: break;
    }
    return DIALECT_COUNT;
}

static void *context_of(struct cairn_disasm *disasm, enum dialect dialect)
{
    if (dialect == DIALECT_COUNT || !cairn_disasm_has_names(disasm))
        return NULL;
    if (!disasm->is_tried[dialect]) {
        disasm->is_tried[dialect] = true;
        void *const context = disasm->create(dialects[dialect].triple, "",
                                             dialects[dialect].features, NULL, 0, NULL, NULL);
        if (context)
            disasm->set_options(context, LLVM_OPTION_PRINT_IMMEDIATES_IN_HEX);
        disasm->contexts[dialect] = context;
    }
    return disasm->contexts[dialect];
}

/* The opcode as it lies in little-endian memory; returns its size. */
static size_t put_opcode(uint8_t *bytes, enum cairn_isa isa, const struct cairn_insn *insn)
{
    if (insn->size == 2) {
        cairn_store_le16(bytes, (uint16_t)insn->opcode);
        return 2;
    }
    const bool swapped = isa == CAIRN_ISA_T32; /* the first halfword is in bits 31:16 */
    cairn_store_le32(bytes, swapped ? insn->opcode >> 16 | insn->opcode << 16 : insn->opcode);
    return 4;
}

/* T32: IT <first condition><mask>. As a state and as an instruction the eight bits are the same. */
#define T32_IT 0xbf00u
#define T32_IT_FIELDS 0x00ffu
#define T32_IT_MASK 0x000fu
/* T32: a halfword that is not below this one is the first of a 32-bit instruction. */
#define T32_WIDE 0xe800u
/* An IT block and an MVE predication block cover at most this many instructions. */
#define BLOCK_MAX 4

static bool is_it(unsigned halfword)
{
    return (halfword & ~T32_IT_FIELDS) == T32_IT && (halfword & T32_IT_MASK) != 0;
}

static void feed(const struct cairn_disasm *disasm, void *context, unsigned halfword)
{
    char text[TEXT_SIZE];
    uint8_t bytes[2];
    cairn_store_le16(bytes, (uint16_t)halfword);
    disasm->disassemble(context, bytes, sizeof bytes, 0, text, sizeof text);
}

/* LLVM keeps the state of IT and predication blocks from call to call. NOPs use them up. */
static void leave_blocks(const struct cairn_disasm *disasm, void *context)
{
    const unsigned nop = T32_IT; /* IT without a mask */
    for (unsigned i = 0; i < BLOCK_MAX; i++)
        feed(disasm, context, nop);
}

static bool disassemble(struct cairn_disasm *disasm, const struct cairn_arch *arch,
                        enum cairn_isa isa, uint64_t address, const struct cairn_insn *insn,
                        char text[TEXT_SIZE])
{
    void *const context = context_of(disasm, dialect_of(arch, isa));
    const uint8_t it = disasm ? disasm->it : 0;
    cairn_disasm_in_it(disasm, 0);
    if (!context)
        return false;
    if (isa == CAIRN_ISA_T32 && (it & T32_IT_MASK))
        feed(disasm, context, T32_IT | it);
    uint8_t bytes[4];
    const size_t size = put_opcode(bytes, isa, insn);
    const size_t used = disasm->disassemble(context, bytes, size, address, text, TEXT_SIZE);
    if (isa == CAIRN_ISA_T32)
        leave_blocks(disasm, context);
    return used == size;
}

/* LLVM writes "\tmnemonic\toperands", and may add a comment. */
static void normalize(char text[TEXT_SIZE])
{
    char *const comments[] = {strstr(text, "//"), strchr(text, '@')};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        if (comments[i])
            *comments[i] = '\0';
    }
    size_t to = 0;
    for (size_t from = 0; text[from] != '\0'; from++) {
        const bool is_space = text[from] == ' ' || text[from] == '\t' || text[from] == '\n';
        if (!is_space)
            text[to++] = text[from];
        else if (to > 0 && text[to - 1] != ' ')
            text[to++] = ' ';
    }
    while (to > 0 && text[to - 1] == ' ')
        to--;
    text[to] = '\0';
}

/* LLVM prints a label as its distance, "#0x10", and always last. */
static void replace_label(char text[TEXT_SIZE], uint64_t target)
{
    char *const label = strrchr(text, '#');
    if (!label || label == text || label[-1] != ' ')
        return;
    snprintf(label, (size_t)(text + TEXT_SIZE - label), "0x%llx", (unsigned long long)target);
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* What an A64 instruction that is no branch names relative to itself (Arm ARM C4.1, "PC-rel.
 * addressing" and "Load register (literal)"). False for all others. */
static bool literal_of(uint32_t opcode, uint64_t address, uint64_t *target)
{
    if ((opcode & 0x1f000000) == 0x10000000) { /* ADR, ADRP: immlo 30:29, immhi 23:5 */
        const uint64_t field = (opcode >> 5 & 0x7ffff) << 2 | (opcode >> 29 & 3);
        const uint64_t distance = (uint64_t)sign_extend(field, 21);
        const bool is_page = opcode >> 31;
        *target = is_page ? (address & ~UINT64_C(0xfff)) + distance * 0x1000 : address + distance;
        return true;
    }
    if ((opcode & 0x3b000000) == 0x18000000) { /* LDR, LDRSW, PRFM (literal): imm19 23:5 */
        *target = address + (uint64_t)sign_extend(opcode >> 5 & 0x7ffff, 19) * 4;
        return true;
    }
    return false;
}

static void print_opcode(enum cairn_isa isa, const struct cairn_insn *insn, char *text, size_t size)
{
    if (insn->size == 2)
        snprintf(text, size, ".inst.n 0x%04x", (unsigned)(insn->opcode & 0xffff));
    else if (isa == CAIRN_ISA_T32)
        snprintf(text, size, ".inst.w 0x%08x", (unsigned)insn->opcode);
    else
        snprintf(text, size, ".inst 0x%08x", (unsigned)insn->opcode);
}

void cairn_disassemble(struct cairn_disasm *disasm, const struct cairn_arch *arch,
                       enum cairn_isa isa, uint64_t address, const struct cairn_insn *insn,
                       char *text, size_t size)
{
    char full[TEXT_SIZE] = "";
    if (!disassemble(disasm, arch, isa, address, insn, full)) {
        print_opcode(isa, insn, text, size);
        return;
    }
    normalize(full);
    uint64_t target = insn->target;
    if (insn->kind == CAIRN_INSN_BRANCH_DIRECT ||
        (isa == CAIRN_ISA_A64 && literal_of(insn->opcode, address, &target)))
        replace_label(full, target);
    snprintf(text, size, "%s", full);
}

/* Whether an instruction begins at a halfword. A halfword below T32_WIDE ends an instruction,
 * whether it is one or the second half of one; those above it come in pairs. */
static bool begins_instruction(const uint8_t *bytes, size_t index)
{
    size_t wide = 0;
    while (wide < index && cairn_load_le16(bytes + 2 * (index - wide - 1)) >= T32_WIDE)
        wide++;
    return wide % 2 == 0;
}

uint8_t cairn_disasm_it_behind(const uint8_t *bytes, size_t size)
{
    /* IT, and three instructions of two halfwords before the last one that it can cover. */
    const size_t reach = 1 + 2 * (BLOCK_MAX - 1);
    const size_t odd = size % 2;
    const size_t end = size / 2;
    bytes += odd;
    for (size_t back = 1; back <= reach && back <= end; back++) {
        const size_t start = end - back;
        if (!is_it(cairn_load_le16(bytes + 2 * start)) || !begins_instruction(bytes, start))
            continue;
        uint8_t it = (uint8_t)(cairn_load_le16(bytes + 2 * start) & T32_IT_FIELDS);
        size_t at = start + 1;
        while (at < end) {
            at += cairn_load_le16(bytes + 2 * at) >= T32_WIDE ? 2 : 1;
            it = cairn_it_advance(it);
        }
        return at == end ? it : 0;
    }
    return 0;
}
