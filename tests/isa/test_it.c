/* SPDX-License-Identifier: BSD-2-Clause */
/* IT blocks, condition by condition: DDI0487 F1 "ITSTATE" and the worked rows of its table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

enum { EQ = 0, NE = 1, GE = 10, LT = 11, AL = CAIRN_COND_AL };

/* The conditions of a block, then AL. */
static void expect_block(uint32_t it, const unsigned *conditions, size_t count)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_insn insn = vector_decode(&any, CAIRN_ISA_T32, 0, it, 2);
    uint8_t state = insn.it;

    assert_int_equal(insn.kind, CAIRN_INSN_OTHER);
    assert_int_equal(insn.flags, CAIRN_INSN_IT);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(state & 0xf, 0);
        assert_int_equal(cairn_it_condition(state), conditions[i]);
        state = cairn_it_advance(state);
    }
    assert_int_equal(state, 0);
    assert_int_equal(cairn_it_condition(state), AL);
    assert_int_equal(cairn_it_advance(state), 0);
}

static void blocks(void **state)
{
    (void)state;
    expect_block(0xbf08, (const unsigned[]){EQ}, 1);             /* IT EQ */
    expect_block(0xbf18, (const unsigned[]){NE}, 1);             /* IT NE */
    expect_block(0xbf04, (const unsigned[]){EQ, EQ}, 2);         /* ITT EQ */
    expect_block(0xbf0c, (const unsigned[]){EQ, NE}, 2);         /* ITE EQ */
    expect_block(0xbf14, (const unsigned[]){NE, EQ}, 2);         /* ITE NE */
    expect_block(0xbfb5, (const unsigned[]){LT, GE, LT, GE}, 4); /* ITETE LT */
    expect_block(0xbfa1, (const unsigned[]){GE, GE, GE, GE}, 4); /* ITTTT GE */
    expect_block(0xbfaf, (const unsigned[]){GE, LT, LT, LT}, 4); /* ITEEE GE */
    expect_block(0xbfe8, (const unsigned[]){AL}, 1);             /* IT AL */
    expect_block(0xbfe2, (const unsigned[]){AL, AL, AL}, 3);     /* ITTT AL */
}

/* Hints are IT's neighbours with a zero mask. Without Thumb-2 there is no IT. */
static void not_it(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch v6m = {.profile = CAIRN_PROFILE_M, .major = 6};

    (void)state;
    for (uint32_t hint = 0; hint < 16; hint++) {
        const struct cairn_insn insn = vector_decode(&any, CAIRN_ISA_T32, 0, 0xbf00 | hint << 4, 2);
        assert_int_equal(insn.flags, 0);
        assert_int_equal(insn.it, 0);
    }
    assert_int_equal(vector_decode(&v6m, CAIRN_ISA_T32, 0, 0xbf08, 2).it, 0);
    assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, 0xd0fe, 2).it, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks), cmocka_unit_test(not_it)};

    return cmocka_run_group_tests_name("isa: IT", tests, NULL, NULL);
}
