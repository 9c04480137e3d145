/* SPDX-License-Identifier: BSD-2-Clause */
/* Programming states, the OS Lock, resets and power. */
#include "unit/etmv4/session.h"

#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etmv4/core.h"
#include "unit/etmv4/register_table.h"
#include "unit/etmv4/ways_in.h"

#define CHOICES                                                                                    \
    (CAIRN_ACCESS_BUSY_WRITES_UNKNOWN | CAIRN_ACCESS_BUSY_ENABLE_UNKNOWN |                         \
     CAIRN_ACCESS_UNSUPPORTED_ERROR | CAIRN_ACCESS_UNSUPPORTED_IGNORED |                           \
     CAIRN_ACCESS_LOCKED_ERROR | CAIRN_ACCESS_DENIED_ERROR | CAIRN_ACCESS_STABLE_WHEN_ENABLED |    \
     CAIRN_ACCESS_AUTHENTICATION_WAITS | CAIRN_ACCESS_LATE_WRITES | CAIRN_ACCESS_LATE_ENABLE |     \
     CAIRN_ACCESS_LATE_READS)
#define LATE                                                                                       \
    (CAIRN_ACCESS_AUTHENTICATION_WAITS | CAIRN_ACCESS_LATE_WRITES | CAIRN_ACCESS_LATE_ENABLE |     \
     CAIRN_ACCESS_LATE_READS)
#define STEPS_MOST (1u << 20)
#define TRIES 16u /* for a value that a register can hold */
#define TRCPRGCTLR_EN UINT64_C(1)
#define TRCSTATR_IDLE UINT64_C(1)
#define TRCSTATR_PMSTABLE UINT64_C(2)

void cairn_session_begin(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;

    session->options = (struct cairn_access_options)CAIRN_ACCESS_OPTIONS_INIT;
    session->software_locked = unit->registers.protocol != CAIRN_PROTOCOL_ETE;
    cairn_session_refresh(unit);
}

cairn_status cairn_etmv4_unit_access_options(struct cairn_unit *base,
                                             const struct cairn_access_options *options)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_access_options given = CAIRN_ACCESS_OPTIONS_INIT;

    if (!options || cairn_options_read(&given, sizeof given, options) != CAIRN_OK ||
        given.choices & ~CHOICES || given.enabling > STEPS_MOST || given.unstable > STEPS_MOST ||
        given.draining > STEPS_MOST)
        return CAIRN_E_ARGUMENT;
    cairn_session_refresh(unit);
    unit->session.options = given;
    unit->session.random = given.unknown;
    unit->synchronized = given.choices & LATE ? cairn_session_synchronize : NULL;
    if (unit->synchronized)
        unit->mode |= CAIRN_MODE_SYNCHRONIZED;
    else
        unit->mode &= ~(uint32_t)CAIRN_MODE_SYNCHRONIZED;
    return CAIRN_OK;
}

/* --- states --- */

void cairn_session_count(struct cairn_etmv4_unit *unit)
{
    if (unit->session.accesses < UINT32_MAX)
        unit->session.accesses++;
}

static uint64_t steps(const struct cairn_etmv4_unit *unit)
{
    const uint64_t cycles = unit->clock - unit->session.since;

    return cycles > UINT64_MAX - unit->session.accesses ? UINT64_MAX
                                                        : cycles + unit->session.accesses;
}

enum cairn_session cairn_session_state(const struct cairn_etmv4_unit *unit)
{
    const struct cairn_unit_session *session = &unit->session;
    const struct cairn_access_options *options = &session->options;

    if (!(unit->mode & CAIRN_MODE_DISABLED))
        return steps(unit) < options->enabling ? CAIRN_SESSION_ENABLING : CAIRN_SESSION_RUNNING;
    if (!session->began)
        return CAIRN_SESSION_IDLE;
    if (steps(unit) < options->unstable)
        return CAIRN_SESSION_UNSTABLE;
    /* R_TRZCP; a sink that failed took what it did not get (I_DHOGM) */
    if (steps(unit) < (uint64_t)options->unstable + options->draining ||
        cairn_unit_generated(unit) != unit->delivered)
        return CAIRN_SESSION_STABLE;
    return CAIRN_SESSION_IDLE;
}

enum cairn_session cairn_etmv4_unit_session(const struct cairn_unit *base)
{
    return cairn_session_state(cairn_etmv4_unit_const(base));
}

uint64_t cairn_session_status(const struct cairn_etmv4_unit *unit)
{
    const bool stable = unit->session.options.choices & CAIRN_ACCESS_STABLE_WHEN_ENABLED;

    switch (cairn_session_state(unit)) {
    case CAIRN_SESSION_IDLE: return TRCSTATR_IDLE | TRCSTATR_PMSTABLE;
    case CAIRN_SESSION_ENABLING: return TRCSTATR_IDLE | (stable ? TRCSTATR_PMSTABLE : 0);
    case CAIRN_SESSION_RUNNING: return stable ? TRCSTATR_PMSTABLE : 0;
    case CAIRN_SESSION_STABLE: return TRCSTATR_PMSTABLE;
    case CAIRN_SESSION_UNSTABLE: break;
    }
    return 0;
}

bool cairn_session_has_power(const struct cairn_etmv4_unit *unit)
{
    return unit->session.power == CAIRN_POWER_NORMAL || unit->session.power == CAIRN_POWER_STANDBY;
}

