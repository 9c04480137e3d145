/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a pipeline begins that does not begin at the beginning. */
#ifndef CAIRN_PIPELINE_BEGIN_H
#define CAIRN_PIPELINE_BEGIN_H

#include <cairn/pipeline.h>

#include "flow/standing.h"

struct cairn_beginning {
    bool found;                     /* false: at the source's beginning */
    uint64_t offset;                /* in the source's bytes */
    struct cairn_standing standing; /* there, of CAIRN_LEVEL_FLOW */
};

/* Looks for the last place from which all of packets at options->from and behind it is right. Reads
 * backwards from there, as far as it has to. CAIRN_E_LIMIT: options->progress ended it. */
CAIRN_MUST_CHECK cairn_status cairn_beginning_find(struct cairn_capture *capture, size_t source,
                                                   struct cairn_config *config,
                                                   struct cairn_image *image,
                                                   const struct cairn_pipeline_options *options,
                                                   struct cairn_beginning *beginning,
                                                   struct cairn_error *error);

/* The same for several places of a source, in any order, each of which is looked for from `from` back to
 * `lowest`: what was learned of its program stays. The configuration and the options must live as
 * long; options->from does not count. */
struct cairn_search;
CAIRN_MUST_CHECK cairn_status cairn_search_new(struct cairn_capture *capture, size_t source,
                                               struct cairn_config *config,
                                               struct cairn_image *image,
                                               const struct cairn_pipeline_options *options,
                                               struct cairn_search **search,
                                               struct cairn_error *error);
void cairn_search_free(struct cairn_search *search); /* NULL is fine */
CAIRN_MUST_CHECK cairn_status cairn_search_between(struct cairn_search *search, uint64_t lowest,
                                                   uint64_t from,
                                                   struct cairn_beginning *beginning);

/* What of all before a place bears on what is told behind it, and is known by counting alone. */
struct cairn_prefix {
    bool counted;    /* there is a Cycle Count of a packet at `from` or behind it; then */
    uint64_t cycles; /* is the total at the first of these */
    bool undefined;  /* an undefined instruction was told of before `begin`, the last one here: */
    uint64_t undefined_at;
};

/* Goes through the source, at the speed of counting, to the first Cycle Count at options->from or
 * behind it, or as far as `until`, where it is known to be. Decoding began at `begin`. */
CAIRN_MUST_CHECK cairn_status cairn_prefix_count(struct cairn_capture *capture, size_t source,
                                                 struct cairn_config *config,
                                                 struct cairn_image *image,
                                                 const struct cairn_pipeline_options *options,
                                                 uint64_t begin, uint64_t until,
                                                 struct cairn_prefix *prefix);

/* Who says what of a source is not wanted while it is being decoded. */
struct cairn_skipping {
    /* Before more is read: all that is of packets before `reached` has been given. Returns where
     * what is wanted goes on, which is left to right from there on; UINT64_MAX: nothing is wanted any
     * more. What is given of packets before that place need not be right or complete, and there may
     * be another Context first. In what is left out there must be no Cycle Count, and no undefined
     * instruction that is told of. */
    uint64_t (*next)(void *context, uint64_t reached);
    void *context;
};

/* pipeline.c: from here on. Of a pipeline of flow by the engine with one thread; others, and sources that
 * cannot be begun in the midst, give all as ever: false. Before the first batch. */
bool cairn_pipeline_skip(struct cairn_pipeline *pipeline, const struct cairn_skipping *skipping);

/* pipeline.c: an undefined instruction may be told of where decoding begins although it was the last one before, so that nothing
 * before need be counted for it. Before the first batch. */
void cairn_pipeline_repeat_undefined(struct cairn_pipeline *pipeline);

/* pipeline.c: the source ends there for this pipeline. Before the first batch. */
void cairn_pipeline_until(struct cairn_pipeline *pipeline, uint64_t offset);

#endif
