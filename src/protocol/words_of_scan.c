/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/words_of_scan.h"

#include "protocol/protocol.h"
#include "protocol/scan_word.h"

#include <stdlib.h>

enum {
    SCAN_TOKENS = 4096, /* at a time */
    SCAN_DATA = 1024,
    SCAN_WORDS = 512,    /* of a batch */
    ASIDES_OF_ATOMS = 2, /* that a token of Atoms may need in front of them */
    TOKENS_OF_WORD = ASIDES_MOST + CAIRN_WORD_ATOMS_MOST,
    PLACE_SKIP = 1, /* bits of a place: which list, Atoms of the token that come before, token */
    PLACE_TOKEN = 8,
};

#define STATUSES (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

/* A batch of words is made of the tokens of two lists at most, which are kept until the next one is
 * asked for: so they tell of the packets of its words. */
struct words_of_scan {
    struct cairn_config *config;
    void *scan;
    struct cairn_scan_batch tokens[2];
    unsigned list; /* of the tokens at hand, */
    bool both;     /* and the batch has words of the other one, too */
    size_t next;   /* token to take, */
    unsigned skip; /* and Atoms of it that are taken */
    uint64_t origin;
    const struct cairn_word *given;   /* the words of the last batch, */
    uint32_t place[SCAN_WORDS];       /* and the first token of each */
    struct cairn_scan_ledger counted; /* of the scan's, what batches were told */
    bool return_stack;
    bool transaction; /* what the last CAIRN_ASIDE_TRANSACTION said */
    bool ended;
};

cairn_status cairn_words_of_scan_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                     void **state)
{
    struct words_of_scan *s = calloc(1, sizeof *s);
    cairn_status status = CAIRN_OK;

    (void)bytes; /* words of bits only */
    if (!s)
        return CAIRN_E_MEMORY;
    s->config = cairn_config_ref(config);
    s->return_stack = config->rules.return_stack;
    for (unsigned i = 0; i < 2; i++) {
        struct cairn_scan_batch *tokens = &s->tokens[i];

        tokens->capacity = SCAN_TOKENS;
        tokens->token = malloc(SCAN_TOKENS * sizeof *tokens->token);
        tokens->data_capacity = SCAN_DATA;
        tokens->data = malloc(SCAN_DATA * sizeof *tokens->data);
        if (!tokens->token || !tokens->data)
            status = CAIRN_E_MEMORY;
    }
    if (status == CAIRN_OK)
        status = config->protocol->scan_new(config, &s->scan);
    if (status != CAIRN_OK) {
        cairn_words_of_scan_free(s);
        return status;
    }
    *state = s;
    return CAIRN_OK;
}

void cairn_words_of_scan_amid(void *state, uint64_t offset)
{
    struct words_of_scan *s = state;

    s->config->protocol->scan_amid(s->scan, offset);
}

void cairn_words_of_scan_free(void *state)
{
    struct words_of_scan *s = state;

    if (!s)
        return;
    if (s->scan)
        s->config->protocol->scan_free(s->scan);
    for (unsigned i = 0; i < 2; i++) {
        free(s->tokens[i].token);
        free(s->tokens[i].data);
    }
    cairn_config_unref(s->config);
    free(s);
}

/* --- the word at hand --- */

