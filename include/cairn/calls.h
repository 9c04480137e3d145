/* SPDX-License-Identifier: BSD-2-Clause */
/* The call stack of every thread of a source: who called whom, from where, for how long. A consumer of
 * a pipeline (<cairn/pipeline.h>) that tells each call when it begins and when it ends. */
#ifndef CAIRN_CALLS_H
#define CAIRN_CALLS_H

#include <cairn/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call began. The list is open. */
enum cairn_call_kind {
    CAIRN_CALL_FOUND = 0,     /* it was running when its thread was first seen, or behind a gap */
    CAIRN_CALL_CALLED = 1,    /* by a Branch with Link */
    CAIRN_CALL_JUMPED_TO = 2, /* a tail call: it is in the place of the function that jumped */
    CAIRN_CALL_EXCEPTION = 3, /* an exception or interrupt, and what handles it */
    CAIRN_CALL_SIGNAL = 4,    /* a signal's handler, of a program traced without its kernel */
    CAIRN_CALL_RESUMED =
        5, /* it was cut by a gap, and a return into its caller or itself was seen */
};

/* How it ended. The list is open. */
enum cairn_call_end {
    CAIRN_CALL_RETURNED = 0,
    CAIRN_CALL_JUMPED = 1,  /* to the next function, which is in its place */
    CAIRN_CALL_UNWOUND = 2, /* control went to a caller's caller: longjmp, a C++ exception */
    CAIRN_CALL_CUT = 3,     /* the trace has a gap there */
    CAIRN_CALL_OPEN = 4,    /* it was running when the source ended */
    CAIRN_CALL_SWITCHED =
        5, /* control went to another stack, of which it is not known whose calls are on it: how long it took is not known */
};

struct cairn_call_moment {
    uint64_t instructions; /* of the thread, executed before */
    uint64_t executed;     /* of the source */
    uint64_t cycles;       /* of the thread, as far as the trace has told them */
    uint64_t total_cycles; /* of the source */
    uint64_t timestamp;    /* the last one; 0: none yet */
};

/* A call. Members behind `size` may be added. */
struct cairn_call {
    size_t size;        /* of this structure, as the library has it */
    uint32_t thread;    /* for cairn_calls_thread */
    uint32_t depth;     /* calls that it is inside of, as far as they are known */
    uint32_t kind;      /* enum cairn_call_kind */
    uint32_t end;       /* enum cairn_call_end; when it begins CAIRN_CALL_OPEN */
    uint32_t function;  /* for cairn_calls_function: of an exception its handler; 0: not known */
    uint32_t exception; /* CAIRN_CALL_EXCEPTION, SIGNAL: the exception's type */
    uint64_t address;   /* of its first instruction seen; 0: none was */
    uint64_t site;      /* of the instruction that called; of an exception where it goes back to */
    uint64_t return_address; /* 0: not known */
    struct cairn_call_moment began;
    struct cairn_call_moment ended; /* when it begins: as `began` */
    uint32_t EL; /* exception level then, where it begins or ends; 0 where the trace has none */
};

/* Who is told. A member that is NULL is not called; anything but CAIRN_OK ends the source with that
 * status. Of each thread calls end in the reverse order of their beginning. */
struct cairn_calls_sink {
    size_t size; /* of this structure */
    void *context;
    cairn_status (*enter)(void *context, const struct cairn_call *call);
    cairn_status (*leave)(void *context, const struct cairn_call *call);
    /* What a thread did is not known here: `account` as in a gap of the flow (enum cairn_account), or 0
     * where the trace itself said that it did not go on. The calls that were open have ended. */
    cairn_status (*gap)(void *context, uint32_t thread, uint32_t account,
                        const struct cairn_call_moment *moment);
};

/* Calls of a thread that are kept: deeper ones are cut as at a gap. */
#define CAIRN_CALLS_DEPTH_MAX 65536u
/* And of all threads of a source, beyond the first 64 of each: a thread that needs more is cut
 * likewise. */
#define CAIRN_CALLS_FRAMES_MAX (1u << 20)
/* Threads of a source; the rest are one more. */
#define CAIRN_CALLS_THREADS_MAX 16384u

struct cairn_calls;

/* For one source: its pipeline must have the same configuration and image, and should have
 * CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES, with which no record of a range is made. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_calls_new(struct cairn_config *config,
                                                        struct cairn_image *image,
                                                        const struct cairn_calls_sink *sink,
                                                        struct cairn_calls **calls);
CAIRN_API void cairn_calls_free(struct cairn_calls *calls); /* NULL is fine */

/* For cairn_pipeline_add. */
CAIRN_API struct cairn_consumer cairn_calls_consumer(struct cairn_calls *calls);

/* A function as calls name it. Set `size`. */
struct cairn_calls_function {
    size_t size;        /* of this structure */
    const char *name;   /* its symbol; NULL: code without one */
    const char *object; /* the file that it is of, or NULL */
    uint64_t address;   /* its beginning, of the first place that it was seen at; 0: not known */
};
/* The texts are valid as long as the image. CAIRN_E_NOT_FOUND: there is no such function. */
CAIRN_API cairn_status cairn_calls_function(const struct cairn_calls *calls, uint32_t function,
                                            struct cairn_calls_function *text);

/* A thread: what the trace tells apart by its context, and there by what exceptions return to. Set `size`. */
struct cairn_calls_thread {
    size_t size; /* of this structure */
    uint32_t vmid;
    uint32_t context_id;
    bool others; /* there were more than CAIRN_CALLS_THREADS_MAX: these are all the others */
    uint32_t
        stack; /* which of those that take turns in its context, from 0 on: tasks of a real-time kernel */
};
CAIRN_API cairn_status cairn_calls_thread(const struct cairn_calls *calls, uint32_t thread,
                                          struct cairn_calls_thread *text);

#ifdef __cplusplus
}
#endif
#endif
