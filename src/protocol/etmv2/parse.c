/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples -> statuses and packets of the FIFO (IHI0014 6.1 to 6.3, 6.5.1). A cycle is a packet of its
 * status; a packet of the FIFO stands in the cycle of its last byte, for it has no bytes to itself
 * anywhere else: those of its other cycles are between statuses. */
#include "protocol/etmv2/fifo.h"
#include "protocol/framing.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = 2,         /* bytes of TRACEPKT in one cycle, at most */
    ITEMS = 1 + LANES, /* of a cycle: its status, and a packet of the FIFO a lane */
    FIRST_LANE = 2,    /* where TRACEPKT is in a sample */
    /* TRACEPKT[3:0] with TD (Table 6-4) */
    OFFSET_BIT = 1,
    COUNTED = 7,
    OFFSET_RESERVED = 5,
    NIBBLE = 0xf,
    GAP_NIBBLE = 6,
};

/* What of a TFO the next cycles have on TRACEPKT. */
enum offset_part {
    OFFSET_NONE,
    OFFSET_BEGIN, /* all of it, or with 4 pins its low nibble: a trigger took the place (6.1.7) */
    OFFSET_HIGH,  /* with 4 pins */
    OFFSET_GAP,   /* the nibble that fills up a byte which the TFO stopped in the middle */
};

struct piece {
    uint8_t kind;
    uint8_t account;
    uint8_t start; /* in the sample */
    struct cairn_packet_fields fields;
};

struct etmv2_parser {
    struct cairn_config *config;
    const struct cairn_etmv2_config *decoded;
    struct cairn_etmv2_fifo fifo;
    bool in_step;
    bool damaged; /* it was once, and fell out */
    enum offset_part offset_part;
    uint8_t offset_low; /* nibble */
    bool half;          /* with 4 pins: the low nibble of a byte has come out */
    uint8_t low;
    uint64_t cycle; /* of the sample in hand */
    /* a sample is worked out when there is a byte behind it, or it is the last */
    uint8_t sample[CAIRN_SAMPLE_BYTES];
    size_t size;
    struct piece pieces[ITEMS + 1];
    unsigned count, given;
    bool ended;
};

cairn_status cairn_etmv2_packets_new(struct cairn_config *config, void **state)
{
    struct etmv2_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->decoded = cairn_etmv2_of(config);
    p->fifo.config = p->decoded;
    *state = p;
    return CAIRN_OK;
}

