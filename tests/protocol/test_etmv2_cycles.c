/* SPDX-License-Identifier: BSD-2-Clause */
/* The cycles in which an ETMv2's packets came. */
#include "etmv2_session.h"

#define ON "TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 "

/* Of a packet of the FIFO: how long ago its status and its first byte were. */
static void cycles_of_bytes(void **state)
{
    /* TFO in cycle 0, its packet in 1 to 5; DE in 6 with a packet in 6 to 8, in 7 with one in 9
     * and 10 */
    static const char cycles[] = ON "DE:0a DE:34 WT:12 WT:06 WT:ab TD:00";
    static const struct {
        unsigned kind, last, status, first;
    } expected[] = {{CAIRN_ETMV2_NORMAL_TFO, 5, 0, 1},
                    {CAIRN_ETMV2_NORMAL_DATA, 8, 6, 6},
                    {CAIRN_ETMV2_NORMAL_DATA, 10, 7, 9}};
    struct cairn_config *config = etmv2_config(ETMV2_VALUES | ETMV2_PINS_8);
    struct cairn_packet_batch *batch;
    static uint8_t bytes[ETMV2_BYTES];
    struct cairn_packets *packets;
    size_t position = 0, found = 0;

    (void)state;
    const size_t size = etmv2_samples(cycles, bytes);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(64, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned cycle = (unsigned)(batch->offset[i] / 4);
        if (batch->kind[i] < CAIRN_ETMV2_BRANCH_ADDRESS)
            continue;
        assert_true(found < sizeof expected / sizeof expected[0]);
        assert_int_equal(batch->kind[i], expected[found].kind);
        assert_int_equal(cycle, expected[found].last);
        assert_int_equal(cycle - batch->fields[i].count, expected[found].status);
        assert_int_equal(cycle - batch->fields[i].cycles, expected[found].first);
        found++;
    }
    assert_int_equal(found, sizeof expected / sizeof expected[0]);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_of_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
