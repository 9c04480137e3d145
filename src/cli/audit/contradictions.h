/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the trace and the image contradict each other, by the file that the instruction is from. */
#ifndef CAIRN_CLI_AUDIT_CONTRADICTIONS_H
#define CAIRN_CLI_AUDIT_CONTRADICTIONS_H

#include "cli/audit/audit.h"

enum cli_contradiction {
    CLI_RAN_NEVER_N = 0,   /* N for an instruction that is always taken */
    CLI_RAN_ELSEWHERE = 1, /* the trace goes on elsewhere than the instruction says */
    CLI_RAN_UNDEFINED = 2, /* an instruction that nothing can execute was executed */
    CLI_RAN_NO_CALL = 3,   /* a supervisor call where there is no such instruction */
    CLI_RAN_NO_WAY = 4,    /* what the trace tells is not on the way through the code */
    CLI_CONTRADICTIONS = 5,
};

#define CLI_EXAMPLE_TEXT 128
/* One of them. */
struct cli_example {
    enum cli_contradiction kind;
    size_t source;
    struct cli_sighting first; /* address: of the instruction */
    char text[CLI_EXAMPLE_TEXT];
    char symbol[CLI_EXAMPLE_TEXT]; /* "main+0x10", or empty */
    uint64_t image; /* where the image says that the flow goes on; of CLI_RAN_ELSEWHERE */
    uint64_t trace; /* where the trace does; of CLI_RAN_ELSEWHERE, CLI_RAN_NO_WAY */
};

/* Those of one file. */
struct cli_contradicted {
    size_t layer; /* one of the file's */
    uint64_t kinds[CLI_CONTRADICTIONS];
    uint64_t total;
    struct cli_example example; /* the first */
};

struct cli_contradictions {
    struct cli_contradicted *files;
    size_t count;
    uint64_t nowhere; /* contradictions behind a loss, that are no file's */
    bool cut;         /* not all of a source was looked at */
};

/* Looks through the sources in which the audit saw any, record by record. Free in every case; false:
 * memory is out. */
bool cli_contradictions_find(struct cli_contradictions *found, const struct cli_audit *audit);
void cli_contradictions_free(struct cli_contradictions *found);

/* "12 branches that lead elsewhere, 3 ..." */
void cli_contradictions_kinds(const struct cli_contradicted *file, char *text, size_t size);

/* A sentence about the example: what the image says, and what the trace says. */
void cli_contradictions_example(const struct cli_example *example, char *text, size_t size);

#endif
