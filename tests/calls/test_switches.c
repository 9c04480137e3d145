/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that take turns in one context: tasks that a handler switches between. */
#include "stack_bench.h"

enum { IRQ = 6, PENDSV = 14 };

/* An exception at an address, whose handler returns to another one. */
static void turn(struct stack_bench *bench, uint32_t type, uint64_t from, uint64_t to)
{
    assert_int_equal(cairn_stacks_except(&bench->stacks, bench->thread, from, type), CAIRN_OK);
    go(bench, CAIRN_WAY_EXCEPTION, from, START('h'));
    go(bench, CAIRN_WAY_ERET, START('h') + 8, to);
}

static void begin_m(struct stack_bench *bench)
{
    begin(bench);
    bench->stacks.is_m_profile = true;
    go(bench, CAIRN_WAY_ON, 0, START('m'));
}

/* Each task has its calls, wherever it was interrupted: in the midst of a function, and in front of its first
 * instruction. */
static void turns(struct stack_bench *bench)
{
    call(bench, START('m'), START('f'));
    turn(bench, IRQ, START('f') + 0x10, START('t'));
    check(bench, "=m0 +f1 *h2 -h2 +t0'1");
    call(bench, START('t') + 8, START('g'));
    turn(bench, IRQ, START('g'), START('f') + 0x10);
    back(bench, START('m') + 4);
    check(bench, "+g1'1 *h2'1 -h2'1 -f1");
    assert_int_equal(bench->took[F('f')],
                     30); /* 10 each: the handler's two steps, and that which returns */
    turn(bench, IRQ, START('m') + 0x20, START('g'));
    back(bench, START('t') + 12);
    check(bench, "*h1 -h1 -g1'1");
    assert_int_equal(bench->took[F('g')], 30);
    turn(bench, IRQ, START('t') + 0x10, START('t') + 0x10); /* one that switches nothing */
    finish(bench, "*h1'1 -h1'1 .m0 .t0'1");
}

static void take_turns(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin_m(&bench);
    turns(&bench);
    begin(&bench); /* A profile, at EL1 */
    bench.stacks.EL = 1;
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    turns(&bench);
}

/* Where a program may have signals, a return to a function is to a handler of one, unless a stack was interrupted there. */
static void signals_and_tasks(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    turn(&bench, IRQ, START('m') + 0x20, START('k') + 0x10);
    call(&bench, START('k') + 0x10, START('g'));
    turn(&bench, IRQ, START('g'), START('m') + 0x20);
    check(&bench, "=m0 *h1 -h1 =k0'1 +g1'1 *h2'1 -h2'1");
    turn(&bench, IRQ, START('m') + 0x30, START('g'));
    check(&bench, "*h1 -h1");
    turn(&bench, IRQ, START('g') + 4, START('d'));
    turn(&bench, IRQ, START('d') + 4, START('g') + 4);
    finish(&bench, "*h2'1 -h2'1 $d2'1 *h3'1 ~h3'1 -d2'1 .m0 .g1'1 .k0'1");
}

/* Both tasks wait in y, which w has called: f in the one, g in the other. */
static void wait_in_y(struct stack_bench *bench)
{
    begin_m(bench);
    call(bench, START('m'), START('f'));
    call(bench, START('f') + 0x10, START('w'));
    call(bench, START('w') + 0x10, START('y'));
    turn(bench, PENDSV, START('y') + 0x10, START('t'));
    call(bench, START('t'), START('g'));
    call(bench, START('g') + 0x10, START('w'));
    call(bench, START('w') + 0x10, START('y'));
    bench->told[0] = '\0';
}

