/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields -> packets (IHI0014 chapter 7). */
#include <stdlib.h>
#include <string.h>

#include "protocol/etmv3/draft.h"

#define MORE 0x80u
#define GROUP 7u

struct cairn_etmv3_writer {
    struct cairn_config *config;
    const struct cairn_etmv3_config *decoded;
    struct cairn_etmv3_state state;
    bool exists[CAIRN_ETMV3_KIND_COUNT];
};

cairn_status cairn_etmv3_writer_new(struct cairn_config *config, struct cairn_etmv3_writer **writer)
{
    struct cairn_etmv3_writer *w = calloc(1, sizeof *w);
    uint8_t kinds[256];

    if (!w)
        return CAIRN_E_MEMORY;
    w->config = cairn_config_ref(config);
    w->decoded = cairn_etmv3_of(config);
    w->state = cairn_etmv3_unknown(w->decoded);
    cairn_etmv3_headers(w->decoded, kinds);
    for (unsigned header = 0; header < 256; header++)
        w->exists[kinds[header]] = true;
    w->exists[CAIRN_ETMV3_RESERVED] = false;
    *writer = w;
    return CAIRN_OK;
}

void cairn_etmv3_writer_free(struct cairn_etmv3_writer *writer)
{
    if (!writer)
        return;
    cairn_config_unref(writer->config);
    free(writer);
}

static void put_little_endian(struct cairn_etmv3_draft *draft, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        cairn_etmv3_put(draft, (unsigned)(value >> (8 * i)) & 0xff);
}

static void put_cycle_count(struct cairn_etmv3_draft *draft)
{
    uint32_t count = draft->fields->cycles;

    while (count > 0x7f) {
        cairn_etmv3_put(draft, MORE | (count & 0x7f));
        count >>= GROUP;
    }
    cairn_etmv3_put(draft, count);
}

static bool put_context_id(struct cairn_etmv3_draft *draft)
{
    const unsigned bytes = draft->config->context_bytes;
    const uint32_t id = draft->fields->context.context_id;

    if ((uint64_t)id & ~cairn_etmv3_mask(8 * bytes))
        return bytes == 0 && id == draft->state.context_id;
    put_little_endian(draft, id, bytes);
    if (bytes)
        draft->state.context_id = id;
    return true;
}

/* The four address bytes; bit 0 says Thumb, but in Jazelle state it is a bit of the address. */
static bool put_sync_address(struct cairn_etmv3_draft *draft, unsigned state)
{
    const uint64_t address = draft->fields->address;
    const bool thumb = state == CAIRN_STATE_THUMB || state == CAIRN_STATE_THUMBEE;
    const uint64_t below = state == CAIRN_STATE_JAZELLE ? 0 : 1;

    if (address > UINT32_MAX || address & below || state > CAIRN_STATE_THUMBEE)
        return false;
    put_little_endian(draft, address | thumb, 4);
    draft->state.address = (uint32_t)address;
    draft->state.address_known = 32;
    draft->state.state = (uint8_t)state;
    return true;
}

static bool put_sync(struct cairn_etmv3_draft *draft, bool counts)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const struct cairn_etmv3_config *config = draft->config;
    const bool lsip = cairn_etmv3_has(draft, CAIRN_PACKET_LSIP);
    const unsigned state = lsip ? fields->type : fields->state;
    const bool hyp = lsip ? fields->count & CAIRN_ETMV3_LSIP_HYP : fields->context.EL == 2;

    cairn_etmv3_sync_data(&draft->state, fields->reason);
    if (fields->reason > 3 || fields->context.security > 1 || (hyp && !config->virtualization) ||
        (lsip && (config->data_only || fields->count > 3)) ||
        (state == CAIRN_STATE_THUMBEE && !config->data_only && config->minor < 3))
        return false;
    cairn_etmv3_put(draft, counts ? 0x70 : 0x08);
    if (counts)
        put_cycle_count(draft);
    if (!put_context_id(draft))
        return false;
    draft->state.non_secure =
        lsip ? fields->count & CAIRN_ETMV3_LSIP_NS : fields->context.security == CAIRN_NONSECURE;
    draft->state.hyp = hyp;
    const bool jazelle = state == CAIRN_STATE_JAZELLE && !config->data_only;
    const bool ee = state == CAIRN_STATE_THUMBEE && !config->data_only;
    cairn_etmv3_put(draft, (lsip ? 0x80u : 0) | (unsigned)fields->reason << 5 |
                               (jazelle ? 0x10u : 0) | (draft->state.non_secure ? 0x08u : 0) |
                               (ee ? 0x04u : 0) | (hyp ? 0x02u : 0) | 0x01u);
    if (config->data_only)
        return true;
    return put_sync_address(draft, state) &&
           (!lsip || cairn_etmv3_put_branch(draft, fields->value, true));
}

