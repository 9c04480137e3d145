/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flow/cursor.h"
#include "flow/engine.h"
#include "flow/parallel.h"

enum {
    ROOM = 64,   /* that a batch has to have */
    SMALL = 256, /* batches up to here are filled with rubbish before each call */
    RUBBISH = 0xa5,
    GLANCES = 3,       /* calls from one look at the counters to the next */
    LARGE = 4096,      /* room of a batch for a short trace, and more */
    STANDING_MOST = 4, /* calls that may bring nothing, one after the other */
};

static _Thread_local struct cairn_flow_batch *kept_records;

struct comparison {
    const struct engine_case *input;
    const struct engine_reference *reference;
    const struct engine_way *way;
    FILE *report;
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    struct cairn_word_cursor cursor;
    struct cairn_flow_batch *records;
    size_t record_count;       /* compared so far; in counts mode, of events */
    size_t events_taken;       /* of the batch, in counts mode */
    uint64_t instructions;     /* of the ranges among them */
    struct engine_edges edges; /* in counts mode */
    uint64_t glanced;          /* bytes of atoms that were counted when it was last looked at */
    unsigned calls;
    uint64_t random;
};

static bool counts(const struct comparison *c)
{
    return (c->way->flags & CAIRN_ENGINE_COUNTS) != 0;
}

static bool differ(struct comparison *c, const char *what)
{
    const struct engine_way *way = c->way;

    if (c->report)
        fprintf(c->report,
                "# %s (flags %#" PRIx32 ", jobs %" PRIu32 ", table %" PRIu64 " %" PRIu64
                ", batches of %zu units, %zu events, %zu records, cut %zu, random %" PRIu64
                "; %zu bytes)\n",
                what, way->flags, way->jobs, way->table_bytes, way->table_limit, way->units,
                way->events, way->records, way->cut, way->random, c->input->size);
    return false;
}

static bool failed(struct comparison *c, cairn_status status)
{
    return differ(c, cairn_status_text(status));
}

/* --- records --- */

static bool differ_at(struct comparison *c, const struct engine_record *got)
{
    struct engine_record wanted;
    char text[80];

    snprintf(text, sizeof text, "%s %zu differs", counts(c) ? "event" : "record", c->record_count);
    differ(c, text);
    if (!c->report)
        return false;
    if (engine_reference_find(c->input, c->record_count, counts(c), &wanted))
        engine_record_print(c->report, "reference", &wanted);
    else
        fprintf(c->report, "# reference: nothing more\n");
    if (got)
        engine_record_print(c->report, "engine", got);
    else
        fprintf(c->report, "# engine: nothing more\n");
    return false;
}

static bool take_record(struct comparison *c, const struct engine_record *record)
{
    const struct engine_hashes *wanted = counts(c) ? &c->reference->events : &c->reference->records;

    if (c->record_count == wanted->count ||
        wanted->at[c->record_count] != engine_record_hash(record))
        return differ_at(c, record);
    c->record_count++;
    return true;
}

static bool take_records(struct comparison *c)
{
    for (;;) {
        cairn_status status;

        c->records->count = 0;
        status = cairn_words_records(c->batch, &c->cursor, c->records);
        if (status != CAIRN_OK)
            return failed(c, status);
        for (size_t i = 0; i < c->records->count; i++) {
            const struct engine_record record = engine_record_of(c->records, i);

            if (!take_record(c, &record))
                return false;
        }
        if (c->records->count < c->records->capacity)
            return true;
    }
}

/* --- counts --- */

static uint8_t outcome_of(unsigned flags, bool taken)
{
    return !(flags & CAIRN_BLOCK_P0) ? 0 : taken ? 2 : 1;
}

