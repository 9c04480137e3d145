/* SPDX-License-Identifier: BSD-2-Clause */
/* Random steps: what a core does, and what else reaches its trace unit on the way. */
#include <string.h>

#include "core.h"

enum {
    BLOCKS_LEAST = 20,
    BLOCKS_MOST = 110,
    SPARE_STEPS = 48, /* an action never adds more */
    PASTS_MAX = 256,
    REWIND_MOST = 12,
    SPLIT_PERCENT = 15,
    FAIL_PERCENT = 10,
    LONG_CYCLES = 6000, /* more than a counter of 12 bits holds */
};

/* A block or an exception that may yet be taken back, and the core before it. */
struct past {
    uint32_t id;
    uint32_t op; /* the last one of a block */
    bool is_p0;
    bool taken;
    bool synchronized; /* in front of it */
    struct trip_core before;
};

struct feeder {
    struct trip_case *trip;
    struct peer_random *random;
    struct trip_habits habits;
    struct trip_core core;
    struct cairn_context told;
    bool is_told;
    bool speculative;
    bool synchronized; /* since the youngest block */
    bool unseen;       /* what is told is not observed */
    bool fresh;        /* only a block can tell where execution goes on */
    uint32_t next_id;
    uint64_t time;
    unsigned past_count;
    unsigned resolved; /* of the pasts */
    unsigned exception_percent;
    unsigned odd_percent; /* of things that are rare otherwise */
    unsigned clock_percent;
    struct past pasts[PASTS_MAX];
};

static bool chance(struct feeder *f, unsigned percent)
{
    return peer_random_percent(f->random, percent);
}

static struct trip_step *add(struct feeder *f, enum trip_step_kind kind)
{
    struct trip_step *step = &f->trip->steps[f->trip->count++];

    memset(step, 0, sizeof *step);
    step->kind = (uint8_t)kind;
    return step;
}

static bool is_full(const struct feeder *f)
{
    return f->trip->count + SPARE_STEPS > TRIP_STEPS_MAX || f->past_count + 8 > PASTS_MAX;
}

static void add_on(struct feeder *f, enum trip_step_kind kind, bool on)
{
    add(f, kind)->on = on;
}

static void tell_context(struct feeder *f)
{
    if (f->is_told && memcmp(&f->told, &f->core.context, sizeof f->told) == 0)
        return;
    f->told = f->core.context;
    f->is_told = true;
    add(f, TRIP_CONTEXT)->context = f->told;
}

static void tick(struct feeder *f)
{
    const struct trip_options *o = &f->trip->options;

    if (!chance(f, f->clock_percent))
        return;
    if (o->cycles || o->fifo_bytes)
        add(f, TRIP_CYCLES)->value =
            chance(f, 3) ? LONG_CYCLES : peer_random_range(f->random, 1, 30);
    if (o->timestamps || chance(f, 2)) {
        f->time += peer_random_range(f->random, 0, 300);
        add(f, TRIP_TIME)->value = f->time;
    }
}

static struct past *remember(struct feeder *f)
{
    struct past *past = &f->pasts[f->past_count++];

    past->id = f->next_id++;
    past->before = f->core;
    past->is_p0 = false;
    past->taken = false;
    past->synchronized = f->synchronized;
    past->op = f->core.at;
    return past;
}

static void tell_block(struct feeder *f, uint32_t count, bool is_p0, bool taken)
{
    struct past *past;
    struct trip_step *step;

    f->fresh = false;
    tick(f);
    tell_context(f);
    past = remember(f);
    past->is_p0 = is_p0;
    past->taken = taken;
    past->op = f->core.at + count - 1;
    f->synchronized = false;
    step = add(f, TRIP_BLOCK);
    step->id = past->id;
    step->first = f->core.at;
    step->count = count;
    step->on = taken;
}

static void tell_exception(struct feeder *f, unsigned type, uint32_t resume)
{
    struct trip_step *step;

    tick(f);
    tell_context(f);
    step = add(f, TRIP_EXCEPTION);
    step->id = remember(f)->id;
    step->type = (uint16_t)type;
    step->first = resume;
}

/* Nothing that was told can be taken back any more. */
static void forget(struct feeder *f)
{
    f->past_count = 0;
    f->resolved = 0;
}

static void resolve(struct feeder *f, unsigned count)
{
    if (!f->speculative || count <= f->resolved)
        return;
    add(f, TRIP_RESOLVE)->id = count < f->past_count ? f->pasts[count].id : f->next_id;
    f->resolved = count;
}

static void resolve_all(struct feeder *f)
{
    if (f->speculative)
        add(f, TRIP_RESOLVE)->id = f->next_id;
    f->resolved = f->past_count;
}

