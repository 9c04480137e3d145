/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/memo.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BITS = 8, /* a short trace has few words, and clears the whole table */
    FIRST_MORE = 256,
    SMALL_BITS = 12, /* below it a table that grows becomes four times as large */
    /* From here on memory counts for more than a second look. */
    LARGE_BITS = 18,
    LARGE_STACKED_BITS = 16,
};

static size_t entry_size(bool stacked)
{
    return stacked ? sizeof(struct cairn_stack_entry) : sizeof(struct cairn_memo_entry);
}

/* Of `held`: the smallest table has more places than a word has bits. */
static size_t held_size(unsigned bits)
{
    return ((size_t)1 << bits) / 8;
}

static size_t guess_size(bool stacked, unsigned bits)
{
    return stacked && bits >= CAIRN_MEMO_GUESS_BITS ? sizeof(uint32_t) << CAIRN_MEMO_GUESS_BITS : 0;
}

/* Of a table, and of what is known of its places. */
static uint64_t table_bytes(bool stacked, unsigned bits)
{
    return ((uint64_t)entry_size(stacked) << bits) + held_size(bits) + guess_size(stacked, bits);
}

static void hold(struct cairn_memo *memo, uint32_t at)
{
    memo->held[at / 64] |= UINT64_C(1) << at % 64;
}

static void *new_table(uint64_t wanted)
{
    void *const table = wanted > SIZE_MAX ? NULL : cairn_pages_new((size_t)wanted);

    if (table)
        memset(table, 0, (size_t)wanted);
    return table;
}

void cairn_memo_release(struct cairn_memo *memo)
{
    free(memo->entries);
    free(memo->stacked);
    free(memo->more);
    free(memo->held);
    free(memo->guess);
    memset(memo, 0, sizeof *memo);
}

uint64_t cairn_memo_bytes(const struct cairn_memo *memo)
{
    uint64_t bytes = (uint64_t)memo->more_capacity * sizeof *memo->more;

    if (memo->entries || memo->stacked)
        bytes += table_bytes(memo->stacked != NULL, memo->bits);
    return bytes;
}

void cairn_memo_clear(struct cairn_memo *memo)
{
    if (memo->used == 0)
        return;
    if (memo->entries)
        memset(memo->entries, 0, sizeof *memo->entries << memo->bits);
    if (memo->stacked)
        memset(memo->stacked, 0, sizeof *memo->stacked << memo->bits);
    memset(memo->held, 0, held_size(memo->bits));
    memo->used = 0;
    memo->more_count = memo->more ? 1 : 0;
}

/* More than two pushes or one pop do not fit into an entry. */
static bool needs_more(const struct cairn_word_path *worked)
{
    return worked->pops > 1 || worked->pushes > 2;
}

static struct cairn_memo_entry *place(struct cairn_memo *memo, const struct cairn_memo_entry *entry,
                                      cairn_memo_hash *hash)
{
    const uint32_t mask = (1u << memo->bits) - 1;
    uint32_t at = hash(entry->code, entry->atoms) >> (32 - memo->bits);

    while (memo->entries[at].atoms != 0)
        at = (at + 1) & mask;
    memo->entries[at] = *entry;
    hold(memo, at);
    return &memo->entries[at];
}

struct cairn_memo_entry *cairn_memo_add(struct cairn_memo *memo, uint64_t code,
                                        const struct cairn_word_path *worked, cairn_memo_hash *hash)
{
    const struct cairn_memo_entry entry = {
        .code = code, .atoms = worked->atoms, .next = worked->next, .path = worked->path};

    memo->used++;
    return place(memo, &entry, hash);
}

struct cairn_memo_entry *cairn_memo_find(const struct cairn_memo *memo, uint64_t code,
                                         uint64_t word, cairn_memo_hash *hash)
{
    const uint32_t mask = (1u << memo->bits) - 1;

    if (!memo->entries)
        return NULL;
    for (uint32_t at = hash(code, word) >> (32 - memo->bits); memo->entries[at].atoms != 0;
         at = (at + 1) & mask)
        if (memo->entries[at].code == code && memo->entries[at].atoms == word)
            return &memo->entries[at];
    return NULL;
}

