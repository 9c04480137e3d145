/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequencer (DDI0608 D7.8): a pure function of its state and the resource events of a clock. */
#ifndef CAIRN_UNIT_ETMV4_SEQUENCER_H
#define CAIRN_UNIT_ETMV4_SEQUENCER_H

#include <stdbool.h>
#include <stdint.h>

/* Bit n: TRCSEQEVR<n>.F or .B is active; TRCSEQRSTEVR. */
struct cairn_sequencer_events {
    uint8_t forward;
    uint8_t backward;
    bool reset;
};

/* EvalSequencer (D7.8.1.1): one clock. `*state` is TRCSEQSTR.STATE, 0 to 3. Bit n of what it
 * returns: SequencerState[n]. */
uint8_t cairn_sequencer_evaluate(uint8_t *state, struct cairn_sequencer_events events);

#endif
