/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit's registers: when they count (DDI0608 D8.2.1), and what may be written when (D8.3). */
#include "base/golden.h"
#include "pe/pe.h"

#define PRGCTLR CAIRN_SYSREG(2, 1, 0, 1, 0)
#define STATR CAIRN_SYSREG(2, 1, 0, 3, 0)
#define RSR CAIRN_SYSREG(2, 1, 0, 10, 0)
#define VICTLR CAIRN_SYSREG(2, 1, 0, 0, 2)
#define SEQSTR CAIRN_SYSREG(2, 1, 0, 7, 4)
#define CLAIMSET CAIRN_SYSREG(2, 1, 7, 8, 6)
#define CLAIMCLR CAIRN_SYSREG(2, 1, 7, 9, 6)
#define STATR_IDLE UINT64_C(1)
#define STATR_PMSTABLE UINT64_C(2)

/* TRCCNTVR<n>, TRCSSCSR<n>: CRm is 8 + n. */
static bool is_row(uint32_t encoding, unsigned CRn, unsigned op2)
{
    return encoding >= CAIRN_SYSREG(2, 1, CRn, 8, op2) &&
           encoding <= CAIRN_SYSREG(2, 1, CRn, 15, op2) && (encoding & 7) == op2;
}

static bool has_findings(const struct cairn_pe *pe)
{
    return pe->order.lane_count > 1;
}

static void find_of_unit(struct cairn_pe *pe, const char *rule, uint32_t encoding, uint32_t missing,
                         uint64_t since)
{
    const struct cairn_order_finding finding = {.rule = rule,
                                                .reg = encoding == CAIRN_SYSREG_OSLAR_EL1
                                                           ? (uint32_t)CAIRN_PE_OSLAR_EL1
                                                           : CAIRN_PE_OF_UNIT | encoding,
                                                .missing = missing,
                                                .place = pe->order.place,
                                                .since = since};

    if (pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}

static bool is_enabled(const struct cairn_pe_late_unit *late)
{
    return late->EN && !late->locked;
}

/* What has to be read of TRCSTATR before the unit is known to be in one of the states in which it may be
 * programmed. */
static uint32_t missing_state(const struct cairn_pe_late_unit *late)
{
    return (late->is_open ? CAIRN_PE_MISSES_CSE : 0) |
           (late->known == CAIRN_PE_UNIT_ENABLED ? CAIRN_PE_MISSES_RUNNING : CAIRN_PE_MISSES_IDLE);
}

/* --- made --- */

void cairn_pe_late_unit_begin(struct cairn_pe *pe, enum cairn_pe_order order, uint64_t seed)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;
    uint64_t bits = (seed + 1) * CAIRN_GOLDEN;

    if (order == CAIRN_PE_EARLY)
        return;
    bits = order == CAIRN_PE_LATE ? UINT64_MAX : bits ^ bits >> 29;
    if (bits & 1)
        options.choices |= CAIRN_ACCESS_LATE_WRITES;
    if (bits & 2)
        options.choices |= CAIRN_ACCESS_LATE_ENABLE;
    if (bits & 4)
        options.choices |= CAIRN_ACCESS_LATE_READS;
    options.enabling = (uint32_t)(bits >> 3 & 3);
    options.unstable = (uint32_t)(bits >> 5 & 3);
    options.draining = (uint32_t)(bits >> 7 & 3);
    if (cairn_unit_access_options(pe->unit, &options) != CAIRN_OK)
        return; /* a unit of before ETMv4: it has no such choices */
}

/* --- accesses --- */

static void change(struct cairn_pe *pe, uint32_t encoding, bool EN, bool locked)
{
    struct cairn_pe_late_unit *late = &pe->late_unit;
    const bool was = is_enabled(late);
    const uint64_t before = encoding == PRGCTLR ? late->EN : late->locked;

    late->EN = EN;
    late->locked = locked;
    if (is_enabled(late) == was)
        return;
    late->known = was ? CAIRN_PE_UNIT_DISABLED : CAIRN_PE_UNIT_ENABLED;
    late->is_open = true;
    late->reg = encoding;
    late->before = before;
    late->place = pe->order.place;
}

