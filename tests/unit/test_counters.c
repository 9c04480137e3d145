/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace unit of each protocol counts of one and the same program (cairn/unit.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

struct row {
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    enum cairn_isa isa;
    unsigned irq;
    unsigned syncs; /* A-syncs: an MTB writes none */
};

static const struct row rows[] = {
    {CAIRN_PROTOCOL_ETE, {CAIRN_PROFILE_A, 9, 2, 0}, CAIRN_ISA_A64, CAIRN_EXCEPTION_IRQ, 1},
    {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_A, 8, 0, 0}, CAIRN_ISA_A64, CAIRN_EXCEPTION_IRQ, 1},
    {CAIRN_PROTOCOL_ETMV3, {CAIRN_PROFILE_A, 7, 0, 0}, CAIRN_ISA_A32, CAIRN_EXCEPTION_IRQ, 1},
    {CAIRN_PROTOCOL_PTM, {CAIRN_PROFILE_A, 7, 0, 0}, CAIRN_ISA_A32, CAIRN_EXCEPTION_IRQ, 1},
    {CAIRN_PROTOCOL_MTB, {CAIRN_PROFILE_M, 8, 0, 0}, CAIRN_ISA_T32, 16, 0},
};

static uint64_t delivered;

static cairn_status sink(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    delivered += size;
    return CAIRN_OK;
}

/* `count` instructions of 4 bytes, of which the last branches to `target`. */
static void tell(struct cairn_unit *unit, const struct row *row, uint64_t address, uint32_t count,
                 uint64_t target, bool taken)
{
    const struct cairn_block block = {.address = address,
                                      .target = target,
                                      .size = 4 * count,
                                      .count = count,
                                      .isa = (uint8_t)row->isa,
                                      .kind = CAIRN_INSN_BRANCH_DIRECT,
                                      .last_size = 4,
                                      .target_isa = (uint8_t)row->isa};

    cairn_unit_execute(unit, &block, taken);
}

static struct cairn_unit_counters counters_of(const struct cairn_unit *unit)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(unit, &counters);
    return counters;
}

static void check(const struct row *row)
{
    static const struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    delivered = 0;
    options.protocol = row->protocol;
    options.arch = row->arch;
    options.sink = sink;
    if (cairn_unit_new(&options, &unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    tell(unit, row, 0x1000, 7, 0x1000, true); /* not enabled */
    cairn_unit_enable(unit);
    cairn_unit_context(unit, &context);
    tell(unit, row, 0x1000, 3, 0x2000, true);
    tell(unit, row, 0x2000, 2, 0x5000, false);
    tell(unit, row, 0x2008, 2, 0x3000, true);
    assert_int_equal(counters_of(unit).discontinuities, 0);
    assert_int_equal(counters_of(unit).exceptions, 0);
    tell(unit, row, 0x4000, 1, 0x4000, true); /* not where the one before leads */
    cairn_unit_exception(unit, row->irq, 0x4000, row->isa);
    tell(unit, row, 0x100, 3, 0x100, true);
    tell(unit, row, 0x100, 3, 0x100, true);
    const struct cairn_unit_counters before = counters_of(unit);
    cairn_unit_prohibit(unit, true);
    tell(unit, row, 0x100, 5, 0x100, true);
    const struct cairn_unit_counters inside = counters_of(unit);
    cairn_unit_disable(unit);
    const struct cairn_unit_counters after = counters_of(unit);

    assert_int_equal(before.blocks, 6);
    assert_int_equal(before.instructions, 3 + 2 + 2 + 1 + 3 + 3);
    assert_int_equal(before.discontinuities, 1);
    assert_int_equal(after.exceptions, 1);
    assert_int_equal(after.overflows, 0);
    assert_int_equal(after.syncs, row->syncs);
    assert_int_equal(after.bytes, delivered);
    assert_true(delivered > 0);
    assert_int_equal(inside.blocks, 7);
    assert_int_equal(inside.instructions, 14 + 5);
    assert_int_equal(after.traced, 14); /* those of the Prohibited region are none */
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_free(unit);
}

static void test_counters(void **state)
{
    check(*state);
}

/* Of the protocols that are named. */
int main(int argc, char **argv)
{
    static const char *const names[] = {"ete", "etmv4", "etmv3", "ptm", "mtb"};
    struct CMUnitTest tests[sizeof names / sizeof names[0]];
    size_t count = 0;

    for (int i = 1; i < argc; i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (strcmp(argv[i], names[n]) == 0)
                tests[count++] = (struct CMUnitTest){.name = names[n],
                                                     .test_func = test_counters,
                                                     .initial_state = (void *)(uintptr_t)&rows[n]};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return count > 0 ? _cmocka_run_group_tests("counters", tests, count, NULL, NULL) : 1;
}
