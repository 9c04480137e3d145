/* SPDX-License-Identifier: BSD-2-Clause */
/* Real captures: the scan gives what the levels give for every ETMv4 and ETE source, as it is and
 * damaged, however it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include <cairn/capture.h>

#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define KEEP (1u << 21) /* no source of the captures is longer */
#define DAMAGE_EVERY 2500u

struct total {
    size_t sources;
    size_t bytes;
    size_t elements;
    size_t runs;
};

static size_t read_source(const struct cairn_capture *capture, size_t index, uint8_t *bytes)
{
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    struct cairn_error error;
    size_t size = 0;

    assert_int_equal(cairn_reader_new(capture, index, &reader, &error), CAIRN_OK);
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (chunk.size == 0)
            break;
        assert_true(size + chunk.size <= KEEP);
        memcpy(bytes + size, chunk.data, chunk.size);
        size += chunk.size;
    }
    cairn_reader_free(reader);
    return size;
}

static void check_source(const struct cairn_capture *capture, size_t index,
                         const struct cairn_source_info *info, struct total *total)
{
    static const struct scan_cut whole[] = {{0, 4096, 4096}, {SCAN_UNEVEN, 200, 20}};
    static const struct scan_cut damaged[] = {{0, 2048, 512}};
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    struct cairn_error error;
    uint8_t *bytes = malloc(KEEP);
    uint32_t random = 1;

    assert_non_null(bytes);
    wanted.protocol = info->protocol;
    wanted.arch = info->arch;
    wanted.registers = info->registers;
    wanted.register_count = info->register_count;
    assert_int_equal(cairn_config_new(&wanted, &config, &error), CAIRN_OK);
    const size_t size = read_source(capture, index, bytes);

    total->sources++;
    total->bytes += size;
    total->elements += scan_check(config, bytes, size, whole, COUNT_OF(whole), &total->runs);
    for (size_t at = DAMAGE_EVERY / 2; at < size; at += 1 + random % DAMAGE_EVERY) {
        random = random * 1664525u + 1013904223u;
        bytes[at] = (uint8_t)(random >> 16);
    }
    (void)scan_check(config, bytes, size, damaged, COUNT_OF(damaged), &total->runs);
    cairn_config_unref(config);
    free(bytes);
}

static void check_capture(const char *path, struct total *total)
{
    const struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_capture *capture;
    struct cairn_source_info info = {.size = sizeof info};

    assert_int_equal(cairn_capture_open(path, &options, &capture, NULL), CAIRN_OK);
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        assert_int_equal(cairn_capture_source(capture, i, &info), CAIRN_OK);
        if (cairn_protocol_decodes(info.protocol))
            check_source(capture, i, &info, total);
    }
    cairn_capture_free(capture);
}

static void test_captures(void **state)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    struct total total = {0};
    char folder[512];
    char path[1024];
    (void)state;

    if (!captures) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/snapshots", captures);
    DIR *directory = opendir(folder);

    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/snapshot.ini", folder, entry->d_name);
        FILE *file = fopen(path, "r");

        if (!file)
            continue;
        fclose(file);
        check_capture(path, &total);
    }
    closedir(directory);
    print_message("# %zu sources, %zu bytes, %zu elements\n", total.sources, total.bytes,
                  total.elements);
    assert_true(total.sources > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures)};

    return cmocka_run_group_tests_name("scan of captures", tests, NULL, NULL);
}
