/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv1/registers.h"

#include <inttypes.h>
#include <strings.h>

#include "base/error.h"
#include "unit/etm/derived.h"
#include "unit/model.h"

/* ETMv1.3, FIFOFULL, 4 external inputs, sequencer, 4 counters, 8 data value comparators, 8 pairs of
 * address comparators (3.5.2). */
#define ETMCCR_ALL UINT32_C(0x70898088)
/* ETMIDR is there (bit 31), start/stop, 3 context ID comparators, and the same. */
#define ETMCCR_ALL_V2 UINT32_C(0x87898088)
#define ETMCCR_HAS_ID (UINT32_C(1) << 31)
#define ETMIDR_V2 UINT32_C(0x41002110) /* v2.1, of an ARM10 */
#define ETMIDR_LOADS_PC_FIRST (1u << 16)
#define MAJOR_V2 1u /* ETMIDR[11:8] */
#define SYNCFR_DEFAULT 1024u
#define ETMCR_8_PINS (1u << CAIRN_ETMCR1_PORT_SHIFT)
#define PORT_MASK 7u
#define PORT_16 2u
#define MODE_SHIFT 16u
#define MODE_MASK 3u
#define HALF_RATE (1u << 13)
#define MODE_MULTIPLEXED 1u
#define MODE_RESERVED 3u
#define CONTEXT_MASK (3u << CAIRN_ETMCR1_CONTEXT_SHIFT)
#define TECR1_EXCLUDES_NOTHING (1u << 24)
#define TECR1_START_STOP (1u << 25)
#define VDCR3_EXCLUDES_ONLY (1u << 16)
#define FFRR_ANYWHERE (1u << 24)
/* Versions in their order: 1.0 to 1.3, 2.0, 2.1. */
#define VERSION_START_STOP 2u /* 1.2 */
#define VERSION_STATUS 1u
#define VERSION_2 4u
#define VERSION_LAST 5u

enum own { FFRR = CAIRN_ETMV3_REG_COUNT, HIGH_VECTORS, BIG_ENDIAN_CORE, OWN_COUNT };

struct row {
    const char *name;
    uint32_t mask;
    uint16_t first; /* of the file, or own */
    uint8_t count;  /* more than 1: an array, numbered from 1 on */
    uint8_t access;
    uint8_t since; /* version */
    bool decoder;  /* needs it, 0 as well */
    uint8_t until; /* version; 0: the last */
};

#define ROW(name, mask, count, access, since, decoder)                                             \
    {                                                                                              \
#name, mask, CAIRN_ETMV3_REG_##name, count, CAIRN_ETMV3_##access, since, decoder, 0        \
    }
