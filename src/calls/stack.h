/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of a source's threads. Addresses say what happens to them: a return goes to where a frame
 * is to return to, and whatever is above that frame has ended; a jump to a function's beginning is a
 * call in the place of the function that jumps; one into the midst of a function is that of longjmp or
 * of an unwinder, and goes to a frame of that function: of several to the one whose call an exception
 * lands there from, as the program's tables say. */
#ifndef CAIRN_CALLS_STACK_H
#define CAIRN_CALLS_STACK_H

#include <cairn/calls.h>

#include "calls/known.h"

/* Frames behind a gap that are remembered, for a return into one of them. */
#define CAIRN_GHOSTS_MAX 1024u
/* Threads that have such frames; those of others are not found again. */
#define CAIRN_REMEMBERING_MAX 1024u
/* How many frames are looked at for an address that is not the one of the topmost. */
#define CAIRN_SEARCH_MAX 4096u
/* A stub: what linkers and loaders put between a call and a function has no more instructions. */
#define CAIRN_STUB_INSTRUCTIONS_MAX 32u
/* Places that setjmp returned to, the last ones. */
#define CAIRN_LANDINGS_MAX 64u

struct cairn_call_frame {
    uint64_t address; /* of its first instruction */
    uint64_t site;
    uint64_t behind;                /* where it returns to; 0: not known */
    struct cairn_call_moment began; /* `cycles` for a sink; who counts goes by */
    uint64_t code_cycles;           /* cairn_call_code_cycles, when it began */
    uint32_t function;
    uint32_t now; /* function of the code that it executes: a part of it, or what it ran into */
    uint32_t exception;
    uint32_t context; /* of the stack up to it (calls/contexts.h); 0: not known, or not told */
    uint8_t kind;     /* enum cairn_call_kind */
    bool handles;     /* an exception or a signal: it ends by an exception return */
    bool is_told;
    bool is_setjmp;
    bool is_lowest;   /* of those that one gap cut */
    bool is_doubtful; /* it may be another stack's, or that stack may have executed meanwhile */
};

struct cairn_call_landing {
    uint64_t address;
    size_t depth; /* frames, the topmost of which called setjmp */
};

/* Behind an exception return to where several stacks of the context were interrupted one of them is taken for it. What
 * it returns to tells: up to then its calls may be another one's. */
struct cairn_call_doubt {
    uint64_t at;   /* where it went on */
    size_t all;    /* frames that it had then, */
    size_t passed; /* that it has returned from since, */
    size_t frames; /* and that it has still: these may be another's. 0: there is no doubt */
    uint64_t instructions, cycles, code_cycles; /* of the thread, then */
};

struct cairn_call_parked;

/* A stack: one of those that take turns in a context, if there are several (calls/switches.h). */
struct cairn_call_thread {
    uint32_t id, vmid, context_id, life;
    uint32_t first; /* `id` of the context's first stack */
    uint32_t stack; /* which of these it is, from 0 on */
    uint64_t instructions;
    uint64_t others_cycles;   /* of the source's, those that are not its */
    uint64_t cycles;          /* its own, while it does not execute */
    uint64_t codeless_cycles; /* of its own, those of no code that is known */
    /* How the last block was left. */
    uint8_t way;  /* enum cairn_call_way */
    bool is_lost; /* and there is a gap behind it */
    bool called;  /* AWAY: it was a call whose code has no memory */
    uint32_t account;
    uint64_t gaps; /* of the source, that are known here */
    uint64_t site, behind;
    struct cairn_call_moment left; /* when it went away, if it was told to */
    bool has_left;

    uint32_t now; /* of the topmost frame; UINT32_MAX without one */
    struct cairn_call_frame *frames;
    size_t depth, capacity;
    size_t held; /* frames at the bottom that are not returned from at once: 1, or those in doubt */
    struct cairn_call_frame *ghosts;
    size_t ghost_count;
    struct cairn_call_landing landings[CAIRN_LANDINGS_MAX];
    size_t landing_count;

    struct cairn_call_parked *parked; /* of the one that executes: the context's others, or NULL */
    struct cairn_call_doubt doubt;
    bool is_parked;   /* another one executes, or did last; then: */
    uint64_t resumes; /* where it was interrupted; 0: not known */
    size_t agreed;    /* frames that could have been returned from, in place of one in doubt */
};

/* What a counter counts of a word: instructions of one of its nodes, and with CALLED that it was called. */
#define CAIRN_CALL_EFFECT_CALLED (UINT32_C(1) << 31)
struct cairn_call_effect {
    uint32_t node;
    uint32_t instructions;
};
struct cairn_call_effects {
    struct cairn_call_effect *list;
    size_t count, room;
    bool called; /* the node that is being counted for; it is told with its instructions */
    bool failed; /* what was counted is no list of effects */
};

