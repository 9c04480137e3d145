/* SPDX-License-Identifier: BSD-2-Clause */
/* The totals of a flow. */
#ifndef CAIRN_REPORT_SUMMARY_H
#define CAIRN_REPORT_SUMMARY_H

#include <cairn/pipeline.h>

#include "report/output.h"

/* Room for kinds of records: those of a newer library are counted together. */
#define CAIRN_SUMMARY_KINDS 32u

struct cairn_summary {
    uint64_t instructions;
    uint64_t taken;     /* P0 instructions that were E */
    uint64_t not_taken; /* ... N */
    uint64_t cycles;    /* that the trace counted; an unknown count adds none */
    uint64_t records[CAIRN_SUMMARY_KINDS];
    uint64_t others; /* of kinds that are not in the list */
};

/* Adds record `index` of a batch. */
void cairn_summary_add(struct cairn_summary *summary, const struct cairn_flow_batch *batch,
                       size_t index);

/* Adds what a pipeline counted and no event tells of; the caller adds the events. */
struct cairn_consumer cairn_summary_of_counts(struct cairn_summary *summary);

/* A few lines for people, or one JSON object for the source of that name. */
void cairn_summary_text(struct cairn_output *output, const struct cairn_summary *summary,
                        const struct cairn_ledger *ledger);
void cairn_summary_json(struct cairn_output *output, const char *source,
                        const struct cairn_summary *summary, const struct cairn_ledger *ledger);

#endif
