/* SPDX-License-Identifier: BSD-2-Clause */
/* Random traces of PTM over random programs: what a core could execute, for which the reference
 * follower stands, with exceptions, waypoint updates, I-syncs of every reason, and now and then
 * packets out of order. */
#include <cairn/ptm.h>

#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "generator.h"

enum {
    CODE_LEAST = 1 << 11,
    CODE_STEPS = 7, /* doublings at most */
    STRETCH = 512,  /* bytes of one instruction set */
    WORD = 4,
    END = 16, /* bytes of branches to themselves behind a shared program: never N */
    ATOMS_HELD = 24,
    ATOMS_MOST = 5, /* of a packet */
};

#define E_FLAGS (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

struct ptm_generator {
    struct generator g;
    bool version_1_1;
    bool cycles;
    bool return_stack;
    bool context_ids;
    bool vmids;
    bool updated;              /* a waypoint update since the last waypoint */
    bool only_t32;             /* of a shared program, which is of one instruction set */
    struct engine_ptm *shared; /* NULL: another decoder need not understand it */
    uint64_t target;           /* of the last waypoint */
    uint8_t target_is_t;       /* its state: T32 */
};

static bool configure(struct ptm_generator *p)
{
    struct generator *g = &p->g;
    const uint32_t control = (p->context_ids ? (1 + below(g, 3)) << 14 : 0) |
                             (uint32_t)p->cycles << 12 | 1u << 28 |
                             (uint32_t)p->return_stack << 29 | (uint32_t)p->vmids << 30;
    const struct cairn_register registers[] = {
        {"ETMIDR", p->version_1_1 ? 0x411cf312u : 0x411cf301u},
        {"ETMCR", control},
        {"ETMCCER", (p->version_1_1 ? 0x34c008c2u : 0x00c008c2u) | below(g, 2) << 24},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    if (p->shared) {
        p->shared->etmidr = (uint32_t)registers[0].value;
        p->shared->etmcr = (uint32_t)registers[1].value;
        p->shared->etmccer = (uint32_t)registers[2].value;
    }
    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = cairn_arch_any_a();
    source.arch.major = 7;
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &g->made->config, NULL) == CAIRN_OK &&
           cairn_packet_writer_new(g->made->config, &g->writer) == CAIRN_OK;
}

/* What libopencsd does not know as it is: of BLX with an immediate it takes the instruction set
 * even where it is N, the T32 exception return SUBS PC, LR, ENTERX and LEAVEX are no branches for
 * it, and some UNPREDICTABLE loads are. What a BLX of a register pops depends on whether it has an
 * address, which is drawn behind it here. */
static void leave_out_unknown(const struct ptm_generator *p)
{
    static const uint8_t nops[WORD] = {0x00, 0xbf, 0x00, 0xbf};
    uint8_t *code = p->shared->code;

    for (size_t at = 0; at + WORD <= p->shared->code_size; at += 2) {
        const unsigned first = code[at] | (unsigned)code[at + 1] << 8;
        const unsigned second = code[at + 2] | (unsigned)code[at + 3] << 8;
        const bool blx = (first & 0xf800) == 0xf000 && (second & 0xd000) == 0xc000;
        const bool eret = first == 0xf3de && (second & 0xd000) == 0x8000;
        const bool enterx = first == 0xf3bf && (second & 0xffef) == 0x8f0f; /* or LEAVEX */

        if (!p->only_t32 && at % WORD == 0 && (second & 0xfe00) == 0xfa00)
            code[at + 3] = 0xeb;
        if (!p->only_t32 && at % WORD == 0 && first == 0xff33) /* BLX R3 -> BX R3 */
            code[at] = 0x13;
        if (p->only_t32 && first == 0x4780) /* BLX R0 -> BX R0 */
            code[at] = 0x00;
        if (p->only_t32 && first == 0xf85d && second != 0xf004)
            memcpy(code + at, nops, WORD / 2);
        if (p->only_t32 && (blx || eret || enterx))
            memcpy(code + at, nops, WORD);
    }
}

/* The program for another decoder: without holes, in one instruction set, and it does not run out
 * of itself. */
