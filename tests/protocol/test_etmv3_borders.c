/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer of ETMv3 at every border: the last value that a field holds, in bytes from the layouts
 * of IHI0014 chapter 7, and the first that it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/element.h>

#include "etmv3_session.h"

#define A7 0x410cf250u /* v3.5 */
#define V34 0x410cf240u
#define R5 0x4104f230u /* v3.3 */
#define V32 0x410cf220u
#define V30 0x41000200u
#define CCER_64 0x34400000u /* 64-bit binary timestamps, Virtualization Extensions */
#define CCER_48 0x14400000u
#define DATA 0xcu
#define CYCLES (1u << 12)
#define DATA_ONLY (1u << 20)
#define CONTEXT_8 (1u << 14)
#define CONTEXT_16 (2u << 14)
#define CONTEXT_32 (3u << 14)
#define TIMESTAMPS (1u << 28)
#define VMID_TRACE (1u << 30)

static struct cairn_config *config;
static struct cairn_packet_writer *writer;

static void begin(enum cairn_profile profile, uint32_t id, uint32_t control, uint32_t extensions)
{
    config = etmv3_configure(profile, id, control, extensions, NULL);
    assert_non_null(config);
    assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
}

static void end(void)
{
    cairn_packet_writer_free(writer);
    cairn_config_unref(config);
}

