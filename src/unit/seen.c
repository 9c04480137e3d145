/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/seen.h"

struct cairn_unit_seen cairn_unit_seen_block(const struct cairn_block *block,
                                             const struct cairn_context *context)
{
    return (struct cairn_unit_seen){
        .size = sizeof(struct cairn_unit_seen),
        .address = block->address,
        .end = block->address + block->size,
        .instructions = block->count > 0 ? block->count : 1,
        .isa = block->isa,
        .context = *context,
    };
}

static void tell(struct cairn_unit_sight *sight, struct cairn_unit_seen *seen, bool traced,
                 uint32_t why)
{
    seen->traced = traced;
    seen->why |= why;
    sight->observe(sight->context, seen);
}

void cairn_unit_see_end(struct cairn_unit_sight *sight)
{
    if (sight->waits)
        tell(sight, &sight->seen, true, 0);
    sight->waits = false;
}

void cairn_unit_see_cut(struct cairn_unit_sight *sight)
{
    if (sight->waits)
        tell(sight, &sight->seen, false, CAIRN_UNIT_WHY_CUT);
    sight->waits = false;
}

void cairn_unit_see(struct cairn_unit_sight *sight, struct cairn_unit_seen seen, bool traced,
                    uint32_t why)
{
    cairn_unit_see_end(sight);
    tell(sight, &seen, traced, why);
}

/* Of several blocks without a P0 instruction each begins where the one before it ends. */
void cairn_unit_see_open(struct cairn_unit_sight *sight, struct cairn_unit_seen seen, uint32_t why)
{
    if (sight->waits && sight->seen.why == why) {
        sight->seen.end = seen.end;
        sight->seen.instructions += seen.instructions;
        return;
    }
    cairn_unit_see_end(sight);
    sight->seen = seen;
    sight->seen.why = why;
    sight->waits = true;
}

const char *cairn_unit_why_name(uint32_t why)
{
    static const char *const names[] = {
        "disabled",        "prohibited", "debug state", "overflow", "no packets", "start/stop",
        "exception level", "include",    "exclude",     "event",    "waiting",    "cut",
    };
    const unsigned bit = why ? (unsigned)__builtin_ctz(why) : (unsigned)(sizeof names);

    return bit < sizeof names / sizeof *names ? names[bit] : "?";
}
