/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for alignment synchronisation, of each protocol that has it, against one that looks at a byte at a
 * time, and that for one that begins inside a byte against one that looks at each bit. */
#include "protocol/etmv3/etmv3.h"
#include "protocol/etmv4/etmv4.h"
#include "protocol/ptm/ptm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    END = 0x80,
    ZERO_BITS = 47, /* in front of a one, where they begin inside a byte (IHI0014 7.7.2) */
    LONGEST = 300,
    RANDOM = 200000,
};

/* A protocol's search, and how many zeros it wants. */
static const struct finder {
    const char *name;
    size_t (*find)(const uint8_t *data, size_t size, size_t from);
    size_t zeros;
} finders[] = {
    {"etmv4", cairn_etmv4_find_sync, 11}, /* DDI0608 D5.4 */
    {"etmv3", cairn_etmv3_find_sync, 5},  /* IHI0014 7.7.2 */
    {"ptm", cairn_ptm_find_sync, 5},      /* IHI0035 4.5.1 */
};

static const struct finder *finder = &finders[0]; /* which is tested */

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
        if (data[at] == END && zeros >= finder->zeros)
            return at - finder->zeros;
        zeros = data[at] == 0 ? zeros + 1 : 0;
    }
    return size;
}

/* In memory that ends where the data does, and begins at any alignment. */
static void check(const uint8_t *bytes, size_t size, size_t from)
{
    const size_t slack = draw(16);
    const size_t inside = from < size ? from : size; /* as cairn_find_sync sees to */
    uint8_t *held = malloc(slack + size + (slack + size == 0));

    assert_non_null(held);
    memcpy(held + slack, bytes, size);
    assert_int_equal(finder->find(held + slack, size, inside), slowly(held + slack, size, inside));
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
                check(bytes, sizeof bytes, from);
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
    for (size_t at = 0; at + 64 < SIZE; at += 20 + draw(500)) {
        memset(bytes + at, 0, 8 + draw(8));
        bytes[at + 8 + draw(8)] = END;
    }
    for (size_t from = 0, found; from < SIZE; from = found + 1) {
        found = finder->find(bytes, SIZE, from);
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
    assert_int_equal(finder->find(NULL, 0, 0), 0);
    assert_int_equal(finder->find(bytes, 1, 0), 1);
    assert_int_equal(finder->find(bytes, 1, 1), 1);
}

static size_t bits_slowly(const uint8_t *data, size_t size, size_t from, unsigned *shift)
{
    size_t zeros = 0;

    for (size_t bit = 0; bit < 8 * size; bit++) {
        if (!(data[bit / 8] >> bit % 8 & 1)) {
            zeros++;
            continue;
        }
        if (zeros >= ZERO_BITS && bit / 8 >= from) {
            *shift = (unsigned)((bit + 1) % 8);
            return bit / 8;
        }
        zeros = 0;
    }
    return size;
}

/* Runs of zero bits of all lengths about the one that is wanted, at any bit, found from any byte. */
static void inside_bytes(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < RANDOM; i++) {
        const size_t size = draw(40);
        const size_t before = draw(20), zeros = ZERO_BITS - 3 + draw(7), from = draw(size + 2);
        unsigned got = 8, wanted = 8;
        uint8_t bytes[40];

        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)draw(256);
        for (size_t bit = before; bit < before + zeros && bit < 8 * sizeof bytes; bit++)
            bytes[bit / 8] &= (uint8_t) ~(1u << bit % 8);
        assert_int_equal(cairn_etmv3_find_shift(bytes, size, from, &got),
                         bits_slowly(bytes, size, from, &wanted));
        assert_int_equal(got, wanted);
    }
}

/* Of the protocol that is named, or of ETMv4. */
int main(int argc, char **argv)
{
    const struct CMUnitTest inside[] = {cmocka_unit_test(inside_bytes)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place),
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(nothing_to_look_at),
    };

    if (argc > 1 && strcmp(argv[1], "shift") == 0)
        return cmocka_run_group_tests(inside, NULL, NULL);
    for (size_t i = 0; argc > 1 && i < sizeof finders / sizeof finders[0]; i++)
        if (strcmp(argv[1], finders[i].name) == 0)
            finder = &finders[i];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
