/* SPDX-License-Identifier: BSD-2-Clause */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/etmv4.h>

#include "../peers/random.h"

enum {
    CODE_LEAST = 1 << 11,
    CODE_STEPS = 9, /* doublings at most */
    HOT_MOST = 32,  /* addresses that come again */
    PACKET_MOST = 64,
    REGISTERS = 8,
};

#define BASE UINT64_C(0x8000)

struct generator {
    struct peer_random random;
    struct engine_case *made;
    struct cairn_packet_writer *writer;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool ete;
    bool wide; /* AArch64 */
    bool both; /* AArch64 and AArch32 */
    uint32_t maxspec;
    uint32_t depth;          /* that a decoder counts, about */
    uint32_t code_size;      /* bytes */
    uint32_t far;            /* of a hundred branches lead anywhere */
    uint32_t plain;          /* instructions between two others, about */
    uint32_t loose;          /* of a hundred, what has no order at all */
    uint32_t sync;           /* bytes from one synchronisation to the next, about */
    uint32_t atoms;          /* Atom packets in a row, at most */
    uint32_t other;          /* of a hundred, packets that are neither Atoms nor addresses */
    bool begun;              /* the first synchronisation is written */
    struct cairn_flow *core; /* of calm traces: where execution is */
    struct cairn_element_batch *element;
    struct cairn_flow_batch *records;
    uint32_t held; /* atoms that are not written yet, the oldest in bit 0 */
    uint32_t held_count;
    uint64_t hot[HOT_MOST];
    uint32_t hot_count;
    struct cairn_context context;
};

static uint32_t below(struct generator *g, uint32_t bound)
{
    return peer_random_below(&g->random, bound);
}

static bool percent(struct generator *g, unsigned part)
{
    return peer_random_percent(&g->random, part);
}

#define PICK(g, array) ((array)[below(g, sizeof(array) / sizeof(array)[0])])

/* --- the program --- */

/* Bytes from a branch to its target: near, mostly. */
static int32_t distance(struct generator *g, uint32_t at)
{
    const uint32_t near = percent(g, 50) ? 16 : 256;

    if (below(g, 100) < g->far)
        return (int32_t)(below(g, g->code_size) & ~3u) - (int32_t)at;
    return 4 * ((int32_t)below(g, 2 * near + 1) - (int32_t)near);
}

static uint32_t a64(struct generator *g, uint32_t at)
{
    static const uint32_t others[] = {
        0xd65f03c0, 0xd65f03c0, 0xd65f0bff, 0xd61f0200, 0xd63f0000, 0xd63f0120, /* RET, BR, BLR */
        0xd69f03e0, 0xd69f0bff, 0xd5033fdf, 0xd503207f, 0xd503205f, /* ERET, ISB, WFI, WFE */
        0xd4000001, 0xd4200000, 0x00000000, 0xd5233060, 0xd503307f, /* SVC, BRK, UDF, TSTART,
                                                                       TCOMMIT */
        0xd5031000, 0xffffffff, 0x04000000,                         /* WFET, and undefined */
    };
    const int32_t to = distance(g, at) / 4;
    const uint32_t long_to = (uint32_t)to & 0x3ffffff;
    const uint32_t short_to = ((uint32_t)to & 0x7ffff) << 5;

    switch (below(g, 10)) {
    case 0: return 0x14000000 | long_to;
    case 1:
    case 2: return 0x94000000 | long_to;
    case 3: return 0x34000000 | short_to | below(g, 32);
    case 4: return 0x36000000 | ((uint32_t)to & 0x3fff) << 5;
    case 5: return PICK(g, others);
    case 6: return 0xd65f03c0;
    default: return 0x54000000 | short_to | below(g, 16);
    }
}