static bool make_shared_image(struct ptm_generator *p)
{
    static const uint8_t end_t32[WORD] = {0xfe, 0xe7, 0xfe, 0xe7}; /* B to itself */
    static const uint8_t end_a32[WORD] = {0xfe, 0xff, 0xff, 0xea};
    const struct cairn_scope any = cairn_scope_any();
    struct generator *g = &p->g;
    struct engine_ptm *shared = p->shared;
    uint8_t *both = malloc(2 * (size_t)g->code_size);

    shared->address = GENERATOR_BASE;
    shared->code_size = g->code_size;
    shared->code = calloc(1, g->code_size + WORD);
    if (both && shared->code) {
        g->code_size *= 2; /* each other stretch is of the one set */
        generator_fill(g, both);
        g->code_size /= 2;
        for (size_t at = 0; at < g->code_size; at += STRETCH)
            memcpy(shared->code + at, both + 2 * at + (p->only_t32 ? STRETCH : 0), STRETCH);
        leave_out_unknown(p);
        for (size_t at = g->code_size - END; at < g->code_size; at += WORD)
            memcpy(shared->code + at, p->only_t32 ? end_t32 : end_a32, WORD);
    }
    free(both);
    return both && shared->code && cairn_image_new(&g->made->image) == CAIRN_OK &&
           cairn_image_add_bytes(g->made->image, "all", &any, CAIRN_ORDER_LITTLE, GENERATOR_BASE,
                                 shared->code, g->code_size, NULL) == CAIRN_OK;
}

static void put_counted(struct ptm_generator *p, unsigned kind, struct cairn_packet_fields *fields)
{
    if (p->cycles) {
        fields->cycles = below(&p->g, 8) ? below(&p->g, 40) : below(&p->g, 1u << 20);
        fields->flags |= percent(&p->g, 99) ? CAIRN_PACKET_HAS_CYCLES : 0;
    }
    generator_put(&p->g, kind, fields);
}

static void flush_atoms(struct ptm_generator *p)
{
    struct generator *g = &p->g;

    while (g->held_count > 0) {
        const uint32_t most = p->cycles ? 1 : below(g, 4) ? ATOMS_MOST : 1 + below(g, ATOMS_MOST);
        const uint32_t n = g->held_count < most ? g->held_count : most;
        struct cairn_packet_fields fields = {.atom_count = (uint8_t)n,
                                             .atoms = g->held & ((UINT32_C(1) << n) - 1)};

        put_counted(p, CAIRN_PTM_ATOM, &fields);
        g->held >>= n;
        g->held_count -= n;
    }
}

static void hold_atom(struct ptm_generator *p, bool e)
{
    struct generator *g = &p->g;

    g->held |= (uint32_t)e << g->held_count++;
    p->updated = false;
    if (g->held_count == ATOMS_HELD || below(g, 30) == 0)
        flush_atoms(p);
}

/* Where something leads: a few places, the same ones mostly. */
static struct cairn_packet_fields draw_target(struct ptm_generator *p, uint64_t from)
{
    struct generator *g = &p->g;
    struct cairn_packet_fields fields = generator_address(g);

    if (g->hot_count > 3 && percent(g, 90))
        fields.address = g->hot[(from / 4 * 7 + below(g, 3)) % g->hot_count];
    if (p->shared)
        fields.sub_isa = p->only_t32;
    else if (percent(g, 90))
        fields.sub_isa = (fields.address - GENERATOR_BASE) / STRETCH % 2;
    fields.address &= fields.sub_isa ? 0xfffffffeu : 0xfffffffcu;
    fields.state = fields.sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    fields.flags = CAIRN_PACKET_HAS_ADDRESS | CAIRN_PACKET_HAS_CONTEXT;
    return fields;
}

static void execute_address(struct ptm_generator *p, unsigned flags,
                            const struct cairn_packet_fields *fields)
{
    struct cairn_element_data data = {.address = fields->address, .sub_isa = fields->sub_isa};

    if (fields->flags & CAIRN_PACKET_HAS_CONTEXT) {
        const struct cairn_element_data context = {.context = fields->context};

        generator_execute(&p->g, CAIRN_ELEMENT_CONTEXT, 0, &context);
    }
    generator_execute(&p->g, CAIRN_ELEMENT_TARGET_ADDRESS, flags, &data);
    if (flags == 0) {
        p->target = fields->address;
        p->target_is_t = fields->sub_isa;
        p->updated = false;
    }
}

