/* SPDX-License-Identifier: BSD-2-Clause */
/* Random round trips: what a core does goes through a trace unit and comes back out of the decoder,
 * and must be the same; and the fast engine gives the records that the reference path gives, of
 * damaged traces too.
 *
 * usage: roundtrip [--seeds FROM COUNT] [--minutes N] [--folder PATH] [--failures N]
 *                  [--without CHOICES] [--peer] [--port]
 *   --seeds FROM COUNT   which; default 1 10000
 *   --minutes N          from FROM on, for so long, whatever COUNT is
 *   --folder PATH        where the scenario of a failure is written; without it, to standard error
 *   --failures N         when to give up; default 5
 *   --without CHOICES    CAIRN_UNIT_... that the units do not have
 *   --peer               libopencsd decodes as well what it decodes right
 *   --port               the units have ports that take some bytes, at random
 *
 * Prints TAP. A failure prints its seed, what is wrong, and the shortest case that still fails. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../peers/opencsd.h"
#include "peer.h"

enum {
    SEEDS = 10000,
    SEEDS_A_PROGRAM = 16,
    FAILURES = 5,
    PROGRESS_SEEDS = 1 << 12,
    PROGRESS_SECONDS = 30,
    SECONDS_A_MINUTE = 60,
    PEER_SECONDS = 10,
    KEPT_BYTES = 16 << 20,
};

struct settings {
    uint64_t from;
    uint64_t count;
    uint64_t minutes;
    const char *folder;
    uint64_t failures;
    uint32_t without;
    bool peer;
    bool port;
};

struct tally {
    uint64_t seeds;
    uint64_t failed;
    uint64_t impossible;
    uint64_t instructions;
    uint64_t bytes;
    uint64_t overflows;
    uint64_t syncs;
    uint64_t rests;
    uint64_t shared;
};

static void make(const struct settings *settings, struct trip_case *trip,
                 struct trip_program *program, uint64_t seed)
{
    struct peer_random random = {.state = seed};

    trip->seed = seed;
    trip->program = program;
    trip_options_draw(&trip->options, program, &random);
    trip->options.choices &= ~settings->without;
    if (settings->port) {
        trip->options.port = peer_random_range(&random, 1, 40);
        if (trip->options.fifo_bytes == 0)
            trip->options.fifo_bytes = 64 + peer_random_below(&random, 500);
    }
    trip_steps_draw(trip, &random);
}

static void report(const struct settings *settings, struct trip_work *work)
{
    printf("# seed %" PRIu64 ": %s\n", work->trip.seed, trip_problem(work));
    fflush(stdout);
    trip_shrink(work);
    printf("# shortest: %s\n", trip_problem(work));
    trip_write_scenario(work, settings->folder);
    fflush(stdout);
}

static void run_peer(const struct settings *settings, struct trip_work *work, struct tally *tally)
{
    if (!settings->peer || !trip_peer_shares(work))
        return;
    tally->shared++;
    alarm(PEER_SECONDS);
    if (!trip_peer_agrees(work)) {
        tally->failed++;
        printf("# seed %" PRIu64 ": libopencsd disagrees\n", work->trip.seed);
        trip_write_scenario(work, settings->folder);
    }
    alarm(0);
}

static void run_seed(const struct settings *settings, struct trip_work *work, struct tally *tally,
                     uint64_t seed)
{
    make(settings, &work->trip, &work->program, seed);
    switch (trip_try(work)) {
    case TRIP_GOOD: break;
    case TRIP_IMPOSSIBLE: tally->impossible++; return;
    case TRIP_BAD:
        tally->failed++;
        report(settings, work);
        return;
    }
    tally->instructions += work->truth.count;
    tally->bytes += work->trace.size;
    tally->overflows += work->said.overflows > 0;
    tally->syncs += work->said.syncs;
    tally->rests += work->has_rest;
    run_peer(settings, work, tally);
}

static void print_progress(const struct tally *tally, time_t seconds)
{
    printf("# %" PRIu64 " seeds in %lld s: %" PRIu64 " failed, %" PRIu64 " mean nothing, %" PRIu64
           " instructions, %" PRIu64 " bytes, %" PRIu64 " overflowed, %" PRIu64
           " synchronisations, %" PRIu64 " decoded from the middle, %" PRIu64 " by libopencsd\n",
           tally->seeds, (long long)seconds, tally->failed, tally->impossible, tally->instructions,
           tally->bytes, tally->overflows, tally->syncs, tally->rests, tally->shared);
    fflush(stdout);
}

/* Goes on behind tally->seeds. */
static bool run(const struct settings *settings, struct tally *tally)
{
    struct trip_work *work = calloc(1, sizeof *work);
    const time_t began = time(NULL);
    time_t shown = began, now = began;
    bool is_first = true;

    if (!work)
        return false;
    while (tally->failed < settings->failures) {
        const uint64_t seed = settings->from + tally->seeds;

        if (seed % SEEDS_A_PROGRAM == 0 || is_first)
            if (!trip_program_make(&work->program, seed / SEEDS_A_PROGRAM))
                return false;
        is_first = false;
        if (seed % PROGRESS_SEEDS == 0)
            now = time(NULL);
        if (now - shown >= PROGRESS_SECONDS) {
            shown = now;
            print_progress(tally, now - began);
        }
        if (settings->minutes ? now - began >= (time_t)settings->minutes * SECONDS_A_MINUTE
                              : tally->seeds >= settings->count)
            break;
        tally->seeds++;
        run_seed(settings, work, tally, seed);
    }
    print_progress(tally, time(NULL) - began);
    trip_work_clear(work);
    free(work);
    return true;
}

