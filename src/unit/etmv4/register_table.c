/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/register_table.h"

#include <inttypes.h>

#include "base/error.h"

/* clang-format off */
#define ROW(name, first, number, offset, bits, protocols, access, mask, needs)                     \
    {name, needs, mask, offset, bits, CAIRN_REGISTER_##protocols, CAIRN_REGISTER_##access, number, \
     CAIRN_REG_##first},
#define ROW_N(name, n, offset, step, ...)                                                          \
    ROW(#name #n, name, n, (offset) + (n) * (step), __VA_ARGS__)
#define ROWS_1(name, offset, step, ...) ROW(#name, name, 0, offset, __VA_ARGS__)
#define ROWS_2(...) ROW_2(0, 1, __VA_ARGS__)
#define ROWS_3(...) ROW_2(0, 1, __VA_ARGS__) ROW_1(2, __VA_ARGS__)
#define ROWS_4(...) ROW_4(0, 1, 2, 3, __VA_ARGS__)
#define ROWS_8(...) ROWS_4(__VA_ARGS__) ROW_4(4, 5, 6, 7, __VA_ARGS__)
#define ROWS_16(...)                                                                               \
    ROWS_8(__VA_ARGS__) ROW_4(8, 9, 10, 11, __VA_ARGS__) ROW_4(12, 13, 14, 15, __VA_ARGS__)
#define ROWS_30(...)                                                                               \
    ROW_2(2, 3, __VA_ARGS__)                                                                       \
    ROW_4(4, 5, 6, 7, __VA_ARGS__) ROW_4(8, 9, 10, 11, __VA_ARGS__)                                \
    ROW_4(12, 13, 14, 15, __VA_ARGS__) ROW_4(16, 17, 18, 19, __VA_ARGS__)                          \
    ROW_4(20, 21, 22, 23, __VA_ARGS__) ROW_4(24, 25, 26, 27, __VA_ARGS__)                          \
    ROW_4(28, 29, 30, 31, __VA_ARGS__)
#define ROW_1(a, name, ...) ROW_N(name, a, __VA_ARGS__)
#define ROW_2(a, b, name, ...) ROW_N(name, a, __VA_ARGS__) ROW_N(name, b, __VA_ARGS__)
#define ROW_4(a, b, c, d, ...) ROW_2(a, b, __VA_ARGS__) ROW_2(c, d, __VA_ARGS__)
#define ROWS(name, count, ...) ROWS_##count(name, __VA_ARGS__)
/* clang-format on */

const struct cairn_register_row cairn_register_rows[CAIRN_REG_COUNT] = {
    CAIRN_UNIT_REGISTER_LIST(ROWS)};

#define EVENT_TYPE 0x80u /* of a resource event: a pair of selectors */
#define EVENT_SEL_PAIRS 0x0fu
#define EVENT_SEL 0x1fu

static uint64_t low_bits(uint32_t count)
{
    return (UINT64_C(1) << count) - 1;
}

/* `count` bits from bit 0 on, and the same from bit `second` on. */
static uint64_t twice(uint32_t count, unsigned second)
{
    return low_bits(count) | low_bits(count) << second;
}

static uint32_t field(const struct cairn_unit_registers *registers, unsigned index, unsigned high,
                      unsigned low)
{
    return cairn_register_bits(registers->values[index], high, low);
}

#define IDR(n) ((unsigned)CAIRN_REG_TRCIDR + (n))

void cairn_unit_built_read(const struct cairn_unit_registers *registers,
                           struct cairn_unit_built *built)
{
    bool is_ete = registers->protocol == CAIRN_PROTOCOL_ETE;
    uint32_t pairs = field(registers, IDR(4), 19, 16);
    *built = (struct cairn_unit_built){
        .is_ete = is_ete,
        .revision = is_ete ? field(registers, CAIRN_REG_TRCDEVARCH, 19, 16)
                           : field(registers, IDR(1), 7, 4),
        .arcs = field(registers, IDR(4), 3, 0),
        .pcs = field(registers, IDR(4), 15, 12),
        .selectors = pairs == 0 ? 0 : 2 * (pairs + 1),
        .sscs = field(registers, IDR(4), 23, 20),
        .cids = field(registers, IDR(4), 27, 24),
        .vmids = field(registers, IDR(4), 31, 28),
        .events = pairs == 0 ? 0 : field(registers, IDR(0), 11, 10) + 1,
        .counters = field(registers, IDR(5), 30, 28),
        .extinsels = field(registers, IDR(5), 11, 9),
        .sequencer = field(registers, IDR(5), 27, 25) != 0,
    };
}

static uint64_t implemented_configr(const struct cairn_unit_registers *registers)
{
    uint64_t mask = 1;
    mask |= field(registers, IDR(0), 5, 5) ? 1u << 3 : 0;    /* BB */
    mask |= field(registers, IDR(0), 7, 7) ? 1u << 4 : 0;    /* CCI */
    mask |= field(registers, IDR(2), 9, 5) ? 1u << 6 : 0;    /* CID */
    mask |= field(registers, IDR(2), 14, 10) ? 1u << 7 : 0;  /* VMID */
    mask |= field(registers, IDR(0), 28, 24) ? 1u << 11 : 0; /* TS */
    mask |= field(registers, IDR(0), 9, 9) ? 1u << 12 : 0;   /* RS */
    mask |= field(registers, IDR(0), 16, 15) ? 3u << 13 : 0; /* QE */
    mask |= field(registers, IDR(2), 30, 29) ? 1u << 15 : 0; /* VMIDOPT: chosen, or RES1 */
    return mask;
}

static uint64_t implemented_victlr(const struct cairn_unit_registers *registers,
                                   const struct cairn_unit_built *built)
{
    uint64_t mask = 0;
    mask |= built->selectors ? 0x9fu : 0;
    mask |= built->arcs || built->pcs ? 1u << 9 : 0;          /* SSSTATUS */
    mask |= 1u << 10;                                         /* TRCRESET */
    mask |= field(registers, IDR(3), 24, 24) ? 1u << 11 : 0;  /* TRCERR */
    mask |= (uint64_t)field(registers, IDR(3), 19, 16) << 16; /* EXLEVEL_S */
    mask |= (uint64_t)field(registers, IDR(3), 22, 20) << 20; /* EXLEVEL_NS */
    if (built->is_ete && built->revision >= 2)
        mask |= (uint64_t)field(registers, IDR(6), 2, 0) << 24; /* EXLEVEL_RL */
    return mask;
}

static uint64_t implemented_acatr(const struct cairn_unit_registers *registers,
                                  const struct cairn_unit_built *built)
{
    uint64_t mask = built->cids || built->vmids ? 0x7cu : 0; /* CONTEXT, CONTEXTTYPE */
    mask |= (uint64_t)field(registers, IDR(3), 19, 16) << 8;
    mask |= (uint64_t)field(registers, IDR(3), 22, 20) << 12;
    if (built->is_ete && built->revision >= 2)
        mask |= (uint64_t)field(registers, IDR(6), 2, 0) << 16;
    return mask;
}

static uint64_t implemented_stall(const struct cairn_unit_registers *registers)
{
    uint64_t mask = field(registers, IDR(3), 26, 26) ? 0x10fu : 0; /* ISTALL, LEVEL */
    return mask | (field(registers, IDR(3), 31, 31) ? 1u << 13 : 0);
}

static uint64_t implemented_eventctl1(const struct cairn_unit_registers *registers,
                                      const struct cairn_unit_built *built)
{
    uint64_t mask = low_bits(built->events);                         /* INSTEN */
    mask |= field(registers, IDR(5), 22, 22) ? 1u << 11 : 0;         /* ATB */
    return mask | (field(registers, IDR(5), 23, 23) ? 1u << 12 : 0); /* LPOVERRIDE */
}

static uint64_t implemented_bits(const struct cairn_unit_registers *registers,
                                 const struct cairn_unit_built *built,
                                 const struct cairn_register_row *row)
{
    bool is_there = true;
    switch (row->first) {
    case CAIRN_REG_TRCCONFIGR: return implemented_configr(registers);
    case CAIRN_REG_TRCEVENTCTL0R: return low_bits(8 * built->events);
    case CAIRN_REG_TRCEVENTCTL1R: return implemented_eventctl1(registers, built);
    case CAIRN_REG_TRCSTALLCTLR: return implemented_stall(registers);
    case CAIRN_REG_TRCTSCTLR:
        is_there = built->selectors && field(registers, IDR(0), 28, 24);
        break;
    case CAIRN_REG_TRCSYNCPR: is_there = !field(registers, IDR(3), 25, 25); break;
    case CAIRN_REG_TRCCCCTLR: is_there = field(registers, IDR(0), 7, 7); break;
    case CAIRN_REG_TRCBBCTLR:
        is_there = field(registers, IDR(0), 5, 5) && built->arcs;
        return is_there ? 0x100u | low_bits(built->arcs) : 0;
    case CAIRN_REG_TRCQCTLR:
        is_there = field(registers, IDR(0), 14, 14) && built->arcs;
        return is_there ? 0x100u | low_bits(built->arcs) : 0;
    case CAIRN_REG_TRCVICTLR: return implemented_victlr(registers, built);
    case CAIRN_REG_TRCVIIECTLR: return twice(built->arcs, 16);
    case CAIRN_REG_TRCVISSCTLR: return twice(2 * built->arcs, 16);
    case CAIRN_REG_TRCVIPCSSCTLR: return twice(built->pcs, 16);
    case CAIRN_REG_TRCSEQEVR:
    case CAIRN_REG_TRCSEQRSTEVR:
    case CAIRN_REG_TRCSEQSTR: is_there = built->sequencer; break;
    case CAIRN_REG_TRCEXTINSELR: is_there = built->extinsels; break;
    case CAIRN_REG_TRCEXTINSELR0: is_there = built->extinsels > 0; break;
    case CAIRN_REG_TRCEXTINSELR1: is_there = built->extinsels > 1; break;
    case CAIRN_REG_TRCEXTINSELR2: is_there = built->extinsels > 2; break;
    case CAIRN_REG_TRCEXTINSELR3: is_there = built->extinsels > 3; break;
    case CAIRN_REG_TRCCNTCTLR:
        /* CNTCHAIN: of the odd ones only (D7.7.1) */
        if (row->number % 2 == 0)
            return row->number < built->counters ? row->mask & ~UINT64_C(0x20000) : 0;
        is_there = row->number < built->counters;
        break;
    case CAIRN_REG_TRCCNTRLDVR:
    case CAIRN_REG_TRCCNTVR: is_there = row->number < built->counters; break;
    case CAIRN_REG_TRCRSCTLR:
        /* PAIRINV: of the lower one of a pair only (R_KTNJM) */
        if (row->number % 2 == 1)
            return row->number < built->selectors ? row->mask & ~UINT64_C(0x200000) : 0;
        is_there = row->number < built->selectors;
        break;
    case CAIRN_REG_TRCSSCCR:
        is_there = row->number < built->sscs;
        return is_there ? low_bits(2 * built->arcs) | low_bits(built->arcs) << 16 | 1u << 24 : 0;
    case CAIRN_REG_TRCSSCSR: is_there = row->number < built->sscs; break;
    case CAIRN_REG_TRCSSPCICR: return row->number < built->sscs ? low_bits(built->pcs) : 0;
    case CAIRN_REG_TRCACVR: is_there = row->number < 2 * built->arcs; break;
    case CAIRN_REG_TRCACATR:
        return row->number < 2 * built->arcs ? implemented_acatr(registers, built) : 0;
    case CAIRN_REG_TRCCIDCVR: is_there = row->number < built->cids; break;
    case CAIRN_REG_TRCVMIDCVR: is_there = row->number < built->vmids; break;
    case CAIRN_REG_TRCCIDCCTLR: is_there = 4u * row->number < built->cids; break;
    case CAIRN_REG_TRCVMIDCCTLR: is_there = 4u * row->number < built->vmids; break;
    default: break;
    }
    return is_there ? row->mask : 0;
}

uint64_t cairn_register_implemented(const struct cairn_unit_registers *registers, unsigned index)
{
    const struct cairn_register_row *row = &cairn_register_rows[index];
    struct cairn_unit_built built;
    cairn_unit_built_read(registers, &built);
    return implemented_bits(registers, &built, row) & row->mask;
}

static cairn_status refuse(const struct cairn_register_row *row, uint64_t value,
                           struct cairn_error *error, const char *why)
{
    return cairn_fail(error, CAIRN_E_CONFIG, "%s is 0x%" PRIx64 ": %s", row->name, value, why);
}

/* Resource events, a byte each: TYPE 7, SEL 4:0, for a pair 3:0. */
static cairn_status check_events(const struct cairn_register_row *row, uint64_t value,
                                 unsigned first_byte, unsigned bytes, uint32_t selectors,
                                 struct cairn_error *error)
{
    for (unsigned i = first_byte; i < first_byte + bytes; i++) {
        uint32_t event = cairn_register_bits(value, 8 * i + 7, 8 * i);
        uint32_t select = event & EVENT_SEL;
        if ((event & EVENT_TYPE) && select > EVENT_SEL_PAIRS)
            return cairn_fail(error, CAIRN_E_CONFIG,
                              "%s is 0x%" PRIx64
                              ": bits %u:%u select a pair of resource selectors, "
                              "but there are only pairs 0 to 15",
                              row->name, value, 8 * i + 7, 8 * i);
        uint32_t last = event & EVENT_TYPE ? 2 * select + 1 : select;
        if (event != 0 && last >= selectors)
            return cairn_fail(error, CAIRN_E_CONFIG,
                              "%s is 0x%" PRIx64 ": bits %u:%u select resource selector %" PRIu32
                              ", but the unit has %" PRIu32 " (TRCIDR4.NUMRSPAIR)",
                              row->name, value, 8 * i + 7, 8 * i, last, selectors);
    }
    return CAIRN_OK;
}

/* Resources of each TRCRSCTLR.GROUP (Table D7.1). */
static const uint16_t group_members[8] = {0x000f, 0x00ff, 0x00ff, 0x00ff,
                                          0xffff, 0x00ff, 0x00ff, 0x00ff};

static cairn_status check_selector(const struct cairn_register_row *row, uint64_t value,
                                   struct cairn_error *error)
{
    uint32_t group = cairn_register_bits(value, 19, 16);
    uint32_t select = cairn_register_bits(value, 15, 0);
    if (group >= 8)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s is 0x%" PRIx64 ": GROUP (bits 19:16) is %" PRIu32
                          ", but groups 0 to 7 exist",
                          row->name, value, group);
    if (select & ~(uint32_t)group_members[group])
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s is 0x%" PRIx64 ": SELECT (bits 15:0) is 0x%" PRIx32
                          ", but the resources of group %" PRIu32 " are 0x%x",
                          row->name, value, select, group, (unsigned)group_members[group]);
    return CAIRN_OK;
}

