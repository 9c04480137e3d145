/* SPDX-License-Identifier: BSD-2-Clause */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SWEEP = 96 << 20,            /* bytes: more than any cache of the machine is likely to have */
    ROUND_NS = 40 * 1000 * 1000, /* a round repeats passes until it is this long */
    PASSES_MAX = 4096,
    COLD_PASSES = 3,
    TURNS_LEAST = 3,
    LEARN_PASSES = 2, /* for each thread: which parts it gets is anybody's guess */
};

const char *bench_phase_name(enum bench_phase phase)
{
    static const char *const names[BENCH_PHASE_COUNT] = {"cold", "first", "warm"};

    return names[phase];
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void sweep_caches(void)
{
    static volatile unsigned char seen;
    unsigned char *bytes = malloc(SWEEP);

    bench_must(bytes ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "sweeping caches");
    memset(bytes, 1, SWEEP);
    for (size_t i = 0; i < SWEEP; i += 64)
        seen = (unsigned char)(seen + bytes[i]);
    free(bytes);
}

/* --- Cairn --- */

/* Making the decoder is part of the pass. */
static uint64_t time_new(const struct bench_contest *contest, const struct bench_row *row,
                         struct cairn_image *image)
{
    const uint64_t start = now();
    struct bench_runner *runner = bench_runner_new(row->mode, row->threads, contest->loaded, image);

    bench_runner_run(runner);
    const uint64_t end = now();
    bench_runner_free(runner);
    return end - start;
}

static uint64_t time_cold(const struct bench_contest *contest, const struct bench_row *row)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < COLD_PASSES; i++) {
        struct cairn_image *image = bench_fresh_image(contest->path, contest->loaded);

        sweep_caches();
        sum += time_new(contest, row, image);
        cairn_image_unref(image);
    }
    return sum / COLD_PASSES;
}

/* ns a pass, over as many passes as a round takes. */
static uint64_t time_first(const struct bench_contest *contest, const struct bench_row *row)
{
    uint64_t sum = 0;
    unsigned passes = 0;

    while (passes < PASSES_MAX && sum < ROUND_NS) {
        sum += time_new(contest, row, contest->loaded->image);
        passes++;
    }
    return sum / passes;
}

static uint64_t time_warm(struct bench_runner *runner)
{
    const uint64_t start = now();
    uint64_t end = start;
    unsigned passes = 0;

    while (passes < PASSES_MAX && end - start < ROUND_NS) {
        bench_runner_run(runner);
        passes++;
        end = now();
    }
    return (end - start) / passes;
}

/* Passes with several threads and with one take turns: the clock of a processor may change from one
 * row to the next. */
static void time_threads(struct bench_row *row, struct bench_runner *several,
                         struct bench_runner *one, unsigned round)
{
    uint64_t with = 0, alone = 0;
    unsigned turns = 0;

    while (turns < TURNS_LEAST || (turns < PASSES_MAX && with < ROUND_NS)) {
        const uint64_t start = now();

        bench_runner_run(one);
        const uint64_t middle = now();

        bench_runner_run(several);
        with += now() - middle;
        alone += middle - start;
        turns++;
    }
    row->cairn_ns[round] = with / turns;
    row->alone_ns[round] = alone / turns;
}

/* The warm row of one thread and the same mode. */
static struct bench_runner *find_alone(const struct bench_contest *contest,
                                       const struct bench_row *row, struct bench_runner **runners)
{
    for (size_t i = 0; i < contest->row_count; i++)
        if (contest->rows[i].mode == row->mode && contest->rows[i].phase == row->phase &&
            contest->rows[i].threads == 1)
            return runners[i];
    return NULL;
}

static uint64_t time_row(const struct bench_contest *contest, const struct bench_row *row,
                         struct bench_runner *runner)
{
    switch (row->phase) {
    case BENCH_COLD: return time_cold(contest, row);
    case BENCH_FIRST: return time_first(contest, row);
    case BENCH_WARM: return time_warm(runner);
    case BENCH_PHASE_COUNT: break;
    }
    return 0;
}

/* --- the peer --- */

struct peers {
    struct bench_peer *of[2]; /* enum bench_depth; those of the source in hand */
};

static struct peers *make_peers(const struct bench_capture *loaded)
{
    struct peers *peers = calloc(loaded->source_count + 1, sizeof *peers);

    bench_must(peers ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "libopencsd");
    for (size_t i = 0; i < loaded->source_count; i++) {
        const struct bench_source *source = &loaded->sources[i];

        peers[i].of[BENCH_PACKETS] = bench_peer_new(BENCH_PACKETS, source, loaded->image);
        peers[i].of[BENCH_FLOW] = bench_peer_new(BENCH_FLOW, source, loaded->image);
    }
    return peers;
}

static void free_peers(const struct bench_capture *loaded, struct peers *peers)
{
    for (size_t i = 0; i < loaded->source_count; i++) {
        bench_peer_free(peers[i].of[BENCH_PACKETS]);
        bench_peer_free(peers[i].of[BENCH_FLOW]);
    }
    free(peers);
}

static uint64_t time_peer_warm(const struct bench_contest *contest, struct peers *peers,
                               enum bench_depth depth)
{
    const uint64_t start = now();
    uint64_t end = start;
    unsigned passes = 0;

