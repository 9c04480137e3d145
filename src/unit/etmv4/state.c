/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the PE, which decides what is observed at all (DDI0608 D6.3, D6.6.6). */
#include "unit/etmv4/core.h"
#include "unit/etmv4/register_table.h"

#define NON_INVASIVE (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN)
#define SECURE_NON_INVASIVE (CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN)

/* TRCAUTHSTATUS: fields of two bits, whether it is there and whether it is allowed. */
#define NSNID_SHIFT 2
#define SNID_SHIFT 6
#define FIELD_MASK UINT64_C(3)
#define FIELD_DISABLED UINT64_C(2)
#define FIELD_ENABLED UINT64_C(3)

/* --- Prohibited regions --- */

static bool allows(uint32_t signals, bool secure)
{
    return (signals & NON_INVASIVE) && (!secure || (signals & SECURE_NON_INVASIVE));
}

/* R_HYZLQ. Of Realm and Root state the signals say nothing. */
static bool is_denied(const struct cairn_etmv4_unit *unit, enum cairn_security security)
{
    if ((unit->signals & CAIRN_UNIT_SELF_HOSTED) ||
        (security != CAIRN_SECURE && security != CAIRN_NONSECURE))
        return false;
    return !allows(unit->signals, security == CAIRN_SECURE);
}

static void enter(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_pause_resources(unit);
    if (unit->choices & CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES)
        path->transaction_matches = 0;
    if (path->in_transaction && (unit->choices & CAIRN_UNIT_PROHIBITED_FAILS_POINTS)) /* R_FFZDC */
        path->start_stop = path->start_stop_at_start;
    else if (path->in_transaction && (unit->choices & CAIRN_UNIT_PROHIBITED_KEEPS_POINTS))
        path->start_stop_at_start = path->start_stop;
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_land(unit);
        cairn_unit_fail_started(unit);
        cairn_unit_commit_all(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_PROHIBITED;
}

static void leave(struct cairn_etmv4_unit *unit)
{
    unit->path.owed &= ~(uint32_t)CAIRN_PATH_PROHIBITED;
    cairn_unit_synchronize(unit); /* R_YGGGJ */
    cairn_unit_resume_resources(unit);
}

/* A Prohibited region begins or ends, if that follows from what is known. */
static void decide(struct cairn_etmv4_unit *unit, enum cairn_security security)
{
    struct cairn_unit_path *path = &unit->path;
    const bool prohibited =
        (path->owed & (CAIRN_PATH_BARRED | CAIRN_PATH_LEAVING)) != 0 || is_denied(unit, security);

    if (prohibited == ((path->owed & CAIRN_PATH_PROHIBITED) != 0))
        return;
    if (prohibited)
        enter(unit);
    else
        leave(unit);
    path->crossed_at = unit->told + 1;
}

void cairn_etmv4_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;
    const bool synchronized = path->synchronized_at == unit->told;

    cairn_unit_begin(unit);
    if (prohibited) {
        path->owed &= ~(uint32_t)CAIRN_PATH_LEAVING;
        path->owed |= CAIRN_PATH_BARRED;
    } else if (path->owed & CAIRN_PATH_BARRED) {
        path->owed &= ~(uint32_t)CAIRN_PATH_BARRED;
        if ((unit->choices & CAIRN_UNIT_PROHIBITED_UNTIL_SYNC) && !synchronized)
            path->owed |= CAIRN_PATH_LEAVING;
    }
    decide(unit, (enum cairn_security)path->context.security);
}

void cairn_unit_synchronized(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    path->synchronized_at = unit->told;
    if (path->owed & CAIRN_PATH_LEAVING) {
        path->owed &= ~(uint32_t)CAIRN_PATH_LEAVING;
        decide(unit, (enum cairn_security)path->context.security);
    }
    if (unit->synchronized)
        unit->synchronized(unit);
}

/* --- what the PE is --- */

void cairn_etmv4_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;
    const bool synchronized = path->synchronized_at == unit->told;

    cairn_unit_begin(unit);
    if (is_denied(unit, (enum cairn_security)context->security)) /* nothing may tell of it */
        decide(unit, (enum cairn_security)context->security);
    path->context = *context;
    path->owed |= CAIRN_OWED_CHANGE;
    decide(unit, (enum cairn_security)context->security);
    if (synchronized) /* it is what the event brought */
        path->synchronized_at = unit->told;
    if (path->crossed_at == unit->told)
        path->crossed_at++;
}

void cairn_etmv4_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    uint64_t AUTHSTATUS = unit->registers.values[CAIRN_REG_TRCAUTHSTATUS];

    AUTHSTATUS &= ~(FIELD_MASK << NSNID_SHIFT | FIELD_MASK << SNID_SHIFT);
    AUTHSTATUS |= (allows(signals, false) ? FIELD_ENABLED : FIELD_DISABLED) << NSNID_SHIFT;
    AUTHSTATUS |= (allows(signals, true) ? FIELD_ENABLED : FIELD_DISABLED) << SNID_SHIFT;
    cairn_session_authenticate(unit, AUTHSTATUS);
    cairn_unit_begin(unit);
    unit->signals = signals;
    decide(unit, (enum cairn_security)unit->path.context.security);
}

void cairn_etmv4_unit_synchronize_context(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    cairn_unit_begin(unit);
    cairn_unit_synchronize(unit);
    cairn_unit_synchronized(unit);
}

void cairn_etmv4_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_begin(unit);
    if (debug == ((path->owed & CAIRN_PATH_DEBUG) != 0))
        return;
    if (!debug) {
        path->owed &= ~(uint32_t)CAIRN_PATH_DEBUG;
        return;
    }
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))) {
        cairn_unit_settle_path(unit);
        cairn_unit_commit_all(unit);
        cairn_unit_pack(unit); /* a debugger wants to see how it came to this (I_NHBMZ) */
        cairn_unit_drain(unit);
    }
    cairn_unit_lose_path(unit);
    path->owed |= CAIRN_PATH_DEBUG;
}

/* Where the PE is back there, the resources may run or not. */
cairn_status cairn_etmv4_unit_cancel(struct cairn_unit *base, uint64_t mark)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    cairn_unit_see_end(&unit->base.sight);

    const cairn_status status = cairn_unit_take_back(unit, mark);

    if (status != CAIRN_OK)
        return status;
    decide(unit, (enum cairn_security)unit->path.context.security); /* signals may have changed */
    if (unit->path.owed & CAIRN_PATH_PROHIBITED)
        cairn_unit_pause_resources(unit);
    else
        cairn_unit_resume_resources(unit);
    return CAIRN_OK;
}
