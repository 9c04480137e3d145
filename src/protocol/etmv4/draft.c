/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/draft.h"

/* Context information byte, D5.55; NSE from ETE 1.2. */
#define CONTEXT_SBZ 0x0cu
#define CONTEXT_NSE 0x08u
#define CONTEXT_SF 0x10u
#define CONTEXT_NS 0x20u
#define CONTEXT_V 0x40u
#define CONTEXT_C 0x80u
#define EL_MAX 3u

/* A security state is {NSE, NS} as a number. */
#define SECURITY_NS 1u
#define SECURITY_NSE 2u
#define SECURITY_MAX 3u

#define GROUP_BITS 7u /* of an LE128 or bit replacement byte that is not the last one possible */
#define GROUP_MASK 0x7fu
#define GROUP_MORE 0x80u
#define ENTRY_MASK 0x7fu /* `info` of an exact match; bit 7 is an exception's fault pending */

bool cairn_draft_has(const struct cairn_draft *draft, uint32_t flag)
{
    return (draft->fields->flags & flag) != 0;
}

bool cairn_draft_put(struct cairn_draft *draft, unsigned byte)
{
    draft->bytes[draft->size++] = (uint8_t)byte;
    return true;
}

void cairn_draft_put_little_endian(struct cairn_draft *draft, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        cairn_draft_put(draft, (unsigned)(value >> (8 * i)) & 0xff);
}

/* Seven bits a byte, low first, until nothing of `changed` is left; the last byte that the width
 * allows holds all the rest and has no continuation bit. */
static void put_groups(struct cairn_draft *draft, uint64_t value, uint64_t changed, unsigned width)
{
    const unsigned bytes_max = (width - 2) / GROUP_BITS + 1;
    for (unsigned i = 1; i < bytes_max; i++) {
        changed >>= GROUP_BITS;
        cairn_draft_put(draft, ((unsigned)value & GROUP_MASK) | (changed ? GROUP_MORE : 0));
        if (!changed)
            return;
        value >>= GROUP_BITS;
    }
    cairn_draft_put(draft, (unsigned)value & 0xff);
}

bool cairn_draft_put_le128(struct cairn_draft *draft, uint64_t value, unsigned width)
{
    if (value >> (width - 1) >> 1)
        return false;
    put_groups(draft, value, value, width);
    return true;
}

void cairn_draft_put_replacement(struct cairn_draft *draft, uint64_t value, uint64_t old,
                                 unsigned width)
{
    put_groups(draft, value, value ^ old, width);
}

void cairn_draft_push(struct cairn_draft *draft, uint64_t address, uint8_t sub_isa)
{
    struct cairn_draft_state *state = &draft->state;
    state->history[2] = state->history[1];
    state->history[1] = state->history[0];
    state->history[0].address = address;
    state->history[0].sub_isa = sub_isa;
}

/* True when history entry 0 with its low `bits` replaced can be the address: the rest agrees and
 * the bits below the alignment (D5.3.2) are zero. */
static bool is_reachable(const struct cairn_draft *draft, unsigned bits, unsigned sub_isa)
{
    const uint64_t address = draft->fields->address;
    const uint64_t kept = bits >= 64 ? 0 : ~UINT64_C(0) << bits;
    const uint64_t alignment = sub_isa ? 1 : 3;
    return ((address ^ draft->state.history[0].address) & kept) == 0 && (address & alignment) == 0;
}

bool cairn_draft_put_exact(struct cairn_draft *draft, unsigned first_header)
{
    const unsigned entry = draft->fields->info & ENTRY_MASK;
    if (entry >= CAIRN_DRAFT_HISTORY || draft->fields->address_bits != 0)
        return false;
    const uint64_t address = draft->state.history[entry].address;
    const uint8_t sub_isa = draft->state.history[entry].sub_isa;
    if (address != draft->fields->address || sub_isa != draft->fields->sub_isa)
        return false;
    cairn_draft_put(draft, first_header + entry);
    cairn_draft_push(draft, address, sub_isa);
    return true;
}

