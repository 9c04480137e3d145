/* SPDX-License-Identifier: BSD-2-Clause */
/* The accounts of a part's packets: those in the midst of it by what the engine counts, those near its cuts one by one. */
#ifndef CAIRN_CLI_ANSWERS_COUNT_LEDGER_H
#define CAIRN_CLI_ANSWERS_COUNT_LEDGER_H

#include "cli/answers/count.h"

/* What the engine had counted at two ends of packets inside of the part. */
struct cli_part_snapshots {
    uint64_t begin;            /* where it began to decode, */
    uint64_t at;               /* and how far its ledger has come */
    struct cairn_ledger moved; /* by gaps of the flow up to there, */
    struct cairn_ledger ahead; /* and by those that were told behind it */
    uint64_t first, last;      /* source offsets */
    struct cairn_ledger at_first, at_last;
    bool has_first, has_last;
};

/* When a pipeline tells a batch, with its ledger then: each batch, in order. */
void cli_part_snapshot(struct cli_part_snapshots *snapshots, const struct cli_count_part *part,
                       const struct cairn_word_batch *batch, const struct cairn_ledger *ledger);

/* A gap of the flow takes its packet out of the account that it was in; other events do nothing. */
void cli_part_move_gap(struct cairn_ledger *ledger, const struct cairn_word_event *event);

/* Adds the part's packets to its ledger. */
CAIRN_MUST_CHECK cairn_status cli_part_packets(struct cli_count_part *part,
                                               const struct cli_part_snapshots *snapshots,
                                               struct cairn_error *error);

#endif
