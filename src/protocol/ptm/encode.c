/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements, in the order in which this protocol's packets give them, -> bytes (IHI0035 4.2, 4.5).
 * What it takes beyond protocol/encoder.h:
 *   TRACE_INFO        begins an I-sync, which CONTEXT and TARGET_ADDRESS complete; with OVERFLOW or
 *                     TRACE_ON between, that is its reason, else it is periodic. TRACE_ON with
 *                     value 1: exit from Debug state
 *   ATOM, ADDRESSED   begins a branch packet, which [CONTEXT] and TARGET_ADDRESS complete
 *   EXCEPTION         the same with an exception: value = its number. TARGET_ADDRESS with UNKNOWN
 *                     is address 0 (entry to Debug state, or to a prohibited region)
 *   CYCLE_COUNT       of the packet that was put just before; where counts are on and none is put,
 *                     the packet says that its count is not known
 *   CONTEXT           elsewhere: a Context ID or VMID packet if these have changed
 *   WAYPOINT_UPDATE   address
 *   TIMESTAMP         `info` 1: the clock has changed (R); 1.0 with counts: `cycles`. The first one
 *                     behind an A-sync is whole
 *   EVENT             the trigger
 * Instructions of ThumbEE and Jazelle have no elements, but a TARGET_ADDRESS may lead there and a
 * WAYPOINT_UPDATE name them: `sub_isa` is one of CAIRN_STATE_..., of which 0 and 1 are A32 and T32.
 */
#include "protocol/ptm/ptm.h"

#include <stdlib.h>
#include <string.h>

#define ATOM_HEADER 0x80u
#define NO_ATOMS 1u      /* struct encoder.atoms: a one above the atoms inside, */
#define FIVE_ATOMS 0x20u /* which has risen to here when a packet is full (figure 4-7) */
#define DEBUG_EXIT 1u
#define EXCEPTION_MAX 0x1ffu
#define EXCEPTION_RESET 0x08u
#define ADDRESS_WHOLE 32u

/* The packet that is not complete yet. */
enum open {
    OPEN_NOTHING,
    OPEN_SYNC,   /* waits for its address */
    OPEN_BRANCH, /* the same */
    OPEN_COUNT,  /* waits for its count */
};

struct encoder {
    struct cairn_config *config;
    const struct cairn_ptm_config *ptm;
    void *writer;
    uint32_t atoms; /* without counts: N bits, the oldest highest, below a one */
    uint8_t open;   /* enum open */
    uint16_t kind;  /* of the open packet */
    struct cairn_packet_fields fields;
    struct cairn_context context; /* of the last Context element */
    struct cairn_context told;    /* what packets said of identifiers */
    bool vmid_told;
    bool whole_time;   /* an A-sync was written, and no timestamp since */
    bool keeps_cycles; /* behind an overflow, though they need not be right */
};

cairn_status cairn_ptm_encoder_new(struct cairn_config *config, uint32_t choices, void **encoder)
{
    struct encoder *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->keeps_cycles = (choices & CAIRN_ENCODER_OVERFLOW_KEEPS_CYCLES) != 0;
    if (cairn_ptm_writer_new(config, &e->writer) != CAIRN_OK) {
        free(e);
        return CAIRN_E_MEMORY;
    }
    e->config = cairn_config_ref(config);
    e->ptm = cairn_ptm_of(config);
    e->atoms = NO_ATOMS;
    *encoder = e;
    return CAIRN_OK;
}

void cairn_ptm_encoder_free(void *encoder)
{
    struct encoder *e = encoder;

    if (!e)
        return;
    cairn_ptm_writer_free(e->writer);
    cairn_config_unref(e->config);
    free(e);
}

static void write_packet(struct encoder *e, unsigned kind, const struct cairn_packet_fields *fields,
                         struct cairn_encoder_out *out)
{
    out->size += cairn_ptm_writer_write(e->writer, kind, fields, out->bytes + out->size,
                                        out->capacity - out->size);
}

/* --- identifiers --- */

static uint32_t context_id_of(const struct encoder *e, const struct cairn_context *context)
{
    const unsigned bytes = e->ptm->context_id_size;

    return bytes == 4 ? context->context_id : context->context_id & ((1u << 8 * bytes) - 1);
}

/* Packets of the identifiers that no packet has said yet. */
static void write_identifiers(struct encoder *e, struct cairn_encoder_out *out)
{
    struct cairn_packet_fields fields = {
        .context = {.context_id = context_id_of(e, &e->context), .vmid = e->context.vmid & 0xff}};

    if (e->ptm->vmid && (!e->vmid_told || fields.context.vmid != e->told.vmid)) {
        e->told.vmid = fields.context.vmid;
        e->vmid_told = true;
        write_packet(e, CAIRN_PTM_VMID, &fields, out);
    }
    if (e->ptm->context_id_size > 0 && fields.context.context_id != e->told.context_id) {
        e->told.context_id = fields.context.context_id;
        write_packet(e, CAIRN_PTM_CONTEXT_ID, &fields, out);
    }
}

