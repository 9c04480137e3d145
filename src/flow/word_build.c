/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/word_build.h"

#include "flow/returnstack.h"

#include <string.h>

enum {
    WORD_BYTES = 8,
    /* Where a pop of an older call is certain to find what the trace unit's depth leaves: behind a
     * peak of more, the oldest entries may have fallen off. */
    PEAK_BEFORE_POP = CAIRN_RETURN_STACK_DEPTH - CAIRN_MEMO_POPS,
};

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
