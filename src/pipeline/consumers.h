/* SPDX-License-Identifier: BSD-2-Clause */
/* The consumers of a pipeline, told in the order in which they were added. */
#ifndef CAIRN_PIPELINE_CONSUMERS_H
#define CAIRN_PIPELINE_CONSUMERS_H

#include <cairn/pipeline.h>

#include "pipeline/tally.h"

/* Zero it first. */
struct cairn_consumers {
    struct cairn_consumer *list;
    size_t count;
    bool ended; /* they were told so */
};
void cairn_consumers_free(struct cairn_consumers *consumers);

/* Reads the caller's structure, of whatever size it is. */
CAIRN_MUST_CHECK cairn_status cairn_consumers_add(struct cairn_consumers *consumers,
                                                  const struct cairn_consumer *consumer);

CAIRN_MUST_CHECK cairn_status cairn_consumers_begin(const struct cairn_consumers *consumers,
                                                    struct cairn_config *config);
CAIRN_MUST_CHECK cairn_status cairn_consumers_words(const struct cairn_consumers *consumers,
                                                    const struct cairn_word_batch *batch);
CAIRN_MUST_CHECK cairn_status cairn_consumers_events(const struct cairn_consumers *consumers,
                                                     const struct cairn_flow_batch *batch);

/* Whether one of them is told of counts. */
bool cairn_consumers_want_counts(const struct cairn_consumers *consumers);

/* The tally is closed and, told, cleared. */
CAIRN_MUST_CHECK cairn_status cairn_consumers_dictionary(const struct cairn_consumers *consumers,
                                                         const struct cairn_dictionary *dictionary,
                                                         struct cairn_tally *tally);

/* Once, however often it is called. */
void cairn_consumers_end(struct cairn_consumers *consumers, const struct cairn_ledger *ledger,
                         cairn_status status);

#endif
