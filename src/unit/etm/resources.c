/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etm/resources.h"

/* Types of resources, bits [6:4] of a number, and indexes, bits [3:0] (3.8.1) */
enum { SINGLE = 0, RANGE = 1, EMBEDDED_ICE = 2, COUNTER = 4, STATE = 5, INPUT = 6 };
#define INSTRUMENTATION 8u /* of RANGE */
#define SEQUENCER_STATES 3u
enum { CONTEXT_ID = 8, CONTEXT_ID_LAST = 10, VMID = 11, START_STOP = 15 };      /* of STATE */
enum { EXTENDED = 8, EXTENDED_LAST = 11, NON_SECURE = 13, PROHIBITED, ALWAYS }; /* of INPUT */

/* How many there are: ETMCCR, ETMCCER (3.16.2, 3.16.29) */
#define CCR_PAIRS(ccr) ((ccr)&0xf)
#define CCR_COUNTERS(ccr) ((ccr) >> 13 & 7)
#define CCR_SEQUENCER(ccr) ((ccr) >> 16 & 1)
#define CCR_INPUTS(ccr) ((ccr) >> 17 & 7)
#define CCR_CONTEXTS(ccr) ((ccr) >> 24 & 3)
#define CCR_START_STOP(ccr) ((ccr) >> 26 & 1)
#define CCER_SELECTORS(ccer) ((ccer)&7)
#define CCER_EXTENDED(ccer) ((ccer) >> 3 & 0xff)
#define CCER_INSTRUMENTATION(ccer) ((ccer) >> 13 & 7)
#define CCER_EMBEDDED_ICE(ccer) ((ccer) >> 16 & 0xf)
#define CCER_REDUCED (1u << 27)
#define IDR_MINOR(id) ((id) >> 4 & 0xf)

/* Which bits of the inputs are which */
#define FIRST_EMBEDDED_ICE 8
#define FIRST_EXTENDED 16
#define EXTENDED_INPUTS 16u

/* ETMTECR1 (3.16.9), ETMTSSCR */
#define TECR1_RANGES 0xffu
#define TECR1_EXCLUDE (1u << 24)
#define TECR1_START_STOP (1u << 25)
#define TSSCR_STOP 16

/* Hints of DBG: which resource, and what of it (table 3-11) */
#define HINT_RESOURCE 3u
enum { HINT_SET = 0, HINT_CLEAR = 1, HINT_PULSE = 2 }; /* bits [3:2] */

static uint32_t value(const struct cairn_etm_resources *r, unsigned index)
{
    return r->registers->values[index];
}

/* --- resources --- */

/* What holds from waypoint to waypoint does not before the first one, and in prohibited regions. */
static bool compares(const struct cairn_etm_resources *r)
{
    return r->observed && !r->prohibited;
}

static bool has_pair(const struct cairn_etm_resources *r, unsigned pair)
{
    return pair < CCR_PAIRS(value(r, CAIRN_ETM_ETMCCR));
}

static bool single_is_active(const struct cairn_etm_resources *r, unsigned index)
{
    return r->waypoint && has_pair(r, index / 2) &&
           cairn_etm_address_matches(r->registers, index, &r->run);
}

static bool range_is_active(const struct cairn_etm_resources *r, unsigned index)
{
    if (index >= INSTRUMENTATION)
        return index - INSTRUMENTATION < CCER_INSTRUMENTATION(value(r, CAIRN_ETM_ETMCCER)) &&
               (r->pulsed >> (index - INSTRUMENTATION) & 1u);
    return !r->jazelle && compares(r) && has_pair(r, index) &&
           cairn_etm_range_touches(r->registers, index, &r->run);
}

static bool counter_is_zero(const struct cairn_etm_resources *r, unsigned index)
{
    return index < CAIRN_ETM_COUNTERS && index < CCR_COUNTERS(value(r, CAIRN_ETM_ETMCCR)) &&
           r->derived.counters[index] == 0;
}

static bool state_is_active(const struct cairn_etm_resources *r, unsigned index)
{
    if (index < SEQUENCER_STATES)
        return CCR_SEQUENCER(value(r, CAIRN_ETM_ETMCCR)) && r->derived.sequencer == index;
    if (index >= CONTEXT_ID && index <= CONTEXT_ID_LAST)
        return index - CONTEXT_ID < CCR_CONTEXTS(value(r, CAIRN_ETM_ETMCCR)) && compares(r) &&
               cairn_etm_context_matches(r->registers, index - CONTEXT_ID, &r->run);
    if (index == VMID)
        return IDR_MINOR(value(r, CAIRN_ETM_ETMIDR)) >= 1 && compares(r) &&
               cairn_etm_vmid_matches(r->registers, &r->run);
    return index == START_STOP && CCR_START_STOP(value(r, CAIRN_ETM_ETMCCR)) && r->start_stop;
}

