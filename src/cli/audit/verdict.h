/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of what a source executed is known. Not of its bytes: a byte of trace can be a timestamp,
 * or two dozen branches. */
#ifndef CAIRN_CLI_AUDIT_VERDICT_H
#define CAIRN_CLI_AUDIT_VERDICT_H

#include "cli/audit/findings.h"

/* What is counted. */
enum cli_unit {
    CLI_UNIT_BRANCHES = 0, /* P0 instructions whose outcome is known, against P0 elements that are
                              lost: ETMv4, ETE, PTM. MTB: taken branches */
    CLI_UNIT_INSTRUCTIONS = 1, /* executed ones, against Atoms that are lost: each Atom is an
                                  instruction (ETMv3) */
};

struct cli_known {
    enum cli_unit unit;
    uint64_t followed;
    uint64_t lost;     /* told by the trace, and not followed to code */
    uint64_t unread;   /* bytes of which not even that is known: damaged, cut, not decoded */
    uint64_t unsynced; /* bytes before the first synchronisation */
};

struct cli_known cli_known_of(const struct cli_audit_source *source);

/* "branches", or "instructions"; of one of them without the s. */
const char *cli_unit_word(enum cli_unit unit, uint64_t count);

/* A number of them as the cost of a finding. */
struct cli_cost cli_cost_of(const struct cli_audit_source *source, uint64_t lost, uint64_t bytes);

/* "76 %", never rounded up to 100 %. */
#define CLI_SHARE_MAX 16
void cli_share(uint64_t part, uint64_t whole, char text[CLI_SHARE_MAX]);

/* Whether any of it was decoded: to code, or, where the protocol has no flow, to packets. */
bool cli_is_decoded(const struct cli_audit_source *source);

/* Whether the trace unit waits for a start point, by its registers: then one without trace never came
 * to it. */
#define CLI_NEVER_STARTED                                                                          \
    "nothing was traced: execution never came to a start point of the trace unit"
bool cli_waits_for_start(const struct cairn_source_info *info);

/* Whether the source traced nothing: it has no byte, or its bytes are padding. */
bool cli_is_without_trace(const struct cli_audit_source *source);

/* What is said of the source: "76 % of the branches followed (76 of 100); 2 causes". */
void cli_verdict_sentence(const struct cli_findings *findings, size_t source,
                          char sentence[CLI_SENTENCE_MAX]);

/* The exit status that findings and sources give. */
enum cli_exit cli_verdict_result(const struct cli_findings *findings);

#endif
