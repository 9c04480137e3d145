/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened, or what a decoder says happened: instructions and exceptions in program order, and
 * timestamps, cycle counts and events, each kind in its own order. */
#ifndef CAIRN_TESTS_PEERS_TRUTH_H
#define CAIRN_TESTS_PEERS_TRUTH_H

#include <cairn/packet.h>

enum {
    PEER_ENTRIES = 16384,
    PEER_VALUES = 1024,
};

enum peer_entry_kind {
    PEER_PLAIN,     /* an instruction */
    PEER_TAKEN,     /* ... that is a P0 instruction with E */
    PEER_NOT_TAKEN, /* ... with N */
    PEER_EXCEPTION, /* `address` is the preferred return address */
};

struct peer_entry {
    uint64_t address;
    uint16_t type; /* of an exception */
    uint8_t kind;
    uint8_t isa;
    struct cairn_context context; /* of an instruction */
};

enum peer_list_kind { PEER_TIMESTAMPS, PEER_CYCLES, PEER_EVENTS, PEER_LISTS };

struct peer_list {
    size_t count;
    uint64_t values[PEER_VALUES];
};

struct peer_truth {
    size_t count;
    bool full;
    struct peer_entry entries[PEER_ENTRIES];
    struct peer_list lists[PEER_LISTS];
};

void peer_truth_clear(struct peer_truth *truth);
void peer_truth_add(struct peer_truth *truth, const struct peer_entry *entry);
void peer_truth_add_value(struct peer_truth *truth, enum peer_list_kind list, uint64_t value);

/* How much of two truths to compare. */
#define PEER_COMPARE_CONTEXTS (1u << 0)
#define PEER_COMPARE_LISTS (1u << 1)

/* True when they are the same; otherwise prints the first difference. */
bool peer_truth_equal(const struct peer_truth *expected, const struct peer_truth *actual,
                      const char *name, unsigned what);

#endif
