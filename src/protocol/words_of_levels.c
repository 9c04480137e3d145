/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/words_of_levels.h"

#include "protocol/protocol.h"
#include "protocol/reader_levels.h"

#include <stdlib.h>

enum {
    ELEMENTS = 256,
    ASIDES_MOST = UINT8_MAX,
};

struct words_of_levels {
    struct cairn_reader_levels levels;
    struct cairn_element_batch *resolved;
    size_t resolved_at;
    bool return_stack;
    bool half_addresses; /* the follower alone knows what one in T32 is */
    bool transaction;    /* what the last CAIRN_ASIDE_TRANSACTION said */
    bool ended;
};

/* The word that is being put together: the last of the batch. */
struct open_word {
    struct cairn_words *words;
    struct cairn_word *word; /* NULL: there is none */
    unsigned atoms;
    uint64_t packet; /* offset of the packet that the last atom was of */
};

cairn_status cairn_words_of_levels_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                       void **state)
{
    struct words_of_levels *s = calloc(1, sizeof *s);
    cairn_status status = s ? cairn_reader_levels_new(&s->levels, config) : CAIRN_E_MEMORY;

    (void)bytes; /* words of bits only */
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(ELEMENTS, &s->resolved);
    if (status != CAIRN_OK) {
        cairn_words_of_levels_free(s);
        return status;
    }
    s->return_stack = config->rules.return_stack;
    s->half_addresses = config->rules.half_addresses;
    *state = s;
    return CAIRN_OK;
}

void cairn_words_of_levels_amid(void *state, uint64_t offset)
{
    struct words_of_levels *s = state;

    s->levels.protocol->packets_amid(s->levels.packets, offset);
}

void cairn_words_of_levels_free(void *state)
{
    struct words_of_levels *s = state;

    if (!s)
        return;
    cairn_reader_levels_free(&s->levels);
    cairn_element_batch_free(s->resolved);
    free(s);
}

/* --- one element --- */

static bool has_no_context(const struct cairn_element_data *data)
{
    const struct cairn_context *c = &data->context;

    return c->EL == 0 && c->security == 0 && !c->SF && c->sbz == 0 && c->vmid == 0 &&
           c->context_id == 0;
}

/* Whether it is what an aside without data of its own, or a word's target, stands for: nothing but
 * an address, or a value. */
static bool is_plain_data(const struct cairn_element_data *data)
{
    return data->cycles == 0 && data->reason == 0 && data->info == 0 && has_no_context(data);
}

static bool is_plain_atom(const struct words_of_levels *s, const struct cairn_element_batch *in,
                          size_t i)
{
    const unsigned statuses = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    const unsigned both = in->flags[i] & statuses;
    const unsigned rest = in->flags[i] & ~statuses;

    if (rest & ~(unsigned)(CAIRN_ELEMENT_TRANSACTIONAL | CAIRN_ELEMENT_ADDRESSED))
        return false;
    return !s->return_stack || both == 0 || both == statuses;
}

static bool is_plain_target(const struct words_of_levels *s, const struct cairn_element_batch *in,
                            size_t i)
{
    const unsigned flags = s->transaction ? CAIRN_ELEMENT_TRANSACTIONAL : 0;
    const struct cairn_element_data *data = &in->data[i];

    return in->flags[i] == flags && in->length[i] <= UINT8_MAX && data->value == 0 &&
           data->sub_isa <= (s->half_addresses ? 0 : 1) && (data->address & 1) == 0 &&
           is_plain_data(data);
}

static bool is_aside(const struct cairn_element_batch *in, size_t i)
{
    if ((in->flags[i] & CAIRN_ELEMENT_LOST) || in->length[i] > UINT16_MAX)
        return false;
    switch (in->kind[i]) {
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_TIMESTAMP:
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
    case CAIRN_ELEMENT_EVENT: return true;
    case CAIRN_ELEMENT_DATA: return !(in->flags[i] & CAIRN_ELEMENT_HERE);
    default: return false;
    }
}

/* --- words --- */

/* Distances are from the first packet of the batch: whether this one has one. */
static bool is_near(struct cairn_words *words, uint64_t offset)
{
    if (words->count == 0)
        words->origin = offset;
    return offset >= words->origin && offset - words->origin <= UINT32_MAX;
}

