/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch packets from their fields (IHI0014 7.3.5), as short as the history allows. */
#include "protocol/etmv3/draft.h"

#define MORE 0x80u
#define INFO_FOLLOWS 0x40u

/* What the packet has to say besides the address. */
struct wanted {
    bool whole; /* five address bytes */
    bool old;   /* the deprecated exception, in the fifth byte */
    bool non_secure, hyp;
    unsigned exception;
    unsigned info; /* its information bytes: bit n for byte n */
};

static bool is_thumb_ee(unsigned state)
{
    return state == CAIRN_STATE_THUMBEE;
}

/* Table 7-10 of issue Q: which information bytes there have to be. */
static unsigned info_needed(const struct cairn_etmv3_draft *draft, const struct wanted *wanted)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const struct cairn_etmv3_state *last = &draft->state;
    const bool hyp_changes = wanted->hyp != last->hyp;
    unsigned needed = 0;

    if (fields->resume)
        needed |= 1u << 2;
    if (wanted->exception >> 4 || hyp_changes)
        needed |= 1u << 1;
    if (needed || wanted->exception || wanted->non_secure != last->non_secure ||
        is_thumb_ee(fields->state) != is_thumb_ee(last->state) ||
        cairn_etmv3_has(draft, CAIRN_PACKET_CANCEL) ||
        cairn_etmv3_has(draft, CAIRN_PACKET_HAS_INFO))
        needed |= 1u << 0;
    return needed;
}

static bool want_info(const struct cairn_etmv3_draft *draft, struct wanted *wanted)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned needed = info_needed(draft, wanted);

    wanted->info = needed;
    if (cairn_etmv3_has(draft, CAIRN_PACKET_HAS_INFO) && fields->info)
        wanted->info = fields->info;
    if (needed & ~wanted->info || wanted->info > 7 || (wanted->info && !(wanted->info & 1)))
        return false;
    return wanted->info <= 1 || draft->config->minor >= 4;
}

static bool want(const struct cairn_etmv3_draft *draft, bool is_lsip, struct wanted *wanted)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const struct cairn_etmv3_config *config = draft->config;
    const bool excepts = cairn_etmv3_has(draft, CAIRN_PACKET_HAS_EXCEPTION) && !is_lsip;

    if (fields->state > CAIRN_STATE_THUMBEE || fields->resume > 15 ||
        (is_thumb_ee(fields->state) && config->minor < 3))
        return false;
    wanted->non_secure = draft->state.non_secure;
    wanted->hyp = draft->state.hyp;
    if (cairn_etmv3_has(draft, CAIRN_PACKET_HAS_CONTEXT)) {
        if (fields->context.security > 1 || (fields->context.EL != 0 && fields->context.EL != 2))
            return false;
        wanted->non_secure = fields->context.security == CAIRN_NONSECURE;
        wanted->hyp = fields->context.EL == 2;
    }
    if (wanted->hyp && !config->virtualization)
        return false;
    wanted->whole =
        cairn_etmv3_alignment(fields->state) != cairn_etmv3_alignment(draft->state.state);
    if (excepts && fields->type >= CAIRN_ETMV3_EXCEPTION_OLD) {
        wanted->old = true;
        wanted->whole = true;
        return fields->type < CAIRN_ETMV3_EXCEPTION_OLD + 8 && fields->state == CAIRN_STATE_ARM &&
               !config->alternative && fields->resume == 0 && wanted->hyp == draft->state.hyp &&
               wanted->non_secure == draft->state.non_secure &&
               !cairn_etmv3_has(draft, CAIRN_PACKET_HAS_INFO);
    }
    if (excepts && (fields->type == 0 || fields->type > 0x1ff))
        return false;
    wanted->exception = excepts ? fields->type : 0;
    return want_info(draft, wanted);
}

/* How many low bits of an address `bytes` address bytes carry. */
static unsigned bits_of(const struct cairn_etmv3_config *config, unsigned state, unsigned bytes)
{
    const unsigned low = cairn_etmv3_alignment(state);

    if (bytes == 5)
        return 32;
    return low + 6 + 7 * (bytes - 1) - (config->alternative && bytes > 1 ? 1 : 0);
}

