/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the programming of a trace unit, before anything is traced: values that the
 * specification reserves or calls CONSTRAINED UNPREDICTABLE, resources that were not built, and what
 * is allowed and leaves the trace empty. docs/lint.md has each rule. */
#ifndef CAIRN_LINT_H
#define CAIRN_LINT_H

#include <cairn/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_lint_severity {
    CAIRN_LINT_NOTE = 0,    /* worth knowing */
    CAIRN_LINT_WARNING = 1, /* allowed, and hardly what was meant */
    CAIRN_LINT_PROBLEM = 2, /* reserved, impossible, or CONSTRAINED UNPREDICTABLE */
};

/* One thing that was found. The strings are valid during the call only, but for `code`, `requirement`
 * and `remedy`, which live as long as the library. */
struct cairn_lint_finding {
    size_t size;             /* of this structure as the library has it */
    const char *code;        /* "CAIRN-LINT-RANGE-ORDER": never changes what it means */
    const char *requirement; /* the specification's id of the rule, or its section */
    enum cairn_lint_severity severity;
    unsigned line;    /* of the script, from 1; 0: not of one line */
    const char *unit; /* its name, or NULL */
    const char *name; /* the register's, or NULL */
    const char *what; /* a sentence */
    const char *remedy;
};
typedef void cairn_lint_tell(void *context, const struct cairn_lint_finding *finding);

/* Its trace leaves by a bus that other sources use: the trace ID tells them apart. */
#define CAIRN_LINT_SHARED_BUS (1u << 0)
/* Its trace has a sink of its own, such as a TRBE: the trace ID does not matter. */
#define CAIRN_LINT_OWN_SINK (1u << 1)
/* The values were read behind a session, which moved counters, the sequencer, single-shot controls
 * and the start/stop function: what looks wrong about where they stand is a note. */
#define CAIRN_LINT_AFTERWARDS (1u << 2)

/* A unit and how it is programmed: by values, or by a script, or by a script that goes on from
 * values. Zero it, then set `size`. */
struct cairn_lint_unit {
    size_t size;      /* of this structure */
    const char *name; /* for findings; NULL */
    enum cairn_protocol_id protocol;
    uint32_t flags; /* CAIRN_LINT_... */
    /* Values, with those of identification registers (TRCIDR0 ..., ETMCCR ...) as far as they are
     * known: what is not given is taken for a unit that has everything. */
    const struct cairn_register *registers;
    size_t register_count;
    /* One access a line: "write TRCVICTLR 0x201", "wait TRCSTATR.IDLE 1" ... (docs/lint.md). NULL:
     * there is none. */
    const char *script;
    size_t script_size;
    const char *script_name; /* for errors: the file's */
};

/* Calls `tell` for each finding, in the order of the rules, and of a script in the order of its
 * lines. CAIRN_E_UNSUPPORTED: there are no rules for the protocol. CAIRN_E_FORMAT: a line of the
 * script is no access; what was found in front of it was told. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_lint(const struct cairn_lint_unit *unit,
                                                   cairn_lint_tell *tell, void *context,
                                                   struct cairn_error *error);

/* The same of what several units on one shared bus have in common: trace IDs. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_lint_bus(const struct cairn_lint_unit *const *units,
                                                       size_t count, cairn_lint_tell *tell,
                                                       void *context, struct cairn_error *error);

/* A rule; filled up to the `size` that the caller sets. */
struct cairn_lint_rule_info {
    size_t size; /* of this structure */
    const char *code;
    const char *requirement;
    enum cairn_lint_severity severity; /* the gravest that it tells */
    const char *meaning;               /* sentences */
    const char *remedy;
    enum cairn_protocol_id protocol; /* of the example */
    const char *example; /* registers "NAME=VALUE NAME=VALUE", or a script, that break the rule */
};
/* Rule `index`; CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_lint_rule(size_t index, struct cairn_lint_rule_info *info);

#ifdef __cplusplus
}
#endif
#endif
