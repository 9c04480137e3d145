/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/letters.h"
#include "base/shell.h"
#include "cli/index/index.h"
#include "cli/record/record.h"
#include "machine/journal.h"
#include "machine/mapped.h"
#include "machine/recording.h"
#include "machine/versions.h"

static enum cli_exit dump(const struct cairn_unit *unit)
{
    struct cairn_register value;

    for (size_t i = 0; cairn_unit_register(unit, i, &value) == CAIRN_OK; i++)
        printf("%s=0x%08" PRIx64 "\n", value.name, value.value);
    return fflush(stdout) ? CLI_UNUSABLE : CLI_CLEAN;
}

static void summarize(const char *folder, const struct cairn_recording_result *result)
{
    char ratio[48] = "", word[CAIRN_SHELL_ROOM];

    if (result->instructions)
        snprintf(ratio, sizeof ratio, " (%.3f bits an instruction)",
                 8.0 * (double)result->bytes / (double)result->instructions);
    fprintf(stderr,
            "cairn record: %" PRIu64 " instruction%s, %" PRIu64 " source%s: %" PRIu64
            " byte%s of trace%s, %" PRIu64 " byte%s of code",
            result->instructions, cairn_plural(result->instructions), result->sources,
            cairn_plural(result->sources), result->bytes, cairn_plural(result->bytes), ratio,
            result->code_bytes, cairn_plural(result->code_bytes));
    if (result->epochs > 1)
        fprintf(stderr, " that changed %" PRIu64 " time%s", result->epochs - 1,
                cairn_plural(result->epochs - 1));
    if (result->copied)
        fprintf(stderr, ", %" PRIu64 " file%s with names", result->copied,
                cairn_plural(result->copied));
    fprintf(stderr, ", in %s\ncairn record: see it: cairn flow %s\n", folder,
            cairn_shell_file(folder, word));
}

/* Why execution of a whole machine is not in the trace. */
static void warn_of_machine(const struct cairn_recording_result *result)
{
    if (result->not_made)
        fprintf(stderr,
                "cairn record: %" PRIu64
                " core%s not in the capture: no trace unit could be made for %s\n",
                result->not_made, result->not_made == 1 ? " is" : "s are",
                result->not_made == 1 ? "it" : "them");
    if (result->in_AArch32)
        fprintf(stderr,
                "cairn record: %" PRIu64 " piece%s of code in AArch32 state: of a whole machine "
                "AArch64 alone is traced\n",
                result->in_AArch32, cairn_plural(result->in_AArch32));
    if (result->no_room)
        fprintf(stderr,
                "cairn record: more code was executed than a recording has pages (%u) or versions "
                "of them (%u) for: %" PRIu64
                " pieces of it are not in the trace; record a shorter part (--start, --limit)\n",
                CAIRN_VERSIONS_PAGES, CAIRN_JOURNAL_VERSIONS, result->no_room);
}

static void warn(const struct cairn_recording_result *result)
{
    if (result->unseen && result->unseen == result->instructions)
        fputs(
            "cairn record: all of it is A32 code, of which an MTB traces nothing (it traces T32): the trace is "
            "empty; record it with --protocol ptm, etmv3 or etmv4\n",
            stderr);
    else if (result->unseen)
        fprintf(stderr,
                "cairn record: %" PRIu64
                " of the instructions are A32 code, of which an MTB traces nothing (it "
                "traces T32)\n",
                result->unseen);
    if (result->stopped)
        fprintf(stderr,
                "cairn record: tracing stopped before the end: %s. What was traced until then is "
                "in the capture\n",
                strerror((int)result->stopped));
    else if (!result->finished)
        fprintf(stderr,
                "cairn record: the %s did not end in order; the capture ends with the "
                "last complete packets\n",
                result->whole ? "machine" : "program");
    if (result->discontinuities)
        fprintf(stderr, "cairn record: execution was not seen in %" PRIu64 " place%s: %s\n",
                result->discontinuities, cairn_plural(result->discontinuities),
                result->whole ? "a Trace On in the trace each"
                              : "a Trace On in the trace, or threads that are not in it (more than "
                                "4096)");
    warn_of_machine(result);
    if (result->not_copied)
        fprintf(
            stderr,
            "cairn record: %" PRIu64
            " of the files that the code is from could not be copied into the "
            "capture: they are not there any more, or others are in their place, or there is no "
            "room\n",
            result->not_copied);
    if (result->gone)
        fprintf(stderr,
                "cairn record: %" PRIu64
                " of the mappings that the code is from are of files that were replaced or removed "
                "meanwhile, and have no build-id: what was executed there has no names\n",
                result->gone);
    if (result->epochs_lost)
        fprintf(stderr,
                "cairn record: code changed more often than a capture can say: %" PRIu64
                " changes are missing, and flow through that code may be wrong; record a shorter "
                "part (from where on: cairn info)\n",
                result->epochs_lost);
    if (result->pages_lost)
        fprintf(stderr,
                "cairn record: code is in more places than a capture can say: %" PRIu64
                " pages, those that were executed last, are missing, and flow through them has "
                "gaps; record a shorter part\n",
                result->pages_lost);
    if (result->forks)
        fprintf(stderr,
                "cairn record: %" PRIu32 " child process%s (fork) %s not in the capture: record "
                "what they do on its own\n",
                result->forks, result->forks == 1 ? "" : "es", result->forks == 1 ? "is" : "are");
    if (result->execs)
        fprintf(stderr,
                "cairn record: the program was replaced by another one (exec), which is not "
                "in the capture: record that on its own\n");
}

