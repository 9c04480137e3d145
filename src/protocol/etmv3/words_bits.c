/* SPDX-License-Identifier: BSD-2-Clause */
/* P-headers, branch packets and data packets of ETMv3 where they lie, as words of bits: W's and data
 * are asides. */
#include "base/bytes.h"
#include "protocol/etmv3/words.h"

#define BITS_INLINE static inline __attribute__((always_inline))

enum { ASIDES_MOST = UINT8_MAX };

/* Member by member: made elsewhere and copied, it would have to wait for the stores of its parts. */
BITS_INLINE struct cairn_aside *bits_put(struct cairn_aside *aside, unsigned kind, unsigned step,
                                         uint32_t at, unsigned length, uint64_t value)
{
    aside->value = value;
    aside->at = at;
    aside->length = (uint16_t)length;
    aside->flags = 0;
    aside->kind = (uint8_t)kind;
    aside->step = (uint8_t)step;
    aside->lead = 0;
    aside->data = 0;
    return aside + 1;
}

/* What stands between the atoms of a cycle-accurate P-header, of which `ones` have a W each, or with
 * `more` of them before the first; behind W's that its first ones come to. */
BITS_INLINE struct cairn_aside *bits_put_waits(struct cairn_aside *aside, unsigned step,
                                               uint32_t at, unsigned atoms, unsigned ones,
                                               unsigned more, uint64_t waits)
{
    if (__builtin_expect(ones == 0 || waits > 0, 0)) {
        if (waits > 0)
            aside[-1].value = waits + more;
        else if (more > 0)
            aside = bits_put(aside, CAIRN_ELEMENT_CYCLE_COUNT, step, at, 1, more);
        if (atoms > 0)
            aside = bits_put(aside, CAIRN_ASIDE_PACKET, step, at, 1, 0);
        if (ones < 2)
            return aside;
        step++;
        ones--;
    }
    return bits_put(aside, CAIRN_ASIDE_WAITS, step, at, 1, ones);
}

/* A data packet of another kind than Normal data. */
static unsigned bits_read_other(struct cairn_etmv3_word_run *run, const uint8_t *at,
                                struct cairn_etmv3_data_place *place,
                                struct cairn_element_data *element, unsigned *flags)
{
    const size_t here = (size_t)((uintptr_t)at + run->bias);
    unsigned length;

    if (run->other_data != here) /* what they tell of the packet before it is of another */
        run->tagging.last = run->tagging.late = 0;
    length = cairn_etmv3_read_other_data(run->config, run->kinds[*at], at, run->out->origin + here,
                                         place, &run->tagging, element, flags);
    run->other_data = here + length;
    run->tagged = true;
    return length;
}

/* The word that is being put together. */
struct bits_word {
    struct cairn_word *word; /* its place in the batch */
    struct cairn_aside *first;
    const uint8_t *begin; /* the first packet with atoms */
    uint64_t bits;
    unsigned count;
};

BITS_INLINE void bits_end(struct bits_word *w, const struct cairn_aside *aside, const uint8_t *end,
                          uint64_t bias, uint64_t target, unsigned length)
{
    struct cairn_word *word = w->word;

    word->atoms = w->count > 0 ? w->bits | (uint64_t)w->count << CAIRN_WORD_BITS_SHIFT : 0;
    word->target = target;
    word->at = w->count + length > 0 ? (uint32_t)((uintptr_t)w->begin + bias) : w->first->at;
    word->before = (uint16_t)(end - w->begin);
    word->target_length = (uint8_t)length;
    word->asides = (uint8_t)(aside - w->first);
}

/* The next one, which W's that none of its atoms has followed go to. */
BITS_INLINE void bits_next(struct bits_word *w, struct cairn_aside *aside, uint64_t waits,
                           const uint8_t *at)
{
    const unsigned pending = waits > 0;

    w->word->asides = (uint8_t)(w->word->asides - pending);
    w->word++;
    w->first = aside - pending;
    w->begin = at;
    if (pending)
        aside[-1].step = 0;
    w->bits = 0;
    w->count = 0;
}

