/* SPDX-License-Identifier: BSD-2-Clause */
/* Data transfers of one instruction, held until it is known to have no more: only the last one
 * tells which they were (IHI0014 7.4.4). */
#ifndef CAIRN_CLI_WINDOW_HELD_H
#define CAIRN_CLI_WINDOW_HELD_H

#include "report/report.h"

#define CLI_HELD_MOST 64 /* more than an instruction has, with late values of others in between */

struct cli_held {
    size_t count;
    struct cairn_origin origin[CLI_HELD_MOST];
    uint8_t kind[CLI_HELD_MOST];
    uint8_t isa[CLI_HELD_MOST];
    uint16_t flags[CLI_HELD_MOST];
    uint32_t instructions[CLI_HELD_MOST];
    uint64_t offset[CLI_HELD_MOST];
    uint64_t length[CLI_HELD_MOST];
    uint64_t address[CLI_HELD_MOST];
    uint64_t value[CLI_HELD_MOST];
};

/* What the next record, whichever it is, means for those that are held. */
enum cli_held_end {
    CLI_HELD_GOES_ON = 0,
    CLI_HELD_COMPLETE = 1, /* the instruction has no more */
    CLI_HELD_BROKEN = 2,   /* that will not be known */
};
enum cli_held_end cli_held_next(const struct cli_held *held, const struct cairn_flow_batch *batch,
                                size_t index);

/* Adds a Data record. There is room for one when cli_held_next was asked about it. */
void cli_held_add(struct cli_held *held, const struct cairn_flow_batch *batch, size_t index,
                  const struct cairn_origin *origin);

/* The records held, as a batch that is valid as long as they are. */
struct cairn_flow_batch cli_held_batch(struct cli_held *held);

#endif
