/* SPDX-License-Identifier: BSD-2-Clause */
/* Events, counters, sequencer, start/stop, TraceEnable, ViewData (IHI0014 2.2.3, 2.6, 3.6). */
#include "unit/etmv3/resources.h"

#include "unit/etmv3/comparators.h"

#define CYCLES_MAX 65536u /* more in one call leave counters and sequencer where these did */

/* Resource types, bits [6:4] of an identifier, and indexes (table 3-81). */
enum { SINGLE = 0, RANGE = 1, COUNTER = 4, STATES = 5, INPUTS = 6 };
enum { CONTEXT_ID_FIRST = 8, CONTEXT_ID_LAST = 10, START_STOP = 15 }; /* of STATES */
enum { NONSECURE = 13, PROHIBITED = 14, TRUE_ALWAYS = 15 };           /* of INPUTS */

/* ETMTECR1, ETMVDCR3 */
#define TECR1_EXCLUDES (1u << 24)
#define TECR1_START_STOP (1u << 25)
#define VDCR3_EXCLUDE_ONLY (1u << 16)

static uint32_t value(const struct cairn_etmv3_registers *registers, unsigned index)
{
    return registers->values[index];
}

static bool state_is_active(const struct cairn_etmv3_resources *r,
                            const struct cairn_etmv3_registers *registers, unsigned index)
{
    if (index < 3)
        return r->derived.sequencer == index;
    if (index >= CONTEXT_ID_FIRST && index <= CONTEXT_ID_LAST)
        return !r->prohibited &&
               cairn_etmv3_context_matches(registers, index - CONTEXT_ID_FIRST, &r->context);
    return index == START_STOP && r->start_stop;
}

static bool input_is_active(const struct cairn_etmv3_resources *r, unsigned index)
{
    switch (index) {
    case NONSECURE: return !r->prohibited && r->context.security != CAIRN_SECURE;
    case PROHIBITED: return r->prohibited;
    case TRUE_ALWAYS: return true;
    default: return index < 4 && !r->held && (r->inputs >> index & 1u);
    }
}

/* What a resource is looked up in. */
struct view {
    const struct cairn_etmv3_resources *resources;
    const struct cairn_etmv3_registers *registers;
};

static bool is_active(const void *context, unsigned identifier)
{
    const struct view *view = context;
    const struct cairn_etmv3_resources *r = view->resources;
    const unsigned index = identifier & 0xfu;

    switch (identifier >> 4 & 7u) {
    case SINGLE: return ((unsigned)(r->instruction_matches | r->data_matches) >> index) & 1u;
    case RANGE:
        return index < CAIRN_ETMV3_RANGES &&
               ((unsigned)(r->instruction_ranges | r->data_ranges) >> index & 1u);
    case COUNTER: return index < CAIRN_ETM_COUNTERS && r->derived.counters[index] == 0;
    case STATES: return state_is_active(r, view->registers, index);
    case INPUTS: return input_is_active(r, index);
    default: return false;
    }
}

bool cairn_etmv3_event(const struct cairn_etmv3_resources *resources,
                       const struct cairn_etmv3_registers *registers, uint32_t event)
{
    const struct view view = {resources, registers};

    return cairn_etm_function(event, is_active, &view);
}

static bool fires(const struct cairn_etmv3_resources *r,
                  const struct cairn_etmv3_registers *registers, unsigned index)
{
    return cairn_etmv3_event(r, registers, value(registers, index));
}

/* --- counters and the sequencer --- */

static struct cairn_etm_derived_program program_of(const struct cairn_etmv3_registers *registers)
{
    const uint32_t *values = registers->values;

    return (struct cairn_etm_derived_program){
        .reload_values = &values[CAIRN_ETMV3_REG_ETMCNTRLDVR],
        .enables = &values[CAIRN_ETMV3_REG_ETMCNTENR],
        .reloads = &values[CAIRN_ETMV3_REG_ETMCNTRLDEVR],
        .transitions = &values[CAIRN_ETMV3_REG_ETMSQ12EVR],
    };
}

static void step(struct cairn_etmv3_resources *r, const struct cairn_etmv3_registers *registers)
{
    const struct cairn_etm_derived_program program = program_of(registers);
    const struct view view = {r, registers};

    r->derived = cairn_etm_derived_next(&r->derived, &program, is_active, &view);
}

void cairn_etmv3_resources_reset(struct cairn_etmv3_resources *resources,
                                 const struct cairn_etmv3_registers *registers)
{
    const struct cairn_etm_derived_program program = program_of(registers);

    resources->instruction_matches = 0;
    resources->instruction_ranges = 0;
    resources->data_matches = 0;
    resources->data_ranges = 0;
    resources->start_stop = false;
    resources->triggered = false;
    resources->derived.sequencer = 0;
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++)
        resources->derived.counters[n] = (uint16_t)program.reload_values[n];
    resources->moves = cairn_etm_derived_moves(&program);
}

static bool is_moving(const struct cairn_etmv3_resources *resources)
{
    return resources->moves && !resources->held;
}

/* A start that matches wins over a stop (2.6.4). */
static void start_or_stop(struct cairn_etmv3_resources *r,
                          const struct cairn_etmv3_registers *registers, uint16_t matches)
{
    const uint32_t control = value(registers, CAIRN_ETMV3_REG_ETMTSSCR);

    if (control & matches)
        r->start_stop = true;
    else if (control >> 16 & matches)
        r->start_stop = false;
}