/* "": it is refused. */
static void expect(unsigned kind, const struct cairn_packet_fields *fields, const char *hex)
{
    uint8_t bytes[32];
    char text[128] = "";
    const size_t size = cairn_packet_write(writer, kind, fields, bytes, sizeof bytes);

    for (size_t i = 0; i < size; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %02x" : "%02x", bytes[i]);
    if (strcmp(text, hex) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", cairn_packet_mnemonic(config, kind), text, hex);
}

#define EXPECT(KIND, HEX, ...)                                                                     \
    expect(CAIRN_ETMV3_##KIND, &(const struct cairn_packet_fields){__VA_ARGS__}, HEX)
#define REFUSED(KIND, ...) EXPECT(KIND, "", __VA_ARGS__)

/* 7.3.2: 0 to 15 E, then perhaps an N; two atoms. */
static void test_atoms(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_R, R5, 0, 0);
    EXPECT(P_HEADER_F1, "fc", .atom_count = 16, .atoms = 0x7fff);
    EXPECT(P_HEADER_F1, "bc", .atom_count = 15, .atoms = 0x7fff);
    REFUSED(P_HEADER_F1, .atom_count = 16, .atoms = 0xffff);
    REFUSED(P_HEADER_F1, .atom_count = 17, .atoms = 0xffff);
    REFUSED(P_HEADER_F1, .atom_count = 2, .atoms = 2);
    REFUSED(P_HEADER_F1, .atom_count = 2, .atoms = 0);
    REFUSED(P_HEADER_F1, .atom_count = 2, .atoms = 7);
    EXPECT(P_HEADER_F2, "82", .atom_count = 2, .atoms = 3);
    EXPECT(P_HEADER_F2, "8a", .atom_count = 2, .atoms = 2);
    EXPECT(P_HEADER_F2, "86", .atom_count = 2, .atoms = 1);
    REFUSED(P_HEADER_F2, .atom_count = 1, .atoms = 1);
    REFUSED(P_HEADER_F2, .atom_count = 3, .atoms = 3);
    REFUSED(P_HEADER_F2, .atom_count = 2, .atoms = 3, .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F2, .atom_count = 2, .atoms = 3, .cycles = 1); /* not of this source */
    end();
}

/* 7.3.3: W in front of each, in front of the first, 1 to 8 of them, or none. */
static void test_atoms_with_cycles(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_R, R5, CYCLES, 0);
    REFUSED(P_HEADER_CYCLES_F0, .cycles = 1); /* of v3.0 */
    EXPECT(P_HEADER_CYCLES_F1, "9c", .atom_count = 7, .atoms = 0x7f, .cycles = 7);
    EXPECT(P_HEADER_CYCLES_F1, "dc", .atom_count = 8, .atoms = 0x7f, .cycles = 8);
    REFUSED(P_HEADER_CYCLES_F1, .atom_count = 8, .atoms = 0xff, .cycles = 8);
    REFUSED(P_HEADER_CYCLES_F1, .atom_count = 7, .atoms = 0x7f, .cycles = 6);
    REFUSED(P_HEADER_CYCLES_F1, .cycles = 0);
    EXPECT(P_HEADER_CYCLES_F2, "82", .atom_count = 2, .atoms = 3, .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F2, .atom_count = 2, .atoms = 3, .cycles = 0);
    REFUSED(P_HEADER_CYCLES_F2, .atom_count = 2, .atoms = 3, .cycles = 2);
    EXPECT(P_HEADER_CYCLES_F3, "a0", .cycles = 1);
    EXPECT(P_HEADER_CYCLES_F3, "fc", .atom_count = 1, .atoms = 1, .cycles = 8);
    REFUSED(P_HEADER_CYCLES_F3, .cycles = 0);
    REFUSED(P_HEADER_CYCLES_F3, .cycles = 9);
    REFUSED(P_HEADER_CYCLES_F3, .atom_count = 1, .atoms = 0, .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F3, .atom_count = 2, .atoms = 3, .cycles = 1);
    EXPECT(P_HEADER_CYCLES_F4, "92", .atom_count = 1, .atoms = 1);
    EXPECT(P_HEADER_CYCLES_F4, "96", .atom_count = 1, .atoms = 0);
    REFUSED(P_HEADER_CYCLES_F4, .atom_count = 1, .atoms = 1, .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F4, .atom_count = 0);
    REFUSED(P_HEADER_F1, .atom_count = 1, .atoms = 1); /* not of this source */
    EXPECT(CYCLE_COUNT, "04 7f", .cycles = 0x7f);
    EXPECT(CYCLE_COUNT, "04 80 01", .cycles = 0x80);
    EXPECT(CYCLE_COUNT, "04 ff ff ff ff 0f", .cycles = UINT32_MAX);
    end();
    begin(CAIRN_PROFILE_R, V30, CYCLES, 0);
    EXPECT(P_HEADER_CYCLES_F0, "80", .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F0, .cycles = 0);
    REFUSED(P_HEADER_CYCLES_F0, .cycles = 2);
    REFUSED(P_HEADER_CYCLES_F0, .atom_count = 1, .cycles = 1);
    REFUSED(P_HEADER_CYCLES_F4, .atom_count = 1); /* of v3.3 */
    end();
}

/* 7.4.2, 7.4.3, 7.4.5. */
static void test_data(void **state)
{
    const uint32_t be = CAIRN_PACKET_BIG_ENDIAN;

    (void)state;
    begin(CAIRN_PROFILE_R, R5, DATA, 0);
    EXPECT(NORMAL_DATA, "02", .size = 0);
    EXPECT(NORMAL_DATA, "06 ff", .size = 1, .value = 0xff);
    EXPECT(NORMAL_DATA, "0a ff ff", .size = 2, .value = 0xffff);
    EXPECT(NORMAL_DATA, "0e ff ff ff ff", .size = 4, .value = UINT32_MAX);
    REFUSED(NORMAL_DATA, .size = 3);
    REFUSED(NORMAL_DATA, .size = 5);
    REFUSED(NORMAL_DATA, .size = 0, .value = 1);
    REFUSED(NORMAL_DATA, .size = 1, .value = 0x100);
    REFUSED(NORMAL_DATA, .size = 2, .value = 0x10000);
    REFUSED(NORMAL_DATA, .size = 4, .value = UINT64_C(1) << 32);
    REFUSED(NORMAL_DATA, .info = 2);
    REFUSED(NORMAL_DATA, .info = 0, .address_bits = 7); /* A says whether there is one */
    REFUSED(NORMAL_DATA, .info = 1, .address = UINT64_C(1) << 32);
    EXPECT(NORMAL_DATA, "22 ff ff ff ff 0f", .info = 1, .address = UINT32_MAX);
    EXPECT(NORMAL_DATA, "22 ff ff ff ff 1f", .info = 1, .address = UINT32_MAX, .flags = be);
    EXPECT(NORMAL_DATA, "22 80 80 80 80 00", .info = 1); /* BE changes: all of it */
    EXPECT(NORMAL_DATA, "22 7f", .info = 1, .address = 0x7f);
    EXPECT(NORMAL_DATA, "22 ff 01", .info = 1, .address = 0xff);
    EXPECT(NORMAL_DATA, "22 7f", .info = 1, .address = 0xff, .address_bits = 7);
    EXPECT(NORMAL_DATA, "22 ff 81 80 00", .info = 1, .address = 0xff, .address_bits = 28);
    REFUSED(NORMAL_DATA, .info = 1, .address = 0xff, .address_bits = 8);
    REFUSED(NORMAL_DATA, .info = 1, .address = 0x1ff, .address_bits = 7); /* bit 8 changes */
    for (unsigned tag = 0; tag < 5; tag++) {
        const bool there = tag >= 1 && tag <= 3; /* 7.4.3: 00 is none */
        char hex[16];

        snprintf(hex, sizeof hex, "%02x ab", 0x04 | tag << 5);
        EXPECT(OUT_OF_ORDER_DATA, there ? hex : "", .tag = (uint8_t)tag, .size = 1, .value = 0xab);
        snprintf(hex, sizeof hex, "%02x", 0x50 | tag << 2);
        EXPECT(OUT_OF_ORDER_PLACEHOLDER, there ? hex : "", .tag = (uint8_t)tag);
    }
    EXPECT(VALUE_NOT_TRACED, "6a", .info = 0);
    EXPECT(VALUE_NOT_TRACED, "7a 7f", .info = 1, .address = 0xff, .address_bits = 7);
    REFUSED(VALUE_NOT_TRACED, .info = 2);
    end();
    begin(CAIRN_PROFILE_R, R5, 1u << 3, 0); /* addresses only */
    EXPECT(NORMAL_DATA, "2e 84 80 80 80 00", .size = 4, .info = 1, .address = 4);
    REFUSED(NORMAL_DATA, .size = 4, .value = 1);
    end();
    begin(CAIRN_PROFILE_R, R5, 1u << 2, 0); /* values only: A has no bytes */
    EXPECT(NORMAL_DATA, "26 ab", .size = 1, .info = 1, .value = 0xab);
    REFUSED(NORMAL_DATA, .size = 1, .info = 1, .address_bits = 7);
    end();
    begin(CAIRN_PROFILE_R, V30, DATA, 0); /* there is no BE yet */
    REFUSED(NORMAL_DATA, .info = 1, .flags = be);
    EXPECT(NORMAL_DATA, "22 80 80 80 80 00", .info = 1);
    end();
}

/* 7.9: seven bits a byte, the last eight; from 48 or 64. */
static void test_timestamps(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_A, A7, TIMESTAMPS, CCER_48);
    REFUSED(TIMESTAMP, .value = UINT64_C(1) << 48);
    EXPECT(TIMESTAMP, "42 ff ff ff ff ff ff 3f", .value = (UINT64_C(1) << 48) - 1);
    EXPECT(TIMESTAMP, "46 7e", .value = (UINT64_C(1) << 48) - 2, .type = 1);
    REFUSED(TIMESTAMP, .value = (UINT64_C(1) << 48) - 2, .type = 2);
    EXPECT(TIMESTAMP, "42 fe 7f", .value = (UINT64_C(1) << 48) - 2, .address_bits = 14);
    REFUSED(TIMESTAMP, .value = (UINT64_C(1) << 48) - 2, .address_bits = 8);
    REFUSED(TIMESTAMP, .value = 0, .address_bits = 42);
    end();
    begin(CAIRN_PROFILE_A, A7, TIMESTAMPS, CCER_64);
    EXPECT(TIMESTAMP, "42 ff ff ff ff ff ff ff ff ff", .value = UINT64_MAX);
    EXPECT(TIMESTAMP, "42 ff ff ff ff ff ff ff 7f", .value = UINT64_MAX, .address_bits = 56);
    end();
    begin(CAIRN_PROFILE_A, A7, TIMESTAMPS, CCER_64 & ~(1u << 28)); /* Gray code */
    EXPECT(TIMESTAMP, "42 83 80 80 80 80 80 80 80 00", .value = 2);
    EXPECT(TIMESTAMP, "42 02", .value = 3);
    end();
}

