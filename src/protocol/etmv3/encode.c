/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements -> packets: which elements share one, and what each packet has to say. Compression
 * itself is the writer's (write.c). */
#include "protocol/etmv3/encode.h"

#include <stdlib.h>

#define LSIP 0x80u           /* in an I-sync's information byte (7.7.3) */
#define MINOR_INFORMATION 2u /* before ETMv3.2 exceptions are in the fifth byte alone (B.3.3) */
#define RESUME_MAX 15u

cairn_status cairn_etmv3_encoder_new(struct cairn_config *config, uint32_t choices,
                                     struct cairn_etmv3_encoder **encoder)
{
    struct cairn_etmv3_encoder *e = calloc(1, sizeof *e);

    (void)choices;
    if (!e)
        return CAIRN_E_MEMORY;
    const cairn_status status = cairn_etmv3_writer_new(config, &e->writer);
    if (status != CAIRN_OK) {
        free(e);
        return status;
    }
    e->config = cairn_config_ref(config);
    e->etm = cairn_etmv3_of(config);
    e->data_sync = true;
    e->time_sync = true;
    *encoder = e;
    return CAIRN_OK;
}

void cairn_etmv3_encoder_free(struct cairn_etmv3_encoder *encoder)
{
    if (!encoder)
        return;
    cairn_etmv3_writer_free(encoder->writer);
    cairn_config_unref(encoder->config);
    free(encoder);
}

bool cairn_etmv3_encode(struct cairn_etmv3_encoder *encoder, unsigned kind,
                        const struct cairn_packet_fields *fields, struct cairn_encoder_out *out)
{
    const size_t written = cairn_etmv3_writer_write(
        encoder->writer, kind, fields, out->bytes + out->size, out->capacity - out->size);

    out->size += written;
    return written > 0;
}

static void encode_header(struct cairn_etmv3_encoder *e, unsigned kind,
                          struct cairn_encoder_out *out)
{
    const struct cairn_packet_fields none = {0};

    cairn_etmv3_encode(e, kind, &none, out);
}

/* --- the context, as packets have it --- */

/* NS and Hyp, as far as the core has them. */
static struct cairn_context packet_context(const struct cairn_etmv3_encoder *e)
{
    return (struct cairn_context){
        .EL = e->etm->virtualization && e->context.EL == 2 ? 2 : 0,
        .security = e->etm->security && e->context.security != CAIRN_SECURE ? CAIRN_NONSECURE
                                                                            : CAIRN_SECURE,
        .context_id = e->context.context_id & (uint32_t)cairn_etmv3_mask(8 * e->etm->context_bytes),
    };
}

static void encode_identifiers(struct cairn_etmv3_encoder *e, struct cairn_encoder_out *out)
{
    const uint32_t traced = (uint32_t)cairn_etmv3_mask(8 * e->etm->context_bytes);
    const struct cairn_packet_fields fields = {
        .context = {.context_id = e->context.context_id & traced, .vmid = e->context.vmid & 0xff}};

    if ((e->context.context_id ^ e->told.context_id) & traced)
        cairn_etmv3_encode(e, CAIRN_ETMV3_CONTEXT_ID, &fields, out);
    if (e->etm->vmid && ((e->context.vmid ^ e->told.vmid) & 0xff))
        cairn_etmv3_encode(e, CAIRN_ETMV3_VMID, &fields, out);
    e->told.context_id = e->context.context_id;
    e->told.vmid = e->context.vmid;
}

/* --- I-sync (7.7.3) --- */

/* A cycle count that is not known is 0, as one that is too large for its counter (7.3.4). */
static uint32_t packet_cycles(uint16_t flags, const struct cairn_element_data *data)
{
    return flags & CAIRN_ELEMENT_UNKNOWN || data->value > UINT32_MAX ? 0 : (uint32_t)data->value;
}

static void end_sync(struct cairn_etmv3_encoder *e, struct cairn_encoder_out *out)
{
    struct cairn_packet_fields *fields = &e->sync_fields;
    const enum cairn_etmv3_sync reached = (enum cairn_etmv3_sync)e->sync;

    e->sync = CAIRN_SYNC_NONE;
    if (reached != CAIRN_SYNC_WHOLE && !e->etm->data_only)
        return; /* there is no I-sync without its addresses */
    fields->context = packet_context(e);
    cairn_etmv3_encode(e, e->sync_counts ? CAIRN_ETMV3_I_SYNC_CYCLES : CAIRN_ETMV3_I_SYNC, fields,
                       out);
    e->told.context_id = e->context.context_id;
    if (fields->reason != CAIRN_ETMV3_PERIODIC)
        e->data_sync = true;
    if (fields->reason == CAIRN_ETMV3_OVERFLOW)
        e->time_sync = true; /* 7.7.1 of Q */
    /* No I-sync says the VMID: it comes behind each, before the next instruction (7.3.7 of Q). */
    e->told.vmid = ~e->context.vmid;
    encode_identifiers(e, out);
}

