/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of a batch against each other: lists of blocks and of instructions, calls and records,
 * on dictionaries and batches of random content. */
#include "../house/share.h"
#include "flow/cursor.h"
#include "flow/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    BLOCKS = 400,
    PATHS = 300,
    UNITS = 500,
    EVENTS = 700,
    LONGEST = 700, /* instructions of a block */
    SEEDS = TEST_PART(42),
    GUARD = 16,
};

#define FILL 0xa5a5a5a5a5a5a5a5u

struct world {
    uint64_t random;
    unsigned isas; /* A64; A32 as well; T32 as well */
    bool wraps;    /* blocks may, at the end of memory */
    struct cairn_dictionary dictionary;
    struct cairn_word_batch *batch;
    uint8_t *sizes[BLOCKS + 1]; /* of each block's instructions */
};

static uint64_t draw(struct world *w, uint64_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random * 0x2545f4914f6cdd1du % below;
}

static uint32_t some_length(struct world *w)
{
    switch (draw(w, 20)) {
    case 0: return 0;
    case 1: return (uint32_t)draw(w, LONGEST);
    case 2: return 60 + (uint32_t)draw(w, 10);
    default: return 1 + (uint32_t)draw(w, 16);
    }
}

static void add_block(struct world *w)
{
    static const uint8_t isas[] = {CAIRN_ISA_A64, CAIRN_ISA_A32, CAIRN_ISA_T32};
    struct cairn_code_block block = {.isa = isas[draw(w, w->isas)], .instructions = some_length(w)};
    const struct cairn_block_more more = {.undefined_at = draw(w, UINT64_MAX)};
    const unsigned mix = (unsigned)draw(w, 3); /* T32: narrow, wide, both */
    uint8_t *sizes = calloc(block.instructions + 1u, 1);

    assert_non_null(sizes);
    block.address = draw(w, UINT64_MAX) & ~UINT64_C(3);
    if (block.isa != CAIRN_ISA_A64)
        block.address &= UINT32_MAX;
    if (w->wraps && draw(w, 8) == 0)
        block.address = (block.isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX) - 15;
    block.end = block.address;
    for (uint32_t i = 0; i < block.instructions; i++) {
        sizes[i] = 4;
        if (block.isa == CAIRN_ISA_T32) {
            sizes[i] = mix == 0 || (mix == 2 && draw(w, 2)) ? 2 : 4;
            assert_true(cairn_dictionary_note_size(&w->dictionary, i, sizes[i]));
        }
        block.end += sizes[i];
        block.last_size = sizes[i];
    }
    if (block.isa != CAIRN_ISA_A64)
        block.end &= UINT32_MAX;
    block.flags = (uint16_t)draw(w, 1u << 11);
    w->sizes[cairn_dictionary_add_block(&w->dictionary, &block, &more)] = sizes;
}

static void add_path(struct world *w)
{
    const enum cairn_path_kind kind = draw(w, 3) ? CAIRN_PATH_PACKETS : CAIRN_PATH_BITS;
    const uint32_t limit = draw(w, 10) == 0 ? CAIRN_PATH_STEPS_MAX + 1 : 40;
    const uint32_t count = (uint32_t)draw(w, limit);
    uint32_t steps[CAIRN_PATH_STEPS_MAX];

    for (uint32_t i = 0; i < count; i++)
        steps[i] = (uint32_t)(2 * (1 + draw(w, BLOCKS)) + draw(w, 2));
    assert_int_not_equal(
        cairn_dictionary_add_path(&w->dictionary, kind, draw(w, UINT64_MAX), steps, count), 0);
}

static void add_event(struct world *w, uint32_t unit, unsigned step)
{
    static const uint8_t kinds[] = {
        CAIRN_FLOW_RANGE,         CAIRN_FLOW_RANGE,  CAIRN_FLOW_TRACE_ON, CAIRN_FLOW_WARNING,
        CAIRN_WORD_DISCONTINUITY, CAIRN_WORD_PACKET, CAIRN_WORD_WAITS,    CAIRN_WORD_TRANSACTION};
    struct cairn_word_batch *batch = w->batch;
    struct cairn_word_event *event = &batch->event[batch->event_count++];

    *event = (struct cairn_word_event){.word = unit,
                                       .step = (uint16_t)step,
                                       .kind = kinds[draw(w, sizeof kinds)],
                                       .isa = CAIRN_ISA_A32,
                                       .instructions = 1 + (uint32_t)draw(w, 100),
                                       .address = draw(w, UINT64_MAX),
                                       .value = draw(w, UINT64_MAX)};
    if (event->kind == CAIRN_FLOW_RANGE) {
        if (draw(w, 2))
            event->flags |= CAIRN_FLOW_P0;
        if (draw(w, 2))
            event->flags |= CAIRN_FLOW_TAKEN;
    }
}

