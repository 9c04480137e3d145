/* SPDX-License-Identifier: BSD-2-Clause */
/* Random ETMv3 traces over random programs: what a core could execute, for which the reference
 * follower stands, with exceptions, data, gaps and damage in between. */
#include <stdlib.h>
#include <string.h>

#include <cairn/etmv3.h>

#include "generate.h"
#include "generator.h"

enum {
    CODE_LEAST = 1 << 11,
    CODE_STEPS = 6,
    HELD_MOST = 16, /* atoms that wait to be written */
};

struct etmv3 {
    struct generator g;
    uint32_t minor;
    bool m;
    bool cycles;
    bool data;
    bool ids;
    bool values;    /* of data */
    uint32_t dense; /* of a hundred instructions, those with data */
};

static bool configure(struct etmv3 *t)
{
    struct generator *g = &t->g;

    t->minor = below(g, 6);
    t->m = t->minor >= 4 && percent(g, 40);
    t->cycles = percent(g, 40);
    t->data = percent(g, 40);
    const uint32_t access = t->data ? 1 + below(g, 3) : 0; /* ETMCR[3:2] */

    t->values = access & 1;
    t->dense = t->data ? below(g, 3) * below(g, 30) : 0;
    t->ids = percent(g, 30);
    const bool times = t->minor == 5 && percent(g, 40);
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x41000200u | t->minor << 4 | below(g, 2) << 18 | below(g, 2) << 19 |
                       (t->m ? 1u << 20 : 0)},
        {"ETMCR", (t->cycles ? 1u << 12 : 0) | access << 2 | (t->ids ? 1u << 14 : 0) |
                      (percent(g, 30) ? 1u << 1 : 0) | (times ? 1u << 28 : 0)},
        {"ETMCCER", 0x344008f2u},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = cairn_arch_any_a();
    if (t->m)
        source.arch = (struct cairn_arch){
            .profile = CAIRN_PROFILE_M, .major = 7, .features = CAIRN_FEATURE_THUMB2};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof *registers;
    return cairn_config_new(&source, &g->made->config, NULL) == CAIRN_OK &&
           cairn_packet_writer_new(g->made->config, &g->writer) == CAIRN_OK;
}

static void put_byte(struct generator *g, uint32_t byte)
{
    const uint8_t one = (uint8_t)byte;

    generator_put_bytes(g, &one, 1);
}

/* ---- atoms ---- */

static uint32_t held(const struct generator *g, uint32_t i)
{
    return g->held >> i & 1;
}

/* Format 1: up to `most` E, then an N if one comes. Returns how many atoms. */
static uint32_t put_format_1(struct generator *g, uint32_t most)
{
    uint32_t executed = 0;

    while (executed < g->held_count && executed < most && held(g, executed))
        executed++;
    const bool then_not = executed < g->held_count && !held(g, executed) && !below(g, 5);

    if (executed == 0) {
        put_byte(g, 0xc0);
        return 1;
    }
    put_byte(g, 0x80 | executed << 2 | (then_not ? 0x40 : 0));
    return executed + then_not;
}

static uint32_t put_format_2(struct generator *g)
{
    put_byte(g, 0x82 | (held(g, 0) ? 0 : 0x08) | (held(g, 1) ? 0 : 0x04));
    return 2;
}

/* One P-header in cycle-accurate mode. */
static uint32_t put_cycles(const struct etmv3 *t, struct generator *g)
{
    switch (below(g, 5)) {
    case 0: {
        const bool executed = held(g, 0) && percent(g, 60);

        put_byte(g, 0xa0 | below(g, 8) << 2 | (executed ? 0x40 : 0));
        return executed;
    }
    case 1:
        if (g->held_count >= 2)
            return put_format_2(g);
        return put_format_1(g, 7);
    case 2:
        if (t->minor < 3)
            return put_format_1(g, 7);
        put_byte(g, 0x92 | (held(g, 0) ? 0 : 0x04));
        return 1;
    default: return put_format_1(g, 1 + below(g, 7));
    }
}

static void flush_atoms(struct etmv3 *t)
{
    struct generator *g = &t->g;

    while (g->held_count > 0) {
        uint32_t done;

        if (t->cycles)
            done = put_cycles(t, g);
        else if (g->held_count >= 2 && percent(g, 40))
            done = put_format_2(g);
        else
            done = put_format_1(g, 1 + below(g, 15));
        g->held >>= done;
        g->held_count -= done;
    }
}

/* ---- addresses ---- */

static struct cairn_packet_fields draw_place(struct etmv3 *t)
{
    struct cairn_packet_fields fields = generator_address(&t->g);

    if (t->m)
        fields.sub_isa = 1;
    fields.state = fields.sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    if (t->minor >= 3 && !below(&t->g, 300))
        fields.state = CAIRN_STATE_THUMBEE;
    fields.context = (struct cairn_context){.security = t->g.context.security,
                                            .context_id = t->ids ? t->g.context.context_id : 0};
    return fields;
}