static void begin_sync(struct cairn_etmv3_encoder *e, const struct cairn_element_data *data)
{
    e->sync = CAIRN_SYNC_BEGUN;
    e->sync_counts = false;
    e->sync_fields = (struct cairn_packet_fields){.reason = data->info >> 5 & 3u};
    if (data->info & LSIP && !e->etm->data_only)
        e->sync_fields.flags = CAIRN_PACKET_LSIP | CAIRN_PACKET_HAS_CONTEXT;
}

static void sync_address(struct cairn_etmv3_encoder *e, const struct cairn_element_data *data)
{
    struct cairn_packet_fields *fields = &e->sync_fields;
    const uint8_t state = data->sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    const uint64_t address =
        (data->address & UINT32_MAX) & ~cairn_etmv3_mask(cairn_etmv3_alignment(state));

    fields->state = state;
    if (e->sync == CAIRN_SYNC_CURRENT) {
        fields->value = address;
        e->sync = CAIRN_SYNC_WHOLE;
        return;
    }
    const struct cairn_context context = packet_context(e); /* the data instruction's, with LSiP */

    fields->type = state;
    fields->address = address;
    fields->count = (context.security == CAIRN_NONSECURE ? CAIRN_ETMV3_LSIP_NS : 0) |
                    (context.EL == 2 ? CAIRN_ETMV3_LSIP_HYP : 0);
    e->sync = fields->flags & CAIRN_PACKET_LSIP ? CAIRN_SYNC_CURRENT : CAIRN_SYNC_WHOLE;
}

/* True: the element is part of the I-sync in hand. */
static bool joins_sync(struct cairn_etmv3_encoder *e, unsigned kind, uint16_t flags,
                       const struct cairn_element_data *data)
{
    struct cairn_packet_fields *fields = &e->sync_fields;
    const bool begun = e->sync == CAIRN_SYNC_BEGUN;

    switch (kind) {
    case CAIRN_ELEMENT_OVERFLOW:
        fields->reason = begun ? CAIRN_ETMV3_OVERFLOW : fields->reason;
        return begun;
    case CAIRN_ELEMENT_TRACE_ON:
        if (begun && fields->reason == CAIRN_ETMV3_PERIODIC)
            fields->reason = CAIRN_ETMV3_TRACE_ON;
        return begun;
    case CAIRN_ELEMENT_CONTEXT:
        if (e->sync == CAIRN_SYNC_WHOLE)
            return false;
        e->context = data->context;
        if (e->etm->data_only) /* no address follows */
            e->sync = CAIRN_SYNC_WHOLE;
        return true;
    case CAIRN_ELEMENT_ATOM: return e->sync == CAIRN_SYNC_CURRENT;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        if (e->sync == CAIRN_SYNC_WHOLE || e->etm->data_only)
            return false;
        sync_address(e, data);
        return true;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        if (e->sync_counts || e->etm->data_only)
            return false;
        if (!begun && (!(flags & CAIRN_ELEMENT_CYCLES) || fields->reason == CAIRN_ETMV3_PERIODIC))
            return false; /* a periodic one never has a count (7.7.3) */
        fields->cycles = packet_cycles(flags, data);
        e->sync_counts = true;
        return true;
    default: return false;
    }
}

/* --- branch packets (7.3.5) --- */

/* The deprecated exception, EEE in the fifth byte: all that there was before ETMv3.2. */
static unsigned old_exception(unsigned type)
{
    switch (type) {
    case 0x1: return 7; /* debug */
    case 0x4: return 6; /* asynchronous data abort */
    case 0x5: return 4; /* Jazelle */
    case 0xe: return 1; /* IRQ */
    case 0xf: return 5; /* FIQ */
    default: return 0;  /* the address says it */
    }
}

static void encode_branch(struct cairn_etmv3_encoder *e, uint16_t flags,
                          const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    struct cairn_packet_fields *fields = &e->branch;
    const bool excepts = (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) && fields->type != 0;

    fields->state = data->sub_isa ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    fields->address =
        (data->address & UINT32_MAX) & ~cairn_etmv3_mask(cairn_etmv3_alignment(fields->state));
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT;
    fields->context = packet_context(e);
    if (flags & CAIRN_ELEMENT_PAUSED)
        fields->resume = data->info & RESUME_MAX;
    if (!excepts)
        fields->flags &= ~CAIRN_PACKET_HAS_EXCEPTION;
    else if (e->etm->minor < MINOR_INFORMATION && fields->state == CAIRN_STATE_ARM)
        fields->type = (uint16_t)(CAIRN_ETMV3_EXCEPTION_OLD + old_exception(fields->type));
    cairn_etmv3_encode(e, CAIRN_ETMV3_BRANCH, fields, out);
    e->branch = (struct cairn_packet_fields){0};
    encode_identifiers(e, out);
}

/* --- all elements --- */

