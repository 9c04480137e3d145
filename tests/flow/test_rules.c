/* SPDX-License-Identifier: BSD-2-Clause */
/* What the follower does under the rules of ETMv3 and PTM, and the engine with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static const struct cairn_follow_rules etmv3 = {.every_instruction = true, .return_packets = true};
static const struct cairn_follow_rules etmv3_halves = {
    .every_instruction = true, .thumb_halves = true, .return_packets = true};
static const struct cairn_follow_rules ptm = {
    .return_packets = true, .pop_first = true, .walk_bytes = 4096};

#define A32_ADDEQ 0x02800001u /* ADDEQ r0, r0, #1 */
#define A32_SVC 0xef000000u
#define A32_UDF 0xe7f000f0u
#define A32_DMB 0xf57ff05fu
#define A32_CP15DSB 0xee070f9au
#define A32_RFE 0xf8bd0a00u

/* B to `words` words behind this one. */

/* --- an atom for each instruction --- */

static const uint32_t straight[] = {
    /* 1000 */ A32_NOP,
    /* 1004 */ A32_ADDEQ,
    /* 1008 */ A32_B(3),
    /* 100c */ A32_NOP,
    /* 1010 */ A32_UDF,
    /* 1014 */ A32_BX_LR,
    /* 1018 */ A32_SVC,
    /* 101c */ A32_RFE,
};

static void every_instruction_has_an_atom(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &etmv3, BASE, BENCH_CODE(straight));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "NNEE");
    bench_address(&b, 0x1018);
    bench_atoms(&b, "E");
    bench_expect(&b, "range 1000 1004 1 N\n" /* unconditional, and no warning */
                     "range 1004 1008 1 N\n"
                     "range 1008 100c 1 E\n"
                     "range 1014 1018 1 E\n"
                     "range 1018 101c 1 E\n");
    /* RFE is unconditional and N reserved elsewhere; here it is what was cancelled. */
    bench_start(&b, 0x101c);
    bench_atoms(&b, "N");
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 7);
    bench_expect(&b, "range 101c 1020 1 N\n"
                     "exception 7 1020\n");
    /* The target of an indirect branch has to be in the trace. */
    bench_start(&b, 0x1014);
    bench_atoms(&b, "EE");
    bench_expect(&b, "range 1014 1018 1 E\n"
                     "gap no-address 1018\n");
    bench_end(&b);
}

static void an_uncertain_atom_is_told(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &etmv3, BASE, BENCH_CODE(straight));
    bench_start(&b, 0x1000);
    bench_put(&b, CAIRN_ELEMENT_ATOM,
              CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E | CAIRN_ELEMENT_UNCERTAIN, 0, 0);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "warning uncertain 1000\n");
    bench_end(&b);
}

static const uint16_t halves[] = {
    /* 1000 */ 0xbf00,         /* NOP */
    /* 1002 */ 0xf3af, 0x8000, /* NOP.W */
    /* 1006 */ 0xf000, 0xf801, /* BL 100c */
    /* 100a */ 0xbf00,
    /* 100c */ 0x4770, /* BX LR */
};

static void halves_have_an_atom_each(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &etmv3, BASE, BENCH_CODE(halves));
    bench_start(&b, 0x1001);
    bench_atoms(&b, "EEEEE");
    /* proves: ETM3-4.5.4-a */
    bench_expect(&b, "range 1000 1002 1 E\n"
                     "range 1002 1006 1 E\n"
                     "range 1006 100a 1 E\n"
                     "range 100c 100e 1 E\n"
                     "gap no-address 100e\n");
    bench_end(&b);
    bench_begin(&b, NULL, &etmv3_halves, BASE, BENCH_CODE(halves));
    bench_start(&b, 0x1001);
    bench_atoms(&b, "EENNEE");
    /* proves: ETM3-4.5.4-a */
    bench_expect(&b, "range 1000 1002 1 E\n"
                     "range 1002 1006 1 N\n"
                     "range 1006 100a 1 E\n"
                     "range 100c 100e 1 E\n");
    /* An exception between the halves, and then the whole instruction once more. */
    bench_start(&b, 0x1001);
    bench_atoms(&b, "EE");
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_address(&b, 0x100d);
    bench_atoms(&b, "E");
    bench_address(&b, 0x1003);
    bench_atoms(&b, "EE");
    bench_expect(&b, "range 1000 1002 1 E\n"
                     "exception 5 1002\n"
                     "range 100c 100e 1 E first\n"
                     "range 1002 1006 1 E\n");
    /* A periodic I-sync between them. */
    bench_start(&b, 0x1003);
    bench_atoms(&b, "E");
    bench_put(&b, ADDRESS, CHECK, 0x1005, 0);
    bench_atoms(&b, "EE");
    bench_put(&b, ADDRESS, CHECK, 0x1009, 0);
    bench_atoms(&b, "E");
    bench_expect(&b, "range 1002 1006 1 E\n"
                     "range 1006 100a 1 E\n");
    bench_end(&b);
}

/* --- exceptions where execution stands --- */