    while (passes < PASSES_MAX && end - start < ROUND_NS) {
        for (size_t i = 0; i < contest->loaded->source_count; i++)
            bench_peer_run(peers[i].of[depth]);
        passes++;
        end = now();
    }
    return (end - start) / passes;
}

static uint64_t time_peer_cold(const struct bench_contest *contest)
{
    struct cairn_image *image = bench_fresh_image(contest->path, contest->loaded);
    uint64_t sum = 0;

    sweep_caches();
    for (size_t i = 0; i < contest->loaded->source_count; i++) {
        const uint64_t start = now();
        struct bench_peer *peer = bench_peer_new(BENCH_FLOW, &contest->loaded->sources[i], image);

        bench_peer_run(peer);
        sum += now() - start;
        bench_peer_free(peer);
    }
    cairn_image_unref(image);
    return sum;
}

/* --- rounds --- */

/* Rows that have the peer's same pass beside them. `first` has the warm one: its decode tree has
 * nothing that the first pass over a trace would have to fill. */
enum group { GROUP_PACKETS, GROUP_FLOW, GROUP_COLD, GROUP_COUNT };

static enum group group_of(const struct bench_row *row)
{
    if (bench_mode_depth(row->mode) == BENCH_PACKETS)
        return GROUP_PACKETS;
    return row->phase == BENCH_COLD ? GROUP_COLD : GROUP_FLOW;
}

static uint64_t time_peer(const struct bench_contest *contest, struct peers *peers,
                          enum group group)
{
    switch (group) {
    case GROUP_PACKETS: return time_peer_warm(contest, peers, BENCH_PACKETS);
    case GROUP_FLOW: return time_peer_warm(contest, peers, BENCH_FLOW);
    case GROUP_COLD: return time_peer_cold(contest);
    case GROUP_COUNT: break;
    }
    return 0;
}

static void run_group(struct bench_contest *contest, struct bench_runner **runners,
                      struct peers *peers, enum group group, unsigned round)
{
    uint64_t peer_ns = 0;
    bool any = false;

    for (size_t i = 0; i < contest->row_count; i++) {
        struct bench_row *row = &contest->rows[i];

        if (group_of(row) != group)
            continue;
        if (row->threads > 1)
            time_threads(row, runners[i], find_alone(contest, row, runners), round);
        else
            row->cairn_ns[round] = time_row(contest, row, runners[i]);
        any = true;
    }
    if (any)
        peer_ns = time_peer(contest, peers, group);
    for (size_t i = 0; i < contest->row_count; i++)
        if (group_of(&contest->rows[i]) == group)
            contest->rows[i].peer_ns[round] = peer_ns;
}

static struct bench_runner **make_runners(const struct bench_contest *contest)
{
    struct bench_runner **runners = calloc(contest->row_count + 1, sizeof(struct bench_runner *));

    bench_must(runners ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "runners");
    for (size_t i = 0; i < contest->row_count; i++) {
        const struct bench_row *row = &contest->rows[i];

        if (row->phase != BENCH_WARM)
            continue;
        runners[i] =
            bench_runner_new(row->mode, row->threads, contest->loaded, contest->loaded->image);
        if (!bench_mode_learns(row->mode))
            continue;
        for (unsigned pass = 0; pass < (row->threads > 1 ? LEARN_PASSES * row->threads : 1); pass++)
            bench_runner_run(runners[i]);
    }
    return runners;
}

const char *bench_rows_disagree(const struct bench_contest *contest, uint64_t instructions)
{
    for (size_t i = 0; i < contest->row_count; i++) {
        const struct bench_row *row = &contest->rows[i];
        struct bench_runner *runner;
        uint64_t first, second;

        if (row->phase != BENCH_WARM || bench_mode_depth(row->mode) != BENCH_FLOW)
            continue;
        runner = bench_runner_new(row->mode, row->threads, contest->loaded, contest->loaded->image);
        first = bench_runner_check(runner);
        second = bench_mode_learns(row->mode) ? bench_runner_check(runner) : first;
        bench_runner_free(runner);
        if (first != instructions || second != instructions)
            return bench_mode_name(row->mode);
    }
    return NULL;
}

void bench_run_rounds(struct bench_contest *contest)
{
    struct bench_runner **runners = make_runners(contest);
    struct peers *peers = make_peers(contest->loaded);

    for (unsigned round = 0; round < contest->rounds; round++)
        for (enum group group = 0; group < GROUP_COUNT; group++)
            run_group(contest, runners, peers, group, round);
    for (size_t i = 0; i < contest->row_count; i++)
        if (runners[i])
            contest->rows[i].tables = bench_runner_tables(runners[i]);
    for (size_t i = 0; i < contest->row_count; i++)
        bench_runner_free(runners[i]);
    free(runners);
    free_peers(contest->loaded, peers);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct bench_spread bench_spread_of(const double *values, unsigned count)
{
    double sorted[BENCH_ROUNDS_MAX];
    struct bench_spread spread;

    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    spread.min = sorted[0];
    spread.median = sorted[count / 2];
    spread.max = sorted[count - 1];
    spread.figure = sorted[count >= 3 ? count - 2 : count - 1];
    return spread;
}
