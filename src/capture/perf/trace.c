/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bytes of the file are trace of whom. An AUX record says that so many bytes came at an offset of its
 * CPU's (or thread's) stream, an AUXTRACE record where in the file a part of such a stream lies. */
#include "capture/perf/trace.h"

#include <stdlib.h>
#include <string.h>

void cairn_perf_trace_clear(struct cairn_perf_trace *trace)
{
    free(trace->cores);
    free(trace->ids);
    free(trace->pieces);
    free(trace->fragments);
    free(trace->mappings);
    free(trace->built);
    free(trace->tasks);
    free(trace->names);
    free(trace->forks);
    free(trace->ends);
    free(trace->files);
    free(trace->runs);
    free(trace->indexes);
    cairn_table_clear(&trace->indexed);
    cairn_perf_packed_clear(&trace->packed);
    memset(trace, 0, sizeof *trace);
}

/* --- records --- */

enum {
    AUXTRACE_AT_SIZE = 0,
    AUXTRACE_AT_OFFSET = 8,
    AUXTRACE_AT_THREAD = 28,
    AUXTRACE_AT_CPU = 32,
    AUXTRACE_SIZE = 40,
    AUX_AT_OFFSET = 0,
    AUX_AT_SIZE = 8,
    AUX_AT_FLAGS = 16,
    AUX_SIZE = 24,
};

static void take_piece(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                       const struct cairn_perf_record *record)
{
    const uint8_t *const bytes = record->bytes;

    if (record->is_unpacked || record->size < AUXTRACE_SIZE || !record->payload_size ||
        !cairn_perf_room(trace, (void **)&trace->pieces, trace->piece_count, &trace->piece_room,
                         sizeof *trace->pieces, CAIRN_PERF_PIECES_MOST))
        return;
    struct cairn_perf_piece piece = {
        .owner = {.cpu = cairn_perf_u32(perf, bytes + AUXTRACE_AT_CPU),
                  .thread = cairn_perf_u32(perf, bytes + AUXTRACE_AT_THREAD)},
        .offset = cairn_perf_u64(perf, bytes + AUXTRACE_AT_OFFSET),
        .size = record->payload_size,
        .file = perf->at - record->payload_size,
        .number = trace->file,
    };
    if (cairn_perf_is_packed_trace(perf, &piece))
        cairn_perf_unpack_trace(trace, perf, &piece);
    if (piece.size && piece.offset <= UINT64_MAX - piece.size)
        trace->pieces[trace->piece_count++] = piece;
}

static bool is_elsewhen(const struct cairn_perf_trace *trace,
                        const struct cairn_perf_sample_id *from)
{
    return (trace->time_from || trace->time_to) && from->has_time &&
           (from->time < trace->time_from || from->time > trace->time_to);
}

