/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequencer from every state under every choice of its events (DDI0608 D7.8): step by step, where
 * the unit has a term for each pair of states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/etmv4/sequencer.h"

/* Forward as long as events lead there; only where none does, back, from each state that the event
 * between does not lead forward again. */
static unsigned goes_to(unsigned from, unsigned forward, unsigned backward)
{
    unsigned state = from;

    while (state < 3 && (forward >> state & 1))
        state++;
    if (state > from)
        return state;
    while (state > 0 && (backward >> (state - 1) & 1) && !(forward >> (state - 1) & 1))
        state--;
    return state;
}

static void test_all(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 4; from++)
        for (unsigned events = 0; events < 64; events++) {
            const unsigned forward = events & 7, backward = events >> 3;
            const unsigned to = goes_to(from, forward, backward);
            uint8_t now = (uint8_t)from;
            unsigned through = 1u << from; /* active in the clock: all but where it comes to */

            for (unsigned n = from < to ? from : to + 1; n < to || (to < from && n <= from); n++)
                through |= 1u << n;
            assert_int_equal(
                cairn_sequencer_evaluate(
                    &now, (struct cairn_sequencer_events){.forward = (uint8_t)forward,
                                                          .backward = (uint8_t)backward}),
                through);
            assert_int_equal(now, to);
            /* the reset event comes before all others, and passes through nothing */
            now = (uint8_t)from;
            /* proves: R_KVSXC */
            assert_int_equal(cairn_sequencer_evaluate(
                                 &now, (struct cairn_sequencer_events){(uint8_t)forward,
                                                                       (uint8_t)backward, true}),
                             1u << from);
            assert_int_equal(now, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
