/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/encode.h"

#include <string.h>

/* Headers, D5.2. */
#define HEADER_TRACE_INFO 0x01u
#define HEADER_TIMESTAMP 0x02u
#define HEADER_TIMESTAMP_CYCLES 0x03u
#define HEADER_EXCEPTION 0x06u
#define HEADER_F2_SMALL 0x0cu
#define HEADER_F2_LARGE 0x0du /* and the only one where COMMOPT is 1 */
#define HEADER_F1_KNOWN 0x0eu
#define HEADER_F1_UNKNOWN 0x0fu
#define HEADER_F3 0x10u
#define HEADER_NO_ADDRESS 0x70u
#define HEADER_CONTEXT_SAME 0x80u
#define HEADER_CONTEXT 0x81u
#define HEADER_BOTH_32 0x82u /* 83 is IS1 */
#define HEADER_BOTH_64 0x85u
#define HEADER_Q_COUNT 0xacu
#define HEADER_Q 0xafu

/* Alignment Synchronization: the fewest zeros that D9.2.3 makes a decoder take. */
#define ALIGNMENT_ZEROS 11u
#define ALIGNMENT_END 0x80u

/* Trace Info, D5.7. */
#define PLCTL_INFO 0x01u
#define PLCTL_SPEC 0x04u
#define PLCTL_CYCT 0x08u
#define INFO_CC 0x01u
#define INFO_T 0x40u
#define INFO_ETMV4 0x7fu
#define CYCT_MAX 0xfffu

/* Exception information bytes, D5.13; the second one is ETMv4's. */
#define EXCEPTION_E_01 0x01u
#define EXCEPTION_E_10 0x40u
#define EXCEPTION_MORE 0x80u
#define EXCEPTION_TYPE_BITS 5u
#define EXCEPTION_TYPE_MASK 0x1fu
#define EXCEPTION_TYPE_PE_RESET 0x00u
#define EXCEPTION_TYPE_FAILURE 0x18u

/* Widths and bounds of sections. */
#define WIDTH_CYCT 12u
#define WIDTH_CYCLES 20u
#define WIDTH_COUNT 32u
#define WIDTH_TIMESTAMP 64u
#define CYCLES_MAX 0xfffffu
#define F2_CYCLES_MAX 15u
#define F2_SMALL_COMMITS 16u
#define F2_LARGE_BELOW 15u /* commits are MAXSPEC + AAAA - 15, D5.31 */
#define F3_CYCLES_MAX 3u
#define F3_COMMITS_MAX 4u

/* The headers of one element's address forms; the next one up is the same form for IS1. */
struct headers {
    uint8_t exact, narrow, word, whole;
};
static const struct headers target_headers = {0x90, 0x95, 0x9a, 0x9d}; /* and exceptions' */
static const struct headers q_headers = {0xa0, 0xa5, 0xaa, 0};
static const struct headers source_headers = {0xb0, 0xb4, 0xb6, 0xb8};

enum form { EXACT, NARROW, WORD, WHOLE };

void cairn_encode_byte(struct cairn_encoder_out *out, unsigned byte)
{
    out->bytes[out->size++] = (uint8_t)byte;
}

static struct cairn_draft *begin(struct cairn_etmv4_encoder *e)
{
    e->draft.size = 0;
    return &e->draft;
}

static void end(const struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    memcpy(out->bytes + out->size, e->draft.bytes, e->draft.size);
    out->size += e->draft.size;
}

/* --- addresses and contexts --- */

static uint64_t aligned(uint64_t address, unsigned sub_isa)
{
    return address & ~(uint64_t)(sub_isa ? 1 : 3);
}

/* The history entry that is this address, or CAIRN_DRAFT_HISTORY. */
static unsigned find(const struct cairn_etmv4_encoder *e, uint64_t address, unsigned sub_isa)
{
    unsigned entry = 0;

    while (entry < CAIRN_DRAFT_HISTORY && (e->draft.state.history[entry].address != address ||
                                           e->draft.state.history[entry].sub_isa != sub_isa))
        entry++;
    return entry;
}

/* The shortest form that leads from the history to the address, which becomes that of the draft. */
static enum form choose(struct cairn_etmv4_encoder *e, uint64_t address, unsigned sub_isa)
{
    struct cairn_packet_fields *fields = &e->fields;

    fields->sub_isa = sub_isa != 0;
    fields->address = aligned(address, sub_isa);
    fields->address_bits = 0;
    fields->info = (uint8_t)find(e, fields->address, fields->sub_isa);
    if (fields->info < CAIRN_DRAFT_HISTORY)
        return EXACT;

