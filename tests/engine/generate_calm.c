/* SPDX-License-Identifier: BSD-2-Clause */
/* A random trace that a core could execute: the reference follower stands for it. */
#include "generator.h"

void generator_execute(struct generator *g, unsigned kind, unsigned flags,
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
                    !generator_put(g, formats[i].kind, &fields))
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
        generator_put(g, CAIRN_ETMV4_CONTEXT, &fields);
        generator_execute(g, CAIRN_ELEMENT_CONTEXT, 0, &data);
    }
    fields = generator_address(g);
    if (places > 0 && percent(g, 95)) {
        const uint64_t drawn = state->address / 4 * 7 + below(g, (uint32_t)places);

        fields.address = g->hot[drawn % g->hot_count];
        fields.sub_isa = !g->context.SF && (fields.address - GENERATOR_BASE) / 512 % 2;
    }
    for (fields.info = 0; fields.info < 3; fields.info++)
        if (generator_put(g, CAIRN_ETMV4_ADDRESS_EXACT, &fields))
            break;
    if (fields.info == 3 && !generator_put(g,
                                           fields.sub_isa ? CAIRN_ETMV4_ADDRESS_SHORT_IS1
                                                          : CAIRN_ETMV4_ADDRESS_SHORT_IS0,
                                           &fields))
        generator_put(g, fields.sub_isa ? CAIRN_ETMV4_ADDRESS_64_IS1 : CAIRN_ETMV4_ADDRESS_64_IS0,
                      &fields);
    data.address = fields.address;
    data.sub_isa = fields.sub_isa;
    generator_execute(g, CAIRN_ELEMENT_TARGET_ADDRESS, 0, &data);
}

static void calm_exception(struct generator *g, const struct cairn_flow_state *state)
{
    struct cairn_packet_fields fields = {.type = percent(g, 70) ? 14 : 2,
                                         .flags = CAIRN_PACKET_HAS_ADDRESS,
                                         .address_bits = 64,
                                         .address = state->address + 4 * below(g, 4),
                                         .sub_isa = state->sub_isa};

    flush_atoms(g);
    generator_put(g, CAIRN_ETMV4_EXCEPTION, &fields);
    generator_execute(g, CAIRN_ELEMENT_EXCEPTION, 0,
                      &(struct cairn_element_data){.value = fields.type,
                                                   .address = fields.address,
                                                   .sub_isa = fields.sub_isa});
    go_on(g, state);
}

static void calm_other(struct generator *g)
{
    struct cairn_packet_fields fields = {.value = g->size * 3, .cycles = 4 + below(g, 8)};

    flush_atoms(g);
    if (percent(g, 50))
        generator_put(g, CAIRN_ETMV4_TIMESTAMP, &fields);
    else if (!generator_put(g, CAIRN_ETMV4_CYCLE_COUNT_F3, &fields))
        generator_put_plain(g, CAIRN_ETMV4_IGNORE);
}

static void make_calm(struct generator *g)
{
    const unsigned taken = 30 + below(g, 60);
    size_t next = 0;

    while (g->size + 8 * GENERATOR_PACKET < g->capacity) {
        const bool e = percent(g, taken);
        struct cairn_flow_state state = {.size = sizeof state};

        cairn_flow_state(g->core, &state);
        if (g->size >= next) {
            flush_atoms(g);
            generator_put_plain(g, CAIRN_ETMV4_ALIGNMENT_SYNC);
            generator_put(g, CAIRN_ETMV4_TRACE_INFO, &(struct cairn_packet_fields){.type = 1});
            generator_execute(g, CAIRN_ELEMENT_TRACE_INFO, 0, &(struct cairn_element_data){0});
            state.context_known = false; /* it is told again */
            go_on(g, &state);
            next = g->size + g->sync / 2 + below(g, g->sync);
            continue;
        }
        if (state.awaiting_target && state.return_stack_depth > 0 && percent(g, 70))
            generator_execute(g, CAIRN_ELEMENT_ATOM,
                              e ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
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
            generator_execute(g, CAIRN_ELEMENT_ATOM,
                              e ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0,
                              &(struct cairn_element_data){0});
        }
        g->held |= (uint32_t)e << g->held_count++;
        if (g->held_count == 24 || below(g, 40) == 0)
            flush_atoms(g);
    }
    flush_atoms(g);
}

bool generator_begin_core(struct generator *g)
{
    return cairn_flow_new(g->made->config, g->made->image, &g->core) == CAIRN_OK &&
           cairn_element_batch_new(1, &g->element) == CAIRN_OK &&
           cairn_flow_batch_new(64, &g->records) == CAIRN_OK;
}

void generator_end_core(struct generator *g)
{
    cairn_flow_batch_free(g->records);
    cairn_element_batch_free(g->element);
    cairn_flow_free(g->core);
}

bool generator_make_calm_trace(struct generator *g)
{
    const bool good = generator_begin_core(g);

    if (good)
        make_calm(g);
    generator_end_core(g);
    return good;
}
