/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole capture decoded once for its accounts: what `info` and `check` print. */
#ifndef CAIRN_CLI_AUDIT_AUDIT_H
#define CAIRN_CLI_AUDIT_AUDIT_H

#include "cli/session/differences.h"
#include "cli/session/ranges.h"
#include "cli/session/session.h"
#include "report/summary.h"

struct cli_contradictions; /* cli/audit/contradictions.h */

/* How often something occurred, and where first. */
struct cli_sighting {
    uint64_t count;
    uint64_t offset;      /* of the first, in the source's bytes */
    uint64_t file_offset; /* UINT64_MAX: not known */
    uint64_t address;
};

enum cli_audit_state {
    CLI_AUDIT_DECODED = 0,
    CLI_AUDIT_OTHER_PROTOCOL = 1, /* known, but not decoded here */
    CLI_AUDIT_NO_CONFIG = 2,      /* a trace ID that no trace unit is configured for */
    CLI_AUDIT_REFUSED = 3,        /* impossible registers, unreadable: `why` */
    CLI_AUDIT_NOT_CHOSEN = 4,     /* the user chose other sources */
    CLI_AUDIT_PACKETS_ONLY = 5,   /* packets are decoded here, flow is not: `why` */
};

/* Room for kinds of warnings: those of a newer library are not sighted. */
#define CLI_AUDIT_WARNINGS 32u

#define CLI_AUDIT_CONTEXTS 256u /* that are kept of a source */

struct cli_audit_source {
    enum cli_audit_state state;
    struct cairn_source_info info;
    struct cairn_config *config; /* NULL unless decoded, or packets only */
    struct cairn_error why;
    uint64_t bytes; /* of the source */
    struct cairn_ledger ledger;
    struct cairn_summary summary;
    struct cli_sighting gaps[CAIRN_LEDGER_ACCOUNTS];
    struct cli_sighting warnings[CLI_AUDIT_WARNINGS];
    struct cli_ranges missing; /* addresses without memory */
    uint64_t
        impossible_calls; /* call exceptions without such an instruction, if `differences` is set */
    struct cli_sighting overflows;
    struct cairn_context *contexts; /* whose code was executed, each once; the first of too many */
    size_t context_count;
    bool has_more_contexts;             /* than were kept */
    uint64_t transfers;                 /* of data, that came */
    struct cli_sighting lost_transfers; /* instructions of which some did not */
    uint64_t unknown_q;                 /* Q elements whose path the trace does not tell */
};

struct cli_audit_buffer {
    struct cairn_buffer_info info;
    struct cairn_buffer_account account;
    uint64_t accounted; /* framing, synchronisation ... and the sources' ledgers: all bytes */
};

struct cli_audit {
    struct cli_session *session;
    struct cli_audit_source *sources; /* all of the capture */
    size_t source_count;
    struct cli_audit_buffer *buffers;
    size_t buffer_count;
    struct cli_differences *differences; /* told what was executed; or NULL: nobody asks */
    const struct cli_contradictions *contradictions; /* found by what the audit saw; or NULL */
};

/* Surveys every buffer and decodes every chosen source, to flow where its protocol is. Prints what
 * went wrong; CLI_CLEAN or CLI_UNUSABLE. Free in every case. */
enum cli_exit cli_audit_run(struct cli_audit *audit, struct cli_session *session);
void cli_audit_free(struct cli_audit *audit);

/* Whether a gap of this account counts for exit statuses. The oldest bytes of a buffer that wrapped
 * around do not, nor does what the trace unit took back, or had not yet said to be executed. */
bool cli_gap_matters(enum cairn_account account);

/* The same of what a source has in it: a packet before the first address harms only if it told of a
 * branch. */
bool cli_gap_is_harmless(const struct cairn_ledger *ledger, enum cairn_account account);

/* Nowhere in the source was there a synchronisation. */
bool cli_is_unsynchronised(const struct cairn_ledger *ledger);

/* Bytes of all gaps of a ledger that matter; all, if it is unsynchronised. */
uint64_t cli_audit_gap_bytes(const struct cairn_ledger *ledger);

#endif
