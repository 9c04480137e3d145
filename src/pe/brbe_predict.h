/* SPDX-License-Identifier: BSD-2-Clause */
/* A small branch predictor, for hosts that have none: how prediction is done is IMPLEMENTATION DEFINED
 * (DDI0608 F1.1.3). Directions by two-bit counters, targets by a table of the last ones, returns by a
 * stack. */
#ifndef CAIRN_PE_BRBE_PREDICT_H
#define CAIRN_PE_BRBE_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_BRBE_COUNTERS 1024u
#define CAIRN_BRBE_TARGETS 256u
#define CAIRN_BRBE_RETURNS 16u

struct cairn_brbe_predictor {
    uint8_t counters[CAIRN_BRBE_COUNTERS]; /* 2 and 3: taken */
    struct {
        uint64_t source, target;
        bool known;
    } targets[CAIRN_BRBE_TARGETS];
    uint64_t returns[CAIRN_BRBE_RETURNS]; /* a ring */
    uint32_t top;
    uint32_t depth;
};

/* Predicts a branch of this enum cairn_branch_type, learns what it did, and returns whether it was
 * incorrectly predicted (R_LRBGV): the direction of a conditional one, or the target of one that is taken,
 * was wrong, or nothing was known of the target. */
bool cairn_brbe_mispredicts(struct cairn_brbe_predictor *predictor, unsigned type, uint64_t source,
                            bool taken, uint64_t target);

#endif
