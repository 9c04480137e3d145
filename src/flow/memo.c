/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/memo.h"

#include "base/pages.h"
#include "flow/returnstack.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BITS = 8, /* a short trace has few words, and clears the whole table */
    FIRST_MORE = 256,
    SMALL_BITS = 12, /* below it a table that grows becomes four times as large */
    /* From here on memory counts for more than a second look. */
    LARGE_BITS = 18,
    LARGE_STACKED_BITS = 16,
    WORD_BYTES = 8,
    /* Where a pop of an older call is certain to find what the trace unit's depth leaves: behind a
     * peak of more, the oldest entries may have fallen off. */
    PEAK_BEFORE_POP = CAIRN_RETURN_STACK_DEPTH - CAIRN_MEMO_POPS,
};

/* --- working out a word --- */

/* How far it has come. */
struct place {
    uint32_t block;  /* the one that the next atom is about; 0: not known yet, or CAIRN_LINK_NEED */
    uint32_t before; /* the step that led there; 0: it came from elsewhere, to `code` */
    uint64_t code;
    uint32_t steps;
    uint32_t bytes;
};

/* What it did to the return stack. */
struct moves {
    uint8_t pops;
    uint8_t peak;
    uint8_t depth;  /* of `pushed` */
    bool addressed; /* the target of the atom at hand is in the trace */
    uint64_t pop[CAIRN_MEMO_POPS];
    uint64_t pushed[CAIRN_RETURN_STACK_DEPTH];
};

/* The return stack's newest entry becomes the address. */
static bool pop(struct place *p, struct moves *m, const struct cairn_hot_stack *stack)
{
    const uint64_t *at = stack->sp - m->pops;

    p->block = 0;
    p->before = 0;
    if (m->depth > 0) {
        p->code = m->pushed[--m->depth];
        return true;
    }
    if (at <= stack->base || m->pops == CAIRN_MEMO_POPS || m->peak > PEAK_BEFORE_POP)
        return false;
    p->code = at[-1];
    m->pop[m->pops++] = p->code;
    return true;
}

static bool push_code(struct moves *m, uint64_t code)
{
    if (m->depth == CAIRN_RETURN_STACK_DEPTH)
        return false;
    m->pushed[m->depth++] = code;
    if (m->depth > m->pops && (uint8_t)(m->depth - m->pops) > m->peak)
        m->peak = (uint8_t)(m->depth - m->pops);
    return true;
}

static bool push(struct moves *m, const struct cairn_code_block *call)
{
    return push_code(m, call->end | (call->isa == CAIRN_ISA_T32));
}

/* A call whose target is on the stack: that is then on top of what it pushes, and popped by the
 * next atom. */
static bool push_below(struct moves *m, const struct cairn_code_block *call,
                       const struct cairn_hot_stack *stack)
{
    struct place target;

    return pop(&target, m, stack) && push(m, call) && push_code(m, target.code);
}

/* Where a place is. */
static uint64_t code_at(const struct cairn_word_builder *builder, const struct place *p)
{
    return p->before != 0 ? cairn_blocks_behind(builder->blocks, p->before >> 1, p->before & 1)
                          : p->code;
}

/* The block at a place; 0: it needs a second look, or the dictionary is full. */
static uint32_t find(const struct cairn_word_builder *builder, const struct place *p)
{
    if (builder->fresh_blocks && p->before != 0)
        return cairn_blocks_fresh(builder->blocks, code_at(builder, p));
    if (p->before != 0)
        return cairn_blocks_next(builder->blocks, p->before >> 1, p->before & 1);
    if (p->code == CAIRN_CODE_LOST || (builder->blocks->SF && (p->code & 1)))
        return 0;
    return builder->fresh_blocks ? cairn_blocks_fresh(builder->blocks, p->code)
                                 : cairn_blocks_at(builder->blocks, p->code);
}

/* One atom. False: it needs a second look, or the dictionary is full. */
static inline bool step(const struct cairn_word_builder *builder,
                        const struct cairn_hot_stack *stack, struct place *p, struct moves *m,
                        bool taken, uint32_t *steps)
{
    const struct cairn_dictionary *dictionary = builder->dictionary;
    const struct cairn_block_link *link;

    if (p->block == CAIRN_LINK_NEED && (!builder->return_stack || !pop(p, m, stack)))
        return false;
    if (p->block == 0)
        p->block = find(builder, p);
    if (p->block == 0)
        return false;
    link = &dictionary->links[p->block];
    if (!(link->flags & CAIRN_BLOCK_P0))
        return false;
    p->before = p->block << 1 | taken;
    steps[p->steps++] = p->before;
    if (builder->return_stack && (link->flags & CAIRN_BLOCK_LINK) && taken) {
        const struct cairn_code_block *call = &dictionary->blocks[p->block];
        const bool pops =
            builder->pop_first && (link->flags & CAIRN_BLOCK_INDIRECT) && !m->addressed;

        if (!(pops ? push_below(m, call, stack) : push(m, call)))
            return false;
    }
    p->block = link->next[taken];
    return true;
}

/* All of a packet's atoms. */
static inline bool step_packet(const struct cairn_word_builder *builder,
                               const struct cairn_hot_stack *stack, struct place *p,
                               struct moves *m, unsigned packet, uint32_t *steps)
{
    const unsigned atoms = builder->dictionary->atoms[packet];
    uint32_t bits = builder->bits[packet];

