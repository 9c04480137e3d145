/* SPDX-License-Identifier: BSD-2-Clause */
/* What control does to a stack, step by step: each case says where it goes and what must be told. */
#include "stack_bench.h"

static void except(struct stack_bench *bench, uint64_t to_return_to, uint64_t handler)
{
    assert_int_equal(cairn_stacks_except(&bench->stacks, bench->thread, to_return_to, 6), CAIRN_OK);
    if (handler)
        go(bench, CAIRN_WAY_EXCEPTION, to_return_to, handler);
}

static void calls_and_returns(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m') + 0x20); /* the trace begins in m */
    call(&bench, START('m') + 0x20, START('f'));
    call(&bench, START('f') + 0x10, START('f')); /* recursion */
    call(&bench, START('f') + 0x10, START('g'));
    back(&bench, START('f') + 0x14);
    back(&bench, START('f') + 0x14);
    check(&bench, "=m0 +f1 +f2 +g3 -g3 -f2");
    back(&bench, START('m') + 0x24);
    back(&bench, START('k') + 0x10); /* to a caller that was not seen */
    check(&bench, "-f1 -m0 =k0");
    call(&bench, START('k') + 0x10, START('f'));
    finish(&bench, "+f1 .f1 .k0");
}

static void tail_calls(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    go(&bench, CAIRN_WAY_JUMP, START('f') + 8, START('g'));
    go(&bench, CAIRN_WAY_JUMP, START('g') + 8, START('g')); /* to itself: a loop */
    back(&bench, START('m') + 4);
    check(&bench, "=m0 +f1 >f1 &g1 -g1");
    /* a stub is what it jumps to, and so is one that has no symbol */
    call(&bench, START('m') + 8, START('p'));
    go(&bench, CAIRN_WAY_JUMP, START('p') + 8, START('g'));
    back(&bench, START('m') + 12);
    call(&bench, START('m') + 8, START('n') + 0x30);
    go(&bench, CAIRN_WAY_JUMP, START('n') + 0x38, START('h'));
    back(&bench, START('m') + 12);
    check(&bench, "+g1 -g1 +h1 -h1");
    /* what the compiler moved out of a function is that function */
    call(&bench, START('m') + 16, START('b'));
    go(&bench, CAIRN_WAY_JUMP, START('b') + 4, START('c'));
    call(&bench, START('c') + 4, START('f'));
    back(&bench, START('c') + 8);
    go(&bench, CAIRN_WAY_JUMP, START('c') + 12, START('b') + 0x40);
    back(&bench, START('m') + 20);
    check(&bench, "+b1 +f2 -f2 -b1");
    /* nor is a label of assembly another function, unless it is called */
    call(&bench, START('m') + 24, START('f'));
    go(&bench, CAIRN_WAY_DIRECT, START('f') + 4, START('l'));
    call(&bench, START('l') + 4, START('l'));
    back(&bench, START('l') + 8);
    go(&bench, CAIRN_WAY_DIRECT, START('l') + 8, START('g')); /* to a function */
    back(&bench, START('m') + 28);
    finish(&bench, "+f1 +l2 -l2 >f1 &g1 -g1 .m0");
}

