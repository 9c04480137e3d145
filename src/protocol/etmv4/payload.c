/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/payload.h"

#include "protocol/etmv4/address.h"

#include <string.h>

/* Field widths (DDI0608 D5.3.1 and the packets' figures). */
enum {
    BITS_SPEC = 32,
    BITS_CYCT = 12,
    TIMESTAMP_BYTES = 9, /* all 64 bits */
    FIELD_BYTES = 6,     /* more bytes than any field can have continuation bits for */
    BITS_KEY = 32,       /* ETMv4 P0 and conditional keys */
};

/* Trace Info PLCTL and INFO (DDI0608 D5.7; KEY and the continuation bits are ETMv4's). */
enum {
    PLCTL_INFO = 1 << 0,
    PLCTL_KEY = 1 << 1,
    PLCTL_SPEC = 1 << 2,
    PLCTL_CYCT = 1 << 3,
    INFO_CC = 1 << 0,
    INFO_T = 1 << 6,
};

/* Exception information bytes (DDI0608 D5.13; the second one is ETMv4's). */
enum {
    EXC_E0 = 1 << 0,
    EXC_E1 = 1 << 6,
    EXC_TYPE_SHIFT = 1,
    EXC_TYPE_MASK = 0x1f,
    EXC_C = 1 << 7,
    EXC_HIGH_SHIFT = 5,
    EXC_PENDING = 1 << 5,
    EXC_INFO_PENDING = 1 << 7, /* where cairn_packet_fields.info keeps it */
    TYPE_PE_RESET = 0x00,
    TYPE_TRANSACTION_FAILURE = 0x18, /* ETE */
    HEADER_NO_ADDRESS = 0x70,
    INSTRUMENTATION_EL = 3,
};

static void give_context(const struct cairn_etmv4_state *state, struct cairn_packet_fields *fields)
{
    fields->flags |= CAIRN_PACKET_HAS_CONTEXT;
    fields->context = state->context;
}

void cairn_etmv4_state_reset(struct cairn_etmv4_state *state)
{
    memset(state, 0, sizeof *state);
}

/* ETMv4 allows a continuation bit on PLCTL and INFO; what follows is not defined and is skipped, as
 * far as a field can be long. False: longer than that. */
static bool control_byte(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_config *config,
                         unsigned *value)
{
    unsigned byte = cairn_etmv4_next(in);

    *value = byte;
    if (config->is_ete)
        return true;
    *value &= ~CAIRN_ETMV4_CONTINUE;
    for (unsigned i = 1; byte & CAIRN_ETMV4_CONTINUE; i++) {
        if (i == FIELD_BYTES)
            return false;
        byte = cairn_etmv4_next(in);
    }
    return true;
}

/* Returns false for a reserved encoding. */
static bool trace_info(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_config *config,
                       struct cairn_etmv4_state *state, struct cairn_packet_fields *fields)
{
    const unsigned defined =
        PLCTL_INFO | PLCTL_SPEC | PLCTL_CYCT | (config->is_ete ? 0u : (unsigned)PLCTL_KEY);
    unsigned plctl;
    unsigned info;

    if (!control_byte(in, config, &plctl))
        return false;
    if (!in->dry && (plctl & ~defined) != 0) {
        if (!config->is_ete)
            return false;
        in->sbz = true; /* D9.2.6.1 asks about the others only */
        plctl &= defined;
    }
    fields->type = (uint16_t)plctl;
    if (plctl & PLCTL_INFO) {
        if (!control_byte(in, config, &info))
            return false;
        fields->info = (uint8_t)info;
        if (config->is_ete && (fields->info & ~(unsigned)(INFO_CC | INFO_T)) != 0)
            in->sbz = true;
    }
    if (plctl & PLCTL_KEY)
        fields->value = cairn_etmv4_le128(in, BITS_KEY);
    if (plctl & PLCTL_SPEC)
        fields->count = (uint32_t)cairn_etmv4_le128(in, BITS_SPEC);
    if (plctl & PLCTL_CYCT)
        fields->cycles = (uint32_t)cairn_etmv4_le128(in, BITS_CYCT);
    fields->flags |= CAIRN_PACKET_HAS_COUNT;
    cairn_etmv4_state_reset(state);
    /* The threshold counts only while cycle counting is on (DDI0608 D9.2.6.2). */
    state->cc_threshold = (fields->info & INFO_CC) ? fields->cycles : 0;
    return true;
}

