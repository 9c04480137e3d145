/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the data that are decoded ahead by other threads (options.jobs).
 *
 * A part begins where a decoder can start, as far as its bytes tell. When
 * all in front of it is decoded, that is compared with where decoding stands really: if it is the
 * same, what the part gave is the caller's; if not, the part has never been. So the caller gets
 * what one thread gives, whatever the bytes are. */
#ifndef CAIRN_FLOW_PARALLEL_H
#define CAIRN_FLOW_PARALLEL_H

#include "flow/engine.h"

/* Data of this size and more is decoded in parts of about `part` bytes; for tests. Before the first
 * bytes come. */
void cairn_parallel_set_sizes(struct cairn_engine *engine, size_t least, size_t part);

/* All calls are for an engine with one thread as well. Around what the caller's thread does: */
void cairn_parallel_begin(struct cairn_engine *engine);
void cairn_parallel_end(struct cairn_engine *engine);

/* True when the data from `position` on is to be decoded by cairn_parallel_run. */
bool cairn_parallel_wants(struct cairn_engine *engine, size_t position);

/* As cairn_engine_go_on, for the engine's current one. */
cairn_status cairn_parallel_run(struct cairn_engine *engine, size_t *position);

/* Gives up what is decoded ahead. In a call, between begin and end. */
void cairn_parallel_stop(struct cairn_engine *engine);

/* Moves what all threads have counted of the caller's words into the dictionary, and shuts the
 * gate: the counters stay as they are until the next call. Behind begin. */
void cairn_parallel_flush_counts(struct cairn_engine *engine);

/* All engines that add to the dictionary. */
unsigned cairn_parallel_engines(const struct cairn_engine *engine);
struct cairn_engine *cairn_parallel_engine(struct cairn_engine *engine, unsigned i);

/* Parts that others have decoded: handed over, and given up. For tests. */
void cairn_parallel_tell(const struct cairn_engine *engine, uint64_t *accepted, uint64_t *rejected);

void cairn_parallel_free(struct cairn_engine *engine);

#endif
