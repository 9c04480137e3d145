/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload of one packet: bytes -> fields, with the decompression state it needs (IHI0035 4.5). */
#include "protocol/ptm/ptm.h"

#include <string.h>

/* Branch address bytes (4.5.4). The payload bits of all of them, low ones first, are the address
 * without its alignment bits. */
enum {
    MORE = 0x80,       /* another address byte follows */
    INFO_NEXT = 0x40,  /* in the last address byte, but not in the first: information follows */
    FIRST_BITS = 6,    /* of the first byte, above its bit 0 */
    FULL_BITS = 7,     /* of bytes 1 to 3 with another one behind */
    LAST_BITS = 6,     /* of bytes 1 to 3 that are the last */
    ADDRESS_BYTES = 5, /* the fifth is the last, and says the alignment */
    LOW_BITS = FIRST_BITS + 3 * FULL_BITS, /* of the four bytes before it */
};

/* Information bytes of a branch address packet (4.5.4). */
enum {
    INFO0_MORE = 0x80,
    INFO0_ALT_IS = 0x40,
    INFO0_SBZ = 0x20,
    INFO0_EXCEPTION = 0x0f, /* above bit 0 */
    INFO0_NS = 0x01,
    INFO1_SBZ = 0xc0,
    INFO1_HYP = 0x20,
    INFO1_EXCEPTION = 0x1f, /* bits 8:4 */
    EXCEPTION_RESET = 8,    /* of A and R profile cores */
};

/* The information byte of I-sync (4.5.2), and that of a waypoint update (4.5.5). */
enum {
    SYNC_SBZ = 0x90,
    SYNC_REASON = 5,
    SYNC_NS = 0x08,
    SYNC_ALT_IS = 0x04,
    SYNC_HYP = 0x02,
    SYNC_ONE = 0x01,
    SYNC_THUMB = 0x01, /* in the first byte of its address */
    WAYPOINT_ALT_IS = 0x40,
};

/* Cycle counts (4.5.2 to 4.5.4). */
enum {
    COUNT_TOP = 0x80, /* bit 7 of the first byte: 1 in an I-sync, else 0 */
    COUNT_MORE = 0x40,
    COUNT_SBZ = 0x03,
    COUNT_SHIFT = 2,
    COUNT_BITS = 4,
    COUNT_NEXT_MORE = 0x80,
    COUNT_NEXT_BITS = 7,
    COUNT_BYTES = 5,
};

enum {
    ATOM_N = 0x02, /* the newest atom of an atom header; 1 is N */
    ATOMS_MOST = 5,
    TIMESTAMP_R = 0x04,
    TIMESTAMP_GROUP = 7,
    TIMESTAMP_MORE = 0x80,
};

/* Reads payload bytes one after the other; runs dry instead of overrunning. */
struct cursor {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool dry;
    bool sbz; /* something that should be zero is not, or the other way round */
};

static unsigned next(struct cursor *in)
{
    if (in->at == in->size) {
        in->dry = true;
        return 0;
    }
    return in->bytes[in->at++];
}

static uint32_t little_endian(struct cursor *in, unsigned count)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)next(in) << (8 * i);
    return value;
}

/* The count that begins with `first`, an atom's header or a byte of its own. */
static uint32_t read_count(struct cursor *in, unsigned first)
{
    uint32_t value = (first >> COUNT_SHIFT) & ((1u << COUNT_BITS) - 1);
    unsigned shift = COUNT_BITS;
    bool more = (first & COUNT_MORE) != 0;

    for (unsigned i = 1; more; i++) {
        const unsigned byte = next(in);

        value |= (uint32_t)(byte & ~(unsigned)COUNT_NEXT_MORE) << shift;
        shift += COUNT_NEXT_BITS;
        more = (byte & COUNT_NEXT_MORE) != 0;
        if (more && i == COUNT_BYTES - 1) {
            in->sbz = true;
            break;
        }
    }
    return value;
}

static void take_count(struct cursor *in, unsigned top, struct cairn_packet_fields *fields)
{
    const unsigned first = next(in);

    if (!in->dry && ((first & COUNT_SBZ) != 0 || (first & COUNT_TOP) != top))
        in->sbz = true;
    fields->cycles = read_count(in, first);
    if (fields->cycles != CAIRN_PTM_OVERFLOW)
        fields->flags |= CAIRN_PACKET_HAS_CYCLES;
}

/* ARM addresses are words, Thumb halfwords, Jazelle bytes. */
static unsigned alignment_bits(unsigned alignment)
{
    return alignment == CAIRN_STATE_ARM ? 2 : alignment == CAIRN_STATE_THUMB ? 1 : 0;
}

static uint32_t low_mask(unsigned count)
{
    return (uint32_t)((UINT64_C(1) << count) - 1);
}