    const uint64_t changed = fields->address ^ e->draft.state.history[0].address;

    if (changed >> (fields->sub_isa ? 16 : 17) == 0)
        return NARROW;
    return changed >> 32 == 0 ? WORD : WHOLE;
}

static void put_address(struct cairn_etmv4_encoder *e, enum form form,
                        const struct headers *headers)
{
    struct cairn_draft *draft = &e->draft;
    const unsigned sub_isa = e->fields.sub_isa;

    switch (form) {
    case EXACT: (void)cairn_draft_put_exact(draft, headers->exact); break;
    case NARROW: (void)cairn_draft_put_short(draft, headers->narrow + sub_isa, sub_isa); break;
    case WORD: (void)cairn_draft_put_long(draft, headers->word + sub_isa, sub_isa, 32); break;
    case WHOLE: (void)cairn_draft_put_long(draft, headers->whole + sub_isa, sub_isa, 64); break;
    }
}

void cairn_encode_target(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         struct cairn_encoder_out *out)
{
    begin(e);
    put_address(e, choose(e, address, sub_isa), &target_headers);
    end(e, out);
}

void cairn_encode_source(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         struct cairn_encoder_out *out)
{
    begin(e);
    put_address(e, choose(e, address, sub_isa), &source_headers);
    end(e, out);
}

/* The context as packets can state it: identifiers that are not traced keep the value that a
 * decoder has, which is that of the last packet. */
static struct cairn_context visible(const struct cairn_etmv4_encoder *e,
                                    const struct cairn_context *context)
{
    const struct cairn_etmv4_config *etm = e->etm;
    const struct cairn_context *last = &e->draft.state.context;
    struct cairn_context seen = *context;

    seen.EL &= 3;
    seen.SF = seen.SF != 0;
    seen.security &= etm->realm ? 3 : 1;
    seen.sbz = 0;
    if (!etm->context_id || etm->context_id_size == 0)
        seen.context_id = last->context_id;
    if (!etm->vmid || etm->vmid_size == 0)
        seen.vmid = last->vmid;
    else if (etm->vmid_size < 4)
        seen.vmid &= (UINT32_C(1) << (8 * etm->vmid_size)) - 1;
    return seen;
}

static bool is_last(const struct cairn_etmv4_encoder *e, const struct cairn_context *seen)
{
    const struct cairn_context *last = &e->draft.state.context;

    return seen->EL == last->EL && seen->SF == last->SF && seen->security == last->security &&
           seen->vmid == last->vmid && seen->context_id == last->context_id;
}

/* Information byte and the identifiers that changed. */
static void put_context(struct cairn_etmv4_encoder *e, const struct cairn_context *seen)
{
    const struct cairn_context *last = &e->draft.state.context;

    e->fields.context = *seen;
    e->fields.flags = CAIRN_PACKET_HAS_CONTEXT |
                      (seen->vmid != last->vmid ? CAIRN_PACKET_HAS_VMID : 0) |
                      (seen->context_id != last->context_id ? CAIRN_PACKET_HAS_CONTEXT_ID : 0);
    (void)cairn_draft_put_context(&e->draft);
}

void cairn_encode_context(struct cairn_etmv4_encoder *e, const struct cairn_context *context,
                          struct cairn_encoder_out *out)
{
    const struct cairn_context seen = visible(e, context);

    if (is_last(e, &seen)) {
        cairn_encode_byte(out, HEADER_CONTEXT_SAME);
        return;
    }
    cairn_draft_put(begin(e), HEADER_CONTEXT);
    put_context(e, &seen);
    end(e, out);
}

bool cairn_encode_shares(const struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                         const struct cairn_context *context)
{
    const struct cairn_context seen = visible(e, context);

    return !is_last(e, &seen) &&
           find(e, aligned(address, sub_isa), sub_isa != 0) == CAIRN_DRAFT_HISTORY;
}

/* Address and context behind each other, as Target Addresses and Exceptions with context have them:
 * there are 32-bit and 64-bit forms only. */
static void put_both(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                     const struct cairn_context *context)
{
    const struct cairn_context seen = visible(e, context);
    const bool whole = choose(e, address, sub_isa) == WHOLE;
    const unsigned header = (whole ? HEADER_BOTH_64 : HEADER_BOTH_32) + e->fields.sub_isa;

    (void)cairn_draft_put_long(&e->draft, header, e->fields.sub_isa, whole ? 64 : 32);
    put_context(e, &seen);
}