static void encode_timestamp(struct cairn_etmv3_encoder *e, uint16_t flags,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const unsigned width = e->etm->timestamp_bits;
    const struct cairn_packet_fields fields = {
        .value = flags & CAIRN_ELEMENT_UNKNOWN ? 0 : data->value & cairn_etmv3_mask(width),
        .type = data->info & 1u,
        .address_bits = e->time_sync ? (uint8_t)width : 0,
    };

    if (e->etm->timestamps && cairn_etmv3_encode(e, CAIRN_ETMV3_TIMESTAMP, &fields, out))
        e->time_sync = false;
}

/* An element whose packet it is alone, or that the next branch packet takes along. */
static void encode(struct cairn_etmv3_encoder *e, unsigned kind, uint16_t flags,
                   const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const struct cairn_packet_fields counted = {.cycles = packet_cycles(flags, data)};

    switch (kind) {
    case CAIRN_ELEMENT_A_SYNC:
        encode_header(e, CAIRN_ETMV3_A_SYNC, out);
        e->data_sync = true;
        e->time_sync = true;
        return;
    case CAIRN_ELEMENT_TRACE_INFO: begin_sync(e, data); return;
    case CAIRN_ELEMENT_CONTEXT:
        e->context = data->context;
        if (!(e->branch.flags & (CAIRN_PACKET_HAS_EXCEPTION | CAIRN_PACKET_CANCEL)))
            encode_identifiers(e, out);
        return;
    case CAIRN_ELEMENT_CANCEL:
    case CAIRN_ELEMENT_CANCELLED:
        e->branch.flags |= CAIRN_PACKET_CANCEL;
        if (flags & CAIRN_ELEMENT_PAUSED)
            e->branch.resume = data->info & RESUME_MAX;
        return;
    case CAIRN_ELEMENT_EXCEPTION:
        e->branch.flags |= CAIRN_PACKET_HAS_EXCEPTION;
        e->branch.type = data->value & 0x1ff;
        return;
    case CAIRN_ELEMENT_TARGET_ADDRESS: encode_branch(e, flags, data, out); return;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        if (e->etm->cycle_accurate)
            cairn_etmv3_encode(e, CAIRN_ETMV3_CYCLE_COUNT, &counted, out);
        return;
    case CAIRN_ELEMENT_STACKING: encode_header(e, CAIRN_ETMV3_EXCEPTION_ENTRY, out); return;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: encode_header(e, CAIRN_ETMV3_EXCEPTION_EXIT, out); return;
    case CAIRN_ELEMENT_EVENT: encode_header(e, CAIRN_ETMV3_TRIGGER, out); return;
    case CAIRN_ELEMENT_TIMESTAMP: encode_timestamp(e, flags, data, out); return;
    case CAIRN_ELEMENT_DATA: cairn_etmv3_encode_data(e, data, out); return;
    default: return;
    }
}

/* What data-only mode has no packets for (7.4.10). */
static bool is_of_instructions(unsigned kind)
{
    return kind == CAIRN_ELEMENT_ATOM || kind == CAIRN_ELEMENT_TARGET_ADDRESS ||
           kind == CAIRN_ELEMENT_EXCEPTION || kind == CAIRN_ELEMENT_CANCEL ||
           kind == CAIRN_ELEMENT_CANCELLED || kind == CAIRN_ELEMENT_CYCLE_COUNT ||
           kind == CAIRN_ELEMENT_STACKING || kind == CAIRN_ELEMENT_EXCEPTION_RETURN;
}

void cairn_etmv3_encoder_put(struct cairn_etmv3_encoder *encoder, unsigned kind, uint16_t flags,
                             const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    if (encoder->sync != CAIRN_SYNC_NONE) {
        if (joins_sync(encoder, kind, flags, data))
            return;
        end_sync(encoder, out);
    }
    if (encoder->etm->data_only && is_of_instructions(kind))
        return;
    if (kind == CAIRN_ELEMENT_ATOM) {
        cairn_etmv3_encode_atom(encoder, (flags & CAIRN_ELEMENT_E) != 0, out);
        return;
    }
    if (kind == CAIRN_ELEMENT_CYCLE_COUNT && !(flags & CAIRN_ELEMENT_CYCLES)) {
        cairn_etmv3_encode_waits(encoder, data->value, out);
        return;
    }
    cairn_etmv3_encode_p_header(encoder, out);
    encode(encoder, kind, flags, data, out);
}

void cairn_etmv3_encoder_atom(struct cairn_etmv3_encoder *encoder, bool executed,
                              struct cairn_encoder_out *out)
{
    const struct cairn_element_data none = {0};

    cairn_etmv3_encoder_put(encoder, CAIRN_ELEMENT_ATOM, executed ? CAIRN_ELEMENT_E : 0, &none,
                            out);
}

void cairn_etmv3_encoder_flush(struct cairn_etmv3_encoder *encoder, struct cairn_encoder_out *out)
{
    if (encoder->sync != CAIRN_SYNC_NONE)
        end_sync(encoder, out);
    cairn_etmv3_encode_p_header(encoder, out);
}
