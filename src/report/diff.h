/* SPDX-License-Identifier: BSD-2-Clause */
/* Two runs beside each other: where they part, where they meet again, and how often what was executed in each.
 * A run is read source by source into a list of blocks for each thread; two threads are then aligned. What
 * handles interrupts and signals is no part of a thread's flow, unless it is asked for. docs/diff.md states the rules. */
#ifndef CAIRN_REPORT_DIFF_H
#define CAIRN_REPORT_DIFF_H

#include <cairn/calls.h>

#include "base/table.h"
#include "capture/arena.h"
#include "report/naming.h"
#include "report/output.h"

enum { CAIRN_DIFF_A = 0, CAIRN_DIFF_B = 1, CAIRN_DIFF_SIDES = 2 };

#define CAIRN_DIFF_NONE UINT32_MAX
/* The token of what is not known: a gap. */
#define CAIRN_DIFF_GAP 0u
/* Bytes in which all threads of a run are kept, packed, and what they executed: what comes behind them is not compared. */
#define CAIRN_DIFF_KEPT_MAX (UINT64_C(1) << 30)
/* Different chains of calls; more are told as the last one that there is room for. */
#define CAIRN_DIFF_CHAINS_MAX (1u << 21)
/* Threads of a source. */
#define CAIRN_DIFF_THREADS_MAX 16384u
/* Contexts that are not wanted and are told where the wanted one is not there. */
#define CAIRN_DIFF_OTHERS 8u
/* The symbol of code that nothing names, where lines are compared. */
#define CAIRN_DIFF_NAMELESS 1u
/* Partings that are kept, of each pair of threads: of those that are known to be ones, and as many of the others. */
#define CAIRN_DIFF_PARTINGS_MAX 4096u
/* Blocks that are looked at, in each of two threads, for where they meet again. */
#define CAIRN_DIFF_WINDOW (1u << 20)

/* A file with code, or all memory that is no file's. */
struct cairn_diff_object {
    const char *path;                           /* as it was first seen */
    const char *paths[CAIRN_DIFF_SIDES];        /* NULL: not seen there */
    struct cairn_file *files[CAIRN_DIFF_SIDES]; /* NULL: memory */
    uint32_t twin;                              /* the other build of it, or NONE */
};

/* Where a block is in a run, and how often it was executed there. */
struct cairn_diff_seen {
    uint64_t address; /* that it was first seen at */
    struct cairn_place place;
    uint64_t times;
    uint64_t told, taken; /* times that its branch had an outcome, and was taken */
    uint64_t cycles;
    uint64_t hidden; /* times that it was executed opposite to a gap of the other run */
    const struct cairn_arch *arch;
};

/* Consecutive instructions up to a branch, or up to where control went elsewhere without one. */
struct cairn_diff_block {
    uint64_t first, end; /* in the file; end: exclusive */
    uint64_t last;       /* its last instruction */
    uint64_t target;     /* of a direct branch */
    uint64_t content;    /* of memory: a hash of its bytes */
    uint32_t object;
    uint32_t instructions;
    uint8_t isa;
    bool is_branch, is_conditional, is_direct, is_return, is_call;
    uint32_t followers; /* the first of what ever came behind it, if it is no return; 0: nothing */
    uint32_t entered;   /* the name, from 1, of the function that was entered with it first */
    struct cairn_diff_seen seen[CAIRN_DIFF_SIDES];
};

/* A chain of calls: a function, inside of another chain. 0: none. */
struct cairn_diff_chain {
    uint32_t parent;
    uint32_t name;
    uint32_t depth; /* functions in it */
};

/* What came behind a block, and how its chain of calls follows from the block's. */
struct cairn_diff_follower {
    uint32_t token, way;
    uint32_t next; /* of the same block; 0: the last one */
};

/* The same of a return, which goes to where it was called from. */
struct cairn_diff_return {
    uint32_t token, caller; /* the name of the function that called */
    uint32_t followers;
};

