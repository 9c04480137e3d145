/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop over the tokens of a scan: Atoms in a row make a word, and (where it begins, the word)
 * is looked up in the memo. What stands between Atoms becomes an event inside the unit. */
#include "flow/follow.h"
#include "flow/scanned_word.h"

/* Events that one token can give; where packets are listed, another for each Atom of a run. */
enum { EVENTS_OF_ONE = 4, EVENTS_OF_RUN = EVENTS_OF_ONE + CAIRN_TOKEN_RUN };

/* Flags that change nothing about what an Atom or an address does. */
#define PLAIN_FLAGS CAIRN_ELEMENT_TRANSACTIONAL

/* Works out the path of `count` Atoms, or of as many as need no second look. */
static enum looked_up work_out(const struct cairn_lane *lane, struct cairn_scanned_job *job,
                               uint64_t code, uint64_t word, unsigned count,
                               struct cairn_word_path *unit)
{
    job->misses++;
    switch (cairn_word_build(&job->builder, code, word, count, &lane->stack, unit)) {
    case CAIRN_WORD_FOUND: return LOOKED_UP;
    case CAIRN_WORD_HARD: unit->bytes = 0; return LOOKED_CUT;
    case CAIRN_WORD_FULL: return LOOKED_FULL;
    }
    return LOOKED_FULL;
}

static bool add_path(struct cairn_scanned_job *job, struct cairn_word_path *unit)
{
    struct cairn_dictionary *dictionary = job->builder.dictionary;

    if (!cairn_memo_room(job->memo, dictionary, job->builder.return_stack, hash))
        return false;
    unit->path = cairn_dictionary_add_path(dictionary, CAIRN_PATH_BITS, unit->atoms, unit->steps,
                                           unit->step_count);
    return unit->path != 0;
}

/* Finds or works out a word that is not where it is looked for first. `*covers` of its Atoms are
 * then in the entry. */
enum looked_up cairn_scanned_miss(const struct cairn_lane *lane, struct cairn_scanned_job *job,
                                  uint64_t code, uint64_t word, unsigned count, unsigned *covers,
                                  struct cairn_memo_entry **entry)
{
    struct cairn_word_path unit;
    enum looked_up how = LOOKED_UP;

    *covers = count;
    *entry = cairn_memo_find(job->memo, code, word, hash);
    if (*entry)
        return LOOKED_UP;
    how = work_out(lane, job, code, word, count, &unit);
    *covers = unit.bytes;
    if (how != LOOKED_UP || *covers < count)
        return how == LOOKED_UP ? LOOKED_CUT : how;
    if (!add_path(job, &unit))
        return LOOKED_FULL;
    *entry = cairn_memo_add(job->memo, code, &unit, hash);
    return LOOKED_UP;
}

/* The same with return stack. A word that has to be cut is kept too, so that this is known when it
 * comes again. */
enum looked_up cairn_scanned_miss_stacked(const struct cairn_lane *lane,
                                          struct cairn_scanned_job *job, uint64_t code,
                                          uint64_t word, unsigned count, unsigned *covers,
                                          struct cairn_stack_entry **entry)
{
    struct cairn_word_path unit;
    enum looked_up how;

    *entry = cairn_memo_find_stacked(job->memo, code, word, &lane->stack, hash);
    if (*entry) {
        *covers = (*entry)->bytes;
        return *covers > 0 ? LOOKED_CUT : LOOKED_UP;
    }
    how = work_out(lane, job, code, word, count, &unit);
    *covers = unit.bytes;
    if (how != LOOKED_UP)
        return how;
    if (unit.bytes < count)
        *entry = cairn_memo_find_stacked(job->memo, code, unit.atoms, &lane->stack, hash);
    if (*entry) {
        unit.path = (*entry)->path;
    } else {
        if (!add_path(job, &unit))
            return LOOKED_FULL;
        *entry = cairn_memo_add_stacked(job->memo, code, unit.atoms, &unit, hash);
    }
    if (unit.bytes == count)
        return LOOKED_UP;
    if (!cairn_memo_room(job->memo, job->builder.dictionary, true, hash))
        return LOOKED_FULL;
    (void)cairn_memo_add_stacked(job->memo, code, word, &unit, hash);
    return LOOKED_CUT;
}

