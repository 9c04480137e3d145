/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole recording as tables, for questions of one's own.
 *   export.c          what comes in the order of time: calls, exceptions, events, gaps, ranges
 *   export_kept.c     the same that is added up, out of counts
 *   export_places.c   binaries, functions, threads and their numbers
 *   export_counts.c   what is added up: functions, lines, instructions, branches, jumps, the call tree
 *   export_schema.c   the tables, their columns, and the views
 *   export_sqlite.c   rows into an SQLite database; export_csv.c: into files */
#ifndef CAIRN_REPORT_EXPORT_H
#define CAIRN_REPORT_EXPORT_H

#include <cairn/capture.h>

#include "report/counts_give.h"
#include "report/coverage.h"
#include "report/naming.h"
#include "report/profile.h"

/* Grows when a table or column goes or changes its meaning. */
#define CAIRN_EXPORT_SCHEMA 1

enum cairn_export_table {
    CAIRN_EXPORT_META = 0,
    CAIRN_EXPORT_CONTENTS,
    CAIRN_EXPORT_SOURCES,
    CAIRN_EXPORT_ACCOUNTS,
    CAIRN_EXPORT_THREADS,
    CAIRN_EXPORT_BINARIES,
    CAIRN_EXPORT_SOURCE_FILES,
    CAIRN_EXPORT_FUNCTIONS,
    CAIRN_EXPORT_LINES,
    CAIRN_EXPORT_INSTRUCTIONS,
    CAIRN_EXPORT_BRANCHES,
    CAIRN_EXPORT_JUMPS,
    CAIRN_EXPORT_CALL_TREE,
    CAIRN_EXPORT_CALLS,
    CAIRN_EXPORT_EXCEPTIONS,
    CAIRN_EXPORT_EVENTS,
    CAIRN_EXPORT_GAPS,
    CAIRN_EXPORT_RANGES,
    CAIRN_EXPORT_TABLES /* how many */
};

/* --- the schema --- */

struct cairn_export_column {
    const char *name;
    const char *rest; /* type and constraints, as SQL */
};
#define CAIRN_EXPORT_COLUMNS_MAX 24u
struct cairn_export_schema {
    const char *name;
    const struct cairn_export_column *columns; /* ended by one without a name */
    const char *key;                           /* a constraint of several columns, or NULL */
    const char *index; /* what is indexed when all rows are there: "a; b, c", or NULL */
    bool is_chosen;    /* --tables chooses it; others are always there */
    bool grows;        /* with the time that was recorded, so that it is bounded */
};
extern const struct cairn_export_schema cairn_export_schemas[CAIRN_EXPORT_TABLES];

struct cairn_export_view {
    const char *name, *query;
};
extern const struct cairn_export_view cairn_export_views[]; /* ended by one without a name */

/* --- rows --- */

enum cairn_export_kind {
    CAIRN_EXPORT_NULL = 0,
    CAIRN_EXPORT_NUMBER = 1, /* 64 bits; above 2^63 it is negative there */
    CAIRN_EXPORT_WORD = 2,   /* a text that stays */
    CAIRN_EXPORT_TEXT = 3,   /* of anybody: it need not be UTF-8 */
};
struct cairn_export_value {
    uint32_t kind;
    uint64_t number;
    const char *text;
};

/* Where rows go. */
struct cairn_export_writer {
    void *context;
    cairn_status (*row)(void *context, enum cairn_export_table table,
                        const struct cairn_export_value *values, size_t count);
    /* All rows are there. */
    cairn_status (*finish)(void *context);
    /* Ends it, whatever was written; NULL context is fine. */
    void (*close)(void *context);
    /* What went wrong, or "". */
    const char *(*why)(void *context);
};
/* export_sqlite.c: into a new file at `path`. CAIRN_E_UNSUPPORTED: SQLite is not there. */
CAIRN_MUST_CHECK cairn_status cairn_export_sqlite(const char *path,
                                                  struct cairn_export_writer *writer,
                                                  struct cairn_error *error);
/* export_csv.c: a file TABLE.csv for each into the empty folder at `path`. */
CAIRN_MUST_CHECK cairn_status cairn_export_csv(const char *path, struct cairn_export_writer *writer,
                                               struct cairn_error *error);

/* --- what is exported --- */