/* Extended external input selector n: ETMEXTINSELR has a byte of each. */
static bool extended_is_active(const struct cairn_etm_resources *r, unsigned n)
{
    const uint32_t built = value(r, CAIRN_ETM_ETMCCER);
    const uint32_t input = value(r, CAIRN_ETM_ETMEXTINSELR) >> 8 * n & 0xff;

    return n < CCER_SELECTORS(built) && input < CCER_EXTENDED(built) && input < EXTENDED_INPUTS &&
           (r->inputs >> (FIRST_EXTENDED + input) & 1);
}

static bool input_is_active(const struct cairn_etm_resources *r, unsigned index)
{
    if (index >= EXTENDED && index <= EXTENDED_LAST)
        return !r->disabled && extended_is_active(r, index - EXTENDED);
    switch (index) {
    case NON_SECURE: return compares(r) && r->run.context.security != CAIRN_SECURE;
    case PROHIBITED: return r->prohibited || !r->observed;
    case ALWAYS: return true;
    default:
        return !r->disabled && index < 4 && index < CCR_INPUTS(value(r, CAIRN_ETM_ETMCCR)) &&
               (r->inputs >> index & 1);
    }
}

static bool is_active(const void *resources, unsigned number)
{
    const struct cairn_etm_resources *r = resources;
    const unsigned index = number & 0xf;

    switch (number >> 4 & 7) {
    case SINGLE: return single_is_active(r, index);
    case RANGE: return range_is_active(r, index);
    case EMBEDDED_ICE:
        return !r->disabled && index < 8 &&
               index < CCER_EMBEDDED_ICE(value(r, CAIRN_ETM_ETMCCER)) &&
               (r->inputs >> (FIRST_EMBEDDED_ICE + index) & 1);
    case COUNTER: return counter_is_zero(r, index);
    case STATE: return state_is_active(r, index);
    case INPUT: return input_is_active(r, index);
    default: return false;
    }
}

bool cairn_etm_event(const struct cairn_etm_resources *resources, uint32_t event)
{
    return cairn_etm_function(event, is_active, resources);
}

/* --- counters, sequencer, instrumentation --- */

static struct cairn_etm_derived_program program_of(const struct cairn_etm_registers *registers)
{
    const uint32_t *values = registers->values;

    return (struct cairn_etm_derived_program){
        .reload_values = &values[CAIRN_ETM_ETMCNTRLDVR],
        .enables = &values[CAIRN_ETM_ETMCNTENR],
        .reloads = &values[CAIRN_ETM_ETMCNTRLDEVR],
        .transitions = &values[CAIRN_ETM_ETMSQ12EVR],
        .reduced = (values[CAIRN_ETM_ETMCCER] & CCER_REDUCED) != 0 &&
                   IDR_MINOR(values[CAIRN_ETM_ETMIDR]) >= 1,
    };
}

void cairn_etm_resources_begin(struct cairn_etm_resources *resources,
                               struct cairn_etm_registers *registers)
{
    const struct cairn_etm_derived_program program = program_of(registers);
    uint32_t *values = registers->values;

    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++) {
        if (!(resources->kept >> n & 1))
            values[CAIRN_ETM_ETMCNTVR + n] = program.reload_values[n];
        resources->derived.counters[n] = (uint16_t)values[CAIRN_ETM_ETMCNTVR + n];
    }
    if (!(resources->kept & CAIRN_ETM_KEPT_SEQUENCER) ||
        values[CAIRN_ETM_ETMSQR] >= SEQUENCER_STATES)
        values[CAIRN_ETM_ETMSQR] = 0;
    resources->derived.sequencer = (uint8_t)values[CAIRN_ETM_ETMSQR];
    resources->start_stop &= (resources->kept & CAIRN_ETM_KEPT_STATUS) != 0;
    resources->kept = 0;
    resources->waypoint = false;
    resources->moves = cairn_etm_derived_moves(&program);
}

/* The value of a reduced counter cannot be read (3.16.14). */
void cairn_etm_resources_store(const struct cairn_etm_resources *resources,
                               struct cairn_etm_registers *registers)
{
    const bool reduced = program_of(registers).reduced;

