/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit model that gets no memory for what it has to hold back says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cairn/unit.h>

static bool refuses; /* more memory */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return refuses ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuses ? NULL : __real_realloc(old, size);
}

/* B.cond to itself. */
static const struct cairn_block loop = {
    .address = 0x1000,
    .target = 0x1000,
    .size = 4,
    .count = 1,
    .isa = CAIRN_ISA_A64,
    .kind = CAIRN_INSN_BRANCH_DIRECT,
    .last_size = 4,
    .target_isa = CAIRN_ISA_A64,
};

/* A unit whose decoder may speculate two P0 elements deep, so that a third is held back. */
static struct cairn_unit *make_speculative(void)
{
    static const struct cairn_register depth = {"TRCIDR8", 2};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;

    options.arch = cairn_arch_any_a();
    options.registers = &depth;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    cairn_unit_execute(unit, &loop, true);
    cairn_unit_speculate(unit, true);
    cairn_unit_execute(unit, &loop, true); /* there is room from here on to save what was before */
    return unit;
}

/* What there is no room for is lost in an overflow. */
static void test_held_back(void **state)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    struct cairn_unit *unit = make_speculative();

    (void)state;
    refuses = true;
    cairn_unit_execute(unit, &loop, true);
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_execute(unit, &loop, true);
    refuses = false;
    assert_int_equal(cairn_unit_status(unit), CAIRN_E_MEMORY);
    cairn_unit_counters(unit, &counters);
    assert_int_equal(counters.overflows, 1);
    cairn_unit_free(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
