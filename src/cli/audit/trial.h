/* SPDX-License-Identifier: BSD-2-Clause */
/* A source read under another protocol or other registers, to see whether that fits better. */
#ifndef CAIRN_CLI_AUDIT_TRIAL_H
#define CAIRN_CLI_AUDIT_TRIAL_H

#include "cli/session/session.h"

struct cli_trial {
    enum cairn_protocol_id protocol;
    bool keeps_version;                   /* else registers that tell the version are left out */
    const struct cairn_register *instead; /* over those of the capture */
    size_t instead_count;
    uint64_t bytes; /* about how many are read; 0: all */
};

struct cli_verdict {
    uint64_t reserved; /* packets: reserved ones, and those behind them */
    uint64_t odd;      /* packets that no such trace unit should write */
    uint64_t bad;      /* bytes of both, and of what is cut by a synchronisation */
    uint64_t synced;   /* bytes behind the first synchronisation */
};

/* False when the configuration is impossible, or most of the source has no synchronisation of it.
 */
bool cli_trial_run(struct cli_session *session, size_t source, const struct cli_trial *trial,
                   struct cli_verdict *verdict);
/* The same of a source of another capture. */
bool cli_trial_run_on(struct cli_session *session, struct cairn_capture *capture, size_t source,
                      const struct cli_trial *trial, struct cli_verdict *verdict);

/* A source of the session's capture read out of a buffer that is laid out otherwise, or under
 * another trace ID (-1: its own). The same file, protocol and registers. */
struct cli_other_layout {
    enum cairn_format format;
    int trace_id;
    const void *memory; /* the bytes; NULL: those of the file */
    size_t memory_size;
};
bool cli_trial_run_laid_out(struct cli_session *session, size_t source,
                            const struct cli_other_layout *layout, uint64_t bytes,
                            struct cli_verdict *verdict);

#endif
