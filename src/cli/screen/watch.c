/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/screen/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/output.h"

#define SECOND UINT64_C(1000000000)
#define SHOW_EVERY (SECOND / 5)
#define FLUSH_EVERY (SECOND / 10)

/* A signal handler has nowhere else to leave its mark. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void cli_watch_start(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second Ctrl-C ends the program */
    sigaction(SIGINT, &action, NULL);
}

void cli_watch_keep(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupted;
}

bool cli_pipe_closed(void)
{
    return errno == EPIPE;
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

void cli_progress_start(struct cli_progress *progress, const char *what, uint64_t total)
{
    *progress = (struct cli_progress){
        .what = what,
        .total = total,
        .terminal = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
    };
    if (progress->terminal)
        progress->started = now();
}

/* "12 s", "3 min 5 s", "2 h 14 min". */
static void write_duration(char *text, size_t size, double seconds)
{
    const double bound = 100.0 * 3600.0; /* nobody waits for more; it need not be told exactly */
    const unsigned whole = (unsigned)(seconds < bound ? seconds + 0.5 : bound);

    if (whole < 60)
        snprintf(text, size, "%u s", whole);
    else if (whole < 3600)
        snprintf(text, size, "%u min %u s", whole / 60, whole % 60);
    else
        snprintf(text, size, "%u h %u min", whole / 3600, whole / 60 % 60);
}

void cli_progress_update(struct cli_progress *progress, uint64_t done)
{
    if (!progress->terminal)
        return;
    uint64_t time = now();
    uint64_t elapsed = time - progress->started;
    if (elapsed < SECOND || time - progress->shown < SHOW_EVERY)
        return;
    double seconds = (double)elapsed / (double)SECOND;
    double rate = (double)done / 1e6 / seconds;
    if (progress->total && done) {
        char left[32];
        uint64_t bytes_left = progress->total > done ? progress->total - done : 0;
        write_duration(left, sizeof left, seconds * (double)bytes_left / (double)done);
        fprintf(stderr, "\r%s: %3.0f%%, %.1f MB/s, %s left \033[K", progress->what,
                100.0 * (double)done / (double)progress->total, rate, left);
    } else {
        fprintf(stderr, "\r%s: %.1f MB, %.1f MB/s \033[K", progress->what, (double)done / 1e6,
                rate);
    }
    progress->shown = time;
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = 0;
}

static void flush_listing(struct cli_progress *progress)
{
    if (!progress->listing || !progress->listing->used)
        return;
    const uint64_t time = now();
    if (time - progress->flushed < FLUSH_EVERY)
        return;
    progress->flushed = time;
    cairn_output_flush(progress->listing);
}

int cli_progress_watch(void *progress, uint64_t done)
{
    if (progress) {
        flush_listing(progress);
        cli_progress_update(progress, done);
    }
    return cli_interrupted();
}
