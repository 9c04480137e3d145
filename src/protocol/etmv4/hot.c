/* SPDX-License-Identifier: BSD-2-Clause */
/* How Atoms, addresses and Cycle Counts of ETMv4 and ETE look in the bytes (protocol/etmv4/hot.h), and
 * single packets taken past the levels. */
#include "protocol/etmv4/hot.h"

#include "base/bytes.h"
#include "protocol/etmv4/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    ELEMENTS = 16, /* of one packet that is taken: a context, an address, an event's four ... */
    INFO_T = 1 << 6,
    HISTORY = 3,
    /* the information byte of an Exception packet */
    EXCEPTION_E0 = 1 << 0,
    EXCEPTION_TYPE_SHIFT = 1,
    EXCEPTION_TYPE_MASK = 0x1f,
    EXCEPTION_E1 = 1 << 6,
    EXCEPTION_C = 1 << 7,
    ADDRESS_MOST = 9, /* bytes, with its header */
    /* a packet that is shorter cannot hold an A-sync */
    HOLDS_ASYNC = CAIRN_ETMV4_ASYNC_ZEROS + 1,
};

/* An Exception packet has two bytes in front of its address. */
_Static_assert(2 + ADDRESS_MOST <= CAIRN_HOT_MARGIN, "an address is read at once");

void cairn_etmv4_to_hot(const struct cairn_etmv4_state *state, struct cairn_hot_state *hot)
{
    for (unsigned i = 0; i < HISTORY; i++)
        hot->history[i] = state->history[i].address | state->history[i].sub_isa;
    hot->timestamp = state->timestamp;
    hot->context = state->context;
    hot->threshold = state->cc_threshold;
}

void cairn_etmv4_from_hot(const struct cairn_hot_state *hot, struct cairn_etmv4_state *state)
{
    for (unsigned i = 0; i < HISTORY; i++) {
        state->history[i].address = hot->history[i] & ~UINT64_C(1);
        state->history[i].sub_isa = (uint8_t)(hot->history[i] & 1);
    }
    state->timestamp = hot->timestamp;
    state->context = hot->context;
    state->cc_threshold = hot->threshold;
    state->unknown = 0;
    state->unknown_timestamp = false;
}

/* Call, Trap, the debug exceptions, Alignment, the faults, IRQ and FIQ of A and R profile cores. */
#define SIMPLE_EXCEPTIONS                                                                          \
    (1u << 0x02 | 1u << 0x03 | 1u << 0x06 | 1u << 0x07 | 1u << 0x0a | 1u << 0x0b | 1u << 0x0c |    \
     1u << 0x0e | 1u << 0x0f)

/* DDI0608 D5.47 to D5.53: how many low bits a form replaces, and from which bytes. MORE: bit 7 of
 * the byte behind the header is set. */
#define EXACT(ENTRY)                                                                               \
    {                                                                                              \
        .keep = UINT64_MAX, .length = 1, .entry = (ENTRY)                                          \
    }
#define SHORT(ISA, MORE)                                                                           \
    {                                                                                              \
        .keep = ~((UINT64_C(1) << (((MORE) ? 17 : 9) - (ISA))) - 1),                               \
        .mask = (MORE) ? 0xff7f : 0x7f, .length = (MORE) ? 3 : 2, .shift = 2 - (ISA),              \
        .sub_isa = (ISA)                                                                           \
    }
#define LONG(ISA)                                                                                  \
    {                                                                                              \
        .keep = ~UINT64_C(0xffffffff), .mask = (ISA) ? 0xffffff7f : 0xffff7f7f, .length = 5,       \
        .shift = 2 - (ISA), .sub_isa = (ISA)                                                       \
    }
#define WIDE(ISA)                                                                                  \
    {                                                                                              \
        .mask = (ISA) ? UINT64_C(0xffffffffffffff7f) : UINT64_C(0xffffffffffff7f7f), .length = 9,  \
        .shift = 2 - (ISA), .sub_isa = (ISA)                                                       \
    }
#define FORMS(MORE)                                                                                \
    [256 * (MORE) + 0x90] = EXACT(0), [256 * (MORE) + 0x91] = EXACT(1),                            \
                    [256 * (MORE) + 0x92] = EXACT(2), [256 * (MORE) + 0x95] = SHORT(0, MORE),      \
                    [256 * (MORE) + 0x96] = SHORT(1, MORE), [256 * (MORE) + 0x9a] = LONG(0),       \
                    [256 * (MORE) + 0x9b] = LONG(1), [256 * (MORE) + 0x9d] = WIDE(0),              \
                    [256 * (MORE) + 0x9e] = WIDE(1)

static const struct cairn_hot_address addresses[512] = {FORMS(0), FORMS(1)};

