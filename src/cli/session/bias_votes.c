/* SPDX-License-Identifier: BSD-2-Clause */
/* Votes for load addresses: a hash table that does not grow. */
#include <stdlib.h>

#include "base/golden.h"
#include "cli/session/bias.h"

#define SLOTS ((size_t)1 << 20)
#define TRIES 64 /* slots looked at for one address */

struct cli_votes {
    struct cli_candidate *slots; /* votes 0: empty */
};

struct cli_votes *cli_votes_new(void)
{
    struct cli_votes *votes = calloc(1, sizeof *votes);

    if (votes)
        votes->slots = calloc(SLOTS, sizeof *votes->slots);
    if (votes && !votes->slots) {
        free(votes);
        return NULL;
    }
    return votes;
}

void cli_votes_free(struct cli_votes *votes)
{
    if (votes)
        free(votes->slots);
    free(votes);
}

void cli_votes_add(struct cli_votes *votes, uint64_t bias)
{
    size_t at = (size_t)((bias * CAIRN_GOLDEN) >> 40);

    for (unsigned i = 0; i < TRIES; i++) {
        struct cli_candidate *slot = &votes->slots[(at + i) % SLOTS];

        if (slot->votes && slot->bias != bias)
            continue;
        slot->bias = bias;
        slot->votes++;
        return;
    }
}

/* More votes first; of two with as many the lower address, so that the order is always the same. */
static bool is_better(const struct cli_candidate *one, const struct cli_candidate *other)
{
    return one->votes > other->votes || (one->votes == other->votes && one->bias < other->bias);
}

size_t cli_votes_best(const struct cli_votes *votes, struct cli_candidate *best, size_t capacity,
                      size_t *ties)
{
    size_t count = 0;

    for (size_t i = 0; i < SLOTS; i++) {
        struct cli_candidate one = votes->slots[i];

        if (!one.votes || (count == capacity && !is_better(&one, &best[count - 1])))
            continue;
        size_t at = count < capacity ? count++ : capacity - 1;
        for (; at > 0 && is_better(&one, &best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = one;
    }
    *ties = 0;
    for (size_t i = 0; i < SLOTS; i++)
        *ties += count && votes->slots[i].votes == best[0].votes;
    return count;
}
