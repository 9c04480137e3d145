/* SPDX-License-Identifier: BSD-2-Clause */
/* What random trace seldom meets: a Timestamp Marker's element that is cancelled, and a transaction
 * just as long as is held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_trace.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define IDR0 0x08018ea1u
#define TSMARK (1u << 23)

enum {
    TIMES = 100,  /* so that the scan leaves the levels in between */
    HELD = 65536, /* elements of a transaction, its start among them, that are no longer held */
    ATOM_E = 0xf7,
    IGNORE = 0x70,
    TRANSACTION_START = 0x0a,
    TRANSACTION_COMMIT = 0x0b,
};

static const uint8_t start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00};
static uint8_t trace[sizeof start + HELD + 16];

static size_t repeat(const uint8_t *bytes, size_t size)
{
    memcpy(trace, start, sizeof start);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(trace + sizeof start + i * size, bytes, size);
    return sizeof start + TIMES * size;
}

static size_t approximate_timestamps(struct cairn_config *config, size_t size)
{
    struct scan_elements elements = {0};
    size_t count = 0;

    scan_reference(config, trace, size, &elements);
    for (size_t i = 0; i < elements.count; i++)
        count += elements.list[i].kind == CAIRN_ELEMENT_TIMESTAMP &&
                 (elements.list[i].flags & CAIRN_ELEMENT_APPROXIMATE) != 0;
    scan_elements_free(&elements);
    return count;
}

/* The marker means the element before it; a Timestamp whose element is gone is only about right. */
static void check_marks(const uint8_t *bytes, size_t size, size_t approximate)
{
    static const struct random_unit unit = {"ETE, MAXSPEC 64, markers", true, false, 64,
                                            IDR0 | TSMARK};
    static const struct scan_cut cuts[] = {
        {0, 4096, 4096}, {0, 3, 2}, {1, 1, 1}, {300, 4096, 4096}};
    struct cairn_config *config = random_configure(&unit);
    const size_t all = repeat(bytes, size);
    size_t runs = 0;

    assert_int_equal(approximate_timestamps(config, all), approximate);
    scan_check(config, trace, all, cuts, COUNT_OF(cuts), &runs);
    cairn_config_unref(config);
}

/* DDI0608 D5.10 (Timestamp Marker), D5.36 (Cancel). */
static void test_marked_element_is_cancelled(void **state)
{
    /* E, E, marker, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t last_of_two[] = {0xf7, 0xf7, 0x88, 0x2e, 0x01, 0x02, 0x05, 0x2d, 0x01};
    /* EEE in one packet, marker, Commit 1, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t last_of_packet[] = {0xff, 0x88, 0x2d, 0x01, 0x2e,
                                             0x01, 0x02, 0x05, 0x2d, 0x01};
    /* The same with two Commits, and a pause, in which calls end, before the Cancel. */
    static uint8_t pause[410] = {0xff, 0x88, 0x2d, 0x01, 0x2d, 0x01};
    static const uint8_t end[] = {0x2e, 0x01, 0x02, 0x05};
    (void)state;
    memset(pause + 6, IGNORE, sizeof pause - 6);
    memcpy(pause + sizeof pause - sizeof end, end, sizeof end);
    check_marks(pause, sizeof pause, TIMES);
    check_marks(last_of_two, sizeof last_of_two, TIMES);
    check_marks(last_of_packet, sizeof last_of_packet, TIMES);
}

static void test_other_element_is_cancelled(void **state)
{
    /* E, marker, E, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t older[] = {0xf7, 0x88, 0xf7, 0x2e, 0x01, 0x02, 0x05, 0x2d, 0x01};
    /* EEE in one packet, marker, Commit 1, E, Cancel 1, Timestamp 5, Commit 2 */
    static const uint8_t packet[] = {0xff, 0x88, 0x2d, 0x01, 0xf7, 0x2e,
                                     0x01, 0x02, 0x05, 0x2d, 0x02};
    (void)state;
    check_marks(older, sizeof older, 0);
    check_marks(packet, sizeof packet, 0);
}

/* A transaction of `count` elements, its start among them, and its Commit. */
static uint16_t flags_of_start(size_t count)
{
    static const struct random_unit unit = {"ETE without speculation", true, false, 0, IDR0};
    struct cairn_config *config = random_configure(&unit);
    struct scan_elements elements = {0};
    size_t size = sizeof start;
    size_t at = 0;
    uint16_t flags;

    memcpy(trace, start, sizeof start);
    trace[size++] = TRANSACTION_START;
    memset(trace + size, ATOM_E, count - 1);
    size += count - 1;
    trace[size++] = TRANSACTION_COMMIT;
    scan_reference(config, trace, size, &elements);
    while (at < elements.count && elements.list[at].kind != CAIRN_ELEMENT_TRANSACTION_START)
        at++;
    assert_true(at + count < elements.count);
    flags = elements.list[at].flags;
    scan_elements_free(&elements);
    cairn_config_unref(config);
    return flags;
}

/* The outcome of a transaction decides about what is in it (DDI0608 D9.4), but what is held is
 * bounded, whatever the trace says. */
static void test_held_transaction(void **state)
{
    (void)state;
    assert_int_equal(flags_of_start(HELD - 1) &
                         (CAIRN_ELEMENT_TRANSACTIONAL | CAIRN_ELEMENT_UNCERTAIN),
                     CAIRN_ELEMENT_TRANSACTIONAL);
    assert_int_equal(flags_of_start(HELD) & (CAIRN_ELEMENT_TRANSACTIONAL | CAIRN_ELEMENT_UNCERTAIN),
                     CAIRN_ELEMENT_UNCERTAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marked_element_is_cancelled),
        cmocka_unit_test(test_other_element_is_cancelled),
        cmocka_unit_test(test_held_transaction),
    };
    return cmocka_run_group_tests_name("etmv4 borders", tests, NULL, NULL);
}
