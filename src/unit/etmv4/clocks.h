/* SPDX-License-Identifier: BSD-2-Clause */
/* The resources of a unit, and the clock they live by: DDI0608 D7.1, D7.9 to D7.11. */
#ifndef CAIRN_UNIT_ETMV4_CLOCKS_H
#define CAIRN_UNIT_ETMV4_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etmv4/resources.h"

struct cairn_etmv4_unit;

/* The resources (DDI0608 D7.1), and what was told in the present clock. */
struct cairn_unit_clock {
    struct cairn_resource_logic logic; /* valid while enabled */
    struct cairn_resource_state state;
    bool in_use;         /* something depends on clocks */
    bool runs_alone;     /* on nothing else: what blocks and inputs are is not asked */
    bool running;        /* not Paused */
    uint8_t fired;       /* TRCSSCSR.STATUS */
    uint8_t pending;     /* TRCSSCSR.PENDING */
    uint8_t kept_inputs; /* TRCRSR.EXTIN */
    uint8_t kept_events; /* TRCRSR.EVENT */
    uint8_t given_up; /* single-shots that matched in what is not kept for a Cancel any more ... */
    uint64_t given_up_until; /* ... before this mark */

    uint64_t cut;    /* clocks that ended without a cycle: the next block was told */
    uint64_t blocks; /* struct cairn_unit_counters.blocks when it began */
    bool has_block;
    bool told; /* something was, that counts */
    bool timestamp_asked;
    uint8_t inputs;                    /* besides those whose level is high */
    uint8_t events;                    /* ETEEvents */
    struct cairn_resource_lines lines; /* matches of the block, and single-shots that fire */
};

/* --- clocks.c --- */

/* Before a block is observed: a clock that has one already ends. */
void cairn_unit_clock_block(struct cairn_etmv4_unit *unit);
/* The block is executed: what it matches is high in the present clock. */
void cairn_unit_clock_match(struct cairn_etmv4_unit *unit, const struct cairn_block *block);
/* The unit becomes enabled, with this state in its registers; and the state that it has. */
void cairn_unit_begin_resources(struct cairn_etmv4_unit *unit,
                                const struct cairn_unit_state *state);
void cairn_unit_resource_state(const struct cairn_etmv4_unit *unit, struct cairn_unit_state *state);
/* The resources run no longer (D7.1.2): before anything else happens. */
void cairn_unit_pause_resources(struct cairn_etmv4_unit *unit);
/* They may run again: what they saw while they were paused is active now (D7.9.2, D7.10.1, D7.11.1).
 */
void cairn_unit_resume_resources(struct cairn_etmv4_unit *unit);
/* --- singleshot.c --- */

/* An observation of these matches is as good as executed: it fires, or waits until it is resolved. */
void cairn_unit_shots_executed(struct cairn_etmv4_unit *unit, unsigned matches);
/* Single-shot comparators fire, or are PENDING. */
void cairn_unit_shots_fire(struct cairn_etmv4_unit *unit, unsigned matches);
/* Everything before the mark is executed; called before that is forgotten. */
void cairn_unit_shots_resolve(struct cairn_etmv4_unit *unit, uint64_t mark);
/* What is saved is given up, or the unit becomes disabled: then nothing of it fires any more. */
void cairn_unit_shots_give_up(struct cairn_etmv4_unit *unit);
void cairn_unit_shots_forget(struct cairn_etmv4_unit *unit);

#endif
