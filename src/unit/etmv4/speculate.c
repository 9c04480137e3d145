/* SPDX-License-Identifier: BSD-2-Clause */
/* Speculation resolved (DDI0608 D6.7, D6.9.7). A mark is the number of observations told before
 * it. Of every observation that is not resolved the path before it is kept. */
#include "unit/etmv4/core.h"

#include <stdlib.h>

struct cairn_unit_path *cairn_unit_saved(const struct cairn_etmv4_unit *unit, uint64_t mark)
{
    return &unit->saved[mark & (unit->saved_capacity - 1)];
}

static bool grow(struct cairn_etmv4_unit *unit)
{
    const size_t capacity = unit->saved_capacity ? 2 * unit->saved_capacity : 64;
    struct cairn_unit_path *saved = malloc(capacity * sizeof *saved);

    if (!saved)
        return false;
    for (uint64_t mark = unit->saved_first; mark < unit->saved_first + unit->saved_count; mark++)
        saved[mark & (capacity - 1)] = *cairn_unit_saved(unit, mark);
    free(unit->saved);
    unit->saved = saved;
    unit->saved_capacity = capacity;
    return true;
}

/* No room for more that may have to be taken back: as much as is there is given up. */
static void give_up(struct cairn_etmv4_unit *unit)
{
    cairn_unit_shots_give_up(unit);
    unit->saved_count = 0;
    if (!(unit->mode & CAIRN_MODE_DISABLED))
        cairn_unit_overflow(unit);
}

void cairn_unit_save(struct cairn_etmv4_unit *unit)
{
    if (unit->saved_count >= CAIRN_UNIT_SAVED_MAX)
        give_up(unit);
    if (unit->saved_count == unit->saved_capacity && !grow(unit)) {
        unit->status = CAIRN_E_MEMORY;
        give_up(unit);
        if (unit->saved_capacity == 0)
            return;
    }
    if (unit->saved_count == 0)
        unit->saved_first = unit->told;
    unit->saved_count++;
    *cairn_unit_saved(unit, unit->told) = unit->path;
    cairn_unit_saved(unit, unit->told)->matches = 0;
}

static void forget_saved(struct cairn_etmv4_unit *unit, uint64_t before)
{
    uint64_t count = before > unit->saved_first ? before - unit->saved_first : 0;

    if (count > unit->saved_count)
        count = unit->saved_count;
    unit->saved_first += count;
    unit->saved_count -= (size_t)count;
}

uint64_t cairn_etmv4_unit_mark(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    return unit->told;
}

/* --- resolving --- */

/* Commits may be merged while they are fewer than MAXSPEC (I_KHYLN). */
static void merge_commits(struct cairn_etmv4_unit *unit, size_t before)
{
    if (before > 0 && cairn_unit_committable(unit) >= unit->program.maxspec)
        cairn_unit_commit(unit, before);
}

static void put_cancel(struct cairn_etmv4_unit *unit)
{
    if (unit->cancel_owed > 0)
        cairn_unit_put(unit, CAIRN_ELEMENT_CANCEL, 0,
                       &(struct cairn_element_data){.value = unit->cancel_owed});
    unit->cancel_owed = 0;
}

void cairn_unit_let_out(struct cairn_etmv4_unit *unit)
{
    put_cancel(unit);
    cairn_unit_commit_due(unit);
    cairn_unit_release(unit);
    if (unit->path.owed & CAIRN_PATH_PROHIBITED) /* nothing comes that could imply them (R_CKZMR) */
        cairn_unit_commit_all(unit);
    cairn_unit_end(unit);
}

static void resolve(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    const bool generates =
        !(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE)) && !cairn_unit_is_low(unit);
    const size_t before = generates ? cairn_unit_committable(unit) : 0;

    unit->resolved = mark;
    cairn_unit_shots_resolve(unit, mark);
    forget_saved(unit, mark);
    if (!generates)
        return;
    if (!(unit->choices & CAIRN_UNIT_COMMIT_AT_ONCE))
        merge_commits(unit, before);
    cairn_unit_let_out(unit);
}

void cairn_etmv4_unit_speculate(struct cairn_unit *base, bool speculative)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (speculative == unit->speculative)
        return;
    if (speculative) {
        unit->resolved = unit->told;
        if (unit->told > 0)
            cairn_unit_settle_q(unit);
    } else {
        resolve(unit, unit->told);
    }
    unit->speculative = speculative;
    unit->saved_count = 0;
    if (speculative)
        unit->mode |= CAIRN_MODE_SPECULATIVE;
    else
        unit->mode &= ~(uint32_t)CAIRN_MODE_SPECULATIVE;
}

static uint64_t oldest_mark(const struct cairn_etmv4_unit *unit)
{
    return unit->speculative ? unit->resolved : unit->told;
}

cairn_status cairn_etmv4_unit_resolve(struct cairn_unit *base, uint64_t mark)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    if (mark > unit->told || (unit->speculative && mark < unit->resolved))
        return CAIRN_E_ARGUMENT;
    if (unit->speculative)
        resolve(unit, mark);
    return CAIRN_OK;
}

