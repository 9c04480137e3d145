/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that leave the unit: what a decoder has of them, Commits (DDI0608 D6.9.8, D6.11.1), and
 * the buffer. */
#include "unit/etmv4/core.h"

#include <string.h>

/* --- the buffer --- */

void cairn_unit_set_limit(struct cairn_etmv4_unit *unit)
{
    const size_t room = unit->out.capacity - CAIRN_ENCODER_ROOM;

    unit->limit = room;
    if (unit->sync_at <= cairn_unit_generated(unit))
        unit->mode |= CAIRN_MODE_SYNC;
    else if (unit->sync_at - unit->drained < room)
        unit->limit = (size_t)(unit->sync_at - unit->drained);
}

/* `out` is from `drained` on, what waits for the port from `fifo_left` on. */
void cairn_unit_offer_bytes(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    const size_t taken = (size_t)(unit->fifo_left - unit->drained);

    unit->fifo_left += cairn_unit_taker_offer(&unit->taker, unit->out.bytes + taken,
                                              unit->out.size - taken, cycles, &unit->status);
    if (unit->fifo_left < cairn_unit_generated(unit))
        return;
    unit->drained = unit->fifo_left;
    unit->out.size = 0;
    cairn_unit_set_limit(unit);
}

void cairn_unit_offer_port(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    cairn_unit_offer_bytes(unit, cycles);
    if (!(unit->mode & CAIRN_MODE_INOPERATIVE) || cairn_unit_fifo_level(unit) > 0 ||
        cairn_unit_is_low(unit))
        return;
    cairn_unit_recover(unit);
    cairn_unit_offer_bytes(unit, 0);
}

static void make_space(struct cairn_etmv4_unit *unit)
{
    if (unit->out.capacity - unit->out.size >= CAIRN_ENCODER_ROOM)
        return;
    if (!unit->taker.port) {
        cairn_unit_drain(unit);
        return;
    }
    unit->drained += cairn_unit_taker_make_space(
        &unit->out, (size_t)(unit->fifo_left - unit->drained), &unit->status);
    if (unit->fifo_left < unit->drained)
        unit->fifo_left = unit->drained;
    cairn_unit_set_limit(unit);
}

void cairn_unit_drain(struct cairn_etmv4_unit *unit)
{
    if (unit->taker.port) {
        cairn_unit_offer_port(unit, 0);
        return;
    }
    if (unit->out.size == 0)
        return;
    if (unit->sink && unit->status == CAIRN_OK)
        unit->status = unit->sink(unit->sink_context, unit->out.bytes, unit->out.size);
    if (unit->status == CAIRN_OK)
        unit->delivered += unit->out.size;
    unit->drained += unit->out.size;
    unit->out.size = 0;
    cairn_unit_set_limit(unit);
}

void cairn_unit_pack(struct cairn_etmv4_unit *unit)
{
    make_space(unit);
    unit->protocol->encoder_flush(unit->encoder, &unit->out);
}

void cairn_unit_put(struct cairn_etmv4_unit *unit, unsigned kind, uint16_t flags,
                    const struct cairn_element_data *data)
{
    if (unit->unsynchronised && kind != CAIRN_ELEMENT_A_SYNC)
        cairn_unit_start_sync(unit);
    if (unit->watch)
        unit->watch(unit->watch_context, kind, flags, data);
    if (flags & CAIRN_ELEMENT_IMPLIED)
        return;
    if (kind == CAIRN_ELEMENT_A_SYNC)
        unit->counters.syncs++;
    unit->elements++;
    make_space(unit);
    if (kind == CAIRN_ELEMENT_ATOM)
        unit->put_atom(unit->encoder, (flags & CAIRN_ELEMENT_E) != 0, &unit->out);
    else
        unit->protocol->encoder_put(unit->encoder, kind, flags, data, &unit->out);
}

/* --- P0 elements that are outstanding --- */

static struct cairn_unit_p0 *p0_at(const struct cairn_etmv4_unit *unit, size_t index)
{
    size_t at = unit->p0_first + index;

    if (at >= unit->p0_capacity)
        at -= unit->p0_capacity;
    return &unit->p0s[at];
}

bool cairn_unit_has_depth(const struct cairn_etmv4_unit *unit, uint64_t observation)
{
    if (unit->program.maxspec == 0)
        return cairn_unit_is_resolved(unit, observation);
    return unit->p0_count < unit->program.maxspec ||
           cairn_unit_is_resolved(unit, p0_at(unit, 0)->observation);
}

size_t cairn_unit_committable(struct cairn_etmv4_unit *unit)
{
    while (unit->p0_resolved < unit->p0_count &&
           cairn_unit_is_resolved(unit, p0_at(unit, unit->p0_resolved)->observation))
        unit->p0_resolved++;
    return unit->p0_resolved;
}

static void pop_p0s(struct cairn_etmv4_unit *unit, size_t count)
{
    if (count == 0)
        return;
    memcpy(unit->behind, p0_at(unit, count - 1)->behind, sizeof unit->behind);
    unit->p0_count -= count;
    unit->p0_resolved -= count < unit->p0_resolved ? count : unit->p0_resolved;
    unit->p0_first += count;
    if (unit->p0_first >= unit->p0_capacity)
        unit->p0_first -= unit->p0_capacity;
}

