/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding System registers, and what each of them is. */
#include "pe/sysreg.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pe/state.h"
#include "pe/sysreg_bits.h"

#define RO CAIRN_PE_CAN_READ
#define WO CAIRN_PE_CAN_WRITE
#define RW (CAIRN_PE_CAN_READ | CAIRN_PE_CAN_WRITE)
#define WRITABLE(access, bits, fixed)                                                              \
    ((access)&CAIRN_PE_CAN_WRITE ? (bits) & ~(uint64_t)(fixed) : 0)
#define ALIAS "_EL12"
#define OSLSR_BUILT UINT64_C(0x8) /* OSLM: there is an OS Lock */
#define BEHIND_ALIAS 5u           /* op1 of *_EL12 */

enum {
#define S(name, op0, op1, CRn, CRm, op2) ENCODING_##name = CAIRN_SYSREG(op0, op1, CRn, CRm, op2),
    CAIRN_PE_SYSREGS(S)
#undef S
};

static const struct cairn_pe_sysreg sysregs[] = {
#define ANY(reg, way, level, meets, host, mask, fixed, instruction, operation, read, write)        \
    [CAIRN_PE_##reg] = {.name = #reg,                                                              \
                        .encoding = ENCODING_##reg,                                                \
                        .count = 1,                                                                \
                        .access = way,                                                             \
                        .EL = level,                                                               \
                        .control = CAIRN_PE_CONTROL_##meets,                                       \
                        .is_host = host,                                                           \
                        .bits = mask,                                                              \
                        .writable = WRITABLE(way, mask, fixed),                                    \
                        .by_instruction = instruction,                                             \
                        .by_operation = (operation) & (mask),                                      \
                        .fine = {read, write}},
#define B(reg, way, level, meets, mask, fixed, instruction, operation, read, write)                \
    ANY(reg, way, level, meets, false, mask, fixed, instruction, operation, read, write)
#define H(reg, way, level, meets, instruction, operation)                                          \
    ANY(reg, way, level, meets, true, ALL, 0, instruction, operation, NF, NF)
#define R(row, prefix, suffix, first, numbers, way, level, meets, mask, read, write)               \
    [(unsigned)CAIRN_PE_SINGLES + CAIRN_PE_ROW_##row] = {.name = prefix,                           \
                                                         .after = suffix,                          \
                                                         .encoding = first,                        \
                                                         .count = numbers,                         \
                                                         .access = way,                            \
                                                         .EL = level,                              \
                                                         .control = CAIRN_PE_CONTROL_##meets,      \
                                                         .bits = mask,                             \
                                                         .writable = WRITABLE(way, mask, 0),       \
                                                         .fine = {read, write}},
    CAIRN_PE_SYSREG_BITS(B, H) CAIRN_PE_SYSREG_ROWS(R)};

/* Registers of EL1 whose names reach those of EL2 where E2H is 1, and which have a name *_EL12. */
static const struct {
    enum cairn_pe_register EL1, EL2;
} pairs[] = {
    {CAIRN_PE_TRFCR_EL1, CAIRN_PE_TRFCR_EL2}, {CAIRN_PE_BRBCR_EL1, CAIRN_PE_BRBCR_EL2},
    {CAIRN_PE_CPACR_EL1, CAIRN_PE_CPTR_EL2},  {CAIRN_PE_CONTEXTIDR_EL1, CAIRN_PE_CONTEXTIDR_EL2},
    {CAIRN_PE_SCTLR_EL1, CAIRN_PE_SCTLR_EL2}, {CAIRN_PE_TTBR0_EL1, CAIRN_PE_TTBR0_EL2},
    {CAIRN_PE_TTBR1_EL1, CAIRN_PE_TTBR1_EL2}, {CAIRN_PE_TCR_EL1, CAIRN_PE_TCR_EL2},
    {CAIRN_PE_MAIR_EL1, CAIRN_PE_MAIR_EL2},
};
#define PAIRS (sizeof pairs / sizeof pairs[0])
#define NONE ((struct cairn_pe_sysreg_place){0})

