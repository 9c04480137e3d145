/* SPDX-License-Identifier: BSD-2-Clause */
#include "words_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/etmv4/words.h"

enum { UNEVEN_MAX = 600, FIRST_ATOM = 0xc0 };

struct session {
    struct cairn_config *config;
    const struct words_cut *cut;
    const uint8_t *bytes; /* of the source */
    struct cairn_word_bytes table;
    void *reader;
    struct cairn_words out;
    struct scan_elements *all;
    struct words_total *total;
    size_t aside; /* the next one of what a call gave */
    unsigned stands;
    bool quiet; /* the last call gave nothing */
};

static struct scan_element *session_element(struct session *s)
{
    struct scan_elements *all = s->all;

    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 4096;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
        assert_non_null(all->list);
    }
    all->list[all->count] = (struct scan_element){0};
    return &all->list[all->count++];
}

/* DDI0608 D5.47 to D5.53. */
static unsigned length_of_address(const uint8_t *bytes)
{
    switch (bytes[0]) {
    case 0x90:
    case 0x91:
    case 0x92: return 1;
    case 0x95:
    case 0x96: return (bytes[1] & 0x80) ? 3 : 2;
    case 0x9a:
    case 0x9b: return 5;
    case 0x9d:
    case 0x9e: return 9;
    default: fail_msg("no Address packet: %02x", bytes[0]); return 0;
    }
}

static void put_atom(struct session *s, uint64_t offset, bool E)
{
    struct scan_element *element = session_element(s);

    element->offset = offset;
    element->length = 1;
    element->kind = CAIRN_ELEMENT_ATOM;
    if (E)
        element->flags = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
}

/* Cycle Counts in front of an atom, which end at `at` or, in front of the first one, before it.
 * Returns where they end. */
static uint64_t expand_counts(struct session *s, unsigned step, uint64_t at, size_t behind)
{
    for (; s->aside < behind && s->out.aside[s->aside].step == step; s->aside++) {
        const struct cairn_aside *aside = &s->out.aside[s->aside];
        struct scan_element *element = session_element(s);

        assert_int_equal(aside->kind, CAIRN_ELEMENT_CYCLE_COUNT);
        assert_int_equal(aside->data, 0);
        element->offset = s->out.origin + aside->at;
        element->length = aside->length;
        element->kind = aside->kind;
        element->flags = aside->flags;
        element->data.value = aside->value;
        assert_true(element->offset < s->out.until);
        if (step == 0)
            continue;
        assert_int_equal(element->offset, at);
        at += aside->length;
    }
    return at;
}

/* Atoms as bits: their packets, and the counts between them, lie side by side. */
static void expand_bits(struct session *s, const struct cairn_word *word)
{
    const unsigned count = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    const size_t behind = s->aside + word->asides;
    uint64_t at = s->out.origin + word->at;

    assert_true(behind <= s->out.aside_count);
    at = expand_counts(s, 0, at, behind);
    for (unsigned step = 0; step < count;) {
        const uint8_t header = s->bytes[at];

        assert_true(header >= FIRST_ATOM);
        assert_true(at < s->out.until);
        for (unsigned k = 0; k < s->table.atoms[header]; k++, step++) {
            assert_int_equal(word->atoms >> step & 1, s->table.bits[header] >> k & 1);
            put_atom(s, at, word->atoms >> step & 1);
        }
        at = expand_counts(s, step, at + 1, behind);
    }
    assert_int_equal(s->aside, behind);
    if (count > 0)
        assert_int_equal(at, s->out.origin + word->at + word->before);
}

static void expand_packets(struct session *s, const struct cairn_word *word)
{
    const uint64_t offset = s->out.origin + word->at;

    assert_int_equal(word->asides, 0);
    assert_true(word->before <= CAIRN_WORD_PACKETS_MOST);
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t header = (uint8_t)(word->atoms >> (8 * i));

        if (i >= word->before) {
            assert_int_equal(header, 0);
            continue;
        }
        assert_true(header >= FIRST_ATOM);
        assert_int_equal(header, s->bytes[offset + i]);
        for (unsigned k = 0; k < s->table.atoms[header]; k++)
            put_atom(s, offset + i, s->table.bits[header] >> k & 1);
    }
    assert_true(offset + word->before <= s->out.until);
}

static void expand_word(struct session *s, const struct cairn_word *word)
{
    const uint64_t offset = s->out.origin + word->at;

    assert_true(word->atoms != 0 || word->target != CAIRN_WORD_NO_TARGET || word->asides > 0);
    if (cairn_word_has_bits(word) || word->asides > 0)
        expand_bits(s, word);
    else
        expand_packets(s, word);
    if (word->target == CAIRN_WORD_NO_TARGET)
        return;
    assert_true(offset + word->before < s->out.until);
    struct scan_element *element = session_element(s);

    element->offset = offset + word->before;
    element->length = word->target_length;
    assert_int_equal(word->target_length, length_of_address(&s->bytes[element->offset]));
    element->kind = CAIRN_ELEMENT_TARGET_ADDRESS;
    element->data.address = word->target & ~UINT64_C(1);
    element->data.sub_isa = (uint8_t)(word->target & 1);
}