bool cairn_etmv4_hot_table(const struct cairn_config *config, struct cairn_hot_table *table)
{
    const struct cairn_etmv4_config *decoded = cairn_etmv4_of(config);

    for (unsigned header = CAIRN_ETMV4_FIRST_ATOM; header < 256; header++) {
        struct cairn_packet_fields fields = {0};
        unsigned kind = CAIRN_ETMV4_RESERVED;

        if (!cairn_etmv4_atoms(decoded->headers, header, &kind, &fields) || fields.atom_count == 0)
            return false;
        table->atoms[header] = fields.atom_count;
        table->bits[header] = fields.atoms;
    }
    memcpy(table->address, addresses, sizeof table->address);
    for (unsigned i = 0; i < 512; i++)
        table->length[(i & 0xff) | (i >> 8) << 15] = addresses[i].length;
    return decoded->maxspec == 0;
}

bool cairn_etmv4_hot_cycles(const struct cairn_config *config, struct cairn_hot_cycles *cycles)
{
    const struct cairn_etmv4_config *decoded = cairn_etmv4_of(config);
    uint8_t kinds[256];

    memset(cycles, 0, sizeof *cycles);
    cairn_etmv4_headers(decoded, kinds);
    cycles->account = (uint8_t)cairn_etmv4_account(CAIRN_ETMV4_CYCLE_COUNT_F1);
    for (unsigned header = 0; header < 256; header++) {
        uint8_t *form = &cycles->form[header];

        if (kinds[header] == CAIRN_ETMV4_CYCLE_COUNT_F1)
            *form = (header & 1) ? CAIRN_HOT_CYCLES_UNKNOWN : CAIRN_HOT_CYCLES_NUMBER;
        else if (kinds[header] == CAIRN_ETMV4_CYCLE_COUNT_F2 && (!decoded->is_ete || (header & 1)))
            *form = CAIRN_HOT_CYCLES_NIBBLE;
        else if (kinds[header] == CAIRN_ETMV4_CYCLE_COUNT_F3 && (header & 0x0c) == 0)
            *form = CAIRN_HOT_CYCLES_HEADER;
    }
    return decoded->maxspec == 0 && decoded->commopt;
}

struct cairn_etmv4_taker {
    const struct cairn_etmv4_config *decoded;
    struct cairn_config *config;
    struct cairn_etmv4_elements *elements;
    struct cairn_packet_batch packet; /* of one */
    struct cairn_element_batch *scratch;
    uint64_t offset;
    uint64_t length;
    uint16_t kind;
    uint8_t account;
    struct cairn_packet_fields fields;
    uint8_t kinds[256];
};

cairn_status cairn_etmv4_taker_new(struct cairn_config *config, struct cairn_etmv4_taker **taker)
{
    struct cairn_etmv4_taker *t = calloc(1, sizeof *t);
    cairn_status status = t ? CAIRN_OK : CAIRN_E_MEMORY;

    if (status != CAIRN_OK)
        return status;
    t->decoded = cairn_etmv4_of(config);
    t->config = cairn_config_ref(config);
    t->packet = (struct cairn_packet_batch){.size = sizeof t->packet,
                                            .capacity = 1,
                                            .count = 1,
                                            .offset = &t->offset,
                                            .length = &t->length,
                                            .kind = &t->kind,
                                            .account = &t->account,
                                            .fields = &t->fields};
    cairn_etmv4_headers(t->decoded, t->kinds);
    status = cairn_etmv4_elements_new(config, &t->elements);
    if (status != CAIRN_OK) {
        cairn_etmv4_taker_free(t);
        return status;
    }
    cairn_etmv4_elements_shorten(t->elements);
    cairn_etmv4_elements_resume(t->elements);
    *taker = t;
    return CAIRN_OK;
}

void cairn_etmv4_taker_free(struct cairn_etmv4_taker *taker)
{
    if (!taker)
        return;
    cairn_etmv4_elements_free(taker->elements);
    cairn_config_unref(taker->config);
    free(taker);
}