void cairn_pe_late_unit_write(struct cairn_pe *pe, uint32_t encoding, uint64_t value)
{
    struct cairn_pe_late_unit *late = &pe->late_unit;
    const bool is_busy = late->known != CAIRN_PE_UNIT_IDLE;

    if (!has_findings(pe))
        return;
    if (encoding == CAIRN_SYSREG_OSLAR_EL1) {
        change(pe, encoding, late->EN, value & 1);
    } else if (encoding == PRGCTLR) {
        if (is_busy && late->known != CAIRN_PE_UNIT_RUNNING && (bool)(value & 1) != late->EN)
            find_of_unit(pe, "R_MDZDN", encoding, missing_state(late), late->place);
        change(pe, encoding, value & 1, late->locked);
    } else if (is_busy && encoding != CLAIMSET && encoding != CLAIMCLR) {
        find_of_unit(pe, "R_RWYQD", encoding,
                     (late->is_open ? CAIRN_PE_MISSES_CSE : 0) | CAIRN_PE_MISSES_IDLE, late->place);
    }
}

void cairn_pe_late_unit_set(struct cairn_pe *pe)
{
    struct cairn_pe_late_unit *late = &pe->late_unit;
    uint64_t EN = 0;

    if (cairn_unit_read(pe->unit, "TRCPRGCTLR", &EN) != CAIRN_OK)
        return;
    *late =
        (struct cairn_pe_late_unit){.known = EN & 1 ? CAIRN_PE_UNIT_RUNNING : CAIRN_PE_UNIT_IDLE,
                                    .EN = EN & 1,
                                    .locked = late->locked};
}

static void look_at_status(struct cairn_pe_late_unit *late, uint64_t value)
{
    const uint8_t before = late->known;

    if (late->known == CAIRN_PE_UNIT_ENABLED && !(value & STATR_IDLE))
        late->known = CAIRN_PE_UNIT_RUNNING;
    if (late->known == CAIRN_PE_UNIT_DISABLED && value & STATR_PMSTABLE)
        late->known = CAIRN_PE_UNIT_STABLE;
    if (late->known == CAIRN_PE_UNIT_STABLE && value & STATR_IDLE)
        late->known = CAIRN_PE_UNIT_IDLE;
    late->settles |= before == CAIRN_PE_UNIT_DISABLED && late->known != before;
}

void cairn_pe_late_unit_read(struct cairn_pe *pe, uint32_t encoding, uint64_t value)
{
    struct cairn_pe_late_unit *late = &pe->late_unit;
    const bool is_settled =
        late->known == CAIRN_PE_UNIT_IDLE || late->known == CAIRN_PE_UNIT_STABLE;
    const bool waits = late->known != CAIRN_PE_UNIT_IDLE && late->known != CAIRN_PE_UNIT_RUNNING;

    if (!has_findings(pe))
        return;
    if (encoding == STATR) {
        if (late->is_open)
            find_of_unit(pe, "S_HSXGZ", encoding, CAIRN_PE_MISSES_CSE, late->place);
        else if (late->has_read && waits)
            find_of_unit(pe, "S_HSXGZ", encoding, CAIRN_PE_MISSES_CSE, late->read_place);
        else
            look_at_status(late, value);
        late->has_read = true;
        late->read_place = pe->order.place;
    } else if (encoding == RSR || encoding == SEQSTR || is_row(encoding, 0, 5) ||
               is_row(encoding, 1, 2)) {
        if (!is_settled)
            find_of_unit(pe, "I_PNZGH", encoding,
                         (late->is_open ? CAIRN_PE_MISSES_CSE : 0) | CAIRN_PE_MISSES_STABLE,
                         late->place);
    }
    /* The others are seen in finite time (Table D8.1). */
    if ((encoding == RSR || encoding == VICTLR) && is_settled && late->settles)
        find_of_unit(pe, "R_WZQWC", encoding, CAIRN_PE_MISSES_CSE, late->read_place);
}

/* --- the program --- */

void cairn_pe_late_unit_depend(struct cairn_pe *pe)
{
    const struct cairn_pe_late_unit *late = &pe->late_unit;

    if (late->is_open && has_findings(pe))
        find_of_unit(pe, "R_KNQWS", late->reg, CAIRN_PE_MISSES_CSE, late->place);
}

void cairn_pe_late_unit_synchronize(struct cairn_pe *pe)
{
    struct cairn_pe_late_unit *late = &pe->late_unit;

    late->is_open = false;
    late->has_read = false;
    late->settles = false;
}
