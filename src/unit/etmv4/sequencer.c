/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etmv4/sequencer.h"

#define STATES 4u

/* txn<from>[to] of SequencerTransitions (D7.8.1.2), with the terms in the order they have there. */
static bool moves(unsigned from, unsigned to, struct cairn_sequencer_events events)
{
    const bool F0 = events.forward & 1u, F1 = events.forward & 2u, F2 = events.forward & 4u;
    const bool B0 = events.backward & 1u, B1 = events.backward & 2u, B2 = events.backward & 4u;

    switch (from * STATES + to) {
    case 0 * STATES + 1: return F0 && !F1;
    case 0 * STATES + 2: return F0 && F1 && !F2;
    case 0 * STATES + 3: return F0 && F1 && F2;
    case 1 * STATES + 0: return B0 && !F0 && !F1;
    case 1 * STATES + 1: return (!B0 || F0) && !F1;
    case 1 * STATES + 2: return F1 && !F2;
    case 1 * STATES + 3: return F1 && F2;
    case 2 * STATES + 0: return B0 && !F0 && B1 && !F1 && !F2;
    case 2 * STATES + 1: return (!B0 || F0) && B1 && !F1 && !F2;
    case 2 * STATES + 2: return (!B1 || F1) && !F2;
    case 2 * STATES + 3: return F2;
    case 3 * STATES + 0: return B0 && !F0 && B1 && !F1 && B2 && !F2;
    case 3 * STATES + 1: return (!B0 || F0) && B1 && !F1 && B2 && !F2;
    case 3 * STATES + 2: return (!B1 || F1) && B2 && !F2;
    case 3 * STATES + 3: return !B2 || F2;
    default: return false; /* state 0 stays where nothing moves it */
    }
}

/* SequencerResource (D7.8.1.3): the state, and those that are passed through on the way. */
static uint8_t passed(unsigned from, unsigned to)
{
    unsigned states = 1u << from;

    for (unsigned n = from; n + 1 < to; n++)
        states |= 1u << (n + 1);
    for (unsigned n = from; n > to + 1; n--)
        states |= 1u << (n - 1);
    return (uint8_t)states;
}

uint8_t cairn_sequencer_evaluate(uint8_t *state, struct cairn_sequencer_events events)
{
    const unsigned from = *state & (STATES - 1);
    unsigned to = from;

    if (!events.forward && !events.backward && !events.reset) /* by all the terms: it stays */
        return (uint8_t)(1u << from);
    if (events.reset) { /* before all others, and it passes through nothing (R_KVSXC, R_HQHFT) */
        *state = 0;
        return (uint8_t)(1u << from);
    }
    for (unsigned n = 0; n < STATES; n++)
        if (moves(from, n, events))
            to = n;
    *state = (uint8_t)to;
    return passed(from, to);
}