const struct cairn_pe_sysreg *cairn_pe_sysreg_at(size_t index)
{
    return index < CAIRN_PE_FAMILIES ? &sysregs[index] : NULL;
}

static size_t pair_of(const struct cairn_pe_sysreg *sysreg)
{
    size_t i = 0;

    while (i < PAIRS && sysreg != &sysregs[pairs[i].EL1])
        i++;
    return i;
}

static bool is_record(const struct cairn_pe_sysreg *sysreg)
{
    return sysreg >= &sysregs[(unsigned)CAIRN_PE_SINGLES + CAIRN_PE_ROW_BRBINF];
}

/* Event counters go on in op2 and the low bits of CRm; records in CRm, and in bit 2 of op2 from 16 on. */
static uint32_t step(const struct cairn_pe_sysreg *sysreg, unsigned number)
{
    return is_record(sysreg) ? (number & 15u) << 3 | (number >> 4 & 1u) << 2 : number;
}

uint32_t cairn_pe_sysreg_encoding(struct cairn_pe_sysreg_place place)
{
    const uint32_t encoding = place.sysreg->encoding + step(place.sysreg, place.number);

    return place.EL12 ? (encoding & ~(7u << 11)) | BEHIND_ALIAS << 11 : encoding;
}

void cairn_pe_sysreg_name(struct cairn_pe_sysreg_place place, char name[CAIRN_PE_SYSREG_NAME])
{
    if (place.sysreg->after)
        snprintf(name, CAIRN_PE_SYSREG_NAME, "%s%u%s", place.sysreg->name, place.number,
                 place.sysreg->after);
    else
        snprintf(name, CAIRN_PE_SYSREG_NAME, "%s%s", place.sysreg->name, place.EL12 ? "2" : "");
}

/* The number between what stands before and behind it: without a 0 in front. */
static bool is_of_row(const struct cairn_pe_sysreg *row, const char *name, unsigned *number)
{
    const size_t before = strlen(row->name);
    unsigned value = 0;

    if (strncasecmp(name, row->name, before) != 0)
        return false;
    name += before;
    if (*name < '0' || *name > '9' || (name[0] == '0' && name[1] >= '0' && name[1] <= '9'))
        return false;
    for (; *name >= '0' && *name <= '9'; name++) {
        value = 10 * value + (unsigned)(*name - '0');
        if (value >= row->count)
            return false;
    }
    *number = value;
    return strcasecmp(name, row->after) == 0;
}

struct cairn_pe_sysreg_place cairn_pe_sysreg_named(const char *name)
{
    const size_t length = strlen(name), alias = sizeof ALIAS - 1;
    struct cairn_pe_sysreg_place place = NONE;

    for (size_t i = 0; i < CAIRN_PE_FAMILIES; i++)
        if (sysregs[i].after ? is_of_row(&sysregs[i], name, &place.number)
                             : strcasecmp(sysregs[i].name, name) == 0) {
            place.sysreg = &sysregs[i];
            return place;
        }
    if (length <= alias || strcasecmp(name + length - alias, ALIAS) != 0)
        return NONE;
    for (size_t i = 0; i < PAIRS; i++) {
        const struct cairn_pe_sysreg *sysreg = &sysregs[pairs[i].EL1];
        if (strlen(sysreg->name) == length - 1 && strncasecmp(sysreg->name, name, length - 1) == 0)
            return (struct cairn_pe_sysreg_place){.sysreg = sysreg, .EL12 = true};
    }
    return NONE;
}

struct cairn_pe_sysreg_place cairn_pe_sysreg_encoded(uint32_t encoding)
{
    for (size_t i = 0; i < CAIRN_PE_FAMILIES; i++)
        for (unsigned n = 0; n < sysregs[i].count; n++)
            if (sysregs[i].encoding + step(&sysregs[i], n) == encoding)
                return (struct cairn_pe_sysreg_place){.sysreg = &sysregs[i], .number = n};
    for (size_t i = 0; i < PAIRS; i++) {
        const struct cairn_pe_sysreg_place place = {.sysreg = &sysregs[pairs[i].EL1], .EL12 = true};
        if (cairn_pe_sysreg_encoding(place) == encoding)
            return place;
    }
    return NONE;
}

