/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet writer: fields -> the bytes of one packet of exactly the kind asked for. It shares no
 * table with the parser, so that each checks the other.
 *
 * The members that a kind takes are those that <cairn/ptm.h> says it has; others are ignored.
 *   address_bits   how many low bits of the address to carry; 0: as few as can be (table 4-5)
 *   info           how many information bytes at least; 0: as many as are needed
 *   size           of a timestamp: how many bytes of its value; 0: as few as can be
 *   +CONTEXT       of a branch: NS and Hyp may change; without it both stay
 *   +EXCEPTION     of a branch: `type`; without it there is none
 *   +CYCLES        the count; without it, in a source with counts, it is the unknown one
 * An address that is not aligned for its state, a count in a source without counts, or a change
 * that the sizes asked for cannot carry, is not expressed. */
#include "protocol/ptm/ptm.h"

#include <stdlib.h>
#include <string.h>

/* Headers, table 4-1. */
#define HEADER_I_SYNC 0x08u
#define HEADER_TRIGGER 0x0cu
#define HEADER_VMID 0x3cu
#define HEADER_TIMESTAMP 0x42u
#define TIMESTAMP_R 0x04u
#define HEADER_IGNORE 0x66u
#define HEADER_CONTEXT_ID 0x6eu
#define HEADER_WAYPOINT_UPDATE 0x72u
#define HEADER_EXCEPTION_RETURN 0x76u
#define HEADER_ATOM 0x80u

#define CONTINUE 0x80u
#define EXCEPTION_MAX 0x1ffu
#define VMID_MAX 0xffu
/* bit 7 of the first count byte in an I-sync, which keeps it from 00 */
#define SYNC_COUNT_TOP 0x80u

struct writer {
    struct cairn_config *config;
    struct cairn_ptm_state state;
};

struct draft {
    const struct cairn_ptm_config *ptm;
    const struct cairn_packet_fields *fields;
    struct cairn_ptm_state state;
    uint8_t bytes[CAIRN_PTM_LONGEST + 1];
    size_t size;
};

cairn_status cairn_ptm_writer_new(struct cairn_config *config, void **writer)
{
    struct writer *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->config = cairn_config_ref(config);
    made->state = cairn_ptm_unknown(cairn_ptm_of(config));
    *writer = made;
    return CAIRN_OK;
}

void cairn_ptm_writer_free(void *writer)
{
    struct writer *w = writer;
    if (!w)
        return;
    cairn_config_unref(w->config);
    free(w);
}

static bool has(const struct draft *draft, uint32_t flag)
{
    return (draft->fields->flags & flag) != 0;
}

static bool ptm_write_put(struct draft *draft, unsigned byte)
{
    if (draft->size == sizeof draft->bytes)
        return false; /* no packet is as long */
    draft->bytes[draft->size++] = (uint8_t)byte;
    return true;
}

static void put_little_endian(struct draft *draft, uint32_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ptm_write_put(draft, value >> (8 * i) & 0xff);
}

/* --- cycle counts: figures 4-29 to 4-34 --- */

/* The count to write. False: the fields ask for one that cannot be there. */
static bool choose_count(const struct draft *draft, bool junk, uint32_t *count)
{
    if (!draft->ptm->cycle_accurate)
        return !has(draft, CAIRN_PACKET_HAS_CYCLES);
    *count = draft->fields->cycles;
    if (junk)
        return !has(draft, CAIRN_PACKET_HAS_CYCLES);
    if (!has(draft, CAIRN_PACKET_HAS_CYCLES))
        *count = CAIRN_PTM_OVERFLOW;
    else if (*count == CAIRN_PTM_OVERFLOW)
        return false;
    return true;
}

/* Four bits of the count and `more`, bit 6, in the first byte over what else it holds. */
static void put_count(struct draft *draft, unsigned rest, uint32_t count)
{
    ptm_write_put(draft, rest | (count & 0xf) << 2 | (count > 0xf ? 0x40u : 0));
    for (count >>= 4; count != 0; count >>= 7)
        ptm_write_put(draft, (count & 0x7f) | (count > 0x7f ? CONTINUE : 0));
}

static bool put_count_behind(struct draft *draft)
{
    uint32_t count = 0;
    if (!choose_count(draft, false, &count))
        return false;
    if (draft->ptm->cycle_accurate)
        put_count(draft, 0, count);
    return true;
}

