/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/record/record.h"
#include "machine/recording.h"

#define FIRST_SECONDS 1.0
#define SHARED_SECONDS 10.0

void cli_record_progress_start(struct cli_record_progress *progress, const char *folder, bool quiet,
                               bool shared)
{
    *progress = (struct cli_record_progress){
        .folder = folder,
        .terminal = !quiet && isatty(STDERR_FILENO),
        .shared = shared,
        .next = shared ? SHARED_SECONDS : FIRST_SECONDS,
    };
    clock_gettime(CLOCK_MONOTONIC, &progress->started);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void map_control(struct cli_record_progress *progress)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/recording.ctl", progress->folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (lseek(file, 0, SEEK_END) >= (off_t)sizeof *progress->control) {
        void *map = mmap(NULL, sizeof *progress->control, PROT_READ, MAP_SHARED, file, 0);
        progress->control = map == MAP_FAILED ? NULL : map;
    }
    close(file);
}

void cli_record_progress_show(struct cli_record_progress *progress)
{
    const double elapsed = seconds_since(&progress->started);

    if (!progress->terminal || elapsed < progress->next)
        return;
    if (!progress->control)
        map_control(progress);
    if (!progress->control)
        return;
    const double instructions = (double)progress->control->instructions;
    fprintf(stderr, "%srecording: %.0f million instructions, %.1f MB of trace, %.1f million/s%s",
            progress->shared ? "" : "\r", instructions / 1e6,
            (double)progress->control->bytes / 1e6, instructions / 1e6 / elapsed,
            progress->shared ? "\n" : " \033[K");
    if (progress->shared)
        progress->next = elapsed + SHARED_SECONDS;
    progress->shown = !progress->shared;
}

void cli_record_progress_end(struct cli_record_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    if (progress->control)
        munmap(progress->control, sizeof *progress->control);
    progress->control = NULL;
}