static const struct row rows[] = {
    ROW(ETMCR, 0x3fbff, 1, PROGRAM, 0, true),
    ROW(ETMCCR, 0xffffffff, 1, BUILT, 0, true),
    ROW(ETMTRIGGER, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSR, 0x7, 1, STATUS, VERSION_STATUS, false),
    ROW(ETMSCR, 0xffffffff, 1, BUILT, VERSION_START_STOP, false),
    ROW(ETMTSSCR, 0xffffffff, 1, PROGRAM, VERSION_START_STOP, false),
    ROW(ETMTECR2, 0xffff, 1, PROGRAM, VERSION_START_STOP, false),
    ROW(ETMTEEVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMTECR1, 0x030000ff, 1, PROGRAM, 0, false),
    {"ETMFFRR", 0x010000ff, FFRR, 1, CAIRN_ETMV3_PROGRAM, 0, false, 0},
    ROW(ETMFFLR, 0xff, 1, PROGRAM, 0, false),
    ROW(ETMVDEVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMVDCR1, 0xffffffff, 1, PROGRAM, 0, false),
    ROW(ETMVDCR3, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMACVR, 0xffffffff, 16, PROGRAM, 0, false),
    ROW(ETMACTR, 0x7f, 16, PROGRAM, 0, false),
    ROW(ETMDCVR, 0xffffffff, 8, PROGRAM, 0, false),
    ROW(ETMDCMR, 0xffffffff, 8, PROGRAM, 0, false),
    ROW(ETMCNTRLDVR, 0xffff, 4, PROGRAM, 0, false),
    ROW(ETMCNTENR, 0x3ffff, 4, PROGRAM, 0, false),
    ROW(ETMCNTRLDEVR, 0x1ffff, 4, PROGRAM, 0, false),
    ROW(ETMCNTVR, 0xffff, 4, PROGRAM, 0, false),
    ROW(ETMSQ12EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQ21EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQ23EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQ31EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQ32EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQ13EVR, 0x1ffff, 1, PROGRAM, 0, false),
    ROW(ETMSQR, 0x3, 1, PROGRAM, 0, false),
    ROW(ETMCIDCVR, 0xffffffff, 3, PROGRAM, VERSION_2, false),
    ROW(ETMCIDCMR, 0xffffffff, 1, PROGRAM, VERSION_2, false),
    ROW(ETMSYNCFR, 0xfff, 1, PROGRAM, VERSION_2, false),
    ROW(ETMIDR, 0xffffffff, 1, BUILT, VERSION_2, true),
    {"HIVECS", 1, HIGH_VECTORS, 1, CAIRN_ETMV3_BUILT, 0, true, 0},
    {"BIGENDIAN", 1, BIG_ENDIAN_CORE, 1, CAIRN_ETMV3_BUILT, 0, false, VERSION_2 - 1},
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Names with their numbers, for lists. */
#define THREE(name) #name "1", #name "2", #name "3"
#define FOUR(name) THREE(name), #name "4"
#define EIGHT(name) FOUR(name), #name "5", #name "6", #name "7", #name "8"
#define SIXTEEN(name)                                                                              \
    EIGHT(name), #name "9", #name "10", #name "11", #name "12", #name "13", #name "14",            \
        #name "15", #name "16"
static const char *const numbered_names[] = {
    SIXTEEN(ETMACVR), SIXTEEN(ETMACTR),   EIGHT(ETMDCVR), EIGHT(ETMDCMR),   FOUR(ETMCNTRLDVR),
    FOUR(ETMCNTENR),  FOUR(ETMCNTRLDEVR), FOUR(ETMCNTVR), THREE(ETMCIDCVR),
};

static const char *name_of(size_t r, unsigned n)
{
    size_t at = n;

    if (rows[r].count == 1)
        return rows[r].name;
    for (size_t i = 0; i < r; i++)
        at += rows[i].count > 1 ? rows[i].count : 0;
    return numbered_names[at];
}

static const struct row *find(const char *name, unsigned *index)
{
    for (size_t r = 0; name && r < ROW_COUNT; r++)
        for (unsigned n = 0; n < rows[r].count; n++) {
            if (strcasecmp(name, name_of(r, n)) != 0)
                continue;
            *index = rows[r].first + n;
            return &rows[r];
        }
    return NULL;
}

static uint32_t *place_of(struct cairn_etmv1_registers *registers, unsigned index)
{
    if (index == FFRR)
        return &registers->ETMFFRR;
    if (index == HIGH_VECTORS)
        return &registers->HIVECS;
    if (index == BIG_ENDIAN_CORE)
        return &registers->BIGENDIAN;
    return &registers->file.values[index];
}

static uint32_t value_at(const struct cairn_etmv1_registers *registers, unsigned index)
{
    if (index == FFRR)
        return registers->ETMFFRR;
    if (index == HIGH_VECTORS)
        return registers->HIVECS;
    return index == BIG_ENDIAN_CORE ? registers->BIGENDIAN : registers->file.values[index];
}

const struct cairn_etmv1_edition *
cairn_etmv1_registers_edition(const struct cairn_etmv1_registers *registers)
{
    const uint32_t built = registers->file.values[CAIRN_ETMV3_REG_ETMCCR];
    const struct cairn_etmv1_edition *edition = cairn_etmv1_edition_of(built);

    return edition ? edition : cairn_etmv1_edition_of(ETMCCR_ALL);
}

static unsigned minor_of(const struct cairn_etmv1_registers *registers)
{
    return registers->v2 ? registers->file.values[CAIRN_ETMV3_REG_ETMIDR] >> 4 & 0xfu
                         : cairn_etmv1_registers_edition(registers)->minor;
}

static unsigned version_of(const struct cairn_etmv1_registers *registers)
{
    return (registers->v2 ? VERSION_2 : 0) + minor_of(registers);
}

/* Whether this version has the register. */
static bool has(const struct cairn_etmv1_registers *registers, const struct row *row)
{
    const unsigned version = version_of(registers);

    return version >= row->since && (row->until == 0 || version <= row->until);
}

static void set_range(uint32_t *values, unsigned first, unsigned last, uint32_t value)
{
    for (unsigned i = first; i <= last; i++)
        values[i] = value;
}

void cairn_etmv1_registers_reset(struct cairn_etmv1_registers *registers, bool v2)
{
    uint32_t *values = registers->file.values;

    *registers = (struct cairn_etmv1_registers){.v2 = v2, .ETMFFRR = FFRR_ANYWHERE};
    values[CAIRN_ETMV3_REG_ETMCR] = ETMCR_8_PINS;
    values[CAIRN_ETMV3_REG_ETMCCR] = v2 ? ETMCCR_ALL_V2 : ETMCCR_ALL;
    values[CAIRN_ETMV3_REG_ETMIDR] = v2 ? ETMIDR_V2 : 0;
    values[CAIRN_ETMV3_REG_ETMSYNCFR] = v2 ? SYNCFR_DEFAULT : 0;
    values[CAIRN_ETMV3_REG_ETMTRIGGER] = CAIRN_ETM_NEVER;
    values[CAIRN_ETMV3_REG_ETMTEEVR] = CAIRN_ETM_ALWAYS;
    values[CAIRN_ETMV3_REG_ETMTECR1] = TECR1_EXCLUDES_NOTHING;
    values[CAIRN_ETMV3_REG_ETMVDEVR] = CAIRN_ETM_ALWAYS;
    values[CAIRN_ETMV3_REG_ETMVDCR3] = VDCR3_EXCLUDES_ONLY;
    values[CAIRN_ETMV3_REG_ETMTSEVR] = CAIRN_ETM_NEVER;
    set_range(values, CAIRN_ETMV3_REG_ETMCNTENR, CAIRN_ETMV3_REG_ETMCNTENR_LAST, CAIRN_ETM_NEVER);
    set_range(values, CAIRN_ETMV3_REG_ETMCNTRLDEVR, CAIRN_ETMV3_REG_ETMCNTRLDEVR_LAST,
              CAIRN_ETM_NEVER);
    set_range(values, CAIRN_ETMV3_REG_ETMSQ12EVR, CAIRN_ETMV3_REG_ETMSQ13EVR, CAIRN_ETM_NEVER);
}

cairn_status cairn_etmv1_registers_read(const struct cairn_etmv1_registers *registers,
                                        const char *name, uint64_t *value)
{
    unsigned index = 0;
    const struct row *row = find(name, &index);

    if (!row || !has(registers, row))
        return CAIRN_E_NOT_FOUND;
    *value = value_at(registers, index);
    return CAIRN_OK;
}

/* --- what cannot be --- */

static cairn_status check_built(const struct cairn_etmv1_registers *registers, uint32_t value,
                                struct cairn_error *error)
{
    if (registers->v2 && !(value & ETMCCR_HAS_ID))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCCR 0x%08" PRIx32
                          ": bit 31 has to be 1, since an ETMv2 has an ETMIDR "
                          "(IHI0014 3.5.2)",
                          value);
    if (!registers->v2 && !cairn_etmv1_edition_of(value))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCCR 0x%08" PRIx32 ": bit 31 has to be 0 and bits 30:28 one of 0 to 5 "
                          "and 7, the protocol numbers of ETMv1 (IHI0014 1.2)",
                          value);
    return CAIRN_OK;
}