/* It is taken for the one that it is: what that returned from in doubt is cut, and no more. */
static void doubt_that_ends(void **state)
{
    struct stack_bench bench;

    (void)state;
    wait_in_y(&bench);
    turn(&bench, PENDSV, START('y') + 0x10, START('y') + 0x10);
    back(&bench, START('w') + 0x14);
    call(&bench, START('w') + 0x14, START('v')); /* it does more, which is known */
    back(&bench, START('w') + 0x18);
    check(&bench, "*h4'1 -h4'1 |y3 +v3 -v3");
    back(&bench, START('f') + 0x14);
    check(&bench, "-w2");
    /* 10 each: up to the call of y, and to the exception; its handler; and the four steps behind it */
    assert_int_equal(bench.took[F('w')], 70);
    back(&bench, START('m') + 4);
    check(&bench, "-f1");
    turn(&bench, PENDSV, START('m') + 0x20, START('y') + 0x10);
    back(&bench, START('w') + 0x14);
    back(&bench, START('g') + 0x14);
    check(&bench, "*h1 -h1 -y3'1 -w2'1");
    assert_int_equal(bench.took[F('w')], 50);
    finish(&bench, ".m0 .g1'1 .t0'1");
}

/* It is taken for the other one, of which y was never left: what it returns to shows it. */
static void doubt_that_was_right(void **state)
{
    struct stack_bench bench;

    (void)state;
    wait_in_y(&bench);
    turn(&bench, IRQ, START('y') + 0x10, START('y') + 0x10);
    check(&bench, "*h4'1 -h4'1");
    back(&bench, START('w') + 0x14);
    check(&bench, "|y3'1");
    back(&bench, START('f') + 0x14);
    check(&bench, "^y3'1 |y3 -w2");
    assert_int_equal(bench.took[F('w')], 50); /* with what was executed in the other's place */
    turn(&bench, IRQ, START('f') + 0x20, START('y') + 0x10);
    back(&bench, START('w') + 0x14);
    back(&bench, START('g') + 0x14);
    check(&bench, "*h2 -h2 |y3'1 -w2'1");
    assert_int_equal(bench.took[F('w')], 50); /* and without it */
    finish(&bench, ".f1 .m0 .g1'1 .t0'1");
}

/* Nothing tells two tasks of one function apart. */
static void doubt_that_stays(void **state)
{
    struct cairn_call_target to = {.function = F('t'), .is_plain = true};
    struct stack_bench bench;
    cairn_status status = CAIRN_OK;

    (void)state;
    begin_m(&bench);
    turn(&bench, IRQ, START('m') + 4, START('t'));
    call(&bench, START('t') + 8, START('y'));
    turn(&bench, PENDSV, START('y') + 0x10, START('t'));
    call(&bench, START('t') + 8, START('y'));
    bench.told[0] = '\0';
    turn(&bench, PENDSV, START('y') + 0x10, START('y') + 0x10);
    check(&bench, "*h2'2 -h2'2");
    /* nor is it done at once */
    assert_false(cairn_go_plainly(&bench.stacks, bench.thread, START('t') + 12, 0, 0,
                                  CAIRN_WAY_RETURN, to, &status));
    back(&bench, START('t') + 12);
    call(&bench, START('t') + 16, START('g')); /* calls from here on are its own, */
    back(&bench, START('t') + 20);
    check(&bench, "|y1'1 +g1'1 -g1'1");
    turn(&bench, PENDSV, START('t') + 24, START('m') + 4);
    turn(&bench, PENDSV, START('m') + 8, START('t') + 24);
    back(&bench, START('q')); /* but when it began is not known any more */
    finish(&bench, "*h1'1 -h1'1 *h1 -h1 |t0'1 =q0'1 .m0 .q0'1 .y1'2 .t0'2");
}

/* Three at one place: what they return to leaves two, and then one. */
static void doubt_of_three(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin_m(&bench);
    for (unsigned i = 0; i < 3; i++) {
        call(&bench, START('j') + 0x10 * i, START(i ? 'g' : 'f'));
        call(&bench, START(i ? 'g' : 'f') + 0x10, START('y'));
        turn(&bench, IRQ, START('y') + 0x10, i < 2 ? START('t') : START('y') + 0x10);
    }
    bench.told[0] = '\0';
    back(&bench, START('f') + 0x14); /* the first one's, and the third is where it was */
    check(&bench, "-y2");
    turn(&bench, IRQ, START('f') + 0x20, START('y') + 0x10); /* one of two */
    back(&bench, START('g') + 0x14);
    check(&bench, "*h2 -h2 |y2'1");
    back(&bench, START('j') + 0x24); /* where the third one called g */
    check(&bench, "^y2'1 |y2'2 -g1'2");
    finish(&bench, ".f1 .m0 .y2'1 .g1'1 .t0'1 .t0'2");
}