/* Begins another word; there is room. */
static void begin_word(struct open_word *open, uint64_t offset)
{
    struct cairn_words *words = open->words;

    open->word = &words->word[words->count++];
    open->atoms = 0;
    *open->word = (struct cairn_word){.target = CAIRN_WORD_NO_TARGET,
                                      .at = (uint32_t)(offset - words->origin)};
}

/* A word that is open for so many more asides. */
static bool is_open(const struct open_word *open, unsigned asides)
{
    return open->word && open->word->target == CAIRN_WORD_NO_TARGET &&
           open->word->asides + asides <= ASIDES_MOST;
}

static struct cairn_aside *add_aside(struct open_word *open, unsigned kind, uint64_t offset,
                                     uint64_t length)
{
    struct cairn_words *words = open->words;
    struct cairn_aside *aside = &words->aside[words->aside_count++];

    *aside = (struct cairn_aside){.at = (uint32_t)(offset - words->origin),
                                  .length = (uint16_t)length,
                                  .kind = (uint8_t)kind,
                                  .step = (uint8_t)open->atoms};
    open->word->asides++;
    return aside;
}

/* Its packets reach up to here. False: that is too far for the word. */
static bool reach(const struct open_word *open, uint64_t end)
{
    const uint64_t at = open->words->origin + open->word->at;

    return end >= at && end - at <= UINT16_MAX;
}

static void add_atom(struct words_of_levels *s, struct open_word *open,
                     const struct cairn_element_batch *in, size_t i)
{
    const uint64_t end = in->offset[i] + in->length[i];
    const bool transaction = in->flags[i] & CAIRN_ELEMENT_TRANSACTIONAL;
    struct cairn_word *word;

    if (!is_open(open, 2) || open->atoms == CAIRN_WORD_ATOMS_MOST ||
        (open->word->atoms & CAIRN_WORD_BRANCH) || (open->atoms > 0 && !reach(open, end)))
        begin_word(open, in->offset[i]);
    word = open->word;
    if (open->atoms == 0)
        word->at = (uint32_t)(in->offset[i] - open->words->origin);
    if (open->atoms == 0 || open->packet != in->offset[i])
        (void)add_aside(open, CAIRN_ASIDE_PACKET, in->offset[i], in->length[i]);
    open->packet = in->offset[i];
    if (transaction != s->transaction)
        add_aside(open, CAIRN_ASIDE_TRANSACTION, in->offset[i], in->length[i])->value = transaction;
    s->transaction = transaction;
    if (in->flags[i] & CAIRN_ELEMENT_E)
        word->atoms |= UINT64_C(1) << open->atoms;
    if (s->return_stack && (in->flags[i] & CAIRN_ELEMENT_ADDRESSED))
        word->atoms |= CAIRN_WORD_BRANCH;
    open->atoms++;
    word->atoms &= (UINT64_C(1) << CAIRN_WORD_BITS_SHIFT) - 1;
    word->atoms |= (uint64_t)open->atoms << CAIRN_WORD_BITS_SHIFT;
    word->before = (uint16_t)(end - open->words->origin - word->at);
}

static void add_target(struct open_word *open, const struct cairn_element_batch *in, size_t i)
{
    const struct cairn_element_data *data = &in->data[i];
    struct cairn_word *word;

    if (!is_open(open, 0) || (open->atoms > 0 && !reach(open, in->offset[i])))
        begin_word(open, in->offset[i]);
    word = open->word;
    if (open->atoms == 0)
        word->at = (uint32_t)(in->offset[i] - open->words->origin);
    word->target = data->address | data->sub_isa;
    word->before = (uint16_t)(in->offset[i] - open->words->origin - word->at);
    word->target_length = (uint8_t)in->length[i];
}

static void add_element_aside(struct open_word *open, const struct cairn_element_batch *in,
                              size_t i)
{
    const struct cairn_element_data *data = &in->data[i];
    struct cairn_words *words = open->words;
    struct cairn_aside *aside;
    const uint64_t address = in->kind[i] == CAIRN_ELEMENT_TIMESTAMP ? in->offset[i] : 0;

    if (!is_open(open, 1))
        begin_word(open, in->offset[i]);
    aside = add_aside(open, in->kind[i], in->offset[i], in->length[i]);
    aside->flags = in->flags[i];
    aside->value = data->value;
    if (data->address == address && data->sub_isa == 0 && is_plain_data(data))
        return;
    words->data[words->data_count++] = *data;
    aside->data = (uint32_t)words->data_count;
}

