/* SPDX-License-Identifier: BSD-2-Clause */
/* The fast way for processors with AVX2. For a block of 64 bytes it works out, of each byte as if
 * it were a header, whether it is an Atom packet's, of which kind, and how long an Address packet
 * it would be. Then it goes from address to address: what lies between two are Atoms. */
#include "base/bytes.h"
#include "protocol/etmv4/parse_fast.h"

#if CAIRN_AVX2

#include <immintrin.h>

#define AVX2_INLINE static inline CAIRN_TARGET_AVX2 __attribute__((always_inline))

enum {
    VECTOR = 32,
    LANES = 16, /* packets written at once */
};

/* Of the bytes of a block. */
struct block {
    uint64_t others;                  /* a bit each: no Atom packet's header */
    uint8_t length[CAIRN_FAST_BLOCK]; /* of an Address packet; 0: some other */
    uint8_t kind[CAIRN_FAST_BLOCK + 2 * LANES];
};

#define K(name) (char)CAIRN_ETMV4_##name
/* By the low half of a header: 90 to 9F, D0 to DF, F0 to FF; the rest are of format 6. */
#define KINDS_9                                                                                    \
    K(ADDRESS_EXACT), K(ADDRESS_EXACT), K(ADDRESS_EXACT), 0, 0, K(ADDRESS_SHORT_IS0),              \
        K(ADDRESS_SHORT_IS1), 0, 0, 0, K(ADDRESS_32_IS0), K(ADDRESS_32_IS1), 0, K(ADDRESS_64_IS0), \
        K(ADDRESS_64_IS1), 0
#define LENGTHS_9 1, 1, 1, 0, 0, 2, 2, 0, 0, 0, 5, 5, 0, 9, 9, 0
#define LONGER_9 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 /* with a continuation bit */
#define KINDS_D                                                                                    \
    K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F5_2), K(ATOM_F5_2),        \
        K(ATOM_F5_2), K(ATOM_F2), K(ATOM_F2), K(ATOM_F2), K(ATOM_F2), K(ATOM_F4), K(ATOM_F4),      \
        K(ATOM_F4), K(ATOM_F4)
#define KINDS_F                                                                                    \
    K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F6), K(ATOM_F5_1), K(ATOM_F1),          \
        K(ATOM_F1), K(ATOM_F3), K(ATOM_F3), K(ATOM_F3), K(ATOM_F3), K(ATOM_F3), K(ATOM_F3),        \
        K(ATOM_F3), K(ATOM_F3)
#define TWICE(list) _mm256_setr_epi8(list, list)

/* Works out VECTOR bytes; `next` are those that lie one behind. Returns the bits of `others`. */
AVX2_INLINE uint32_t work_out(__m256i bytes, __m256i next, uint8_t *length, uint8_t *kind)
{
    const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(0x0f));
    const __m256i high = _mm256_and_si256(bytes, _mm256_set1_epi8((char)0xf0));
    const __m256i is_9 = _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)0x90));
    const __m256i is_d = _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)0xd0));
    const __m256i is_f = _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)0xf0));
    const __m256i longer = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_setzero_si256(), next),
                                            _mm256_shuffle_epi8(TWICE(LONGER_9), low));
    const __m256i lengths =
        _mm256_and_si256(is_9, _mm256_add_epi8(longer, _mm256_shuffle_epi8(TWICE(LENGTHS_9), low)));
    const __m256i atoms = _mm256_cmpeq_epi8(
        _mm256_max_epu8(bytes, _mm256_set1_epi8((char)CAIRN_ETMV4_FIRST_ATOM)), bytes);
    __m256i kinds = _mm256_set1_epi8(K(ATOM_F6));

    kinds = _mm256_blendv_epi8(kinds, _mm256_shuffle_epi8(TWICE(KINDS_D), low), is_d);
    kinds = _mm256_blendv_epi8(kinds, _mm256_shuffle_epi8(TWICE(KINDS_F), low), is_f);
    kinds = _mm256_blendv_epi8(kinds, _mm256_shuffle_epi8(TWICE(KINDS_9), low), is_9);
    _mm256_storeu_si256((__m256i *)(void *)length, lengths);
    _mm256_storeu_si256((__m256i *)(void *)kind, kinds);
    return ~(uint32_t)_mm256_movemask_epi8(atoms);
}

