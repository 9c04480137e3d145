/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: options in groups, read with getopt_long, described in one table. */
#ifndef CAIRN_CLI_OPTIONS_OPTIONS_H
#define CAIRN_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>

#include <cairn/capture.h>

#include "cli/screen/look.h"

/* Which options a command takes. */
#define CLI_TAKES_CAPTURE (1u << 0) /* how to open it, images */
#define CLI_TAKES_SOURCE (1u << 1)
#define CLI_TAKES_RANGE (1u << 2)     /* --from, --to */
#define CLI_TAKES_FORMAT (1u << 3)    /* text or json */
#define CLI_TAKES_ADDRESSES (1u << 4) /* the formats "addresses" and "full" besides */
#define CLI_TAKES_MERGE (1u << 5)
#define CLI_TAKES_OUTPUT (1u << 6)
#define CLI_TAKES_RESOLVED (1u << 7)
#define CLI_TAKES_DETAIL (1u << 8) /* --ranges, --summary */
/* --protocol, --core, --set: CLI_TAKES_CAPTURE has them too */
#define CLI_TAKES_REGISTERS (1u << 9)
#define CLI_TAKES_DECODER (1u << 11) /* --jobs, --table-memory, --reference */
/* what follows the options is a program with its arguments */
#define CLI_TAKES_PROGRAM (1u << 10)
#define CLI_TAKES_WORDS (1u << 12)   /* any number of words instead of a capture */
#define CLI_TAKES_FILES (1u << 13)   /* where the files of a recording are */
#define CLI_TAKES_FURTHER (1u << 16) /* any number of captures behind the first */
/* no option, but what a command does: it tells threads apart by the contexts in a source */
#define CLI_TELLS_THREADS (1u << 14)
/* of a command that answers one question of the flow of a capture's sources */
/* Of no command: of those whose --format takes json. */
#define CLI_TAKES_JSON (1u << 15)
#define CLI_ANSWERS                                                                                \
    (CLI_TELLS_THREADS | CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_OUTPUT |                 \
     CLI_TAKES_DECODER)
#define CLI_TAKES_SYMBOLS (CLI_TAKES_CAPTURE | CLI_TAKES_REGISTERS | CLI_TAKES_FILES)
/* With both the words come first, and -- in front of the program. */
#define CLI_PROGRAM_OR_WORDS (CLI_TAKES_PROGRAM | CLI_TAKES_WORDS)

enum cli_format {
    CLI_FORMAT_TEXT = 0,
    CLI_FORMAT_JSON = 1,
    CLI_FORMAT_ADDRESSES = 2,
    CLI_FORMAT_FULL = 3,       /* of the flow: text with what each packet told */
    CLI_FORMAT_PERF = 4,       /* of branches: a perf.data file, */
    CLI_FORMAT_PERFSCRIPT = 5, /* or as perf script prints one */
};

enum cli_detail {
    CLI_DETAIL_FULL = 0,
    CLI_DETAIL_RANGES = 1,
    CLI_DETAIL_SUMMARY = 2,
    CLI_DETAIL_DATA = 3, /* of the command `data` */
};

/* Bounds and defaults of --jobs and --table-memory. */
#define CLI_JOBS_MAX 256
/* unpacking formatter frames, by one thread, is slower from there on */
#define CLI_JOBS_DEFAULT_MAX 16
#define CLI_TABLE_BYTES_MAX (UINT64_C(64) << 30)

/* A list of argument strings as given; they point into argv. */
struct cli_list {
    const char **items;
    size_t count;
};

/* False when memory is out. */
bool cli_list_add(struct cli_list *list, const char *item);

/* An option that only one command has. */
struct cli_option {
    const char *name;
    int key;              /* CLI_OWN_KEY and up; or a letter, which works as -LETTER as well */
    const char *argument; /* NULL: none; "[=X]": may be left out; "a|b": one of these words */
    const char *help;
};
#define CLI_OWN_KEY 1024

/* What only `check` takes. */
struct cli_check {
    bool all;
    bool fix;
    const char *explain; /* a code; NULL: none */
};

