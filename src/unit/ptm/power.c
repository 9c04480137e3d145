/* SPDX-License-Identifier: BSD-2-Clause */
/* Where nothing may be traced (IHI0035 4.7), Debug state (4.18) and waiting (4.9). */
#include "unit/ptm/core.h"

#define NON_INVASIVE (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN)
#define SECURE_NON_INVASIVE (CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN)

static const struct cairn_ptm_place nowhere = {.isa = CAIRN_ISA_UNKNOWN};

void cairn_ptm_empty_fifo(struct cairn_ptm_unit *unit)
{
    cairn_unit_pipe_drain(&unit->pipe);
}

/* --- prohibited regions --- */

/* Privileged Secure code, and all Secure code that Non-secure state leads to (4.7). */
void cairn_ptm_judge_context(struct cairn_ptm_unit *unit, const struct cairn_context *next)
{
    const bool from_user = unit->context.security == CAIRN_SECURE && unit->context.EL == 0;

    if (next->security != CAIRN_SECURE)
        unit->secure_hidden = false;
    else if (next->EL != 0 || unit->context.security != CAIRN_SECURE)
        unit->secure_hidden = true;
    else if (!from_user)
        unit->secure_hidden = false;
}

/* How execution got there is told as far as it was seen. */
static void hide(struct cairn_ptm_unit *unit)
{
    if (cairn_ptm_is_unseen(unit))
        return;
    cairn_ptm_leave(unit);
    cairn_ptm_break(unit, CAIRN_PTM_TRACE_ON);
    unit->next = nowhere;
}

void cairn_ptm_apply_prohibition(struct cairn_ptm_unit *unit)
{
    const bool disabled = !(unit->signals & NON_INVASIVE);
    const bool prohibited =
        unit->region || disabled || (unit->secure_hidden && !(unit->signals & SECURE_NON_INVASIVE));

    if (prohibited)
        hide(unit);
    if (disabled && unit->enabled && !unit->resources.disabled)
        cairn_ptm_empty_fifo(unit);
    unit->prohibited = prohibited;
    unit->resources.prohibited = prohibited;
    unit->resources.disabled = disabled;
}

void cairn_ptm_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    unit->region = prohibited;
    cairn_ptm_apply_prohibition(unit);
}

void cairn_ptm_unit_authenticate(struct cairn_unit *base, uint32_t signals)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    unit->signals = signals;
    cairn_ptm_apply_prohibition(unit);
}

/* --- states of the PE --- */

void cairn_ptm_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (debug && !cairn_ptm_is_unseen(unit)) {
        cairn_ptm_break(unit, CAIRN_PTM_DEBUG_EXIT);
        cairn_unit_pipe_flush(&unit->pipe); /* the FIFO drains (4.18) */
        unit->next = nowhere;
    }
    unit->debug = debug;
}

/* Before a wait for an interrupt what was traced comes out. That is no waypoint, and trace stays
 * on if it was (4.9). */
void cairn_ptm_unit_low_power(struct cairn_unit *base, bool low)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (low && unit->enabled)
        cairn_ptm_empty_fifo(unit);
    unit->sleeps = low;
}
