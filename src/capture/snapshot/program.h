/* SPDX-License-Identifier: BSD-2-Clause */
/* program.ini of a recording: what ran, and the files that its code came from. Cairn's own; the
 * snapshot format knows nothing of it. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_PROGRAM_H
#define CAIRN_CAPTURE_SNAPSHOT_PROGRAM_H

#include "capture/snapshot/search.h"

/* Reads the text (which is cut up) of the file `name`, of a capture that has its sources: the
 * program, its threads, and the modules, whose files give names where one is found that is still what was
 * recorded. What is odd goes to the remarks. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_program(struct cairn_capture *capture,
                                                     const struct cairn_module_search *search,
                                                     const char *name, char *text, size_t size);

#endif
