/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

enum {
    ACATR_EXLEVEL_S = 8,
    ACATR_EXLEVEL_NS = 12,
};

static bool is_secure(const struct cairn_context *context)
{
    return context->security == CAIRN_SECURE || context->EL == 3;
}

/* D6.16 */
static bool level_is_viewed(const struct trip_options *o, const struct cairn_context *context)
{
    const unsigned levels = is_secure(context) ? o->levels_secure : o->levels_nonsecure;

    return !(levels >> context->EL & 1);
}

/* D7.1: the comparator matches at this Exception level. */
static bool level_matches(const struct trip_options *o, unsigned comparator,
                          const struct cairn_context *context)
{
    const unsigned from = is_secure(context) ? ACATR_EXLEVEL_S : ACATR_EXLEVEL_NS;

    return !(o->levels_of[comparator] >> from >> context->EL & 1);
}

/* D6.20, D6.21 */
static bool is_point(const struct trip_options *o, unsigned points, uint64_t address,
                     const struct cairn_context *context)
{
    for (unsigned i = 0; i < TRIP_COMPARATORS; i++)
        if ((points >> i & 1) && o->comparators[i] == address && level_matches(o, i, context))
            return true;
    return false;
}

static bool in_range(const struct trip_options *o, unsigned ranges, uint64_t address,
                     const struct cairn_context *context)
{
    for (unsigned i = 0; i < TRIP_RANGES; i++)
        if ((ranges >> i & 1) && address >= o->comparators[2 * i] &&
            address <= o->comparators[2 * i + 1] && level_matches(o, 2 * i, context))
            return true;
    return false;
}

bool trip_view(const struct trip_options *o, const struct trip_program *program,
               const struct trip_step *block, const struct cairn_context *context, uint32_t inputs,
               bool *active)
{
    bool started = *active;
    bool included = false;

    for (uint32_t i = 0; i < block->count; i++) {
        const uint64_t address = trip_op(program, block->first + i)->address;

        if (is_point(o, o->start, address, context))
            started = *active = true;
        if (is_point(o, o->stop, address, context))
            *active = false;
        if ((!o->include || in_range(o, o->include, address, context)) &&
            !in_range(o, o->exclude, address, context))
            included = true;
    }
    return started && included && level_is_viewed(o, context) &&
           (!o->view_inputs || ((inputs & o->view_inputs) != 0) != o->view_inverted);
}
