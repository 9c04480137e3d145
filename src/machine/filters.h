/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instructions are traced: ranges to include or exclude, points to start and stop at, as
 * registers of a trace unit: ETE and ETMv4 (DDI0608 D6.8), PTM (IHI0035 3.16), ETMv3 (IHI0014 3.5).
 * Names may be known only when their file is mapped: then the same is done again, on units that are
 * disabled for it, as a debugger would. */
#ifndef CAIRN_MACHINE_FILTERS_H
#define CAIRN_MACHINE_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

enum cairn_filter_use {
    CAIRN_FILTER_INCLUDE,
    CAIRN_FILTER_EXCLUDE,
    CAIRN_FILTER_START,
    CAIRN_FILTER_STOP,
};
#define CAIRN_FILTER_USES 4
/* "include", "exclude", "start", "stop". */
const char *cairn_filter_name(enum cairn_filter_use use);

struct cairn_filter {
    enum cairn_filter_use use;
    uint64_t first, last; /* addresses, both included; of a point the same */
};

struct cairn_filters {
    struct cairn_filter *list;
    size_t count, capacity;
    bool
        waits[CAIRN_FILTER_USES]; /* there are more of the use, whose addresses are not known yet */
};

/* Adds one that is not there yet. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_filters_add(struct cairn_filters *filters,
                                                enum cairn_filter_use use, uint64_t first,
                                                uint64_t last);
void cairn_filters_clear(struct cairn_filters *filters);
/* Whether there is one of the use, or will be. */
bool cairn_filters_have(const struct cairn_filters *filters, enum cairn_filter_use use);

/* Where a unit that has been tracing, or whose thread is a child of one that is traced, goes on. */
struct cairn_filters_state {
    bool started;       /* the start/stop function is active */
    uint64_t continues; /* the instruction that is executed next */
};

/* The start/stop function of an enabled unit (TRCVICTLR.SSSTATUS, ETMSR bit 2). */
bool cairn_filters_started(const struct cairn_unit *unit);

/* Programs a disabled unit: registers as `base` has them, and the filters. `state` NULL: out of
 * reset, so that a unit with start points waits for one. What waits is as if it were nowhere: nothing
 * is traced while all that is to be included, or started at, waits. On failure, with a sentence, part
 * may be written. CAIRN_E_LIMIT: more than the unit has comparators for. CAIRN_E_UNSUPPORTED: the
 * unit cannot (an MTB; include and exclude at once; addresses beyond 32 bits). CAIRN_E_ARGUMENT: a
 * point that starts and stops. */
CAIRN_MUST_CHECK cairn_status cairn_filters_program(const struct cairn_filters *filters,
                                                    const struct cairn_unit *base,
                                                    const struct cairn_filters_state *state,
                                                    struct cairn_unit *unit,
                                                    struct cairn_error *error);

#endif