static struct scan_word scan_word_of(struct words_of_scan *s, struct cairn_words *words)
{
    return (struct scan_word){
        .words = words, .next = words->word, .place = s->place, .aside = words->aside};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Words, asides and data that the batch has room for, if a word begins there that may have as many
 * asides as one can have; and for whose tokens there is a list. */
static size_t scan_word_room(const struct words_of_scan *s, const struct scan_word *w)
{
    const struct cairn_words *words = w->words;
    const size_t room = words->capacity - (size_t)(w->next - words->word);
    const size_t asides = words->aside_capacity - (size_t)(w->aside - words->aside);
    const size_t least = smaller(asides, words->data_capacity - w->data);

    if (words->elements->count > 0 || least < ASIDES_MOST ||
        (s->both && SCAN_TOKENS - s->next < TOKENS_OF_WORD))
        return 0;
    return smaller(smaller(room, SCAN_WORDS - (size_t)(w->place - s->place)),
                   least - ASIDES_MOST + 1);
}

static uint32_t scan_place(const struct words_of_scan *s)
{
    return (uint32_t)(s->next << PLACE_TOKEN | s->skip << PLACE_SKIP | s->list);
}

/* Begins another word. False: the batch has no room for it, or elements stand behind its words. */
static bool scan_word_begin(const struct words_of_scan *s, struct scan_word *w, uint64_t offset)
{
    scan_word_end(w);
    if (scan_word_room(s, w) == 0)
        return false;
    if (w->next == w->words->word)
        w->origin = offset;
    if (offset - w->origin > UINT32_MAX)
        return false;
    scan_word_open(w, offset - w->origin, scan_place(s));
    return true;
}

/* --- tokens --- */

/* Whether the Atoms of a token are a word's. */
static inline bool atoms_are_plain(const struct words_of_scan *s, const struct cairn_token *token)
{
    const unsigned both = token->flags & STATUSES;
    const unsigned rest = token->flags & ~(CAIRN_TOKEN_ODD | STATUSES);

    if (token->length > UINT16_MAX)
        return false;
    if (token->flags == 0)
        return true;
    if (rest & ~(unsigned)CAIRN_ELEMENT_TRANSACTIONAL)
        return false;
    return !s->return_stack || both == 0 || both == STATUSES;
}

SCAN_INLINE bool target_is_plain(const struct cairn_token *token, bool transaction)
{
    const unsigned flags = transaction ? CAIRN_ELEMENT_TRANSACTIONAL : 0;

    return ((token->flags ^ flags) | token->data | (token->value & 1) | token->count >> 1 |
            token->length >> 8) == 0;
}

SCAN_INLINE bool token_is_aside(const struct cairn_token *token)
{
    const uint64_t kinds = UINT64_C(1) << CAIRN_ELEMENT_CYCLE_COUNT |
                           UINT64_C(1) << CAIRN_ELEMENT_TIMESTAMP |
                           UINT64_C(1) << CAIRN_ELEMENT_TIMESTAMP_MARKER |
                           UINT64_C(1) << CAIRN_ELEMENT_EVENT | UINT64_C(1) << CAIRN_ELEMENT_DATA;

    if (!(kinds >> token->kind & 1) || (token->flags & CAIRN_ELEMENT_LOST) ||
        token->length > UINT16_MAX)
        return false;
    return token->kind != CAIRN_ELEMENT_DATA || !(token->flags & CAIRN_ELEMENT_HERE);
}

/* Tells of the packets of `count` Atoms, unless the last aside does. */
SCAN_INLINE void tell_packets(struct scan_word *w, uint64_t at, uint64_t length, uint64_t apart,
                              unsigned count)
{
    if (at == w->packet)
        return;
    apart = count == 1 ? 0 : apart;
    (void)scan_word_aside(w, CAIRN_ASIDE_PACKET, at, length, apart);
    w->packet = apart == 0 ? at : NO_PACKET;
}

static void tell_transaction(struct words_of_scan *s, struct scan_word *w,
                             const struct cairn_token *token, uint64_t at)
{
    const bool transaction = token->flags & CAIRN_ELEMENT_TRANSACTIONAL;

    if (transaction == s->transaction)
        return;
    s->transaction = transaction;
    w->packet = NO_PACKET;
    (void)scan_word_aside(w, CAIRN_ASIDE_TRANSACTION, at, token->length, transaction);
}

/* Atoms, into as many words as they need. False: the batch is to be given first. */
static bool put_atoms(struct words_of_scan *s, struct scan_word *w, const struct cairn_token *token)
{
    const uint64_t apart = cairn_token_apart(token);

    while (s->skip < token->count) {
        const uint64_t offset = token->offset + apart * s->skip;
        const unsigned left = token->count - s->skip;
        const uint64_t reach = apart * (left - 1) + token->length;
        unsigned count = left;

        if ((!scan_word_takes(w, ASIDES_OF_ATOMS, offset - w->origin + reach) ||
             w->count >= CAIRN_WORD_ATOMS_MOST) &&
            !scan_word_begin(s, w, offset))
            return false;
        if (w->count == 0)
            w->at = offset - w->origin;
        if (count > CAIRN_WORD_ATOMS_MOST - w->count)
            count = CAIRN_WORD_ATOMS_MOST - w->count;
        if (offset - w->origin + reach - w->at > UINT16_MAX)
            count = 1;
        if (w->words->packets)
            tell_packets(w, offset - w->origin, token->length, apart, count);
        tell_transaction(s, w, token, offset - w->origin);
        w->atoms |= (token->value >> s->skip & ((UINT64_C(1) << count) - 1)) << w->count;
        w->count += count;
        w->end = offset - w->origin + apart * (count - 1) + token->length;
        s->skip += count;
    }
    s->skip = 0;
    return true;
}

static bool put_target(const struct words_of_scan *s, struct scan_word *w,
                       const struct cairn_token *token)
{
    if (!scan_word_takes(w, 0, token->offset - w->origin) && !scan_word_begin(s, w, token->offset))
        return false;
    if (w->count == 0)
        w->at = token->offset - w->origin;
    scan_word_give(w, token->value | token->count, token->offset - w->origin - w->at,
                   token->length);
    return true;
}

/* Into the word at hand. */
SCAN_INLINE void add_aside(const struct cairn_element_data *data, struct scan_word *w,
                           const struct cairn_token *token)
{
    struct cairn_aside *aside =
        scan_word_aside(w, token->kind, token->offset - w->origin, token->length, token->value);

    aside->flags = token->flags;
    w->packet = NO_PACKET;
    if (token->data == 0)
        return;
    w->words->data[w->data++] = data[token->data - 1];
    aside->data = (uint32_t)w->data;
}

static bool put_aside(const struct words_of_scan *s, struct scan_word *w,
                      const struct cairn_token *token)
{
    if (!scan_word_takes(w, 1, w->at) && !scan_word_begin(s, w, token->offset))
        return false;
    if (token->offset - w->origin > UINT32_MAX && !scan_word_begin(s, w, token->offset))
        return false;
    add_aside(s->tokens[s->list].data, w, token);
    return true;
}

/* Anything else, or Atoms that are no word's: an element each, behind the words. */
static bool put_elements(struct words_of_scan *s, struct scan_word *w,
                         const struct cairn_token *token)
{
    struct cairn_element_batch *out = w->words->elements;
    const bool atom = token->kind == CAIRN_ELEMENT_ATOM;
    const unsigned count = atom ? token->count : 1;

    scan_word_end(w);
    for (; s->skip < count; s->skip++) {
        const size_t n = out->count;
        unsigned flags = token->flags & ~CAIRN_TOKEN_ODD;

        if (n == out->capacity)
            return false;
        if (atom && !(token->flags & CAIRN_TOKEN_ODD) && (token->value >> s->skip & 1))
            flags |= STATUSES;
        out->offset[n] = token->offset + (atom ? cairn_token_apart(token) * s->skip : 0);
        out->length[n] = token->length;
        out->kind[n] = token->kind;
        out->flags[n] = (uint16_t)flags;
        out->data[n] = cairn_token_data(&s->tokens[s->list], token);
        out->count++;
    }
    s->skip = 0;
    return true;
}

/* Puts a token where it belongs. False: the batch is to be given first. */
static bool put_token(struct words_of_scan *s, struct scan_word *w, const struct cairn_token *token)
{
    if (token->kind == CAIRN_ELEMENT_ATOM && atoms_are_plain(s, token))
        return put_atoms(s, w, token);
    if (token->kind == CAIRN_ELEMENT_TARGET_ADDRESS && target_is_plain(token, s->transaction))
        return put_target(s, w, token);
    if (token_is_aside(token))
        return put_aside(s, w, token);
    return put_elements(s, w, token);
}

/* The word at hand, or another one, for a token at `at`. */
SCAN_INLINE void add_to_word(struct scan_word *w, uint64_t at, uint32_t place)
{
    if (!w->open)
        scan_word_open(w, at, place);
    else if (w->count == 0)
        w->at = at;
}

/* Atoms without flags, all of them into one word, for which there is room. False: it takes them not.
 */
SCAN_INLINE bool add_atoms(struct scan_word *w, const struct cairn_token *token, uint64_t at,
                           uint32_t place, const bool packets)
{
    const uint64_t apart = cairn_token_apart(token);
    const unsigned count = token->count;
    const uint64_t end = at + apart * (count - 1) + token->length;

    add_to_word(w, at, place);
    if (w->count + count > CAIRN_WORD_ATOMS_MOST || end - w->at > UINT16_MAX ||
        (packets && w->asides == ASIDES_MOST))
        return false;
    if (packets)
        tell_packets(w, at, token->length, apart, count);
    w->atoms |= (token->value & UINT32_MAX) << w->count;
    w->count += count;
    w->end = end;
    return true;
}

SCAN_INLINE bool add_target(struct scan_word *w, const struct cairn_token *token, uint64_t at,
                            uint32_t place)
{
    add_to_word(w, at, place);
    if (at - w->at > UINT16_MAX)
        return false;
    scan_word_give(w, token->value | token->count, at - w->at, token->length);
    return true;
}

/* As far as nothing is odd about them, and the batch certainly has room. */
SCAN_INLINE void put_plain(struct words_of_scan *s, struct scan_word *word, const bool packets)
{
    const struct cairn_scan_batch *const tokens = &s->tokens[s->list];
    const struct cairn_element_data *const data = tokens->data;
    const struct cairn_token *token = tokens->token + s->next;
    const struct cairn_token *const end =
        token + smaller(tokens->count - s->next, scan_word_room(s, word));
    uint32_t place = scan_place(s);
    struct scan_word w = *word; /* in registers */

    if (w.next == w.words->word && !w.open && token < end)
        w.origin = token->offset;
    for (; token < end; token++, place += 1u << PLACE_TOKEN) {
        const uint64_t at = token->offset - w.origin;

        if (at > FAR)
            break;
        if (token->kind == CAIRN_ELEMENT_ATOM) {
            if (token->flags != 0 || !add_atoms(&w, token, at, place, packets))
                break;
        } else if (token->kind == CAIRN_ELEMENT_TARGET_ADDRESS) {
            if (!target_is_plain(token, false) || !add_target(&w, token, at, place))
                break;
        } else if (token_is_aside(token)) {
            if (!w.open)
                scan_word_open(&w, at, place);
            if (w.asides == ASIDES_MOST)
                break;
            add_aside(data, &w, token);
        } else {
            break;
        }
    }
    *word = w;
    s->next = (size_t)(token - tokens->token);
}

/* The tokens at hand. False: the batch is to be given first. */
static bool put_tokens(struct words_of_scan *s, struct scan_word *w)
{
    const struct cairn_scan_batch *const tokens = &s->tokens[s->list];

    for (;; s->next++) {
        if (s->skip == 0 && !s->transaction && w->words->packets)
            put_plain(s, w, true);
        else if (s->skip == 0 && !s->transaction)
            put_plain(s, w, false);
        if (s->next == tokens->count)
            return true;
        if (!put_token(s, w, &tokens->token[s->next]))
            return false;
    }
}

/* The batch is to be given. */
static void put_end(struct words_of_scan *s, struct scan_word *w)
{
    struct cairn_words *words = w->words;

    scan_word_end(w);
    words->origin = w->origin;
    words->count = (size_t)(w->next - words->word);
    words->aside_count = (size_t)(w->aside - words->aside);
    words->data_count = w->data;
    s->origin = w->origin;
    s->given = words->word;
}

/* --- the scan --- */

/* A list for the next tokens. False: both have words of the batch. */
static bool next_tokens(struct words_of_scan *s, const struct scan_word *w)
{
    struct cairn_scan_batch *tokens;

    if (s->both)
        return false;
    s->both = w->next > w->words->word || w->open;
    s->list ^= s->both;
    tokens = &s->tokens[s->list];
    tokens->count = 0;
    tokens->data_count = 0;
    s->next = 0;
    return true;
}

/* What the scan has counted since. */
static void count_since(struct words_of_scan *s, struct cairn_words *words)
{
    const struct cairn_scan_ledger *now = s->config->protocol->scan_ledger(s->scan);
    struct cairn_scan_ledger *ledger = words->ledger;

    ledger->total += now->total - s->counted.total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes += now->account[i].bytes - s->counted.account[i].bytes;
        ledger->account[i].packets += now->account[i].packets - s->counted.account[i].packets;
    }
    s->counted = *now;
}

