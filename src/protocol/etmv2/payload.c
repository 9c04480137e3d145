/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of the FIFO -> packets (IHI0014 6.4, 6.5.3 to 6.5.5, 6.7.1). How long a packet is, its own
 * bytes and the registers tell: no image is needed (6.6). */
#include "protocol/etmv2/etmv2.h"

#include "base/bytes.h"

enum {
    ADDRESS_LONGEST = 5, /* bytes of a branch or data address */
    TFO_ADDRESS = 4,
    MORE = 0x80, /* bit 7 of an address byte: another one follows; of a header: C */
    A_BIT = 0x20,
    E_BIT = 0x40, /* of the fifth byte of an ARM address */
    LSM_HEADER = 0x80,
    LSM_FIRST_BIT = 1, /* of its second address, as of every branch address */
    DATA_REST = 0x70,  /* bits of the fifth byte of a data address that say nothing */
};

enum cairn_account cairn_etmv2_account(unsigned kind)
{
    static const uint8_t accounts[] = {
#define ROW(NAME, ACCOUNT, TEXT, SECTION) ACCOUNT,
        CAIRN_ETMV2_PACKETS(ROW)
#undef ROW
    };

    return (enum cairn_account)accounts[kind];
}

/* --- how long a packet is --- */

/* Table 6-2 */
static enum cairn_etmv2_kind kind_of(unsigned header)
{
    if (header & 1)
        return CAIRN_ETMV2_BRANCH_ADDRESS;
    if ((header & 0x53) == 0x02)
        return CAIRN_ETMV2_NORMAL_DATA;
    if ((header & 0x53) == 0x50)
        return CAIRN_ETMV2_LOAD_MISS_OCCURRED;
    if ((header & 0x13) == 0x00)
        return CAIRN_ETMV2_LOAD_MISS_DATA;
    if ((header & 0x7f) == 0x6a)
        return CAIRN_ETMV2_VALUE_NOT_TRACED;
    if ((header & 0x7f) == 0x6e)
        return CAIRN_ETMV2_CONTEXT_ID;
    return CAIRN_ETMV2_RESERVED;
}

/* Table 6-6 */
static bool is_tfo_header(unsigned header)
{
    return (header & 0x1f) == 0;
}

/* Table 6-3 */
static unsigned value_size(unsigned header)
{
    static const uint8_t sizes[] = {0, 1, 2, 4};

    return sizes[header >> 2 & 3];
}

/* Table 6-9 */
static bool is_arm(unsigned fifth)
{
    return (fifth & 0xb8) == 0x08;
}

static bool is_thumb(unsigned fifth)
{
    return (fifth & 0xf0) == 0x10;
}

/* Of an address of at most five bytes: how many it has, 0 if more are needed. */
static size_t address_length(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < ADDRESS_LONGEST; i++)
        if (!(bytes[i] & MORE) || i + 1 == ADDRESS_LONGEST)
            return i + 1;
    return 0;
}

static enum cairn_etmv2_frame frame_branch(const uint8_t *bytes, size_t size)
{
    const size_t length = address_length(bytes, size);
    const unsigned fifth = length == ADDRESS_LONGEST ? bytes[length - 1] : 0;

    if (length == 0)
        return CAIRN_ETMV2_FRAME_MORE;
    if (length == ADDRESS_LONGEST && !is_arm(fifth) && !is_thumb(fifth))
        return CAIRN_ETMV2_FRAME_RESERVED;
    return CAIRN_ETMV2_FRAME_WHOLE;
}

static enum cairn_etmv2_frame frame_size(size_t size, size_t wanted)
{
    return size >= wanted ? CAIRN_ETMV2_FRAME_WHOLE : CAIRN_ETMV2_FRAME_MORE;
}

static bool has_address(const struct cairn_etmv2_config *config, enum cairn_etmv2_kind kind,
                        unsigned header)
{
    return config->data_address && (header & A_BIT) && kind != CAIRN_ETMV2_LOAD_MISS_DATA;
}

static bool has_value(const struct cairn_etmv2_config *config, enum cairn_etmv2_kind kind)
{
    return config->data_value && kind != CAIRN_ETMV2_LOAD_MISS_OCCURRED;
}

/* Data packets: header, address, value. */
static enum cairn_etmv2_frame frame_data(const struct cairn_etmv2_config *config,
                                         enum cairn_etmv2_kind kind, const uint8_t *bytes,
                                         size_t size)
{
    size_t length = 1;

    if (has_address(config, kind, bytes[0])) {
        const size_t address = address_length(bytes + 1, size - 1);

        if (address == 0)
            return CAIRN_ETMV2_FRAME_MORE;
        if (bytes[address] & MORE) /* the fifth byte has no more behind it */
            return CAIRN_ETMV2_FRAME_RESERVED;
        length += address;
    }
    if (has_value(config, kind))
        length += value_size(bytes[0]);
    return frame_size(size, length);
}