static void timestamp(struct cairn_etmv4_cursor *in, struct cairn_etmv4_state *state,
                      unsigned header, struct cairn_packet_fields *fields)
{
    const size_t first = in->at;

    state->timestamp =
        cairn_etmv4_bit_replacement(in, CAIRN_ETMV4_BITS_TIMESTAMP, state->timestamp);
    if (in->at - first == TIMESTAMP_BYTES)
        state->unknown_timestamp = false;
    fields->flags |= CAIRN_PACKET_HAS_TIMESTAMP;
    fields->value = state->unknown_timestamp ? 0 : state->timestamp; /* 0: unknown (DDI0608 D5.9) */
    if (header & 1) {
        fields->flags |= CAIRN_PACKET_HAS_CYCLES;
        fields->cycles = (uint32_t)cairn_etmv4_le128(in, CAIRN_ETMV4_BITS_CYCLES);
    }
}

static void give_commits(struct cairn_packet_fields *fields, uint32_t count)
{
    if (count == 0)
        return;
    fields->flags |= CAIRN_PACKET_HAS_COUNT;
    fields->count = count;
}

static void give_cycles(struct cairn_packet_fields *fields, uint32_t cycles)
{
    fields->flags |= CAIRN_PACKET_HAS_CYCLES;
    fields->cycles = cycles;
}

/* DDI0608 D5.26 to D5.34. */
static bool cycle_count(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_config *config,
                        const struct cairn_etmv4_state *state, unsigned header, unsigned kind,
                        struct cairn_packet_fields *fields)
{
    switch (kind) {
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
        if (!config->commopt)
            give_commits(fields, (uint32_t)cairn_etmv4_le128(in, CAIRN_ETMV4_BITS_COMMIT));
        if (!(header & 1))
            give_cycles(fields, state->cc_threshold +
                                    (uint32_t)cairn_etmv4_le128(in, CAIRN_ETMV4_BITS_CYCLES));
        return true;
    case CAIRN_ETMV4_CYCLE_COUNT_F2: {
        const unsigned byte = cairn_etmv4_next(in);
        const unsigned aaaa = byte >> 4;

        if (config->commopt && config->is_ete && !(header & 1))
            in->sbz = true; /* D9.2.16.2 does not ask */
        give_cycles(fields, state->cc_threshold + (byte & 0xf));
        if (config->commopt)
            return true;
        if (!(header & 1)) {
            give_commits(fields, aaaa + 1);
        } else if (config->maxspec + aaaa > 15) {
            give_commits(fields, config->maxspec + aaaa - 15);
        }
        return true;
    }
    default:
        if (config->commopt && (header & 0x0c) != 0)
            in->sbz = true; /* nor here */
        if (!config->commopt)
            give_commits(fields, ((header >> 2) & 3) + 1);
        give_cycles(fields, state->cc_threshold + (header & 3));
        return true;
    }
}

/* The atoms that may lead a Mispredict or Cancel format 2 (DDI0608 D5.37, D5.39): none, E, EE, N.
 */
static void leading_atoms(unsigned code, struct cairn_packet_fields *fields)
{
    static const struct {
        uint8_t count;
        uint8_t atoms;
    } table[4] = {{0, 0}, {1, 1}, {2, 3}, {1, 0}};

    fields->atom_count = table[code & 3].count;
    fields->atoms = table[code & 3].atoms;
}

/* Exception, PE Reset, Transaction Failure (DDI0608 D5.13 to D5.25). False: reserved. E=00 and E=11 of an ETE are
 * FRAMED where an address follows, as it does behind every other E, unless it would have to be known how many P0
 * elements they stand for. */
