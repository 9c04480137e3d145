/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 32, COND_COUNT = 16, COND_FIRST_WITHOUT_EFFECT = 14 };

struct parts {
    char mnemonic[TEXT_SIZE]; /* up to the first '.', without "\t" */
    char dot[TEXT_SIZE];      /* behind it */
    const char *operands;
};

static const char *const cond_names[COND_COUNT] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                                   "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};

static bool equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_in(const char *text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (equal(text, *list))
            return true;
    return false;
}

static bool begins_in(const char *text, const char *const *list)
{
    for (; *list != NULL; list++)
        if (begins(text, *list))
            return true;
    return false;
}

static struct parts split(const char *text)
{
    struct parts parts = {.operands = ""};
    size_t length = 0;
    char *part = parts.mnemonic;

    for (; *text == '\t' || *text == ' '; text++)
        ;
    for (; *text != '\0' && *text != '\t' && *text != ' '; text++) {
        if (*text == '.' && part == parts.mnemonic) {
            part = parts.dot;
            length = 0;
        } else if (length + 1 < TEXT_SIZE) {
            part[length++] = *text;
        }
    }
    for (; *text == '\t' || *text == ' '; text++)
        ;
    parts.operands = text;
    return parts;
}

/* The number of a condition's name, or COND_COUNT. */
static unsigned cond_of(const char *name)
{
    unsigned cond = 0;

    while (cond < COND_COUNT && !equal(name, cond_names[cond]))
        cond++;
    return cond;
}

/* True if `mnemonic` is `base` with or without a condition behind it. */
static bool is_conditional_form(const char *mnemonic, const char *base, uint8_t *cond)
{
    if (!begins(mnemonic, base))
        return false;
    const char *rest = mnemonic + strlen(base);
    const unsigned found = *rest == '\0' ? CAIRN_COND_AL : cond_of(rest);

    if (found >= COND_COUNT)
        return false;
    *cond = (uint8_t)found;
    return true;
}

static bool is_form_of(const char *mnemonic, const char *const *bases, uint8_t *cond)
{
    for (; *bases != NULL; bases++)
        if (is_conditional_form(mnemonic, *bases, cond))
            return true;
    return false;
}

static int64_t last_immediate(const char *operands)
{
    const char *hash = strrchr(operands, '#');

    return hash == NULL ? 0 : strtoll(hash + 1, NULL, 0);
}

static uint32_t conditional_flag(uint8_t cond)
{
    return cond < COND_FIRST_WITHOUT_EFFECT ? CAIRN_INSN_CONDITIONAL : 0;
}

static void a64_direct(struct oracle *o, uint64_t address, const char *operands, uint32_t flags)
{
    o->kind = CAIRN_INSN_BRANCH_DIRECT;
    o->flags = flags;
    o->target_isa = CAIRN_ISA_A64;
    o->target = address + (uint64_t)last_immediate(operands);
}

static void indirect(struct oracle *o, uint32_t flags)
{
    o->kind = CAIRN_INSN_BRANCH_INDIRECT;
    o->flags |= flags;
}

/* Both read and write memory: atomics, swaps, copies. */
static uint32_t a64_transfers(const struct parts *p)
{
    static const char *const none[] = {"ldg", "stg", "st2g", "stgm", "ldgm", "stgp", NULL};
    static const char *const both[] = {"ldadd",  "ldclr",  "ldeor",  "ldset",  "ldsmax", "ldsmin",
                                       "ldumax", "ldumin", "stadd",  "stclr",  "steor",  "stset",
                                       "stsmax", "stsmin", "stumax", "stumin", "cas",    "swp",
                                       "rcw",    "cpy",    NULL};
    static const char *const store[] = {"st",    "setp",  "setm",   "sete",    "setgp",
                                        "setgm", "setge", "gcsstr", "gcssttr", NULL};
    const char *m = p->mnemonic;

    if (begins(m, "stgp"))
        return CAIRN_INSN_STORE; /* the pair itself is data */
    if (is_in(m, none))
        return 0;
    /* SVE's predicated "cpy" copies registers. */
    if (begins_in(m, both) && !(equal(m, "cpy")))
        return CAIRN_INSN_LOAD | CAIRN_INSN_STORE;
    if (begins(m, "ld"))
        return CAIRN_INSN_LOAD;
    if (begins_in(m, store))
        return CAIRN_INSN_STORE;
    return 0;
}