static void fill_batch(struct world *w, size_t units)
{
    struct cairn_word_batch *batch = w->batch;
    const unsigned often = (unsigned)draw(w, 4);

    batch->count = 0;
    batch->event_count = 0;
    for (uint32_t unit = 0; unit <= units; unit++) {
        uint32_t id = 0;
        unsigned step = 0;

        if (unit < units) {
            id = 1 + (uint32_t)draw(w, PATHS);
            batch->path[unit] = id | (draw(w, 2) ? CAIRN_WORD_INFERRED : 0);
            batch->offset[unit] = unit;
            batch->count++;
        }
        while (batch->event_count < EVENTS && draw(w, 4) < often) {
            add_event(w, unit, step);
            step += (unsigned)draw(w, w->dictionary.paths[id].steps + 1u);
            if (step > w->dictionary.paths[id].steps)
                break;
        }
    }
}

static struct world *make(uint64_t seed)
{
    struct world *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->random = seed * 0x9e3779b97f4a7c15u + 1;
    w->isas = 1 + (unsigned)(seed / 2 % 3);
    w->wraps = seed % 7 < 4;
    cairn_dictionary_init(&w->dictionary, CAIRN_ENGINE_TABLE_BYTES, false);
    w->dictionary.portable = seed % 2;
    for (unsigned i = 0; i < 256; i++)
        w->dictionary.atoms[i] = CAIRN_PATH_STEPS_MAX;
    for (unsigned i = 0; i < BLOCKS; i++)
        add_block(w);
    for (unsigned i = 0; i < PATHS; i++)
        add_path(w);
    assert_int_equal(cairn_word_batch_new(UNITS + EVENTS, true, &w->batch), CAIRN_OK);
    w->batch->dictionary = &w->dictionary;
    fill_batch(w, seed % 5 == 0 ? (unsigned)draw(w, 4) : UNITS);
    return w;
}

static void drop(struct world *w)
{
    for (size_t i = 0; i <= BLOCKS; i++)
        free(w->sizes[i]);
    cairn_word_batch_free(w->batch);
    cairn_dictionary_release(&w->dictionary);
    free(w);
}

/* --- what is expected, one thing at a time --- */

struct list {
    uint64_t *entry;
    size_t count;
    size_t capacity;
};

static void append(struct list *list, uint64_t entry)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->entry = realloc(list->entry, list->capacity * sizeof *list->entry);
        assert_non_null(list->entry);
    }
    list->entry[list->count++] = entry;
}

static void expect_lists(const struct world *w, struct list *steps, struct list *addresses)
{
    const struct cairn_dictionary *d = &w->dictionary;

    for (size_t unit = 0; unit < w->batch->count; unit++) {
        const struct cairn_path *path = &d->paths[w->batch->path[unit] & ~CAIRN_WORD_INFERRED];

        for (uint32_t i = 0; i < path->steps; i++) {
            const uint32_t step = d->steps[path->first + i];
            const struct cairn_code_block *block = &d->blocks[step >> 1];
            uint64_t at = block->address;

            append(steps, step);
            for (uint32_t k = 0; k < block->instructions; k++) {
                append(addresses, at);
                at += w->sizes[step >> 1][k];
                if (block->isa != CAIRN_ISA_A64)
                    at &= UINT32_MAX;
            }
            assert_true(at == block->end);
        }
    }
}

typedef size_t blocks_view(const struct cairn_word_batch *batch, struct cairn_word_cursor *cursor,
                           uint32_t *steps, size_t capacity);
typedef size_t instructions_view(const struct cairn_word_batch *batch,
                                 struct cairn_word_cursor *cursor, uint64_t *addresses,
                                 size_t capacity);