static uint32_t a32(struct generator *g, uint32_t at)
{
    static const uint32_t others[] = {
        0xe12fff1e, 0xe12fff1e, 0x012fff1e, 0xe8bd8000,
        0xe49df004, /* BX LR, POP PC */
        0xe12fff33, 0xe1a0f00e, 0xe59ff004, 0xf57ff06f,
        0xe320f003,                                     /* BLX, MOV PC, LDR PC, ISB,
                                                           WFI */
        0xe7f000f0, 0xef000000, 0xe1b0f00e, 0xf8bd0a00, /* UDF, SVC, MOVS PC, RFE */
    };
    const uint32_t to = (uint32_t)(distance(g, at) / 4 - 2) & 0xffffff;

    switch (below(g, 8)) {
    case 0: return 0xea000000 | to;
    case 1: return 0xeb000000 | to;
    case 2: return 0xfa000000 | to | below(g, 2) << 24;
    case 3: return PICK(g, others);
    case 4: return 0xe12fff1e;
    default: return below(g, 14) << 28 | 0x0a000000 | to;
    }
}

/* Two narrow instructions, or a wide one: also across words. */
static uint32_t t32(struct generator *g, uint32_t at)
{
    static const uint32_t wide[] = {
        0xf800f000, 0xf801f7ff, 0xe800f000, 0x8000f3af, 0x8f6ff3bf, 0x8000e8bd,
        0xf004f85d, 0xaffef47f, 0x8010f000, 0xb800f000, 0xf000e8df, 0x8c00f3de,
    };
    static const uint16_t narrow[] = {
        0x4770, 0x4770, 0x4780, 0xbd00, 0xbf30, 0xbf20, 0xbf08, 0xbf18, 0xde00, 0xdf00,
        0x4718, 0x46f7, 0xb100, 0xb910, 0xe7fe, 0x4487, 0xe001, 0xd0fd, 0x4668, 0xd101,
    };
    const uint32_t to = (uint32_t)(distance(g, at) / 4) & 0xff;

    switch (below(g, 6)) {
    case 0: return PICK(g, wide);
    case 1: return (uint32_t)PICK(g, narrow) | (uint32_t)PICK(g, wide) << 16;
    case 2: return 0xd000 | below(g, 14) << 8 | to | (uint32_t)0xbf00 << 16;
    case 3: return 0xe000 | to << 2 | (uint32_t)PICK(g, narrow) << 16;
    default: return (uint32_t)PICK(g, narrow) | (uint32_t)PICK(g, narrow) << 16;
    }
}

static void fill(struct generator *g, uint8_t *code)
{
    static const uint32_t plain[] = {0xd503201f, 0x91000400, 0xf9400000, 0xf9000000, 0x8b020020};
    static const uint32_t plain_32[] = {0xe320f000, 0xe0800001, 0xe5900000, 0xbf00bf00, 0x46c0e7ff};

    for (uint32_t at = 0; at < g->code_size; at += 4) {
        const bool wide = g->both ? at / 1024 % 2 : g->wide;
        uint32_t word = wide ? PICK(g, plain) : PICK(g, plain_32);

        if (below(g, g->plain + 1) == 0)
            word = wide ? a64(g, at) : at / 512 % 2 ? t32(g, at) : a32(g, at);
        memcpy(code + at, &word, sizeof word);
    }
}

static bool make_image(struct generator *g)
{
    struct cairn_scope scope = cairn_scope_any();
    uint8_t *code = malloc(g->code_size);
    bool good = code && cairn_image_new(&g->made->image) == CAIRN_OK;

    if (good) {
        const uint32_t hole = below(g, 4) ? 0 : below(g, g->code_size / 4) * 2;
        const enum cairn_order order =
            !g->wide && below(g, 8) == 0 ? CAIRN_ORDER_BE32 : CAIRN_ORDER_LITTLE;

        fill(g, code);
        good = cairn_image_add_bytes(g->made->image, "all", &scope, order, BASE, code,
                                     g->code_size - hole, NULL) == CAIRN_OK;
        if (good && below(g, 3) == 0) { /* one Exception level, or process, has some of its own */
            const uint32_t from = below(g, g->code_size / 8) * 4;

            if (below(g, 2)) {
                scope.el_mask = 1;
            } else {
                scope.any_context_id = false;
                scope.context_id = 1;
            }
            fill(g, code);
            good = cairn_image_add_bytes(g->made->image, "some", &scope, CAIRN_ORDER_LITTLE,
                                         BASE + from, code, g->code_size / 4 + 2, NULL) == CAIRN_OK;
        }
    }
    free(code);
    return good;
}

