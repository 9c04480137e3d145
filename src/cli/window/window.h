/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a source's flow that a listing has: its last or first instructions, those of a
 * function, those around an event, those between two times. It stands between a stream and its
 * report: records go in, and those of the part, or pieces of them, come out.
 *
 * What --last and --first count are the part's units: visits of a function, events, and without
 * either instructions. */
#ifndef CAIRN_CLI_WINDOW_WINDOW_H
#define CAIRN_CLI_WINDOW_WINDOW_H

#include <cairn/engine.h>

#include "cli/command.h"
#include "cli/window/piece.h"
#include "cli/window/where.h"

#define CLI_AROUND_CONTEXT 20u /* instructions, if --context does not say */
#define CLI_AROUND_MOST 1000000u

enum cli_choice_kind {
    CLI_CHOICE_ALL = 0,
    CLI_CHOICE_FUNCTION = 1,
    CLI_CHOICE_ADDRESS = 2,   /* around each execution of an address */
    CLI_CHOICE_EXCEPTION = 3, /* around each exception, or each of a name */
    CLI_CHOICE_CRASH = 4,     /* around the last fault */
};

/* What was asked for, the same for all sources. */
struct cli_choice {
    enum cli_choice_kind kind;
    struct cli_place *places; /* of FUNCTION and ADDRESS */
    size_t place_count;
    const char *exception; /* NULL: any */
    uint64_t context;
    bool between;
    uint64_t time_from, time_to;
};

/* Reads the options' part; false after a message. Free it in every case. (cli/window/plan.c) */
bool cli_choice_make(struct cli_session *session, struct cli_choice *choice);
void cli_choice_free(struct cli_choice *choice);

/* That a source has nothing of it, as a sentence. */
const char *cli_choice_nothing(const struct cli_choice *choice);

/* Whether units of it are what flow's events alone tell: counting finds them. */
static inline bool cli_choice_is_of_events(const struct cli_choice *choice)
{
    return choice->kind == CLI_CHOICE_EXCEPTION || choice->kind == CLI_CHOICE_CRASH;
}

/* For a pipeline: whether a block's ranges are of the choice, so that others need only be counted. Of
 * a CLI_CHOICE_FUNCTION. */
bool cli_choice_wants(void *choice, const struct cairn_code_block *block);

/* Where the pieces of a part go. */
struct cli_window_out {
    /* `apart`: something that is not listed lies between it and the piece before. */
    void (*piece)(void *context, struct cli_piece *piece, bool apart);
    void *context;
};

struct cli_window {
    const struct cli_choice *choice;
    const struct cli_window_out *out; /* NULL: units are only counted */
    struct cairn_config *config;
    struct cairn_code *code;

    /* The part is this of what comes: from the first record of a packet at `from` or behind it on,
     * `skip` units left out, then `most`. */
    uint64_t from;
    uint64_t skip;
    uint64_t most;
    bool rises; /* so do timestamps: the part ends behind the last */
    uint64_t units;
    uint64_t executed;      /* instructions */
    uint64_t first_context; /* of these, those before the first unit */

    bool live;
    bool done; /* nothing more is of the part */
    bool time_known;
    uint64_t time;

    bool inside; /* FUNCTION: so was the last instruction */
    bool begun;  /* an instruction was listed, or all are from the beginning on */
    struct cli_piece
        last; /* FUNCTION: the last range that was inside at its end; none: no instructions */
    uint64_t behind; /* AROUND: so many instructions more are listed */
    uint64_t listed; /* pieces */
    bool apart;

    struct cli_piece *kept; /* AROUND: what may turn out to be before an event, in a ring */
    size_t kept_capacity;   /* a power of two */
    size_t kept_first, kept_count;
    uint64_t kept_instructions;

    bool has_context;
    uint64_t context_address, context_value;
};

/* Zero the rest: `from`, `skip`, `most` are then set. CAIRN_E_MEMORY. */
cairn_status cli_window_begin(struct cli_window *window, const struct cli_choice *choice,
                              struct cairn_config *config, struct cairn_code *code,
                              const struct cli_window_out *out);
void cli_window_end(struct cli_window *window); /* zeroed is fine */

/* The next record. */
void cli_window_take(struct cli_window *window, const struct cairn_flow_batch *batch, size_t index);

/* Whether the next record may be listed though nothing that is looked for is in it: that of an event in a
 * function, or of an instruction behind what is looked for. */
bool cli_window_goes_on(const struct cli_window *window);

/* What comes is left out, with at least an instruction in it, up to the first record of a packet at
 * `from` or behind it. The window does not go on. */
void cli_window_leave_out(struct cli_window *window, uint64_t from);

#endif
