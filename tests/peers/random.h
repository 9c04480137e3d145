/* SPDX-License-Identifier: BSD-2-Clause */
/* A small generator of random numbers (splitmix64): the same seed gives the same trace everywhere.
 */
#ifndef CAIRN_TESTS_PEERS_RANDOM_H
#define CAIRN_TESTS_PEERS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct peer_random {
    uint64_t state;
};

static inline uint64_t peer_random_64(struct peer_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 .. bound - 1; bound is not 0. */
static inline uint32_t peer_random_below(struct peer_random *random, uint32_t bound)
{
    return (uint32_t)((peer_random_64(random) >> 32) % bound);
}

/* low .. high, both included. */
static inline uint32_t peer_random_range(struct peer_random *random, uint32_t low, uint32_t high)
{
    return low + peer_random_below(random, high - low + 1);
}

static inline bool peer_random_percent(struct peer_random *random, unsigned percent)
{
    return peer_random_below(random, 100) < percent;
}

#endif
