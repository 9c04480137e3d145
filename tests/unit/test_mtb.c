/* SPDX-License-Identifier: BSD-2-Clause */
/* The MTB model: packets worked out by hand from DDI0486 2.3.1, the ring, and its registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

static struct cairn_unit *unit;
static uint8_t image[65536]; /* what the sink got last */
static size_t image_size;

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    (void)context;
    assert_true(size <= sizeof image - image_size);
    memcpy(image + image_size, bytes, size);
    image_size += size;
    return CAIRN_OK;
}

static void begin(const struct cairn_register *registers, size_t count)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.protocol = CAIRN_PROTOCOL_MTB;
    options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_M, .major = 8};
    options.registers = registers;
    options.register_count = count;
    options.sink = keep;
    image_size = 0;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
}

static void end(void)
{
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    cairn_unit_free(unit);
}

/* 16-bit instructions from `first` to `last`. */
static void execute(uint32_t first, uint32_t last, enum cairn_insn_kind kind, uint32_t target,
                    bool taken, uint32_t flags)
{
    const struct cairn_block block = {
        .address = first,
        .target = target,
        .size = last - first + 2,
        .count = (last - first) / 2 + 1,
        .flags = flags,
        .isa = CAIRN_ISA_T32,
        .kind = (uint8_t)kind,
        .last_size = 2,
        .target_isa = kind == CAIRN_INSN_BRANCH_DIRECT ? CAIRN_ISA_T32 : CAIRN_ISA_UNKNOWN,
    };

    cairn_unit_execute(unit, &block, taken);
}

static void direct(uint32_t first, uint32_t last, uint32_t target)
{
    execute(first, last, CAIRN_INSN_BRANCH_DIRECT, target, true, 0);
}

static void indirect(uint32_t first, uint32_t last)
{
    execute(first, last, CAIRN_INSN_BRANCH_INDIRECT, 0, true, 0);
}

static void straight(uint32_t first, uint32_t last)
{
    execute(first, last, CAIRN_INSN_OTHER, 0, false, 0);
}

static uint64_t get(const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(unit, name, &value), CAIRN_OK);
    return value;
}

