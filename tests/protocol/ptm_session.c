/* SPDX-License-Identifier: BSD-2-Clause */
#include "ptm_session.h"

#include <stdlib.h>
#include <string.h>

struct cairn_config *ptm_config(uint32_t etmcr, uint32_t etmidr, uint32_t etmccer)
{
    const struct cairn_register registers[] = {
        {"ETMCR", etmcr}, {"ETMIDR", etmidr}, {"ETMCCER", etmccer}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static void keep(struct cairn_packet_batch *batch, uint64_t *end, struct ptm_packets *packets)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (packets->count == packets->capacity) {
            packets->capacity = packets->capacity ? 2 * packets->capacity : 64;
            packets->list = realloc(packets->list, packets->capacity * sizeof *packets->list);
            assert_non_null(packets->list);
        }
        assert_int_equal(batch->offset[i], *end);
        assert_int_not_equal(batch->length[i], 0);
        *end += batch->length[i];
        packets->list[packets->count++] =
            (struct ptm_packet){batch->offset[i], batch->length[i], batch->kind[i],
                                batch->account[i], batch->fields[i]};
    }
    batch->count = 0;
}

void ptm_decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t cut,
                size_t step, size_t capacity, struct ptm_packets *packets)
{
    struct cairn_packets *decoder;
    struct cairn_packet_batch *batch;
    uint64_t end = 0;
    size_t added, stop = cut < size ? cut : size;

    assert_int_equal(cairn_packets_new(config, &decoder), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (size_t position = 0; position < size;) {
        do {
            assert_int_equal(cairn_packets_run(decoder, bytes, stop, &position, batch), CAIRN_OK);
            added = batch->count;
            keep(batch, &end, packets);
        } while (position < stop || added != 0);
        stop = size - stop < step ? size : stop + step;
    }
    do {
        assert_int_equal(cairn_packets_finish(decoder, batch), CAIRN_OK);
        added = batch->count;
        keep(batch, &end, packets);
    } while (added != 0);
    assert_int_equal(end, size);
    cairn_packet_batch_free(batch);
    cairn_packets_free(decoder);
}

void ptm_forget(struct ptm_packets *packets)
{
    free(packets->list);
    *packets = (struct ptm_packets){0};
}

static void assert_same_fields(const struct cairn_packet_fields *a,
                               const struct cairn_packet_fields *b)
{
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->sub_isa, b->sub_isa);
    assert_int_equal(a->atom_count, b->atom_count);
    assert_int_equal(a->atoms, b->atoms);
    assert_true(a->address == b->address && a->value == b->value);
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->info, b->info);
    assert_int_equal(a->address_bits, b->address_bits);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->context.EL, b->context.EL);
    assert_int_equal(a->context.security, b->context.security);
    assert_int_equal(a->context.vmid, b->context.vmid);
    assert_int_equal(a->context.context_id, b->context.context_id);
}

void ptm_assert_same(const struct ptm_packets *got, const struct ptm_packets *wanted)
{
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        const struct ptm_packet *a = &got->list[i], *b = &wanted->list[i];

        assert_int_equal(a->offset, b->offset);
        assert_int_equal(a->length, b->length);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->account, b->account);
        assert_same_fields(&a->fields, &b->fields);
    }
}

uint64_t ptm_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545f4914f6cdd1d;
}

uint32_t ptm_below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)((ptm_random(seed) >> 32) % limit);
}

struct cairn_config *ptm_any_config(uint64_t *seed)
{
    const uint32_t etmcr = (uint32_t)ptm_random(seed) & 0x5000d000; /* VMID, time, CID, cycles */

    if (ptm_below(seed, 3) == 0)
        return ptm_config(etmcr & ~0x40000000u, A9_ETMIDR, A9_ETMCCER);
    /* size and code of timestamps, virtualization */
    return ptm_config(etmcr, A15_ETMIDR, A15_ETMCCER ^ ((uint32_t)ptm_random(seed) & 0x34000000));
}

