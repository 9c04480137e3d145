/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn record --tarmac`: a log instead of a program. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/record.h"
#include "machine/recording.h"
#include "machine/tarmac/tarmac.h"

#define REGISTERS_MAX 256
#define SHOW_EVERY_NS 200000000L

/* Ctrl-C ends the recording in order; the feed looks at this. Signals come only while the log is
 * waited for, so that a log without an end (a pipe) can be left as well. */
static struct cairn_recording_control *interruptible;
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
#define INTERRUPTS (sizeof interrupts / sizeof interrupts[0])

static void on_interrupt(int number)
{
    (void)number;
    if (interruptible)
        atomic_store(&interruptible->interrupt, 1);
}

struct watch {
    struct sigaction actions[INTERRUPTS];
    sigset_t mask; /* both as they were */
};

/* What is ignored stays so. */
static void watch_interrupts(struct watch *watch)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigset_t blocked;

    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    for (size_t i = 0; i < INTERRUPTS; i++) {
        sigaddset(&blocked, interrupts[i]);
        if (sigaction(interrupts[i], NULL, &watch->actions[i]) == 0 &&
            watch->actions[i].sa_handler != SIG_IGN)
            sigaction(interrupts[i], &action, NULL);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &watch->mask);
}

static void unwatch_interrupts(const struct watch *watch)
{
    pthread_sigmask(SIG_SETMASK, &watch->mask, NULL);
    for (size_t i = 0; i < INTERRUPTS; i++)
        sigaction(interrupts[i], &watch->actions[i], NULL);
}

struct log {
    int fd;
    struct watch watch;
};

/* Lets signals in; ppoll does so only where it has to wait. */
static bool is_interrupted(const struct watch *watch)
{
    sigset_t blocked;

    pthread_sigmask(SIG_SETMASK, &watch->mask, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    return atomic_load(&interruptible->interrupt) != 0;
}

static long read_log(void *context, char *bytes, size_t size)
{
    const struct log *log = context;
    struct pollfd file = {.fd = log->fd, .events = POLLIN};
    ssize_t got;

    do {
        const bool waited = ppoll(&file, 1, NULL, &log->watch.mask) >= 0;
        if (is_interrupted(&log->watch))
            return 0;
        got = waited ? read(log->fd, bytes, size) : -1;
    } while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : (long)got;
}

static bool open_log(const char *path, struct log *log)
{
    struct stat info;

    log->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (log->fd < 0) {
        fprintf(stderr, "cairn record: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (fstat(log->fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        fprintf(stderr, "cairn record: %s is a folder; give the log in it\n", path);
        close(log->fd);
        return false;
    }
    return true;
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

    while (count < REGISTERS_MAX && cairn_unit_register(unit, count, &registers[count]) == CAIRN_OK)
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
                "cairn record: %s: %" PRIu64
                " instructions without an opcode, or in an instruction "
                "set that has no trace, were left out\n",
                path, result->untold);
    if (result->unseen && result->unseen < result->instructions)
        fprintf(stderr,
                "cairn record: %s: %" PRIu64
                " A32 instructions are in no packet: an MTB records branches of T32 code alone\n",
                path, result->unseen);
    if (result->discontinuities)
        fprintf(stderr,
                "cairn record: %s does not follow from itself in %" PRIu64 " places: a Trace On in "
                "the trace\n",
                path, result->discontinuities);
}

static enum cli_exit feed(const struct cli_options *options, const struct cairn_unit *unit,
                          struct log *log, struct cairn_tarmac_reader *reader,
                          struct cairn_recording *recording, bool *any)
{
    static struct cairn_register registers[REGISTERS_MAX];
    struct cairn_unit_options wanted = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options tarmac = CAIRN_TARMAC_OPTIONS_INIT;
    struct cairn_tarmac_result result = {0};
    struct cairn_error error = {0};
    struct shower shower = {0};

    if (options->open.protocol)
        wanted.protocol = options->open.protocol;
    (void)cairn_arch_from_name(cli_record_core(options), &wanted.arch); /* did it once already */
    wanted.registers = registers;
    wanted.register_count = list_registers(unit, registers);
    tarmac.unit = &wanted;
    tarmac.recording = recording;
    tarmac.making = options->record->making;
    tarmac.ended = options->record->ended;
    tarmac.context = options->record->context;
    tarmac.around = &options->record->around;
    tarmac.core = cli_record_core(options);
    interruptible = cairn_recording_control(recording);
    watch_interrupts(&log->watch);
    cli_record_progress_start(&shower.progress, options->record->folder, options->record->quiet,
                              false);
    if (shower.progress.terminal)
        shower.runs = pthread_create(&shower.thread, NULL, show, &shower) == 0;
    const cairn_status status = cairn_tarmac_feed(reader, &tarmac, &result, &error);
    atomic_store(&shower.done, true);
    if (shower.runs)
        pthread_join(shower.thread, NULL);
    cli_record_progress_end(&shower.progress);
    unwatch_interrupts(&log->watch);
    const bool stopped = atomic_load(&interruptible->interrupt);
    interruptible = NULL;

    const struct cairn_tarmac_counts *counts = cairn_tarmac_reader_counts(reader);
    tell(options->record->tarmac, &result, counts);
    *any = result.instructions > result.unseen;
    if (stopped)
        return CLI_INTERRUPTED;
    if (status != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s: %s\n", options->record->tarmac, error.text);
        return CLI_UNUSABLE;
    }
    return counts->unparsable || result.untold || result.unseen || result.discontinuities
               ? CLI_GAPS
               : CLI_CLEAN;
}

enum cli_exit cli_record_tarmac(const struct cli_options *options, const struct cairn_unit *unit,
                                bool *started)
{
    const struct cli_record *record = options->record;
    const bool existed = access(record->folder, F_OK) == 0;
    const struct cairn_recording_options wanted = {
        .size = sizeof wanted,
        .protocol = cli_record_protocol(options),
        .core = cli_record_core(options),
        .overwrite = record->force,
    };
    struct cairn_tarmac_reader *reader = NULL;
    struct log log;
    struct cairn_recording *recording = NULL;
    struct cairn_error error = {0};
    enum cli_exit result = CLI_UNUSABLE;
    bool any = true;

    *started = false;
    if (!open_log(record->tarmac, &log))
        return CLI_UNUSABLE;
    if (cairn_tarmac_reader_new(read_log, &log, &reader) != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s: no memory for its reader\n", record->tarmac);
    } else if (cairn_recording_new(record->folder, &wanted, &recording, &error) != CAIRN_OK) {
        fprintf(stderr, "cairn record: %s\n", error.text);
    } else {
        *started = true;
        result = feed(options, unit, &log, reader, recording, &any);
    }
    cairn_recording_free(recording);
    if (result == CLI_UNUSABLE && *started && !any) { /* why nothing was traced has been told */
        cairn_recording_discard(record->folder, !existed);
        *started = false;
    }
    cairn_tarmac_reader_free(reader);
    close(log.fd);
    return result;
}
