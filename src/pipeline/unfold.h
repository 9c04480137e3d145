/* SPDX-License-Identifier: BSD-2-Clause */
/* Words one range at a time, as events: for who takes words whole where nothing asks for more, and looks at each record
 * somewhere else. */
#ifndef CAIRN_PIPELINE_UNFOLD_H
#define CAIRN_PIPELINE_UNFOLD_H

#include <cairn/engine.h>

/* What batches before say of packets. Zero it at a source's beginning. */
struct cairn_unfold {
    uint64_t packet_offset, packet_length;
    uint16_t packet_flags;
};

/* Whether a batch has anything of a packet at `offset` or behind it; it may say so where it has not. */
bool cairn_unfold_reaches(const struct cairn_word_batch *batch, uint64_t offset);

/* Goes on behind a batch that is taken as it is. */
void cairn_unfold_pass(struct cairn_unfold *unfold, const struct cairn_word_batch *batch);

/* Tells a batch's events, with a CAIRN_FLOW_RANGE for each block that its words execute, in the order of the program, and goes
 * on behind it. A CAIRN_WORD_DISCONTINUITY is CAIRN_FLOW_DISCONTINUITY of the range behind it, if that is in the batch. Ends
 * with what `tell` returns if it fails. */
CAIRN_MUST_CHECK cairn_status cairn_unfold_words(
    struct cairn_unfold *unfold, const struct cairn_word_batch *batch,
    cairn_status (*tell)(void *context, const struct cairn_word_event *event), void *context);

#endif