static struct cairn_stack_entry *
place_stacked(struct cairn_memo *memo, const struct cairn_stack_entry *entry, cairn_memo_hash *hash)
{
    const uint32_t mask = (1u << memo->bits) - 1;
    const uint32_t own = hash(entry->code, entry->atoms);
    uint32_t at = own >> (32 - memo->bits);
    bool first = true;

    while (memo->stacked[at].atoms != 0) {
        struct cairn_stack_entry *other = &memo->stacked[at];

        if (first && other->code == entry->code && other->atoms == entry->atoms) {
            first = false;
            at = hash(own, entry->pop0) >> (32 - memo->bits);
        } else {
            at = (at + 1) & mask;
        }
    }
    memo->stacked[at] = *entry;
    hold(memo, at);
    return &memo->stacked[at];
}

static struct cairn_stack_entry entry_of(const struct cairn_word_path *worked,
                                         struct cairn_stack_more *more)
{
    struct cairn_stack_entry entry = {.next = worked->next,
                                      .path = worked->path,
                                      .pops = worked->pops,
                                      .pushes = worked->pushes,
                                      .peak = worked->peak,
                                      .pop0 = worked->pop[0]};

    memcpy(entry.push, worked->push, sizeof entry.push);
    memcpy(more->pop, worked->pop + 1, sizeof more->pop);
    memcpy(more->push, worked->push + 2, sizeof more->push);
    return entry;
}

struct cairn_stack_entry *cairn_memo_add_stacked(struct cairn_memo *memo, uint64_t code,
                                                 uint64_t word,
                                                 const struct cairn_word_path *worked,
                                                 cairn_memo_hash *hash)
{
    struct cairn_stack_entry entry = entry_of(worked, &memo->more[memo->more_count]);

    entry.code = code;
    entry.atoms = word;
    entry.bytes = word == worked->atoms ? 0 : worked->bytes;
    if (needs_more(worked))
        entry.more = memo->more_count++;
    memo->used++;
    return place_stacked(memo, &entry, hash);
}

/* The counters of what is copied are another thread's, and are not read. */
struct cairn_memo_entry *cairn_memo_copy(struct cairn_memo *memo,
                                         const struct cairn_memo_entry *entry,
                                         cairn_memo_hash *hash)
{
    const struct cairn_memo_entry made = {
        .code = entry->code, .atoms = entry->atoms, .next = entry->next, .path = entry->path};

    memo->used++;
    return place(memo, &made, hash);
}

struct cairn_stack_entry *cairn_memo_copy_stacked(struct cairn_memo *memo,
                                                  const struct cairn_memo *from,
                                                  const struct cairn_stack_entry *entry,
                                                  cairn_memo_hash *hash)
{
    struct cairn_stack_entry made = {.code = entry->code,
                                     .atoms = entry->atoms,
                                     .next = entry->next,
                                     .path = entry->path,
                                     .pops = entry->pops,
                                     .pushes = entry->pushes,
                                     .peak = entry->peak,
                                     .bytes = entry->bytes,
                                     .pop0 = entry->pop0};

    memcpy(made.push, entry->push, sizeof made.push);
    if (entry->more != 0) {
        memo->more[memo->more_count] = from->more[entry->more];
        made.more = memo->more_count++;
    }
    memo->used++;
    return place_stacked(memo, &made, hash);
}

void cairn_memo_set_loose(struct cairn_memo *memo, struct cairn_stack_entry *entry, uint64_t word,
                          const struct cairn_word_path *worked)
{
    *entry = entry_of(worked, &memo->more[0]);
    entry->bytes = word == worked->atoms ? 0 : worked->bytes;
}

struct cairn_stack_entry *cairn_memo_find_stacked(const struct cairn_memo *memo, uint64_t code,
                                                  uint64_t word,
                                                  const struct cairn_hot_stack *stack,
                                                  cairn_memo_hash *hash)
{
    const uint32_t mask = (1u << memo->bits) - 1;
    bool first = true;
    uint32_t own;
    uint32_t at;

    if (!memo->stacked)
        return NULL;
    own = hash(code, word);
    at = own >> (32 - memo->bits);
    while (memo->stacked[at].atoms != 0) {
        struct cairn_stack_entry *entry = &memo->stacked[at];
        const bool same = entry->code == code && entry->atoms == word;

        if (same && cairn_memo_pops(memo, entry, stack))
            return entry;
        if (same && first) {
            if (stack->sp == stack->base)
                return NULL;
            first = false;
            at = hash(own, stack->sp[-1]) >> (32 - memo->bits);
        } else {
            at = (at + 1) & mask;
        }
    }
    return NULL;
}