void cairn_etmv2_packets_free(void *state)
{
    struct etmv2_parser *p = state;

    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

static struct piece *add_piece(struct etmv2_parser *p, unsigned kind, unsigned start)
{
    struct piece *piece = &p->pieces[p->count++];

    *piece = (struct piece){.kind = (uint8_t)kind,
                            .account = (uint8_t)cairn_etmv2_account(kind),
                            .start = (uint8_t)start};
    return piece;
}

/* --- in step and out of it --- */

static void fall_out_of_step(struct etmv2_parser *p)
{
    p->damaged |= p->in_step;
    p->in_step = false;
    p->offset_part = OFFSET_NONE;
    p->half = false;
    cairn_etmv2_fifo_forget(&p->fifo);
}

/* The status cannot be. */
static void contradict(struct etmv2_parser *p, struct cairn_packet_fields *fields)
{
    if (!p->in_step)
        return;
    fields->flags |= CAIRN_PACKET_CONTRADICTION;
    fall_out_of_step(p);
}

/* --- offsets of TFOs --- */

/* The formula of 6.5.1. */
static unsigned offset_of(unsigned packet)
{
    return (packet >> 4 & NIBBLE) | (packet >> 1 & 3) << 4 | (packet & 8 ? 0u : 1u << 6);
}

static bool is_offset(unsigned packet)
{
    return (packet & OFFSET_BIT) && (packet & NIBBLE) != COUNTED &&
           (packet & NIBBLE) != OFFSET_RESERVED;
}

static void end_offset(struct etmv2_parser *p, struct cairn_packet_fields *fields, unsigned packet)
{
    fields->count = offset_of(packet);
    fields->flags |= CAIRN_PACKET_HAS_COUNT;
    cairn_etmv2_fifo_offset(&p->fifo, fields->count);
    p->offset_part = p->half ? OFFSET_GAP : OFFSET_NONE;
}

/* TRACEPKT has an offset, or with 4 pins its low nibble. */
static void begin_offset(struct etmv2_parser *p, struct cairn_packet_fields *fields,
                         unsigned packet)
{
    fields->info |= CAIRN_ETMV2_TFO_CYCLE;
    if (p->decoded->pins > 4) {
        end_offset(p, fields, packet);
        return;
    }
    p->offset_low = packet & NIBBLE;
    p->offset_part = OFFSET_HIGH;
}

/* A cycle, whatever its status is, that has the rest of an offset instead of bytes of the FIFO. */
static void go_on_with_offset(struct etmv2_parser *p, struct cairn_packet_fields *fields,
                              unsigned packet)
{
    switch (p->offset_part) {
    case OFFSET_NONE: break;
    case OFFSET_BEGIN:
        if (is_offset(packet))
            begin_offset(p, fields, packet);
        else
            contradict(p, fields);
        break;
    case OFFSET_HIGH:
        fields->info |= CAIRN_ETMV2_TFO_CYCLE;
        end_offset(p, fields, p->offset_low | (packet & NIBBLE) << 4);
        break;
    case OFFSET_GAP:
        fields->info |= CAIRN_ETMV2_GAP_NIBBLE;
        if ((packet & NIBBLE) != GAP_NIBBLE)
            fields->flags |= CAIRN_PACKET_SBZ;
        p->offset_part = OFFSET_NONE;
        break;
    }
}

/* A TFO in this cycle: its packet goes into the FIFO. False: there cannot be one. */
static bool place_tfo(struct etmv2_parser *p, struct cairn_packet_fields *fields)
{
    if (!p->in_step) {
        p->in_step = true;
        p->half = false;
        cairn_etmv2_fifo_seek(&p->fifo, p->cycle);
    } else if (p->offset_part != OFFSET_NONE || !cairn_etmv2_fifo_place(&p->fifo, p->cycle, true)) {
        contradict(p, fields);
    }
    return p->in_step;
}

/* --- bytes of the FIFO --- */

static bool comes_out(const struct etmv2_parser *p)
{
    return p->in_step && p->fifo.count > 0;
}

static void take_byte(struct etmv2_parser *p, unsigned lane, uint8_t byte)
{
    struct cairn_etmv2_item item = {0};

    if (!comes_out(p) || !cairn_etmv2_fifo_take(&p->fifo, p->cycle, byte, &item))
        return;
    struct piece *piece = add_piece(p, item.kind, FIRST_LANE + lane);

    piece->fields = item.fields;
    if (item.kind < CAIRN_ETMV2_IE && p->fifo.count == 0)
        fall_out_of_step(p);
}

static void take_bytes(struct etmv2_parser *p, uint16_t packet)
{
    switch (p->decoded->pins) {
    case 4:
        if (!comes_out(p))
            break;
        if (!p->half)
            p->low = packet & NIBBLE;
        else
            take_byte(p, 0, (uint8_t)(p->low | (packet & NIBBLE) << 4));
        p->half = !p->half && p->in_step;
        break;
    case 8: take_byte(p, 0, (uint8_t)packet); break;
    default:
        take_byte(p, 0, (uint8_t)packet);
        take_byte(p, 1, (uint8_t)(packet >> 8)); /* the filler 66 if nothing comes out any more */
        break;
    }
}

/* --- a cycle --- */

/* TD: nothing comes out. */
static void trace_disabled(struct etmv2_parser *p, struct piece *status, unsigned packet)
{
    struct cairn_packet_fields *fields = &status->fields;

    if (is_offset(packet)) {
        status->kind = CAIRN_ETMV2_TFO;
        if (place_tfo(p, fields))
            begin_offset(p, fields, packet);
        return;
    }
    if ((packet & NIBBLE) == COUNTED)
        fields->info |= CAIRN_ETMV2_COUNTED;
    if ((packet & NIBBLE) == OFFSET_RESERVED || comes_out(p))
        contradict(p, fields); /* with anything in the FIFO the status is WT (6.1.6) */
}

/* TR: the status that it stands for is on TRACEPKT, and nothing comes out (6.1.7). */
static void trigger(struct etmv2_parser *p, struct cairn_packet_fields *fields, unsigned packet)
{
    fields->type = packet & NIBBLE;
    if (fields->type == CAIRN_ETMV2_STATUS_TR) {
        contradict(p, fields); /* there is one in a run */
    } else if (fields->type == CAIRN_ETMV2_STATUS_TD) {
        if (place_tfo(p, fields))
            p->offset_part = OFFSET_BEGIN;
    }
}

/* Packets of the status go in, and bytes come out. */
static void pass_fifo(struct etmv2_parser *p, unsigned pipestat, struct cairn_packet_fields *fields,
                      uint16_t packet)
{
    const bool offset = p->offset_part != OFFSET_NONE;
    const bool carries = pipestat != CAIRN_ETMV2_STATUS_TR && pipestat != CAIRN_ETMV2_STATUS_TD;

    if (p->in_step && cairn_etmv2_places(fields->type) &&
        !cairn_etmv2_fifo_place(&p->fifo, p->cycle, false))
        contradict(p, fields);
    if (cairn_etmv2_fifo_waits(&p->fifo, p->cycle) >= CAIRN_ETMV2_WAIT)
        contradict(p, fields);
    if (!carries)
        return;
    if (offset) {
        go_on_with_offset(p, fields, packet);
        return;
    }
    if (pipestat == CAIRN_ETMV2_STATUS_WT && !comes_out(p))
        contradict(p, fields); /* WT promises a byte (6.1.1) */
    take_bytes(p, packet);
}

static enum cairn_account account_of(const struct etmv2_parser *p, const struct piece *status)
{
    const unsigned info = status->fields.info;
    const unsigned real = status->fields.type;

    if (status->fields.flags & CAIRN_PACKET_CONTRADICTION)
        return CAIRN_GAP_RESERVED;
    if (cairn_etmv2_is_idle(status->kind, &status->fields))
        return cairn_etmv2_account(status->kind);
    if (!(info & CAIRN_ETMV2_IN_STEP))
        return p->damaged ? CAIRN_GAP_RESERVED : CAIRN_GAP_NO_SYNC;
    if (status->kind == CAIRN_ETMV2_TD)
        return CAIRN_ACCOUNT_METADATA;
    if (status->kind == CAIRN_ETMV2_TR && real != CAIRN_ETMV2_STATUS_WT)
        return CAIRN_ACCOUNT_FLOW;
    return cairn_etmv2_account(status->kind);
}

/* The sample that is whole. */
static void take_sample(struct etmv2_parser *p)
{
    const struct cairn_sample sample = cairn_sample_load(p->sample);
    const unsigned pipestat = sample.pipestat & NIBBLE;
    struct piece *status;

    p->count = 0;
    p->given = 0;
    status = add_piece(p, CAIRN_ETMV2_IE + pipestat, 0);
    status->fields.type = (uint16_t)pipestat;
    status->fields.value = sample.packet;
    if ((sample.pipestat & ~NIBBLE) || (sample.flags & ~(CAIRN_SAMPLE_TRIGGER | CAIRN_SAMPLE_LOST)))
        status->fields.flags |= CAIRN_PACKET_SBZ;
    if (sample.flags & CAIRN_SAMPLE_TRIGGER)
        status->fields.info |= CAIRN_ETMV2_MARKED;
    if (sample.flags & CAIRN_SAMPLE_LOST) {
        status->fields.info |= CAIRN_ETMV2_LOST;
        fall_out_of_step(p);
        p->damaged = false; /* these are missing, and none was wrong */
    }
    const bool was_in_step = p->in_step;

    if (pipestat == CAIRN_ETMV2_STATUS_TD)
        trace_disabled(p, status, sample.packet);
    else if (pipestat == CAIRN_ETMV2_STATUS_TR)
        trigger(p, &status->fields, sample.packet);
    const bool begins = p->in_step && !was_in_step;

    pass_fifo(p, pipestat, &status->fields, sample.packet);
    if ((was_in_step || begins) && !(status->fields.flags & CAIRN_PACKET_CONTRADICTION))
        status->fields.info |= CAIRN_ETMV2_IN_STEP;
    status->fields.atom_count =
        (uint8_t)cairn_etmv2_atoms(status->fields.type, &status->fields.atoms);
    status->fields.context.context_id = p->fifo.state.context_id;
    status->account = (uint8_t)account_of(p, status);
    p->cycle++;
    p->size = 0;
}

/* --- calls --- */

static uint64_t end_of(const struct etmv2_parser *p, unsigned index)
{
    return index + 1 < p->count ? p->pieces[index + 1].start : CAIRN_SAMPLE_BYTES;
}

/* False: the batch is full. */
static bool give_pieces(struct etmv2_parser *p, struct cairn_packet_batch *batch)
{
    const uint64_t base = p->cycle ? (p->cycle - 1) * CAIRN_SAMPLE_BYTES : 0;

    for (; p->given < p->count; p->given++) {
        const struct piece *piece = &p->pieces[p->given];

        if (cairn_batch_full(batch))
            return false;
        if (batch->fields)
            batch->fields[batch->count] = piece->fields;
        cairn_batch_put(batch, piece->kind, piece->account, base + piece->start,
                        end_of(p, p->given) - piece->start, &piece->fields);
    }
    return true;
}

cairn_status cairn_etmv2_packets_run(void *state, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_packet_batch *batch)
{
    struct etmv2_parser *p = state;

    if (*position > size || p->ended)
        return CAIRN_E_ARGUMENT;
    cairn_batch_begin(batch);
    while (give_pieces(p, batch) && *position < size) {
        if (p->size == CAIRN_SAMPLE_BYTES) {
            take_sample(p);
            continue;
        }
        const size_t need = CAIRN_SAMPLE_BYTES - p->size;
        const size_t left = size - *position;
        const size_t take = left < need ? left : need;

        memcpy(p->sample + p->size, data + *position, take);
        p->size += take;
        *position += take;
    }
    return CAIRN_OK;
}

/* Statuses that wait for packets do so in vain: the last byte of the last sample says it. */
static void mark_end(struct etmv2_parser *p)
{
    const unsigned last = CAIRN_SAMPLE_BYTES - 1;

    if (!comes_out(p))
        return;
    for (unsigned i = p->count - 1, room = last; i > 0 && p->pieces[i].start >= room; i--)
        p->pieces[i].start = (uint8_t)--room;
    (void)add_piece(p, CAIRN_ETMV2_INCOMPLETE, last);
}

cairn_status cairn_etmv2_packets_finish(void *state, struct cairn_packet_batch *batch)
{
    struct etmv2_parser *p = state;

    cairn_batch_begin(batch);
    if (!give_pieces(p, batch))
        return CAIRN_OK;
    if (p->size == CAIRN_SAMPLE_BYTES) {
        take_sample(p);
        mark_end(p);
    } else if (p->size > 0 && !cairn_batch_full(batch)) {
        const struct piece rest = {.kind = CAIRN_ETMV2_INCOMPLETE};

        if (batch->fields)
            batch->fields[batch->count] = rest.fields;
        cairn_batch_put(batch, rest.kind, cairn_etmv2_account(rest.kind),
                        p->cycle * CAIRN_SAMPLE_BYTES, p->size, &rest.fields);
        p->size = 0;
    }
    p->ended = p->size == 0;
    (void)give_pieces(p, batch);
    return CAIRN_OK;
}
