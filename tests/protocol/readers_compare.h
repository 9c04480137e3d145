/* SPDX-License-Identifier: BSD-2-Clause */
/* Readers of words (protocol/words.h) beside the levels that they stand for: their words, asides,
 * targets and elements written out are what packets, elements and resolver give. */
#ifndef CAIRN_TESTS_PROTOCOL_READERS_COMPARE_H
#define CAIRN_TESTS_PROTOCOL_READERS_COMPARE_H

#include "scan_compare.h"

/* The reader over the levels, which every protocol has, that over its scan, if it has one, and that
 * of its table, if it is another one, with and without what is special to this processor; each cut in one of these ways, by turns. `wanted` is what the levels give; two
 * statuses of an atom that differ are made the final one in it where words need not tell them.
 * Fails the test at the first difference, and where a batch breaks what words.h says of it. */
void readers_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                   const struct scan_cut *cuts, size_t count, struct scan_elements *wanted);

/* What the reader of the protocol's table gives, written out. Returns the bytes that it left to the
 * levels. */
uint64_t readers_expand(struct cairn_config *config, const uint8_t *bytes, size_t size,
                        const struct scan_cut *cut, struct scan_elements *elements);

#endif
