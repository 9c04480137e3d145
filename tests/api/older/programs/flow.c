/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 3: what each source's core executed, as ranges of consecutive instructions, with the
 * decoder that has all levels in one; and where the bytes of the trace went.
 *
 * usage: example-flow CAPTURE */
#include <inttypes.h>

#include "source.h"

#define RECORDS_AT_ONCE 256

/* Prints the ranges of the batch and empties it. Returns how many instructions they are. */
static uint64_t print(struct cairn_flow_batch *batch)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const unsigned flags = batch->flags[i];

        if (batch->kind[i] != CAIRN_FLOW_RANGE) {
            printf("# %s\n", cairn_flow_kind_name(batch->kind[i]));
            continue;
        }
        printf("%" PRIx64 " %" PRIx64 " %" PRIu32 "%s\n", batch->address[i], batch->value[i],
               batch->instructions[i],
               !(flags & CAIRN_FLOW_P0)   ? ""
               : flags & CAIRN_FLOW_TAKEN ? " E"
                                          : " N");
        instructions += batch->instructions[i];
    }
    batch->count = 0;
    return instructions;
}

static void follow(const struct cairn_capture *capture, size_t source, struct cairn_config *config,
                   struct cairn_image *image)
{
    struct cairn_error error = {0};
    struct cairn_reader *reader = NULL;
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    struct cairn_chunk chunk;
    uint64_t instructions = 0;
    size_t added;

    must(cairn_reader_new(capture, source, &reader, &error), &error);
    must(cairn_decoder_new(config, image, &decoder), NULL);
    must(cairn_flow_batch_new(RECORDS_AT_ONCE, &batch), NULL);

    for (;;) {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (chunk.size == 0)
            break;
        for (size_t at = 0; at < chunk.size; instructions += print(batch))
            must(cairn_decoder_run(decoder, chunk.data, chunk.size, &at, batch), NULL);
    }
    do {
        must(cairn_decoder_finish(decoder, batch), NULL);
        added = batch->count;
        instructions += print(batch);
    } while (added);

    const struct cairn_ledger *ledger = cairn_decoder_ledger(decoder);
    printf("# %" PRIu64 " instructions from %" PRIu64 " bytes\n", instructions, ledger->total);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        if (ledger->account[i].bytes)
            printf("# %s: %" PRIu64 " bytes\n", cairn_account_name(i), ledger->account[i].bytes);

    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_reader_free(reader);
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc, argv);
    struct cairn_image *image = cairn_capture_image(capture);

    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct cairn_config *config = configure(capture, i);

        if (config)
            follow(capture, i, config, image);
        cairn_config_unref(config);
    }
    cairn_capture_free(capture);
    return 0;
}
