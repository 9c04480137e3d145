/* SPDX-License-Identifier: BSD-2-Clause */
/* Words unfolded into ranges are the ranges of the reference path, of random traces over random programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../house/share.h"
#include "flow/engine.h"
#include "generate.h"
#include "pipeline/unfold.h"

enum { SEEDS = TEST_SHARE > 1 ? 4 : 30, BYTES = 8192, RECORDS = 1024, ROOM = 64 };

/* What the view of records says besides is of no use to who counts. */
#define FLAGS (CAIRN_FLOW_P0 | CAIRN_FLOW_TAKEN | CAIRN_FLOW_UNKNOWN | CAIRN_FLOW_DISCONTINUITY)

typedef bool generate(uint64_t seed, size_t size, struct engine_case *made);

struct unfolding {
    struct cairn_decoder *reference;
    const struct engine_case *input;
    struct cairn_flow_batch *records; /* of the reference path */
    size_t position, next;
    bool finishes; /* of the trace nothing is left */
    bool breaks;   /* a mark came behind the ranges of a batch */
    uint64_t ranges;
    uint64_t highest; /* offset of a batch's ranges */
};

/* The next range of the reference path. */
static size_t next_range(struct unfolding *unfolding)
{
    struct cairn_flow_batch *const records = unfolding->records;

    for (;; unfolding->next++) {
        if (unfolding->next == records->count) {
            records->count = unfolding->next = 0;
            if (!unfolding->finishes)
                assert_int_equal(cairn_decoder_run(unfolding->reference, unfolding->input->data,
                                                   unfolding->input->size, &unfolding->position,
                                                   records),
                                 CAIRN_OK);
            unfolding->finishes |= !records->count;
            if (unfolding->finishes)
                assert_int_equal(cairn_decoder_finish(unfolding->reference, records), CAIRN_OK);
            if (!records->count)
                return SIZE_MAX;
        }
        if (records->kind[unfolding->next] == CAIRN_FLOW_RANGE)
            return unfolding->next++;
    }
}

static cairn_status check_event(void *context, const struct cairn_word_event *event)
{
    struct unfolding *const unfolding = context;
    const struct cairn_flow_batch *const wanted = unfolding->records;
    unsigned flags = event->flags;

    if (event->kind == CAIRN_WORD_DISCONTINUITY)
        unfolding->breaks = true;
    if (event->kind != CAIRN_FLOW_RANGE)
        return CAIRN_OK;
    const size_t i = next_range(unfolding);
    assert_true(i != SIZE_MAX);
    flags |= unfolding->breaks ? CAIRN_FLOW_DISCONTINUITY : 0;
    unfolding->breaks = false;
    assert_int_equal(event->address, wanted->address[i]);
    assert_int_equal(event->value, wanted->value[i]);
    assert_int_equal(event->instructions, wanted->instructions[i]);
    assert_int_equal(event->isa, wanted->isa[i]);
    assert_int_equal(event->offset, wanted->offset[i]);
    assert_int_equal(event->length, wanted->length[i]);
    assert_int_equal(flags & FLAGS, wanted->flags[i] & FLAGS);
    unfolding->highest = event->offset > unfolding->highest ? event->offset : unfolding->highest;
    unfolding->ranges++;
    return CAIRN_OK;
}

/* One that unfolds each batch, and one that passes over all of them, know the same behind each. */
static void check_batch(struct unfolding *unfolding, const struct cairn_word_batch *batch,
                        struct cairn_unfold *unfolds, struct cairn_unfold *passes)
{
    const uint64_t before = unfolding->ranges;

    unfolding->highest = 0;
    assert_int_equal(cairn_unfold_words(unfolds, batch, check_event, unfolding), CAIRN_OK);
    cairn_unfold_pass(passes, batch);
    assert_int_equal(passes->packet_offset, unfolds->packet_offset);
    assert_int_equal(passes->packet_length, unfolds->packet_length);
    assert_int_equal(passes->packet_flags, unfolds->packet_flags);
    if (unfolding->ranges > before)
        assert_true(cairn_unfold_reaches(batch, unfolding->highest));
    assert_false(cairn_unfold_reaches(batch, BYTES * 16));
}

static void check_case(const struct engine_case *input, size_t room)
{
    struct unfolding unfolding = {.input = input};
    struct cairn_unfold unfolds = {0}, passes = {0};
    struct cairn_engine *engine;
    struct cairn_word_batch *batch;
    bool ends = false;

    assert_int_equal(cairn_decoder_new(input->config, input->image, &unfolding.reference),
                     CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS, &unfolding.records), CAIRN_OK);
    assert_int_equal(cairn_engine_new(input->config, input->image, NULL, &engine), CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(room, true, &batch), CAIRN_OK);
    for (size_t at = 0; !ends;) {
        batch->count = batch->event_count = 0;
        ends = at == input->size;
        if (ends)
            assert_int_equal(cairn_engine_finish(engine, batch), CAIRN_OK);
        else
            assert_int_equal(cairn_engine_run(engine, input->data, input->size, &at, batch),
                             CAIRN_OK);
        ends = ends && !batch->count && !batch->event_count && !batch->dictionary_ends;
        check_batch(&unfolding, batch, &unfolds, &passes);
    }
    assert_true(next_range(&unfolding) == SIZE_MAX);
    assert_true(unfolding.ranges > 0);
    cairn_word_batch_free(batch);
    cairn_engine_free(engine);
    cairn_flow_batch_free(unfolding.records);
    cairn_decoder_free(unfolding.reference);
}

static void check_seeds(generate *make)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct engine_case made;

        assert_true(make(seed, BYTES, &made));
        check_case(&made, seed % 2 ? ROOM : RECORDS);
        engine_generated_free(&made);
    }
}

static void test_etmv4(void **state)
{
    (void)state;
    check_seeds(engine_generate);
}

static void test_ptm(void **state)
{
    (void)state;
    check_seeds(engine_generate_ptm);
}

static void test_etmv3(void **state)
{
    (void)state;
    check_seeds(engine_generate_etmv3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etmv4),
        cmocka_unit_test(test_ptm),
        cmocka_unit_test(test_etmv3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
