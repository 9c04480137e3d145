/* SPDX-License-Identifier: BSD-2-Clause */
/* From resources through resource selectors to resource events, and to what these move: one clock
 * (DDI0608 D7.1 to D7.3, D7.7, D7.8). Pure functions; clocks.c says when. */
#ifndef CAIRN_UNIT_ETMV4_RESOURCES_H
#define CAIRN_UNIT_ETMV4_RESOURCES_H

#include "unit/etmv4/counters.h"
#include "unit/etmv4/registers.h"

/* Resource events are bits of a word. */
#define CAIRN_EVENT_ETE 0u        /* 0 to 3: TRCEVENTCTL0R */
#define CAIRN_EVENT_DECREMENT 4u  /* 4 to 7: TRCCNTCTLR.CNTEVENT */
#define CAIRN_EVENT_RELOAD 8u     /* 8 to 11: TRCCNTCTLR.RLDEVENT */
#define CAIRN_EVENT_FORWARD 12u   /* 12 to 14: TRCSEQEVR.F */
#define CAIRN_EVENT_BACKWARD 15u  /* 15 to 17: TRCSEQEVR.B */
#define CAIRN_EVENT_RESET 18u     /* TRCSEQRSTEVR */
#define CAIRN_EVENT_TIMESTAMP 19u /* TRCTSCTLR */
#define CAIRN_EVENT_KINDS 20u

/* What is connected to what, in the order a clock asks. Made once the unit is programmed. */
struct cairn_resource_logic {
    struct cairn_resource_selector {
        uint32_t events; /* that it alone is selected by */
        uint16_t select; /* of its group */
        uint8_t group;
        uint8_t number; /* 2 and above */
        bool inverted;
    } selectors[CAIRN_UNIT_SELECTORS];
    struct cairn_resource_pair {
        uint32_t events;
        uint8_t lower; /* selector; with the next one */
        bool inverted;
    } pairs[CAIRN_EVENT_KINDS];
    uint32_t selector_count, pair_count;
    uint32_t events_of_true;       /* that selector 1 is selected by */
    bool any;                      /* some event is not always FALSE */
    bool moves;                    /* some counter, or the sequencer, can */
    uint8_t observed;              /* of group 2: those that move something, or are asked for */
    uint16_t wanted[CAIRN_GROUPS]; /* resources that these or single-shots look at */
};

/* `reported`: the ETEEvents that somebody sees. `timestamps`: so is the timestamp's event. */
void cairn_resources_connect(struct cairn_resource_logic *logic,
                             const struct cairn_unit_program *program, unsigned reported,
                             bool timestamps);

/* The resources in a clock, as the resource selectors see them. */
struct cairn_resource_lines {
    uint16_t high[CAIRN_GROUPS]; /* bit n: resource n of the group */
    bool running;                /* selector 1 (R_SXSQT) */
};

/* What a clock leaves to the next one. */
struct cairn_resource_state {
    struct cairn_counters counters;
    uint8_t sequencer; /* TRCSEQSTR.STATE */
    uint8_t derived;   /* group 2: CounterAtZero, SequencerState */
};

/* Which resource events are active. */
uint32_t cairn_resources_events(const struct cairn_resource_logic *logic,
                                const struct cairn_resource_lines *lines);

/* Moves counters and the sequencer by these. Returns the counters that reloaded or reached zero. */
uint8_t cairn_resources_move(struct cairn_resource_state *state,
                             const struct cairn_unit_program *program, uint32_t events);

/* `derived` when the unit becomes enabled: nothing has moved yet. */
void cairn_resources_begin(struct cairn_resource_state *state,
                           const struct cairn_unit_program *program);

static inline struct cairn_counter_events cairn_resources_counter_events(uint32_t events)
{
    return (struct cairn_counter_events){.decrement = events >> CAIRN_EVENT_DECREMENT & 0xfu,
                                         .reload = events >> CAIRN_EVENT_RELOAD & 0xfu};
}

#endif
