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
    char what[400];
};
#define TOLD 64u
extern struct told told[TOLD];
extern size_t told_count;

/* A code without CAIRN-LINT- was told; told as more than a note. */
bool has(const char *code);
bool has_grave(const char *code);
/* The text is looked at: whether the code was told. */
bool is_told(enum cairn_protocol_id protocol, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* It is told of the text, so. */
void expect(enum cairn_protocol_id protocol, const char *text, const char *code,
            enum cairn_lint_severity severity, const char *name, unsigned line);

/* A value of a register of which the code is told, or not, and the bits each of which, alone,
 * changes that: of 32, of TRCACVR of 64. */
struct look {
    enum cairn_protocol_id protocol;
    const char *code, *name;
    uint64_t value;
    bool told;
    uint64_t changes;
    const char *rest; /* other registers */
};
#define ALL 0xffffffffu
void expect_looks(const struct look *looks, size_t count);
#define LOOK_AT(looks) expect_looks(looks, sizeof looks / sizeof looks[0])

#endif