/* What the dictionary has counted since it began. */
static bool take_counts(struct comparison *c)
{
    const struct cairn_dictionary *dictionary = c->batch->dictionary;
    size_t count, path_count, block_count, step_count;
    const uint64_t *counters = cairn_dictionary_counts(dictionary, &count);
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &path_count);
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(dictionary, &block_count);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &step_count);

    if (count > path_count)
        return differ(c, "more counters than paths");
    for (size_t i = 1; counters && i < count; i++) {
        uint64_t instructions = 0;

        if (counters[i] == 0)
            continue;
        if (paths[i].first + (uint64_t)paths[i].steps > step_count)
            return differ(c, "a path has steps that are not there");
        for (uint32_t k = 0; k < paths[i].steps; k++) {
            const uint32_t step = steps[paths[i].first + k];
            const struct cairn_code_block *block = &blocks[step >> 1];
            const struct engine_edge edge = {.address = block->address,
                                             .end = block->end,
                                             .instructions = block->instructions,
                                             .isa = block->isa,
                                             .outcome = outcome_of(block->flags, step & 1)};

            if (step >> 1 >= block_count)
                return differ(c, "a step is of a block that is not there");
            instructions += block->instructions;
            if (block->instructions > 0 && !engine_edges_add(&c->edges, &edge, counters[i]))
                return failed(c, CAIRN_E_MEMORY);
        }
        if (instructions != paths[i].instructions)
            return differ(c, "a path's instructions are not those of its steps");
    }
    return true;
}

/* Bytes of Atom packets that a path stands for. */
static unsigned bytes_of(const struct cairn_path *path)
{
    unsigned bytes = 0;

    for (uint64_t word = path->atoms; path->kind == CAIRN_PATH_PACKETS && word != 0; word >>= 8)
        bytes++;
    return bytes;
}

/* Counters may be read at any time, and what other threads do ahead of the caller is not in them.
 */
static bool glance(struct comparison *c)
{
    const struct cairn_dictionary *dictionary = c->batch->dictionary;
    const uint64_t flow = cairn_engine_ledger(c->engine)->account[CAIRN_ACCOUNT_FLOW].bytes;
    uint64_t bytes = 0;
    size_t count, path_count;
    const uint64_t *counters = cairn_dictionary_counts(dictionary, &count);
    const struct cairn_path *paths = cairn_dictionary_paths(dictionary, &path_count);

    for (size_t i = 1; counters && i < count; i++)
        bytes += counters[i] * bytes_of(&paths[i]);
    if (bytes < c->glanced || bytes > flow)
        return differ(c, "counters run back, or ahead of the ledger");
    c->glanced = c->batch->dictionary_ends ? 0 : bytes;
    return true;
}

/* Cycles of 1, of which the event is several. */
static bool take_waits(struct comparison *c, const struct cairn_word_event *event)
{
    for (uint32_t i = 1; i <= event->instructions; i++) {
        const struct engine_record record = {.kind = CAIRN_FLOW_CYCLES,
                                             .offset = event->offset,
                                             .length = event->length,
                                             .address = event->address + i,
                                             .value = 1};

        if (!take_record(c, &record))
            return false;
    }
    return true;
}

static bool take_events(struct comparison *c)
{
    while (c->events_taken < c->batch->event_count) {
        const struct cairn_word_event *event = &c->batch->event[c->events_taken++];
        const struct engine_record record = {.kind = event->kind,
                                             .isa = event->isa,
                                             .flags = event->flags,
                                             .instructions = event->instructions,
                                             .offset = event->offset,
                                             .length = event->length,
                                             .address = event->address,
                                             .value = event->value};
        const struct engine_edge edge = engine_record_edge(&record);

        if (event->kind == CAIRN_WORD_WAITS && !take_waits(c, event))
            return false;
        if (event->kind >= CAIRN_WORD_DISCONTINUITY)
            continue;
        if (event->kind == CAIRN_FLOW_RANGE) {
            c->instructions += event->instructions;
            if (!engine_edges_add(&c->edges, &edge, 1))
                return failed(c, CAIRN_E_MEMORY);
        }
        if (engine_record_is_event(&record) && !take_record(c, &record))
            return false;
    }
    if (c->instructions != c->batch->instructions)
        return differ(c, "instructions of the events do not add up");
    return !c->batch->dictionary_ends || take_counts(c);
}

