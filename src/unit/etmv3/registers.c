/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv3/registers.h"

#include <inttypes.h>
#include <strings.h>

#include "base/error.h"

/* What a unit is built with unless options say otherwise. */
#define ETMIDR_A 0x410cf250u  /* v3.5, original branch encoding, Security Extensions */
#define ETMIDR_R 0x4104f230u  /* v3.3, original */
#define ETMIDR_M 0x4114f250u  /* v3.5, alternative */
#define ETMCCER_A 0x34400800u /* 64-bit binary timestamps, Virtualization Extensions, readable */
#define ETMCCER_R 0x00000800u
#define ETMCCER_M 0x18400800u /* 48-bit binary timestamps */
/* ETMIDR present, start/stop, 3 context ID comparators, 4 external inputs, sequencer, 4 counters, 8
 * data value comparators, 8 pairs of address comparators. */
#define ETMCCR_ALL 0x87098088u
#define ETMIDR_LOADS_PC_FIRST (1u << 16)
#define MAJOR_ETMV3 2u

#define EVENT_TRUE 0x0006fu
#define EVENT_FALSE 0x0406fu
#define TECR1_EXCLUDE_NOTHING (1u << 24)
#define VDCR3_EXCLUDE_ONLY (1u << 16)
#define SYNCFR_DEFAULT 1024u
#define TRACEIDR_DEFAULT 1u

struct row {
    const char *name;
    uint32_t mask;
    uint8_t count;
    uint8_t access;
    bool decoder;
    uint16_t first;
};

static const struct row rows[] = {
#define ROW(NAME, COUNT, NUMBER, STEP, MASK, ACCESS, DECODER)                                      \
    {#NAME, MASK, COUNT, CAIRN_ETMV3_##ACCESS, DECODER, CAIRN_ETMV3_REG_##NAME},
    CAIRN_ETMV3_REGISTERS(ROW)
#undef ROW
};
#define NAMES_1(NAME) #NAME,
#define NAMES_3(NAME) #NAME "1", #NAME "2", #NAME "3",
#define NAMES_4(NAME) NAMES_3(NAME) #NAME "4",
#define NAMES_8(NAME) NAMES_4(NAME) #NAME "5", #NAME "6", #NAME "7", #NAME "8",
#define NAMES_16(NAME)                                                                             \
    NAMES_8(NAME)                                                                                  \
#NAME "9", #NAME "10", #NAME "11", #NAME "12", #NAME "13", #NAME "14", #NAME "15", #NAME "16",
static const char *const names[CAIRN_ETMV3_REG_COUNT] = {
#define NAMES(NAME, COUNT, NUMBER, STEP, MASK, ACCESS, DECODER) NAMES_##COUNT(NAME)
    CAIRN_ETMV3_REGISTERS(NAMES)
#undef NAMES
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static void set_range(struct cairn_etmv3_registers *registers, unsigned first, unsigned last,
                      uint32_t value)
{
    for (unsigned i = first; i <= last; i++)
        registers->values[i] = value;
}

void cairn_etmv3_registers_reset(struct cairn_etmv3_registers *registers,
                                 const struct cairn_arch *arch)
{
    uint32_t *values = registers->values;

    *registers = (struct cairn_etmv3_registers){0};
    switch (arch->profile) {
    case CAIRN_PROFILE_M:
        values[CAIRN_ETMV3_REG_ETMIDR] = ETMIDR_M;
        values[CAIRN_ETMV3_REG_ETMCCER] = ETMCCER_M;
        break;
    case CAIRN_PROFILE_R:
        values[CAIRN_ETMV3_REG_ETMIDR] = ETMIDR_R;
        values[CAIRN_ETMV3_REG_ETMCCER] = ETMCCER_R;
        break;
    case CAIRN_PROFILE_A:
        values[CAIRN_ETMV3_REG_ETMIDR] = ETMIDR_A;
        values[CAIRN_ETMV3_REG_ETMCCER] = ETMCCER_A;
        break;
    }
    values[CAIRN_ETMV3_REG_ETMCCR] = ETMCCR_ALL;
    values[CAIRN_ETMV3_REG_ETMTRIGGER] = EVENT_FALSE;
    values[CAIRN_ETMV3_REG_ETMTEEVR] = EVENT_TRUE;
    values[CAIRN_ETMV3_REG_ETMTECR1] = TECR1_EXCLUDE_NOTHING;
    values[CAIRN_ETMV3_REG_ETMVDEVR] = EVENT_TRUE;
    values[CAIRN_ETMV3_REG_ETMVDCR3] = VDCR3_EXCLUDE_ONLY;
    values[CAIRN_ETMV3_REG_ETMTSEVR] = EVENT_FALSE;
    set_range(registers, CAIRN_ETMV3_REG_ETMCNTENR, CAIRN_ETMV3_REG_ETMCNTENR_LAST, EVENT_FALSE);
    set_range(registers, CAIRN_ETMV3_REG_ETMCNTRLDEVR, CAIRN_ETMV3_REG_ETMCNTRLDEVR_LAST,
              EVENT_FALSE);
    set_range(registers, CAIRN_ETMV3_REG_ETMSQ12EVR, CAIRN_ETMV3_REG_ETMSQ13EVR, EVENT_FALSE);
    values[CAIRN_ETMV3_REG_ETMSYNCFR] = SYNCFR_DEFAULT;
    values[CAIRN_ETMV3_REG_ETMTRACEIDR] = TRACEIDR_DEFAULT;
}

/* NULL: there is no such register. */
static const struct row *find(const char *name, unsigned *index)
{
    for (size_t r = 0; name && r < ROW_COUNT; r++)
        for (unsigned n = rows[r].first; n < rows[r].first + rows[r].count; n++) {
            if (strcasecmp(name, names[n]) != 0)
                continue;
            *index = n;
            return &rows[r];
        }
    return NULL;
}

cairn_status cairn_etmv3_registers_read(const struct cairn_etmv3_registers *registers,
                                        const char *name, uint64_t *value)
{
    unsigned index;

    if (!find(name, &index))
        return CAIRN_E_NOT_FOUND;
    *value = registers->values[index];
    return CAIRN_OK;
}

static cairn_status check_id(uint32_t id, struct cairn_error *error)
{
    if ((id >> 8 & 0xfu) != MAJOR_ETMV3)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR 0x%08" PRIx32 ": major version (bits 11:8) has to be 2, ETMv3",
                          id);
    if (id & ETMIDR_LOADS_PC_FIRST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR 0x%08" PRIx32
                          ": bit 16 is 1, but a unit whose core loads the PC first is not modelled",
                          id);
    return CAIRN_OK;
}

static cairn_status check(const struct cairn_etmv3_registers *registers, unsigned index,
                          uint32_t value, struct cairn_error *error)
{
    if (index == CAIRN_ETMV3_REG_ETMIDR)
        return check_id(value, error);
    if (index == CAIRN_ETMV3_REG_ETMIDR2 && value != 0)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR2 is 0x%" PRIx32
                          ", but a unit whose core transfers SWP's or RFE's "
                          "data the other way round is not modelled",
                          value);
    if (index == CAIRN_ETMV3_REG_ETMCR && (value & CAIRN_ETMCR3_FILTER_CPRT) &&
        !(value & CAIRN_ETMCR3_MONITOR_CPRT))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR 0x%08" PRIx32 ": bit 19 without bit 1 is UNPREDICTABLE (3.5.1)",
                          value);
    if (index == CAIRN_ETMV3_REG_ETMSYNCFR && value == 0 && cairn_etmv3_minor(registers) < 5)
        return cairn_fail(error, CAIRN_E_CONFIG, "ETMSYNCFR can be 0 from ETMv3.5 on only");
    if (index == CAIRN_ETMV3_REG_ETMSYNCFR && value != 0 && value < registers->fifo_bytes)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMSYNCFR cannot be 0x%" PRIx32
                          ": the period is not to be shorter than the "
                          "FIFO, which has %" PRIu32 " bytes",
                          value, registers->fifo_bytes);
    return CAIRN_OK;
}

