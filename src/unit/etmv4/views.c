/* SPDX-License-Identifier: BSD-2-Clause */
/* When what was written is seen: by the unit, by MRS, by debuggers (DDI0608 D8.2). */
#include <string.h>

#include "unit/etmv4/core.h"
#include "unit/etmv4/register_table.h"

static bool has(const struct cairn_etmv4_unit *unit, uint32_t choice)
{
    return (unit->session.options.choices & choice) != 0;
}

static bool waits(const struct cairn_unit_session *session, unsigned index)
{
    return session->late_registers[index / 64] >> index % 64 & 1;
}

/* D8.2: programmers may rely on what they read. */
static bool is_settled(const struct cairn_etmv4_unit *unit)
{
    const enum cairn_session state = cairn_session_state(unit);

    return state == CAIRN_SESSION_STABLE || state == CAIRN_SESSION_IDLE;
}

/* Where a view has the register; NULL: it has none. */
static uint64_t *in_view(struct cairn_session_view *view, unsigned index)
{
    switch (index) {
    case CAIRN_REG_TRCVICTLR: return &view->VICTLR;
    case CAIRN_REG_TRCRSR: return &view->RSR;
    case CAIRN_REG_TRCSTATR: return &view->STATR;
    default: return NULL;
    }
}

uint64_t cairn_session_read_direct(const struct cairn_etmv4_unit *unit, unsigned index)
{
    struct cairn_session_view seen = unit->session.seen;
    const uint64_t *value = in_view(&seen, index);

    if (index == CAIRN_REG_TRCPRGCTLR && unit->session.late_enable.waits)
        return unit->session.late_enable.value;
    if (waits(&unit->session, index)) /* I_WLGQK */
        return unit->session.late_values[index];
    if (value && has(unit, CAIRN_ACCESS_LATE_READS)) /* R_WZQWC */
        return *value;
    return cairn_unit_live(unit, index);
}

uint64_t cairn_session_read_external(const struct cairn_etmv4_unit *unit, unsigned index)
{
    struct cairn_session_view shown = unit->session.shown;
    const uint64_t *value = in_view(&shown, index);

    if (value && index != CAIRN_REG_TRCSTATR && has(unit, CAIRN_ACCESS_LATE_READS) &&
        !is_settled(unit)) /* R_GQKGX */
        return *value;
    return cairn_unit_live(unit, index);
}

void cairn_session_write_direct(struct cairn_etmv4_unit *unit, unsigned index, uint64_t value)
{
    struct cairn_unit_session *session = &unit->session;
    uint64_t *seen = in_view(&session->seen, index);

    if (seen)
        *seen = value;
    if (has(unit, CAIRN_ACCESS_LATE_WRITES)) {
        session->late_registers[index / 64] |= UINT64_C(1) << index % 64;
        session->late_values[index] = value;
        return;
    }
    unit->registers.values[index] = value;
}

void cairn_session_write_external(struct cairn_etmv4_unit *unit, unsigned index, uint64_t value)
{
    uint64_t *shown = in_view(&unit->session.shown, index);

    unit->registers.values[index] = value;
    if (shown)
        *shown = value;
}

void cairn_session_enable_direct(struct cairn_etmv4_unit *unit, bool EN)
{
    if (has(unit, CAIRN_ACCESS_LATE_ENABLE))
        unit->session.late_enable = (struct cairn_session_late){.waits = true, .value = EN};
    else
        cairn_session_enable(unit, EN);
}

void cairn_session_lock_direct(struct cairn_etmv4_unit *unit, bool locked)
{
    if (has(unit, CAIRN_ACCESS_LATE_ENABLE))
        unit->session.late_lock = (struct cairn_session_late){.waits = true, .value = locked};
    else
        cairn_session_lock(unit, locked);
}

static void take_registers(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;

    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++)
        if (waits(session, i))
            unit->registers.values[i] = session->late_values[i];
    memset(session->late_registers, 0, sizeof session->late_registers);
}

static void look(struct cairn_etmv4_unit *unit)
{
    struct cairn_session_view *seen = &unit->session.seen;

    seen->STATR = cairn_session_status(unit);
    if (!is_settled(unit))
        return;
    seen->VICTLR = cairn_unit_live(unit, CAIRN_REG_TRCVICTLR);
    seen->RSR = cairn_unit_live(unit, CAIRN_REG_TRCRSR);
}

void cairn_session_synchronize(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;
    const struct cairn_session_late lock = session->late_lock, enable = session->late_enable;

    take_registers(unit);
    session->late_lock.waits = false;
    session->late_enable.waits = false;
    if (lock.waits)
        cairn_session_lock(unit, lock.value);
    if (enable.waits)
        cairn_session_enable(unit, enable.value);
    if (session->authentication_waits)
        unit->registers.values[CAIRN_REG_TRCAUTHSTATUS] = session->AUTHSTATUS;
    session->authentication_waits = false;
    look(unit);
}

void cairn_session_keep_shown(struct cairn_etmv4_unit *unit)
{
    unit->session.shown.VICTLR = unit->registers.values[CAIRN_REG_TRCVICTLR];
    unit->session.shown.RSR = unit->registers.values[CAIRN_REG_TRCRSR];
}

void cairn_session_refresh(struct cairn_etmv4_unit *unit)
{
    cairn_session_synchronize(unit);
    unit->session.seen.VICTLR = cairn_unit_live(unit, CAIRN_REG_TRCVICTLR);
    unit->session.seen.RSR = cairn_unit_live(unit, CAIRN_REG_TRCRSR);
    unit->session.shown = unit->session.seen;
}

void cairn_session_authenticate(struct cairn_etmv4_unit *unit, uint64_t AUTHSTATUS)
{
    struct cairn_unit_session *session = &unit->session;

    session->authentication_waits = has(unit, CAIRN_ACCESS_AUTHENTICATION_WAITS);
    if (session->authentication_waits)
        session->AUTHSTATUS = AUTHSTATUS;
    else
        unit->registers.values[CAIRN_REG_TRCAUTHSTATUS] = AUTHSTATUS;
}