/* --- the configuration --- */

static bool configure(struct generator *g)
{
    const bool cycles = below(g, 3) == 0;
    const struct cairn_register registers[REGISTERS] = {
        {"TRCCONFIGR", 1u | (below(g, 2) ? 1u << 12 : 0) | (cycles ? 1u << 4 : 0) |
                           (!g->ete && below(g, 4) == 0 ? (1 + below(g, 3)) << 1 : 0)},
        {"TRCTRACEIDR", 1},
        {"TRCDEVARCH", g->ete ? 0x47705a13u | below(g, 4) << 16 : 0x47714a13u},
        {"TRCIDR0",
         0x08000681u | below(g, 2) << 29 | below(g, 2) << 30 | below(g, 2) << 23 | 3u << 15 | 6u},
        {"TRCIDR1", g->ete ? 0x4100fff0u : 0x4100f400u | below(g, 7) << 4},
        {"TRCIDR2", 0x00001088u | below(g, 2) << 31},
        {"TRCIDR8", g->maxspec},
        {"TRCCCCTLR", 4},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = g->ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = cairn_arch_any_a();
    if (!g->wide && !g->both && !g->ete && below(g, 2)) {
        source.arch.profile = CAIRN_PROFILE_M;
        source.arch.major = 8;
        source.arch.minor = 1;
    }
    source.registers = registers;
    source.register_count = REGISTERS;
    return cairn_config_new(&source, &g->made->config, NULL) == CAIRN_OK &&
           cairn_packet_writer_new(g->made->config, &g->writer) == CAIRN_OK;
}

/* --- the trace --- */

static void put_bytes(struct generator *g, const uint8_t *bytes, size_t size)
{
    if (size > g->capacity - g->size)
        return;
    memcpy(g->bytes + g->size, bytes, size);
    g->size += size;
}

static bool put(struct generator *g, unsigned kind, const struct cairn_packet_fields *fields)
{
    uint8_t bytes[PACKET_MOST];
    const size_t size = cairn_packet_write(g->writer, kind, fields, bytes, sizeof bytes);

    put_bytes(g, bytes, size);
    return size > 0;
}

static void put_plain(struct generator *g, unsigned kind)
{
    put(g, kind, &(struct cairn_packet_fields){0});
}

static void draw_context(struct generator *g)
{
    g->context.EL = (uint8_t)below(g, 3);
    g->context.security = CAIRN_NONSECURE;
    g->context.SF = g->both ? below(g, 2) & 1 : g->wide;
    g->context.context_id = below(g, 3);
    g->context.vmid = 0;
}

static uint64_t draw_address(struct generator *g)
{
    uint64_t address = BASE + (below(g, g->code_size) & (g->context.SF ? ~3u : ~1u));

    if (g->hot_count > 0 && below(g, 100) >= g->loose + 10)
        return g->hot[below(g, g->hot_count)];
    if (below(g, 200) == 0)
        address ^= UINT64_C(1) << below(g, 56); /* nothing is there */
    if (g->hot_count < HOT_MOST)
        g->hot[g->hot_count++] = address;
    else if (below(g, 8) == 0)
        g->hot[below(g, HOT_MOST)] = address;
    return address;
}

static struct cairn_packet_fields address_fields(struct generator *g)
{
    struct cairn_packet_fields fields = {.address = draw_address(g)};

    /* odd stretches of 512 bytes are T32 */
    fields.sub_isa = !g->context.SF && ((fields.address - BASE) / 512 % 2) != (below(g, 20) == 0);
    if (!fields.sub_isa)
        fields.address &= ~UINT64_C(3);
    fields.context = g->context;
    fields.flags = CAIRN_PACKET_HAS_ADDRESS;
    return fields;
}

/* As short as it goes, or not. */
static void put_address(struct generator *g)
{
    struct cairn_packet_fields fields = address_fields(g);
    const unsigned is1 = fields.sub_isa;

    for (fields.info = 0; fields.info < 3 && percent(g, 90); fields.info++)
        if (put(g, CAIRN_ETMV4_ADDRESS_EXACT, &fields))
            return;
    fields.info = 0;
    if (percent(g, 80) &&
        put(g, is1 ? CAIRN_ETMV4_ADDRESS_SHORT_IS1 : CAIRN_ETMV4_ADDRESS_SHORT_IS0, &fields))
        return;
    if (percent(g, 80) &&
        put(g, is1 ? CAIRN_ETMV4_ADDRESS_32_IS1 : CAIRN_ETMV4_ADDRESS_32_IS0, &fields))
        return;
    put(g, is1 ? CAIRN_ETMV4_ADDRESS_64_IS1 : CAIRN_ETMV4_ADDRESS_64_IS0, &fields);
}

static void put_context(struct generator *g)
{
    struct cairn_packet_fields fields;
    unsigned kind = CAIRN_ETMV4_CONTEXT;

    if (percent(g, 60))
        draw_context(g);
    fields = address_fields(g);
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT;
    if (percent(g, 70))
        kind = fields.sub_isa ? CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1
                              : CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0;
    if (put(g, kind, &fields))
        return;
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT_ID; /* which has changed */
    put(g, kind, &fields);
}

static void put_sync(struct generator *g)
{
    struct cairn_packet_fields fields = {.type = 1};

    put_plain(g, CAIRN_ETMV4_ALIGNMENT_SYNC);
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
    put(g, CAIRN_ETMV4_TRACE_INFO, &fields);
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

        put_bytes(g, &byte, 1);
        g->depth += 2;
        if (percent(g, 10))
            again = byte;
    }
    if (g->depth > g->maxspec)
        g->depth = g->maxspec;
}