/* --- taking back --- */

/* The path is an old one: what a decoder has learnt since may have to be told again. */
static void catch_up(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    struct cairn_unit_path *path = &unit->path;

    if (mark < unit->enabled_at) { /* software has had its say since: R_HMKSZ, R_ZBTPF, R_CJTJM */
        path->start_stop = unit->start_stop_at_enable;
        path->start_stop_at_start = unit->start_stop_at_enable;
        path->traced = unit->traced_at_enable;
        unit->enabled_at = mark; /* what is told from here on comes behind it */
    }
    if (path->sessions != unit->sessions || (unit->mode & CAIRN_MODE_INOPERATIVE)) {
        path->owed &= CAIRN_PATH_STATES;
        path->owed |= CAIRN_OWED_TRACE_ON | CAIRN_OWED_CONTEXT;
        path->blocks = 0;
        path->omitted = 0;
        path->q = 0;
        path->started = false;
        if (path->in_transaction)
            path->owed |= CAIRN_OWED_START;
        path->last_trace = CAIRN_TRACE_NOTHING;
        cairn_unit_returns_clear(&path->returns);
    } else if (path->syncs != unit->syncs) { /* R_KGPTB, R_SBZJB */
        path->owed |= CAIRN_OWED_ANEW;
        cairn_unit_returns_clear(&path->returns);
    }
    path->sessions = unit->sessions;
    path->syncs = unit->syncs;
}

/* The elements that lie between the youngest P0 element that survives and the oldest that is
 * cancelled stay for a decoder, though what they tell was not executed. */
static void correct_leftovers(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    struct cairn_unit_path *path = &unit->path;
    uint64_t *behind = cairn_unit_behind_youngest(unit);

    if (behind[CAIRN_BEHIND_TARGET] > mark || behind[CAIRN_BEHIND_TRACE_ON] > mark)
        path->owed |= CAIRN_OWED_ANEW & ~CAIRN_OWED_CONTEXT;
    if (behind[CAIRN_BEHIND_CONTEXT] > mark)
        path->owed |= CAIRN_OWED_CONTEXT;
    if (behind[CAIRN_BEHIND_START] > mark && !path->started) {
        if (path->in_transaction) {
            path->started = true;
            path->owed &= ~(uint32_t)CAIRN_OWED_START;
        } else {
            cairn_unit_put(unit, CAIRN_ELEMENT_TRANSACTION_FAILURE, 0,
                           &(struct cairn_element_data){0});
            unit->start_out = false;
            path->owed |= CAIRN_OWED_ANEW;
            behind[CAIRN_BEHIND_START] = 0;
        }
    }
    /* The numbers from the mark on are used again. */
    for (unsigned i = 0; i < CAIRN_BEHIND_COUNT; i++)
        if (behind[i] > mark)
            behind[i] = mark;
}

cairn_status cairn_unit_take_back(struct cairn_etmv4_unit *unit, uint64_t mark)
{
    struct cairn_unit_path *path = &unit->path;
    const bool generates = !(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE));
    size_t count = 0;

    if (mark > unit->told || mark < oldest_mark(unit))
        return CAIRN_E_ARGUMENT;
    if (mark == unit->told)
        return CAIRN_OK;
    if (unit->saved_count == 0 || mark < unit->saved_first)
        return CAIRN_E_LIMIT;
    if (generates) {
        cairn_unit_drop_held(unit, mark);
        count = cairn_unit_uncount(unit, mark, SIZE_MAX);
        unit->cancel_owed += count;
    }
    *path = *cairn_unit_saved(unit, mark);
    unit->saved_count = (size_t)(mark - unit->saved_first);
    unit->told = mark;
    catch_up(unit, mark);
    if (generates) {
        const bool low = cairn_unit_is_low(unit);

        if (!low)
            put_cancel(unit);
        correct_leftovers(unit, mark);
        if (count > 0 && path->blocks > 0 && !(path->owed & CAIRN_OWED_TRACE_ON)) {
            path->owed |= CAIRN_OWED_LANDING;
            path->landing = path->next;
        }
        if (!low)
            cairn_unit_let_out(unit);
    }
    return CAIRN_OK;
}

void cairn_unit_settle_resolved(struct cairn_etmv4_unit *unit)
{
    const struct cairn_unit_path now = unit->path;
    const uint64_t told = unit->told;
    const size_t saved_count = unit->saved_count;

    if (!unit->speculative || unit->resolved >= told || unit->saved_count == 0) {
        cairn_unit_settle_path(unit);
        return;
    }
    cairn_unit_drop_held(unit, unit->resolved);
    unit->path = *cairn_unit_saved(unit, unit->resolved > unit->saved_first ? unit->resolved
                                                                            : unit->saved_first);
    unit->told = unit->resolved;
    unit->saved_count = 0;
    catch_up(unit, unit->told);
    cairn_unit_settle_path(unit);
    unit->told = told;
    unit->saved_count = saved_count;
    unit->path = now;
}
