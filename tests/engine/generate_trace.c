/* SPDX-License-Identifier: BSD-2-Clause */
/* A random trace, packet by packet. */
#include "generator.h"

#include <string.h>

void generator_put_bytes(struct generator *g, const uint8_t *bytes, size_t size)
{
    if (size > g->capacity - g->size)
        return;
    memcpy(g->bytes + g->size, bytes, size);
    g->size += size;
}

bool generator_put(struct generator *g, unsigned kind, const struct cairn_packet_fields *fields)
{
    uint8_t bytes[GENERATOR_PACKET];
    const size_t size = cairn_packet_write(g->writer, kind, fields, bytes, sizeof bytes);

    generator_put_bytes(g, bytes, size);
    return size > 0;
}

void generator_put_plain(struct generator *g, unsigned kind)
{
    generator_put(g, kind, &(struct cairn_packet_fields){0});
}

void generator_draw_context(struct generator *g)
{
    g->context.EL = (uint8_t)below(g, 3);
    g->context.security = CAIRN_NONSECURE;
    g->context.SF = g->both ? below(g, 2) & 1 : g->wide;
    g->context.context_id = below(g, 3);
    g->context.vmid = 0;
}

static uint64_t draw_address(struct generator *g)
{
    uint64_t address = GENERATOR_BASE + (below(g, g->code_size) & (g->context.SF ? ~3u : ~1u));

    if (g->hot_count > 0 && below(g, 100) >= g->loose + 10)
        return g->hot[below(g, g->hot_count)];
    if (below(g, 200) == 0)
        address ^= UINT64_C(1) << below(g, 56); /* nothing is there */
    if (g->hot_count < GENERATOR_HOT)
        g->hot[g->hot_count++] = address;
    else if (below(g, 8) == 0)
        g->hot[below(g, GENERATOR_HOT)] = address;
    return address;
}

struct cairn_packet_fields generator_address(struct generator *g)
{
    struct cairn_packet_fields fields = {.address = draw_address(g)};

    /* odd stretches of 512 bytes are T32 */
    fields.sub_isa =
        !g->context.SF && ((fields.address - GENERATOR_BASE) / 512 % 2) != (below(g, 20) == 0);
    if (!fields.sub_isa)
        fields.address &= ~UINT64_C(3);
    fields.context = g->context;
    fields.flags = CAIRN_PACKET_HAS_ADDRESS;
    return fields;
}

/* As short as it goes, or not. */
static void put_address(struct generator *g)
{
    struct cairn_packet_fields fields = generator_address(g);
    const unsigned is1 = fields.sub_isa;

    for (fields.info = 0; fields.info < 3 && percent(g, 90); fields.info++)
        if (generator_put(g, CAIRN_ETMV4_ADDRESS_EXACT, &fields))
            return;
    fields.info = 0;
    if (percent(g, 80) &&
        generator_put(g, is1 ? CAIRN_ETMV4_ADDRESS_SHORT_IS1 : CAIRN_ETMV4_ADDRESS_SHORT_IS0,
                      &fields))
        return;
    if (percent(g, 80) &&
        generator_put(g, is1 ? CAIRN_ETMV4_ADDRESS_32_IS1 : CAIRN_ETMV4_ADDRESS_32_IS0, &fields))
        return;
    generator_put(g, is1 ? CAIRN_ETMV4_ADDRESS_64_IS1 : CAIRN_ETMV4_ADDRESS_64_IS0, &fields);
}

static void put_context(struct generator *g)
{
    struct cairn_packet_fields fields;
    unsigned kind = CAIRN_ETMV4_CONTEXT;

    if (percent(g, 60))
        generator_draw_context(g);
    fields = generator_address(g);
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT;
    if (percent(g, 70))
        kind = fields.sub_isa ? CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1
                              : CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0;
    if (generator_put(g, kind, &fields))
        return;
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT_ID; /* which has changed */
    generator_put(g, kind, &fields);
}