/* What was not worth a capture leaves nothing; *empty if so, unless the reason has been told. */
static enum cli_exit finish(const struct cli_options *options, bool existed,
                            const struct cairn_recorded_program *program,
                            const struct cli_filters *filters, bool *empty)
{
    const struct cli_record *record = options->record;
    struct cairn_recording_result result = {0};
    struct cairn_error error = {0};
    char word[CAIRN_SHELL_ROOM];

    *empty = false;
    cairn_status status = cairn_recording_finish(record->folder, program, &result, &error);
    if (status != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s\n", error.text);
        if (status == CAIRN_E_IO)
            fprintf(stderr, "cairn record: `cairn record -o %s --finish` does that\n",
                    cairn_shell_file(record->folder, word));
        return CLI_UNUSABLE;
    }
    if (result.sources == 0) {
        *empty = !result.stopped;
        if (result.stopped)
            fprintf(stderr,
                    "cairn record: nothing was traced, and there is no capture: no trace file "
                    "could be made in %s: %s\n",
                    record->folder, strerror((int)result.stopped));
        cairn_recording_discard(record->folder, !existed);
        return CLI_UNUSABLE;
    }
    if (!record->quiet)
        summarize(record->folder, &result);
    warn(&result);
    cli_record_around_tell(record);
    if (filters)
        cli_record_filters_tell(filters, record->folder, &result);
    if (record->index || (!record->no_index && result.bytes >= CLI_INDEX_UNASKED))
        (void)cli_record_index(options); /* that there is none costs time later, and nothing else */
    return CLI_CLEAN;
}

static enum cli_exit finish_left(const struct cli_options *options)
{
    bool empty;
    const enum cli_exit result = finish(options, true, NULL, NULL, &empty);

    if (empty)
        fprintf(stderr,
                "cairn record: %s: nothing had been executed yet when it was left; it is "
                "removed\n",
                options->record->folder);
    return result;
}

/* Tells before anything is started, and without the emulator's comments. */
static bool folder_fits(const struct cli_record *record)
{
    struct cairn_error error = {0};

    if (cairn_recording_check(record->folder, record->force, &error) == CAIRN_OK)
        return true;
    fprintf(stderr, "cairn record: %s\n", error.text);
    return false;
}

/* Nothing is to be recorded, and an index of what was. */
static bool is_index_alone(const struct cli_options *options)
{
    const struct cli_record *record = options->record;

    return record->index && !record->finish && !record->tarmac && !cli_record_subject(options);
}

