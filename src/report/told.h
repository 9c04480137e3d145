/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as sentences with names: functions, source lines, instructions, handlers. */
#ifndef CAIRN_REPORT_TOLD_H
#define CAIRN_REPORT_TOLD_H

#include "report/naming.h"
#include "report/report.h"
#include "report/vectors.h"

#define CAIRN_TOLD_TEXT 400

/* The instruction that was executed last, as far as it was listed. */
struct cairn_told_last {
    bool known;
    enum cairn_isa isa;
    uint64_t address;
    char outcome; /* as cairn_code_outcome says it */
};

/* What sentences are made with. */
struct cairn_told {
    struct cairn_code *code;
    struct cairn_config *config;
    struct cairn_naming *naming;
    struct cairn_vectors vectors;
    struct cairn_told_last last;
    struct cairn_output scratch; /* where they are put together */
};

/* A sentence that may wait for the address where execution goes on. */
enum cairn_told_kind {
    CAIRN_TOLD_WHOLE = 0,            /* it does not: `text` is all */
    CAIRN_TOLD_EXCEPTION = 1,        /* the members below are its parts */
    CAIRN_TOLD_EXCEPTION_RETURN = 2, /* `text`, and where to */
};

struct cairn_told_event {
    enum cairn_told_kind kind;
    bool wrong;                      /* a warning */
    bool chained;                    /* it came instead of another one's return */
    char text[CAIRN_TOLD_TEXT];      /* of an exception: its name */
    char last[CAIRN_TOLD_TEXT];      /* the instruction executed last */
    char call[8];                    /* its name if it is a call of the system: "SVC" */
    char next[CAIRN_TOLD_TEXT];      /* the address it returns to, with names; empty: not known */
    char next_insn[CAIRN_CODE_TEXT]; /* the instruction there */
    char next_line[CAIRN_TOLD_TEXT]; /* its source line */
    char back[32];                   /* that address alone */
};

/* Says what record `index` is, while the place that it happened at is the one that is selected. */
void cairn_told_event(struct cairn_told *told, const struct cairn_flow_batch *batch, size_t index,
                      struct cairn_told_event *event);

/* Writes it. `target` NULL: where execution went on is not known; else the place there is the one
 * that is selected. */
void cairn_told_write(struct cairn_told *told, struct cairn_output *output,
                      const struct cairn_told_event *event, const uint64_t *target);

/* "0x40077c <crash+0x10>", with the short name. */
void cairn_told_address(struct cairn_told *told, struct cairn_output *output, uint64_t address);

/* The name and, if it is not 0, the offset. */
void cairn_told_symbol(struct cairn_told *told, struct cairn_output *output, const char *symbol,
                       uint64_t offset);

#endif
