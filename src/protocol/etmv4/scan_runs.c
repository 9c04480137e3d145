/* SPDX-License-Identifier: BSD-2-Clause */
/* What most of a trace with Commits is: an Atom packet of one Atom and a Commit of 1, again and
 * again, and an Address packet now and then. Eight of each are looked at together, and the address
 * behind them is taken in the same turn, if there is one. How many there are is anybody's guess, so
 * no branch depends on it. */
#include "base/bytes.h"
#include "protocol/etmv4/scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    STRIDE = 3,
    PACKETS = CAIRN_TOKEN_RUN, /* of each in the bytes that are looked at */
    BYTES = STRIDE * PACKETS,
    MOST = BYTES + 9, /* bytes of a turn */
    HISTORY = 3,
    ADDRESSES = 64, /* of a call */
};

/* Of 24 bytes on end as three words: the bits that tell E from N, and what all the others are. */
#define STATUS_0 UINT64_C(0x0001000001000001)
#define STATUS_1 UINT64_C(0x0100000100000100)
#define STATUS_2 UINT64_C(0x0000010000010000)
#define RUN_0 UINT64_C(0x2df6012df6012df6)
#define RUN_1 UINT64_C(0xf6012df6012df601)
#define RUN_2 UINT64_C(0x012df6012df6012d)

/* A bit for each byte that is not as it has to be, and bit 24. */
static inline uint32_t other_bytes(const uint8_t *bytes)
{
#ifdef __SSE2__
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 8));
    const __m128i low_run = _mm_set_epi64x((long long)RUN_1, (long long)RUN_0);
    const __m128i high_run = _mm_set_epi64x((long long)RUN_2, (long long)RUN_1);
    const __m128i low_status = _mm_set_epi64x((long long)STATUS_1, (long long)STATUS_0);
    const __m128i high_status = _mm_set_epi64x((long long)STATUS_2, (long long)STATUS_1);
    const int low_same =
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_andnot_si128(low_status, low), low_run));
    const int high_same =
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_andnot_si128(high_status, high), high_run));

    return ~((uint32_t)low_same | (uint32_t)high_same << 8);
#else
    static const uint64_t status[3] = {STATUS_0, STATUS_1, STATUS_2};
    static const uint64_t run[3] = {RUN_0, RUN_1, RUN_2};
    const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint32_t others = UINT32_C(1) << BYTES;

    for (unsigned i = 0; i < 3; i++) {
        uint64_t differs = (cairn_load_le64(bytes + 8 * i) & ~status[i]) ^ run[i];

        differs = (((differs & low_bits) + low_bits) | differs) & ~low_bits; /* a bit a byte, */
        differs = (differs >> 7) * UINT64_C(0x0102040810204080) >> 56;       /* together */
        others |= (uint32_t)differs << 8 * i;
    }
    return others;
#endif
}

/* The Atoms, 1 = E. The i-th's status is bit 0 of byte 3 * i of the three words, so that each has
 * another place in a word: that in byte b is the 3 * b mod 8-th, and is moved to bit 56 + that. No
 * two of the products meet, since all shifts differ modulo 8. */
static inline uint32_t atoms_of(const uint8_t *bytes)
{
    const uint64_t gather = UINT64_C(1) << 56 | UINT64_C(1) << 51 | UINT64_C(1) << 46 |
                            UINT64_C(1) << 33 | UINT64_C(1) << 28 | UINT64_C(1) << 23 |
                            UINT64_C(1) << 10 | UINT64_C(1) << 5;
    const uint64_t statuses = (cairn_load_le64(bytes) & STATUS_0) |
                              (cairn_load_le64(bytes + 8) & STATUS_1) |
                              (cairn_load_le64(bytes + 16) & STATUS_2);

    return (uint32_t)((statuses * gather) >> 56);
}

void cairn_etmv4_scan_runs(const struct cairn_hot_table *table, const uint8_t *bytes,
                           struct cairn_scan_runs *runs)
{
    const struct cairn_token *const full = runs->full;
    const uint8_t *const first = bytes + runs->at;
    const uint64_t bias = runs->origin - (uint64_t)(uintptr_t)bytes; /* offset of address 0 */
    const ptrdiff_t room = (ptrdiff_t)(runs->stop - runs->at) - MOST;
    const uint8_t *at = first;
    struct cairn_token *t = runs->token;
    uint64_t addresses[HISTORY + ADDRESSES];
    uint64_t *newest = addresses + HISTORY - 1;
    const uint64_t *const newest_most = newest + ADDRESSES - 1;
    unsigned last = 0; /* bytes of the last address */
    size_t count = 0;

    for (unsigned i = 0; i < HISTORY; i++)
        newest[-(ptrdiff_t)i] = runs->history[i];
    while (at - first <= room && t < full && newest < newest_most) {
        uint32_t others = other_bytes(at);
        const uint32_t atoms = atoms_of(at);
        const struct cairn_hot_address *form;
        uint64_t address, payload;
        unsigned taken;
        unsigned packets;
        unsigned is_address;

        others |= others >> 1 | others >> 2; /* those of two or fewer bytes before */
        taken = (unsigned)__builtin_ctz(others & UINT32_C(0x01249249));
        if (taken == 0)
            break;
        packets = taken * 11 / 32;
        t->offset = (uint64_t)(uintptr_t)at + bias;
        t->length = 1;
        t->value = (atoms & ((1u << packets) - 1)) | (uint64_t)STRIDE << CAIRN_TOKEN_APART_SHIFT;
        t->data = 0;
        t->flags = 0;
        t->kind = CAIRN_ELEMENT_ATOM;
        t->count = (uint8_t)packets;
        count += packets;
        at += taken;
        payload = cairn_load_le64(at + 1);
        last = table->length[(at[0] | payload << 8) & CAIRN_HOT_LENGTH_MASK];
        form = &table->address[at[0] | (payload & 0x80) << 1];
        address = (newest[-(ptrdiff_t)form->entry] & form->keep) |
                  cairn_hot_gather(payload, form->mask) << form->shift | form->sub_isa;
        newest[1] = address;
        t[1].offset = (uint64_t)(uintptr_t)at + bias;
        t[1].length = last;
        t[1].value = address & ~UINT64_C(1);
        t[1].data = 0;
        t[1].flags = 0;
        t[1].kind = CAIRN_ELEMENT_TARGET_ADDRESS;
        t[1].count = (uint8_t)(address & 1);
        is_address = (last + 15) / 16;
        newest += is_address;
        t += 1 + is_address;
        at += last;
    }
    runs->packets = count;
    runs->addresses = (uint64_t)(newest - (addresses + HISTORY - 1));
    runs->address_bytes = (uint64_t)(at - first) - STRIDE * count;
    runs->atom = (uint64_t)(uintptr_t)at + bias - last - STRIDE;
    runs->token = t;
    runs->at += (size_t)(at - first);
    for (unsigned i = 0; i < HISTORY; i++)
        runs->history[i] = newest[-(ptrdiff_t)i];
}