static cairn_status check_comparator(const struct cairn_register_row *row, uint64_t value,
                                     const struct cairn_unit_built *built,
                                     struct cairn_error *error)
{
    uint32_t type = cairn_register_bits(value, 3, 2);
    uint32_t context = cairn_register_bits(value, 6, 4);
    if (((type & 1) && context >= built->cids) || ((type & 2) && context >= built->vmids))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s is 0x%" PRIx64 ": CONTEXT (bits 6:4) is %" PRIu32
                          ", but the unit has %" PRIu32 " Context identifier and %" PRIu32
                          " Virtual context identifier comparators (TRCIDR4)",
                          row->name, value, context, built->cids, built->vmids);
    return CAIRN_OK;
}

static cairn_status check_idr1(const struct cairn_unit_registers *registers,
                               const struct cairn_register_row *row, uint64_t value,
                               struct cairn_error *error)
{
    uint32_t major = cairn_register_bits(value, 11, 8);
    uint32_t expected = registers->protocol == CAIRN_PROTOCOL_ETE ? 0xf : 4;
    if (major == expected)
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "%s is 0x%" PRIx64 ": the major version (bits 11:8) of an %s trace unit is "
                      "0x%" PRIx32,
                      row->name, value, cairn_protocol_name(registers->protocol), expected);
}

