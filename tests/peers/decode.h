/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder makes of a trace, in the words of truth.h. */
#ifndef CAIRN_TESTS_PEERS_DECODE_H
#define CAIRN_TESTS_PEERS_DECODE_H

#include <cairn/image.h>

#include "unit.h"

/* Adds the instructions of a range from its first address to `end`: the flag of the last one is
 * `last`. Instructions that the program has not end it. */
void peer_add_range(struct peer_truth *truth, const struct peer_program *program, uint64_t address,
                    uint64_t end, enum cairn_isa isa, const struct cairn_context *context,
                    enum peer_entry_kind last);

/* The program's bytes. False after a message. */
bool peer_program_image(const struct peer_program *program, struct cairn_image **image);

/* Cairn, fed in chunks and with batches of random sizes. False after a message when something is
 * there that should not be: a gap in a trace that lost nothing, a ledger that does not add up. */
bool peer_decode_cairn(const struct peer_trace *trace, struct cairn_config *config,
                       struct peer_random *random, struct peer_truth *truth);

#endif
