/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples: the fields in front of the branch stack, and the stack. What is behind it is not looked at. */
#include <stdlib.h>

#include "capture/perf/perf.h"

#define ENTRY_SIZE 24u
#define WORD 8u

/* perf_event_attr.read_format */
#define READ_ENABLED (UINT64_C(1) << 0)
#define READ_RUNNING (UINT64_C(1) << 1)
#define READ_ID (UINT64_C(1) << 2)
#define READ_GROUP (UINT64_C(1) << 3)
#define READ_LOST (UINT64_C(1) << 4)

/* What is left of a sample. */
struct sample_cursor {
    const struct cairn_perf *perf;
    const uint8_t *at;
    size_t left;
    bool failed;
};

static const uint8_t *skip(struct sample_cursor *cursor, uint64_t size)
{
    const uint8_t *const at = cursor->at;

    if (size > cursor->left) {
        cursor->failed = true;
        cursor->left = 0;
        return NULL;
    }
    cursor->at += size;
    cursor->left -= (size_t)size;
    return at;
}

static uint64_t word(struct sample_cursor *cursor)
{
    const uint8_t *at = skip(cursor, WORD);

    return at ? cairn_perf_u64(cursor->perf, at) : 0;
}

/* Two numbers of 32 bits, in the order of the file. */
static void halves(struct sample_cursor *cursor, uint32_t *first, uint32_t *second)
{
    const uint8_t *at = skip(cursor, WORD);

    *first = at ? cairn_perf_u32(cursor->perf, at) : 0;
    if (second)
        *second = at ? cairn_perf_u32(cursor->perf, at + 4) : 0;
}

/* `count` things of `size` bytes, of which there may be any number. */
static const uint8_t *array(struct sample_cursor *cursor, uint64_t count, uint64_t size)
{
    return skip(cursor, count > cursor->left / size ? UINT64_MAX : count * size);
}

/* --- which event --- */

static int by_id(const void *a, const void *b)
{
    const struct cairn_perf_id *const one = a, *const other = b;

    return one->id < other->id ? -1 : one->id > other->id;
}

static bool all_alike(const struct cairn_perf *perf)
{
    const struct cairn_perf_event *const first = perf->events;

    for (size_t i = 1; i < perf->event_count; i++) {
        const struct cairn_perf_event *const event = &perf->events[i];

        if (event->sample_type != first->sample_type || event->read_format != first->read_format ||
            event->branch_sample_type != first->branch_sample_type)
            return false;
    }
    return true;
}

/* NULL: of none. */
static const struct cairn_perf_event *event_of_id(struct cairn_perf *perf, uint64_t id)
{
    const struct cairn_perf_id wanted = {.id = id};

    if (!perf->sorted && perf->id_count)
        qsort(perf->ids, perf->id_count, sizeof *perf->ids, by_id);
    perf->sorted = true;
    const struct cairn_perf_id *found =
        perf->id_count ? bsearch(&wanted, perf->ids, perf->id_count, sizeof wanted, by_id) : NULL;
    return found ? &perf->events[found->event] : NULL;
}

static unsigned words_before_id(uint64_t sample_type)
{
    return (unsigned)__builtin_popcountll(sample_type &
                                          (CAIRN_PERF_SAMPLE_IP | CAIRN_PERF_SAMPLE_TID |
                                           CAIRN_PERF_SAMPLE_TIME | CAIRN_PERF_SAMPLE_ADDR));
}

/* perf sees to it that identifiers are at the same place in all samples of a file. */
static const struct cairn_perf_event *event_of(struct cairn_perf *perf, struct sample_cursor cursor)
{
    if (!perf->event_count)
        return NULL;
    const uint64_t sample_type = perf->events->sample_type;
    const bool has_id = sample_type & (CAIRN_PERF_SAMPLE_IDENTIFIER | CAIRN_PERF_SAMPLE_ID);
    if (perf->event_count == 1 || !has_id)
        return all_alike(perf) ? perf->events : NULL;
    if (!(sample_type & CAIRN_PERF_SAMPLE_IDENTIFIER))
        skip(&cursor, WORD * words_before_id(sample_type));
    const uint64_t id = word(&cursor);
    const struct cairn_perf_event *event = cursor.failed ? NULL : event_of_id(perf, id);
    if (event)
        return event;
    return all_alike(perf) ? perf->events : NULL;
}

