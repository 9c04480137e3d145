/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for processors with AVX2. For a block of 64 bytes it works out, of each byte as if it were
 * a header, whether it is an Atom packet's, and how long an Address packet it would be. Then it
 * goes from address to address: what lies between two is a word, or several. */
#include "protocol/etmv4/words.h"

#if CAIRN_AVX2

#include <immintrin.h>

#define AVX2_INLINE static inline CAIRN_TARGET_AVX2 __attribute__((always_inline))

enum { VECTOR = 32 };

/* By the low half of a header 90 to 9F: the length of an Address packet, and what a continuation
 * bit adds to it. */
#define LENGTHS 1, 1, 1, 0, 0, 2, 2, 0, 0, 0, 5, 5, 0, 9, 9, 0
#define LONGER 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define TWICE(list) _mm256_setr_epi8(list, list)

AVX2_INLINE __m256i words_bytes(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* Writes the lengths, and returns a bit for each byte that is no Atom packet's header. */
AVX2_INLINE uint32_t words_vector(const uint8_t *at, uint8_t *length)
{
    const __m256i bytes = words_bytes(at);
    const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(0x0f));
    const __m256i high = _mm256_and_si256(bytes, _mm256_set1_epi8((char)0xf0));
    const __m256i is_9 = _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)0x90));
    const __m256i more = _mm256_cmpgt_epi8(_mm256_setzero_si256(), words_bytes(at + 1));
    const __m256i longer = _mm256_and_si256(more, _mm256_shuffle_epi8(TWICE(LONGER), low));
    const __m256i lengths = _mm256_add_epi8(longer, _mm256_shuffle_epi8(TWICE(LENGTHS), low));
    const __m256i atoms = _mm256_cmpeq_epi8(
        _mm256_max_epu8(bytes, _mm256_set1_epi8((char)CAIRN_ETMV4_FIRST_ATOM)), bytes);

    _mm256_storeu_si256((__m256i *)(void *)length, _mm256_and_si256(is_9, lengths));
    return ~(uint32_t)_mm256_movemask_epi8(atoms);
}

AVX2_INLINE uint64_t words_block(const uint8_t *at, uint8_t *length)
{
    const uint32_t low = words_vector(at, length);
    const uint32_t high = words_vector(at + VECTOR, length + VECTOR);

    return low | (uint64_t)high << VECTOR;
}

/* The last four members of a word are written as one: that is one store. */
AVX2_INLINE void words_put(struct cairn_word *word, uint64_t atoms, uint64_t target, size_t at,
                           size_t before, uint64_t target_length)
{
    const uint64_t place = (uint64_t)at | (uint64_t)before << 32 | target_length << 48;

    word->atoms = atoms;
    word->target = target;
    memcpy(&word->at, &place, sizeof place);
}

/* A word of as many packets as fit, without a target. */
AVX2_INLINE void words_put_full(struct cairn_word *word, const uint8_t *start,
                                const uint8_t *origin)
{
    words_put(word, cairn_etmv4_word_load(start), CAIRN_WORD_NO_TARGET, (size_t)(start - origin),
              CAIRN_WORD_PACKETS_MOST, 0);
}

CAIRN_TARGET_AVX2 bool cairn_etmv4_run_blocks(struct cairn_etmv4_run *run)
{
    const struct cairn_hot_address *const forms = run->table->address;
    const uint8_t *const origin = run->origin;
    const uint8_t *const stop = run->stop;
    const uint8_t *base = run->at;  /* of the block */
    const uint8_t *start = run->at; /* of the word at hand */
    struct cairn_word *word = run->word + run->count;
    uint64_t *newest = run->history + 2 + run->addresses;
    uint64_t address_bytes = run->address_bytes;
    size_t next = 0; /* packet, in the block */
    uint8_t lengths[2][CAIRN_ETMV4_WORD_BLOCK];
    unsigned now = 0;
    bool ended = true;
    uint64_t others;

    if (run->end - base < (ptrdiff_t)CAIRN_ETMV4_WORD_BLOCK_MARGIN)
        return false;
    const uint8_t *const last = run->end - CAIRN_ETMV4_WORD_BLOCK_MARGIN;
    if (run->capacity - run->count < CAIRN_ETMV4_WORD_BLOCK_ROOM)
        return true;
    const struct cairn_word *const full = run->word + run->capacity - CAIRN_ETMV4_WORD_BLOCK_ROOM;

    others = words_block(base, lengths[0]);
    for (;;) {
        const uint8_t *const behind = base + CAIRN_ETMV4_WORD_BLOCK;
        const uint64_t others_behind =
            words_block(behind, lengths[now ^ 1]); /* waits for nothing */

        while (next < CAIRN_ETMV4_WORD_BLOCK && others >> next != 0) {
            next += (size_t)__builtin_ctzll(others >> next);

            const uint8_t *const header = base + next;
            const unsigned length = lengths[now][next];
            const uint64_t payload = cairn_etmv4_word_load(header + 1);
            const struct cairn_hot_address *form = &forms[header[0] | (payload & 0x80) << 1];
            const uint64_t target = (_pext_u64(payload, form->mask) << form->shift) |
                                    (newest[-(ptrdiff_t)form->entry] & form->keep) | form->sub_isa;

            while (__builtin_expect(header - start > (ptrdiff_t)CAIRN_WORD_PACKETS_MOST, 0)) {
                words_put_full(word++, start, origin);
                start += CAIRN_WORD_PACKETS_MOST;
            }
            const size_t bytes = (size_t)(header - start);
            const uint64_t atoms = _bzhi_u64(cairn_etmv4_word_load(start), 8 * (unsigned)bytes);

            if (__builtin_expect(length == 0 || target == CAIRN_WORD_NO_TARGET, 0)) {
                if (bytes > 0)
                    words_put(word++, atoms, CAIRN_WORD_NO_TARGET, (size_t)(start - origin), bytes,
                              0);
                start = header;
                goto leave;
            }
            words_put(word++, atoms, target, (size_t)(start - origin), bytes, length);
            *++newest = target;
            address_bytes += length;
            next += length;
            start = header + length;
        }
        if (next < CAIRN_ETMV4_WORD_BLOCK)
            next = CAIRN_ETMV4_WORD_BLOCK;
        while (behind - start > (ptrdiff_t)CAIRN_WORD_PACKETS_MOST) {
            words_put_full(word++, start, origin);
            start += CAIRN_WORD_PACKETS_MOST;
        }
        base = behind;
        next -= CAIRN_ETMV4_WORD_BLOCK;
        others = others_behind;
        now ^= 1;
        if (word > full || base >= stop)
            break;
        if (base > last) {
            ended = false;
            break;
        }
    }
leave:
    run->at = start;
    run->count = (size_t)(word - run->word);
    run->addresses = (size_t)(newest - (run->history + 2));
    run->address_bytes = address_bytes;
    return ended;
}

#endif