/* Packets whose elements mean the same whatever was before them, and that change nothing of it. */
static bool stands_alone(const struct cairn_etmv4_taker *t)
{
    switch ((enum cairn_etmv4_kind)t->kind) {
    case CAIRN_ETMV4_TRACE_INFO: return t->fields.count == 0 && !(t->fields.info & INFO_T);
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
    case CAIRN_ETMV4_CYCLE_COUNT_F2:
    case CAIRN_ETMV4_CYCLE_COUNT_F3: return !(t->fields.flags & CAIRN_PACKET_HAS_COUNT);
    case CAIRN_ETMV4_IGNORE:
    case CAIRN_ETMV4_TIMESTAMP:
    case CAIRN_ETMV4_TIMESTAMP_MARKER:
    case CAIRN_ETMV4_TRACE_ON:
    case CAIRN_ETMV4_EXCEPTION:
    case CAIRN_ETMV4_PE_RESET:
    case CAIRN_ETMV4_INSTRUMENTATION:
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED:
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED:
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
    case CAIRN_ETMV4_COND_INSTRUCTION_F2:
    case CAIRN_ETMV4_COND_INSTRUCTION_F3:
    case CAIRN_ETMV4_COND_FLUSH:
    case CAIRN_ETMV4_COND_RESULT_F1:
    case CAIRN_ETMV4_COND_RESULT_F2:
    case CAIRN_ETMV4_COND_RESULT_F3:
    case CAIRN_ETMV4_COND_RESULT_F4:
    case CAIRN_ETMV4_EVENT:
    case CAIRN_ETMV4_CONTEXT_SAME:
    case CAIRN_ETMV4_CONTEXT:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
    case CAIRN_ETMV4_ADDRESS_EXACT:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1:
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1: return true;
    default: return false;
    }
}

/* Header 00: an A-sync with all its zeros, or not to be decoded alone: the zeros of a packet before
 * it may belong to it. */
static enum cairn_hot_take take_zeros(const uint8_t *bytes, size_t size, size_t *length)
{
    size_t zeros = 0;

    while (zeros < size && bytes[zeros] == 0)
        zeros++;
    if (zeros == size)
        return CAIRN_HOT_MORE;
    *length = zeros + 1;
    return zeros >= CAIRN_ETMV4_ASYNC_ZEROS && bytes[zeros] == CAIRN_ETMV4_ASYNC_END
               ? CAIRN_HOT_TAKEN
               : CAIRN_HOT_LEVELS;
}

bool cairn_etmv4_is_clear(const uint8_t *bytes, size_t length, size_t size)
{
    size_t own = 0; /* zeros at the packet's end */
    size_t zeros = 0;

    if (length >= HOLDS_ASYNC && cairn_etmv4_find_sync(bytes, length, 0) < length)
        return false;
    if (bytes[length - 1] != 0)
        return true;
    while (own < length && bytes[length - 1 - own] == 0)
        own++;
    while (length + zeros < size && bytes[length + zeros] == 0)
        zeros++;
    if (length + zeros == size)
        return false;
    return zeros >= CAIRN_ETMV4_ASYNC_ZEROS || own + zeros < CAIRN_ETMV4_ASYNC_ZEROS ||
           bytes[length + zeros] != CAIRN_ETMV4_ASYNC_END;
}

static struct cairn_element_data *put(struct cairn_element_batch *out, unsigned kind,
                                      uint64_t offset, size_t length)
{
    const size_t i = out->count++;

    out->offset[i] = offset;
    out->length[i] = length;
    out->kind[i] = (uint8_t)kind;
    out->flags[i] = 0;
    memset(&out->data[i], 0, sizeof out->data[i]);
    return &out->data[i];
}

/* The length of the Address packet without a context at `bytes`, of which ADDRESS_MOST are there,
 * whose address is the newest then. 0: it is none, or an A-sync may cut it, and nothing has changed. */
static inline size_t take_address(struct cairn_hot_state *state, const uint8_t *bytes)
{
    const struct cairn_hot_address *form = &addresses[bytes[0] | (bytes[1] & 0x80u) << 1];

    if (form->length == 0 || bytes[form->length - 1] == 0)
        return 0;
    const uint64_t address =
        (state->history[form->entry] & form->keep) |
        cairn_hot_gather(cairn_load_le64(bytes + 1), form->mask) << form->shift | form->sub_isa;

    state->history[2] = state->history[1];
    state->history[1] = state->history[0];
    state->history[0] = address;
    return form->length;
}

static void put_address(struct cairn_element_batch *out, const struct cairn_hot_state *state,
                        unsigned kind, uint64_t offset, size_t length, uint64_t value)
{
    struct cairn_element_data *data = put(out, kind, offset, length);

    data->value = value;
    data->address = state->history[0] & ~UINT64_C(1);
    data->sub_isa = (uint8_t)(state->history[0] & 1);
}

/* Exceptions of which no more is to be said than their type and address (DDI0608 D5.13). */
static bool is_simple_exception(const struct cairn_etmv4_taker *t, unsigned info)
{
    const unsigned E = (info & EXCEPTION_E1 ? 2u : 0u) | (info & EXCEPTION_E0);

    return t->decoded->profile != CAIRN_PROFILE_M && (info & EXCEPTION_C) == 0 &&
           (E == 1 || E == 2) &&
           (SIMPLE_EXCEPTIONS >> (info >> EXCEPTION_TYPE_SHIFT & EXCEPTION_TYPE_MASK) & 1);
}

/* The packets that are most frequent between units, without the work that others need: Trace On,
 * addresses without a context, and exceptions with such an address. */