static bool exception(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_config *config,
                      const uint8_t kinds[256], struct cairn_etmv4_state *state, unsigned *kind,
                      struct cairn_packet_fields *fields)
{
    const unsigned info = cairn_etmv4_next(in);
    const unsigned e = ((info & EXC_E1) ? 2u : 0u) | (info & EXC_E0);
    const bool is_odd = config->is_ete && (e == 0 || e == 3);
    unsigned header;

    if (in->dry)
        return true;
    fields->type = (uint16_t)((info >> EXC_TYPE_SHIFT) & EXC_TYPE_MASK);
    if (e & 2)
        fields->flags |= CAIRN_PACKET_E10;
    if (config->is_ete) {
        if ((info & EXC_C) || (is_odd && config->maxspec != 0))
            return false;
    } else {
        if (info & EXC_C) {
            const unsigned high = cairn_etmv4_next(in);

            fields->type |= (uint16_t)((high & EXC_TYPE_MASK) << EXC_HIGH_SHIFT);
            if (high & EXC_PENDING)
                fields->info |= EXC_INFO_PENDING;
        }
        if (e == 0) /* no address follows */
            return true;
    }
    header = cairn_etmv4_next(in);
    if (in->dry)
        return true;
    if (is_odd && cairn_etmv4_form_of(kinds[header]).form == CAIRN_ETMV4_FORM_NONE) {
        in->at--; /* E makes it reserved */
        return false;
    }
    if (header == HEADER_NO_ADDRESS && config->is_ete) {
        if (fields->type == TYPE_PE_RESET)
            *kind = CAIRN_ETMV4_PE_RESET;
        else if (fields->type == TYPE_TRANSACTION_FAILURE)
            *kind = CAIRN_ETMV4_TRANSACTION_FAILURE;
        else
            return false;
        cairn_etmv4_push(state, 0, 0);
        return true;
    }
    if (config->is_ete && fields->type == TYPE_TRANSACTION_FAILURE)
        return false;
    switch (kinds[header]) {
    case CAIRN_ETMV4_ADDRESS_EXACT:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1:
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1: break;
    default: return false;
    }
    const struct cairn_etmv4_address_form form = cairn_etmv4_form_of(kinds[header]);

    if (!cairn_etmv4_read_address(in, state, form, header, fields))
        return false;
    cairn_etmv4_push(state, fields->address, fields->sub_isa);
    if (form.with_context) {
        cairn_etmv4_read_context(in, config, state, fields);
        give_context(state, fields);
    }
    if (is_odd) {
        *fields = (struct cairn_packet_fields){.flags = CAIRN_PACKET_FRAMED};
        return false;
    }
    return true;
}

/* Result `index` of conditional result format 1: a more flag, key[2:0], result[3:0]; key[.:3]
 * behind. */
static bool conditional_result(struct cairn_etmv4_cursor *in, struct cairn_packet_fields *fields,
                               unsigned index)
{
    unsigned byte = cairn_etmv4_next(in);
    uint64_t key = byte >> 4 & 7;

    fields->info |= (uint8_t)((byte & 0xf) << (4 * index));
    for (unsigned i = 1; byte & CAIRN_ETMV4_CONTINUE; i++) {
        if (i == FIELD_BYTES)
            return false;
        byte = cairn_etmv4_next(in);
        key |= (uint64_t)(byte & 0x7f) << (7 * i - 4);
    }
    fields->value |= (key & UINT32_MAX) << (BITS_KEY * index);
    return true;
}

/* ETMv4's packets that ETE has not: framed, not interpreted (they do not decide the path). */
static bool etmv4_only(struct cairn_etmv4_cursor *in, unsigned header, unsigned kind,
                       struct cairn_packet_fields *fields)
{
    switch (kind) {
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED: fields->type = header & 7; break;
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED: fields->type = header & 7; break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F1: fields->value = cairn_etmv4_le128(in, BITS_KEY); break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F2: fields->type = header & 3; break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F3: fields->value = cairn_etmv4_next(in); break;
    case CAIRN_ETMV4_COND_RESULT_F1:
        fields->type = header & 7;
        if (!conditional_result(in, fields, 0))
            return false;
        if (!(header & 4) && !conditional_result(in, fields, 1)) /* 68-6B: two, 6E-6F: one */
            return false;
        break;
    case CAIRN_ETMV4_COND_RESULT_F2: fields->type = header & 7; break;
    case CAIRN_ETMV4_COND_RESULT_F3:
        fields->type = header & 0xf;
        fields->value = ((uint64_t)(header & 0xf) << 8) | cairn_etmv4_next(in);
        break;
    case CAIRN_ETMV4_COND_RESULT_F4: fields->type = header & 3; break;
    default: break;
    }
    return true;
}

