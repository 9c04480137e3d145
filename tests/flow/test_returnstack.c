/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/returnstack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void sixteenth_push_drops_the_oldest(void **unused)
{
    struct cairn_return_stack stack = {0};
    struct cairn_return_entry entry;

    (void)unused;
    for (uint64_t i = 1; i <= 16; i++)
        cairn_return_stack_push(&stack, i * 0x100, i & 1);
    for (uint64_t i = 16; i >= 2; i--) {
        /* proves: R_XSVZC, D15.3.8 */
        assert_true(cairn_return_stack_pop(&stack, &entry));
        assert_int_equal(entry.address, i * 0x100);
        assert_int_equal(entry.sub_isa, i & 1);
    }
    assert_false(cairn_return_stack_pop(&stack, &entry)); /* the first is gone */
}

static void an_empty_stack_gives_nothing(void **unused)
{
    struct cairn_return_stack stack = {0};
    struct cairn_return_entry entry = {.address = 7, .sub_isa = 1};

    (void)unused;
    assert_false(cairn_return_stack_pop(&stack, &entry));
    assert_int_equal(entry.address, 7);
    cairn_return_stack_push(&stack, 0x1000, 0);
    cairn_return_stack_clear(&stack);
    assert_false(cairn_return_stack_pop(&stack, &entry));
    cairn_return_stack_push(&stack, 0x2000, 1);
    assert_true(cairn_return_stack_pop(&stack, &entry));
    assert_int_equal(entry.address, 0x2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteenth_push_drops_the_oldest),
        cmocka_unit_test(an_empty_stack_gives_nothing),
    };

    return cmocka_run_group_tests_name("returnstack", tests, NULL, NULL);
}
