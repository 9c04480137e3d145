/* SPDX-License-Identifier: BSD-2-Clause */
/* Overlapping claims on addresses, each for a stretch of source offsets, as they stand at one
 * offset. To move on costs what begins or ends on the way, and not how many claims there are. */
#ifndef CAIRN_IMAGE_TIMELINE_H
#define CAIRN_IMAGE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

/* Somebody wants the addresses first..last at the offsets from..until, all included. Of the claims
 * on one address the lowest rank wins. Ranks are distinct. */
struct cairn_timed_claim {
    uint64_t first;
    uint64_t last;
    uint64_t from;
    uint64_t until;
    uint64_t rank;
    uint32_t owner;
};

struct cairn_timeline;

/* Takes over `claims`, from malloc, and sorts them; it is freed on failure as well. No claim holds
 * before the first cairn_timeline_move. O(n log n) time; at most that much memory, and about 100
 * bytes a claim where claims do not overlap in part. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_timeline_new(struct cairn_timed_claim *claims, size_t count,
                                                 struct cairn_timeline **timeline);
void cairn_timeline_free(struct cairn_timeline *timeline); /* NULL is fine */

/* Goes to a source offset, forwards or back: O(1) for each claim that begins or ends on the way,
 * and O(log^2 n) more if it holds now and did not, or the reverse. False: none begins or ends. */
bool cairn_timeline_move(struct cairn_timeline *timeline, uint64_t offset);

/* Narrows *from..*until to the offsets between which the same claims hold as where it stands. */
void cairn_timeline_hold(const struct cairn_timeline *timeline, uint64_t *from, uint64_t *until);

/* The claim that wins an address, or NULL. O(log n). */
const struct cairn_timed_claim *cairn_timeline_find(const struct cairn_timeline *timeline,
                                                    uint64_t address);

/* Narrows *first..*last, which contain `address`, to the addresses around it that no claim of a
 * lower rank than `rank` takes away. `address` itself must be none of those. O(log n). */
void cairn_timeline_clip(const struct cairn_timeline *timeline, uint64_t rank, uint64_t address,
                         uint64_t *first, uint64_t *last);

/* Steps taken by cairn_timeline_move so far. */
uint64_t cairn_timeline_work(const struct cairn_timeline *timeline);

#endif
