/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/disasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "isa/text.h"
#include "pipeline/llvm.h"

#define TEXT_SIZE 256

struct cairn_disasm {
    const char *const *libraries;
    bool is_loaded; /* or loading has failed */
    bool has_llvm;
    struct cairn_llvm llvm;
    bool is_tried[CAIRN_LLVM_DIALECTS];
    void *contexts[CAIRN_LLVM_DIALECTS];
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
    return cairn_disasm_new_from(NULL);
}

void cairn_disasm_free(struct cairn_disasm *disasm)
{
    if (!disasm)
        return;
    for (size_t i = 0; i < CAIRN_LLVM_DIALECTS; i++) {
        if (disasm->contexts[i])
            disasm->llvm.dispose(disasm->contexts[i]);
    }
    free(disasm);
}

bool cairn_disasm_has_names(struct cairn_disasm *disasm)
{
    if (!disasm)
        return false;
    if (!disasm->is_loaded)
        disasm->has_llvm = cairn_llvm_open(disasm->libraries, &disasm->llvm);
    disasm->is_loaded = true;
    return disasm->has_llvm;
}

bool cairn_disasm_lacked_names(const struct cairn_disasm *disasm)
{
    return disasm && disasm->is_loaded && !disasm->has_llvm;
}

const char *cairn_disasm_name(struct cairn_disasm *disasm)
{
    return cairn_disasm_has_names(disasm) ? disasm->llvm.name : NULL;
}

void cairn_disasm_in_it(struct cairn_disasm *disasm, uint8_t it)
{
    if (disasm)
        disasm->it = it;
}

static enum cairn_llvm_dialect dialect_of(const struct cairn_arch *arch, enum cairn_isa isa)
{
    const bool is_old = arch && arch->profile != CAIRN_PROFILE_M && arch->major < 8;
    switch (isa) {
    case CAIRN_ISA_A64: return CAIRN_LLVM_A64;
    case CAIRN_ISA_A32: return is_old ? CAIRN_LLVM_A32_V7 : CAIRN_LLVM_A32;
    case CAIRN_ISA_T32:
        if (arch && arch->profile == CAIRN_PROFILE_M)
            return CAIRN_LLVM_T32_M;
        return is_old ? CAIRN_LLVM_T32_V7 : CAIRN_LLVM_T32;
    case CAIRN_ISA_UNKNOWN: break;
    }
    return CAIRN_LLVM_DIALECTS;
}

static void *context_of(struct cairn_disasm *disasm, enum cairn_llvm_dialect dialect)
{
    if (dialect == CAIRN_LLVM_DIALECTS || !cairn_disasm_has_names(disasm))
        return NULL;
    if (!disasm->is_tried[dialect]) {
        disasm->is_tried[dialect] = true;
        disasm->contexts[dialect] = cairn_llvm_context(&disasm->llvm, dialect);
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
    disasm->llvm.disassemble(context, bytes, sizeof bytes, 0, text, sizeof text);
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
                        uint8_t it, char text[TEXT_SIZE])
{
    void *const context = context_of(disasm, dialect_of(arch, isa));
    if (!context)
        return false;
    if (isa == CAIRN_ISA_T32 && (it & T32_IT_MASK))
        feed(disasm, context, T32_IT | it);
    uint8_t bytes[4];
    const size_t size = put_opcode(bytes, isa, insn);
    const size_t used = disasm->llvm.disassemble(context, bytes, size, address, text, TEXT_SIZE);
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
    if ((opcode & 0xffc0001f) == 0x5500001f) { /* RETAASPPC, RETABSPPC: imm16 20:5, backwards */
        *target = address - 4 * (uint64_t)(opcode >> 5 & 0xffff);
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
    const struct cairn_arch any = cairn_arch_any_a();
    const uint8_t it = disasm ? disasm->it : 0;
    char full[TEXT_SIZE] = "";
    cairn_disasm_in_it(disasm, 0);
    /* The own text is first: LLVM's is the same to the letter (tests/isa/test_text.c), but for what
     * LLVM has wrong or later versions have given up (the base register of A32 RFE, UDF of T32, BTI,
     * transactions), and a listing of branches alone does not pay for loading it. */
    if (cairn_insn_text(arch ? arch : &any, isa, address, insn, it, text, size))
        return;
    if (!disasm || !disassemble(disasm, arch, isa, address, insn, it, full)) {
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
