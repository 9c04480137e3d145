/* SPDX-License-Identifier: BSD-2-Clause */
/* Real captures: every ETMv4 and ETE trace unit configures without a contradiction, and what its
 * packets mean, written again, gives the bytes that the trace unit wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/etmv4.h>
#include <cairn/packet.h>

#include "captured.h"

#define BATCH 4096
#define WRITE_BYTES 64

/* What all the captures came to. */
struct total {
    size_t sources;
    size_t packets;
    size_t same;    /* written again as the same bytes */
    size_t shorter; /* the trace unit did not write the shortest form */
    size_t other;   /* damage, alignment */
};

struct source {
    struct cairn_packets *packets;
    struct cairn_packet_writer *writer;
    struct cairn_packet_batch *batch;
    uint8_t *bytes;
    size_t size;
};

static void rewrite(struct source *source, struct total *total)
{
    const struct cairn_packet_batch *batch = source->batch;
    for (size_t i = 0; i < batch->count; i++) {
        uint8_t again[WRITE_BYTES];
        const unsigned kind = batch->kind[i];
        total->packets++;
        const size_t size =
            cairn_packet_write(source->writer, kind, &batch->fields[i], again, sizeof again);
        if (kind <= CAIRN_ETMV4_ALIGNMENT_SYNC) {
            total->other++;
            continue;
        }
        assert_int_not_equal(size, 0);
        assert_true(size <= batch->length[i]);
        if (size < batch->length[i]) {
            total->shorter++;
            continue;
        }
        assert_memory_equal(again, source->bytes + batch->offset[i], size);
        total->same++;
    }
    source->batch->count = 0;
}

static void read_source(void *context, const struct captured *captured)
{
    struct total *const total = context;
    struct cairn_config *const config = captured->config;
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    struct cairn_error error;
    struct source source = {.bytes = malloc(CAPTURED_MOST)};
    assert_non_null(source.bytes);
    for (size_t i = 0; cairn_config_note(config, i); i++)
        print_message("# %s: %s\n", captured->info.name, cairn_config_note(config, i));
    assert_null(cairn_config_note(config, 0));
    assert_int_equal(cairn_packets_new(config, &source.packets), CAIRN_OK);
    assert_int_equal(cairn_packet_writer_new(config, &source.writer), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(BATCH, &source.batch), CAIRN_OK);
    assert_int_equal(cairn_reader_new(captured->capture, captured->index, &reader, &error),
                     CAIRN_OK);
    for (;;) {
        size_t position = 0;
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (chunk.size == 0)
            break;
        assert_true(source.size + chunk.size <= CAPTURED_MOST);
        memcpy(source.bytes + source.size, chunk.data, chunk.size);
        source.size += chunk.size;
        do {
            assert_int_equal(
                cairn_packets_run(source.packets, chunk.data, chunk.size, &position, source.batch),
                CAIRN_OK);
            rewrite(&source, total);
        } while (position < chunk.size);
    }
    do {
        source.batch->count = 0;
        assert_int_equal(cairn_packets_finish(source.packets, source.batch), CAIRN_OK);
        rewrite(&source, total);
    } while (source.batch->count != 0);
    total->sources++;
    cairn_reader_free(reader);
    cairn_packet_batch_free(source.batch);
    cairn_packet_writer_free(source.writer);
    cairn_packets_free(source.packets);
    free(source.bytes);
}

static void test_captures(void **state)
{
    struct total total = {0};

    (void)state;
    captured_each(read_source, &total);
    print_message(
        "# %zu sources, %zu packets: %zu the same, %zu shorter, %zu damage or alignment\n",
        total.sources, total.packets, total.same, total.shorter, total.other);
    assert_true(total.sources > 0);
    assert_true(total.same > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures)};
    return cmocka_run_group_tests_name("captures", tests, NULL, NULL);
}
