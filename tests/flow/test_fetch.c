/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions at the edges of memory: between layers, in BE32 order, and half missing. */
#include "flow/fetch.h"
#include "isa/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct memory {
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_fetch fetch;
};

static void begin(struct memory *m)
{
    assert_int_equal(cairn_image_new(&m->image), CAIRN_OK);
}

static void add(struct memory *m, enum cairn_order order, uint64_t address, const void *bytes,
                size_t size)
{
    const struct cairn_scope any = cairn_scope_any();

    assert_int_equal(
        cairn_image_add_bytes(m->image, "layer", &any, order, address, bytes, size, NULL),
        CAIRN_OK);
}

static void look(struct memory *m)
{
    const struct cairn_place place = {0};

    assert_int_equal(cairn_space_new(m->image, &m->space), CAIRN_OK);
    assert_int_equal(cairn_space_select(m->space, &place), CAIRN_OK);
    memset(&m->fetch, 0, sizeof m->fetch);
    m->fetch.space = m->space;
    m->fetch.arch = cairn_arch_any_a();
}

static void end(struct memory *m)
{
    cairn_space_free(m->space);
    cairn_image_unref(m->image);
}

/* BL at 0x1000 (94000004), its bytes in two layers. */
static void an_instruction_may_span_layers(void **unused)
{
    struct memory m;
    struct cairn_insn insn;

    (void)unused;
    begin(&m);
    add(&m, CAIRN_ORDER_LITTLE, 0x1000, "\x04\x00", 2);
    add(&m, CAIRN_ORDER_LITTLE, 0x1002, "\x00\x94", 2);
    look(&m);
    assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x1000, &insn), 4);
    assert_int_equal(insn.kind, CAIRN_INSN_BRANCH_DIRECT);
    assert_int_equal(insn.target, 0x1010);
    end(&m);
}

/* B . + 4 * (n + 1) in layer n: more layers, and more places without memory, than are remembered. */
static void what_was_found_is_found_again(void **unused)
{
    enum { LAYERS = 9, ROUNDS = 400 };
    struct memory m;
    struct cairn_insn insn;
    uint32_t random = 1;

    (void)unused;
    begin(&m);
    for (unsigned n = 0; n < LAYERS; n++) {
        const uint8_t branch[] = {(uint8_t)(n + 1), 0, 0, 0x14};

        add(&m, CAIRN_ORDER_LITTLE, 0x10000 * (n + 1), branch, sizeof branch);
    }
    look(&m);
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        const unsigned n = (random >> 16) % LAYERS;
        const uint64_t base = UINT64_C(0x10000) * (n + 1);

        assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, base, &insn), 4);
        assert_int_equal(insn.target, base + 4 * (n + 1));
        assert_int_equal(
            cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, base + 4 + (random >> 24) % 16 * 4, &insn),
            0);
        if (i % 50 == 0)
            cairn_fetch_select(&m.fetch, 1 + i % 7);
    }
    end(&m);
}

/* B . + 4 * (id + 1) at one address, in the memory of context `id` alone; what another one has there
 * must never be found, however the contexts come and go, and one of them has nothing there. */
static void memories_are_kept_apart(void **unused)
{
    enum { CONTEXTS = 7, ABSENT = 5, ROUNDS = 2000 };
    struct memory m;
    struct cairn_insn insn;
    uint32_t random = 1;

    (void)unused;
    begin(&m);
    for (unsigned id = 0; id < CONTEXTS; id++) {
        struct cairn_scope scope = cairn_scope_any();
        const uint8_t branch[] = {(uint8_t)(id + 1), 0, 0, 0x14};

        scope.any_context_id = false;
        scope.context_id = id;
        if (id != ABSENT)
            assert_int_equal(cairn_image_add_bytes(m.image, "layer", &scope, CAIRN_ORDER_LITTLE,
                                                   0x1000, branch, sizeof branch, NULL),
                             CAIRN_OK);
    }
    add(&m, CAIRN_ORDER_LITTLE, 0x2000, "\0\0\0\x14", 4); /* everybody's */
    look(&m);
    for (unsigned i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        const unsigned id = (random >> 16) % CONTEXTS;
        const struct cairn_place place = {.context_id = id, .offset = i};

        assert_int_equal(cairn_space_select(m.space, &place), CAIRN_OK);
        cairn_fetch_select(&m.fetch, id + 1);
        for (unsigned k = 0; k < (random >> 24) % 4; k++) {
            assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x1000, &insn),
                             id == ABSENT ? 0 : 4);
            if (id != ABSENT)
                assert_int_equal(insn.target, 0x1000 + 4 * (id + 1));
            assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x2000, &insn), 4);
            assert_int_equal(insn.target, 0x2000);
        }
    }
    end(&m);
}