/* How many address bytes; 0: it cannot be. */
static unsigned choose_bytes(const struct cairn_etmv3_draft *draft, uint64_t address,
                             const struct wanted *wanted)
{
    const struct cairn_etmv3_config *config = draft->config;
    const unsigned asked = draft->fields->address_bits;
    const uint32_t changed = (uint32_t)address ^ draft->state.address;
    unsigned bytes = 1;

    /* To and from ThumbEE all of the address is sent (Table 7-14), and where nothing is known of
     * the one before. */
    const bool begins = draft->state.address_known < 32 ||
                        is_thumb_ee(draft->fields->state) != is_thumb_ee(draft->state.state);

    if (wanted->whole || (wanted->info && !config->alternative) || (asked == 0 && begins))
        bytes = 5;
    else if (wanted->info)
        bytes = 2;
    for (; bytes <= 5; bytes++) {
        const unsigned bits = bits_of(config, draft->fields->state, bytes);
        if (changed & ~(uint32_t)cairn_etmv3_mask(bits))
            continue;
        if (asked == 0 || asked == bits)
            return bytes;
    }
    return 0;
}

/* The fifth byte: the state by its highest ones. */
static unsigned last_byte(const struct cairn_etmv3_draft *draft, uint64_t rest,
                          const struct wanted *wanted)
{
    const struct cairn_packet_fields *fields = draft->fields;

    if (wanted->old)
        return MORE | (cairn_etmv3_has(draft, CAIRN_PACKET_CANCEL) ? 0x40u : 0) |
               (fields->type & 7u) << 3 | (unsigned)rest;
    const unsigned info = wanted->info ? INFO_FOLLOWS : 0;
    switch (fields->state) {
    case CAIRN_STATE_ARM: return info | 0x08u | (unsigned)rest;
    case CAIRN_STATE_JAZELLE: return info | 0x20u | (unsigned)rest;
    default: return info | 0x10u | (unsigned)rest;
    }
}

static void put_address(struct cairn_etmv3_draft *draft, uint64_t address, unsigned bytes,
                        const struct wanted *wanted)
{
    uint64_t rest = address >> cairn_etmv3_alignment(draft->fields->state);

    cairn_etmv3_put(draft, 1u | ((unsigned)rest & 0x3f) << 1 | (bytes > 1 ? MORE : 0));
    rest >>= 6;
    for (unsigned i = 2; i <= bytes; i++) {
        if (i == 5)
            cairn_etmv3_put(draft, last_byte(draft, rest, wanted));
        else if (i < bytes)
            cairn_etmv3_put(draft, MORE | ((unsigned)rest & 0x7f));
        else if (draft->config->alternative)
            cairn_etmv3_put(draft, ((unsigned)rest & 0x3f) | (wanted->info ? INFO_FOLLOWS : 0));
        else
            cairn_etmv3_put(draft, (unsigned)rest & 0x7f);
        rest >>= 7;
    }
}

static void put_info(struct cairn_etmv3_draft *draft, const struct wanted *wanted)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const bool cancels = cairn_etmv3_has(draft, CAIRN_PACKET_CANCEL);

    if (wanted->info & 1u << 0)
        cairn_etmv3_put(draft, (wanted->info > 1 ? MORE : 0) |
                                   (is_thumb_ee(fields->state) ? 0x40u : 0) |
                                   (cancels ? 0x20u : 0) | (wanted->exception & 0xf) << 1 |
                                   (wanted->non_secure ? 1u : 0));
    if (wanted->info & 1u << 1)
        cairn_etmv3_put(draft, (wanted->info & 1u << 2 ? MORE : 0) | (wanted->hyp ? 0x20u : 0) |
                                   wanted->exception >> 4);
    if (wanted->info & 1u << 2)
        cairn_etmv3_put(draft, 0x40u | fields->resume);
}

bool cairn_etmv3_put_branch(struct cairn_etmv3_draft *draft, uint64_t address, bool is_lsip)
{
    struct wanted wanted = {0};
    const uint64_t below = cairn_etmv3_mask(cairn_etmv3_alignment(draft->fields->state));

    if (address > UINT32_MAX || address & below || !want(draft, is_lsip, &wanted))
        return false;
    const unsigned bytes = choose_bytes(draft, address, &wanted);
    if (bytes == 0)
        return false;
    put_address(draft, address, bytes, &wanted);
    put_info(draft, &wanted);
    draft->state.address = (uint32_t)address;
    if (bytes == 5)
        draft->state.address_known = 32;
    if (cairn_etmv3_is_halting(draft->config, draft->fields))
        return true;
    draft->state.state = draft->fields->state;
    draft->state.non_secure = wanted.non_secure;
    draft->state.hyp = wanted.hyp;
    return true;
}