/* Of what is packed; to be read it needs nothing in front of it but what it says itself. */
struct cairn_diff_page {
    size_t first;          /* token */
    uint64_t timestamp;    /* in front of its marks */
    uint32_t token, chain; /* in front of its tokens */
    uint32_t used;         /* bits of tokens, bytes of marks */
    uint8_t *bytes;
};
struct cairn_diff_pages {
    struct cairn_diff_page *list;
    size_t count, room;
};

enum cairn_diff_mark_kind {
    CAIRN_MARK_HANDLED = 0,   /* value: instructions of handlers in front of the token */
    CAIRN_MARK_TIMESTAMP = 1, /* value: the timestamp */
    CAIRN_MARK_GAP = 2,       /* value: enum cairn_account */
    CAIRN_MARK_EXCEPTION = 3, /* value: the exception that was taken in front of the token */
    CAIRN_MARK_ELSEWHERE =
        4, /* value: that whose handler returned to the token, not to where it came from */
};
struct cairn_diff_mark {
    size_t token; /* that it stands in front of; a gap: which it is */
    uint64_t value;
    uint32_t kind;
};

struct cairn_diff_thread {
    uint32_t side, source; /* which source of the run, from 0 on */
    uint32_t vmid, context_id;
    bool others; /* there were too many: these are all the others */
    bool is_paired;
    struct cairn_diff_pages tokens; /* block, or GAP, and the chain that it was executed in */
    size_t count;
    struct cairn_diff_pages marks; /* ascending */
    uint64_t instructions;         /* of its flow */
    uint64_t handled;              /* and of handlers */
    uint64_t gaps;
    char ended_in[48]; /* the exception that was being handled when it ended; or "" */
    /* While it is read: */
    uint32_t last_token, last_chain;
    struct cairn_diff_mark last_mark; /* that is not packed yet */
    bool has_mark;
    size_t packed_token;  /* of the mark in front of it */
    uint64_t packed_time; /* the last timestamp that is */
    uint32_t stack;       /* that the chain is of, + 1; 0: none yet */
    uint32_t chain;
    uint64_t above;    /* calls that no chain stands for */
    uint64_t losses;   /* of the source, that are in the tokens */
    uint32_t handlers; /* that are open, one inside of the other */
    uint32_t handler;  /* the outermost of them: in `exceptions` */
    bool after_exception;
    bool is_within;   /* what handles an exception that is apart executed last */
    bool is_taken;    /* an exception was, and nothing was executed since */
    uint32_t pending; /* which, from 1, for a mark of it; 0: none */
    uint64_t back;    /* where what was handled has to go on; 0: not known */
    uint32_t untold;  /* enum diff_untold: of the topmost call, which is not told yet */
    uint64_t timestamp;
    uint64_t cycles; /* of the block that is open, or comes next */
    bool is_open;    /* a block that no branch has ended yet */
    uint8_t isa;
    uint64_t first, end;
    struct cairn_place place;
};

/* An exception, by name; "signal" is what handles a signal. */
struct cairn_diff_exception {
    const char *name;
    bool is_apart; /* not of the flow */
    uint64_t times[CAIRN_DIFF_SIDES];
    uint64_t instructions[CAIRN_DIFF_SIDES]; /* of handlers that are apart */
};

struct cairn_diff_source {
    const char *name;
    struct cairn_config *config; /* a reference */
    uint64_t lost_bytes;
    bool has_cycles;
};

struct cairn_diff_run {
    const char *capture;
    struct cairn_image *image; /* a reference */
    struct cairn_space *space;
    struct cairn_diff_source *sources;
    size_t source_count, source_room;
    struct cairn_diff_thread *threads;
    size_t thread_count, thread_room;
    uint64_t kept;         /* bytes of what is kept of it */
    uint64_t cycles;       /* of blocks of flows */
    uint64_t other_cycles; /* of handlers, and of nothing that was executed */
    uint64_t lost_bytes;
    uint32_t others[CAIRN_DIFF_OTHERS]; /* contexts of what was executed and is not wanted */
    size_t other_count;
    bool is_full; /* there was more than is kept */
    bool has_cycles;
};

