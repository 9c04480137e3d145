/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a machine that have other bytes at another time, and at another level. */
#include "machine/versions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"

#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
#define EL1 CAIRN_PAGES_EL1
#define EL2 CAIRN_PAGES_EL2
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
    static const uint8_t words[][4] = {{1}, {2}, {3}, {4}};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);

    assert_non_null(versions);
    record_describe(record_source(recording, "one"));
    for (uint32_t space = CAIRN_PAGES_ANY; space <= EL2; space++)
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
    assert_int_equal(finish_ok(folder).code_bytes, 5 * 4);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(memory_in(capture, 0, CODE, 0, CAIRN_NONSECURE), 2);
    assert_int_equal(memory_in(capture, 0, CODE, 1, CAIRN_SECURE), 2);
    assert_int_equal(memory_in(capture, 0, CODE, 2, CAIRN_NONSECURE), 4);
    assert_int_equal(memory_in(capture, 0, CODE, 2, CAIRN_SECURE), 1); /* none is there */
    assert_int_equal(memory_in(capture, 0, CODE, 3, CAIRN_SECURE), 3);
    assert_int_equal(memory_in(capture, 0, UINT64_MAX, 3, CAIRN_SECURE), 0x14);
    assert_int_equal(memory_in(capture, 0, UINT64_MAX, 1, CAIRN_NONSECURE), -1);
    cairn_capture_free(capture);
}

/* EL2 turns, and the others stay; in both security states, where both executed something. */
static void turned_at_EL2(void **state)
{
    const struct folder *folder = *state;
    static const uint8_t words[][4] = {{1}, {2}, {3}, {4}};
    static const uint32_t spaces[] = {EL1, EL2, EL3};
    const uint8_t atom = ATOM_E;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);
    struct cairn_recorded_source *source = record_source(recording, "one");

    assert_non_null(versions);
    atomic_store(&cairn_recording_control(recording)->secure_EL2, 1);
    record_describe(source);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cairn_versions_find(versions,
                                             cairn_versions_page(versions, spaces[i], CODE), CODE,
                                             words[i], 4, 0),
                         0);
    const uint32_t page = cairn_versions_page(versions, EL2, CODE);
    assert_int_equal(cairn_versions_find(versions, page, CODE, words[3], 4, 0), 1);
    /* between what was executed then is what was there first */
    assert_true(cairn_versions_take(versions, page, 0, CODE + 4, words[2], 4));
    assert_true(cairn_versions_take(versions, page, 1, CODE + 8, words[2], 4));
    assert_int_equal(cairn_versions_turn(versions, source, page, 1, 0), CAIRN_OK);
    record_bytes(source, recorded_start, sizeof recorded_start);
    record_bytes(source, &atom, 1);
    cairn_versions_free(versions);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).code_bytes, 7 * 4);
    struct cairn_capture *capture = open_finished(folder);
    for (unsigned security = 0; security < 2; security++) {
        const uint8_t in = security ? CAIRN_SECURE : CAIRN_NONSECURE;

        assert_int_equal(memory_in(capture, 0, CODE, 0, in), 1);
        assert_int_equal(memory_in(capture, 0, CODE, 1, in), 1);
        assert_int_equal(memory_in(capture, 0, CODE, 2, in), 4);
        assert_int_equal(memory_in(capture, 0, CODE + 4, 2, in), 3);
        assert_int_equal(memory_in(capture, 0, CODE, 3, in), 3);
    }
    cairn_capture_free(capture);
}

/* More changes than a snapshot takes: what is there is right of every source up to the first that is not. */
static void too_many_turns(void **state)
{
    const struct folder *folder = *state;
    enum { EACH = 30000, ROOM = 49152, BYTES = sizeof recorded_start + 2 * EACH };
    static uint8_t bytes[BYTES];
    struct cairn_recording *recording = record_new(folder);
    struct cairn_versions *versions = cairn_versions_new(recording);
    struct cairn_recorded_source *sources[] = {record_source(recording, "one"),
                                               record_source(recording, "two")};
    char path[512];
    size_t size;

    assert_non_null(versions);
    memset(bytes, ATOM_E, sizeof bytes);
    memcpy(bytes, recorded_start, sizeof recorded_start);
    const uint32_t page = cairn_versions_page(versions, EL1, CODE);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_loop, 8, 0), 0);
    assert_int_equal(cairn_versions_find(versions, page, CODE, recorded_self, 4, 0), 1);
    for (unsigned i = 0; i < 2; i++) {
        record_describe(sources[i]);
        record_bytes(sources[i], bytes, sizeof bytes);
    }
    for (uint32_t i = 0; i < 2 * EACH; i++)
        for (unsigned n = 0; n < 2; n++)
            assert_int_equal(cairn_versions_turn(versions, sources[n], page, (i + 1) % 2,
                                                 sizeof recorded_start + i),
                             CAIRN_OK);
    cairn_versions_free(versions);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).epochs_lost, 2 * EACH - ROOM);
    for (unsigned n = 0; n < 2; n++) {
        char expected[64];

        snprintf(path, sizeof path, "%s/%s.ini", record_path(folder), n ? "two" : "one");
        char *const text = (char *)read_whole(path, &size);
        text[size - 1] = '\0';
        snprintf(expected, sizeof expected, "lost=%d\nfrom=0x%zx", (2 * EACH - ROOM) / 2,
                 sizeof recorded_start + ROOM);
        assert_non_null(strstr(text, expected));
        free(text);
    }
}

/* More pieces than a snapshot takes: programs that came last are left out, the kernel is there. */
static void too_many_pieces(void **state)
{
    const struct folder *folder = *state;
    enum { ROOM = 49152, MORE = 100 };
    const uint64_t kernel = UINT64_C(0xffff800008000000);
    struct cairn_pages pages[CAIRN_PAGES_SPACES] = {{.count = 0}};
    struct cairn_memory_file file;
    struct cairn_error error = {0};
    char path[512];

    for (uint64_t i = 0; i < ROOM + MORE; i++) /* from above, so that the first are those behind */
        assert_int_equal(cairn_pages_set(&pages[EL1], (ROOM + MORE - i) * CAIRN_PAGE_BYTES,
                                         recorded_self, 4, CAIRN_PAGES_KEEP, 0),
                         CAIRN_OK);
    assert_int_equal(cairn_pages_set(&pages[EL1], kernel, recorded_loop, 8, CAIRN_PAGES_KEEP, 0),
                     CAIRN_OK);
    snprintf(path, sizeof path, "%s/memory", folder->path);
    assert_int_equal(cairn_memory_begin(&file, path, "memory", pages, false, &error), CAIRN_OK);
    assert_int_equal(cairn_memory_end(&file, &error), CAIRN_OK);
    assert_int_equal(file.pages_lost, MORE + 1);
    assert_int_equal(file.span_count, ROOM);
    assert_int_equal(file.spans[0].address, (MORE + 2) * CAIRN_PAGE_BYTES);
    assert_int_equal(file.spans[ROOM - 1].address, kernel);
    cairn_memory_free(&file);
    cairn_pages_clear(&pages[EL1]);
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
    const struct CMUnitTest tests[] = {
        TEST(found),          TEST(decoded),         TEST(levels), TEST(turned_at_EL2),
        TEST(too_many_turns), TEST(too_many_pieces), TEST(many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
