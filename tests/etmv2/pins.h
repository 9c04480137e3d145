/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the second writer compare: the pins, cycle by cycle. */
#ifndef CAIRN_TESTS_ETMV2_PINS_H
#define CAIRN_TESTS_ETMV2_PINS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "port.h"

enum { DEPTH = 60 };

/* A cycle as the tables print it. */
struct pins {
    unsigned pipestat;
    unsigned packet;
};

static inline void expect_pins(const struct sw_port *is, size_t first, const struct pins *wanted,
                               size_t count)
{
    assert_int_equal(is->size / 4, first + count);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sample = is->samples + 4 * (first + i);

        assert_int_equal(sample[0], wanted[i].pipestat);
        assert_int_equal(sample[2] | sample[3] << 8, wanted[i].packet);
    }
}

#endif