/* A place in a thread's flow: a token, and how many of its instructions are in front. */
struct cairn_diff_point {
    size_t token;
    uint32_t skip;
};

enum cairn_diff_parting_kind {
    CAIRN_PARTING_WAYS = 0,  /* control went different ways */
    CAIRN_PARTING_END = 1,   /* one of them ended */
    CAIRN_PARTING_GAP = 2,   /* a gap of one of them, or of both: nobody knows */
    CAIRN_PARTING_START = 3, /* the traces begin at different places: nobody knows */
    CAIRN_PARTING_LIMIT = 4, /* what is behind it was not kept of one of them: nobody knows */
};

/* What is not in common: from a token, and instructions of it that are in common all the same, up to another one. */
struct cairn_diff_parting {
    uint32_t kind;
    bool meets;   /* they go on together behind it */
    bool has_gap; /* within it the trace has gaps */
    struct cairn_diff_point from[CAIRN_DIFF_SIDES], to[CAIRN_DIFF_SIDES];
    uint64_t instructions[CAIRN_DIFF_SIDES]; /* inside of it */
    uint64_t before[CAIRN_DIFF_SIDES];       /* of the thread, handlers too, in front of it */
};

/* Why two threads are compared: what they have in common that tells them from others. The higher, the surer. */
enum cairn_diff_rule {
    CAIRN_DIFF_BY_ORDER = 1,   /* in which they came */
    CAIRN_DIFF_BY_SOURCE = 2,  /* and sources of one name */
    CAIRN_DIFF_BY_CONTEXT = 3, /* and the same context */
};

/* Two threads that are compared, or one that has no counterpart (NONE). */
struct cairn_diff_pair {
    uint32_t threads[CAIRN_DIFF_SIDES];
    uint32_t rule; /* enum cairn_diff_rule */
    struct cairn_diff_parting *partings;
    size_t parting_count, parting_room;
    size_t kept[2];    /* of those that are not known to be ones, and of those that are */
    uint64_t ways;     /* partings, but those that are not known to be ones */
    uint64_t unknowns; /* those */
    uint64_t common[CAIRN_DIFF_SIDES]; /* instructions: by lines, they need not be as many */
    uint64_t own[CAIRN_DIFF_SIDES];    /* in one only */
    uint64_t hidden
        [CAIRN_DIFF_SIDES]; /* opposite to a gap or to what was before a trace began, or not compared */
    uint64_t nameless[CAIRN_DIFF_SIDES]; /* by lines: of code that nothing names */
    bool differs;  /* by lines: one of them executed more instructions somewhere */
    bool by_lines; /* they were compared by functions and lines */
    bool gave_up;  /* the rest was not aligned: too much is different */
};

struct cairn_diff {
    /* Set by the caller: */
    bool with_exceptions; /* handlers are of the flow */
    bool (*stops)(void);  /* whether to give up; NULL: never */
    /* Its own: */
    struct cairn_arena arena;
    struct cairn_diff_run runs[CAIRN_DIFF_SIDES];
    struct cairn_diff_object *objects;
    size_t object_count, object_room;
    struct cairn_diff_block *blocks; /* 0: none */
    size_t block_count, block_room;
    struct cairn_table by_block;
    struct cairn_diff_follower *followers; /* 0: none */
    size_t follower_count, follower_room;
    struct cairn_diff_return *returns;
    size_t return_count, return_room;
    struct cairn_table by_return;
    struct cairn_diff_unpacked *unpacked[CAIRN_DIFF_SIDES]; /* what was looked at last */
    struct cairn_diff_chain *chains;
    size_t chain_count, chain_room;
    struct cairn_table by_chain;
    const char **names; /* of functions in chains */
    size_t name_count, name_room;
    struct cairn_table by_name;
    struct cairn_diff_exception *exceptions;
    size_t exception_count, exception_room;
    struct cairn_diff_pair *pairs;
    size_t pair_count, pair_room;
    bool has_builds; /* some file is of two builds */
};