/* The bits of a register that this version has. */
static uint32_t implemented(const struct cairn_etmv3_registers *registers, const struct row *row)
{
    const uint32_t extensions = registers->values[CAIRN_ETMV3_REG_ETMCCER];
    uint32_t mask = row->mask;

    if (row->first != CAIRN_ETMV3_REG_ETMCR)
        return mask;
    if (cairn_etmv3_minor(registers) < 5 || !(extensions & 1u << 22))
        mask &= ~CAIRN_ETMCR3_TIMESTAMPS;
    if (cairn_etmv3_minor(registers) < 5 || !(extensions & 1u << 26))
        mask &= ~CAIRN_ETMCR3_VMID;
    if (cairn_etmv3_minor(registers) < 1)
        mask &= ~CAIRN_ETMCR3_DATA_ONLY;
    return mask;
}

cairn_status cairn_etmv3_registers_write(struct cairn_etmv3_registers *registers, const char *name,
                                         uint64_t value, bool built, struct cairn_error *error)
{
    unsigned index = 0;
    const struct row *row = find(name, &index);
    cairn_status status;

    if (!row)
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "an ETMv3 has no register %s",
                          name ? name : "(null)");
    if (row->access == CAIRN_ETMV3_STATUS || (row->access == CAIRN_ETMV3_BUILT && !built))
        return cairn_fail(error, CAIRN_E_CONFIG, "%s is read-only", name);
    if (value & ~(uint64_t)implemented(registers, row))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be 0x%" PRIx64 ": this unit has the bits 0x%08" PRIx32, name,
                          value, implemented(registers, row));
    status = check(registers, index, (uint32_t)value, error);
    if (status == CAIRN_OK)
        registers->values[index] = (uint32_t)value;
    return status;
}

/* What was built decides what else there is: it comes first. */
cairn_status cairn_etmv3_registers_program(struct cairn_etmv3_registers *registers,
                                           const struct cairn_register *list, size_t count,
                                           struct cairn_error *error)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            unsigned index = 0;
            const struct row *row = find(list[i].name, &index);
            const bool is_built = row && row->access == CAIRN_ETMV3_BUILT;
            uint64_t value = list[i].value;

            if (is_built != (pass == 0) || (row && row->access == CAIRN_ETMV3_STATUS))
                continue;
            if (index == CAIRN_ETMV3_REG_ETMCR && row) /* whatever a copied program says */
                value &= ~(uint64_t)CAIRN_ETMCR3_PROGRAMMING;
            const cairn_status status =
                cairn_etmv3_registers_write(registers, list[i].name, value, true, error);
            if (status != CAIRN_OK)
                return status;
        }
    return CAIRN_OK;
}

cairn_status cairn_etmv3_registers_list(const struct cairn_etmv3_registers *registers, size_t index,
                                        struct cairn_register *value)
{
    size_t seen = 0;

    for (size_t r = 0; r < ROW_COUNT; r++)
        for (unsigned n = rows[r].first; n < rows[r].first + rows[r].count; n++) {
            if (rows[r].access == CAIRN_ETMV3_STATUS ||
                (registers->values[n] == 0 && !rows[r].decoder) || seen++ != index)
                continue;
            *value = (struct cairn_register){names[n], registers->values[n]};
            return CAIRN_OK;
        }
    return CAIRN_E_NOT_FOUND;
}
