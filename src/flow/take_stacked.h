/* SPDX-License-Identifier: BSD-2-Clause */
/* Words without asides of a source with return stack, for take_loop.h. */

/* The stack's pointers, where they are at hand. */
struct take_stack {
    uint64_t *sp;
    uint64_t *base;
    uint64_t *bottom;
};

/* Whether an entry's pops are what the stack has. */
HOT_INLINE bool take_pops(const struct cairn_memo *memo, const struct cairn_stack_entry *entry,
                          const struct take_stack *stack)
{
    const ptrdiff_t pops = entry->pops;

    if (pops == 0)
        return true;
    if (stack->sp[-1] != entry->pop0 || stack->sp - stack->base < pops)
        return false;
    if (__builtin_expect(pops > 1, 0)) {
        const struct cairn_stack_more *more = &memo->more[entry->more];

        for (ptrdiff_t i = 1; i < pops; i++)
            if (stack->sp[-1 - i] != more->pop[i - 1])
                return false;
    }
    return true;
}

/* The entry of a key under the stack as it is, if one of the likely places has it: its own, the one
 * behind that, and, where what is popped differs, one by that. */
HOT_INLINE struct cairn_stack_entry *take_probe(const struct cairn_memo *memo,
                                                struct cairn_stack_entry *entries, unsigned shift,
                                                uint64_t code, uint64_t atoms,
                                                const struct take_stack *stack)
{
    const uint32_t own = HOT_HASH(code, atoms);
    struct cairn_stack_entry *entry = &entries[own >> shift];

    if (__builtin_expect((entry->code != code) | (entry->atoms != atoms), 0)) {
        entry = &entries[((own >> shift) + 1) & (UINT32_MAX >> shift)];
        if ((entry->code != code) | (entry->atoms != atoms))
            return NULL;
    }
    if (__builtin_expect(take_pops(memo, entry, stack), 1))
        return entry;
    if (stack->sp == stack->base)
        return NULL;
    entry = &entries[HOT_HASH(own, stack->sp[-1]) >> shift];
    if ((entry->code != code) | (entry->atoms != atoms) || !take_pops(memo, entry, stack))
        return NULL;
    return entry;
}

/* What a word did to the stack; there is room for its pushes. */
HOT_INLINE void take_apply(const struct cairn_memo *memo, const struct cairn_stack_entry *entry,
                           struct take_stack *stack)
{
    uint64_t *const oldest = stack->sp + entry->peak - CAIRN_RETURN_STACK_DEPTH;
    const unsigned pushes = entry->pushes;

    /* What fell off at the bottom. */
    stack->bottom = stack->bottom < oldest ? oldest : stack->bottom;
    stack->base = stack->base < oldest ? oldest : stack->base;
    stack->sp -= entry->pops;
    stack->sp[0] = entry->push[0];
    stack->sp[1] = entry->push[1];
    if (__builtin_expect(pushes > 2, 0)) {
        const struct cairn_stack_more *more = &memo->more[entry->more];

        for (unsigned i = 2; i < pushes; i++)
            stack->sp[i] = more->push[i - 2];
    }
    stack->sp += pushes;
}

HOT_INLINE struct take_stack take_stack_of(const struct cairn_lane *lane)
{
    return (struct take_stack){lane->stack.sp, lane->stack.base, lane->stack.bottom};
}

HOT_INLINE void take_stack_back(const struct take_stack *stack, struct cairn_lane *lane)
{
    lane->stack.sp = stack->sp;
    lane->stack.base = stack->base;
    lane->stack.bottom = stack->bottom;
}

/* Where execution goes on by the return stack, if it has to. Returns how it is marked in a path. A
 * branch, which mostly is predicted: the look-up need not wait for the stack then. */
HOT_INLINE uint32_t take_infer(uint64_t *code, struct take_stack *stack)
{
    if (*code != CAIRN_CODE_NEED || stack->sp == stack->base)
        return 0;
    *code = *--stack->sp;
    return CAIRN_WORD_INFERRED;
}

/* The entry of a key that was not found at once, or worked out. NULL: `*stop` says why not. */
static HOT_TARGET __attribute__((noinline)) struct cairn_stack_entry *
take_find(const struct cairn_take_job *job, uint64_t code, uint64_t atoms,
          enum cairn_take_stop *stop)
{
    enum cairn_hot_exit why = CAIRN_HOT_LIMIT;
    unsigned count = cairn_take_count(atoms);
    struct cairn_stack_entry *entry =
        cairn_hot_miss_stacked(job->lane, job->memo, code, atoms, &count, HOT_HASH_FUNCTION, &why);

    if (!entry)
        *stop = why == CAIRN_HOT_FULL ? CAIRN_TAKE_FULL : CAIRN_TAKE_HARD;
    return entry;
}

/* The guess for a word of these atoms. */
HOT_INLINE uint32_t *take_guess(uint32_t *guesses, uint64_t atoms)
{
    return &guesses[HOT_HASH(0, atoms) >> (32 - CAIRN_MEMO_GUESS_BITS)];
}

