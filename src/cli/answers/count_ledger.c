/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/count_ledger.h"

#include "cli/screen/watch.h"

void cli_part_move_gap(struct cairn_ledger *ledger, const struct cairn_word_event *event)
{
    struct cairn_word_event gap = *event;

    if (event->kind == CAIRN_FLOW_GAP)
        cairn_ledger_flow(
            ledger, &(struct cairn_flow_batch){
                        .count = 1, .kind = &gap.kind, .length = &gap.length, .value = &gap.value});
}

/* Modulo 2^64: what was moved may be more than what is there yet. */
static void add(struct cairn_ledger *ledger, const struct cairn_ledger *more)
{
    ledger->total += more->total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes += more->account[i].bytes;
        ledger->account[i].packets += more->account[i].packets;
    }
}

static void take_off(struct cairn_ledger *ledger, const struct cairn_ledger *less)
{
    ledger->total -= less->total;
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++) {
        ledger->account[i].bytes -= less->account[i].bytes;
        ledger->account[i].packets -= less->account[i].packets;
    }
}

/* What is in the accounts is all that was taken in: it ends with a packet. */
static bool is_whole(const struct cairn_ledger *ledger)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        bytes += ledger->account[i].bytes;
    return bytes == ledger->total;
}

/* Of a piece that another thread decodes the ledger has nothing before all of its words have been told. */
static void note_gaps(struct cli_part_snapshots *snapshots, const struct cairn_word_batch *batch,
                      uint64_t at)
{
    if (at > snapshots->at) {
        add(&snapshots->moved, &snapshots->ahead);
        snapshots->ahead = (struct cairn_ledger){.size = sizeof snapshots->ahead};
        snapshots->at = at;
    }
    for (size_t i = 0; i < batch->event_count; i++) {
        const struct cairn_word_event *const event = cairn_word_event_at(batch, i);

        cli_part_move_gap(event->offset < at ? &snapshots->moved : &snapshots->ahead, event);
    }
}

void cli_part_snapshot(struct cli_part_snapshots *snapshots, const struct cli_count_part *part,
                       const struct cairn_word_batch *batch, const struct cairn_ledger *ledger)
{
    const uint64_t at = snapshots->begin + ledger->total;
    struct cairn_ledger *const now =
        snapshots->has_first ? &snapshots->at_last : &snapshots->at_first;

    note_gaps(snapshots, batch, at);
    if (at < part->from || at > part->to || !is_whole(ledger))
        return;
    *now = *ledger;
    take_off(now, &snapshots->moved);
    if (snapshots->has_first) {
        snapshots->last = at;
        snapshots->has_last = true;
    } else {
        snapshots->first = at;
        snapshots->has_first = true;
    }
}

/* Packets that begin in a piece of the source. */
struct counted_packets {
    struct cairn_ledger ledger;
    uint64_t first; /* where the first of them begins, */
    uint64_t end;   /* and the last one ends; 0: there are none */
};

static bool take_packets(struct counted_packets *made, const struct cairn_packet_batch *batch,
                         uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] < from)
            continue;
        if (batch->offset[i] >= to)
            return false;
        made->first = made->end ? made->first : batch->offset[i];
        made->end = batch->offset[i] + batch->length[i];
        made->ledger.total += batch->length[i];
        made->ledger.account[batch->account[i]].bytes += batch->length[i];
        made->ledger.account[batch->account[i]].packets++;
    }
    return batch->count > 0;
}

static cairn_status count_packets(const struct cli_count_part *part, uint64_t from, uint64_t to,
                                  struct counted_packets *made, struct cairn_error *error)
{
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_pipeline *pipeline = NULL;
    bool goes_on = true;

    *made = (struct counted_packets){.ledger.size = sizeof made->ledger};
    wanted.level = CAIRN_LEVEL_PACKETS;
    wanted.from = from;
    wanted.progress = cli_progress_watch;
    cairn_status status =
        cairn_pipeline_new(part->session->capture, part->source, part->config,
                           cairn_capture_image(part->session->capture), &wanted, &pipeline, error);
    while (!status && goes_on) {
        status = cairn_pipeline_next(pipeline);
        goes_on = !status && take_packets(made, cairn_pipeline_packets(pipeline), from, to);
    }
    cairn_pipeline_free(pipeline);
    return status;
}

cairn_status cli_part_packets(struct cli_count_part *part,
                              const struct cli_part_snapshots *snapshots, struct cairn_error *error)
{
    struct counted_packets before = {.first = 0}, behind = {.first = 0};
    cairn_status status = CAIRN_OK;
    bool fits = snapshots->has_last;

    if (fits && snapshots->first > part->from) {
        status = count_packets(part, part->from, snapshots->first, &before, error);
        fits = before.end == snapshots->first;
    }
    if (!status && fits && snapshots->last < part->to) {
        status = count_packets(part, snapshots->last, part->to, &behind, error);
        fits = behind.end && behind.first == snapshots->last;
    }
    if (!status && !fits) {
        status = count_packets(part, part->from, part->to, &before, error);
        add(&part->ledger, &before.ledger);
        return status;
    }
    add(&part->ledger, &before.ledger);
    add(&part->ledger, &behind.ledger);
    add(&part->ledger, &snapshots->at_last);
    take_off(&part->ledger, &snapshots->at_first);
    return status;
}
