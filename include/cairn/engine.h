/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast engine: bytes of one source -> words, columns of path ids and events. A word is a start
 * address and a run of atoms; the exact path that it stands for is worked out once, kept in a
 * dictionary and known by its id from then on. Counts cost nothing per range; ranges, blocks and
 * instructions are views, made on request. What the records view gives is, record for record, what
 * the reference path (<cairn/flow.h>) gives. docs/performance.md explains how it works. */
#ifndef CAIRN_ENGINE_H
#define CAIRN_ENGINE_H

#include <cairn/flow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A block: consecutive instructions up to and with the one that decides the path. */
struct cairn_code_block {
    uint64_t address;      /* first instruction */
    uint64_t end;          /* exclusive; wrapped at 32 bits in A32 and T32 */
    uint32_t instructions; /* may be 0: there is no memory at `address` */
    uint8_t isa;           /* enum cairn_isa */
    uint8_t last_size;     /* bytes of the last instruction */
    uint16_t flags;        /* CAIRN_BLOCK_... */
};

/* its last instruction has an outcome; without it, the block is cut: before an exception, at
 * ENTERX, or where memory ended */
#define CAIRN_BLOCK_P0 (1u << 0)
#define CAIRN_BLOCK_BRANCH (1u << 1)   /* ... and is a branch */
#define CAIRN_BLOCK_INDIRECT (1u << 2) /* ... an indirect one */
#define CAIRN_BLOCK_LINK (1u << 3)
#define CAIRN_BLOCK_RETURN (1u << 4)
#define CAIRN_BLOCK_ERET (1u << 5)      /* ... whose exception return has no packet of its own */
#define CAIRN_BLOCK_NEVER_N (1u << 6)   /* N on it is reserved */
#define CAIRN_BLOCK_UNDEFINED (1u << 7) /* an undefined instruction is in it */
#define CAIRN_BLOCK_NO_MEMORY (1u << 8) /* the image ends at `end` */
#define CAIRN_BLOCK_LIMIT (1u << 9)     /* too long: cut at the bound of a walk */
#define CAIRN_BLOCK_CONDITIONAL (1u << 10)
#define CAIRN_BLOCK_TRANSFER (1u << 11) /* where each instruction is a block: it transfers data */

/* A path: the blocks that a word executes, each with the outcome of its last instruction. */
struct cairn_path {
    uint64_t atoms;        /* the atoms: up to 8 packet bytes, or bits (top byte: how many) */
    uint32_t first;        /* index of its first step */
    uint32_t steps;        /* blocks */
    uint32_t instructions; /* sum over the blocks */
    uint32_t kind;         /* enum cairn_path_kind */
};

enum cairn_path_kind {
    /* `atoms` is packet bytes: step i belongs to the byte that its atom is in */
    CAIRN_PATH_PACKETS = 0,
    CAIRN_PATH_BITS = 1, /* `atoms` is bits, oldest in bit 0, at most 55; the top byte says how
                            many, and bit 55 that the last one is a PTM branch packet. Which packet
                            each is from, PACKET events tell */
};

/* What paths are made of. A step is 2 * block + outcome (1 = E). Valid until the engine's next
 * call. */
struct cairn_dictionary;
CAIRN_API const struct cairn_path *cairn_dictionary_paths(const struct cairn_dictionary *dictionary,
                                                          size_t *count);
CAIRN_API const struct cairn_code_block *
cairn_dictionary_blocks(const struct cairn_dictionary *dictionary, size_t *count);
CAIRN_API const uint32_t *cairn_dictionary_steps(const struct cairn_dictionary *dictionary,
                                                 size_t *count);
/* Where the first undefined instruction of a block with CAIRN_BLOCK_UNDEFINED is. */
CAIRN_API uint64_t cairn_dictionary_undefined(const struct cairn_dictionary *dictionary,
                                              uint32_t block);

/* How many words each path had since the dictionary began: `count` 64-bit counters, by path id.
 * NULL unless the engine counts (CAIRN_ENGINE_COUNTS). */
CAIRN_API const uint64_t *cairn_dictionary_counts(const struct cairn_dictionary *dictionary,
                                                  size_t *count);

/* An event: a flow record that is no range of a path, and where it stands: before step `step` of
 * word `word` of its batch (word == count of the batch: behind all of them). */
struct cairn_word_event {
    uint32_t word;
    uint16_t step;
    uint8_t kind; /* enum cairn_flow_kind, CAIRN_FLOW_RANGE among them (instructions that no path
                     has), or CAIRN_UNIT_... below */
    uint8_t isa;
    uint16_t flags;
    uint16_t reserved;
    uint32_t instructions;
    uint64_t offset;
    uint64_t length;
    uint64_t address;
    uint64_t value;
};

