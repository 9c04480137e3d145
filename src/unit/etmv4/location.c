/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/location.h"

#include <strings.h>

#include <cairn/access.h>

#include "unit/etmv4/register_table.h"

#define CAIRN_REGISTER_NONE 0u
#define TRACE_OP0 2u
#define TRACE_OP1 1u

static const struct {
    const char *name;
    uint16_t offset;
    uint8_t reads, writes, instruction; /* CAIRN_REGISTER_..., of protocols */
} management[] = {
#define ROW(name, offset, reads, writes, instruction)                                              \
    [CAIRN_MANAGEMENT_##name] = {#name, offset, CAIRN_REGISTER_##reads, CAIRN_REGISTER_##writes,   \
                                 CAIRN_REGISTER_##instruction},
    CAIRN_MANAGEMENT_LIST(ROW)
#undef ROW
};

static unsigned protocol_of(const struct cairn_unit_registers *registers)
{
    return registers->protocol == CAIRN_PROTOCOL_ETE ? CAIRN_REGISTER_ETE : CAIRN_REGISTER_ETMV4;
}

/* Word n of the map: CRn is bits 9:7 of n, op2 bits 6:4, CRm bits 3:0. */
static uint32_t sysreg_of(uint32_t offset)
{
    const uint32_t word = offset / 4;

    return CAIRN_SYSREG(TRACE_OP0, TRACE_OP1, word >> 7 & 7u, word & 15u, word >> 4 & 7u);
}

static uint32_t offset_of(uint32_t sysreg)
{
    const uint32_t CRn = sysreg >> 7 & 15u, CRm = sysreg >> 3 & 15u, op2 = sysreg & 7u;

    return 4 * (CRn << 7 | op2 << 4 | CRm);
}

/* ETE: of what identifies the unit, software on the PE sees these. */
static bool is_by_instruction(const struct cairn_unit_registers *registers, unsigned index)
{
    return registers->protocol != CAIRN_PROTOCOL_ETE || index != CAIRN_REG_TRCDEVTYPE;
}

/* Registers that are there though no bit of theirs is. */
static bool is_empty_register(unsigned index)
{
    return index == CAIRN_REG_TRCAUXCTLR || index == CAIRN_REG_TRCIMSPEC ||
           index == CAIRN_REG_TRCSYNCPR;
}

static bool of_row(const struct cairn_unit_registers *registers, unsigned index,
                   struct cairn_location *location)
{
    const struct cairn_register_row *row = &cairn_register_rows[index];
    bool writes = row->access == CAIRN_REGISTER_PROGRAM;

    if (!(row->protocols & protocol_of(registers)))
        return false;
    if (cairn_register_implemented(registers, index) == 0) {
        if (!is_empty_register(index))
            return false;
        writes &= index != CAIRN_REG_TRCSYNCPR; /* TRCIDR3.SYNCPR: the period is fixed */
    }
    *location = (struct cairn_location){
        .name = row->name,
        .offset = row->offset,
        .sysreg = is_by_instruction(registers, index) ? sysreg_of(row->offset) : 0,
        .bits = row->bits,
        .reads = true,
        .writes = writes,
        .index = index,
    };
    return true;
}

static bool of_management(const struct cairn_unit_registers *registers, unsigned number,
                          struct cairn_location *location)
{
    const unsigned protocol = protocol_of(registers);

    if (!((management[number].reads | management[number].writes) & protocol))
        return false;
    *location = (struct cairn_location){
        .name = management[number].name,
        .offset = management[number].offset,
        .sysreg =
            management[number].instruction & protocol ? sysreg_of(management[number].offset) : 0,
        .bits = 32,
        .reads = management[number].reads & protocol,
        .writes = management[number].writes & protocol,
        .management = (enum cairn_management)number,
        .index = CAIRN_REG_COUNT,
    };
    return true;
}

bool cairn_location_at(const struct cairn_unit_registers *registers, size_t number,
                       struct cairn_location *location, bool *more)
{
    *more = number < CAIRN_REG_COUNT + CAIRN_MANAGEMENT_COUNT - 1;
    if (!*more)
        return false;
    if (number < CAIRN_REG_COUNT)
        return of_row(registers, (unsigned)number, location);
    return of_management(registers, (unsigned)(number - CAIRN_REG_COUNT) + 1, location);
}

bool cairn_location_of_offset(const struct cairn_unit_registers *registers, uint32_t offset,
                              struct cairn_location *location)
{
    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++) {
        const struct cairn_register_row *row = &cairn_register_rows[i];

        /* Two protocols may have different registers at one offset. */
        if (offset - row->offset < row->bits / 8u && (row->protocols & protocol_of(registers)))
            return of_row(registers, i, location);
    }
    for (unsigned i = 1; i < CAIRN_MANAGEMENT_COUNT; i++)
        if (management[i].offset == offset)
            return of_management(registers, i, location);
    return false;
}

bool cairn_location_of_sysreg(const struct cairn_unit_registers *registers, uint32_t sysreg,
                              struct cairn_location *location)
{
    return cairn_location_of_offset(registers, offset_of(sysreg), location) &&
           location->sysreg == sysreg;
}

bool cairn_location_of_name(const struct cairn_unit_registers *registers, const char *name,
                            struct cairn_location *location)
{
    bool more = true;

    for (size_t i = 0; more && name; i++)
        if (cairn_location_at(registers, i, location, &more) &&
            strcasecmp(location->name, name) == 0)
            return true;
    return false;
}
