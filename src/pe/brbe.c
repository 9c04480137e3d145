/* SPDX-License-Identifier: BSD-2-Clause */
/* How records are generated (DDI0608 F1.1.1 to F1.1.7), paused and frozen (F1.1.10). */
#include "pe/brbe.h"

#include <string.h>

#include "pe/brbe_buffer.h"
#include "protocol/brbe/brbe.h"

#define INSN_SIZE 4u

/* Of `unprogrammed`. */
#define HAS_BRBCR_EL1 (1u << 0)
#define HAS_BRBCR_EL2 (1u << 1)
#define HAS_BRBFCR (1u << 2)

cairn_status cairn_brbe_begin(struct cairn_brbe *brbe, const struct cairn_pe_features *features,
                              const struct cairn_brbe_options *options,
                              const struct cairn_brbe_host *host)
{
    const unsigned records = features->records;

    if (features->brbe == 0 || features->counters > 31 ||
        (records != 8 && records != 16 && records != 32 && records != 64))
        return CAIRN_E_CONFIG;
    memset(brbe, 0, sizeof *brbe);
    brbe->features = features;
    if (options)
        brbe->options = *options;
    if (host)
        brbe->host = *host;
    /* The first count is unknown: whatever was before is as a Prohibited region. */
    brbe->prohibited = true;
    for (unsigned i = 0; i < CAIRN_BRBE_PARTS; i++)
        brbe->injection[i] = brbe->options.unknown;
    return CAIRN_OK;
}

/* --- when --- */

struct cairn_brbe_moment cairn_brbe_moment(const struct cairn_brbe *brbe)
{
    return (struct cairn_brbe_moment){brbe->clock,
                                      brbe->host.count ? brbe->host.count(brbe->host.context) : 0};
}

/* Of what is being told. */
static struct cairn_brbe_moment moment_of(const struct cairn_brbe *brbe)
{
    return brbe->is_late ? brbe->moment : cairn_brbe_moment(brbe);
}

void cairn_brbe_back_to(struct cairn_brbe *brbe, const struct cairn_brbe_moment *moment)
{
    brbe->moment = *moment;
    brbe->is_late = true;
}

void cairn_brbe_up_to_date(struct cairn_brbe *brbe)
{
    brbe->is_late = false;
}

/* --- pausing and freezing --- */

void cairn_brbe_freeze(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    bool reserved;

    brbe->paused = true;
    brbe->freezing = false;
    brbe->timestamp = cairn_brbe_timestamp(brbe->features, now->registers, moment_of(brbe).count,
                                           brbe->options.reserved_TS, &reserved);
    if (reserved)
        cairn_brbe_find(brbe, CAIRN_BRBE_RESERVED_TS);
}

void cairn_brbe_freeze_if_due(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    if (brbe->freezing && brbe->prohibited)
        cairn_brbe_freeze(brbe, now);
    if (brbe->paused || brbe->freezing || brbe->prohibited ||
        !cairn_brbe_asks_for_freeze(brbe->features, now->registers, brbe->overflow))
        return;
    /* The record that overflowed the counter is captured already. */
    brbe->skid = brbe->options.skid;
    if (brbe->capturing && brbe->skid > 0)
        brbe->freezing = true;
    else
        cairn_brbe_freeze(brbe, now);
}

/* What makes the next cycle count unknown (R_MJDL), and where a transaction is. */
void cairn_brbe_notice(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    const bool prohibited = cairn_brbe_is_prohibited(brbe->features, now);
    const bool counting = cairn_brbe_counts_cycles(brbe->features, now->registers);

    brbe->cycles_unknown |= (brbe->prohibited && !prohibited) || (!brbe->counting && counting);
    brbe->prohibited = prohibited;
    brbe->counting = counting;
    if (brbe->transaction.open && prohibited)
        brbe->transaction.in_prohibited = true;
    else if (brbe->transaction.open)
        brbe->transaction.in_allowed = true;
}

void cairn_brbe_look(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    cairn_brbe_notice(brbe, now);
    cairn_brbe_freeze_if_due(brbe, now);
}

void cairn_brbe_overflow(struct cairn_brbe *brbe, const struct cairn_brbe_side *now, uint64_t flags)
{
    brbe->overflow = (uint32_t)flags & 0x7fffffffu;
    cairn_brbe_look(brbe, now);
}

