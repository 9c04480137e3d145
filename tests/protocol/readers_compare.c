/* SPDX-License-Identifier: BSD-2-Clause */
#include "readers_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/ptm/words.h"
#include "protocol/words_of_levels.h"
#include "protocol/words_of_scan.h"

enum {
    UNEVEN_MAX = 600,
    WAIT_CYCLES = 1,
    FIRST_PIECE = 3, /* of the least room that a reader need not know how to do without */
    BOUND = 97,      /* bytes that `until` is moved on by */
    RELAY = 3,       /* each so many-th place that a reader stands at, another one goes on from */
};

#define STATUSES (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

static const struct cairn_protocol of_levels = {CAIRN_WORDS_OF_LEVELS};
static const struct cairn_protocol of_scan = {CAIRN_WORDS_OF_SCAN};

/* PTM's, without what is special to this processor. */
static cairn_status new_portable(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                 void **state)
{
    const cairn_status status = cairn_ptm_reader_new(config, bytes, state);

    if (status == CAIRN_OK)
        cairn_ptm_reader_portable(*state);
    return status;
}

static const struct cairn_protocol portable_ptm = {.reader_new = new_portable,
                                                   .reader_free = cairn_ptm_reader_free,
                                                   .reader_words = cairn_ptm_reader_words,
                                                   .reader_finish = cairn_ptm_reader_finish,
                                                   .reader_stand = cairn_ptm_reader_stand,
                                                   .reader_begin_at = cairn_ptm_reader_begin_at,
                                                   .reader_packets = cairn_ptm_reader_packets};

/* How a reader is called. */
struct calls {
    const struct cairn_protocol *protocol;
    struct cairn_config *config;
    const uint8_t *bytes; /* of the source */
    size_t size;
    const struct scan_cut *cut;
    bool packets; /* are wanted */
    bool bounded; /* by `until`, and others go on where it stands */
};

