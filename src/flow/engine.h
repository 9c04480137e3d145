/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the engine share.
 *
 * A source is decoded by words: a reader gives them (choose_reader.c), with elements where bytes are
 * no words; words are looked up, and elements followed (reading.c, take.c). */
#ifndef CAIRN_FLOW_ENGINE_H
#define CAIRN_FLOW_ENGINE_H

#include <stdatomic.h>

#include <cairn/engine.h>

#include "flow/decoder.h"
#include "flow/hot.h"
#include "flow/reading.h"

/* Memories that are held apart at once. */
#define CAIRN_ENGINE_VIEWS 16u

/* What a source offset, a context and an instruction set select: the memo belongs to it. */
struct cairn_view {
    uint64_t identity; /* of the space's selection; 0: this is none */
    uint64_t from;     /* first source offset of the epoch */
    uint64_t used;     /* when it was last selected */
    uint32_t number;   /* of its blocks */
    bool SF;
    /* The selection itself, which means the same to all engines of an image; NULL: not kept. */
    uint32_t *groups;
    size_t group_count;
    size_t layers;
    struct cairn_memo memo;
};

struct cairn_parallel;

/* Room that a caller's batch has at least, for words and for events. */
#define CAIRN_ENGINE_ROOM 64u

/* Flags of an engine beside the public ones, for tests: by the protocol's reader, if it has one,
 * where the engine would have other ways; by that of words_of_scan.h, if there is a scan; and by
 * that of words_of_levels.h, whatever the protocol. */
#define CAIRN_ENGINE_WORDS_OF_SCAN (1u << 29)
#define CAIRN_ENGINE_WORDS (1u << 30)
#define CAIRN_ENGINE_WORDS_OF_LEVELS (1u << 31)

/* What an engine does next. A call ends in any of them, and the next one goes on there. */
enum cairn_engine_turn {
    CAIRN_TURN_TAKE,   /* words are taken from the reader */
    CAIRN_TURN_FOLLOW, /* elements that were put up are followed; then words again */
};

struct cairn_engine {
    struct cairn_config *config;
    struct cairn_image *image;
    struct cairn_engine_options options;
    struct cairn_dictionary own;
    struct cairn_dictionary *dictionary; /* its own, or that of the engine it decodes for */
    struct cairn_gate *gate;             /* of the dictionary; NULL: nobody else uses it */
    struct cairn_engine **peers;         /* all that add to the dictionary; NULL: only this one */
    unsigned peer_count;
    struct cairn_parallel *parallel; /* parts of the data that are decoded by other threads */
    struct cairn_engine *current;    /* stands where the caller's batch ends: itself, if there
                                        are no others */
    struct cairn_decoder *levels;    /* the reference path's; its follower keeps what is shared */
    struct cairn_flow_batch *records;
    size_t record_at; /* next of `records` to hand over */

    enum cairn_engine_turn turn;
    bool listing;        /* words go to the batch's columns; they may be counted as well */
    uint64_t offset;     /* source offset of the next byte to take */
    const uint8_t *data; /* of the call under way; a call that left bytes has to go on with them */
    size_t size;
    size_t position; /* where it ended */
    bool unfinished;
    bool pending; /* bytes were taken in, and finish has not come to its end */

    struct cairn_lane lane;
    struct cairn_hot_job job;
    struct cairn_blocks blocks;
    struct cairn_view views[CAIRN_ENGINE_VIEWS];
    struct cairn_view *view;  /* selected; NULL: none */
    uint32_t view_generation; /* the follower's, when it was */
    uint32_t view_numbers;
    uint64_t clock;
    uint64_t uncounted; /* bytes since the memos' counters were read */

    struct cairn_element_batch *elements; /* being followed */
    size_t element_at;
    /* Where nothing repeats: */
    uint32_t known_blocks; /* when the dictionary began */
    unsigned novel;        /* stretches on end that were mostly new */
    bool fresh;            /* words are not remembered */
    bool fresh_blocks;     /* nor are blocks */

    bool dictionary_ended; /* the caller was told so: the next call begins another */
    bool stuck;            /* the dictionary was full, and has begun again since at this place */

    struct cairn_reading reading;
    /* Of a part that is decoded for another engine. */
    size_t stop; /* position at which decoding ends once it stands there or behind */
    atomic_bool cancelled;

    bool tried_parallel; /* to make what `parallel` needs */
    size_t part_least;   /* for tests; 0: as usual */
    size_t part_bytes;

    struct cairn_engine_statistics statistics;
    struct cairn_word_batch *out; /* of the call under way */
};

/* engine.c */
/* `dictionary` NULL: one of its own. */
cairn_status cairn_engine_make(struct cairn_config *config, struct cairn_image *image,
                               const struct cairn_engine_options *options,
                               struct cairn_dictionary *dictionary, struct cairn_engine **engine);
/* Goes on until the bytes are used up, the batch is full or the dictionary, or its stop is reached.
 */
cairn_status cairn_engine_go_on(struct cairn_engine *engine, size_t *position);

/* novel.c */
/* Notices when words stop to repeat, and when they begin again: by how many misses the next `bytes`
 * of trace had, and how many of these had come by (hot.h). */
void cairn_engine_watch(struct cairn_engine *engine, uint64_t misses, uint64_t repeated,
                        uint64_t bytes);
/* Asks beforehand for the memory that decoding from the targets of words that are about to be taken
 * waits for: that of the program, or of its blocks if they are known. */
void cairn_engine_ask_of_words(const struct cairn_engine *engine, const struct cairn_take_job *job);

/* lane.c */
/* Hands over waiting records. False: the batch is full. */
bool cairn_engine_give_records(struct cairn_engine *engine);
/* Follows what is put up. False: the batch is full before the end. */
cairn_status cairn_engine_follow(struct cairn_engine *engine, bool *done);
/* The follower's state -> the lane's, and back. */
void cairn_engine_to_lane(struct cairn_engine *engine);
void cairn_engine_from_lane(struct cairn_engine *engine);
/* Whether the lane can stand for the follower. It does not know ITSTATE. */
bool cairn_engine_fits_lane(const struct cairn_flow *flow);

/* view.c */
/* Selects the view for the packet at the lane. */
cairn_status cairn_engine_select(struct cairn_engine *engine);
/* The memo of the engine's view that another one has, from number *n of them on; NULL: no more.
 * Inside the gate. */
const struct cairn_memo *cairn_engine_peer_memo(const struct cairn_engine *engine, unsigned *n);
/* Forgets all memos, and the blocks unless they are kept, but keeps the views. */
void cairn_engine_forget(struct cairn_engine *engine, bool keep_blocks);
/* Forgets memos and blocks, and needs no memory for them. */
void cairn_engine_give_up_tables(struct cairn_engine *engine);
/* Moves the counters of the memos into those of the dictionary. */
void cairn_engine_flush_counts(struct cairn_engine *engine);

#endif
