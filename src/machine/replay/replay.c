/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/replay/replay.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sizes.h"
#include "protocol/protocol.h"
#include "unit/model.h"

cairn_status cairn_replay_new(struct cairn_config *config, struct cairn_image *image,
                              struct cairn_unit *unit, const struct cairn_replay_options *options,
                              struct cairn_replay **replay, struct cairn_error *error)
{
    struct cairn_replay_options given = CAIRN_REPLAY_OPTIONS_INIT;
    const bool is_read = cairn_options_read(&given, sizeof given, options) == CAIRN_OK;

    if (is_read && given.pe && !unit)
        unit = cairn_pe_unit(given.pe);
    if (!is_read || !config || !image || !unit || !replay ||
        (given.pe && unit != cairn_pe_unit(given.pe)) ||
        given.flags & ~(CAIRN_REPLAY_NO_HALTS | CAIRN_REPLAY_EVENTS | CAIRN_REPLAY_CYCLES))
        return cairn_fail(
            error, CAIRN_E_ARGUMENT,
            "cairn_replay_new: a configuration, an image and a unit, or a PE with one, and options "
            "that begin with CAIRN_REPLAY_OPTIONS_INIT, are wanted");
    if (config->rules.m_profile)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "the flow of an M profile core is not replayed: its exceptions and returns "
            "are another matter; record the firmware again, with `cairn record "
            "--machine`");
    struct cairn_replay *made = calloc(1, sizeof *made);
    cairn_status status = made ? cairn_replay_memory_open(&made->memory, image) : CAIRN_E_MEMORY;
    if (status != CAIRN_OK) {
        free(made);
        return cairn_fail(error, status, "no memory to replay a flow");
    }
    made->config = cairn_config_ref(config);
    made->processor = given.pe ? cairn_processor_of_pe(given.pe) : cairn_processor_of_unit(unit);
    made->about = cairn_about(unit->model->protocol);
    made->options = given;
    made->tells_each = config->rules.every_instruction;
    made->wants_each = (unit->block_ends & CAIRN_BLOCK_ENDS_CONDITION) != 0;
    made->has_a64 = (made->about->record & CAIRN_RECORD_A64) != 0;
    made->last_isa = CAIRN_ISA_UNKNOWN;
    if (!given.pe)
        cairn_processor_enable(&made->processor);
    cairn_replay_clock_start(made);
    *replay = made;
    return CAIRN_OK;
}

void cairn_replay_free(struct cairn_replay *replay)
{
    if (!replay)
        return;
    cairn_replay_memory_close(&replay->memory);
    cairn_config_unref(replay->config);
    free(replay);
}

/* Behind the last block execution goes on, as far as anybody knows. */
cairn_status cairn_replay_end(struct cairn_replay *replay)
{
    cairn_replay_end_open(replay);
    cairn_processor_end(&replay->processor);
    if (replay->processor.pe)
        cairn_pe_settle(replay->processor.pe);
    else
        cairn_processor_disable(&replay->processor);
    if (replay->status == CAIRN_OK)
        replay->status = cairn_processor_status(&replay->processor);
    return replay->status;
}

void cairn_replay_counts(const struct cairn_replay *replay, struct cairn_replay_counts *counts)
{
    struct cairn_replay_counts now = replay->counts;

    now.cycles = replay->clock.cycles;
    cairn_info_write(counts, &now, sizeof now);
}
