/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> fields (IHI0014 chapter 7). */
#include "protocol/etmv3/payload.h"

#define MORE 0x80u
#define GROUP 7u

/* I-sync information byte (7.7.3). */
#define SYNC_LSIP 0x80u
#define SYNC_JAZELLE 0x10u
#define SYNC_NS 0x08u
#define SYNC_ALT 0x04u
#define SYNC_HYP 0x02u
#define SYNC_ONE 0x01u

#define ARM_LOW 0x2u /* of an address in ARM state */

#define DATA_BE 0x10u /* of the fifth byte of a data address (7.4.2) */
#define DATA_LAST_RESERVED 0xe0u
#define HEADER_A 0x20u /* NORMAL_DATA, OUT_OF_ORDER_PLACEHOLDER */
#define HEADER_A_NOT_TRACED 0x10u
#define HEADER_N_F1 0x40u
#define HEADER_R 0x04u

struct cairn_context cairn_etmv3_context(const struct cairn_etmv3_state *state)
{
    return (struct cairn_context){
        .EL = state->hyp ? 2 : 0,
        .security = state->non_secure ? CAIRN_NONSECURE : CAIRN_SECURE,
        .vmid = state->vmid,
        .context_id = state->context_id,
    };
}

uint64_t cairn_etmv3_from_gray(uint64_t gray)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        gray ^= gray >> shift;
    return gray;
}

bool cairn_etmv3_counts_over(const struct cairn_etmv3_config *config, unsigned reason)
{
    switch (config->minor) {
    case 0: return reason != CAIRN_ETMV3_OVERFLOW && reason != CAIRN_ETMV3_DEBUG_EXIT;
    case 5: return reason != CAIRN_ETMV3_OVERFLOW;
    default: return true;
    }
}

static uint32_t little_endian(struct cairn_etmv3_cursor *in, unsigned count)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)cairn_etmv3_next(in) << (8 * i);
    return value;
}

/* 7.3.4 */
static void cycle_count(struct cairn_etmv3_cursor *in, struct cairn_packet_fields *fields)
{
    uint64_t count = 0;
    unsigned byte = MORE;

    for (unsigned i = 0; i < 5 && byte & MORE; i++) {
        byte = cairn_etmv3_next(in);
        count |= (uint64_t)(byte & 0x7f) << (GROUP * i);
        if (i == 4 && byte & 0xf0)
            in->sbz = true;
    }
    fields->cycles = (uint32_t)count;
}

static void judge_count(const struct cairn_etmv3_config *config,
                        const struct cairn_etmv3_state *state, struct cairn_packet_fields *fields)
{
    if (fields->cycles != 0 && cairn_etmv3_counts_over(config, state->reason))
        fields->flags |= CAIRN_PACKET_HAS_CYCLES;
}

static void context_id(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                       struct cairn_etmv3_cursor *in, struct cairn_packet_fields *fields)
{
    if (config->context_bytes == 0)
        return;
    state->context_id = little_endian(in, config->context_bytes);
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT_ID;
}

/* J, T and AltISA (7.7.3); J is not there in data-only mode. */
static unsigned sync_state(const struct cairn_etmv3_config *config, struct cairn_etmv3_cursor *in,
                           unsigned info, uint32_t address)
{
    const bool alt = info & SYNC_ALT && config->minor >= 3;

    if (info & SYNC_JAZELLE) {
        in->sbz |= alt;
        return CAIRN_STATE_JAZELLE;
    }
    if (address & 1)
        return alt ? CAIRN_STATE_THUMBEE : CAIRN_STATE_THUMB;
    in->sbz |= alt || address & ARM_LOW; /* words */
    return CAIRN_STATE_ARM;
}

static void sync_address(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                         struct cairn_etmv3_cursor *in, unsigned info,
                         struct cairn_packet_fields *fields)
{
    uint32_t address = little_endian(in, 4);

