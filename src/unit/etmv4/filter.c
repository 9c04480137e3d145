/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparator signals a match when any byte of the block's instructions is at its address: where
 * that is not an instruction's lowest byte it is the unit's choice (I_JZXFJ, I_RPFWZ). */
#include "unit/etmv4/filter.h"

#define EL3 3u
#define CONTEXT_TYPE_CID 1u
#define CONTEXT_TYPE_VMID 2u

/* TRCRSCTLR */
#define SELECT(selector) ((selector)&0xffffu)
#define GROUP(selector) ((selector) >> 16 & 0xfu)
#define INV(selector) (((selector) >> 20 & 1u) != 0)
#define PAIRINV(selector) (((selector) >> 21 & 1u) != 0)

/* The bits of an EXLEVEL field that is there for each state leave Exception levels out. EL3 has its
 * bit among the Secure ones, in Root state as well (D6.16, D7.1). */
static bool is_left_out(const struct cairn_context *context, uint8_t secure, uint8_t nonsecure,
                        uint8_t realm)
{
    uint8_t levels = secure;
    if (context->EL != EL3 && context->security == CAIRN_NONSECURE)
        levels = nonsecure;
    else if (context->EL != EL3 && context->security == CAIRN_REALM)
        levels = realm;
    return ((unsigned)levels >> (context->EL & 3u) & 1u) != 0;
}

static bool cid_matches(const struct cairn_unit_program *program, unsigned n,
                        const struct cairn_context *context)
{
    return (((uint32_t)program->context_values[n] ^ context->context_id) &
            program->context_masks[n]) == 0;
}

static bool vmid_matches(const struct cairn_unit_program *program, unsigned n,
                         const struct cairn_context *context)
{
    return program->vmid_allowed &&
           (((uint32_t)program->vmid_values[n] ^ context->vmid) & program->vmid_masks[n]) == 0;
}

/* SAC_EL and SAC_CONTEXT (D7.1, D7.4); of a range those of its lower comparator. */
static bool condition_holds(const struct cairn_unit_program *program,
                            const struct cairn_unit_comparator *comparator,
                            const struct cairn_context *context)
{
    if (is_left_out(context, comparator->levels_secure, comparator->levels_nonsecure,
                    comparator->levels_realm))
        return false;
    if ((comparator->context_type & CONTEXT_TYPE_CID) &&
        !cid_matches(program, comparator->context & 7u, context))
        return false;
    return !(comparator->context_type & CONTEXT_TYPE_VMID) ||
           vmid_matches(program, comparator->context & 7u, context);
}

static bool sac_matches(const struct cairn_unit_program *program, unsigned n,
                        const struct cairn_filter_input *input)
{
    const struct cairn_unit_comparator *comparator = &program->comparators[n];
    const uint64_t alignment = input->block->isa == CAIRN_ISA_T32 ? 1 : 3;

    if (program->first_bytes && (comparator->address & alignment)) /* I_JZXFJ */
        return false;
    return comparator->address - input->block->address < input->block->size &&
           condition_holds(program, comparator, input->context);
}

/* Of the bytes `first` to `last`, is any inside the range of comparator n? */
static bool arc_touches(const struct cairn_unit_program *program, unsigned n, uint64_t first,
                        uint64_t last, const struct cairn_context *context)
{
    const struct cairn_unit_comparator *low = &program->comparators[2 * n];
    const struct cairn_unit_comparator *high = low + 1;
    return low->address <= last && first <= high->address && condition_holds(program, low, context);
}

static bool any_arc_touches(const struct cairn_unit_program *program, uint8_t ranges,
                            uint64_t first, uint64_t last, const struct cairn_context *context)
{
    for (uint32_t left = ranges; left != 0; left &= left - 1)
        if (arc_touches(program, (unsigned)__builtin_ctz(left), first, last, context))
            return true;
    return false;
}

static uint64_t last_byte(const struct cairn_block *block)
{
    return block->address + block->size - 1;
}