static enum cairn_etmv2_frame frame_tfo(const struct cairn_etmv2_config *config,
                                        const uint8_t *bytes, size_t size)
{
    const size_t plain = 1u + config->context_bytes + TFO_ADDRESS;

    if (!is_tfo_header(bytes[0]))
        return CAIRN_ETMV2_FRAME_RESERVED;
    if (!(bytes[0] & LSM_HEADER) || size <= plain)
        return frame_size(size, plain + (bytes[0] & LSM_HEADER ? 1 : 0));
    if (!(bytes[plain] & LSM_FIRST_BIT))
        return CAIRN_ETMV2_FRAME_RESERVED;
    return frame_branch(bytes + plain, size - plain);
}

enum cairn_etmv2_frame cairn_etmv2_frame(const struct cairn_etmv2_config *config, bool tfo,
                                         const uint8_t *bytes, size_t size)
{
    const enum cairn_etmv2_kind kind = kind_of(bytes[0]);

    if (tfo)
        return frame_tfo(config, bytes, size);
    switch (kind) {
    case CAIRN_ETMV2_BRANCH_ADDRESS: return frame_branch(bytes, size);
    case CAIRN_ETMV2_NORMAL_DATA:
    case CAIRN_ETMV2_LOAD_MISS_OCCURRED:
    case CAIRN_ETMV2_VALUE_NOT_TRACED:
        /* Where none are traced they tell that the registers are not those of this trace, so that no
         * length is to be trusted. */
        if (!cairn_etmv2_has_data(config))
            return CAIRN_ETMV2_FRAME_RESERVED;
        return kind == CAIRN_ETMV2_VALUE_NOT_TRACED ? CAIRN_ETMV2_FRAME_WHOLE
                                                    : frame_data(config, kind, bytes, size);
    case CAIRN_ETMV2_LOAD_MISS_DATA: /* of a load: nothing but a value, which may not be traced (6.4.3) */
        return config->data_value || config->data_address ? frame_data(config, kind, bytes, size)
                                                          : CAIRN_ETMV2_FRAME_RESERVED;
    case CAIRN_ETMV2_CONTEXT_ID:
        return config->context_bytes ? frame_size(size, 1u + config->context_bytes)
                                     : CAIRN_ETMV2_FRAME_RESERVED;
    default: return CAIRN_ETMV2_FRAME_RESERVED;
    }
}

/* --- what it says --- */

