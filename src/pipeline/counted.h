/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each range and each branch of a source was executed: what profiles are made of. A range is what one
 * Range record of the flow is: consecutive instructions up to one that decides the path, taken or not. The lists
 * are sorted and depend on nothing but the flow: neither on threads nor on how it was decoded. */
#ifndef CAIRN_PIPELINE_COUNTED_H
#define CAIRN_PIPELINE_COUNTED_H

#include <stdbool.h>

#include <cairn/pipeline.h>

/* What is beyond that is left out, and counted. */
#define CAIRN_COUNTED_MOST (1u << 22) /* ranges, and as many branches */
#define CAIRN_COUNTED_PLACES_MOST (1u << 16)

struct cairn_counted_range {
    uint64_t address; /* of the first instruction, */
    uint64_t last;    /* of the last one, */
    uint64_t end;     /* and behind it */
    uint64_t count;
    uint64_t taken;        /* how often the last one was a branch that was taken */
    uint32_t instructions; /* of one execution */
    uint32_t place;        /* index */
    uint32_t flags;        /* CAIRN_INSN_... of the last instruction */
    uint8_t isa;           /* enum cairn_isa */
    uint8_t kind;          /* enum cairn_insn_kind of the last instruction */
};

/* Taken branches alone. Exceptions, and what follows a gap, are none. */
struct cairn_counted_branch {
    uint64_t from; /* of the instruction */
    uint64_t to;   /* of a direct one as its opcode says; of an indirect one as the flow went on */
    uint64_t count;
    uint32_t from_place, to_place;
    uint32_t flags;  /* CAIRN_INSN_... */
    uint8_t kind;    /* CAIRN_INSN_BRANCH_DIRECT or INDIRECT */
    bool has_target; /* false: the flow does not tell where it went; `to` is 0 */
};

struct cairn_counted;

/* Counts what a pipeline over `image` and `config`, which must live as long, decodes. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_new(struct cairn_image *image,
                                                struct cairn_config *config,
                                                struct cairn_counted **counted);
void cairn_counted_free(struct cairn_counted *counted); /* NULL is fine */

/* Leaves out what is of places that `wants` does not want. It is asked once for each place. */
void cairn_counted_filter(struct cairn_counted *counted,
                          bool (*wants)(void *context, const struct cairn_place *place),
                          void *context);

/* Where rows of ranges end: of trace units that tell of each instruction a range is one of these, as a rule, and the
 * row is what a range is of others. */
enum cairn_rows_end {
    CAIRN_ROWS_NONE = 0,
    CAIRN_ROWS_TO_BRANCH = 1, /* at each branch, taken or not */
    CAIRN_ROWS_TO_TAKEN = 2,  /* at branches that are taken */
};
/* Before the first batch: counts rows as well. */
void cairn_counted_want_rows(struct cairn_counted *counted, enum cairn_rows_end end);

/* To add to a pipeline without CAIRN_PIPELINE_COUNTS. */
struct cairn_consumer cairn_counted_consumer(struct cairn_counted *counted);
/* To add to one with CAIRN_PIPELINE_COUNTS and without NO_PLACES, where no rows are wanted: the same lists many times
 * as fast. What is counted is complete when the source has ended. */
struct cairn_consumer cairn_counted_words_consumer(struct cairn_counted *counted);

/* Makes the lists, once the source has ended. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_counted_finish(struct cairn_counted *counted);
/* By place, address, last. Valid as long as `counted`. */
const struct cairn_counted_range *cairn_counted_ranges(const struct cairn_counted *counted,
                                                       size_t *count);
/* Rows, in the order of ranges. `taken` is 0, `instructions` those of the last range, `flags` and `kind` its. None
 * unless they were wanted. */
const struct cairn_counted_range *cairn_counted_rows(const struct cairn_counted *counted,
                                                     size_t *count);
/* By place, from, with a target or without, place and address of the target. */
const struct cairn_counted_branch *cairn_counted_branches(const struct cairn_counted *counted,
                                                          size_t *count);
/* The context and epoch in which a range was executed. */
const struct cairn_place *cairn_counted_place(const struct cairn_counted *counted, uint32_t place);
/* How many executions of ranges, and of branches, were left out for want of room. */
uint64_t cairn_counted_left_out(const struct cairn_counted *counted);

#endif