static cairn_status check_idr2(const struct cairn_unit_registers *registers,
                               const struct cairn_register_row *row, uint64_t value,
                               struct cairn_error *error)
{
    bool is_ete = registers->protocol == CAIRN_PROTOCOL_ETE;
    uint32_t iasize = cairn_register_bits(value, 4, 0);
    uint32_t cidsize = cairn_register_bits(value, 9, 5);
    uint32_t vmidsize = cairn_register_bits(value, 14, 10);
    if (is_ete && (iasize != 8 || cidsize != 4 || (vmidsize != 0 && vmidsize != 4)))
        return refuse(row, value, error, "ETE has IASIZE 8, CIDSIZE 4 and VMIDSIZE 0 or 4");
    if (iasize != 4 && iasize != 8)
        return refuse(row, value, error, "IASIZE (bits 4:0) is 4 or 8");
    if (cidsize != 0 && cidsize != 4)
        return refuse(row, value, error, "CIDSIZE (bits 9:5) is 0 or 4");
    if (vmidsize > 4 || vmidsize == 3)
        return refuse(row, value, error, "VMIDSIZE (bits 14:10) is 0, 1, 2 or 4");
    if (cairn_register_bits(value, 28, 25) > 8)
        return refuse(row, value, error, "CCSIZE (bits 28:25) is at most 8, for 20 bits");
    if (cairn_register_bits(value, 30, 29) > 2)
        return refuse(row, value, error, "VMIDOPT (bits 30:29) is 0, 1 or 2");
    return CAIRN_OK;
}

