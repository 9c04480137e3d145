/* SPDX-License-Identifier: BSD-2-Clause */
/* A64 as text: "Branches, exception generating and system instructions" (DDI0487 C4.1), and UDF. */
#include "isa/insn.h"
#include "isa/text.h"

enum { REG_31 = 31, REG_LR = 30 };

/* --- direct branches --- */

static void put_register(struct cairn_text *text, unsigned number, bool wide)
{
    if (number == REG_31)
        cairn_text_put(text, wide ? "xzr" : "wzr");
    else
        cairn_text_put(text, "%c%u", wide ? 'x' : 'w', number);
}

static void compare_zero(const struct cairn_insn *insn, struct cairn_text *text)
{
    const uint32_t word = insn->opcode;

    cairn_text_put(text, cairn_bits(word, 24, 1) ? "cbnz " : "cbz ");
    put_register(text, cairn_bits(word, 0, 5), word >> 31);
    cairn_text_put(text, ",");
    cairn_text_target(text, insn->target);
}

static void test_bit(const struct cairn_insn *insn, struct cairn_text *text)
{
    const uint32_t word = insn->opcode;
    const uint32_t bit = cairn_bits(word, 31, 1) << 5 | cairn_bits(word, 19, 5);

    cairn_text_put(text, cairn_bits(word, 24, 1) ? "tbnz " : "tbz ");
    put_register(text, cairn_bits(word, 0, 5), word >> 31);
    cairn_text_put(text, ", #0x%x,", bit);
    cairn_text_target(text, insn->target);
}

/* FEAT_CMPBR: the comparison is bits 23:21, of a register or of a number; 4 and 5 are nothing. */
static void compare(const struct cairn_insn *insn, struct cairn_text *text)
{
    static const char *const with_register[8] = {"gt", "ge", "hi", "hs", "", "", "eq", "ne"};
    static const char *const with_number[8] = {"gt", "lt", "hi", "lo", "", "", "eq", "ne"};
    static const char *const width[4] = {"", "", "b", "h"};
    const uint32_t word = insn->opcode;
    const uint32_t cc = cairn_bits(word, 21, 3);
    const bool wide = word >> 31;

    if (cairn_bits(word, 24, 1)) {
        cairn_text_put(text, "cb%s ", with_number[cc]);
        put_register(text, cairn_bits(word, 0, 5), wide);
        cairn_text_put(text, ", #0x%x,", cairn_bits(word, 15, 6));
    } else {
        cairn_text_put(text, "cb%s%s ", width[cairn_bits(word, 14, 2)], with_register[cc]);
        put_register(text, cairn_bits(word, 0, 5), wide);
        cairn_text_put(text, ", ");
        put_register(text, cairn_bits(word, 16, 5), wide);
        cairn_text_put(text, ",");
    }
    cairn_text_target(text, insn->target);
}

static bool direct(const struct cairn_insn *insn, struct cairn_text *text)
{
    const uint32_t word = insn->opcode;

    switch (word >> 24 & 0x7f) {
    case 0x34:
    case 0x35: compare_zero(insn, text); return true;
    case 0x36:
    case 0x37: test_bit(insn, text); return true;
    case 0x74:
    case 0x75: compare(insn, text); return true;
    case 0x54:
        cairn_text_put(text, "%s.%s", cairn_bits(word, 4, 1) ? "bc" : "b",
                       cairn_text_condition(insn->cond));
        break;
    default: cairn_text_put(text, insn->flags & CAIRN_INSN_LINK ? "bl" : "b"); break;
    }
    cairn_text_target(text, insn->target);
    return true;
}

/* --- branches to registers, returns --- */

/* BR, BLR, RET and what pointer authentication makes of them: opc is bits 24:21, and bit 24 says
 * that the modifier is a register too; A1 in bit 11, the key in bit 10. */
enum { OPC_BR = 0, OPC_BLR = 1, OPC_RET = 2, OPC_ERET = 4 };

static void put_modifier(struct cairn_text *text, unsigned number)
{
    if (number == REG_31)
        cairn_text_put(text, "sp");
    else
        cairn_text_put(text, "x%u", number);
}

