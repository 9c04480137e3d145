/* SPDX-License-Identifier: BSD-2-Clause */
/* The ledger against accounts made up by hand. */
#include <cairn/etmv4.h>
#include <cairn/flow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void packets_enter_and_gaps_move(void **unused)
{
    struct cairn_ledger ledger = {.size = sizeof ledger};
    uint64_t lengths[] = {12, 2, 5, 1, 3, 7};
    uint8_t accounts[] = {CAIRN_ACCOUNT_PADDING, CAIRN_ACCOUNT_METADATA, CAIRN_ACCOUNT_FLOW,
                          CAIRN_ACCOUNT_FLOW,    CAIRN_GAP_RESERVED,     CAIRN_ACCOUNT_FLOW};
    const struct cairn_packet_batch packets = {
        .size = sizeof packets, .capacity = 6, .count = 6, .length = lengths, .account = accounts};
    uint8_t kinds[] = {CAIRN_FLOW_RANGE, CAIRN_FLOW_GAP, CAIRN_FLOW_GAP};
    uint64_t values[] = {CAIRN_GAP_NO_IMAGE, CAIRN_GAP_NO_IMAGE, CAIRN_GAP_RESERVED};
    uint64_t gaps[] = {5, 1, 3};
    const struct cairn_flow_batch flow = {.size = sizeof flow,
                                          .capacity = 3,
                                          .count = 3,
                                          .kind = kinds,
                                          .value = values,
                                          .length = gaps};

    (void)unused;
    cairn_ledger_packets(&ledger, &packets);
    assert_int_equal(ledger.total, 30);
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_FLOW].bytes, 13);
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_FLOW].packets, 3);
    cairn_ledger_flow(&ledger, &flow);
    /* The range moves nothing; the reserved packet was in its gap already. */
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_FLOW].bytes, 12);
    assert_int_equal(ledger.account[CAIRN_GAP_NO_IMAGE].bytes, 1);
    assert_int_equal(ledger.account[CAIRN_GAP_RESERVED].bytes, 3);
    assert_int_equal(ledger.account[CAIRN_GAP_NO_IMAGE].packets, 1);
    assert_int_equal(ledger.total, 30);
}

static void every_account_has_its_own_name(void **unused)
{
    (void)unused;
    for (int a = 0; a <= CAIRN_GAP_LOST; a++)
        for (int b = a + 1; b <= CAIRN_GAP_LOST; b++)
            assert_string_not_equal(cairn_account_name((enum cairn_account)a),
                                    cairn_account_name((enum cairn_account)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_enter_and_gaps_move),
        cmocka_unit_test(every_account_has_its_own_name),
    };

    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
