/* SPDX-License-Identifier: BSD-2-Clause */
/* What may happen to a Trace Buffer Unit, in any order, to three of them: the byte loop, blocks, and blocks
 * with each offer cut into pieces. All that can be seen of them has to be the same. */
#ifndef CAIRN_TESTS_PE_TRBE_HISTORY_H
#define CAIRN_TESTS_PE_TRBE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decisions: the bytes of an input, zeros behind its end; or, with no bytes, random ones. */
struct history_source {
    const uint8_t *at;
    size_t left;
    uint64_t random;
    bool is_random;
};

/* What a history has had: most of the rules are met in some. */
enum history_deed {
    HISTORY_FULL,
    HISTORY_WRAPPED,
    HISTORY_TRIGGERED,
    HISTORY_STOPPED_BY_TRIGGER,
    HISTORY_FULL_WHILE_FLUSHED,
    HISTORY_FAULT,
    HISTORY_ABORT,
    HISTORY_SYSTEM_ERROR,
    HISTORY_OUT_OF_RANGE,
    HISTORY_MISALIGNED,
    HISTORY_REJECTED,
    HISTORY_PASSED_ON,
    HISTORY_RESTARTED,
    HISTORY_DEEDS,
};
extern const char *const history_deeds[HISTORY_DEEDS];

/* Runs one; NULL, or what the three differ in. Deeds, a bit each, are added. It ends when the source does, or
 * after `steps`. */
const char *history_run(struct history_source *source, unsigned steps, uint32_t *deeds);

#endif
