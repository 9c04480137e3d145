/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 1: the bytes of each source as packets: offset, length, kind.
 *
 * usage: example-packets CAPTURE */
#include <inttypes.h>

#include "source.h"

#define PACKETS_AT_ONCE 256

/* Prints the batch and empties it; false when there was nothing in it. */
static bool print(const struct cairn_config *config, struct cairn_packet_batch *batch)
{
    bool any = batch->count > 0;

    for (size_t i = 0; i < batch->count; i++)
        printf("%" PRIu64 " %" PRIu64 " %s\n", batch->offset[i], batch->length[i],
               cairn_packet_mnemonic(config, batch->kind[i]));
    batch->count = 0;
    return any;
}

static void list(const struct cairn_capture *capture, size_t source, struct cairn_config *config)
{
    struct cairn_error error = {0};
    struct cairn_reader *reader = NULL;
    struct cairn_packets *packets = NULL;
    struct cairn_packet_batch *batch = NULL;
    struct cairn_chunk chunk;

    must(cairn_reader_new(capture, source, &reader, &error), &error);
    must(cairn_packets_new(config, &packets), NULL);
    must(cairn_packet_batch_new(PACKETS_AT_ONCE, &batch), NULL);

    for (;;) {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (chunk.size == 0)
            break;
        /* A full batch stops the decoder in the middle of the chunk; it goes on from there. */
        for (size_t at = 0; at < chunk.size; print(config, batch))
            must(cairn_packets_run(packets, chunk.data, chunk.size, &at, batch), NULL);
    }
    do {
        must(cairn_packets_finish(packets, batch), NULL);
    } while (print(config, batch));

    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_reader_free(reader);
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc, argv);

    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct cairn_config *config = configure(capture, i);

        if (config)
            list(capture, i, config);
        cairn_config_unref(config);
    }
    cairn_capture_free(capture);
    return 0;
}
