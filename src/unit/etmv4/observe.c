/* SPDX-License-Identifier: BSD-2-Clause */
/* What every observation shares: its beginning and end, and where a P0 instruction leads. */
#include "unit/etmv4/core.h"

void cairn_unit_begin(struct cairn_etmv4_unit *unit)
{
    if (unit->speculative)
        cairn_unit_save(unit);
    unit->told++;
    unit->path.can_mispredict = false;
}

void cairn_unit_get_ready(struct cairn_etmv4_unit *unit)
{
    if (unit->taker.port && (unit->mode & CAIRN_MODE_INOPERATIVE))
        cairn_unit_offer_port(unit, 0);
    cairn_unit_recover(unit);
    if (unit->cancel_owed > 0 && !(unit->mode & CAIRN_MODE_INOPERATIVE))
        cairn_unit_let_out(unit);
    cairn_unit_make_room(unit);
}

void cairn_unit_end(struct cairn_etmv4_unit *unit)
{
    if (unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))
        return;
    cairn_unit_commit_due(unit);
    if (unit->mode & CAIRN_MODE_REQUEST)
        cairn_unit_give_timestamp(unit);
    if (cairn_unit_generated(unit) >= unit->sync_at)
        unit->mode |= CAIRN_MODE_SYNC;
}

bool cairn_unit_broadcasts(const struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    if (!unit->program.branch_broadcast)
        return false;

    const struct cairn_filter_input input = cairn_unit_filter_input(unit, block);

    return cairn_filter_broadcasts(&unit->program, &input);
}

void cairn_unit_settle_path(struct cairn_etmv4_unit *unit)
{
    if (unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE))
        return;
    cairn_unit_give_omitted(unit);
    cairn_unit_settle_q(unit);
}

void cairn_unit_lose_path(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    cairn_unit_settle_path(unit);
    if (!(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE)))
        cairn_unit_land(unit);
    cairn_unit_see_cut(&unit->base.sight);
    path->q = 0;
    path->owed |= CAIRN_OWED_TRACE_ON;
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    path->blocks = 0;
    path->omitted = 0;
    path->next.isa = CAIRN_ISA_UNKNOWN;
}

void cairn_unit_push_return(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_path *path = &unit->path;

    path->last_pushed = (block->flags & CAIRN_INSN_LINK) && unit->return_limit > 0 &&
                        !cairn_unit_broadcasts(unit, block);
    if (!path->last_pushed)
        return;
    path->last_push = cairn_unit_returns_next(&path->returns);
    cairn_unit_returns_push(&path->returns, unit->return_limit,
                            cairn_unit_wrap(block->isa, block->address + block->size),
                            cairn_unit_sub_isa(block->isa));
}

void cairn_unit_go(struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    struct cairn_unit_path *path = &unit->path;

    if (block->kind == CAIRN_INSN_BRANCH_INDIRECT)
        path->owed |= CAIRN_OWED_TARGET;
    if (cairn_unit_broadcasts(unit, block))
        path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT;
    if ((block->flags & CAIRN_INSN_ERET) && !unit->program.is_ete)
        cairn_unit_generate(unit, CAIRN_ELEMENT_EXCEPTION_RETURN, 0,
                            &(struct cairn_element_data){0});
}

void cairn_unit_synchronize(struct cairn_etmv4_unit *unit)
{
    unit->path.barrier = unit->told;
}

void cairn_unit_note_synchronization(struct cairn_etmv4_unit *unit, const struct cairn_block *block,
                                     bool taken)
{
    if (!taken || (block->kind != CAIRN_INSN_ISB && !(block->flags & CAIRN_INSN_ERET)))
        return;
    cairn_unit_synchronize(unit);
    cairn_unit_request_timestamp(unit);
}
