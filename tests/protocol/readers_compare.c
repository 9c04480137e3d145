/* SPDX-License-Identifier: BSD-2-Clause */
#include "readers_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/words_of_levels.h"

enum {
    UNEVEN_MAX = 600,
    WAIT_CYCLES = 1,
    FIRST_PIECE = 3, /* of the least room that a reader need not know how to do without */
};

#define STATUSES (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

static const struct cairn_protocol of_levels = {CAIRN_WORDS_OF_LEVELS};

/* Writing a batch out. */
struct writing {
    const struct cairn_words *words;
    const struct cairn_word_bytes *bytes;
    struct scan_elements *out;
    const struct cairn_word *word;
    size_t aside;  /* the next one */
    size_t behind; /* the word's last aside */
    bool transaction;
    /* What the atoms are of: */
    bool known;
    uint64_t offset;
    uint64_t length;
    uint64_t apart;
    unsigned from;
    uint64_t waits; /* atoms that have a cycle in front */
};

static struct scan_element *more(struct scan_elements *elements)
{
    if (elements->count == elements->capacity) {
        elements->capacity = elements->capacity ? 2 * elements->capacity : 4096;
        elements->list = realloc(elements->list, elements->capacity * sizeof *elements->list);
        assert_non_null(elements->list);
    }
    return &elements->list[elements->count++];
}

static void write_aside(struct writing *w, const struct cairn_aside *aside)
{
    const uint64_t offset = w->words->origin + aside->at;

    assert_true(aside->data <= w->words->data_count);
    assert_false(aside->flags & CAIRN_ELEMENT_LOST);
    switch (aside->kind) {
    case CAIRN_ASIDE_PACKET:
    case CAIRN_ASIDE_WAITS:
        w->known = true;
        w->offset = offset;
        w->length = aside->length;
        w->from = aside->step;
        w->apart = aside->kind == CAIRN_ASIDE_PACKET ? aside->value : 0;
        w->waits = aside->kind == CAIRN_ASIDE_WAITS ? aside->value : 0;
        return;
    case CAIRN_ASIDE_TRANSACTION:
        assert_int_equal(aside->value, !w->transaction);
        w->transaction = aside->value != 0;
        return;
    case CAIRN_ELEMENT_DATA: assert_false(aside->flags & CAIRN_ELEMENT_HERE); break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_TIMESTAMP:
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
    case CAIRN_ELEMENT_EVENT: break;
    default: fail_msg("aside of kind %u", aside->kind);
    }
    *more(w->out) = (struct scan_element){.offset = offset,
                                          .length = aside->length,
                                          .flags = aside->flags,
                                          .kind = aside->kind,
                                          .data = cairn_aside_data(w->words, aside)};
}

/* Asides up to and with those of a step. */
static void write_asides(struct writing *w, unsigned step)
{
    for (; w->aside < w->behind && w->words->aside[w->aside].step <= step; w->aside++) {
        const struct cairn_aside *aside = &w->words->aside[w->aside];

        assert_true(w->aside + 1 == w->behind || aside[1].step >= aside->step);
        write_aside(w, aside);
    }
}

static void write_atom(struct writing *w, bool E, unsigned flags, uint64_t offset, uint64_t length)
{
    if (w->transaction)
        flags |= CAIRN_ELEMENT_TRANSACTIONAL;
    *more(w->out) = (struct scan_element){.offset = offset,
                                          .length = length,
                                          .flags = (uint16_t)(E ? flags | STATUSES : flags),
                                          .kind = CAIRN_ELEMENT_ATOM};
}