/* Who only counts calls is told no more than that one begins or ends, before a sink is. */
struct cairn_call_counter {
    void *context;
    cairn_status (*enter)(void *context, const struct cairn_call_thread *thread,
                          const struct cairn_call_frame *frame);
    /* `cycles`: of the thread, by now, but for those of no code that is known: of these nothing is counted, as of blocks. */
    cairn_status (*leave)(void *context, const struct cairn_call_thread *thread, uint64_t cycles);
    /* What counts alike each time that the same is called: what a word does is remembered (calls/memo.h). NULL: it
     * is not. What was executed up to a moment is counted; returns the node that it was counted for, which depends
     * on nothing but the stack. 0: there is none. */
    uint32_t (*settle)(void *context, const struct cairn_call_thread *thread, uint64_t instructions,
                       uint64_t cycles);
    /* Goes on with a node at a moment, without counting what is between. */
    void (*resume)(void *context, const struct cairn_call_thread *thread, uint32_t node,
                   uint64_t instructions);
    /* Notes what is counted from here on; NULL: no more. */
    void (*note)(void *context, struct cairn_call_effects *effects);
    /* Counts what was noted so many times more. */
    void (*repeat)(void *context, const struct cairn_call_effect *effects, size_t count,
                   uint64_t times);
};

struct cairn_call_totals;
struct cairn_call_threads;

struct cairn_stacks {
    struct cairn_calls_sink sink;
    struct cairn_call_counter counter; /* `enter` NULL: none */
    struct cairn_call_totals *totals;  /* or NULL; without a counter */
    /* Where an exception lands that passes the call at an address; *landing is 0 where it passes through.
     * False: it is not known. NULL: of no call is. */
    bool (*lands)(void *context, uint64_t site, uint64_t *landing);
    void *lands_context;
    const struct cairn_functions *functions;
    const struct cairn_calls_watch *watch; /* or NULL */
    struct cairn_call_moment now; /* but for `instructions` and `cycles`, which are a thread's */
    uint8_t EL;
    struct cairn_call_threads *threads; /* of the source; NULL: a context has one stack */
    uint64_t gaps;                      /* in which any thread may have executed */
    uint32_t gap_account;               /* of the last one */
    bool is_m_profile;
    bool
        misses_exceptions; /* of an exception that another one follows at once the trace has nothing (MTB) */
    size_t room;           /* for frames of all threads, but the first ones of each */
    size_t remembering; /* threads that have ghosts */
    bool is_special; /* what was done depended on more than frames. Set here, cleared by others, */
    bool
        is_changed; /* as is this: what was done before is not what would be done now with the same frames */
    uint64_t landed[CAIRN_LANDINGS_MAX]; /* addresses that some setjmp returned to, each once */
    size_t landed_count;                 /* MAX: any address may be one */
};

/* A block that is executed next, and how control came there. */
struct cairn_call_step {
    uint64_t address;
    uint64_t site, behind; /* of the block before it */
    uint32_t function;
    uint8_t way;
    bool starts;
    bool lands; /* exceptions land there */
};

/* Frames that are in doubt, or not, are held. */
static inline void cairn_call_hold(struct cairn_call_thread *thread)
{
    thread->held = thread->doubt.frames > 1 ? thread->doubt.frames : 1;
}

/* Now, of a thread. */
struct cairn_call_moment cairn_stacks_moment(const struct cairn_stacks *stacks,
                                             const struct cairn_call_thread *thread);

/* Control goes on at a block. */
CAIRN_MUST_CHECK cairn_status cairn_stacks_go(struct cairn_stacks *stacks,
                                              struct cairn_call_thread *thread,
                                              const struct cairn_call_step *step);
/* An exception is taken; what led to `back`, where it is to return to, has been told by
 * cairn_stacks_go. 0: it is not known, and behind a gap neither is the stack. */
CAIRN_MUST_CHECK cairn_status cairn_stacks_except(struct cairn_stacks *stacks,
                                                  struct cairn_call_thread *thread, uint64_t back,
                                                  uint32_t type);
/* Of the M profile: the exception that is being returned from is followed by another one at once, with nothing
 * in between and the same place to go back to (tail-chaining). */
CAIRN_MUST_CHECK cairn_status cairn_stacks_chain(struct cairn_stacks *stacks,
                                                 struct cairn_call_thread *thread, uint32_t type);
/* The source has ended: ends all calls. */
CAIRN_MUST_CHECK cairn_status cairn_stacks_end(struct cairn_stacks *stacks,
                                               struct cairn_call_thread *thread);

#endif