    state->state = (uint8_t)sync_state(config, in, info, address);
    if (state->state != CAIRN_STATE_JAZELLE)
        address &= ~UINT32_C(1);
    state->address = address;
    state->address_known = 32;
    fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
    fields->address = address;
    fields->address_bits = 32;
    fields->state = state->state;
    if (!(info & SYNC_LSIP))
        return;
    fields->flags |= CAIRN_PACKET_LSIP;
    fields->type = state->state;
    fields->count =
        (state->non_secure ? CAIRN_ETMV3_LSIP_NS : 0) | (state->hyp ? CAIRN_ETMV3_LSIP_HYP : 0);
    if (in->dry)
        return;
    struct cairn_packet_fields current = {0};
    cairn_etmv3_branch(config, state, in, true, &current);
    fields->flags |= current.flags & CAIRN_PACKET_HAS_INFO;
    fields->info = current.info;
    fields->address_bits = current.address_bits;
    fields->state = current.state;
    fields->value = state->address;
    /* An information byte is there for the security state only. */
    if (current.flags & (CAIRN_PACKET_HAS_EXCEPTION | CAIRN_PACKET_CANCEL) || current.resume)
        in->sbz = true;
}

/* A count of cycles and an LSiP tell of a gap, and a periodic I-sync has none before it (7.7.3);
 * Hyp mode is Non-secure. */
static bool sync_contradicts(const struct cairn_etmv3_config *config,
                             const struct cairn_etmv3_state *state,
                             const struct cairn_packet_fields *fields, bool counts)
{
    if (fields->reason == CAIRN_ETMV3_PERIODIC && (counts || fields->flags & CAIRN_PACKET_LSIP))
        return true;
    return cairn_etmv3_security_contradicts(config, state);
}

static void i_sync(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                   struct cairn_etmv3_cursor *in, bool counts, struct cairn_packet_fields *fields)
{
    if (counts)
        cycle_count(in, fields);
    context_id(config, state, in, fields);
    const unsigned info = cairn_etmv3_next(in);

    if (in->dry)
        return;
    in->sbz |= !(info & SYNC_ONE) || (info & SYNC_ALT && config->minor < 3);
    state->non_secure = (info & SYNC_NS) != 0;
    if (config->virtualization)
        state->hyp = (info & SYNC_HYP) != 0;
    else
        in->sbz |= (info & SYNC_HYP) != 0;
    fields->reason = info >> 5 & 3;
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT;
    if (config->data_only) {
        fields->flags |= CAIRN_PACKET_DATA_ONLY;
        fields->state = state->state;
        in->sbz |= (info & (SYNC_LSIP | SYNC_JAZELLE | SYNC_ALT)) != 0;
    } else {
        sync_address(config, state, in, info, fields);
    }
    if (fields->reason != CAIRN_ETMV3_PERIODIC && config->cycle_accurate)
        state->reason = fields->reason;
    cairn_etmv3_sync_data(state, fields->reason);
    in->contradiction |= sync_contradicts(config, state, fields, counts);
    if (counts)
        judge_count(config, state, fields);
}

/* 7.4.2 */
static void data_address(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                         struct cairn_etmv3_cursor *in, bool expected,
                         struct cairn_packet_fields *fields)
{
    unsigned byte = MORE;
    unsigned bits = 0;
    uint32_t address = 0;

    fields->info = expected;
    if (!expected || !config->data_address)
        return;
    for (unsigned i = 0; i < 4 && byte & MORE; i++) {
        byte = cairn_etmv3_next(in);
        address |= (uint32_t)(byte & 0x7f) << bits;
        bits += GROUP;
    }
    if (byte & MORE) {
        byte = cairn_etmv3_next(in);
        address |= (uint32_t)(byte & 0x0f) << bits;
        bits = 32;
        state->big_endian = (byte & DATA_BE) != 0 && config->minor >= 1;
        in->sbz |= (byte & (config->minor >= 1 ? DATA_LAST_RESERVED : ~0x0fu)) != 0;
    }
    state->data_address = (state->data_address & ~(uint32_t)cairn_etmv3_mask(bits)) | address;
    if (bits > state->data_known)
        state->data_known = (uint8_t)bits;
    fields->address = state->data_address;
    fields->address_bits = (uint8_t)bits;
    fields->flags |= state->data_known == 32 ? CAIRN_PACKET_HAS_ADDRESS : 0;
    if (state->big_endian && state->data_known == 32)
        fields->flags |= CAIRN_PACKET_BIG_ENDIAN;
}

