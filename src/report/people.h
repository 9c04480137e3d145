/* SPDX-License-Identifier: BSD-2-Clause */
/* The listing of a flow that people read: columns, names, source lines (docs/listing.md). */
#ifndef CAIRN_REPORT_PEOPLE_H
#define CAIRN_REPORT_PEOPLE_H

#include "report/report.h"
#include "report/source.h"
#include "report/style.h"

/* How it is to look. */
struct cairn_people_options {
    const struct cairn_style *style; /* NULL: without colours */
    bool offsets;                    /* of the packets, in the file and in the source */
    bool source_lines;
    const struct cairn_source_path *paths; /* where sources are now */
    size_t path_count;
};

/* What the listing of one source remembers from line to line: struct cairn_listing has it as
 * `people`. */
struct cairn_people;

/* The texts and lists of the options stay the caller's. NULL when memory is short. */
struct cairn_people *cairn_people_new(const struct cairn_people_options *options);
void cairn_people_free(struct cairn_people *people); /* NULL is fine */

extern const struct cairn_report cairn_report_people;

#endif