static bool complete(const struct cli_options *options)
{
    const struct cli_record *record = options->record;

    if (!record || (!record->folder && !record->dump_config)) {
        fputs("cairn record: where to? Give a folder with -o. See `cairn record --help`.\n",
              stderr);
        return false;
    }
    if (!cli_record_machine_fits(options) || !cli_record_around_fits(options))
        return false;
    if (record->dump_config)
        return true;
    if (record->finish && (record->tarmac || cli_record_subject(options))) {
        fprintf(stderr,
                "cairn record: --finish %s: there is nothing to record then, and so no %s\n",
                record->folder, record->tarmac ? "--tarmac" : "program");
        return false;
    }
    if (record->finish || is_index_alone(options))
        return true;
    if (!record->tarmac && !cli_record_subject(options)) {
        fputs("cairn record: record what? Give a program behind --, or a log with --tarmac. See "
              "`cairn record --help`.\n",
              stderr);
        return false;
    }
    if (record->tarmac && options->program[0]) {
        fprintf(stderr, "cairn record: a log and a program (%s): one of them, please\n",
                options->program[0]);
        return false;
    }
    return true;
}

enum cli_exit cli_record_run_program(const struct cli_options *options,
                                     const struct cairn_unit *base,
                                     const struct cli_filters *filters)
{
    const bool existed = access(options->record->folder, F_OK) == 0;
    struct cli_surroundings told;
    struct cli_record_end end;
    struct cli_target target;
    char signal_name[32], word[CAIRN_SHELL_ROOM];
    bool empty;

    const char *const subject = cli_record_subject(options);
    char *const alone[] = {(char *)(uintptr_t)subject, NULL};

    if (!cli_record_examine(options->record, subject, &target))
        return CLI_UNUSABLE;
    char *path = realpath(subject, NULL);
    cli_record_surroundings(options->record->qemu ? options->record->qemu : target.qemu, &told);
    struct cairn_journal_file loaded; /* it may be built anew while it runs */
    if (path && options->record->machine)
        cairn_mapped_look_at(path, &loaded);
    struct cairn_recorded_program program = {
        .path = path,
        .arguments = options->program[0] ? options->program : alone,
        .exit_status = -1,
        .alone = options->record->machine != NULL,
        .file = path && options->record->machine ? &loaded : NULL,
        .host = told.host,
        .guest = told.guest,
        .folder = told.folder[0] ? told.folder : NULL,
        .environment = (char *const *)(uintptr_t)told.variables,
        .embed = options->record->embed_debug,
        .debug_folders = options->open.debug_folders,
        .debug_folder_count = options->open.debug_folder_count,
    };
    const int status = cli_record_program(options, &target, base, filters, &program, &end);

    if (!end.started) {
        free(told.variables);
        free(path);
        return status == CLI_NOT_RUN ? CLI_NOT_RUN : CLI_UNUSABLE;
    }
    snprintf(signal_name, sizeof signal_name, "SIG%s",
             end.signal && sigabbrev_np(end.signal) ? sigabbrev_np(end.signal) : "?");
    program.signal = end.signal ? signal_name : NULL;
    program.exit_status = status;
    const enum cli_exit result = finish(options, existed, &program, filters, &empty);
    if (result == CLI_CLEAN && program.signal && !options->record->quiet)
        fprintf(
            stderr,
            "cairn record: %s ended the program; what led to it: cairn flow --around crash %s\n",
            program.signal, cairn_shell_file(options->record->folder, word));
    free(told.variables);
    free(path);
    if (empty)
        fprintf(stderr,
                "cairn record: %s did not execute a single instruction (status %d): QEMU could not "
                "load it, or was ended before\n",
                subject, status);
    return result == CLI_CLEAN ? (enum cli_exit)status : result;
}

enum cli_exit cli_record_run_log(const struct cli_options *options, const struct cairn_unit *unit)
{
    const bool existed = access(options->record->folder, F_OK) == 0;
    bool started, empty = false;
    const enum cli_exit result = cli_record_tarmac(options, unit, &started);

    if (!started)
        return result;
    if (finish(options, existed, NULL, NULL, &empty) == CLI_CLEAN)
        return result;
    /* why there was nothing to trace has been told */
    return empty && result == CLI_INTERRUPTED ? result : CLI_UNUSABLE;
}

/* What is not known before the program runs is not in its registers. */
static enum cli_exit show(const struct cli_filters *filters, const struct cairn_unit *unit)
{
    for (size_t i = 0; i < filters->name_count; i++)
        fprintf(stderr,
                "cairn record: --%s %s: its comparators are programmed when its file is mapped\n",
                cairn_filter_name(filters->names[i].filter->use), filters->names[i].filter->text);
    return dump(unit);
}

