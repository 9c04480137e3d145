/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn record` was told on its command line, and its parts. */
#ifndef CAIRN_CLI_RECORD_RECORD_H
#define CAIRN_CLI_RECORD_RECORD_H

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <cairn/unit.h>

#include "cli/command.h"
#include "machine/around.h"
#include "machine/filters.h"

/* --include, --exclude, --start or --stop. */
struct cli_filter {
    enum cairn_filter_use use;
    const char *text; /* an address or a name (cli/window/where.h); of ranges FIRST-LAST as well */
};
#define CLI_FILTERS_MOST 64u

/* One whose file is not mapped yet. */
struct cli_filter_name {
    const struct cli_filter *filter;
    bool own; /* the program's; else every file's that has it */
};

/* What the filters come to. */
struct cli_filters {
    struct cairn_filters known;
    struct cairn_filters
        all; /* with those of `names` that are the program's, where its file has them */
    struct cli_filter_name names[CLI_FILTERS_MOST]; /* bit n of the recording's control: names[n] */
    size_t name_count;
};

struct cli_record {
    const char *folder;
    const char *tarmac;  /* a log instead of a program */
    const char *sysroot; /* QEMU -L */
    const char *cpu;     /* QEMU -cpu */
    const char *machine; /* QEMU -M: firmware on that board, not a Linux program */
    uint64_t limit;      /* instructions after which a machine ends; 0: none */
    /* of a board with cores of A profile */
    const char *kernel, *initrd, *append, *cores, *memory, *disk;
    const char *qemu; /* the program, instead of qemu-aarch64 or qemu-arm */
    const char *plugin;
    struct cli_list qemu_arguments;
    bool force;
    bool finish;   /* a recording that was left: no program, no log */
    bool index;    /* wanted; without program and log: of a recording that there is */
    bool no_index; /* not of a long trace either */
    bool quiet;
    bool embed_debug;
    bool dump_config;
    bool fixed; /* --seed: no address randomisation, this seed */
    uint64_t seed;
    /* the trace unit */
    bool return_stack;
    bool branch_broadcast;
    bool cycle_counts;
    uint64_t cycle_threshold; /* UINT64_MAX: not given */
    bool timestamps;
    bool context_ids;
    bool data_addresses;
    bool data_values;
    bool sync_given;
    uint64_t sync_period; /* bytes, a power of two; 0: none */
    struct cli_filter filters[CLI_FILTERS_MOST];
    size_t filter_count;
    const char *trbe, *pmu; /* as they were given, and read: */
    struct cairn_around_settings around;
    struct cli_list images; /* files that names are looked up in, FILE[@ADDRESS] */
    /* of `cairn simulate`: what the units make of it is left beside their traces, or told */
    bool explain;
    uint32_t fifo_bytes, fifo_drain; /* struct cairn_unit_options */
    void (*making)(void *context, const char *source, struct cairn_unit_options *unit);
    void (*ended)(void *context, const char *source, const struct cairn_unit *unit);
    void *context; /* of a log: struct cairn_tarmac_options */
};

/* record_around.c: --trbe and --pmu. False after a message: there is no such thing around the unit. */
bool cli_record_around_fits(const struct cli_options *options);
/* Tells of a recording that is finished, and completes what the buffers are read by. */
void cli_record_around_tell(const struct cli_record *record);

/* record_options.c: the command's own options. */
extern const struct cli_option cli_record_options[];
bool cli_record_take(struct cli_options *options, int key, const char *argument);
/* Options that `cairn simulate` has as well. False: the argument is none, which is told. */
bool cli_record_take_filter(struct cli_record *record, const char *command,
                            enum cairn_filter_use use, const char *argument);
bool cli_record_take_seed(struct cli_record *record, const char *command, const char *argument);
bool cli_record_take_limit(struct cli_record *record, const char *command, const char *argument);
/* Tells so; always false. */
bool cli_record_wrong(const char *command, const char *option, const char *argument,
                      const char *expected);
void cli_record_free(struct cli_options *options);

/* record_unit.c: a unit with --set and the named options programmed, all but the filters; false after a
 * message. */
bool cli_record_unit(const struct cli_options *options, struct cairn_unit **unit);

/* record_filters.c: looks the filters' addresses up; false after a message. */
bool cli_record_filters(const struct cli_options *options, struct cli_filters *filters);
void cli_record_filters_free(struct cli_filters *filters);
/* Programs them on a unit of cli_record_unit, as far as they are known; false after a message: also
 * where all of them would not fit. */
bool cli_record_filter_unit(const struct cli_filters *filters, const struct cairn_unit *base,
                            struct cairn_unit *unit);
/* Says which names no file had, and what came of the others; `folder` is the finished recording. */
struct cairn_recording_result;
void cli_record_filters_tell(const struct cli_filters *filters, const char *folder,
                             const struct cairn_recording_result *result);

/* cmd_record.c: all of it, with messages: a program, and a log, into the folder. `base` is without the filters,
 * `unit` with those that are known. */
enum cli_exit cli_record_run_program(const struct cli_options *options,
                                     const struct cairn_unit *base,
                                     const struct cli_filters *filters);
enum cli_exit cli_record_run_log(const struct cli_options *options, const struct cairn_unit *unit);

/* record_etm.c: the same options as registers of a PTM or an ETMv3. */
bool cli_record_etm(const struct cli_options *options, struct cairn_unit *unit);

/* Bits of a register of the unit, cleared and set; false after a message. */
bool cli_record_change(struct cairn_unit *unit, const char *name, uint64_t clear, uint64_t set);

/* The core type that the capture names. */
const char *cli_record_core(const struct cli_options *options);
/* The trace unit's. */
enum cairn_protocol_id cli_record_protocol(const struct cli_options *options);

/* record_target.c: what the program is, for which nothing is run. */
struct cli_target {
    const char *qemu;
    const char *sysroot; /* NULL: QEMU's default */
};
/* False after a message: QEMU could not run it, or not with the plugin. */
bool cli_record_examine(const struct cli_record *record, const char *program,
                        struct cli_target *target);

/* record_kind.c: what an executable is for, as far as it shows. Not every file is one or the
 * other. */
bool cli_record_is_linux(Elf *elf, const GElf_Ehdr *file);
bool cli_record_is_firmware(Elf *elf, const GElf_Ehdr *file);

/* record_machine.c: the core that a board of QEMU has; NULL where that is not known. */
const char *cli_record_machine_core(const char *machine);
/* False after a message: options that do not go with a machine, or only with one. */
bool cli_record_machine_fits(const struct cli_options *options);
/* QEMU's arguments for every machine, NULL behind the last. By semihosting what runs there reads and writes files of
 * the user's: firmware, which has no other ones. */
const char *const *cli_record_machine_arguments(bool semihosting);

/* record_board.c: boards whose cores are of A profile. */
bool cli_record_is_board(const struct cli_record *record);
/* False after a message: options that do not go with such a board, or only with one. */
bool cli_record_board_fits(const struct cli_options *options);
/* What is run: the program, the firmware or the kernel; NULL: none was given. */
const char *cli_record_subject(const struct cli_options *options);
/* False after a message: the file is nothing that such a board runs. */
bool cli_record_board_examine(const struct cli_record *record, const char *path, Elf *elf);
/* QEMU's command line for a board, and the texts in it. */
struct cli_board {
    struct cli_list words;
    char machine[512], append[4096], disk[PATH_MAX + 64];
};
/* False after a message. */
bool cli_record_board_words(const struct cli_options *options, struct cli_board *board);
/* The words with a space between; NULL without memory. For free(). */
char *cli_record_machine_append(char *const *words);

/* How a program that was run under QEMU ended. */
struct cli_record_end {
    bool started; /* there is a recording to finish */
    int signal;   /* that ended it; 0: none did */
};

/* record_qemu.c: runs the program, which is the target, under QEMU with the plugin, `unit` telling the
 * registers, but for the filters', and the recording told of the program; returns the exit status of the
 * program, or CLI_UNUSABLE after a message. */
struct cairn_recorded_program;
int cli_record_program(const struct cli_options *options, const struct cli_target *target,
                       const struct cairn_unit *unit, const struct cli_filters *filters,
                       const struct cairn_recorded_program *program, struct cli_record_end *end);

/* record_surroundings.c: what the recording is to tell of where and how the program was run. */
struct cli_surroundings {
    char host[256];
    char guest[256];
    char folder[PATH_MAX];  /* "": not known */
    const char **variables; /* "NAME=value" each, NULL behind the last; to be freed */
};
void cli_record_surroundings(const char *qemu, struct cli_surroundings *surroundings);

/* record_tarmac.c: feeds a log to units like `unit`. CLI_GAPS when part of it could not be used;
 * *started: there is a recording to finish. */
enum cli_exit cli_record_tarmac(const struct cli_options *options, const struct cairn_unit *unit,
                                bool *started);

/* record_index.c: writes the indexes of a finished recording whose traces are long; false after a
 * message: it is none, or an index is missing now. */
bool cli_record_index(const struct cli_options *options);

/* record_progress.c: how a recording grows, on standard error if that is a terminal: a line that
 * changes in place, or, `shared` with the output of a program, a line of its own now and then. */
struct cairn_recording_control;
struct cli_record_progress {
    const char *folder;
    struct cairn_recording_control *control; /* mapped; NULL until the file is there */
    bool terminal;
    bool shared;
    bool shown;  /* there is a line to erase */
    double next; /* shared: seconds at which the next line is due */
    struct timespec started;
};
void cli_record_progress_start(struct cli_record_progress *progress, const char *folder, bool quiet,
                               bool shared);
void cli_record_progress_show(struct cli_record_progress *progress);
void cli_record_progress_end(struct cli_record_progress *progress);

#endif