static void half_an_instruction_is_none(void **unused)
{
    struct memory m;
    struct cairn_insn insn;

    (void)unused;
    begin(&m);
    add(&m, CAIRN_ORDER_LITTLE, 0x1000, "\x1f\x20\x03\xd5\x04\x00", 6);
    look(&m);
    /* proves: D15.3.11 */
    assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x1000, &insn), 4);
    assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x1004, &insn), 0);
    assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A64, 0x2000, &insn), 0);
    /* A 16-bit instruction fits where half a word is left: BX LR is 4770. */
    assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_T32, 0x1004, &insn), 2);
    end(&m);
}

/* A32 BL is EBFFFFFE; T32 BX LR is 4770. BE32 stores them most significant byte first; BE8 keeps
 * instructions little endian. */
static void byte_order_belongs_to_the_layer(void **unused)
{
    struct memory m;
    struct cairn_insn insn;

    (void)unused;
    begin(&m);
    add(&m, CAIRN_ORDER_BE32, 0x1000, "\xeb\xff\xff\xfe\x47\x70", 6);
    add(&m, CAIRN_ORDER_BE8, 0x2000, "\xfe\xff\xff\xeb\x70\x47", 6);
    look(&m);
    for (uint64_t base = 0x1000; base <= 0x2000; base += 0x1000) {
        assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_A32, base, &insn), 4);
        assert_int_equal(insn.opcode, 0xebfffffe);
        assert_int_equal(insn.target, base);
        assert_int_equal(cairn_fetch_insn(&m.fetch, CAIRN_ISA_T32, base + 4, &insn), 2);
        assert_int_equal(insn.opcode, 0x4770);
    }
    end(&m);
}

/* The stretch found by major opcodes is never longer than what the classifier calls OTHER. */
static void a_plain_run_holds_no_p0_instruction(void **unused)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    uint32_t word = 12345;

    (void)unused;
    for (int i = 0; i < 400000; i++) {
        uint8_t bytes[4];
        struct cairn_insn insn;

        word = word * 1664525u + 1013904223u;
        for (int k = 0; k < 4; k++)
            bytes[k] = (uint8_t)((word ^ word >> 16) >> (8 * k));
        if (cairn_a64_unbranched_run(bytes, 1) == 0) {
            assert_int_equal(cairn_a64_plain_run(bytes, 1), 0);
            continue;
        }
        if (cairn_a64_plain_run(bytes, 1) == 0) {
            assert_int_equal(cairn_insn_decode(&arch, CAIRN_ISA_A64, 0, bytes, 4, &insn), 4);
            assert_true(insn.kind == CAIRN_INSN_OTHER || insn.kind == CAIRN_INSN_UNDEFINED);
            continue;
        }
        assert_int_equal(cairn_insn_decode(&arch, CAIRN_ISA_A64, 0, bytes, 4, &insn), 4);
        assert_int_equal(insn.kind, CAIRN_INSN_OTHER);
    }
    /* ADD, LDR, then B */
    assert_int_equal(
        cairn_a64_plain_run((const uint8_t *)"\x00\x04\x00\x91\x00\x00\x40\xf9\x00\x00\x00\x14", 3),
        2);
    /* UDF is passed over where that is asked for. */
    assert_int_equal(cairn_a64_plain_run((const uint8_t *)"\0\0\0\0\0\0\0\x14", 2), 0);
    assert_int_equal(cairn_a64_unbranched_run((const uint8_t *)"\0\0\0\0\0\0\0\x14", 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_may_span_layers),
        cmocka_unit_test(what_was_found_is_found_again),
        cmocka_unit_test(memories_are_kept_apart),
        cmocka_unit_test(half_an_instruction_is_none),
        cmocka_unit_test(byte_order_belongs_to_the_layer),
        cmocka_unit_test(a_plain_run_holds_no_p0_instruction),
    };

    return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