static void go_back(struct feeder *f, unsigned count)
{
    if (count < f->past_count) {
        add(f, TRIP_CANCEL)->id = f->pasts[count].id;
        f->core = f->pasts[count].before;
        f->past_count = count;
        f->synchronized = f->pasts[count].synchronized;
    }
}

static unsigned draw_type(struct feeder *f)
{
    static const uint8_t types[] = {0x03, 0x04, 0x06, 0x07, 0x0a, 0x0b, 0x0c,
                                    0x0e, 0x0f, 0x0e, 0x04, 0x11, 0x17};

    return types[peer_random_below(f->random, sizeof types)];
}

static void fail_transaction(struct feeder *f)
{
    if (chance(f, 60))
        resolve_all(f);
    tell_context(f);
    add(f, TRIP_TRANSACTION_FAIL);
    f->core.at = f->core.transaction;
    f->core.nesting = 0;
    f->core.call_count = 0;
    forget(f);
}

static void take_exception(struct feeder *f)
{
    uint32_t resume;

    if (f->core.nesting)
        fail_transaction(f);
    resume = chance(f, 40) ? f->core.at
                           : peer_random_range(f->random, f->core.at,
                                               trip_core_block_end(&f->core, &f->habits));
    if (resume > f->core.at)
        tell_block(f, resume - f->core.at, false, false);
    f->core.at = resume;
    tell_exception(f, draw_type(f), resume);
    trip_core_except(&f->core, &f->habits, f->random, resume);
}

static void call(struct feeder *f, uint32_t op)
{
    if (f->core.nesting) {
        fail_transaction(f);
        return;
    }
    tell_block(f, op - f->core.at + 1, false, false);
    f->core.at = op + 1;
    tell_exception(f, CAIRN_EXCEPTION_CALL, op + 1);
    trip_core_except(&f->core, &f->habits, f->random, op + 1);
}

static void end_transaction(struct feeder *f, uint32_t op)
{
    tell_block(f, op - f->core.at + 1, false, false);
    f->core.at = op + 1;
    if (f->core.nesting > 0 && --f->core.nesting == 0)
        add(f, TRIP_TRANSACTION_COMMIT);
}

static bool is_mispredictable(const struct feeder *f, const struct past *past)
{
    const struct peer_op *op = trip_op(f->habits.program, past->op);

    return past->is_p0 && (op->kind == PEER_OP_DIRECT || op->kind == PEER_OP_INDIRECT) &&
           !(op->flags & PEER_OP_ERET) && ((op->flags & PEER_OP_MAY_FALL) || !past->taken);
}

/* The youngest branch went the other way. */
static bool mispredict(struct feeder *f)
{
    struct past *past = &f->pasts[f->past_count - 1];

    if (f->past_count == 0 || f->synchronized || !is_mispredictable(f, past) ||
        (f->resolved == f->past_count &&
         (f->trip->options.maxspec == 0 || f->trip->options.q_instructions > 0 ||
          (f->trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN))))
        return false;
    add(f, TRIP_MISPREDICT);
    past->taken = !past->taken;
    f->core = past->before;
    trip_core_branch(&f->core, &f->habits, f->random, past->op, past->taken);
    return true;
}

/* One block down a path that is not executed: nothing where more than a branch ends it. */
static bool guess(struct feeder *f)
{
    const uint32_t end = trip_core_block_end(&f->core, &f->habits);
    const struct peer_op *op = trip_op(f->habits.program, end);
    bool taken;

    if ((op->kind != PEER_OP_DIRECT && op->kind != PEER_OP_INDIRECT) ||
        (op->flags & PEER_OP_ERET) || is_full(f))
        return false;
    taken = trip_core_outcome(&f->habits, f->random, end);
    tell_block(f, end - f->core.at + 1, true, taken);
    trip_core_branch(&f->core, &f->habits, f->random, end, taken);
    return true;
}

/* A branch that cannot fall through is told so at first; it has to be corrected (I_BXBNQ). */
static void fall_wrongly(struct feeder *f, uint32_t op)
{
    const unsigned more = peer_random_below(f->random, 4);
    unsigned behind;

    tell_block(f, op - f->core.at + 1, true, false);
    f->core.at = op + 1;
    behind = f->past_count;
    for (unsigned i = 0; i < more && guess(f); i++)
        ;
    go_back(f, behind);
    mispredict(f);
}