/* Where a word began, to take it once more in parts. */
struct mark {
    const struct cairn_token *token;
    unsigned skip;
    size_t events;
    uint64_t cycles;
    bool discontinuity;
    bool transaction;
};

static inline struct cairn_word_event *put(struct cairn_word_batch *out, unsigned kind,
                                           unsigned step, const struct cairn_token *token)
{
    return put_event(out, kind, step, token->offset, token->length);
}

static inline void put_cycles(struct cairn_scanned_job *job, const struct cairn_scan_batch *tokens,
                              const struct cairn_token *token, unsigned step)
{
    const uint64_t value = token->data == 0 ? token->value : tokens->data[token->data - 1].value;
    struct cairn_word_event *event = put(job->out, CAIRN_FLOW_CYCLES, step, token);

    if (token->flags & CAIRN_ELEMENT_UNKNOWN)
        event->flags = CAIRN_FLOW_UNKNOWN;
    else
        job->flow->total_cycles += value;
    event->value = value;
    event->address = job->flow->total_cycles;
}

static void put_timestamp(struct cairn_scanned_job *job, const struct cairn_scan_batch *tokens,
                          const struct cairn_token *token, unsigned step)
{
    const struct cairn_element_data data = cairn_token_data(tokens, token);
    struct cairn_word_event *event = put(job->out, CAIRN_FLOW_TIMESTAMP, step, token);
    unsigned flags = 0;

    if (token->flags & CAIRN_ELEMENT_CYCLES)
        flags |= CAIRN_FLOW_CYCLES_VALID;
    if (token->flags & CAIRN_ELEMENT_UNKNOWN)
        flags |= CAIRN_FLOW_UNKNOWN;
    if (token->flags & CAIRN_ELEMENT_APPROXIMATE)
        flags |= CAIRN_FLOW_IMPRECISE;
    event->flags = (uint16_t)flags;
    event->value = data.value;
    event->address = data.cycles;
}

static inline void put_data(struct cairn_scanned_job *job, const struct cairn_scan_batch *tokens,
                            const struct cairn_token *token, unsigned step)
{
    struct cairn_element_data none;
    const struct cairn_element_data *data = &none;

    if (!job->flow->config->rules.every_instruction)
        return;
    if (token->data > 0)
        data = &tokens->data[token->data - 1];
    else
        none = cairn_token_data(tokens, token);
    cairn_data_record(data, token->flags, put(job->out, CAIRN_FLOW_DATA, step, token));
}

/* What a token that is neither Atom nor address gives by itself. False: it is for the follower. */
static bool put_other(struct cairn_scanned_job *job, const struct cairn_scan_batch *tokens,
                      const struct cairn_token *token, unsigned step)
{
    if (token->flags & CAIRN_ELEMENT_LOST)
        return false;
    switch (token->kind) {
    case CAIRN_ELEMENT_TIMESTAMP: put_timestamp(job, tokens, token, step); return true;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
        put(job->out, CAIRN_FLOW_TIMESTAMP_MARKER, step, token);
        return true;
    case CAIRN_ELEMENT_EVENT:
        put(job->out, CAIRN_FLOW_EVENT, step, token)->value = cairn_token_data(tokens, token).value;
        return true;
    case CAIRN_ELEMENT_DATA:
        if (token->flags & CAIRN_ELEMENT_HERE) /* the follower looks at the instruction */
            return false;
        put_data(job, tokens, token, step);
        return true;
    default: return false;
    }
}

/* An address of the trace. False: it is for the follower. */
static inline bool take_address(struct cairn_lane *lane, struct cairn_flow *flow,
                                const struct cairn_token *token)
{
    const uint64_t target = token->value | token->count;

    if ((token->flags & ~PLAIN_FLAGS) || token->data != 0 ||
        (lane->expected != CAIRN_CODE_NEED && lane->expected != target))
        return false;
    if (flow->clear_stack) {
        lane->stack.sp = lane->stack.bottom;
        lane->stack.base = lane->stack.bottom;
        flow->clear_stack = false;
    }
    lane->code = target;
    lane->expected = CAIRN_CODE_NEED;
    return true;
}

