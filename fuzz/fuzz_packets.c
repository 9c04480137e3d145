/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of every protocol on any bytes: the answer does not depend on how the bytes and batches
 * are cut, packets tile the input, and what the writer writes of them is decoded as the same. */
#include "fuzz/setup.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/etmv3.h>
#include <cairn/ptm.h>

enum {
    CAPACITY = 64,
    KEPT = 256,          /* packets that are written again */
    LONGEST_PACKET = 64, /* room for one */
    DAMAGE_KINDS = 4,    /* of protocols other than ETMv3 and PTM */
    /* bits 3:2 of the first byte; 0: fuzz/setup.h */
    PROTOCOL = 0xc,
    ETMV3 = 0x4,
    PTM = 0x8,
    HEADER = 6,        /* of these */
    ETMV1_BITS = 0x8d, /* fuzz/setup.h as well */
    ETMV1 = 0x89,
};

struct totals {
    uint64_t hash;
    uint64_t bytes;
    uint64_t packets;
};

static void mix(struct totals *totals, uint64_t value)
{
    totals->hash = (totals->hash ^ value) * 0x100000001b3ull;
}

static void take_packets(struct totals *totals, struct cairn_packet_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] != totals->bytes || batch->length[i] == 0)
            abort(); /* packets tile the input */
        totals->bytes += batch->length[i];
        totals->packets++;
        mix(totals, batch->kind[i]);
        mix(totals, batch->length[i]);
        mix(totals, batch->fields[i].address);
        mix(totals, batch->fields[i].value);
    }
    batch->count = 0;
}

/* Decodes in pieces of `step` bytes with batches of `capacity`. */
static struct totals decode(struct cairn_config *config, const uint8_t *data, size_t size,
                            size_t step, size_t capacity)
{
    struct totals totals = {.hash = 0xcbf29ce484222325ull};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;

    if (cairn_packets_new(config, &packets) != CAIRN_OK ||
        cairn_packet_batch_new(capacity, &batch) != CAIRN_OK)
        abort();
    for (size_t at = 0; at < size;) {
        const size_t end = size - at < step ? size : at + step;

        while (cairn_packets_run(packets, data, end, &at, batch) == CAIRN_OK && batch->count > 0)
            take_packets(&totals, batch);
    }
    while (cairn_packets_finish(packets, batch) == CAIRN_OK && batch->count > 0)
        take_packets(&totals, batch);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return totals;
}

/* ---- packets written again ---- */

/* The packets of a stream up to the first that is damage. */
struct kept {
    size_t count;
    uint16_t kinds[KEPT];
    struct cairn_packet_fields fields[KEPT];
};

/* What each protocol's list of kinds begins with is what damage looks like, or is not whole. */
static bool is_damage(const struct cairn_config *config, unsigned kind)
{
    switch (cairn_config_protocol(config)) {
    case CAIRN_PROTOCOL_ETMV3: return kind <= CAIRN_ETMV3_INCOMPLETE;
    case CAIRN_PROTOCOL_PTM: return kind <= CAIRN_PTM_INCOMPLETE;
    default: return kind < DAMAGE_KINDS;
    }
}

static void keep(const uint8_t *data, size_t size, struct cairn_config *config, struct kept *kept)
{
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    size_t at = 0, i = 0;

    if (cairn_packets_new(config, &packets) != CAIRN_OK ||
        cairn_packet_batch_new(KEPT, &batch) != CAIRN_OK)
        abort();
    (void)!cairn_packets_run(packets, data, size, &at, batch);
    (void)!cairn_packets_finish(packets, batch);
    while (i < batch->count && is_damage(config, batch->kind[i]))
        i++;
    for (kept->count = 0; i < batch->count && !is_damage(config, batch->kind[i]); i++) {
        kept->kinds[kept->count] = batch->kind[i];
        kept->fields[kept->count++] = batch->fields[i];
    }
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
}

/* Whether every packet can be written. */
static bool writes_all(const struct cairn_config *config)
{
    const enum cairn_protocol_id protocol = cairn_config_protocol(config);

    return protocol == CAIRN_PROTOCOL_ETMV3 || protocol == CAIRN_PROTOCOL_MTB;
}

/* Writes them until one is not to be written: where bits that should be zero are not, nobody says
 * what a history is. Returns how many; *size bytes. */
static size_t write_back(struct cairn_config *config, const struct kept *kept, uint8_t *bytes,
                         size_t *size)
{
    struct cairn_packet_writer *writer;
    size_t i = 0;

    *size = 0;
    if (cairn_packet_writer_new(config, &writer) != CAIRN_OK)
        abort();
    for (; i < kept->count && !(kept->fields[i].flags & CAIRN_PACKET_SBZ); i++) {
        const size_t length = cairn_packet_write(writer, kept->kinds[i], &kept->fields[i],
                                                 bytes + *size, LONGEST_PACKET);

        if (length > LONGEST_PACKET || (length == 0 && writes_all(config)))
            abort();
        if (length == 0)
            break;
        *size += length;
    }
    cairn_packet_writer_free(writer);
    return i;
}

static bool same_fields(const struct cairn_packet_fields *a, const struct cairn_packet_fields *b)
{
    return a->flags == b->flags && a->type == b->type && a->sub_isa == b->sub_isa &&
           a->atom_count == b->atom_count && a->atoms == b->atoms && a->count == b->count &&
           a->address == b->address && a->value == b->value && a->cycles == b->cycles &&
           a->info == b->info && a->state == b->state && a->reason == b->reason &&
           a->size == b->size && a->tag == b->tag && a->resume == b->resume &&
           a->context.EL == b->context.EL && a->context.security == b->context.security &&
           a->context.SF == b->context.SF && a->context.vmid == b->context.vmid &&
           a->context.context_id == b->context.context_id;
}