/* With a key: one of the options that `--help` shows. The rest is for `--help-all`. */
#define CLI_FIRST (1 << 16)

static inline int cli_option_key(int key)
{
    return key & ~CLI_FIRST;
}

struct cli_record;   /* cli/record/record.h */
struct cli_simulate; /* cli/simulate/simulate.h */

/* What `registers` and `lint` take. */
struct cli_programming {
    struct cli_list words; /* NAME=VALUE, files and folders */
    enum cairn_protocol_id protocol;
    bool explain;
};

/* What `profile` and `calls` take. */
struct cli_profile {
    int by, sort, format, clock; /* cmd_profile.c, cmd_calls.c; 0: the default */
    uint64_t top;                /* rows; 0: not given */
    bool has_depth;
    uint64_t depth;
    uint64_t last;        /* lines; 0: all */
    const char *function; /* NULL: none was given */
    const char *annotate;
    bool no_calls;
    bool by_thread;
    const char *files; /* a file for each thread: what their names begin with */
};

/* Which part of a source is listed: cli/window/window.h. What is 0, NULL or false was not given. */
struct cli_part {
    uint64_t last;
    uint64_t first;
    const char *function;
    const char *around;
    bool has_context;
    uint64_t context; /* instructions before and behind what --around names */
    bool between;
    uint64_t time_from;
    uint64_t time_to; /* included */
    bool own_totals;  /* of cycles: those of the part */
};

enum cli_pgo_format {
    CLI_PGO_AUTOFDO = 0,
    CLI_PGO_LLVM,
    CLI_PGO_BOLT,
    CLI_PGO_PREAGGREGATED,
    CLI_PGO_JSON,
    CLI_PGO_LISTS,
};

/* What only `pgo` takes. */
struct cli_pgo {
    enum cli_pgo_format format;
    unsigned comments; /* enum cairn_pgo_comments (report/pgo.h) */
    bool with_indirect;
    bool rows;
    const char *binary; /* NULL: not given */
};

/* What only `coverage` takes: cmd_coverage.c; 0: the default. */
struct cli_coverage {
    int by, format;
    bool of_program;
    const char *binary; /* NULL: all */
};

/* What only `export` takes: cmd_export.c. */
struct cli_export {
    int format;
    uint32_t tables; /* a bit for each that was asked for; 0: not given */
    bool has_rows;
    uint64_t rows; /* 0: all */
    int summary;   /* what is printed: CLI_FORMAT_TEXT, _JSON */
    bool of_program;
};

/* What only `latency` takes: cmd_latency.c; 0 and NULL: the default. */
struct cli_latency {
    int format, clock, bins;
    const char *begin, *end, *function, *exception, *samples;
    bool period, without_exceptions;
    bool has_longest, has_top;
    uint64_t longest, top, frequency;
};

/* What only `diff` takes: cmd_diff.c; 0: the default. Of two: that of A and that of B. */
struct cli_diff {
    int by, format;
    uint64_t top, partings;
    bool coverage, exceptions;
    const char *sources[2]; /* NULL: not given */
    bool has_context[2];
    uint32_t contexts[2];
    struct cli_list images[2];
};

/* What only `count` takes. */
struct cli_count {
    uint64_t shard, shards; /* from 1 on; 0: all of it */
    bool no_calls;
    bool rows;
};

/* Whose trace is wanted: cli/session/whose.h. Empty lists: anybody's. */
struct cli_numbers {
    uint64_t *list;
    size_t count;
};
struct cli_whose {
    struct cli_numbers processes, threads, cpus;
    struct cli_list names;
};