static void an_exception_here_walks_nowhere(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &etmv3, BASE, BENCH_CODE(straight));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "E");
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_address(&b, 0x1018); /* the vector is not compared with 1004 */
    bench_atoms(&b, "E");
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "exception 5 1004\n"
                     "range 1018 101c 1 E first\n");
    /* the preferred return address is known */
    bench_start(&b, 0x1000);
    bench_atoms(&b, "E");
    bench_put(&b, EXCEPTION, HERE, 0x1000, 5);
    bench_address(&b, 0x1018);
    bench_expect(&b, "range 1000 1004 1 E\n"
                     "exception 5 1000\n");
    /* the target of BX LR was not told before the exception: no gap */
    bench_start(&b, 0x1014);
    bench_atoms(&b, "E");
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_address(&b, 0x1000);
    bench_atoms(&b, "E");
    bench_expect(&b, "range 1014 1018 1 E\n"
                     "exception 5 ?\n"
                     "range 1000 1004 1 E first\n");
    /* nothing is known, and atoms that follow without an address */
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_start(&b, 0x1000);
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 5);
    bench_atoms(&b, "E");
    bench_expect(&b, "exception 5 ?\n"
                     "exception 5 1000\n"
                     "warning continues 1000\n"
                     "range 1000 1004 1 E first\n");
    bench_end(&b);
}

static void an_address_that_is_not_followed_says_why(void **state)
{
    const struct cairn_element_data jazelle = {.reason = CAIRN_GAP_NOT_DECODED};
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &etmv3, BASE, BENCH_CODE(straight));
    bench_start(&b, 0x1000);
    assert_true(script_put(&b.script, ADDRESS, UNKNOWN, &jazelle));
    bench_atoms(&b, "E");
    bench_address(&b, 0x1004);
    bench_atoms(&b, "E");
    bench_put(&b, ADDRESS, UNKNOWN, 0, 0);
    bench_atoms(&b, "E");
    bench_expect(&b, "gap not-decoded 1000\n"
                     "range 1004 1008 1 E first\n"
                     "gap no-address 1008\n");
    bench_end(&b);
}

/* --- waypoint updates --- */

static const uint32_t updates[] = {
    /* 1000 */ A32_NOP,     A32_NOP, A32_NOP,
    /* 100c */ A32_SVC,
    /* 1010 */ A32_BX_LR,
    /* 1014 */ A32_DMB,
    /* 1018 */ A32_CP15DSB,
    /* 101c */ A32_B(1),
};

static void an_update_walks_up_to_its_instruction(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(updates));
    bench_start(&b, 0x1000);
    bench_put(&b, UPDATE, 0, 0x1004, 0);
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 14);
    bench_address(&b, 0x100c);
    bench_put(&b, UPDATE, 0, 0x100c, 0); /* SVC itself */
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 10);
    bench_address(&b, 0x1008);
    bench_put(&b, UPDATE, 0, 0x100c, 0);
    bench_atoms(&b, "A");
    bench_address(&b, 0x1000);
    /* proves: PFT-4.3-d, PFT-5.3.3-a, PFT-B.3.2-d */
    bench_expect(&b, "range 1000 1008 2 -\n"
                     "exception 14 1008\n"
                     "range 100c 1010 1 - first\n"
                     "exception 10 1010\n"
                     "range 1008 1010 2 - first\n"
                     "range 1010 1014 1 E\n");
    bench_end(&b);
}

static void an_update_has_no_waypoint_before_its_instruction(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(updates));
    bench_start(&b, 0x100c);
    bench_put(&b, UPDATE, 0, 0x1014, 0);
    bench_atoms(&b, "E");
    /* proves: PFT-4.3-d */
    bench_expect(&b, "range 100c 1014 2 -\n"
                     "gap inconsistent 1014\n"
                     "gap inconsistent 1014\n");
    /* but it may be one, which did not execute */
    bench_start(&b, 0x100c);
    bench_put(&b, UPDATE, 0, 0x1010, 0);
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 9);
    bench_expect(&b, "range 100c 1014 2 -\n"
                     "exception 9 1014\n");
    bench_put(&b, UPDATE, 0, 0x1000, 0); /* nothing is known */
    bench_start(&b, 0x1004);
    bench_put(&b, UPDATE, 0, 0x1000, 0); /* below */
    bench_start(&b, 0x1000);
    bench_put(&b, UPDATE, 0, 0x1003 + 0x10000, 0); /* another state, and no memory */
    bench_start(&b, 0x1014);
    bench_put(&b, UPDATE, 0, 0x10000, 0);
    bench_expect(&b, "gap no-address 0\n"
                     "gap inconsistent 1000\n"
                     "gap inconsistent 11002\n"
                     "range 1014 1020 3 - first\n"
                     "gap inconsistent 10000\n");
    bench_end(&b);
}

static const uint16_t thumb_updates[] = {
    /* 1000 */ 0xbf00,
    /* 1002 */ 0xf3af, 0x8000, /* NOP.W */
    /* 1006 */ 0xbf00,
    /* 1008 */ 0x4770,
};

