/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn record` was told on its command line, and its parts. */
#ifndef CAIRN_CLI_RECORD_H
#define CAIRN_CLI_RECORD_H

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <cairn/unit.h>

#include "cli/command.h"

#define CLI_RECORD_RANGES 8u     /* address range comparators of the unit, for both lists */
#define CLI_RECORD_ADDRESSES 16u /* single address comparators */

struct cli_address_range {
    uint64_t first;
    uint64_t last; /* included */
};

struct cli_record {
    const char *folder;
    const char *tarmac;  /* a log instead of a program */
    const char *sysroot; /* QEMU -L */
    const char *cpu;     /* QEMU -cpu */
    const char *machine; /* QEMU -M: firmware on that board, not a Linux program */
    uint64_t limit;      /* instructions after which a machine ends; 0: none */
    const char *qemu;    /* the program, instead of qemu-aarch64 or qemu-arm */
    const char *plugin;
    struct cli_list qemu_arguments;
    bool force;
    bool finish; /* a recording that was left: no program, no log */
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
    struct cli_address_range include[CLI_RECORD_RANGES];
    struct cli_address_range exclude[CLI_RECORD_RANGES];
    unsigned include_count;
    unsigned exclude_count;
    uint64_t start[CLI_RECORD_ADDRESSES];
    uint64_t stop[CLI_RECORD_ADDRESSES];
    unsigned start_count;
    unsigned stop_count;
};

/* record_options.c: the command's own options. */
extern const struct cli_option cli_record_options[];
bool cli_record_take(struct cli_options *options, int key, const char *argument);
void cli_record_free(struct cli_options *options);

/* record_unit.c: a unit with --set and the named options programmed; false after a message. */
bool cli_record_unit(const struct cli_options *options, struct cairn_unit **unit);

/* record_etm.c: the same options as registers of a PTM or an ETMv3. */
bool cli_record_etm(const struct cli_options *options, struct cairn_unit *unit);

/* Bits of a register of the unit, cleared and set; false after a message. */
bool cli_record_change(struct cairn_unit *unit, const char *name, uint64_t clear, uint64_t set);
/* NAMEn. */
bool cli_record_change_numbered(struct cairn_unit *unit, const char *name, unsigned number,
                                uint64_t value);

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
/* QEMU's arguments for every machine, NULL behind the last. */
const char *const *cli_record_machine_arguments(void);
/* The words with a space between; NULL without memory. For free(). */
char *cli_record_machine_append(char *const *words);

/* How a program that was run under QEMU ended. */
struct cli_record_end {
    bool started; /* there is a recording to finish */
    int signal;   /* that ended it; 0: none did */
};

/* record_qemu.c: runs the program, which is the target, under QEMU with the plugin, `unit` telling the
 * registers, and the recording told of the program; returns the exit status of the program, or CLI_UNUSABLE after a
 * message. */
struct cairn_recorded_program;
int cli_record_program(const struct cli_options *options, const struct cli_target *target,
                       const struct cairn_unit *unit, const struct cairn_recorded_program *program,
                       struct cli_record_end *end);

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
