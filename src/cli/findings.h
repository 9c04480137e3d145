/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn check` prints: a finding is what is wrong, where, and what to do about it. */
#ifndef CAIRN_CLI_FINDINGS_H
#define CAIRN_CLI_FINDINGS_H

#include "cli/audit.h"

enum cli_loss {
    CLI_LOSES_NOTHING = 0,
    CLI_LOSES_DATA = 1, /* some of the program's flow is missing because of it */
};

struct cli_finding {
    enum cairn_severity severity;
    enum cli_loss loss;
    const char *where;                /* name of a source or buffer; NULL: the capture */
    const char *what;                 /* a sentence without full stop */
    const char *advice;               /* what to do; NULL: nothing */
    const struct cli_sighting *first; /* where first; NULL: nowhere in particular */
    const struct cli_ranges *ranges;  /* addresses it is about; NULL: none */
    uint64_t bytes;                   /* that it costs */
};

struct cli_findings {
    const struct cli_audit *audit;
    uint64_t severities[CAIRN_PROBLEM + 1];
    uint64_t losses;
};

/* Prints the finding and counts it. */
void cli_findings_add(struct cli_findings *findings, const struct cli_finding *finding);

/* The last line: how many there were. */
void cli_findings_end(struct cli_findings *findings);

/* The rules (check_rules.c): everything that the audit of a buffer, a source or the whole capture
 * tells. */
void cli_check_capture(struct cli_findings *findings);
void cli_check_buffer(struct cli_findings *findings, const struct cli_audit_buffer *buffer);
void cli_check_source(struct cli_findings *findings, size_t source);

/* Whether another description fits better (check_trials.c): the protocol, ETMv3's and PTM's
 * registers. */
void cli_check_description(struct cli_findings *findings, size_t source);

/* Whether the order of a buffer's bytes is the other one (check_order.c). */
void cli_check_order(struct cli_findings *findings, const struct cli_audit_buffer *buffer);

/* printf for what a finding says. */
#define CLI_SENTENCE_MAX 640
void cli_finding_sentence(char sentence[CLI_SENTENCE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
