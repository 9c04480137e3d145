/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of two resources, counters and the sequencer of ETMs and PTMs, step by step and all of them
 * (IHI0014 2.2.3, 3.5.12, 3.6, table 3-3; IHI0035 3.8.3 to 3.10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/etm/derived.h"

enum { TRANSITIONS = 6, NEVER_ONE = 40 /* a resource that is not among those below */ };

/* Resources that are active, a bit each; 6f always is. */
static bool is_active(const void *resources, unsigned number)
{
    const uint64_t *active = resources;

    return number == CAIRN_ETM_ALWAYS || (number < 64 && (*active >> number & 1));
}

static void test_functions(void **state)
{
    enum { A = 5, B = 9 };

    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        const bool a = n & 1, b = n >> 1 & 1;
        const bool wanted[8] = {a, !a, a && b, !a && b, !a && !b, a || b, !a || b, !a || !b};
        const uint64_t active = (uint64_t)a << A | (uint64_t)b << B;

        for (uint32_t function = 0; function < 8; function++)
            assert_int_equal(cairn_etm_function(function << 14 | B << 7 | A, is_active, &active),
                             wanted[function]);
    }
}

/* A program of events that are never active. */
static uint32_t reload_values[CAIRN_ETM_COUNTERS], enables[CAIRN_ETM_COUNTERS],
    reloads[CAIRN_ETM_COUNTERS], transitions[TRANSITIONS];
static struct cairn_etm_derived_program program = {.reload_values = reload_values,
                                                   .enables = enables,
                                                   .reloads = reloads,
                                                   .transitions = transitions};

static void clear(void)
{
    for (unsigned i = 0; i < CAIRN_ETM_COUNTERS; i++) {
        reload_values[i] = 0;
        enables[i] = reloads[i] = CAIRN_ETM_NEVER;
    }
    for (unsigned i = 0; i < TRANSITIONS; i++)
        transitions[i] = CAIRN_ETM_NEVER;
    program.reduced = false;
}

/* From each state under each choice of the six events: it moves if just one of the two that lead out of
 * it is active. */
static void test_sequencer(void **state)
{
    static const struct {
        unsigned from, to;
    } leads[TRANSITIONS] = {{0, 1}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {0, 2}}; /* 12 21 23 31 32 13 */

    (void)state;
    clear();
    for (unsigned i = 0; i < TRANSITIONS; i++)
        transitions[i] = i;
    for (uint8_t from = 0; from < 3; from++)
        for (uint64_t active = 0; active < 1u << TRANSITIONS; active++) {
            const struct cairn_etm_derived now = {.sequencer = from};
            unsigned wanted = from, count = 0;

            for (unsigned i = 0; i < TRANSITIONS; i++)
                if (leads[i].from == from && (active >> i & 1)) {
                    wanted = leads[i].to;
                    count++;
                }
            assert_int_equal(cairn_etm_derived_next(&now, &program, is_active, &active).sequencer,
                             count == 1 ? wanted : from);
        }
}

/* Each counter alone: a reload wins, 0 stays 0. */
static void test_counters(void **state)
{
    static const uint16_t counts[] = {0, 1, 2, 0x100, 0xffff};
    enum { ENABLE = 1, RELOAD = 2 };

    (void)state;
    clear();
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++) {
        reload_values[n] = 0x1230 + n;
        enables[n] = NEVER_ONE;
        reloads[n] = NEVER_ONE;
    }
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++) {
        enables[n] = ENABLE;
        reloads[n] = RELOAD;
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (unsigned which = 0; which < 4; which++) {
                const bool counts_down = which & 1, reloaded = which >> 1 & 1;
                const uint64_t active = (uint64_t)counts_down << ENABLE | (uint64_t)reloaded
                                                                              << RELOAD;
                const struct cairn_etm_derived now = {
                    .counters = {counts[c], counts[c], counts[c], counts[c]}};
                const struct cairn_etm_derived next =
                    cairn_etm_derived_next(&now, &program, is_active, &active);

                for (unsigned i = 0; i < CAIRN_ETM_COUNTERS; i++) {
                    unsigned wanted = counts[c];

                    if (i == n && reloaded)
                        wanted = 0x1230 + n;
                    else if (i == n && counts_down && wanted > 0)
                        wanted--;
                    assert_int_equal(next.counters[i], wanted);
                }
            }
        enables[n] = NEVER_ONE;
        reloads[n] = NEVER_ONE;
    }
}

/* Counter 1, reduced, looks at no event: it counts each cycle, and is reloaded where it is 0. */
static void test_reduced(void **state)
{
    struct cairn_etm_derived now = {.counters = {2, 2, 2, 2}};
    const uint64_t active = UINT64_C(1) << 1;

    (void)state;
    clear();
    program.reduced = true;
    reload_values[0] = 2;
    reloads[0] = 1; /* no reload by it */
    for (unsigned i = 0; i < 7; i++) {
        static const unsigned wanted[] = {1, 0, 2, 1, 0, 2, 1};

        now = cairn_etm_derived_next(&now, &program, is_active, &active);
        assert_int_equal(now.counters[0], wanted[i]);
        assert_int_equal(now.counters[1], 2);
    }
}

/* Anything moves as soon as one event of them may be active. */
static void test_moves(void **state)
{
    (void)state;
    clear();
    assert_false(cairn_etm_derived_moves(&program));
    for (unsigned n = 0; n < CAIRN_ETM_COUNTERS; n++) {
        enables[n] = CAIRN_ETM_NEVER | (CAIRN_ETM_EVENT + 1); /* bit 17 is no part of the event */
        assert_false(cairn_etm_derived_moves(&program));
        enables[n] = 0;
        assert_true(cairn_etm_derived_moves(&program));
        enables[n] = CAIRN_ETM_NEVER;
        reloads[n] = 0;
        assert_true(cairn_etm_derived_moves(&program));
        reloads[n] = CAIRN_ETM_NEVER;
    }
    for (unsigned i = 0; i < TRANSITIONS; i++) {
        transitions[i] = 0;
        assert_true(cairn_etm_derived_moves(&program));
        transitions[i] = CAIRN_ETM_NEVER;
    }
    assert_false(cairn_etm_derived_moves(&program));
    program.reduced = true;
    assert_true(cairn_etm_derived_moves(&program));
}

static void test_same(void **state)
{
    const struct cairn_etm_derived a = {.counters = {1, 2, 3, 4}, .sequencer = 1};

    (void)state;
    assert_true(cairn_etm_derived_same(&a, &a));
    for (unsigned n = 0; n <= CAIRN_ETM_COUNTERS; n++) {
        struct cairn_etm_derived b = a;

        if (n < CAIRN_ETM_COUNTERS)
            b.counters[n] ^= 0x100;
        else
            b.sequencer = 2;
        assert_false(cairn_etm_derived_same(&a, &b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_sequencer),
        cmocka_unit_test(test_counters),  cmocka_unit_test(test_reduced),
        cmocka_unit_test(test_moves),     cmocka_unit_test(test_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