/* 7.7.3, and what identifies a context. */
static void test_syncs(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_A, A7, CONTEXT_8 | VMID_TRACE, CCER_64);
    EXPECT(I_SYNC, "08 ff 61 fe ff ff ff", .reason = 3, .state = CAIRN_STATE_ARM,
           .address = 0xfffffffe, .context.context_id = 0xff);
    EXPECT(I_SYNC, "08 00 6b 01 00 00 00", .reason = 3, .state = CAIRN_STATE_THUMB,
           .context = {.EL = 2, .security = CAIRN_NONSECURE});
    EXPECT(I_SYNC, "08 00 25 01 80 00 00", .reason = 1, .state = CAIRN_STATE_THUMBEE,
           .address = 0x8000);
    EXPECT(I_SYNC, "08 00 31 01 80 00 00", .reason = 1, .state = CAIRN_STATE_JAZELLE,
           .address = 0x8001);
    REFUSED(I_SYNC, .reason = 4);
    REFUSED(I_SYNC, .state = 4);
    REFUSED(I_SYNC, .state = CAIRN_STATE_ARM, .address = 1);
    REFUSED(I_SYNC, .state = CAIRN_STATE_THUMB, .address = 1);
    REFUSED(I_SYNC, .address = UINT64_C(1) << 32);
    REFUSED(I_SYNC, .context.security = 2);
    REFUSED(I_SYNC, .context.context_id = 0x100);
    REFUSED(I_SYNC, .flags = CAIRN_PACKET_LSIP, .count = 4, .reason = 1);
    EXPECT(CONTEXT_ID, "6e ff", .context.context_id = 0xff);
    REFUSED(CONTEXT_ID, .context.context_id = 0x100);
    EXPECT(VMID, "3c ff", .context.vmid = 0xff);
    REFUSED(VMID, .context.vmid = 0x100);
    end();
    begin(CAIRN_PROFILE_A, A7, CONTEXT_16, CCER_64);
    EXPECT(CONTEXT_ID, "6e ff ff", .context.context_id = 0xffff);
    REFUSED(CONTEXT_ID, .context.context_id = 0x10000);
    end();
    begin(CAIRN_PROFILE_A, A7, CONTEXT_32, CCER_64);
    EXPECT(CONTEXT_ID, "6e ff ff ff ff", .context.context_id = UINT32_MAX);
    end();
    begin(CAIRN_PROFILE_A, A7, 0, CCER_64 & ~(1u << 26)); /* no Hyp mode */
    REFUSED(I_SYNC, .context = {.EL = 2, .security = CAIRN_NONSECURE});
    REFUSED(I_SYNC, .context.context_id = 1);
    REFUSED(BRANCH, .flags = CAIRN_PACKET_HAS_CONTEXT, .context = {.EL = 2, .security = 1});
    end();
    begin(CAIRN_PROFILE_A, V32, 0, 0); /* ThumbEE is of v3.3 */
    REFUSED(I_SYNC, .reason = 1, .state = CAIRN_STATE_THUMBEE);
    REFUSED(BRANCH, .state = CAIRN_STATE_THUMBEE);
    EXPECT(I_SYNC, "08 21 01 00 00 00", .reason = 1, .state = CAIRN_STATE_THUMB);
    end();
    begin(CAIRN_PROFILE_R, R5, DATA | DATA_ONLY, 0); /* 7.11: no address */
    EXPECT(I_SYNC, "08 21", .reason = 1, .address = 0x8001, .state = CAIRN_STATE_ARM);
    REFUSED(I_SYNC, .reason = 1, .flags = CAIRN_PACKET_LSIP);
    end();
}

