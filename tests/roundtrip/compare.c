/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "said.h"

/* The exception with which a unit says up to where was executed what a Cancel left (R_KDVTX): the
 * feed uses no such type. */
#define TYPE_UP_TO_HERE 0x10u

enum { PLACES_MAX = 64 };

struct comparison {
    const struct trip_case *trip;
    const struct trip_truth *truth;
    struct trip_said *said;
    bool lossy;
};

__attribute__((format(printf, 2, 3))) static bool differ(struct comparison *c, const char *format,
                                                         ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (!c->said->problem[0])
        vsnprintf(c->said->problem, sizeof c->said->problem, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t address_of(const struct comparison *c, uint32_t op)
{
    return op == TRIP_NO_OP ? 0 : trip_op(c->trip->program, op)->address;
}

static bool same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->SF == b->SF && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

static bool in_context(const struct comparison *c, const struct trip_entry *t,
                       const struct trip_said_entry *s)
{
    for (uint32_t i = t->context; i <= t->context_last; i++)
        if (same_context(&c->truth->contexts[i], &c->said->contexts[s->context]))
            return true;
    return false;
}

/* Q elements make instructions come late, and their outcomes are inferred. */
static bool has_q(const struct comparison *c)
{
    return c->trip->options.q && c->trip->options.q_instructions;
}

/* Taken or not, the branch may lead to the next instruction. */
static bool is_ambiguous(const struct comparison *c, uint32_t index)
{
    const struct peer_op *op = trip_op(c->trip->program, index);

    return op->kind != PEER_OP_DIRECT || op->target == index + 1;
}

static bool is_outcome(unsigned kind)
{
    return kind == TRIP_TAKEN || kind == TRIP_NOT_TAKEN;
}

static bool matches_kind(const struct comparison *c, const struct trip_entry *t,
                         const struct trip_said_entry *s)
{
    if (t->kind == s->kind)
        return true;
    if (!is_outcome(t->kind) || !is_outcome(s->kind))
        return false;
    /* A correction may have been lost with what came behind it (D9.5.13). */
    return (s->uncertain && t->loose) || (has_q(c) && is_ambiguous(c, t->op));
}

static bool matches(const struct comparison *c, const struct trip_entry *t,
                    const struct trip_said_entry *s)
{
    if (!matches_kind(c, t, s))
        return false;
    if (t->kind == TRIP_EXCEPT)
        return t->type == s->type &&
               (t->type == CAIRN_EXCEPTION_PE_RESET || s->value == address_of(c, t->op));
    return t->op == s->op && in_context(c, t, s) &&
           (t->transaction == TRIP_MAYBE || c->lossy ||
            s->transaction == (t->transaction == TRIP_YES));
}

/* `announced` is what was said; TRIP_MAYBE: it does not count. */
static bool is_announced(const struct trip_entry *t, enum trip_answer announced)
{
    if (announced == TRIP_MAYBE)
        return true;
    return t->announced == TRIP_YES
               ? announced == TRIP_YES
               : announced == TRIP_NO || t->announced == TRIP_MAYBE ||
                     (t->loose && (t->begins || t->landed)); /* a Trace On that a Cancel left */
}

/* It stands behind instructions that the Cancel left without a P0 element. */
static bool is_up_to_here(const struct comparison *c, uint32_t at, const struct trip_said_entry *s)
{
    const bool omits = c->trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN;
    const struct trip_entry *t = c->truth->entries + (at > 0 ? at - 1 : 0);
    const struct peer_op *op;

    if (at == 0 || s->kind != TRIP_EXCEPT || s->type != TYPE_UP_TO_HERE)
        return false;
    if (has_q(c) && at < c->truth->count && s->value == address_of(c, t[1].op))
        return true;
    if (omits ? t->kind != TRIP_PLAIN && t->kind != TRIP_NOT_TAKEN
              : t->kind != TRIP_PLAIN || !t->landed)
        return false;
    op = trip_op(c->trip->program, t->op);
    return s->value == op->address + op->size;
}

static const char *say_entry(unsigned kind, unsigned type, uint64_t address, char text[64])
{
    static const char *const words[] = {
        [TRIP_PLAIN] = "", [TRIP_TAKEN] = " E", [TRIP_NOT_TAKEN] = " N"};

    if (kind == TRIP_EXCEPT)
        snprintf(text, 64, "exception %x at %" PRIx64, type, address);
    else if (kind == TRIP_SAID_Q)
        snprintf(text, 64, "Q");
    else
        snprintf(text, 64, "%" PRIx64 "%s", address, words[kind]);
    return text;
}

static const char *say_context(const struct cairn_context *context, char text[64])
{
    snprintf(text, 64, "EL%u %u SF%u vmid %" PRIx32 " id %" PRIx32, context->EL, context->security,
             context->SF, context->vmid, context->context_id);
    return text;
}

static bool differ_at(struct comparison *c, uint32_t i, uint32_t j)
{
    const struct trip_entry *t = &c->truth->entries[i];
    const struct trip_said_entry *s = &c->said->entries[j];
    char expected[64] = "the end", actual[64] = "the end", in[64] = "", where[64] = "";

    if (i < c->truth->count) {
        say_entry(t->kind, t->type, address_of(c, t->op), expected);
        say_context(&c->truth->contexts[t->context], in);
    }
    if (j < c->said->count) {
        say_entry(s->kind, s->type, s->kind == TRIP_EXCEPT ? s->value : address_of(c, s->op),
                  actual);
        say_context(&c->said->contexts[s->context], where);
    }
    return differ(c,
                  "entry %" PRIu32 " of %" PRIu32 " should be %s [%s%s%s%s], but entry %" PRIu32
                  " of %" PRIu32 " is %s [%s%s%s]",
                  i, c->truth->count, expected, in,
                  i >= c->truth->count         ? ""
                  : t->announced == TRIP_YES   ? ", announced"
                  : t->announced == TRIP_MAYBE ? ", announced or not"
                                               : "",
                  i < c->truth->count && t->loose ? ", loose" : "",
                  i < c->truth->count && t->transaction == TRIP_YES ? ", transaction" : "", j,
                  c->said->count, actual, where,
                  j < c->said->count && s->announced ? ", announced" : "",
                  j < c->said->count && s->transaction ? ", transaction" : "");
}

/* Passes the instructions of a Q with a count. */
static bool pass_q(const struct comparison *c, uint32_t *i, uint64_t count)
{
    const uint32_t first = *i;

    for (; count > 0 && *i < c->truth->count; count--, ++*i) {
        const struct trip_entry *t = &c->truth->entries[*i];

        if (t->kind == TRIP_EXCEPT || (*i > first && t->announced == TRIP_YES))
            return false;
    }
    return count == 0;
}

/* Where in the truth a reader of what is said may be: more than one place, since some entries may
 * be left out. */
struct places {
    unsigned count;
    uint32_t at[PLACES_MAX];
};

static void add_place(struct places *places, uint32_t at)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->at[i] == at)
            return;
    if (places->count < PLACES_MAX)
        places->at[places->count++] = at;
}

