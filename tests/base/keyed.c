/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in the order of keys, against looking at each two of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/keyed.h"

#define MOST 300u

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 11 ^ *state << 30;
}

/* Keys of which only the digits of `mask` differ. */
static void check(uint64_t mask, size_t count, uint64_t seed)
{
    struct cairn_keyed list[MOST], given[MOST] = {{0}};

    for (size_t i = 0; i < count; i++)
        given[i] =
            (struct cairn_keyed){(next(&seed) & mask) | (0x123456789abcdef0u & ~mask), (uint32_t)i};
    memcpy(list, given, sizeof list);
    cairn_keyed_sort(list, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list[i].key, given[list[i].item].key);
        if (i == 0)
            continue;
        assert_true(list[i - 1].key < list[i].key ||
                    (list[i - 1].key == list[i].key && list[i - 1].item < list[i].item));
    }
}

static void in_order(void **state)
{
    static const uint64_t masks[] = {
        UINT64_MAX, 0, 0xff, 0xff00, 0xff00000000000000, 0x0f0f000000000000, 0xffff, 0x7000070};
    (void)state;

    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        for (size_t count = 0; count <= MOST; count += count < 5 ? 1 : 59)
            check(masks[i], count, i * 1000 + count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order)};

    return cmocka_run_group_tests_name("keyed", tests, NULL, NULL);
}
