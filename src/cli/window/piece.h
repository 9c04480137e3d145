/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow record apart from its batch, and parts of ranges: some of their instructions. */
#ifndef CAIRN_CLI_WINDOW_PIECE_H
#define CAIRN_CLI_WINDOW_PIECE_H

#include "report/report.h"

struct cli_piece {
    uint8_t kind;
    uint8_t isa;
    uint16_t flags;
    uint32_t instructions;
    uint64_t offset;
    uint64_t length;
    uint64_t address;
    uint64_t value;
    /* The context in which it was executed, as a Context record has it. */
    bool has_context;
    uint64_t context_address;
    uint64_t context_value;
};

/* Record `index` of a batch. */
struct cli_piece cli_piece_of(const struct cairn_flow_batch *batch, size_t index);

/* The piece as a batch of one, valid as long as it. */
struct cairn_flow_batch cli_piece_batch(struct cli_piece *piece);

/* For what follows `code` reads memory as it was when the piece was executed. */
void cli_piece_select(const struct cli_piece *piece, struct cairn_code *code);

/* Where instruction number `index` of a range is; its end for as many as it has. `code` is selected. */
uint64_t cli_piece_address(const struct cli_piece *range, struct cairn_code *code, uint32_t index);

/* How many of a range's instructions begin before `address`, from number `first` on, which is at
 * `at`: the sum with `first`. */
uint32_t cli_piece_before(const struct cli_piece *range, struct cairn_code *code, uint32_t first,
                          uint64_t at, uint64_t address);

/* Leaves `count` instructions of a range from number `first` on. What the flags say of instructions
 * that go away goes with them. `code` is selected. */
void cli_piece_cut(struct cli_piece *range, struct cairn_code *code, uint32_t first,
                   uint32_t count);

#endif