static uint32_t read_little(const uint8_t *bytes, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

static uint32_t low_bits(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

/* Puts a branch address into the state, and returns how many low bits it has. A short one is in the
 * instruction set of the last, and has its high bits. */
static unsigned read_branch(const uint8_t *bytes, size_t length, struct cairn_etmv2_state *state)
{
    const unsigned fifth = length == ADDRESS_LONGEST ? bytes[length - 1] : 0;
    const size_t sevens = length == ADDRESS_LONGEST ? length - 1 : length;
    uint32_t payload = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < sevens; i++, bits += 7)
        payload |= (uint32_t)(bytes[i] & 0x7f) << bits;
    payload >>= 1; /* the bit that tells it from headers */
    bits--;
    if (fifth) {
        state->state = is_arm(fifth) ? CAIRN_STATE_ARM : CAIRN_STATE_THUMB;
        payload |= (uint32_t)(fifth & (is_arm(fifth) ? 7 : 15)) << bits;
        bits += is_arm(fifth) ? 3 : 4;
    }
    const unsigned alignment = state->state == CAIRN_STATE_ARM ? 2 : 1;
    const unsigned known = bits + alignment;

    state->address =
        (state->address & ~low_bits(known)) | (uint32_t)((uint64_t)payload << alignment);
    if (known > state->address_known)
        state->address_known = (uint8_t)known;
    return known;
}

static void set_place(struct cairn_packet_fields *fields, const struct cairn_etmv2_state *state)
{
    fields->address = state->address & low_bits(state->address_known);
    fields->state = state->state;
    fields->sub_isa = state->state == CAIRN_STATE_THUMB;
    if (state->address_known == 32)
        fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
}

static void read_branch_packet(const struct cairn_etmv2_config *config, const uint8_t *bytes,
                               size_t size, struct cairn_etmv2_state *state,
                               struct cairn_packet_fields *fields)
{
    const bool cancels = size == ADDRESS_LONGEST && is_arm(bytes[4]) && (bytes[4] & E_BIT);

    fields->address_bits = (uint8_t)read_branch(bytes, size, state);
    set_place(fields, state);
    if (cancels)
        fields->flags |= CAIRN_PACKET_CANCEL;
    if (!(fields->flags & CAIRN_PACKET_HAS_ADDRESS))
        return;
    fields->type = (uint16_t)cairn_etmv2_vector(config, state->address,
                                                (enum cairn_packet_state)state->state, cancels);
    if (fields->type != 0)
        fields->flags |= CAIRN_PACKET_HAS_EXCEPTION;
}

/* Of data; returns its bytes. */
static size_t read_address(const uint8_t *bytes, size_t size, struct cairn_etmv2_state *state,
                           struct cairn_packet_fields *fields)
{
    const size_t length = address_length(bytes, size);
    uint32_t address = 0;
    unsigned bits = 0;

    for (size_t i = 0; i < length; i++, bits += 7)
        address |= (uint32_t)((uint64_t)(bytes[i] & 0x7f) << bits);
    if (length == ADDRESS_LONGEST && (bytes[4] & DATA_REST))
        fields->flags |= CAIRN_PACKET_SBZ;
    bits = bits > 32 ? 32 : bits;
    state->data_address = (state->data_address & ~low_bits(bits)) | (address & low_bits(bits));
    if (bits > state->data_known)
        state->data_known = (uint8_t)bits;
    fields->address = state->data_address & low_bits(state->data_known);
    fields->address_bits = (uint8_t)bits;
    if (state->data_known == 32)
        fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
    return length;
}

static void read_data(const struct cairn_etmv2_config *config, enum cairn_etmv2_kind kind,
                      const uint8_t *bytes, size_t size, struct cairn_etmv2_state *state,
                      struct cairn_packet_fields *fields)
{
    size_t at = 1;

    if (kind == CAIRN_ETMV2_LOAD_MISS_OCCURRED)
        fields->tag = bytes[0] >> 2 & 3;
    if (kind == CAIRN_ETMV2_LOAD_MISS_DATA)
        fields->tag = bytes[0] >> 5 & 3;
    else if (bytes[0] & A_BIT)
        fields->info |= CAIRN_ETMV2_A;
    if (has_address(config, kind, bytes[0]))
        at += read_address(bytes + at, size - at, state, fields);
    if (!has_value(config, kind))
        return;
    fields->size = (uint8_t)value_size(bytes[0]);
    fields->value = read_little(bytes + at, fields->size);
    fields->flags |= CAIRN_PACKET_HAS_VALUE;
}

static void read_tfo(const struct cairn_etmv2_config *config, const uint8_t *bytes, size_t size,
                     struct cairn_etmv2_state *state, struct cairn_packet_fields *fields)
{
    const size_t context = config->context_bytes;
    const uint32_t address = cairn_load_le32(bytes + 1 + context);

    fields->reason = bytes[0] >> 5 & 3;
    if (context)
        state->context_id = read_little(bytes + 1, context);
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT | (context ? CAIRN_PACKET_HAS_CONTEXT_ID : 0);
    state->state = address & 1 ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    state->address = address & (address & 1 ? ~UINT32_C(1) : ~UINT32_C(3));
    state->address_known = 32;
    if (state->state == CAIRN_STATE_ARM && (address & 2))
        fields->flags |= CAIRN_PACKET_SBZ;
    if (fields->reason != CAIRN_ETMV2_PERIODIC) /* an interruption: the next one is whole (6.8.3) */
        state->data_known = 0;
    set_place(fields, state);
    fields->address_bits = 32;
    if (!(bytes[0] & LSM_HEADER))
        return;
    const size_t behind = 1 + context + TFO_ADDRESS;

    fields->flags |= CAIRN_PACKET_LSIP;
    fields->type = state->state;
    fields->address_bits = (uint8_t)read_branch(bytes + behind, size - behind, state);
    fields->value = state->address;
    fields->state = state->state;
    if (fields->reason == CAIRN_ETMV2_PERIODIC)
        fields->flags |= CAIRN_PACKET_CONTRADICTION;
}

enum cairn_etmv2_kind cairn_etmv2_read(const struct cairn_etmv2_config *config, bool tfo,
                                       const uint8_t *bytes, size_t size,
                                       struct cairn_etmv2_state *state,
                                       struct cairn_packet_fields *fields)
{
    enum cairn_etmv2_kind kind = kind_of(bytes[0]);

    *fields = (struct cairn_packet_fields){0};
    if (tfo) {
        kind = bytes[0] & LSM_HEADER ? CAIRN_ETMV2_LSM_IN_PROGRESS_TFO : CAIRN_ETMV2_NORMAL_TFO;
        read_tfo(config, bytes, size, state, fields);
    } else if (kind == CAIRN_ETMV2_BRANCH_ADDRESS) {
        read_branch_packet(config, bytes, size, state, fields);
    } else {
        if (bytes[0] & MORE)
            fields->info |= CAIRN_ETMV2_C;
        if (kind == CAIRN_ETMV2_CONTEXT_ID) {
            state->context_id = read_little(bytes + 1, config->context_bytes);
            fields->flags |= CAIRN_PACKET_HAS_CONTEXT | CAIRN_PACKET_HAS_CONTEXT_ID;
        } else if (kind != CAIRN_ETMV2_VALUE_NOT_TRACED) {
            read_data(config, kind, bytes, size, state, fields);
        }
    }
    fields->context.context_id = state->context_id;
    return kind;
}
