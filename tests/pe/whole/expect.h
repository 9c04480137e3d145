/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Branch Record Buffer has of a list of branches, by the rows of DDI0608 part F. */
#ifndef PE_WHOLE_EXPECT_H
#define PE_WHOLE_EXPECT_H

#include "run.h"

struct whole_records {
    struct cairn_branch records[WHOLE_EVENTS]; /* the oldest first */
    unsigned count;
    unsigned made; /* with those that were thrown away */
    bool unknown;  /* the cycles of the next one */
    unsigned epoch;
    uint64_t clock; /* of the last one */
    bool partial;   /* of what is older the list does not say whether it was recorded */
};

/* Of the events from that one on, before which the buffer is empty. */
void whole_expect(struct whole_records *expected, const struct whole_settings *settings,
                  const struct whole_list *list, unsigned from);

#endif