static void change_security(struct ptm_generator *p)
{
    if (below(&p->g, 60) == 0)
        p->g.context.security = below(&p->g, 2) ? CAIRN_NONSECURE : CAIRN_SECURE;
    if (p->version_1_1 && below(&p->g, 60) == 0)
        p->g.context.EL = below(&p->g, 2) ? 2 : 0;
}

static void put_branch(struct ptm_generator *p, uint64_t from)
{
    struct cairn_packet_fields fields;

    flush_atoms(p);
    if (!p->shared) /* with information bytes: an exception of number 0, for libopencsd */
        change_security(p);
    fields = draw_target(p, from);
    put_counted(p, CAIRN_PTM_BRANCH_ADDRESS, &fields);
    execute_address(p, 0, &fields);
}

/* What else a trace unit tells at a synchronisation. */
static void put_told(struct ptm_generator *p)
{
    struct generator *g = &p->g;
    struct cairn_packet_fields fields = {
        .flags = CAIRN_PACKET_HAS_TIMESTAMP | CAIRN_PACKET_HAS_CYCLES, .value = g->size * 3};

    fields.size = 9;
    if (!generator_put(g, CAIRN_PTM_TIMESTAMP, &fields)) {
        fields.size = 7;
        generator_put(g, CAIRN_PTM_TIMESTAMP, &fields);
    }
    fields.context = g->context;
    if (p->vmids)
        generator_put(g, CAIRN_PTM_VMID, &fields);
}

static void put_sync(struct ptm_generator *p, bool known)
{
    struct generator *g = &p->g;
    struct cairn_packet_fields fields;

    flush_atoms(p);
    change_security(p);
    fields = draw_target(p, p->target);
    fields.reason = (uint8_t)(known && below(g, 4) ? CAIRN_PTM_PERIODIC : 1 + below(g, 3));
    if (fields.reason == CAIRN_PTM_PERIODIC && percent(g, 95)) {
        fields.address = p->target;
        fields.sub_isa = p->target_is_t;
        fields.state = fields.sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    }
    if (below(g, 2))
        generator_put_plain(g, CAIRN_PTM_ALIGNMENT_SYNC);
    if (fields.reason == CAIRN_PTM_TRACE_ON)
        put_counted(p, CAIRN_PTM_INSTRUCTION_SYNC, &fields);
    else
        generator_put(g, CAIRN_PTM_INSTRUCTION_SYNC, &fields);
    if (engine_sync_tells_all)
        put_told(p);
    generator_execute(g, CAIRN_ELEMENT_TRACE_INFO, 0, &(struct cairn_element_data){0});
    if (fields.reason != CAIRN_PTM_PERIODIC)
        generator_execute(g, CAIRN_ELEMENT_TRACE_ON, 0, &(struct cairn_element_data){0});
    execute_address(p,
                    fields.reason != CAIRN_PTM_PERIODIC ? 0
                    : p->updated ? CAIRN_ELEMENT_CHECK | CAIRN_ELEMENT_UNKNOWN
                                 : CAIRN_ELEMENT_CHECK,
                    &fields);
}

/* The last of up to five instructions from there on before a waypoint, which libopencsd would pass
 * over. False: there is none. */
static bool draw_update(struct ptm_generator *p, uint64_t address, uint64_t *last)
{
    const struct cairn_arch *arch = cairn_config_arch(p->g.made->config);
    const enum cairn_isa isa = p->only_t32 ? CAIRN_ISA_T32 : CAIRN_ISA_A32;
    bool found = false;

    for (uint32_t left = 1 + below(&p->g, 5); left > 0; left--) {
        const uint64_t at = address - p->shared->address;
        struct cairn_insn insn;

        if (at >= p->shared->code_size || p->shared->code_size - at < WORD)
            break;
        const unsigned size =
            cairn_insn_decode(arch, isa, address, p->shared->code + at, WORD, &insn);

        if (size == 0 || insn.kind != CAIRN_INSN_OTHER)
            break;
        *last = address;
        address += size;
        found = true;
    }
    return found;
}