CAIRN_MUST_CHECK cairn_status cairn_diff_begin(struct cairn_diff *diff);
void cairn_diff_free(struct cairn_diff *diff);

/* A run begins. The texts must live as long as the comparison. */
CAIRN_MUST_CHECK cairn_status cairn_diff_run(struct cairn_diff *diff, unsigned side,
                                             const char *capture, struct cairn_image *image);

/* What reads one source. `wanted`: the context ID whose thread alone counts; NULL: all do. */
struct cairn_diff_reader;
CAIRN_MUST_CHECK cairn_status cairn_diff_reader_new(struct cairn_diff *diff, unsigned side,
                                                    const char *source, struct cairn_config *config,
                                                    const uint32_t *wanted,
                                                    struct cairn_diff_reader **reader);
struct cairn_consumer cairn_diff_reader_consumer(struct cairn_diff_reader *reader);
/* The source has ended. */
CAIRN_MUST_CHECK cairn_status cairn_diff_reader_end(struct cairn_diff_reader *reader,
                                                    uint64_t lost_bytes);
void cairn_diff_reader_free(struct cairn_diff_reader *reader); /* NULL is fine */

/* Both runs were read: pairs their threads and aligns them. */
CAIRN_MUST_CHECK cairn_status cairn_diff_settle(struct cairn_diff *diff);

/* --- between the files of this --- */

/* Appends a token to a thread: diff_kept.c; a mark in front of one, which stays to be merged with the next one until it
 * is flushed: diff_marks.c. */
CAIRN_MUST_CHECK cairn_status cairn_diff_add_token(struct cairn_diff *diff,
                                                   struct cairn_diff_run *run,
                                                   struct cairn_diff_thread *thread,
                                                   uint32_t token);
CAIRN_MUST_CHECK cairn_status cairn_diff_add_mark(struct cairn_diff_run *run,
                                                  struct cairn_diff_thread *thread, uint32_t kind,
                                                  uint64_t value, size_t token);
CAIRN_MUST_CHECK cairn_status cairn_diff_flush_mark(struct cairn_diff_run *run,
                                                    struct cairn_diff_thread *thread);
CAIRN_MUST_CHECK cairn_status cairn_diff_new_unpacked(struct cairn_diff *diff);
/* Trace units have names of their own for these. */
const char *cairn_diff_exception_name(const struct cairn_config *config, uint64_t type);
/* Which exception has that name. */
CAIRN_MUST_CHECK cairn_status cairn_diff_find_exception(struct cairn_diff *diff, const char *name,
                                                        uint32_t *found);
/* The block of a run's code from `address` to `end` under the place that is selected in its space. */
CAIRN_MUST_CHECK cairn_status cairn_diff_block_of(struct cairn_diff *diff, unsigned side,
                                                  const struct cairn_arch *arch, enum cairn_isa isa,
                                                  uint64_t address, uint64_t end, uint32_t *block);
/* The same file, or files of the same build, are one object. diff_blocks.c. */
CAIRN_MUST_CHECK cairn_status cairn_diff_chain_of(struct cairn_diff *diff, uint32_t parent,
                                                  const char *name, uint32_t *chain);
/* The chain of a function, by the number of its name, inside of another one; 0: there is none. */
uint32_t cairn_diff_find_chain(const struct cairn_diff *diff, uint32_t parent, uint32_t name);
/* Which files are two builds of the same. */
void cairn_diff_find_twins(struct cairn_diff *diff);

static inline struct cairn_diff_thread *
cairn_diff_thread_of(struct cairn_diff *diff, const struct cairn_diff_pair *pair, unsigned side)
{
    return pair->threads[side] == CAIRN_DIFF_NONE ? NULL
                                                  : &diff->runs[side].threads[pair->threads[side]];
}

#endif