static bool register_branch(const struct cairn_insn *insn, struct cairn_text *text)
{
    static const char *const names[8] = {[OPC_BR] = "br", [OPC_BLR] = "blr"};
    const uint32_t word = insn->opcode;
    const uint32_t opc = cairn_bits(word, 21, 3);
    const uint32_t rn = cairn_bits(word, 5, 5);
    const uint32_t rm = cairn_bits(word, 0, 5);
    const char key = cairn_bits(word, 10, 1) ? 'b' : 'a';
    const bool authenticated = cairn_bits(word, 11, 1) != 0;

    if (insn->flags & CAIRN_INSN_ERET) {
        if (opc == OPC_ERET)
            cairn_text_put(text, "eret");
        else
            cairn_text_put(text, "texit%s", cairn_bits(word, 10, 1) ? " nb" : "");
        if (opc == OPC_ERET && authenticated)
            cairn_text_put(text, "a%c", key);
    } else if (opc == OPC_RET && authenticated) {
        cairn_text_put(text, "reta%c", key);
        if (rm != REG_31) {
            cairn_text_put(text, "sppcr ");
            put_register(text, rm, true);
        }
    } else if (opc == OPC_RET) {
        cairn_text_put(text, "ret");
        if (rn != REG_LR) {
            cairn_text_put(text, " ");
            put_register(text, rn, true);
        }
    } else {
        cairn_text_put(text, "%s", names[opc]);
        if (authenticated)
            cairn_text_put(text, "a%c%s", key, cairn_bits(word, 24, 1) ? "" : "z");
        cairn_text_put(text, " ");
        put_register(text, rn, true);
        if (authenticated && cairn_bits(word, 24, 1)) {
            cairn_text_put(text, ", ");
            put_modifier(text, rm);
        }
    }
    return true;
}

/* RETAASPPC, RETABSPPC: the modifier is an address, imm16 words back. */
static bool return_by_address(uint64_t address, const struct cairn_insn *insn,
                              struct cairn_text *text)
{
    const uint32_t word = insn->opcode;

    cairn_text_put(text, "reta%csppc", cairn_bits(word, 21, 1) ? 'b' : 'a');
    cairn_text_target(text, address - 4 * (uint64_t)cairn_bits(word, 5, 16));
    return true;
}

/* --- exceptions, hints, barriers, transactions --- */

static bool exception_call(uint32_t word, struct cairn_text *text)
{
    static const struct {
        uint32_t value; /* bits 20:5 are a number */
        const char *name;
    } list[] = {
        {0xd4000001, "svc"},   {0xd4000002, "hvc"},   {0xd4000003, "smc"},
        {0xd4200000, "brk"},   {0xd4400000, "hlt"},   {0xd4600000, "tcancel"},
        {0xd4a00001, "dcps1"}, {0xd4a00002, "dcps2"}, {0xd4a00003, "dcps3"},
    };
    const uint32_t number = cairn_bits(word, 5, 16);

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if ((word & 0xffe0001f) != list[i].value)
            continue;
        cairn_text_put(text, "%s", list[i].name);
        if (number || list[i].value < 0xd4a00000)  /* of DCPS zero goes without saying */
            cairn_text_put(text, " #%#x", number); /* LLVM has "#0" */
        return true;
    }
    return false;
}

/* CRm:op2 of HINT, those whose names every version of the architecture shares; BTI and the like are
 * hints, too. */
static bool hint(uint32_t word, struct cairn_text *text)
{
    static const char *const names[128] = {
        [0x00] = "nop",       [0x01] = "yield",     [0x02] = "wfe",       [0x03] = "wfi",
        [0x04] = "sev",       [0x05] = "sevl",      [0x06] = "dgh",       [0x07] = "xpaclri",
        [0x08] = "pacia1716", [0x0a] = "pacib1716", [0x0c] = "autia1716", [0x0e] = "autib1716",
        [0x10] = "esb",       [0x11] = "psb csync", [0x12] = "tsb csync", [0x14] = "csdb",
        [0x18] = "paciaz",    [0x19] = "paciasp",   [0x1a] = "pacibz",    [0x1b] = "pacibsp",
        [0x1c] = "autiaz",    [0x1d] = "autiasp",   [0x1e] = "autibz",    [0x1f] = "autibsp",
        [0x20] = "bti",       [0x22] = "bti c",     [0x24] = "bti j",     [0x26] = "bti jc",
    };
    const char *name = names[cairn_bits(word, 5, 7)];

    if (name)
        cairn_text_put(text, "%s", name);
    return name != NULL;
}