static void take_fragment(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                          const struct cairn_perf_record *record)
{
    const uint8_t *const bytes = record->bytes;
    struct cairn_perf_sample_id from = {.cpu = CAIRN_PERF_NOBODY, .thread = CAIRN_PERF_NOBODY};

    const size_t had = trace->run_count;

    if (record->size < AUX_SIZE)
        return;
    trace->aux_count++;
    if (cairn_perf_identify(perf, record, &from))
        cairn_perf_find_cpu(trace, &from);
    struct cairn_perf_fragment fragment = {
        .owner = {.cpu = from.has_cpu ? from.cpu : CAIRN_PERF_NOBODY,
                  .thread = from.has_thread ? from.thread : CAIRN_PERF_NOBODY},
        .offset = cairn_perf_u64(perf, bytes + AUX_AT_OFFSET),
        .size = cairn_perf_u64(perf, bytes + AUX_AT_SIZE),
        .flags = cairn_perf_u64(perf, bytes + AUX_AT_FLAGS),
        .cpu = from.has_cpu ? from.cpu : CAIRN_PERF_NOBODY,
        .thread = from.has_thread ? from.thread : CAIRN_PERF_NOBODY,
        .number = trace->aux_count,
        .run = trace->run_count,
        .turn = CAIRN_PERF_NOBODY,
    };
    if (!cairn_perf_take_run(trace, perf, record))
        fragment.run = CAIRN_PERF_NO_RUN;
    fragment.happened = trace->run_count > had ? had : CAIRN_PERF_NO_RUN;
    fragment.time = from.time;
    trace->is_untimed |= !from.has_time;
    fragment.is_elsewhen = is_elsewhen(trace, &from);
    trace->elsewhen += fragment.is_elsewhen;
    /* a snapshot's offset is where the ring ends */
    const bool is_snapshot = (fragment.flags & CAIRN_PERF_AUX_OVERWRITE) != 0;
    fragment.is_place = is_snapshot && fragment.offset < fragment.size;
    if (is_snapshot && !fragment.is_place)
        fragment.offset -= fragment.size;
    if ((!fragment.size && !(fragment.flags & CAIRN_PERF_AUX_LOSSES)) ||
        fragment.offset > UINT64_MAX - fragment.size ||
        !cairn_perf_room(trace, (void **)&trace->fragments, trace->fragment_count,
                         &trace->fragment_room, sizeof *trace->fragments, CAIRN_PERF_PIECES_MOST))
        return;
    trace->fragments[trace->fragment_count++] = fragment;
}

/* pid, tid */
static void take_task(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                      const struct cairn_perf_record *record)
{
    const uint8_t *const bytes = record->bytes;

    if (record->size < 8)
        return;
    cairn_perf_take_task(trace, cairn_perf_u32(perf, bytes), cairn_perf_u32(perf, bytes + 4));
    if (record->type == CAIRN_PERF_RECORD_COMM)
        cairn_perf_take_name(trace, perf, record);
}

void cairn_perf_trace_take(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                           const struct cairn_perf_record *record)
{
    if (record->type < CAIRN_PERF_RECORD_ATTR && cairn_perf_is_of_guest(record->misc)) {
        trace->guests++;
        return;
    }
    switch (record->type) {
    case CAIRN_PERF_RECORD_AUXTRACE_INFO: cairn_perf_take_info(trace, perf, record); break;
    case CAIRN_PERF_RECORD_AUXTRACE: take_piece(trace, perf, record); break;
    case CAIRN_PERF_RECORD_AUX: take_fragment(trace, perf, record); break;
    case CAIRN_PERF_RECORD_AUX_OUTPUT_HW_ID:
        cairn_perf_take_hardware_id(trace, perf, record);
        break;
    case CAIRN_PERF_RECORD_MMAP:
    case CAIRN_PERF_RECORD_MMAP2: cairn_perf_take_mapping(trace, perf, record); break;
    case CAIRN_PERF_RECORD_BUILD_ID:
        cairn_perf_take_build_id(trace, perf, record->bytes, record->size, record->misc);
        break;
    case CAIRN_PERF_RECORD_FORK: cairn_perf_take_fork(trace, perf, record); break;
    case CAIRN_PERF_RECORD_COMM: take_task(trace, perf, record); break;
    case CAIRN_PERF_RECORD_ITRACE_START:
        take_task(trace, perf, record);
        (void)cairn_perf_take_run(trace, perf, record);
        break;
    case CAIRN_PERF_RECORD_LOST:
    case CAIRN_PERF_RECORD_LOST_SAMPLES: trace->lost += cairn_perf_lost(perf, record); break;
    case CAIRN_PERF_RECORD_KSYMBOL:
    case CAIRN_PERF_RECORD_TEXT_POKE: trace->kernel_changes++; break;
    case CAIRN_PERF_RECORD_TIME_CONV: cairn_perf_take_clock(trace, perf, record); break;
    case CAIRN_PERF_RECORD_ID_INDEX: cairn_perf_take_index(trace, perf, record); break;
    case CAIRN_PERF_RECORD_SWITCH:
    case CAIRN_PERF_RECORD_SWITCH_CPU_WIDE:
        trace->has_switches = true;
        (void)cairn_perf_take_run(trace, perf, record);
        break;
    default: break;
    }
}