static void put_sync(struct generator *g)
{
    struct cairn_packet_fields fields = {.type = 1};

    generator_put_plain(g, CAIRN_ETMV4_ALIGNMENT_SYNC);
    if (g->maxspec > 0 && g->depth > 0 && percent(g, 80)) {
        fields.type |= 4;
        fields.count = g->depth;
    } else {
        g->depth = 0;
    }
    if (percent(g, 30)) {
        fields.type |= 8;
        fields.info = 1;
        fields.cycles = 4;
    }
    generator_put(g, CAIRN_ETMV4_TRACE_INFO, &fields);
    if (!g->begun || percent(g, 90))
        put_context(g);
    if (percent(g, 50))
        put_address(g);
    g->begun = true;
}

static void put_atoms(struct generator *g)
{
    static const uint8_t likely[] = {0xf7, 0xf6, 0xd9, 0xdb, 0xff, 0xfe, 0xf8, 0xda, 0xd5, 0xe0};
    const uint32_t count = 1 + below(g, g->atoms);
    uint8_t again = (uint8_t)(0xc0 | below(g, 64));

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t byte = percent(g, 40)   ? again
                             : percent(g, 60) ? PICK(g, likely)
                                              : (uint8_t)(0xc0 | below(g, 64));

        generator_put_bytes(g, &byte, 1);
        g->depth += 2;
        if (percent(g, 10))
            again = byte;
    }
    if (g->depth > g->maxspec)
        g->depth = g->maxspec;
}

/* Atoms one by one, each with a Commit. */
static void put_run(struct generator *g)
{
    const uint32_t count = 1 + below(g, percent(g, 70) ? 9 : 40);

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t bytes[] = {(uint8_t)(0xf6 | below(g, 2)), 0x2d, 1};

        generator_put_bytes(g, bytes, sizeof bytes);
    }
    if (g->depth == g->maxspec)
        g->depth--;
}

static void put_exception(struct generator *g)
{
    static const uint16_t types[] = {0, 1, 2, 3, 4, 6, 10, 12, 14, 14, 15, 16, 17, 24, 25};
    struct cairn_packet_fields fields = generator_address(g);

    fields.type = PICK(g, types);
    fields.address_bits = percent(g, 50) ? 9 : percent(g, 50) ? 32 : 64;
    if (percent(g, 20))
        fields.flags |= CAIRN_PACKET_E10;
    if (!g->ete && percent(g, 10))
        fields.flags &= ~CAIRN_PACKET_HAS_ADDRESS;
    if (!generator_put(g, CAIRN_ETMV4_EXCEPTION, &fields)) {
        generator_put(g, fields.type == 24 ? CAIRN_ETMV4_TRANSACTION_FAILURE : CAIRN_ETMV4_PE_RESET,
                      &fields);
        return;
    }
    if (!g->ete && percent(g, 10))
        generator_put_plain(g, CAIRN_ETMV4_EXCEPTION_RETURN);
    if (percent(g, 85))
        put_address(g);
}

static void put_q_or_source(struct generator *g)
{
    struct cairn_packet_fields fields = generator_address(g);

    fields.count = below(g, 40);
    if (g->ete && percent(g, 60)) {
        generator_put(g,
                      fields.sub_isa ? CAIRN_ETMV4_SOURCE_SHORT_IS1 : CAIRN_ETMV4_SOURCE_SHORT_IS0,
                      &fields);
    } else if (percent(g, 50)) {
        generator_put(g, fields.sub_isa ? CAIRN_ETMV4_Q_SHORT_IS1 : CAIRN_ETMV4_Q_SHORT_IS0,
                      &fields);
    } else {
        generator_put(g, CAIRN_ETMV4_Q_COUNT, &fields);
        if (percent(g, 90))
            put_address(g);
    }
}

static void put_speculation(struct generator *g)
{
    struct cairn_packet_fields fields = {.count = 1 + below(g, 3)};

    switch (below(g, 4)) {
    case 0:
        generator_put(g, CAIRN_ETMV4_CANCEL_F1, &fields);
        if (percent(g, 70))
            put_address(g);
        break;
    case 1: {
        const uint8_t byte = (uint8_t)(0x30 | below(g, 16));

        generator_put_bytes(g, &byte, 1);
        break;
    }
    default: generator_put(g, CAIRN_ETMV4_COMMIT, &fields); break;
    }
    g->depth = g->depth > fields.count ? g->depth - fields.count : 0;
}