void cairn_encode_target_context(struct cairn_etmv4_encoder *e, uint64_t address, uint8_t sub_isa,
                                 const struct cairn_context *context, struct cairn_encoder_out *out)
{
    begin(e);
    put_both(e, address, sub_isa, context);
    end(e, out);
}

/* --- exceptions and Q elements --- */

/* Header and information; `e_bits` is 0 where no address follows (ETMv4). */
static void put_exception(struct cairn_etmv4_encoder *e, unsigned type, unsigned e_bits)
{
    struct cairn_draft *draft = begin(e);
    const bool more = !e->etm->is_ete && type > EXCEPTION_TYPE_MASK;

    cairn_draft_put(draft, HEADER_EXCEPTION);
    cairn_draft_put(draft,
                    ((type & EXCEPTION_TYPE_MASK) << 1) | e_bits | (more ? EXCEPTION_MORE : 0));
    if (more)
        cairn_draft_put(draft, (type >> EXCEPTION_TYPE_BITS) & EXCEPTION_TYPE_MASK);
}

void cairn_encode_exception(struct cairn_etmv4_encoder *e, unsigned type, bool e10,
                            uint64_t address, uint8_t sub_isa, const struct cairn_context *context,
                            struct cairn_encoder_out *out)
{
    put_exception(e, type, e10 ? EXCEPTION_E_10 : EXCEPTION_E_01);
    if (context)
        put_both(e, address, sub_isa, context);
    else
        put_address(e, choose(e, address, sub_isa), &target_headers);
    end(e, out);
}

static void put_no_address(struct cairn_etmv4_encoder *e, unsigned type)
{
    put_exception(e, type, EXCEPTION_E_01);
    cairn_draft_put(&e->draft, HEADER_NO_ADDRESS);
    cairn_draft_push(&e->draft, 0, 0);
}

void cairn_encode_exception_unknown(struct cairn_etmv4_encoder *e, unsigned type,
                                    struct cairn_encoder_out *out)
{
    if (e->etm->is_ete)
        put_no_address(e, EXCEPTION_TYPE_PE_RESET);
    else
        put_exception(e, type, 0);
    end(e, out);
}

void cairn_encode_transaction_failure(struct cairn_etmv4_encoder *e, struct cairn_encoder_out *out)
{
    put_no_address(e, EXCEPTION_TYPE_FAILURE);
    end(e, out);
}

bool cairn_encode_q_target(struct cairn_etmv4_encoder *e, uint64_t count, uint64_t address,
                           uint8_t sub_isa, struct cairn_encoder_out *out)
{
    const enum form form = choose(e, address, sub_isa);

    if (form == WHOLE)
        return false;
    begin(e);
    put_address(e, form, &q_headers);
    (void)cairn_draft_put_le128(&e->draft, count & UINT32_MAX, WIDTH_COUNT);
    end(e, out);
    return true;
}

void cairn_encode_q(struct cairn_etmv4_encoder *e, bool counted, uint64_t count,
                    struct cairn_encoder_out *out)
{
    if (counted)
        cairn_encode_count(e, HEADER_Q_COUNT, count, out);
    else
        cairn_encode_byte(out, HEADER_Q);
}

/* --- state, time, cycles --- */

void cairn_encode_alignment(struct cairn_encoder_out *out)
{
    memset(out->bytes + out->size, 0, ALIGNMENT_ZEROS);
    out->size += ALIGNMENT_ZEROS;
    cairn_encode_byte(out, ALIGNMENT_END);
}

void cairn_encode_trace_info(struct cairn_etmv4_encoder *e, const struct cairn_element_data *data,
                             struct cairn_encoder_out *out)
{
    const unsigned info = data->info & (e->etm->is_ete ? INFO_CC | INFO_T : INFO_ETMV4);
    const uint32_t threshold = info & INFO_CC ? data->cycles & CYCT_MAX : 0;
    const uint64_t spec = data->value & UINT32_MAX;
    struct cairn_draft *draft = begin(e);

    cairn_draft_put(draft, HEADER_TRACE_INFO);
    cairn_draft_put(draft, (info ? PLCTL_INFO : 0) | (spec ? PLCTL_SPEC : 0) |
                               (threshold ? PLCTL_CYCT : 0));
    if (info)
        cairn_draft_put(draft, info);
    if (spec)
        (void)cairn_draft_put_le128(draft, spec, WIDTH_COUNT);
    if (threshold)
        (void)cairn_draft_put_le128(draft, threshold, WIDTH_CYCT);
    end(e, out);
    memset(&draft->state, 0, sizeof draft->state);
    draft->state.cc_threshold = threshold;
}