/* Where the i-th Atom of a token is from. */
static inline uint64_t offset_of(const struct cairn_token *token, unsigned i)
{
    return token->offset + cairn_token_apart(token) * i;
}

/* Marks that belong in front of a word's next `count` Atoms, the first of which is the token's
 * `skip`-th. */
static inline void put_marks(struct cairn_scanned *scanned, struct cairn_scanned_job *job,
                             const struct cairn_token *token, unsigned skip, unsigned count,
                             unsigned step)
{
    struct cairn_flow *flow = job->flow;

    if (flow->discontinuity) {
        flow->discontinuity = false;
        put_event(job->out, CAIRN_WORD_DISCONTINUITY, step, offset_of(token, skip), token->length);
    }
    if (((token->flags & CAIRN_ELEMENT_TRANSACTIONAL) != 0) != scanned->transaction) {
        scanned->transaction = !scanned->transaction;
        put_event(job->out, CAIRN_WORD_TRANSACTION, step, offset_of(token, skip), token->length)
            ->value = scanned->transaction;
    }
    if (!job->listing)
        return;
    for (unsigned i = 0; i < (cairn_token_apart(token) ? count : 1); i++) {
        const uint64_t offset = offset_of(token, skip + i);

        if (scanned->packet_told && scanned->packet == offset)
            continue;
        scanned->packet_told = true;
        scanned->packet = offset;
        put_event(job->out, CAIRN_WORD_PACKET, step + i, offset, token->length);
    }
}

/* Tokens that there is certainly room for. */
static size_t room_for(const struct cairn_scanned_job *job)
{
    const struct cairn_word_batch *out = job->out;
    size_t room =
        (out->event_capacity - out->event_count) / (job->listing ? EVENTS_OF_RUN : EVENTS_OF_ONE);

    if (!job->counting && out->capacity - out->count < room)
        room = out->capacity - out->count;
    return room;
}

/* Whether the Atoms of a token can be taken as they are. A Mispredict matters to the return stack
 * alone, and so does the address of a branch packet, which goes into the word. */
HOT_INLINE bool is_plain(const struct cairn_token *token, const bool stacked)
{
    const unsigned statuses = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    const unsigned odd = CAIRN_TOKEN_ODD | statuses;

    if (__builtin_expect((token->flags & ~PLAIN_FLAGS) == 0, 1))
        return true;
    if (token->flags & ~(PLAIN_FLAGS | odd | CAIRN_ELEMENT_ADDRESSED))
        return false;
    return !stacked || !(token->flags & CAIRN_TOKEN_ODD) || (token->flags & statuses) == 0 ||
           (token->flags & statuses) == statuses;
}

/* Whether the memo is for all packets of a token of Atoms. */
HOT_INLINE bool is_seen(const struct cairn_token *token, const struct cairn_scanned_job *job)
{
    const uint64_t first = token->offset - job->from;

    return first <= job->span &&
           first + cairn_token_apart(token) * (token->count - 1u) <= job->span;
}

HOT_INLINE enum cairn_scanned_stop take(struct cairn_scanned *scanned, struct cairn_lane *lane,
                                        struct cairn_scanned_job *job, const bool stacked)
{
    const struct cairn_scan_batch *tokens = &scanned->tokens;
    const struct cairn_token *const last = tokens->token + tokens->count;
    const struct cairn_token *t = tokens->token + scanned->next;
    const struct cairn_token *end = t; /* there is room up to here */
    struct cairn_word_batch *out = job->out;
    struct cairn_flow *flow = job->flow;
    enum cairn_scanned_stop stop = CAIRN_SCANNED_TOKENS;
    struct mark mark = {.token = t};
    uint64_t word = 0;
    unsigned skip = scanned->skip;
    unsigned most = MOST;
    unsigned count = 0; /* Atoms in `word` */
    unsigned covers = 0;