/* --- addresses --- */

/* The lowest bit of an address in its state, or 32 for a state that does not exist. */
static unsigned lowest_bit(unsigned state)
{
    switch (state) {
    case CAIRN_STATE_ARM: return 2;
    case CAIRN_STATE_THUMB:
    case CAIRN_STATE_THUMBEE: return 1;
    case CAIRN_STATE_JAZELLE: return 0;
    default: return 32;
    }
}

static unsigned alignment_of(unsigned state)
{
    return state == CAIRN_STATE_THUMBEE ? CAIRN_STATE_THUMB : state;
}

/* How many address bytes: table 4-5. 0: as the fields want it, it cannot be. */
static unsigned address_bytes(const struct draft *draft, bool info)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned low = lowest_bit(fields->state);
    /* Up to the bit at each place, when the packet ends there, and without information. */
    const unsigned tops[] = {low + 6, low + 12, low + 19, low + 26};
    const uint32_t changed = draft->state.address ^ (uint32_t)fields->address;
    unsigned needed = info ? 2 : 1;

    while (needed <= 4 && (uint64_t)changed >> tops[needed - 1] != 0)
        needed++;
    if (alignment_of(fields->state) != draft->state.alignment ||
        alignment_of(fields->state) == CAIRN_STATE_JAZELLE)
        needed = 5;
    if (fields->address_bits == 0)
        return needed;
    if (fields->address_bits == 32)
        return 5;
    for (unsigned i = needed; i <= 4; i++)
        if (tops[i - 1] == fields->address_bits)
            return i;
    return 0;
}

static bool ptm_write_put_address(struct draft *draft, bool info)
{
    static const uint8_t marks[] = {
        [CAIRN_STATE_ARM] = 0x08, [CAIRN_STATE_THUMB] = 0x10, [CAIRN_STATE_JAZELLE] = 0x20};
    const uint32_t address = (uint32_t)draft->fields->address;
    const unsigned low = lowest_bit(draft->fields->state);
    const unsigned bytes = address_bytes(draft, info);
    const unsigned last = bytes - 1;

    if (bytes == 0)
        return false;
    ptm_write_put(draft, (address >> low & 0x3f) << 1 | 1 | (last > 0 ? CONTINUE : 0));
    for (unsigned i = 1; i < 4 && i <= last; i++) {
        const uint32_t part = address >> (low + 6 + 7 * (i - 1));
        ptm_write_put(draft,
                      i < last ? (part & 0x7f) | CONTINUE : (part & 0x3f) | (info ? 0x40u : 0));
    }
    if (last == 4)
        ptm_write_put(draft, (unsigned)((uint64_t)address >> (low + 27)) | (info ? 0x40u : 0) |
                                 marks[alignment_of(draft->fields->state)]);
    return true;
}

static bool is_address(const struct draft *draft)
{
    const unsigned low = lowest_bit(draft->fields->state);
    return low < 32 && draft->fields->address <= UINT32_MAX &&
           (draft->fields->address & ((1u << low) - 1)) == 0;
}

static bool branch(struct draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const bool context = has(draft, CAIRN_PACKET_HAS_CONTEXT);
    const bool alt_is = fields->state == CAIRN_STATE_THUMBEE;
    const bool non_secure =
        context ? fields->context.security == CAIRN_NONSECURE : draft->state.non_secure;
    const bool hyp = context ? fields->context.EL == 2 : draft->state.hyp;
    const unsigned exception = has(draft, CAIRN_PACKET_HAS_EXCEPTION) ? fields->type : 0;
    unsigned info = fields->info;

    if (!is_address(draft) || exception > EXCEPTION_MAX || info > 2)
        return false;
    if (context && fields->context.security > CAIRN_NONSECURE)
        return false;
    if (hyp && !draft->ptm->virtualization)
        return false;
    if (exception > 0xf || hyp != draft->state.hyp)
        info = 2;
    else if (info == 0 && (exception != 0 || alt_is != draft->state.alt_is ||
                           non_secure != draft->state.non_secure))
        info = 1;
    if (!ptm_write_put_address(draft, info != 0))
        return false;
    if (info != 0)
        ptm_write_put(draft, (info == 2 ? CONTINUE : 0) | (alt_is ? 0x40u : 0) |
                                 (exception & 0xf) << 1 | (non_secure ? 1u : 0));
    if (info == 2)
        ptm_write_put(draft, (hyp ? 0x20u : 0) | exception >> 4);
    draft->state.address = (uint32_t)fields->address;
    draft->state.alignment = (uint8_t)alignment_of(fields->state);
    draft->state.alt_is = alt_is;
    draft->state.non_secure = non_secure;
    draft->state.hyp = hyp;
    return put_count_behind(draft);
}

