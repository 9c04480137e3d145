/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn check` tells: a finding is what is wrong, where, what it costs and what to do about
 * it. Findings are collected first; then those that follow from others are put behind these, equal
 * ones of several sources become one cause, and the worst comes first. */
#ifndef CAIRN_CLI_AUDIT_FINDINGS_H
#define CAIRN_CLI_AUDIT_FINDINGS_H

#include "cli/audit/audit.h"
#include "cli/audit/codes.h"

enum cli_loss {
    CLI_LOSES_NOTHING = 0,
    CLI_LOSES_DATA = 1, /* some of the program's flow is missing, or wrong, because of it: counts
                           for the exit status. Never of a note */
};

/* What is missing or wrong because of a finding, as far as it can be counted. */
struct cli_cost {
    uint64_t branches;     /* P0 elements of the trace: Atoms, Source Addresses, Qs */
    uint64_t instructions; /* of protocols whose Atoms are instructions */
    uint64_t bytes;        /* of the trace */
};

/* How a description is to be changed so that the finding goes away (cli/check/fix.h). */
enum cli_mend {
    CLI_MEND_NOTHING = 0,
    CLI_MEND_REGISTER, /* of the source `of`: register `name` becomes `value`, a number */
    CLI_MEND_PROTOCOL, /* of the source `of`: it becomes `value`, a word of --protocol */
    CLI_MEND_FORMAT,   /* of the buffer `of`: its format becomes `value` */
    CLI_MEND_ORDER,    /* of the buffer `of`: the bytes of each `value` are turned round */
    CLI_MEND_DUMP,     /* the dump section `of` of the file `name`, all dumps of the file `value` (a
                          path), the [image] with the file `of`, or --image `of`: no address */
};
#define CLI_MENDS_MAX 4
struct cli_remedy {
    enum cli_mend mend;
    const char *of;
    const char *name;
    const char *value;
};

/* A finding as the rules make it: everything it points to is copied by cli_findings_add. */
struct cli_finding {
    const char *code; /* CLI_... of cli/audit/codes.h */
    enum cairn_severity severity;
    enum cli_loss loss;
    const char *where;                /* name of a source or buffer; NULL: the capture */
    const char *what;                 /* a sentence without full stop */
    const char *advice;               /* what to do; NULL: nothing */
    const struct cli_sighting *first; /* where first; NULL: nowhere in particular */
    const struct cli_ranges *ranges;  /* addresses it is about; NULL: none */
    struct cli_cost cost;
    uint64_t count; /* how often; 0: that of `first`, if there is one */
    /* Codes of findings that follow from this one, ended by NULL: those about the same source; if
     * `where` is a buffer, about it and its sources; if it is neither, about anything. */
    const char *const *explains;
    bool
        whole; /* and those about nothing in particular, though `where` is a source: there is no other */
    struct cli_remedy remedies[CLI_MENDS_MAX]; /* what mends it for certain; none: NOTHING */
};

/* A finding that was collected. Strings and ranges are its own. */
struct cli_kept {
    struct cli_finding finding;
    struct cli_sighting first;
    struct cli_ranges ranges;
    size_t because; /* index of the finding it follows from; SIZE_MAX: of none */
    size_t cause;   /* index of the cause it belongs to; SIZE_MAX: it follows from another */
    size_t order;   /* in which it was found */
    size_t source;  /* that `where` names; SIZE_MAX: none */
    size_t buffer;  /* that `where` names, or the source's; SIZE_MAX: neither */
};

/* One entry of what is told: a finding, and the same of other sources. */
struct cli_cause {
    size_t head;          /* the costliest of them: index into `items` */
    size_t members;       /* how many findings it has */
    struct cli_cost cost; /* of all of them, and of what follows from them */
};

struct cli_findings {
    const struct cli_audit *audit;
    struct cli_kept *items;
    size_t count, capacity;
    struct cli_cause *causes; /* after cli_findings_sort: worst first */
    size_t cause_count;
    bool no_memory; /* something was lost for want of it */
    uint64_t
        port_left; /* bytes of recordings of ports that may be read anew (cli/audit/port_trial.h) */
};

/* Copies the finding. */
void cli_findings_add(struct cli_findings *findings, const struct cli_finding *finding);

/* Finds out what follows from what, groups and sorts. Nothing is to be added afterwards. */
void cli_findings_sort(struct cli_findings *findings);

/* Whether it counts for the exit status: it loses data. Notes do not. */
bool cli_finding_matters(const struct cli_finding *finding);

/* How many causes have a finding about this source or its buffer: those that matter for the exit
 * status, or (false) other warnings and problems. */
size_t cli_findings_causes_of(const struct cli_findings *findings, size_t source, bool matter);

void cli_findings_free(struct cli_findings *findings);

/* Print verdicts, causes and the last line. (findings_text.c, findings_json.c) */
void cli_findings_text(const struct cli_findings *findings);
void cli_findings_json(const struct cli_findings *findings);
const char *cli_severity_word(enum cairn_severity severity);

/* The rules: everything that the audit of a buffer, a source or the whole capture tells. */
void cli_check_capture(struct cli_findings *findings);               /* check_rules.c */
void cli_check_buffer(struct cli_findings *findings, size_t buffer); /* check_rules.c */
void cli_check_source(struct cli_findings *findings, size_t source); /* check_rules.c */
void cli_check_flow(struct cli_findings *findings, size_t source);   /* check_gaps.c */

/* Whether another layout fits the bytes of a buffer better, and whose the trace IDs are that no
 * trace unit is configured for. (check_frames.c) */
void cli_check_frames(struct cli_findings *findings, size_t buffer);

/* Whether the image is what ran (check_images.c). The audit must have `differences` and
 * `contradictions`. */
void cli_check_images(struct cli_findings *findings);
/* Whether a finding of these says what a remark of the capture does. */
bool cli_check_images_has_told(const struct cli_findings *findings, const char *remark);
/* What to do where memory was missed (check_missing.c). */
const char *cli_missing_advice(const struct cli_findings *findings,
                               const struct cli_audit_source *source);
/* Whether debug information is in other files, which are not here (check_debug.c). */
void cli_check_debug(struct cli_findings *findings);

/* Whether another description fits better (check_trials.c): the protocol, ETMv3's and PTM's
 * registers. */
void cli_check_description(struct cli_findings *findings, size_t source);
/* Whether another width, mode or order of pins fits the recording of a trace port better: true if that is
 * told (check_port.c). */
bool cli_check_port(struct cli_findings *findings, size_t source);

/* Whether the order of a buffer's bytes is the other one (check_order.c). */
void cli_check_order(struct cli_findings *findings, size_t buffer);

/* printf for what a finding says. */
#define CLI_SENTENCE_MAX 640
void cli_finding_sentence(char sentence[CLI_SENTENCE_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
