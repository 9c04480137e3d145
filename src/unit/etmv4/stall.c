/* SPDX-License-Identifier: BSD-2-Clause */
/* The PE waits for the buffer (DDI0608 D6.10.5, D6.10.6). How much of it has to be free is
 * IMPLEMENTATION DEFINED: LEVEL sixteenths, but always what a block may take. */
#include "unit/etmv4/core.h"

#define TRCSTALLCTLR_LEVEL UINT64_C(0xf)
#define TRCSTALLCTLR_ISTALL (UINT64_C(1) << 8)
#define TRCIDR3_SYSSTALL (UINT64_C(1) << 27)
#define LEVELS 16u

void cairn_unit_begin_stalls(struct cairn_etmv4_unit *unit)
{
    const uint32_t margin = cairn_unit_margin(unit->fifo_bytes);
    uint64_t control = 0, idr3 = 0;
    uint32_t level;

    unit->stall_below = 0;
    if (cairn_unit_registers_read(&unit->registers, "TRCSTALLCTLR", &control) != CAIRN_OK ||
        cairn_unit_registers_read(&unit->registers, "TRCIDR3", &idr3) != CAIRN_OK ||
        !(control & TRCSTALLCTLR_ISTALL) || !(idr3 & TRCIDR3_SYSSTALL))
        return;
    level = (uint32_t)((control & TRCSTALLCTLR_LEVEL) * unit->fifo_bytes / LEVELS);
    unit->stall_below = level > margin ? level : margin;
}

static bool is_low_on_space(const struct cairn_etmv4_unit *unit, uint32_t space)
{
    return cairn_unit_fifo_level(unit) + space > unit->fifo_bytes;
}

bool cairn_unit_lacks_room(const struct cairn_etmv4_unit *unit)
{
    return unit->fifo_bytes > 0 && is_low_on_space(unit, cairn_unit_margin(unit->fifo_bytes));
}

/* R_SCLVV. While the unit recovers nothing could be lost that the PE might wait for. */
static bool may_stall(const struct cairn_etmv4_unit *unit)
{
    return unit->fifo_bytes > 0 && !(unit->mode & (CAIRN_MODE_DISABLED | CAIRN_MODE_INOPERATIVE)) &&
           !(unit->path.owed & (CAIRN_PATH_PROHIBITED | CAIRN_PATH_DEBUG)) &&
           cairn_unit_taker_may_wait(&unit->taker);
}

bool cairn_etmv4_unit_stalls(const struct cairn_unit *base)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);

    if (!may_stall(unit))
        return false;
    return (unit->program.no_overflow && cairn_unit_lacks_room(unit)) ||
           (unit->stall_below > 0 && is_low_on_space(unit, unit->stall_below));
}

void cairn_unit_note_stall(struct cairn_etmv4_unit *unit, uint64_t cycles)
{
    if (cairn_etmv4_unit_stalls(&unit->base))
        cairn_unit_taker_wait(&unit->taker, cycles);
}

/* As many cycles as it takes at a fixed rate, none of which passes for anything else. */
static void wait_for_fifo(struct cairn_etmv4_unit *unit)
{
    const uint64_t room = unit->fifo_bytes - cairn_unit_margin(unit->fifo_bytes);
    const uint64_t bytes = cairn_unit_fifo_level(unit) - room;
    const uint64_t sixteenths = 16 * bytes - unit->fifo_carry;
    const uint64_t cycles = (sixteenths + unit->fifo_drain - 1) / unit->fifo_drain;

    unit->taker.stalled += cycles;
    unit->fifo_left += bytes;
    unit->fifo_carry = 0;
}

bool cairn_unit_wait_for_room(struct cairn_etmv4_unit *unit)
{
    if (!unit->program.no_overflow || !may_stall(unit))
        return false;
    if (!unit->taker.port && unit->fifo_drain == 0) /* it would be for ever (R_NVKXX) */
        return false;
    if (!unit->taker.port)
        wait_for_fifo(unit);
    while (cairn_unit_lacks_room(unit) && cairn_unit_taker_may_wait(&unit->taker)) {
        cairn_unit_taker_wait(&unit->taker, 1);
        cairn_unit_offer_bytes(unit, 1);
    }
    return !cairn_unit_lacks_room(unit);
}
