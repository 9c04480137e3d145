/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of plain A64 instructions are counted eight at a time; here one at a time. */
#include "isa/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 70, SIZE = 4, ROUNDS = 100000 };

static uint64_t state = 88172645463325252u;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state * 0x2545f4914f6cdd1du >> 32);
}

/* DDI0487 C4.1: the major groups, by bits 28:25. */
static bool is_branch_or_system(uint32_t word)
{
    const unsigned op0 = word >> 25 & 15;

    return op0 == 10 || op0 == 11;
}

static bool is_reserved(uint32_t word)
{
    const unsigned op0 = word >> 25 & 15;

    return op0 == 0 || op0 == 1 || op0 == 3;
}

static uint32_t word_at(const uint8_t *bytes, size_t i)
{
    bytes += i * SIZE;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void check(const uint8_t *bytes, size_t count)
{
    size_t unbranched = 0;
    size_t plain = 0;

    while (unbranched < count && !is_branch_or_system(word_at(bytes, unbranched)))
        unbranched++;
    while (plain < unbranched && !is_reserved(word_at(bytes, plain)))
        plain++;
    assert_int_equal(cairn_a64_plain_run(bytes, count), plain);
    assert_int_equal(cairn_a64_unbranched_run(bytes, count), unbranched);
}

/* `count` words, the last of which ends where memory does. */
static void each_group_alone(void **unused)
{
    (void)unused;
    for (size_t count = 0; count <= 20; count++) {
        uint8_t *bytes = malloc(count * SIZE + (count == 0));

        assert_non_null(bytes);
        for (size_t at = 0; at < count; at++) {
            for (unsigned op0 = 0; op0 < 16; op0++) {
                for (size_t i = 0; i < count * SIZE; i++)
                    bytes[i] = (uint8_t)(i % SIZE == 3 ? 0x91 : draw()); /* add */
                bytes[at * SIZE + 3] = (uint8_t)(op0 << 1 | (draw() & 0xe1));
                check(bytes, count);
            }
        }
        check(bytes, count);
        free(bytes);
    }
}

static void random_words(void **unused)
{
    uint8_t bytes[LONGEST * SIZE + 3];

    (void)unused;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t slack = round % 4; /* words may lie anywhere */
        const unsigned rare = 1 + draw() % 40;

        for (size_t i = 0; i < LONGEST * SIZE; i++)
            bytes[slack + i] = (uint8_t)draw();
        for (size_t i = 0; i < LONGEST; i++)
            if (draw() % rare)
                bytes[slack + i * SIZE + 3] = draw() % 8 ? 0x91 : 0x00;
        check(bytes + slack, draw() % (LONGEST + 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_alone),
        cmocka_unit_test(random_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
