/* SPDX-License-Identifier: BSD-2-Clause */
/* One source through the engine, batch by batch: what the levels give at CAIRN_LEVEL_FLOW, record
 * for record; or less, where ranges need only be counted. */
#ifndef CAIRN_PIPELINE_WORDS_H
#define CAIRN_PIPELINE_WORDS_H

#include "flow/standing.h"
#include "pipeline/chosen.h"
#include "pipeline/consumers.h"
#include "pipeline/intake.h"

struct cairn_word_stream;

/* The intake and the consumers stay the caller's. */
CAIRN_MUST_CHECK cairn_status cairn_word_stream_new(struct cairn_config *config,
                                                    struct cairn_image *image,
                                                    const struct cairn_pipeline_options *options,
                                                    struct cairn_intake *intake,
                                                    const struct cairn_consumers *consumers,
                                                    struct cairn_word_stream **stream);
void cairn_word_stream_free(struct cairn_word_stream *stream); /* NULL is fine */

/* Begins where this standing is, and so does the intake; the first batch is the Context there. Before
 * that. */
void cairn_word_stream_begin_at(struct cairn_word_stream *stream,
                                const struct cairn_standing *standing);

/* The same later on, between two batches; ranges of packets before `from` need not be given. Cycles counted so far, and the
 * undefined instruction told of last, stay. Only with one thread. */
void cairn_word_stream_jump(struct cairn_word_stream *stream, const struct cairn_standing *standing,
                            uint64_t from);
/* Nothing more is read: the next batch is empty. */
void cairn_word_stream_stop(struct cairn_word_stream *stream);

/* Calls `ask` before more is read, when all that was read has been given; `reached`: of packets before
 * that nothing more comes. It may let the stream jump, or stop. */
void cairn_word_stream_ask(struct cairn_word_stream *stream,
                           cairn_status (*ask)(void *context, uint64_t reached), void *context);

/* Whether the source can be begun in the midst. */
bool cairn_word_stream_can_jump(const struct cairn_word_stream *stream);

/* Refills the batch of flow records; its count is 0 when the source has ended. */
CAIRN_MUST_CHECK cairn_status cairn_word_stream_next(struct cairn_word_stream *stream);
/* The batch, which the caller may change until then. */
struct cairn_flow_batch *cairn_word_stream_flow(const struct cairn_word_stream *stream);

/* Tells the consumers what was counted and not told yet: when the source has ended. */
CAIRN_MUST_CHECK cairn_status cairn_word_stream_close(struct cairn_word_stream *stream);

const struct cairn_ledger *cairn_word_stream_ledger(const struct cairn_word_stream *stream);
uint64_t cairn_word_stream_source_bytes(const struct cairn_word_stream *stream); /* read so far */

#endif