static bool compare_edges(struct comparison *c)
{
    const struct engine_edges *wanted = &c->reference->edges;

    for (size_t i = 0; i < wanted->capacity; i++) {
        const struct engine_edge *edge = &wanted->slots[i];
        char text[160];

        if (edge->count == 0 || edge->count == engine_edges_get(&c->edges, edge))
            continue;
        snprintf(text, sizeof text,
                 "block %" PRIx64 "-%" PRIx64 " outcome %u: executed %" PRIu64
                 " times, but counted %" PRIu64,
                 edge->address, edge->end, edge->outcome, edge->count,
                 engine_edges_get(&c->edges, edge));
        return differ(c, text);
    }
    if (wanted->used != c->edges.used || wanted->instructions != c->edges.instructions)
        return differ(c, "blocks were counted that were not executed");
    return true;
}

/* --- the engine --- */

static bool take(struct comparison *c)
{
    if (c->batch->count > c->batch->capacity || c->batch->event_count > c->batch->event_capacity)
        return differ(c, "a batch has more than there is room for");
    if (!counts(c))
        return take_records(c);
    if ((c->calls++ % GLANCES == 0 || c->batch->dictionary_ends) && !glance(c))
        return false;
    return take_events(c);
}

/* True when the batch may stay as it is for the next call. */
static bool has_room(const struct comparison *c)
{
    const struct cairn_word_batch *b = c->batch;

    return c->way->append && !b->dictionary_ends && b->capacity - b->count >= ROOM &&
           b->event_capacity - b->event_count >= ROOM;
}

/* An empty batch. What it had must not matter. */
static void empty(struct comparison *c)
{
    struct cairn_word_batch *b = c->batch;

    if (has_room(c))
        return;
    cairn_word_cursor_next(&c->cursor);
    c->events_taken = 0;
    c->instructions = 0;
    b->count = 0;
    b->event_count = 0;
    b->instructions = 0;
    if (b->capacity > SMALL)
        return;
    memset(b->path, RUBBISH, b->capacity * sizeof *b->path);
    if (b->offset)
        memset(b->offset, RUBBISH, b->capacity * sizeof *b->offset);
    memset(b->event, RUBBISH, b->event_capacity * sizeof *b->event);
}

static bool brought(const struct comparison *c, size_t count, size_t event_count)
{
    return c->batch->count > count || c->batch->event_count > event_count ||
           c->batch->dictionary_ends;
}

static bool run(struct comparison *c, const uint8_t *data, size_t size)
{
    size_t at = 0;
    unsigned standing = 0;

    do {
        const size_t before = at;
        size_t count, event_count;
        cairn_status status;

        empty(c);
        count = c->batch->count;
        event_count = c->batch->event_count;
        status = cairn_engine_run(c->engine, data, size, &at, c->batch);
        if (status != CAIRN_OK)
            return failed(c, status);
        if (at > size || at < before)
            return differ(c, "the position is outside of the data");
        if (!take(c))
            return false;
        standing = at > before || brought(c, count, event_count) ? 0 : standing + 1;
        if (standing == STANDING_MOST)
            return differ(c, "nothing moves");
    } while (at < size);
    return true;
}

static size_t draw(struct comparison *c, size_t below)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((c->random >> 33) % below);
}

/* The bytes, in blocks of their own that end with them and go away behind the call. */
static bool feed(struct comparison *c)
{
    const struct engine_case *input = c->input;

    for (size_t at = 0; at < input->size;) {
        const size_t left = input->size - at;
        size_t size = c->way->cut ? c->way->cut : left;
        uint8_t *piece;
        bool good;

        if (c->way->random && c->way->cut)
            size = draw(c, 2 * c->way->cut + 1);
        if (size > left)
            size = left;
        piece = malloc(size ? size : 1);
        if (!piece)
            return failed(c, CAIRN_E_MEMORY);
        memcpy(piece, input->data + at, size);
        good = run(c, piece, size);
        if (!good) { /* other threads may still read it */
            cairn_engine_free(c->engine);
            c->engine = NULL;
        }
        free(piece);
        if (!good)
            return false;
        at += size;
    }
    return true;
}

