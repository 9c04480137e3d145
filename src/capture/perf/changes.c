/* SPDX-License-Identifier: BSD-2-Clause */
/* What is mapped where something else was counts from then on. Where in the trace that is, its parts tell, and what pins it
 * has; in between nobody knows which of the two was executed at the addresses that both have, and there is neither. */
#include <inttypes.h>
#include <string.h>

#include "base/room.h"
#include "capture/perf/images.h"
#include "image/layer.h"

static uint64_t last_of(const struct cairn_perf_mapping *mapping)
{
    return mapping->size - 1 > UINT64_MAX - mapping->address
               ? UINT64_MAX
               : mapping->address + (mapping->size - 1);
}

/* Of the same bytes of the same file, where both are. */
static bool are_alike(const struct cairn_perf_trace *trace, const struct cairn_perf_mapping *one,
                      const struct cairn_perf_mapping *other)
{
    if (one->address - one->offset != other->address - other->offset ||
        strcmp(one->path, other->path) != 0)
        return false;
    const char *const id = cairn_perf_build_id_of(trace, one);
    const char *const other_id = cairn_perf_build_id_of(trace, other);

    return !id || !other_id || !strcmp(id, other_id);
}

/* Functions that are compiled while a program runs are put into memory that is of no file: what is there of them was
 * nothing before. */
static bool was_made_in(const struct cairn_perf_mapping *old,
                        const struct cairn_perf_mapping *mapping)
{
    return !cairn_perf_has_file(old) && old->address <= mapping->address &&
           mapping->address - old->address + mapping->size <= old->size;
}

