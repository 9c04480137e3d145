/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycle counts of branch records: by hand, and every count there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/brbe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Count, and CC as {exponent, mantissa}. */
static const struct {
    uint32_t cycles, CC;
} by_hand[] = {
    {0, 0x0000},       {1, 0x0001},    {255, 0x00ff},  {256, 0x0100},     /* 256 + 0, not shifted */
    {511, 0x01ff},     {512, 0x0200},                                     /* (256 + 0) << 1 */
    {514, 0x0201},     {1022, 0x02ff}, {1024, 0x0300}, {0x80000, 0x0c00}, /* 256 << 11 */
    {0xff800, 0x0cff},                                                    /* 511 << 11 */
};

static void each_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(by_hand); i++) {
        /* proves: R_JZWPG */
        assert_int_equal(cairn_branch_cycles_encode(by_hand[i].cycles), by_hand[i].CC);
        assert_true(cairn_branch_cycles_decode(by_hand[i].CC) == by_hand[i].cycles);
    }
}

/* What is stored is less than one part in 256 below, and exact below 512. */
static void every_count(void **state)
{
    uint64_t before = 0;

    (void)state;
    for (uint32_t cycles = 0; cycles <= 0xfffff; cycles++) {
        const uint32_t CC = cairn_branch_cycles_encode(cycles);
        const uint64_t stored = cairn_branch_cycles_decode(CC);

        if (CC > 0x0cff || stored > cycles || stored < before || (cycles < 512 && stored != cycles))
            fail_msg("%u gives CC 0x%x", cycles, CC);
        /* proves: I_RRBFF */
        assert_true((cycles - stored) * 256 < (uint64_t)cycles + (cycles == 0));
        before = stored;
    }
}

static void overflow(void **state)
{
    (void)state;
    /* proves: R_XGSSZ */
    assert_int_equal(cairn_branch_cycles_encode(0x100000), 0x3fff);
    assert_int_equal(cairn_branch_cycles_encode(UINT64_MAX), 0x3fff);
    assert_int_not_equal(cairn_branch_cycles_encode(0xfffff), 0x3fff);
    assert_true(cairn_branch_cycles_decode(0x3fff) == 0x100000);
}

/* No CC is beyond this machine: what needs more than 64 bits is the most there is. */
static void any_field(void **state)
{
    (void)state;
    assert_true(cairn_branch_cycles_decode(0x0d00) == 0x100000);
    assert_true(cairn_branch_cycles_decode(56u << 8) == UINT64_C(1) << 63);
    assert_true(cairn_branch_cycles_decode(57u << 8) == UINT64_MAX);
    assert_true(cairn_branch_cycles_decode(0x3ffe) == UINT64_MAX);
    assert_true(cairn_branch_cycles_decode(0xffffc001) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_by_hand),
        cmocka_unit_test(every_count),
        cmocka_unit_test(overflow),
        cmocka_unit_test(any_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
