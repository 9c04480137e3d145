/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds that clocks in which nothing is told repeat themselves, so that 2^40 of them need no loop.
 *
 * From one clock to the next only counters, the sequencer and their resources change. If they are,
 * some clocks later, what they were, but for counters that have done nothing else than count down
 * and have not reached zero, then the clocks in between come again, until one of those is about to
 * reach zero. Counters are nested that way: those that go round fast, within those that are slower.
 * So the states are compared when a counter goes round, each counter having a mark of its own. */
#ifndef CAIRN_UNIT_ETMV4_PERIODS_H
#define CAIRN_UNIT_ETMV4_PERIODS_H

#include "unit/etmv4/resources.h"

struct cairn_periods {
    struct cairn_period_mark {
        struct cairn_resource_state state;
        uint32_t changes[CAIRN_UNIT_COUNTERS];
        uint64_t left;
        uint32_t seen;
        uint32_t laps;                     /* compared with so often */
        uint32_t limit;                    /* then a new one is set; 0: there is none */
    } marks[CAIRN_UNIT_COUNTERS + 1];      /* the last one is of the sequencer */
    uint32_t changes[CAIRN_UNIT_COUNTERS]; /* how often each reloaded or reached zero */
};

/* A clock has ended, in which `changed` counters reloaded or reached zero. `seen`: how many clocks
 * had something that somebody is told of: those are not skipped. Of the `left` clocks that are to
 * come, moves `state` by as many as repeat what was; returns how many. */
uint64_t cairn_periods_skip(struct cairn_periods *periods, struct cairn_resource_state *state,
                            uint8_t changed, uint32_t seen, uint64_t left);

#endif