static cairn_status check_id(uint32_t value, struct cairn_error *error)
{
    if ((value >> 8 & 0xfu) != MAJOR_V2 || VERSION_2 + (value >> 4 & 0xfu) > VERSION_LAST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR 0x%08" PRIx32 ": bits 11:8 have to be 1, ETMv2, and bits 7:4 the "
                          "minor version, 0 or 1",
                          value);
    if (value & ETMIDR_LOADS_PC_FIRST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR 0x%08" PRIx32
                          ": bit 16 is 1, but a unit whose core loads the PC first is not modelled",
                          value);
    return CAIRN_OK;
}

static cairn_status check_period(const struct cairn_etmv1_registers *registers, uint32_t value,
                                 struct cairn_error *error)
{
    if (value <= registers->file.fifo_bytes)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMSYNCFR cannot be 0x%" PRIx32
                          ": the period, in cycles, has to be greater "
                          "than the size of the FIFO, %" PRIu32 " bytes (IHI0014 3.5.17)",
                          value, registers->file.fifo_bytes);
    return CAIRN_OK;
}

static cairn_status check_control(const struct cairn_etmv1_registers *registers, uint32_t value,
                                  struct cairn_error *error)
{
    const uint32_t port = value >> CAIRN_ETMCR1_PORT_SHIFT & PORT_MASK;
    const uint32_t mode = value >> MODE_SHIFT & MODE_MASK;

