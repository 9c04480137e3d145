/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes in the order of the trace -> packets (DDI0486 2.3.1). There is nothing to synchronise to:
 * packets are 8 bytes each, from the first byte on. */
#include "base/bytes.h"
#include "protocol/framing.h"
#include "protocol/mtb/mtb.h"

#include <stdlib.h>
#include <string.h>

/* System space (ARMv6-M and ARMv8-M: 0xe0000000 and above) is never executed from. */
#define NEVER_CODE UINT32_C(0xe0000000)

struct parser {
    struct cairn_config *config;
    uint64_t written; /* bytes that hold packets, by the registers */
    uint64_t ring;    /* bytes of the buffer: what is behind is other memory */
    bool linear;      /* no register tells what is written */
    uint64_t taken;   /* bytes taken in */
    uint8_t partial[CAIRN_MTB_PACKET_SIZE];
    size_t partial_size;
    uint64_t blank;     /* a run of words that look unwritten, before the partial packet */
    uint32_t returning; /* the EXC_RETURN that the packet before went to; 0: none */
    uint64_t ended;     /* finish: bytes behind those written that have been told of */
};

enum cairn_account cairn_mtb_account(unsigned kind)
{
    static const uint8_t accounts[] = {
#define ROW(NAME, ACCOUNT, TEXT, SECTION) ACCOUNT,
        CAIRN_MTB_PACKETS(ROW)
#undef ROW
    };

    return (enum cairn_account)accounts[kind];
}

enum cairn_mtb_kind cairn_mtb_read(uint32_t word0, uint32_t word1,
                                   struct cairn_packet_fields *fields)
{
    const uint32_t source = word0 & ~CAIRN_MTB_FLAG;
    const uint32_t destination = word1 & ~CAIRN_MTB_FLAG;
    *fields = (struct cairn_packet_fields){
        .flags = CAIRN_PACKET_HAS_VALUE | (destination < NEVER_CODE ? CAIRN_PACKET_HAS_ADDRESS : 0),
        .address = destination,
        .address_bits = 32,
        .value = source,
        .size = 4,
        .sub_isa = 1,
        .state = CAIRN_STATE_THUMB,
        .info = (uint8_t)((word0 & CAIRN_MTB_FLAG ? CAIRN_MTB_A : 0) |
                          (word1 & CAIRN_MTB_FLAG ? CAIRN_MTB_S : 0)),
    };
    if (fields->info & CAIRN_MTB_A)
        return cairn_mtb_is_exc_return(source) ? CAIRN_MTB_RETURN_TARGET : CAIRN_MTB_EXCEPTION;
    if (source >= NEVER_CODE && source != CAIRN_MTB_FNC_RETURN) {
        fields->flags &= ~CAIRN_PACKET_HAS_ADDRESS; /* no more to be believed */
        return CAIRN_MTB_RESERVED;
    }
    return cairn_mtb_is_exc_return(destination) ? CAIRN_MTB_EXCEPTION_RETURN : CAIRN_MTB_BRANCH;
}

cairn_status cairn_mtb_packets_new(struct cairn_config *config, void **state)
{
    struct parser *p = calloc(1, sizeof *p);
    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->linear = !cairn_mtb_of(config)->has_position;
    p->written = cairn_mtb_written(cairn_mtb_of(config));
    p->ring = cairn_mtb_of(config)->ring;
    *state = p;
    return CAIRN_OK;
}

