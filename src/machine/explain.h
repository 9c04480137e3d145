/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace unit says of what it was told (cairn_unit_observe, _outputs, _changes), put together: a table
 * of reasons, and, for whoever wants them, the runs of instructions that are traced or not for one reason,
 * and what the resources did, in order. Records are plain numbers: the plugin in QEMU leaves them in a
 * file (machine/recording.h). */
#ifndef CAIRN_MACHINE_EXPLAIN_H
#define CAIRN_MACHINE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

enum cairn_explained_kind {
    CAIRN_EXPLAINED_RUN = 1,
    CAIRN_EXPLAINED_OUTPUT = 2, /* external outputs */
    CAIRN_EXPLAINED_CHANGE = 3, /* a counter, the sequencer or a single-shot reached something */
    CAIRN_EXPLAINED_ROW = 4,    /* of the table: all runs of one reason */
    CAIRN_EXPLAINED_TOTAL = 5,  /* struct cairn_unit_counters, as far as it is here */
};

/* Members that do not count for a kind are 0. */
struct cairn_explained {
    uint32_t kind;    /* enum cairn_explained_kind */
    uint32_t why;     /* Run, Row: CAIRN_UNIT_WHY_... */
    uint64_t at;      /* instructions told before; Row: before its first run */
    uint64_t address; /* Run, Row: of the first instruction; Output, Change: told last */
    uint64_t end;     /* Run: behind the last one's bytes; Row: of its first run */
    uint64_t pieces;  /* Run, Row: blocks, or what the unit decides on */
    uint64_t instructions;
    uint64_t runs;   /* Row: how many */
    uint64_t clock;  /* Output, Change: its number; Total: those that passed */
    uint32_t events; /* Output: as cairn_unit_outputs has them */
    uint32_t vmid;
    uint32_t context_id;
    uint16_t counters[4];
    uint8_t isa, EL, security, SF;
    uint8_t traced;
    uint8_t sequencer, fired, reached, moved, firing;
    uint8_t reserved[6];
    uint64_t bytes, exceptions, discontinuities, overflows, syncs; /* Total */
};

/* Anything but CAIRN_OK: no more of them are wanted. */
typedef cairn_status cairn_explained_sink(void *context, const struct cairn_explained *record);

#define CAIRN_EXPLAIN_ROWS 128u
#define CAIRN_EXPLAIN_EVENTS 4u

struct cairn_explainer {
    cairn_explained_sink *sink; /* NULL: nobody wants runs and changes; set to it when it fails */
    void *sink_context;
    uint64_t told;              /* instructions */
    struct cairn_explained run; /* in progress; instructions 0: none */
    struct cairn_explained rows[CAIRN_EXPLAIN_ROWS];
    size_t row_count;
    uint64_t events[CAIRN_EXPLAIN_EVENTS]; /* how often each occurred */
    uint64_t zero[4], loaded[4];           /* by counter: it came to 0, and got its reload value */
    uint64_t moved;                        /* of the sequencer */
};

/* Makes the unit, when it is made, tell the explainer, which has to stay where it is. Begin with a zeroed
 * one. */
void cairn_explain(struct cairn_explainer *explainer, struct cairn_unit_options *options);
/* The unit has been disabled: the last run ends. */
void cairn_explain_end(struct cairn_explainer *explainer);
/* Gives the table, and what the unit counted, to the sink. */
void cairn_explain_rows(struct cairn_explainer *explainer, const struct cairn_unit *unit);

/* Reads records back: into rows, counts of events, and the sink. */
void cairn_explain_take(struct cairn_explainer *explainer, const struct cairn_explained *record);

#endif
