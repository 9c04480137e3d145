/* SPDX-License-Identifier: BSD-2-Clause */
/* What comparators of data addresses match, each type beside each transfer: IHI0014 Table 3-27, 2.2.1,
 * 3.5.10. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/etmv3/comparators.h"

enum { LOADS_AND_STORES = 4, LOADS = 5, STORES = 6, WORD = 3 << 3 };

static struct cairn_etmv3_registers registers;
static const struct cairn_context context;
static const struct cairn_arch arch = {CAIRN_PROFILE_A, 7, 0, 0};

/* Comparator n, from 0, and its type; all others are 0. */
static void compare(unsigned n, uint32_t address, uint32_t type)
{
    registers.values[CAIRN_ETMV3_REG_ETMACVR + n] = address;
    registers.values[CAIRN_ETMV3_REG_ETMACTR + n] = type;
}

static void test_types(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++)
        for (uint32_t type = 0; type < 7; type++)
            for (unsigned store = 0; store < 2; store++) {
                const struct cairn_unit_transfer transfer = {
                    .address = 0x1000, .bytes = 4, .flags = store ? CAIRN_UNIT_DATA_STORE : 0};
                const bool fits = type == LOADS_AND_STORES || type == (store ? STORES : LOADS);

                cairn_etmv3_registers_reset(&registers, &arch);
                compare(n, 0x1000, type | WORD);
                /* proves: ETMC-3.5.10-e */
                assert_int_equal(cairn_etmv3_match_transfer(&registers, &transfer, &context),
                                 fits ? 1u << n : 0);
                /* of a range the first one's type counts, and the second address is behind it */
                cairn_etmv3_registers_reset(&registers, &arch);
                compare(n & ~1u, 0x1000, type | WORD);
                compare(n | 1, 0x1004, type | WORD);
                assert_int_equal(cairn_etmv3_match_transfer_ranges(&registers, &transfer, &context),
                                 fits ? 1u << n / 2 : 0);
            }
}

/* start <= address < end, to the byte. */
static void test_borders(void **state)
{
    (void)state;
    for (uint32_t address = 0xff0; address < 0x1020; address++) {
        const struct cairn_unit_transfer transfer = {.address = address, .bytes = 1};

        cairn_etmv3_registers_reset(&registers, &arch);
        compare(2, 0x1000, LOADS);
        compare(3, 0x1010, LOADS);
        /* proves: ETMC-2.2.1-i */
        assert_int_equal(cairn_etmv3_match_transfer_ranges(&registers, &transfer, &context),
                         address >= 0x1000 && address < 0x1010 ? 2 : 0);
        assert_int_equal(cairn_etmv3_match_transfer(&registers, &transfer, &context),
                         address == 0x1000   ? 4
                         : address == 0x1010 ? 8
                                             : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_borders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