static void put_exception(struct generator *g)
{
    static const uint16_t types[] = {0, 1, 2, 3, 4, 6, 10, 12, 14, 14, 15, 16, 17, 24, 25};
    struct cairn_packet_fields fields = address_fields(g);

    fields.type = PICK(g, types);
    fields.address_bits = percent(g, 50) ? 9 : percent(g, 50) ? 32 : 64;
    if (percent(g, 20))
        fields.flags |= CAIRN_PACKET_E10;
    if (!g->ete && percent(g, 10))
        fields.flags &= ~CAIRN_PACKET_HAS_ADDRESS;
    if (!put(g, CAIRN_ETMV4_EXCEPTION, &fields)) {
        put(g, fields.type == 24 ? CAIRN_ETMV4_TRANSACTION_FAILURE : CAIRN_ETMV4_PE_RESET, &fields);
        return;
    }
    if (!g->ete && percent(g, 10))
        put_plain(g, CAIRN_ETMV4_EXCEPTION_RETURN);
    if (percent(g, 85))
        put_address(g);
}

static void put_q_or_source(struct generator *g)
{
    struct cairn_packet_fields fields = address_fields(g);

    fields.count = below(g, 40);
    if (g->ete && percent(g, 60)) {
        put(g, fields.sub_isa ? CAIRN_ETMV4_SOURCE_SHORT_IS1 : CAIRN_ETMV4_SOURCE_SHORT_IS0,
            &fields);
    } else if (percent(g, 50)) {
        put(g, fields.sub_isa ? CAIRN_ETMV4_Q_SHORT_IS1 : CAIRN_ETMV4_Q_SHORT_IS0, &fields);
    } else {
        put(g, CAIRN_ETMV4_Q_COUNT, &fields);
        if (percent(g, 90))
            put_address(g);
    }
}

static void put_speculation(struct generator *g)
{
    struct cairn_packet_fields fields = {.count = 1 + below(g, 3)};

    switch (below(g, 4)) {
    case 0:
        put(g, CAIRN_ETMV4_CANCEL_F1, &fields);
        if (percent(g, 70))
            put_address(g);
        break;
    case 1: {
        const uint8_t byte = (uint8_t)(0x30 | below(g, 16));

        put_bytes(g, &byte, 1);
        break;
    }
    default: put(g, CAIRN_ETMV4_COMMIT, &fields); break;
    }
    g->depth = g->depth > fields.count ? g->depth - fields.count : 0;
}

