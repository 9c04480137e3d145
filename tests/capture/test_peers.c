/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of real streams against what other tools made of them. */
#include "taken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_capture(const char *name, size_t *size)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    char path[4096];
    if (!captures)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", captures, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    uint8_t *bytes = malloc(MOST);
    assert_non_null(bytes);
    *size = fread(bytes, 1, MOST, file);
    fclose(file);
    return bytes;
}

static void skip_without_captures(void)
{
    if (!getenv("CAIRN_CAPTURES")) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
}

static void check_file(const char *in, unsigned id, const char *expected)
{
    size_t size, wanted_size;
    uint8_t *stream = read_capture(in, &size);
    uint8_t *wanted = read_capture(expected, &wanted_size);
    struct taken *result = take(MEMORY, id, stream, size, AT_ONCE);
    assert_int_equal(result->count, wanted_size);
    assert_memory_equal(result->bytes, wanted, wanted_size);
    free(result);
    free(stream);
    free(wanted);
}

static void against_orbtrace(void **state)
{
    (void)state;
    skip_without_captures();
    check_file("frames/test_demux.in.bin", 0x01, "frames/test_demux.expected_id01.bin");
}

static void against_sigrok(void **state)
{
    (void)state;
    skip_without_captures();
    const char *in = "cortex-m3/stm32f105/derived.swo_uart_bytes.bin";
    check_file(in, 0x01, "cortex-m3/stm32f105/derived.tpiu_id01_itm.bin");
    check_file(in, 0x02, "cortex-m3/stm32f105/derived.tpiu_id02_etm.bin");
}

/* Lines "Frame Data; Index     16;   ID_DATA[0x10]; 00 9d ..." of OpenCSD: the index is that of the
 * frame, or of the first byte in it. */
static void check_listing(const char *in, const char *listing)
{
    size_t size, text_size;
    uint8_t *stream = read_capture(in, &size);
    char *text = (char *)read_capture(listing, &text_size);
    assert_true(text_size < MOST);
    text[text_size] = 0;
    struct taken *results[4];
    size_t used[4] = {0};
    for (unsigned i = 0; i < 4; i++)
        results[i] = take(MEMORY, 0x10 + i, stream, size, AT_ONCE);
    unsigned lines = 0;
    for (char *at = text; (at = strstr(at, "Frame Data; Index")) != NULL;) {
        unsigned index, id;
        int length = 0;
        if (sscanf(at, "Frame Data; Index %u; ID_DATA[0x%x];%n", &index, &id, &length) != 2)
            fail_msg("odd line in %s", listing);
        assert_in_range(id, 0x10, 0x13);
        struct taken *result = results[id - 0x10];
        at += length;
        bool first = true;
        for (unsigned byte; *at == ' ' && sscanf(at, " %2x%n", &byte, &length) == 1; at += length) {
            const size_t n = used[id - 0x10]++;
            assert_true(n < result->count);
            assert_int_equal(result->bytes[n], byte);
            if (first)
                assert_int_equal(result->file_offset[n] / 16, index / 16);
            first = false;
        }
        lines++;
    }
    assert_true(lines > 500);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(used[i], results[i]->count);
        free(results[i]);
    }
    free(stream);
    free(text);
}

static void against_opencsd(void **state)
{
    (void)state;
    skip_without_captures();
    check_listing("frames/t1.bin", "frames/t1_decoded.txt");
    check_listing("frames/t2.bin", "frames/t2_decoded.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_orbtrace),
        cmocka_unit_test(against_sigrok),
        cmocka_unit_test(against_opencsd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