/* What stands at a record's end, in this order, and an identifier last of all. */
static unsigned words_at_end(uint64_t sample_type)
{
    return (unsigned)__builtin_popcountll(sample_type &
                                          (CAIRN_PERF_SAMPLE_TID | CAIRN_PERF_SAMPLE_TIME |
                                           CAIRN_PERF_SAMPLE_ID | CAIRN_PERF_SAMPLE_STREAM_ID |
                                           CAIRN_PERF_SAMPLE_CPU | CAIRN_PERF_SAMPLE_IDENTIFIER));
}

/* Whether what is no sample ends alike in all events: only that bears on it, not what samples have. */
static bool end_alike(const struct cairn_perf *perf)
{
    const struct cairn_perf_event *const first = perf->events;

    for (size_t i = 1; i < perf->event_count; i++)
        if (words_at_end(perf->events[i].sample_type ^ first->sample_type) ||
            perf->events[i].has_sample_id != first->has_sample_id)
            return false;
    return true;
}

/* How far in front of a record's end an identifier begins, in words; 0: there is none. */
static unsigned words_from_id(uint64_t sample_type)
{
    if (sample_type & CAIRN_PERF_SAMPLE_IDENTIFIER)
        return 1;
    return sample_type & CAIRN_PERF_SAMPLE_ID
               ? words_at_end(sample_type & (CAIRN_PERF_SAMPLE_ID | CAIRN_PERF_SAMPLE_STREAM_ID |
                                             CAIRN_PERF_SAMPLE_CPU))
               : 0;
}

/* The event of a record that is no sample: by the identifier at its end, which is at the same place in all events of
 * a file. Records that perf makes itself, of what there was before, have 0 there and end as the first event says. */
static const struct cairn_perf_event *event_at_end(struct cairn_perf *perf,
                                                   const struct cairn_perf_record *record)
{
    const struct cairn_perf_event *const first = perf->events;
    const size_t back = perf->event_count ? WORD * words_from_id(first->sample_type) : 0;

    if (!perf->event_count)
        return NULL;
    if (end_alike(perf))
        return first;
    if (!back || record->size < back)
        return NULL;
    const uint64_t id = cairn_perf_u64(perf, record->bytes + record->size - back);
    return id ? event_of_id(perf, id) : first;
}

bool cairn_perf_identify(struct cairn_perf *perf, const struct cairn_perf_record *record,
                         struct cairn_perf_sample_id *id)
{
    const struct cairn_perf_event *event = event_at_end(perf, record);

    if (!event || !event->has_sample_id || words_at_end(event->sample_type) > record->size / WORD)
        return false;
    const uint64_t type = event->sample_type;
    const size_t size = WORD * words_at_end(type);
    struct sample_cursor cursor = {
        .perf = perf, .at = record->bytes + record->size - size, .left = size};
    id->has_thread = (type & CAIRN_PERF_SAMPLE_TID) != 0;
    id->has_time = (type & CAIRN_PERF_SAMPLE_TIME) != 0;
    id->has_cpu = (type & CAIRN_PERF_SAMPLE_CPU) != 0;
    if (id->has_thread)
        halves(&cursor, &id->process, &id->thread);
    if (id->has_time)
        id->time = word(&cursor);
    id->has_event = (type & (CAIRN_PERF_SAMPLE_ID | CAIRN_PERF_SAMPLE_IDENTIFIER)) != 0;
    if (type & CAIRN_PERF_SAMPLE_ID)
        id->event = word(&cursor);
    if (type & CAIRN_PERF_SAMPLE_STREAM_ID)
        skip(&cursor, WORD);
    if (id->has_cpu)
        halves(&cursor, &id->cpu, NULL);
    if (type & CAIRN_PERF_SAMPLE_IDENTIFIER)
        id->event = word(&cursor);
    return true;
}

/* --- fields --- */

static void skip_read(struct sample_cursor *cursor, uint64_t format)
{
    const uint64_t group = format & READ_GROUP ? word(cursor) : 1;
    const uint64_t times = (uint64_t) !!(format & READ_ENABLED) + !!(format & READ_RUNNING);
    const uint64_t each = 1u + !!(format & READ_ID) + !!(format & READ_LOST);

    array(cursor, times, WORD);
    array(cursor, group, WORD * each);
}

static void skip_raw(struct sample_cursor *cursor)
{
    const uint8_t *size = skip(cursor, 4); /* together with its size it is a number of words */

    if (size)
        skip(cursor, cairn_perf_u32(cursor->perf, size));
}