/* What a call gave. */
static bool session_take(struct session *s)
{
    const struct cairn_words *out = &s->out;
    const struct cairn_element_batch *elements = out->elements;

    assert_true(out->count <= out->capacity && elements->count <= elements->capacity);
    assert_true(out->aside_count <= out->aside_capacity);
    s->aside = 0;
    for (size_t i = 0; i < out->count; i++) {
        expand_word(s, &out->word[i]);
    }
    assert_int_equal(s->aside, out->aside_count);
    for (size_t i = 0; i < elements->count; i++) {
        assert_true(elements->offset[i] < out->until);
        *session_element(s) = (struct scan_element){.offset = elements->offset[i],
                                                    .length = elements->length[i],
                                                    .flags = elements->flags[i],
                                                    .kind = elements->kind[i],
                                                    .data = elements->data[i]};
    }
    s->total->words += out->count;
    s->quiet = out->count == 0 && elements->count == 0;
    return !s->quiet;
}

static void session_new_reader(struct session *s)
{
    memset(&s->table, 0, sizeof s->table);
    assert_int_equal(cairn_etmv4_reader_new(s->config, &s->table, &s->reader), CAIRN_OK);
    if (s->cut->portable)
        cairn_etmv4_reader_portable(s->reader);
}

/* Where the reader stands between two packets, another one can go on. */
static void relieve(struct session *s)
{
    struct cairn_reader_place place;
    struct cairn_reader_place again;

    if (!s->cut->relay || !cairn_etmv4_reader_stand(s->reader, &place) ||
        ++s->stands % s->cut->relay)
        return;
    cairn_etmv4_reader_free(s->reader);
    session_new_reader(s);
    assert_false(cairn_etmv4_reader_stand(s->reader, &again));
    cairn_etmv4_reader_begin_at(s->reader, place.offset, &place);
    assert_true(cairn_etmv4_reader_stand(s->reader, &again));
    assert_memory_equal(&place, &again, sizeof place);
    s->total->relays++;
}

/* Moves `until` on once nothing more comes before it. */
static void session_bound(struct session *s)
{
    cairn_words_empty(&s->out);
    if (s->cut->until && s->quiet)
        s->out.until += s->cut->until;
}

static void session_read(struct session *s, size_t size)
{
    size_t position = 0;
    uint32_t random = 12345;

    while (position < size) {
        size_t piece = s->cut->piece ? s->cut->piece : size;
        size_t at = 0;
        size_t before;

        if (piece == SCAN_UNEVEN) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 8) % UNEVEN_MAX;
        }
        if (piece > size - position)
            piece = size - position;
        /* A place of just that size, for the sanitizers to watch. */
        uint8_t *copy = malloc(piece);

        assert_non_null(copy);
        memcpy(copy, s->bytes + position, piece);
        do {
            before = at;
            session_bound(s);
            assert_int_equal(cairn_etmv4_reader_words(s->reader, copy, piece, &at, &s->out),
                             CAIRN_OK);
            assert_true(at >= before && at <= piece);
            relieve(s);
        } while (session_take(s) || at < piece);
        free(copy);
        position += piece;
    }
    do {
        cairn_words_empty(&s->out);
        assert_int_equal(cairn_etmv4_reader_finish(s->reader, &s->out), CAIRN_OK);
    } while (session_take(s));
}

static void words_expand(struct cairn_config *config, const uint8_t *bytes, size_t size,
                         const struct words_cut *cut, struct scan_elements *elements,
                         struct words_total *total)
{
    struct session s = {
        .config = config, .cut = cut, .bytes = bytes, .all = elements, .total = total};

    s.out.ledger = &elements->ledger;
    s.out.until = cut->until ? cut->until : UINT64_MAX;
    s.out.capacity = cut->words;
    s.out.word = malloc(cut->words * sizeof *s.out.word);
    s.out.aside_capacity = CAIRN_WORDS_ROOM;
    s.out.aside = malloc(CAIRN_WORDS_ROOM * sizeof *s.out.aside);
    assert_non_null(s.out.word);
    assert_non_null(s.out.aside);
    assert_int_equal(cairn_element_batch_new(cut->elements, &s.out.elements), CAIRN_OK);
    session_new_reader(&s);
    session_read(&s, size);
    cairn_etmv4_reader_free(s.reader);
    cairn_element_batch_free(s.out.elements);
    free(s.out.word);
    free(s.out.aside);
}

/* Which element a Timestamp with a marker means (its `address`) is not the reader's to say. */
static void forget_marks(struct scan_elements *elements)
{
    for (size_t i = 0; i < elements->count; i++)
        if (elements->list[i].kind == CAIRN_ELEMENT_TIMESTAMP)
            elements->list[i].data.address = 0;
}

void words_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                 const struct words_cut *cuts, size_t count, struct words_total *total)
{
    struct scan_elements wanted = {0}, got = {0};

    scan_reference(config, bytes, size, &wanted);
    forget_marks(&wanted);
    for (size_t i = 0; i < count; i++) {
        scan_elements_empty(&got);
        words_expand(config, bytes, size, &cuts[i], &got, total);
        forget_marks(&got);
        scan_assert_same(&wanted, &got);
    }
    total->elements += wanted.count;
    scan_elements_free(&got);
    scan_elements_free(&wanted);
}