static void longjmp_and_unwinding(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    /* setjmp in the second of three levels of r */
    call(&bench, START('m'), START('r'));
    call(&bench, START('r') + 0x10, START('r'));
    call(&bench, START('r') + 0x20, START('s'));
    back(&bench, START('r') + 0x24);
    call(&bench, START('r') + 0x10, START('r'));
    call(&bench, START('r') + 0x30, START('j'));
    bench.told[0] = '\0';
    go(&bench, CAIRN_WAY_JUMP, START('j') + 8, START('r') + 0x24); /* longjmp: BR X30 */
    check(&bench, "~j4 ~r3");
    back(&bench, START('r') + 0x14);
    back(&bench, START('m') + 4);
    check(&bench, "-r2 -r1");
    /* the same by a return: BX LR */
    call(&bench, START('m') + 0x20, START('s'));
    back(&bench, START('m') + 0x24);
    call(&bench, START('m') + 0x30, START('f'));
    call(&bench, START('f'), START('j'));
    back(&bench, START('m') + 0x24);
    check(&bench, "+s1 -s1 +f1 +j2 ~j2 ~f1");
    /* a C++ exception: from the unwinder into the midst of g, then of f */
    call(&bench, START('m') + 0x40, START('f'));
    call(&bench, START('f'), START('g'));
    call(&bench, START('g'), START('t'));
    call(&bench, START('t'), START('u'));
    bench.told[0] = '\0';
    go(&bench, CAIRN_WAY_JUMP, START('u') + 0x80, START('g') + 0x100);
    call(&bench, START('g') + 0x104, START('u')); /* _Unwind_Resume */
    go(&bench, CAIRN_WAY_JUMP, START('u') + 0x80, START('f') + 0x100);
    back(&bench, START('m') + 0x44);
    check(&bench, "~u4 ~t3 +u3 ~u3 ~g2 -f1");
    /* which goes from level to level of a recursive one */
    call(&bench, START('m') + 0x60, START('f'));
    call(&bench, START('f'), START('f'));
    call(&bench, START('f'), START('t'));
    go(&bench, CAIRN_WAY_JUMP, START('t') + 0x80, START('f') + 0x100);
    call(&bench, START('f') + 0x104, START('q'));
    go(&bench, CAIRN_WAY_JUMP, START('q') + 0x80, START('f') + 0x100);
    back(&bench, START('m') + 0x64);
    check(&bench, "+f1 +f2 +t3 ~t3 +q3 ~q3 ~f2 -f1");
    /* a return to a caller's caller ends what is between */
    call(&bench, START('m') + 0x50, START('f'));
    call(&bench, START('f'), START('g'));
    back(&bench, START('m') + 0x54);
    finish(&bench, "+f1 +g2 ~g2 -f1 .m0");
}

/* A program's tables: an exception that passes the call at f + 0x40 lands at f + 0x200, and no other. */
static bool lands(void *context, uint64_t site, uint64_t *landing)
{
    (void)context;
    *landing = site >= START('f') + 0x40 && site < START('f') + 0x44 ? START('f') + 0x200 : 0;
    return site >> 12 != F('g'); /* of g nothing is known */
}

/* From the unwinder u, or what has no memory, to where exceptions land. */
static void land_by(struct stack_bench *bench, enum cairn_call_way way, uint64_t site, uint64_t to)
{
    const struct cairn_call_step step = {
        .address = to,
        .site = site,
        .behind = site + 4,
        .function = (uint32_t)(to >> 12),
        .way = (uint8_t)way,
        .lands = true,
    };

    assert_int_equal(cairn_stacks_go(&bench->stacks, bench->thread, &step), CAIRN_OK);
}

static void land(struct stack_bench *bench, uint64_t to)
{
    land_by(bench, CAIRN_WAY_JUMP, START('u') + 0x80, to);
}

static void caught_in_a_recursion(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    bench.stacks.lands = lands;
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    call(&bench, START('f') + 0x10, START('f'));
    call(&bench, START('f') + 0x40, START('f')); /* the one that catches */
    call(&bench, START('f') + 0x10, START('g'));
    call(&bench, START('g') + 0x10, START('f'));
    call(&bench, START('f') + 0x10, START('u'));
    bench.told[0] = '\0';
    land(&bench, START('f') + 0x200);
    check(&bench, "~u6 ~f5 ~g4 ~f3");
    call(&bench, START('f') + 0x204, START('t'));
    back(&bench, START('f') + 0x208);
    back(&bench, START('f') + 0x14);
    back(&bench, START('m') + 4);
    check(&bench, "+t3 -t3 -f2 -f1");
    /* where no call of the stack leads there, to the topmost one of the function */
    call(&bench, START('m'), START('f'));
    call(&bench, START('f') + 0x10, START('f'));
    call(&bench, START('f') + 0x10, START('u'));
    bench.told[0] = '\0';
    land(&bench, START('f') + 0x200);
    check(&bench, "~u3");
    finish(&bench, ".f2 .f1 .m0");
}

