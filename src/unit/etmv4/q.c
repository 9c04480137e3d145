/* SPDX-License-Identifier: BSD-2-Clause */
/* Q elements (DDI0608 D2.2.4, D6.9.5, D6.10.2): blocks whose P0 instructions have no elements of
 * their own. A Q element is generated when it is known where execution went on behind it. While
 * anything may be taken back there are none: one would be resolved only with its last block. */
#include "unit/etmv4/core.h"

static void put_late(struct cairn_etmv4_unit *unit, unsigned kind, uint16_t flags, uint64_t value)
{
    const struct cairn_unit_element element = {
        .kind = (uint8_t)kind,
        .flags = flags,
        .observation = cairn_unit_observation(unit),
        .barrier = unit->path.barrier,
        .time = unit->path.late_time,
        .clock = unit->path.late_clock,
        .late = true,
        .data.value = value,
    };

    cairn_unit_pass(unit, &element);
}

static void put_q(struct cairn_etmv4_unit *unit, uint64_t count)
{
    if (unit->q_uncounted)
        put_late(unit, CAIRN_ELEMENT_Q, CAIRN_ELEMENT_UNKNOWN, 0);
    else
        put_late(unit, CAIRN_ELEMENT_Q, 0, count);
}

static void settle(struct cairn_unit_path *path)
{
    path->q = 0;
    path->q_closed = false;
    path->blocks = 0;
}

void cairn_unit_end_q(struct cairn_etmv4_unit *unit, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->q == 0)
        return;
    put_q(unit, path->q);
    settle(path);
    cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, place, 0);
    path->owed &= ~(uint32_t)(CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_AGAIN);
    path->target = place;
}

/* The last block of a Q element that is out went the other way: a Target Address says so. */
static void tell_other_way(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->last_trace != CAIRN_TRACE_Q || !(path->owed & CAIRN_OWED_AGAIN) || path->blocks > 0 ||
        path->next.isa == CAIRN_ISA_UNKNOWN)
        return;
    path->target = path->next;
    cairn_unit_introduce_again(unit);
}

/* Behind a taken indirect branch nothing tells the address that a Q element must have: that branch
 * gets its Atom after all. */
void cairn_unit_settle_q(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;
    const struct cairn_unit_place last = {.address = path->last.address, .isa = path->last.isa};

    if (path->q == 0) {
        tell_other_way(unit);
        return;
    }
    if (path->next.isa != CAIRN_ISA_UNKNOWN) {
        cairn_unit_end_q(unit, path->next);
        return;
    }
    if (path->q > cairn_unit_count(&path->last)) {
        put_q(unit, path->q - cairn_unit_count(&path->last));
        cairn_unit_put_place(unit, CAIRN_ELEMENT_TARGET_ADDRESS, last, 0);
    }
    put_late(unit, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E, 0);
    settle(path);
    cairn_unit_push_return(unit, &path->last);
    cairn_unit_go(unit, &path->last);
    path->last_trace = CAIRN_TRACE_ATOM;
}

static bool is_permitted(const struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const struct cairn_filter_input input = cairn_unit_filter_input(unit, block);

    return unit->program.q != 0 && unit->q_instructions > 0 &&
           cairn_filter_allows_q(&unit->program, &input) && !cairn_unit_broadcasts(unit, block) &&
           (unit->program.is_ete || !(block->flags & CAIRN_INSN_ERET));
}

bool cairn_unit_continues_q(const struct cairn_etmv4_unit *unit, const struct cairn_block *block)
{
    const struct cairn_unit_path *path = &unit->path;
    const uint32_t ending = CAIRN_OWED_CHANGE | CAIRN_OWED_START | CAIRN_OWED_LANDING;

    return !path->q_closed && !(path->owed & ending) && !(unit->mode & CAIRN_MODE_SYNC) &&
           (uint64_t)path->q + cairn_unit_count(block) <= unit->q_instructions &&
           is_permitted(unit, block);
}

/* A taken exception return is the last instruction of a Q element (R_KPNGG). */
static bool closes(const struct cairn_block *block, bool taken)
{
    return taken && (block->flags & CAIRN_INSN_ERET);
}

bool cairn_unit_join_q(struct cairn_etmv4_unit *unit, const struct cairn_block *block, bool taken)
{
    struct cairn_unit_path *path = &unit->path;
    const bool p0 = cairn_unit_is_p0(unit, block);

    if (path->q == 0 &&
        (!p0 || unit->speculative || path->omitted > 0 ||
         (uint64_t)path->instructions + cairn_unit_count(block) > unit->q_instructions ||
         !is_permitted(unit, block)))
        return false;
    path->q += cairn_unit_count(block) + (path->q == 0 ? path->instructions : 0);
    path->late_time = unit->time;
    path->late_clock = unit->clock;
    path->blocks++;
    path->q_tail = !p0;
    if (!p0)
        return true;
    path->last_trace = CAIRN_TRACE_Q;
    path->q_closed = closes(block, taken);
    return true;
}

void cairn_unit_correct_q(struct cairn_etmv4_unit *unit, bool taken)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->q > 0)
        path->q_closed = closes(&path->last, taken);
    else
        path->owed |= CAIRN_OWED_ANEW & ~CAIRN_OWED_CONTEXT;
}