/* What a mapping has of the addresses of another one. */
static cairn_status add_older(struct cairn_perf_images *images,
                              const struct cairn_perf_mapping *mapping,
                              const struct cairn_perf_older *older)
{
    const uint64_t last = last_of(mapping);

    if (cairn_enlarge(&images->older, &images->older_room, images->older_count + 1,
                      sizeof *images->older) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    struct cairn_perf_older *const made = &images->older[images->older_count++];

    *made = *older;
    made->first = made->first > mapping->address ? made->first : mapping->address;
    made->last = made->last < last ? made->last : last;
    return CAIRN_OK;
}

cairn_status cairn_perf_look_back(struct cairn_perf_images *images, size_t n,
                                  struct cairn_perf_when *when)
{
    const struct cairn_perf_trace *const trace = images->trace;
    const struct cairn_perf_mapping *const mapping = &trace->mappings[n];
    const bool is_file = cairn_perf_has_file(mapping);
    const struct cairn_perf_holding wanted = {mapping->process, mapping->address, last_of(mapping),
                                              n};
    const struct cairn_perf_holding *at =
        cairn_perf_held_from(&images->held, wanted.process, wanted.first);
    cairn_status status = CAIRN_OK;
    uint64_t alike = wanted.first; /* up to there it is */

    *when = (struct cairn_perf_when){.is_there = false};
    images->older_count = 0;
    for (; at && at->first <= wanted.last && status == CAIRN_OK;
         at = at->last < UINT64_MAX
                  ? cairn_perf_held_from(&images->held, wanted.process, at->last + 1)
                  : NULL) {
        const struct cairn_perf_mapping *const old = &trace->mappings[at->mapping];
        const uint64_t end = cairn_perf_end_of(trace, old);
        const bool is_still_there = !end || end > mapping->time;

        if (!is_file && !cairn_perf_has_file(old))
            continue;
        when->is_second = true;
        if (are_alike(trace, old, mapping)) {
            when->is_there |= is_still_there && at->first <= alike && at->last >= wanted.last;
            alike = is_still_there && at->first <= alike ? at->last + 1 : alike;
        } else if (!was_made_in(old, mapping)) {
            status = add_older(images, mapping,
                               &(struct cairn_perf_older){at->first, at->last, old,
                                                          is_still_there ? mapping->time : end});
        }
    }
    if (status == CAIRN_OK && !when->is_there)
        status = cairn_perf_hold(&images->held, &wanted);
    return status;
}

/* --- where in the trace --- */

/* Where in the source it was `time`, also by what the trace of the part tells. */
static cairn_status between(struct cairn_perf_images *images, struct cairn_perf_place *place,
                            uint64_t time, struct cairn_perf_between *found)
{
    const size_t part = cairn_perf_place_part(place, time);
    cairn_status status = cairn_perf_place_count(images->capture, place);

    if (status == CAIRN_OK && cairn_perf_place_is_amid(place, part, time))
        status = cairn_perf_pin_part(&images->pinning, place, part);
    if (status == CAIRN_OK)
        *found = cairn_perf_place_between(place, time);
    return status;
}

/* In words, with the source's bytes. */
static const char *tell(const struct cairn_perf_images *images,
                        const struct cairn_perf_place *place,
                        const struct cairn_perf_mapping *mapping,
                        const struct cairn_perf_older *older,
                        const struct cairn_perf_between *unknown)
{
    struct cairn_arena *const arena = &images->capture->arena;
    const char *const until = unknown->until < CAIRN_PERF_OFFSET_END
                                  ? cairn_arena_format(arena, "up to 0x%" PRIx64, unknown->until)
                                  : "up to the end";

    return cairn_arena_format(
        arena, "%.200s where %.200s was, at 0x%" PRIx64 ", in %s from byte 0x%" PRIx64 " on %s",
        mapping->path, older->mapping->path, older->first,
        images->capture->sources[place->source].name, unknown->from, until);
}

/* Nobody knows what is at these addresses in the meantime. */
static cairn_status add_unknown(struct cairn_perf_images *images, struct cairn_perf_place *place,
                                const struct cairn_perf_mapping *mapping,
                                const struct cairn_perf_older *older, uint64_t from, bool *is_any)
{
    struct cairn_perf_between unknown = {0};
    struct cairn_perf_mapping part = *mapping;
    cairn_status status = between(images, place, older->end, &unknown);
    const size_t had = images->layers;

    unknown.from = from;
    if (status != CAIRN_OK || unknown.from >= unknown.until)
        return status;
    images->scope = cairn_scope_any();
    images->scope.source = (uint32_t)place->source;
    images->scope.epoch_from = unknown.from;
    images->scope.epoch_to = unknown.until;
    part.address = older->first;
    part.size = older->last - older->first + 1;
    status = cairn_perf_add_unknown(images, &part, CAIRN_LAYER_ONE_OF_TWO);
    if (images->layers == had)
        return status;
    if (!images->amid && !*is_any)
        images->first_amid = tell(images, place, mapping, older, &unknown);
    *is_any = true;
    return status;
}

/* Where in a source the mapping begins to be there. Where nothing else that is known was, from the beginning of a part on. */
static cairn_status find_begin(struct cairn_perf_images *images, struct cairn_perf_place *place,
                               const struct cairn_perf_mapping *mapping, uint64_t *from)
{
    struct cairn_perf_between found = {0};
    cairn_status status;

    if (images->older_count) {
        status = between(images, place, mapping->time, &found);
        *from = found.from;
        return status;
    }
    status = cairn_perf_place_count(images->capture, place);
    if (status == CAIRN_OK)
        *from = cairn_perf_place_begin(place, cairn_perf_place_part(place, mapping->time));
    return status;
}

cairn_status cairn_perf_add_in_time(struct cairn_perf_images *images,
                                    const struct cairn_perf_mapping *mapping,
                                    const struct cairn_perf_when *when)
{
    cairn_status status = CAIRN_OK;
    bool is_any = false;

    for (size_t i = 0; i < images->place_count && status == CAIRN_OK && !cairn_perf_is_full(images);
         i++) {
        struct cairn_perf_place *const place = &images->places[i];
        struct cairn_perf_between end = {.until = CAIRN_PERF_OFFSET_END};
        uint64_t from = 0;

        if (when->is_second)
            status = find_begin(images, place, mapping, &from);
        if (status == CAIRN_OK && when->end)
            status = between(images, place, when->end, &end);
        /* parts without a byte of this source */
        if (status != CAIRN_OK || from >= end.until)
            continue;
        const size_t had = images->layers;

        images->scope = cairn_scope_any();
        images->scope.source = (uint32_t)place->source;
        if (when->is_second || end.until < CAIRN_PERF_OFFSET_END) {
            images->scope.epoch_from = from;
            images->scope.epoch_to = end.until;
        }
        status = cairn_perf_add_layers(images, mapping);
        images->ended += when->end ? images->layers - had : 0;
        for (size_t k = 0; k < images->older_count && status == CAIRN_OK; k++)
            status = add_unknown(images, place, mapping, &images->older[k], from, &is_any);
    }
    images->amid += is_any;
    return status;
}

void cairn_perf_say_amid(const struct cairn_perf_images *images)
{
    if (images->amid)
        cairn_capture_say_as(
            images->capture, "CAIRN-IMAGE-CHANGED", CAIRN_WARNING,
            "%zu file%s mapped where another one was, in the midst of a part of the trace: from which byte on "
            "it was there is not known, and what was executed at these addresses meanwhile, if anything was, is "
            "a gap. The first is %s. Record with timestamps of the kernel's clock (perf record -e "
            "cs_etm/timestamp/), or in shorter parts.",
            images->amid, images->amid == 1 ? " was" : "s were",
            images->first_amid ? images->first_amid : "not told for want of memory");
}