/* What was decoded, written and decoded again is the same. */
static void round_trip(struct cairn_config *config, const uint8_t *data, size_t size)
{
    static struct kept kept, again;
    static uint8_t bytes[KEPT * LONGEST_PACKET];
    size_t written;

    keep(data, size, config, &kept);
    const size_t count = write_back(config, &kept, bytes, &written);

    keep(bytes, written, config, &again);
    if (again.count != count)
        abort();
    for (size_t i = 0; i < count; i++)
        if (again.kinds[i] != kept.kinds[i] || !same_fields(&again.fields[i], &kept.fields[i]))
            abort();
}

/* ---- the protocols other than ETMv4 and ETE ---- */

static bool configure(struct fuzz_setup *setup, enum cairn_protocol_id protocol, bool is_m,
                      const struct cairn_register *registers, size_t count)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = protocol;
    source.arch = cairn_arch_any_a();
    if (is_m)
        source.arch.profile = CAIRN_PROFILE_M;
    source.registers = registers;
    source.register_count = count;
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool begin_etmv3(struct fuzz_setup *setup, const uint8_t *h)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x41000200u | (uint32_t)(h[1] & 7) << 4 | (uint32_t)(h[1] >> 3 & 0x1f) << 16},
        {"ETMCR", (uint32_t)h[2] | (uint32_t)h[3] << 8 | (uint32_t)h[4] << 16 | 0x50000000u},
        {"ETMCCER", (uint32_t)h[5] << 24},
    };

    return configure(setup, CAIRN_PROTOCOL_ETMV3, h[0] & 2, registers, 3);
}

static bool begin_ptm(struct fuzz_setup *setup, const uint8_t *h)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x4100f300u | (uint32_t)(h[1] & 1) << 4 | (uint32_t)(h[1] & 2) << 17},
        {"ETMCR", (uint32_t)h[2] | (uint32_t)h[3] << 8 | (uint32_t)h[4] << 24},
        {"ETMCCER", (uint32_t)h[5] << 24},
    };

    return configure(setup, CAIRN_PROTOCOL_PTM, h[0] & 2, registers, 3);
}

/* With bit 0 of h[1] there are registers; without, the bytes are packets and no more. */
static bool begin_mtb(struct fuzz_setup *setup, const uint8_t *h)
{
    const struct cairn_register registers[] = {
        {"POSITION", (uint32_t)h[2] | (uint32_t)h[3] << 8},
        {"MASTER", h[1] >> 1 & 0x1f},
        {"BASE", (uint32_t)h[4] << 8},
        {"DUMP", (uint32_t)h[5] << 3},
    };

    return configure(setup, CAIRN_PROTOCOL_MTB, true, registers,
                     h[1] & 1 ? 2u + (h[1] >> 6 & 1u) + (h[1] >> 7) : 0);
}

/* The first byte says the protocol; h[1] to h[5] its registers. */
static bool begin(struct fuzz_setup *setup, const uint8_t **data, size_t *size)
{
    const uint8_t *h = *data;

    if (*size == 0 || (h[0] & PROTOCOL) == 0 || (h[0] & ETMV1_BITS) == ETMV1)
        return fuzz_setup_begin(setup, data, size);
    if (*size < HEADER)
        return false;
    *data += HEADER;
    *size -= HEADER;
    switch (h[0] & PROTOCOL) {
    case ETMV3: return begin_etmv3(setup, h);
    case PTM: return begin_ptm(setup, h);
    default: return begin_mtb(setup, h);
    }
}

/* The bytes in the order of the trace: the parts of a buffer cover it. NULL: the registers and the
 * size do not go together. */
static uint8_t *in_order(struct cairn_config *config, const uint8_t *data, size_t size)
{
    struct cairn_span spans[CAIRN_SPANS_MAX];
    uint8_t *bytes = malloc(size ? size : 1);
    size_t count = 0, at = 0;

    if (!bytes)
        abort();
    if (cairn_config_spans(config, size, spans, &count, NULL) != CAIRN_OK) {
        free(bytes);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (spans[i].offset > size || spans[i].length > size - spans[i].offset ||
            spans[i].length > size - at)
            abort();
        memcpy(bytes + at, data + spans[i].offset, (size_t)spans[i].length);
        at += (size_t)spans[i].length;
    }
    if (at != size)
        abort();
    return bytes;
}

static void check(struct cairn_config *config, const uint8_t *data, size_t size)
{
    const struct totals whole = decode(config, data, size, size, CAPACITY);
    const struct totals bytewise = decode(config, data, size, 1, CAPACITY);
    const struct totals narrow = decode(config, data, size, 7, 1);

    if (whole.bytes != size)
        abort(); /* every byte is in exactly one packet */
    if (memcmp(&whole, &bytewise, sizeof whole) != 0 || memcmp(&whole, &narrow, sizeof whole) != 0)
        abort();                                               /* cutting changes nothing */
    if (cairn_config_protocol(config) != CAIRN_PROTOCOL_ETMV1) /* nothing writes its samples yet */
        round_trip(config, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_setup setup = {0};

    if (!begin(&setup, &data, &size))
        return 0;
    uint8_t *bytes = in_order(setup.config, data, size);

    if (bytes)
        check(setup.config, bytes, size);
    free(bytes);
    fuzz_setup_end(&setup);
    return 0;
}