static struct oracle read_a64(uint64_t address, const char *text)
{
    static const char *const compare[] = {
        "cbz",   "cbnz",  "tbz",   "tbnz",  "cbgt",  "cbge",  "cbhi",  "cbhs",  "cbeq",
        "cbne",  "cblt",  "cblo",  "cbbgt", "cbbge", "cbbhi", "cbbhs", "cbbeq", "cbbne",
        "cbhgt", "cbhge", "cbhhi", "cbhhs", "cbheq", "cbhne", NULL};
    static const char *const br[] = {"br", "braa", "brab", "braaz", "brabz", NULL};
    static const char *const blr[] = {"blr", "blraa", "blrab", "blraaz", "blrabz", NULL};
    static const char *const ret[] = {"ret",       "retaa",      "retab",      "retaasppc",
                                      "retabsppc", "retaasppcr", "retabsppcr", NULL};
    static const char *const eret[] = {"eret", "eretaa", "eretab", NULL};
    static const char *const wfx[] = {"wfe", "wfi", "wfet", "wfit", NULL};
    const struct parts p = split(text);
    const char *m = p.mnemonic;
    struct oracle o = {.kind = CAIRN_INSN_OTHER, .cond = CAIRN_COND_AL};

    if (equal(m, "b") && p.dot[0] == '\0') {
        a64_direct(&o, address, p.operands, 0);
    } else if (equal(m, "b") || equal(m, "bc")) {
        o.cond = (uint8_t)cond_of(p.dot);
        a64_direct(&o, address, p.operands,
                   o.cond < COND_FIRST_WITHOUT_EFFECT ? CAIRN_INSN_CONDITIONAL : CAIRN_INSN_PASSES);
    } else if (equal(m, "bl")) {
        a64_direct(&o, address, p.operands, CAIRN_INSN_LINK);
    } else if (is_in(m, compare)) {
        a64_direct(&o, address, p.operands, CAIRN_INSN_CONDITIONAL);
    } else if (is_in(m, br)) {
        indirect(&o, 0);
    } else if (is_in(m, blr)) {
        indirect(&o, CAIRN_INSN_LINK);
    } else if (is_in(m, ret)) {
        indirect(&o, CAIRN_INSN_RETURN);
    } else if (is_in(m, eret)) {
        indirect(&o, CAIRN_INSN_ERET);
    } else if (is_in(m, wfx)) {
        o.kind = CAIRN_INSN_WFX;
    } else if (equal(m, "isb")) {
        o.kind = CAIRN_INSN_ISB;
    } else if (equal(m, "tstart")) {
        o.kind = CAIRN_INSN_TSTART;
    } else if (equal(m, "udf")) {
        o.kind = CAIRN_INSN_UNDEFINED;
    } else {
        o.flags = a64_transfers(&p);
    }
    return o;
}

static bool first_is_pc(const char *operands)
{
    return begins(operands, "pc,");
}

static bool list_has_pc(const char *operands)
{
    const char *list = strchr(operands, '{');

    return list != NULL && strstr(list, "pc") != NULL;
}

static bool restores_cpsr(const char *operands)
{
    return strchr(operands, '^') != NULL;
}

static void aarch32_direct(struct oracle *o, enum cairn_isa isa, enum cairn_isa target_isa,
                           uint64_t address, const char *operands)
{
    uint32_t pc = (uint32_t)address + (isa == CAIRN_ISA_A32 ? 8u : 4u);

    if (target_isa == CAIRN_ISA_A32)
        pc &= ~3u; /* T32 BLX */
    o->kind = CAIRN_INSN_BRANCH_DIRECT;
    o->target_isa = (uint8_t)target_isa;
    o->target = pc + (uint32_t)last_immediate(operands);
}

static uint32_t aarch32_transfers(const char *m)
{
    static const char *const load[] = {"ldr",  "ldm", "ldc", "lda", "vld",  "vlldm", "pop",
                                       "vpop", "tbb", "tbh", "rfe", "fldm", NULL};
    static const char *const store[] = {"str",   "stm",   "stc",   "stl",   "vst",
                                        "vlstm", "push",  "vpush", "srsia", "srsib",
                                        "srsda", "srsdb", "fstm",  NULL};

    if (begins(m, "swp"))
        return CAIRN_INSN_LOAD | CAIRN_INSN_STORE;
    if (begins_in(m, load))
        return CAIRN_INSN_LOAD;
    return begins_in(m, store) ? CAIRN_INSN_STORE : 0;
}

