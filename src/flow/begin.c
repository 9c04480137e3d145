/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/begin.h"

#include "flow/follow.h"
#include "protocol/protocol.h"

#include <string.h>

enum {
    /* Two decoders begin so many synchronisations before the one behind which they are compared: */
    LATER = 2,
    EARLIER = 8, /* or at the first one, if that is at least LEAST before */
    LEAST = 4,
    KEPT = 32, /* the last ones before the place wanted that are looked at */
    WORDS = 4096,
};

/* The last synchronisations before a place, the oldest first. */
struct syncs {
    size_t count;
    size_t at[KEPT]; /* in the data */
};

bool cairn_begin_can(const struct cairn_engine *engine)
{
    return !engine->config->rules.any_source && engine->config->protocol->find_sync &&
           cairn_reading_can_stand(engine);
}

static void find_syncs(const struct cairn_config *config, const uint8_t *data, size_t size,
                       struct syncs *syncs)
{
    syncs->count = 0;
    for (size_t at = cairn_find_sync(config, data, size, 0); at < size;
         at = cairn_find_sync(config, data, size, at + 1)) {
        if (syncs->count == KEPT) {
            memmove(syncs->at, syncs->at + 1, (KEPT - 1) * sizeof *syncs->at);
            syncs->count--;
        }
        syncs->at[syncs->count++] = at;
    }
}

/* What a search works with. */
struct finder {
    struct cairn_engine *scout;
    const uint8_t *data;
    size_t size;
    uint64_t origin;
    struct cairn_word_batch *batch;
};

/* Decodes from a place to `stop`. *stands: where it then stands is in `end`, and it has come by an
 * instruction. */
static cairn_status decode(const struct finder *finder, const struct cairn_standing *from,
                           uint64_t stop, struct cairn_standing *end, bool *stands)
{
    struct cairn_engine *scout = finder->scout;
    struct cairn_word_batch *batch = finder->batch;
    size_t position = (size_t)(from->offset - finder->origin);
    cairn_status status = CAIRN_OK;
    bool executed = false;
    bool goes_on = true;

    cairn_standing_put(from, scout);
    scout->out = batch;
    scout->stop = (size_t)(stop - finder->origin);
    while (!status && goes_on) {
        const size_t before = position;

        batch->count = 0;
        batch->event_count = 0;
        batch->instructions = 0;
        batch->dictionary_ends = false;
        status = cairn_engine_go_on(scout, &position);
        executed = executed || batch->count || batch->instructions;
        goes_on =
            !batch->dictionary_ends && (position > before || batch->count || batch->event_count);
    }
    *stands =
        !status && executed && position == scout->stop && cairn_standing_take(scout, position, end);
    scout->stop = SIZE_MAX;
    return status;
}

static cairn_status guess(const struct finder *finder, size_t at, struct cairn_standing *standing,
                          bool *found)
{
    return cairn_standing_guess(finder->scout, finder->data, finder->size, at, finder->origin,
                                standing, found);
}

/* Decodes from behind a synchronisation, `from` being where, to `stop`. */
static cairn_status decode_from(const struct finder *finder, size_t at, uint64_t stop,
                                struct cairn_standing *from, struct cairn_standing *end,
                                bool *stands)
{
    cairn_status status = guess(finder, at, from, stands);

    if (status || !*stands)
        return status;
    *stands = from->offset < stop;
    return *stands ? decode(finder, from, stop, end, stands) : CAIRN_OK;
}

/* A place to begin at, for what is behind the synchronisation syncs->at[last]. */
static cairn_status look_before(const struct finder *finder, const struct syncs *syncs, size_t last,
                                uint64_t from, struct cairn_standing *standing, bool *found)
{
    struct cairn_standing there, later, ends[2];
    cairn_status status = guess(finder, syncs->at[last], &there, found);

    if (status || !*found)
        return status;
    *found = there.offset <= from;
    if (*found)
        status =
            decode_from(finder, syncs->at[last - LATER], there.offset, &later, &ends[1], found);
    if (!status && *found)
        status = decode_from(finder, syncs->at[last > EARLIER ? last - EARLIER : 0], there.offset,
                             standing, &ends[0], found);
    *found = *found && cairn_standing_same(&ends[0], &ends[1]);
    return status;
}

cairn_status cairn_begin_find(struct cairn_engine *scout, const uint8_t *data, size_t size,
                              uint64_t origin, uint64_t from, struct cairn_standing *standing,
                              bool *found)
{
    const size_t before = from - origin < size ? (size_t)(from - origin) : size;
    struct finder finder = {.scout = scout, .data = data, .size = size, .origin = origin};
    struct syncs syncs;
    cairn_status status = cairn_word_batch_new(WORDS, true, &finder.batch);

    *found = false;
    if (status)
        return status;
    find_syncs(scout->config, data, before, &syncs);
    for (size_t last = syncs.count; !status && !*found && last-- > LEAST;)
        status = look_before(&finder, &syncs, last, from, standing, found);
    cairn_word_batch_free(finder.batch);
    return status;
}

bool cairn_begin_sync(const struct cairn_config *config, const uint8_t *data, size_t size,
                      uint64_t origin, uint64_t from, uint64_t *offset)
{
    const size_t before = from - origin < size ? (size_t)(from - origin) : size;
    struct syncs syncs;

    find_syncs(config, data, before, &syncs);
    if (syncs.count <= LEAST)
        return false;
    *offset = origin + syncs.at[syncs.count - 1 - LEAST];
    return true;
}
