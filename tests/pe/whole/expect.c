/* SPDX-License-Identifier: BSD-2-Clause */
#include "expect.h"

#include <string.h>

enum answer { NO, YES, NOT_KNOWN };

static bool has(unsigned levels, unsigned level)
{
    return level < WHOLE_LEVELS && (levels >> level & 1);
}

/* R_RBDXK ... R_FJYVT: the type's bit differs from EnI. */
static bool selects(unsigned filters, unsigned type)
{
    static const uint8_t bits[] = {
        [CAIRN_BRANCH_DIRECT] = 1,      [CAIRN_BRANCH_INDIRECT] = 2,
        [CAIRN_BRANCH_RETURN] = 3,      [CAIRN_BRANCH_INDIRECT_CALL] = 4,
        [CAIRN_BRANCH_DIRECT_CALL] = 5, [CAIRN_BRANCH_CONDITIONAL] = 6,
    };

    return (filters >> bits[type] & 1) != (filters & 1);
}

static enum answer by_level(const struct whole_settings *s, const bool controls[3], unsigned level)
{
    if (level == 3)
        return has(whole_recorded(s), 3) ? YES : NO;
    return controls[level] ? YES : NO;
}

/* R_KRJQC, by the level that the exception is taken to: one that is not traced, if the trace does not say. */
static enum answer takes_exception(const struct whole_settings *s, const struct whole_event *event)
{
    const unsigned hidden = whole_used(s) & ~whole_traced(s);
    enum answer all = NOT_KNOWN;

    if (event->to != WHOLE_NOWHERE)
        return by_level(s, s->EXCEPTION, event->to);
    for (unsigned level = event->from > 0 ? event->from : 1; level < WHOLE_LEVELS; level++) {
        if (!has(hidden, level))
            continue;
        if (all != NOT_KNOWN && all != by_level(s, s->EXCEPTION, level))
            return NOT_KNOWN;
        all = by_level(s, s->EXCEPTION, level);
    }
    return all;
}

static enum answer is_recorded(const struct whole_settings *s, const struct whole_event *event)
{
    const unsigned levels = whole_recorded(s);

    if (event->paused)
        return NO;
    if (event->type == WHOLE_ARRIVAL)
        return has(levels, event->to) ? NOT_KNOWN : NO;
    if (!has(levels, event->from) && !has(levels, event->to))
        return NO;
    if (event->type & 0x20)
        return takes_exception(s, event);
    if (event->type == CAIRN_BRANCH_EXCEPTION_RETURN)
        return by_level(s, s->ERTN, event->from);
    return selects(event->filters, event->type) ? YES : NO;
}

/* Nine significant bits, of 20 (R_JZWPG). */
static uint64_t rounded(uint64_t cycles)
{
    unsigned shift = 0;

    while (cycles >> shift > 511)
        shift++;
    return cycles >> shift << shift;
}

/* R_MJDL, R_KVRBB */
static void count_cycles(struct whole_records *expected, const struct whole_settings *s,
                         const struct whole_event *event, struct cairn_branch *record)
{
    const uint64_t cycles = event->clock - expected->clock;

    expected->clock = event->clock;
    if (!s->CC[1] || !s->CC[2] || expected->unknown || !has(whole_recorded(s), event->from))
        record->flags |= CAIRN_BRANCH_CYCLES_UNKNOWN;
    else if (cycles > CAIRN_BRANCH_CYCLES_MOST)
        record->flags |= CAIRN_BRANCH_CYCLES_OVERFLOWED;
    else
        record->cycles = rounded(cycles);
    expected->unknown = false;
}

static void add(struct whole_records *expected, const struct whole_settings *s,
                const struct whole_event *event)
{
    struct cairn_branch *record = &expected->records[expected->count++];
    const unsigned levels = whole_recorded(s);

    memset(record, 0, sizeof *record);
    record->type = event->type;
    if (has(levels, event->from)) {
        record->flags |= CAIRN_BRANCH_SOURCE;
        record->source = event->source;
    }
    if (has(levels, event->to)) {
        record->flags |= CAIRN_BRANCH_TARGET;
        record->target = event->target;
        record->EL = event->to;
    }
    /* Nobody says how a branch was predicted: it was not (R_LRBGV). Exceptions never are (R_DHNPJ). */
    if (s->MPRED[1] && s->MPRED[2] && !(event->type & 0x20) && has(levels, event->from))
        record->flags |= CAIRN_BRANCH_MISPREDICTED;
    count_cycles(expected, s, event, record);
}

static void throw_away(struct whole_records *expected)
{
    expected->count = 0;
    expected->partial = false;
}

void whole_expect(struct whole_records *expected, const struct whole_settings *settings,
                  const struct whole_list *list, unsigned from)
{
    expected->made = expected->epoch = 0;
    expected->clock = 0;
    expected->unknown = true;
    throw_away(expected);
    for (unsigned i = from; i < list->count; i++) {
        if (i == list->cleared)
            throw_away(expected);
        expected->unknown |= list->events[i].epoch != expected->epoch;
        expected->epoch = list->events[i].epoch;
        switch (is_recorded(settings, &list->events[i])) {
        case NO: break;
        case YES:
            add(expected, settings, &list->events[i]);
            expected->made++;
            break;
        case NOT_KNOWN:
            expected->count = 0;
            expected->partial = true;
            break;
        }
        expected->unknown |= !has(whole_recorded(settings), list->events[i].to);
    }
    if (list->cleared == list->count)
        throw_away(expected);
}