enum cairn_pe_register cairn_pe_sysreg_slot(struct cairn_pe_sysreg_place place)
{
    const size_t index = (size_t)(place.sysreg - sysregs);

    if (index < (size_t)CAIRN_PE_SINGLES)
        return (enum cairn_pe_register)index;
    switch ((enum cairn_pe_row)(index - (size_t)CAIRN_PE_SINGLES)) {
    case CAIRN_PE_ROW_PMEVCNTR:
        return (enum cairn_pe_register)(CAIRN_PE_PMEVCNTR0_EL0 + place.number);
    case CAIRN_PE_ROW_PMEVTYPER:
        return (enum cairn_pe_register)(CAIRN_PE_PMEVTYPER0_EL0 + place.number);
    case CAIRN_PE_ROW_BRBINF:
    case CAIRN_PE_ROW_BRBSRC:
    case CAIRN_PE_ROW_BRBTGT:
    case CAIRN_PE_ROWS: break;
    }
    return CAIRN_PE_REGISTERS;
}

struct cairn_pe_sysreg_place cairn_pe_sysreg_reached(struct cairn_pe_sysreg_place place,
                                                     unsigned EL, bool E2H)
{
    if (place.EL12) {
        if (EL < 2 || !E2H)
            return NONE;
        place.EL12 = false;
        return place;
    }
    const size_t pair = EL == 2 && E2H ? pair_of(place.sysreg) : PAIRS;
    if (pair < PAIRS)
        place.sysreg = &sysregs[pairs[pair].EL2];
    return place;
}

uint64_t cairn_pe_sysreg_written(const struct cairn_pe_sysreg *sysreg, uint64_t before,
                                 uint64_t value)
{
    const uint64_t after = (before & ~sysreg->writable) | (value & sysreg->writable);

    if (sysreg == &sysregs[CAIRN_PE_PMCR_EL0])
        return after & ~(M(PMCR_P) | M(PMCR_C));
    return after;
}

/* --- classes --- */

bool cairn_pe_is_trace_sysreg(uint32_t encoding)
{
    return encoding >> 14 == 2 && (encoding >> 11 & 7u) == 1 && (encoding >> 7 & 15u) < 8;
}

#define TRC(CRn, CRm, op2) CAIRN_SYSREG(2, 1, CRn, CRm, op2)

/* Rows of the trace unit: registers `first` to `last` of CRm, and what CAIRN_PE_BY_... their bits
 * are. The rest of TRC* is by the trace operation. */
static const struct {
    uint8_t CRn, op2, first, last;
    uint8_t by;
    uint64_t bits;
} trace_classes[] = {
    {0, 0, 1, 1, CAIRN_PE_BY_INSTRUCTION, 1}, /* TRCPRGCTLR.EN */
    {1, 4, 0, 0, CAIRN_PE_BY_INSTRUCTION, 1}, /* TRCOSLAR */
    {1, 4, 1, 1, CAIRN_PE_BY_INSTRUCTION, 2}, /* TRCOSLSR.OSLK */
    {0, 0, 3, 3, CAIRN_PE_BY_OTHER, ALL},     /* TRCSTATR */
    {0, 0, 10, 10, CAIRN_PE_BY_OTHER, ALL},   /* TRCRSR */
    {0, 4, 7, 7, CAIRN_PE_BY_OTHER, ALL},     /* TRCSEQSTR */
    {0, 5, 8, 11, CAIRN_PE_BY_OTHER, ALL},    /* TRCCNTVR<n> */
    {1, 2, 8, 15, CAIRN_PE_BY_OTHER, ALL},    /* TRCSSCSR<n> */
};

static unsigned trace_class(uint32_t encoding, uint64_t bits)
{
    const unsigned CRn = encoding >> 7 & 15u, CRm = encoding >> 3 & 15u, op2 = encoding & 7u;

    for (size_t i = 0; i < sizeof trace_classes / sizeof trace_classes[0]; i++)
        if (trace_classes[i].CRn == CRn && trace_classes[i].op2 == op2 &&
            trace_classes[i].first <= CRm && trace_classes[i].last >= CRm)
            return bits & trace_classes[i].bits ? trace_classes[i].by : 0;
    return CAIRN_PE_BY_OPERATION;
}

