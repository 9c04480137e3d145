/* SPDX-License-Identifier: BSD-2-Clause */
/* Architectures by the names that captures have for cores. Versions are those of the cores'
 * technical reference manuals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/isa.h>

#define THUMB2 CAIRN_FEATURE_THUMB2
#define PAUTH CAIRN_FEATURE_PAUTH
#define WFXT CAIRN_FEATURE_WFXT
#define HBC CAIRN_FEATURE_HBC
#define TME CAIRN_FEATURE_TME
#define CMPBR CAIRN_FEATURE_CMPBR
#define TEXIT CAIRN_FEATURE_TEXIT
#define LOB CAIRN_FEATURE_LOB
#define EE CAIRN_FEATURE_THUMBEE

enum { A = CAIRN_PROFILE_A, R = CAIRN_PROFILE_R, M = CAIRN_PROFILE_M };

struct name {
    const char *name;
    uint8_t profile;
    uint8_t major;
    uint8_t minor;
    uint32_t features;
};

static void expect(const struct name *list, size_t count, cairn_status status)
{
    for (size_t i = 0; i < count; i++) {
        struct cairn_arch arch;
        memset(&arch, 0xff, sizeof arch);
        const cairn_status found = cairn_arch_from_name(list[i].name, &arch);
        if (found != status || arch.features != list[i].features)
            print_message("# %s\n", list[i].name);
        assert_int_equal(found, status);
        assert_int_equal(arch.profile, list[i].profile);
        assert_int_equal(arch.major, list[i].major);
        assert_int_equal(arch.minor, list[i].minor);
        assert_int_equal(arch.features, list[i].features);
    }
}

static void cores(void **state)
{
    static const struct name list[] = {
        {"Cortex-A5", A, 7, 0, THUMB2 | EE},
        {"Cortex-A9", A, 7, 0, THUMB2 | EE},
        {"cortex-a15", A, 7, 0, THUMB2 | EE},
        {"Cortex-A53", A, 8, 0, THUMB2},
        {"CORTEX_A57", A, 8, 0, THUMB2},
        {"Cortex-A72", A, 8, 0, THUMB2},
        {"Cortex-A76AE", A, 8, 2, THUMB2},
        {"Cortex-A78C", A, 8, 2, THUMB2 | PAUTH},
        {"Neoverse-N1", A, 8, 2, THUMB2},
        {"Neoverse-V1", A, 8, 4, THUMB2 | PAUTH},
        {"Cortex-A510", A, 9, 0, THUMB2 | PAUTH},
        {"Neoverse N2", A, 9, 0, THUMB2 | PAUTH},
        {"Cortex-X4", A, 9, 2, THUMB2 | PAUTH | WFXT},
        {"Neoverse-V3", A, 9, 2, THUMB2 | PAUTH | WFXT},
        {"C1-Ultra", A, 9, 3, THUMB2 | PAUTH | WFXT | HBC},
        {"Cortex-R5", R, 7, 0, THUMB2},
        {"Cortex-R52", R, 8, 0, THUMB2},
        {"Cortex-R82", R, 8, 4, THUMB2 | PAUTH},
        {"Cortex-M0+", M, 6, 0, 0},
        {"Cortex-M3", M, 7, 0, THUMB2},
        {"Cortex-M23", M, 8, 0, 0},
        {"Cortex-M33", M, 8, 0, THUMB2},
        {"Cortex-M55", M, 8, 1, THUMB2 | LOB},
        {"Cortex-M85", M, 8, 1, THUMB2 | LOB | PAUTH},
        {"ARM7TDMI-S", A, 4, 0, 0},
        {"ARM926EJ-S", A, 5, 0, 0},
        {"ARM1156T2-S", A, 6, 0, THUMB2},
        {"ARM1176JZF-S", A, 6, 0, 0},
    };

    (void)state;
    expect(list, sizeof list / sizeof *list, CAIRN_OK);
}

static void architectures(void **state)
{
    static const struct name list[] = {
        {"ARMv4T", A, 4, 0, 0},
        {"ARMv5TE", A, 5, 0, 0},
        {"ARMv6T2", A, 6, 0, THUMB2},
        {"ARMv6-M", M, 6, 0, 0},
        {"ARMv7-A", A, 7, 0, THUMB2 | EE},
        {"ARMv7-R", R, 7, 0, THUMB2 | EE},
        {"ARMv7-M", M, 7, 0, THUMB2},
        {"ARMv7E-M", M, 7, 0, THUMB2},
        {"ARMv8-A", A, 8, 0, THUMB2},
        {"armv8.3-a", A, 8, 3, THUMB2 | PAUTH},
        {"ARMv8.7-A", A, 8, 7, THUMB2 | PAUTH | WFXT | HBC},
        {"ARMv9-A", A, 9, 0, THUMB2 | PAUTH | TME},
        {"ARMv9.3-A", A, 9, 3, THUMB2 | PAUTH | WFXT | HBC | TME},
        {"ARMv9.6-A", A, 9, 6, THUMB2 | PAUTH | WFXT | HBC | TME | CMPBR | TEXIT},
        {"ARMv8-R", R, 8, 0, THUMB2 | PAUTH},
        {"ARMv8-M", M, 8, 0, THUMB2},
        {"ARMv8-M.main", M, 8, 0, THUMB2},
        {"ARMv8-M.base", M, 8, 0, 0},
        {"ARMv8.1-M", M, 8, 1, THUMB2 | LOB | PAUTH},
        {"ARMv8.1-M.main", M, 8, 1, THUMB2 | LOB | PAUTH},
        {"ARM-AA64", A, 9, 6, THUMB2 | PAUTH | WFXT | HBC | TME | CMPBR | TEXIT | LOB | EE},
        {"ARM-M-profile", M, 8, 1, THUMB2 | LOB | PAUTH},
    };

    (void)state;
    expect(list, sizeof list / sizeof *list, CAIRN_OK);
}

/* The most permissive architecture of the profile that the name suggests. */
static void unknown(void **state)
{
    static const uint32_t all = THUMB2 | PAUTH | WFXT | HBC | TME | CMPBR | TEXIT | LOB | EE;
    static const struct name list[] = {
        {"", A, 9, 6, all},
        {"Unobtanium", A, 9, 6, all},
        {"Cortex-A9999", A, 9, 6, all},
        {"Cortex-M99", M, 8, 1, THUMB2 | LOB | PAUTH},
        {"Cortex-R99", R, 8, 0, THUMB2 | PAUTH},
        {"ARMv10-A", A, 9, 6, all},
        {"ARMv8-X", A, 9, 6, all},
        {"ARMv8.1-M.whatever", M, 8, 1, THUMB2 | LOB | PAUTH},
        {"a name that is far longer than any name of a core can be", A, 9, 6, all},
    };
    struct cairn_arch arch;

    (void)state;
    expect(list, sizeof list / sizeof *list, CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_arch_from_name(NULL, &arch), CAIRN_E_NOT_FOUND);
    assert_int_equal(arch.profile, A);
}

static void isa_names(void **state)
{
    (void)state;
    assert_string_equal(cairn_isa_name(CAIRN_ISA_A64), "A64");
    assert_string_equal(cairn_isa_name(CAIRN_ISA_A32), "A32");
    assert_string_equal(cairn_isa_name(CAIRN_ISA_T32), "T32");
    assert_string_equal(cairn_isa_name(CAIRN_ISA_UNKNOWN), "?");
    assert_string_equal(cairn_isa_name((enum cairn_isa)77), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores),
        cmocka_unit_test(architectures),
        cmocka_unit_test(unknown),
        cmocka_unit_test(isa_names),
    };

    return cmocka_run_group_tests_name("isa: architectures", tests, NULL, NULL);
}
