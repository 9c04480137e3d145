/* SPDX-License-Identifier: BSD-2-Clause */
/* What one element walks: at most 2^18 instructions in at most 2^12 ranges, whatever was walked
 * before it, and nothing that is remembered of other walks changes what comes out. */
#include <cairn/etmv4.h>
#include <cairn/flow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

enum {
    MOST = 1 << 18,
    RANGES = 1 << 12,
    CODE = 0x1000,
    CAPACITY = 8192,
};

static const uint32_t nop = 0xd503201f;
static const uint32_t add = 0x91000400;
static const uint32_t back = 0x17ffffff;   /* B -4 */
static const uint32_t onward = 0x54000020; /* B.EQ +4 */
static const uint32_t jump = 0x14000001;   /* B +4 */
static const struct cairn_context el1 = {.EL = 1, .security = CAIRN_NONSECURE, .SF = 1};
static const struct cairn_context el1_32 = {.EL = 1, .security = CAIRN_NONSECURE};

struct bench {
    struct cairn_config *config;
    struct cairn_image *image;
    struct cairn_flow *flow;
    struct cairn_element_batch *in;
    struct cairn_flow_batch *out;
    uint64_t offset;
};

static void restart(struct bench *b)
{
    cairn_flow_free(b->flow);
    assert_int_equal(cairn_flow_new(b->config, b->image, &b->flow), CAIRN_OK);
    b->offset = 16;
}

static void begin(struct bench *b, const uint32_t *code, size_t count)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCTRACEIDR", 1},      {"TRCDEVARCH", 0x47735a13},
        {"TRCIDR0", 0x080006a1}, {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0xc0001088},
    };
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    uint8_t *bytes = malloc(count * sizeof *code);

    assert_non_null(bytes);
    memset(b, 0, sizeof *b);
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    assert_int_equal(cairn_config_new(&source, &b->config, NULL), CAIRN_OK);
    assert_int_equal(cairn_image_new(&b->image), CAIRN_OK);
    for (size_t i = 0; i < count; i++)
        cairn_store_le32(bytes + i * sizeof *code, code[i]);
    assert_int_equal(cairn_image_add_bytes(b->image, "code", &any, CAIRN_ORDER_LITTLE, CODE, bytes,
                                           count * sizeof *code, NULL),
                     CAIRN_OK);
    free(bytes);
    assert_int_equal(cairn_element_batch_new(16, &b->in), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(CAPACITY, &b->out), CAIRN_OK);
    restart(b);
}

static void end(struct bench *b)
{
    cairn_flow_batch_free(b->out);
    cairn_element_batch_free(b->in);
    cairn_flow_free(b->flow);
    cairn_image_unref(b->image);
    cairn_config_unref(b->config);
}

static struct cairn_element_data *put(struct bench *b, unsigned kind, unsigned flags)
{
    const size_t i = b->in->count++;

    b->in->offset[i] = b->offset++;
    b->in->length[i] = 1;
    b->in->kind[i] = (uint8_t)kind;
    b->in->flags[i] = (uint16_t)flags;
    memset(&b->in->data[i], 0, sizeof b->in->data[i]);
    return &b->in->data[i];
}

static void put_address(struct bench *b, uint64_t address, const struct cairn_context *context,
                        uint8_t sub_isa)
{
    struct cairn_element_data *data;

    put(b, CAIRN_ELEMENT_CONTEXT, 0)->context = *context;
    data = put(b, CAIRN_ELEMENT_TARGET_ADDRESS, 0);
    data->address = address;
    data->sub_isa = sub_isa;
}

static void put_atom(struct bench *b)
{
    put(b, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E);
}

/* Follows what was put; the batch holds what it gave. */
static void run(struct bench *b)
{
    size_t at = 0;

    b->out->count = 0;
    assert_int_equal(cairn_flow_run(b->flow, b->in, &at, b->out), CAIRN_OK);
    assert_int_equal(at, b->in->count);
    assert_true(b->out->count < CAPACITY);
    b->in->count = 0;
}

static uint64_t instructions(const struct bench *b)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < b->out->count; i++)
        if (b->out->kind[i] == CAIRN_FLOW_RANGE)
            sum += b->out->instructions[i];
    return sum;
}

static size_t count(const struct bench *b, enum cairn_flow_kind kind)
{
    size_t sum = 0;

    for (size_t i = 0; i < b->out->count; i++)
        sum += b->out->kind[i] == kind;
    return sum;
}

