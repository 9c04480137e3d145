/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Branch Record Buffer has of a list of branches, by the rows of DDI0608 part F. */
#ifndef PE_WHOLE_EXPECT_H
#define PE_WHOLE_EXPECT_H

#include "run.h"

struct whole_records {
    struct cairn_branch records[WHOLE_EVENTS]; /* the oldest first */
    unsigned count;
    bool partial;   /* of what is older the list does not say whether it was recorded */
    unsigned made;  /* BRB_FILTRATE: with those that were thrown away, or by choice injected */
    unsigned level; /* WHOLE_NOWHERE: Debug state */
    /* the cycle counter */
    bool unknown;   /* the cycles of the next one */
    uint64_t clock; /* of the last one */
    /* BRBFCR_EL1 */
    unsigned filters;
    bool paused, last_failed;
    /* freezing */
    bool flag;     /* of the counter that freezes */
    uint32_t left; /* BRB_FILTRATE until it overflows; 0: it does not */
    bool freezing; /* `skid` records are still made */
    unsigned skid;
    uint64_t frozen; /* BRBTS_EL1 */
    /* invalidation by choice */
    unsigned fresh;   /* the youngest so many came behind the last Context synchronization event */
    unsigned swallow; /* so many that come go as well */
    /* of another process */
    struct cairn_branch saved[WHOLE_RECORDS]; /* the youngest last */
    unsigned saved_count;
    bool saved_partial;
    /* how often a rule decided, one way and the other */
    unsigned froze, went_on, kept, swallowed, injected, refused, failed;
};

/* From nothing, the events of a run: what it says of pausing is written to its events. */
void whole_expect_run(struct whole_records *expected, const struct whole_settings *settings,
                      struct whole_list *list);
/* The same of a list that the trace was turned into, with what software did put in between. */
void whole_expect_flow(struct whole_records *expected, const struct whole_settings *settings,
                       const struct whole_list *list);

#endif
