/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of two resources, and the resources that have a state of their own: counters and the
 * sequencer. The same in ETMs and PTMs (IHI0014 2.2.3, 3.6; IHI0035 3.8.3 to 3.10). */
#ifndef CAIRN_UNIT_ETM_DERIVED_H
#define CAIRN_UNIT_ETM_DERIVED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define CAIRN_ETM_COUNTERS 4u
#define CAIRN_ETM_ALWAYS 0x0006fu
#define CAIRN_ETM_NEVER 0x0406fu
#define CAIRN_ETM_EVENT 0x1ffffu /* bits of an event */

/* Whether resource `number` of `resources` is active. */
typedef bool cairn_etm_is_active(const void *resources, unsigned number);

/* The value of an event register: resources A and B, and a function of them. */
bool cairn_etm_function(uint32_t event, cairn_etm_is_active *is_active, const void *resources);

struct cairn_etm_derived {
    uint16_t counters[CAIRN_ETM_COUNTERS];
    uint8_t sequencer; /* 0 to 2: states 1 to 3 */
};

static inline bool cairn_etm_derived_same(const struct cairn_etm_derived *a,
                                          const struct cairn_etm_derived *b)
{
    return memcmp(a->counters, b->counters, sizeof a->counters) == 0 &&
           a->sequencer == b->sequencer;
}

/* The registers, as they lie in a register file. */
struct cairn_etm_derived_program {
    const uint32_t *reload_values; /* ETMCNTRLDVR1 on: one a counter */
    const uint32_t *enables;       /* ETMCNTENR1 on */
    const uint32_t *reloads;       /* ETMCNTRLDEVR1 on */
    const uint32_t *transitions;   /* ETMSQ12EVR, 21, 23, 31, 32, 13 */
    bool reduced; /* counter 1 counts all cycles, and is reloaded where it is 0 (ETMCCER[27]) */
};

/* One cycle later. All look at what `resources` shows in this one. */
struct cairn_etm_derived cairn_etm_derived_next(const struct cairn_etm_derived *now,
                                                const struct cairn_etm_derived_program *program,
                                                cairn_etm_is_active *is_active,
                                                const void *resources);
/* Whether any of them can change. */
bool cairn_etm_derived_moves(const struct cairn_etm_derived_program *program);

#endif
