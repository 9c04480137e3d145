/* SPDX-License-Identifier: BSD-2-Clause */
/* Every source of captures through engine and reference path, as they are and damaged.
 *
 * usage: test_engine_captures [--damaged COUNT [FROM]] PATH...
 *   PATH   a snapshot, or a folder with snapshots below it; one that is not there is skipped
 *   --damaged COUNT [FROM]   besides, COUNT damaged versions of each source, of seeds from FROM on
 * Prints TAP, a line for each source. The folder that CAIRN_CAPTURES names is looked at as well. */
#include <ftw.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/capture.h>

#include "compare.h"
#include "mutate.h"
#include "shrink.h"

enum {
    OPEN_FOLDERS = 16,
    FOUND_MOST = 256,
    SMALL = 64 << 10,   /* sources up to here go every way */
    MIDDLE = 512 << 10, /* those up to here all but byte by byte */
    DAMAGED_BYTES = 4096,
};

#define BYTE_BY_BYTE ((1u << 2) | (1u << 11) | (1u << 15))

static struct {
    char *paths[FOUND_MOST];
    size_t count;
} found; /* nftw() has no argument for it */

static struct {
    unsigned number;
    unsigned failed;
    uint64_t damaged;
    uint64_t from;
} run;

static void print_result(bool good, const char *capture, const char *source, const char *comment)
{
    printf("%sok %u - %s %s%s\n", good ? "" : "not ", ++run.number, capture, source, comment);
    fflush(stdout);
    run.failed += !good;
}

/* Some stretch of the source, damaged. */
static bool compare_damaged(const struct engine_case *sound, uint64_t seed)
{
    const uint64_t drawn = seed * UINT64_C(0x9e3779b97f4a7c15);
    const size_t size = sound->size < DAMAGED_BYTES ? sound->size : DAMAGED_BYTES;
    const size_t from = sound->size > size ? (size_t)((drawn >> 20) % (sound->size - size)) : 0;
    const uint32_t ways =
        1u << (drawn >> 60) | 1u << (drawn >> 56 & 15) | ENGINE_BY_WORDS(1u << (drawn >> 52 & 15));
    struct engine_case input = *sound;
    /* the beginning, for its context and address, and then what is elsewhere */
    const size_t head = from > 256 ? 256 : 0;
    uint8_t *bytes = malloc(head + size + MUTATE_MORE);
    bool good;

    if (!bytes)
        return false;
    memcpy(bytes, sound->data, head);
    memcpy(bytes + head, sound->data + from, size);
    input.data = bytes;
    input.size = mutate(bytes, head + size, seed);
    good = engine_compare_ways(&input, ways, seed, stdout);
    if (!good) {
        printf("# damaged with seed %" PRIu64 "\n", seed);
        engine_shrink(&input, ways, seed, stdout);
    }
    free(bytes);
    return good;
}

static bool compare_source(const struct engine_case *input)
{
    const uint32_t ways = input->size <= SMALL ? ENGINE_ALL_WAYS : ENGINE_ALL_WAYS & ~BYTE_BY_BYTE;
    const uint32_t of_levels = ENGINE_BY_WORDS(input->size <= SMALL ? 0x0233 : 0x0220);
    bool good =
        engine_compare_ways(input, (input->size <= MIDDLE ? ways : 0x66e1) | of_levels, 1, stdout);

    for (uint64_t i = 0; i < run.damaged && good && input->size > 0; i++)
        good = compare_damaged(input, run.from + i);
    return good;
}

static uint8_t *read_source(const struct cairn_capture *capture, size_t source, size_t *size)
{
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    uint8_t *bytes = malloc(1);

    *size = 0;
    if (cairn_reader_new(capture, source, &reader, NULL) != CAIRN_OK)
        chunk.size = 0;
    while (bytes && reader && cairn_reader_next(reader, &chunk) == CAIRN_OK && chunk.size > 0) {
        uint8_t *grown = realloc(bytes, *size + chunk.size);

        if (!grown) {
            free(bytes);
            bytes = NULL;
            break;
        }
        bytes = grown;
        memcpy(bytes + *size, chunk.data, chunk.size);
        *size += chunk.size;
    }
    cairn_reader_free(reader);
    return bytes;
}

static void run_capture(const char *path)
{
    struct cairn_capture *capture;
    struct cairn_error error = {0};

    if (cairn_capture_open(path, NULL, &capture, &error) != CAIRN_OK) {
        printf("# %s: %s\n", path, error.text);
        return;
    }
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
        struct cairn_source_info info = {.size = sizeof info};
        struct engine_case input = {.image = cairn_capture_image(capture)};
        uint8_t *bytes;

        if (cairn_capture_source(capture, i, &info) != CAIRN_OK)
            continue;
        if (!cairn_protocol_decodes(info.protocol))
            continue;
        source.protocol = info.protocol;
        source.arch = info.arch;
        source.registers = info.registers;
        source.register_count = info.register_count;
        source.source = (uint32_t)i;
        if (cairn_config_new(&source, &input.config, NULL) != CAIRN_OK)
            continue;
        bytes = read_source(capture, i, &input.size);
        input.data = bytes;
        print_result(bytes && compare_source(&input), path, info.name, "");
        free(bytes);
        cairn_config_unref(input.config);
    }
    cairn_capture_free(capture);
}

static int find(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    if (type == FTW_F && strcmp(path + walk->base, "snapshot.ini") == 0 &&
        found.count < FOUND_MOST) {
        char *copy = strdup(path);

        if (copy)
            found.paths[found.count++] = strdup(dirname(copy));
        free(copy);
    }
    return 0;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

int main(int argc, char **argv)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    const char *required = getenv("CAIRN_REQUIRE_CAPTURES");
    const char *ci = getenv("CI");
    const bool must = (required && strcmp(required, "1") == 0) || (ci && strcmp(ci, "true") == 0);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--damaged") == 0 && i + 1 < argc) {
            run.damaged = strtoull(argv[++i], NULL, 0);
            if (i + 1 < argc && strspn(argv[i + 1], "0123456789") == strlen(argv[i + 1]))
                run.from = strtoull(argv[++i], NULL, 0);
        } else {
            nftw(argv[i], find, OPEN_FOLDERS, FTW_PHYS);
        }
    }
    if (captures)
        nftw(captures, find, OPEN_FOLDERS, FTW_PHYS);
    qsort(found.paths, found.count, sizeof found.paths[0], compare_paths);
    for (size_t i = 0; i < found.count; i++)
        if (found.paths[i])
            run_capture(found.paths[i]);
    if (!captures)
        print_result(!must, "captures", "",
                     must ? ": CAIRN_CAPTURES is not set" : " # SKIP CAIRN_CAPTURES is not set");
    printf("1..%u\n", run.number);
    for (size_t i = 0; i < found.count; i++)
        free(found.paths[i]);
    return run.failed > 0;
}
