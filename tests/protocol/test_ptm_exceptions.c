/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception[3:0] of branch packets, one by one: the information byte that has it, and what it stands
 * for on the A and R profiles (IHI0035 4.5.4); and damage of several kinds in a row, as elements. */
#include <string.h>

#include <cairn/element.h>

#include "encoder_session.h"
#include "ptm_session.h"

/* Whether a branch to 0 with this information byte is of the exception that is called so. */
static bool is_exception(uint32_t etmidr, uint8_t info, unsigned type, const char *name)
{
    const uint8_t bytes[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0, 0, 0, 0, 0x21, 0x81, 0x40, info};
    struct cairn_config *config = ptm_config(0, etmidr, A15_ETMCCER);
    struct ptm_packets packets = {0};
    const struct cairn_packet_fields *fields;
    bool same;

    ptm_decode(config, bytes, sizeof bytes, sizeof bytes, 1, 8, &packets);
    assert_int_equal(packets.count, 3);
    assert_int_equal(packets.list[2].kind, CAIRN_PTM_BRANCH_ADDRESS);
    fields = &packets.list[2].fields;
    same = (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) && fields->type == type &&
           fields->address == 0 && strcmp(cairn_exception_name(config, fields->type), name) == 0;
    ptm_forget(&packets);
    cairn_config_unref(config);
    return same;
}

static void test_debug_halt(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-t */
    assert_true(is_exception(A15_ETMIDR, 0x02, 1, "Debug halt"));
}

static void test_smc(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-u */
    assert_true(is_exception(A15_ETMIDR, 0x04, 2, "SMC"));
}

static void test_hyp_entry(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-v */
    assert_true(is_exception(A15_ETMIDR, 0x06, 3, "Hyp entry"));
    /* proves: PFT-4.5.4-v */
    assert_true(is_exception(A9_ETMIDR, 0x06, 3, "Reserved 3"));
}

static void test_asynchronous_abort(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-w */
    assert_true(is_exception(A15_ETMIDR, 0x08, 4, "Asynchronous data abort"));
}

static void test_thumb_ee_check(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-x */
    assert_true(is_exception(A15_ETMIDR, 0x0a, 5, "ThumbEE check"));
}

static void test_six(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-y */
    assert_true(is_exception(A15_ETMIDR, 0x0c, 6, "Reserved 6"));
}

static void test_seven(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-z */
    assert_true(is_exception(A15_ETMIDR, 0x0e, 7, "Reserved 7"));
}

static void test_reset(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-aa */
    assert_true(is_exception(A15_ETMIDR, 0x10, 8, "Reset"));
}

static void test_undefined(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ab */
    assert_true(is_exception(A15_ETMIDR, 0x12, 9, "Undefined instruction"));
}

static void test_svc(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ac */
    assert_true(is_exception(A15_ETMIDR, 0x14, 10, "SVC"));
}

static void test_prefetch_abort(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ad */
    assert_true(is_exception(A15_ETMIDR, 0x16, 11, "Prefetch abort"));
}

static void test_data_abort(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ae */
    assert_true(is_exception(A15_ETMIDR, 0x18, 12, "Data abort"));
}

static void test_generic(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-af */
    assert_true(is_exception(A15_ETMIDR, 0x1a, 13, "Generic"));
}

static void test_irq(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ag */
    assert_true(is_exception(A15_ETMIDR, 0x1c, 14, "IRQ"));
}

static void test_fiq(void **state)
{
    (void)state;
    /* proves: PFT-4.5.4-ah */
    assert_true(is_exception(A15_ETMIDR, 0x1e, 15, "FIQ"));
}

/* M profile cores: the numbers of ETMv3 (IHI0014 table 7-17). */
static void test_m_profile(void **state)
{
    static const char *const first[] = {
        "None",         "IRQ 1",     "IRQ 2",       "IRQ 3",      "IRQ 4",       "IRQ 5",
        "IRQ 6",        "IRQ 7",     "IRQ 0",       "UsageFault", "NMI",         "SVC",
        "DebugMonitor", "MemManage", "PendSV",      "SysTick",    "Reserved 16", "Reset",
        "Reserved 18",  "HardFault", "Reserved 20", "BusFault",   "Reserved 22", "Reserved 23",
        "IRQ 8",        "IRQ 9",
    };
    const struct cairn_register registers[] = {{"ETMIDR", A15_ETMIDR}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    (void)state;
    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_M, 7, 0, 0};
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    for (unsigned type = 0; type < COUNT_OF(first); type++)
        assert_string_equal(cairn_exception_name(config, type), first[type]);
    assert_string_equal(cairn_exception_name(config, 0x1fe), "IRQ 494");
    assert_string_equal(cairn_exception_name(config, 0x1ff), "IRQ 495");
    assert_string_equal(cairn_exception_name(config, 0x200), "Unknown");
    cairn_config_unref(config);
}

