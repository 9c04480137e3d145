/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/json.md, simulate.schema.json. */
#include <inttypes.h>

#include "cli/simulate/simulate.h"
#include "report/json_fields.h"

static void text(struct cairn_output *output, const char *key, const char *value)
{
    cairn_output_format(output, ",\"%s\":", key);
    cairn_output_json(output, value);
}

static void begin(struct cairn_output *output, const char *type,
                  const struct cli_simulated *simulated)
{
    cairn_output_format(output, "{\"type\":\"%s\",\"schema\":%d", type, CAIRN_JSON_SCHEMA);
    text(output, "source", simulated->name);
}

static void end(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

static void number(struct cairn_output *output, const char *key, uint64_t value)
{
    cairn_output_format(output, ",\"%s\":%" PRIu64, key, value);
}

static void place(struct cairn_output *output, const struct cli_simulated *simulated,
                  struct cairn_space *space, const struct cairn_explained *record)
{
    struct cairn_symbol symbol = {.size = sizeof symbol};

    cairn_output_format(output, ",\"address\":\"0x%" PRIx64 "\"", record->address);
    cli_simulate_select(simulated, space, record);
    if (cairn_symbolize(space, record->address, &symbol) != CAIRN_OK || !symbol.function)
        return;
    text(output, "symbol", symbol.function);
    number(output, "symbol_offset", symbol.offset);
}

static void terms(struct cairn_output *output, const struct cairn_explained *record)
{
    const char *between = "";

    cairn_output_format(output, ",\"traced\":%s,\"terms\":[", record->traced ? "true" : "false");
    for (unsigned bit = 0; bit < CAIRN_UNIT_WHY_COUNT; bit++)
        if (record->why >> bit & 1u) {
            cairn_output_text(output, between);
            cairn_output_json(output, cairn_unit_why_name(1u << bit));
            between = ",";
        }
    cairn_output_char(output, ']');
}

static void run(struct cairn_output *output, const struct cli_simulated *simulated,
                struct cairn_space *space, const struct cairn_explained *record, const char *type)
{
    begin(output, type, simulated);
    number(output, "at", record->at);
    number(output, "instructions", record->instructions);
    number(output, "blocks", record->pieces);
    if (record->kind == CAIRN_EXPLAINED_ROW)
        number(output, "runs", record->runs);
    terms(output, record);
    place(output, simulated, space, record);
    if (record->kind == CAIRN_EXPLAINED_RUN)
        cairn_output_format(output, ",\"end\":\"0x%" PRIx64 "\"", record->end);
    end(output);
}

static void list_bits(struct cairn_output *output, const char *key, unsigned bits, unsigned count)
{
    const char *between = "";

    cairn_output_format(output, ",\"%s\":[", key);
    for (unsigned n = 0; n < count; n++)
        if (bits >> n & 1u) {
            cairn_output_format(output, "%s%u", between, n);
            between = ",";
        }
    cairn_output_char(output, ']');
}

static void event(struct cairn_output *output, const struct cli_simulated *simulated,
                  struct cairn_space *space, const struct cairn_explained *record)
{
    begin(output, "event", simulated);
    number(output, "at", record->at);
    number(output, "clock", record->clock);
    list_bits(output, "outputs", record->events, CAIRN_EXPLAIN_EVENTS);
    list_bits(output, "counters_reached", record->reached, 4);
    list_bits(output, "single_shots", record->firing, 8);
    if (record->kind == CAIRN_EXPLAINED_CHANGE) {
        cairn_output_format(output, ",\"counters\":[%u,%u,%u,%u],\"sequencer\":%u",
                            record->counters[0], record->counters[1], record->counters[2],
                            record->counters[3], record->sequencer);
        cairn_output_format(output, ",\"sequencer_moved\":%s", record->moved ? "true" : "false");
    }
    place(output, simulated, space, record);
    end(output);
}

static void summary(const struct cli_simulation *simulation, const struct cli_simulated *simulated,
                    struct cairn_space *space)
{
    struct cairn_output *output = simulation->session->output;
    const struct cairn_unit_counters *counters = &simulated->counters;
    uint64_t traced = 0, completed = 0;

    for (size_t i = 0; i < simulated->explainer.row_count; i++) {
        const struct cairn_explained *row = &simulated->explainer.rows[i];

        traced += row->traced ? row->instructions : 0;
        completed += row->traced && row->why ? row->instructions : 0;
    }
    begin(output, "unit", simulated);
    text(output, "protocol", cairn_protocol_name(simulated->protocol));
    number(output, "instructions", simulated->explainer.told);
    number(output, "traced", traced);
    number(output, "completed", completed);
    number(output, "bytes", counters->bytes);
    number(output, "cycles", simulated->cycles);
    number(output, "exceptions", counters->exceptions);
    number(output, "discontinuities", counters->discontinuities);
    number(output, "overflows", counters->overflows);
    number(output, "synchronisations", counters->syncs);
    if (simulation->options->clock && simulated->cycles)
        cairn_output_format(output, ",\"bytes_per_second\":%.3f",
                            (double)counters->bytes * (double)simulation->options->clock /
                                (double)simulated->cycles);
    if (traced == 0 && simulated->explainer.told) {
        char reason[CLI_REASON_TEXT];

        cli_simulate_reason(simulated, space, reason);
        text(output, "what", reason);
    }
    if (simulated->replayed) {
        const struct cairn_replay_counts *replay = &simulated->replay;

        cairn_output_format(
            output,
            ",\"feed\":{\"trace_ons\":%" PRIu64 ",\"gaps\":%" PRIu64 ",\"overflows\":%" PRIu64
            ",\"discards\":%" PRIu64 ",\"unknown_qs\":%" PRIu64 ",\"halts\":%" PRIu64
            ",\"unknown_isa\":%" PRIu64 ",\"assumed\":%" PRIu64 ",\"events\":%" PRIu64
            ",\"data\":%" PRIu64 ",\"instrumentation\":%" PRIu64 "}",
            replay->trace_ons, replay->gaps, replay->overflows, replay->discards,
            replay->unknown_qs, replay->halts, replay->unknown_isa, replay->assumed, replay->events,
            replay->data, replay->instrumentation);
    }
    end(output);
}

void cli_simulate_json(const struct cli_simulation *simulation,
                       const struct cli_simulated *simulated, struct cairn_space *space)
{
    struct cairn_output *output = simulation->session->output;

    summary(simulation, simulated, space);
    for (size_t i = 0; i < simulated->explainer.row_count; i++)
        run(output, simulated, space, &simulated->explainer.rows[i], "term");
    for (size_t i = 0; i < simulated->list_count; i++) {
        const struct cairn_explained *record = &simulated->list[i];

        if (record->kind == CAIRN_EXPLAINED_RUN && simulation->options->list)
            run(output, simulated, space, record, "run");
        else if (record->kind != CAIRN_EXPLAINED_RUN && simulation->options->events)
            event(output, simulated, space, record);
    }
}
