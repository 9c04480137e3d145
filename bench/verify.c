/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify.h"

#include <cairn/engine.h>

#include "flow/cursor.h"
#include "flow_hash.h"
#include "peer.h"

enum {
    RECORDS_AT_ONCE = 4096,
    UNITS_AT_ONCE = 4096,
};

static void drain(struct cairn_flow_batch *records, struct cairn_flow_hash *hash)
{
    cairn_flow_hash_add(hash, records);
    records->count = 0;
}

static void hash_reference(const struct bench_source *source, struct cairn_image *image,
                           struct cairn_flow_batch *records, struct cairn_flow_hash *hash)
{
    struct cairn_decoder *decoder = NULL;
    size_t added;

    bench_must(cairn_decoder_new(source->config, image, &decoder), NULL, "decoder");
    for (size_t at = 0; at < source->size; drain(records, hash))
        bench_must(cairn_decoder_run(decoder, source->bytes, source->size, &at, records), NULL,
                   "flow");
    do {
        bench_must(cairn_decoder_finish(decoder, records), NULL, "flow");
        added = records->count;
        drain(records, hash);
    } while (added);
    cairn_decoder_free(decoder);
}

/* What the batch has, as records. */
static size_t expand(struct cairn_word_batch *units, struct cairn_word_cursor *cursor,
                     struct cairn_flow_batch *records, struct cairn_flow_hash *hash)
{
    const size_t had = units->count + units->event_count + units->dictionary_ends;
    size_t added;

    do {
        bench_must(cairn_words_records(units, cursor, records), NULL, "records");
        added = records->count;
        drain(records, hash);
    } while (added);
    cursor->word = cursor->step = cursor->event = 0;
    units->count = units->event_count = 0;
    return had;
}

static void hash_engine(const struct bench_source *source, struct cairn_image *image,
                        struct cairn_flow_batch *records, struct cairn_flow_hash *hash)
{
    struct cairn_engine *engine = NULL;
    struct cairn_word_batch *units = NULL;
    struct cairn_word_cursor cursor = {0};

    bench_must(cairn_engine_new(source->config, image, NULL, &engine), NULL, "engine");
    bench_must(cairn_word_batch_new(UNITS_AT_ONCE, true, &units), NULL, "engine");
    for (size_t at = 0; at < source->size; expand(units, &cursor, records, hash))
        bench_must(cairn_engine_run(engine, source->bytes, source->size, &at, units), NULL,
                   "engine");
    do
        bench_must(cairn_engine_finish(engine, units), NULL, "engine");
    while (expand(units, &cursor, records, hash));
    cairn_word_batch_free(units);
    cairn_engine_free(engine);
}

void bench_verify(const struct bench_capture *loaded, struct bench_verdict *verdict)
{
    struct cairn_flow_hash reference = {0}, engine = {0};
    struct cairn_flow_batch *records = NULL;

    *verdict = (struct bench_verdict){0};
    bench_must(cairn_flow_batch_new(RECORDS_AT_ONCE, &records), NULL, "records");
    for (size_t i = 0; i < loaded->source_count; i++) {
        const struct bench_source *source = &loaded->sources[i];
        struct bench_peer *peer = bench_peer_new(BENCH_FLOW, source, loaded->image);

        hash_reference(source, loaded->image, records, &reference);
        hash_engine(source, loaded->image, records, &engine);
        verdict->peer_instructions += bench_peer_run(peer);
        bench_peer_free(peer);
    }
    cairn_flow_batch_free(records);
    verdict->instructions = reference.instructions;
    verdict->reference_hash = cairn_flow_hash_end(&reference);
    verdict->engine_hash = cairn_flow_hash_end(&engine);
}

bool bench_agrees(const struct bench_verdict *verdict, unsigned missed)
{
    const uint64_t ours = verdict->instructions, theirs = verdict->peer_instructions;
    const uint64_t apart = ours > theirs ? ours - theirs : theirs - ours;

    return verdict->reference_hash == verdict->engine_hash && apart <= ours / 1000000 * missed;
}
