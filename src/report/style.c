/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/style.h"

/* Select Graphic Rendition (ECMA-48 8.3.117): of the colours those that can be read on dark and on
 * light ground. */
static const struct cairn_style colours = {
    .heading = "\033[1m",
    .columns = "\033[2m",
    .function = "\033[1m",
    .taken = "\033[32m",
    .not_taken = "\033[33m",
    .place = "\033[2m",
    .source = "\033[35m",
    .event = "\033[36m",
    .wrong = "\033[31m",
    .end = "\033[0m",
};

static const struct cairn_style plain = {
    .heading = "",
    .columns = "",
    .function = "",
    .taken = "",
    .not_taken = "",
    .place = "",
    .source = "",
    .event = "",
    .wrong = "",
    .end = "",
};

const struct cairn_style *cairn_style_plain(void)
{
    return &plain;
}

const struct cairn_style *cairn_style_colours(void)
{
    return &colours;
}
