/* SPDX-License-Identifier: BSD-2-Clause */
/* What each process has mapped where, as it stands behind what was mapped last. */
#ifndef CAIRN_CAPTURE_PERF_HELD_H
#define CAIRN_CAPTURE_PERF_HELD_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

/* Addresses of a process that a mapping has. */
struct cairn_perf_holding {
    uint32_t process;
    uint64_t first, last; /* both included */
    size_t mapping;
};

/* All zero: nobody has anything. */
struct cairn_perf_held {
    struct cairn_perf_held_node *nodes; /* of a tree; the first is none */
    uint32_t count, root, unused;
    size_t room;
};

/* The first of the process's that ends at `address` or behind it; NULL: there is none. Good up to the next change. */
const struct cairn_perf_holding *cairn_perf_held_from(const struct cairn_perf_held *held,
                                                      uint32_t process, uint64_t address);
/* The mapping has the addresses, and none that had them before. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_hold(struct cairn_perf_held *held,
                                              const struct cairn_perf_holding *holding);
void cairn_perf_held_clear(struct cairn_perf_held *held);

#endif