/* Lowest bits of TRCIDR4's NUMACPAIRS, NUMPC, NUMSSCC, NUMCIDC, NUMVMIDC: four bits each. */
static const uint8_t idr4_counts[] = {0, 12, 20, 24, 28};

static cairn_status check_built(const struct cairn_unit_registers *registers, unsigned index,
                                uint64_t value, struct cairn_error *error)
{
    const struct cairn_register_row *row = &cairn_register_rows[index];
    uint32_t tssize = cairn_register_bits(value, 28, 24);
    switch (index) {
    case CAIRN_REG_TRCIDR + 0:
        if (tssize != 0 && tssize != 6 && tssize != 8)
            return refuse(row, value, error, "TSSIZE (bits 28:24) is 0, 6 or 8");
        return CAIRN_OK;
    case CAIRN_REG_TRCIDR + 1: return check_idr1(registers, row, value, error);
    case CAIRN_REG_TRCIDR + 2: return check_idr2(registers, row, value, error);
    case CAIRN_REG_TRCIDR + 4:
        for (unsigned i = 0; i < sizeof idr4_counts; i++)
            if (cairn_register_bits(value, idr4_counts[i] + 3u, idr4_counts[i]) > 8)
                return cairn_fail(error, CAIRN_E_CONFIG,
                                  "%s is 0x%" PRIx64 ": bits %u:%u count resources of which there "
                                  "are at most 8",
                                  row->name, value, idr4_counts[i] + 3u, idr4_counts[i]);
        return CAIRN_OK;
    case CAIRN_REG_TRCIDR + 5:
        if (cairn_register_bits(value, 30, 28) > 4 || cairn_register_bits(value, 11, 9) > 4)
            return refuse(row, value, error,
                          "there are at most four counters and four external "
                          "input selectors");
        return CAIRN_OK;
    case CAIRN_REG_TRCIDR8:
        if (value > CAIRN_UNIT_MAXSPEC)
            return refuse(row, value, error, "a speculation depth above 4096 is not modelled");
        return CAIRN_OK;
    case CAIRN_REG_TRCDEVARCH:
        if (cairn_register_bits(value, 15, 0) !=
            (registers->protocol == CAIRN_PROTOCOL_ETE ? 0x5a13u : 0x4a13u))
            return refuse(row, value, error, "bits 15:0 are 0x5a13 in ETE, 0x4a13 in ETMv4");
        return CAIRN_OK;
    default: return CAIRN_OK;
    }
}