/* Where exceptions land is right behind a call that never comes back, and the unwinder goes there by a return. */
static void caught_behind_a_throw(void **state)
{
    const struct cairn_call_target pad = {.function = F('f'), .lands = true, .is_plain = true};
    struct stack_bench bench;
    cairn_status status = CAIRN_OK;

    (void)state;
    begin(&bench);
    bench.stacks.lands = lands;
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    call(&bench, START('f') + 0x40, START('f')); /* the one that catches */
    call(&bench, START('f') + 0x1fc, START('t'));
    bench.told[0] = '\0';
    assert_false(cairn_go_plainly(&bench.stacks, bench.thread, START('f') + 0x200, 0, 0,
                                  CAIRN_WAY_RETURN, pad, &status));
    call(&bench, START('t'), START('u'));
    land_by(&bench, CAIRN_WAY_RETURN, START('u') + 0x80, START('f') + 0x200);
    check(&bench, "+u4 ~u4 ~t3 ~f2");
    /* there is no memory of what throws and unwinds */
    call(&bench, START('f') + 0x40, START('f'));
    bench.told[0] = '\0';
    bench.thread->called = true;
    bench.thread->account = CAIRN_GAP_NO_IMAGE;
    land_by(&bench, CAIRN_WAY_AWAY, START('f') + 0x1fc, START('f') + 0x200);
    check(&bench, "~f2");
    /* and the call that leads there is of the frame that throws */
    bench.thread->called = true;
    bench.thread->account = CAIRN_GAP_NO_IMAGE;
    land_by(&bench, CAIRN_WAY_AWAY, START('f') + 0x40, START('f') + 0x200);
    check(&bench, "");
    finish(&bench, ".f1 .m0");
}

static void exceptions(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    bench.stacks.EL = 1;
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    /* an interrupt, through a vector that jumps to the handler, and another one inside of it */
    except(&bench, START('m') + 0x40, START('v') + 0x80);
    go(&bench, CAIRN_WAY_JUMP, START('v') + 0x84, START('i'));
    call(&bench, START('i') + 8, START('f'));
    except(&bench, START('f') + 0x10, START('h'));
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('f') + 0x10);
    back(&bench, START('i') + 12);
    go(&bench, CAIRN_WAY_ERET, START('i') + 0x20, START('m') + 0x40);
    check(&bench, "=m0 *i1 +f2 *h3 -h3 -f2 -i1");
    /* a system call that is begun again */
    except(&bench, START('m') + 0x54, START('h'));
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('m') + 0x50);
    check(&bench, "*h1 -h1");
    /* a kernel delivers a signal, whose handler ends in sigreturn */
    except(&bench, START('m') + 0x60, START('h'));
    bench.stacks.EL = 0;
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('d'));
    call(&bench, START('d') + 8, START('f'));
    back(&bench, START('d') + 12);
    back(&bench, START('t'));
    except(&bench, START('t') + 8, START('h'));
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('m') + 0x60);
    check(&bench, "*h1 -h1 $d1 +f2 -f2 *h2 ~h2 -d1");
    /* of the M profile another exception comes in place of the return, of which an MTB has nothing */
    bench.stacks.is_m_profile = bench.stacks.misses_exceptions = true;
    except(&bench, START('m') + 0x70, START('h'));
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('i'));
    go(&bench, CAIRN_WAY_ERET, START('i') + 8, START('m') + 0x70);
    finish(&bench, "*h1 -h1 *i1 -i1 .m0");
}

/* Of a program that is traced without its kernel. */
static void signals(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    except(&bench, START('m') + 4, 0); /* a system call */
    go(&bench, CAIRN_WAY_AWAY, 0, START('m') + 4);
    check(&bench, "=m0 *?1 -?1");
    except(&bench, START('m') + 0x20, 0);
    go(&bench, CAIRN_WAY_AWAY, 0, START('d')); /* the handler */
    back(&bench, START('t'));
    except(&bench, START('t') + 8, 0);
    go(&bench, CAIRN_WAY_AWAY, 0, START('m') + 0x20);
    call(&bench, START('m') + 0x30, START('f'));
    check(&bench, "$d1 *?2 ~?2 -d1 +f1");
    finish(&bench, ".f1 .m0");
}

static void gaps(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    call(&bench, START('f'), START('g'));
    bench.told[0] = '\0';
    bench.thread->is_lost = true;
    bench.thread->account = CAIRN_GAP_OVERFLOW;
    go(&bench, CAIRN_WAY_AWAY, 0, START('h') + 0x10);
    check(&bench, "!g2 !f1 !m0 # =h0");
    /* a return into f: g and h have ended, and the stack is known again */
    back(&bench, START('f') + 4);
    check(&bench, "-h0 ^m0 ^f1");
    back(&bench, START('m') + 4);
    check(&bench, "-f1");
    /* what has no memory is a call like others */
    bench.thread->called = true;
    bench.thread->account = CAIRN_GAP_NO_IMAGE;
    go(&bench, CAIRN_WAY_AWAY, START('m') + 8, START('m') + 12);
    check(&bench, "");
    /* the trace goes on where it ended, and elsewhere */
    go(&bench, CAIRN_WAY_AWAY, 0, START('m') + 0x20);
    check(&bench, "");
    go(&bench, CAIRN_WAY_AWAY, 0, START('k'));
    finish(&bench, "!m0 # =k0 .k0");
}