static void go_to(struct etmv3 *t, const struct cairn_packet_fields *fields)
{
    generator_execute(
        &t->g, CAIRN_ELEMENT_TARGET_ADDRESS, 0,
        &(struct cairn_element_data){.address = fields->address, .sub_isa = fields->sub_isa});
}

static void put_branch(struct etmv3 *t)
{
    const struct cairn_packet_fields fields = draw_place(t);

    flush_atoms(t);
    generator_put(&t->g, CAIRN_ETMV3_BRANCH, &fields);
    go_to(t, &fields);
}

static void put_exception(struct etmv3 *t)
{
    static const uint16_t types[] = {1, 2, 8, 9, 10, 11, 12, 14, 15};
    static const uint16_t m_types[] = {1, 8, 9, 10, 11, 14, 15, 0x11, 0x13, 0x18, 0x40};
    struct generator *g = &t->g;
    struct cairn_packet_fields fields = draw_place(t);

    fields.flags |= CAIRN_PACKET_HAS_EXCEPTION | CAIRN_PACKET_HAS_INFO;
    fields.type = t->m ? PICK(g, m_types) : PICK(g, types);
    if (percent(g, 60))
        fields.flags |= CAIRN_PACKET_CANCEL;
    if (t->m && fields.flags & CAIRN_PACKET_CANCEL && t->data && percent(g, 40))
        fields.resume = (uint8_t)(1 + below(g, 8));
    flush_atoms(t);
    if (t->m && t->data && percent(g, 50))
        put_byte(g, 0x7e);
    generator_put(g, CAIRN_ETMV3_BRANCH, &fields);
    generator_execute(g, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN,
                      &(struct cairn_element_data){.value = fields.type});
    go_to(t, &fields);
}

static void put_sync(struct etmv3 *t, const struct cairn_flow_state *state)
{
    struct generator *g = &t->g;
    struct cairn_packet_fields fields;
    const bool known = state->address_known && !state->awaiting_target && percent(g, 90);

    flush_atoms(t);
    if (!g->begun || percent(g, 70))
        generator_put_plain(g, CAIRN_ETMV3_A_SYNC);
    g->begun = true;
    if (percent(g, 10))
        generator_draw_context(g);
    fields = draw_place(t);
    fields.flags |= CAIRN_PACKET_HAS_CONTEXT;
    fields.reason = CAIRN_ETMV3_PERIODIC;
    if (known) {
        fields.address = state->address;
        fields.sub_isa = state->sub_isa;
        fields.state = state->sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    } else if (percent(g, 60)) {
        fields.reason = (uint8_t)(1 + below(g, 3));
    }
    if (fields.reason != CAIRN_ETMV3_PERIODIC && percent(g, 20)) {
        fields.flags |= CAIRN_PACKET_LSIP;
        fields.type = fields.state;
        fields.value = fields.address + (percent(g, 60) ? 4 : 4 * below(g, 64));
    }
    fields.cycles = below(g, 300);
    generator_put(g,
                  t->cycles && fields.reason != CAIRN_ETMV3_PERIODIC ? CAIRN_ETMV3_I_SYNC_CYCLES
                                                                     : CAIRN_ETMV3_I_SYNC,
                  &fields);
    if (engine_sync_tells_all) {
        struct cairn_packet_fields time = {.value = g->size * 3, .address_bits = 64};
        if (!generator_put(g, CAIRN_ETMV3_TIMESTAMP, &time)) {
            time.address_bits = 48;
            generator_put(g, CAIRN_ETMV3_TIMESTAMP, &time);
        }
    }
    if (fields.reason != CAIRN_ETMV3_PERIODIC)
        generator_execute(g, CAIRN_ELEMENT_TRACE_ON, 0, &(struct cairn_element_data){0});
    generator_execute(g, CAIRN_ELEMENT_CONTEXT, 0,
                      &(struct cairn_element_data){.context = fields.context});
    if (fields.flags & CAIRN_PACKET_LSIP)
        fields.address = fields.value;
    if (!known)
        go_to(t, &fields);
}

/* ---- what stands between ---- */

static uint32_t draw_value(struct generator *g, unsigned size)
{
    if (size == 0 || percent(g, 30))
        return 0;
    return size == 4 ? below(g, UINT32_MAX) : below(g, 1u << 8 * size);
}

/* Mostly Normal data; the address has one to five bytes, and BE is in the fifth (7.4.2). */
static void put_data(const struct etmv3 *t, struct generator *g)
{
    static const uint8_t sizes[] = {0, 1, 2, 4};
    struct cairn_packet_fields fields = {.address = 0x20000000u ^ below(g, 1u << below(g, 31)),
                                         .info = below(g, 4) > 0,
                                         .size = PICK(g, sizes),
                                         .tag = (uint8_t)(1 + below(g, 3))};

    if (t->values)
        fields.value = draw_value(g, fields.size);
    if (t->minor >= 1 && percent(g, 20))
        fields.flags |= CAIRN_PACKET_BIG_ENDIAN;
    switch (below(g, 12)) {
    case 0: generator_put(g, CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER, &fields); break;
    case 1: generator_put(g, CAIRN_ETMV3_OUT_OF_ORDER_DATA, &fields); break;
    case 2: generator_put(g, CAIRN_ETMV3_VALUE_NOT_TRACED, &fields); break;
    case 3: generator_put_plain(g, CAIRN_ETMV3_DATA_SUPPRESSED); break;
    case 4:
        if (t->values && t->minor >= 1)
            generator_put_plain(g, CAIRN_ETMV3_STORE_FAILED);
        break;
    default: generator_put(g, CAIRN_ETMV3_NORMAL_DATA, &fields); break;
    }
}

