/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the flow tells cycles, or time, these count. Where it does not, an instruction takes one cycle,
 * and time is the number of cycles, as in what `cairn record` makes of a program. */
#include "machine/replay/replay.h"

#include "machine/clocked.h"

void cairn_replay_clock_start(struct cairn_replay *replay)
{
    const unsigned tells = cairn_config_tells(replay->config);

    replay->clock.cycles_told = (tells & CAIRN_TELLS_CYCLES) != 0;
    replay->clock.time_told = (tells & CAIRN_TELLS_TIME) != 0;
    replay->clock.wanted =
        (replay->options.flags & CAIRN_REPLAY_CYCLES) || cairn_unit_is_clocked(replay->unit);
}

static void pass(struct cairn_replay *replay, uint64_t cycles)
{
    struct cairn_replay_clock *clock = &replay->clock;

    clock->cycles += cycles;
    if (!clock->wanted)
        return;
    cairn_unit_cycles(replay->unit, cycles);
    if (!clock->time_told)
        cairn_unit_time(replay->unit, clock->cycles);
}

static uint32_t waiting(const struct cairn_replay *replay)
{
    return replay->wait == CAIRN_REPLAY_BLOCK ? replay->block.count : 0;
}

/* What waits is in them, and counted when it is told. */
void cairn_replay_cycles(struct cairn_replay *replay, uint64_t cycles)
{
    replay->clock.cycles_told = true;
    replay->clock.instructions = UINT64_C(0) - waiting(replay);
    pass(replay, cycles);
}

/* As many as there were instructions. */
void cairn_replay_some_cycles(struct cairn_replay *replay)
{
    if (replay->clock.cycles_told)
        cairn_replay_cycles(replay, replay->clock.instructions + waiting(replay));
}

void cairn_replay_time(struct cairn_replay *replay, uint64_t time)
{
    replay->clock.time_told = true;
    if (replay->clock.wanted)
        cairn_unit_time(replay->unit, time);
}

void cairn_replay_passed(struct cairn_replay *replay, uint32_t instructions)
{
    replay->clock.instructions += instructions;
    if (!replay->clock.cycles_told && instructions > 0)
        pass(replay, instructions);
}