/* The lowest byte of the last instruction. */
static uint64_t last_instruction(const struct cairn_block *block)
{
    return block->address + block->size - (block->last_size ? block->last_size : 1u);
}

static bool any_arc_matches(const struct cairn_unit_program *program, uint8_t ranges,
                            const struct cairn_filter_input *input)
{
    return any_arc_touches(program, ranges, input->block->address, last_byte(input->block),
                           input->context);
}

/* One range covers the whole block: several that do so only together need not count (I_LBNVM). */
static bool any_arc_covers(const struct cairn_unit_program *program, uint8_t ranges,
                           const struct cairn_filter_input *input)
{
    for (uint32_t left = ranges; left != 0; left &= left - 1) {
        const struct cairn_unit_comparator *low =
            &program->comparators[2 * (unsigned)__builtin_ctz(left)];
        const struct cairn_unit_comparator *high = low + 1;
        if (low->address <= input->block->address &&
            last_instruction(input->block) <= high->address &&
            condition_holds(program, low, input->context))
            return true;
    }
    return false;
}

/* Whether resource n of a group is high. Comparators need a block to compare (R_BKQKQ). */
static bool resource_is_high(const struct cairn_unit_program *program, uint32_t group, unsigned n,
                             const struct cairn_filter_input *input)
{
    switch (group) {
    case CAIRN_GROUP_INPUTS: return (input->inputs >> n & 1u) != 0;
    case CAIRN_GROUP_DERIVED: return (input->derived >> n & 1u) != 0;
    case CAIRN_GROUP_SINGLE_SHOTS: return (input->single_shots >> n & 1u) != 0;
    default: break;
    }
    if (!input->block)
        return false;
    switch (group) {
    case CAIRN_GROUP_PES: return (input->pe_matches >> n & 1u) != 0;
    case CAIRN_GROUP_SACS: return sac_matches(program, n, input);
    case CAIRN_GROUP_ARCS: return any_arc_matches(program, (uint8_t)(1u << n), input);
    case CAIRN_GROUP_CIDS: return cid_matches(program, n & 7u, input->context);
    case CAIRN_GROUP_VMIDS: return vmid_matches(program, n & 7u, input->context);
    default: return false;
    }
}

void cairn_filter_match(const struct cairn_unit_program *program,
                        const struct cairn_filter_input *input, const uint16_t wanted[CAIRN_GROUPS],
                        uint16_t high[CAIRN_GROUPS])
{
    for (unsigned group = CAIRN_GROUP_SACS; group < CAIRN_GROUPS; group++) {
        unsigned matches = 0;

        for (uint32_t left = wanted[group]; left != 0; left &= left - 1) {
            const unsigned n = (unsigned)__builtin_ctz(left);

            matches |= (unsigned)resource_is_high(program, group, n, input) << n;
        }
        high[group] = (uint16_t)matches;
    }
}

/* A resource selector before INV: the OR of what it selects (R_HVNQG). */
static bool any_selected_is_high(const struct cairn_unit_program *program, uint32_t selector,
                                 const struct cairn_filter_input *input)
{
    for (uint32_t left = SELECT(selector); left != 0; left &= left - 1)
        if (resource_is_high(program, GROUP(selector), (unsigned)__builtin_ctz(left), input))
            return true;
    return false;
}

static bool selector_fires(const struct cairn_unit_program *program, unsigned n,
                           const struct cairn_filter_input *input)
{
    if (n < 2)
        return n == 1; /* R_NRSGN, R_SXSQT */
    if (n >= program->selector_count)
        return false;
    uint32_t selector = program->selectors[n];
    return any_selected_is_high(program, selector, input) != INV(selector);
}

bool cairn_filter_event(const struct cairn_unit_program *program,
                        struct cairn_unit_selection selection,
                        const struct cairn_filter_input *input)
{
    if (!selection.pair)
        return selector_fires(program, selection.select & 31u, input);
    unsigned lower = 2u * (selection.select & 15u);
    if (lower >= 2 && lower >= program->selector_count)
        return false;
    bool both = selector_fires(program, lower, input) && selector_fires(program, lower + 1, input);
    return both != PAIRINV(program->selectors[lower]);
}