static bool take_simple(const struct cairn_etmv4_taker *t, struct cairn_hot_state *state,
                        const uint8_t *bytes, size_t size, uint64_t offset, size_t *length,
                        enum cairn_account *account, struct cairn_element_batch *out)
{
    if (size < CAIRN_HOT_MARGIN || (out && out->capacity - out->count < ELEMENTS))
        return false;
    *account = CAIRN_ACCOUNT_FLOW;
    if (t->kinds[bytes[0]] == CAIRN_ETMV4_TRACE_ON) {
        *length = 1;
        *account = cairn_etmv4_account(CAIRN_ETMV4_TRACE_ON);
        if (out)
            put(out, CAIRN_ELEMENT_TRACE_ON, offset, 1);
        return true;
    }
    if (t->kinds[bytes[0]] == CAIRN_ETMV4_EXCEPTION && is_simple_exception(t, bytes[1])) {
        *length = take_address(state, bytes + 2);
        if (*length == 0)
            return false;
        *length += 2;
        *account = cairn_etmv4_account(CAIRN_ETMV4_EXCEPTION);
        if (out && (bytes[1] & EXCEPTION_E1))
            put_address(out, state, CAIRN_ELEMENT_TARGET_ADDRESS, offset, *length, 0);
        if (out)
            put_address(out, state, CAIRN_ELEMENT_EXCEPTION, offset, *length,
                        bytes[1] >> EXCEPTION_TYPE_SHIFT & EXCEPTION_TYPE_MASK);
        return true;
    }
    *length = take_address(state, bytes);
    if (*length == 0)
        return false;
    if (out)
        put_address(out, state, CAIRN_ELEMENT_TARGET_ADDRESS, offset, *length, 0);
    return true;
}

/* Any other packet, by way of the levels' functions. */
static enum cairn_hot_take take_any(struct cairn_etmv4_taker *t, struct cairn_hot_state *state,
                                    const uint8_t *bytes, size_t size, uint64_t offset,
                                    size_t *length, enum cairn_account *account,
                                    struct cairn_element_batch *out)
{
    struct cairn_etmv4_state compression;
    unsigned kind = CAIRN_ETMV4_RESERVED;
    size_t at = 0;
    size_t first;

    cairn_etmv4_from_hot(state, &compression);
    memset(&t->fields, 0, sizeof t->fields);
    switch (cairn_etmv4_payload(t->decoded, t->kinds, &compression, bytes, size, length, &kind,
                                &t->fields)) {
    case CAIRN_TAKE_WHOLE: break;
    case CAIRN_TAKE_MORE: return CAIRN_HOT_MORE;
    case CAIRN_TAKE_FRAMED:
    case CAIRN_TAKE_RESERVED: return CAIRN_HOT_LEVELS;
    }
    t->kind = (uint16_t)kind;
    if (!stands_alone(t) || !cairn_etmv4_is_clear(bytes, *length, size))
        return CAIRN_HOT_LEVELS;
    *account = cairn_etmv4_account(kind);
    cairn_etmv4_to_hot(&compression, state);
    const bool marked = state->marked;

    if (kind == CAIRN_ETMV4_TIMESTAMP_MARKER)
        state->marked = true;
    else if (kind == CAIRN_ETMV4_TIMESTAMP)
        state->marked = false;
    if (!out)
        return CAIRN_HOT_TAKEN;
    t->offset = offset;
    t->length = *length;
    first = out->count;
    if (out->capacity - first < ELEMENTS ||
        cairn_etmv4_elements_run(t->elements, &t->packet, &at, out) != CAIRN_OK)
        return CAIRN_HOT_LEVELS;
    for (size_t i = first; i < out->count; i++) { /* each P0 element is committed at once */
        out->flags[i] &= (uint16_t)~CAIRN_ELEMENT_COMMITS;
        if (kind == CAIRN_ETMV4_TIMESTAMP && t->decoded->tsmark && !marked)
            out->flags[i] |= CAIRN_ELEMENT_APPROXIMATE; /* it belongs to nothing that was seen */
    }
    return CAIRN_HOT_TAKEN;
}

enum cairn_hot_take cairn_etmv4_take(struct cairn_etmv4_taker *t, struct cairn_hot_state *state,
                                     const uint8_t *bytes, size_t size, uint64_t offset,
                                     size_t *length, enum cairn_account *account,
                                     struct cairn_element_batch *out)
{
    if (bytes[0] == 0) {
        *account = CAIRN_ACCOUNT_PADDING;
        return take_zeros(bytes, size, length);
    }
    if (take_simple(t, state, bytes, size, offset, length, account, out))
        return CAIRN_HOT_TAKEN;
    return take_any(t, state, bytes, size, offset, length, account, out);
}