/* --- together --- */

static int by_offset(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct cairn_perf_piece *const one = a, *const other = b;
    const int order = cairn_perf_by_owner(&one->owner, &other->owner);
    const int at = by_offset(one->offset, other->offset);

    return order ? order : at ? at : by_offset(one->file, other->file);
}

static int compare_fragments(const void *a, const void *b)
{
    const struct cairn_perf_fragment *const one = a, *const other = b;
    const int order = cairn_perf_by_owner(&one->owner, &other->owner);
    const int at = by_offset(one->offset, other->offset);

    if (order || at)
        return order ? order : at;
    /* there was no room, and then there was */
    return one->size && other->size ? by_offset(one->number, other->number)
                                    : by_offset(one->size, other->size);
}

/* Buffers of threads are of no CPU: AUX records, which tell of both, are of those that there are. */
static void find_owners(struct cairn_perf_trace *trace)
{
    bool of_threads = false, of_cpus = false, are_several = false;

    for (size_t i = 0; i < trace->piece_count; i++) {
        of_threads |= trace->pieces[i].owner.cpu == CAIRN_PERF_NOBODY;
        of_cpus |= trace->pieces[i].owner.cpu != CAIRN_PERF_NOBODY;
        are_several |= cairn_perf_by_owner(&trace->pieces[0].owner, &trace->pieces[i].owner) != 0;
    }
    for (size_t i = 0; i < trace->fragment_count; i++) {
        struct cairn_perf_owner *const owner = &trace->fragments[i].owner;

        if (of_threads && !of_cpus)
            owner->cpu = CAIRN_PERF_NOBODY;
        if (owner->cpu == CAIRN_PERF_NOBODY && owner->thread == CAIRN_PERF_NOBODY &&
            trace->piece_count) {
            *owner = trace->pieces[0].owner; /* it does not say: there is one buffer, as a rule */
            trace->nobodys += are_several;
        }
    }
}

/* Without AUX records (they were filtered out, or lost) everything counts. */
static cairn_status make_fragments(struct cairn_perf_trace *trace)
{
    if (trace->aux_count || !trace->piece_count)
        return CAIRN_OK;
    trace->fragments = calloc(trace->piece_count, sizeof *trace->fragments);
    if (!trace->fragments)
        return CAIRN_E_MEMORY;
    trace->fragment_count = trace->fragment_room = trace->piece_count;
    for (size_t i = 0; i < trace->piece_count; i++)
        trace->fragments[i] = (struct cairn_perf_fragment){.owner = trace->pieces[i].owner,
                                                           .offset = trace->pieces[i].offset,
                                                           .size = trace->pieces[i].size,
                                                           .cpu = CAIRN_PERF_NOBODY,
                                                           .thread = CAIRN_PERF_NOBODY,
                                                           .run = CAIRN_PERF_NO_RUN,
                                                           .happened = CAIRN_PERF_NO_RUN,
                                                           .turn = CAIRN_PERF_NOBODY};
    return CAIRN_OK;
}

static int compare_mappings(const void *a, const void *b)
{
    const struct cairn_perf_mapping *const one = a, *const other = b;
    const int order = by_offset(one->time, other->time);

    if (order || one->is_inherited != other->is_inherited)
        return order ? order : one->is_inherited ? -1 : 1;
    return by_offset(one->number, other->number);
}

/* Whether the fragment ends in front of what is at `at` of the piece's owner. */
static bool is_passed(const struct cairn_perf_fragment *fragment,
                      const struct cairn_perf_piece *piece, uint64_t at)
{
    const int order = cairn_perf_by_owner(&fragment->owner, &piece->owner);

    return order < 0 || (!order && fragment->offset + fragment->size <= at);
}