/* Room for one word, or element, whatever it is, in an empty batch. */
static bool has_room(const struct cairn_words *words)
{
    return words->count == 0 && words->elements->count == 0 && words->capacity > 0 &&
           words->aside_capacity >= ASIDES_MOST && words->data_capacity >= ASIDES_MOST &&
           words->elements->capacity > 0;
}

cairn_status cairn_words_of_scan(void *state, const uint8_t *data, size_t size, size_t *position,
                                 struct cairn_words *words)
{
    struct words_of_scan *s = state;
    struct scan_word w = scan_word_of(s, words);
    cairn_status status = CAIRN_OK;

    if (*position > size || s->ended || !has_room(words))
        return CAIRN_E_ARGUMENT;
    s->both = false;
    while (status == CAIRN_OK && put_tokens(s, &w) && next_tokens(s, &w)) {
        const size_t before = *position;

        status = s->config->protocol->scan_run(s->scan, data, size, position, &s->tokens[s->list]);
        count_since(s, words);
        words->by_levels += *position - before;
        if (s->tokens[s->list].count == 0 && *position == size)
            break;
    }
    put_end(s, &w);
    return status;
}

cairn_status cairn_words_of_scan_finish(void *state, struct cairn_words *words)
{
    struct words_of_scan *s = state;
    struct scan_word w = scan_word_of(s, words);
    cairn_status status = CAIRN_OK;

    if (!has_room(words))
        return CAIRN_E_ARGUMENT;
    s->ended = true;
    s->both = false;
    while (status == CAIRN_OK && put_tokens(s, &w) && next_tokens(s, &w)) {
        status = s->config->protocol->scan_finish(s->scan, &s->tokens[s->list]);
        count_since(s, words);
        if (s->tokens[s->list].count == 0)
            break;
    }
    put_end(s, &w);
    return status;
}

size_t cairn_words_of_scan_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                   struct cairn_aside *asides)
{
    const struct words_of_scan *s = state;
    const uint32_t place = s->place[word - s->given];
    const unsigned atoms = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    unsigned list = place & 1;
    unsigned skip = place >> PLACE_SKIP & 0x1f;
    size_t next = place >> PLACE_TOKEN;
    size_t count = 0;

    (void)bytes;
    for (unsigned step = 0; step < atoms; skip = 0, next++) {
        if (next == s->tokens[list].count) {
            list ^= 1;
            next = 0;
        }
        const struct cairn_token *token = &s->tokens[list].token[next];
        const uint64_t apart = cairn_token_apart(token);

        if (token->kind != CAIRN_ELEMENT_ATOM)
            continue;
        asides[count++] =
            (struct cairn_aside){.value = token->count - skip > 1 ? apart : 0,
                                 .at = (uint32_t)(token->offset + apart * skip - s->origin),
                                 .length = (uint16_t)token->length,
                                 .kind = CAIRN_ASIDE_PACKET,
                                 .step = (uint8_t)step};
        step += token->count - skip;
    }
    return count;
}