/* Atoms of each format, oldest in bit 0 (DDI0608 D5.40 to D5.46). */
static void atoms(unsigned header, unsigned kind, struct cairn_packet_fields *fields)
{
    static const uint8_t format4[4] = {0x0e, 0x00, 0x0a, 0x05};  /* NEEE NNNN NENE ENEN */
    static const uint8_t format52[4] = {0x00, 0x00, 0x0a, 0x15}; /* - NNNNN NENEN ENENE */

    switch (kind) {
    case CAIRN_ETMV4_ATOM_F1:
        fields->atom_count = 1;
        fields->atoms = header & 1;
        break;
    case CAIRN_ETMV4_ATOM_F2:
        fields->atom_count = 2;
        fields->atoms = header & 3;
        break;
    case CAIRN_ETMV4_ATOM_F3:
        fields->atom_count = 3;
        fields->atoms = header & 7;
        break;
    case CAIRN_ETMV4_ATOM_F4:
        fields->atom_count = 4;
        fields->atoms = format4[header & 3];
        break;
    case CAIRN_ETMV4_ATOM_F5_1: /* NEEEE */
        fields->atom_count = 5;
        fields->atoms = 0x1e;
        break;
    case CAIRN_ETMV4_ATOM_F5_2:
        fields->atom_count = 5;
        fields->atoms = format52[header & 3];
        break;
    default: /* format 6: COUNT + 3 times E, then E for A = 0 and N for A = 1 */
        fields->atom_count = (uint8_t)((header & 0x1f) + 4);
        fields->atoms = (UINT32_C(1) << fields->atom_count) - 1;
        if (header & 0x20)
            fields->atoms >>= 1;
        break;
    }
}

bool cairn_etmv4_atoms(const uint8_t kinds[256], unsigned header, unsigned *kind,
                       struct cairn_packet_fields *fields)
{
    if (header < CAIRN_ETMV4_FIRST_ATOM || kinds[header] == CAIRN_ETMV4_RESERVED)
        return false;
    *kind = kinds[header];
    memset(fields, 0, sizeof *fields);
    atoms(header, *kind, fields);
    return true;
}