/* A number of a random width, so that short and long encodings are as likely. */
static uint64_t any_width(uint64_t *seed, unsigned width)
{
    return ptm_random(seed) >> (64 - 1 - ptm_below(seed, width));
}

struct cairn_packet_fields ptm_any_fields(uint64_t *seed, unsigned kind, uint64_t near)
{
    static const uint8_t sizes[] = {0, 0, 0, 7, 8, 13, 14, 20, 21, 27, 28, 32};
    struct cairn_packet_fields fields = {
        .flags = (uint32_t)ptm_random(seed) &
                 (CAIRN_PACKET_HAS_CYCLES | CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_EXCEPTION),
        .type = (uint16_t)any_width(seed, 9),
        .atom_count = (uint8_t)ptm_below(seed, 7),
        .value = any_width(seed, 64),
        .cycles = (uint32_t)any_width(seed, 32),
        .state = (uint8_t)ptm_below(seed, 4),
        .reason = (uint8_t)ptm_below(seed, 4),
        .size = (uint8_t)(ptm_below(seed, 3) ? 0 : ptm_below(seed, 10)),
        .address_bits = sizes[ptm_below(seed, COUNT_OF(sizes))],
        .context = {.EL = (uint8_t)(2 * ptm_below(seed, 2)),
                    .security = (uint8_t)ptm_below(seed, 2),
                    .vmid = (uint32_t)any_width(seed, 9),
                    .context_id = (uint32_t)any_width(seed, 32)},
    };

    fields.info = (uint8_t)(kind == CAIRN_PTM_TIMESTAMP ? ptm_below(seed, 2)
                            : ptm_below(seed, 2)        ? 0
                                                        : ptm_below(seed, 3));
    if (kind == CAIRN_PTM_TIMESTAMP && ptm_below(seed, 2))
        fields.cycles = 0;
    fields.atoms = (uint32_t)ptm_random(seed) & ((1u << fields.atom_count) - 1);
    fields.address = (uint32_t)(near ^ any_width(seed, 32));
    if (fields.state == CAIRN_STATE_ARM)
        fields.address &= ~UINT64_C(3);
    else if (fields.state != CAIRN_STATE_JAZELLE)
        fields.address &= ~UINT64_C(1);
    return fields;
}

void ptm_reading_begin(struct ptm_reading *reading, struct cairn_config *config)
{
    struct cairn_words *words = &reading->words;
    struct cairn_word_bytes bytes;

    memset(reading, 0, sizeof *reading);
    reading->config = config;
    words->capacity = CAIRN_WORDS_ROOM;
    words->aside_capacity = CAIRN_WORDS_ROOM;
    words->data_capacity = CAIRN_WORDS_ROOM;
    words->word = calloc(words->capacity, sizeof *words->word);
    words->aside = calloc(words->aside_capacity, sizeof *words->aside);
    words->data = calloc(words->data_capacity, sizeof *words->data);
    assert_true(words->word && words->aside && words->data);
    assert_int_equal(cairn_element_batch_new(CAIRN_WORDS_ELEMENTS, &words->elements), CAIRN_OK);
    words->ledger = &reading->ledger;
    words->until = UINT64_MAX;
    assert_int_equal(cairn_ptm_reader_new(config, &bytes, &reading->reader), CAIRN_OK);
}

void ptm_reading_read(struct ptm_reading *reading, const uint8_t *bytes, size_t size, size_t *at)
{
    reading->words.by_levels = 0;
    cairn_words_empty(&reading->words);
    assert_int_equal(cairn_ptm_reader_words(reading->reader, bytes, size, at, &reading->words),
                     CAIRN_OK);
}

void ptm_reading_end(struct ptm_reading *reading)
{
    struct cairn_words *words = &reading->words;

    cairn_ptm_reader_free(reading->reader);
    cairn_element_batch_free(words->elements);
    free(words->word);
    free(words->aside);
    free(words->data);
    cairn_config_unref(reading->config);
}
