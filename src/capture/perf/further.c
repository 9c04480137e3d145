/* SPDX-License-Identifier: BSD-2-Clause */
/* `perf record --threads` makes a folder, and writes records into further files of it: data.0, data.1 ... They are not
 * read. */
#include <stdio.h>
#include <stdlib.h>

#include "base/letters.h"
#include "capture/perf/trace.h"

void cairn_perf_say_further(struct cairn_capture *capture, const char *path,
                            struct cairn_perf_trace *trace)
{
    char *first = NULL;
    uint8_t byte;

    if (asprintf(&first, "%s.0", path) < 0)
        return;
    if (cairn_input_head(first, &byte, sizeof byte)) {
        trace->has_untold_runs = true;
        cairn_capture_say(
            capture, CAIRN_PROBLEM,
            "%s and what else `perf record --threads` wrote beside it are not read: trace, "
            "mappings and threads are missing. Record without --threads.",
            first);
    }
    free(first);
}
