/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan beside the levels that it stands for: packets, elements, resolver. */
#ifndef CAIRN_TESTS_PROTOCOL_SCAN_COMPARE_H
#define CAIRN_TESTS_PROTOCOL_SCAN_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* How a source is given to the scan. */
struct scan_cut {
    size_t piece;         /* bytes of a call; 0: all at once; UNEVEN: random */
    size_t capacity;      /* of the batch, tokens */
    size_t data_capacity; /* of its data */
};
#define SCAN_UNEVEN SIZE_MAX

/* An element, or what a token stands for one of. */
struct scan_element {
    uint64_t offset;
    uint64_t length;
    uint16_t flags;
    uint8_t kind;
    struct cairn_element_data data;
};

struct scan_elements {
    struct scan_element *list;
    size_t count;
    size_t capacity;
    size_t tokens; /* that they came as */
    size_t runs;   /* of Atoms of several packets, among them */
    struct cairn_scan_ledger ledger;
};

/* What the levels give for a source. */
void scan_reference(struct cairn_config *config, const uint8_t *bytes, size_t size,
                    struct scan_elements *elements);
/* What the scan gives, token by token expanded. */
void scan_expand(struct cairn_config *config, const uint8_t *bytes, size_t size,
                 const struct scan_cut *cut, struct scan_elements *elements);
/* Fails the test, with the first difference, unless both are the same. */
void scan_assert_same(const struct scan_elements *wanted, const struct scan_elements *got);
void scan_elements_free(struct scan_elements *elements);
/* Keeps the memory, for what is decoded next. */
void scan_elements_empty(struct scan_elements *elements);

/* All three: the source as a whole, and cut; and its words (readers_compare.h). Returns the number of elements; the runs among the
 * tokens are added to *runs. */
size_t scan_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                  const struct scan_cut *cuts, size_t count, size_t *runs);

#endif