static void data_value(const struct cairn_etmv3_config *config, struct cairn_etmv3_cursor *in,
                       unsigned header, struct cairn_packet_fields *fields)
{
    static const uint8_t sizes[] = {0, 1, 2, 4};

    fields->size = sizes[header >> 2 & 3];
    if (!config->data_value)
        return;
    fields->value = little_endian(in, fields->size);
    fields->flags |= CAIRN_PACKET_HAS_VALUE;
}

/* 7.7.4 of issue Q: groups of seven bits; the last byte of the 64-bit form holds eight. */
static void timestamp(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                      struct cairn_etmv3_cursor *in, unsigned header,
                      struct cairn_packet_fields *fields)
{
    const unsigned width = config->timestamp_bits;
    unsigned bits = 0;
    uint64_t value = 0;
    unsigned byte = MORE;

    while (bits < width && byte & MORE) {
        const unsigned left = width - bits;
        const unsigned take = left <= GROUP + 1 ? left : GROUP;

        byte = cairn_etmv3_next(in);
        value |= (byte & cairn_etmv3_mask(take)) << bits;
        bits += take;
        if (bits == width && take < 8)
            in->sbz |= byte >> take != 0;
    }
    state->timestamp = (state->timestamp & ~cairn_etmv3_mask(bits)) | value;
    if (bits > state->timestamp_known)
        state->timestamp_known = (uint8_t)bits;
    fields->type = (header & HEADER_R) != 0;
    fields->address_bits = (uint8_t)bits;
    fields->value = config->gray ? cairn_etmv3_from_gray(state->timestamp) : state->timestamp;
    fields->flags |= state->timestamp_known == width ? CAIRN_PACKET_HAS_TIMESTAMP : 0;
}

/* 7.3.1. Format 2: bit 3 is the first atom, bit 2 the second; a one is N. */
static void atoms(unsigned kind, unsigned header, struct cairn_packet_fields *fields)
{
    unsigned executed = header >> 2 & (kind == CAIRN_ETMV3_P_HEADER_F1 ? 0xf : 0x7);

    if (kind != CAIRN_ETMV3_P_HEADER_F1 && kind != CAIRN_ETMV3_P_HEADER_F2)
        fields->flags |= CAIRN_PACKET_HAS_CYCLES;
    switch (kind) {
    case CAIRN_ETMV3_P_HEADER_F1:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
        fields->atoms = (uint32_t)cairn_etmv3_mask(executed);
        fields->atom_count = (uint8_t)(executed + (header & HEADER_N_F1 ? 1 : 0));
        if (kind == CAIRN_ETMV3_P_HEADER_CYCLES_F1)
            fields->cycles = fields->atom_count;
        break;
    case CAIRN_ETMV3_P_HEADER_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
        fields->atom_count = 2;
        fields->atoms = (header & 0x08 ? 0u : 1u) | (header & 0x04 ? 0u : 2u);
        fields->cycles = kind == CAIRN_ETMV3_P_HEADER_CYCLES_F2;
        break;
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3:
        fields->atom_count = (header & HEADER_N_F1) != 0;
        fields->atoms = fields->atom_count;
        fields->cycles = executed + 1;
        break;
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4:
        fields->atom_count = 1;
        fields->atoms = header & 0x04 ? 0u : 1u;
        break;
    default: fields->cycles = 1; break; /* format 0 */
    }
}

/* Whether a unit so configured has no use for a packet that it could write otherwise: counts of
 * cycles that are not traced, a P-header without atoms (7.3.1), a stacking whose data are not
 * traced (7.5.3). */
static bool is_useless(const struct cairn_etmv3_config *config, unsigned kind,
                       const struct cairn_packet_fields *fields)
{
    switch (kind) {
    case CAIRN_ETMV3_CYCLE_COUNT:
    case CAIRN_ETMV3_I_SYNC_CYCLES: return !config->cycle_accurate;
    case CAIRN_ETMV3_P_HEADER_F1: return fields->atom_count == 0;
    case CAIRN_ETMV3_EXCEPTION_ENTRY:
        return !config->data_value && !config->data_address && !config->cprt;
    default: return false;
    }
}

