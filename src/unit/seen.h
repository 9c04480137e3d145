/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit that has an observer tells it: which instructions are traced, and why others are not. */
#ifndef CAIRN_UNIT_SEEN_H
#define CAIRN_UNIT_SEEN_H

#include <stdbool.h>

#include <cairn/unit.h>

struct cairn_unit_sight {
    cairn_unit_observe *observe; /* NULL: nobody asks */
    void *context;
    bool waits; /* `seen` is traced if something ends it */
    struct cairn_unit_seen seen;
};

/* Instructions of a block. */
struct cairn_unit_seen cairn_unit_seen_block(const struct cairn_block *block,
                                             const struct cairn_context *context);

/* Tells, what waits first. `sight` has an observer. */
void cairn_unit_see(struct cairn_unit_sight *sight, struct cairn_unit_seen seen, bool traced,
                    uint32_t why);
/* The same of instructions that are in the trace only if something behind them ends them. */
void cairn_unit_see_open(struct cairn_unit_sight *sight, struct cairn_unit_seen seen, uint32_t why);
/* Something has, or nothing will any more. An observer need not be there. */
void cairn_unit_see_end(struct cairn_unit_sight *sight);
void cairn_unit_see_cut(struct cairn_unit_sight *sight);

#endif
