/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a source whose calls are followed. */
#include "calls/going.h"
#include "flow/dictionary.h"

/* Paths are remembered at contexts when they were executed so often: of what comes once nothing would be used again. */
#define MEMO_FROM 2u
/* Words that are not remembered where those before did not come again. */
#define MEMO_RESTS (1u << 22)
/* Words that are counted before they are added up: a word's times have room for so many. */
#define MEMO_WORDS_MAX (UINT64_C(1) << 31)

/* --- words --- */

static inline void leave_by_path(const struct cairn_calls *calls, struct cairn_call_thread *thread,
                                 uint32_t id)
{
    const struct cairn_known_path *const path = &calls->known.paths[id];
    const uint64_t site = calls->known.sites[id];

    cairn_calls_leave_by(thread, path->way, site, cairn_known_behind(site, path->site_size));
}

/* A word that nothing stands in the midst of. */
static inline cairn_status take_word(struct cairn_calls *calls, struct cairn_call_thread *thread,
                                     uint32_t id)
{
    const struct cairn_known_path *const path = &calls->known.paths[id];
    uint32_t done = 0;

    if (path->instructions == 0)
        return CAIRN_OK;
    cairn_status status = cairn_calls_arrive(calls, thread, path->address, path->to);
    for (uint32_t i = 0; i < path->turns && !status; i++) {
        const struct cairn_turn *turn = &calls->known.turns[path->first + i];

        cairn_calls_execute(calls, thread, turn->before - done);
        done = turn->before;
        if (turn->way == CAIRN_WAY_PLACE) {
            cairn_calls_reach(calls, turn->place);
            continue;
        }
        status =
            cairn_calls_go_to(calls, thread, turn->address, turn->site,
                              cairn_known_behind(turn->site, turn->site_size), turn->way, turn->to);
    }
    cairn_calls_execute(calls, thread, path->instructions - done);
    leave_by_path(calls, thread, id);
    return status;
}

/* A word whose steps have events between them, or cycles. */
static cairn_status take_steps(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                               size_t word, size_t *event)
{
    const uint32_t id = batch->path[word] & ~CAIRN_WORD_INFERRED;
    size_t unused;
    const struct cairn_path *path = &cairn_dictionary_paths(batch->dictionary, &unused)[id];
    const struct cairn_code_block *blocks = cairn_dictionary_blocks(batch->dictionary, &unused);
    const uint32_t *steps = cairn_dictionary_steps(batch->dictionary, &unused) + path->first;
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < path->steps && !status; i++) {
        while (*event < batch->event_count && !status) {
            const struct cairn_word_event *next = cairn_word_event_at(batch, *event);

            if (next->word > word || next->step > i)
                break;
            status = cairn_calls_take_event(calls, next);
            ++*event;
        }
        const uint32_t block = steps[i] >> 1;
        if (!status && blocks[block].instructions) {
            status = cairn_calls_take_block(calls, &blocks[block], &calls->known.blocks[block],
                                            steps[i] & 1);
            calls->came = steps[i];
        } else if (!status) {
            calls->last = 0; /* code without memory: cycles behind it are its own */
        }
    }
    return status;
}

cairn_status cairn_calls_know(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                              size_t word, uint32_t id)
{
    const uint64_t offset = batch->offset ? batch->offset[word] : calls->place.offset;
    const cairn_status status = cairn_calls_select(calls, offset);

    return status ? status : cairn_known_learn(&calls->known, batch->dictionary, calls->space, id);
}

/* Words that only count, up to one that something stands at. */
static cairn_status count_words(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                                size_t from, size_t end)
{
    const struct cairn_known *const known = &calls->known;
    const uint32_t *const paths = batch->path;
    uint64_t *const counts = known->counts;
    uint32_t id = 0;

    for (size_t word = from; word < end; word++) {
        id = paths[word] & ~CAIRN_WORD_INFERRED;
        if (__builtin_expect(counts[id]++ == 0, 0) && !known->paths[id].is_known) {
            const cairn_status status = cairn_calls_know(calls, batch, word, id);

            if (status)
                return status;
        }
    }
    if (end > from)
        calls->last = known->blocks[known->paths[id].last >> 1].counted;
    return CAIRN_OK;
}

