/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of a listing: what stands before a part of a line, and behind it. Without colours all are
 * empty. */
#ifndef CAIRN_REPORT_STYLE_H
#define CAIRN_REPORT_STYLE_H

#include <stdbool.h>

struct cairn_style {
    const char *heading;   /* a source begins */
    const char *columns;   /* names of the columns; time, cycles, offsets */
    const char *function;  /* a line with a function's name */
    const char *taken;     /* E */
    const char *not_taken; /* N, ? */
    const char *place;     /* function and offset behind an instruction */
    const char *source;    /* source lines */
    const char *event;
    const char *wrong; /* gaps, warnings */
    const char *end;   /* of each */
};

const struct cairn_style *cairn_style_plain(void);
const struct cairn_style *cairn_style_colours(void);

#endif