static uint8_t state_of(unsigned alignment, bool alt_is)
{
    return alignment == CAIRN_STATE_THUMB && alt_is ? CAIRN_STATE_THUMBEE : (uint8_t)alignment;
}

static void give_address(const struct cairn_ptm_state *state, unsigned bits,
                         struct cairn_packet_fields *fields)
{
    if (state->address_known)
        fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
    fields->address = state->address;
    fields->address_bits = (uint8_t)bits;
    fields->state = state_of(state->alignment, state->alt_is);
    fields->sub_isa = state->alignment == CAIRN_STATE_THUMB;
}

struct cairn_context cairn_ptm_context(const struct cairn_ptm_state *state)
{
    return (struct cairn_context){
        .EL = state->hyp ? 2 : 0,
        .security = state->non_secure ? CAIRN_NONSECURE : CAIRN_SECURE,
        .vmid = state->vmid,
        .context_id = state->context_id,
    };
}

static void give_context(const struct cairn_ptm_state *state, struct cairn_packet_fields *fields)
{
    fields->context = cairn_ptm_context(state);
}

/* The alignment that the fifth address byte says, and its address bits. */
static bool fifth_byte(unsigned byte, uint8_t *alignment, unsigned *payload)
{
    if ((byte & 0x20) != 0) {
        *alignment = CAIRN_STATE_JAZELLE;
        *payload = byte & 0x1f;
    } else if ((byte & 0x10) != 0) {
        *alignment = CAIRN_STATE_THUMB;
        *payload = byte & 0x0f;
    } else if ((byte & 0x08) != 0) {
        *alignment = CAIRN_STATE_ARM;
        *payload = byte & 0x07;
    } else {
        return false;
    }
    return true;
}

/* Address bytes from `first` on: address, alignment and, when all are there, whether it is known.
 * `bits`: how many low bits came; `info`: an information byte follows. False: reserved. */
static bool read_address(struct cursor *in, unsigned first, struct cairn_ptm_state *state,
                         unsigned *bits, bool *info)
{
    uint32_t payload = (first >> 1) & low_mask(FIRST_BITS);
    unsigned count = FIRST_BITS;
    unsigned byte = first;

    *info = false;
    for (unsigned i = 1; (byte & MORE) != 0 && i < ADDRESS_BYTES - 1; i++) {
        byte = next(in);
        const unsigned width = (byte & MORE) != 0 ? FULL_BITS : LAST_BITS;

        payload |= (byte & low_mask(width)) << count;
        count += width;
        *info = (byte & INFO_NEXT) != 0;
    }
    if ((byte & MORE) != 0) {
        unsigned top;

        byte = next(in);
        if (in->dry)
            return true;
        if (!fifth_byte(byte, &state->alignment, &top))
            return false;
        if ((byte & MORE) != 0)
            in->sbz = true;
        payload |= top << LOW_BITS;
        *bits = 32;
        *info = (byte & INFO_NEXT) != 0;
        state->address = payload << alignment_bits(state->alignment);
        if (state->alt_is && state->alignment != CAIRN_STATE_THUMB) {
            state->alt_is = false;
            in->sbz |= !*info; /* a change from ThumbEE says so in an information byte */
        }
        state->address_known = true;
        return true;
    }
    const unsigned shift = alignment_bits(state->alignment);

    *bits = count + shift;
    state->address = (state->address & ~low_mask(*bits)) | (payload << shift);
    return true;
}

/* There is ThumbEE where there is Thumb, elsewhere the bit should be zero. */
static void take_alt_is(struct cursor *in, struct cairn_ptm_state *state, bool alt_is)
{
    state->alt_is = alt_is && state->alignment == CAIRN_STATE_THUMB;
    if (state->address_known && state->alt_is != alt_is)
        in->sbz = true;
}

static bool branch(struct cursor *in, const struct cairn_ptm_config *config,
                   struct cairn_ptm_state *state, struct cairn_packet_fields *fields)
{
    unsigned bits = 0;
    bool info;

