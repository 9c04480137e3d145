/* SPDX-License-Identifier: BSD-2-Clause */
/* Where parts of the data begin: where a decoder can be started, about as far apart as is wanted. */
#ifndef CAIRN_FLOW_PLAN_H
#define CAIRN_FLOW_PLAN_H

#include "flow/part.h"

/* Bytes in front of the end that belong to no part. */
#define CAIRN_PLAN_TAIL 256u

struct cairn_plan {
    struct cairn_engine *scout; /* for nothing else */
    const uint8_t *data;
    size_t size;
    uint64_t origin; /* source offset of data[0] */
    size_t searched; /* up to here parts are planned */
    bool done;       /* there are no more */
    size_t part;     /* bytes wanted of one */
    size_t part_max;
    size_t ahead_most; /* parts are planned no farther ahead of what is decoded */
    unsigned jobs;
};

/* Begins with other data, at `position` of it. */
void cairn_plan_begin(struct cairn_plan *plan, const struct cairn_engine *engine, size_t position);

/* Plans from where decoding is, anew. */
void cairn_plan_again(struct cairn_plan *plan);

/* The next part's start and guess. *found false: there is none within reach. */
cairn_status cairn_plan_next(struct cairn_plan *plan, size_t position, struct cairn_part *part,
                             bool *found);

/* Parts become smaller or larger by how full one's batch became. */
void cairn_plan_learn(struct cairn_plan *plan, const struct cairn_part *part);

#endif
