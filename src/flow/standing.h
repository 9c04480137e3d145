/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a decoder stands between two packets, of which nothing behind can change what was before:
 * all that what follows depends on. It can be guessed from the bytes alone behind a
 * synchronisation, and then another decoder goes on from there. */
#ifndef CAIRN_FLOW_STANDING_H
#define CAIRN_FLOW_STANDING_H

#include "flow/engine.h"
#include "flow/returnstack.h"

struct cairn_standing {
    uint64_t offset; /* in the source */
    struct cairn_reader_place place;
    uint64_t address;
    uint64_t lost_at;
    uint64_t total_cycles;
    enum cairn_account lost;
    unsigned from; /* enum cairn_address_from */
    uint8_t sub_isa;
    bool address_known;
    bool context_known;
    bool awaiting_target;
    bool context_reported;
    bool clear_stack;
    bool discontinuity;
    bool half;
    bool source_isa_told;
    struct cairn_context context;
    struct cairn_context reported;
    unsigned depth; /* of the return stack; `entries` from the oldest on */
    unsigned stale;
    uint64_t entries[CAIRN_RETURN_STACK_DEPTH];
};

/* What an engine has that stands so, at `position` of its data. False: it does not, and what is
 * there is nobody's. */
bool cairn_standing_take(struct cairn_engine *engine, size_t position,
                         struct cairn_standing *standing);

/* Makes an engine stand so. */
void cairn_standing_put(const struct cairn_standing *standing, struct cairn_engine *engine);

/* True when both lead to the same flow, but for cycles counted so far and for a discontinuity that
 * was noted and not told yet. */
bool cairn_standing_same(const struct cairn_standing *a, const struct cairn_standing *b);

/* Where decoding will stand soon behind the synchronisation at data[at], if a context and an address
 * are on the way there. `scout` is an engine for nothing else; data[0] is at source offset
 * `origin`. */
cairn_status cairn_standing_guess(struct cairn_engine *scout, const uint8_t *data, size_t size,
                                  size_t at, uint64_t origin, struct cairn_standing *standing,
                                  bool *found);

#endif
