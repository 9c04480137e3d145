/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/address.h"

#include <cairn/isa.h>

/* Context information byte (DDI0608 D5.55; NSE from ETE 1.2). */
enum {
    HISTORY = 3,
    CTX_EL = 3,
    CTX_NSE = 1 << 3,
    CTX_SF = 1 << 4,
    CTX_NS = 1 << 5,
    CTX_V = 1 << 6,
    CTX_C = 1 << 7,
    CTX_SBZ = 0x0c,
};

void cairn_etmv4_push(struct cairn_etmv4_state *state, uint64_t address, uint8_t sub_isa)
{
    state->history[2] = state->history[1];
    state->history[1] = state->history[0];
    state->history[0].address = address;
    state->history[0].sub_isa = sub_isa;
    if (state->unknown)
        state->unknown--;
}

struct cairn_etmv4_address_form cairn_etmv4_form_of(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV4_ADDRESS_EXACT:
    case CAIRN_ETMV4_Q_EXACT:
    case CAIRN_ETMV4_SOURCE_EXACT:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_EXACT, 0, 0};
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_Q_SHORT_IS0:
    case CAIRN_ETMV4_SOURCE_SHORT_IS0:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_SHORT, 0, 0};
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1:
    case CAIRN_ETMV4_Q_SHORT_IS1:
    case CAIRN_ETMV4_SOURCE_SHORT_IS1:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_SHORT, 1, 0};
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_Q_32_IS0:
    case CAIRN_ETMV4_SOURCE_32_IS0:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_32, 0, 0};
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_Q_32_IS1:
    case CAIRN_ETMV4_SOURCE_32_IS1:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_32, 1, 0};
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_SOURCE_64_IS0:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_64, 0, 0};
    case CAIRN_ETMV4_ADDRESS_64_IS1:
    case CAIRN_ETMV4_SOURCE_64_IS1:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_64, 1, 0};
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_32, 0, 1};
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_32, 1, 1};
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_64, 0, 1};
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
        return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_64, 1, 1};
    default: return (struct cairn_etmv4_address_form){CAIRN_ETMV4_FORM_NONE, 0, 0};
    }
}

/* The low 16 bits of a long address: IS0 A[8:2] A[15:9], IS1 A[7:1] A[15:8]; bit 7 of the bytes
 * that hold seven address bits should be zero (DDI0608 D5.49, D5.50). */
static uint64_t long_low(struct cairn_etmv4_cursor *in, unsigned sub_isa)
{
    const unsigned first = cairn_etmv4_next(in);
    const unsigned second = cairn_etmv4_next(in);

    if (first & CAIRN_ETMV4_CONTINUE)
        in->sbz = true;
    if (sub_isa)
        return ((uint64_t)(first & 0x7f) << 1) | ((uint64_t)second << 8);
    if (second & CAIRN_ETMV4_CONTINUE)
        in->sbz = true;
    return ((uint64_t)(first & 0x7f) << 2) | ((uint64_t)(second & 0x7f) << 9);
}

/* A short address replaces the low bits of history entry 0 (DDI0608 D9.2.14.4, D9.2.14.5). */
static uint64_t short_address(struct cairn_etmv4_cursor *in, unsigned sub_isa, uint64_t base,
                              uint8_t *bits)
{
    const unsigned low = sub_isa ? 1 : 2; /* bits below the first one carried */
    const unsigned first = cairn_etmv4_next(in);
    uint64_t mask = (1ull << (CAIRN_ETMV4_GROUP + low)) - 1;
    uint64_t value = (uint64_t)(first & 0x7f) << low;

    *bits = (uint8_t)(CAIRN_ETMV4_GROUP + low);
    if (first & CAIRN_ETMV4_CONTINUE) {
        value |= (uint64_t)cairn_etmv4_next(in) << (CAIRN_ETMV4_GROUP + low);
        *bits = (uint8_t)(CAIRN_ETMV4_GROUP + low + 8);
        mask = (1ull << *bits) - 1;
    }
    return (base & ~mask) | value;
}

bool cairn_etmv4_read_address(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_state *state,
                              struct cairn_etmv4_address_form form, unsigned header,
                              struct cairn_packet_fields *fields)
{
    const struct cairn_etmv4_address *entry = &state->history[0];

    fields->flags |= CAIRN_PACKET_HAS_ADDRESS;
    fields->sub_isa = form.sub_isa;
    switch (form.form) {
    case CAIRN_ETMV4_FORM_NONE: break;
    case CAIRN_ETMV4_FORM_EXACT:
        if ((header & 3) + state->unknown >= HISTORY)
            return false;
        entry = &state->history[header & 3];
        fields->address = entry->address;
        fields->sub_isa = entry->sub_isa;
        fields->info |= (uint8_t)(header & 3);
        fields->address_bits = 0;
        break;
    case CAIRN_ETMV4_FORM_SHORT:
        fields->address = short_address(in, form.sub_isa, entry->address, &fields->address_bits);
        break;
    case CAIRN_ETMV4_FORM_32:
        fields->address = (entry->address & ~0xffffffffull) | long_low(in, form.sub_isa);
        fields->address |= cairn_etmv4_little_endian(in, 2) << 16;
        fields->address_bits = 32;
        break;
    case CAIRN_ETMV4_FORM_64:
        fields->address = long_low(in, form.sub_isa);
        fields->address |= cairn_etmv4_little_endian(in, 6) << 16;
        fields->address_bits = 64;
        break;
    }
    return true;
}

/* The context information byte and the identifiers behind it, merged over the last context
 * (DDI0608 D9.2.14.9, D9.2.14.10). */
void cairn_etmv4_read_context(struct cairn_etmv4_cursor *in,
                              const struct cairn_etmv4_config *config,
                              struct cairn_etmv4_state *state, struct cairn_packet_fields *fields)
{
    struct cairn_context *context = &state->context;
    const unsigned info = cairn_etmv4_next(in);
    unsigned sbz = info & CTX_SBZ;

    context->EL = (uint8_t)(info & CTX_EL);
    context->SF = (info & CTX_SF) ? 1 : 0;
    context->security = (info & CTX_NS) ? CAIRN_NONSECURE : CAIRN_SECURE;
    if (config->realm) {
        sbz &= ~(unsigned)CTX_NSE;
        if (info & CTX_NSE)
            context->security = (info & CTX_NS) ? CAIRN_REALM : CAIRN_ROOT;
    }
    context->sbz = (uint8_t)sbz;
    if (sbz)
        in->sbz = true;
    if (info & CTX_V) {
        fields->flags |= CAIRN_PACKET_HAS_VMID;
        context->vmid = (uint32_t)cairn_etmv4_little_endian(in, config->vmid_size);
    }
    if (info & CTX_C) {
        fields->flags |= CAIRN_PACKET_HAS_CONTEXT_ID;
        context->context_id = (uint32_t)cairn_etmv4_little_endian(in, config->context_id_size);
    }
}
