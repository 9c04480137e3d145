/* SPDX-License-Identifier: BSD-2-Clause */
/* The analyser's ProgramImage (DDI0608 D15.3.11): is there an instruction at this address, and
 * which. Inside, at the edges of and outside the image, in every byte order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/flow.h>
#include <cairn/image.h>
#include <cairn/isa.h>

#define NOP_A64 0xd503201fu
#define RET_A64 0xd65f03c0u

struct bench {
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_arch arch;
};

static int open_bench(void **state)
{
    struct bench *const b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_int_equal(cairn_image_new(&b->image), CAIRN_OK);
    assert_int_equal(cairn_space_new(b->image, &b->space), CAIRN_OK);
    b->arch = cairn_arch_any_a();
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *const b = *state;
    cairn_space_free(b->space);
    cairn_image_unref(b->image);
    free(b);
    return 0;
}

static void add_scoped(struct bench *b, const struct cairn_scope *scope, enum cairn_order order,
                       uint64_t address, const char *bytes, size_t size)
{
    const struct cairn_place place = {.EL = 1, .security = CAIRN_NONSECURE};
    assert_int_equal(
        cairn_image_add_bytes(b->image, "code", scope, order, address, bytes, size, NULL),
        CAIRN_OK);
    assert_int_equal(cairn_space_select(b->space, &place), CAIRN_OK);
}

static void add(struct bench *b, enum cairn_order order, uint64_t address, const char *bytes,
                size_t size)
{
    add_scoped(b, NULL, order, address, bytes, size);
}

/* Size of the instruction at `address`, whose opcode goes to *opcode; 0 when there is none. */
static unsigned size_at(const struct bench *b, enum cairn_isa isa, uint64_t address,
                        uint32_t *opcode)
{
    struct cairn_insn insn;
    if (!cairn_space_insn(b->space, &b->arch, isa, address, &insn))
        return 0;
    *opcode = insn.opcode;
    return insn.size;
}

static void words(void **state)
{
    struct bench *const b = *state;
    uint32_t opcode = 0;
    add(b, CAIRN_ORDER_LITTLE, 0x1000, "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6\x1f\x20", 10);
    /* proves: D15.3.11 */
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1000, &opcode), 4);
    assert_int_equal(opcode, NOP_A64);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1004, &opcode), 4);
    assert_int_equal(opcode, RET_A64);
    /* Two of its four bytes are there. */
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1008, &opcode), 0);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x0ffc, &opcode), 0);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x100c, &opcode), 0);
}

static void halfwords(void **state)
{
    struct bench *const b = *state;
    uint32_t opcode = 0;
    /* bl; bx lr; the first half of bl */
    add(b, CAIRN_ORDER_LITTLE, 0x1000, "\x00\xf0\x02\xf8\x70\x47\x00\xf0", 8);
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x1000, &opcode), 4);
    assert_int_equal(opcode, 0xf000f802);
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x1004, &opcode), 2);
    assert_int_equal(opcode, 0x4770);
    /* proves: D15.3.11 */
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x1006, &opcode), 0);
    /* The other half arrives, in a layer of its own. */
    add(b, CAIRN_ORDER_LITTLE, 0x1008, "\x00\xf8", 2);
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x1006, &opcode), 4);
    assert_int_equal(opcode, 0xf000f800);
}

static void patched_code(void **state)
{
    struct bench *const b = *state;
    uint32_t opcode = 0;
    add(b, CAIRN_ORDER_LITTLE, 0x1000, "\x1f\x20\x03\xd5\x1f\x20\x03\xd5", 8);
    add(b, CAIRN_ORDER_LITTLE, 0x1004, "\xc0\x03\x5f\xd6", 4);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1000, &opcode), 4);
    assert_int_equal(opcode, NOP_A64);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1004, &opcode), 4);
    assert_int_equal(opcode, RET_A64);
    /* A layer of EL3 is not there for the EL1 that is looked up, wherever it lies. */
    struct cairn_scope monitor = cairn_scope_any();
    monitor.el_mask = 1u << 3;
    add_scoped(b, &monitor, CAIRN_ORDER_LITTLE, 0x1000, "\xc0\x03\x5f\xd6", 4);
    add_scoped(b, &monitor, CAIRN_ORDER_LITTLE, 0x2000, "\xc0\x03\x5f\xd6", 4);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x1000, &opcode), 4);
    assert_int_equal(opcode, NOP_A64);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0x2000, &opcode), 0);
}

/* BE8 keeps instructions little endian; BE32 turns each unit of an instruction around. */
static void byte_orders(void **state)
{
    struct bench *const b = *state;
    uint32_t opcode = 0;
    add(b, CAIRN_ORDER_BE8, 0x1000, "\x1e\xff\x2f\xe1", 4);
    add(b, CAIRN_ORDER_BE32, 0x2000, "\xe1\x2f\xff\x1e", 4);
    add(b, CAIRN_ORDER_BE32, 0x3000, "\x47\x70\xf0\x00\xf8\x02", 6);
    assert_int_equal(size_at(b, CAIRN_ISA_A32, 0x1000, &opcode), 4);
    assert_int_equal(opcode, 0xe12fff1e);
    assert_int_equal(size_at(b, CAIRN_ISA_A32, 0x2000, &opcode), 4);
    assert_int_equal(opcode, 0xe12fff1e);
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x3000, &opcode), 2);
    assert_int_equal(opcode, 0x4770);
    assert_int_equal(size_at(b, CAIRN_ISA_T32, 0x3002, &opcode), 4);
    assert_int_equal(opcode, 0xf000f802);
}

static void ends_of_the_address_space(void **state)
{
    struct bench *const b = *state;
    uint32_t opcode = 0;
    add(b, CAIRN_ORDER_LITTLE, UINT64_MAX - 5, "\x1f\x20\x03\xd5\x1f\x20", 6);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, UINT64_MAX - 5, &opcode), 4);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, UINT64_MAX - 1, &opcode), 0);
    assert_int_equal(size_at(b, CAIRN_ISA_A64, 0, &opcode), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)
    const struct CMUnitTest tests[] = {
        CASE(words),
        CASE(halfwords),
        CASE(patched_code),
        CASE(byte_orders),
        CASE(ends_of_the_address_space),
    };
    return cmocka_run_group_tests_name("program image", tests, NULL, NULL);
}