/* An exception behind a gap, which tells nothing of where it came from: what is inside of it is of no call before. */
static void exception_behind_a_gap(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    bench.told[0] = '\0';
    bench.thread->is_lost = bench.thread->has_left = true;
    except(&bench, 0, START('i'));
    check(&bench, "!f1 !m0 #");
    call(&bench, START('i') + 8, START('g'));
    assert_false(bench.thread->is_lost || bench.thread->has_left);
    bench.thread->has_left = true; /* of a hole: the calls stay */
    except(&bench, 0, START('h'));
    assert_false(bench.thread->has_left);
    go(&bench, CAIRN_WAY_ERET, START('h') + 8, START('g') + 8);
    finish(&bench, "*i0 +g1 *h2 -h2 .g1 .i0");
}

/* Which of the stacks that gaps cut called which is not known: a return finds one of them, and not those
 * below it as its callers. */
static void several_gaps(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    call(&bench, START('m'), START('f'));
    call(&bench, START('f'), START('g'));
    bench.thread->is_lost = true;
    go(&bench, CAIRN_WAY_AWAY, 0, START('k'));
    call(&bench, START('k'), START('h'));
    bench.thread->is_lost = true;
    go(&bench, CAIRN_WAY_AWAY, 0, START('h') + 4);
    bench.told[0] = '\0';
    back(&bench, START('k') + 4); /* of h */
    check(&bench, "-h0 ^k0");
    back(&bench, START('m') + 4); /* of f: where k was called is not known */
    check(&bench, "-k0 ^m0");
    finish(&bench, ".m0");
}

/* Depth is bounded, and what is deeper begins anew. */
static void bounds(void **state)
{
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    bench.stacks.sink.enter = NULL;
    bench.stacks.sink.leave = NULL;
    go(&bench, CAIRN_WAY_ON, 0, START('m'));
    for (uint32_t i = 0; i < CAIRN_CALLS_DEPTH_MAX + 10; i++)
        call(&bench, START('f'), START('f'));
    assert_int_equal(bench.thread->depth, 11);
    assert_int_equal(bench.thread->ghost_count, CAIRN_GHOSTS_MAX);
    check(&bench, " #");
    for (uint32_t i = 0; i < 100; i++) /* and back, beyond where it began anew */
        back(&bench, START('f') + 4);
    /* 11 of them leave the new stack, the next one the topmost of 1024 that are remembered */
    assert_int_equal(bench.thread->depth, CAIRN_GHOSTS_MAX - 1 - 88);
    bench.stacks.sink.leave = NULL;
    finish(&bench, "");
}

/* What all threads have together is bounded: 16 of 65,536 calls, without the first 64 of each, leave room for
 * 1,024. By doubling from 64 the next thread takes 960 of it. */
static void bounds_of_all(void **state)
{
    enum { THREADS = 17 };
    struct stack_bench bench;

    (void)state;
    begin(&bench);
    bench.stacks.sink.enter = NULL;
    bench.stacks.sink.leave = NULL;
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t calls = i < 16 ? CAIRN_CALLS_DEPTH_MAX - 1 : 1023;

        assert_int_equal(cairn_call_threads_choose(&bench.threads, 0, i, 0, 0), CAIRN_OK);
        bench.thread = bench.threads.now;
        go(&bench, CAIRN_WAY_ON, 0, START('m'));
        for (uint32_t j = 0; j < calls; j++)
            call(&bench, START('f'), START('f'));
        assert_int_equal(bench.thread->depth, calls + 1);
    }
    check(&bench, "");
    call(&bench, START('f'), START('f'));
    assert_int_equal(bench.thread->depth, 1);
    check(&bench, " #");
    cairn_call_threads_free(&bench.threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_returns),
        cmocka_unit_test(tail_calls),
        cmocka_unit_test(longjmp_and_unwinding),
        cmocka_unit_test(caught_in_a_recursion),
        cmocka_unit_test(caught_behind_a_throw),
        cmocka_unit_test(exceptions),
        cmocka_unit_test(signals),
        cmocka_unit_test(gaps),
        cmocka_unit_test(exception_behind_a_gap),
        cmocka_unit_test(several_gaps),
        cmocka_unit_test(bounds),
        cmocka_unit_test(bounds_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