static void put_other(struct generator *g)
{
    struct cairn_packet_fields fields = {.value = peer_random_64(&g->random) >> below(g, 64),
                                         .cycles = 4 + below(g, 300),
                                         .type = (uint16_t)(1 + below(g, 15)),
                                         .count = below(g, 2)};

    switch (below(g, 12)) {
    case 0: put(g, CAIRN_ETMV4_TIMESTAMP, &fields); break;
    case 1:
        fields.flags = CAIRN_PACKET_HAS_CYCLES | CAIRN_PACKET_HAS_COUNT;
        if (!put(g, CAIRN_ETMV4_CYCLE_COUNT_F1, &fields)) {
            fields.flags = CAIRN_PACKET_HAS_CYCLES;
            put(g, CAIRN_ETMV4_CYCLE_COUNT_F1, &fields);
        }
        break;
    case 2:
        fields.cycles = 4 + below(g, 4);
        if (!put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields)) {
            fields.flags = CAIRN_PACKET_HAS_COUNT;
            fields.count = 1;
            put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields);
        }
        break;
    case 3: put(g, CAIRN_ETMV4_EVENT, &fields); break;
    case 4: put_exception(g); break;
    case 5: put_exception(g); break;
    case 6: put_context(g); break;
    case 7: put_q_or_source(g); break;
    case 8:
        put_plain(g, CAIRN_ETMV4_TRACE_ON);
        if (percent(g, 80))
            put_address(g);
        break;
    case 9:
        if (g->maxspec > 0)
            put_speculation(g);
        else
            put_plain(g, CAIRN_ETMV4_IGNORE);
        break;
    case 10:
        if (percent(g, 20)) {
            put_plain(g, percent(g, 50) ? CAIRN_ETMV4_DISCARD : CAIRN_ETMV4_OVERFLOW);
            put_context(g);
        } else {
            put_plain(g, percent(g, 50) ? CAIRN_ETMV4_TRANSACTION_START
                                        : CAIRN_ETMV4_TRANSACTION_COMMIT);
        }
        break;
    default:
        put_plain(g, percent(g, 50) ? CAIRN_ETMV4_IGNORE : CAIRN_ETMV4_TIMESTAMP_MARKER);
        break;
    }
}

static void put_loose(struct generator *g)
{
    uint8_t bytes[12];
    const uint32_t count = 1 + below(g, sizeof bytes);

    for (uint32_t i = 0; i < count; i++)
        bytes[i] = percent(g, 30) ? 0 : (uint8_t)below(g, 256);
    put_bytes(g, bytes, count);
}

/* --- calm traces: what a core could execute --- */

/* The follower takes one element: it stands for the core. */
static void execute(struct generator *g, unsigned kind, unsigned flags,
                    const struct cairn_element_data *data)
{
    struct cairn_element_batch *in = g->element;
    size_t at = 0;

    in->count = 1;
    in->offset[0] = g->size;
    in->length[0] = 1;
    in->kind[0] = (uint8_t)kind;
    in->flags[0] = (uint16_t)flags;
    in->data[0] = *data;
    do {
        g->records->count = 0;
        if (cairn_flow_run(g->core, in, &at, g->records) != CAIRN_OK)
            return;
    } while (g->records->count > 0);
}

