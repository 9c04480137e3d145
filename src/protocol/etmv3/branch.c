/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch packets in both encodings (IHI0014 7.3.5). */
#include "protocol/etmv3/payload.h"

#define MORE 0x80u
#define INFO_FOLLOWS 0x40u
#define OLD_CANCEL 0x40u /* of the fifth byte with a deprecated exception */

/* Information bytes: C, AltISA, Can, Exception[3:0], NS; C, 0, Hyp, Exception[8:4]; 0, 1, SBZ, SBZ,
 * Resume. */
#define BYTE0_ALT 0x40u
#define BYTE0_CANCEL 0x20u
#define BYTE1_HYP 0x20u
#define BYTE2 0x40u /* tells the third from the second */
#define BYTE2_SBZ 0xb0u

/* Where the vectors stand from their base, wherever that is. */
#define VECTOR_MASK 0x1cu
#define VECTOR_UNDEFINED 0x04u
#define VECTOR_SVC 0x08u
#define VECTOR_DATA_ABORT 0x10u

/* The address bytes. */
struct address {
    uint64_t bits; /* from the state's alignment up */
    unsigned count;
    bool whole;     /* five bytes */
    unsigned state; /* with `whole`: ARM, THUMB or JAZELLE */
    bool has_info;
};

static void add(struct address *address, unsigned value, unsigned count)
{
    address->bits |= (uint64_t)(value & ((1u << count) - 1)) << address->count;
    address->count += count;
}

/* The fifth byte. */
static void read_last(const struct cairn_etmv3_config *config, struct cairn_etmv3_cursor *in,
                      bool is_lsip, struct address *address, struct cairn_packet_fields *fields)
{
    const unsigned byte = cairn_etmv3_next(in);

    if (in->dry)
        return;
    address->whole = true;
    address->has_info = (byte & INFO_FOLLOWS) != 0;
    if (byte & MORE) {
        in->malformed = config->alternative || is_lsip;
        add(address, byte, 3);
        address->state = CAIRN_STATE_ARM;
        address->has_info = false;
        fields->flags |= CAIRN_PACKET_HAS_EXCEPTION;
        fields->flags |= byte & OLD_CANCEL ? CAIRN_PACKET_CANCEL : 0;
        fields->type = (uint16_t)(CAIRN_ETMV3_EXCEPTION_OLD | (byte >> 3 & 7));
    } else if (byte & 0x20) {
        add(address, byte, 5);
        address->state = CAIRN_STATE_JAZELLE;
    } else if (byte & 0x10) {
        add(address, byte, 4);
        address->state = CAIRN_STATE_THUMB;
    } else if (byte & 0x08) {
        add(address, byte, 3);
        address->state = CAIRN_STATE_ARM;
    } else {
        in->malformed = true;
    }
}

static struct address read_address(const struct cairn_etmv3_config *config,
                                   struct cairn_etmv3_cursor *in, bool is_lsip,
                                   struct cairn_packet_fields *fields)
{
    struct address address = {0};
    unsigned byte = cairn_etmv3_next(in);

    in->sbz |= is_lsip && !(byte & 1); /* in a packet of its own it is what makes it a branch */
    add(&address, byte >> 1, 6);
    for (unsigned i = 1; i < 4 && byte & MORE; i++) {
        byte = cairn_etmv3_next(in);
        if (config->alternative && !(byte & MORE)) {
            add(&address, byte, 6);
            address.has_info = (byte & INFO_FOLLOWS) != 0;
        } else {
            add(&address, byte, 7);
        }
    }
    if (byte & MORE)
        read_last(config, in, is_lsip, &address, fields);
    return address;
}

/* Information byte 1 or 2, and what follows it. */
static void read_more_info(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                           struct cairn_etmv3_cursor *in, struct cairn_packet_fields *fields)
{
    unsigned byte = cairn_etmv3_next(in);

    if (!(byte & BYTE2)) {
        fields->info |= 1u << 1;
        fields->type = (uint16_t)(fields->type | (byte & 0x1f) << 4);
        if (config->virtualization)
            state->hyp = (byte & BYTE1_HYP) != 0;
        else if (byte & BYTE1_HYP)
            in->sbz = true;
        if (!(byte & MORE))
            return;
        byte = cairn_etmv3_next(in);
        if (!in->dry && !(byte & BYTE2))
            in->malformed = true;
    }
    fields->info |= 1u << 2;
    fields->resume = byte & 0x0f;
    if (byte & BYTE2_SBZ)
        in->sbz = true;
}

/* The deprecated exceptions that only the vector tells apart: a data abort cancels, Undefined
 * Instruction and SVC do not, the others may (Table 7-9). */
static bool old_contradicts(const struct cairn_etmv3_state *state, unsigned type, bool cancels)
{
    if (type != CAIRN_ETMV3_EXCEPTION_OLD)
        return false;
    switch (state->address & VECTOR_MASK) {
    case VECTOR_UNDEFINED:
    case VECTOR_SVC: return cancels;
    case VECTOR_DATA_ABORT: return !cancels;
    default: return false;
    }
}

/* A and R profile: SMC, SVC and Undefined Instruction leave the last instruction as it is, a reset
 * always cancels it (Table 4-2); nothing is resumed. */
static bool contradicts(const struct cairn_etmv3_config *config,
                        const struct cairn_packet_fields *fields, bool cancels)
{
    switch (fields->type) {
    case CAIRN_ETMV3_SECURE_MONITOR_CALL:
    case CAIRN_ETMV3_UNDEFINED:
    case CAIRN_ETMV3_SUPERVISOR_CALL:
        if (cancels)
            return true;
        break;
    case CAIRN_ETMV3_RESET:
        if (!cancels)
            return true;
        break;
    default: break;
    }
    return fields->info & 1u << 2 || (fields->info & 1u << 1 && !config->virtualization);
}