static bool waypoint_update(struct draft *draft)
{
    const bool alt_is = draft->fields->state == CAIRN_STATE_THUMBEE;
    const bool info = draft->fields->info != 0 || alt_is != draft->state.alt_is;

    if (!is_address(draft) || draft->fields->state == CAIRN_STATE_JAZELLE)
        return false;
    ptm_write_put(draft, HEADER_WAYPOINT_UPDATE);
    if (!ptm_write_put_address(draft, info))
        return false;
    if (info)
        ptm_write_put(draft, alt_is ? 0x40 : 0);
    return true;
}

/* --- the others --- */

static bool fits(uint32_t value, unsigned bytes)
{
    return bytes == 0 || bytes == 4 || value >> (8 * bytes) == 0;
}

static bool i_sync(struct draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned bytes = draft->ptm->context_id_size;
    const bool thumb = alignment_of(fields->state) == CAIRN_STATE_THUMB;
    const bool alt_is = fields->state == CAIRN_STATE_THUMBEE;
    const bool hyp = fields->context.EL == 2;
    const bool non_secure = fields->context.security == CAIRN_NONSECURE;
    uint32_t count = 0;

    if (!is_address(draft) || fields->state == CAIRN_STATE_JAZELLE ||
        fields->reason > CAIRN_PTM_DEBUG_EXIT || fields->context.security > CAIRN_NONSECURE ||
        (hyp && !draft->ptm->virtualization) || !fits(fields->context.context_id, bytes))
        return false;
    ptm_write_put(draft, HEADER_I_SYNC);
    put_little_endian(draft, (uint32_t)fields->address | (thumb ? 1 : 0), 4);
    ptm_write_put(draft, (unsigned)fields->reason << 5 | (non_secure ? 0x08u : 0) |
                             (alt_is ? 0x04u : 0) | (hyp ? 0x02u : 0) | 0x01u);
    if (fields->reason == CAIRN_PTM_PERIODIC || !draft->ptm->cycle_accurate) {
        if (has(draft, CAIRN_PACKET_HAS_CYCLES))
            return false;
    } else {
        if (!choose_count(
                draft,
                cairn_ptm_count_is_junk(draft->ptm, CAIRN_PTM_INSTRUCTION_SYNC, fields->reason),
                &count))
            return false;
        put_count(draft, SYNC_COUNT_TOP, count);
    }
    put_little_endian(draft, fields->context.context_id, bytes);
    draft->state.address = (uint32_t)fields->address;
    draft->state.alignment = (uint8_t)alignment_of(fields->state);
    draft->state.alt_is = alt_is;
    draft->state.non_secure = non_secure;
    draft->state.hyp = hyp;
    return true;
}

/* Figures 4-7 and 4-8: F bits under a one, the oldest highest; or one of them with a count. */
static bool atom(struct draft *draft)
{
    const unsigned count = draft->fields->atom_count;
    unsigned byte = HEADER_ATOM;
    uint32_t cycles = 0;

    if (count < 1 || count > 5 || draft->fields->atoms >> count != 0)
        return false;
    if (!choose_count(draft, false, &cycles))
        return false;
    if (draft->ptm->cycle_accurate) {
        if (count != 1)
            return false;
        put_count(draft, HEADER_ATOM | (draft->fields->atoms ? 0 : 0x02u), cycles);
        return true;
    }
    byte |= 1u << (count + 1);
    for (unsigned i = 0; i < count; i++)
        if (!(draft->fields->atoms >> i & 1))
            byte |= 1u << (count - i);
    return ptm_write_put(draft, byte);
}

static uint64_t to_gray(uint64_t binary)
{
    return binary ^ binary >> 1;
}