static uint32_t word(size_t index)
{
    const uint8_t *at = image + 4 * index;

    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The unit is disabled; its RAM has these words. */
static void expect_words(const uint32_t *words, size_t count)
{
    image_size = 0;
    cairn_unit_disable(unit);
    assert_int_equal(image_size, 4 * count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(word(i), words[i]);
}
#define EXPECT(...)                                                                                \
    do {                                                                                           \
        const uint32_t expected[] = {__VA_ARGS__};                                                 \
        expect_words(expected, sizeof expected / sizeof *expected);                                \
    } while (0)

static void test_branches(void **state)
{
    (void)state;
    begin(NULL, 0);
    direct(0x0fc, 0x100, 0x200);
    execute(0x200, 0x204, CAIRN_INSN_BRANCH_DIRECT, 0x100, false, 0); /* in order: no packet */
    indirect(0x206, 0x210);
    straight(0x300, 0x302);
    /* proves: MTB-2.3.1-b, MTB-2.3.1-x */
    EXPECT(0x00000100, 0x00000201, 0x00000210, 0x00000300);
    assert_int_equal(get("MTB_POSITION"), 16);
    assert_int_equal(get("MASTER"), 8);
    end();
}

/* An exception whose preferred return address is 0x102, its handler at 0x400 to 0x410, and the
 * return from there. */
static void test_exception(void **state)
{
    (void)state;
    begin(NULL, 0);
    direct(0x80, 0x80, 0x100);
    straight(0x100, 0x100);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_IRQ, 0x102, CAIRN_ISA_T32);
    execute(0x400, 0x410, CAIRN_INSN_BRANCH_INDIRECT, 0xfffffff9, true, CAIRN_INSN_ERET);
    straight(0x102, 0x104);
    /* proves: MTB-2.3.1-y */
    EXPECT(0x00000080, 0x00000101, 0x00000103, 0x00000400, 0x00000410, 0xfffffff8, 0xfffffff9,
           0x00000102);
    end();
}

/* The return from a handler to which another one is chained: nothing is unstacked in between, so
 * the second packet leads from EXC_RETURN to that handler. 0x102 is where both return to, by a
 * process stack. */
static void test_chained_exception(void **state)
{
    (void)state;
    begin(NULL, 0);
    direct(0x80, 0x80, 0x100);
    straight(0x100, 0x100);
    cairn_unit_exception(unit, 15, 0x102, CAIRN_ISA_T32);
    execute(0x400, 0x410, CAIRN_INSN_BRANCH_INDIRECT, 0xfffffffd, true, CAIRN_INSN_ERET);
    cairn_unit_exception(unit, 14, 0x102, CAIRN_ISA_T32);
    execute(0x500, 0x502, CAIRN_INSN_BRANCH_INDIRECT, 0xfffffffd, true, CAIRN_INSN_ERET);
    straight(0x102, 0x104);
    /* proves: MTB-2.3.1-v */
    EXPECT(0x00000080, 0x00000101, 0x00000103, 0x00000400, 0x00000410, 0xfffffffc, 0xfffffffd,
           0x00000500, 0x00000502, 0xfffffffc, 0xfffffffd, 0x00000102);
    end();
}

/* Registers are unstacked: what comes before anything is executed is no chained exception, but one
 * that is taken where the return led to. */
static void test_exception_behind_return(void **state)
{
    const struct cairn_unit_transfer word = {
        .address = 0x20000ff8, .bytes = 4, .flags = CAIRN_UNIT_DATA_STACKING};

    (void)state;
    begin(NULL, 0);
    direct(0x80, 0x80, 0x400);
    execute(0x400, 0x410, CAIRN_INSN_BRANCH_INDIRECT, 0xfffffff9, true, CAIRN_INSN_ERET);
    cairn_unit_data(unit, &word);
    cairn_unit_exception(unit, 3, 0x102, CAIRN_ISA_T32);
    straight(0x500, 0x502);
    /* proves: MTB-2.3.1-v */
    EXPECT(0x00000080, 0x00000401, 0x00000410, 0xfffffff8, 0xfffffff9, 0x00000102, 0x00000103,
           0x00000500);
    end();
}

/* What the instruction that returns loads itself, EXC_RETURN by a POP, is no unstacking: the
 * exception that comes then is chained. */
static void test_chained_behind_load(void **state)
{
    const struct cairn_unit_transfer word = {
        .address = 0x20000ff8, .value = 0xfffffff9, .bytes = 4};

    (void)state;
    begin(NULL, 0);
    direct(0x80, 0x80, 0x400);
    execute(0x400, 0x410, CAIRN_INSN_BRANCH_INDIRECT, 0xfffffff9, true, CAIRN_INSN_ERET);
    cairn_unit_data(unit, &word);
    cairn_unit_exception(unit, 14, 0x102, CAIRN_ISA_T32);
    straight(0x500, 0x502);
    /* proves: MTB-2.3.1-v */
    EXPECT(0x00000080, 0x00000401, 0x00000410, 0xfffffff8, 0xfffffff9, 0x00000500);
    end();
}

/* A branch whose target is where an exception is taken before anything runs there. */
/* Non-secure code at 0x200 returns to Secure code at 0x104 by FNC_RETURN, in the form of an
 * exception return; and an exception that is taken there at once is not chained to it. */
static void test_function_return(void **state)
{
    (void)state;
    begin(NULL, 0);
    indirect(0x0fc, 0x100);
    execute(0x200, 0x202, CAIRN_INSN_BRANCH_INDIRECT, 0xfeffffff, true, CAIRN_INSN_ERET);
    cairn_unit_exception(unit, 15, 0x104, CAIRN_ISA_T32);
    straight(0x400, 0x402);
    EXPECT(0x00000100, 0x00000201, 0x00000202, 0xfefffffe, 0xfeffffff, 0x00000104, 0x00000105,
           0x00000400);
    end();
}

static void test_exception_at_target(void **state)
{
    (void)state;
    begin(NULL, 0);
    indirect(0x80, 0x80);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_IRQ, 0x100, CAIRN_ISA_T32);
    straight(0x400, 0x402);
    EXPECT(0x00000080, 0x00000101, 0x00000101, 0x00000400);
    end();
}