/* A[8:2] A[16:9] or A[7:1] A[15:8] (D5.47, D5.48). */
bool cairn_draft_put_short(struct cairn_draft *draft, unsigned header, unsigned sub_isa)
{
    const uint64_t address = draft->fields->address;
    const unsigned low = sub_isa ? 1 : 2;
    const unsigned one_byte = low + GROUP_BITS;
    const unsigned two_bytes = one_byte + 8;
    unsigned bits = draft->fields->address_bits;
    if (bits == 0)
        bits = is_reachable(draft, one_byte, sub_isa) ? one_byte : two_bytes;
    if ((bits != one_byte && bits != two_bytes) || !is_reachable(draft, bits, sub_isa))
        return false;
    cairn_draft_put(draft, header);
    cairn_draft_put(draft, ((unsigned)(address >> low) & GROUP_MASK) |
                               (bits == two_bytes ? GROUP_MORE : 0));
    if (bits == two_bytes)
        cairn_draft_put(draft, (unsigned)(address >> one_byte) & 0xff);
    cairn_draft_push(draft, address, (uint8_t)sub_isa);
    return true;
}

/* A[8:2] A[15:9] or A[7:1] A[15:8], then whole bytes (D5.49 to D5.52). */
bool cairn_draft_put_long(struct cairn_draft *draft, unsigned header, unsigned sub_isa,
                          unsigned bits)
{
    const uint64_t address = draft->fields->address;
    if (draft->fields->address_bits != 0 && draft->fields->address_bits != bits)
        return false;
    if (!is_reachable(draft, bits, sub_isa))
        return false;
    cairn_draft_put(draft, header);
    if (sub_isa) {
        cairn_draft_put(draft, (unsigned)(address >> 1) & 0x7f);
        cairn_draft_put(draft, (unsigned)(address >> 8) & 0xff);
    } else {
        cairn_draft_put(draft, (unsigned)(address >> 2) & 0x7f);
        cairn_draft_put(draft, (unsigned)(address >> 9) & 0x7f);
    }
    cairn_draft_put_little_endian(draft, address >> 16, (bits - 16) / 8);
    cairn_draft_push(draft, address, (uint8_t)sub_isa);
    return true;
}

static bool fits(uint32_t value, unsigned bytes)
{
    return bytes >= 4 || value >> (8 * bytes) == 0;
}

bool cairn_draft_put_context(struct cairn_draft *draft)
{
    const struct cairn_etmv4_config *etm = draft->etm;
    const struct cairn_context *wanted = &draft->fields->context;
    const struct cairn_context *last = &draft->state.context;
    const bool v = cairn_draft_has(draft, CAIRN_PACKET_HAS_VMID);
    const bool c = cairn_draft_has(draft, CAIRN_PACKET_HAS_CONTEXT_ID);
    const unsigned sbz = etm->realm ? CONTEXT_SBZ & ~CONTEXT_NSE : CONTEXT_SBZ;
    const bool nse = (wanted->security & SECURITY_NSE) != 0;
    const bool ns = (wanted->security & SECURITY_NS) != 0;

    if (wanted->EL > EL_MAX || wanted->SF > 1 || wanted->security > SECURITY_MAX ||
        (nse && !etm->realm) || (wanted->sbz & ~sbz))
        return false;
    if (v ? !fits(wanted->vmid, etm->vmid_size) : wanted->vmid != last->vmid)
        return false;
    if (c ? !fits(wanted->context_id, etm->context_id_size)
          : wanted->context_id != last->context_id)
        return false;
    cairn_draft_put(draft, wanted->EL | wanted->sbz | (nse ? CONTEXT_NSE : 0) |
                               (wanted->SF ? CONTEXT_SF : 0) | (ns ? CONTEXT_NS : 0) |
                               (v ? CONTEXT_V : 0) | (c ? CONTEXT_C : 0));
    if (v)
        cairn_draft_put_little_endian(draft, wanted->vmid, etm->vmid_size);
    if (c)
        cairn_draft_put_little_endian(draft, wanted->context_id, etm->context_id_size);
    draft->state.context = *wanted;
    return true;
}

bool cairn_draft_is_same_context(const struct cairn_draft *draft)
{
    const struct cairn_context *wanted = &draft->fields->context;
    const struct cairn_context *last = &draft->state.context;
    if (!cairn_draft_has(draft, CAIRN_PACKET_HAS_CONTEXT))
        return true;
    return wanted->EL == last->EL && wanted->security == last->security && wanted->SF == last->SF &&
           wanted->sbz == last->sbz && wanted->vmid == last->vmid &&
           wanted->context_id == last->context_id;
}