void cairn_etmv3_see_instruction(struct cairn_etmv3_resources *resources,
                                 const struct cairn_etmv3_registers *registers,
                                 const struct cairn_etmv3_instruction *instruction)
{
    resources->data_matches = 0;
    resources->instruction_matches = 0;
    resources->instruction_ranges = 0;
    if (!resources->prohibited) { /* there nothing matches (2.6.2) */
        resources->instruction_matches =
            cairn_etmv3_match_instruction(registers, instruction, &resources->context);
        resources->instruction_ranges =
            cairn_etmv3_match_instruction_ranges(registers, instruction, &resources->context);
    }
    start_or_stop(resources, registers, resources->instruction_matches);
    if (is_moving(resources))
        step(resources, registers);
}

void cairn_etmv3_see_transfer(struct cairn_etmv3_resources *resources,
                              const struct cairn_etmv3_registers *registers,
                              const struct cairn_unit_transfer *transfer)
{
    const uint16_t instruction = resources->instruction_matches;

    if (transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR) { /* no address: ranges end (2.7.9) */
        resources->data_matches = 0;
        resources->data_ranges = 0;
        return;
    }
    resources->data_matches = cairn_etmv3_match_transfer(registers, transfer, &resources->context);
    resources->data_ranges =
        cairn_etmv3_match_transfer_ranges(registers, transfer, &resources->context);
    start_or_stop(resources, registers, resources->data_matches);
    if (!is_moving(resources))
        return;
    resources->instruction_matches = 0; /* it has stepped for that already */
    step(resources, registers);
    resources->instruction_matches = instruction;
}

void cairn_etmv3_see_cycles(struct cairn_etmv3_resources *resources,
                            const struct cairn_etmv3_registers *registers, uint64_t cycles)
{
    if (!is_moving(resources))
        return;
    resources->instruction_matches = 0;
    resources->data_matches = 0;
    for (uint64_t i = 0; i < cycles && i < CYCLES_MAX; i++)
        step(resources, registers);
}

/* --- what they decide --- */

/* In the ranges, or at the addresses, that TraceEnable includes or excludes. */
static bool is_listed(const struct cairn_etmv3_resources *resources,
                      const struct cairn_etmv3_registers *registers)
{
    const uint32_t control = value(registers, CAIRN_ETMV3_REG_ETMTECR1);
    const uint32_t singles = value(registers, CAIRN_ETMV3_REG_ETMTECR2);
    const uint32_t ranges =
        control & (uint32_t)(resources->instruction_ranges | resources->data_ranges) & 0xffu;

    return ranges ||
           (singles & (uint32_t)(resources->instruction_matches | resources->data_matches));
}

bool cairn_etmv3_trace_enable(const struct cairn_etmv3_resources *resources,
                              const struct cairn_etmv3_registers *registers)
{
    const uint32_t control = value(registers, CAIRN_ETMV3_REG_ETMTECR1);

    if (resources->prohibited || !fires(resources, registers, CAIRN_ETMV3_REG_ETMTEEVR))
        return false;
    if ((control & TECR1_START_STOP) && !resources->start_stop)
        return false;
    return is_listed(resources, registers) != ((control & TECR1_EXCLUDES) != 0);
}

uint32_t cairn_etmv3_low_terms(const struct cairn_etmv3_resources *resources,
                               const struct cairn_etmv3_registers *registers)
{
    const uint32_t control = value(registers, CAIRN_ETMV3_REG_ETMTECR1);
    const bool excludes = (control & TECR1_EXCLUDES) != 0;
    uint32_t why = 0;

    if (resources->prohibited)
        return CAIRN_UNIT_WHY_PROHIBITED;
    if (!fires(resources, registers, CAIRN_ETMV3_REG_ETMTEEVR))
        why |= CAIRN_UNIT_WHY_EVENT;
    if ((control & TECR1_START_STOP) && !resources->start_stop)
        why |= CAIRN_UNIT_WHY_START_STOP;
    if (is_listed(resources, registers) == excludes)
        why |= excludes ? CAIRN_UNIT_WHY_EXCLUDE : CAIRN_UNIT_WHY_INCLUDE;
    return why;
}

bool cairn_etmv3_view_data(const struct cairn_etmv3_resources *resources,
                           const struct cairn_etmv3_registers *registers)
{
    const uint32_t singles = value(registers, CAIRN_ETMV3_REG_ETMVDCR1);
    const uint32_t ranges = value(registers, CAIRN_ETMV3_REG_ETMVDCR3);
    const uint32_t matches = (uint32_t)(resources->instruction_matches | resources->data_matches);
    const uint32_t in_ranges = (uint32_t)(resources->instruction_ranges | resources->data_ranges);

    if (!fires(resources, registers, CAIRN_ETMV3_REG_ETMVDEVR))
        return false;
    if ((singles >> 16 & matches) || (ranges >> 8 & 0xffu & in_ranges))
        return false;
    return (ranges & VDCR3_EXCLUDE_ONLY) || (singles & 0xffffu & matches) ||
           (ranges & 0xffu & in_ranges);
}