/* How many bytes of the pieces no fragment tells of, but for what pads a piece to words. All are in order. */
static uint64_t count_untold(const struct cairn_perf_trace *trace)
{
    uint64_t untold = 0, at = 0;

    for (size_t i = 0, next = 0; i < trace->piece_count; i++) {
        const struct cairn_perf_piece *const piece = &trace->pieces[i];
        const uint64_t end = piece->offset + piece->size;
        const bool is_first = !i || cairn_perf_by_owner(&piece[-1].owner, &piece->owner);

        at = is_first || piece->offset > at ? piece->offset : at;
        while (at < end) {
            while (next < trace->fragment_count && is_passed(&trace->fragments[next], piece, at))
                next++;
            const struct cairn_perf_fragment *const fragment =
                next < trace->fragment_count &&
                        !cairn_perf_by_owner(&trace->fragments[next].owner, &piece->owner)
                    ? &trace->fragments[next]
                    : NULL;
            const uint64_t from = fragment && fragment->offset < end
                                      ? (fragment->offset > at ? fragment->offset : at)
                                      : end;

            if (from < end || from - at >= CAIRN_PERF_WORD)
                untold += from - at;
            at = from < end ? fragment->offset + fragment->size : end;
        }
    }
    return untold;
}

/* Whose they are is known from all. */
static void leave_out_elsewhen(struct cairn_perf_trace *trace)
{
    size_t kept = 0;

    for (size_t i = 0; i < trace->fragment_count; i++)
        if (!trace->fragments[i].is_elsewhen)
            trace->fragments[kept++] = trace->fragments[i];
    trace->fragment_count = kept;
}

cairn_status cairn_perf_trace_settle(struct cairn_perf_trace *trace,
                                     struct cairn_perf_streams *streams)
{
    cairn_status status = make_fragments(trace);
    size_t at = 0;

    memset(streams, 0, sizeof *streams);
    if (status != CAIRN_OK)
        return status;
    cairn_perf_settle_ids(trace);
    find_owners(trace);
    status = cairn_perf_settle_rings(trace);
    if (status != CAIRN_OK)
        return status;
    cairn_perf_inherit(trace);
    cairn_perf_sort_ends(trace);
    if (trace->no_memory)
        return CAIRN_E_MEMORY;
    cairn_perf_sort_tasks(trace);
    if (trace->mapping_count && !trace->is_untimed)
        qsort(trace->mappings, trace->mapping_count, sizeof *trace->mappings, compare_mappings);
    if (trace->piece_count)
        qsort(trace->pieces, trace->piece_count, sizeof *trace->pieces, compare_pieces);
    if (trace->fragment_count)
        qsort(trace->fragments, trace->fragment_count, sizeof *trace->fragments, compare_fragments);
    cairn_perf_take_padding(trace);
    status = cairn_perf_find_silences(trace);
    if (status == CAIRN_OK)
        status = cairn_perf_find_turns(trace);
    if (status != CAIRN_OK)
        return status;
    status = cairn_perf_find_beginnings(trace);
    if (status != CAIRN_OK)
        return status;
    cairn_perf_part_moves(trace);
    leave_out_elsewhen(trace);
    streams->untold_bytes = trace->elsewhen ? 0 : count_untold(trace);
    const struct cairn_perf_fragment *last = NULL;
    for (size_t i = 0; i < trace->fragment_count && status == CAIRN_OK; i++) {
        const struct cairn_perf_fragment *const fragment = &trace->fragments[i];

        if (!fragment->size) {
            cairn_perf_put_nothing(trace, streams, fragment);
            continue;
        }
        if (last && !cairn_perf_by_owner(&last->owner, &fragment->owner) &&
            fragment->offset < last->offset + last->size) {
            streams->overlapping++;
            continue;
        }
        status = cairn_perf_put_part(trace, streams, fragment, &at);
        last = fragment;
    }
    return status;
}