/* Behind a gap any of them may have executed. */
static void turns_behind_a_gap(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin_m(&bench);
    call(&bench, START('m'), START('f'));
    turn(&bench, IRQ, START('f') + 0x10, START('t'));
    bench.told[0] = '\0';
    bench.stacks.gaps = bench.thread->gaps = 1;
    bench.stacks.gap_account = CAIRN_GAP_OVERFLOW;
    turn(&bench, IRQ, START('t') + 0x10, START('f') + 0x10);
    check(&bench, "*h1'1 -h1'1 !f1 !m0 # =f0");
    back(&bench, START('m') + 4);
    check(&bench, "-f0 ^m0");
    /* nor are there more stacks with each gap */
    bench.stacks.gaps = bench.thread->gaps = 2;
    turn(&bench, IRQ, START('m') + 0x10, START('k'));
    assert_int_equal(bench.threads.count, 2);
    finish(&bench, "*h1 -h1 !t0'1 # +k0'1 .m0 .k0'1");
}

/* A return to what another stack called: it was that one, which had gone on unseen. */
static void found_by_a_return(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin_m(&bench);
    call(&bench, START('m'), START('f'));
    turn(&bench, IRQ, START('f') + 0x10, START('k') + 0x40);
    back(&bench, START('m') + 4);
    check(&bench, "=m0 +f1 *h2 -h2 =k0'1 -k0'1 |f1");
    /* the stack that was none is another one's next time */
    turn(&bench, IRQ, START('m') + 0x10, START('t'));
    finish(&bench, "*h1 -h1 +t0'1 .m0 .t0'1");
}

/* A handler that passes over what failed stays in the function; what is far in it may be another task's. */
static void mended(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin_m(&bench);
    call(&bench, START('m'), START('f'));
    turn(&bench, IRQ, START('f') + 0x10, START('f') + 0x14);
    back(&bench, START('m') + 4);
    check(&bench, "=m0 +f1 *h2 -h2 -f1");
    call(&bench, START('m') + 8, START('f'));
    turn(&bench, IRQ, START('f') + 0x10, START('f') + 0x80);
    call(&bench, START('f') + 0x80, START('g'));
    back(&bench, START('f') + 0x84);
    back(&bench, START('m') + 12);
    finish(&bench, "+f1 *h2 -h2 +g2 -g2 |f1 .m0");
}

/* Nobody calls the midst of a function: a branch there that goes into none of the stack's is to another one. */
static void jumps_to_another_stack(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    call(&bench, START('f'), START('x'));
    bench.told[0] = '\0';
    go(&bench, CAIRN_WAY_JUMP, START('x') + 8, START('g') + 0x10);
    check(&bench, "|x2 |f1 |m0 # =g0");
    call(&bench, START('g') + 0x10, START('x'));
    go(&bench, CAIRN_WAY_JUMP, START('x') + 8, START('f') + 4); /* where the first one called x */
    check(&bench, "+x1 -x1 -g0 ^m0 ^f1");
    go(&bench, CAIRN_WAY_JUMP, START('f') + 8,
       START('n') + 0x10); /* code without symbols may be called anywhere */
    go(&bench, CAIRN_WAY_JUMP, START('n') + 0x18, START('g') + 4); /* and a stub in front of it */
    finish(&bench, ">f1 &g1 .g1 .m0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_turns),
        cmocka_unit_test(signals_and_tasks),
        cmocka_unit_test(doubt_that_ends),
        cmocka_unit_test(doubt_that_was_right),
        cmocka_unit_test(doubt_that_stays),
        cmocka_unit_test(doubt_of_three),
        cmocka_unit_test(turns_behind_a_gap),
        cmocka_unit_test(found_by_a_return),
        cmocka_unit_test(mended),
        cmocka_unit_test(jumps_to_another_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