/* P-headers side by side that have one W before each of their atoms, as many as the word takes: an
 * aside each. */
BITS_INLINE struct cairn_aside *bits_read_ones(struct bits_word *w, struct cairn_aside *aside,
                                               const uint8_t *at, const uint8_t *limit,
                                               const struct cairn_aside *asides, uint64_t bias)
{
    const struct cairn_aside *const most = w->first + (ASIDES_MOST - CAIRN_ETMV3_ASIDES);
    const struct cairn_aside *const end = asides < most ? asides : most;
    uint64_t bits = w->bits;
    unsigned count = w->count;

    for (; at < limit && aside < end; at++) {
        const unsigned header = *at;
        const unsigned executed = header >> 2 & 7;
        const unsigned atoms = executed + (header >> 6 & 1);

        if ((header & 0xa3) != CAIRN_ETMV3_P_HEADER || atoms == 0 ||
            count + atoms > CAIRN_WORD_ATOMS_MOST)
            break;
        aside =
            bits_put(aside, CAIRN_ASIDE_WAITS, count, (uint32_t)((uintptr_t)at + bias), 1, atoms);
        bits |= (uint64_t)((1u << executed) - 1) << count;
        count += atoms;
    }
    w->bits = bits;
    w->count = count;
    return aside;
}