static void execute_p0(struct feeder *f, uint32_t op)
{
    const struct peer_op *o = trip_op(f->habits.program, op);
    const bool taken = trip_core_outcome(&f->habits, f->random, op);

    if (f->core.nesting && (o->flags & PEER_OP_ERET)) {
        fail_transaction(f);
        return;
    }
    if (f->speculative && !f->unseen && !(o->flags & (PEER_OP_MAY_FALL | PEER_OP_ERET)) &&
        (o->kind == PEER_OP_DIRECT || o->kind == PEER_OP_INDIRECT) &&
        !trip_op_is_last(f->habits.program, op) && chance(f, 5)) {
        fall_wrongly(f, op);
        return;
    }
    tell_block(f, op - f->core.at + 1, true, taken);
    trip_core_branch(&f->core, &f->habits, f->random, op, taken);
    if (o->kind == TRIP_OP_TSTART && f->core.nesting++ == 0) {
        f->core.transaction = op + 1;
        add(f, TRIP_TRANSACTION_START);
    }
}

static void advance(struct feeder *f)
{
    const uint32_t end = trip_core_block_end(&f->core, &f->habits);
    const unsigned kind = trip_op(f->habits.program, end)->kind;

    if (!f->fresh && chance(f, f->exception_percent))
        take_exception(f);
    else if (end > f->core.at && chance(f, SPLIT_PERCENT)) {
        const uint32_t count = peer_random_range(f->random, 1, end - f->core.at);

        tell_block(f, count, false, false);
        f->core.at += count;
    } else if (kind == PEER_OP_CALL)
        call(f, end);
    else if (kind == TRIP_OP_TCOMMIT)
        end_transaction(f, end);
    else if (f->core.nesting && chance(f, FAIL_PERCENT))
        fail_transaction(f);
    else
        execute_p0(f, end);
}

/* What was told may turn out wrong, or to have been right. */
static void correct(struct feeder *f)
{
    const unsigned open = f->past_count - f->resolved;
    const struct past *last;

    if (chance(f, 12) && mispredict(f))
        return;
    if (open > 0 && chance(f, 12)) {
        const unsigned most = open < REWIND_MOST ? open : REWIND_MOST;

        go_back(f, f->past_count - peer_random_range(f->random, chance(f, 30) ? 0 : 1, most));
        if (f->past_count == 0 || chance(f, 30) || mispredict(f))
            return;
        last = &f->pasts[f->past_count - 1];
        if (!last->is_p0 || !last->taken ||
            trip_op(f->habits.program, last->op)->kind != PEER_OP_INDIRECT ||
            (trip_op(f->habits.program, last->op)->flags & PEER_OP_ERET))
            return;
        trip_core_redirect(&f->core, &f->habits, f->random);
        return;
    }
    if (chance(f, 25))
        resolve(f, f->resolved + (chance(f, 50) ? open : peer_random_below(f->random, open + 1)));
}

static void sprinkle(struct feeder *f)
{
    const struct trip_options *o = &f->trip->options;

    if (chance(f, 5)) {
        add(f, TRIP_EVENT)->type = (uint16_t)peer_random_below(f->random, TRIP_EVENTS);
        tick(f);
    }
    if (chance(f, 2))
        add(f, TRIP_REQUEST_SYNC);
    if (chance(f, 2))
        add(f, chance(f, 70) ? TRIP_FLUSH : TRIP_POSITION);
    if (chance(f, 2)) {
        add(f, TRIP_SYNCHRONIZE);
        f->synchronized = true;
    }
    if (o->view_inputs && chance(f, 12))
        add(f, TRIP_INPUTS)->type = (uint16_t)peer_random_below(f->random, 16);
    if (chance(f, 1))
        add(f, TRIP_CLOCK_STOPPED);
    if (!f->core.nesting && chance(f, 2))
        trip_core_switch_ids(&f->core, f->random);
}

/* --- rare things --- */

static void run_unseen(struct feeder *f)
{
    const unsigned count = peer_random_below(f->random, 4);

    f->unseen = true;
    for (unsigned i = 0; i < count; i++)
        advance(f);
    f->unseen = false;
}

static void run_prohibited(struct feeder *f)
{
    if (f->core.nesting)
        fail_transaction(f);
    if (chance(f, 50))
        resolve_all(f);
    if (chance(f, 40)) {
        tell_exception(f, draw_type(f), f->core.at);
        trip_core_except(&f->core, &f->habits, f->random, f->core.at);
    }
    add_on(f, TRIP_PROHIBIT, true);
    if (f->speculative && f->resolved < f->past_count && chance(f, 25)) {
        go_back(f, f->past_count - 1);
    } else {
        resolve_all(f);
        run_unseen(f);
        if (f->core.nesting) {
            f->core.nesting = 0;
            add(f, TRIP_TRANSACTION_FAIL);
        }
        if (chance(f, 50))
            trip_core_jump(&f->core, &f->habits, f->random);
    }
    forget(f);
    tell_context(f);
    add_on(f, TRIP_PROHIBIT, false);
}

