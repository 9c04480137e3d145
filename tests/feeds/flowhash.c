/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes every source of a capture and prints a line each: COUNT HASH GAPS NAME, the hash over the
 * addresses of all executed instructions in order, as addresses.c makes it.
 * usage: flowhash CAPTURE             as said
 *        flowhash CAPTURE SOURCE      the addresses of one source, one a line
 *        flowhash CAPTURE --ranges SOURCE      its ranges: FIRST END INSTRUCTIONS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn.h>

#define PRIME 0x100000001b3ull
#define BATCH 4096

static void must(cairn_status status, const char *what)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "flowhash: %s: %s\n", what, cairn_status_text(status));
    exit(2);
}

struct sum {
    struct cairn_arch arch;
    struct cairn_space *space;
    size_t source;
    uint64_t count;
    uint64_t hash;
    uint64_t gaps;
    bool list;
    bool ranges;
};

static void add_instruction(struct sum *sum, uint64_t address)
{
    sum->hash = (sum->hash ^ address) * PRIME;
    sum->count++;
    if (sum->list)
        printf("%" PRIx64 "\n", address);
}

static void add_range(struct sum *sum, const struct cairn_flow_batch *batch, size_t i)
{
    const struct cairn_place place = {
        .source = (uint32_t)sum->source, .security = CAIRN_NONSECURE, .offset = batch->offset[i]};
    uint64_t address = batch->address[i];
    struct cairn_insn insn;

    if (batch->isa[i] == CAIRN_ISA_T32)
        must(cairn_space_select(sum->space, &place), "space");
    for (uint32_t n = 0; n < batch->instructions[i]; n++) {
        unsigned size = 4;

        add_instruction(sum, address);
        if (batch->isa[i] == CAIRN_ISA_T32) {
            if (!cairn_space_insn(sum->space, &sum->arch, CAIRN_ISA_T32, address, &insn))
                sum->gaps++;
            else
                size = insn.size;
        }
        address += size;
    }
}

static void add(struct sum *sum, struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_RANGE && sum->ranges)
            printf("%" PRIx64 " %" PRIx64 " %" PRIu32 "\n", batch->address[i], batch->value[i],
                   batch->instructions[i]);
        else if (batch->kind[i] == CAIRN_FLOW_RANGE)
            add_range(sum, batch, i);
        else if (batch->kind[i] == CAIRN_FLOW_GAP || batch->kind[i] == CAIRN_FLOW_OVERFLOW)
            sum->gaps++;
    }
    batch->count = 0;
}

static void decode(struct cairn_capture *capture, size_t index, const char *only, bool ranges)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_image *image = cairn_capture_image(capture);
    struct cairn_flow_batch *batch = NULL;
    struct cairn_decoder *decoder = NULL;
    struct cairn_config *config = NULL;
    struct cairn_reader *reader = NULL;
    struct cairn_error error = {0};
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_chunk chunk;
    size_t left;

    must(cairn_capture_source(capture, index, &info), "source");
    if (only && strcmp(only, info.name))
        return;
    source.protocol = info.protocol;
    source.arch = info.arch;
    source.source = (uint32_t)index;
    source.registers = info.registers;
    source.register_count = info.register_count;
    struct sum sum = {
        .arch = info.arch, .source = index, .list = only && !ranges, .ranges = ranges};
    must(cairn_config_new(&source, &config, &error), error.text);
    must(cairn_space_new(image, &sum.space), "space");
    must(cairn_reader_new(capture, index, &reader, &error), error.text);
    must(cairn_decoder_new(config, image, &decoder), "decoder");
    must(cairn_flow_batch_new(BATCH, &batch), "batch");
    for (;;) {
        must(cairn_reader_next(reader, &chunk), "reader");
        if (chunk.size == 0)
            break;
        for (size_t at = 0; at < chunk.size; add(&sum, batch))
            must(cairn_decoder_run(decoder, chunk.data, chunk.size, &at, batch), "decoder");
    }
    do {
        must(cairn_decoder_finish(decoder, batch), "decoder");
        left = batch->count;
        add(&sum, batch);
    } while (left);
    if (!only)
        printf("%" PRIu64 " %016" PRIx64 " %" PRIu64 " %s\n", sum.count, sum.hash, sum.gaps,
               info.name);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_reader_free(reader);
    cairn_space_free(sum.space);
    cairn_config_unref(config);
}

int main(int argc, char **argv)
{
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;
    struct cairn_error error = {0};

    if (argc < 2)
        return 2;
    must(cairn_capture_open(argv[1], &options, &capture, &error), error.text);
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++)
        decode(capture, i, argc > 2 ? argv[argc - 1] : NULL, argc > 3);
    cairn_capture_free(capture);
    return 0;
}