/* --- the packet that is open --- */

static void write_open(struct encoder *e, struct cairn_encoder_out *out)
{
    e->open = OPEN_NOTHING;
    write_packet(e, e->kind, &e->fields, out);
    if (e->kind == CAIRN_PTM_INSTRUCTION_SYNC) {
        e->told.context_id = e->fields.context.context_id;
        e->vmid_told = false;
    } else if ((e->fields.flags & CAIRN_PACKET_HAS_EXCEPTION) &&
               e->fields.type == EXCEPTION_RESET && !e->ptm->m_profile) {
        e->told.vmid = 0; /* the packet says so (4.5.8) */
    }
    if (e->kind == CAIRN_PTM_INSTRUCTION_SYNC || e->kind == CAIRN_PTM_BRANCH_ADDRESS)
        write_identifiers(e, out);
}

static void write_atoms(struct encoder *e, struct cairn_encoder_out *out)
{
    if (e->atoms == NO_ATOMS)
        return;
    out->bytes[out->size++] = (uint8_t)(ATOM_HEADER | e->atoms << 1);
    e->atoms = NO_ATOMS;
}

/* Writes all that is inside. A packet that misses its address has the last one. */
static void settle(struct encoder *e, struct cairn_encoder_out *out)
{
    write_atoms(e, out);
    if (e->open != OPEN_NOTHING)
        write_open(e, out);
}

static void begin(struct encoder *e, enum open open, unsigned kind, struct cairn_encoder_out *out)
{
    const uint64_t address = e->fields.address;
    const uint8_t state = e->fields.state;

    settle(e, out);
    e->open = (uint8_t)open;
    e->kind = (uint16_t)kind;
    memset(&e->fields, 0, sizeof e->fields);
    e->fields.address = address;
    e->fields.state = state;
}

static void take_context(struct encoder *e)
{
    const bool hyp = e->ptm->virtualization && e->context.EL == 2;
    const bool non_secure = e->context.security != CAIRN_SECURE;

    e->fields.flags |= CAIRN_PACKET_HAS_CONTEXT;
    e->fields.context.EL = hyp ? 2 : 0;
    e->fields.context.security = non_secure ? CAIRN_NONSECURE : CAIRN_SECURE;
    e->fields.context.context_id = context_id_of(e, &e->context);
}

static void put_sync(struct encoder *e, struct cairn_encoder_out *out)
{
    begin(e, OPEN_SYNC, CAIRN_PTM_INSTRUCTION_SYNC, out);
    e->fields.reason = CAIRN_PTM_PERIODIC;
    take_context(e);
}

static void put_reason(struct encoder *e, unsigned reason)
{
    if (e->open == OPEN_SYNC && e->fields.reason != CAIRN_PTM_AFTER_OVERFLOW)
        e->fields.reason = (uint8_t)reason;
}

static void put_branch(struct encoder *e, struct cairn_encoder_out *out)
{
    begin(e, OPEN_BRANCH, CAIRN_PTM_BRANCH_ADDRESS, out);
}

static void put_exception(struct encoder *e, uint64_t number, struct cairn_encoder_out *out)
{
    put_branch(e, out);
    if (number == 0 || number > EXCEPTION_MAX)
        return;
    e->fields.flags |= CAIRN_PACKET_HAS_EXCEPTION;
    e->fields.type = (uint16_t)number;
}

static uint64_t address_of(const struct cairn_element_data *data)
{
    switch (data->sub_isa) {
    case CAIRN_STATE_ARM: return data->address & 0xfffffffcu;
    case CAIRN_STATE_JAZELLE: return data->address & UINT32_MAX;
    default: return data->address & 0xfffffffeu;
    }
}

static void put_address(struct encoder *e, uint16_t flags, const struct cairn_element_data *data,
                        struct cairn_encoder_out *out)
{
    if (e->open != OPEN_SYNC && e->open != OPEN_BRANCH)
        return;
    e->fields.state = data->sub_isa;
    e->fields.address = address_of(data);
    if (flags & CAIRN_ELEMENT_UNKNOWN) {
        e->fields.address = 0;
        e->fields.state = CAIRN_STATE_ARM;
        e->fields.address_bits = e->open == OPEN_BRANCH ? ADDRESS_WHOLE : 0;
    }
    if (!e->ptm->cycle_accurate || (e->open == OPEN_SYNC && e->fields.reason == CAIRN_PTM_PERIODIC))
        write_open(e, out);
    else
        e->open = OPEN_COUNT;
}

static void put_count(struct encoder *e, uint16_t flags, uint64_t cycles,
                      struct cairn_encoder_out *out)
{
    const bool junk = cairn_ptm_count_is_junk(e->ptm, e->kind, e->fields.reason);

