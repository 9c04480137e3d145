/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn info` prints. */
#ifndef CAIRN_CLI_INFO_INFO_H
#define CAIRN_CLI_INFO_INFO_H

#include "cli/audit/audit.h"

struct cli_page;

/* False: not for want of memory. */
bool cli_info_text(const struct cli_audit *audit);
bool cli_info_json(const struct cli_audit *audit);

/* Parts of the text: each configuration once; the ledger. */
void cli_info_configurations(const struct cli_audit *audit, struct cli_page *page);
void cli_info_ledger(const struct cli_audit *audit, struct cli_page *page);

/* Trace IDs of a buffer that no trace unit is configured for: many of them are one row. */
struct cli_strangers {
    size_t count; /* 0: each has a row of its own */
    int first;    /* the lowest ID, */
    int last;     /* and the highest */
    uint64_t bytes;
};
struct cli_strangers cli_info_strangers(const struct cli_audit *audit, size_t buffer,
                                        const struct cli_page *page);

/* Whether the source has no row of its own because of that. */
bool cli_info_is_stranger(const struct cli_audit *audit, size_t source,
                          const struct cli_page *page);

/* One account of a buffer that is no source's data, by name. */
struct cli_overhead {
    const char *name; /* "frame ID and auxiliary bytes" */
    const char *key;  /* "framing" */
    uint64_t bytes;
};
#define CLI_OVERHEAD_COUNT 9
void cli_info_overhead(const struct cairn_buffer_account *account,
                       struct cli_overhead overhead[CLI_OVERHEAD_COUNT]);

#endif
