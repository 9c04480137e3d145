/* SPDX-License-Identifier: BSD-2-Clause */
/* Random ETMv4 and ETE trace in which every packet is legal, the same with damage, and noise. */
#ifndef CAIRN_TESTS_PROTOCOL_RANDOM_TRACE_H
#define CAIRN_TESTS_PROTOCOL_RANDOM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* A trace unit. */
struct random_unit {
    const char *name;
    bool is_ete;
    bool m_profile;
    uint32_t maxspec;
    uint32_t idr0;
};
extern const struct random_unit random_units[];
extern const size_t random_unit_count;

struct cairn_config *random_configure(const struct random_unit *unit);

/* Good up to the next call. */
struct random_trace {
    const uint8_t *bytes;
    size_t size;
};

/* `mix`, below the count, says which packets are frequent. */
extern const unsigned random_mix_count;
struct random_trace random_trace(const struct random_unit *unit, unsigned mix, uint64_t seed,
                                 size_t size);
/* The last trace, with bytes changed, taken away, put in; ends cut off. */
struct random_trace random_damage(void);
/* Random bytes, A-syncs and Trace Infos between them. */
struct random_trace random_noise(uint64_t seed, size_t size);

#endif
