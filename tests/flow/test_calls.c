/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls and returns of PTM, and periodic addresses, which forget them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"

enum {
    ADDRESS = CAIRN_ELEMENT_TARGET_ADDRESS,
    EXCEPTION = CAIRN_ELEMENT_EXCEPTION,
    UPDATE = CAIRN_ELEMENT_WAYPOINT_UPDATE,
    HERE = CAIRN_ELEMENT_HERE,
    CHECK = CAIRN_ELEMENT_CHECK,
    UNKNOWN = CAIRN_ELEMENT_UNKNOWN,
    BASE = 0x1000,
};

static const struct cairn_follow_rules ptm_stack = {
    .return_stack = true, .return_packets = true, .pop_first = true, .walk_bytes = 4096};

#define A32_BLX_R3 0xe12fff33u

/* BL and B to `words` words behind this one. */
#define A32_BL(words) (0xeb000000u | (((uint32_t)(words)-2u) & 0xffffffu))

/* --- what should be known --- */

static const uint32_t calls[] = {
    /* 1000 */ A32_BL(4), /* 1010 */
    /* 1004 */ A32_B(7),  /* 1020 */
    /* 1008 */ A32_NOP,
    /* 100c */ A32_NOP,
    /* 1010 */ A32_BLX_R3,
    /* 1014 */ A32_BX_LR,
    /* 1018 */ A32_NOP,
    /* 101c */ A32_NOP,
    /* 1020 */ A32_BX_LR,
};

static void a_check_is_compared(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    bench_start(&b, 0x1000);
    bench_put(&b, ADDRESS, CHECK, 0x1000, 0); /* what an address said */
    bench_atoms(&b, "E");
    bench_put(&b, ADDRESS, CHECK, 0x1010, 0); /* what the image says */
    bench_atoms(&b, "A");
    bench_put(&b, ADDRESS, CHECK, 0x1020, 0); /* taken: it was not known */
    bench_atoms(&b, "E");
    bench_put(&b, ADDRESS, CHECK, 0x1014, 0); /* not known to the follower before the next atom */
    bench_atoms(&b, "A");
    bench_address(&b, 0x1004);
    bench_put(&b, ADDRESS, CHECK, 0x1008, 0); /* differs, and is taken */
    bench_put(&b, ADDRESS, CHECK, 0x1009, 0); /* the state differs */
    bench_address(&b, 0x1004);
    bench_atoms(&b, "E");
    /* proves: PFT-4.5.2-i, PFT-B.3.1-a */
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1020 1024 1 E\n"
                     "range 1014 1018 1 E\n"
                     "warning mismatch 1008\n"
                     "warning mismatch 1008\n"
                     "range 1004 1008 1 E\n");
    bench_end(&b);
}

static void a_check_behind_an_update_tells_nothing(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "E");
    bench_address(&b, 0x1018);
    bench_put(&b, UPDATE, 0, 0x1018, 0);
    bench_put(&b, CAIRN_ELEMENT_TRACE_INFO, 0, 0, 0);
    bench_put(&b, ADDRESS, CHECK | UNKNOWN, 0, 0);
    bench_atoms(&b, "EE"); /* BX LR, and the call from before the I-sync is forgotten */
    /* proves: PFT-4.5.2-i, PFT-4.13-e */
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "warning mismatch 1018\n"
                     "range 1018 101c 1 -\n"
                     "range 101c 1024 2 E\n"
                     "gap return-stack 1024\n");
    /* behind an exception whose vector it tells */
    bench_start(&b, 0x1000);
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_put(&b, ADDRESS, CHECK, 0x1004, 0);
    bench_atoms(&b, "E");
    bench_expect(&b, "exception 5 1000\n"
                     "range 1004 1008 1 E first\n");
    bench_end(&b);
}

/* --- the return stack --- */

static void a_call_pops_before_it_pushes(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    /* BL pushes 1004; BLX finds its target there, and then pushes 1014; BX LR finds that. */
    bench_start(&b, 0x1000);
    bench_atoms(&b, "EEEE");
    /* proves: PFT-4.13-a, PFT-4.13-b, PFT-4.13-d */
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1004 1008 1 E inferred\n"
                     "range 1020 1024 1 E\n");
    bench_end(&b);
}

static void a_branch_packet_never_pops(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    for (unsigned again = 0; again < 2; again++) { /* beside the same atoms without address */
        bench_start(&b, 0x1000);
        bench_atoms(&b, "EA");
        bench_address(&b, 0x1020);
        bench_atoms(&b, "EEE");
        bench_start(&b, 0x1000);
        bench_atoms(&b, "EEE");
        bench_put(&b, CAIRN_ELEMENT_TRACE_INFO, 0, 0, 0);
    }
    /* proves: PFT-4.13-c, PFT-4.13-d */
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1020 1024 1 E\n"
                     "range 1014 1018 1 E inferred\n"
                     "range 1004 1008 1 E inferred\n"
                     "warning mismatch 1000\n"
                     "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1004 1008 1 E inferred\n"
                     "warning mismatch 1000\n"
                     "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1020 1024 1 E\n"
                     "range 1014 1018 1 E inferred\n"
                     "range 1004 1008 1 E inferred\n"
                     "warning mismatch 1000\n"
                     "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "range 1004 1008 1 E inferred\n");
    bench_end(&b);
}

static void a_call_without_a_target_is_a_gap(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    bench_start(&b, 0x1010);
    bench_atoms(&b, "EE");
    bench_address(&b, 0x1020);
    bench_atoms(&b, "EE"); /* its return address is there, and no longer certain */
    bench_expect(&b, "range 1010 1014 1 E\n"
                     "gap return-stack 1010\n"
                     "gap return-stack 1010\n"
                     "range 1020 1024 1 E first\n"
                     "warning stale 1014\n"
                     "range 1014 1018 1 E inferred\n");
    /* a target from before flow was lost */
    bench_start(&b, 0x1000);
    bench_atoms(&b, "E");
    bench_put(&b, ADDRESS, UNKNOWN, 0, 0);
    bench_atoms(&b, "E");
    bench_address(&b, 0x1010);
    bench_atoms(&b, "EE");
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "gap no-address 1010\n"
                     "range 1010 1014 1 E first\n"
                     "warning stale 1004\n"
                     "range 1004 1008 1 E inferred\n");
    bench_end(&b);
}

static void an_exception_here_may_stand_at_a_return(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm_stack, BASE, BENCH_CODE(calls));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "EE");
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 14);
    bench_address(&b, 0x1020);
    bench_atoms(&b, "EE"); /* the call's own return is still there */
    /* proves: PFT-4.13-e */
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "range 1010 1014 1 E\n"
                     "exception 14 1004\n"
                     "range 1020 1024 1 E first\n"
                     "range 1014 1018 1 E inferred\n");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_is_compared),
        cmocka_unit_test(a_check_behind_an_update_tells_nothing),
        cmocka_unit_test(a_call_pops_before_it_pushes),
        cmocka_unit_test(a_branch_packet_never_pops),
        cmocka_unit_test(a_call_without_a_target_is_a_gap),
        cmocka_unit_test(an_exception_here_may_stand_at_a_return),
    };

    return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