void cairn_brbe_write_control(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                              uint64_t value)
{
    const bool paused = CAIRN_GET(value, BRBFCR_PAUSED);

    /* A freeze that waits is older than the write. */
    if (brbe->freezing)
        cairn_brbe_freeze(brbe, now);
    if (brbe->paused && !paused) {
        brbe->cycles_unknown = true;
        if (brbe->valid > 0)
            cairn_brbe_find(brbe, CAIRN_BRBE_NOT_CONTINUOUS);
    }
    brbe->paused = paused;
    brbe->last_failed = CAIRN_GET(value, BRBFCR_LASTFAILED);
    brbe->unprogrammed &= ~HAS_BRBFCR;
    cairn_brbe_look(brbe, now);
}

uint64_t cairn_brbe_read_control(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    uint64_t value = now->registers->value[CAIRN_PE_BRBFCR_EL1];

    if (brbe->freezing)
        cairn_brbe_freeze(brbe, now);
    value = CAIRN_PUT(value, BRBFCR_PAUSED, brbe->paused);
    return CAIRN_PUT(value, BRBFCR_LASTFAILED, brbe->last_failed);
}

void cairn_brbe_programmed(struct cairn_brbe *brbe, enum cairn_pe_register which)
{
    if (which == CAIRN_PE_BRBCR_EL1)
        brbe->unprogrammed &= ~HAS_BRBCR_EL1;
    else if (which == CAIRN_PE_BRBCR_EL2)
        brbe->unprogrammed &= ~HAS_BRBCR_EL2;
}

/* --- generating --- */

/* A record that is due: what is not of the buffer itself. */
struct due {
    const struct cairn_pe_state *where; /* of the event */
    uint64_t source, target;
    uint32_t flags; /* CAIRN_BRANCH_SOURCE, TARGET, MISPREDICTED, TRANSACTIONAL */
    uint8_t type, EL;
    bool exception_related;
};

static void set_cycles(struct cairn_brbe *brbe, struct cairn_branch *branch)
{
    const uint64_t clock = moment_of(brbe).clock;

    if (brbe->cycles_unknown || !brbe->counting)
        branch->flags |= CAIRN_BRANCH_CYCLES_UNKNOWN;
    else
        branch->cycles = clock - brbe->generated_at;
    brbe->generated_at = clock;
    brbe->cycles_unknown = false;
}

static void capture(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                    const struct due *due, const struct cairn_branch_registers *record)
{
    const bool was_freezing = brbe->freezing;

    cairn_brbe_push(brbe, record);
    if (brbe->swallow > 0) {
        brbe->swallow--;
        cairn_brbe_keep(brbe, 0);
    }
    if (brbe->host.captured) {
        brbe->capturing = true;
        brbe->host.captured(brbe->host.context, due->where, due->exception_related);
        brbe->capturing = false;
    }
    if (was_freezing && brbe->freezing && --brbe->skid == 0)
        cairn_brbe_freeze(brbe, now);
}

static void generate(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                     const struct due *due)
{
    struct cairn_branch branch = {
        .size = sizeof branch, .flags = due->flags, .type = due->type, .EL = due->EL};
    struct cairn_branch_registers record;

    if (brbe->paused)
        return;
    if (due->flags & CAIRN_BRANCH_SOURCE)
        branch.source = due->source;
    if (due->flags & CAIRN_BRANCH_TARGET)
        branch.target = cairn_brbe_untag(brbe->features, now, due->target);
    set_cycles(brbe, &branch);
    branch.flags |= brbe->last_failed ? CAIRN_BRANCH_LAST_FAILED : 0;
    brbe->last_failed = false;
    if (brbe->unprogrammed && cairn_brbe_records_EL3(brbe->features, now->registers))
        cairn_brbe_find(brbe, CAIRN_BRBE_NOT_PROGRAMMED);
    if (brbe->host.loses && brbe->host.loses(brbe->host.context))
        cairn_brbe_keep(brbe, 0);
    else if (cairn_branch_encode(&branch, &record) == CAIRN_OK)
        capture(brbe, now, due, &record);
}

/* --- branches --- */

static bool is_mispredicted(struct cairn_brbe *brbe, unsigned type,
                            const struct cairn_brbe_branch *branch, uint64_t target)
{
    switch (branch->prediction) {
    case CAIRN_BRBE_HIT: return false;
    case CAIRN_BRBE_MISS: return true;
    default: break;
    }
    if (!(brbe->options.flags & CAIRN_BRBE_PREDICTS) || branch->kind == CAIRN_INSN_ISB)
        return true;
    return cairn_brbe_mispredicts(&brbe->predictor, type, branch->source, branch->taken, target);
}