void cairn_mtb_packets_free(void *state)
{
    struct parser *p = state;
    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

static void mtb_put(struct cairn_packet_batch *batch, enum cairn_mtb_kind kind, uint64_t offset,
                    uint64_t length)
{
    cairn_batch_put(batch, kind, cairn_mtb_account(kind), offset, length, NULL);
}

static bool has_room(const struct cairn_packet_batch *batch)
{
    return !cairn_batch_full(batch);
}

/* What memory holds that was cleared or erased. A branch from 0 to 0 would be in the vector table.
 */
static bool looks_unwritten(uint32_t word0, uint32_t word1)
{
    return word0 == word1 && (word0 == 0 || word0 == UINT32_MAX);
}

/* Offset of the packet in `partial`. */
static uint64_t packet_offset(const struct parser *p)
{
    return p->taken - p->partial_size;
}

static void put_blank(struct parser *p, struct cairn_packet_batch *batch)
{
    mtb_put(batch, CAIRN_MTB_UNWRITTEN, packet_offset(p) - p->blank, p->blank);
    p->blank = 0;
}

static void put_packet(struct parser *p, uint32_t word0, uint32_t word1,
                       struct cairn_packet_batch *batch)
{
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    const enum cairn_mtb_kind kind = cairn_mtb_read(word0, word1, fields);
    /* S: trace was stopped in between, and the packets belong to two sessions. */
    if (kind == CAIRN_MTB_RETURN_TARGET && p->returning != 0 && p->returning == fields->value &&
        !(fields->info & CAIRN_MTB_S))
        fields->info |= CAIRN_MTB_JOINED;
    p->returning = kind == CAIRN_MTB_EXCEPTION_RETURN ? (uint32_t)fields->address : 0;
    cairn_batch_put(batch, kind, cairn_mtb_account(kind), packet_offset(p), CAIRN_MTB_PACKET_SIZE,
                    fields);
}

/* The whole packet in `partial`, while there is room for it. */
static void decide(struct parser *p, struct cairn_packet_batch *batch)
{
    const uint32_t word0 = cairn_load_le32(p->partial);
    const uint32_t word1 = cairn_load_le32(p->partial + 4);
    if (p->linear && looks_unwritten(word0, word1)) {
        p->blank += p->partial_size;
        p->partial_size = 0;
        p->returning = 0;
        return;
    }
    if (p->blank && has_room(batch))
        put_blank(p, batch);
    if (p->blank || !has_room(batch))
        return;
    put_packet(p, word0, word1, batch);
    p->partial_size = 0;
}

cairn_status cairn_mtb_packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                   struct cairn_packet_batch *batch)
{
    struct parser *p = state;
    cairn_batch_begin(batch);
    for (;;) {
        if (p->partial_size == CAIRN_MTB_PACKET_SIZE)
            decide(p, batch);
        if (p->partial_size == CAIRN_MTB_PACKET_SIZE || !has_room(batch) || *position >= size)
            return CAIRN_OK;
        const size_t left = size - *position;
        if (p->taken >= p->written) { /* told of in the end: nobody knows yet how much it is */
            p->taken += left;
            *position = size;
            return CAIRN_OK;
        }
        const size_t need = CAIRN_MTB_PACKET_SIZE - p->partial_size;
        const size_t take = left < need ? left : need;
        memcpy(p->partial + p->partial_size, data + *position, take);
        p->partial_size += take;
        p->taken += take;
        *position += take;
    }
}

/* The bytes behind the packets: first those of the buffer, then other memory. */
static void put_rest(struct parser *p, struct cairn_packet_batch *batch)
{
    const uint64_t in_buffer = p->taken < p->ring ? p->taken : p->ring;
    if (p->written + p->ended < in_buffer && has_room(batch)) {
        const uint64_t length = in_buffer - p->written;
        mtb_put(batch, CAIRN_MTB_UNWRITTEN, p->written, length);
        p->ended += length;
    }
    const uint64_t told = p->written + p->ended;
    if (told >= in_buffer && told < p->taken && has_room(batch)) {
        mtb_put(batch, CAIRN_MTB_OUTSIDE, told, p->taken - told);
        p->ended += p->taken - told;
    }
}

cairn_status cairn_mtb_packets_finish(void *state, struct cairn_packet_batch *batch)
{
    struct parser *p = state;
    cairn_batch_begin(batch);
    if (p->partial_size == CAIRN_MTB_PACKET_SIZE)
        decide(p, batch);
    if (p->blank && has_room(batch))
        put_blank(p, batch);
    if (p->blank || !has_room(batch))
        return CAIRN_OK;
    if (p->partial_size != 0 && p->partial_size < CAIRN_MTB_PACKET_SIZE) {
        mtb_put(batch, CAIRN_MTB_INCOMPLETE, packet_offset(p), p->partial_size);
        p->partial_size = 0;
    }
    if (!p->linear && p->taken > p->written)
        put_rest(p, batch);
    return CAIRN_OK;
}