static void put_exception(struct ptm_generator *p, const struct cairn_flow_state *state)
{
    static const uint8_t types[] = {2, 4, 9, 10, 11, 12, 14, 14, 14, 15, 8, 1};
    struct generator *g = &p->g;
    struct cairn_packet_fields fields = {.address = (state->address + 4 * below(g, 6)) & 0xffffffff,
                                         .state =
                                             state->sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM,
                                         .sub_isa = state->sub_isa};

    flush_atoms(p);
    const bool drawn =
        !p->shared || (state->address_known && draw_update(p, state->address, &fields.address));

    if (drawn && percent(g, 60) && generator_put(g, CAIRN_PTM_WAYPOINT_UPDATE, &fields)) {
        const struct cairn_element_data data = {.address = fields.address};

        generator_execute(g, CAIRN_ELEMENT_WAYPOINT_UPDATE, 0, &data);
        p->updated = true;
        if (!p->shared && below(g, 6) == 0)
            return; /* one alone */
    }
    change_security(p);
    fields = draw_target(p, state->address);
    fields.address_bits = p->shared ? 32 : 0; /* whatever a waypoint update is compressed for */
    fields.type = PICK(g, types);
    fields.flags |= CAIRN_PACKET_HAS_EXCEPTION;
    put_counted(p, CAIRN_PTM_BRANCH_ADDRESS, &fields);
    generator_execute(g, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN,
                      &(struct cairn_element_data){.value = fields.type});
    execute_address(p, fields.type == 1 ? CAIRN_ELEMENT_UNKNOWN : 0, &fields);
}

static void put_other(struct ptm_generator *p)
{
    struct generator *g = &p->g;
    struct cairn_packet_fields fields = {
        .flags = CAIRN_PACKET_HAS_TIMESTAMP | CAIRN_PACKET_HAS_CYCLES, .value = g->size * 3};

    flush_atoms(p);
    switch (below(g, 8)) {
    case 0: generator_put_plain(g, CAIRN_PTM_TRIGGER); break;
    case 1: generator_put_plain(g, CAIRN_PTM_IGNORE); break;
    case 2: generator_put_plain(g, CAIRN_PTM_EXCEPTION_RETURN); break;
    case 3:
        g->context.context_id = p->context_ids ? below(g, 3) : 0;
        fields.context = g->context;
        generator_put(g, CAIRN_PTM_CONTEXT_ID, &fields);
        break;
    case 4:
        g->context.vmid = p->vmids ? below(g, 2) : 0;
        fields.context = g->context;
        if (p->vmids)
            generator_put(g, CAIRN_PTM_VMID, &fields);
        break;
    default: generator_put(g, CAIRN_PTM_TIMESTAMP, &fields); break;
    }
    generator_execute(g, CAIRN_ELEMENT_CONTEXT, 0,
                      &(struct cairn_element_data){.context = g->context});
}

/* What has no order: bytes, atoms, addresses. What the core does of it is not known. */
static void put_loose(struct ptm_generator *p)
{
    struct generator *g = &p->g;
    const uint8_t byte = (uint8_t)below(g, 256);
    struct cairn_packet_fields fields = draw_target(p, byte);

    flush_atoms(p);
    switch (below(g, 8)) {
    case 0: generator_put_bytes(g, &byte, 1); break;
    case 1: generator_put(g, CAIRN_PTM_WAYPOINT_UPDATE, &fields); break;
    case 2: put_counted(p, CAIRN_PTM_BRANCH_ADDRESS, &fields); break;
    default:
        g->held = below(g, 256);
        g->held_count = 8;
        flush_atoms(p);
        break;
    }
}

