/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn record --tarmac`: a log instead of a program. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/record.h"
#include "machine/recording.h"
#include "machine/tarmac/tarmac.h"

#define REGISTERS_MAX 256
#define SHOW_EVERY_NS 200000000L

/* Ctrl-C ends the recording in order; the feed looks at this. */
static struct cairn_recording_control *interruptible;
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
#define INTERRUPTS (sizeof interrupts / sizeof interrupts[0])

static void on_interrupt(int number)
{
    (void)number;
    if (interruptible)
        atomic_store(&interruptible->interrupt, 1);
}

/* What is ignored stays so. */
static void watch_interrupts(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < INTERRUPTS; i++)
        if (sigaction(interrupts[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(interrupts[i], &action, NULL);
}

static void unwatch_interrupts(const struct sigaction *before)
{
    for (size_t i = 0; i < INTERRUPTS; i++)
        sigaction(interrupts[i], &before[i], NULL);
}

struct shower {
    struct cli_record_progress progress;
    atomic_bool done;
    pthread_t thread;
    bool runs;
};

static void *show(void *context)
{
    const struct timespec pause = {.tv_nsec = SHOW_EVERY_NS};
    struct shower *shower = context;

    while (!atomic_load(&shower->done)) {
        nanosleep(&pause, NULL);
        cli_record_progress_show(&shower->progress);
    }
    return NULL;
}

static size_t list_registers(const struct cairn_unit *unit, struct cairn_register *registers)
{
    size_t count = 0;

    while (count < REGISTERS_MAX &&
           cairn_unit_register(unit, count, &registers[count]) == CAIRN_OK)
        count++;
    return count;
}

static void tell(const char *path, const struct cairn_tarmac_result *result,
                 const struct cairn_tarmac_counts *counts)
{
    for (size_t i = 0; i < counts->note_count; i++)
        fprintf(stderr, "cairn record: %s:%" PRIu64 ": not understood: %s\n", path,
                counts->notes[i].line, counts->notes[i].text);
    if (counts->unparsable > counts->note_count)
        fprintf(stderr, "cairn record: %s: %" PRIu64 " lines in all were not understood\n", path,
                counts->unparsable);
    if (result->untold)
        fprintf(stderr,
                "cairn record: %s: %" PRIu64 " instructions without an opcode, or in an instruction "
                "set that has no trace, were left out\n",
                path, result->untold);
    if (result->discontinuities)
        fprintf(stderr,
                "cairn record: %s does not follow from itself in %" PRIu64 " places: a Trace On in "
                "the trace\n",
                path, result->discontinuities);
}

static enum cli_exit feed(const struct cli_options *options, const struct cairn_unit *unit,
                          struct cairn_tarmac_reader *reader, struct cairn_recording *recording)
{
    static struct cairn_register registers[REGISTERS_MAX];
    struct cairn_unit_options wanted = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options tarmac = CAIRN_TARMAC_OPTIONS_INIT;
    struct cairn_tarmac_result result = {0};
    struct cairn_error error = {0};
    struct shower shower = {0};
    struct sigaction before[INTERRUPTS];

    if (options->open.protocol)
        wanted.protocol = options->open.protocol;
    (void)cairn_arch_from_name(cli_record_core(options), &wanted.arch); /* did it once already */
    wanted.registers = registers;
    wanted.register_count = list_registers(unit, registers);
    tarmac.unit = &wanted;
    tarmac.recording = recording;
    interruptible = cairn_recording_control(recording);
    watch_interrupts(before);
    cli_record_progress_start(&shower.progress, options->record->folder,
                              !options->record->quiet);
    if (shower.progress.terminal)
        shower.runs = pthread_create(&shower.thread, NULL, show, &shower) == 0;
    const cairn_status status = cairn_tarmac_feed(reader, &tarmac, &result, &error);
    atomic_store(&shower.done, true);
    if (shower.runs)
        pthread_join(shower.thread, NULL);
    cli_record_progress_end(&shower.progress);
    unwatch_interrupts(before);
    const bool stopped = atomic_load(&interruptible->interrupt);
    interruptible = NULL;

    const struct cairn_tarmac_counts *counts = cairn_tarmac_reader_counts(reader);
    tell(options->record->tarmac, &result, counts);
    if (stopped)
        return CLI_INTERRUPTED;
    if (status != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s: %s\n", options->record->tarmac, error.text);
        return CLI_UNUSABLE;
    }
    return counts->unparsable || result.untold || result.discontinuities ? CLI_GAPS : CLI_CLEAN;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum cli_exit cli_record_tarmac(const struct cli_options *options, const struct cairn_unit *unit,
                                bool *started)
{
    const struct cli_record *record = options->record;
    const struct cairn_recording_options wanted = {
        .size = sizeof wanted,
        .protocol = options->open.protocol ? options->open.protocol : CAIRN_PROTOCOL_ETE,
        .core = cli_record_core(options),
        .overwrite = record->force,
    };
    struct cairn_tarmac_reader *reader = NULL;
    struct cairn_recording *recording = NULL;
    struct cairn_error error = {0};
    enum cli_exit result = CLI_UNUSABLE;

    *started = false;
    if (is_folder(record->tarmac)) {
        fprintf(stderr, "cairn record: %s is a folder; give the log in it\n", record->tarmac);
        return CLI_UNUSABLE;
    }
    if (cairn_tarmac_reader_open(record->tarmac, &reader, &error) != CAIRN_OK ||
        cairn_recording_new(record->folder, &wanted, &recording, &error) != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s\n", error.text);
    } else {
        *started = true;
        result = feed(options, unit, reader, recording);
    }
    cairn_recording_free(recording);
    cairn_tarmac_reader_free(reader);
    return result;
}
