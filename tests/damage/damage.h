/* SPDX-License-Identifier: BSD-2-Clause */
/* What one damaged bit, or an end that is missing, costs a decoder: instructions lost, and
 * instructions that were never executed. */
#ifndef CAIRN_TESTS_DAMAGE_H
#define CAIRN_TESTS_DAMAGE_H

#include "../../bench/load.h"

/* Executed instructions in order, and the offset of the packet that each was told by. T32 is counted
 * by halfwords: libopencsd's ranges do not say how long its instructions are. */
struct damage_list {
    size_t count;
    size_t capacity;
    uint64_t *address;
    uint64_t *offset;
    bool full; /* there was no room for all */
    /* Gaps and warnings: the packet's offset, shifted by eight, which of the two, and of what kind. */
    size_t doubt_count;
    uint64_t *doubt;
};

void damage_list_new(size_t capacity, struct damage_list *list);
void damage_list_free(struct damage_list *list);
void damage_list_doubt(struct damage_list *list, uint64_t offset, bool is_gap, unsigned which);
void damage_list_range(struct damage_list *list, uint64_t offset, uint64_t start, uint64_t end,
                       bool is_t32);

struct damage_cost {
    uint64_t lost;
    uint64_t invented;
};

/* What has to be taken out of `clean` and put into it for `damaged`, at least. Of `clean` only what
 * packets in front of `end` told. */
struct damage_cost damage_compare(const struct damage_list *clean,
                                  const struct damage_list *damaged, uint64_t end);

/* True when `damaged` has a gap or a warning that `clean` has not. */
bool damage_is_told(const struct damage_list *clean, const struct damage_list *damaged);

/* flow.c: the reference path's flow. *agrees: the engine's is the same. *misfits: how often what it
 * executes does not fit the image, as far as a direct branch or the absence of one tells. */
void damage_decode(const struct bench_source *source, struct cairn_image *image,
                   struct damage_list *list, bool *agrees, uint64_t *misfits);

/* peer.c, or no_peer.c where libopencsd is missing: its flow, decoded by a process of its own. False:
 * it crashed, or took too long or too much memory. */
bool damage_peer_decode(const struct bench_source *source, struct cairn_image *image,
                        struct damage_list *list);
const char *damage_peer_version(void); /* NULL: there is none */

#endif