/* 7.3.5: information bytes are there from the first on; only v3.4 has more than one. */
static void test_branches(void **state)
{
    const uint32_t has_info = CAIRN_PACKET_HAS_INFO;
    const uint32_t excepts = CAIRN_PACKET_HAS_EXCEPTION;

    (void)state;
    begin(CAIRN_PROFILE_A, A7, 0, CCER_64);
    for (unsigned info = 0; info < 16; info++) {
        static const char *const bytes[16] = {
            [1] = "81 80 80 80 48 00",
            [3] = "81 80 80 80 48 80 00",
            [5] = "81 80 80 80 48 80 40",
            [7] = "81 80 80 80 48 80 80 40",
        };

        if (info > 0)
            EXPECT(BRANCH, bytes[info] ? bytes[info] : "", .flags = has_info,
                   .info = (uint8_t)info);
    }
    EXPECT(BRANCH, "01", .flags = 0, .info = 3); /* it is not said that there are any */
    EXPECT(BRANCH, "81 80 80 80 48 80 4f", .resume = 15);
    REFUSED(BRANCH, .resume = 16);
    EXPECT(BRANCH, "81 80 80 80 48 9e 1f", .flags = excepts, .type = 0x1ff);
    REFUSED(BRANCH, .flags = excepts, .type = CAIRN_ETMV3_EXCEPTION_OLD + 8);
    REFUSED(BRANCH, .flags = excepts, .type = 0);
    EXPECT(BRANCH, "81 80 80 80 48 1e", .flags = excepts, .type = 0xf);
    REFUSED(BRANCH, .flags = excepts | has_info, .type = 0x10, .info = 1); /* needs two */
    REFUSED(BRANCH, .state = 4);
    REFUSED(BRANCH, .address = UINT64_C(1) << 32);
    REFUSED(BRANCH, .address = 2, .state = CAIRN_STATE_ARM);
    REFUSED(BRANCH, .address = 1, .state = CAIRN_STATE_THUMB);
    REFUSED(BRANCH, .flags = CAIRN_PACKET_HAS_CONTEXT, .context.security = 2);
    REFUSED(BRANCH, .flags = CAIRN_PACKET_HAS_CONTEXT, .context.EL = 1);
    REFUSED(BRANCH, .flags = CAIRN_PACKET_HAS_CONTEXT, .context.EL = 3);
    EXPECT(BRANCH, "81 80 80 80 48 01", .flags = CAIRN_PACKET_HAS_CONTEXT, .context.security = 1);
    EXPECT(BRANCH, "81 80 80 80 48 81 20", .flags = CAIRN_PACKET_HAS_CONTEXT,
           .context = {.EL = 2, .security = CAIRN_NONSECURE});
    end();
    begin(CAIRN_PROFILE_A, R5 | 0x80000, 0, 0); /* v3.3: one information byte */
    EXPECT(BRANCH, "81 80 80 80 48 00", .flags = has_info, .info = 1);
    REFUSED(BRANCH, .flags = has_info, .info = 3);
    REFUSED(BRANCH, .resume = 1);
    REFUSED(BRANCH, .flags = excepts, .type = 0x10);
    end();
    begin(CAIRN_PROFILE_A, V34, 0, 0);
    EXPECT(BRANCH, "81 80 80 80 48 80 00", .flags = has_info, .info = 3);
    end();
}

