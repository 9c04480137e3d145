/* SPDX-License-Identifier: BSD-2-Clause */
/* A protocol's register numbers against those of a specification. */
#ifndef CAIRN_TEST_ABOUT_NUMBERS_H
#define CAIRN_TEST_ABOUT_NUMBERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/about.h"

static const struct cairn_register_number *number_of(const struct cairn_about *about,
                                                     const char *name)
{
    for (const struct cairn_register_number *n = about->numbers; n && n->name; n++)
        if (strcmp(n->name, name) == 0)
            return n;
    fail_msg("%s: no number of %s", about->name, name);
    return NULL;
}

struct offset {
    const char *name;
    unsigned offset;
};

/* All that are numbered, and no other. */
static void check_numbers(enum cairn_protocol_id protocol, const struct offset *rows, size_t count)
{
    const struct cairn_about *about = cairn_about(protocol);
    size_t numbered = 0;

    for (size_t i = 0; i < count; i++)
        assert_int_equal(4 * number_of(about, rows[i].name)->number, rows[i].offset);
    while (about->numbers[numbered].name)
        numbered++;
    assert_int_equal(numbered, count);
}

#endif
