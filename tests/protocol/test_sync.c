/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for alignment synchronisation against one that looks at a byte at a time. */
#include "protocol/etmv4/etmv4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ZEROS = 11, /* DDI0608 D5.4 */
    END = 0x80,
    LONGEST = 300,
    RANDOM = 200000,
};

static uint64_t state = 88172645463325252u;

static size_t draw(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state * 0x2545f4914f6cdd1du % below);
}

static size_t slowly(const uint8_t *data, size_t size, size_t from)
{
    size_t zeros = 0;

    for (size_t at = from; at < size; at++) {
        if (data[at] == END && zeros >= ZEROS)
            return at - ZEROS;
        zeros = data[at] == 0 ? zeros + 1 : 0;
    }
    return size;
}

/* In memory that ends where the data does, and begins at any alignment. */
static void check(const uint8_t *bytes, size_t size, size_t from)
{
    const size_t slack = draw(16);
    uint8_t *held = malloc(slack + size + (slack + size == 0));

    assert_non_null(held);
    memcpy(held + slack, bytes, size);
    assert_int_equal(cairn_etmv4_find_sync(held + slack, size, from),
                     slowly(held + slack, size, from));
    free(held);
}

/* A run of every length up to 40 at every place of a buffer of every length, found from all about.
 */
static void every_place(void **unused)
{
    uint8_t bytes[160];

    (void)unused;
    for (size_t run = 0; run <= 40; run++) {
        for (size_t at = 0; at + run < sizeof bytes; at++) {
            const size_t end = at + run;

            memset(bytes, 0x55, sizeof bytes);
            memset(bytes + at, 0, run);
            bytes[end] = END;
            for (size_t from = at > 1 ? at - 1 : 0; from <= at + 2; from++) {
                assert_int_equal(cairn_etmv4_find_sync(bytes, sizeof bytes, from),
                                 slowly(bytes, sizeof bytes, from));
                check(bytes, end + 1, from);
                check(bytes, end, from);
            }
        }
    }
}

/* Few different bytes, so that runs of zeros of all lengths come about. */
static void random_bytes(void **unused)
{
    static const uint8_t few[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, END, 1};
    uint8_t bytes[LONGEST];

    (void)unused;
    for (unsigned i = 0; i < RANDOM; i++) {
        const size_t size = draw(LONGEST + 1);
        const size_t kinds = 1 + draw(sizeof few);

        for (size_t k = 0; k < size; k++)
            bytes[k] = few[sizeof few - 1 - draw(kinds)];
        check(bytes, size, draw(size + 2));
    }
}

/* All of them, one behind the other. */
static void one_after_another(void **unused)
{
    enum { SIZE = 1 << 16 };
    uint8_t *bytes = malloc(SIZE);
    size_t count = 0;

    (void)unused;
    assert_non_null(bytes);
    for (size_t at = 0; at < SIZE; at++)
        bytes[at] = (uint8_t)draw(256);
    for (size_t at = 0; at + 64 < SIZE; at += 20 + draw(2000)) {
        memset(bytes + at, 0, 8 + draw(8));
        bytes[at + 8 + draw(8)] = END;
    }
    for (size_t from = 0, found; from < SIZE; from = found + 1) {
        found = cairn_etmv4_find_sync(bytes, SIZE, from);
        assert_int_equal(found, slowly(bytes, SIZE, from));
        count += found < SIZE;
    }
    assert_true(count > 10);
    free(bytes);
}

static void nothing_to_look_at(void **unused)
{
    const uint8_t bytes[1] = {END};

    (void)unused;
    assert_int_equal(cairn_etmv4_find_sync(NULL, 0, 0), 0);
    assert_int_equal(cairn_etmv4_find_sync(bytes, 1, 0), 1);
    assert_int_equal(cairn_etmv4_find_sync(bytes, 1, 1), 1);
    assert_int_equal(cairn_etmv4_find_sync(bytes, 1, 7), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(nothing_to_look_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