/* A Trace On; some behind bytes that are no packet, with all that it takes to go on there. */
static void put_trace_on(struct generator *g)
{
    static const uint8_t reserved[] = {0x20, 0x2c, 0x07, 0xb4};
    const bool goes_on = percent(g, 25);
    struct cairn_packet_fields fields;

    if (goes_on) {
        const uint8_t bytes[] = {PICK(g, reserved), (uint8_t)(0xc0 | below(g, 64)), 0xf7};

        generator_put_bytes(g, bytes, 1 + below(g, sizeof bytes));
    }
    generator_put_plain(g, CAIRN_ETMV4_TRACE_ON);
    if (!goes_on) {
        if (percent(g, 80))
            put_address(g);
        return;
    }
    fields = generator_address(g);
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_CONTEXT_ID | CAIRN_PACKET_HAS_VMID;
    for (unsigned less = 0; less < 4; less++) { /* without identifiers that are not traced */
        const uint32_t without =
            (less & 1 ? CAIRN_PACKET_HAS_VMID : 0) | (less & 2 ? CAIRN_PACKET_HAS_CONTEXT_ID : 0);
        struct cairn_packet_fields some = fields;

        some.flags &= ~without;
        if (generator_put(g,
                          fields.sub_isa ? CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1
                                         : CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0,
                          &some))
            break;
    }
}

static void put_other(struct generator *g)
{
    struct cairn_packet_fields fields = {.value = peer_random_64(&g->random) >> below(g, 64),
                                         .cycles = 4 + below(g, 300),
                                         .type = (uint16_t)(1 + below(g, 15)),
                                         .count = below(g, 2)};

    switch (below(g, 12)) {
    case 0: generator_put(g, CAIRN_ETMV4_TIMESTAMP, &fields); break;
    case 1:
        fields.flags = CAIRN_PACKET_HAS_CYCLES | CAIRN_PACKET_HAS_COUNT;
        if (!generator_put(g, CAIRN_ETMV4_CYCLE_COUNT_F1, &fields)) {
            fields.flags = CAIRN_PACKET_HAS_CYCLES;
            generator_put(g, CAIRN_ETMV4_CYCLE_COUNT_F1, &fields);
        }
        break;
    case 2:
        fields.cycles = 4 + below(g, 4);
        if (!generator_put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields)) {
            fields.flags = CAIRN_PACKET_HAS_COUNT;
            fields.count = 1;
            generator_put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields);
        }
        break;
    case 3: generator_put(g, CAIRN_ETMV4_EVENT, &fields); break;
    case 4: put_exception(g); break;
    case 5: put_exception(g); break;
    case 6: put_context(g); break;
    case 7: put_q_or_source(g); break;
    case 8: put_trace_on(g); break;
    case 9:
        if (g->maxspec > 0)
            put_speculation(g);
        else
            generator_put_plain(g, CAIRN_ETMV4_IGNORE);
        break;
    case 10:
        if (percent(g, 20)) {
            generator_put_plain(g, percent(g, 50) ? CAIRN_ETMV4_DISCARD : CAIRN_ETMV4_OVERFLOW);
            put_context(g);
        } else {
            generator_put_plain(g, percent(g, 50) ? CAIRN_ETMV4_TRANSACTION_START
                                                  : CAIRN_ETMV4_TRANSACTION_COMMIT);
        }
        break;
    default:
        generator_put_plain(g, percent(g, 50) ? CAIRN_ETMV4_IGNORE : CAIRN_ETMV4_TIMESTAMP_MARKER);
        break;
    }
}

static void put_loose(struct generator *g)
{
    uint8_t bytes[12];
    const uint32_t count = 1 + below(g, sizeof bytes);

    for (uint32_t i = 0; i < count; i++)
        bytes[i] = percent(g, 30) ? 0 : (uint8_t)below(g, 256);
    generator_put_bytes(g, bytes, count);
}

void generator_make_trace(struct generator *g)
{
    size_t next = 0;

    while (g->size + 4 * GENERATOR_PACKET < g->capacity) {
        if (g->size >= next) {
            put_sync(g);
            next = g->size + g->sync / 2 + below(g, g->sync);
        }
        if (g->maxspec > 0 && percent(g, 30))
            put_run(g);
        else
            put_atoms(g);
        if (percent(g, 70))
            put_address(g);
        if (below(g, 100) < g->other)
            put_other(g);
        if (below(g, 20000) < g->loose)
            put_loose(g);
    }
}
