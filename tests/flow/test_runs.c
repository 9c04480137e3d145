/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs from one address to a source that may be any instruction (MTB), and the engine with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

enum {
    EXCEPTION = CAIRN_ELEMENT_EXCEPTION,
    SOURCE = CAIRN_ELEMENT_SOURCE_ADDRESS,
    ANY_EXCEPTION = 0xffff,
    BASE = 0x100,
};

static const struct cairn_follow_rules mtb = {
    .any_source = true, .return_packets = true, .m_profile = true};

static const uint16_t code[] = {
    /* 100 */ 0xbf00, /* NOP */
    /* 102 */ 0xd001, /* BEQ 108 */
    /* 104 */ 0xbf00,
    /* 106 */ 0xe7fb,         /* B 100 */
    /* 108 */ 0xf3bf, 0x8f6f, /* ISB */
    /* 10c */ 0x4770,         /* BX LR */
    /* 10e */ 0xbf08,         /* IT EQ */
    /* 110 */ 0x4770,         /* BXEQ LR */
    /* 112 */ 0xbf00,
    /* 114 */ 0x4718, /* BX r3 */
};

static void begin(struct bench *b)
{
    struct cairn_arch arch;

    assert_int_equal(cairn_arch_from_name("Cortex-M3", &arch), CAIRN_OK);
    bench_begin(b, &arch, &mtb, BASE, BENCH_CODE(code));
}

static void put_branch(struct bench *b, uint64_t source, uint64_t destination)
{
    bench_put(b, SOURCE, 0, source | 1, 0);
    bench_address(b, destination | 1);
}

static void a_run_passes_what_may_fail(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x101);
    put_branch(&b, 0x106, 0x100);
    put_branch(&b, 0x102, 0x108);
    put_branch(&b, 0x10c, 0x112); /* ISB on the way is no end of a range */
    put_branch(&b, 0x114, 0x104);
    /* proves: MTB-2.3.1-q, MTB-2.3.1-i, MTB-2.3.1-r */
    bench_expect(&b, "range 100 104 2 N\n"
                     "range 104 108 2 E\n"
                     "range 100 104 2 E\n"
                     "range 108 10e 2 E\n"
                     "range 112 116 2 E\n");
    bench_end(&b);
}

static void a_run_does_not_pass_what_cannot_fail(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x105);
    put_branch(&b, 0x10c, 0x112); /* B 100 on the way */
    put_branch(&b, 0x114, 0x104);
    bench_put(&b, EXCEPTION, 0, 0x10d, ANY_EXCEPTION); /* the same */
    bench_address(&b, 0x113);
    put_branch(&b, 0x114, 0x104);
    /* proves: MTB-2.3.1-r */
    bench_expect(&b, "range 104 108 2 -\n"
                     "gap inconsistent 106\n"
                     "range 112 116 2 E first\n"
                     "range 104 108 2 -\n"
                     "gap inconsistent 106\n"
                     "exception 65535 10c\n"
                     "range 112 116 2 E first\n");
    bench_end(&b);
}

static void a_source_may_be_any_instruction(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x101);
    put_branch(&b, 0x104, 0x106);
    put_branch(&b, 0x106, 0x100);
    put_branch(&b, 0x102, 0x108);
    put_branch(&b, 0x108, 0x10c); /* ISB */
    put_branch(&b, 0x10c, 0x112);
    /* proves: MTB-2.3.1-c */
    bench_expect(&b, "range 100 104 2 N\n"
                     "range 104 106 1 -\n"
                     "range 106 108 1 E\n"
                     "range 100 104 2 E\n"
                     "range 108 10c 1 -\n"
                     "range 10c 10e 1 E\n");
    bench_start(&b, 0x105);
    put_branch(&b, 0x104, 0x10c); /* not where a NOP leads */
    put_branch(&b, 0x10c, 0x100);
    put_branch(&b, 0x106, 0x112); /* nor this branch */
    /* proves: MTB-2.3.1-s */
    bench_expect(&b, "range 104 106 1 -\n"
                     "warning mismatch 10c\n"
                     "range 10c 10e 1 E\n"
                     "range 100 104 2 N\n"
                     "range 104 108 2 E\n"
                     "warning mismatch 112\n");
    bench_end(&b);
}