static bool put_data_address(struct cairn_etmv3_draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const bool be = cairn_etmv3_has(draft, CAIRN_PACKET_BIG_ENDIAN);
    uint64_t rest = fields->address;
    const uint32_t changed = (uint32_t)rest ^ draft->state.data_address;
    unsigned bytes = 1;

    if (!(fields->info & 1) || !draft->config->data_address)
        return fields->address_bits == 0;
    if (fields->address > UINT32_MAX || (be && draft->config->minor == 0))
        return false;
    if (draft->state.data_known == 32 ? be != draft->state.big_endian
                                      : fields->address_bits == 0 || be)
        bytes = 5;
    while (bytes < 5 && (changed & ~(uint32_t)cairn_etmv3_mask(GROUP * bytes)))
        bytes++;
    if (fields->address_bits == 32)
        bytes = 5;
    while (bytes < 5 && fields->address_bits > GROUP * bytes)
        bytes++;
    if (fields->address_bits && fields->address_bits != (bytes == 5 ? 32 : GROUP * bytes))
        return false;
    for (unsigned i = 1; i <= bytes; i++) {
        if (i == 5)
            cairn_etmv3_put(draft, (unsigned)rest | (be ? 0x10u : 0));
        else
            cairn_etmv3_put(draft, ((unsigned)rest & 0x7f) | (i < bytes ? MORE : 0));
        rest >>= GROUP;
    }
    draft->state.data_address = (uint32_t)fields->address;
    if (bytes == 5) {
        draft->state.big_endian = be;
        draft->state.data_known = 32;
    }
    return true;
}

/* SS of a header; 4: there is none for this size. */
static unsigned size_code(unsigned size)
{
    return size == 4 ? 3 : size > 2 ? 4 : size;
}

static bool put_value(struct cairn_etmv3_draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;

    if (!draft->config->data_value)
        return fields->value == 0;
    if (fields->value & ~cairn_etmv3_mask(8u * fields->size))
        return false;
    put_little_endian(draft, fields->value, fields->size);
    return true;
}

static bool put_data(struct cairn_etmv3_draft *draft, unsigned kind)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned ss = size_code(fields->size);
    const bool tagged =
        kind == CAIRN_ETMV3_OUT_OF_ORDER_DATA || kind == CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER;

    if (ss > 3 || fields->info > 1 || (tagged && (fields->tag < 1 || fields->tag > 3)))
        return false;
    switch (kind) {
    case CAIRN_ETMV3_NORMAL_DATA:
        cairn_etmv3_put(draft, 0x02u | ss << 2 | (unsigned)fields->info << 5);
        return put_data_address(draft) && put_value(draft);
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
        cairn_etmv3_put(draft, 0x50u | (unsigned)fields->tag << 2 | (unsigned)fields->info << 5);
        return put_data_address(draft);
    case CAIRN_ETMV3_VALUE_NOT_TRACED:
        cairn_etmv3_put(draft, 0x6au | (unsigned)fields->info << 4);
        return put_data_address(draft);
    default: cairn_etmv3_put(draft, (unsigned)fields->tag << 5 | ss << 2); return put_value(draft);
    }
}

static bool put_timestamp(struct cairn_etmv3_draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned width = draft->config->timestamp_bits;
    uint64_t rest = draft->config->gray ? fields->value ^ fields->value >> 1 : fields->value;
    const uint64_t changed = rest ^ draft->state.timestamp;
    const unsigned groups = width == 64 ? 8 : 6; /* that have a continuation bit */
    unsigned bytes = 1;

    if (fields->value & ~cairn_etmv3_mask(width) || fields->type > 1)
        return false;
    draft->state.timestamp = rest;
    if (draft->state.timestamp_known < width && fields->address_bits == 0)
        bytes = groups + 1;
    while (bytes <= groups &&
           ((changed & ~cairn_etmv3_mask(GROUP * bytes)) || fields->address_bits > GROUP * bytes))
        bytes++;
    const unsigned bits = bytes > groups ? width : GROUP * bytes;
    if (fields->address_bits && fields->address_bits != bits)
        return false;
    cairn_etmv3_put(draft, 0x42u | (unsigned)fields->type << 2);
    for (unsigned i = 1; i <= bytes; i++) {
        const bool last = i > groups;
        cairn_etmv3_put(draft, last ? (unsigned)rest & 0xff
                                    : ((unsigned)rest & 0x7f) | (i < bytes ? MORE : 0));
        rest >>= GROUP;
    }
    if (bits > draft->state.timestamp_known)
        draft->state.timestamp_known = (uint8_t)bits;
    return true;
}