/* Writes the atoms: as few packets as it takes, mostly. */
static void flush_atoms(struct generator *g)
{
    static const struct {
        unsigned kind;
        uint8_t most;
    } formats[] = {
        {CAIRN_ETMV4_ATOM_F6, 24}, {CAIRN_ETMV4_ATOM_F5_1, 5}, {CAIRN_ETMV4_ATOM_F5_2, 5},
        {CAIRN_ETMV4_ATOM_F4, 4},  {CAIRN_ETMV4_ATOM_F3, 3},   {CAIRN_ETMV4_ATOM_F2, 2},
        {CAIRN_ETMV4_ATOM_F1, 1},
    };

    while (g->held_count > 0) {
        bool done = false;

        for (size_t i = 0; i < sizeof formats / sizeof formats[0] && !done; i++)
            for (uint8_t n = formats[i].most; n > 0 && !done; n--) {
                const struct cairn_packet_fields fields = {
                    .atom_count = n, .atoms = g->held & ((UINT32_C(1) << n) - 1)};

                if (n > g->held_count || (n > 1 && below(g, 50) == 0) ||
                    !put(g, formats[i].kind, &fields))
                    continue;
                g->held >>= n;
                g->held_count -= n;
                done = true;
            }
        if (!done)
            return;
    }
}

/* Where an indirect branch goes: a few places, the same ones mostly. */
static void go_on(struct generator *g, const struct cairn_flow_state *state)
{
    struct cairn_element_data data = {.context = g->context};
    const uint64_t places = g->hot_count > 3 ? 3 : g->hot_count;
    struct cairn_packet_fields fields;

    flush_atoms(g);
    if (!state->context_known || percent(g, 1)) {
        fields = (struct cairn_packet_fields){
            .flags = CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_CONTEXT_ID, .context = g->context};
        put(g, CAIRN_ETMV4_CONTEXT, &fields);
        execute(g, CAIRN_ELEMENT_CONTEXT, 0, &data);
    }
    fields = address_fields(g);
    if (places > 0 && percent(g, 95)) {
        const uint64_t drawn = state->address / 4 * 7 + below(g, (uint32_t)places);

        fields.address = g->hot[drawn % g->hot_count];
        fields.sub_isa = !g->context.SF && (fields.address - BASE) / 512 % 2;
    }
    for (fields.info = 0; fields.info < 3; fields.info++)
        if (put(g, CAIRN_ETMV4_ADDRESS_EXACT, &fields))
            break;
    if (fields.info == 3 &&
        !put(g, fields.sub_isa ? CAIRN_ETMV4_ADDRESS_SHORT_IS1 : CAIRN_ETMV4_ADDRESS_SHORT_IS0,
             &fields))
        put(g, fields.sub_isa ? CAIRN_ETMV4_ADDRESS_64_IS1 : CAIRN_ETMV4_ADDRESS_64_IS0, &fields);
    data.address = fields.address;
    data.sub_isa = fields.sub_isa;
    execute(g, CAIRN_ELEMENT_TARGET_ADDRESS, 0, &data);
}

static void calm_exception(struct generator *g, const struct cairn_flow_state *state)
{
    struct cairn_packet_fields fields = {.type = percent(g, 70) ? 14 : 2,
                                         .flags = CAIRN_PACKET_HAS_ADDRESS,
                                         .address_bits = 64,
                                         .address = state->address + 4 * below(g, 4),
                                         .sub_isa = state->sub_isa};

    flush_atoms(g);
    put(g, CAIRN_ETMV4_EXCEPTION, &fields);
    execute(g, CAIRN_ELEMENT_EXCEPTION, 0,
            &(struct cairn_element_data){
                .value = fields.type, .address = fields.address, .sub_isa = fields.sub_isa});
    go_on(g, state);
}

static void calm_other(struct generator *g)
{
    struct cairn_packet_fields fields = {.value = g->size * 3, .cycles = 4 + below(g, 8)};

    flush_atoms(g);
    if (percent(g, 50))
        put(g, CAIRN_ETMV4_TIMESTAMP, &fields);
    else if (!put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields))
        put_plain(g, CAIRN_ETMV4_IGNORE);
}

