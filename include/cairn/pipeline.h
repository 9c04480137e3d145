/* SPDX-License-Identifier: BSD-2-Clause */
/* One source of a capture, decoded all the way: read, cut into pieces, taken through the engine or
 * through the levels of the reference path. Batches can be pulled, consumers can be added, or both:
 * a listing, totals, coverage and profiles are all consumers of one pipeline. */
#ifndef CAIRN_PIPELINE_H
#define CAIRN_PIPELINE_H

#include <cairn/capture.h>
#include <cairn/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The level whose batches are wanted. */
enum cairn_level {
    CAIRN_LEVEL_PACKETS = 0,
    CAIRN_LEVEL_ELEMENTS = 1,
    CAIRN_LEVEL_RESOLVED = 2, /* elements of what was executed, in program order */
    CAIRN_LEVEL_FLOW = 3,
};

/* Flow by the levels of the reference path, not by the engine: the same records, slowly. */
#define CAIRN_PIPELINE_REFERENCE (1u << 0)
/* Ranges that only need counting are counted by their path, and are no records: many times as
 * fast. Batches and `events` have what the counts do not tell, `dictionary_ends` has the counts. */
#define CAIRN_PIPELINE_COUNTS (1u << 1)
/* With COUNTS: which packet an event is of need not be exact, which is faster still. */
#define CAIRN_PIPELINE_NO_PLACES (1u << 2)

/* With `from`: cycle totals begin where decoding does, so that nothing before need be counted. */
#define CAIRN_PIPELINE_OWN_TOTALS (1u << 3)

/* How a source is decoded. Begin with CAIRN_PIPELINE_OPTIONS_INIT. */
struct cairn_pipeline_options {
    size_t size;
    enum cairn_level level;
    uint32_t flags;       /* CAIRN_PIPELINE_... */
    uint32_t jobs;        /* threads; 0 and 1: the caller's own */
    uint64_t table_bytes; /* as in struct cairn_engine_options */
    /* Called now and then, with how much of the buffer's file is used: non-zero ends the source
     * early. May be NULL. */
    int (*progress)(void *context, uint64_t done);
    void *context;
    /* What is of packets before this offset of the source is not wanted. Decoding then begins at the
     * last place from which all that is wanted is what it would be from the beginning, and not at
     * the beginning: behind a synchronisation as a rule. What is given of packets between that
     * place and `from` need not be right; of CAIRN_LEVEL_FLOW the first record is the Context
     * there. By the reference path flow begins at the beginning all the same, and so do
     * CAIRN_LEVEL_RESOLVED, protocols without synchronisation, and sources in which no such place is
     * found. The ledger has what was
     * decoded. docs/api.md says what such a place is. */
    uint64_t from;
    /* With CAIRN_PIPELINE_COUNTS: blocks whose ranges are wanted as records all the same, or NULL.
     * Those of a path that has such a block are all records, in their places, and the path is not
     * counted; a Range of 0 instructions stands for what was executed between and is counted. It is
     * called once for a block of a path, with `wants_context`. By the reference path nothing is counted,
     * and it is not called. */
    bool (*wants)(void *context, const struct cairn_code_block *block);
    void *wants_context;
    /* Of CAIRN_LEVEL_FLOW: the contexts that are wanted (a thread's, an Exception level's), or NULL: all.
     * What is executed in others, or before the first Context record, is neither counted nor given, and
     * no cycles of it are in totals. Gaps in which anything may have been executed stay, and so do
     * timestamps. It is called at each Context record, with `chooses_context`. */
    bool (*chooses)(void *context, const struct cairn_context *where);
    void *chooses_context;
};
#define CAIRN_PIPELINE_OPTIONS_INIT                                                                \
    {                                                                                              \
        .size = sizeof(struct cairn_pipeline_options), .level = CAIRN_LEVEL_FLOW                   \
    }

/* Who is told what a source did. Counts and events together are the whole flow, in every way of
 * decoding: without CAIRN_PIPELINE_COUNTS, and by the reference path, all ranges are among the
 * events and no path is counted. A member that is NULL is not called; anything but CAIRN_OK ends the
 * source with that status. */