enum cairn_etmv4_take cairn_etmv4_payload(const struct cairn_etmv4_config *config,
                                          const uint8_t kinds[256], struct cairn_etmv4_state *state,
                                          const uint8_t *bytes, size_t size, size_t *length,
                                          unsigned *kind, struct cairn_packet_fields *fields)
{
    const unsigned header = bytes[0];
    struct cairn_etmv4_cursor in = {.bytes = bytes, .size = size, .at = 1};
    struct cairn_etmv4_state moved;
    bool legal = true;

    *kind = kinds[header];
    memset(fields, 0, sizeof *fields);
    moved = *state;
    switch (*kind) {
    case CAIRN_ETMV4_ATOM_F1:
    case CAIRN_ETMV4_ATOM_F2:
    case CAIRN_ETMV4_ATOM_F3:
    case CAIRN_ETMV4_ATOM_F4:
    case CAIRN_ETMV4_ATOM_F5_1:
    case CAIRN_ETMV4_ATOM_F5_2:
    case CAIRN_ETMV4_ATOM_F6: atoms(header, *kind, fields); break;
    case CAIRN_ETMV4_TRACE_INFO: legal = trace_info(&in, config, &moved, fields); break;
    case CAIRN_ETMV4_TIMESTAMP: timestamp(&in, &moved, header, fields); break;
    case CAIRN_ETMV4_EXCEPTION: legal = exception(&in, config, kinds, &moved, kind, fields); break;
    case CAIRN_ETMV4_INSTRUMENTATION:
        fields->info = (uint8_t)cairn_etmv4_next(&in);
        if (fields->info & ~(unsigned)INSTRUMENTATION_EL)
            in.sbz = true;
        fields->info &= INSTRUMENTATION_EL;
        fields->value = cairn_etmv4_little_endian(&in, 8);
        break;
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
    case CAIRN_ETMV4_CYCLE_COUNT_F2:
    case CAIRN_ETMV4_CYCLE_COUNT_F3:
        legal = cycle_count(&in, config, &moved, header, *kind, fields);
        break;
    case CAIRN_ETMV4_COMMIT:
        fields->flags |= CAIRN_PACKET_HAS_COUNT;
        fields->count = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
        break;
    case CAIRN_ETMV4_CANCEL_F1:
        fields->flags |= CAIRN_PACKET_HAS_COUNT | ((header & 1) ? CAIRN_PACKET_MISPREDICT : 0);
        fields->count = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
        break;
    case CAIRN_ETMV4_CANCEL_F2:
        leading_atoms(header, fields);
        fields->flags |= CAIRN_PACKET_HAS_COUNT | CAIRN_PACKET_MISPREDICT;
        fields->count = 1;
        break;
    case CAIRN_ETMV4_CANCEL_F3:
        fields->atom_count = header & 1;
        fields->atoms = header & 1;
        fields->flags |= CAIRN_PACKET_HAS_COUNT | CAIRN_PACKET_MISPREDICT;
        fields->count = ((header >> 1) & 3) + 2;
        break;
    case CAIRN_ETMV4_MISPREDICT:
        leading_atoms(header, fields);
        fields->flags |= CAIRN_PACKET_MISPREDICT;
        break;
    case CAIRN_ETMV4_EVENT: fields->type = header & 0xf; break;
    case CAIRN_ETMV4_CONTEXT:
        cairn_etmv4_read_context(&in, config, &moved, fields); /* fall through */
    case CAIRN_ETMV4_CONTEXT_SAME: give_context(&moved, fields); break;
    case CAIRN_ETMV4_RESERVED: legal = false; break;
    case CAIRN_ETMV4_TRACE_ON:
    case CAIRN_ETMV4_FUNCTION_RETURN:
    case CAIRN_ETMV4_EXCEPTION_RETURN:
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
    case CAIRN_ETMV4_IGNORE:
    case CAIRN_ETMV4_TIMESTAMP_MARKER: break;
    default: {
        const struct cairn_etmv4_address_form form = cairn_etmv4_form_of(*kind);

        if (form.form == CAIRN_ETMV4_FORM_NONE && *kind != CAIRN_ETMV4_Q &&
            *kind != CAIRN_ETMV4_Q_COUNT) {
            legal = etmv4_only(&in, header, *kind, fields);
            break;
        }
        if (form.form != CAIRN_ETMV4_FORM_NONE) {
            if (!cairn_etmv4_read_address(&in, &moved, form, header, fields)) {
                legal = false;
                break;
            }
            cairn_etmv4_push(&moved, fields->address, fields->sub_isa);
        }
        if (form.with_context) {
            cairn_etmv4_read_context(&in, config, &moved, fields);
            give_context(&moved, fields);
        }
        if (header >= 0xa0 && header < 0xb0 && *kind != CAIRN_ETMV4_Q) {
            fields->flags |= CAIRN_PACKET_HAS_COUNT;
            fields->count = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);
        }
        break;
    }
    }
    if (in.dry)
        return CAIRN_TAKE_MORE;
    *length = in.at;
    if (!legal && !(fields->flags & CAIRN_PACKET_FRAMED))
        return CAIRN_TAKE_RESERVED;
    if (!legal) {
        *kind = CAIRN_ETMV4_RESERVED;
        *state = moved;
        return CAIRN_TAKE_FRAMED;
    }
    if (in.sbz)
        fields->flags |= CAIRN_PACKET_SBZ;
    *state = moved;
    return CAIRN_TAKE_WHOLE;
}
