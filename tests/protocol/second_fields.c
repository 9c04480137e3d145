/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_fields.h"

#include <string.h>

enum { REASON_OVERFLOW = 2, ADDRESS_BYTES = 5, WHOLE_ADDRESS = 32 };

static struct cairn_packet_fields *add(struct second_packets *p, unsigned kind)
{
    struct second_packet *packet = &p->packets[p->count++];

    memset(packet, 0, sizeof *packet);
    packet->kind = kind;
    return &packet->fields;
}

static uint8_t state_of(const struct second_place *place)
{
    static const uint8_t states[] = {
        [SECOND_ARM] = CAIRN_STATE_ARM,
        [SECOND_THUMB] = CAIRN_STATE_THUMB,
        [SECOND_JAZELLE] = CAIRN_STATE_JAZELLE,
        [SECOND_THUMBEE] = CAIRN_STATE_THUMBEE,
    };

    return states[place->state];
}

static void set_context(struct cairn_packet_fields *f, const struct second_place *place)
{
    f->context.security = place->nonsecure ? CAIRN_NONSECURE : CAIRN_SECURE;
    f->context.EL = place->hyp ? 2 : 0;
}

static uint32_t traced_id(const struct second_settings *s, uint32_t id)
{
    return s->context_bytes == 4 ? id : id & ((1u << 8 * s->context_bytes) - 1u);
}

static void add_i_sync(struct second_packets *p, const struct second_settings *s,
                       const struct second_event *e)
{
    const struct second_place *now = e->in_progress ? &e->current : &e->place;
    struct cairn_packet_fields *f =
        add(p, e->has_count ? CAIRN_ETMV3_I_SYNC_CYCLES : CAIRN_ETMV3_I_SYNC);

    f->reason = (uint8_t)e->reason;
    f->cycles = e->cycles;
    f->state = state_of(now);
    f->address = e->place.address;
    set_context(f, now);
    f->context.context_id = traced_id(s, e->id);
    if (e->reason == REASON_OVERFLOW)
        p->overflowed = true;
    if (!e->in_progress)
        return;
    f->flags = CAIRN_PACKET_LSIP | CAIRN_PACKET_HAS_CONTEXT;
    f->type = state_of(&e->place);
    f->count =
        (e->place.nonsecure ? CAIRN_ETMV3_LSIP_NS : 0) | (e->place.hyp ? CAIRN_ETMV3_LSIP_HYP : 0);
    f->value = e->current.address;
}

static void add_header(struct second_packets *p, const struct second_settings *s,
                       const struct second_header *header, const char *atoms)
{
    static const unsigned plain[] = {0, CAIRN_ETMV3_P_HEADER_F1, CAIRN_ETMV3_P_HEADER_F2};
    static const unsigned cycles[] = {
        CAIRN_ETMV3_P_HEADER_CYCLES_F0, CAIRN_ETMV3_P_HEADER_CYCLES_F1,
        CAIRN_ETMV3_P_HEADER_CYCLES_F2, CAIRN_ETMV3_P_HEADER_CYCLES_F3,
        CAIRN_ETMV3_P_HEADER_CYCLES_F4,
    };
    struct cairn_packet_fields *f =
        add(p, s->cycle_accurate ? cycles[header->format] : plain[header->format]);

    for (size_t i = 0; i < header->atoms; i++)
        if (atoms[i] == 'W')
            f->cycles++;
        else
            f->atoms |= (atoms[i] == 'E' ? 1u : 0) << f->atom_count++;
}

static void add_atoms(struct second_packets *p, const struct second_writer *w, const char *atoms)
{
    for (size_t i = 0; i < w->header_count; i++) {
        add_header(p, &w->settings, &w->headers[i], atoms);
        atoms += w->headers[i].atoms;
    }
}

/* How many low bits of an address are in its bytes: Figures 7-7 to 7-18. */
static unsigned branch_bits(const struct second_writer *w, const struct second_place *place)
{
    static const unsigned alignments[] = {2, 1, 0, 1};
    const unsigned bytes = w->address_bytes;

    if (bytes == ADDRESS_BYTES)
        return WHOLE_ADDRESS;
    return 6 + 7 * (bytes - 1) - (w->settings.alternative && bytes > 1) + alignments[place->state];
}

static void add_branch(struct second_packets *p, const struct second_writer *w,
                       const struct second_event *e)
{
    struct cairn_packet_fields *f = add(p, CAIRN_ETMV3_BRANCH);

    f->flags = CAIRN_PACKET_HAS_CONTEXT | (e->cancel ? CAIRN_PACKET_CANCEL : 0) |
               (e->informed ? CAIRN_PACKET_HAS_INFO : 0) |
               (e->exception || e->old ? CAIRN_PACKET_HAS_EXCEPTION : 0);
    f->type = (uint16_t)(e->exception + (e->old ? CAIRN_ETMV3_EXCEPTION_OLD : 0));
    f->resume = (uint8_t)e->resume;
    f->address = e->place.address;
    f->state = state_of(&e->place);
    set_context(f, &e->place);
    if (e->spare && !e->old)
        f->address_bits = (uint8_t)branch_bits(w, &e->place);
}