static void an_it_block_lets_a_branch_fail(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x10f);
    put_branch(&b, 0x114, 0x10e);
    put_branch(&b, 0x10e, 0x110); /* IT alone, and the block goes on behind it */
    put_branch(&b, 0x114, 0x110); /* not from the block's beginning */
    put_branch(&b, 0x114, 0x110);
    bench_expect(&b, "range 10e 112 2 N\n"
                     "range 112 116 2 E\n"
                     "range 10e 110 1 -\n"
                     "range 110 112 1 N\n"
                     "range 112 116 2 E\n"
                     "range 110 112 1 -\n"
                     "gap inconsistent 110\n");
    /* The block does not go on anywhere else. */
    bench_start(&b, 0x10f);
    put_branch(&b, 0x10e, 0x106);
    put_branch(&b, 0x10c, 0x100);
    bench_expect(&b, "range 10e 110 1 -\n"
                     "warning mismatch 106\n"
                     "range 106 108 1 -\n"
                     "gap inconsistent 106\n");
    bench_start(&b, 0x10f);
    bench_put(&b, EXCEPTION, 0, 0x111, ANY_EXCEPTION); /* in the block */
    bench_address(&b, 0x107);
    put_branch(&b, 0x10c, 0x100);
    bench_expect(&b, "range 10e 110 1 -\n"
                     "exception 65535 110\n"
                     "range 106 108 1 - first\n"
                     "gap inconsistent 106\n");
    bench_end(&b);
}

static void code_that_was_interrupted_may_be_in_an_it_block(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x10d);
    bench_put(&b, SOURCE, 0, 0x10d, 0);
    bench_put(&b, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, 0, 0);
    bench_address(&b, 0x111);
    put_branch(&b, 0x114, 0x10c);
    bench_put(&b, SOURCE, 0, 0x10d, 0);
    bench_put(&b, CAIRN_ELEMENT_EXCEPTION_RETURN, 0, 0, 0);
    bench_address(&b, 0x101);
    put_branch(&b, 0x114, 0x100); /* the fourth instruction is a B, the sixth BX LR */
    bench_expect(&b, "range 10c 10e 1 E\n"
                     "return 10e\n"
                     "range 110 112 1 N first\n"
                     "range 112 116 2 E\n"
                     "range 10c 10e 1 E\n"
                     "return 10e\n"
                     "range 100 104 2 N first\n"
                     "range 104 108 2 N\n"
                     "range 108 10e 2 -\n"
                     "gap inconsistent 10c\n");
    bench_end(&b);
}

static void an_exception_ends_a_run(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    bench_start(&b, 0x101);
    bench_put(&b, EXCEPTION, 0, 0x105, ANY_EXCEPTION);
    bench_address(&b, 0x113);
    put_branch(&b, 0x114, 0x104);
    bench_put(&b, EXCEPTION, 0, 0x105, ANY_EXCEPTION); /* before anything is executed */
    bench_address(&b, 0x109);
    put_branch(&b, 0x10c, 0x104);
    /* proves: MTB-2.3.1-q, MTB-2.3.1-l */
    bench_expect(&b, "range 100 104 2 N\n"
                     "exception 65535 104\n"
                     "range 112 116 2 E first\n"
                     "exception 65535 104\n"
                     "range 108 10e 2 E first\n");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_passes_what_may_fail),
        cmocka_unit_test(a_run_does_not_pass_what_cannot_fail),
        cmocka_unit_test(a_source_may_be_any_instruction),
        cmocka_unit_test(an_it_block_lets_a_branch_fail),
        cmocka_unit_test(code_that_was_interrupted_may_be_in_an_it_block),
        cmocka_unit_test(an_exception_ends_a_run),
    };

    return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