/* Numbers that a packet cannot have: the branch is written, without an exception. */
static void test_no_number(void **state)
{
    static struct encoder_session session;
    static const unsigned none[] = {0, 0x200};
    const struct cairn_register registers[] = {{"ETMIDR", A15_ETMIDR}, {"ETMCCER", A15_ETMCCER}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        encoder_begin(&session, CAIRN_PROTOCOL_PTM, (struct cairn_arch){CAIRN_PROFILE_A, 7, 0, 0},
                      registers, COUNT_OF(registers), 0);
        put_kind(&session, CAIRN_ELEMENT_A_SYNC);
        put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(0));
        put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
        put_target(&session, 0x8000, 0);
        expect_bytes(&session, "00 00 00 00 00 80 08 00 80 00 00 21");
        put_exception(&session, none[i], 0x8000, 0);
        put_target(&session, 0x8010, 0);
        expect_bytes(&session, "09"); /* 1, address bits [7:2] 000100, C 0 (4.5.4) */
        encoder_end(&session);
    }
}

/* A caller's packets: behind a reserved packet whatever looks like a packet is of its gap, and other
 * damage is a gap of its own (the accounts of <cairn/packet.h>), with the reserved one's end at an
 * A-sync. */
static void test_damage_behind_reserved(void **state)
{
    static const struct {
        uint16_t kind;
        int gap; /* 0: none */
    } rows[] = {
        {CAIRN_PTM_NOT_SYNC, CAIRN_GAP_NO_SYNC}, {CAIRN_PTM_RESERVED, CAIRN_GAP_RESERVED},
        {CAIRN_PTM_TRIGGER, CAIRN_GAP_RESERVED}, {CAIRN_PTM_NOT_SYNC, CAIRN_GAP_NO_SYNC},
        {CAIRN_PTM_CUT, CAIRN_GAP_CUT},          {CAIRN_PTM_INCOMPLETE, CAIRN_GAP_TRUNCATED},
        {CAIRN_PTM_INCOMPLETE_SYNC, 0},          {CAIRN_PTM_ATOM, CAIRN_GAP_RESERVED},
        {CAIRN_PTM_ALIGNMENT_SYNC, 0},           {CAIRN_PTM_ATOM, CAIRN_GAP_NO_ADDRESS},
    };
    struct cairn_config *config = ptm_config(0, A15_ETMIDR, A15_ETMCCER);
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *out;
    struct cairn_elements *elements;
    size_t at = 0, given = 0;

    (void)state;
    assert_int_equal(cairn_packet_batch_new(COUNT_OF(rows), &packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(COUNT_OF(rows), &out), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &elements), CAIRN_OK);
    packets->count = COUNT_OF(rows);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        packets->offset[i] = i;
        packets->length[i] = 1;
        packets->kind[i] = rows[i].kind;
        packets->fields[i] = (struct cairn_packet_fields){.atom_count = 1};
    }
    assert_int_equal(cairn_elements_run(elements, packets, &at, out), CAIRN_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].gap == 0)
            continue;
        assert_true(given < out->count);
        assert_int_equal(out->offset[given], i);
        assert_int_equal(out->kind[given], CAIRN_ELEMENT_GAP);
        assert_int_equal(out->data[given++].value, rows[i].gap);
    }
    assert_int_equal(out->count, given);
    cairn_elements_free(elements);
    cairn_element_batch_free(out);
    cairn_packet_batch_free(packets);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_debug_halt),
        cmocka_unit_test(test_smc),
        cmocka_unit_test(test_hyp_entry),
        cmocka_unit_test(test_asynchronous_abort),
        cmocka_unit_test(test_thumb_ee_check),
        cmocka_unit_test(test_six),
        cmocka_unit_test(test_seven),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_svc),
        cmocka_unit_test(test_prefetch_abort),
        cmocka_unit_test(test_data_abort),
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_irq),
        cmocka_unit_test(test_fiq),
        cmocka_unit_test(test_m_profile),
        cmocka_unit_test(test_no_number),
        cmocka_unit_test(test_damage_behind_reserved),
    };

    return cmocka_run_group_tests_name("ptm-exceptions", tests, NULL, NULL);
}