/* Asserts one gap, of the account "limit", at `address`. */
static void assert_limit(const struct bench *b, uint64_t address)
{
    assert_int_equal(count(b, CAIRN_FLOW_GAP), 1);
    for (size_t i = 0; i < b->out->count; i++)
        if (b->out->kind[i] == CAIRN_FLOW_GAP) {
            assert_int_equal(b->out->value[i], CAIRN_GAP_LIMIT);
            assert_int_equal(b->out->address[i], address);
        }
}

/* `size` words of `filler`, and `last` at word `at`. */
static uint32_t *words(size_t size, uint32_t filler, size_t at, uint32_t last)
{
    uint32_t *code = malloc(size * sizeof *code);

    assert_non_null(code);
    for (size_t i = 0; i < size; i++)
        code[i] = filler;
    code[at] = last;
    return code;
}

static void an_atom_walks_to_the_bound(void **unused)
{
    static const uint32_t fillers[] = {0xd503201f, 0x91000400, 0};

    (void)unused;
    for (size_t f = 0; f < sizeof fillers / sizeof fillers[0]; f++) {
        uint32_t *code = words(MOST + 1025, fillers[f], MOST, back);
        struct bench b;

        begin(&b, code, MOST + 16);
        for (int round = 0; round < 3; round++) { /* the same when it is remembered */
            put_address(&b, CODE + 4, &el1, 0);   /* 2^18 instructions, the branch among them */
            put_atom(&b);
            run(&b);
            assert_int_equal(instructions(&b), MOST);
            assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
            put_address(&b, CODE, &el1, 0); /* 2^18 + 1 */
            put_atom(&b);
            run(&b);
            assert_int_equal(instructions(&b), 0); /* nobody knows that these were executed */
            assert_limit(&b, CODE + 4ull * MOST);
            put_atom(&b); /* and the next is lost for the same reason */
            run(&b);
            assert_limit(&b, CODE + 4ull * MOST);
        }
        end(&b);
        /* the bound in the midst of code that another walk passed through */
        code[MOST] = fillers[f];
        code[MOST + 1024] = back;
        begin(&b, code, MOST + 1025);
        put_address(&b, CODE + 4 * 1025, &el1, 0);
        put_atom(&b);
        run(&b);
        assert_int_equal(instructions(&b), MOST);
        put_address(&b, CODE + 4 * 100, &el1, 0);
        put_atom(&b);
        run(&b);
        assert_int_equal(instructions(&b), 0);
        assert_limit(&b, CODE + 4ull * (MOST + 100));
        end(&b);
        free(code);
    }
}

static void an_exception_walks_to_the_bound(void **unused)
{
    uint32_t *code = words(MOST + 16, nop, MOST / 2, onward);
    struct bench b;

    (void)unused;
    begin(&b, code, MOST + 16);
    for (int more = 0; more < 2; more++) { /* the branch on the way does not begin it anew */
        put_address(&b, CODE, &el1, 0);
        put(&b, CAIRN_ELEMENT_EXCEPTION, 0)->address = CODE + 4ull * (MOST + (unsigned)more);
        run(&b);
        assert_int_equal(instructions(&b), more ? 0 : MOST);
        assert_int_equal(count(&b, CAIRN_FLOW_RANGE), more ? 0 : 2);
        assert_int_equal(count(&b, CAIRN_FLOW_EXCEPTION), 1);
        if (more)
            assert_limit(&b, CODE + 4ull * MOST);
        else
            assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
    }
    end(&b);
    free(code);
}

static void a_source_address_walks_to_the_bound(void **unused)
{
    uint32_t *code = words(MOST + 16, nop, MOST - 1, back);
    struct bench b;

    (void)unused;
    code[MOST] = back;
    begin(&b, code, MOST + 16);
    put_address(&b, CODE, &el1, 0);
    put(&b, CAIRN_ELEMENT_SOURCE_ADDRESS, 0)->address = CODE + 4ull * (MOST - 1);
    run(&b);
    assert_int_equal(instructions(&b), MOST);
    assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
    code[MOST - 1] = nop; /* the image has a copy */
    end(&b);
    begin(&b, code, MOST + 16);
    put_address(&b, CODE, &el1, 0);
    put(&b, CAIRN_ELEMENT_SOURCE_ADDRESS, 0)->address = CODE + 4ull * MOST;
    run(&b);
    assert_int_equal(instructions(&b), 0);
    assert_limit(&b, CODE + 4ull * MOST);
    end(&b);
    free(code);
}