static void an_update_may_name_the_upper_halfword(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(thumb_updates));
    for (unsigned halfword = 0; halfword < 2; halfword++) {
        bench_start(&b, 0x1001);
        bench_put(&b, UPDATE, 0, 0x1003 + 2 * halfword, 0);
        bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 14);
        /* proves: PFT-5.4-s */
        bench_expect(&b, "range 1000 1006 2 -\n"
                         "exception 14 1006\n");
    }
    bench_end(&b);
}

/* The last instruction of the address space. */
static void an_update_ends_where_addresses_do(void **state)
{
    static const uint32_t last[] = {A32_NOP, A32_NOP};
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &ptm, 0xfffffff8, BENCH_CODE(last));
    bench_start(&b, 0xfffffff8);
    bench_put(&b, UPDATE, 0, 0xfffffffe, 0);
    bench_put(&b, EXCEPTION, HERE | UNKNOWN, 0, 14);
    bench_expect(&b, "range fffffff8 0 2 -\n"
                     "exception 14 0\n");
    bench_end(&b);
}

/* --- waypoints --- */

static void a_waypoint_is_no_further_than_4096_bytes(void **state)
{
    enum { WORDS = 4096 / 4 };
    static uint32_t code[2 * WORDS + 2];
    static uint16_t thumb[WORDS * 2 + 2];
    struct bench b;

    (void)state;
    for (size_t i = 0; i < 2 * WORDS + 2; i++)
        code[i] = A32_NOP;
    code[WORDS] = A32_BX_LR;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(code));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "A");
    /* proves: PFT-4.10-b */
    bench_expect(&b, "range 1000 2004 1025 E\n");
    code[WORDS] = A32_NOP; /* the image has a copy */
    bench_end(&b);
    code[WORDS + 1] = A32_BX_LR;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(code));
    bench_start(&b, 0x1000);
    bench_atoms(&b, "A");
    /* proves: PFT-4.10-b */
    bench_expect(&b, "gap limit 2004\n");
    bench_start(&b, 0x1000);
    bench_put(&b, UPDATE, 0, 0x2000, 0);
    bench_atoms(&b, "A");
    bench_expect(&b, "range 1000 2004 1025 -\n"
                     "range 2004 2008 1 E\n");
    bench_end(&b);
    /* an update itself walks as far as it says */
    code[WORDS + 1] = A32_NOP;
    code[2 * WORDS] = A32_BX_LR;
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(code));
    bench_start(&b, 0x1000);
    bench_put(&b, UPDATE, 0, 0x2ffc, 0);
    bench_atoms(&b, "A");
    bench_expect(&b, "range 1000 3000 2048 -\n"
                     "range 3000 3004 1 E\n");
    bench_end(&b);
    for (size_t i = 0; i < WORDS * 2 + 2; i++)
        thumb[i] = 0xbf00;
    thumb[WORDS * 2 + 1] = 0x4770; /* 4098 bytes away */
    bench_begin(&b, NULL, &ptm, BASE, BENCH_CODE(thumb));
    bench_start(&b, 0x1001);
    bench_atoms(&b, "A");
    bench_start(&b, 0x1003);
    bench_atoms(&b, "A");
    bench_expect(&b, "gap limit 2002\n"
                     "range 1002 2004 2049 E first\n");
    bench_end(&b);
}

static void barriers_are_waypoints_if_the_unit_says_so(void **state)
{
    struct cairn_follow_rules rules = ptm;
    struct bench b;

    (void)state;
    bench_begin(&b, NULL, &rules, BASE, BENCH_CODE(updates));
    bench_start(&b, 0x1014);
    bench_atoms(&b, "E");
    /* proves: PFT-2.2-a */
    bench_expect(&b, "range 1014 1020 3 E\n");
    bench_end(&b);
    rules.barriers_are_p0 = true;
    bench_begin(&b, NULL, &rules, BASE, BENCH_CODE(updates));
    bench_start(&b, 0x1014);
    bench_atoms(&b, "ENE");
    /* proves: PFT-2.2-a */
    bench_expect(&b, "range 1014 1018 1 E\n"
                     "range 1018 101c 1 N\n"
                     "range 101c 1020 1 E\n");
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_has_an_atom),
        cmocka_unit_test(an_uncertain_atom_is_told),
        cmocka_unit_test(halves_have_an_atom_each),
        cmocka_unit_test(an_exception_here_walks_nowhere),
        cmocka_unit_test(an_address_that_is_not_followed_says_why),
        cmocka_unit_test(an_update_walks_up_to_its_instruction),
        cmocka_unit_test(an_update_has_no_waypoint_before_its_instruction),
        cmocka_unit_test(an_update_may_name_the_upper_halfword),
        cmocka_unit_test(an_update_ends_where_addresses_do),
        cmocka_unit_test(a_waypoint_is_no_further_than_4096_bytes),
        cmocka_unit_test(barriers_are_waypoints_if_the_unit_says_so),
    };

    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