/* Puts an element where it belongs. False: the batch has to be given first. */
static bool put_element(struct words_of_levels *s, struct open_word *open,
                        const struct cairn_element_batch *in, size_t i)
{
    struct cairn_words *words = open->words;
    const bool atom =
        in->kind[i] == CAIRN_ELEMENT_ATOM && in->length[i] <= UINT16_MAX && is_plain_atom(s, in, i);
    const bool target = in->kind[i] == CAIRN_ELEMENT_TARGET_ADDRESS && is_plain_target(s, in, i);

    if (atom || target || is_aside(in, i)) {
        if (words->elements->count > 0 || words->count == words->capacity ||
            words->aside_capacity - words->aside_count < 2 ||
            words->data_count == words->data_capacity || !is_near(words, in->offset[i]))
            return false;
        if (atom)
            add_atom(s, open, in, i);
        else if (target)
            add_target(open, in, i);
        else
            add_element_aside(open, in, i);
        return true;
    }
    struct cairn_element_batch *out = words->elements;
    const size_t n = out->count;

    if (n == out->capacity)
        return false;
    out->offset[n] = in->offset[i];
    out->length[n] = in->length[i];
    out->kind[n] = in->kind[i];
    out->flags[n] = in->flags[i];
    out->data[n] = in->data[i];
    out->count++;
    return true;
}

/* --- the levels --- */

/* Passes on what the levels have. *room false: the batch is to be given first. */
static cairn_status pump(struct words_of_levels *s, struct open_word *open, bool *room)
{
    *room = false;
    for (;;) {
        cairn_status status;

        for (; s->resolved_at < s->resolved->count; s->resolved_at++)
            if (!put_element(s, open, s->resolved, s->resolved_at))
                return CAIRN_OK;
        s->resolved->count = 0;
        s->resolved_at = 0;
        status = cairn_reader_levels_pump(&s->levels, s->resolved, room);
        if (status != CAIRN_OK || s->resolved->count == 0)
            return status;
        *room = false;
    }
}

/* Room for one element, whatever it is, in an empty batch. */
static bool has_room(const struct cairn_words *words)
{
    return words->count == 0 && words->elements->count == 0 && words->capacity > 0 &&
           words->aside_capacity >= 2 && words->data_capacity > 0 && words->elements->capacity > 0;
}

cairn_status cairn_words_of_levels(void *state, const uint8_t *data, size_t size, size_t *position,
                                   struct cairn_words *words)
{
    struct words_of_levels *s = state;
    struct open_word open = {.words = words};

    if (*position > size || s->ended || !has_room(words))
        return CAIRN_E_ARGUMENT;
    for (;;) {
        const size_t before = *position;
        bool room;
        cairn_status status = pump(s, &open, &room);

        if (status != CAIRN_OK || !room)
            return status;
        status = cairn_reader_levels_take(&s->levels, data, size, position);
        cairn_reader_levels_count(&s->levels, words);
        words->by_levels += *position - before;
        if (status != CAIRN_OK || (s->levels.taken->count == 0 && *position == size))
            return status;
    }
}

cairn_status cairn_words_of_levels_finish(void *state, struct cairn_words *words)
{
    struct words_of_levels *s = state;
    struct open_word open = {.words = words};

    if (!has_room(words))
        return CAIRN_E_ARGUMENT;
    s->ended = true;
    for (;;) {
        bool room;
        cairn_status status = pump(s, &open, &room);

        if (status != CAIRN_OK || !room)
            return status;
        status = cairn_reader_levels_take_rest(&s->levels);
        cairn_reader_levels_count(&s->levels, words);
        if (status != CAIRN_OK)
            return status;
        if (s->levels.taken->count > 0)
            continue;
        status = cairn_reader_levels_resolve_rest(&s->levels, s->resolved);
        if (status != CAIRN_OK || s->resolved->count == 0)
            return status;
    }
}