/* A handler that a feed does not tell: if it returns to where it came from, execution went on in
 * order; if not, where it returned to is a packet. What is lost elsewhere is a start of trace. */
static void test_unseen(void **state)
{
    (void)state;
    begin(NULL, 0);
    direct(0x80, 0x80, 0x100);
    straight(0x100, 0x100);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_CALL, 0x102, CAIRN_ISA_T32);
    cairn_unit_prohibit(unit, true);
    direct(0x800, 0x800, 0x900); /* not seen */
    cairn_unit_prohibit(unit, false);
    direct(0x102, 0x104, 0x200);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_CALL, 0x200, CAIRN_ISA_T32);
    cairn_unit_prohibit(unit, true);
    cairn_unit_prohibit(unit, false);
    direct(0x300, 0x300, 0x310);
    cairn_unit_prohibit(unit, true);
    cairn_unit_prohibit(unit, false);
    direct(0x310, 0x310, 0x320);
    direct(0x330, 0x330, 0x340); /* it was to be at 0x320 */
    EXPECT(0x00000080, 0x00000101, 0x00000104, 0x00000200, 0x00000201, 0x00000300, 0x00000300,
           0x00000310, 0x00000310, 0x00000321, 0x00000330, 0x00000341);
    end();
}

/* A ring of 16 bytes in which the third packet takes the place of the first. */
static void test_ring(void **state)
{
    const struct cairn_register small[] = {{"MASTER", 0}, {"POSITION", 0x120}};

    (void)state;
    begin(small, 2);
    direct(0x100, 0x100, 0x200);
    direct(0x200, 0x200, 0x300);
    assert_int_equal(get("POSITION"), 0x120 | 4);
    direct(0x300, 0x300, 0x400);
    /* proves: MTB-2.3.1-ad, MTB-2.3.1-ae */
    assert_int_equal(get("POSITION"), 0x128 | 4);
    EXPECT(0x00000300, 0x00000400, 0x00000200, 0x00000300);
    end();
}

/* The watermark at the second packet: trace stops, or the PE is to halt. */
static void test_watermark(void **state)
{
    const struct cairn_register stop[] = {{"MTB_FLOW", 16 | 1}};
    const struct cairn_register halt[] = {{"MTB_FLOW", 16 | 2}};

    (void)state;
    begin(stop, 1);
    for (unsigned i = 0; i < 4; i++)
        direct(0x100, 0x100, 0x100);
    assert_int_equal(get("MTB_MASTER"), 8);
    EXPECT(0x100, 0x101, 0x100, 0x100);
    end();
    begin(halt, 1);
    direct(0x100, 0x100, 0x100);
    assert_int_equal(get("MTB_MASTER"), 0x80000008);
    direct(0x100, 0x100, 0x100);
    assert_int_equal(get("MTB_MASTER"), 0x80000208);
    direct(0x100, 0x100, 0x100);
    EXPECT(0x100, 0x101, 0x100, 0x100, 0x100, 0x100);
    end();
}