AVX2_INLINE __m256i load(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

AVX2_INLINE void work_out_block(const uint8_t *bytes, struct block *block)
{
    const uint32_t low = work_out(load(bytes), load(bytes + 1), block->length, block->kind);
    const uint32_t high = work_out(load(bytes + VECTOR), load(bytes + VECTOR + 1),
                                   block->length + VECTOR, block->kind + VECTOR);

    block->others = low | (uint64_t)high << VECTOR;
}

/* Where packets are written. */
struct out {
    uint16_t *kind;
    uint64_t *offset;
    uint64_t *length;
    uint8_t *account;
};

/* Numbers of half the lanes in a column. */
AVX2_INLINE void write_offsets(uint64_t *column, uint64_t offset)
{
    for (unsigned k = 0; k < LANES / 2; k += 4)
        _mm256_storeu_si256((__m256i *)(void *)&column[k],
                            _mm256_add_epi64(_mm256_set1_epi64x((long long)(offset + k)),
                                             _mm256_setr_epi64x(0, 1, 2, 3)));
}

AVX2_INLINE void write_ones(uint64_t *column)
{
    for (unsigned k = 0; k < LANES / 2; k += 4)
        _mm256_storeu_si256((__m256i *)(void *)&column[k], _mm256_set1_epi64x(1));
}

/* LANES packets of one byte each, Atoms, of which `used` count, and one more. */
AVX2_INLINE void write_lanes(const struct out *out, size_t i, const uint8_t *kind, uint64_t offset,
                             size_t used, const bool wide)
{
    if (out->kind)
        _mm256_storeu_si256(
            (__m256i *)(void *)&out->kind[i],
            _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)kind)));
    if (!wide)
        return;
    if (out->offset)
        write_offsets(&out->offset[i], offset);
    if (out->length)
        write_ones(&out->length[i]);
    if (out->account)
        _mm_storeu_si128((__m128i *)(void *)&out->account[i],
                         _mm_set1_epi8((char)CAIRN_ACCOUNT_FLOW));
    if (__builtin_expect(used < LANES / 2, 1))
        return;
    if (out->offset)
        write_offsets(&out->offset[i + LANES / 2], offset + LANES / 2);
    if (out->length)
        write_ones(&out->length[i + LANES / 2]);
}

AVX2_INLINE void run_blocks(struct cairn_etmv4_fast *f, const bool wide)
{
    const struct out out = {f->kind, f->offset, f->length, f->account_of};
    const struct cairn_fast_address *const forms = f->address_of;
    uint64_t *const addresses = f->address;
    uint32_t *const packets = f->address_packet;
    const uint8_t *base = f->bytes + f->at; /* of the block */
    const uint8_t *const end = f->bytes + f->size - CAIRN_FAST_BLOCK_MARGIN;
    const size_t full = f->capacity - CAIRN_FAST_BLOCK_ROOM;
    size_t count = f->count;
    size_t address_count = f->address_count;
    uint64_t h0 = f->history[0];
    uint64_t h1 = f->history[1];
    uint64_t h2 = f->history[2];
    size_t p = 0; /* next byte, in the block */
    struct block blocks[2];
    struct block *block = &blocks[0];
    struct block *next = &blocks[1];

    memset(blocks[0].kind + CAIRN_FAST_BLOCK, 0, 2 * LANES);
    memset(blocks[1].kind + CAIRN_FAST_BLOCK, 0, 2 * LANES);
    work_out_block(base, block);
    while (base <= end && count <= full) {
        const uint64_t origin = f->origin + (uint64_t)(base - f->bytes);
        const uint64_t all = block->others;
        struct block *const done = block;

        work_out_block(base + CAIRN_FAST_BLOCK, next); /* ahead: it waits for nothing */
        while (p < CAIRN_FAST_BLOCK) {
            const uint64_t others = all >> p;
            const size_t run = others ? (size_t)__builtin_ctzll(others) : CAIRN_FAST_BLOCK - p;
            const size_t q = p + run;
            size_t rest = run;
            size_t length;

            while (__builtin_expect(rest >= LANES, 0)) {
                write_lanes(&out, count, &block->kind[p], origin + p, LANES, wide);
                count += LANES;
                p += LANES;
                rest -= LANES;
            }
            write_lanes(&out, count, &block->kind[p], origin + p, rest, wide);
            count += rest;
            p = q;
            if (!others)
                break;
            length = block->length[q];
            const unsigned header = base[q];
            const unsigned more = base[q + 1] & CAIRN_ETMV4_CONTINUE;

            if (__builtin_expect(length == 0, 0)) {
                length = f->table.length[header | more << 8];
                if (length == 0 || cairn_etmv4_fast_is_odd(base + q + length - 1))
                    goto leave;
                if (out.kind)
                    out.kind[count] = f->kinds[header];
                if (wide && out.account)
                    out.account[count] = f->account[header];
            } else {
                const struct cairn_fast_address *form = &forms[header | more << 1];
                const uint64_t bits = _pext_u64(cairn_load_le64(base + q + 1), form->mask)
                                      << form->shift;
                const uint64_t address = (h0 & form->keep[0]) | (h1 & form->keep[1]) |
                                         (h2 & form->keep[2]) | (bits | form->sub_isa);

                if (__builtin_expect(cairn_etmv4_fast_is_odd(base + q + length - 1), 0))
                    goto leave;
                h2 = h1;
                h1 = h0;
                h0 = address;
                if (addresses)
                    addresses[address_count] = address;
                if (packets)
                    packets[address_count] = (uint32_t)count;
                address_count++;
            }
            if (wide && out.length)
                out.length[count] = length;
            count++;
            p = q + length;
        }
        base += CAIRN_FAST_BLOCK;
        p -= CAIRN_FAST_BLOCK;
        block = next;
        next = done;
    }
leave:
    f->at = (size_t)(base - f->bytes) + p;
    f->count = count;
    f->address_count = address_count;
    f->history[0] = h0;
    f->history[1] = h1;
    f->history[2] = h2;
}

void cairn_etmv4_fast_blocks(struct cairn_etmv4_fast *f)
{
    if (f->wide)
        run_blocks(f, true);
    else
        run_blocks(f, false);
}

#endif