/* The branch that waits has got its target. */
static void complete(struct cairn_brbe *brbe, const struct cairn_brbe_side *now, uint64_t target)
{
    const struct cairn_brbe_branch *branch = &brbe->waiting.branch;
    const struct cairn_brbe_side there = {now->registers, &brbe->waiting.where};
    const bool missed = is_mispredicted(brbe, brbe->waiting.type, branch,
                                        cairn_brbe_untag(brbe->features, &there, target));
    struct due due = {
        .where = &brbe->waiting.where,
        .source = branch->source,
        .target = target,
        .flags = CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET,
        .type = brbe->waiting.type,
        .EL = brbe->waiting.where.EL,
    };

    brbe->waiting.open = false;
    if (!brbe->waiting.wanted)
        return;
    if (missed && brbe->waiting.shows_prediction)
        due.flags |= CAIRN_BRANCH_MISPREDICTED;
    if (brbe->waiting.where.transactional)
        due.flags |= CAIRN_BRANCH_TRANSACTIONAL;
    if (branch->calculated)
        cairn_brbe_back_to(brbe, &brbe->waiting.moment);
    generate(brbe, &there, &due);
    cairn_brbe_up_to_date(brbe);
}

/* Another event has come, and the target was never told: a record that was due cannot be captured
 * (R_PMRRL). */
static void give_up(struct cairn_brbe *brbe)
{
    if (!brbe->waiting.open)
        return;
    brbe->waiting.open = false;
    if (!brbe->waiting.wanted || brbe->paused)
        return;
    cairn_brbe_find(brbe, CAIRN_BRBE_NO_TARGET);
    cairn_brbe_keep(brbe, 0);
}

void cairn_brbe_branch(struct cairn_brbe *brbe, const struct cairn_brbe_side *now,
                       const struct cairn_brbe_branch *branch)
{
    const unsigned type = cairn_brbe_branch_type(branch->kind, branch->flags);
    const bool is_ISB = branch->kind == CAIRN_INSN_ISB;

    give_up(brbe);
    cairn_brbe_look(brbe, now);
    /* The predictor too learns nothing in a Prohibited region: a later record would tell (R_YGGSC). */
    if (type == CAIRN_BRBE_NO_TYPE || brbe->prohibited)
        return;
    if (!branch->taken && !is_ISB) {
        is_mispredicted(brbe, type, branch, 0);
        return;
    }
    brbe->waiting.open = true;
    brbe->waiting.branch = *branch;
    brbe->waiting.where = *now->state;
    brbe->waiting.moment = cairn_brbe_moment(brbe);
    brbe->waiting.type = (uint8_t)type;
    brbe->waiting.shows_prediction = cairn_brbe_shows_predictions(brbe->features, now->registers);
    brbe->waiting.wanted = (!is_ISB || (brbe->options.flags & CAIRN_BRBE_RECORDS_ISB)) &&
                           cairn_brbe_selects(now->registers->value[CAIRN_PE_BRBFCR_EL1], type);
    if (branch->has_target)
        complete(brbe, now, branch->target);
    else if (is_ISB)
        complete(brbe, now, branch->source + INSN_SIZE);
}

void cairn_brbe_target(struct cairn_brbe *brbe, const struct cairn_brbe_side *now, uint64_t target)
{
    if (!brbe->waiting.open)
        return;
    cairn_brbe_look(brbe, now);
    complete(brbe, now, target);
}

void cairn_brbe_withdraw(struct cairn_brbe *brbe)
{
    brbe->waiting.open = false;
}

/* --- what crosses between states --- */

/* Notices both sides. Returns which halves a record would have: none from Prohibited to Prohibited. */
static uint32_t cross(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                      const struct cairn_brbe_side *after)
{
    uint32_t halves = 0;

    give_up(brbe);
    cairn_brbe_look(brbe, before);
    halves |= brbe->prohibited ? 0 : CAIRN_BRANCH_SOURCE;
    if (halves && before->state->transactional)
        halves |= CAIRN_BRANCH_TRANSACTIONAL;
    cairn_brbe_notice(brbe, after);
    halves |= brbe->prohibited ? 0 : CAIRN_BRANCH_TARGET;
    return halves;
}

void cairn_brbe_exception(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                          const struct cairn_brbe_side *after,
                          const struct cairn_brbe_exception *exception)
{
    const uint32_t flags = cross(brbe, before, after);
    const struct due due = {
        .where = before->state,
        .source = exception->source,
        .target = exception->target,
        .flags = flags,
        .type = exception->type,
        .EL = flags & CAIRN_BRANCH_TARGET ? after->state->EL : 0,
        .exception_related = true,
    };

    if ((flags & CAIRN_BRANCH_BOTH) &&
        cairn_brbe_selects_exception(brbe->features, after->registers, after->state->EL))
        generate(brbe, after, &due);
    cairn_brbe_freeze_if_due(brbe, after);
}