    if (port > PORT_16)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR 0x%08" PRIx32 ": bits 6:4 are %" PRIu32
                          ", but an ETMv%u has 4, 8 or 16 pins: 0, 1 or 2",
                          value, port, registers->v2 ? 2u : 1u);
    if (mode == MODE_RESERVED || (mode == MODE_MULTIPLEXED && (value & HALF_RATE)))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCR 0x%08" PRIx32 ": bits 17:16 are 0, 1 or 2, and with 1, a "
                          "multiplexed port, bit 13 is 0 (IHI0014 2.10.1)",
                          value);
    return CAIRN_OK;
}

static cairn_status check(const struct cairn_etmv1_registers *registers, unsigned index,
                          uint32_t value, struct cairn_error *error)
{
    switch (index) {
    case CAIRN_ETMV3_REG_ETMCCR: return check_built(registers, value, error);
    case CAIRN_ETMV3_REG_ETMIDR: return check_id(value, error);
    case CAIRN_ETMV3_REG_ETMSYNCFR: return check_period(registers, value, error);
    case CAIRN_ETMV3_REG_ETMCR: return check_control(registers, value, error);
    default: return CAIRN_OK;
    }
}

#define ACTR_CONTEXT_ID (3u << 8) /* from v2.0 on */

/* The bits that this version has. */
static uint32_t implemented(const struct cairn_etmv1_registers *registers, unsigned index,
                            uint32_t mask)
{
    const struct cairn_etmv1_edition *edition = cairn_etmv1_registers_edition(registers);
    const bool is_type = index >= CAIRN_ETMV3_REG_ETMACTR && index <= CAIRN_ETMV3_REG_ETMACTR_LAST;

    if (registers->v2)
        return is_type ? mask | ACTR_CONTEXT_ID : mask;
    if (index == CAIRN_ETMV3_REG_ETMCR && !edition->context_ids)
        return mask & ~CONTEXT_MASK;
    if (index == CAIRN_ETMV3_REG_ETMTECR1 && edition->minor < VERSION_START_STOP)
        return mask & ~TECR1_START_STOP;
    return mask;
}

cairn_status cairn_etmv1_registers_write(struct cairn_etmv1_registers *registers, const char *name,
                                         uint64_t value, bool built, struct cairn_error *error)
{
    const unsigned major = registers->v2 ? 2 : 1, minor = minor_of(registers);
    unsigned index = 0;
    const struct row *row = find(name, &index);
    cairn_status status;

    if (!row || !has(registers, row))
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "an ETMv%u.%u has no register %s", major, minor,
                          name ? name : "(null)");
    if (row->access == CAIRN_ETMV3_STATUS || (row->access == CAIRN_ETMV3_BUILT && !built))
        return cairn_fail(error, CAIRN_E_CONFIG, "%s is read-only", name);
    const uint32_t bits = implemented(registers, index, row->mask);
    if (value & ~(uint64_t)bits)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s cannot be 0x%" PRIx64 ": this unit, an ETMv%u.%u, has the bits "
                          "0x%08" PRIx32,
                          name, value, major, minor, bits);
    status = check(registers, index, (uint32_t)value, error);
    if (status == CAIRN_OK)
        *place_of(registers, index) = (uint32_t)value;
    return status;
}

/* What was built decides what else there is: it comes first. */
cairn_status cairn_etmv1_registers_program(struct cairn_etmv1_registers *registers,
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
            if (row && index == CAIRN_ETMV3_REG_ETMCR) /* whatever a copied program says */
                value &= ~(uint64_t)CAIRN_ETMCR3_PROGRAMMING;
            const cairn_status status =
                cairn_etmv1_registers_write(registers, list[i].name, value, true, error);
            if (status != CAIRN_OK)
                return status;
        }
    return CAIRN_OK;
}