/* Table 7-9: the exception in the fifth byte, of ARM state and the original encoding alone. */
static void test_old_exceptions(void **state)
{
    enum { OLD = CAIRN_ETMV3_EXCEPTION_OLD };
    const uint32_t excepts = CAIRN_PACKET_HAS_EXCEPTION;

    (void)state;
    begin(CAIRN_PROFILE_R, V30, 0, 0);
    for (unsigned n = 0; n < 8; n++) {
        char hex[24];

        snprintf(hex, sizeof hex, "81 80 80 80 %02x", 0x80 | n << 3);
        EXPECT(BRANCH, hex, .flags = excepts, .type = (uint16_t)(OLD + n));
    }
    EXPECT(BRANCH, "81 80 80 80 c8", .flags = excepts | CAIRN_PACKET_CANCEL, .type = OLD + 1);
    REFUSED(BRANCH, .flags = excepts, .type = OLD + 8);
    REFUSED(BRANCH, .flags = excepts, .type = OLD + 1, .state = CAIRN_STATE_THUMB);
    REFUSED(BRANCH, .flags = excepts, .type = OLD + 1, .resume = 1);
    REFUSED(BRANCH, .flags = excepts | CAIRN_PACKET_HAS_INFO, .type = OLD + 1, .info = 1);
    REFUSED(BRANCH, .flags = excepts | CAIRN_PACKET_HAS_CONTEXT, .type = OLD + 1,
            .context.security = 1);
    end();
    begin(CAIRN_PROFILE_A, A7 | 1u << 20, 0, CCER_64);
    REFUSED(BRANCH, .flags = excepts, .type = OLD + 1);
    end();
}

