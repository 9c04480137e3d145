/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the rules share: a programming looked at, and what was told of it. */
#ifndef TEST_LINT_BENCH_H
#define TEST_LINT_BENCH_H

#include <stdbool.h>

#include <cairn/lint.h>

#define ETE CAIRN_PROTOCOL_ETE
#define ETMV4 CAIRN_PROTOCOL_ETMV4
#define PTM CAIRN_PROTOCOL_PTM
#define ETMV3 CAIRN_PROTOCOL_ETMV3
#define MTB CAIRN_PROTOCOL_MTB
#define IDLE "write TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\n"

/* CAIRN_LINT_...: of what is looked at; 0. */
extern uint32_t lint_flags;
/* Registers "A=1 B=2", or a script. What was told before is forgotten. */
cairn_status lint(enum cairn_protocol_id protocol, const char *text);
/* Adds to what was told. */
void tell(void *context, const struct cairn_lint_finding *finding);

struct told {
    char code[48];
    enum cairn_lint_severity severity;
    unsigned line;
    char name[32];
};
#define TOLD 64u
extern struct told told[TOLD];
extern size_t told_count;

/* A code without CAIRN-LINT- was told; told as more than a note. */
bool has(const char *code);
bool has_grave(const char *code);
/* It is told of the text, so. */
void expect(enum cairn_protocol_id protocol, const char *text, const char *code,
            enum cairn_lint_severity severity, const char *name, unsigned line);

#endif