/* Where the entry of the word AHEAD is: behind a target by its key, and behind none, where nobody knows yet
 * where it begins, by the guess. */
HOT_INLINE uint32_t take_ahead_guessed(const struct cairn_word *word, unsigned shift,
                                       uint32_t *guesses)
{
    const uint32_t guessed = *take_guess(guesses, word[AHEAD].atoms);
    const uint32_t own = take_ahead(word, shift);
    uint32_t none = -(uint32_t)(word[AHEAD - 1].target == CAIRN_WORD_NO_TARGET);

    __asm__("" : "+r"(none)); /* no branch: it could not be foreseen */
    return (guessed & none) | (own & ~none);
}

/* The same with return stack. Where a word has no target behind it the next one's place is inferred
 * at once, and the inference is undone where there is no next one. */
HOT_INLINE bool take_stacked_words(const struct cairn_take_job *job, const bool counting,
                                   const bool listing, const bool guessing,
                                   enum cairn_take_stop *stop)
{
    struct cairn_taking *t = job->taking;
    struct cairn_lane *lane = job->lane;
    struct cairn_word_batch *out = job->out;
    const struct cairn_memo *memo = job->memo->memo;
    const struct cairn_word *word = t->words.word + t->next;
    const struct cairn_word *const end = take_end(job, listing);
    const struct cairn_word *const ask = take_ask_end(memo, ASK_STACKED_BITS, word, end);
    const uint64_t *const high = lane->stack.entries + CAIRN_HOT_STACK - CAIRN_MEMO_PUSHES;
    const uint64_t origin = t->words.origin;
    uint32_t *column = listing ? out->path + out->count : NULL;
    uint64_t *offsets = listing && out->offset ? out->offset + out->count : NULL;
    struct take_stack stack = take_stack_of(lane);
    uint64_t code = lane->code;
    uint64_t expected = lane->expected;
    uint32_t path = lane->path;
    uint32_t inferred = take_infer(&code, &stack);
    /* What an empty memo has: two entries that are nothing's. */
    struct cairn_stack_entry nothing[2] = {{0}};
    struct cairn_stack_entry *entries = memo->bits ? memo->stacked : nothing;
    unsigned shift = memo->bits ? 32 - memo->bits : 31;
    uint32_t *guesses = memo->guess;
    uint32_t nobodys;
    uint32_t *guess = &nobodys; /* for the word at hand */
    bool went = word < end;

    *stop = CAIRN_TAKE_ROOM;
    for (; word < end; word++) {
        const uint64_t target = word->target;
        const uint64_t atoms = word->atoms;

        if (word < ask)
            __builtin_prefetch(&entries[guessing ? take_ahead_guessed(word, shift, guesses)
                                                 : take_ahead(word, shift)]);
        if (__builtin_expect(atoms != 0, 1)) {
            struct cairn_stack_entry *entry = take_probe(memo, entries, shift, code, atoms, &stack);

            if (__builtin_expect(!entry, 0)) {
                take_stack_back(&stack, lane);
                entry = take_find(job, code, atoms, stop);
                if (!entry) {
                    went = false;
                    break;
                }
                if (memo->bits) {
                    entries = memo->stacked;
                    shift = 32 - memo->bits;
                }
                guesses = memo->guess;
                guess = &nobodys;
            }
            if (__builtin_expect(stack.sp > high, 0)) {
                take_stack_back(&stack, lane);
                cairn_hot_stack_lower(&lane->stack);
                stack = take_stack_of(lane);
            }
            if (guessing)
                *guess = (uint32_t)(entry - entries);
            take_apply(memo, entry, &stack);
            path = entry->path;
            if (counting)
                entry->count++;
            code = entry->next;
            expected = code;
            if (listing) {
                *column++ = path | inferred;
                if (offsets)
                    *offsets++ = origin + word->at;
            }
            inferred = 0;
            if (__builtin_expect(entry->bytes != 0, 0)) {
                take_part(t, atoms, entry->bytes);
                break;
            }
        } else {
            stack.sp += inferred != 0;
            inferred = 0;
        }
        if (target == CAIRN_WORD_NO_TARGET) {
            inferred = take_infer(&code, &stack);
            if (guessing && word < ask)
                guess = take_guess(guesses, word[1].atoms);
            continue;
        }
        if (__builtin_expect(expected != CAIRN_CODE_NEED && expected != target, 0)) {
            take_part(t, 0, cairn_take_count(atoms));
            *stop = CAIRN_TAKE_TARGET;
            went = false;
            break;
        }
        code = target;
        guess = &nobodys;
        expected = CAIRN_CODE_NEED;
    }
    stack.sp += inferred != 0;
    take_stack_back(&stack, lane);
    lane->code = inferred ? CAIRN_CODE_NEED : code;
    lane->expected = expected;
    lane->path = path;
    t->next = (size_t)(word - t->words.word);
    if (listing)
        out->count = (size_t)(column - out->path);
    return went;
}
