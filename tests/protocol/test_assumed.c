/* SPDX-License-Identifier: BSD-2-Clause */
/* What a source of ETMv4 or ETE counts as whose TRCIDR2 nobody gave, by its version and profile:
 * widths of addresses and identifiers (docs/trace.md). And TRCIDR1's revision, which is its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/etmv4/etmv4.h"

static void test_sizes(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        enum cairn_profile profile;
        uint32_t idr1;
        unsigned address, context_id, vmid;
        bool vmidopt;
    } rows[] = {
        {CAIRN_PROTOCOL_ETE, CAIRN_PROFILE_A, 0x4100fff3, 8, 4, 4, true},
        {CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_A, 0x4100f403, 8, 4, 1, false},
        {CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_A, 0x4100f413, 8, 4, 4, false},
        {CAIRN_PROTOCOL_ETMV4, CAIRN_PROFILE_A, 0x4100f443, 8, 4, 4, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_register registers[] = {
            {"TRCCONFIGR", 1},
            {"TRCIDR0", 0x080186a1},
            {"TRCIDR1", rows[i].idr1},
            {"TRCDEVARCH", rows[i].protocol == CAIRN_PROTOCOL_ETE ? 0x47705a13 : 0x47704a13}};
        struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
        struct cairn_config *config = NULL;

        source.protocol = rows[i].protocol;
        source.arch = (struct cairn_arch){rows[i].profile, 8, 0, 0};
        source.registers = registers;
        source.register_count = sizeof registers / sizeof registers[0];
        assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
        const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);

        assert_int_equal(etm->address_size, rows[i].address);
        assert_int_equal(etm->context_id_size, rows[i].context_id);
        assert_int_equal(etm->vmid_size, rows[i].vmid);
        assert_int_equal(etm->vmidopt, rows[i].vmidopt);
        assert_int_equal(etm->revision, 3);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
