/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the engine share.
 *
 * It decodes in one of three ways. Hot: units straight from the bytes (hot_loop.h), and what stands
 * between them packet by packet (ahead.c). Cold: everything through the levels of the reference
 * path, whose records become events (cold.c). Hot decoding proceeds from one Atom packet that
 * nothing behind can change to another: only there it is in step with the caller's batch. Scanned:
 * units from tokens that the protocol makes of the bytes (scanned.c); some sources are decoded so
 * as a whole, the others never. */
#ifndef CAIRN_FLOW_ENGINE_H
#define CAIRN_FLOW_ENGINE_H

#include <stdatomic.h>

#include <cairn/engine.h>

#include "flow/decoder.h"
#include "flow/hot.h"
#include "flow/reading.h"
#include "flow/scanned.h"

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

/* Flags of an engine beside the public ones, for tests: by the protocol's reader, if it has one,
 * where the engine would have other ways; and by that of words_of_levels.h, whatever the protocol. */
#define CAIRN_ENGINE_WORDS (1u << 30)
#define CAIRN_ENGINE_WORDS_OF_LEVELS (1u << 31)

/* What an engine does next. A call ends in any of them, and the next one goes on there. */
enum cairn_engine_turn {
    CAIRN_TURN_READ,   /* the levels take bytes: cold decoding */
    CAIRN_TURN_TAKE,   /* words are taken: from the bytes, or from tokens */
    CAIRN_TURN_FOLLOW, /* elements that were put up are followed; then words again */
    CAIRN_TURN_DRAIN,  /* the levels hand over: what they still hold; then words */
    CAIRN_TURN_END,    /* the source has ended, and the levels give what is left */
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
    bool listing;        /* units go to the batch's columns; they may be counted as well */
    bool can_be_hot;     /* the source is fit for it */
    bool went_on;        /* the levels have taken a packet since they took over */
    uint64_t offset;     /* source offset of the next byte to take */
    uint64_t floor;      /* the same when the call began: it never goes back behind that */
    const uint8_t *data; /* of the call under way; a call that left bytes has to go on with them */
    size_t size;
    size_t position; /* where it ended */
    bool unfinished;

    struct cairn_hot_table table;
    const struct cairn_hot_loops *loops;
    struct cairn_lane lane;
    struct cairn_hot_job job;
    struct cairn_hot_state state; /* `history` is in the lane */
    struct cairn_hot_taker *taker;
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
    bool fresh;            /* units are not remembered */
    bool fresh_blocks;     /* nor are blocks */

    bool dictionary_ended; /* the caller was told so: the next call begins another */
    bool stuck;            /* the dictionary was full, and has begun again since at this place */

    struct cairn_scanned scanned;
    struct cairn_reading reading;
    struct cairn_wait_form wait_forms[256]; /* by header, if it takes those */
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

/* cold.c */
cairn_status cairn_engine_run_cold(struct cairn_engine *engine, size_t *position);
/* Takes what the levels hold. *idle: all of it. */
cairn_status cairn_engine_drain(struct cairn_engine *engine, bool *idle);
/* Hands over waiting records. False: the batch is full. */
bool cairn_engine_give_records(struct cairn_engine *engine);
/* From the lane to the levels, in front of an Atom packet. */
void cairn_engine_go_cold(struct cairn_engine *engine);

/* stretch.c */
void cairn_engine_prepare_job(struct cairn_engine *engine);
/* One hot stretch. */
/* `*again` false: the batch is full, or the dictionary. */
cairn_status cairn_engine_run_hot(struct cairn_engine *engine, size_t *position, bool *again);

/* ahead.c */
/* Takes the packets from `at`, which is at source offset `offset`, up to the next Atom packet:
 * their elements are then to be followed, behind what is put up already. *behind is that packet.
 * False: not so, and nothing has changed. */
bool cairn_engine_look_ahead(struct cairn_engine *engine, const uint8_t *at, uint64_t offset,
                             const uint8_t **behind);
/* Puts the atoms of the packet at `at`, the next one, up to be followed, and nothing else. */
void cairn_engine_put_atoms(struct cairn_engine *engine, const uint8_t *at);
/* Follows what is put up. False: the batch is full before the end. */
cairn_status cairn_engine_follow(struct cairn_engine *engine, bool *done);
/* The follower's state -> the lane's, and back. */
void cairn_engine_to_lane(struct cairn_engine *engine);
void cairn_engine_from_lane(struct cairn_engine *engine);

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