static void write_bits(struct writing *w)
{
    const uint64_t atoms = w->word->atoms;
    const unsigned count = (unsigned)(atoms >> CAIRN_WORD_BITS_SHIFT);
    const uint64_t bits = atoms & (CAIRN_WORD_BRANCH - 1);

    assert_true(count <= CAIRN_WORD_ATOMS_MOST);
    assert_int_equal(bits >> count, 0);
    w->known = false;
    w->waits = 0;
    for (unsigned i = 0; i < count; i++) {
        const bool last = i + 1 == count;

        write_asides(w, i);
        assert_true(w->known);
        if (i - w->from < w->waits)
            *more(w->out) = (struct scan_element){.offset = w->offset,
                                                  .length = w->length,
                                                  .kind = CAIRN_ELEMENT_CYCLE_COUNT,
                                                  .data = {.value = WAIT_CYCLES}};
        if (i == 0)
            assert_int_equal(w->offset, w->words->origin + w->word->at);
        write_atom(w, bits >> i & 1,
                   last && (atoms & CAIRN_WORD_BRANCH) ? CAIRN_ELEMENT_ADDRESSED : 0,
                   w->offset + w->apart * (i - w->from), w->length);
    }
}

static void write_packets(struct writing *w)
{
    const uint64_t origin = w->words->origin + w->word->at;

    write_asides(w, 0);
    for (unsigned i = 0; i < CAIRN_WORD_PACKETS_MOST; i++) {
        const unsigned packet = w->word->atoms >> 8 * i & 0xff;

        if (packet == 0) {
            assert_int_equal(w->word->atoms >> 8 * i, 0);
            break;
        }
        assert_true(w->bytes->atoms[packet] > 0);
        for (unsigned n = 0; n < w->bytes->atoms[packet]; n++)
            write_atom(w, w->bytes->bits[packet] >> n & 1, 0, origin + i, 1);
    }
}

static void write_word(struct writing *w)
{
    const struct cairn_word *word = w->word;

    if (cairn_word_has_bits(word))
        write_bits(w);
    else if (word->atoms != 0)
        write_packets(w);
    write_asides(w, UINT8_MAX);
    assert_int_equal(w->aside, w->behind);
    if (word->target == CAIRN_WORD_NO_TARGET)
        return;
    *more(w->out) = (struct scan_element){
        .offset = w->words->origin + word->at + word->before,
        .length = word->target_length,
        .flags = w->transaction ? CAIRN_ELEMENT_TRANSACTIONAL : 0,
        .kind = CAIRN_ELEMENT_TARGET_ADDRESS,
        .data = {.address = word->target & ~UINT64_C(1), .sub_isa = (uint8_t)(word->target & 1)}};
}

static size_t write_batch(struct writing *w)
{
    const struct cairn_words *words = w->words;
    const struct cairn_element_batch *elements = words->elements;

    assert_true(words->count <= words->capacity && words->aside_count <= words->aside_capacity &&
                words->data_count <= words->data_capacity && elements->count <= elements->capacity);
    w->aside = 0;
    for (size_t i = 0; i < words->count; i++) {
        w->word = &words->word[i];
        w->behind = w->aside + w->word->asides;
        assert_true(w->behind <= words->aside_count);
        assert_true(w->word->atoms != 0 || w->word->target != CAIRN_WORD_NO_TARGET ||
                    w->word->asides > 0);
        write_word(w);
    }
    assert_int_equal(w->aside, words->aside_count);
    for (size_t i = 0; i < elements->count; i++)
        *more(w->out) = (struct scan_element){.offset = elements->offset[i],
                                              .length = elements->length[i],
                                              .flags = elements->flags[i],
                                              .kind = elements->kind[i],
                                              .data = elements->data[i]};
    return words->count + elements->count;
}

static struct cairn_words new_words(const struct scan_cut *cut, bool any_room,
                                    struct cairn_scan_ledger *ledger)
{
    const size_t least = any_room ? FIRST_PIECE : CAIRN_WORDS_ROOM;
    const size_t capacity = cut->capacity > least ? cut->capacity : least;
    struct cairn_words words = {
        .capacity = any_room ? cut->capacity : capacity,
        .aside_capacity = capacity,
        .data_capacity = any_room ? cut->data_capacity : capacity,
        .ledger = ledger,
        .until = UINT64_MAX,
        .packets = true,
    };