static bool finish(struct comparison *c)
{
    size_t count, event_count;

    do {
        cairn_status status;

        empty(c);
        count = c->batch->count;
        event_count = c->batch->event_count;
        status = cairn_engine_finish(c->engine, c->batch);
        if (status != CAIRN_OK)
            return failed(c, status);
        if (!take(c))
            return false;
    } while (brought(c, count, event_count));
    return true;
}

static bool compare_ledgers(struct comparison *c)
{
    const struct cairn_ledger *got = cairn_engine_ledger(c->engine);
    const struct cairn_ledger *wanted = &c->reference->ledger;
    char text[160];

    if (got->total != wanted->total)
        return differ(c, "the ledger's total differs");
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        if (got->lost[i] != wanted->lost[i]) {
            snprintf(text, sizeof text, "account %s: %" PRIu64 " lost elements instead of %" PRIu64,
                     cairn_account_name(i), got->lost[i], wanted->lost[i]);
            return differ(c, text);
        }
        if (got->account[i].bytes == wanted->account[i].bytes &&
            got->account[i].packets == wanted->account[i].packets)
            continue;
        snprintf(text, sizeof text,
                 "account %s: %" PRIu64 " bytes of %" PRIu64 " packets instead of %" PRIu64
                 " of %" PRIu64,
                 cairn_account_name(i), got->account[i].bytes, got->account[i].packets,
                 wanted->account[i].bytes, wanted->account[i].packets);
        return differ(c, text);
    }
    return true;
}

static bool compare_end(struct comparison *c)
{
    const size_t wanted = counts(c) ? c->reference->events.count : c->reference->records.count;

    if (c->record_count < wanted)
        return differ_at(c, NULL);
    if (!compare_ledgers(c))
        return false;
    return !counts(c) || (take_counts(c) && compare_edges(c));
}

/* The batch of records that most ways want is kept for the next comparison: to make it costs more
 * than to decode a short trace. */