/* The same with stacks. */
static cairn_status follow_words(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                                 size_t from, size_t end)
{
    struct cairn_known *known = &calls->known;
    struct cairn_call_thread *const thread = calls->thread;
    cairn_status status = CAIRN_OK;
    uint32_t id = 0;

    for (size_t word = from; word < end && !status; word++) {
        id = batch->path[word] & ~CAIRN_WORD_INFERRED;
        if (known->counts[id]++ == 0 && !known->paths[id].is_known)
            status = cairn_calls_know(calls, batch, word, id);
        if (calls->watch && batch->offset)
            calls->offset = batch->offset[word];
        if (!status)
            status = take_word(calls, thread, id);
    }
    if (!status && end > from)
        calls->last = known->blocks[known->paths[id].last >> 1].counted;
    return status;
}

/* --- words that are remembered --- */

/* Adds up what is remembered, and forgets it. */
static void add_up_memo(struct cairn_calls *calls)
{
    struct cairn_call_memo *const memo = &calls->memo;
    struct cairn_known *const known = &calls->known;

    for (uint32_t i = 1; i < memo->count; i++) {
        const struct cairn_call_word *const one = &memo->words[i];

        if (!one->times)
            continue;
        known->counts[one->path] += one->times;
        calls->stacks.now.executed += (uint64_t)one->times * known->paths[one->path].instructions;
        calls->stacks.counter.repeat(calls->stacks.counter.context,
                                     memo->found.list + memo->effects[i],
                                     memo->effects[i + 1] - memo->effects[i], one->times);
    }
    cairn_call_memo_clear(memo);
}

/* Stacks are numbered anew. */
static void forget_contexts(struct cairn_calls *calls)
{
    add_up_memo(calls);
    cairn_contexts_free(&calls->memo.contexts);
    for (uint32_t i = 0; i < calls->threads.count; i++)
        for (size_t k = 0; k < calls->threads.list[i]->depth; k++)
            calls->threads.list[i]->frames[k].context = 0;
}

/* Where there is no room for more: begins anew, and after a time if those that were remembered did not come again. */
static void make_room(struct cairn_calls *calls)
{
    struct cairn_call_memo *const memo = &calls->memo;

    if (memo->since / 2 < memo->added)
        memo->rests = MEMO_RESTS;
    forget_contexts(calls);
}

/* The context of the thread, with all that it executed counted. NONE: it is none that words are remembered at. */
static uint32_t context_of(struct cairn_calls *calls, struct cairn_call_thread *thread,
                           cairn_status *status)
{
    const struct cairn_call_counter *const counter = &calls->stacks.counter;
    const uint64_t cycles = cairn_call_code_cycles(&calls->stacks, thread);
    uint64_t waits = 0;

    if (!thread->depth || thread->doubt.frames)
        return CAIRN_CONTEXT_NONE;
    struct cairn_call_frame *const top = &thread->frames[thread->depth - 1];
    if (cairn_call_stands_in(thread, top)) {
        waits = thread->instructions - top->began.instructions;
        if (top->code_cycles != cycles)
            return CAIRN_CONTEXT_NONE;
    } else if (!top->is_told && top->handles) {
        return CAIRN_CONTEXT_NONE;
    } else {
        *status = cairn_count_top(&calls->stacks, thread, top);
    }
    if (*status)
        return CAIRN_CONTEXT_NONE;
    const uint32_t node =
        counter->settle(counter->context, thread, thread->instructions - waits, cycles);
    return node ? cairn_contexts_of(&calls->memo.contexts, thread, (uint32_t)waits, node)
                : CAIRN_CONTEXT_NONE;
}

