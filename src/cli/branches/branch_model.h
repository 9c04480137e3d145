/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow of a source through a Branch Record Buffer: what it would have recorded (<cairn/pe.h>). */
#ifndef CAIRN_CLI_BRANCHES_BRANCH_MODEL_H
#define CAIRN_CLI_BRANCHES_BRANCH_MODEL_H

#include <cairn/pe.h>

#include "cli/branches/branch_flows.h"

#define CLI_BRANCH_REGISTERS_MOST 16u

/* How the buffer is programmed. */
struct cli_branch_programming {
    uint32_t records; /* 8, 16, 32, 64 */
    bool is_raw;      /* the dump is registers as they lie in memory, */
    uint32_t raw;     /* so many records a buffer; 0: all of them */
    size_t count;
    struct {
        char name[24]; /* as cairn_pe_write takes it */
        uint64_t value;
    } registers[CLI_BRANCH_REGISTERS_MOST];
};

/* Adds what --brbe says, over what is there: "BRBFCR_EL1=0x7e0000,BRBCR_EL1=0xc0001b,NUMREC=32", or "all";
 * "raw" and a number say how a dump lies in its file.
 * False after a message. */
bool cli_branch_programming_read(struct cli_branch_programming *programming,
                                 struct cli_session *session, const char *text);
/* A register's value, over another one that it had. False: there is no room. */
bool cli_branch_programming_set(struct cli_branch_programming *programming, const char *name,
                                uint64_t value);
bool cli_branch_programming_has(const struct cli_branch_programming *programming, const char *name);

/* Who follows the records. */
struct cli_branch_follower {
    /* One was added: it is the youngest of `pe` */
    void (*added)(void *context, const struct cairn_pe *pe,
                  const struct cairn_branch_registers *record);
    /* Branches were executed of which the flow does not tell */
    void (*dropped)(void *context);
    /* The flow has ended */
    void (*ended)(void *context, const struct cairn_pe *pe);
    void *context;
};

/* Tells one of the flows to such a buffer. False after a message. */
bool cli_branch_model_run(const struct cli_branch_flows *flows, size_t flow,
                          const struct cli_branch_programming *programming,
                          const struct cli_branch_follower *follower);

#endif
