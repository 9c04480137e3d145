/* SPDX-License-Identifier: BSD-2-Clause */
/* Fine-grained traps of every register that a trace unit has: which one bit of HDFGRTR_EL2 or
 * HDFGWTR_EL2 traps it, by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/trap.h"

#define FGTEn (UINT64_C(1) << 27)

static const struct cairn_pe_features built = {.EL2 = true, .EL3 = true, .fine_traps = true};

/* HDFGRTR_EL2 and HDFGWTR_EL2 by name; all others of the trace unit are under TRC, bit 33. */
static const struct {
    const char *name;
    int read, write; /* -1: not that way */
} fine_bits[] = {
    {"TRCVICTLR", 48, 48},     {"TRCSTATR", 47, -1},    {"TRCSSCSR", 46, 46},
    {"TRCSEQSTR", 45, 45},     {"TRCPRGCTLR", 44, 44},  {"TRCOSLSR", 43, -1},
    {"TRCOSLAR", -1, 42},      {"TRCIMSPEC", 41, 41},   {"TRCIDR", 40, -1},
    {"TRCDEVARCH", 40, -1},    {"TRCDEVID", 40, -1},    {"TRCCNTVR", 37, 37},
    {"TRCCLAIMSET", 36, 36},   {"TRCCLAIMCLR", 36, 36}, {"TRCAUXCTLR", 35, 35},
    {"TRCAUTHSTATUS", 34, -1},
};

static int fine_of(const char *name, int direction)
{
    for (size_t i = 0; i < sizeof fine_bits / sizeof fine_bits[0]; i++) {
        const size_t length = strlen(fine_bits[i].name);
        if (strncmp(name, fine_bits[i].name, length) == 0 &&
            strspn(name + length, "0123456789") == strlen(name + length))
            return direction == CAIRN_PE_READ ? fine_bits[i].read : fine_bits[i].write;
    }
    return 33;
}

/* The one bit that traps an access at EL1. */
static int trapped_by(uint32_t encoding, int direction)
{
    const struct cairn_pe_state at = {.EL = 1, .security = CAIRN_NONSECURE};
    int found = -1;

    for (int bit = 0; bit < 64; bit++) {
        struct cairn_pe_registers registers;

        memset(&registers, 0, sizeof registers);
        registers.value[CAIRN_PE_SCR_EL3] = FGTEn;
        registers.value[direction == CAIRN_PE_READ ? CAIRN_PE_HDFGRTR_EL2 : CAIRN_PE_HDFGWTR_EL2] =
            UINT64_C(1) << bit;
        if (cairn_pe_permission(encoding, (enum cairn_pe_direction)direction, &built, &at,
                                &registers, 0) != CAIRN_PE_TRAP_EL2)
            continue;
        assert_int_equal(found, -1);
        found = bit;
    }
    return found;
}

static void check_fine(enum cairn_protocol_id protocol)
{
    static const struct cairn_register every = {.name = "TRCIDR4", .value = 0x888f8008};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct cairn_unit *unit;
    unsigned count = 0;

    options.protocol = protocol;
    options.arch = cairn_arch_any_a();
    options.registers = &every;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    for (size_t i = 0; cairn_unit_register_info(unit, i, &info) == CAIRN_OK; i++)
        for (int direction = CAIRN_PE_READ; direction <= CAIRN_PE_WRITE && info.sysreg;
             direction++) {
            if (!(info.flags &
                  (direction == CAIRN_PE_READ ? CAIRN_REGISTER_READABLE : CAIRN_REGISTER_WRITABLE)))
                continue;
            if (trapped_by(info.sysreg, direction) != fine_of(info.name, direction))
                fail_msg("%s, %d: %d", info.name, direction, trapped_by(info.sysreg, direction));
            count++;
        }
    assert_true(count > 150);
    cairn_unit_free(unit);
}

static void test_each(void **state)
{
    (void)state;
    check_fine(CAIRN_PROTOCOL_ETE);
    check_fine(CAIRN_PROTOCOL_ETMV4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
