/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/compare.h"
#include "../engine/mutate.h"

enum {
    REPORT = 2048,
    DAMAGED_PERCENT = 50,
};

static bool agrees(const struct engine_case *input, struct peer_random *random, const char *what,
                   struct trip_said *said)
{
    char report[REPORT] = "";
    FILE *to = fmemopen(report, sizeof report, "w");
    const uint32_t one = peer_random_range(random, 0, ENGINE_WAYS - 1);
    const uint32_t two = peer_random_range(random, 0, ENGINE_WAYS - 1);
    const bool good = to && engine_compare_ways(input, UINT32_C(1) << one | UINT32_C(1) << two,
                                                peer_random_64(random), to);

    if (to)
        fclose(to);
    if (!good)
        snprintf(said->problem, sizeof said->problem, "%s: the engine: %.500s", what, report);
    return good;
}

bool trip_engine_agrees(const struct trip_case *trip, const struct trip_trace *trace,
                        struct trip_said *said)
{
    struct peer_random random = {.state = trip->seed ^ UINT64_C(0x5bd1e995)};
    struct engine_case input = {.config = trace->config,
                                .image = trip->program->image,
                                .data = trace->bytes,
                                .size = trace->size};
    uint8_t *bytes;
    bool good;

    if (!agrees(&input, &random, "sound", said))
        return false;
    if (!peer_random_percent(&random, DAMAGED_PERCENT))
        return true;
    bytes = malloc(trace->size + MUTATE_MORE);
    if (!bytes)
        return false;
    memcpy(bytes, trace->bytes, trace->size);
    input.data = bytes;
    input.size = mutate(bytes, trace->size, trip->seed);
    good = agrees(&input, &random, "damaged", said);
    free(bytes);
    return good;
}