static void a_q_walks_to_the_bound(void **unused)
{
    uint32_t *code = words(MOST + 16, nop, MOST / 2, jump);
    struct bench b;

    (void)unused;
    begin(&b, code, MOST + 16);
    for (uint64_t more = 0; more < 2; more++) {
        put_address(&b, CODE, &el1, 0);
        put(&b, CAIRN_ELEMENT_Q, 0)->value = MOST + more;
        put(&b, CAIRN_ELEMENT_TARGET_ADDRESS, 0)->address = CODE + 4 * (MOST + more);
        run(&b);
        assert_int_equal(instructions(&b), more ? 0 : MOST);
        if (more)
            assert_limit(&b, CODE + 4ull * MOST);
        else
            assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
    }
    end(&b);
    free(code);
}

/* An Exception and a Source Address pass branches that are not taken, a Q those that are. */
static void an_element_gives_so_many_ranges(void **unused)
{
    static const struct {
        unsigned kind;
        uint32_t insn;
        unsigned before; /* instructions that it executes beside those that `at` says */
    } elements[] = {
        {CAIRN_ELEMENT_EXCEPTION, 0x54000020, 0},
        {CAIRN_ELEMENT_SOURCE_ADDRESS, 0x54000020, 1},
        {CAIRN_ELEMENT_Q, 0x14000001, 0},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        uint32_t *code = words(RANGES + 16, elements[i].insn, 0, elements[i].insn);
        struct bench b;

        begin(&b, code, RANGES + 16);
        for (uint64_t more = 0; more < 2; more++) {
            const uint64_t at = RANGES + more;
            struct cairn_element_data *element;

            put_address(&b, CODE, &el1, 0);
            element = put(&b, elements[i].kind, 0);
            element->address = CODE + 4 * (at - elements[i].before);
            element->value = elements[i].kind == CAIRN_ELEMENT_Q ? at : 0;
            if (elements[i].kind == CAIRN_ELEMENT_Q)
                put(&b, CAIRN_ELEMENT_TARGET_ADDRESS, 0)->address = CODE + 4 * at;
            run(&b);
            assert_int_equal(instructions(&b), more ? 0 : RANGES);
            if (more)
                assert_limit(&b, CODE + 4ull * RANGES);
            else
                assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
        }
        end(&b);
        free(code);
    }
}

static void assert_same(const struct cairn_flow_batch *a, const struct cairn_flow_batch *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->kind, b->kind, a->count * sizeof *a->kind);
    assert_memory_equal(a->isa, b->isa, a->count * sizeof *a->isa);
    assert_memory_equal(a->flags, b->flags, a->count * sizeof *a->flags);
    assert_memory_equal(a->instructions, b->instructions, a->count * sizeof *a->instructions);
    assert_memory_equal(a->address, b->address, a->count * sizeof *a->address);
    assert_memory_equal(a->value, b->value, a->count * sizeof *a->value);
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Walks from anywhere, in both states, by Atoms and to Exceptions: with everything that was walked
 * before remembered, and by a follower that remembers nothing. */
static void walk_anywhere(uint32_t filler)
{
    enum { WORDS = 1 << 15, WALKS = 2000 };
    uint32_t *code = words(WORDS, filler, WORDS - 1, back);
    struct bench warm;
    struct bench fresh;
    uint32_t seed = 7;

    code[0] = 0;
    code[1] = back;
    code[2] = 0xe7f000f0; /* UDF in A32 */
    code[3] = 0xeafffffe;
    for (size_t i = 4; i < WORDS - 1; i++) {
        const uint32_t pick = draw(&seed) % 4096;

        /* long stretches, with now and then something undefined, a 32-bit T32 instruction across
         * the border of a stretch, or a branch */
        code[i] = pick < 4      ? onward
                  : pick < 10   ? 0
                  : pick < 1000 ? add
                  : pick < 1500 ? 0xf3af4600
                  : pick < 2000 ? 0x8000f3af
                  : pick < 2010 ? 0x4770de00
                                : filler;
    }
    begin(&warm, code, WORDS);
    begin(&fresh, code, WORDS);
    for (int i = 0; i < WALKS; i++) {
        const bool wide = i / 200 % 2; /* another context forgets what was walked */
        const uint8_t sub_isa = wide ? 0 : draw(&seed) % 2;
        const uint64_t step = sub_isa ? 2 : 4;
        const uint64_t at = CODE + 16 + draw(&seed) % (WORDS * 4 / step - 16) * step;
        const bool atom = draw(&seed) % 2;
        const uint64_t to = at + draw(&seed) % 40000 / step * step;
        struct bench *const both[] = {&warm, &fresh};

        restart(&fresh);
        if (i % 100 == 0)
            restart(&warm);
        for (int k = 0; k < 2; k++) {
            /* one undefined instruction, so that both tell the next */
            put_address(both[k], CODE + (wide ? 0 : 8), wide ? &el1 : &el1_32, 0);
            put_atom(both[k]);
            put_address(both[k], at, wide ? &el1 : &el1_32, sub_isa);
            run(both[k]);
            if (atom)
                put_atom(both[k]);
            else
                put(both[k], CAIRN_ELEMENT_EXCEPTION, 0)->address = to;
            run(both[k]);
        }
        assert_same(warm.out, fresh.out);
    }
    end(&warm);
    end(&fresh);
    free(code);
}