/* Writing a batch out. */
struct writing {
    const struct calls *calls;
    void *reader;
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
    /* Where the asides do not say it: */
    struct cairn_aside found[CAIRN_WORD_ATOMS_MOST];
    size_t found_count;
    unsigned stands;
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
    assert_int_equal(aside->lead, 0);
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
    case CAIRN_ASIDE_COUNTS: fail_msg("counts where one was looked for"); return;
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

/* Those of a run of Cycle Counts in front of a step. False: there are more. */
static bool write_counts(struct writing *w, struct cairn_aside *counts, unsigned step)
{
    assert_int_equal(counts->flags, 0);
    assert_true(counts->lead > 0 ? counts->at >= counts->lead
                                 : counts->length > 0 && counts->data == 0);
    assert_true(counts->length <= sizeof counts->value);
    while (cairn_aside_first_count(counts) <= step) {
        struct cairn_aside count;
        const bool last = !cairn_aside_next_count(counts, &count);

        write_aside(w, &count);
        if (last) {
            assert_int_equal(counts->value, 0);
            return true;
        }
    }
    return false;
}

/* Asides up to and with those of a step. */
static void write_asides(struct writing *w, unsigned step)
{
    for (; w->aside < w->behind && w->words->aside[w->aside].step <= step; w->aside++) {
        struct cairn_aside *aside = &w->words->aside[w->aside];
        const unsigned length = aside->kind == CAIRN_ASIDE_COUNTS ? aside->length : 0;

        assert_true(w->aside + 1 == w->behind || aside[1].step >= aside->step + length);
        if (aside->kind != CAIRN_ASIDE_COUNTS)
            write_aside(w, aside);
        else if (!write_counts(w, aside, step))
            return;
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

/* What was left out of the asides of a word of bits. */
static void find_packets(struct writing *w)
{
    const struct cairn_protocol *protocol = w->calls->protocol;

    w->found_count = 0;
    for (size_t i = w->aside; i < w->behind && w->words->aside[i].step == 0; i++)
        if (w->words->aside[i].kind == CAIRN_ASIDE_PACKET ||
            w->words->aside[i].kind == CAIRN_ASIDE_WAITS)
            return;
    assert_false(w->words->packets);
    assert_non_null(protocol->reader_packets);
    w->found_count = protocol->reader_packets(
        w->reader, w->word, w->calls->bytes + w->words->origin + w->word->at, w->found);
    assert_true(w->found_count > 0 && w->found_count <= CAIRN_WORD_ATOMS_MOST);
}

static void write_found(struct writing *w, unsigned step)
{
    for (size_t i = 0; i < w->found_count; i++) {
        assert_int_equal(w->found[i].kind, CAIRN_ASIDE_PACKET);
        if (w->found[i].step == step)
            write_aside(w, &w->found[i]);
    }
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
    find_packets(w);
    for (unsigned i = 0; i < count; i++) {
        const bool last = i + 1 == count;

        write_asides(w, i);
        write_found(w, i);
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
    const bool addressed = word->target != CAIRN_WORD_NO_TARGET;

    assert_true(w->words->origin + word->at + (addressed ? word->before : 0) < w->words->until);
    if (cairn_word_has_bits(word))
        write_bits(w);
    else if (word->atoms != 0)
        write_packets(w);
    write_asides(w, UINT8_MAX);
    assert_int_equal(w->aside, w->behind);
    if (!addressed)
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
        if (w->word->atoms == 0 && w->word->target == CAIRN_WORD_NO_TARGET &&
            words->aside[w->aside].kind != CAIRN_ASIDE_COUNTS)
            assert_int_equal(w->word->at, words->aside[w->aside].at);
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

static struct cairn_words new_words(const struct calls *calls, struct cairn_scan_ledger *ledger)
{
    const struct scan_cut *cut = calls->cut;
    const bool any_room = calls->protocol == &of_levels;
    const size_t least = any_room ? FIRST_PIECE : CAIRN_WORDS_ROOM;
    const size_t capacity = cut->capacity > least ? cut->capacity : least;
    struct cairn_words words = {
        .capacity = any_room ? cut->capacity : capacity,
        .aside_capacity = capacity,
        .data_capacity = any_room ? cut->data_capacity : capacity,
        .ledger = ledger,
        .until = calls->bounded ? BOUND : UINT64_MAX,
        .packets = calls->packets,
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

/* Where the reader stands between two packets, another one can go on. */
static void relieve(struct writing *w, struct cairn_word_bytes *meanings)
{
    const struct cairn_protocol *protocol = w->calls->protocol;
    struct cairn_reader_place place;
    struct cairn_reader_place again;

    if (!w->calls->bounded || !protocol->reader_stand(w->reader, &place) || ++w->stands % RELAY)
        return;
    protocol->reader_free(w->reader);
    assert_int_equal(protocol->reader_new(w->calls->config, meanings, &w->reader), CAIRN_OK);
    protocol->reader_begin_at(w->reader, place.offset, &place);
    assert_true(protocol->reader_stand(w->reader, &again));
    assert_memory_equal(&place, &again, sizeof place);
}

/* Reads the bytes of one call, in as many as it takes. */
static void read_piece(struct writing *w, struct cairn_words *words,
                       struct cairn_word_bytes *meanings, const uint8_t *bytes, size_t size)
{
    const struct calls *calls = w->calls;
    size_t at = 0;
    size_t given;

    do {
        cairn_words_empty(words);
        assert_int_equal(calls->protocol->reader_words(w->reader, bytes, size, &at, words),
                         CAIRN_OK);
        given = write_batch(w);
        relieve(w, meanings);
        if (calls->bounded && given == 0)
            words->until += BOUND;
    } while (given > 0 || at < size);
}

/* What a reader gives, written out. Returns the bytes that it says the levels decoded. */
static uint64_t read_all(const struct calls *calls, struct scan_elements *out)
{
    const struct cairn_protocol *protocol = calls->protocol;
    const struct scan_cut *cut = calls->cut;
    struct cairn_words words = new_words(calls, &out->ledger);
    struct cairn_word_bytes meanings = {{0}, {0}};
    struct writing w = {.calls = calls, .words = &words, .bytes = &meanings, .out = out};
    uint32_t random = 54321;
    size_t position = 0;

    assert_int_equal(protocol->reader_new(calls->config, &meanings, &w.reader), CAIRN_OK);
    while (position < calls->size) {
        size_t piece = cut->piece ? cut->piece : calls->size;

        if (piece == SCAN_UNEVEN) {
            random = random * 1664525u + 1013904223u;
            piece = 1 + (random >> 8) % UNEVEN_MAX;
        }
        if (piece > calls->size - position)
            piece = calls->size - position;
        /* A place of just that size, for the sanitizers to watch. */
        uint8_t *copy = malloc(piece);

        assert_non_null(copy);
        memcpy(copy, calls->bytes + position, piece);
        read_piece(&w, &words, &meanings, copy, piece);
        free(copy);
        position += piece;
    }
    do {
        cairn_words_empty(&words);
        assert_int_equal(protocol->reader_finish(w.reader, &words), CAIRN_OK);
    } while (write_batch(&w) > 0);
    protocol->reader_free(w.reader);
    free_words(&words);
    return words.by_levels;
}

uint64_t readers_expand(struct cairn_config *config, const uint8_t *bytes, size_t size,
                        const struct scan_cut *cut, struct scan_elements *elements)
{
    const struct calls calls = {
        .protocol = config->protocol, .config = config, .bytes = bytes, .size = size, .cut = cut};

    return read_all(&calls, elements);
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
    const struct cairn_protocol *readers[4] = {&of_levels};
    unsigned reader_count = 1;
    static size_t turn; /* each call has another cut */
    struct scan_elements got = {0};

    if (protocol->reader_new && protocol->reader_new != cairn_words_of_levels_new)
        readers[reader_count++] = protocol;
    if (protocol->reader_new == cairn_ptm_reader_new)
        readers[reader_count++] = &portable_ptm;
    if (protocol->scan_new)
        readers[reader_count++] = &of_scan;
    simplify(config, wanted);
    turn++;
    for (unsigned i = 0; i < reader_count; i++) {
        const struct calls calls = {
            .protocol = readers[i],
            .config = config,
            .bytes = bytes,
            .size = size,
            .cut = &cuts[(turn + i) % count],
            .packets = turn / count % 2 == 0 || !readers[i]->reader_packets,
            .bounded = readers[i]->reader_stand && turn / count / 2 % 2 == 0,
        };

        scan_elements_empty(&got);
        (void)read_all(&calls, &got);
        simplify(config, &got);
        scan_assert_same(wanted, &got);
    }
    scan_elements_free(&got);
}