static void make_calm_trace(struct generator *g)
{
    const unsigned taken = 30 + below(g, 60);
    size_t next = 0;

    while (g->size + 8 * PACKET_MOST < g->capacity) {
        const bool e = percent(g, taken);
        struct cairn_flow_state state;

        cairn_flow_state(g->core, &state);
        if (g->size >= next) {
            flush_atoms(g);
            put_plain(g, CAIRN_ETMV4_ALIGNMENT_SYNC);
            put(g, CAIRN_ETMV4_TRACE_INFO, &(struct cairn_packet_fields){.type = 1});
            execute(g, CAIRN_ELEMENT_TRACE_INFO, 0, &(struct cairn_element_data){0});
            state.context_known = false; /* it is told again */
            go_on(g, &state);
            next = g->size + g->sync / 2 + below(g, g->sync);
            continue;
        }
        if (state.awaiting_target && state.return_stack_depth > 0 && percent(g, 70))
            execute(g, CAIRN_ELEMENT_ATOM, e ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                    &(struct cairn_element_data){0});
        else if (!state.address_known || !state.context_known || state.awaiting_target) {
            go_on(g, &state);
            continue;
        } else if (below(g, 400) < g->other && below(g, 4) == 0) {
            calm_exception(g, &state);
            continue;
        } else {
            if (below(g, 400) < g->other)
                calm_other(g);
            execute(g, CAIRN_ELEMENT_ATOM, e ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                    &(struct cairn_element_data){0});
        }
        g->held |= (uint32_t)e << g->held_count++;
        if (g->held_count == 24 || below(g, 40) == 0)
            flush_atoms(g);
    }
    flush_atoms(g);
}

static bool make_core(struct generator *g)
{
    return cairn_flow_new(g->made->config, g->made->image, &g->core) == CAIRN_OK &&
           cairn_element_batch_new(1, &g->element) == CAIRN_OK &&
           cairn_flow_batch_new(64, &g->records) == CAIRN_OK;
}

static void make_trace(struct generator *g)
{
    size_t next = 0;

    while (g->size + 4 * PACKET_MOST < g->capacity) {
        if (g->size >= next) {
            put_sync(g);
            next = g->size + g->sync / 2 + below(g, g->sync);
        }
        put_atoms(g);
        if (percent(g, 70))
            put_address(g);
        if (below(g, 100) < g->other)
            put_other(g);
        if (below(g, 20000) < g->loose)
            put_loose(g);
    }
}

bool engine_generate(uint64_t seed, size_t size, struct engine_case *made)
{
    static const uint32_t depths[] = {0, 0, 0, 0, 1, 3, 16, 200};
    static const uint32_t syncs[] = {60, 300, 2000, 20000, 200000};
    static const uint32_t others[] = {0, 2, 2, 10, 50};
    static const uint32_t atoms[] = {1, 4, 12, 60};
    static const uint32_t plains[] = {0, 2, 6, 20, 200};
    struct generator g = {.random = {.state = seed}, .made = made};
    bool calm;
    bool good;

    memset(made, 0, sizeof *made);
    g.ete = below(&g, 2);
    g.wide = percent(&g, 70);
    g.both = percent(&g, 10);
    calm = percent(&g, 50);
    g.maxspec = calm ? 0 : PICK(&g, depths);
    g.code_size = CODE_LEAST << below(&g, CODE_STEPS);
    g.far = PICK(&g, others);
    g.plain = PICK(&g, plains);
    g.loose = PICK(&g, others);
    g.sync = PICK(&g, syncs);
    g.other = PICK(&g, others);
    g.atoms = PICK(&g, atoms);
    g.capacity = size + 8 * PACKET_MOST;
    g.bytes = malloc(g.capacity);
    draw_context(&g);
    good = g.bytes && make_image(&g) && configure(&g);
    if (good && calm) {
        good = make_core(&g);
        if (good)
            make_calm_trace(&g);
    } else if (good) {
        make_trace(&g);
    }
    cairn_flow_batch_free(g.records);
    cairn_element_batch_free(g.element);
    cairn_flow_free(g.core);
    cairn_packet_writer_free(g.writer);
    made->data = g.bytes;
    made->size = g.size;
    if (!good)
        engine_generated_free(made);
    return good;
}

void engine_generated_free(struct engine_case *made)
{
    cairn_config_unref(made->config);
    cairn_image_unref(made->image);
    free((void *)(uintptr_t)made->data);
    memset(made, 0, sizeof *made);
}
