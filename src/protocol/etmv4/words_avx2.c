/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for processors with AVX2. For a block of 64 bytes it works out, of each byte as if it were
 * a header, whether it is an Atom packet's, and how long an Address packet it would be. Then it
 * goes from address to address: what lies between two is a word, or several. */
#include "base/bytes.h"
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

AVX2_INLINE void words_put(struct cairn_word *word, uint64_t atoms, uint64_t target, size_t at,
                           size_t before, uint64_t target_length)
{
    word->atoms = atoms;
    word->target = target;
    word->at = (uint32_t)at;
    word->before = (uint16_t)before;
    word->target_length = (uint8_t)target_length;
    word->asides = 0;
}

/* Full words without targets, for what of the packets from `*start` on does not fit into one. They are
 * few at a time: put together in vectors, they would take longer. */
AVX2_INLINE struct cairn_word *words_put_full(struct cairn_word *word, const uint8_t *origin,
                                              size_t *start, size_t end)
{
    size_t at = *start;

    while (__builtin_expect(end - at > CAIRN_WORD_PACKETS_MOST, 0)) {
        words_put(word++, cairn_load_le64(origin + at), CAIRN_WORD_NO_TARGET, at,
                  CAIRN_WORD_PACKETS_MOST, 0);
        at += CAIRN_WORD_PACKETS_MOST;
        __asm__("" : "+r"(at)); /* one by one */
    }
    *start = at;
    return word;
}

/* The low half of a header, and the continuation bit of the byte behind it. */
AVX2_INLINE size_t words_form_of(const uint8_t *header)
{
    return (size_t)_pext_u64(cairn_load_le16(header), 0x800f);
}

CAIRN_TARGET_AVX2 void
cairn_etmv4_run_forms(const struct cairn_hot_table *table,
                      struct cairn_etmv4_run_form form[CAIRN_ETMV4_RUN_FORMS])
{
    for (unsigned i = 0; i < CAIRN_ETMV4_RUN_FORMS; i++) {
        const uint8_t header[2] = {(uint8_t)(0x90 | (i & 0x0f)), (uint8_t)(i & 0x10 ? 0x80 : 0)};
        const struct cairn_hot_address *from = &table->address[header[0] | (i & 0x10) << 4];

        const size_t at = words_form_of(header);

        form[at] =
            (struct cairn_etmv4_run_form){.keep = from->keep,
                                          .mask = from->mask,
                                          .entry = -(int32_t)(from->entry * sizeof(uint64_t)),
                                          .shift = from->shift,
                                          .sub_isa = from->sub_isa};
    }
}

CAIRN_TARGET_AVX2 bool cairn_etmv4_run_blocks(struct cairn_etmv4_run *run)
{
    const struct cairn_etmv4_run_form *const forms = run->forms;
    const uint8_t *const origin = run->origin;
    const size_t stop = (size_t)(run->stop - origin);
    size_t base = (size_t)(run->at - origin); /* of the block */
    size_t start = base;                      /* of the word at hand */
    struct cairn_word *word = run->word + run->count;
    uint64_t *newest = run->history + 2 + run->addresses;
    uint64_t address_bytes = run->address_bytes;
    size_t next = 0; /* packet, in the block */
    uint8_t lengths[2][CAIRN_ETMV4_WORD_BLOCK];
    uint8_t *now = lengths[0];
    uint8_t *later = lengths[1];
    bool ended = true;
    uint64_t others;

    if (run->end - run->at < (ptrdiff_t)CAIRN_ETMV4_WORD_BLOCK_MARGIN)
        return false;
    const size_t last = (size_t)(run->end - origin) - CAIRN_ETMV4_WORD_BLOCK_MARGIN;
    if (run->capacity - run->count < CAIRN_ETMV4_WORD_BLOCK_ROOM)
        return true;
    const struct cairn_word *const full = run->word + run->capacity - CAIRN_ETMV4_WORD_BLOCK_ROOM;

    others = words_block(origin + base, now);
    for (;;) {
        const size_t behind = base + CAIRN_ETMV4_WORD_BLOCK;
        const uint64_t others_behind = words_block(origin + behind, later); /* waits for nothing */

        for (uint64_t left; next < CAIRN_ETMV4_WORD_BLOCK && (left = others >> next) != 0;) {
            next += (size_t)__builtin_ctzll(left);

            const size_t header = base + next;
            const size_t length = now[next];
            const struct cairn_etmv4_run_form *form = &forms[words_form_of(origin + header)];
            const uint64_t payload = cairn_load_le64(origin + header + 1);
            const uint64_t *const kept =
                (const uint64_t *)(const void *)((const char *)newest + form->entry);
            const uint64_t target = (_pext_u64(payload, form->mask) << form->shift) |
                                    (*kept & form->keep) | form->sub_isa;

            word = words_put_full(word, origin, &start, header);

            const size_t bytes = header - start;
            const uint64_t atoms = _bzhi_u64(cairn_load_le64(origin + start), 8 * (unsigned)bytes);

            if (__builtin_expect(length == 0 || target == CAIRN_WORD_NO_TARGET, 0)) {
                if (bytes > 0)
                    words_put(word++, atoms, CAIRN_WORD_NO_TARGET, start, bytes, 0);
                start = header;
                goto leave;
            }
            words_put(word++, atoms, target, start, bytes, length);
            *++newest = target;
            address_bytes += length;
            next += length;
            start = header + length;
        }
        if (next < CAIRN_ETMV4_WORD_BLOCK)
            next = CAIRN_ETMV4_WORD_BLOCK;
        /* A word that ends in the next block may wait for it: seldom is it a full one. */
        if (__builtin_expect(behind > start + 3 * CAIRN_WORD_PACKETS_MOST, 0))
            word = words_put_full(word, origin, &start, behind);
        base = behind;
        next -= CAIRN_ETMV4_WORD_BLOCK;
        others = others_behind;
        uint8_t *const swap = now;

        now = later;
        later = swap;
        if (word > full || base >= stop)
            break;
        if (base > last) {
            ended = false;
            break;
        }
    }
    word = words_put_full(word, origin, &start, base + next);
leave:
    run->at = origin + start;
    run->count = (size_t)(word - run->word);
    run->addresses = (size_t)(newest - (run->history + 2));
    run->address_bytes = address_bytes;
    return ended;
}

#endif