static void add_places(const struct comparison *c, struct places *places, uint32_t at)
{
    add_place(places, at);
    while (at < c->truth->count && c->truth->entries[at].may_be_left_out)
        add_place(places, ++at);
}

/* The places behind said[j]. An Exception that only says up to where was executed passes nothing.
 */
static bool step_on(const struct comparison *c, const struct places *from, struct places *to,
                    uint32_t j, enum trip_answer announced)
{
    const struct trip_said_entry *s = &c->said->entries[j];
    bool passes = true;

    to->count = 0;
    for (unsigned n = 0; n < from->count; n++) {
        uint32_t i = from->at[n];
        const struct trip_entry *t = &c->truth->entries[i];

        if (is_up_to_here(c, i, s)) {
            add_places(c, to, i);
            passes = false;
            continue;
        }
        if (i == c->truth->count || !is_announced(t, announced))
            continue;
        if (s->kind == TRIP_SAID_Q ? pass_q(c, &i, s->value) : matches(c, t, s) && ++i > 0)
            add_places(c, to, i);
    }
    return passes;
}

/* Entry for entry. */
static bool compare_all(struct comparison *c)
{
    struct trip_said *said = c->said;
    struct places places = {.count = 0}, next;
    bool announced = false;

    add_places(c, &places, 0);
    for (uint32_t j = 0; j < said->count; j++) {
        announced |= said->entries[j].announced;
        said->truth_at[j] = places.at[0];
        if (step_on(c, &places, &next, j, announced ? TRIP_YES : TRIP_NO))
            announced = false;
        if (next.count == 0)
            return differ_at(c, places.at[0], j);
        places = next;
    }
    for (unsigned n = 0; n < places.count; n++)
        if (places.at[n] == c->truth->count)
            return true;
    return differ_at(c, places.at[0], said->count);
}

/* Whether said[from, to) is in the truth from `*i` on, without a hole. Leaves `*i` behind it. */
static bool match_run(const struct comparison *c, uint32_t from, uint32_t to, uint32_t *i)
{
    struct places places = {.count = 0}, next;
    bool is_first = true;

    add_place(&places, *i);
    for (uint32_t j = from; j < to && places.count > 0; j++) {
        if (step_on(c, &places, &next, j, is_first ? TRIP_MAYBE : TRIP_NO))
            is_first = false;
        places = next;
    }
    if (places.count == 0)
        return false;
    *i = places.at[0];
    for (unsigned n = 1; n < places.count; n++)
        if (places.at[n] < *i)
            *i = places.at[n];
    return true;
}

