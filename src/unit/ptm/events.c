/* SPDX-License-Identifier: BSD-2-Clause */
/* Resources, cycle by cycle (IHI0035 3.8 to 3.14), and what they ask for. */
#include "unit/ptm/core.h"

#define CYCLES_MAX 65536u /* more in one call leave counters and the sequencer where these did */

/* --- the trigger --- */

static void put_trigger(struct cairn_ptm_unit *unit)
{
    cairn_unit_pipe_put(&unit->pipe, CAIRN_ELEMENT_EVENT, 0, &(struct cairn_element_data){0});
}

/* One a session (3.14). What comes while the FIFO is full is sent when it is empty (4.8). */
void cairn_ptm_unit_event(struct cairn_unit *base, unsigned number)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    if (number != 0 || !unit->enabled || unit->triggered || unit->resources.disabled)
        return;
    unit->triggered = true;
    unit->trigger_owed = unit->overflowed;
    if (!unit->trigger_owed)
        put_trigger(unit);
}

void cairn_ptm_put_owed_trigger(struct cairn_ptm_unit *unit)
{
    if (unit->trigger_owed)
        put_trigger(unit);
    unit->trigger_owed = false;
}

/* --- timestamps --- */

/* A request is served with the waypoint that is traced next. Where trace is off the first one is
 * served at once, and the others are not (4.14). */
void cairn_ptm_request_time(struct cairn_ptm_unit *unit)
{
    if (unit->tracing || unit->overflowed || cairn_ptm_is_unseen(unit)) {
        unit->time_wanted = true;
    } else if (unit->time_off) {
        unit->time_off = false;
        cairn_ptm_put_time_off(unit);
    }
}

/* --- cycles --- */

/* What the events of this cycle ask for. */
static void sample(struct cairn_ptm_unit *unit)
{
    const uint32_t *values = unit->registers.values;

    if (unit->resources.disabled)
        return;
    if (unit->has_trigger && !unit->triggered &&
        cairn_etm_event(&unit->resources, values[CAIRN_ETM_ETMTRIGGER]))
        cairn_ptm_unit_event(&unit->base, 0);
    if (unit->has_time_event && cairn_etm_event(&unit->resources, values[CAIRN_ETM_ETMTSEVR]))
        cairn_ptm_request_time(unit);
}

static struct cairn_etm_run describe(const struct cairn_ptm_unit *unit)
{
    const struct cairn_ptm_run *run = &unit->run;

    return (struct cairn_etm_run){
        .first = (uint32_t)run->start.address,
        .last = (uint32_t)(run->last + run->last_size - 1),
        .empty = run->empty,
        .context = unit->context,
    };
}

/* TraceEnable looks at what counters and the sequencer were before; what they become is seen in
 * the cycle behind the waypoint. */
bool cairn_ptm_see_waypoint(struct cairn_ptm_unit *unit)
{
    struct cairn_etm_run run;
    bool enabled;

    if (!unit->watches) {
        unit->resources.observed = true;
        return true;
    }
    run = describe(unit);
    enabled = cairn_etm_resources_compare(&unit->resources, &run);
    sample(unit);
    cairn_etm_resources_step(&unit->resources);
    if (unit->resources.moves)
        sample(unit);
    return enabled;
}

void cairn_ptm_unit_cycles(struct cairn_unit *base, uint64_t cycles)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    unit->clock += cycles;
    if (cairn_ptm_stalls(unit))
        cairn_unit_taker_wait(&unit->pipe.taker, cycles);
    if (unit->pipe.fifo_bytes > 0)
        cairn_unit_pipe_cycles(&unit->pipe, cycles);
    if (!unit->enabled || !unit->watches)
        return;
    for (uint64_t i = 0; i < cycles && i < CYCLES_MAX; i++) {
        const struct cairn_etm_derived before = unit->resources.derived;

        cairn_etm_resources_step(&unit->resources);
        sample(unit);
        /* The first one ends what is active in one cycle only. */
        if (i > 0 && cairn_etm_derived_same(&before, &unit->resources.derived))
            break; /* no other cycle differs */
    }
}

void cairn_ptm_unit_time(struct cairn_unit *base, uint64_t time)
{
    cairn_ptm_unit(base)->time = time;
}

void cairn_ptm_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);

    unit->resources.inputs = inputs;
    if (unit->enabled)
        sample(unit);
}

/* Held where code is not seen, in Debug and Jazelle state (3.11, 4.7.1, 4.17, 4.18). */
void cairn_ptm_unit_hint(struct cairn_unit *base, unsigned hint)
{
    struct cairn_ptm_unit *unit = cairn_ptm_unit(base);
    const bool privileged_only =
        (unit->registers.values[CAIRN_ETM_ETMCR] & CAIRN_ETMCR_PRIVILEGED) != 0;

    if (cairn_ptm_is_unseen(unit) || unit->jazelle || (privileged_only && unit->context.EL == 0))
        return;
    cairn_etm_resources_hint(&unit->resources, hint);
    sample(unit);
}