static cairn_status get_records(struct comparison *c)
{
    if (c->way->records != LARGE)
        return cairn_flow_batch_new(c->way->records, &c->records);
    if (!kept_records && cairn_flow_batch_new(LARGE, &kept_records) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    c->records = kept_records;
    return CAIRN_OK;
}

static cairn_status begin(struct comparison *c)
{
    const uint32_t scanned = c->way->scanned ? CAIRN_ENGINE_WORDS_OF_SCAN : 0;
    const struct cairn_engine_options options = {.size = sizeof options,
                                                 .flags = c->way->flags | scanned,
                                                 .jobs = c->way->jobs,
                                                 .table_bytes = c->way->table_bytes};
    cairn_status status =
        cairn_engine_make(c->input->config, c->input->image, &options, NULL, &c->engine);

    if (status == CAIRN_OK && c->way->table_limit)
        c->engine->dictionary->limit = c->way->table_limit;
    if (status == CAIRN_OK && c->way->part > 0)
        cairn_parallel_set_sizes(c->engine, c->way->part, c->way->part);
    if (status == CAIRN_OK)
        status = cairn_word_batch_new(c->way->units, !counts(c), &c->batch);
    if (status == CAIRN_OK && c->way->events != c->way->units) {
        struct cairn_word_event *event = malloc(c->way->events * sizeof *event);

        free(c->batch->event);
        c->batch->event = event;
        c->batch->event_capacity = c->way->events;
        status = event ? CAIRN_OK : CAIRN_E_MEMORY;
    }
    if (status == CAIRN_OK)
        status = get_records(c);
    return status;
}

bool engine_compare(const struct engine_case *input, const struct engine_reference *reference,
                    const struct engine_way *way, FILE *report)
{
    struct comparison c = {.input = input,
                           .reference = reference,
                           .way = way,
                           .report = report,
                           .random = way->random};
    const cairn_status status = begin(&c);
    const bool good =
        status == CAIRN_OK ? feed(&c) && finish(&c) && compare_end(&c) : failed(&c, status);

    engine_edges_free(&c.edges);
    if (c.records != kept_records)
        cairn_flow_batch_free(c.records);
    cairn_word_batch_free(c.batch);
    cairn_engine_free(c.engine);
    return good;
}

struct engine_way engine_way(unsigned index, uint64_t seed)
{
    const uint64_t drawn = seed * UINT64_C(0x9e3779b97f4a7c15) + index;
    const uint64_t limit = (32 << 10) + (drawn >> 20) % (480 << 10);
    const size_t room = ROOM + (size_t)(drawn >> 40) % (LARGE - ROOM);
    struct engine_way way = {.units = LARGE, .events = LARGE, .records = LARGE};

    switch (index) {
    case 0: break;
    case 1: way.units = way.events = ROOM; break;
    case 2:
        way.units = way.events = ROOM;
        way.records = 1;
        way.cut = 1;
        break;
    case 3:
        way.units = ROOM + 1;
        way.events = room;
        way.records = 7;
        way.cut = 40;
        way.random = seed | 1;
        way.append = true;
        break;
    case 4:
        way.units = room;
        way.events = ROOM;
        way.cut = 700;
        way.random = seed | 1;
        way.flags = CAIRN_ENGINE_PORTABLE;
        break;
    case 5: way.table_limit = limit; break;
    case 6: way.flags = CAIRN_ENGINE_PORTABLE; break;
    case 7:
        way.jobs = 2;
        way.part = 700;
        break;
    case 8:
        way.jobs = 3;
        way.part = 200;
        way.units = way.events = ROOM;
        way.cut = 1000;
        way.random = seed | 1;
        way.table_bytes = CAIRN_ENGINE_TABLE_BYTES_MIN;
        break;
    case 9: way.flags = CAIRN_ENGINE_COUNTS; break;
    case 10:
        way.flags = CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_NO_PACKETS;
        way.events = ROOM;
        break;
    case 11:
        way.flags = CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_NO_PACKETS | CAIRN_ENGINE_PORTABLE;
        way.cut = 1;
        way.events = ROOM;
        break;
    case 12:
        way.flags = CAIRN_ENGINE_COUNTS;
        way.table_limit = limit;
        way.cut = 100;
        way.random = seed | 1;
        way.append = true;
        break;
    case 13:
        way.flags = CAIRN_ENGINE_COUNTS | CAIRN_ENGINE_NO_PACKETS;
        way.jobs = 2;
        way.part = 1000;
        break;
    case 14:
        way.flags = CAIRN_ENGINE_COUNTS;
        way.jobs = 3;
        way.part = 300;
        way.events = room;
        break;
    default:
        way.table_limit = limit;
        way.units = ROOM;
        way.events = room;
        way.cut = 11;
        way.append = true;
        break;
    }
    return way;
}

bool engine_compare_ways(const struct engine_case *input, uint32_t ways, uint64_t seed,
                         FILE *report)
{
    static const uint32_t readers[] = {CAIRN_ENGINE_WORDS, CAIRN_ENGINE_WORDS_OF_SCAN,
                                       CAIRN_ENGINE_WORDS_OF_LEVELS};
    struct engine_reference *reference = engine_reference_new(input);
    bool good = reference != NULL;

    for (unsigned i = 0; i < 2 * ENGINE_WAYS && good; i++) {
        struct engine_way way = engine_way(i % ENGINE_WAYS, seed);

        if (i >= ENGINE_WAYS)
            way.flags |= readers[(seed + i) % 3];
        if (ways >> i & 1)
            good = engine_compare(input, reference, &way, report);
    }
    engine_reference_free(reference);
    return good;
}
