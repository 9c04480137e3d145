/* SPDX-License-Identifier: BSD-2-Clause */
/* What the writer of ETMv3 chooses where its caller leaves the length of an address open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "etmv3_session.h"

#define R5 0x4104f230u
#define A7 0x410cf250u
#define A7_CCER 0x344008f2u
#define DATA 0xcu

static struct cairn_config *configure(enum cairn_profile profile, uint32_t id, uint32_t control)
{
    struct cairn_config *config = etmv3_configure(profile, id, control, A7_CCER, NULL);

    assert_non_null(config);
    return config;
}

/* How long a data address the writer makes where its caller leaves that open: header and all. */
static size_t data_length(struct cairn_packet_writer *writer, uint64_t address)
{
    const struct cairn_packet_fields fields = {
        .info = 1, .address = address, .flags = CAIRN_PACKET_HAS_ADDRESS};
    uint8_t bytes[16];

    return cairn_packet_write(writer, CAIRN_ETMV3_NORMAL_DATA, &fields, bytes, sizeof bytes);
}

static void put_sync(struct cairn_packet_writer *writer, uint8_t reason)
{
    const struct cairn_packet_fields fields = {.reason = reason, .address = 0x8000};
    uint8_t bytes[16];

    assert_int_equal(cairn_packet_write(writer, CAIRN_ETMV3_I_SYNC, &fields, bytes, sizeof bytes),
                     6);
}

/* D-sync (7.7.4): whole at first and behind a gap, else as short as it can be. */
static void test_data_sync(void **state)
{
    (void)state;
    struct cairn_config *config = configure(CAIRN_PROFILE_R, R5, DATA);
    struct cairn_packet_writer *writer = NULL;

    assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
    assert_int_equal(data_length(writer, UINT64_C(0x100000000)), 0); /* of 33 bits */
    assert_int_equal(data_length(writer, 0x4), 6);
    assert_int_equal(data_length(writer, 0x8), 2);
    put_sync(writer, CAIRN_ETMV3_PERIODIC);
    assert_int_equal(data_length(writer, 0xc), 2);
    put_sync(writer, CAIRN_ETMV3_OVERFLOW);
    assert_int_equal(data_length(writer, 0x10), 6);
    assert_int_equal(data_length(writer, 0x90), 3);
    cairn_packet_writer_free(writer);
    cairn_config_unref(config);
}

/* How long a branch packet the writer makes where its caller leaves that open. */
static size_t branch_length(struct cairn_packet_writer *writer, uint8_t state, uint64_t address)
{
    const struct cairn_packet_fields fields = {
        .address = address, .state = state, .flags = CAIRN_PACKET_HAS_ADDRESS};
    uint8_t bytes[16];

    return cairn_packet_write(writer, CAIRN_ETMV3_BRANCH, &fields, bytes, sizeof bytes);
}

/* Whole at first, and where the state changes; with an information byte to and from ThumbEE. */
static void test_branch_lengths(void **state)
{
    (void)state;
    for (unsigned alternative = 0; alternative < 2; alternative++) {
        struct cairn_config *config = configure(CAIRN_PROFILE_A, A7 | alternative << 20, 0);
        struct cairn_packet_writer *writer = NULL;

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        assert_int_equal(branch_length(writer, CAIRN_STATE_ARM, 0x4), 5);
        assert_int_equal(branch_length(writer, CAIRN_STATE_ARM, 0x8), 1);
        /* proves: ETM3-A.2-a, ETM3-7.3.5-u, ETM35Q-7.3.5-h */
        assert_int_equal(branch_length(writer, CAIRN_STATE_THUMB, 0x8), 5);
        assert_int_equal(branch_length(writer, CAIRN_STATE_THUMBEE, 0x8), 6);
        assert_int_equal(branch_length(writer, CAIRN_STATE_THUMBEE, 0xa), 1);
        assert_int_equal(branch_length(writer, CAIRN_STATE_THUMB, 0xa), 6);
        assert_int_equal(branch_length(writer, CAIRN_STATE_THUMBEE, 0xa), 6);
        assert_int_equal(branch_length(writer, CAIRN_STATE_ARM, 0x8), 6);
        assert_int_equal(branch_length(writer, CAIRN_STATE_JAZELLE, 0x9), 5);
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
}

/* The branch packet as it is written, against bytes. */
static void expect_branch(struct cairn_packet_writer *writer, uint8_t state, uint64_t address,
                          uint16_t exception, const char *hex)
{
    const struct cairn_packet_fields fields = {
        .address = address,
        .state = state,
        .type = exception,
        .flags = CAIRN_PACKET_HAS_ADDRESS | (exception ? CAIRN_PACKET_HAS_EXCEPTION : 0)};
    uint8_t bytes[16];
    char text[64] = "";
    const size_t size =
        cairn_packet_write(writer, CAIRN_ETMV3_BRANCH, &fields, bytes, sizeof bytes);

    for (size_t i = 0; i < size; i++)
        snprintf(text + 3 * i, 4, " %02x", bytes[i]);
    assert_string_equal(text + 1, hex);
}

/* Table 7-14: all of the address and an information byte, whose AltISA says which state it is. */
static void test_thumb_ee(void **state)
{
    enum { IRQ = 0xe };

    (void)state;
    for (unsigned alternative = 0; alternative < 2; alternative++) {
        struct cairn_config *config = configure(CAIRN_PROFILE_A, A7 | alternative << 20, 0);
        struct cairn_packet_writer *writer = NULL;

        assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
        expect_branch(writer, CAIRN_STATE_ARM, 0x8000, 0, "81 80 81 80 08");
        /* proves: ETM3-7.3.5-bj */
        expect_branch(writer, CAIRN_STATE_THUMBEE, 0x9000, 0, "81 a0 82 80 50 40");
        /* proves: ETM3-7.3.5-bj */
        expect_branch(writer, CAIRN_STATE_ARM, 0x8000, 0, "81 80 81 80 48 00");
        expect_branch(writer, CAIRN_STATE_THUMB, 0x9000, 0, "81 a0 82 80 10");
        /* proves: ETM3-7.3.5-bj */
        expect_branch(writer, CAIRN_STATE_THUMBEE, 0x9010, 0, "91 a0 82 80 50 40");
        /* proves: ETM3-7.3.5-bj */
        expect_branch(writer, CAIRN_STATE_THUMB, 0x9010, 0, "91 a0 82 80 50 00");
        expect_branch(writer, CAIRN_STATE_THUMBEE, 0x9010, 0, "91 a0 82 80 50 40");
        /* proves: ETM3-7.3.5-bj */
        expect_branch(writer, CAIRN_STATE_ARM, 0x18, IRQ, "8d 80 80 80 48 1c");
        cairn_packet_writer_free(writer);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_sync),
        cmocka_unit_test(test_branch_lengths),
        cmocka_unit_test(test_thumb_ee),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