enum cairn_word_mark {
    CAIRN_WORD_DISCONTINUITY = 0xf0, /* the next range does not follow from the last */
    CAIRN_WORD_TRANSACTION = 0xf1,   /* value 1: the steps from here on are in a committed
                                        transaction; 0: no longer */
    CAIRN_WORD_DATA = 0xf3,          /* whose Data events from here on are: for the records view.
                                        Which instruction's a Data event is, only that view says */
    CAIRN_WORD_PACKET = 0xf2,        /* of BITS paths: the steps from here on are of this
                                        packet, and their ranges have these flags besides */
    CAIRN_WORD_WAITS = 0xf4,         /* a PACKET, and a CAIRN_FLOW_CYCLES of 1 before each of the
                                        next `instructions` steps; `address` is the total before */
};

/* Path ids with the top bit set: the first block's address came from the return stack. */
#define CAIRN_WORD_INFERRED 0x80000000u

/* Words and events, in program order: columns of the caller's. */
struct cairn_word_batch {
    size_t size; /* of this structure */
    size_t capacity;
    size_t count;
    uint32_t *path;   /* id, and CAIRN_WORD_INFERRED */
    uint64_t *offset; /* of the word's first packet, in the source's bytes; NULL: not wanted */
    size_t event_capacity;
    size_t event_count;
    struct cairn_word_event *event;
    const struct cairn_dictionary *dictionary; /* what the ids mean */
    uint32_t generation;                       /* ids of another generation mean something else */
    bool dictionary_ends;  /* the dictionary is full: read from it what is wanted of it (its counts)
                              before the next call, which begins another */
    uint64_t instructions; /* of the ranges among the events */
    size_t event_size;     /* from one `event` to the next; 0: sizeof(struct cairn_word_event) */
};

/* Event `index` of a batch, whoever made it. */
static inline const struct cairn_word_event *
cairn_word_event_at(const struct cairn_word_batch *batch, size_t index)
{
    const size_t size = batch->event_size ? batch->event_size : sizeof *batch->event;

    return (const struct cairn_word_event *)(const void *)((const char *)batch->event +
                                                           index * size);
}

/* `offsets`: with the column of offsets. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_word_batch_new(size_t capacity, bool offsets,
                                                             struct cairn_word_batch **batch);
CAIRN_API void cairn_word_batch_free(struct cairn_word_batch *batch);

/* Count words by path and list none: `path` is not written. */
#define CAIRN_ENGINE_COUNTS (1u << 0)
/* No instructions beyond the build's own. */
#define CAIRN_ENGINE_PORTABLE (1u << 1)
/* No PACKET events: faster where no records are wanted, which would not know their packets. */
#define CAIRN_ENGINE_NO_PACKETS (1u << 2)

/* Begin with CAIRN_ENGINE_OPTIONS_INIT. */
struct cairn_engine_options {
    size_t size;
    uint32_t flags;       /* CAIRN_ENGINE_... */
    uint32_t jobs;        /* threads; 0 and 1: the caller's own. Only for data in large pieces */
    uint64_t table_bytes; /* bound on the memory of all tables (0: CAIRN_ENGINE_TABLE_BYTES for each
                             thread) */
};
#define CAIRN_ENGINE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct cairn_engine_options)                                                \
    }
#define CAIRN_ENGINE_TABLE_BYTES (UINT64_C(64) << 20)
#define CAIRN_ENGINE_TABLE_BYTES_MIN (UINT64_C(1) << 20)