/* Whatever is between the two places stays where it is, so that what is moved back is still found behind it. */
struct cairn_memo_entry *cairn_memo_bring(struct cairn_memo *memo, struct cairn_memo_entry *entry,
                                          cairn_memo_hash *hash)
{
    struct cairn_memo_entry *const first =
        &memo->entries[hash(entry->code, entry->atoms) >> (32 - memo->bits)];
    const struct cairn_memo_entry moved = *first;

    *first = *entry;
    *entry = moved;
    return first;
}

struct cairn_stack_entry *cairn_memo_bring_stacked(struct cairn_memo *memo,
                                                   struct cairn_stack_entry *entry,
                                                   cairn_memo_hash *hash)
{
    const uint32_t mask = (1u << memo->bits) - 1;
    const uint32_t own = hash(entry->code, entry->atoms);
    struct cairn_stack_entry *first = &memo->stacked[own >> (32 - memo->bits)];

    for (uint32_t at = own >> (32 - memo->bits); &memo->stacked[at] != entry; at = (at + 1) & mask)
        if (memo->stacked[at].code == entry->code && memo->stacked[at].atoms == entry->atoms) {
            first = &memo->stacked[hash(own, entry->pop0) >> (32 - memo->bits)];
            break;
        }
    const struct cairn_stack_entry moved = *first;

    *first = *entry;
    *entry = moved;
    return first;
}

/* Entries into a larger table. */
static void move(const struct cairn_memo *from, struct cairn_memo *to, cairn_memo_hash *hash)
{
    for (uint32_t i = 0; i < 1u << from->bits; i++) {
        if (from->entries && from->entries[i].atoms != 0)
            (void)place(to, &from->entries[i], hash);
        if (from->stacked && from->stacked[i].atoms != 0)
            (void)place_stacked(to, &from->stacked[i], hash);
    }
}

/* Makes room for one more of `more`. */
static bool room_for_more(struct cairn_memo *memo, struct cairn_dictionary *dictionary)
{
    const uint32_t capacity = memo->more_capacity ? memo->more_capacity * 2 : FIRST_MORE;
    const uint64_t bytes = (uint64_t)(capacity - memo->more_capacity) * sizeof *memo->more;
    struct cairn_stack_more *more;

    if (memo->more_count < memo->more_capacity)
        return true;
    if (!cairn_dictionary_grow(dictionary, bytes))
        return false;
    more = realloc(memo->more, capacity * sizeof *more);
    if (!more) {
        dictionary->bytes -= bytes;
        dictionary->full = true;
        return false;
    }
    memo->more = more;
    memo->more_capacity = capacity;
    if (memo->more_count == 0)
        memo->more_count = 1;
    return true;
}

bool cairn_memo_room(struct cairn_memo *memo, struct cairn_dictionary *dictionary, bool stacked,
                     cairn_memo_hash *hash)
{
    const bool any = memo->entries || memo->stacked;
    const uint64_t had = any ? table_bytes(stacked, memo->bits) : 0;
    struct cairn_memo made;

    if (stacked && !room_for_more(memo, dictionary))
        return false;
    made = *memo;
    made.bits = !any ? FIRST_BITS : memo->bits < SMALL_BITS ? memo->bits + 2 : memo->bits + 1;
    const uint64_t wanted = table_bytes(stacked, made.bits);
    const size_t guesses = guess_size(stacked, made.bits);
    void *table;

    if (any && memo->used < (1u << memo->bits) /
                                (memo->bits < (stacked ? LARGE_STACKED_BITS : LARGE_BITS) ? 4 : 2))
        return true;
    if (!cairn_dictionary_grow(dictionary, wanted - had)) {
        /* fuller, before everything is given up */
        if (!any || memo->used >= (1u << memo->bits) / 4 * 3)
            return false;
        dictionary->full = false;
        return true;
    }
    table = new_table((uint64_t)entry_size(stacked) << made.bits);
    made.held = calloc(1, held_size(made.bits));
    made.guess = guesses > 0 ? calloc(1, guesses) : NULL;
    if (!table || !made.held || (guesses > 0 && !made.guess)) {
        free(table);
        free(made.guess);
        free(made.held);
        dictionary->bytes -= wanted - had;
        dictionary->full = true;
        return false;
    }
    if (stacked)
        made.stacked = table;
    else
        made.entries = table;
    if (any)
        move(memo, &made, hash);
    free(memo->entries);
    free(memo->stacked);
    free(memo->held);
    free(memo->guess);
    *memo = made;
    return true;
}