    registers->values[CAIRN_ETM_ETMCNTVR] = 0;
    for (unsigned n = reduced; n < CAIRN_ETM_COUNTERS; n++)
        registers->values[CAIRN_ETM_ETMCNTVR + n] = resources->derived.counters[n];
    registers->values[CAIRN_ETM_ETMSQR] = resources->derived.sequencer;
}

void cairn_etm_resources_step(struct cairn_etm_resources *resources)
{
    if (resources->moves && !resources->disabled) {
        const struct cairn_etm_derived_program program = program_of(resources->registers);

        resources->derived =
            cairn_etm_derived_next(&resources->derived, &program, is_active, resources);
    }
    resources->waypoint = false;
    resources->pulsed = resources->instrumentation;
}

/* What sets or pulses one makes it active in this cycle whatever else is executed in it; a clear
 * shows from the next one on (table 3-12). */
void cairn_etm_resources_hint(struct cairn_etm_resources *resources, unsigned hint)
{
    const uint8_t bit = (uint8_t)(1u << (hint & HINT_RESOURCE));

    switch (hint >> 2) {
    case HINT_SET:
        resources->instrumentation |= bit;
        resources->pulsed |= bit;
        break;
    case HINT_CLEAR: resources->instrumentation &= (uint8_t)~bit; break;
    case HINT_PULSE:
        resources->instrumentation &= (uint8_t)~bit;
        resources->pulsed |= bit;
        break;
    default: break; /* not for trace */
    }
}

/* --- TraceEnable --- */

/* 3.3.3: a run with a start or stop point is traced to its end; what holds behind it is the stop.
 */
static bool start_or_stop(struct cairn_etm_resources *r)
{
    const uint32_t points = value(r, CAIRN_ETM_ETMTSSCR);
    bool starts = false, stops = false;
    bool active;

    for (unsigned i = 0; i < CAIRN_ETM_ADDRESSES; i++) {
        const bool start = points >> i & 1, stop = points >> (i + TSSCR_STOP) & 1;

        if ((start || stop) && single_is_active(r, i)) {
            starts |= start;
            stops |= stop;
        }
    }
    active = r->start_stop || starts;
    r->start_stop = active && !stops;
    return active;
}

static bool includes(const struct cairn_etm_resources *r)
{
    const uint32_t control = value(r, CAIRN_ETM_ETMTECR1);
    const bool excludes = (control & TECR1_EXCLUDE) != 0;

    for (unsigned i = 0; i < CAIRN_ETM_PAIRS; i++) {
        if (!(control & TECR1_RANGES & 1u << i) || !has_pair(r, i))
            continue;
        if (excludes ? cairn_etm_range_holds(r->registers, i, &r->run)
                     : cairn_etm_range_touches(r->registers, i, &r->run))
            return !excludes;
    }
    return excludes;
}

/* The terms of TraceEnable that are low. */
static uint32_t low_terms(const struct cairn_etm_resources *r, bool active)
{
    const uint32_t control = value(r, CAIRN_ETM_ETMTECR1);
    uint32_t why = 0;

    if (!cairn_etm_event(r, value(r, CAIRN_ETM_ETMTEEVR)))
        why |= CAIRN_UNIT_WHY_EVENT;
    if (!active && (control & TECR1_START_STOP))
        why |= CAIRN_UNIT_WHY_START_STOP;
    if (!includes(r))
        why |= control & TECR1_EXCLUDE ? CAIRN_UNIT_WHY_EXCLUDE : CAIRN_UNIT_WHY_INCLUDE;
    return why;
}

bool cairn_etm_resources_compare(struct cairn_etm_resources *resources,
                                 const struct cairn_etm_run *run)
{
    bool active, stopped, enabled;

    resources->run = *run;
    resources->waypoint = true;
    resources->observed = true;
    active = start_or_stop(resources);
    stopped = !resources->start_stop;
    resources->start_stop = active; /* for the run itself */
    enabled = cairn_etm_event(resources, value(resources, CAIRN_ETM_ETMTEEVR)) &&
              (active || !(value(resources, CAIRN_ETM_ETMTECR1) & TECR1_START_STOP)) &&
              includes(resources);
    if (resources->explains)
        resources->low = low_terms(resources, active);
    resources->start_stop = !stopped;
    return enabled;
}

bool cairn_etm_traces_all(const struct cairn_etm_registers *registers)
{
    return registers->values[CAIRN_ETM_ETMTECR1] == TECR1_EXCLUDE &&
           registers->values[CAIRN_ETM_ETMTEEVR] == CAIRN_ETM_ALWAYS &&
           registers->values[CAIRN_ETM_ETMTSSCR] == 0;
}