/* Data processing with PC as its destination; with "s" it restores CPSR as well. */
static bool is_data_processing(const char *m, uint8_t *cond, bool *sets_flags)
{
    static const char *const bases[] = {"and", "eor", "sub", "rsb", "add", "adc", "sbc",
                                        "rsc", "orr", "mov", "bic", "mvn", "lsl", "lsr",
                                        "asr", "ror", "rrx", "adr", NULL};
    static const char *const setting[] = {"ands", "eors", "subs", "rsbs", "adds", "adcs",
                                          "sbcs", "rscs", "orrs", "movs", "bics", "mvns",
                                          "lsls", "lsrs", "asrs", "rors", "rrxs", NULL};

    *sets_flags = is_form_of(m, setting, cond);
    return *sets_flags || is_form_of(m, bases, cond);
}

/* "pc, [sp], #4": up, not down. */
static bool is_pop_by_ldr(const char *operands)
{
    static const char form[] = "pc, [sp], #";

    return begins(operands, form) && operands[sizeof form - 1] != '-';
}

/* Loads to PC and data processing on it. False if the instruction is neither. */
static bool writes_pc(const struct parts *p, struct oracle *o)
{
    static const char *const ldr[] = {"ldr", NULL};
    static const char *const pop[] = {"pop", NULL};
    static const char *const ldm[] = {"ldm", "ldmib", "ldmda", "ldmdb", NULL};
    const char *m = p->mnemonic;
    bool sets_flags = false;

    if (is_form_of(m, pop, &o->cond) && list_has_pc(p->operands)) {
        indirect(o, CAIRN_INSN_RETURN);
    } else if (is_form_of(m, ldm, &o->cond) && list_has_pc(p->operands)) {
        const bool ascending = is_form_of(m, (const char *const[]){"ldm", NULL}, &o->cond);
        const bool is_pop = ascending && begins(p->operands, "sp!");
        indirect(o, restores_cpsr(p->operands) ? CAIRN_INSN_ERET : is_pop ? CAIRN_INSN_RETURN : 0);
    } else if (is_form_of(m, ldr, &o->cond) && first_is_pc(p->operands)) {
        indirect(o, is_pop_by_ldr(p->operands) ? CAIRN_INSN_RETURN : 0);
    } else if (is_data_processing(m, &o->cond, &sets_flags) && first_is_pc(p->operands)) {
        const bool mov_lr = begins(m, "mov") && begins(p->operands, "pc, lr");
        indirect(o, sets_flags ? CAIRN_INSN_ERET : mov_lr ? CAIRN_INSN_RETURN : 0);
    } else {
        return false;
    }
    o->flags |= conditional_flag(o->cond);
    return true;
}

/* Armv8.1-M low-overhead loops. */
static bool read_loop(const struct parts *p, uint64_t address, struct oracle *o)
{
    static const char *const conditional[] = {"wls", "wlstp", "letp", NULL};
    const bool le = equal(p->mnemonic, "le");

    if (!le && !is_in(p->mnemonic, conditional))
        return false;
    aarch32_direct(o, CAIRN_ISA_T32, CAIRN_ISA_T32, address, p->operands);
    o->flags = le && !begins(p->operands, "lr") ? 0 : CAIRN_INSN_CONDITIONAL;
    return true;
}

static bool read_branch(enum cairn_isa isa, uint64_t address, const struct parts *p,
                        struct oracle *o)
{
    static const char *const b[] = {"b", NULL};
    static const char *const bl[] = {"bl", NULL};
    static const char *const blx[] = {"blx", "blxns", NULL};
    static const char *const bx[] = {"bx", "bxns", NULL};
    static const char *const bxj[] = {"bxj", NULL};
    static const char *const table[] = {"tbb", "tbh", NULL};
    static const char *const zero[] = {"cbz", "cbnz", NULL};
    const char *m = p->mnemonic;
    const bool immediate = p->operands[0] == '#';
    const enum cairn_isa other = isa == CAIRN_ISA_A32 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;