/* The truth with holes, each of which is announced. */
static bool compare_runs(struct comparison *c)
{
    const struct trip_said *said = c->said;
    uint32_t i = 0, to;

    for (uint32_t from = 0; from < said->count; from = to) {
        uint32_t at = i;

        if (said->entries[from].kind == TRIP_SAID_Q) {
            to = from + 1;
            continue;
        }
        to = from + 1;
        while (to < said->count && !said->entries[to].announced &&
               said->entries[to].kind != TRIP_SAID_Q)
            to++;
        while (at <= c->truth->count && !match_run(c, from, to, &at))
            at++;
        if (at > c->truth->count)
            return differ_at(c, i, from);
        i = at;
    }
    return true;
}

/* --- events, time, cycles --- */

static bool compare_events(struct comparison *c)
{
    if (c->said->overflows > 0)
        return true;
    if (c->said->event_count != c->truth->event_count &&
        !(c->truth->lost && c->said->event_count < c->truth->event_count)) /* behind what waits */
        return differ(c, "%" PRIu32 " Events, but %" PRIu32 " were told", c->said->event_count,
                      c->truth->event_count);
    for (uint32_t i = 0; i < c->said->event_count; i++)
        if (c->said->events[i] != c->truth->events[i])
            return differ(c, "Event %" PRIu32 " is number %u instead of %u", i, c->said->events[i],
                          c->truth->events[i]);
    return true;
}

static bool was_told(const struct trip_truth *truth, uint64_t time)
{
    uint32_t low = 0, high = truth->time_count;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (truth->times[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < truth->time_count && truth->times[low] == time;
}

/* The truth's entry of the last P0 element before a value; NULL when there is none. */
static const struct trip_entry *p0_before(const struct comparison *c,
                                          const struct trip_said_value *value)
{
    for (uint32_t j = value->entry; j-- > 0;)
        if (c->said->entries[j].kind != TRIP_PLAIN)
            return &c->truth->entries[c->said->truth_at[j]];
    return NULL;
}

static bool compare_times(struct comparison *c)
{
    const bool is_late = has_q(c) || (c->trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN);
    const struct trip_said *said = c->said;
    uint64_t before = 0;

    for (uint32_t i = 0; i < said->timestamp_count; i++) {
        const struct trip_said_value *value = &said->timestamps[i];
        const struct trip_entry *t;
        uint64_t expected;

        if (value->value == 0)
            continue;
        if (value->value < before)
            return differ(c, "time runs back to %" PRIu64, value->value);
        before = value->value;
        if (is_late) /* elements may come later than what they tell */
            continue;
        if (!was_told(c->truth, value->value))
            return differ(c, "at time %" PRIu64 " there was nothing", value->value);
        if (c->lossy || !c->truth->in_order)
            continue;
        t = p0_before(c, value);
        expected = t ? t->time : 0;
        if (value->event > 0 && c->truth->event_times[value->event - 1] > expected)
            expected = c->truth->event_times[value->event - 1];
        if (value->value != expected)
            return differ(c, "timestamp %" PRIu32 " is %" PRIu64 " instead of %" PRIu64, i,
                          value->value, expected);
    }
    return true;
}

static bool compare_cycles(struct comparison *c)
{
    const struct trip_said *said = c->said;
    /* Commits that are merged count at the time of the last one. */
    const bool exact =
        !c->lossy && c->truth->in_order &&
        (c->trip->options.maxspec == 0 || (c->trip->options.choices & CAIRN_UNIT_COMMIT_AT_ONCE));
    const struct trip_entry *before = NULL;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < said->cycle_count; i++) {
        const struct trip_said_value *value = &said->cycles[i];
        const struct trip_entry *t = exact ? p0_before(c, value) : NULL;

        sum += value->value;
        if (sum > c->truth->cycles)
            return differ(c, "%" PRIu64 " cycles, but %" PRIu64 " were told", sum,
                          c->truth->cycles);
        if (exact && !t)
            return differ(c, "a cycle count in front of all P0 elements");
        if (exact && value->value > 0 && (!before || t->cycle - before->cycle != value->value))
            return differ(c, "cycle count %" PRIu32 " is %" PRIu64 " instead of %" PRIu64, i,
                          value->value, before ? t->cycle - before->cycle : 0);
        if (value->value >> c->trip->options.cycle_bits)
            return differ(c, "the cycle counter cannot hold %" PRIu64, value->value);
        if (exact && value->value > 0 && t->stops != before->stops) /* I_PDBDY, R_YFMWB */
            return differ(c, "cycle count %" PRIu32 " is known although the clock stopped", i);
        before = t;
    }
    return true;
}

bool trip_compare(const struct trip_case *trip, const struct trip_truth *truth,
                  struct trip_said *said, unsigned forgiven)
{
    struct comparison c = {.trip = trip, .truth = truth, .said = said};

    c.lossy = said->overflows > 0 || (forgiven & TRIP_MAY_BEGIN_LATE) || trip->options.q == 3;
    if (!(c.lossy ? compare_runs(&c) : compare_all(&c)))
        return false;
    if (forgiven & TRIP_MAY_BEGIN_LATE)
        return true;
    return compare_events(&c) && compare_times(&c) && compare_cycles(&c);
}