/* Of a function: its numbers are added up from all places that it was loaded at. */
struct cairn_export_function {
    uint64_t id;
    uint32_t binary;
    bool is_named;
    uint64_t address;   /* in the binary */
    const char *symbol; /* or NULL */
    struct cairn_profile_function totals;
    uint32_t covered;    /* function of the coverage; CAIRN_COVERAGE_NONE: none */
    uint64_t end;        /* 0: not known */
    uint32_t file, line; /* of the coverage's files; NONE */
};
struct cairn_export_binary {
    uint64_t id;
    const char *path;
    const char *build_id; /* or NULL */
    bool is_file;         /* false: memory that is no file's */
};
/* What the trace tells apart in a source. */
struct cairn_export_thread {
    uint32_t source;
    uint32_t vmid, context_id;
    bool is_known; /* false: no context was told yet, or there are too many */
    bool is_used;
};
#define CAIRN_EXPORT_THREADS_MAX 65536u

/* A taken branch, in binaries. */
struct cairn_export_jump {
    uint64_t from_binary, to_binary; /* 0: of none */
    uint64_t from, to;
    uint64_t count;
    uint32_t flags; /* CAIRN_INSN_... */
    bool is_indirect, has_target;
};

struct cairn_export_stack { /* ids of the calls of a thread that are open */
    uint64_t *list;
    size_t count, room;
};

struct cairn_export_gap {
    uint32_t account;
    uint32_t thread;
    uint64_t at, offset, end, file_offset, address, bytes, packets, cycles, timestamp;
};

/* Around an address it is the same binary. */
struct cairn_export_stretch {
    uint64_t first, last, bias;
    uint32_t binary; /* 0: none */
};

/* Places of ranges that were looked up last, by address: loops go through the same ones. */
#define CAIRN_EXPORT_SPOTS 4096u
struct cairn_export_spot {
    uint64_t address;
    uint32_t binary, function;
    uint32_t era; /* of the memory; 0: none */
};

struct cairn_export {
    /* Set by the caller: */
    struct cairn_export_writer writer;
    struct cairn_capture *capture; /* NULL: of counts */
    const char *capture_name;      /* of the source that is being added */
    bool wanted[CAIRN_EXPORT_TABLES];
    uint64_t most; /* rows of each table that grows; 0: any number */
    bool of_program;
    bool (*is_stopped)(void); /* whether to end a source where it is; or NULL */
    /* Its own: */
    uint64_t rows[CAIRN_EXPORT_TABLES], left_out[CAIRN_EXPORT_TABLES];
    struct cairn_arena arena;
    struct cairn_space *space;
    struct cairn_naming *naming;
    struct cairn_profiled profile;
    struct cairn_calls_sink sink;
    struct cairn_coverage coverage;
    struct cairn_export_binary *binaries; /* 0 is none */
    size_t binary_count, binary_room;
    struct cairn_export_function *functions; /* 0 is none */
    size_t function_count, function_room;
    struct cairn_export_thread *threads; /* 0 is none */
    size_t thread_count, thread_room;
    struct cairn_table by_path, by_function, by_thread, by_id, by_binary_id;
    uint32_t *function_of; /* by the profile's number */
    size_t function_of_count;
    struct cairn_export_jump *jumps;
    size_t jump_count, jump_room;
    uint64_t jumps_left_out;
    struct cairn_counted *counted;
    bool is_failed; /* a row could not be written */
    /* Of the source that is being added: */
    struct cairn_pipeline *pipeline;
    struct cairn_config *config;
    unsigned tells;
    uint32_t source;       /* index in the capture */
    uint32_t first_thread; /* before a context was told */
    uint32_t thread;       /* the one that executes */
    uint32_t seen_thread;  /* the same, of what is looked at ahead */
    struct cairn_place place;
    bool has_context;
    bool has_words;
    uint64_t at, cycles, timestamp, first_timestamp;
    struct cairn_export_gap gap;       /* bytes 0: none */
    struct cairn_export_stack *stacks; /* by the thread's number in the source's calls */
    size_t stack_count;
    uint64_t call_count; /* of all sources */
    uint64_t space_identity, space_from, space_until;
    struct cairn_export_stretch stretch;
    uint32_t era; /* of the memory that is selected in the space */
    struct cairn_export_spot *spots;
};

/* What became of a source. */
struct cairn_export_outcome {
    const char *state;                 /* "decoded", "stopped", "failed", "left out" */
    const struct cairn_ledger *ledger; /* NULL: it was not begun */
    uint64_t lost_bytes;
};

CAIRN_MUST_CHECK cairn_status cairn_export_begin(struct cairn_export *data);
/* A source's pipeline, which must be without CAIRN_PIPELINE_COUNTS, before it runs. */
CAIRN_MUST_CHECK cairn_status cairn_export_source(struct cairn_export *data,
                                                  const struct cairn_source_info *info,
                                                  struct cairn_pipeline *pipeline);