    if (!read_address(in, in->bytes[0], state, &bits, &info))
        return false;
    if (info) {
        const unsigned info0 = next(in);

        fields->info = 1;
        take_alt_is(in, state, (info0 & INFO0_ALT_IS) != 0);
        state->non_secure = (info0 & INFO0_NS) != 0;
        fields->type = (info0 >> 1) & INFO0_EXCEPTION;
        if ((info0 & INFO0_SBZ) != 0)
            in->sbz = true;
        if ((info0 & INFO0_MORE) != 0) {
            const unsigned info1 = next(in);

            fields->info = 2;
            fields->type |= (uint16_t)((info1 & INFO1_EXCEPTION) << 4);
            if (config->virtualization)
                state->hyp = (info1 & INFO1_HYP) != 0;
            else if ((info1 & INFO1_HYP) != 0)
                in->sbz = true;
            if ((info1 & INFO1_SBZ) != 0)
                in->sbz = true;
        }
        fields->flags |= CAIRN_PACKET_HAS_INFO | CAIRN_PACKET_HAS_CONTEXT;
        if (fields->type != 0)
            fields->flags |= CAIRN_PACKET_HAS_EXCEPTION;
        if (fields->type == EXCEPTION_RESET && !config->m_profile)
            state->vmid = 0; /* that change may have no packet of its own (4.5.8) */
    }
    if (config->cycle_accurate)
        take_count(in, 0, fields);
    give_address(state, bits, fields);
    give_context(state, fields);
    return true;
}

/* Its address is compressed like that of a branch, but nothing is compressed against it (4.5.5). */
static bool waypoint_update(struct cursor *in, const struct cairn_ptm_state *state,
                            struct cairn_packet_fields *fields)
{
    struct cairn_ptm_state at = *state;
    unsigned bits = 0;
    bool info;
    const unsigned first = next(in);

    if (in->dry)
        return true;
    if (!read_address(in, first, &at, &bits, &info) || at.alignment == CAIRN_STATE_JAZELLE)
        return false;
    if ((first & 1) == 0)
        in->sbz = true;
    if (info) {
        const unsigned byte = next(in);

        take_alt_is(in, &at, (byte & WAYPOINT_ALT_IS) != 0);
        if ((byte & ~(unsigned)WAYPOINT_ALT_IS) != 0)
            in->sbz = true;
        fields->flags |= CAIRN_PACKET_HAS_INFO;
        fields->info = 1;
    }
    give_address(&at, bits, fields);
    give_context(&at, fields);
    return true;
}

static void instruction_sync(struct cursor *in, const struct cairn_ptm_config *config,
                             struct cairn_ptm_state *state, struct cairn_packet_fields *fields)
{
    const uint32_t address = little_endian(in, 4);
    const unsigned info = next(in);
    const bool thumb = (address & SYNC_THUMB) != 0;

    if (in->dry)
        return;
    fields->reason = (info >> SYNC_REASON) & 3;
    if ((info & SYNC_SBZ) != 0 || (info & SYNC_ONE) == 0)
        in->sbz = true;
    if ((!thumb && (info & SYNC_ALT_IS) != 0) ||
        (!config->virtualization && (info & SYNC_HYP) != 0))
        in->sbz = true;
    if (config->cycle_accurate && fields->reason != CAIRN_PTM_PERIODIC) {
        take_count(in, COUNT_TOP, fields);
        if (cairn_ptm_count_is_junk(config, CAIRN_PTM_INSTRUCTION_SYNC, fields->reason))
            fields->flags &= ~(uint32_t)CAIRN_PACKET_HAS_CYCLES;
    }
    if (config->context_id_size != 0) {
        state->context_id = little_endian(in, config->context_id_size);
        fields->flags |= CAIRN_PACKET_HAS_CONTEXT_ID;
    }
    state->address = address & ~(uint32_t)SYNC_THUMB;
    state->address_known = true;
    state->alignment = thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    state->alt_is = thumb && (info & SYNC_ALT_IS) != 0;
    state->non_secure = (info & SYNC_NS) != 0;
    state->hyp = config->virtualization && (info & SYNC_HYP) != 0;
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT;
    give_address(state, 32, fields);
    give_context(state, fields);
}

/* The highest one below bit 7 tells how many atoms stand beneath it; the first of them is the
 * oldest. */
static bool atoms(struct cursor *in, const struct cairn_ptm_config *config,
                  struct cairn_packet_fields *fields)
{
    const unsigned header = in->bytes[0];
    unsigned count = ATOMS_MOST;

    if (config->cycle_accurate) {
        fields->atom_count = 1;
        fields->atoms = (header & ATOM_N) == 0;
        fields->cycles = read_count(in, header);
        if (fields->cycles != CAIRN_PTM_OVERFLOW)
            fields->flags |= CAIRN_PACKET_HAS_CYCLES;
        return true;
    }
    while (count > 0 && (header & (2u << count)) == 0)
        count--;
    if (count == 0)
        return false;
    fields->atom_count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++)
        if ((header & (1u << (count - i))) == 0)
            fields->atoms |= 1u << i;
    return true;
}

/* Each bit of the binary value is all bits of the Gray code from there up, exclusively or'ed. */
static uint64_t from_gray(uint64_t gray)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        gray ^= gray >> shift;
    return gray;
}