cairn_status cairn_register_check(const struct cairn_unit_registers *registers, unsigned index,
                                  uint64_t value, struct cairn_error *error)
{
    const struct cairn_register_row *row = &cairn_register_rows[index];
    if (row->access == CAIRN_REGISTER_BUILT)
        return check_built(registers, index, value, error);

    struct cairn_unit_built built;
    cairn_unit_built_read(registers, &built);
    uint32_t period = cairn_register_bits(value, 4, 0);
    switch (row->first) {
    case CAIRN_REG_TRCCONFIGR:
        if (cairn_register_bits(value, 14, 13) == 2)
            return refuse(row, value, error, "QE (bits 14:13) is 2, which is reserved");
        if (cairn_register_bits(value, 14, 13) == 1 && field(registers, IDR(0), 16, 15) == 2)
            return refuse(row, value, error,
                          "QE (bits 14:13) is 1, but the unit has only Q elements without count "
                          "(TRCIDR0.QSUPP)");
        return CAIRN_OK;
    case CAIRN_REG_TRCSYNCPR:
        if (period > 20 || (period > 0 && period < 8))
            return refuse(row, value, error,
                          "PERIOD (bits 4:0) is 0 (off) or 8 to 20: 256 bytes to 1 MiB");
        return CAIRN_OK;
    case CAIRN_REG_TRCTRACEIDR:
        if (value >= 0x70)
            return refuse(row, value, error, "trace IDs 0x70 to 0x7f are reserved");
        return CAIRN_OK;
    case CAIRN_REG_TRCEVENTCTL0R: return check_events(row, value, 0, 4, built.selectors, error);
    case CAIRN_REG_TRCTSCTLR:
    case CAIRN_REG_TRCVICTLR:
    case CAIRN_REG_TRCSEQRSTEVR: return check_events(row, value, 0, 1, built.selectors, error);
    case CAIRN_REG_TRCSEQEVR:
    case CAIRN_REG_TRCCNTCTLR: return check_events(row, value, 0, 2, built.selectors, error);
    case CAIRN_REG_TRCRSCTLR: return check_selector(row, value, error);
    case CAIRN_REG_TRCACATR: return check_comparator(row, value, &built, error);
    default: return CAIRN_OK;
    }
}
