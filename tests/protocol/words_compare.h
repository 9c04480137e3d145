/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of words beside the levels that it stands for: packets, elements, resolver. */
#ifndef CAIRN_TESTS_PROTOCOL_WORDS_COMPARE_H
#define CAIRN_TESTS_PROTOCOL_WORDS_COMPARE_H

#include "scan_compare.h"

/* How a source is given to the reader. */
struct words_cut {
    size_t piece;    /* bytes of a call; 0: all at once; SCAN_UNEVEN: random */
    size_t words;    /* room of the batch */
    size_t elements; /* of its elements */
    bool portable;
    unsigned relay; /* at each so-manieth place where it can, another reader goes on; 0: never */
    unsigned until; /* the bound is moved on by so many bytes; 0: there is none */
};

struct words_total {
    size_t elements; /* the levels gave so many */
    size_t words;    /* and the reader so many words, with all cuts */
    size_t relays;
};

/* The source as a whole, and cut: fails the test unless the words and elements stand for what the
 * levels give, and the ledgers are the same. */
void words_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                 const struct words_cut *cuts, size_t count, struct words_total *total);

#endif
