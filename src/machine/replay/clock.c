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
    replay->clock.wanted = (replay->options.flags & CAIRN_REPLAY_CYCLES) ||
                           cairn_unit_is_clocked(replay->processor.unit) ||
                           cairn_processor_is_timed(&replay->processor);
}

/* So many cycles more, and the one that is owed. */
static void pass(struct cairn_replay *replay, uint64_t cycles)
{
    struct cairn_replay_clock *clock = &replay->clock;

    cycles += clock->owed;
    clock->owed = 0;
    clock->cycles += cycles;
    if (!clock->wanted || !cycles)
        return;
    cairn_processor_cycles(&replay->processor, cycles);
    if (!clock->time_told)
        cairn_processor_time(&replay->processor, clock->cycles);
}

static uint32_t waiting(const struct cairn_replay *replay)
{
    return replay->wait == CAIRN_REPLAY_BLOCK ? replay->block.count : 0;
}

void cairn_replay_settle_cycles(struct cairn_replay *replay)
{
    pass(replay, 0);
}

/* What waits is in them, and counted when it is told. */
void cairn_replay_cycles(struct cairn_replay *replay, uint64_t cycles)
{
    cairn_replay_settle_cycles(replay);
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
    cairn_replay_settle_cycles(replay);
    replay->clock.time_told = true;
    if (replay->clock.wanted)
        cairn_processor_time(&replay->processor, time);
}

void cairn_replay_begin_block(struct cairn_replay *replay, uint32_t instructions)
{
    replay->clock.instructions += instructions - 1;
    if (!replay->clock.cycles_told)
        pass(replay, instructions - 1);
}

void cairn_replay_end_block(struct cairn_replay *replay)
{
    replay->clock.instructions++;
    replay->clock.owed = !replay->clock.cycles_told;
}