void cairn_encode_timestamp(struct cairn_etmv4_encoder *e, uint16_t flags,
                            const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    const bool cycles = (flags & CAIRN_ELEMENT_CYCLES) && data->cycles <= CYCLES_MAX;
    uint64_t value = flags & CAIRN_ELEMENT_UNKNOWN ? 0 : data->value;
    struct cairn_draft *draft = begin(e);

    if (e->etm->tssize_bits != 0 && e->etm->tssize_bits < 64)
        value &= (UINT64_C(1) << e->etm->tssize_bits) - 1;
    cairn_draft_put(draft, cycles ? HEADER_TIMESTAMP_CYCLES : HEADER_TIMESTAMP);
    cairn_draft_put_replacement(draft, value, draft->state.timestamp, WIDTH_TIMESTAMP);
    draft->state.timestamp = value;
    if (cycles)
        (void)cairn_draft_put_le128(draft, data->cycles, WIDTH_CYCLES);
    end(e, out);
}

/* Cycle counts without Commits: TRCIDR0.COMMOPT is 1 (D5.27, D5.29, D5.32, D5.34). */
static void put_plain_cycles(struct cairn_draft *draft, uint32_t field)
{
    if (field <= F3_CYCLES_MAX) {
        cairn_draft_put(draft, HEADER_F3 | field);
    } else if (field <= F2_CYCLES_MAX) {
        cairn_draft_put(draft, HEADER_F2_LARGE);
        cairn_draft_put(draft, 0xf0 | field);
    } else {
        cairn_draft_put(draft, HEADER_F1_KNOWN);
        (void)cairn_draft_put_le128(draft, field, WIDTH_CYCLES);
    }
}

/* Cycle counts that have room for a Commit: COMMOPT is 0 (D5.26, D5.28, D5.30, D5.31, D5.33). */
static void put_commit_cycles(struct cairn_draft *draft, uint32_t commits, uint32_t field)
{
    const int64_t large = (int64_t)commits + F2_LARGE_BELOW - draft->etm->maxspec;

    if (field <= F3_CYCLES_MAX && commits >= 1 && commits <= F3_COMMITS_MAX) {
        cairn_draft_put(draft, HEADER_F3 | ((commits - 1) << 2) | field);
    } else if (field <= F2_CYCLES_MAX && commits >= 1 && commits <= F2_SMALL_COMMITS) {
        cairn_draft_put(draft, HEADER_F2_SMALL);
        cairn_draft_put(draft, ((commits - 1) << 4) | field);
    } else if (field <= F2_CYCLES_MAX && commits >= 1 && large >= 0 && large <= 15) {
        cairn_draft_put(draft, HEADER_F2_LARGE);
        cairn_draft_put(draft, ((unsigned)large << 4) | field);
    } else {
        cairn_draft_put(draft, HEADER_F1_KNOWN);
        (void)cairn_draft_put_le128(draft, commits, WIDTH_COUNT);
        (void)cairn_draft_put_le128(draft, field, WIDTH_CYCLES);
    }
}

void cairn_encode_cycle_count(struct cairn_etmv4_encoder *e, uint64_t commits, bool known,
                              uint64_t cycles, struct cairn_encoder_out *out)
{
    struct cairn_draft *draft = begin(e);
    const uint32_t threshold = draft->state.cc_threshold;

    if (!known || cycles < threshold || cycles - threshold > CYCLES_MAX) {
        cairn_draft_put(draft, HEADER_F1_UNKNOWN);
        if (!e->etm->commopt)
            (void)cairn_draft_put_le128(draft, commits & UINT32_MAX, WIDTH_COUNT);
    } else if (e->etm->commopt) {
        put_plain_cycles(draft, (uint32_t)(cycles - threshold));
    } else {
        put_commit_cycles(draft, (uint32_t)commits, (uint32_t)(cycles - threshold));
    }
    end(e, out);
}

void cairn_encode_count(struct cairn_etmv4_encoder *e, unsigned header, uint64_t count,
                        struct cairn_encoder_out *out)
{
    struct cairn_draft *draft = begin(e);

    cairn_draft_put(draft, header);
    (void)cairn_draft_put_le128(draft, count & UINT32_MAX, WIDTH_COUNT);
    end(e, out);
}
