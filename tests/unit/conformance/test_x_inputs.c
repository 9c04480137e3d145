/* SPDX-License-Identifier: BSD-2-Clause */
/* External Inputs and PE Comparator Inputs: DDI0608 D7.11, D7.12. */
#include "bench.h"

#define EXTIN 0xfu /* TRCRSR */

#define CPU_CYCLES 0x11u

static unsigned counter(struct bench *b, unsigned n)
{
    char name[16];

    snprintf(name, sizeof name, "TRCCNTVR%u", n);
    return (unsigned)read_register(b, name);
}

/* --- External Inputs --- */

static void test_pmu_events(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        char text[600];

        snprintf(text, sizeof text,
                 SELECTORS "TRCEXTINSELR0=1 TRCEXTINSELR1=1 TRCEXTINSELR2=1 TRCEXTINSELR3=1 "
                           "TRCEXTINSELR%u=0x11 TRCCNTVR0=100 TRCCNTCTLR0=%u",
                 n, 2 + n);
        bench_begin(&b, text);
        cairn_unit_pmu_event(b.unit, CPU_CYCLES);
        cycles(&b, 5);
        /* proves: D16.13 */
        assert_int_equal(counter(&b, 0), 99);
        cairn_unit_pmu_event(b.unit, CPU_CYCLES + 1);
        cairn_unit_pmu_event(b.unit, 0x10000 + CPU_CYCLES);
        cycles(&b, 5);
        /* proves: D16.13 */
        assert_int_equal(counter(&b, 0), 99);
        cairn_unit_pmu_event(b.unit, CPU_CYCLES);
        cairn_unit_pmu_event(b.unit, CPU_CYCLES);
        cairn_unit_inputs(b.unit, 1u << n);
        cycles(&b, 1);
        /* proves: R_QPDHK */
        assert_int_equal(counter(&b, 0), 98);
        bench_end(&b);
    }
}

/* Each Common event can be selected: those of the Performance Monitors Extension, and those from
 * 0x4000 on. */
static void test_selectable(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 0x4100; number += number == 0x7f ? 0x4000 - 0x7f : 1) {
        struct bench b;
        char text[600];

        snprintf(text, sizeof text, SELECTORS "TRCEXTINSELR0=%u TRCCNTVR0=100 TRCCNTCTLR0=2",
                 number);
        bench_begin(&b, text);
        cairn_unit_pmu_event(b.unit, number);
        cycles(&b, 3);
        /* proves: R_YCNCR */
        assert_int_equal(counter(&b, 0), 99);
        bench_end(&b);
    }
}

/* One that the PE does not have: nothing else makes the input active. */
static void test_not_implemented(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "TRCEXTINSELR0=0x3ff TRCEXTINSELR1=0x11 TRCCNTVR0=100 TRCCNTCTLR0=2 "
                              "TRCCNTVR1=100 TRCCNTCTLR1=3");
    for (uint32_t number = 0; number < 0x3ff; number++)
        cairn_unit_pmu_event(b.unit, number);
    for (uint32_t number = 0x400; number < 0x10000; number++)
        cairn_unit_pmu_event(b.unit, number);
    cycles(&b, 5);
    /* proves: R_MTGKB */
    assert_int_equal(counter(&b, 0), 100);
    assert_int_equal(counter(&b, 1), 99);
    bench_end(&b);
}

/* Of an ETMv4 one register has a byte for each. */
static void test_etmv4_inputs(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, SELECTORS "etmv4 TRCEXTINSELR=0x40302010 TRCCNTVR0=100 TRCCNTCTLR0=2 "
                              "TRCCNTVR1=100 TRCCNTCTLR1=3 TRCCNTVR2=100 TRCCNTCTLR2=4 "
                              "TRCCNTVR3=100 TRCCNTCTLR3=5");
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned i = 0; i <= n; i++) {
            cairn_unit_pmu_event(b.unit, 0x10 * (n + 1));
            cycles(&b, 1);
        }
    }
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(counter(&b, n), 100 - (n + 1));
    bench_end(&b);
}

