/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of source lines. */
#ifndef CAIRN_REPORT_SOURCE_H
#define CAIRN_REPORT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "report/output.h"

/* Where sources are that are not where the compiler read them: of a path that begins with a `from`,
 * which ends at a '/' or at its end, that becomes `to`. The first that fits counts. */
struct cairn_source_path {
    const char *from, *to;
};

struct cairn_sources; /* files that were read; one thread */

/* NULL when memory is short: there are no texts then. The paths stay the caller's. */
struct cairn_sources *cairn_sources_new(const struct cairn_source_path *paths, size_t count);
void cairn_sources_free(struct cairn_sources *sources); /* NULL is fine */

enum cairn_source_state {
    CAIRN_SOURCE_FOUND = 0,
    CAIRN_SOURCE_NO_FILE = 1, /* or none that can be read, or that has so many lines */
    CAIRN_SOURCE_NEWER = 2,   /* the file was written after the program: its lines may be others */
};

struct cairn_source_line {
    enum cairn_source_state state;
    const char *text; /* without the end of line; valid as long as the sources */
    size_t length;
};

/* Line `line` (from 1) of `file`, which is a text that lives as long as the sources. `changed`: when
 * the program was written. */
struct cairn_source_line cairn_sources_line(struct cairn_sources *sources, const char *file,
                                            uint32_t line, const struct timespec *changed);

/* Writes so many letters of its text at most, and nothing that a terminal would act on. */
void cairn_source_line_write(struct cairn_output *output, const struct cairn_source_line *line,
                             size_t most);

#endif