static void take_branches(struct sample_cursor *cursor, struct cairn_perf_fields *fields)
{
    const uint64_t content = fields->event->branch_sample_type;
    const uint64_t count = word(cursor);

    fields->has_branches = true;
    fields->has_index = content & CAIRN_PERF_BRANCH_INDEX;
    if (fields->has_index)
        fields->index = word(cursor);
    fields->entries = array(cursor, count, ENTRY_SIZE);
    fields->branches = cursor->failed ? 0 : (size_t)count;
    if (content & CAIRN_PERF_BRANCH_COUNTERS)
        fields->counters = array(cursor, count, WORD);
}

static void take_fields(struct sample_cursor *cursor, struct cairn_perf_fields *fields)
{
    const uint64_t has = fields->event->sample_type;

    if (has & CAIRN_PERF_SAMPLE_IDENTIFIER)
        skip(cursor, WORD);
    if (has & CAIRN_PERF_SAMPLE_IP)
        fields->address = word(cursor);
    if (has & CAIRN_PERF_SAMPLE_TID)
        halves(cursor, &fields->process, &fields->thread);
    if (has & CAIRN_PERF_SAMPLE_TIME)
        fields->time = word(cursor);
    if (has & CAIRN_PERF_SAMPLE_ADDR)
        skip(cursor, WORD);
    if (has & CAIRN_PERF_SAMPLE_ID)
        skip(cursor, WORD);
    if (has & CAIRN_PERF_SAMPLE_STREAM_ID)
        skip(cursor, WORD);
    if (has & CAIRN_PERF_SAMPLE_CPU)
        halves(cursor, &fields->cpu, NULL);
    if (has & CAIRN_PERF_SAMPLE_PERIOD)
        skip(cursor, WORD);
    if (has & CAIRN_PERF_SAMPLE_READ)
        skip_read(cursor, fields->event->read_format);
    if (has & CAIRN_PERF_SAMPLE_CALLCHAIN)
        array(cursor, word(cursor), WORD);
    if (has & CAIRN_PERF_SAMPLE_RAW)
        skip_raw(cursor);
    if (has & CAIRN_PERF_SAMPLE_BRANCHES)
        take_branches(cursor, fields);
}

enum cairn_perf_verdict cairn_perf_sample_read(struct cairn_perf *perf,
                                               const struct cairn_perf_record *record,
                                               struct cairn_perf_fields *fields)
{
    struct sample_cursor cursor = {.perf = perf, .at = record->bytes, .left = record->size};
    struct cairn_perf_fields taken = {.event = event_of(perf, cursor)};

    if (!taken.event)
        return CAIRN_PERF_UNKNOWN_EVENT;
    take_fields(&cursor, &taken);
    if (cursor.failed)
        return CAIRN_PERF_SHORT;
    *fields = taken;
    return CAIRN_PERF_READ;
}

/* --- entries --- */

/* The bit fields of perf_branch_entry's third word from the first on: big-endian machines lay them out
 * from the highest bit down. */
enum { FLAGS = 0, CYCLES = 4, TYPE = 20, SPEC = 24, NEW_TYPE = 26, PRIV = 30 };
enum { FLAG_BITS = 1, CYCLES_BITS = 16, TYPE_BITS = 4, SPEC_BITS = 2, NEW_TYPE_BITS = 4 };
#define PRIV_BITS 3u
#define FLAG_COUNT 4u

static uint32_t entry_bits(const struct cairn_perf *perf, uint64_t value, unsigned first,
                           unsigned count)
{
    const unsigned shift = perf->big_endian ? 64 - first - count : first;

    return (uint32_t)(value >> shift & ((UINT64_C(1) << count) - 1));
}

struct cairn_branch_entry cairn_perf_entry(const struct cairn_perf *perf,
                                           const struct cairn_perf_fields *fields, size_t n)
{
    const uint8_t *const bytes = fields->entries + n * ENTRY_SIZE;
    const uint64_t bits = cairn_perf_u64(perf, bytes + 2 * WORD);
    struct cairn_branch_entry entry = {
        .from = cairn_perf_u64(perf, bytes),
        .to = cairn_perf_u64(perf, bytes + WORD),
        .cycles = (uint16_t)entry_bits(perf, bits, CYCLES, CYCLES_BITS),
        .type = (uint8_t)entry_bits(perf, bits, TYPE, TYPE_BITS),
        .spec = (uint8_t)entry_bits(perf, bits, SPEC, SPEC_BITS),
        .new_type = (uint8_t)entry_bits(perf, bits, NEW_TYPE, NEW_TYPE_BITS),
        .priv = (uint8_t)entry_bits(perf, bits, PRIV, PRIV_BITS),
    };

    for (unsigned i = 0; i < FLAG_COUNT; i++)
        entry.flags |= (uint8_t)(entry_bits(perf, bits, FLAGS + i, FLAG_BITS) << i);
    return entry;
}