static void timestamp(struct cursor *in, const struct cairn_ptm_config *config,
                      struct cairn_ptm_state *state, struct cairn_packet_fields *fields)
{
    const unsigned width = config->timestamp_bits;
    /* 48 bits are seven groups of seven; of 64 bits the last group has eight. */
    const unsigned most = width / TIMESTAMP_GROUP + (width == 48 ? 1 : 0);
    unsigned count = 0;
    unsigned byte;

    do {
        const unsigned shift = TIMESTAMP_GROUP * count;
        unsigned group = TIMESTAMP_GROUP;

        byte = next(in);
        if (++count == most) {
            group = width - shift;
            if (byte >> group != 0)
                in->sbz = true;
        }
        const uint64_t mask = (uint64_t)low_mask(group) << shift;

        state->timestamp = (state->timestamp & ~mask) | (((uint64_t)byte << shift) & mask);
        if (state->timestamp_known < shift + group)
            state->timestamp_known = (uint8_t)(shift + group);
    } while (count < most && (byte & TIMESTAMP_MORE) != 0);
    fields->size = (uint8_t)count;
    fields->info = (in->bytes[0] & TIMESTAMP_R) != 0;
    fields->value = config->timestamp_binary ? state->timestamp : from_gray(state->timestamp);
    if (state->timestamp_known == width)
        fields->flags |= CAIRN_PACKET_HAS_TIMESTAMP;
    if (config->cycle_accurate) {
        take_count(in, 0, fields);
        if (config->minor >= 1 && fields->cycles != 0)
            in->sbz = true; /* it is of the last waypoint, which had its count (4.4) */
    }
}

enum cairn_ptm_take cairn_ptm_payload(const struct cairn_ptm_config *config, unsigned kind,
                                      struct cairn_ptm_state *state, const uint8_t *bytes,
                                      size_t size, size_t *length,
                                      struct cairn_packet_fields *fields)
{
    struct cursor in = {.bytes = bytes, .size = size, .at = 1};
    struct cairn_ptm_state moved = *state;
    bool legal = true;

    memset(fields, 0, sizeof *fields);
    switch ((enum cairn_ptm_kind)kind) {
    case CAIRN_PTM_BRANCH_ADDRESS: legal = branch(&in, config, &moved, fields); break;
    case CAIRN_PTM_ATOM: legal = atoms(&in, config, fields); break;
    case CAIRN_PTM_INSTRUCTION_SYNC: instruction_sync(&in, config, &moved, fields); break;
    case CAIRN_PTM_WAYPOINT_UPDATE: legal = waypoint_update(&in, &moved, fields); break;
    case CAIRN_PTM_TIMESTAMP: timestamp(&in, config, &moved, fields); break;
    case CAIRN_PTM_CONTEXT_ID:
        moved.context_id = little_endian(&in, config->context_id_size);
        fields->flags |= CAIRN_PACKET_HAS_CONTEXT_ID;
        give_context(&moved, fields);
        break;
    case CAIRN_PTM_VMID:
        moved.vmid = (uint8_t)next(&in);
        fields->flags |= CAIRN_PACKET_HAS_VMID;
        give_context(&moved, fields);
        break;
    case CAIRN_PTM_TRIGGER:
    case CAIRN_PTM_IGNORE:
    case CAIRN_PTM_EXCEPTION_RETURN: break;
    case CAIRN_PTM_NOT_SYNC:
    case CAIRN_PTM_RESERVED:
    case CAIRN_PTM_CUT:
    case CAIRN_PTM_INCOMPLETE_SYNC:
    case CAIRN_PTM_INCOMPLETE:
    case CAIRN_PTM_ALIGNMENT_SYNC: legal = false; break;
    }
    if (in.dry)
        return CAIRN_PTM_MORE;
    *length = in.at;
    if (!legal)
        return CAIRN_PTM_BROKEN;
    if (in.sbz)
        fields->flags |= CAIRN_PACKET_SBZ;
    *state = moved;
    return CAIRN_PTM_WHOLE;
}

void cairn_ptm_headers(const struct cairn_ptm_config *config, uint8_t kinds[256])
{
    static const struct {
        uint8_t kind, mask, header;
    } table[] = {
#define ROW(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) {CAIRN_PTM_##NAME, MASK, HEADER},
        CAIRN_PTM_PACKETS(ROW)
#undef ROW
    };

    memset(kinds, CAIRN_PTM_RESERVED, 256);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if ((table[i].kind == CAIRN_PTM_VMID && config->minor == 0) ||
            (table[i].kind == CAIRN_PTM_CONTEXT_ID && config->context_id_size == 0))
            continue;
        for (unsigned header = 0; header < 256; header++)
            if ((header & table[i].mask) == table[i].header)
                kinds[header] = table[i].kind;
    }
    if (!config->cycle_accurate) /* atom headers without an atom */
        kinds[0x80] = kinds[0x82] = CAIRN_PTM_RESERVED;
}