/* Format 1: some E, then perhaps an N. False: other atoms. */
static bool put_format_1(struct cairn_etmv3_draft *draft, unsigned most)
{
    const struct cairn_packet_fields *fields = draft->fields;
    unsigned executed = 0;

    while (executed < fields->atom_count && fields->atoms >> executed & 1)
        executed++;
    const bool then_not = executed < fields->atom_count;
    if (executed > most || fields->atom_count > executed + then_not)
        return false;
    return cairn_etmv3_put(draft, 0x80u | executed << 2 | (then_not ? 0x40u : 0));
}

static bool put_atoms(struct cairn_etmv3_draft *draft, unsigned kind)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const uint32_t atoms = fields->atoms;
    const unsigned count = fields->atom_count;
    const uint32_t waits = fields->cycles;

    if (count > 16 || atoms & ~(uint32_t)cairn_etmv3_mask(count))
        return false;
    switch (kind) {
    case CAIRN_ETMV3_P_HEADER_F1: return put_format_1(draft, 15);
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
        return count > 0 && waits == count && put_format_1(draft, 7);
    case CAIRN_ETMV3_P_HEADER_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
        return count == 2 && waits == (kind == CAIRN_ETMV3_P_HEADER_CYCLES_F2) &&
               cairn_etmv3_put(draft, 0x82u | (atoms & 1 ? 0 : 0x08u) | (atoms & 2 ? 0 : 0x04u));
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3:
        return count <= 1 && atoms == count && waits >= 1 && waits <= 8 &&
               cairn_etmv3_put(draft, 0xa0u | (waits - 1) << 2 | (count ? 0x40u : 0));
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4:
        return count == 1 && waits == 0 && cairn_etmv3_put(draft, 0x92u | (atoms ? 0 : 0x04u));
    default: return count == 0 && waits == 1 && cairn_etmv3_put(draft, 0x80u);
    }
}

static bool put_vmid(struct cairn_etmv3_draft *draft)
{
    const uint32_t vmid = draft->fields->context.vmid;

    draft->state.vmid = (uint8_t)vmid;
    return vmid <= 0xff && cairn_etmv3_put(draft, 0x3c) && cairn_etmv3_put(draft, vmid);
}

static bool put_kind(struct cairn_etmv3_draft *draft, unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV3_A_SYNC:
        put_little_endian(draft, 0, CAIRN_ETMV3_SYNC_ZEROS);
        return cairn_etmv3_put(draft, 0x80);
    case CAIRN_ETMV3_BRANCH: return cairn_etmv3_put_branch(draft, draft->fields->address, false);
    case CAIRN_ETMV3_I_SYNC: return put_sync(draft, false);
    case CAIRN_ETMV3_I_SYNC_CYCLES: return put_sync(draft, true);
    case CAIRN_ETMV3_CYCLE_COUNT:
        cairn_etmv3_put(draft, 0x04);
        put_cycle_count(draft);
        return true;
    case CAIRN_ETMV3_CONTEXT_ID: return cairn_etmv3_put(draft, 0x6e) && put_context_id(draft);
    case CAIRN_ETMV3_VMID: return put_vmid(draft);
    case CAIRN_ETMV3_TIMESTAMP: return put_timestamp(draft);
    case CAIRN_ETMV3_NORMAL_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_VALUE_NOT_TRACED: return put_data(draft, kind);
    case CAIRN_ETMV3_TRIGGER: return cairn_etmv3_put(draft, 0x0c);
    case CAIRN_ETMV3_STORE_FAILED: return cairn_etmv3_put(draft, 0x50);
    case CAIRN_ETMV3_DATA_SUPPRESSED:
        cairn_etmv3_suppress(draft->config, &draft->state);
        return cairn_etmv3_put(draft, 0x62);
    case CAIRN_ETMV3_IGNORE: return cairn_etmv3_put(draft, 0x66);
    case CAIRN_ETMV3_EXCEPTION_EXIT: return cairn_etmv3_put(draft, 0x76);
    case CAIRN_ETMV3_EXCEPTION_ENTRY: return cairn_etmv3_put(draft, 0x7e);
    default: return put_atoms(draft, kind);
    }
}

size_t cairn_etmv3_writer_write(struct cairn_etmv3_writer *writer, unsigned kind,
                                const struct cairn_packet_fields *fields, uint8_t *bytes,
                                size_t capacity)
{
    struct cairn_etmv3_draft draft = {
        .config = writer->decoded, .fields = fields, .state = writer->state};

    if (kind >= CAIRN_ETMV3_KIND_COUNT || !writer->exists[kind])
        return 0;
    if (!put_kind(&draft, kind) || draft.size > capacity)
        return 0;
    memcpy(bytes, draft.bytes, draft.size);
    writer->state = draft.state;
    return draft.size;
}
