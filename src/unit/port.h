/* SPDX-License-Identifier: BSD-2-Clause */
/* The port of a trace unit, which takes what it can of the bytes that wait, and the time that the
 * PE has to wait for it. Bytes that are taken stay at the beginning of the unit's buffer until their
 * space is wanted. */
#ifndef CAIRN_UNIT_PORT_H
#define CAIRN_UNIT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/encoder.h"

#define CAIRN_PORT_MARGIN 64u /* room in a buffer without which nothing more is generated */

struct cairn_unit_taker {
    cairn_unit_port *port; /* NULL: there is a sink, or nobody */
    void *context;
    uint64_t waited;  /* cycles that the PE was stalled since a byte left last */
    uint64_t stalled; /* all such cycles */
};

/* Offers `size` bytes, `cycles` after the last time; none where no cycle has passed. Returns how many were taken: all of them where
 * *status says that nobody gets any more, because the port took more than it was offered. */
size_t cairn_unit_taker_offer(struct cairn_unit_taker *taker, const uint8_t *bytes, size_t size,
                              uint64_t cycles, cairn_status *status);

/* Makes space for a call of the encoder: what was taken, the first `taken` bytes, goes, or the
 * buffer grows. Returns how many bytes have gone: all of them when there is no memory, and *status
 * says so. */
size_t cairn_unit_taker_make_space(struct cairn_encoder_out *out, size_t taken,
                                   cairn_status *status);

/* Whether the PE may be stalled: not when it has been for too long (R_NVKXX). */
static inline bool cairn_unit_taker_may_wait(const struct cairn_unit_taker *taker)
{
    return taker->waited < CAIRN_UNIT_STALL_MOST;
}

/* It is, for so many cycles; what is more than it may be does not count. */
static inline void cairn_unit_taker_wait(struct cairn_unit_taker *taker, uint64_t cycles)
{
    const uint64_t most = CAIRN_UNIT_STALL_MOST - taker->waited;
    const uint64_t some = cycles < most ? cycles : most;

    taker->waited += some;
    taker->stalled += some;
}

/* How many bytes have to be free for anything to be generated. A small buffer has to make do with
 * less. */
static inline uint32_t cairn_unit_margin(uint32_t depth)
{
    return depth >= 2 * CAIRN_PORT_MARGIN ? CAIRN_PORT_MARGIN : depth / 2;
}

#endif
