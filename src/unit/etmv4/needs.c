/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace unit looks at of what a feed could tell (cairn_unit_needs). */
#include <string.h>

#include "unit/etmv4/core.h"

static bool compares_addresses(const struct cairn_unit_program *program,
                               const struct cairn_resource_logic *logic)
{
    return logic->wanted[CAIRN_GROUP_SACS] || logic->wanted[CAIRN_GROUP_ARCS] || program->include ||
           program->exclude || program->start || program->stop ||
           (program->branch_broadcast && program->broadcast_ranges) ||
           (program->q && program->q_ranges);
}

static bool has_levels(const struct cairn_unit_program *program)
{
    if (program->levels_secure || program->levels_nonsecure || program->levels_realm)
        return true;
    for (unsigned n = 0; n < CAIRN_UNIT_SACS; n++) {
        const struct cairn_unit_comparator *comparator = &program->comparators[n];

        if (comparator->context_type || comparator->levels_secure || comparator->levels_nonsecure ||
            comparator->levels_realm)
            return true;
    }
    return false;
}

/* External inputs, and those of PE comparators. */
static bool looks_at_inputs(const struct cairn_unit_program *program,
                            const struct cairn_resource_logic *logic)
{
    unsigned pes = program->pe_start | program->pe_stop | logic->wanted[CAIRN_GROUP_PES];

    for (unsigned n = 0; n < CAIRN_UNIT_SSCS; n++)
        pes |= program->single_shots[n].pes;
    return pes || logic->wanted[CAIRN_GROUP_INPUTS];
}

/* What ViewInst asks for is no event of a clock, and as good as one here. */
static void connect(struct cairn_resource_logic *logic, const struct cairn_unit_program *program,
                    bool outputs)
{
    struct cairn_resource_logic view;
    struct cairn_unit_program asks = {.view_event = program->view_event};

    cairn_resources_connect(logic, program, outputs ? 0xfu : program->events_traced,
                            program->timestamps);
    memcpy(asks.selectors, program->selectors, sizeof asks.selectors);
    asks.selector_count = program->selector_count;
    asks.events[0] = program->view_event;
    cairn_resources_connect(&view, &asks, 1, false);
    for (unsigned group = 0; group < CAIRN_GROUPS; group++)
        logic->wanted[group] |= view.wanted[group];
}

uint32_t cairn_etmv4_unit_needs(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    struct cairn_unit_program program;
    struct cairn_resource_logic logic;
    uint32_t needs = 0;

    cairn_unit_program_read(&unit->registers, &program);
    connect(&logic, &program, unit->outputs != NULL);
    /* An input is one of its clock: cycles part it from the block behind (R_SRMMD). */
    if (program.cycle_counting || unit->fifo_bytes > 0 || logic.any || program.shots_used != 0 ||
        looks_at_inputs(&program, &logic))
        needs |= CAIRN_UNIT_NEEDS_CYCLES;
    if (program.timestamps)
        needs |= CAIRN_UNIT_NEEDS_TIME;
    if (program.context_id || program.vmid || has_levels(&program) ||
        logic.wanted[CAIRN_GROUP_CIDS] || logic.wanted[CAIRN_GROUP_VMIDS])
        needs |= CAIRN_UNIT_NEEDS_CONTEXT;
    if (compares_addresses(&program, &logic))
        needs |= CAIRN_UNIT_NEEDS_ADDRESSES;
    if (looks_at_inputs(&program, &logic))
        needs |= CAIRN_UNIT_NEEDS_PMU_EVENTS;
    return needs;
}