    if (e->open != OPEN_COUNT)
        return;
    if (!(flags & CAIRN_ELEMENT_UNKNOWN) && cycles < CAIRN_PTM_OVERFLOW) {
        if (!junk)
            e->fields.flags |= CAIRN_PACKET_HAS_CYCLES;
        if (!junk || (e->keeps_cycles && e->fields.reason == CAIRN_PTM_AFTER_OVERFLOW))
            e->fields.cycles = (uint32_t)cycles;
    }
    write_open(e, out);
}

/* --- the others --- */

void cairn_ptm_encoder_atom(void *encoder, bool taken, struct cairn_encoder_out *out)
{
    struct encoder *e = encoder;

    if (e->open != OPEN_NOTHING)
        settle(e, out);
    if (e->ptm->cycle_accurate) {
        begin(e, OPEN_COUNT, CAIRN_PTM_ATOM, out);
        e->fields.atom_count = 1;
        e->fields.atoms = taken;
        return;
    }
    e->atoms = e->atoms << 1 | !taken;
    if (e->atoms >= FIVE_ATOMS)
        write_atoms(e, out);
}

static void put_update(struct encoder *e, const struct cairn_element_data *data,
                       struct cairn_encoder_out *out)
{
    const struct cairn_packet_fields fields = {
        .address = address_of(data),
        .state = data->sub_isa,
    };

    settle(e, out);
    write_packet(e, CAIRN_PTM_WAYPOINT_UPDATE, &fields, out);
}

static void put_timestamp(struct encoder *e, uint16_t flags, const struct cairn_element_data *data,
                          struct cairn_encoder_out *out)
{
    const unsigned bits = e->ptm->timestamp_bits;
    struct cairn_packet_fields fields = {.info = data->info & 1};

    settle(e, out);
    if (!(flags & CAIRN_ELEMENT_UNKNOWN))
        fields.value = bits < 64 ? data->value & ((UINT64_C(1) << bits) - 1) : data->value;
    if (e->whole_time)
        fields.size = bits < 64 ? 7 : 9;
    e->whole_time = false;
    if (e->ptm->cycle_accurate) {
        fields.flags = CAIRN_PACKET_HAS_CYCLES;
        fields.cycles = e->ptm->minor == 0 ? data->cycles : 0;
        if (fields.cycles == CAIRN_PTM_OVERFLOW)
            fields.flags = 0;
    }
    write_packet(e, CAIRN_PTM_TIMESTAMP, &fields, out);
}

static void put_alone(struct encoder *e, unsigned kind, struct cairn_encoder_out *out)
{
    const struct cairn_packet_fields none = {0};

    settle(e, out);
    write_packet(e, kind, &none, out);
}

static void put_context(struct encoder *e, const struct cairn_context *context,
                        struct cairn_encoder_out *out)
{
    e->context = *context;
    if (e->open == OPEN_SYNC || e->open == OPEN_BRANCH) {
        take_context(e);
        return;
    }
    settle(e, out);
    write_identifiers(e, out);
}

void cairn_ptm_encoder_put(void *encoder, unsigned kind, uint16_t flags,
                           const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    struct encoder *e = encoder;

    switch (kind) {
    case CAIRN_ELEMENT_A_SYNC:
        put_alone(e, CAIRN_PTM_ALIGNMENT_SYNC, out);
        e->whole_time = true;
        break;
    case CAIRN_ELEMENT_TRACE_INFO: put_sync(e, out); break;
    case CAIRN_ELEMENT_OVERFLOW: put_reason(e, CAIRN_PTM_AFTER_OVERFLOW); break;
    case CAIRN_ELEMENT_TRACE_ON:
        put_reason(e, data->value == DEBUG_EXIT ? CAIRN_PTM_DEBUG_EXIT : CAIRN_PTM_TRACE_ON);
        break;
    case CAIRN_ELEMENT_ATOM:
        if (flags & CAIRN_ELEMENT_ADDRESSED)
            put_branch(e, out);
        else
            cairn_ptm_encoder_atom(e, (flags & CAIRN_ELEMENT_E) != 0, out);
        break;
    case CAIRN_ELEMENT_EXCEPTION: put_exception(e, data->value, out); break;
    case CAIRN_ELEMENT_CONTEXT: put_context(e, &data->context, out); break;
    case CAIRN_ELEMENT_TARGET_ADDRESS: put_address(e, flags, data, out); break;
    case CAIRN_ELEMENT_CYCLE_COUNT: put_count(e, flags, data->value, out); break;
    case CAIRN_ELEMENT_WAYPOINT_UPDATE: put_update(e, data, out); break;
    case CAIRN_ELEMENT_TIMESTAMP: put_timestamp(e, flags, data, out); break;
    case CAIRN_ELEMENT_EVENT: put_alone(e, CAIRN_PTM_TRIGGER, out); break;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: put_alone(e, CAIRN_PTM_EXCEPTION_RETURN, out); break;
    default: break; /* there is no packet of it */
    }
}

void cairn_ptm_encoder_flush(void *encoder, struct cairn_encoder_out *out)
{
    settle(encoder, out);
}
