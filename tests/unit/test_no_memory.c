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

static size_t take_nothing(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    (void)context;
    (void)bytes;
    (void)size;
    (void)cycles;
    return 0;
}

/* A buffer for which there is no memory any more. With a port that takes nothing it grows up to
 * there, and beyond where there is some. */
static void test_port(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        enum cairn_isa isa;
    } rows[] = {{CAIRN_PROTOCOL_ETE, CAIRN_ISA_A64}, {CAIRN_PROTOCOL_PTM, CAIRN_ISA_A32}};
    const uint32_t depth = 100000;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit_counters counters = {.size = sizeof counters};
        struct cairn_block jump = loop;
        struct cairn_unit *unit = NULL;

        options.protocol = rows[i / 2].protocol;
        options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7 + 2 * !(i / 2)};
        options.port = take_nothing;
        options.fifo_bytes = depth;
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        cairn_unit_enable(unit);
        jump.kind = CAIRN_INSN_BRANCH_INDIRECT;
        jump.target = 0;
        jump.isa = (uint8_t)rows[i / 2].isa;
        jump.target_isa = CAIRN_ISA_UNKNOWN;
        refuses = i % 2;
        for (unsigned n = 0; n < 100000; n++) {
            jump.address = 0x1000 + n % 2 * 0x10000000;
            cairn_unit_execute(unit, &jump, true);
        }
        refuses = false;
        cairn_unit_counters(unit, &counters);
        assert_int_equal(cairn_unit_status(unit), i % 2 ? CAIRN_E_MEMORY : CAIRN_OK);
        assert_int_equal(counters.overflows, i % 2 ? 0 : 1);
        assert_true(i % 2 ? cairn_unit_pending_bytes(unit) == 0
                          : cairn_unit_pending_bytes(unit) > depth - 64 &&
                                cairn_unit_pending_bytes(unit) <= depth);
        cairn_unit_free(unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_port),
        cmocka_unit_test(test_held_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