/* M profile: an instruction is paused only by an exception, and resumed only without one (Table
 * 7-18); with all three bytes it is paused (Figure 7-29). Instruction-only trace has no byte 2. */
static bool m_contradicts(const struct cairn_etmv3_config *config,
                          const struct cairn_packet_fields *fields, bool cancels)
{
    const bool excepts = fields->type != 0;
    const bool has_data = config->data_value || config->data_address || config->cprt;

    if (fields->resume && cancels != excepts)
        return true;
    return (fields->info == 7 && !cancels) || (fields->info & 1u << 2 && !has_data);
}

/* Whether all that the packet says can be of one event. */
static bool is_contradiction(const struct cairn_etmv3_config *config,
                             const struct cairn_etmv3_state *state,
                             const struct cairn_packet_fields *fields)
{
    const bool cancels = fields->flags & CAIRN_PACKET_CANCEL;

    if (fields->flags & CAIRN_PACKET_HAS_EXCEPTION && cairn_etmv3_is_reserved(config, fields->type))
        return true;
    if (!(fields->flags & CAIRN_PACKET_HAS_INFO))
        return fields->flags & CAIRN_PACKET_HAS_EXCEPTION &&
               old_contradicts(state, fields->type, cancels);
    if ((cancels && fields->type == 0) || cairn_etmv3_security_contradicts(config, state))
        return true;
    return config->m_profile ? m_contradicts(config, fields, cancels)
                             : contradicts(config, fields, cancels);
}

/* Returns AltISA. */
static bool read_info(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                      struct cairn_etmv3_cursor *in, struct cairn_packet_fields *fields)
{
    const unsigned byte = cairn_etmv3_next(in);

    fields->flags |= CAIRN_PACKET_HAS_INFO | CAIRN_PACKET_HAS_CONTEXT;
    fields->flags |= byte & BYTE0_CANCEL ? CAIRN_PACKET_CANCEL : 0;
    fields->info = 1u << 0;
    fields->type = byte >> 1 & 0x0f;
    state->non_secure = byte & 1;
    if (byte & MORE && config->minor >= 4)
        read_more_info(config, state, in, fields);
    else if (byte & MORE || (byte & BYTE0_ALT && config->minor < 3))
        in->sbz = true;
    if (fields->type != 0)
        fields->flags |= CAIRN_PACKET_HAS_EXCEPTION;
    return byte & BYTE0_ALT && config->minor >= 3;
}

static bool is_reset(const struct cairn_etmv3_config *config, const struct cairn_etmv3_state *state,
                     const struct cairn_packet_fields *fields)
{
    if (config->m_profile || !(fields->flags & CAIRN_PACKET_HAS_EXCEPTION))
        return false;
    return fields->type == CAIRN_ETMV3_RESET ||
           (fields->type == CAIRN_ETMV3_EXCEPTION_OLD && (state->address & VECTOR_MASK) == 0);
}

/* The VMID becomes 0, of which there may be no packet (7.3.7 of issue Q), the Context ID unknown
 * (4.7 of issue Q). */
static void reset(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                  struct cairn_packet_fields *fields)
{
    state->vmid = 0;
    state->context_id = 0;
    fields->flags |= config->vmid ? CAIRN_PACKET_HAS_VMID : 0;
}

void cairn_etmv3_branch(const struct cairn_etmv3_config *config, struct cairn_etmv3_state *state,
                        struct cairn_etmv3_cursor *in, bool is_lsip,
                        struct cairn_packet_fields *fields)
{
    const struct cairn_etmv3_state before = *state;
    const struct address address = read_address(config, in, is_lsip, fields);
    bool alt = state->state == CAIRN_STATE_THUMBEE;

    if (address.whole)
        state->state = (uint8_t)address.state;
    else if (alt)
        state->state = CAIRN_STATE_THUMB;
    if (address.has_info && !in->malformed)
        alt = read_info(config, state, in, fields);
    if (alt && state->state == CAIRN_STATE_THUMB)
        state->state = CAIRN_STATE_THUMBEE;
    else if (alt)
        in->sbz = true; /* a change from ThumbEE says so in an information byte */
    /* All of the address is sent to and from ThumbEE (Table 7-14). */
    in->contradiction |= !address.whole && (before.state == CAIRN_STATE_THUMBEE) !=
                                               (state->state == CAIRN_STATE_THUMBEE);
    const unsigned low = cairn_etmv3_alignment(state->state);
    const unsigned bits = low + address.count;
    const uint32_t mask = (uint32_t)cairn_etmv3_mask(bits);

    state->address = (state->address & ~mask) | ((uint32_t)(address.bits << low) & mask);
    if (bits > state->address_known)
        state->address_known = (uint8_t)bits;
    fields->address_bits = (uint8_t)bits;
    fields->state = state->state;
    if (cairn_etmv3_is_halting(config, fields)) {
        /* Its address is the last one that was output all the same. */
        fields->flags &= ~CAIRN_PACKET_HAS_CONTEXT;
        state->state = before.state;
        state->non_secure = before.non_secure;
        state->hyp = before.hyp;
    } else if (is_reset(config, state, fields)) {
        reset(config, state, fields);
    }
    in->contradiction |= !in->dry && !in->malformed && is_contradiction(config, state, fields);
}