/* Inputs in a Prohibited region are kept, over saving and restoring, and are high for one clock. */
static void test_kept_inputs(void **state)
{
    struct bench b;
    uint64_t RSR;

    (void)state;
    bench_begin(&b,
                SELECTORS "TRCEXTINSELR0=0x11 TRCEXTINSELR1=0x4018 TRCCNTVR0=100 TRCCNTCTLR0=3");
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_pmu_event(b.unit, 0x4018); /* CTI_TRIGOUT4 */
    cairn_unit_pmu_event(b.unit, 0x4018);
    cycles(&b, 10);
    /* proves: R_KCXLF */
    assert_int_equal(read_register(&b, "TRCRSR") & EXTIN, 2);
    cairn_unit_disable(b.unit);
    RSR = read_register(&b, "TRCRSR");
    write_register(&b, "TRCRSR", 0);
    cairn_unit_enable(b.unit);
    cairn_unit_disable(b.unit);
    write_register(&b, "TRCRSR", RSR);
    cairn_unit_prohibit(b.unit, false);
    cairn_unit_pmu_event(b.unit, 0x4018); /* of a disabled unit: not seen */
    cairn_unit_enable(b.unit);
    cycles(&b, 10);
    /* proves: I_ZQFND, R_QWYSK */
    assert_int_equal(counter(&b, 0), 99);
    /* proves: R_QWYSK */
    assert_int_equal(read_register(&b, "TRCRSR") & EXTIN, 0);
    cairn_unit_low_power(b.unit, true);
    cairn_unit_pmu_event(b.unit, 0x4018);
    cycles(&b, 1);
    cairn_unit_low_power(b.unit, false);
    cycles(&b, 10);
    /* proves: R_KVEVS */
    assert_int_equal(counter(&b, 0), 99);
    bench_end(&b);
}

/* --- PE Comparator Inputs: bits 15:8 --- */

static void test_pe_comparators(void **state)
{
    struct bench b;

    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        char text[256];

        snprintf(text, sizeof text,
                 "TRCIDR4=0x888f8008 TRCRSCTLR2=0x%x TRCCNTVR0=100 TRCCNTCTLR0=2 "
                 "TRCSSPCICR0=0x%x TRCRSCTLR3=0x30001 TRCCNTVR1=100 TRCCNTCTLR1=3",
                 0x10000u | 1u << n, 1u << n);
        bench_begin(&b, text);
        cairn_unit_inputs(b.unit, 0xff00u & ~(0x100u << n));
        code(&b, 0x1000, 1);
        cycles(&b, 1);
        assert_true(counter(&b, 0) == 100 && counter(&b, 1) == 100);
        cairn_unit_inputs(b.unit, 0x100u << n);
        cycles(&b, 3); /* they compare what is executed */
        assert_int_equal(counter(&b, 0), 100);
        code(&b, 0x1004, 1);
        cycles(&b, 3);
        /* proves: R_CNVSS */
        assert_true(counter(&b, 0) == 99 && counter(&b, 1) == 99);
        cairn_unit_prohibit(b.unit, true);
        code(&b, 0x1000, 1);
        cycles(&b, 3);
        cairn_unit_prohibit(b.unit, false);
        cycles(&b, 3);
        /* proves: R_BDWHM */
        assert_int_equal(counter(&b, 0), 99);
        bench_end(&b);
    }
    /* By default there are none. */
    bench_begin(&b, "TRCRSCTLR2=0x100ff TRCCNTVR0=100 TRCCNTCTLR0=2");
    cairn_unit_inputs(b.unit, 0xff00);
    code(&b, 0x1000, 1);
    cycles(&b, 1);
    /* proves: R_TNHYY */
    assert_int_equal(counter(&b, 0), 100);
    assert_int_equal(read_register(&b, "TRCIDR4") >> 12 & 0xf, 0);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pmu_events),      cmocka_unit_test(test_selectable),
        cmocka_unit_test(test_not_implemented), cmocka_unit_test(test_etmv4_inputs),
        cmocka_unit_test(test_kept_inputs),     cmocka_unit_test(test_pe_comparators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