static bool ptm_write_timestamp(struct draft *draft)
{
    const struct cairn_packet_fields *fields = draft->fields;
    const unsigned most = draft->ptm->timestamp_bits == 64 ? 9 : 7;
    const uint64_t value = draft->ptm->timestamp_binary ? fields->value : to_gray(fields->value);
    const uint64_t changed = value ^ draft->state.timestamp;
    unsigned count = 1;

    if ((draft->ptm->timestamp_bits < 64 && fields->value >> draft->ptm->timestamp_bits != 0) ||
        fields->size > most || fields->info > 1)
        return false;
    /* In PFT 1.1 it is the time of the last waypoint, which had its count (4.4). */
    if (draft->ptm->cycle_accurate && draft->ptm->minor >= 1 &&
        (!has(draft, CAIRN_PACKET_HAS_CYCLES) || fields->cycles != 0))
        return false;
    while (count < most && changed >> (7 * count) != 0)
        count++;
    if (fields->size != 0) {
        if (fields->size < count)
            return false;
        count = fields->size;
    }
    ptm_write_put(draft, HEADER_TIMESTAMP | (fields->info ? TIMESTAMP_R : 0));
    for (unsigned i = 0; i < count; i++) {
        const unsigned part = (unsigned)(value >> (7 * i)) & 0xff;
        if (i == 8) /* the ninth has no continuation bit, and eight bits */
            ptm_write_put(draft, part);
        else
            ptm_write_put(draft, (part & 0x7f) | (i + 1 < count ? CONTINUE : 0));
    }
    draft->state.timestamp = value;
    return put_count_behind(draft);
}

static bool context_id(struct draft *draft)
{
    const unsigned bytes = draft->ptm->context_id_size;
    const uint32_t value = draft->fields->context.context_id;

    if (bytes == 0 || !fits(value, bytes))
        return false;
    ptm_write_put(draft, HEADER_CONTEXT_ID);
    put_little_endian(draft, value, bytes);
    return true;
}

static bool vmid(struct draft *draft)
{
    if (draft->ptm->minor == 0 || draft->fields->context.vmid > VMID_MAX)
        return false;
    ptm_write_put(draft, HEADER_VMID);
    return ptm_write_put(draft, draft->fields->context.vmid);
}

static bool write_packet(struct draft *draft, enum cairn_ptm_kind kind)
{
    switch (kind) {
    case CAIRN_PTM_NOT_SYNC:
    case CAIRN_PTM_RESERVED:
    case CAIRN_PTM_CUT:
    case CAIRN_PTM_INCOMPLETE_SYNC:
    case CAIRN_PTM_INCOMPLETE: return false;
    case CAIRN_PTM_ALIGNMENT_SYNC:
        while (draft->size < CAIRN_PTM_ASYNC_ZEROS)
            ptm_write_put(draft, 0);
        return ptm_write_put(draft, CAIRN_PTM_ASYNC_END);
    case CAIRN_PTM_INSTRUCTION_SYNC: return i_sync(draft);
    case CAIRN_PTM_ATOM: return atom(draft);
    case CAIRN_PTM_BRANCH_ADDRESS: return branch(draft);
    case CAIRN_PTM_WAYPOINT_UPDATE: return waypoint_update(draft);
    case CAIRN_PTM_TRIGGER: return ptm_write_put(draft, HEADER_TRIGGER);
    case CAIRN_PTM_CONTEXT_ID: return context_id(draft);
    case CAIRN_PTM_VMID: return vmid(draft);
    case CAIRN_PTM_TIMESTAMP: return ptm_write_timestamp(draft);
    case CAIRN_PTM_EXCEPTION_RETURN:
        /* PFT 1.0 has it for M profile cores only (4.5.10). */
        return (draft->ptm->minor >= 1 || draft->ptm->m_profile) &&
               ptm_write_put(draft, HEADER_EXCEPTION_RETURN);
    case CAIRN_PTM_IGNORE: return ptm_write_put(draft, HEADER_IGNORE);
    }
    return false;
}

size_t cairn_ptm_writer_write(void *writer, unsigned kind, const struct cairn_packet_fields *fields,
                              uint8_t *bytes, size_t capacity)
{
    struct writer *w = writer;
    struct draft draft = {.ptm = cairn_ptm_of(w->config), .fields = fields, .state = w->state};

    if (kind >= CAIRN_PTM_KIND_COUNT || !write_packet(&draft, (enum cairn_ptm_kind)kind) ||
        draft.size > capacity)
        return 0;
    memcpy(bytes, draft.bytes, draft.size);
    w->state = draft.state;
    return draft.size;
}
