/* SPDX-License-Identifier: BSD-2-Clause */
/* The first source of a capture that is an ETMv1's, ETMv2's or ETMv3's, as its trace port would have shown
 * it, for a wave viewer: a value change dump on standard output, with triggers where they are in the trace.
 *
 * usage: example-waveform CAPTURE [PINS] >FILE.vcd */
#include <string.h>

#include "source.h"

#define PACKETS_AT_ONCE 256

static int write_text(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

/* Bytes are kept until their packet is known: a trigger is no byte like others on a port. */
struct held {
    unsigned char *bytes;
    size_t size, capacity;
};

static void hold(struct held *held, const struct cairn_chunk *chunk)
{
    if (held->size + chunk->size > held->capacity) {
        held->capacity = 2 * (held->size + chunk->size);
        held->bytes = realloc(held->bytes, held->capacity);
        if (!held->bytes)
            must(CAIRN_E_MEMORY, NULL);
    }
    memcpy(held->bytes + held->size, chunk->data, chunk->size);
    held->size += chunk->size;
}

static bool show(struct cairn_vcd *vcd, struct held *held, struct cairn_packet_batch *batch)
{
    const bool any = batch->count > 0;
    size_t done = 0;

    for (size_t i = 0; i < batch->count; i++) {
        const size_t size = (size_t)batch->length[i];

        if (batch->kind[i] == CAIRN_ETMV3_TRIGGER)
            must(cairn_vcd_trigger(vcd), NULL);
        else
            must(cairn_vcd_write(vcd, held->bytes + done, size), NULL);
        done += size;
    }
    memmove(held->bytes, held->bytes + done, held->size - done);
    held->size -= done;
    batch->count = 0;
    return any;
}

static void draw(const struct cairn_capture *capture, size_t source, struct cairn_config *config,
                 struct cairn_vcd *vcd)
{
    struct cairn_reader *reader = NULL;
    struct cairn_packets *packets = NULL;
    struct cairn_packet_batch *batch = NULL;
    struct cairn_chunk chunk;
    struct held held = {NULL, 0, 0};

    must(cairn_reader_new(capture, source, &reader, NULL), NULL);
    must(cairn_packets_new(config, &packets), NULL);
    must(cairn_packet_batch_new(PACKETS_AT_ONCE, &batch), NULL);
    for (;;) {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (chunk.size == 0)
            break;
        hold(&held, &chunk);
        for (size_t at = 0; at < chunk.size; show(vcd, &held, batch))
            must(cairn_packets_run(packets, chunk.data, chunk.size, &at, batch), NULL);
    }
    do {
        must(cairn_packets_finish(packets, batch), NULL);
    } while (show(vcd, &held, batch));
    must(cairn_vcd_end(vcd), NULL);
    free(held.bytes);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_reader_free(reader);
}

/* Samples are cycles already: triggers are among them. */
static void draw_samples(const struct cairn_capture *capture, size_t source, struct cairn_vcd *vcd)
{
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    struct held held = {NULL, 0, 0};

    must(cairn_reader_new(capture, source, &reader, NULL), NULL);
    for (;;) {
        must(cairn_reader_next(reader, &chunk), NULL);
        if (chunk.size == 0)
            break;
        hold(&held, &chunk);
        const size_t whole = held.size - held.size % 4;
        must(cairn_vcd_write(vcd, held.bytes, whole), NULL);
        memmove(held.bytes, held.bytes + whole, held.size - whole);
        held.size -= whole;
    }
    must(cairn_vcd_end(vcd), NULL);
    free(held.bytes);
    cairn_reader_free(reader);
}

static void draw_source(const struct cairn_capture *capture, size_t index,
                        const struct cairn_source_info *info, struct cairn_vcd *vcd)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};

    source.protocol = info->protocol;
    source.arch = info->arch;
    source.registers = info->registers;
    source.register_count = info->register_count;
    must(cairn_config_new(&source, &config, &error), &error);
    draw(capture, index, config, vcd);
    cairn_config_unref(config);
}

int main(int argc, char **argv)
{
    struct cairn_error error = {0};
    struct cairn_vcd_options options = {
        .size = sizeof options,
        .width = argc > 2 ? (unsigned)atoi(argv[2]) : 4,
        .write = write_text,
        .context = stdout,
    };
    struct cairn_capture *capture = open_capture(argc > 2 ? 2 : argc, argv);
    struct cairn_vcd *vcd = NULL;

    for (size_t i = 0; i < cairn_capture_source_count(capture) && !vcd; i++) {
        struct cairn_source_info info = {.size = sizeof info};
        must(cairn_capture_source(capture, i, &info), NULL);
        const bool samples =
            info.protocol == CAIRN_PROTOCOL_ETMV1 || info.protocol == CAIRN_PROTOCOL_ETMV2;
        if (!samples && info.protocol != CAIRN_PROTOCOL_ETMV3)
            continue;
        options.type = cairn_protocol_name(info.protocol);
        must(cairn_vcd_new(&options, &vcd, &error), &error);
        if (samples)
            draw_samples(capture, i, vcd);
        else
            draw_source(capture, i, &info, vcd);
    }
    if (!vcd)
        fprintf(stderr, "%s: the capture has no source of an ETMv1, ETMv2 or ETMv3\n", argv[0]);
    cairn_capture_free(capture);
    const int status = vcd ? 0 : 1;
    cairn_vcd_free(vcd);
    return status;
}