struct cairn_consumer {
    size_t size; /* of this structure */
    void *context;
    /* Once, before anything else. */
    cairn_status (*begin)(void *context, struct cairn_config *config);
    /* Each batch of the engine, as it is: path ids, events, dictionary. Not by the reference path. */
    cairn_status (*words)(void *context, const struct cairn_word_batch *batch);
    /* Flow records in program order: what the counts do not tell. */
    cairn_status (*events)(void *context, const struct cairn_flow_batch *batch);
    /* Path ids lose their meaning, or the source has ended: how often each path was executed since
     * the last time, `count` numbers by path id (0 is none, and has 0). Only with CAIRN_PIPELINE_COUNTS. */
    cairn_status (*dictionary_ends)(void *context, const struct cairn_dictionary *dictionary,
                                    const uint64_t *counts, size_t count);
    /* The source has ended, or failed with `status`. */
    void (*end)(void *context, const struct cairn_ledger *ledger, cairn_status status);
};

struct cairn_pipeline;

/* Begins a source; nothing of it is read yet. `config` NULL: that of the capture's registers. `image` NULL: the capture's; it counts for
 * CAIRN_LEVEL_FLOW alone. The capture must live as long as the pipeline. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_pipeline_new(struct cairn_capture *capture, size_t source, struct cairn_config *config,
                   struct cairn_image *image, const struct cairn_pipeline_options *options,
                   struct cairn_pipeline **pipeline, struct cairn_error *error);
CAIRN_API void
cairn_pipeline_free(struct cairn_pipeline *pipeline); /* NULL is fine; tells nobody */

/* Adds a consumer, before the first batch. CAIRN_E_ARGUMENT when it is too late, or the level is not
 * CAIRN_LEVEL_FLOW. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pipeline_add(struct cairn_pipeline *pipeline,
                                                           const struct cairn_consumer *consumer);

/* Refills the level's batch; its count is 0 when the source has ended. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pipeline_next(struct cairn_pipeline *pipeline);

/* Decodes to the end of the source, for its consumers. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_pipeline_run(struct cairn_pipeline *pipeline);

/* Ends the source where it is: its consumers are told what was counted so far, and the end. */
CAIRN_API cairn_status cairn_pipeline_stop(struct cairn_pipeline *pipeline);

/* The batch that the last cairn_pipeline_next filled; NULL if it is not of the pipeline's level. */
CAIRN_API const struct cairn_packet_batch *
cairn_pipeline_packets(const struct cairn_pipeline *pipeline);
CAIRN_API const struct cairn_element_batch *
cairn_pipeline_elements(const struct cairn_pipeline *pipeline);
CAIRN_API const struct cairn_flow_batch *cairn_pipeline_flow(const struct cairn_pipeline *pipeline);

/* Where a byte of the source is in its file, or UINT64_MAX when that was too long ago to know. */
CAIRN_API uint64_t cairn_pipeline_file_offset(const struct cairn_pipeline *pipeline,
                                              uint64_t offset);

/* The first bytes of a packet of the current batch: returns how many were kept, at most `capacity`
 * and CAIRN_PACKET_BYTES_KEPT. For CAIRN_LEVEL_PACKETS. */
#define CAIRN_PACKET_BYTES_KEPT 128
CAIRN_API size_t cairn_pipeline_bytes(const struct cairn_pipeline *pipeline, uint64_t offset,
                                      uint64_t length, uint8_t *bytes, size_t capacity);

/* Every byte read so far, by account; complete when the source has ended. */
CAIRN_API const struct cairn_ledger *cairn_pipeline_ledger(const struct cairn_pipeline *pipeline);

/* How many bytes of the source were read so far. */
CAIRN_API uint64_t cairn_pipeline_source_bytes(const struct cairn_pipeline *pipeline);

/* The configuration in use. */
CAIRN_API struct cairn_config *cairn_pipeline_config(const struct cairn_pipeline *pipeline);

/* A flow record, and whose it is. The members are those of struct cairn_flow_batch. */
struct cairn_each_record {
    size_t size; /* of this structure, as the library has it */
    size_t source;
    struct cairn_config *config;
    uint8_t kind;
    uint8_t isa;
    uint16_t flags;
    uint32_t instructions;
    uint64_t offset;
    uint64_t length;
    uint64_t address;
    uint64_t value;
};

/* Calls `record` for each flow record of each source that is decoded to its flow, one source after
 * the other; the record is the library's, and valid during the call. Anything but CAIRN_OK from it
 * ends the call with that status. `options` NULL: the defaults. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_capture_each(struct cairn_capture *capture, const struct cairn_pipeline_options *options,
                   cairn_status (*record)(void *context, const struct cairn_each_record *record),
                   void *context, struct cairn_error *error);

#ifdef __cplusplus
}
#endif
#endif
