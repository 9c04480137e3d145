/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn info` prints. */
#ifndef CAIRN_CLI_INFO_H
#define CAIRN_CLI_INFO_H

#include "cli/audit.h"

void cli_info_text(const struct cli_audit *audit);
void cli_info_json(const struct cli_audit *audit);

/* One account of a buffer that is no source's data, by name. */
struct cli_overhead {
    const char *name; /* "frame ID and auxiliary bytes" */
    const char *key;  /* "framing" */
    uint64_t bytes;
};
#define CLI_OVERHEAD_COUNT 7
void cli_info_overhead(const struct cairn_buffer_account *account,
                       struct cli_overhead overhead[CLI_OVERHEAD_COUNT]);

#endif