/* Words as far as they go, from a place where one begins. What moves is in variables of its own. */
BITS_INLINE void bits_read(struct cairn_etmv3_word_run *run, const bool cycles, const bool data,
                           const bool packets, const bool narrow)
{
    const struct cairn_etmv3_p_header *const headers = run->headers;
    struct cairn_words *const out = run->out;
    const struct cairn_word *const words = out->word + out->capacity - 1; /* one more has room */
    const struct cairn_aside *const asides = out->aside + out->aside_capacity - CAIRN_ETMV3_ASIDES;
    const struct cairn_element_data *const datas = out->data + out->data_capacity;
    const uint8_t *const limit = run->limit;
    const uint64_t bias = run->bias;
    struct cairn_branch_place place = run->now.place;
    struct cairn_etmv3_data_place data_place = run->now.data_place;
    struct cairn_aside *aside = out->aside + run->now.aside;
    struct cairn_element_data *datum = out->data + run->now.data;
    const uint8_t *at = run->now.at;
    const uint8_t *last = at; /* P-header with atoms */
    struct bits_word w = {
        .word = out->word + run->now.word, .first = out->aside + run->now.first, .begin = at};
    uint64_t waits = run->now.waits;
    size_t longer = run->now.longer;
    size_t data_bytes = run->now.data_bytes;

    run->begun = run->now;
    while (at < limit && at - last <= CAIRN_ETMV3_FAR) {
        if (cycles && !data && waits == 0) {
            const uint8_t *const begin = w.count == 0 ? at : w.begin;
            struct cairn_aside *const before = aside;

            aside = bits_read_ones(&w, aside, at, limit, asides, bias);
            if (aside != before) {
                w.begin = begin;
                at += (size_t)(aside - before);
                last = at - 1;
                if (at >= limit)
                    break;
            }
        }
        const unsigned header = *at;
        const uint32_t distance = (uint32_t)((uintptr_t)at + bias);

        if (__builtin_expect(aside > asides, 0)) {
            run->full = true;
            break;
        }
        if (cairn_branch_begins(header)) {
            const unsigned length = cairn_branch_read(cairn_load_le64(at), narrow, &place);

            if (__builtin_expect(length == 0, 0)) {
                run->other = true;
                break;
            }
            if (w.count == 0)
                w.begin = at;
            bits_end(&w, aside, at, bias, place.address | place.thumb, length);
            waits = 0;
            longer += length - 1;
            at += length;
            bits_next(&w, aside, 0, at);
            if (w.word == words)
                break;
        } else if (header & CAIRN_ETMV3_P_HEADER) {
            /* Each by itself: they stay in registers. */
            const uint64_t bits = headers[header].bits;
            const unsigned atoms = headers[header].atoms;
            const unsigned more = cycles ? headers[header].waits : 0;
            const unsigned ones = cycles ? headers[header].ones : 0;

            if (__builtin_expect(atoms + more == 0 || (data && header == CAIRN_ETMV3_P_HEADER),
                                 0)) {
                run->other = true;
                break;
            }
            if (w.count + atoms > CAIRN_WORD_ATOMS_MOST ||
                aside - w.first > ASIDES_MOST - CAIRN_ETMV3_ASIDES) {
                bits_end(&w, aside, at, bias, CAIRN_WORD_NO_TARGET, 0);
                bits_next(&w, aside, cycles ? waits : 0, at);
                if (w.word == words)
                    break;
            }
            if (!cycles || atoms > 0)
                last = at;
            if (w.count == 0 && (!cycles || atoms > 0)) {
                struct cairn_etmv3_spot *begun = &run->begun;

                w.begin = at;
                if (data) { /* else bits_find_begun finds it */
                    begun->at = at;
                    begun->word = (size_t)(w.word - out->word);
                    begun->first = (size_t)(w.first - out->aside);
                    begun->aside = (size_t)(aside - out->aside);
                    begun->longer = longer;
                    begun->place = place;
                    begun->waits = waits;
                    begun->data = (size_t)(datum - out->data);
                    begun->data_bytes = data_bytes;
                    begun->data_place = data_place;
                    if (__builtin_expect(run->tagged, 0))
                        run->tags = run->tagging;
                    run->tagged = false;
                }
            }
            if (cycles)
                aside = bits_put_waits(aside, w.count, distance, atoms, ones, more, waits);
            else if (packets)
                aside = bits_put(aside, CAIRN_ASIDE_PACKET, w.count, distance, 1, 0);
            w.bits |= bits << w.count;
            w.count += atoms;
            if (cycles)
                waits = atoms > 0 ? 0 : waits + more;
            at++;
        } else {
            unsigned length = 0;
            unsigned flags = 0;

            if (data && datum == datas) {
                run->full = true;
                break;
            }
            if (data && cairn_etmv3_is_normal_data(header)) {
                length = cairn_etmv3_read_normal_data(run->config, at, &data_place, datum);
            } else if (data) {
                struct cairn_etmv3_data_place moved = data_place;

                length = bits_read_other(run, at, &moved, datum, &flags);
                data_place = moved;
            }
            if (__builtin_expect(length == 0, 0)) {
                run->other = true;
                break;
            }
            if (__builtin_expect(aside - w.first == ASIDES_MOST, 0)) {
                bits_end(&w, aside, at, bias, CAIRN_WORD_NO_TARGET, 0);
                bits_next(&w, aside, 0, at);
                if (w.word == words)
                    break;
            }
            aside = bits_put(aside, CAIRN_ELEMENT_DATA, w.count, distance, length, datum->value);
            datum++;
            aside[-1].flags = (uint16_t)flags;
            aside[-1].data = (uint32_t)(datum - out->data);
            data_bytes += length;
            longer += length - 1;
            waits = 0;
            at += length;
        }
    }
    out->count = (size_t)(w.word - out->word);
    if (w.count > 0 || aside > w.first) {
        bits_end(&w, aside, at, bias, CAIRN_WORD_NO_TARGET, 0);
        out->count++;
    }
    run->last = last;
    run->now = (struct cairn_etmv3_spot){
        .at = at,
        .word = (size_t)(w.word - out->word),
        .atoms = w.count > 0 ? w.bits | (uint64_t)w.count << CAIRN_WORD_BITS_SHIFT : 0,
        .first = (size_t)(w.first - out->aside),
        .aside = (size_t)(aside - out->aside),
        .data = (size_t)(datum - out->data),
        .longer = longer,
        .data_bytes = data_bytes,
        .waits = waits,
        .place = place,
        .data_place = data_place};
}

