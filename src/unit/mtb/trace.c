/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the PC that are not sequential -> packets (DDI0486 2.3.1). */
#include "unit/mtb/core.h"

#define A 1u /* of word 0: not by an instruction */
#define S 1u /* of word 1: the first since trace started */
/* To Thread mode on the main stack, where a feed does not say it. */
#define EXC_RETURN UINT32_C(0xfffffff9)
#define ADDRESS (~UINT32_C(1))
#define FNC_RETURN UINT32_C(0xfeffffff) /* back from Non-secure code, by no exception */

static void put(struct cairn_mtb_unit *unit, uint32_t source, unsigned a, uint32_t destination)
{
    const unsigned s = unit->starts ? S : 0;

    cairn_mtb_write(unit, (source & ADDRESS) | a, (destination & ADDRESS) | s);
    unit->starts = false;
}

/* What ran between the last packet and the next is not known: for a decoder trace starts anew. */
static void lose(struct cairn_mtb_unit *unit)
{
    unit->wait = CAIRN_MTB_WAIT_NOTHING;
    unit->seen = false;
    unit->starts = true;
}

/* Execution is at `address`: where what waits leads. */
static void arrive(struct cairn_mtb_unit *unit, uint32_t address)
{
    const unsigned wait = unit->wait;

    unit->wait = CAIRN_MTB_WAIT_NOTHING;
    switch ((enum cairn_mtb_wait)wait) {
    case CAIRN_MTB_WAIT_NOTHING:
        if (unit->seen && unit->next != address) {
            unit->counters.discontinuities++;
            lose(unit);
        }
        break;
    case CAIRN_MTB_WAIT_BRANCH: put(unit, unit->source, 0, address); break;
    case CAIRN_MTB_WAIT_RETURN:
        put(unit, unit->source, 0, unit->value);
        put(unit, unit->value, A, address);
        break;
    case CAIRN_MTB_WAIT_EXCEPTION:
        /* A handler that was not seen has returned to where it came from. */
        if (unit->was_prohibited && unit->source == address)
            break;
        put(unit, unit->source, A, address);
        unit->counters.exceptions++;
        break;
    }
    unit->seen = true;
}

static bool is_unseen(const struct cairn_mtb_unit *unit)
{
    return !cairn_mtb_traces(unit) || unit->prohibited || unit->debug;
}

static void branch(struct cairn_mtb_unit *unit, const struct cairn_block *block)
{
    const uint32_t target = (uint32_t)block->target;

    unit->source = (uint32_t)(block->address + block->size - block->last_size);
    unit->wait = CAIRN_MTB_WAIT_BRANCH;
    if (block->kind == CAIRN_INSN_BRANCH_DIRECT) {
        arrive(unit, target);
        unit->next = target;
        return;
    }
    if (!(block->flags & CAIRN_INSN_ERET) || unit->base.arch.profile != CAIRN_PROFILE_M)
        return;
    unit->wait = CAIRN_MTB_WAIT_RETURN;
    unit->popped = (target | 1) == FNC_RETURN; /* nothing is chained to it */
    unit->value = target != 0 ? target : EXC_RETURN;
}

/* For whoever asks. */
static void see(struct cairn_mtb_unit *unit, const struct cairn_block *block, bool traces)
{
    const struct cairn_context none = {0, 0, 0, 0, 0, 0}; /* it knows of none */
    uint32_t why = traces ? 0 : CAIRN_UNIT_WHY_DISABLED;

    why |= unit->prohibited ? CAIRN_UNIT_WHY_PROHIBITED : 0;
    why |= unit->debug ? CAIRN_UNIT_WHY_DEBUG : 0;
    why |= block->isa != CAIRN_ISA_T32 ? CAIRN_UNIT_WHY_NO_PACKETS : 0;
    if (unit->base.sight.observe)
        cairn_unit_see(&unit->base.sight, cairn_unit_seen_block(block, &none), why == 0, why);
}

void cairn_mtb_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);
    const bool branches = taken && (block->kind == CAIRN_INSN_BRANCH_DIRECT ||
                                    block->kind == CAIRN_INSN_BRANCH_INDIRECT);

    see(unit, block, cairn_mtb_traces(unit));
    if (!cairn_mtb_traces(unit))
        return;
    unit->counters.blocks++;
    unit->counters.instructions += block->count;
    if (unit->prohibited || unit->debug)
        return;
    arrive(unit, (uint32_t)block->address);
    if (block->isa != CAIRN_ISA_T32) { /* a packet says nothing of it */
        lose(unit);
        return;
    }
    unit->counters.traced += block->count;
    unit->next = (uint32_t)(block->address + block->size);
    if (branches)
        branch(unit, block);
}

void cairn_mtb_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                              enum cairn_isa isa)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    (void)type;
    (void)isa;
    if (is_unseen(unit))
        return;
    if (unit->wait == CAIRN_MTB_WAIT_RETURN &&
        !unit->popped) { /* chained to it: the second packet leads there */
        put(unit, unit->source, 0, unit->value);
        unit->source = unit->value;
    } else {
        arrive(unit, (uint32_t)address & ADDRESS);
        unit->source = (uint32_t)address & ADDRESS;
    }
    unit->wait = CAIRN_MTB_WAIT_EXCEPTION;
    unit->was_prohibited = false;
}

void cairn_mtb_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer)
{
    cairn_mtb_unit(base)->popped |= (transfer->flags & CAIRN_UNIT_DATA_STACKING) != 0;
}

void cairn_mtb_unit_context(struct cairn_unit *base, const struct cairn_context *context)
{
    (void)base;
    (void)context; /* no packet has it */
}

/* An MTB knows no regions that it may not trace. What a feed does not tell between an exception and
 * the next block is its handler; elsewhere it is lost. */
void cairn_mtb_unit_prohibit(struct cairn_unit *base, bool prohibited)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    if (prohibited && unit->wait == CAIRN_MTB_WAIT_EXCEPTION)
        unit->was_prohibited = true;
    else if (prohibited && !unit->prohibited)
        lose(unit);
    unit->prohibited = prohibited;
}

/* Where a debugger has moved the PC, the next block shows it: that is a packet with A, too. */
void cairn_mtb_unit_debug_state(struct cairn_unit *base, bool debug)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);

    if (debug && unit->wait == CAIRN_MTB_WAIT_EXCEPTION)
        unit->was_prohibited = true;
    unit->debug = debug;
}

/* TSTOP wins over TSTART. */
void cairn_mtb_unit_inputs(struct cairn_unit *base, uint32_t inputs)
{
    struct cairn_mtb_unit *unit = cairn_mtb_unit(base);
    const uint32_t master = unit->registers[CAIRN_MTB_MASTER];

    if ((inputs & CAIRN_MTB_TSTOP) && (master & CAIRN_MTB_TSTOPEN))
        unit->registers[CAIRN_MTB_MASTER] &= ~CAIRN_MTB_EN;
    else if ((inputs & CAIRN_MTB_TSTART) && (master & CAIRN_MTB_TSTARTEN) &&
             !(master & CAIRN_MTB_EN))
        cairn_mtb_start(unit);
}