    words.word = malloc(words.capacity * sizeof *words.word);
    words.aside = malloc(words.aside_capacity * sizeof *words.aside);
    words.data = malloc(words.data_capacity * sizeof *words.data);
    assert_true(words.word && words.aside && words.data);
    assert_int_equal(cairn_element_batch_new(any_room ? cut->capacity : capacity, &words.elements),
                     CAIRN_OK);
    return words;
}

static void free_words(struct cairn_words *words)
{
    free(words->word);
    free(words->aside);
    free(words->data);
    cairn_element_batch_free(words->elements);
}

/* What a reader gives, written out. */
static void read_all(const struct cairn_protocol *protocol, struct cairn_config *config,
                     const uint8_t *bytes, size_t size, const struct scan_cut *cut,
                     struct scan_elements *out)
{
    struct cairn_words words = new_words(cut, protocol == &of_levels, &out->ledger);
    struct cairn_word_bytes meanings = {{0}, {0}};
    struct writing w = {.words = &words, .bytes = &meanings, .out = out};
    uint32_t random = 54321;
    size_t position = 0;
    void *reader;

    assert_int_equal(protocol->reader_new(config, &meanings, &reader), CAIRN_OK);
    while (position < size) {
        size_t piece = cut->piece ? cut->piece : size;
        size_t at = 0;

        if (piece == SCAN_UNEVEN) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 8) % UNEVEN_MAX;
        }
        if (piece > size - position)
            piece = size - position;
        /* A place of just that size, for the sanitizers to watch. */
        uint8_t *copy = malloc(piece);

        assert_non_null(copy);
        memcpy(copy, bytes + position, piece);
        do {
            cairn_words_empty(&words);
            assert_int_equal(protocol->reader_words(reader, copy, piece, &at, &words), CAIRN_OK);
        } while (write_batch(&w) > 0 || at < piece);
        free(copy);
        position += piece;
    }
    do {
        cairn_words_empty(&words);
        assert_int_equal(protocol->reader_finish(reader, &words), CAIRN_OK);
    } while (write_batch(&w) > 0);
    protocol->reader_free(reader);
    free_words(&words);
}

/* Words have one status of an atom unless the return stack needs both, and tell of addresses behind
 * it where that does. Which packet a Timestamp Marker means is not theirs to say. */
static void simplify(const struct cairn_config *config, struct scan_elements *elements)
{
    for (size_t i = 0; i < elements->count; i++) {
        struct scan_element *element = &elements->list[i];
        const unsigned E = element->flags & CAIRN_ELEMENT_E ? STATUSES : 0;

        if (element->kind == CAIRN_ELEMENT_TIMESTAMP)
            element->data.address = 0;
        if (element->kind == CAIRN_ELEMENT_ATOM && !config->rules.return_stack)
            element->flags =
                (uint16_t)((element->flags & ~(unsigned)(STATUSES | CAIRN_ELEMENT_ADDRESSED)) | E);
    }
}

void readers_check(struct cairn_config *config, const uint8_t *bytes, size_t size,
                   const struct scan_cut *cuts, size_t count, struct scan_elements *wanted)
{
    const struct cairn_protocol *protocol = config->protocol;
    const bool own = protocol->reader_new && protocol->reader_new != cairn_words_of_levels_new;

    static size_t turn; /* each call has another cut */

    simplify(config, wanted);
    turn++;
    for (unsigned i = 0; i < (own ? 2u : 1u); i++) {
        struct scan_elements got = {0};

        read_all(i ? protocol : &of_levels, config, bytes, size, &cuts[(turn + i) % count], &got);
        simplify(config, &got);
        scan_assert_same(wanted, &got);
        scan_elements_free(&got);
    }
}
