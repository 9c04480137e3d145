/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers and branch packets of ETMv3 where they lie, as words of packets. */
#include "base/bytes.h"
#include "protocol/etmv3/words.h"

enum {
    PACKET_BITS = 8,
    WORD_BITS = 64,
};

static inline uint64_t headers_low(uint64_t bytes, unsigned bits)
{
    return bits >= WORD_BITS ? bytes : bytes & ((UINT64_C(1) << bits) - 1);
}

/* Where the word that begins with these bytes ends if it is P-headers and a branch, or eight P-headers: behind the first
 * byte that none follows. */
static inline unsigned headers_guess(uint64_t bytes)
{
    const uint64_t ends = ~bytes & UINT64_C(0x8080808080808080);

    return (unsigned)__builtin_ctzll(ends | UINT64_C(1) << (WORD_BITS - 1)) / PACKET_BITS + 1;
}

/* `limited`: packets of a word that begin at the limit, or behind it, are left out; else there are
 * none of these. */
static inline __attribute__((always_inline)) void
headers_read(struct cairn_etmv3_word_run *run, const bool narrow, const bool limited)
{
    struct cairn_words *out = run->out;
    struct cairn_word *word = out->word + run->now.word;
    const struct cairn_word *const words = out->word + out->capacity;
    const uint8_t *const limit = limited ? run->limit : run->fast;
    struct cairn_branch_place place = run->now.place;
    const uint8_t *at = run->now.at;
    size_t longer = run->now.longer;

    while (at < limit && word < words) {
        const uint64_t bytes = cairn_load_le64(at);
        /* the next word is begun with before this one's length is known */
        const uint8_t *next = at + headers_guess(bytes);
        unsigned bits = cairn_p_header_bits(bytes);
        unsigned length = 0;

        if (limited && bits > PACKET_BITS * (size_t)(limit - at))
            bits = PACKET_BITS * (unsigned)(limit - at);
        const uint8_t *const behind = at + bits / PACKET_BITS;
        const uint64_t tail = cairn_load_le64(behind);

        if (bits < WORD_BITS && !(limited && behind == limit)) {
            length = cairn_branch_begins(tail) ? cairn_branch_read(tail, narrow, &place) : 0;
            if (__builtin_expect(length == 0, 0)) {
                run->other = true;
                if (bits == 0)
                    break;
            }
        }
        word->atoms = headers_low(bytes, bits);
        word->target = length > 0 ? place.address | place.thumb : CAIRN_WORD_NO_TARGET;
        word->at = (uint32_t)((uintptr_t)at + run->bias);
        word->before = (uint16_t)(bits / PACKET_BITS);
        word->target_length = (uint8_t)length;
        word->asides = 0;
        word++;
        if (__builtin_expect(next != behind + length, 0)) {
            next = behind + length;
            __asm__ volatile("" : "+r"(next)); /* or the guess would be taken for needless */
        }
        at = next;
        if (length > 0)
            longer += length - 1;
        else if (bits < WORD_BITS)
            break;
    }
    run->now.at = at;
    run->now.place = place;
    run->now.longer = longer;
    run->now.word = (size_t)(word - out->word);
}

static inline __attribute__((always_inline)) void headers_read_all(struct cairn_etmv3_word_run *run,
                                                                   const bool narrow)
{
    headers_read(run, narrow, false);
    if (!run->other && run->now.at < run->limit)
        headers_read(run, narrow, true);
}

void cairn_etmv3_run_headers(struct cairn_etmv3_word_run *run)
{
    run->begun = run->now;
    if (run->config->alternative)
        headers_read_all(run, true);
    else
        headers_read_all(run, false);
    run->out->count = run->now.word;
    run->certain = !run->other && cairn_p_header_bits(*run->now.at) > 0;
}

/* Words from the end on are dropped, up to the last one with atoms. */
void cairn_etmv3_back_headers(struct cairn_etmv3_word_run *run)
{
    const struct cairn_words *words = run->out;
    struct cairn_etmv3_spot last = run->begun;
    size_t i = words->count;

    last.longer = run->now.longer;
    run->now = run->begun;
    while (i > 0 && words->word[i - 1].atoms == 0)
        last.longer -= words->word[--i].target_length - 1u;
    if (i == 0)
        return;
    const struct cairn_word *word = &words->word[--i];

    if (word->target != CAIRN_WORD_NO_TARGET)
        last.longer -= word->target_length - 1u;
    last.word = i;
    last.at += word->at - words->word[0].at + word->before - 1;
    last.atoms = headers_low(word->atoms, PACKET_BITS * (word->before - 1u));
    for (; i > 0; i--) {
        const uint64_t target = words->word[i - 1].target;

        if (target == CAIRN_WORD_NO_TARGET)
            continue;
        last.place = (struct cairn_branch_place){(uint32_t)target & ~1u, target & 1};
        break;
    }
    run->now = last;
}