struct cairn_engine;
/* `options` NULL: none. CAIRN_E_ARGUMENT for options that cannot be. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_engine_new(struct cairn_config *config,
                                                         struct cairn_image *image,
                                                         const struct cairn_engine_options *options,
                                                         struct cairn_engine **engine);
CAIRN_API void cairn_engine_free(struct cairn_engine *engine);

/* Decodes data[*position .. size), appends to the batch, advances *position past the bytes taken
 * in. Returns when the bytes are used up, the batch is full or the dictionary ends; empty the batch
 * (count = event_count = 0) and call again with the same data. Give much at once: each call costs
 * what some KiB of trace do. Batches need room for 64 words and 64 events at least:
 * CAIRN_E_ARGUMENT otherwise. With `jobs` > 1 the data is read between such calls as well, until it
 * is used up, or the engine rewound or freed; and batches for one piece of data have the offsets
 * column, or none of them has. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_engine_run(struct cairn_engine *engine,
                                                         const uint8_t *data, size_t size,
                                                         size_t *position,
                                                         struct cairn_word_batch *batch);
/* The source has ended; call until it adds nothing. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_engine_finish(struct cairn_engine *engine,
                                                            struct cairn_word_batch *batch);
/* Begins again, as new: another source of the same configuration, or the same one once more. What
 * the tables know stays, and the dictionary goes on with it; so do counters. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_engine_rewind(struct cairn_engine *engine);
/* Trace was lost behind the bytes taken in (cairn_reader_lost): when cairn_engine_finish adds nothing
 * more. What comes next begins with a gap (CAIRN_GAP_LOST), may begin inside a packet, and counts from its next
 * synchronisation on. UNSUPPORTED: no capture says so of such a source, and nothing has changed. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_engine_lose(struct cairn_engine *engine);
/* Sum of all accounts = the bytes taken in, once the source has ended. */
CAIRN_API const struct cairn_ledger *cairn_engine_ledger(const struct cairn_engine *engine);
/* True when words or events may be held back: bytes were taken in, and cairn_engine_finish has not
 * come to its end. What is held back is lost when the engine is freed or rewound. */
CAIRN_API bool cairn_engine_is_pending(const struct cairn_engine *engine);

/* What the engine did, for tests, tuning and curiosity. */
struct cairn_engine_statistics {
    size_t size;
    uint64_t hot_bytes;     /* decoded word by word */
    uint64_t scanned_bytes; /* packet by packet */
    uint64_t cold_bytes;    /* by the reference path's levels */
    uint64_t switches;      /* times that these were called on */
    uint64_t misses;        /* words whose path had to be worked out */
    uint64_t generations;   /* dictionaries begun */
    uint64_t table_bytes;   /* memory of the tables now */
};
CAIRN_API void cairn_engine_statistics(const struct cairn_engine *engine,
                                       struct cairn_engine_statistics *statistics);

/* --- views of a batch --- */

/* Where a view stands in the batches of a source, and what it must know of those before. */
struct cairn_word_cursor;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_word_cursor_new(struct cairn_word_cursor **cursor);
CAIRN_API void cairn_word_cursor_free(struct cairn_word_cursor *cursor); /* NULL is fine */
/* Another source begins: as new. */
CAIRN_API void cairn_word_cursor_reset(struct cairn_word_cursor *cursor);
/* Another batch of the same source begins. */
CAIRN_API void cairn_word_cursor_next(struct cairn_word_cursor *cursor);
/* Goes to the word with this index in the batch, if the cursor is not behind its beginning. Of the
 * words in between no ranges are given, though the events among them are. */
CAIRN_API void cairn_word_cursor_pass(struct cairn_word_cursor *cursor, size_t word);

/* Appends flow records, exactly those of the reference path, until the batch ends or `out` is full.
 * Needs the offsets column. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_words_records(const struct cairn_word_batch *batch,
                                                            struct cairn_word_cursor *cursor,
                                                            struct cairn_flow_batch *out);

/* The same of the events alone: no range of a word is given, and the cursor passes over all words.
 * No path or offset is looked at. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_words_events(const struct cairn_word_batch *batch,
                                                           struct cairn_word_cursor *cursor,
                                                           struct cairn_flow_batch *out);

/* Writes the steps of the batch's words, from the cursor on, to `steps`; returns how many. Events
 * are left out, ranges among them too. At least 256 of `capacity`; call until it returns 0. */
CAIRN_API size_t cairn_words_blocks(const struct cairn_word_batch *batch,
                                    struct cairn_word_cursor *cursor, uint32_t *steps,
                                    size_t capacity);

/* The same, each instruction's address. A block of more than `capacity` is cut and gone on with. */
CAIRN_API size_t cairn_words_instructions(const struct cairn_word_batch *batch,
                                          struct cairn_word_cursor *cursor, uint64_t *addresses,
                                          size_t capacity);

/* A range, for callers that want to be called. */
struct cairn_range {
    uint64_t address;
    uint64_t end;
    uint32_t instructions;
    uint8_t isa;
    bool taken;
    uint16_t flags; /* CAIRN_BLOCK_... */
};
/* Calls `range` for each range of the batch in program order, those among the events too. */
CAIRN_API void cairn_words_each(const struct cairn_word_batch *batch,
                                void (*range)(void *context, const struct cairn_range *range),
                                void *context);

#ifdef __cplusplus
}
#endif
#endif
