/* SPDX-License-Identifier: BSD-2-Clause */
/* What was executed in contexts that are not wanted is taken out of batches, before anybody counts or lists it. What is
 * left is as if nothing else had been executed: totals of cycles are those of what is left. Gaps in which any thread may
 * have executed stay, and so do timestamps. */
#ifndef CAIRN_PIPELINE_CHOSEN_H
#define CAIRN_PIPELINE_CHOSEN_H

#include <cairn/engine.h>

struct cairn_chosen {
    bool (*wants)(void *context, const struct cairn_context *where); /* NULL: everything is */
    void *context;
    bool is_other;   /* what is executed now is not wanted */
    bool breaks;     /* of records: the next range does not follow from the last one */
    uint64_t total;  /* cycles, as the trace has told them */
    uint64_t others; /* of these, in contexts that are not wanted */
};

/* Nothing is known of the context at a source's beginning: what is executed there is not wanted. */
void cairn_chosen_begin(struct cairn_chosen *chosen,
                        bool (*wants)(void *context, const struct cairn_context *where),
                        void *context);
/* The source goes on in that context. */
void cairn_chosen_context(struct cairn_chosen *chosen, const struct cairn_context *where);
void cairn_chosen_words(struct cairn_chosen *chosen, struct cairn_word_batch *batch);
void cairn_chosen_records(struct cairn_chosen *chosen, struct cairn_flow_batch *batch);

#endif