struct cli_options {
    const char *capture;
    struct cli_list further; /* CLI_TAKES_FURTHER: captures behind it */
    char *const *program; /* CLI_TAKES_PROGRAM: argv of it, ended by NULL; empty: none was given */
    struct cli_record *record;     /* of the command `record` */
    struct cli_simulate *simulate; /* of the command `simulate` */
    struct cli_run *run;           /* of the command `run` */
    struct cli_check check;
    struct cli_programming programming;
    struct cli_pgo pgo;
    struct cli_coverage coverage;
    struct cli_count count;
    struct cli_export export;
    struct cli_latency latency;
    struct cli_diff diff;
    struct cairn_capture_options open;
    struct cairn_register *registers; /* what open.registers points to */
    char **register_names;            /* owned copies */
    struct cli_list images;
    struct cli_list debug_folders; /* what open.debug_folders points to */
    char *debug_cache;             /* one of them */
    struct cli_list sources;
    struct cli_list capture_words; /* CLI_TAKES_CAPTURE: names, each with its value behind it */
    struct cli_whose whose;
    uint64_t from;
    uint64_t to;       /* UINT64_MAX: to the end */
    bool from_the_end; /* `from` counts back from the end of the source's bytes, */
    bool to_the_end;   /* and so does `to` */
    struct cli_part part;
    enum cli_format format;
    enum cli_detail detail;
    bool merge;
    bool resolved;
    bool reference;
    uint32_t jobs;
    uint64_t table_bytes;
    const char *output; /* NULL: standard output */
    bool force;
    bool all;             /* of `info`, `registers` and `lint`: more than fits a screen */
    struct cli_look look; /* how what is listed looks */
    uint64_t orders;      /* of `barriers`; 0: not given */
    bool oldest_first;    /* of `branches`, and the next ones */
    bool kernel_at_EL2;
    const char *brbe;           /* programming of a Branch Record Buffer; NULL: none was given */
    const char *against;        /* the capture that --check names; NULL: none */
    uint64_t every;             /* --every; 0: not given */
    struct cli_profile profile; /* of `profile` and `calls` */
};

enum cli_parse {
    CLI_PARSE_RUN = 0,
    CLI_PARSE_HELP = 1,     /* --help was given */
    CLI_PARSE_WRONG = 2,    /* a message was printed */
    CLI_PARSE_HELP_ALL = 3, /* --help-all was given */
};

struct cli_command;

/* Reads argv (argv[0] is the command's name). Free with cli_options_free in every case. */
enum cli_parse cli_options_parse(const struct cli_command *command, int argc, char **argv,
                                 struct cli_options *options);
void cli_options_free(const struct cli_command *command, struct cli_options *options);

#define CLI_WORDS_TEXT 160

/* An option as the help texts have it. */
struct cli_option_text {
    const char *name;
    int key;                    /* a letter that works as -LETTER, or 256 and more */
    const char *argument;       /* NULL: none; "[=X]": may be left out */
    const char *help;           /* lines */
    bool first;                 /* one of those that `--help` shows */
    char words[CLI_WORDS_TEXT]; /* all that it takes, with blanks between; "": anything */
    char composed[4 * CLI_WORDS_TEXT];
};

/* The options of a command, `index` from 0 on in the order in which they are told; false: no more. */
bool cli_options_describe(const struct cli_command *command, size_t index,
                          struct cli_option_text *text);

/* The item of `words` (ended by NULL) nearest to `word`, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *words);

/* *value is which of `words` (ended by NULL) `argument` is; false when it is none: that was told. */
bool cli_option_word(const char *command, const char *option, const char *argument,
                     const char *const *words, int *value);

/* --format, of a command with formats of its own; of those "json" is options->format as well. */
bool cli_option_format(struct cli_options *options, const char *command, const char *argument,
                       const char *const *words, int *format);
/* A number in these bounds; false when it is none: that was told. */
bool cli_option_number(const char *command, const char *option, const char *argument,
                       uint64_t least, uint64_t most, uint64_t *value);

/* Whether a part was asked for, beside --from and --to. */
bool cli_part_given(const struct cli_part *part);

/* A whole number, decimal or 0x...; false when `text` is none. */
bool cli_number(const char *text, uint64_t *value);

/* An offset; with - before it, one that counts back from the end. False when it is none. */
bool cli_offset(const char *text, uint64_t *offset, bool *from_the_end);

/* A number, in bytes, or in 1024 (K), 1024 * 1024 (M), ... (G) of them: "64M". */
bool cli_size(const char *text, uint64_t *value);

#endif