/* CRm is bits 11:8, op2 bits 7:5. */
static bool barrier(uint32_t word, struct cairn_text *text)
{
    enum { DSB_NXS = 1, CLREX = 2, TCOMMIT = 3, DSB = 4, DMB = 5, ISB = 6, SB = 7 };
    enum { OPTION_ALL = 15 };
    const uint32_t option = cairn_bits(word, 8, 4);
    const char *name = cairn_text_barrier(option);

    switch (cairn_bits(word, 5, 3)) {
    case DSB_NXS:
        if ((option & 3) != 2)
            return false;
        cairn_text_put(text, "dsb %snxs", cairn_text_barrier(option | 3));
        return true;
    case CLREX:
        cairn_text_put(text, "clrex");
        if (option != OPTION_ALL)
            cairn_text_put(text, " #0x%x", option);
        return true;
    case TCOMMIT:
        if (option == 0)
            cairn_text_put(text, "tcommit");
        return option == 0;
    case DSB:
        if (option == 0 || option == 4)
            cairn_text_put(text, option ? "pssbb" : "ssbb");
        else if (name)
            cairn_text_put(text, "dsb %s", name);
        else
            cairn_text_put(text, "dsb #%u", option);
        return true;
    case DMB:
        if (name)
            cairn_text_put(text, "dmb %s", name);
        else
            cairn_text_put(text, "dmb #%u", option);
        return true;
    case ISB:
        cairn_text_put(text, "isb");
        if (option != OPTION_ALL)
            cairn_text_put(text, " #%u", option);
        return true;
    case SB:
        if (option == 0)
            cairn_text_put(text, "sb");
        return option == 0;
    default: return false;
    }
}

static bool with_register(const char *name, uint32_t word, struct cairn_text *text)
{
    cairn_text_put(text, "%s ", name);
    put_register(text, cairn_bits(word, 0, 5), true);
    return true;
}

static bool system_instruction(uint32_t word, struct cairn_text *text)
{
    if ((word & 0xfffff01f) == 0xd503201f)
        return hint(word, text);
    if ((word & 0xfffff01f) == 0xd503301f)
        return barrier(word, text);
    switch (word & 0xffffffe0) {
    case 0xd5031000: return with_register("wfet", word, text);
    case 0xd5031020: return with_register("wfit", word, text);
    case 0xd5233060: return with_register("tstart", word, text);
    case 0xd5233160: return with_register("ttest", word, text);
    default: return false;
    }
}

static bool other(const struct cairn_insn *insn, struct cairn_text *text)
{
    const uint32_t word = insn->opcode;

    switch (word >> 24) {
    case 0xd4: return exception_call(word, text);
    case 0xd5: return system_instruction(word, text);
    default: return false;
    }
}

static bool undefined(uint32_t word, struct cairn_text *text)
{
    if (word >> 16 == 0)
        cairn_text_put(text, "udf #0x%x", word);
    else
        cairn_text_put(text, "drps"); /* the only other one */
    return true;
}

bool cairn_a64_text(uint64_t address, const struct cairn_insn *insn, struct cairn_text *text)
{
    switch ((enum cairn_insn_kind)insn->kind) {
    case CAIRN_INSN_BRANCH_DIRECT: return direct(insn, text);
    case CAIRN_INSN_BRANCH_INDIRECT:
        return insn->opcode >> 24 == 0x55 ? return_by_address(address, insn, text)
                                          : register_branch(insn, text);
    case CAIRN_INSN_UNDEFINED: return undefined(insn->opcode, text);
    case CAIRN_INSN_OTHER:
    case CAIRN_INSN_ISB:
    case CAIRN_INSN_WFX:
    case CAIRN_INSN_TSTART:
    case CAIRN_INSN_BARRIER: break;
    }
    return other(insn, text);
}