/* An E atom, or a branch packet in its place. */
static void take_branch(struct ptm_generator *p, const struct cairn_flow_state *before)
{
    struct generator *g = &p->g;
    struct cairn_flow_state state = {.size = sizeof state};

    generator_execute(g, CAIRN_ELEMENT_ATOM, E_FLAGS | CAIRN_ELEMENT_ADDRESSED,
                      &(struct cairn_element_data){0});
    cairn_flow_state(g->core, &state);
    if (!state.awaiting_target) {
        p->target = state.address;
        p->target_is_t = state.sub_isa;
        hold_atom(p, true);
        return;
    }
    if (p->return_stack && state.return_stack_depth > 0 && percent(g, 70)) {
        hold_atom(p, true); /* of a call through a register the core knows no better */
        return;
    }
    put_branch(p, before->address);
}

static bool is_at_end(const struct ptm_generator *p, const struct cairn_flow_state *state)
{
    return p->shared && state->address >= p->shared->address + p->shared->code_size - END;
}

static void make_trace(struct ptm_generator *p)
{
    struct generator *g = &p->g;
    const unsigned taken = 30 + below(g, 60);
    size_t next = 0;

    generator_put_plain(g, CAIRN_PTM_ALIGNMENT_SYNC);
    while (g->size + 8 * GENERATOR_PACKET < g->capacity) {
        struct cairn_flow_state state = {.size = sizeof state};

        cairn_flow_state(g->core, &state);
        const bool stands = state.context_known && (state.address_known || state.awaiting_target);

        if (g->size >= next || !stands) {
            put_sync(p, stands);
            if (g->size >= next)
                next = g->size + g->sync / 2 + below(g, g->sync);
        } else if (below(g, 400) < g->other && below(g, 3) == 0) {
            put_exception(p, &state);
        } else if (below(g, 400) < g->other) {
            put_other(p);
        } else if (below(g, 1000) < g->loose) {
            put_loose(p);
        } else if (percent(g, taken) || is_at_end(p, &state)) {
            take_branch(p, &state);
        } else {
            generator_execute(g, CAIRN_ELEMENT_ATOM, 0, &(struct cairn_element_data){0});
            hold_atom(p, false);
        }
    }
    flush_atoms(p);
}

static bool generate(struct ptm_generator *p, size_t size)
{
    static const uint32_t syncs[] = {60, 300, 2000, 20000};
    static const uint32_t others[] = {0, 2, 2, 10, 50};
    static const uint32_t plains[] = {0, 2, 6, 20, 200};
    struct generator *g = &p->g;
    bool good;

    memset(g->made, 0, sizeof *g->made);
    p->version_1_1 = percent(g, 60);
    p->cycles = percent(g, 40);
    p->return_stack = percent(g, 60);
    p->context_ids = percent(g, 30);
    p->vmids = p->version_1_1 && percent(g, 30);
    p->only_t32 = p->shared && percent(g, 50);
    g->code_size = (uint32_t)CODE_LEAST << below(g, CODE_STEPS);
    g->far = p->shared ? 0 : PICK(g, others);
    g->plain = p->shared ? plains[below(g, 4)] : PICK(g, plains);
    g->loose = p->shared ? 0 : PICK(g, others);
    g->sync = PICK(g, syncs);
    g->other = PICK(g, others);
    g->capacity = size + 8 * GENERATOR_PACKET;
    g->bytes = malloc(g->capacity);
    good = g->bytes && (p->shared ? make_shared_image(p) : generator_make_image(g)) &&
           configure(p) && generator_begin_core(g);
    if (good)
        make_trace(p);
    generator_end_core(g);
    cairn_packet_writer_free(g->writer);
    g->made->data = g->bytes;
    g->made->size = g->size;
    if (!good)
        engine_generated_free(g->made);
    return good;
}

bool engine_generate_ptm(uint64_t seed, size_t size, struct engine_case *made)
{
    struct ptm_generator p = {.g = {.random = {.state = seed}, .made = made}};

    return generate(&p, size);
}

bool engine_generate_ptm_shared(uint64_t seed, size_t size, struct engine_case *made,
                                struct engine_ptm *ptm)
{
    struct ptm_generator p = {.g = {.random = {.state = seed}, .made = made}, .shared = ptm};

    memset(ptm, 0, sizeof *ptm);
    return generate(&p, size);
}
