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

static enum answer is_recorded(const struct whole_settings *s, const struct whole_event *event,
                               unsigned filters)
{
    const unsigned levels = whole_recorded(s);

    if (event->type == WHOLE_ARRIVAL)
        return has(levels, event->to) ? NOT_KNOWN : NO;
    if (!has(levels, event->from) && !has(levels, event->to))
        return NO;
    switch (event->type) {
    case CAIRN_BRANCH_DEBUG_HALT:
    case CAIRN_BRANCH_DEBUG_EXIT: return YES;
    case CAIRN_BRANCH_EXCEPTION_RETURN: return by_level(s, s->ERTN, event->from);
    default: break;
    }
    if (event->type & 0x20)
        return takes_exception(s, event);
    if (event->isb && !(s->choices & CAIRN_PE_BRANCHES_RECORD_ISB))
        return NO;
    return selects(filters, event->type) ? YES : NO;
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
static void count_cycles(struct whole_records *x, const struct whole_settings *s,
                         const struct whole_event *event, struct cairn_branch *record)
{
    const uint64_t cycles = event->clock - x->clock;

    x->clock = event->clock;
    if (!s->CC[1] || !s->CC[2] || x->unknown || !has(whole_recorded(s), event->from))
        record->flags |= CAIRN_BRANCH_CYCLES_UNKNOWN;
    else if (cycles > CAIRN_BRANCH_CYCLES_MOST)
        record->flags |= CAIRN_BRANCH_CYCLES_OVERFLOWED;
    else
        record->cycles = rounded(cycles);
    x->unknown = false;
}

/* --- freezing: R_NXCWF, R_GXGWY, R_BHYTD, R_KSKLG --- */

static bool asks(const struct whole_records *x, const struct whole_settings *s)
{
    return x->flag && s->FZP[s->HPMN > 4 ? 1 : 2];
}

static void freeze(struct whole_records *x, uint64_t clock)
{
    x->paused = true;
    x->freezing = false;
    x->frozen = clock;
    x->froze++;
}

/* Behind whatever happened. */
static void settle(struct whole_records *x, const struct whole_settings *s, uint64_t clock)
{
    const bool open = has(whole_recorded(s), x->level);

    if (x->freezing && !open)
        freeze(x, clock);
    if (!x->paused && !x->freezing && open && asks(x, s))
        freeze(x, clock);
}

/* A BRB_FILTRATE; whether the counter overflows. */
static bool count(struct whole_records *x)
{
    x->made++;
    if (x->left == 0 || --x->left > 0)
        return false;
    x->flag = true;
    return true;
}

/* The record that has the counter overflow is there; others behind it may be. */
static void count_record(struct whole_records *x, const struct whole_settings *s, uint64_t clock)
{
    const bool was_freezing = x->freezing, overflows = count(x);

    if (was_freezing && --x->skid == 0)
        freeze(x, clock);
    if (overflows && !x->freezing && !x->paused && asks(x, s) && s->skid > 0 &&
        has(whole_recorded(s), x->level)) {
        x->freezing = true;
        x->skid = s->skid;
        x->went_on++;
    }
}

/* --- records --- */

static void throw_away(struct whole_records *x)
{
    x->count = x->fresh = 0;
    x->partial = false;
}

static void push(struct whole_records *x, const struct cairn_branch *record)
{
    x->records[x->count++] = *record;
    x->fresh++;
}

static void generate(struct whole_records *x, const struct whole_settings *s,
                     const struct whole_event *event)
{
    struct cairn_branch record = {.type = event->type};
    const unsigned levels = whole_recorded(s);

    if (has(levels, event->from)) {
        record.flags |= CAIRN_BRANCH_SOURCE;
        record.source = event->source;
        /* Nobody said how it was predicted: it was not (R_LRBGV). Exceptions never are (R_DHNPJ). */
        if (s->MPRED[1] && s->MPRED[2] && !(event->type & 0x20) && !event->predicted)
            record.flags |= CAIRN_BRANCH_MISPREDICTED;
        if (event->transactional)
            record.flags |= CAIRN_BRANCH_TRANSACTIONAL;
    }
    if (has(levels, event->to)) {
        record.flags |= CAIRN_BRANCH_TARGET;
        record.target = event->target;
        record.EL = event->to;
    }
    if (x->last_failed)
        record.flags |= CAIRN_BRANCH_LAST_FAILED;
    x->last_failed = false;
    count_cycles(x, s, event, &record);
    push(x, &record);
    if (x->swallow > 0) {
        x->swallow--;
        x->swallowed++;
        throw_away(x);
    }
    x->level = event->to;
    count_record(x, s, event->clock);
}

static bool is_synchronizing(const struct whole_event *event)
{
    return event->isb || (event->type & 0x20) || event->type == CAIRN_BRANCH_EXCEPTION_RETURN ||
           event->type == WHOLE_ARRIVAL;
}

static void branch(struct whole_records *x, const struct whole_settings *s,
                   const struct whole_event *event)
{
    switch (x->paused ? NO : is_recorded(s, event, x->filters)) {
    case NO: break;
    case YES: generate(x, s, event); break;
    case NOT_KNOWN:
        throw_away(x);
        x->partial = true;
        break;
    }
    x->unknown |= !has(whole_recorded(s), event->to);
    x->level = event->to;
    if (is_synchronizing(event))
        x->fresh = x->swallow = 0;
}

/* --- software --- */

static void invalidate(struct whole_records *x, const struct whole_settings *s)
{
    const unsigned most = s->shift < 0 ? (unsigned)-s->shift : 0;
    const unsigned kept = x->fresh < most ? x->fresh : most;

    for (unsigned i = 0; i < kept; i++)
        x->records[i] = x->records[x->count - kept + i];
    x->kept += kept > 0;
    x->count = kept;
    x->partial = false;
    x->swallow = s->shift > 0 ? (unsigned)s->shift : 0;
    x->unknown = true; /* R_MJDL */
}

/* I_BCZRK, and by choice I_WGZSC */
static void inject(struct whole_records *x, const struct whole_settings *s,
                   const struct cairn_branch *record, uint64_t clock)
{
    if (has(whole_recorded(s), x->level) && !(s->choices & CAIRN_PE_BRANCHES_INJECT_ANYWHERE)) {
        x->refused++;
        return;
    }
    push(x, record);
    x->injected++;
    /* No BRB IALL spares a record that is injected, nor what is older. */
    x->fresh = 0;
    if ((s->choices & CAIRN_PE_BRANCHES_COUNT_INJECTIONS) && count(x))
        settle(x, s, clock);
}

static void save(struct whole_records *x, const struct whole_settings *s)
{
    const unsigned most = s->records;

    x->saved_count = x->count < most ? x->count : most;
    x->saved_partial = x->partial;
    for (unsigned i = 0; i < x->saved_count; i++)
        x->saved[i] = x->records[x->count - x->saved_count + i];
}

static void restore(struct whole_records *x, const struct whole_settings *s, uint64_t clock)
{
    const bool was_empty = x->count == 0;

    for (unsigned i = 0; i < x->saved_count; i++)
        inject(x, s, &x->saved[i], clock);
    x->partial = was_empty && x->saved_partial;
}

static void control(struct whole_records *x, const struct whole_event *event)
{
    if (x->freezing)
        freeze(x, event->clock); /* it is older than the write */
    x->unknown |= x->paused && !event->pauses;
    x->paused = event->pauses;
    x->last_failed = event->last_failed;
    x->filters = event->filters;
}

static void happen(struct whole_records *x, const struct whole_settings *s,
                   const struct whole_event *event)
{
    switch ((enum whole_deed)event->deed) {
    case WHOLE_BRANCH: branch(x, s, event); break;
    case WHOLE_IALL: invalidate(x, s); break;
    case WHOLE_CONTROL: control(x, event); break;
    case WHOLE_COUNTER:
        x->left = event->count;
        x->flag = false;
        break;
    case WHOLE_FLAG: x->flag = event->flag; break;
    case WHOLE_INJECT: inject(x, s, &event->record, event->clock); break;
    case WHOLE_SAVE: save(x, s); break;
    case WHOLE_RESTORE: restore(x, s, event->clock); break;
    case WHOLE_SYNC: x->fresh = x->swallow = 0; break;
    case WHOLE_FAILURE:
        /* R_GVCJH, R_JMSZF: no transaction here is partly in a Prohibited region */
        x->failed++;
        x->last_failed |= has(whole_recorded(s), x->level);
        break;
    }
    settle(x, s, event->clock);
}

static void begin(struct whole_records *x, const struct whole_settings *s)
{
    memset(x, 0, sizeof *x);
    x->filters = s->filters;
    x->unknown = true;
}

void whole_expect_run(struct whole_records *x, const struct whole_settings *settings,
                      struct whole_list *list)
{
    begin(x, settings);
    for (unsigned i = 1; i < list->count; i++) {
        list->events[i].paused = x->paused;
        happen(x, settings, &list->events[i]);
    }
    /* BRBFCR_EL1 is read (S_JCHLT). */
    if (x->freezing)
        freeze(x, list->events[list->count - 1].clock);
}

void whole_expect_flow(struct whole_records *x, const struct whole_settings *settings,
                       const struct whole_list *list)
{
    begin(x, settings);
    for (unsigned i = 0; i < list->count; i++) {
        x->paused = list->events[i].paused;
        x->freezing = false;
        happen(x, settings, &list->events[i]);
    }
}
