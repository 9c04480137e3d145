/* SPDX-License-Identifier: BSD-2-Clause */
/* Random traces over random programs through engine and reference path.
 *
 * usage: test_engine_random [--seeds FROM COUNT] [--size BYTES] [--ways MASK] [--statistics]
 *                           [--etmv3 | --ptm]
 *   --size BYTES   of each trace; without it 256 bytes to 64 KiB, now and then 1 MiB
 *   --ways MASK    ENGINE_WAYS bits; without it, some drawn from the seed
 *   --statistics   what the reference path found, a line a seed
 *   --etmv3, --ptm traces of ETMv3 or PTM; without them, of ETMv4 and ETE
 * Prints TAP. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "generate.h"
#include "mutate.h"
#include "shrink.h"

enum {
    SEEDS = 120,
    FAILURES_MOST = 5,
};

struct settings {
    uint64_t from;
    uint64_t count;
    size_t size;
    uint32_t ways;
    bool statistics;
    bool (*generate)(uint64_t seed, size_t size, struct engine_case *made);
};

static size_t size_of(const struct settings *settings, uint64_t seed)
{
    if (settings->size > 0)
        return settings->size;
    return seed % 64 == 63 ? (size_t)1 << 20 : (size_t)256 << seed % 9;
}

static uint32_t ways_of(const struct settings *settings, uint64_t seed, size_t size)
{
    const uint64_t drawn = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t words = 1u << (drawn >> 48 & 15) | 1u << (drawn >> 44 & 15);
    uint32_t ways = 1u << (drawn >> 60) | 1u << (drawn >> 56 & 15) | 1u << (drawn >> 52 & 15);

    if (settings->ways)
        return settings->ways;
    if (size > 1 << 16) /* not byte by byte */
        return (ways & ~(1u << 2 | 1u << 11)) | 1u << 5 | 1u << 8 | ENGINE_BY_WORDS(1u << 5);
    return ways | ENGINE_BY_WORDS(words);
}

static void print_statistics(const struct engine_case *made, uint64_t seed)
{
    struct engine_reference *reference = engine_reference_new(made);

    if (!reference)
        return;
    printf("# seed %" PRIu64 ": %zu bytes, %zu records, %zu blocks, %" PRIu64 " instructions", seed,
           made->size, reference->records.count, reference->edges.used,
           reference->edges.instructions);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        if (reference->ledger.account[i].bytes > 0)
            printf(", %s %" PRIu64, cairn_account_name(i), reference->ledger.account[i].bytes);
    printf("\n");
    engine_reference_free(reference);
}

static bool compare(const struct engine_case *input, uint32_t ways, uint64_t seed)
{
    if (engine_compare_ways(input, ways, seed, stdout))
        return true;
    engine_shrink(input, ways, seed, stdout);
    return false;
}

static bool run_seed(const struct settings *settings, uint64_t seed)
{
    const size_t size = size_of(settings, seed);
    const uint32_t ways = ways_of(settings, seed, size);
    struct engine_case made;
    bool good = settings->generate(seed, size, &made);

    if (!good)
        return false;
    if (settings->statistics)
        print_statistics(&made, seed);
    good = compare(&made, ways, seed);
    if (good && seed % 2) {
        uint8_t *bytes = malloc(made.size + MUTATE_MORE);
        struct engine_case damaged = made;

        if (!bytes)
            abort();
        memcpy(bytes, made.data, made.size);
        damaged.data = bytes;
        damaged.size = mutate(bytes, made.size, seed);
        good = compare(&damaged, ways, seed);
        if (!good)
            printf("# damaged\n");
        free(bytes);
    }
    if (!good)
        printf("# seed %" PRIu64 ", size %zu, ways %#" PRIx32 "\n", seed, size, ways);
    engine_generated_free(&made);
    return good;
}

int main(int argc, char **argv)
{
    struct settings settings = {.from = 1, .count = SEEDS, .generate = engine_generate};
    unsigned failed = 0;
    uint64_t done = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc) {
            settings.from = strtoull(argv[++i], NULL, 0);
            settings.count = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
            settings.size = strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--ways") == 0 && i + 1 < argc) {
            settings.ways = (uint32_t)strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--statistics") == 0) {
            settings.statistics = true;
        } else if (strcmp(argv[i], "--etmv3") == 0) {
            settings.generate = engine_generate_etmv3;
        } else if (strcmp(argv[i], "--ptm") == 0) {
            settings.generate = engine_generate_ptm;
        } else {
            fprintf(stderr, "usage: test_engine_random [--seeds FROM COUNT] [--size BYTES] "
                            "[--ways MASK] [--statistics] [--etmv3 | --ptm]\n");
            return 2;
        }
    }
    for (; done < settings.count && failed < FAILURES_MOST; done++) {
        failed += !run_seed(&settings, settings.from + done);
        fflush(stdout);
    }
    printf("%sok 1 - engine and reference path agree on %" PRIu64 " random traces\n1..1\n",
           failed ? "not " : "", done);
    return failed > 0;
}
