/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference path, bytes to flow with a sink that counts, beside libopencsd doing the same, in
 * rounds that take turns: A B, A B, ... Both get the bytes of each source without frames and the
 * memory in buffers. A round's ratio compares what stood next to each other in time.
 *
 * usage: bench [--smoke] CAPTURE...     --smoke: one round of one pass, for the counts only
 *
 * Exit status 1 when the two count different instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load.h"
#include "peer.h"

#define ROUNDS 15
#define ROUND_SECONDS 0.1
#define RECORDS_AT_ONCE 4096

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t count(struct cairn_flow_batch *batch)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < batch->count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            instructions += batch->instructions[i];
    batch->count = 0;
    return instructions;
}

/* A decoder's life from its making to its end: nothing is kept from pass to pass. */
static uint64_t run_cairn_source(const struct bench_source *source, struct cairn_image *image,
                                 struct cairn_flow_batch *batch)
{
    struct cairn_decoder *decoder = NULL;
    uint64_t instructions = 0;
    size_t added;

    bench_must(cairn_decoder_new(source->config, image, &decoder), NULL, "decoder");
    for (size_t at = 0; at < source->size; instructions += count(batch))
        bench_must(cairn_decoder_run(decoder, source->bytes, source->size, &at, batch), NULL,
                   "flow");
    do {
        bench_must(cairn_decoder_finish(decoder, batch), NULL, "flow");
        added = batch->count;
        instructions += count(batch);
    } while (added);
    cairn_decoder_free(decoder);
    return instructions;
}

struct contest {
    struct bench_capture loaded;
    struct bench_peer **peers;
    struct cairn_flow_batch *batch;
};

static uint64_t run_cairn(struct contest *contest)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < contest->loaded.source_count; i++)
        instructions +=
            run_cairn_source(&contest->loaded.sources[i], contest->loaded.image, contest->batch);
    return instructions;
}

static uint64_t run_peer(struct contest *contest)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < contest->loaded.source_count; i++)
        instructions += bench_peer_run(contest->peers[i]);
    return instructions;
}

/* Seconds a pass, over `passes` of them. */
static double timed(uint64_t (*run)(struct contest *), struct contest *contest, unsigned passes)
{
    double start = now();

    for (unsigned i = 0; i < passes; i++)
        run(contest);
    return (now() - start) / passes;
}

static unsigned passes_for(uint64_t (*run)(struct contest *), struct contest *contest)
{
    double once = timed(run, contest, 1);

    return once < ROUND_SECONDS ? 1 + (unsigned)(ROUND_SECONDS / once) : 1;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void show(const char *name, double *seconds, const char *unit, double scale)
{
    qsort(seconds, ROUNDS, sizeof *seconds, ascending);
    printf("  %-18s min %8.3f  median %8.3f  max %8.3f  %s\n", name, seconds[0] * scale,
           seconds[ROUNDS / 2] * scale, seconds[ROUNDS - 1] * scale, unit);
}

static void race(struct contest *contest, uint64_t instructions)
{
    double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS];
    unsigned our_passes = passes_for(run_cairn, contest);
    unsigned their_passes = passes_for(run_peer, contest);

    printf("  ratio per round:");
    for (unsigned i = 0; i < ROUNDS; i++) {
        ours[i] = timed(run_cairn, contest, our_passes);
        theirs[i] = timed(run_peer, contest, their_passes);
        ratio[i] = theirs[i] / ours[i];
        printf(" %.2f", ratio[i]);
    }
    putchar('\n');
    show("cairn reference", ours, "ms a pass", 1e3);
    show("libopencsd", theirs, "ms a pass", 1e3);
    show("ratio", ratio, "times as fast", 1);
    printf("  medians: cairn %.1f MB/s, %.1f Minstr/s; libopencsd %.1f MB/s, %.1f Minstr/s\n",
           (double)contest->loaded.bytes / ours[ROUNDS / 2] / 1e6,
           (double)instructions / ours[ROUNDS / 2] / 1e6,
           (double)contest->loaded.bytes / theirs[ROUNDS / 2] / 1e6,
           (double)instructions / theirs[ROUNDS / 2] / 1e6);
}

static void show_load(const char *when)
{
    double load[3] = {0};

    if (getloadavg(load, 3) == 3)
        printf("load average %s: %.2f %.2f %.2f\n", when, load[0], load[1], load[2]);
}

/* True when both count the same. */
static bool compete(const char *path, bool smoke)
{
    struct contest contest = {0};

    bench_load(path, &contest.loaded);
    contest.peers = calloc(contest.loaded.source_count + 1, sizeof(struct bench_peer *));
    bench_must(contest.peers ? CAIRN_OK : CAIRN_E_MEMORY, NULL, path);
    bench_must(cairn_flow_batch_new(RECORDS_AT_ONCE, &contest.batch), NULL, path);
    for (size_t i = 0; i < contest.loaded.source_count; i++)
        contest.peers[i] = bench_peer_new(&contest.loaded, &contest.loaded.sources[i]);

    uint64_t ours = run_cairn(&contest), theirs = run_peer(&contest);
    printf("%s: %zu sources, %zu bytes; instructions: cairn %" PRIu64 ", libopencsd %" PRIu64
           "%s\n",
           path, contest.loaded.source_count, contest.loaded.bytes, ours, theirs,
           ours == theirs ? "" : " DIFFER");
    if (!smoke)
        race(&contest, ours);

    for (size_t i = 0; i < contest.loaded.source_count; i++)
        bench_peer_free(contest.peers[i]);
    free(contest.peers);
    cairn_flow_batch_free(contest.batch);
    bench_unload(&contest.loaded);
    return ours == theirs;
}

int main(int argc, char **argv)
{
    bool smoke = argc > 1 && !strcmp(argv[1], "--smoke"), same = true;
    int first = smoke ? 2 : 1;

    if (first >= argc) {
        fprintf(stderr, "usage: bench [--smoke] CAPTURE...\n");
        return 2;
    }
    printf("cairn %s reference path beside libopencsd %s\n", cairn_version(), bench_peer_version());
    show_load("before");
    for (int i = first; i < argc; i++)
        same &= compete(argv[i], smoke);
    show_load("after");
    return same ? 0 : 1;
}
