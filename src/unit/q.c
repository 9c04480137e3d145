/* SPDX-License-Identifier: BSD-2-Clause */
/* Q elements (DDI0608 D2.2.4, D6.9.5, D6.10.2): blocks whose P0 instructions have no elements of their own.
 * A Q element is generated when it is known where execution went on behind it. */
#include "unit/core.h"

void cairn_unit_end_q(struct cairn_unit *unit, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->q == 0)
        return;
    cairn_unit_generate(unit, CAIRN_ELEMENT_Q, 0, &(struct cairn_element_data){.value = path->q});
    cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, place, 0);
    path->q = 0;
    path->q_closed = false;
    path->blocks = 0;
    path->owed &= ~(uint32_t)(CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_AGAIN);
    path->target = place;
}

/* Behind a taken indirect branch nothing tells the address that a Q element must have: that branch
 * gets its Atom after all. */
void cairn_unit_settle_q(struct cairn_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->q == 0)
        return;
    if (path->next.isa != CAIRN_ISA_UNKNOWN) {
        cairn_unit_end_q(unit, path->next);
        return;
    }
    path->q -= path->last.count;
    cairn_unit_end_q(unit, (struct cairn_unit_place){.address = path->last.address,
                                                     .isa = path->last.isa});
    cairn_unit_generate(unit, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E,
                        &(struct cairn_element_data){0});
    path->q_closed = false;
    path->blocks = 0;
    path->owed |= CAIRN_OWED_TARGET;
    path->last_trace = CAIRN_TRACE_ATOM;
}

static bool is_permitted(const struct cairn_unit *unit, const struct cairn_block *block)
{
    const struct cairn_filter_input input = {
        .block = block, .context = &unit->path.context, .inputs = unit->inputs};

    return unit->program.q != 0 && unit->q_instructions > 0 &&
           cairn_filter_allows_q(&unit->program, &input) && !cairn_unit_broadcasts(unit, block) &&
           (unit->program.is_ete || !(block->flags & CAIRN_INSN_ERET));
}

bool cairn_unit_continues_q(const struct cairn_unit *unit, const struct cairn_block *block)
{
    const struct cairn_unit_path *path = &unit->path;
    const uint32_t ending = CAIRN_OWED_CHANGE | CAIRN_OWED_START | CAIRN_OWED_LANDING;

    return !path->q_closed && !(path->owed & ending) && !(unit->mode & CAIRN_MODE_SYNC) &&
           path->q + block->count <= unit->q_instructions && is_permitted(unit, block);
}

bool cairn_unit_join_q(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;
    const bool p0 = cairn_unit_is_p0(unit, block);

    if (path->q == 0 &&
        (!p0 || path->omitted > 0 ||
         path->instructions + block->count > unit->q_instructions || !is_permitted(unit, block)))
        return false;
    path->q += block->count + (path->q == 0 ? path->instructions : 0);
    path->blocks++;
    if (!p0)
        return true;
    path->last_trace = CAIRN_TRACE_Q;
    cairn_unit_leave_q_at(unit, block, taken);
    return true;
}

/* A taken exception return is the last instruction of a Q element (R_KPNGG). */
void cairn_unit_leave_q_at(struct cairn_unit *unit, const struct cairn_block *block, bool taken)
{
    const bool returns = taken && (block->flags & CAIRN_INSN_ERET);

    unit->path.q_closed = returns;
    if (!returns && !(taken && block->kind == CAIRN_INSN_ISB))
        return;
    unit->path.barrier = unit->told;
    cairn_unit_request_timestamp(unit);
}