static uint8_t size_of(uint32_t value)
{
    return value == 0 ? 0 : value < 256 ? 1 : value < 65536 ? 2 : 4;
}

static void set_data(struct cairn_packet_fields *f, const struct second_writer *w,
                     const struct second_event *e)
{
    f->tag = (uint8_t)e->tag;
    f->info = e->has_address;
    if (!e->has_address || !w->settings.addresses)
        return;
    f->address = e->data_address;
    f->flags = e->big_endian ? CAIRN_PACKET_BIG_ENDIAN : 0;
    if (e->whole || e->spare)
        f->address_bits =
            (uint8_t)(w->address_bytes == ADDRESS_BYTES ? WHOLE_ADDRESS : 7 * w->address_bytes);
}

/* The header has the size also where values are not traced. */
static void set_value(struct cairn_packet_fields *f, const struct second_settings *s,
                      const struct second_event *e)
{
    f->size = size_of(e->value);
    f->value = s->values ? e->value : 0;
}

static void add_time(struct second_packets *p, const struct second_writer *w,
                     const struct second_event *e)
{
    const unsigned width = w->settings.wide_time ? 64 : 48;
    struct cairn_packet_fields *f = add(p, CAIRN_ETMV3_TIMESTAMP);

    f->value = e->time;
    f->type = e->clock_changed;
    if (e->whole || p->overflowed)
        f->address_bits = (uint8_t)width;
    else if (e->spare)
        f->address_bits =
            (uint8_t)(w->address_bytes == (width + 8) / 8 ? width : 7 * w->address_bytes);
    p->overflowed = false;
}

static void add_data(struct second_packets *p, const struct second_writer *w,
                     const struct second_event *e)
{
    struct cairn_packet_fields *f;

    switch (e->kind) {
    case SECOND_PLACEHOLDER: set_data(add(p, CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER), w, e); return;
    case SECOND_NOT_TRACED: set_data(add(p, CAIRN_ETMV3_VALUE_NOT_TRACED), w, e); return;
    case SECOND_LATE_DATA:
        f = add(p, CAIRN_ETMV3_OUT_OF_ORDER_DATA);
        f->tag = (uint8_t)e->tag;
        break;
    default:
        f = add(p, CAIRN_ETMV3_NORMAL_DATA);
        set_data(f, w, e);
        break;
    }
    set_value(f, &w->settings, e);
}

void second_packets_of(struct second_packets *p, const struct second_writer *w,
                       const struct second_event *e)
{
    p->count = 0;
    switch (e->kind) {
    case SECOND_A_SYNC: add(p, CAIRN_ETMV3_A_SYNC); return;
    case SECOND_I_SYNC: add_i_sync(p, &w->settings, e); return;
    case SECOND_ATOMS: add_atoms(p, w, e->atoms); return;
    case SECOND_BRANCH: add_branch(p, w, e); return;
    case SECOND_DATA:
    case SECOND_PLACEHOLDER:
    case SECOND_LATE_DATA:
    case SECOND_NOT_TRACED: add_data(p, w, e); return;
    case SECOND_SUPPRESSED: add(p, CAIRN_ETMV3_DATA_SUPPRESSED); return;
    case SECOND_STORE_FAILED: add(p, CAIRN_ETMV3_STORE_FAILED); return;
    case SECOND_CONTEXT_ID:
        add(p, CAIRN_ETMV3_CONTEXT_ID)->context.context_id = traced_id(&w->settings, e->id);
        return;
    case SECOND_VMID: add(p, CAIRN_ETMV3_VMID)->context.vmid = e->id & 0xff; return;
    case SECOND_TIMESTAMP: add_time(p, w, e); return;
    case SECOND_CYCLE_COUNT: add(p, CAIRN_ETMV3_CYCLE_COUNT)->cycles = e->cycles; return;
    case SECOND_TRIGGER: add(p, CAIRN_ETMV3_TRIGGER); return;
    case SECOND_IGNORE: add(p, CAIRN_ETMV3_IGNORE); return;
    case SECOND_EXCEPTION_ENTRY: add(p, CAIRN_ETMV3_EXCEPTION_ENTRY); return;
    case SECOND_EXCEPTION_EXIT: add(p, CAIRN_ETMV3_EXCEPTION_EXIT); return;
    case SECOND_KIND_COUNT: return;
    }
}
