/* SPDX-License-Identifier: BSD-2-Clause */
/* Any number of threads give what the reference path gives, on sound traces and damaged ones.
 *
 * usage: test_engine_parallel [--seeds FROM COUNT] [--size BYTES] [--part BYTES] [--times N] [--ptm | --etmv3]
 *   --part BYTES   of each part; without it, drawn from the seed
 *   --times N      each seed so often: what threads do in between is never the same
 *   --ptm, --etmv3 traces of PTM, or of ETMv3, which other threads decode by words only; without
 *                  either, of ETMv4 and ETE
 * Prints TAP. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "flow/engine.h"
#include "flow/parallel.h"
#include "generate.h"
#include "mutate.h"

enum {
    SEEDS = 40,
    FAILURES_MOST = 5,
    DAMAGES = 6,
    LARGE = 4096,
    ROOM = 64,
    WAYS = 6,
    TRIES = 20,
};

struct settings {
    uint64_t from;
    uint64_t count;
    uint64_t times;
    size_t size;
    size_t part;
    bool (*generate)(uint64_t seed, size_t size, struct engine_case *made);
    bool only_words;
};

/* Parts that were decoded by other threads, and those of them that were no good: as the engine
 * chooses to decode, and by the protocol's reader whatever that is. */
static struct {
    unsigned traces;
    uint64_t accepted;
    uint64_t rejected;
} told[2];

static const uint32_t jobs_of[] = {2, 3, 5};

static struct engine_way way_of(unsigned index, uint64_t seed, size_t part)
{
    const uint64_t drawn = (seed * 31 + index) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    struct engine_way way = {.jobs = jobs_of[index % 3], .part = part, .records = LARGE};

    way.units = way.events = drawn & 1 ? LARGE : ROOM;
    if (drawn & 2)
        way.table_bytes = CAIRN_ENGINE_TABLE_BYTES_MIN;
    if ((drawn & 12) == 12) {
        way.cut = part * 10;
        way.random = seed | 1;
    }
    way.append = drawn & 16;
    if (index >= 3)
        way.flags = CAIRN_ENGINE_COUNTS;
    if (drawn & 32)
        way.flags |= CAIRN_ENGINE_PORTABLE;
    return way;
}

/* How many parts other threads decoded. */
static void count_parts(const struct engine_case *input, size_t part, bool by_words)
{
    const struct cairn_engine_options options = {
        .size = sizeof options, .flags = by_words ? CAIRN_ENGINE_WORDS : 0, .jobs = 2};
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *batch = NULL;
    uint64_t accepted = 0, rejected = 0;

    if (cairn_engine_make(input->config, input->image, &options, NULL, &engine) != CAIRN_OK ||
        cairn_word_batch_new(LARGE, false, &batch) != CAIRN_OK)
        abort();
    cairn_parallel_set_sizes(engine, part, part);
    for (size_t at = 0; at < input->size; batch->count = batch->event_count = 0)
        if (cairn_engine_run(engine, input->data, input->size, &at, batch) != CAIRN_OK)
            abort();
    cairn_parallel_tell(engine, &accepted, &rejected);
    told[by_words].traces++;
    told[by_words].accepted += accepted;
    told[by_words].rejected += rejected;
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
}

/* Until other threads have decoded a part: on a busy machine they may be late for short traces. */
static void count_some_parts(const struct engine_case *input, size_t part, bool only_words)
{
    for (unsigned by_words = only_words; by_words < 2; by_words++) {
        count_parts(input, part, by_words);
        for (unsigned i = 0; i < TRIES && told[by_words].accepted == 0; i++)
            count_parts(input, part, by_words);
    }
}

static bool compare(const struct engine_case *input, uint64_t seed, size_t part, bool only_words)
{
    struct engine_reference *reference = engine_reference_new(input);
    bool good = reference != NULL;

    for (unsigned i = only_words ? WAYS : 0; i < 2 * WAYS && good; i++) {
        struct engine_way way = way_of(i % WAYS, seed, part);

        way.flags |= i < WAYS ? 0 : CAIRN_ENGINE_WORDS;
        good = engine_compare(input, reference, &way, stdout);
    }
    if (good)
        count_some_parts(input, part, only_words);
    engine_reference_free(reference);
    return good;
}

static bool run_seed(const struct settings *settings, uint64_t seed)
{
    const size_t size = settings->size ? settings->size : (size_t)2048 << seed % 6;
    const size_t part = settings->part ? settings->part : (size_t)64 << seed % 8;
    struct engine_case made;
    bool good = settings->generate(seed, size, &made);
    uint8_t *bytes = good ? malloc(made.size + MUTATE_MORE) : NULL;

    if (!bytes)
        abort();
    good = compare(&made, seed, part, settings->only_words);
    for (unsigned i = 0; i < DAMAGES && good; i++) {
        struct engine_case damaged = made;

        memcpy(bytes, made.data, made.size);
        damaged.data = bytes;
        damaged.size = mutate(bytes, made.size, seed * DAMAGES + i);
        good = compare(&damaged, seed + i, part, settings->only_words);
        if (!good)
            printf("# damage %u\n", i);
    }
    if (!good)
        printf("# seed %" PRIu64 ", size %zu, part %zu\n", seed, size, part);
    free(bytes);
    engine_generated_free(&made);
    return good;
}

int main(int argc, char **argv)
{
    struct settings settings = {.from = 1, .count = SEEDS, .times = 1, .generate = engine_generate};
    unsigned failed = 0;
    uint64_t done = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc) {
            settings.from = strtoull(argv[++i], NULL, 0);
            settings.count = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            settings.size = strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--part") == 0 && i + 1 < argc) {
            settings.part = strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc) {
            settings.times = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--ptm") == 0) {
            settings.generate = engine_generate_ptm;
            settings.only_words = true;
        } else if (strcmp(argv[i], "--etmv3") == 0) {
            settings.generate = engine_generate_etmv3;
            settings.only_words = true;
        } else {
            fprintf(stderr, "usage: test_engine_parallel [--seeds FROM COUNT] [--size BYTES] "
                            "[--part BYTES] [--times N] [--ptm | --etmv3]\n");
            return 2;
        }
    }
    for (; done < settings.count * settings.times && failed < FAILURES_MOST; done++) {
        failed += !run_seed(&settings, settings.from + done % settings.count);
        fflush(stdout);
    }
    for (unsigned i = 0; i < 2; i++)
        printf("# %u traces by %s: %" PRIu64 " parts of other threads accepted, %" PRIu64
               " rejected\n",
               told[i].traces, i ? "the reader" : "choice", told[i].accepted, told[i].rejected);
    printf("%sok 1 - any number of threads agrees with the reference path on %" PRIu64
           " random traces and damaged ones\n",
           failed ? "not " : "", done);
    printf("%sok 2 - other threads decode parts of sound traces by the protocol's reader\n",
           told[1].accepted == 0 ? "not " : "");
    if (!settings.only_words)
        printf("%sok 3 - other threads decode parts of sound traces as the engine chooses\n",
               told[0].accepted == 0 ? "not " : "");
    printf("1..%d\n", settings.only_words ? 2 : 3);
    return failed > 0 || told[1].accepted == 0 || (!settings.only_words && told[0].accepted == 0);
}
