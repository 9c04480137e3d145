/* SPDX-License-Identifier: BSD-2-Clause */
#include "mtb_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 1024

cairn_status mtb_try(const struct mtb_registers *registers, struct cairn_config **config,
                     struct cairn_error *error)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    source.protocol = CAIRN_PROTOCOL_MTB;
    source.registers = registers->list;
    while (source.register_count < MTB_REGISTERS && registers->list[source.register_count].name)
        source.register_count++;
    assert_int_equal(cairn_arch_from_name("Cortex-M0+", &source.arch), CAIRN_OK);
    return cairn_config_new(&source, config, error);
}

struct cairn_config *mtb_configure(const struct mtb_registers *registers)
{
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};
    if (mtb_try(registers, &config, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return config;
}

size_t mtb_bytes(const char *words, uint8_t *bytes, size_t capacity)
{
    size_t size = 0;
    for (;;) {
        char *end;
        const unsigned long word = strtoul(words, &end, 16);
        if (end == words)
            return size;
        words = end;
        assert_true(size + 4 <= capacity);
        for (unsigned i = 0; i < 4; i++)
            bytes[size++] = (uint8_t)(word >> (8 * i));
    }
}

static void add(char text[MTB_TEXT], const char *more)
{
    assert_true(strlen(text) + strlen(more) + 1 < MTB_TEXT);
    strcat(text, more);
}

static void add_packet(const struct cairn_config *config, const struct cairn_packet_batch *batch,
                       size_t i, char text[MTB_TEXT])
{
    const struct cairn_packet_fields *fields = &batch->fields[i];
    char one[160];
    snprintf(one, sizeof one, "%s%llx %s ", *text ? "; " : "", (unsigned long long)batch->offset[i],
             cairn_packet_mnemonic(config, batch->kind[i]));
    add(text, one);
    if (!(fields->flags & CAIRN_PACKET_HAS_VALUE)) {
        snprintf(one, sizeof one, "%llx", (unsigned long long)batch->length[i]);
        add(text, one);
        return;
    }
    assert_int_equal(batch->length[i], 8);
    assert_int_equal(fields->state, CAIRN_STATE_THUMB);
    snprintf(one, sizeof one, "%llx>%llx %s%s%s", (unsigned long long)fields->value,
             (unsigned long long)fields->address, fields->info & CAIRN_MTB_A ? "A" : "",
             fields->info & CAIRN_MTB_S ? "S" : "", fields->info & CAIRN_MTB_JOINED ? "J" : "");
    add(text, one);
    if (text[strlen(text) - 1] == ' ')
        text[strlen(text) - 1] = '\0';
}

/* The address column names those packets that have an address, in their order. */
static void check_addresses(const struct cairn_packet_batch *batch)
{
    size_t k = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (!(batch->fields[i].flags & CAIRN_PACKET_HAS_ADDRESS))
            continue;
        assert_true(k < batch->address_count);
        assert_int_equal(batch->address[k], batch->fields[i].address | 1);
        assert_int_equal(batch->address_packet[k], i);
        k++;
    }
    assert_int_equal(k, batch->address_count);
}

static void take(const struct cairn_config *config, struct cairn_packet_batch *batch, uint64_t *at,
                 char text[MTB_TEXT])
{
    static const uint8_t accounts[] = {
#define ACCOUNT(NAME, ACCOUNT, TEXT, SECTION) ACCOUNT,
        CAIRN_MTB_PACKETS(ACCOUNT)
#undef ACCOUNT
    };
    check_addresses(batch);
    for (size_t i = 0; i < batch->count; i++) {
        assert_int_equal(batch->offset[i], *at);
        assert_int_equal(batch->account[i], accounts[batch->kind[i]]);
        assert_true(batch->length[i] != 0);
        *at += batch->length[i];
        if (text)
            add_packet(config, batch, i, text);
    }
    batch->count = 0;
}

void mtb_decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t step,
                size_t capacity, char text[MTB_TEXT])
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    uint64_t at = 0;
    size_t told;
    if (text)
        *text = '\0';
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (size_t from = 0; from < size;) {
        const size_t piece = step && step < size - from ? step : size - from;
        size_t position = 0;
        while (position < piece) {
            assert_int_equal(cairn_packets_run(packets, bytes + from, piece, &position, batch),
                             CAIRN_OK);
            take(config, batch, &at, text);
        }
        from += piece;
    }
    do {
        assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
        told = batch->count;
        take(config, batch, &at, text);
    } while (told);
    assert_int_equal(at, size);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
}

/* The bytes of a dump in the order of its trace. */
static void put_in_order(const struct cairn_config *config, const uint8_t *dump, size_t size,
                         uint8_t *bytes)
{
    struct cairn_span spans[CAIRN_SPANS_MAX];
    struct cairn_error error = {0};
    size_t count, at = 0;
    if (cairn_config_spans(config, size, spans, &count, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    assert_true(count <= CAIRN_SPANS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_true(spans[i].offset + spans[i].length <= size);
        assert_true(spans[i].length <= size - at);
        memcpy(bytes + at, dump + spans[i].offset, (size_t)spans[i].length);
        at += (size_t)spans[i].length;
    }
    assert_int_equal(at, size);
}

void mtb_assert(const struct mtb_registers *registers, const char *dump, const char *wanted)
{
    uint8_t memory[BYTES_MAX], bytes[BYTES_MAX];
    char text[MTB_TEXT];
    struct cairn_config *config = mtb_configure(registers);
    const size_t size = mtb_bytes(dump, memory, sizeof memory);
    put_in_order(config, memory, size, bytes);
    for (size_t step = 0; step < 10; step++) {
        for (size_t capacity = 1; capacity < 4; capacity++) {
            mtb_decode(config, bytes, size, step, capacity, text);
            assert_string_equal(text, wanted);
        }
    }
    cairn_config_unref(config);
}