/* Lists in pieces of `capacity`; nothing may be written behind them. */
static void check_blocks(const struct world *w, blocks_view *view, const struct list *want,
                         size_t capacity)
{
    struct cairn_word_cursor cursor = {0};
    uint32_t *steps = malloc((capacity + GUARD) * sizeof *steps);
    size_t at = 0;
    size_t count;

    assert_non_null(steps);
    memset(steps, 0xa5, (capacity + GUARD) * sizeof *steps);
    while ((count = view(w->batch, &cursor, steps, capacity)) > 0) {
        assert_true(count <= capacity && count <= want->count - at);
        for (size_t i = 0; i < count; i++)
            assert_true(steps[i] == want->entry[at + i]);
        at += count;
    }
    for (size_t i = 0; i < GUARD; i++)
        assert_true(steps[capacity + i] == (uint32_t)FILL);
    assert_int_equal(at, want->count);
    assert_int_equal(cursor.word, w->batch->count);
    assert_int_equal(cursor.step, 0);
    free(steps);
}

static void check_instructions(const struct world *w, instructions_view *view,
                               const struct list *want, size_t capacity)
{
    struct cairn_word_cursor cursor = {0};
    uint64_t *addresses = malloc((capacity + GUARD) * sizeof *addresses);
    size_t at = 0;
    size_t count;

    assert_non_null(addresses);
    memset(addresses, 0xa5, (capacity + GUARD) * sizeof *addresses);
    while ((count = view(w->batch, &cursor, addresses, capacity)) > 0) {
        assert_true(count <= capacity && count <= want->count - at);
        for (size_t i = 0; i < count; i++)
            assert_true(addresses[i] == want->entry[at + i]);
        at += count;
    }
    for (size_t i = 0; i < GUARD; i++)
        assert_true(addresses[capacity + i] == FILL);
    assert_int_equal(at, want->count);
    assert_int_equal(cursor.word, w->batch->count);
    assert_int_equal(cursor.step, 0);
    assert_int_equal(cursor.event, 0);
    free(addresses);
}

static void check_lists(blocks_view *blocks, instructions_view *instructions)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world *w = make(seed);
        struct list steps = {0};
        struct list addresses = {0};
        const size_t capacities[] = {1,    7,     256,     257, 300 + (size_t)draw(w, 1000),
                                     4096, 16384, 1u << 18};

        expect_lists(w, &steps, &addresses);
        for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
            check_blocks(w, blocks, &steps, capacities[i]);
            check_instructions(w, instructions, &addresses, capacities[i]);
        }
        free(steps.entry);
        free(addresses.entry);
        drop(w);
    }
}

static void portable_lists(void **state)
{
    (void)state;
    check_lists(cairn_view_blocks_portable, cairn_view_instructions_portable);
}

static void avx2_lists(void **state)
{
    (void)state;
#if CAIRN_AVX2
    if (cairn_cpu_has_avx2()) {
        check_lists(cairn_view_blocks_avx2, cairn_view_instructions_avx2);
        return;
    }
#endif
    print_message("# skipped: no AVX2\n");
    skip();
}

/* By the processor, and portable ones where the dictionary says so (every other world). */
static void chosen_lists(void **state)
{
    (void)state;
    check_lists(cairn_words_blocks, cairn_words_instructions);
}

static void counts_have_no_views(void **state)
{
    struct cairn_word_batch *batch;
    struct cairn_word_cursor cursor = {0};
    uint32_t steps[256];
    uint64_t addresses[256];
    struct cairn_dictionary dictionary;

    (void)state;
    assert_int_equal(cairn_word_batch_new(64, false, &batch), CAIRN_OK);
    assert_int_equal(cairn_words_blocks(batch, &cursor, steps, 256), 0);
    assert_int_equal(cairn_words_instructions(batch, &cursor, addresses, 256), 0);
    cairn_dictionary_init(&dictionary, CAIRN_ENGINE_TABLE_BYTES, true);
    batch->dictionary = &dictionary;
    assert_int_equal(cairn_words_blocks(batch, &cursor, steps, 256), 0);
    assert_int_equal(cairn_words_instructions(batch, &cursor, addresses, 256), 0);
    cairn_word_batch_free(batch);
}