/* As behind the loads and stores of a program. */
static void put_transfers(struct etmv3 *t)
{
    flush_atoms(t);
    for (uint32_t count = below(&t->g, 4); count < 4; count++)
        put_data(t, &t->g);
}

static void put_other(struct etmv3 *t)
{
    struct generator *g = &t->g;
    struct cairn_packet_fields fields = {.value = g->size * 5, .cycles = below(g, 200)};

    flush_atoms(t);
    switch (below(g, 8)) {
    case 0: generator_put_plain(g, CAIRN_ETMV3_TRIGGER); break;
    case 1: generator_put_plain(g, CAIRN_ETMV3_IGNORE); break;
    case 2: generator_put(g, CAIRN_ETMV3_TIMESTAMP, &fields); break;
    case 3:
        if (t->cycles)
            generator_put(g, CAIRN_ETMV3_CYCLE_COUNT, &fields);
        break;
    case 4:
        if (!t->ids)
            break;
        generator_draw_context(g);
        fields.context.context_id = g->context.context_id;
        generator_put(g, CAIRN_ETMV3_CONTEXT_ID, &fields);
        break;
    case 5:
        if (t->m || t->minor == 5)
            put_byte(g, 0x76);
        break;
    default:
        if (t->data)
            put_data(t, g);
        break;
    }
}

static void put_loose(struct etmv3 *t)
{
    uint8_t bytes[6];

    flush_atoms(t);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)below(&t->g, 256);
    generator_put_bytes(&t->g, bytes, 1 + below(&t->g, sizeof bytes));
}

static void put_atom(struct generator *g, bool executed)
{
    generator_execute(g, CAIRN_ELEMENT_ATOM,
                      executed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                      &(struct cairn_element_data){0});
    g->held |= (uint32_t)executed << g->held_count++;
}

static void make_trace(struct etmv3 *t)
{
    struct generator *g = &t->g;
    const unsigned taken = 50 + below(g, 50);
    size_t next = 0;

    while (g->size + 8 * GENERATOR_PACKET < g->capacity) {
        struct cairn_flow_state state = {.size = sizeof state};

        cairn_flow_state(g->core, &state);
        if (g->size >= next) {
            put_sync(t, &state);
            next = g->size + g->sync / 2 + below(g, g->sync);
        } else if (!state.address_known || state.awaiting_target) {
            if (percent(g, 20))
                put_other(t);
            if (percent(g, 3))
                put_exception(t);
            else
                put_branch(t);
        } else if (below(g, 1000) < g->other) {
            put_exception(t);
        } else if (below(g, 300) < g->other) {
            put_other(t);
        } else if (below(g, 20000) < g->loose) {
            put_loose(t);
        } else {
            put_atom(g, percent(g, taken));
            if (g->held_count == HELD_MOST || !below(g, 30))
                flush_atoms(t);
            if (below(g, 100) < t->dense)
                put_transfers(t);
        }
    }
    flush_atoms(t);
}

static bool make_core(struct generator *g)
{
    return cairn_flow_new(g->made->config, g->made->image, &g->core) == CAIRN_OK &&
           cairn_element_batch_new(1, &g->element) == CAIRN_OK &&
           cairn_flow_batch_new(64, &g->records) == CAIRN_OK;
}

bool engine_generate_etmv3(uint64_t seed, size_t size, struct engine_case *made)
{
    static const uint32_t syncs[] = {60, 300, 2000, 20000};
    static const uint32_t others[] = {0, 2, 10, 50};
    static const uint32_t plains[] = {0, 2, 6, 20};
    struct etmv3 t = {.g = {.random = {.state = seed}, .made = made}};
    struct generator *g = &t.g;

    memset(made, 0, sizeof *made);
    g->code_size = (uint32_t)CODE_LEAST << below(g, CODE_STEPS);
    g->far = PICK(g, others);
    g->plain = PICK(g, plains);
    g->loose = PICK(g, others);
    g->sync = PICK(g, syncs);
    g->other = PICK(g, others);
    g->capacity = size + 8 * GENERATOR_PACKET;
    g->bytes = malloc(g->capacity);
    generator_draw_context(g);
    const bool good = g->bytes && generator_make_image(g) && configure(&t) && make_core(g);
    if (good)
        make_trace(&t);
    cairn_flow_batch_free(g->records);
    cairn_element_batch_free(g->element);
    cairn_flow_free(g->core);
    cairn_packet_writer_free(g->writer);
    made->data = g->bytes;
    made->size = g->size;
    if (!good)
        engine_generated_free(made);
    return good;
}
