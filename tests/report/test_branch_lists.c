/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch lists that are too large for one message: none is larger than it may be, and what is read is what was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "report/branch_lists.h"

enum { HEAD = 29, BINARIES = 3, LISTS = 60, SAMPLES = 40, FILE_MOST = 1 << 16 };

static void fill(struct cairn_branch_lists *lists)
{
    static char paths[BINARIES][16] = {"/lib/c.so", "/lib/a.so", "/lib/b.so"};
    uint8_t bits[LISTS / 8 + 1];
    uint32_t numbers[BINARIES];

    for (unsigned i = 0; i < BINARIES; i++)
        assert_int_equal(cairn_branch_lists_binary(
                             lists, &(struct cairn_listed_binary){.path = paths[i]}, &numbers[i]),
                         CAIRN_OK);
    for (uint32_t i = 0; i < LISTS; i++) {
        const struct cairn_branch_list list = {
            .binary = numbers[i % BINARIES], .bits = i + 1, .address = i / 6 * 4, .count = i + 1};

        memset(bits, (int)(i * 37), sizeof bits);
        assert_int_equal(cairn_branch_lists_add(lists, &list, bits), CAIRN_OK);
    }
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const struct cairn_listed_branch branch = {.from = {numbers[i % BINARIES], i},
                                                   .to = {CAIRN_PGO_NONE, 0}};
        const struct cairn_listed_sample sample = {
            .at = {i % 4 ? numbers[i % BINARIES] : CAIRN_PGO_NONE, i % 4 ? i : 0}, .count = i % 2};

        assert_int_equal(cairn_branch_lists_add_sample(lists, &sample, &branch), CAIRN_OK);
    }
    assert_int_equal(cairn_branch_lists_settle(lists), CAIRN_OK);
}

static size_t write_lists(const struct cairn_branch_lists *lists, uint64_t most, uint8_t *bytes)
{
    static struct cairn_output output;
    FILE *const file = tmpfile();

    assert_non_null(file);
    cairn_output_init(&output, fileno(file));
    assert_int_equal(cairn_branch_lists_write(lists, most, &output), CAIRN_OK);
    cairn_output_flush(&output);
    assert_int_equal(output.state, CAIRN_OUTPUT_OPEN);
    const ssize_t size = pread(fileno(file), bytes, FILE_MOST, 0);
    assert_in_range(size, 1, FILE_MOST - 1);
    fclose(file);
    return (size_t)size;
}

/* How many messages there are, of which the largest has so many bytes. */
static unsigned messages_of(const uint8_t *bytes, size_t size, uint32_t *largest)
{
    unsigned count = 0;

    *largest = 0;
    assert_memory_equal(bytes, "simpleperf:EtmBranchList\1\0\0\0", HEAD);
    for (size_t at = HEAD; at < size; count++) {
        const uint32_t own = cairn_load_le32(bytes + at);

        *largest = own > *largest ? own : *largest;
        at += 4 + own;
        assert_in_range(at, 1, size);
    }
    return count;
}

static void several_messages_are_the_same(void **state)
{
    static uint8_t one[FILE_MOST], bytes[FILE_MOST], again[FILE_MOST];
    struct cairn_branch_lists lists = {.binaries = NULL};
    unsigned before = 0;

    (void)state;
    fill(&lists);
    const size_t size = write_lists(&lists, FILE_MOST, one);
    assert_int_equal(one[0], 0x0a); /* the magic's field */
    for (uint64_t most = 1024; most >= 200; most -= 100) {
        struct cairn_branch_lists read = {.binaries = NULL};
        const size_t parts = write_lists(&lists, most, bytes);
        uint32_t largest;
        const unsigned count = messages_of(bytes, parts, &largest);

        assert_in_range(largest, 1, most);
        assert_true(count >= before && count > 4);
        before = count;
        assert_int_equal(cairn_branch_lists_read(&read, "parts", bytes, parts, NULL), CAIRN_OK);
        assert_int_equal(cairn_branch_lists_settle(&read), CAIRN_OK);
        assert_int_equal(write_lists(&read, FILE_MOST, again), size);
        assert_memory_equal(one, again, size);
        cairn_branch_lists_clear(&read);
    }
    cairn_branch_lists_clear(&lists);
}

/* One list alone has a message, however large it is. */
static void each_list_has_a_message(void **state)
{
    static uint8_t bytes[FILE_MOST];
    struct cairn_branch_lists lists = {.binaries = NULL};
    uint32_t largest;

    (void)state;
    fill(&lists);
    const size_t size = write_lists(&lists, 1, bytes);
    assert_int_equal(messages_of(bytes, size, &largest), LISTS + SAMPLES);
    cairn_branch_lists_clear(&lists);
}

/* A list that is too long, and samples beyond those that there is room for, are counted. */
static void what_has_no_room_is_counted(void **state)
{
    struct cairn_branch_lists lists = {.binaries = NULL};
    uint8_t *const bits = calloc(CAIRN_LISTED_BITS_MOST / 8 + 1, 1);
    char path[] = "/a";
    struct cairn_branch_list list = {.bits = CAIRN_LISTED_BITS_MOST, .count = 3};

    (void)state;
    assert_non_null(bits);
    assert_int_equal(cairn_branch_lists_binary(&lists, &(struct cairn_listed_binary){.path = path},
                                               &list.binary),
                     CAIRN_OK);
    assert_int_equal(cairn_branch_lists_add(&lists, &list, bits), CAIRN_OK);
    assert_int_equal(lists.left_out, 0);
    list.bits++;
    assert_int_equal(cairn_branch_lists_add(&lists, &list, bits), CAIRN_OK);
    assert_int_equal(lists.left_out, 3);
    assert_int_equal(lists.list_count, 1);
    free(bits);
    cairn_branch_lists_clear(&lists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_messages_are_the_same),
        cmocka_unit_test(each_list_has_a_message),
        cmocka_unit_test(what_has_no_room_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