/* Whether the thread left a block as a step says. */
static bool has_left_by(const struct cairn_calls *calls, const struct cairn_call_thread *thread,
                        uint32_t step)
{
    const struct cairn_code_block *const block = &calls->dictionary->blocks[step >> 1];

    return step && thread->way == calls->known.blocks[step >> 1].way[step & 1] &&
           thread->site == cairn_block_last(block) && thread->behind == block->end;
}

/* The thread is where a remembered word leads to. */
static cairn_status go_where(struct cairn_calls *calls, struct cairn_call_thread *thread,
                             const struct cairn_call_word *word)
{
    const struct cairn_call_contexts *const contexts = &calls->memo.contexts;
    const struct cairn_call_context *const to = &contexts->list[word->to];
    const struct cairn_call_counter *const counter = &calls->stacks.counter;

    if (!cairn_contexts_restore(contexts, word->to, thread,
                                cairn_call_code_cycles(&calls->stacks, thread)))
        return CAIRN_E_LIMIT;
    leave_by_path(calls, thread, word->path);
    calls->came = word->left;
    counter->resume(counter->context, thread, to->node, thread->instructions - to->waits);
    return CAIRN_OK;
}

/* A word that is not known at a context, which the thread is at. *at: it is from here on; 0: it is not. */
static cairn_status remember(struct cairn_calls *calls, struct cairn_call_thread *thread,
                             uint32_t context, uint32_t id, uint32_t *at)
{
    struct cairn_call_memo *const memo = &calls->memo;
    const struct cairn_call_counter *const counter = &calls->stacks.counter;
    const struct cairn_known_path *const path = &calls->known.paths[id];
    const size_t first = memo->found.count;
    struct cairn_call_word made = {
        .path = id, .from = context, .came = calls->came, .left = path->last};

    *at = 0;
    memo->found.called = memo->found.failed = false;
    calls->stacks.is_special = false;
    counter->note(counter->context, &memo->found);
    cairn_status status = take_word(calls, thread, id);
    if (!status && !calls->stacks.is_special && path->instructions)
        made.to = context_of(calls, thread, &status);
    counter->note(counter->context, NULL);
    if (!status && made.to && !memo->found.failed) {
        *at = cairn_call_memo_add(memo, &made, first);
        if (!*at && !memo->failed)
            make_room(calls);
    }
    if (!*at && memo->found.count > first)
        memo->found.count = first;
    return status;
}

/* A word behind that of *at, or where that is 0 behind what is not remembered. */
static cairn_status take_one(struct cairn_calls *calls, struct cairn_call_thread *thread,
                             const struct cairn_word_batch *batch, uint32_t word, uint32_t *at)
{
    struct cairn_call_memo *const memo = &calls->memo;
    struct cairn_known *const known = &calls->known;
    const uint32_t id = batch->path[word] & ~CAIRN_WORD_INFERRED;
    const uint32_t before = *at;
    uint32_t context = before ? memo->words[before].to : CAIRN_CONTEXT_NONE;
    cairn_status status = before ? go_where(calls, thread, &memo->words[before]) : CAIRN_OK;

    *at = 0;
    const uint64_t times = known->counts[id];
    if (!status && times == 0 && !known->paths[id].is_known)
        status = cairn_calls_know(calls, batch, word, id);
    if (!status && times >= MEMO_FROM && !context && has_left_by(calls, thread, calls->came)) {
        context = context_of(calls, thread, &status);
        *at = cairn_call_memo_find(memo, context, calls->came, id);
        if (*at) {
            memo->words[*at].times++;
            memo->since++;
            return status;
        }
    }
    known->counts[id]++;
    if (!status && times >= MEMO_FROM && context) {
        status = remember(calls, thread, context, id, at);
        if (*at && before) {
            memo->words[before].next[1] = memo->words[before].next[0];
            memo->words[before].next[0] = *at;
        }
    } else if (!status) {
        status = take_word(calls, thread, id);
    }
    if (!*at)
        calls->came = known->paths[id].last;
    return status;
}