/* Each way of its own, but that few sources have the alternative encoding. */
static void bits_read_as_configured(struct cairn_etmv3_word_run *run)
{
    const bool narrow = run->config->alternative;
    const bool data = cairn_etmv3_has_data(run->config);

    if (data && run->config->cycle_accurate)
        bits_read(run, true, true, true, narrow);
    else if (data && run->out->packets)
        bits_read(run, false, true, true, narrow);
    else if (data)
        bits_read(run, false, true, false, narrow);
    else
        bits_read(run, true, false, true, narrow);
}

/* Whether a P-header with atoms is next. */
static bool bits_are_certain(const struct cairn_etmv3_word_run *run)
{
    const unsigned header = *run->now.at;

    return !run->other && !cairn_branch_begins(header) && run->headers[header].atoms > 0;
}

/* Without data: where the last word with atoms has its first, from what was written of it. `begun`
 * is where reading began. */
static void bits_find_begun(struct cairn_etmv3_word_run *run)
{
    const struct cairn_words *out = run->out;
    const uint8_t *const from = run->begun.at;
    struct cairn_etmv3_spot begun = {.first = run->now.aside, .longer = run->now.longer};
    size_t i = out->count;

    while (i > 0) {
        const struct cairn_word *word = &out->word[--i];

        begun.first -= word->asides;
        if (word->target_length > 0)
            begun.longer -= word->target_length - 1u;
        if (word->atoms != 0)
            break;
    }
    if (out->count == 0 || out->word[i].atoms == 0)
        return;
    begun.at = from + (out->word[i].at - (uint32_t)((uintptr_t)from + run->bias));
    begun.word = i;
    begun.aside = begun.first;
    begun.place = run->begun.place;
    if (out->aside[begun.first].at < out->word[i].at) { /* W's before it, and its own */
        const struct cairn_etmv3_p_header header = run->headers[*begun.at];

        begun.waits = out->aside[begun.aside++].value - header.waits;
    }
    for (; i > 0; i--) {
        const uint64_t target = out->word[i - 1].target;

        if (target == CAIRN_WORD_NO_TARGET)
            continue;
        begun.place = (struct cairn_branch_place){(uint32_t)target & ~1u, target & 1};
        break;
    }
    run->begun = begun;
}

void cairn_etmv3_run_bits(struct cairn_etmv3_word_run *run)
{
    const uint8_t *const from = run->now.at;

    bits_read_as_configured(run);
    run->out->aside_count = run->now.aside;
    run->out->data_count = run->now.data;
    /* A word that the room ends is left for the next batch, so that it comes as it always does. */
    run->certain = bits_are_certain(run) && !(run->full && run->now.atoms != 0);
    if (!run->certain && !cairn_etmv3_has_data(run->config))
        bits_find_begun(run);
    if (!run->certain && run->full && run->begun.at > from)
        run->last = run->begun.at;
}

/* Reads the last word with atoms once more, up to there. */
void cairn_etmv3_back_bits(struct cairn_etmv3_word_run *run)
{
    run->now = run->begun;
    run->limit = run->last;
    run->tagging = run->tags;
    run->tagged = false;
    run->other_data = CAIRN_ETMV3_NO_DATA;
    bits_read_as_configured(run);
}

size_t cairn_etmv3_bits_packets(const struct cairn_etmv3_word_run *run,
                                const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides)
{
    const unsigned atoms = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    struct cairn_aside *aside = asides;
    struct cairn_etmv3_data_place place = {0};
    struct cairn_etmv3_tags tags = {0};
    struct cairn_element_data element;
    uint32_t at = word->at;

    for (unsigned step = 0; step < atoms;) {
        const unsigned header = *bytes;
        unsigned length = 1;
        unsigned flags;

        if (header & CAIRN_ETMV3_P_HEADER) {
            aside = bits_put(aside, CAIRN_ASIDE_PACKET, step, at, 1, 0);
            step += run->headers[header].atoms;
        } else if (cairn_etmv3_is_normal_data(header)) {
            length = cairn_etmv3_read_normal_data(run->config, bytes, &place, &element);
        } else {
            length = cairn_etmv3_read_other_data(run->config, run->kinds[header], bytes, 0, &place,
                                                 &tags, &element, &flags);
        }
        at += length;
        bytes += length;
    }
    return (size_t)(aside - asides);
}