unsigned cairn_pe_sysreg_class(uint32_t encoding, uint64_t bits)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_encoded(encoding);

    if (bits && cairn_pe_is_trace_sysreg(encoding))
        return trace_class(encoding, bits);
    if (!place.sysreg)
        return 0;
    return (place.sysreg->by_instruction & bits ? CAIRN_PE_BY_INSTRUCTION : 0) |
           (place.sysreg->by_operation & bits ? CAIRN_PE_BY_OPERATION : 0);
}

/* --- reset --- */

/* Any sequence of numbers will do. */
static uint64_t next(uint64_t *unknown)
{
    if (*unknown == 0)
        return 0;
    *unknown = *unknown * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *unknown ^ *unknown >> 32;
}

static bool is_identification(const struct cairn_pe_sysreg *sysreg)
{
    return sysreg->access == CAIRN_PE_CAN_READ && sysreg != &sysregs[CAIRN_PE_OSLSR_EL1];
}

static bool is_poisoned(const struct cairn_pe_sysreg *sysreg)
{
    return sysreg->control == CAIRN_PE_CONTROL_BUFFER ||
           sysreg->control == CAIRN_PE_CONTROL_BRANCHES ||
           sysreg->control == CAIRN_PE_CONTROL_PMU || sysreg->control == CAIRN_PE_CONTROL_FILTER;
}

void cairn_pe_registers_reset(struct cairn_pe_registers *registers,
                              const struct cairn_pe_features *features, enum cairn_pe_reset kind,
                              uint64_t unknown)
{
    const uint64_t MDCR = registers->value[CAIRN_PE_MDCR_EL3];
    const uint64_t OSLSR = registers->value[CAIRN_PE_OSLSR_EL1];
    const uint64_t built = registers->value[CAIRN_PE_PMCR_EL0] & ~BITS2(10, 0);

    for (size_t i = 0; i < CAIRN_PE_FAMILIES; i++)
        for (unsigned n = 0; n < sysregs[i].count; n++) {
            const enum cairn_pe_register slot = cairn_pe_sysreg_slot(
                (struct cairn_pe_sysreg_place){.sysreg = &sysregs[i], .number = n});
            const bool survives = kind == CAIRN_PE_RESET_WARM && features->brbe >= 2 &&
                                  sysregs[i].control == CAIRN_PE_CONTROL_BRANCHES;
            if (slot == CAIRN_PE_REGISTERS || is_identification(&sysregs[i]) || survives)
                continue;
            registers->value[slot] =
                is_poisoned(&sysregs[i]) ? next(&unknown) & sysregs[i].writable : 0;
        }
    registers->value[CAIRN_PE_TRBLIMITR_EL1] &= ~M(TRBLIMITR_E);
    registers->value[CAIRN_PE_TRFCR_EL1] &= ~BITS2(1, 0);
    registers->value[CAIRN_PE_TRFCR_EL2] &= ~BITS2(1, 0);
    registers->value[CAIRN_PE_PMCR_EL0] =
        built | (registers->value[CAIRN_PE_PMCR_EL0] &
                 ~(BITS2(31, 11) | M(PMCR_E) | M(PMCR_P) | M(PMCR_C)));
    registers->value[CAIRN_PE_MDCR_EL2] = CAIRN_PUT(UINT64_C(0), MDCR_EL2_HPMN, features->counters);
    if (kind == CAIRN_PE_RESET_WARM) {
        registers->value[CAIRN_PE_MDCR_EL3] = MDCR & M(MDCR_EL3_E3BREC);
        registers->value[CAIRN_PE_OSLSR_EL1] = OSLSR;
    } else
        registers->value[CAIRN_PE_OSLSR_EL1] = OSLSR_BUILT | CAIRN_PE_OSLSR_OSLK;
}