static cairn_status repeat_words(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                                 uint32_t from, uint32_t end)
{
    struct cairn_call_memo *const memo = &calls->memo;
    struct cairn_call_thread *const thread = calls->thread;
    cairn_status status = CAIRN_OK;
    uint32_t at = 0, word = from;

    if (memo->contexts.count == CAIRN_CONTEXTS_MAX)
        make_room(calls);
    if (memo->since > MEMO_WORDS_MAX)
        add_up_memo(calls);
    while (word < end && !status) {
        const uint32_t first = word;

        /* also by a word of this run: that was special, so that `at` is 0 */
        if (calls->stacks.is_changed)
            add_up_memo(calls);
        calls->stacks.is_changed = false;
        if (at)
            word = cairn_call_memo_run(memo, batch->path, word, end, &at);
        memo->since += word - first;
        if (word < end)
            status = take_one(calls, thread, batch, word++, &at);
    }
    if (at && !status)
        status = go_where(calls, thread, &memo->words[at]);
    if (!status && end > from)
        calls->last = calls->known.blocks[calls->came >> 1].counted;
    return status;
}

static cairn_status take_run(struct cairn_calls *calls, const struct cairn_word_batch *batch,
                             size_t from, size_t end)
{
    struct cairn_call_memo *const memo = &calls->memo;

    if (calls->stacks.totals && calls->only_counts && !calls->watch)
        return cairn_calls_total_words(calls, batch, from, end);
    if (!calls->remembers || memo->failed)
        return follow_words(calls, batch, from, end);
    if (!memo->rests)
        return repeat_words(calls, batch, (uint32_t)from, (uint32_t)end);
    memo->rests -= memo->rests < end - from ? memo->rests : end - from;
    return follow_words(calls, batch, from, end);
}

void cairn_calls_flush(struct cairn_calls *calls, const struct cairn_dictionary *dictionary)
{
    add_up_memo(calls);
    calls->came = 0;
    const uint64_t instructions = cairn_known_flush(&calls->known, dictionary);

    if (!calls->keeps_stacks)
        calls->stacks.now.executed += instructions;
}

cairn_status cairn_calls_take_words(void *context, const struct cairn_word_batch *batch)
{
    struct cairn_calls *calls = context;
    struct cairn_known *known = &calls->known;
    cairn_status status = cairn_known_batch(known, batch);
    size_t event = 0;
    uint32_t next = 0; /* word that the next event is at */

    calls->has_words = true;
    calls->dictionary = batch->dictionary;
    for (size_t word = 0; word <= batch->count && !status; word++) {
        while (!status && event < batch->event_count) {
            const struct cairn_word_event *one = cairn_word_event_at(batch, event);

            next = one->word;
            if (next > word || (next == word && one->step > 0 && word < batch->count))
                break;
            status = cairn_calls_take_event(calls, one);
            event++;
        }
        if (word == batch->count || status)
            break;
        const size_t until =
            event < batch->event_count && next < batch->count ? next : batch->count;
        const bool waits = calls->waits > 0 || calls->told_cycles != calls->stacks.now.total_cycles;
        if (!waits && until > word) {
            status = calls->keeps_stacks ? take_run(calls, batch, word, until)
                                         : count_words(calls, batch, word, until);
            word = until - 1;
            continue;
        }
        const uint32_t id = batch->path[word] & ~CAIRN_WORD_INFERRED;
        if (calls->watch && batch->offset)
            calls->offset = batch->offset[word];
        if (!known->paths[id].is_known)
            status = cairn_calls_know(calls, batch, word, id);
        if (status)
            break;
        known->counts[id]++;
        status = take_steps(calls, batch, word, &event);
    }
    if (batch->dictionary_ends)
        cairn_calls_flush(calls, batch->dictionary);
    return status;
}