/* TSTOP and TSTART, each if it is enabled; S begins each stretch. */
static void test_signals(void **state)
{
    const struct cairn_register both[] = {{"MTB_MASTER", 0x60 | 8}};

    (void)state;
    begin(both, 1);
    direct(0x100, 0x100, 0x200);
    cairn_unit_inputs(unit, 2);
    direct(0x200, 0x200, 0x300);
    cairn_unit_inputs(unit, 0);
    direct(0x300, 0x300, 0x400);
    cairn_unit_inputs(unit, 1);
    direct(0x400, 0x400, 0x500);
    direct(0x500, 0x500, 0x600);
    EXPECT(0x100, 0x201, 0x400, 0x501, 0x500, 0x600);
    end();
    /* What waited for its destination when trace stopped is no packet of the next stretch. */
    begin(both, 1);
    indirect(0x100, 0x100);
    cairn_unit_inputs(unit, 2);
    cairn_unit_inputs(unit, 1);
    direct(0x300, 0x300, 0x400);
    EXPECT(0x300, 0x401);
    end();
    begin(both, 1);
    straight(0x100, 0x100);
    cairn_unit_exception(unit, CAIRN_EXCEPTION_IRQ, 0x102, CAIRN_ISA_T32);
    cairn_unit_inputs(unit, 2);
    cairn_unit_inputs(unit, 1);
    direct(0x300, 0x300, 0x400);
    EXPECT(0x300, 0x401);
    end();
    /* Not enabled: neither counts. */
    begin(NULL, 0);
    direct(0x100, 0x100, 0x200);
    cairn_unit_inputs(unit, 2);
    direct(0x200, 0x200, 0x300);
    EXPECT(0x100, 0x201, 0x200, 0x300);
    cairn_unit_inputs(unit, 1);
    assert_int_equal(get("MTB_MASTER"), 8);
    end();
}

static void test_registers(void **state)
{
    const struct cairn_register large = {"MTB_MASTER", 25};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *refused;
    struct cairn_config *config;

    (void)state;
    begin(NULL, 0);
    config = cairn_unit_config(unit); /* of all registers, for a decoder */
    assert_non_null(config);
    assert_int_equal(cairn_config_protocol(config), CAIRN_PROTOCOL_MTB);
    cairn_config_unref(config);
    direct(0x100, 0x100, 0x200);
    assert_int_equal(cairn_unit_write(unit, "MTB_POSITION", 0, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "MTB_MASTER", 0x80000009, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "MTB_BASE", 0, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "MTB_OTHER", 0, NULL), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_unit_write(unit, "MTB_MASTER", 9, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "MTB_MASTER", 8, NULL), CAIRN_OK);
    assert_int_equal(image_size, 8);
    assert_int_equal(cairn_unit_write(unit, "POSITION", 7, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "POSITION", 0, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_write(unit, "MASTER", 0x80000002, NULL), CAIRN_OK);
    direct(0x500, 0x500, 0x200);
    EXPECT(0x500, 0x201);
    end();
    options.protocol = CAIRN_PROTOCOL_MTB;
    options.registers = &large;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &refused, NULL), CAIRN_E_CONFIG);
    for (unsigned bit = 0; bit < 3; bit++) { /* the RAM begins where a packet may */
        const struct cairn_register odd = {"MTB_BASE", 0x20000000u | 1u << bit};

        options.registers = &odd;
        assert_int_equal(cairn_unit_new(&options, &refused, NULL), CAIRN_E_CONFIG);
    }
}

/* A block ends with its first branch, whatever else is in it: B . is e7fe, NOP bf00, BX LR 4770. */
static void test_blocks(void **state)
{
    static const uint8_t code[] = {0x00, 0xbf, 0x00, 0xbf, 0xfe, 0xe7, 0x00, 0xbf, 0x70, 0x47};
    struct cairn_block block;

    (void)state;
    begin(NULL, 0);
    assert_int_equal(cairn_unit_scan(unit, CAIRN_ISA_T32, 0x100, code, sizeof code, &block), 6);
    assert_int_equal(block.count, 3);
    assert_int_equal(block.kind, CAIRN_INSN_BRANCH_DIRECT);
    assert_int_equal(cairn_unit_scan(unit, CAIRN_ISA_T32, 0x106, code + 6, 4, &block), 4);
    assert_int_equal(block.count, 2);
    assert_int_equal(block.kind, CAIRN_INSN_BRANCH_INDIRECT);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_exception),
        cmocka_unit_test(test_chained_exception),
        cmocka_unit_test(test_exception_behind_return),
        cmocka_unit_test(test_chained_behind_load),
        cmocka_unit_test(test_function_return),
        cmocka_unit_test(test_exception_at_target),
        cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_watermark),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
