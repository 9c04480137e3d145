/* SPDX-License-Identifier: BSD-2-Clause */
/* The codes of findings: they stay what they are, for scripts and for people who look them up. What
 * each means stands in the table of codes.c, from which `cairn check --explain` prints it;
 * docs/findings.md has the same text. */
#ifndef CAIRN_CLI_AUDIT_CODES_H
#define CAIRN_CLI_AUDIT_CODES_H

#include <stdbool.h>
#include <stddef.h>

/* The description */
#define CLI_DESCRIPTION "CAIRN-DESCRIPTION"
#define CLI_MISSING_FILE "CAIRN-MISSING-FILE"
#define CLI_FORMAT_GUESSED "CAIRN-FORMAT-GUESSED"
#define CLI_NO_SOURCE "CAIRN-NO-SOURCE"
#define CLI_NO_PROTOCOL "CAIRN-NO-PROTOCOL"
#define CLI_WRONG_PROTOCOL "CAIRN-WRONG-PROTOCOL"
#define CLI_REGISTER_ASSUMED "CAIRN-REGISTER-ASSUMED"
#define CLI_REGISTER_ODD "CAIRN-REGISTER-ODD"
#define CLI_REGISTER_IMPOSSIBLE "CAIRN-REGISTER-IMPOSSIBLE"
#define CLI_WRONG_REGISTERS "CAIRN-WRONG-REGISTERS"
#define CLI_WRONG_PORT "CAIRN-WRONG-PORT"
#define CLI_NO_POSITION "CAIRN-NO-POSITION"

/* Buffers */
#define CLI_EMPTY_BUFFER "CAIRN-EMPTY-BUFFER"
#define CLI_WRONG_FRAMES "CAIRN-WRONG-FRAMES"
#define CLI_NOISE "CAIRN-NOISE"
#define CLI_FRAME_CUT "CAIRN-FRAME-CUT"
#define CLI_FRAME_START "CAIRN-FRAME-START"
#define CLI_BYTE_ORDER "CAIRN-BYTE-ORDER"
#define CLI_UNCONFIGURED_ID "CAIRN-UNCONFIGURED-ID"
#define CLI_STRAY_ID "CAIRN-STRAY-ID"
#define CLI_WRONG_ID "CAIRN-WRONG-ID"
#define CLI_LEDGER "CAIRN-LEDGER"

/* Sources */
#define CLI_NO_DATA "CAIRN-NO-DATA"
#define CLI_NO_FLOW "CAIRN-NO-FLOW"
#define CLI_NO_SYNC "CAIRN-NO-SYNC"
#define CLI_WRAPPED "CAIRN-WRAPPED"
#define CLI_MISSING_CYCLES "CAIRN-MISSING-CYCLES"
#define CLI_LOST_DATA "CAIRN-LOST-DATA"
#define CLI_TRACE_LOST "CAIRN-TRACE-LOST"
#define CLI_RESERVED "CAIRN-RESERVED"
#define CLI_CUT "CAIRN-CUT"
#define CLI_TRUNCATED "CAIRN-TRUNCATED"
#define CLI_NOT_DECODED "CAIRN-NOT-DECODED"
#define CLI_NO_ADDRESS "CAIRN-NO-ADDRESS"
#define CLI_RETURN_STACK "CAIRN-RETURN-STACK"
#define CLI_OVERFLOW "CAIRN-OVERFLOW"
#define CLI_DISCARD "CAIRN-DISCARD"
#define CLI_UNRESOLVED "CAIRN-UNRESOLVED"
#define CLI_LIMIT "CAIRN-LIMIT"
#define CLI_UNKNOWN_Q "CAIRN-UNKNOWN-Q"

/* Memory */
#define CLI_NO_IMAGE "CAIRN-NO-IMAGE"
#define CLI_IMAGE_MISMATCH "CAIRN-IMAGE-MISMATCH"
#define CLI_IMAGE_DIFFERS "CAIRN-IMAGE-DIFFERS"
#define CLI_IMAGE_CONTRADICTED "CAIRN-IMAGE-CONTRADICTED"
#define CLI_IMAGE_CHANGED "CAIRN-IMAGE-CHANGED"
#define CLI_IMAGE_UNUSED "CAIRN-IMAGE-UNUSED"
#define CLI_IMAGE_ARCHITECTURE "CAIRN-IMAGE-ARCHITECTURE"
#define CLI_IMAGE_TRUNCATED "CAIRN-IMAGE-TRUNCATED"
#define CLI_IMAGE_STRIPPED "CAIRN-IMAGE-STRIPPED"
#define CLI_ELF_AS_RAW "CAIRN-ELF-AS-RAW"
#define CLI_MODULE_CHANGED "CAIRN-MODULE-CHANGED"
#define CLI_MODULE_MISSING "CAIRN-MODULE-MISSING"
#define CLI_DEBUG_MISSING "CAIRN-DEBUG-MISSING"

/* What the decoder was not sure of (codes_doubts.c) */
#define CLI_UNDEFINED "CAIRN-UNDEFINED"
#define CLI_UNCERTAIN "CAIRN-UNCERTAIN"
#define CLI_IMPRECISE "CAIRN-IMPRECISE"
#define CLI_CONTEXT "CAIRN-CONTEXT"
#define CLI_TRANSACTION "CAIRN-TRANSACTION"
#define CLI_OVER_COMMIT "CAIRN-OVER-COMMIT"
#define CLI_CONTINUES "CAIRN-CONTINUES"
#define CLI_STALE_RETURN "CAIRN-STALE-RETURN"
#define CLI_SOURCE_ISA "CAIRN-SOURCE-ISA"

/* Trace buffers in memory (codes_trbe.c) */
#define CLI_TRBE_STOPPED "CAIRN-TRBE-STOPPED"
#define CLI_TRBE_ENABLED "CAIRN-TRBE-ENABLED"
#define CLI_TRBE_WRAP "CAIRN-TRBE-WRAP"
#define CLI_TRBE_REGISTERS "CAIRN-TRBE-REGISTERS"
#define CLI_TRBE_SESSION "CAIRN-TRBE-SESSION"

struct cli_code {
    const char *code;
    const char *meaning; /* sentences; the first one is the shortest answer */
    const char *example; /* lines as `cairn check` prints them */
    const char *help;    /* what to do */
};

#define CLI_CODES_DOUBTS 9
extern const struct cli_code cli_codes_doubts[CLI_CODES_DOUBTS];
#define CLI_CODES_TRBE 5
extern const struct cli_code cli_codes_trbe[CLI_CODES_TRBE];

/* The table, in the order of the page; NULL past the last. */
const struct cli_code *cli_code_at(size_t index);
/* NULL: there is none. In any case of letters, with or without CAIRN-. */
const struct cli_code *cli_code_find(const char *word);

/* Prints the entry of `word` to standard output, or all of them for "all". False, after a message:
 * there is no such code. */
bool cli_code_explain(const char *word);

#endif