/* And when it has ended. */
CAIRN_MUST_CHECK cairn_status cairn_export_source_end(struct cairn_export *data,
                                                      const struct cairn_source_info *info,
                                                      const struct cairn_export_outcome *outcome);
/* A source that has no pipeline. */
CAIRN_MUST_CHECK cairn_status cairn_export_source_row(struct cairn_export *data, size_t source,
                                                      const struct cairn_source_info *info,
                                                      const struct cairn_export_outcome *outcome);
CAIRN_MUST_CHECK cairn_status cairn_export_meta(struct cairn_export *data, const char *key,
                                                const char *value);
/* In place of cairn_export_begin and of sources: what counts have. CAIRN_E_FORMAT: they do not hold together. */
CAIRN_MUST_CHECK cairn_status
cairn_export_kept(struct cairn_export *data, struct cairn_counts_given *given,
                  uint64_t (*lost_bytes)(const struct cairn_ledger *ledger));
/* All that is added up, and the tables' sizes; then the writer is finished. */
CAIRN_MUST_CHECK cairn_status cairn_export_end(struct cairn_export *data);
void cairn_export_free(struct cairn_export *data);

/* --- between the files of the export --- */

static inline struct cairn_export_value cairn_export_number(uint64_t number)
{
    return (struct cairn_export_value){.kind = CAIRN_EXPORT_NUMBER, .number = number};
}
static inline struct cairn_export_value cairn_export_number_if(bool is_known, uint64_t number)
{
    return (struct cairn_export_value){.kind = is_known ? CAIRN_EXPORT_NUMBER : CAIRN_EXPORT_NULL,
                                       .number = number};
}
static inline struct cairn_export_value cairn_export_word(const char *text)
{
    return (struct cairn_export_value){.kind = text ? CAIRN_EXPORT_WORD : CAIRN_EXPORT_NULL,
                                       .text = text};
}
static inline struct cairn_export_value cairn_export_text(const char *text)
{
    return (struct cairn_export_value){.kind = text ? CAIRN_EXPORT_TEXT : CAIRN_EXPORT_NULL,
                                       .text = text};
}

/* Writes a row of a table that is wanted, if there is room for it. */
CAIRN_MUST_CHECK cairn_status cairn_export_row(struct cairn_export *data,
                                               enum cairn_export_table table,
                                               const struct cairn_export_value *values,
                                               size_t count);

/* export_places.c */
/* The binary with the code at an address of a place, and its address there; 0: none is known. */
CAIRN_MUST_CHECK cairn_status cairn_export_locate(struct cairn_export *data,
                                                  const struct cairn_place *place, uint64_t address,
                                                  uint32_t *binary, uint64_t *in_binary);
/* The same, and the function there. */
CAIRN_MUST_CHECK cairn_status cairn_export_spot_of(struct cairn_export *data,
                                                   const struct cairn_place *place,
                                                   uint64_t address, uint32_t *binary,
                                                   uint32_t *function);
CAIRN_MUST_CHECK cairn_status cairn_export_binary_of(struct cairn_export *data, const char *path,
                                                     const char *build_id, bool is_file,
                                                     uint32_t *binary);
CAIRN_MUST_CHECK cairn_status cairn_export_function_at(struct cairn_export *data, uint32_t binary,
                                                       bool is_named, uint64_t address,
                                                       uint32_t *function);
/* The function that the profile has under that number; 0: none. */
CAIRN_MUST_CHECK cairn_status cairn_export_function_of(struct cairn_export *data, uint32_t number,
                                                       uint32_t *function);
CAIRN_MUST_CHECK cairn_status cairn_export_thread_of(struct cairn_export *data, uint32_t source,
                                                     uint32_t vmid, uint32_t context_id,
                                                     uint32_t *thread);
/* The thread's number in the database, or NULL's. */
struct cairn_export_value cairn_export_thread_id(struct cairn_export *data, uint32_t thread);
struct cairn_export_value cairn_export_function_id(const struct cairn_export *data,
                                                   uint32_t function);
struct cairn_export_value cairn_export_binary_id(const struct cairn_export *data, uint32_t binary);
CAIRN_MUST_CHECK cairn_status cairn_export_threads(struct cairn_export *data);
CAIRN_MUST_CHECK cairn_status cairn_export_binaries(struct cairn_export *data);

/* export_counts.c */
CAIRN_MUST_CHECK cairn_status cairn_export_add_jump(struct cairn_export *data,
                                                    const struct cairn_export_jump *jump);
CAIRN_MUST_CHECK cairn_status cairn_export_add_jumps(struct cairn_export *data);
CAIRN_MUST_CHECK cairn_status cairn_export_counts(struct cairn_export *data);

#endif
