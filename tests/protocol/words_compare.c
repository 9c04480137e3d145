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

static void expand_word(struct session *s, const struct cairn_word *word)
{
    const uint64_t offset = s->out.origin + word->at;

    assert_true(word->atoms != 0 || word->target != CAIRN_WORD_NO_TARGET);
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
        for (unsigned k = 0; k < s->table.atoms[header]; k++) {
            struct scan_element *element = session_element(s);

            element->offset = offset + i;
            element->length = 1;
            element->kind = CAIRN_ELEMENT_ATOM;
            if ((s->table.bits[header] >> k) & 1)
                element->flags = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
        }
    }
    if (word->target == CAIRN_WORD_NO_TARGET)
        return;
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
    for (size_t i = 0; i < out->count; i++) {
        const struct cairn_word *word = &out->word[i];
        const bool addressed = word->target != CAIRN_WORD_NO_TARGET;

        expand_word(s, word);
        assert_true(out->origin + word->at + word->before <= out->until - addressed);
    }
    for (size_t i = 0; i < elements->count; i++)
        *session_element(s) = (struct scan_element){.offset = elements->offset[i],
                                                    .length = elements->length[i],
                                                    .flags = elements->flags[i],
                                                    .kind = elements->kind[i],
                                                    .data = elements->data[i]};
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
    assert_non_null(s.out.word);
    assert_int_equal(cairn_element_batch_new(cut->elements, &s.out.elements), CAIRN_OK);
    session_new_reader(&s);
    session_read(&s, size);
    cairn_etmv4_reader_free(s.reader);
    cairn_element_batch_free(s.out.elements);
    free(s.out.word);
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
    struct scan_elements wanted = {0};

    scan_reference(config, bytes, size, &wanted);
    forget_marks(&wanted);
    for (size_t i = 0; i < count; i++) {
        struct scan_elements got = {0};

        words_expand(config, bytes, size, &cuts[i], &got, total);
        forget_marks(&got);
        scan_assert_same(&wanted, &got);
        scan_elements_free(&got);
    }
    total->elements += wanted.count;
    scan_elements_free(&wanted);
}