/* 7.4.7: a value of 0, and nothing between it and Store failed, but Ignore (7.8.2). */
static void judge_store(unsigned kind, struct cairn_etmv3_state *state,
                        struct cairn_etmv3_cursor *in, const struct cairn_packet_fields *fields)
{
    if (kind == CAIRN_ETMV3_STORE_FAILED && !state->zero_stored)
        in->contradiction = true;
    if (kind == CAIRN_ETMV3_IGNORE)
        return;
    state->zero_stored = fields->flags & CAIRN_PACKET_HAS_VALUE && fields->value == 0;
}

static void fill(const struct cairn_etmv3_config *config, unsigned kind,
                 struct cairn_etmv3_state *state, struct cairn_etmv3_cursor *in,
                 struct cairn_packet_fields *fields)
{
    const unsigned header = in->bytes[0];

    switch (kind) {
    case CAIRN_ETMV3_BRANCH:
        cairn_etmv3_branch(config, state, in, false, fields);
        fields->address = state->address;
        if (state->address_known == 32 && !cairn_etmv3_is_halting(config, fields))
            fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
        return;
    default: break;
    }
    in->at = 1;
    switch (kind) {
    case CAIRN_ETMV3_I_SYNC: i_sync(config, state, in, false, fields); break;
    case CAIRN_ETMV3_I_SYNC_CYCLES: i_sync(config, state, in, true, fields); break;
    case CAIRN_ETMV3_CYCLE_COUNT:
        cycle_count(in, fields);
        judge_count(config, state, fields);
        break;
    case CAIRN_ETMV3_CONTEXT_ID: context_id(config, state, in, fields); break;
    case CAIRN_ETMV3_VMID:
        state->vmid = (uint8_t)cairn_etmv3_next(in);
        fields->flags |= CAIRN_PACKET_HAS_VMID;
        break;
    case CAIRN_ETMV3_TIMESTAMP: timestamp(config, state, in, header, fields); break;
    case CAIRN_ETMV3_NORMAL_DATA:
        data_address(config, state, in, header & HEADER_A, fields);
        data_value(config, in, header, fields);
        break;
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
        fields->tag = header >> 5 & 3;
        data_value(config, in, header, fields);
        break;
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
        fields->tag = header >> 2 & 3;
        data_address(config, state, in, header & HEADER_A, fields);
        break;
    case CAIRN_ETMV3_VALUE_NOT_TRACED:
        data_address(config, state, in, header & HEADER_A_NOT_TRACED, fields);
        break;
    case CAIRN_ETMV3_DATA_SUPPRESSED: cairn_etmv3_suppress(config, state); break;
    case CAIRN_ETMV3_P_HEADER_F1:
    case CAIRN_ETMV3_P_HEADER_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F0:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4: atoms(kind, header, fields); break;
    default: break; /* a header and no more */
    }
}

enum cairn_etmv3_take cairn_etmv3_payload(const struct cairn_etmv3_config *config, unsigned kind,
                                          struct cairn_etmv3_state *state,
                                          struct cairn_etmv3_cursor *in,
                                          struct cairn_packet_fields *fields)
{
    *fields = (struct cairn_packet_fields){0};
    fill(config, kind, state, in, fields);
    if (in->malformed)
        return CAIRN_ETMV3_MALFORMED;
    if (in->dry)
        return CAIRN_ETMV3_MORE;
    judge_store(kind, state, in, fields);
    in->contradiction |= is_useless(config, kind, fields);
    fields->flags |= in->sbz ? CAIRN_PACKET_SBZ : 0;
    fields->flags |= in->contradiction ? CAIRN_PACKET_CONTRADICTION : 0;
    if (kind == CAIRN_ETMV3_BRANCH || kind == CAIRN_ETMV3_I_SYNC ||
        kind == CAIRN_ETMV3_I_SYNC_CYCLES) {
        const unsigned of = fields->flags & CAIRN_PACKET_LSIP ? fields->type : fields->state;
        fields->sub_isa = of == CAIRN_STATE_THUMB || of == CAIRN_STATE_THUMBEE;
    }
    fields->context = cairn_etmv3_context(state);
    return CAIRN_ETMV3_WHOLE;
}