    for (;;) {
        if (__builtin_expect(t == end, 0)) {
            size_t room;

            if (count > 0)
                goto look_up;
            if (t == last)
                break;
            room = room_for(job);
            if (room == 0) {
                stop = CAIRN_SCANNED_ROOM;
                break;
            }
            end = (size_t)(last - t) < room ? last : t + room;
        }
        switch (t->kind) {
        case CAIRN_ELEMENT_ATOM: {
            const bool plain = is_plain(t, stacked);
            const uint64_t apart = cairn_token_apart(t);
            const uint64_t before = t->offset + apart * skip - job->from;
            const bool seen = before <= job->span;
            unsigned n = t->count - skip;
            const bool all_seen = before + apart * (n - 1) <= job->span;
            const unsigned addressed = stacked ? t->flags & CAIRN_ELEMENT_ADDRESSED : 0;

            if (__builtin_expect(!plain || !seen || !all_seen || count + n > most, 0)) {
                if (count > 0 && (!plain || !seen || most == MOST || count == most))
                    goto look_up;
                if (!plain || !seen) {
                    stop = plain ? CAIRN_SCANNED_SELECT : CAIRN_SCANNED_TOKEN;
                    goto leave;
                }
                if (!all_seen)
                    n = 1 + (unsigned)((job->span - before) / apart);
                if (n > most - count)
                    n = most - count;
            }
            if (count == 0) {
                if (lane->code == CAIRN_CODE_LOST) {
                    stop = CAIRN_SCANNED_TOKEN;
                    goto leave;
                }
                mark = (struct mark){t,
                                     skip,
                                     out->event_count,
                                     flow->total_cycles,
                                     flow->discontinuity,
                                     scanned->transaction};
            }
            put_marks(scanned, job, t, skip, n, count);
            word |= (t->value >> skip & ((UINT64_C(1) << n) - 1)) << count;
            count += n;
            skip += n;
            if (skip < t->count)
                goto look_up;
            skip = 0;
            t++;
            if (__builtin_expect(addressed != 0, 0)) {
                word |= CAIRN_WORD_ADDRESSED;
                goto look_up;
            }
            if (job->listing || scanned->transaction)
                continue;
            /* Atoms on end, without marks between them, are a matter of a few instructions. */
            for (; t < end && t->kind == CAIRN_ELEMENT_ATOM && t->flags == 0 &&
                   count + t->count <= most && is_seen(t, job);
                 t++) {
                word |= (t->value & ((UINT64_C(1) << t->count) - 1)) << count;
                count += t->count;
            }
            continue;
        }
        case CAIRN_ELEMENT_TARGET_ADDRESS:
            if (count > 0)
                goto look_up;
            if (!take_address(lane, flow, t)) {
                stop = CAIRN_SCANNED_TOKEN;
                goto leave;
            }
            t++;
            continue;
        case CAIRN_ELEMENT_CYCLE_COUNT:
            if (__builtin_expect(!(t->flags & CAIRN_ELEMENT_LOST), 1)) {
                put_cycles(job, tokens, t, count);
                t++;
                continue;
            }
            break;
        default:
            if (put_other(job, tokens, t, count)) {
                t++;
                continue;
            }
            break;
        }
        if (count == 0) {
            stop = CAIRN_SCANNED_TOKEN;
            break;
        }
    look_up:
        switch (
            take_word(lane, job, word, count, offset_of(mark.token, mark.skip), &covers, stacked)) {
        case LOOKED_UP:
            if (most != MOST || skip > 0)
                end = t; /* of a token in parts there are more units than tokens */
            most = MOST;
            break;
        case LOOKED_CUT: most = covers; goto again;
        case LOOKED_FULL:
            stop = CAIRN_SCANNED_FULL;
            goto again;
        again:
            t = mark.token;
            skip = mark.skip;
            out->event_count = mark.events;
            flow->total_cycles = mark.cycles;
            flow->discontinuity = mark.discontinuity;
            scanned->transaction = mark.transaction;
            scanned->packet_told = false;
            end = t;
            if (stop == CAIRN_SCANNED_FULL)
                goto leave;
            if (covers == 0) {
                stop = CAIRN_SCANNED_ATOM;
                goto leave;
            }
            break;
        }
        word = 0;
        count = 0;
    }
leave:
    scanned->next = (size_t)(t - tokens->token);
    scanned->skip = skip;
    return stop;
}

enum cairn_scanned_stop cairn_scanned_take(struct cairn_scanned *scanned, struct cairn_lane *lane,
                                           struct cairn_scanned_job *job)
{
    return job->builder.return_stack ? take(scanned, lane, job, true)
                                     : take(scanned, lane, job, false);
}