/* `base`: without the filters, `unit`: with those that are known. */
static enum cli_exit record(const struct cli_options *options, const struct cli_filters *filters,
                            const struct cairn_unit *base, const struct cairn_unit *unit)
{
    if (options->record->dump_config)
        return show(filters, unit);
    return options->record->tarmac ? cli_record_run_log(options, unit)
                                   : cli_record_run_program(options, base, filters);
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cairn_unit *base = NULL, *unit = NULL;
    struct cli_filters filters = {.name_count = 0};
    enum cli_exit result = CLI_UNUSABLE;

    if (!complete(options))
        return CLI_UNUSABLE;
    if (options->record->finish)
        return finish_left(options);
    if (!options->record->dump_config && is_index_alone(options))
        return cli_record_index(options) ? CLI_CLEAN : CLI_UNUSABLE;
    if (!options->record->dump_config && !folder_fits(options->record))
        return CLI_UNUSABLE;
    if (cli_record_unit(options, &base) && cli_record_unit(options, &unit) &&
        cli_record_filters(options, &filters) && cli_record_filter_unit(&filters, base, unit))
        result = record(options, &filters, base, unit);
    cli_record_filters_free(&filters);
    cairn_unit_free(unit);
    cairn_unit_free(base);
    return result;
}

const struct cli_command cli_command_record = {
    .name = "record",
    .summary = "trace a program without hardware",
    .arguments =
        "-o FOLDER -- PROGRAM [ARGUMENT]...\n"
        "    cairn record [OPTION]... -o FOLDER --machine BOARD -- FIRMWARE [ARGUMENT]...\n"
        "    cairn record [OPTION]... -o FOLDER --tarmac LOG\n"
        "    cairn record -o FOLDER --finish",
    .description =
        "Runs an Arm Linux program under QEMU user mode, with a model of a trace unit (ETE; ETMv4,\n"
        "ETMv3, ETMv2, ETMv1, PTM or MTB by --protocol) that sees every instruction, and writes\n"
        "what the unit would have written: a snapshot with one source a thread, the memory that was\n"
        "executed, and which files that came from, so that functions have their names without\n"
        "--image as long as the files are what they were. Everything that reads captures can read\n"
        "it. The program is an unmodified AArch64 or AArch32 executable; its input, output and exit\n"
        "status are its own. The kernel's part (system calls, signals)\n"
        "is not traced, as with a trace unit that may only trace EL0. Child processes (fork) and\n"
        "programs started in its place (exec) are not followed; a message says so.\n"
        "With --machine it is firmware for a Cortex-M, or with --machine virt a kernel with all its\n"
        "programs, run by QEMU's system mode: all of it is traced, exceptions and handlers too.\n"
        "The trace unit is programmed as hardware is: with --set, or with the options that name\n"
        "what a register does. --dump-config shows what that comes to.\n"
        "Needs qemu-aarch64 or qemu-arm with plugins (Debian 12: qemu-user), for a machine\n"
        "qemu-system-arm or qemu-system-aarch64. A TARMAC log needs nothing.",
    .output =
        "The capture in FOLDER: snapshot.ini and what it names. A summary on standard error,\n"
        "and progress while it lasts when that is a terminal: in place, or a line every ten seconds\n"
        "when the program writes to the terminal too. The program's output and error are its own.",
    .exit_status =
        "that of the program, 128 + N when signal N ended it. With --tarmac 0, or 1 when\n"
        "part of the log could not be used.\n"
        "2   nothing could be recorded, or the command line is wrong\n"
        "127 QEMU is missing",
    .examples =
        "cairn record -o trace -- ./program input.txt && cairn flow trace\n"
        "cairn record -o trace --return-stack --cycle-counts=64 -- ./program\n"
        "cairn record -o trace --start main --stop main+0x40 -- ./program\n"
        "cairn record -o trace --include parse_input --exclude libc.so.6:memcpy -- ./program\n"
        "cairn record -o trace --machine mps2-an385 -- firmware.elf\n"
        "cairn record -o trace --machine virt --kernel Image --initrd initrd.img\n"
        "cairn record -o trace --tarmac fvp.tarmac\n"
        "cairn record --dump-config --timestamps",
    .options = CLI_TAKES_REGISTERS | CLI_TAKES_PROGRAM,
    .own = cli_record_options,
    .take_own = cli_record_take,
    .free_own = cli_record_free,
    .run = run,
};