/* In retention an enabled unit appears enabled, and nothing is executed. */
static bool may_run(const struct cairn_etmv4_unit *unit)
{
    return (unit->registers.values[CAIRN_REG_TRCPRGCTLR] & TRCPRGCTLR_EN) &&
           !unit->session.os_locked && unit->session.power != CAIRN_POWER_DOWN &&
           unit->session.power != CAIRN_POWER_SAVED;
}

/* R_VBMV, R_TMLTF. */
static void update(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;
    const bool runs = !(unit->mode & CAIRN_MODE_DISABLED);

    if (may_run(unit) == runs)
        return;
    if (runs)
        cairn_session_keep_shown(unit);
    session->began = true;
    session->since = unit->clock;
    session->accesses = 0;
    if (runs) {
        cairn_unit_stop(unit);
        return;
    }
    cairn_unit_start(unit);
    cairn_session_keep_shown(unit);
    if (unit->mode & CAIRN_MODE_DISABLED) /* cairn_unit_status says why */
        unit->registers.values[CAIRN_REG_TRCPRGCTLR] = 0;
}

void cairn_session_enable(struct cairn_etmv4_unit *unit, bool EN)
{
    unit->registers.values[CAIRN_REG_TRCPRGCTLR] = EN ? TRCPRGCTLR_EN : 0;
    update(unit);
}

void cairn_session_lock(struct cairn_etmv4_unit *unit, bool locked)
{
    unit->session.os_locked = locked;
    update(unit);
}

void cairn_etmv4_unit_enable(struct cairn_unit *base)
{
    cairn_session_enable(cairn_etmv4_unit(base), true);
}

void cairn_etmv4_unit_disable(struct cairn_unit *base)
{
    cairn_session_enable(cairn_etmv4_unit(base), false);
}

void cairn_etmv4_unit_os_lock(struct cairn_unit *base, bool locked)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    unit->session.late_lock.waits = false;
    cairn_session_lock(unit, locked);
}

/* --- UNKNOWN values --- */

/* xorshift64*. */
uint64_t cairn_session_unknown(struct cairn_etmv4_unit *unit)
{
    uint64_t x = unit->session.random;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    unit->session.random = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

void cairn_session_forget(struct cairn_etmv4_unit *unit, unsigned index)
{
    uint64_t *value = &unit->registers.values[index];

    for (unsigned i = 0; i < TRIES; i++)
        if (cairn_unit_registers_holds(&unit->registers, index, cairn_session_unknown(unit), value,
                                       NULL))
            return;
    (void)cairn_unit_registers_holds(&unit->registers, index, 0, value, NULL);
}

/* --- resets and power --- */

/* R_WKLGX. The descriptions of registers are in the Arm ARM: these have a reset value, 0. */
static bool has_reset_value(unsigned index)
{
    return index == CAIRN_REG_TRCPRGCTLR || index == CAIRN_REG_TRCAUXCTLR ||
           (index >= CAIRN_REG_TRCIMSPEC && index <= CAIRN_REG_TRCIMSPEC_LAST);
}

static void reset_registers(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;

    cairn_session_enable(unit, false);
    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++) {
        if (cairn_register_rows[i].access != CAIRN_REGISTER_PROGRAM)
            continue;
        if (has_reset_value(i))
            unit->registers.values[i] = 0;
        else
            cairn_session_forget(unit, i);
    }
    session->claims = 0;
    session->PDCR = 0;
    session->sticky_down = true;
    session->software_locked = unit->registers.protocol != CAIRN_PROTOCOL_ETE;
    session->began = false;
    session->late_enable.waits = false;
    session->late_lock.waits = false;
    memset(session->late_registers, 0, sizeof session->late_registers);
    cairn_session_refresh(unit);
}

void cairn_etmv4_unit_reset(struct cairn_unit *base, enum cairn_reset kind)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);

    if (kind != CAIRN_RESET_TRACE_UNIT && kind != CAIRN_RESET_COLD)
        return;
    reset_registers(unit);
    if (kind == CAIRN_RESET_COLD || unit->registers.protocol != CAIRN_PROTOCOL_ETE)
        cairn_session_lock(unit, true);
    if (kind == CAIRN_RESET_COLD) {
        unit->session.STAD = false;
        unit->session.ETAD = false;
        base->model->prohibit(base, true);
    }
}

void cairn_etmv4_unit_power(struct cairn_unit *base, enum cairn_power power)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const enum cairn_power was = unit->session.power;

    if ((unsigned)power > CAIRN_POWER_SAVED)
        return;
    /* What is gone stays gone. */
    if (was == CAIRN_POWER_DOWN && (power == CAIRN_POWER_RETENTION || power == CAIRN_POWER_SAVED))
        return;
    unit->session.power = power;
    update(unit);
    if (was == CAIRN_POWER_DOWN && power != CAIRN_POWER_DOWN)
        cairn_etmv4_unit_reset(base, CAIRN_RESET_COLD); /* R_PTZDH, R_FQMXQ */
}

uint64_t cairn_etmv4_unit_tsb(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const struct cairn_unit_session *session = &unit->session;
    uint64_t waited = 0;

    cairn_unit_settle_path(unit); /* I_JYJZ */
    if (!(unit->mode & CAIRN_MODE_DISABLED) &&
        !(unit->path.owed & (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG)))
        return 0;
    if (cairn_session_state(unit) == CAIRN_SESSION_UNSTABLE) { /* R_FCBLJ */
        waited = session->options.unstable - steps(unit);
        unit->session.accesses += waited;
    }
    cairn_etmv4_unit_flush(base); /* R_JLRQH, R_RFJQN */
    return waited;
}
