/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of a Branch Record Buffer's registers, as debuggers, kernels and people write them down: lines
 * NAME=VALUE or NAME: VALUE, one or several of them in a line, in any order and case, with _EL1 or
 * without. What does not begin with BRB is something else's. [NAME] begins another stack. */
#ifndef CAIRN_CLI_BRANCHES_BRANCH_DUMP_H
#define CAIRN_CLI_BRANCHES_BRANCH_DUMP_H

#include "cli/session/session.h"

#define CLI_BRANCHES_MOST 64u /* records that a Branch Record Buffer can have (I_FBHCC) */

enum cli_branch_part { CLI_BRANCH_INF, CLI_BRANCH_SRC, CLI_BRANCH_TGT, CLI_BRANCH_PARTS };

enum cli_branch_control {
    CLI_BRANCH_IDR0,
    CLI_BRANCH_FCR,
    CLI_BRANCH_CR_EL1,
    CLI_BRANCH_CR_EL2,
    CLI_BRANCH_TS,
    CLI_BRANCH_CONTROLS,
};

struct cli_branch_value {
    uint64_t value;
    unsigned line; /* 0: it is not in the dump */
};

/* The registers of one buffer. */
struct cli_branch_dump {
    char *name; /* of its section; NULL: none */
    struct cli_branch_value records[CLI_BRANCHES_MOST][CLI_BRANCH_PARTS];
    struct cli_branch_value controls[CLI_BRANCH_CONTROLS];
    size_t count;    /* of records, valid ones and not */
    size_t first;    /* number of the first: 32 when bank 1 alone was read */
    size_t capacity; /* of the buffer, by BRBIDR0_EL1; 0: not known */
};

struct cli_branch_dumps {
    struct cli_branch_dump *items;
    size_t count;
};

/* Reads a file. False after a message. Free in every case. */
bool cli_branch_dumps_read(struct cli_branch_dumps *dumps, struct cli_session *session,
                           const char *path);
/* The same of a file of registers as they lie in memory: BRBINF<n>, BRBSRC<n> and BRBTGT<n> of record 0, of record 1 ...,
 * little-endian doublewords; buffers of `records` one behind the other, or with 0 all of it one. `controls`: of each. */
bool cli_branch_dumps_read_raw(struct cli_branch_dumps *dumps, struct cli_session *session,
                               const char *path, size_t records,
                               const struct cli_branch_value controls[CLI_BRANCH_CONTROLS]);
void cli_branch_dumps_free(struct cli_branch_dumps *dumps);

#endif