void cairn_brbe_return(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                       const struct cairn_brbe_side *after,
                       const struct cairn_brbe_return *exception_return)
{
    const uint32_t flags = cross(brbe, before, after);
    struct due due = {
        .where = before->state,
        .source = exception_return->source,
        .target = exception_return->target,
        .flags = flags,
        .type = CAIRN_BRANCH_EXCEPTION_RETURN,
        .EL = flags & CAIRN_BRANCH_TARGET ? after->state->EL : 0,
        .exception_related = true,
    };

    /* The built-in predictor does not predict these. */
    if ((flags & CAIRN_BRANCH_SOURCE) && exception_return->prediction != CAIRN_BRBE_HIT &&
        cairn_brbe_shows_predictions(brbe->features, after->registers))
        due.flags |= CAIRN_BRANCH_MISPREDICTED;
    if ((flags & CAIRN_BRANCH_BOTH) &&
        cairn_brbe_selects_return(brbe->features, after->registers, before->state->EL))
        generate(brbe, after, &due);
    cairn_brbe_freeze_if_due(brbe, after);
}

void cairn_brbe_debug_entry(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                            const struct cairn_brbe_side *after, uint64_t address)
{
    const struct due due = {
        .where = before->state,
        .source = address,
        .flags = cross(brbe, before, after) & ~(uint32_t)CAIRN_BRANCH_TARGET,
        .type = CAIRN_BRANCH_DEBUG_HALT,
        .exception_related = true,
    };

    if (due.flags & CAIRN_BRANCH_SOURCE)
        generate(brbe, after, &due);
    cairn_brbe_freeze_if_due(brbe, after);
}

void cairn_brbe_debug_exit(struct cairn_brbe *brbe, const struct cairn_brbe_side *before,
                           const struct cairn_brbe_side *after, uint64_t address)
{
    const struct due due = {
        .where = after->state,
        .target = address,
        .flags = cross(brbe, before, after) & CAIRN_BRANCH_TARGET,
        .type = CAIRN_BRANCH_DEBUG_EXIT,
        .EL = after->state->EL,
    };

    if (due.flags & CAIRN_BRANCH_TARGET)
        generate(brbe, after, &due);
    cairn_brbe_freeze_if_due(brbe, after);
}

void cairn_brbe_cycles(struct cairn_brbe *brbe, uint64_t cycles)
{
    /* The clock may stop at the end of its 64 bits, but never go backwards. */
    brbe->clock = cycles > UINT64_MAX - brbe->clock ? UINT64_MAX : brbe->clock + cycles;
}

/* --- transactions (F1.1.7) --- */

void cairn_brbe_transaction_start(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    brbe->transaction.open = true;
    brbe->transaction.in_allowed = brbe->transaction.in_prohibited = false;
    cairn_brbe_look(brbe, now);
}

void cairn_brbe_transaction_commit(struct cairn_brbe *brbe)
{
    brbe->transaction.open = false;
}

void cairn_brbe_transaction_fail(struct cairn_brbe *brbe, const struct cairn_brbe_side *now)
{
    const bool was_open = brbe->transaction.open;

    cairn_brbe_look(brbe, now);
    brbe->transaction.open = false;
    if (was_open && brbe->transaction.in_allowed &&
        (!brbe->transaction.in_prohibited || (brbe->options.flags & CAIRN_BRBE_PARTLY_FAILED)))
        brbe->last_failed = true;
}

/* --- reset --- */

void cairn_brbe_reset(struct cairn_brbe *brbe, struct cairn_pe_registers *registers, bool cold)
{
    uint64_t *MDCR = &registers->value[CAIRN_PE_MDCR_EL3];
    const uint64_t unknown = brbe->options.unknown;

    *MDCR = CAIRN_PUT(*MDCR, MDCR_EL3_E3BREW, 0);
    if (cold) {
        *MDCR = CAIRN_PUT(*MDCR, MDCR_EL3_E3BREC, 0);
        registers->value[CAIRN_PE_BRBCR_EL1] = unknown;
        registers->value[CAIRN_PE_BRBCR_EL2] = unknown;
        registers->value[CAIRN_PE_BRBFCR_EL1] = unknown;
        brbe->paused = CAIRN_GET(unknown, BRBFCR_PAUSED);
        brbe->last_failed = CAIRN_GET(unknown, BRBFCR_LASTFAILED);
        brbe->unprogrammed = HAS_BRBCR_EL1 | HAS_BRBFCR | (brbe->features->EL2 ? HAS_BRBCR_EL2 : 0);
    }
    brbe->old = brbe->valid;
    brbe->fresh = brbe->swallow = 0;
    brbe->freezing = false;
    brbe->waiting.open = false;
    brbe->transaction.open = false;
    brbe->cycles_unknown = true;
    memset(&brbe->predictor, 0, sizeof brbe->predictor);
}
