/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a machine that have other bytes at another time, and at another level. */
#include "machine/versions.h"

#include <string.h>

#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
#define EL1 CAIRN_PAGES_EL1
#define EL3 CAIRN_PAGES_EL3

/* recorded_loop and recorded_self begin at CODE and differ. */
static void found(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recording_control *control = cairn_recording_control(recording);
    struct cairn_versions *versions = cairn_versions_new(recording);

    assert_non_null(versions);
    const uint32_t page = cairn_versions_page(versions, EL1, CODE);
    assert_int_equal(cairn_versions_page(versions, EL1, CODE + 0xfff), page);
    assert_int_not_equal(cairn_versions_page(versions, EL1, CODE + 0x1000), page);
    assert_int_not_equal(cairn_versions_page(versions, EL3, CODE), page);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_loop, 8, 0), 0);
    const uint64_t size = control->code_bytes;
    assert_int_equal(cairn_versions_find(versions, page, CODE + 4, recorded_loop + 4, 4, 0), 0);
    assert_int_equal(control->code_bytes, size); /* known already */
    /* what is not known otherwise is of the version that is there */
    assert_true(cairn_versions_take(versions, page, 0, CODE + 0x100, recorded_self, 4));
    assert_false(cairn_versions_take(versions, page, 0, CODE + 0x100, recorded_loop, 4));
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_self, 4, 0), 1);
    assert_int_equal(cairn_versions_find(versions, page, CODE + 0x200, recorded_loop, 4, 1), 1);
    assert_false(cairn_versions_take(versions, page, 1, CODE, recorded_loop, 8));
    /* the one that has it goes before one that could */
    assert_int_equal(cairn_versions_find(versions, page, CODE + 0x200, recorded_self, 4, 1), 0);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_loop, 8, 1), 0);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_self, 4, 0), 1);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_loop + 4, 4, 0), 2);
    assert_false(
        cairn_versions_take(versions, page, 3, CODE, recorded_loop, 4)); /* there is none */
    cairn_versions_free(versions);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).epochs, 3);
}

/* A source that turns and turns back, and one that stays. */
static void decoded(void **state)
{
    const struct folder *folder = *state;
    const uint8_t atom = ATOM_E;
    char ranges[128];
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);
    struct cairn_recorded_source *one = record_source(recording, "one");
    struct cairn_recorded_source *two = record_source(recording, "two");

    assert_non_null(versions);
    record_describe(one);
    record_describe(two);
    const uint32_t page = cairn_versions_page(versions, EL1, CODE);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_loop, 8, 0), 0);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_self, 4, 0), 1);
    record_bytes(one, recorded_start, sizeof recorded_start);
    record_bytes(two, recorded_start, sizeof recorded_start);
    record_bytes(two, &atom, 1);
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0)
            assert_int_equal(cairn_versions_turn(versions, one, page, i % 2, 24 + i), CAIRN_OK);
        record_bytes(one, &atom, 1);
    }
    /* behind what the source has: it counts for nothing */
    assert_int_equal(cairn_versions_turn(versions, one, page, 0, 28), CAIRN_OK);
    assert_int_equal(cairn_versions_turn(versions, one, page, 1, 28), CAIRN_OK);
    cairn_versions_free(versions);
    cairn_recording_free(recording);

    assert_int_equal(finish_ok(folder).code_bytes, 8 + 4);
    struct cairn_capture *capture = open_finished(folder);
    ranges_of(capture, 0, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 1@1000 2@1000 1@1000 ");
    ranges_of(capture, 1, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 ");
    cairn_capture_free(capture);
}

/* Each level has its own memory at an address; EL0 that of EL1. */
static void levels(void **state)
{
    const struct folder *folder = *state;
    const uint8_t words[CAIRN_PAGES_SPACES][4] = {{1}, {2}, {3}};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);

    assert_non_null(versions);
    record_describe(record_source(recording, "one"));
    for (uint32_t space = 0; space < CAIRN_PAGES_SPACES; space++)
        assert_int_equal(cairn_versions_find(versions, cairn_versions_page(versions, space, CODE),
                                             CODE, words[space], 4, 0),
                         0);
    /* the last bytes there are, and the first */
    assert_int_equal(cairn_versions_find(versions,
                                         cairn_versions_page(versions, EL3, UINT64_MAX - 3),
                                         UINT64_MAX - 3, recorded_self, 4, 0),
                     0);
    cairn_versions_free(versions);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).code_bytes, 4 * 4);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(memory_in(capture, 0, CODE, 0, CAIRN_NONSECURE), 2);
    assert_int_equal(memory_in(capture, 0, CODE, 1, CAIRN_SECURE), 2);
    assert_int_equal(memory_in(capture, 0, CODE, 2, CAIRN_NONSECURE), 1);
    assert_int_equal(memory_in(capture, 0, CODE, 3, CAIRN_SECURE), 3);
    assert_int_equal(memory_in(capture, 0, UINT64_MAX, 3, CAIRN_SECURE), 0x14);
    assert_int_equal(memory_in(capture, 0, UINT64_MAX, 1, CAIRN_NONSECURE), -1);
    cairn_capture_free(capture);
}

/* Each time another one. */
static void many(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);

    assert_non_null(versions);
    const uint32_t page = cairn_versions_page(versions, EL1, CODE);
    for (unsigned i = 0; i < 600; i++) {
        const uint8_t word[4] = {(uint8_t)i, (uint8_t)(i >> 8)};
        assert_int_equal(cairn_versions_find(versions, page, CODE, word, 4, 0), i);
    }
    cairn_versions_free(versions);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).epochs, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(found), TEST(decoded), TEST(levels), TEST(many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
