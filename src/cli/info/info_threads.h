/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that a capture names, and in which sources there is trace of each. */
#ifndef CAIRN_CLI_INFO_INFO_THREADS_H
#define CAIRN_CLI_INFO_INFO_THREADS_H

#include <jansson.h>

#include "cli/audit/audit.h"
#include "cli/screen/page.h"

/* Whether there is trace of the thread in the source: it is of that thread, or a context in it is. */
bool cli_info_has_thread(const struct cli_audit *audit, size_t source, uint64_t thread);

/* A table of processes and threads, of which those without trace are shown with --all alone; and an array of all. */
void cli_info_threads_text(const struct cli_audit *audit, struct cli_page *page);
json_t *cli_info_threads_json(const struct cli_audit *audit);

#endif