cairn_status cairn_etmv1_registers_list(const struct cairn_etmv1_registers *registers, size_t index,
                                        struct cairn_register *value)
{
    size_t seen = 0;

    for (size_t r = 0; r < ROW_COUNT; r++)
        for (unsigned n = 0; n < rows[r].count; n++) {
            const uint32_t now = value_at(registers, rows[r].first + n);

            if (rows[r].access == CAIRN_ETMV3_STATUS || !has(registers, &rows[r]) ||
                (now == 0 && !rows[r].decoder) || seen++ != index)
                continue;
            *value = (struct cairn_register){name_of(r, n), now};
            return CAIRN_OK;
        }
    return CAIRN_E_NOT_FOUND;
}

/* --- what a program asks for --- */

#define CONTEXT_SIZE 3u
#define FFRR_RANGES 0xffu

unsigned cairn_etmv1_registers_pins(const struct cairn_etmv1_registers *registers)
{
    const uint32_t control = registers->file.values[CAIRN_ETMV3_REG_ETMCR];

    return 4u << (control >> CAIRN_ETMCR1_PORT_SHIFT & PORT_MASK);
}

uint8_t cairn_etmv1_registers_context_bytes(const struct cairn_etmv1_registers *registers)
{
    static const uint8_t sizes[] = {0, 1, 2, 4};
    const uint32_t control = registers->file.values[CAIRN_ETMV3_REG_ETMCR];

    return sizes[control >> CAIRN_ETMCR1_CONTEXT_SHIFT & CONTEXT_SIZE];
}

bool cairn_etmv1_registers_watch(const struct cairn_etmv1_registers *registers)
{
    const uint32_t *values = registers->file.values;
    const uint32_t control = values[CAIRN_ETMV3_REG_ETMCR];
    const bool has_data = control & (CAIRN_ETMCR3_DATA_VALUE | CAIRN_ETMCR3_DATA_ADDRESS);
    const bool traces_all = values[CAIRN_ETMV3_REG_ETMTEEVR] == CAIRN_ETM_ALWAYS &&
                            values[CAIRN_ETMV3_REG_ETMTECR1] == TECR1_EXCLUDES_NOTHING &&
                            values[CAIRN_ETMV3_REG_ETMTECR2] == 0;
    const bool views_all = values[CAIRN_ETMV3_REG_ETMVDEVR] == CAIRN_ETM_ALWAYS &&
                           values[CAIRN_ETMV3_REG_ETMVDCR1] == 0 &&
                           values[CAIRN_ETMV3_REG_ETMVDCR3] == VDCR3_EXCLUDES_ONLY;

    return !traces_all || (has_data && !views_all) ||
           values[CAIRN_ETMV3_REG_ETMTRIGGER] != CAIRN_ETM_NEVER ||
           values[CAIRN_ETMV3_REG_ETMTSSCR] != 0 || /* ETMSR[2] has it */
           (control & CAIRN_ETMCR1_STALL);
}

uint32_t cairn_etmv1_registers_block_ends(const struct cairn_etmv1_registers *registers)
{
    const uint32_t control = registers->file.values[CAIRN_ETMV3_REG_ETMCR];
    uint32_t ends = CAIRN_BLOCK_ENDS_CONDITION;

    if (control & (CAIRN_ETMCR3_DATA_VALUE | CAIRN_ETMCR3_DATA_ADDRESS | CAIRN_ETMCR3_MONITOR_CPRT))
        ends |= CAIRN_BLOCK_ENDS_TRANSFER;
    if (control & CAIRN_ETMCR3_MONITOR_CPRT)
        ends |= CAIRN_BLOCK_ENDS_MOVE;
    return ends;
}

bool cairn_etmv1_registers_stall(const struct cairn_etmv1_registers *registers, uint32_t room,
                                 uint8_t ranges)
{
    const uint32_t *values = registers->file.values;
    const uint32_t region = registers->ETMFFRR;
    const bool in_range = (region & FFRR_RANGES & ranges) != 0;

    return (values[CAIRN_ETMV3_REG_ETMCR] & CAIRN_ETMCR1_STALL) &&
           room < values[CAIRN_ETMV3_REG_ETMFFLR] && in_range != ((region & FFRR_ANYWHERE) != 0);
}