static void halt(struct feeder *f)
{
    if (f->core.nesting)
        fail_transaction(f);
    if (chance(f, 70))
        resolve_all(f);
    tell_exception(f, CAIRN_EXCEPTION_DEBUG_HALT, f->core.at);
    add_on(f, TRIP_DEBUG, true);
    tick(f);
    resolve_all(f);
    forget(f);
    if (chance(f, 50))
        trip_core_jump(&f->core, &f->habits, f->random);
    add_on(f, TRIP_DEBUG, false);
}

static void reset_pe(struct feeder *f)
{
    if (f->core.nesting)
        fail_transaction(f);
    resolve_all(f);
    tell_exception(f, CAIRN_EXCEPTION_PE_RESET, f->core.at);
    resolve_all(f);
    forget(f);
    trip_core_jump(&f->core, &f->habits, f->random);
    f->core.context.context_id = 0;
    f->core.context.vmid = 0;
}

static void go_unseen(struct feeder *f)
{
    if (f->core.nesting)
        return;
    resolve_all(f);
    forget(f);
    trip_core_jump(&f->core, &f->habits, f->random);
    f->fresh = true;
}

static void restart(struct feeder *f)
{
    if (f->core.nesting)
        fail_transaction(f);
    if (f->trip->options.start || f->trip->options.stop || chance(f, 70)) /* R_BZSXR */
        resolve_all(f);
    add(f, TRIP_DISABLE);
    forget(f);
    trip_core_jump(&f->core, &f->habits, f->random);
    if (chance(f, 50))
        tell_context(f);
    add(f, TRIP_ENABLE);
    f->fresh = true;
    f->is_told = false;
    if (f->speculative)
        add_on(f, TRIP_SPECULATE, true);
}

static void sleep_now(struct feeder *f)
{
    add_on(f, TRIP_LOW_POWER, true);
    if (f->trip->options.timestamps)
        add(f, TRIP_TIME)->value = f->time += 1000;
    add_on(f, TRIP_LOW_POWER, false);
}

static void be_odd(struct feeder *f)
{
    switch (peer_random_below(f->random, 7)) {
    case 0: run_prohibited(f); break;
    case 1: halt(f); break;
    case 2: reset_pe(f); break;
    case 3: go_unseen(f); break;
    case 4: restart(f); break;
    case 5: sleep_now(f); break;
    default:
        if (!f->core.nesting) { /* an exception at the target of another one */
            take_exception(f);
            tell_exception(f, draw_type(f), f->core.at);
            trip_core_except(&f->core, &f->habits, f->random, f->core.at);
        }
        break;
    }
}

static void finish(struct feeder *f)
{
    if (f->speculative && chance(f, 50))
        add_on(f, TRIP_SPECULATE, false);
    else if (chance(f, 70))
        resolve_all(f);
    if (f->core.nesting || chance(f, 70))
        add(f, TRIP_DISABLE);
    else
        add(f, TRIP_FLUSH);
}

void trip_steps_draw(struct trip_case *trip, struct peer_random *random)
{
    static _Thread_local struct feeder f;
    const unsigned blocks = peer_random_range(random, BLOCKS_LEAST, BLOCKS_MOST);

    f.trip = trip;
    f.random = random;
    f.is_told = false;
    f.unseen = false;
    f.synchronized = false;
    f.fresh = true;
    f.next_id = 1;
    f.time = peer_random_percent(random, 50) ? 1000 : peer_random_64(random) >> 8;
    forget(&f);
    trip->count = 0;
    memset(&f.core, 0, sizeof f.core);
    trip_habits_draw(&f.habits, trip, random);
    f.speculative = chance(&f, 60);
    f.exception_percent = chance(&f, 30) ? 0 : peer_random_below(random, 15);
    f.odd_percent = chance(&f, 40) ? 0 : peer_random_below(random, 6);
    f.clock_percent = chance(&f, 20) ? 0 : peer_random_below(random, 100);
    add(&f, TRIP_TIME)->value = f.time;
    add(&f, TRIP_ENABLE);
    if (f.speculative)
        add_on(&f, TRIP_SPECULATE, true);
    trip_core_jump(&f.core, &f.habits, random);
    for (unsigned i = 0; i < blocks && !is_full(&f); i++) {
        sprinkle(&f);
        if (!f.fresh && chance(&f, f.odd_percent))
            be_odd(&f);
        if (f.speculative)
            correct(&f);
        advance(&f);
    }
    finish(&f);
}