/* The start/stop function (D6.17 to D6.23): whether the block is inside, and *active behind it. */
static bool start_stop(const struct cairn_unit_program *program,
                       const struct cairn_filter_input *input, bool *active)
{
    bool inside = *active;
    bool next = *active;
    bool found = false;
    uint64_t last = 0; /* offset of the last point found in the block */
    for (uint32_t left = (uint32_t)program->start | program->stop; left != 0; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctz(left);
        if (!sac_matches(program, n, input))
            continue;
        bool stops = (program->stop >> n & 1u) != 0;
        inside |= (program->start >> n & 1u) != 0;
        /* The order of addresses, whichever order the comparators have: the last point decides. At
         * one address stop comes after start, as in the equations. */
        uint64_t offset = program->comparators[n].address - input->block->address;
        if (found && (offset < last || (offset == last && !next)))
            continue;
        found = true;
        next = !stops;
        last = offset;
    }
    /* Where in the block a PE comparator matched is not known: a stop wins. */
    if (input->pe_matches & program->pe_start) {
        inside = true;
        next |= !found;
    }
    if (input->pe_matches & program->pe_stop)
        next = false;
    *active = next;
    return inside;
}

/* The include/exclude function over a whole block (D6.24 to D6.26, D6.8.3.1). */
static bool is_included(const struct cairn_unit_program *program,
                        const struct cairn_filter_input *input)
{
    return program->include == 0 || any_arc_matches(program, program->include, input);
}

static bool is_excluded(const struct cairn_unit_program *program,
                        const struct cairn_filter_input *input)
{
    return program->exclude != 0 && any_arc_covers(program, program->exclude, input);
}

static bool is_level_viewed(const struct cairn_unit_program *program,
                            const struct cairn_filter_input *input)
{
    return !is_left_out(input->context, program->levels_secure, program->levels_nonsecure,
                        program->levels_realm);
}

bool cairn_filter_view(const struct cairn_unit_program *program,
                       const struct cairn_filter_input *input, bool *active)
{
    /* The start/stop function goes on whatever the other terms are. */
    bool inside = *active;
    if (program->start | program->stop | program->pe_start | program->pe_stop)
        inside = start_stop(program, input, active);
    return inside && is_level_viewed(program, input) && is_included(program, input) &&
           !is_excluded(program, input) && cairn_filter_event(program, program->view_event, input);
}

uint32_t cairn_filter_terms(const struct cairn_unit_program *program,
                            const struct cairn_filter_input *input, bool active)
{
    bool inside = active;
    uint32_t why = 0;

    if (program->start | program->stop | program->pe_start | program->pe_stop)
        inside = start_stop(program, input, &active);
    why |= inside ? 0 : CAIRN_UNIT_WHY_START_STOP;
    why |= is_level_viewed(program, input) ? 0 : CAIRN_UNIT_WHY_LEVEL;
    why |= is_included(program, input) ? 0 : CAIRN_UNIT_WHY_INCLUDE;
    why |= is_excluded(program, input) ? CAIRN_UNIT_WHY_EXCLUDE : 0;
    why |= cairn_filter_event(program, program->view_event, input) ? 0 : CAIRN_UNIT_WHY_EVENT;
    return why;
}

bool cairn_filter_broadcasts(const struct cairn_unit_program *program,
                             const struct cairn_filter_input *input)
{
    if (!program->branch_broadcast)
        return false;
    /* D6.10.1 speaks of instructions, not of blocks. */
    return any_arc_touches(program, program->broadcast_ranges, last_instruction(input->block),
                           last_byte(input->block), input->context) == program->broadcast_includes;
}

bool cairn_filter_allows_q(const struct cairn_unit_program *program,
                           const struct cairn_filter_input *input)
{
    if (program->q == 0)
        return false;
    /* One instruction where it is permitted is enough (R_RBPJF). */
    if (program->q_includes)
        return any_arc_matches(program, program->q_ranges, input);
    return !any_arc_covers(program, program->q_ranges, input);
}