    for (unsigned n = 0; n < atoms; n++, bits >>= 1)
        if (!step(builder, stack, p, m, bits & 1, steps))
            return false;
    return true;
}

/* A word of packets without return stack, all of it or nothing: its atoms in one run, so that the
 * processor need not foresee how many each packet has. */
static bool build_run(const struct cairn_word_builder *builder, uint64_t code, uint64_t word,
                      unsigned count, struct cairn_word_path *worked)
{
    const struct cairn_dictionary *dictionary = builder->dictionary;
    struct place p = {.block = code == CAIRN_CODE_NEED ? CAIRN_LINK_NEED : 0, .code = code};
    uint64_t atoms[CAIRN_PATH_STEPS_MAX / 64 + 1] = {0};
    unsigned total = 0;

    for (unsigned i = 0; i < count; i++) {
        const unsigned packet = (word >> (8 * i)) & 0xff;
        const uint64_t bits = builder->bits[packet];
        const unsigned at = total % 64;

        atoms[total / 64] |= bits << at;
        if (at > 0)
            atoms[total / 64 + 1] |= bits >> (64 - at);
        total += dictionary->atoms[packet];
    }
    for (unsigned i = 0; i < total; i++) {
        const bool taken = atoms[i / 64] >> (i % 64) & 1;
        const struct cairn_block_link *link;

        if (p.block == CAIRN_LINK_NEED)
            return false;
        if (p.block == 0)
            p.block = find(builder, &p);
        if (p.block == 0)
            return false;
        link = &dictionary->links[p.block];
        if (!(link->flags & CAIRN_BLOCK_P0))
            return false;
        p.before = p.block << 1 | taken;
        worked->steps[i] = p.before;
        p.block = link->next[taken];
    }
    worked->atoms = word;
    worked->next = code_at(builder, &p);
    worked->bytes = (uint8_t)count;
    worked->pops = 0;
    worked->peak = 0;
    worked->pushes = 0;
    worked->step_count = total;
    return true;
}

enum cairn_word_built cairn_word_build(const struct cairn_word_builder *builder, uint64_t code,
                                       uint64_t word, unsigned count,
                                       const struct cairn_hot_stack *stack,
                                       struct cairn_word_path *worked)
{
    const struct cairn_dictionary *dictionary = builder->dictionary;
    const bool is_bits = cairn_word_is_bits(word);
    struct place p = {.block = code == CAIRN_CODE_NEED ? CAIRN_LINK_NEED : 0, .code = code};
    struct moves m = {0};
    struct place good = p; /* behind the last packet that went well */
    struct moves good_moves = m;

    if (!is_bits && !builder->return_stack && build_run(builder, code, word, count, worked))
        return dictionary->full ? CAIRN_WORD_FULL : CAIRN_WORD_FOUND;
    for (unsigned i = 0; i < count; i++) {
        m.addressed = is_bits && i + 1 == count && (word & CAIRN_WORD_ADDRESSED);
        if (is_bits ? !step(builder, stack, &p, &m, word >> i & 1, worked->steps)
                    : !step_packet(builder, stack, &p, &m, (word >> (8 * i)) & 0xff, worked->steps))
            break;
        if (m.depth > CAIRN_MEMO_PUSHES)
            continue; /* what comes may take some of it back */
        good = p;
        good.bytes = i + 1;
        if (builder->return_stack)
            good_moves = m;
    }
    if (dictionary->full)
        return CAIRN_WORD_FULL;
    if (good.bytes == 0)
        return CAIRN_WORD_HARD;
    worked->atoms = word;
    if (is_bits && good.bytes < count)
        worked->atoms = (word & ((UINT64_C(1) << good.bytes) - 1)) | (uint64_t)good.bytes
                                                                         << CAIRN_WORD_COUNT_SHIFT;
    else if (!is_bits && good.bytes < WORD_BYTES)
        worked->atoms = word & ((UINT64_C(1) << (8 * good.bytes)) - 1);
    worked->next = code_at(builder, &good);
    worked->bytes = (uint8_t)good.bytes;
    worked->pops = good_moves.pops;
    worked->peak = good_moves.peak;
    worked->pushes = good_moves.depth;
    memcpy(worked->pop, good_moves.pop, sizeof worked->pop);
    memcpy(worked->push, good_moves.pushed, good_moves.depth * sizeof *good_moves.pushed);
    worked->step_count = good.steps;
    return CAIRN_WORD_FOUND;
}

/* --- the table --- */

static size_t entry_size(bool stacked)
{
    return stacked ? sizeof(struct cairn_stack_entry) : sizeof(struct cairn_memo_entry);
}

/* Of `held`: the smallest table has more places than a word has bits. */
static size_t held_size(unsigned bits)
{
    return ((size_t)1 << bits) / 8;
}

/* Of a table, and of what is known of its places. */
static uint64_t table_bytes(bool stacked, unsigned bits)
{
    return ((uint64_t)entry_size(stacked) << bits) + held_size(bits);
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
    if (!table || !made.held) {
        free(table);
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
    *memo = made;
    return true;
}
