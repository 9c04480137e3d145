/* SPDX-License-Identifier: BSD-2-Clause */
/* One lane of order.h. */
#ifndef CAIRN_PE_LANE_H
#define CAIRN_PE_LANE_H

#include "pe/order.h"

/* A list that has room for one more: `list` itself, or where it is now; NULL: no memory, and it stays. */
void *cairn_lane_room(void *list, size_t count, size_t *room, size_t size);
/* In a random lane, one time in so many. */
bool cairn_lane_happens(struct cairn_access_lane *lane, uint64_t times);
void cairn_lane_free(struct cairn_access_lane *lane);
void cairn_lane_write(struct cairn_access_lane *lane, uint32_t reg, uint64_t value);
uint64_t cairn_lane_read(struct cairn_access_lane *lane, uint32_t reg);
void cairn_lane_set(struct cairn_access_lane *lane, uint32_t reg, uint64_t value);
/* An operation as it is told. */
struct cairn_operation_told {
    uint64_t number;
    unsigned kind;
    const uint8_t *bytes;
    size_t size;
};
void cairn_lane_trace(struct cairn_access_order *order, struct cairn_access_lane *lane,
                      const struct cairn_operation_told *told);
void cairn_lane_step(struct cairn_access_order *order, struct cairn_access_lane *lane);
void cairn_lane_cse(struct cairn_access_lane *lane);
/* Operations up to this one happen. */
void cairn_lane_tsb(struct cairn_access_order *order, struct cairn_access_lane *lane,
                    uint64_t last);
/* Stores of operations up to this one are complete. */
void cairn_lane_dsb(struct cairn_access_order *order, struct cairn_access_lane *lane,
                    uint64_t last);
/* What a trace operation has written there since, at its completion: seen behind the next CSE. */
void cairn_lane_completed(struct cairn_access_lane *lane, uint32_t reg);
void cairn_lane_settle(struct cairn_access_order *order, struct cairn_access_lane *lane);
/* A store, or an operation, that may still write there: which, and where first. */
bool cairn_lane_waits(const struct cairn_access_lane *lane, uint64_t address, uint64_t size,
                      uint64_t *operation, uint64_t *at);
void cairn_lane_put(struct cairn_access_order *order, struct cairn_access_lane *lane,
                    uint64_t address, const uint8_t *bytes, size_t size);

#endif