/* A batch's rest, from a step inside a unit. */
static void from_inside_a_unit(void **state)
{
    struct world *w = make(7);
    struct list steps = {0};
    struct list addresses = {0};
    uint32_t *got = malloc((1u << 18) * sizeof *got);
    size_t before = 0;

    (void)state;
    assert_non_null(got);
    expect_lists(w, &steps, &addresses);
    for (size_t unit = 0; unit < w->batch->count; unit++) {
        const uint32_t id = w->batch->path[unit] & ~CAIRN_WORD_INFERRED;
        const uint32_t n = w->dictionary.paths[id].steps;

        if (n > 1) {
            struct cairn_word_cursor cursor = {.word = unit, .step = n / 2};
            const size_t count = cairn_words_blocks(w->batch, &cursor, got, 1u << 18);

            assert_int_equal(count, steps.count - before - n / 2);
            for (size_t i = 0; i < count; i++)
                assert_true(got[i] == steps.entry[before + n / 2 + i]);
        }
        before += n;
    }
    free(got);
    free(steps.entry);
    free(addresses.entry);
    drop(w);
}

/* --- calls --- */

struct calls {
    struct cairn_range *range;
    size_t count;
    size_t capacity;
};

static void called(void *context, const struct cairn_range *range)
{
    struct calls *calls = context;

    assert_true(calls->count < calls->capacity);
    calls->range[calls->count++] = *range;
}

static void check_range(const struct cairn_range *got, const struct cairn_flow_batch *records,
                        size_t i)
{
    assert_true(got->address == records->address[i]);
    assert_true(got->end == records->value[i]);
    assert_int_equal(got->instructions, records->instructions[i]);
    assert_int_equal(got->isa, records->isa[i]);
    if (records->flags[i] & CAIRN_FLOW_P0) {
        assert_true(got->flags & CAIRN_BLOCK_P0);
        assert_int_equal(got->taken, (records->flags[i] & CAIRN_FLOW_TAKEN) != 0);
    } else {
        assert_false(got->flags & CAIRN_BLOCK_P0);
    }
}

/* The same ranges as the records view gives, in its order. */
static void each_as_the_records(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct world *w = make(seed);
        struct cairn_word_cursor cursor = {0};
        struct calls calls = {.capacity = UNITS * CAIRN_PATH_STEPS_MAX + EVENTS};
        struct cairn_flow_batch *records;
        size_t at = 0;

        calls.range = calloc(calls.capacity, sizeof *calls.range);
        assert_non_null(calls.range);
        cairn_words_each(w->batch, called, &calls);
        assert_int_equal(cairn_flow_batch_new(1000, &records), CAIRN_OK);
        do {
            records->count = 0;
            assert_int_equal(cairn_words_records(w->batch, &cursor, records), CAIRN_OK);
            for (size_t i = 0; i < records->count; i++) {
                if (records->kind[i] != CAIRN_FLOW_RANGE)
                    continue;
                assert_true(at < calls.count);
                check_range(&calls.range[at++], records, i);
            }
        } while (records->count > 0);
        assert_int_equal(at, calls.count);
        cairn_flow_batch_free(records);
        free(calls.range);
        drop(w);
    }
}

/* Before any path there are ranges among the events only. */
static void each_without_paths(void **state)
{
    struct cairn_range range[4];
    struct calls calls = {.range = range, .capacity = 4};
    struct cairn_word_batch *batch;

    (void)state;
    assert_int_equal(cairn_word_batch_new(64, false, &batch), CAIRN_OK);
    batch->event[0] = (struct cairn_word_event){.kind = CAIRN_FLOW_TRACE_ON};
    batch->event[1] =
        (struct cairn_word_event){.kind = CAIRN_FLOW_RANGE,
                                  .flags = CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN | CAIRN_FLOW_LINK,
                                  .isa = CAIRN_ISA_T32,
                                  .instructions = 3,
                                  .address = 0x1000,
                                  .value = 0x1008};
    batch->event[2] = batch->event[1];
    batch->event[2].flags = CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN | CAIRN_FLOW_RETURN;
    batch->event_count = 3;
    cairn_words_each(batch, called, &calls);
    assert_int_equal(calls.count, 2);
    assert_true(range[0].address == 0x1000 && range[0].end == 0x1008 && range[0].taken);
    assert_int_equal(range[0].isa, CAIRN_ISA_T32);
    assert_int_equal(range[0].flags, CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_LINK);
    assert_int_equal(range[1].flags, CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_RETURN);
    cairn_word_batch_free(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_lists),     cmocka_unit_test(avx2_lists),
        cmocka_unit_test(chosen_lists),       cmocka_unit_test(counts_have_no_views),
        cmocka_unit_test(from_inside_a_unit), cmocka_unit_test(each_as_the_records),
        cmocka_unit_test(each_without_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