static void what_is_remembered_changes_nothing(void **unused)
{
    (void)unused;
    walk_anywhere(nop);
    walk_anywhere(add); /* two T32 instructions that are plain as well */
}

/* An exception at `address` on the way from `start`, in `context`; what was walked before it. */
static uint64_t walked_before(struct bench *b, const struct cairn_context *context, uint8_t sub_isa,
                              uint64_t start, uint64_t address)
{
    struct cairn_element_data *data;

    put_address(b, start, context, sub_isa);
    data = put(b, CAIRN_ELEMENT_EXCEPTION, 0);
    data->address = address;
    data->sub_isa = sub_isa;
    run(b);
    return instructions(b);
}

/* The same way, in other memory, by other instructions, from or to elsewhere, is another one: DDI0608 D2.2.2 has it
 * executed as the image and the context of that moment say. */
static void the_way_to_an_exception_is_that_of_its_moment(void **unused)
{
    enum { MIXED = 0xbf00bf00, SIZE = 64 }; /* as A32 one instruction, as T32 two NOPs */
    static const uint8_t other[] = {0x1f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17, /* NOP, B */
                                    0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5};
    static const uint32_t mixed[] = {MIXED, MIXED, MIXED};
    const struct cairn_context el0 = {.EL = 0, .security = CAIRN_NONSECURE, .SF = 1};
    struct cairn_scope at_el0 = cairn_scope_any();
    uint32_t *code = words(SIZE, nop, 1, add);
    struct bench b;

    (void)unused;
    at_el0.el_mask = 1;
    begin(&b, code, SIZE);
    assert_int_equal(cairn_image_add_bytes(b.image, "other", &at_el0, CAIRN_ORDER_LITTLE, CODE,
                                           other, sizeof other, NULL),
                     CAIRN_OK);
    restart(&b);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(walked_before(&b, &el1, 0, CODE, CODE + 12), 3);
        assert_int_equal(count(&b, CAIRN_FLOW_GAP), 0);
        assert_int_equal(walked_before(&b, &el0, 0, CODE, CODE + 12), 0);
        assert_int_equal(count(&b, CAIRN_FLOW_GAP),
                         1); /* over a branch that cannot be N (D2.2.3) */
        for (uint64_t to = 0; to <= SIZE; to++)
            for (uint64_t from = 0; from <= to; from++)
                assert_int_equal(walked_before(&b, &el1, 0, CODE + 4 * from, CODE + 4 * to),
                                 to - from);
        assert_int_equal(walked_before(&b, &el1, 0, CODE, CODE + 6), 0); /* inside an instruction */
        assert_int_equal(count(&b, CAIRN_FLOW_GAP), 1);
    }
    end(&b);
    free(code);
    begin(&b, mixed, 3);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(walked_before(&b, &el1_32, 0, CODE, CODE + 8), 2);
        assert_int_equal(walked_before(&b, &el1_32, 1, CODE, CODE + 8), 4);
    }
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_atom_walks_to_the_bound),
        cmocka_unit_test(an_exception_walks_to_the_bound),
        cmocka_unit_test(a_source_address_walks_to_the_bound),
        cmocka_unit_test(a_q_walks_to_the_bound),
        cmocka_unit_test(an_element_gives_so_many_ranges),
        cmocka_unit_test(what_is_remembered_changes_nothing),
        cmocka_unit_test(the_way_to_an_exception_is_that_of_its_moment),
    };

    return cmocka_run_group_tests_name("walks", tests, NULL, NULL);
}