/* libopencsd works in a process of its own: a trace that it does not survive must not end the test.
 * The next process goes on behind it. */
static bool run_with_peer(const struct settings *settings, struct tally *tally)
{
    for (;;) {
        int status = 0;
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0)
            _exit(run(settings, tally) ? 0 : 1);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return false;
        if (!WIFSIGNALED(status))
            return WEXITSTATUS(status) == 0;
        printf("# seed %" PRIu64 ": ended by signal %d\n", settings->from + tally->seeds - 1,
               WTERMSIG(status));
        if (++tally->failed == settings->failures)
            return true;
    }
}

static bool read_settings(struct settings *settings, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc) {
            settings->from = strtoull(argv[++i], NULL, 0);
            settings->count = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--minutes") == 0 && i + 1 < argc) {
            settings->minutes = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--without") == 0 && i + 1 < argc) {
            settings->without = (uint32_t)strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--failures") == 0 && i + 1 < argc) {
            settings->failures = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--peer") == 0) {
            settings->peer = true;
        } else if (strcmp(argv[i], "--port") == 0) {
            settings->port = true;
        } else if (strcmp(argv[i], "--folder") == 0 && i + 1 < argc) {
            settings->folder = argv[++i];
        } else {
            fprintf(stderr, "usage: roundtrip [--seeds FROM COUNT] [--minutes N] [--folder PATH] "
                            "[--failures N] [--without CHOICES] [--peer] [--port]\n");
            return false;
        }
    }
    return true;
}

static void print_result(const struct settings *settings, const struct tally *tally, bool good)
{
    const char *not_ok = good ? "" : "not ";

    if (!settings->peer)
        printf("%sok 1 - %" PRIu64 " random programs come back through unit and decoder as they "
               "were executed, from seed %" PRIu64 "\n",
               not_ok, tally->seeds, settings->from);
    else if (!peer_opencsd_version())
        printf("ok 1 - libopencsd agrees # SKIP built without libopencsd-dev\n");
    else
        printf("%sok 1 - libopencsd %s agrees on %" PRIu64 " of %" PRIu64 " random programs\n",
               not_ok, peer_opencsd_version(), tally->shared, tally->seeds);
}

int main(int argc, char **argv)
{
    struct settings settings = {.from = 1, .count = SEEDS, .failures = FAILURES};
    struct tally *tally =
        mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = true;

    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES); /* each seed needs what the last one gave back */
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    if (!read_settings(&settings, argc, argv) || tally == MAP_FAILED)
        return 2;
    printf("1..1\n");
    if (!settings.peer)
        good = run(&settings, tally) && tally->seeds > tally->impossible;
    else if (peer_opencsd_version())
        good = run_with_peer(&settings, tally) && tally->shared > 0;
    good = good && tally->failed == 0;
    print_result(&settings, tally, good);
    return good ? 0 : 1;
}
