/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_walk.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "../protocol/etmv3_session.h"

struct engine_case etmv3_case(const uint8_t *bytes, size_t size, uint32_t id, uint32_t control,
                              const uint8_t *code, size_t code_size)
{
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_error error = {0};
    struct engine_case input = {.data = bytes, .size = size};

    input.config = etmv3_configure(CAIRN_PROFILE_A, id | 1u << 19, control, 0, &error);
    assert_non_null(input.config);
    assert_int_equal(cairn_image_new(&input.image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(input.image, "program", &any, CAIRN_ORDER_LITTLE,
                                           ETMV3_BASE, code, code_size, NULL),
                     CAIRN_OK);
    return input;
}

void etmv3_case_end(const struct engine_case *input)
{
    cairn_image_unref(input->image);
    cairn_config_unref(input->config);
}

struct walk {
    struct etmv3_totals totals;
    struct cairn_word_batch *units;
    struct cairn_flow_batch *records;
    void (*data)(void *owner, const struct cairn_flow_batch *records, size_t i);
    void *owner;
};

static void take(struct walk *w)
{
    struct etmv3_totals *totals = &w->totals;
    const struct cairn_flow_batch *records = w->records;

    totals->cursor.word = totals->cursor.step = totals->cursor.event = 0;
    do {
        w->records->count = 0;
        assert_int_equal(cairn_words_records(w->units, &totals->cursor, w->records), CAIRN_OK);
        for (size_t i = 0; i < records->count; i++) {
            if (records->kind[i] == CAIRN_FLOW_RANGE) {
                totals->instructions += records->instructions[i];
            } else if (records->kind[i] == CAIRN_FLOW_CYCLES) {
                totals->cycles += records->value[i];
                totals->last = records->address[i];
            } else if (records->kind[i] == CAIRN_FLOW_DATA && w->data) {
                w->data(w->owner, records, i);
            }
        }
    } while (records->count == records->capacity);
    w->units->count = w->units->event_count = 0;
}

struct etmv3_totals
etmv3_walk(const struct engine_case *input, size_t units,
           void (*data)(void *owner, const struct cairn_flow_batch *records, size_t i), void *owner)
{
    struct cairn_engine_statistics statistics = {.size = sizeof statistics};
    struct walk w = {.data = data, .owner = owner};
    struct cairn_engine *engine;
    bool more;

    assert_int_equal(cairn_engine_new(input->config, input->image, NULL, &engine), CAIRN_OK);
    assert_int_equal(cairn_word_batch_new(units, true, &w.units), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(units, &w.records), CAIRN_OK);
    for (size_t at = 0; at < input->size; take(&w))
        assert_int_equal(cairn_engine_run(engine, input->data, input->size, &at, w.units),
                         CAIRN_OK);
    do {
        assert_int_equal(cairn_engine_finish(engine, w.units), CAIRN_OK);
        more = w.units->count + w.units->event_count > 0;
        take(&w);
    } while (more);
    cairn_engine_statistics(engine, &statistics);
    w.totals.hot_bytes = statistics.hot_bytes;
    cairn_flow_batch_free(w.records);
    cairn_word_batch_free(w.units);
    cairn_engine_free(engine);
    return w.totals;
}
