/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of branch addresses -> addresses (5.5.2 to 5.5.5, 5.6.3). */
#include "protocol/etmv1/etmv1.h"

enum {
    MORE = 0x80, /* of the first four bytes: another follows. Of the fifth: the J bit */
    BITS = 7,    /* of the address in each */
    LAST_SHIFT = BITS * (CAIRN_ETMV1_ADDRESS_BYTES - 1),
    LAST_BITS = 0xf,
    REASON_SHIFT = 4,
    REASON_BITS = 7,
};

#define THUMB UINT32_C(1)
#define ARM_ADDRESS (~UINT32_C(3))

void cairn_etmv1_address_begin(struct cairn_etmv1_addresses *addresses)
{
    if (addresses->count > 0)
        cairn_etmv1_address_lose(addresses);
    addresses->count = 0;
    addresses->of = 0;
}

void cairn_etmv1_address_lose(struct cairn_etmv1_addresses *addresses)
{
    addresses->known = false;
    addresses->count = 0;
    addresses->of = 0;
}

/* The Context ID follows a full address with a reason (5.6.3). */
static unsigned length_with(const struct cairn_etmv1_config *etm, uint8_t last)
{
    const bool reason = (last >> REASON_SHIFT & REASON_BITS) != CAIRN_ETMV1_NORMAL;

    return CAIRN_ETMV1_ADDRESS_BYTES + (reason ? etm->context_bytes : 0u);
}

/* How many bytes it has, once that is known. */
static void measure(struct cairn_etmv1_addresses *a, uint8_t byte)
{
    if (a->of != 0)
        return;
    if (a->count == CAIRN_ETMV1_ADDRESS_BYTES)
        a->of = length_with(a->etm, byte);
    else if (!(byte & MORE))
        a->of = a->count;
}

/* A short address replaces the low bits of the last one (5.5.4). */
static void put_together(struct cairn_etmv1_addresses *a, struct cairn_etmv1_address *address)
{
    const bool full = a->of >= CAIRN_ETMV1_ADDRESS_BYTES;
    const unsigned short_bytes = full ? CAIRN_ETMV1_ADDRESS_BYTES - 1 : a->of;
    uint32_t bits = 0;

    for (unsigned i = 0; i < short_bytes; i++)
        bits |= (uint32_t)(a->bytes[i] & ~MORE & 0xff) << (BITS * i);
    address->bits = (uint8_t)(full ? CAIRN_ETMV1_ADDRESS_WHOLE : BITS * short_bytes);
    address->reason = CAIRN_ETMV1_NORMAL;
    if (full) {
        const uint8_t last = a->bytes[CAIRN_ETMV1_ADDRESS_BYTES - 1];

        a->base = bits | (uint32_t)(last & LAST_BITS) << LAST_SHIFT;
        a->java = (last & MORE) != 0;
        a->known = true;
        address->reason = last >> REASON_SHIFT & REASON_BITS;
        address->reserved = a->java && !a->etm->version.java;
    } else {
        a->base = (a->base & ~((UINT32_C(1) << address->bits) - 1)) | bits;
    }
    address->known = a->known;
}

static void set_state(const struct cairn_etmv1_addresses *a, struct cairn_etmv1_address *address)
{
    address->address = a->base;
    if (a->java) {
        address->state = CAIRN_STATE_JAZELLE;
    } else if (a->base & THUMB) {
        address->state = CAIRN_STATE_THUMB;
        address->address &= ~THUMB;
    } else { /* bit 1 is to be ignored (5.5.2) */
        address->state = CAIRN_STATE_ARM;
        address->address &= ARM_ADDRESS;
    }
}

bool cairn_etmv1_address_byte(struct cairn_etmv1_addresses *a, uint8_t byte,
                              struct cairn_etmv1_address *address)
{
    a->bytes[a->count++] = byte;
    measure(a, byte);
    if (a->of == 0 || a->count < a->of)
        return false;
    put_together(a, address);
    set_state(a, address);
    if (a->of > CAIRN_ETMV1_ADDRESS_BYTES) {
        a->context_id = 0;
        for (unsigned i = CAIRN_ETMV1_ADDRESS_BYTES; i < a->of; i++)
            a->context_id |= (uint32_t)a->bytes[i] << (8 * (i - CAIRN_ETMV1_ADDRESS_BYTES));
        address->has_context = true;
    }
    address->context_id = a->context_id;
    address->whole = !address->reserved;
    if (address->reserved)
        a->known = false;
    a->count = 0;
    a->of = 0;
    return true;
}