/* Halting debug has no address, new or old, whatever a caller's own fields say (7.3.5); other exceptions have. */
static void test_address_of_halting(void **state)
{
    static const struct {
        unsigned type;
        bool halts;
    } rows[] = {{1, true},
                {2, false},
                {14, false},
                {CAIRN_ETMV3_EXCEPTION_OLD + 7, true},
                {CAIRN_ETMV3_EXCEPTION_OLD + 6, false},
                {CAIRN_ETMV3_EXCEPTION_OLD, false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_config *plain = etmv3_configure(CAIRN_PROFILE_A, A7, 0, CCER_64, NULL);
        struct cairn_elements *elements = NULL;
        struct cairn_packet_batch *in = NULL;
        struct cairn_element_batch *out = NULL;
        size_t at = 0;

        assert_int_equal(cairn_elements_new(plain, &elements), CAIRN_OK);
        assert_int_equal(cairn_packet_batch_new(4, &in), CAIRN_OK);
        assert_int_equal(cairn_element_batch_new(32, &out), CAIRN_OK);
        in->count = 2;
        for (size_t k = 0; k < 2; k++) {
            in->offset[k] = 6 * k;
            in->length[k] = 6;
            in->kind[k] = k ? CAIRN_ETMV3_BRANCH : CAIRN_ETMV3_I_SYNC;
            in->fields[k] = (struct cairn_packet_fields){.flags = CAIRN_PACKET_HAS_ADDRESS,
                                                         .address = 0x8000,
                                                         .address_bits = 32,
                                                         .reason = 1};
        }
        in->fields[1].flags |= CAIRN_PACKET_HAS_EXCEPTION;
        in->fields[1].type = (uint16_t)rows[i].type;
        in->fields[1].address = 0x18;
        assert_int_equal(cairn_elements_run(elements, in, &at, out), CAIRN_OK);
        assert_int_equal(at, 2);
        assert_int_equal(out->kind[out->count - 1], CAIRN_ELEMENT_TARGET_ADDRESS);
        assert_int_equal(out->flags[out->count - 1], rows[i].halts ? CAIRN_ELEMENT_UNKNOWN : 0);
        if (!rows[i].halts)
            assert_int_equal(out->data[out->count - 1].address, 0x18);
        cairn_element_batch_free(out);
        cairn_packet_batch_free(in);
        cairn_elements_free(elements);
        cairn_config_unref(plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms),          cmocka_unit_test(test_atoms_with_cycles),
        cmocka_unit_test(test_data),           cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_syncs),          cmocka_unit_test(test_branches),
        cmocka_unit_test(test_old_exceptions), cmocka_unit_test(test_address_of_halting),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
