/* SPDX-License-Identifier: BSD-2-Clause */
/* One number for a whole flow: equal where two ways of decoding gave the same instructions with the
 * same outcomes and the same events, in the same order. Where ranges are cut does not matter, nor
 * where in the source the packets are. */
#ifndef CAIRN_BENCH_FLOW_HASH_H
#define CAIRN_BENCH_FLOW_HASH_H

#include <cairn/flow.h>

/* Zero it at the start. */
struct cairn_flow_hash {
    uint64_t value;
    uint64_t instructions;
    uint64_t events; /* records that are no ranges */
    bool open;       /* consecutive instructions, not yet in `value` */
    uint8_t isa;
    uint16_t flags;
    uint64_t address;
    uint64_t end;
    uint64_t count;
};

/* The batch needs all columns but `offset`. */
void cairn_flow_hash_add(struct cairn_flow_hash *hash, const struct cairn_flow_batch *batch);

/* Of all that was added; more may be added behind it, but then cuts here do matter. */
uint64_t cairn_flow_hash_end(struct cairn_flow_hash *hash);

#endif