void cairn_unit_commit(struct cairn_etmv4_unit *unit, size_t count)
{
    if (count == 0)
        return;
    cairn_unit_put(unit, CAIRN_ELEMENT_COMMIT, 0, &(struct cairn_element_data){.value = count});
    pop_p0s(unit, count);
    cairn_unit_count_cycles(unit);
}

void cairn_unit_commit_all(struct cairn_etmv4_unit *unit)
{
    cairn_unit_commit(unit, cairn_unit_committable(unit));
}

void cairn_unit_commit_due(struct cairn_etmv4_unit *unit)
{
    if (unit->p0_count == 0)
        return;
    if ((unit->choices & CAIRN_UNIT_COMMIT_AT_ONCE) ||
        (unit->program.cycle_counting &&
         unit->clock - unit->counted_at >= unit->program.cycle_threshold))
        cairn_unit_commit_all(unit);
}

size_t cairn_unit_uncount(struct cairn_etmv4_unit *unit, uint64_t mark, size_t most)
{
    size_t count = 0;

    while (count < most && unit->p0_count > 0 &&
           p0_at(unit, unit->p0_count - 1)->observation >= mark) {
        const struct cairn_unit_p0 *p0 = p0_at(unit, --unit->p0_count);

        if (p0->starts || p0->behind[CAIRN_BEHIND_START] > 0)
            unit->start_out = false; /* its Transaction Start goes with it */
        count++;
    }
    if (unit->p0_resolved > unit->p0_count)
        unit->p0_resolved = unit->p0_count;
    return count;
}

void cairn_unit_forget_p0s(struct cairn_etmv4_unit *unit)
{
    unit->p0_count = 0;
    unit->p0_resolved = 0;
    unit->p0_first = 0;
    memset(unit->behind, 0, sizeof unit->behind);
}

static void commit_implied(struct cairn_etmv4_unit *unit)
{
    if (unit->watch)
        cairn_unit_put(unit, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED,
                       &(struct cairn_element_data){.value = 1});
    cairn_unit_count_cycles(unit);
}

/* A P0 element went out: the oldest is committed with it when there are too many (I_BTGGX). */
static void count_p0(struct cairn_etmv4_unit *unit, uint64_t observation, bool starts)
{
    struct cairn_unit_p0 *p0;

    if (unit->program.maxspec == 0) {
        commit_implied(unit);
        return;
    }
    p0 = p0_at(unit, unit->p0_count++);
    memset(p0, 0, sizeof *p0);
    p0->observation = observation;
    p0->starts = starts;
    if (unit->p0_count <= unit->program.maxspec)
        return;
    pop_p0s(unit, 1);
    commit_implied(unit);
}

static bool is_p0(const struct cairn_etmv4_unit *unit, unsigned kind)
{
    switch (kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_Q: return true;
    case CAIRN_ELEMENT_TRANSACTION_START: return unit->program.commtrans_is_p0;
    default: return false;
    }
}

uint64_t *cairn_unit_behind_youngest(struct cairn_etmv4_unit *unit)
{
    return unit->p0_count > 0 ? p0_at(unit, unit->p0_count - 1)->behind : unit->behind;
}

static void note_behind(struct cairn_etmv4_unit *unit, enum cairn_unit_behind what,
                        uint64_t observation)
{
    cairn_unit_behind_youngest(unit)[what] = observation + 1;
}

/* What a timestamp would be of. It does not run backwards for what comes late. */
static void stamp(struct cairn_etmv4_unit *unit, const struct cairn_unit_element *element)
{
    if (element->late && unit->stamp.valid &&
        (element->time < unit->stamp.time || element->clock < unit->stamp.clock))
        return;
    unit->stamp.valid = true;
    unit->stamp.time = element->time;
    unit->stamp.clock = element->clock;
}

void cairn_unit_output(struct cairn_etmv4_unit *unit, const struct cairn_unit_element *element)
{
    const bool counts = is_p0(unit, element->kind);

    if (element->kind == CAIRN_ELEMENT_TRACE_INFO) { /* it tells what is, when it leaves */
        cairn_unit_put_trace_info(unit);
        return;
    }
    if (element->kind == CAIRN_ELEMENT_DISCARD) /* it is not for what is resolved */
        cairn_unit_commit_all(unit);
    cairn_unit_put(unit, element->kind, element->flags, &element->data);
    if (counts || element->kind == CAIRN_ELEMENT_EVENT)
        stamp(unit, element);
    switch (element->kind) {
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        note_behind(unit, CAIRN_BEHIND_TARGET, element->observation);
        break;
    case CAIRN_ELEMENT_CONTEXT:
        note_behind(unit, CAIRN_BEHIND_CONTEXT, element->observation);
        break;
    case CAIRN_ELEMENT_TRACE_ON:
        note_behind(unit, CAIRN_BEHIND_TRACE_ON, element->observation);
        break;
    case CAIRN_ELEMENT_TRANSACTION_START:
        unit->start_out = true;
        if (!counts)
            note_behind(unit, CAIRN_BEHIND_START, element->observation);
        break;
    case CAIRN_ELEMENT_TRANSACTION_COMMIT:
    case CAIRN_ELEMENT_TRANSACTION_FAILURE: unit->start_out = false; break;
    case CAIRN_ELEMENT_DISCARD: cairn_unit_forget_p0s(unit); break; /* R_CTYFK */
    default: break;
    }
    if (counts)
        count_p0(unit, element->observation, element->kind == CAIRN_ELEMENT_TRANSACTION_START);
}