    if (is_form_of(m, b, &o->cond)) {
        aarch32_direct(o, isa, isa, address, p->operands);
    } else if (is_form_of(m, bl, &o->cond)) {
        aarch32_direct(o, isa, isa, address, p->operands);
        o->flags = CAIRN_INSN_LINK;
    } else if (is_form_of(m, blx, &o->cond) && immediate) {
        aarch32_direct(o, isa, other, address, p->operands);
        o->flags = CAIRN_INSN_LINK | CAIRN_INSN_EXCHANGE;
    } else if (is_form_of(m, blx, &o->cond)) {
        indirect(o, CAIRN_INSN_LINK);
    } else if (is_form_of(m, bx, &o->cond)) {
        indirect(o, equal(p->operands, "lr") ? CAIRN_INSN_RETURN : 0);
    } else if (is_form_of(m, bxj, &o->cond) || is_form_of(m, table, &o->cond)) {
        indirect(o, 0);
    } else if (is_in(m, zero)) {
        aarch32_direct(o, isa, isa, address, p->operands);
        o->flags = CAIRN_INSN_CONDITIONAL;
    } else if (equal(m, "bxaut")) {
        indirect(o, begins(p->operands, "lr,") ? CAIRN_INSN_RETURN : 0);
    } else {
        return read_loop(p, address, o);
    }
    o->flags |= conditional_flag(o->cond);
    return true;
}

static bool read_system(const struct parts *p, struct oracle *o)
{
    static const char *const wfx[] = {"wfe", "wfi", NULL};
    static const char *const eret[] = {"eret", NULL};
    static const char *const mcr[] = {"mcr", NULL};
    static const char *const barriers[] = {"dsb", "dmb", "ssbb", "pssbb", "dfb", NULL};
    static const char *const udf[] = {"udf", "trap", "__brkdiv0", NULL}; /* UDF #254, UDF #249 */
    const char *m = p->mnemonic;

    if (is_form_of(m, wfx, &o->cond))
        o->kind = CAIRN_INSN_WFX;
    else if (begins(m, "isb"))
        o->kind = CAIRN_INSN_ISB;
    else if (is_form_of(m, mcr, &o->cond) && begins(p->operands, "p15, #0,") &&
             strstr(p->operands, ", c7, c5, #4") != NULL)
        o->kind = CAIRN_INSN_ISB;
    else if (is_in(m, barriers))
        o->kind = CAIRN_INSN_BARRIER;
    else if (is_form_of(m, mcr, &o->cond) && begins(p->operands, "p15, #0,") &&
             (strstr(p->operands, ", c7, c10, #4") != NULL ||
              strstr(p->operands, ", c7, c10, #5") != NULL))
        o->kind = CAIRN_INSN_BARRIER;
    else if (is_form_of(m, eret, &o->cond) || begins(m, "rfe"))
        indirect(o, CAIRN_INSN_ERET);
    else if (is_in(m, udf))
        o->kind = CAIRN_INSN_UNDEFINED;
    else
        return false;
    o->flags |= conditional_flag(o->cond);
    return true;
}

/* "it", "itt", "ite" ... */
static bool is_it(const char *m)
{
    return begins(m, "it") && strspn(m + 2, "te") == strlen(m + 2);
}

static struct oracle read_aarch32(enum cairn_isa isa, uint64_t address, const char *text)
{
    const struct parts p = split(text);
    struct oracle o = {.kind = CAIRN_INSN_OTHER, .cond = CAIRN_COND_AL};

    if (is_it(p.mnemonic)) {
        o.flags = CAIRN_INSN_IT;
        return o;
    }
    if (!read_branch(isa, address, &p, &o) && !writes_pc(&p, &o) && !read_system(&p, &o))
        o.cond = CAIRN_COND_AL;
    o.flags |= aarch32_transfers(p.mnemonic);
    return o;
}

struct oracle oracle_read(enum cairn_isa isa, uint64_t address, const char *text)
{
    if (text[0] == '\0')
        return (struct oracle){.kind = CAIRN_INSN_UNDEFINED, .cond = CAIRN_COND_AL};
    if (isa == CAIRN_ISA_A64)
        return read_a64(address, text);
    return read_aarch32(isa, address, text);
}

bool oracle_opens_block(const char *text)
{
    const struct parts p = split(text);

    return is_it(p.mnemonic) || begins(p.mnemonic, "vpst") || begins(p.mnemonic, "vpt");
}
