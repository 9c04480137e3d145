/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 2: the elements of what each source's core executed, in program order: speculation and
 * transactions are resolved.
 *
 * usage: example-elements CAPTURE */
#include <inttypes.h>

#include "source.h"

#define AT_ONCE 256

struct level {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *generated; /* as the trace unit generated them */
    struct cairn_element_batch *resolved;  /* as they were executed */
};

static void print(struct cairn_element_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct cairn_element_data *data = cairn_element_data_at(batch, i);

        printf("%" PRIu64 " %s", batch->offset[i], cairn_element_name(batch->kind[i]));
        switch (batch->kind[i]) {
        case CAIRN_ELEMENT_ATOM: printf(batch->flags[i] & CAIRN_ELEMENT_E ? " E" : " N"); break;
        case CAIRN_ELEMENT_TARGET_ADDRESS:
        case CAIRN_ELEMENT_EXCEPTION: printf(" 0x%" PRIx64, data->address); break;
        case CAIRN_ELEMENT_TIMESTAMP: printf(" 0x%" PRIx64, data->value); break;
        default: break; /* cairn_element_describe tells the rest */
        }
        putchar('\n');
    }
    batch->count = 0;
}

/* Takes the packets of the batch through both steps. */
static void drain(struct level *level)
{
    size_t packet = 0;

    do { /* once more than there are packets: the last one may have had more than the batch holds */
        level->generated->count = 0;
        must(cairn_elements_run(level->elements, level->packet_batch, &packet, level->generated),
             NULL);
        for (size_t element = 0; element < level->generated->count; print(level->resolved))
            must(cairn_resolver_run(level->resolver, level->generated, &element, level->resolved),
                 NULL);
    } while (level->generated->count > 0);
    level->packet_batch->count = 0;
}

static void list(const struct cairn_capture *capture, size_t source, struct cairn_config *config)
{
    struct cairn_error error = {0};
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    struct level level = {0};
    size_t added;

    must(cairn_reader_new(capture, source, &reader, &error), &error);
    must(cairn_packets_new(config, &level.packets), NULL);
    must(cairn_elements_new(config, &level.elements), NULL);
    must(cairn_resolver_new(config, &level.resolver), NULL);
    must(cairn_packet_batch_new(AT_ONCE, &level.packet_batch), NULL);
    must(cairn_element_batch_new(AT_ONCE, &level.generated), NULL);
    must(cairn_element_batch_new(AT_ONCE, &level.resolved), NULL);

    for (;;) {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (chunk.size == 0)
            break;
        for (size_t at = 0; at < chunk.size; drain(&level))
            must(cairn_packets_run(level.packets, chunk.data, chunk.size, &at, level.packet_batch),
                 NULL);
    }
    /* Each step may hold something back until it is told that nothing follows. */
    do {
        must(cairn_packets_finish(level.packets, level.packet_batch), NULL);
        added = level.packet_batch->count;
        drain(&level);
    } while (added);
    do {
        must(cairn_resolver_finish(level.resolver, level.resolved), NULL);
        added = level.resolved->count;
        print(level.resolved);
    } while (added);

    cairn_element_batch_free(level.resolved);
    cairn_element_batch_free(level.generated);
    cairn_packet_batch_free(level.packet_batch);
    cairn_resolver_free(level.resolver);
    cairn_elements_free(level.elements);
    cairn_packets_free(level.packets);
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
