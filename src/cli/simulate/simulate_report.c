/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/simulate/simulate.h"
#include "protocol/about.h"
#include "report/json_fields.h"
#include "report/naming.h"

#define PLACE_TEXT 160
#define CYCLES_OF_DRAIN 16.0

struct report {
    const struct cli_simulation *simulation;
    struct cairn_output *output;
    struct cairn_space *space;
    struct cairn_naming *naming;
};

/* --- words --- */

void cli_simulate_terms(const struct cairn_explained *record, char text[CLI_TERMS_TEXT])
{
    size_t length = 0;

    snprintf(text, CLI_TERMS_TEXT, "traced");
    if (record->traced)
        return;
    for (unsigned bit = 0; bit < CAIRN_UNIT_WHY_COUNT; bit++)
        if ((record->why >> bit & 1u) && length < CLI_TERMS_TEXT)
            length += (size_t)snprintf(text + length, CLI_TERMS_TEXT - length, "%s%s",
                                       length ? ", " : "", cairn_unit_why_name(1u << bit));
}

void cli_simulate_select(const struct cli_simulated *simulated, struct cairn_space *space,
                         const struct cairn_explained *record)
{
    const struct cairn_place place = {
        .source = (uint32_t)simulated->source,
        .EL = record->EL,
        .security = record->security,
        .vmid = record->vmid,
        .context_id = record->context_id,
    };

    (void)!cairn_space_select(space, &place);
}

/* "fib+0x10 (0x4006e4)"; "0x5502910860 (no symbol, libc.so.6)" */
static void place_text(const struct report *report, const struct cli_simulated *simulated,
                       const struct cairn_explained *record, char text[PLACE_TEXT])
{
    struct cairn_symbol symbol = {.size = sizeof symbol};

    cli_simulate_select(simulated, report->space, record);
    if (cairn_symbolize(report->space, record->address, &symbol) != CAIRN_OK) {
        snprintf(text, PLACE_TEXT, "0x%" PRIx64, record->address);
        return;
    }
    if (!symbol.function) {
        const char *slash = strrchr(symbol.object, '/');
        snprintf(text, PLACE_TEXT, "0x%" PRIx64 " (no symbol, %s)", record->address,
                 slash ? slash + 1 : symbol.object);
        return;
    }
    const char *name = cairn_naming_short(report->naming, symbol.function);
    if (symbol.offset)
        snprintf(text, PLACE_TEXT, "%s+0x%" PRIx64 " (0x%" PRIx64 ")", name, symbol.offset,
                 record->address);
    else
        snprintf(text, PLACE_TEXT, "%s (0x%" PRIx64 ")", name, record->address);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* --- the table --- */

static int by_instructions(const void *one, const void *other)
{
    const struct cairn_explained *a = one, *b = other;

    if (a->traced != b->traced)
        return a->traced ? -1 : 1;
    return a->instructions < b->instructions   ? 1
           : a->instructions > b->instructions ? -1
           : a->at < b->at                     ? -1
                                               : a->at > b->at;
}

/* What is traced, for whatever reason besides, is one row; `rows` has room for all. */
static size_t sort_rows(const struct cli_simulated *simulated, struct cairn_explained *rows,
                        uint64_t *completed)
{
    const struct cairn_explainer *explainer = &simulated->explainer;
    size_t count = 0, traced = SIZE_MAX;

    *completed = 0;
    for (size_t i = 0; i < explainer->row_count; i++) {
        const struct cairn_explained *row = &explainer->rows[i];

        if (row->traced && row->why)
            *completed += row->instructions;
        if (!row->traced || traced == SIZE_MAX) {
            if (row->traced)
                traced = count;
            rows[count++] = *row;
            continue;
        }
        rows[traced].instructions += row->instructions;
        rows[traced].pieces += row->pieces;
        if (row->at < rows[traced].at) {
            rows[traced].at = row->at;
            rows[traced].address = row->address;
        }
    }
    qsort(rows, count, sizeof *rows, by_instructions);
    return count;
}

/* Runs of traced instructions may have been told in several: with and without another reason. */
static void tell_table(const struct report *report, const struct cli_simulated *simulated)
{
    struct cairn_explained rows[CAIRN_EXPLAIN_ROWS];
    uint64_t completed;
    const size_t count = sort_rows(simulated, rows, &completed);
    const uint64_t told = simulated->explainer.told;
    char terms[CLI_TERMS_TEXT], place[PLACE_TEXT];

    if (count == 0)
        return;
    cairn_output_format(report->output, "  %14s  %6s  %10s  %-28s  %s", "instructions", "share",
                        "blocks", "term", "first at");
    cairn_output_line(report->output);
    for (size_t i = 0; i < count; i++) {
        cli_simulate_terms(&rows[i], terms);
        place_text(report, simulated, &rows[i], place);
        cairn_output_format(report->output,
                            "  %14" PRIu64 "  %5.1f%%  %10" PRIu64
                            "  %-28s  %s, instruction %" PRIu64,
                            rows[i].instructions, share(rows[i].instructions, told), rows[i].pieces,
                            terms, place, rows[i].at);
        cairn_output_line(report->output);
    }
    if (completed) {
        cairn_output_format(report->output,
                            "  %" PRIu64
                            " of the traced instructions are so because a P0 element that "
                            "was begun is told to its end",
                            completed);
        cairn_output_line(report->output);
    }
}

/* --- the rest of the answer --- */

static void tell_bytes(const struct report *report, const struct cli_simulated *simulated)
{
    const struct cairn_unit_counters *counters = &simulated->counters;
    const uint64_t hz = report->simulation->options->clock;

    cairn_output_format(report->output, "  trace: %" PRIu64 " byte%s", counters->bytes,
                        cairn_plural(counters->bytes));
    if (counters->traced)
        cairn_output_format(report->output, ", %.3f bits a traced instruction",
                            8.0 * (double)counters->bytes / (double)counters->traced);
    cairn_output_format(report->output, "; %" PRIu64 " exception%s, %" PRIu64 " synchronisation%s",
                        counters->exceptions, cairn_plural(counters->exceptions), counters->syncs,
                        cairn_plural(counters->syncs));
    cairn_output_line(report->output);
    if (!hz)
        return;
    const double seconds = (double)simulated->cycles / (double)hz;
    cairn_output_format(report->output, "  rate: %.6g MB/s at %.6g MHz, over %" PRIu64 " cycles%s",
                        seconds > 0 ? (double)counters->bytes / seconds / 1e6 : 0.0,
                        (double)hz / 1e6, simulated->cycles,
                        simulated->cycles == counters->instructions ? " (an instruction each)"
                                                                    : "");
    cairn_output_line(report->output);
}

static uint64_t lost_to(const struct cli_simulated *simulated, uint32_t why)
{
    uint64_t instructions = 0;

    for (size_t i = 0; i < simulated->explainer.row_count; i++)
        if (!simulated->explainer.rows[i].traced && (simulated->explainer.rows[i].why & why))
            instructions += simulated->explainer.rows[i].instructions;
    return instructions;
}

static void tell_fifo(const struct report *report, const struct cli_simulated *simulated)
{
    const struct cli_record *record = &report->simulation->options->record;
    const uint64_t overflows = simulated->counters.overflows;
    const uint64_t lost = lost_to(simulated, CAIRN_UNIT_WHY_OVERFLOW);
    const double made = simulated->cycles ? CYCLES_OF_DRAIN * (double)simulated->counters.bytes /
                                                (double)simulated->cycles
                                          : 0;

    if (!record->fifo_bytes && !overflows)
        return;
    if (record->fifo_bytes && cairn_about(simulated->protocol)->samples)
        cairn_output_format(
            report->output,
            "  FIFO of %" PRIu32 " bytes, which leave by the pins: ", record->fifo_bytes);
    else if (record->fifo_bytes)
        cairn_output_format(report->output,
                            "  FIFO of %" PRIu32 " bytes, of which %" PRIu32
                            " leave in 16 cycles (%.3g were made in 16, on average): ",
                            record->fifo_bytes, record->fifo_drain, made);
    else
        cairn_output_text(report->output, "  ");
    if (overflows)
        cairn_output_format(report->output,
                            "it overflows %" PRIu64 " time%s, and %" PRIu64
                            " instructions (%.2f%%) are lost to that",
                            overflows, cairn_plural(overflows), lost,
                            share(lost, simulated->explainer.told));
    else
        cairn_output_text(report->output, "it does not overflow");
    cairn_output_line(report->output);
}

static bool read_register(const struct cli_simulated *simulated, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < simulated->register_count; i++)
        if (!strcmp(simulated->registers[i].name, name)) {
            *value = simulated->registers[i].value;
            return true;
        }
    return false;
}

static void tell_resources(const struct report *report, const struct cli_simulated *simulated)
{
    const struct cairn_explainer *explainer = &simulated->explainer;
    uint64_t value;

    for (unsigned n = 0; n < CAIRN_EXPLAIN_EVENTS; n++)
        if (explainer->events[n]) {
            cairn_output_format(report->output,
                                "  ETEEvent %u (external output %u) occurred %" PRIu64 " time%s", n,
                                n, explainer->events[n], cairn_plural(explainer->events[n]));
            cairn_output_line(report->output);
        }
    for (unsigned n = 0; n < 4; n++) {
        char name[16];

        snprintf(name, sizeof name, "TRCCNTVR%u", n);
        const bool there = read_register(simulated, name, &value) && value;
        const uint64_t zero = explainer->zero[n], loaded = explainer->loaded[n];
        if (!zero && !loaded && !there)
            continue;
        cairn_output_format(report->output,
                            "  counter %u came to 0 %" PRIu64 " time%s and was loaded %" PRIu64
                            " time%s",
                            n, zero, cairn_plural(zero), loaded, cairn_plural(loaded));
        if (there)
            cairn_output_format(report->output, "; it is %" PRIu64 " at the end", value);
        cairn_output_line(report->output);
    }
    if (!explainer->moved)
        return;
    cairn_output_format(report->output, "  the sequencer moved %" PRIu64 " time%s",
                        explainer->moved, cairn_plural(explainer->moved));
    if (read_register(simulated, "TRCSEQSTR", &value))
        cairn_output_format(report->output, "; it is in state %" PRIu64 " at the end", value);
    cairn_output_line(report->output);
}

static void tell_breaks(const struct report *report, const struct cairn_replay_counts *replay,
                        uint64_t breaks)
{
    const struct {
        uint64_t count;
        const char *name;
    } kinds[] = {{replay->trace_ons, "Trace On"},
                 {replay->gaps, "gaps"},
                 {replay->overflows, "overflows"},
                 {replay->discards, "discards"},
                 {replay->unknown_qs, "Q without path"}};
    const char *between = " (";

    cairn_output_format(report->output,
                        "  feed: in %" PRIu64 " place%s the capture does not say what was executed",
                        breaks, cairn_plural(breaks));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].count) {
            cairn_output_format(report->output, "%s%" PRIu64 " %s", between, kinds[i].count,
                                kinds[i].name);
            between = ", ";
        }
    cairn_output_text(report->output, "): to the unit they are Trace Prohibited");
    cairn_output_line(report->output);
}

/* What of the feed is not the processor's, or is not known. */
static void tell_feed(const struct report *report, const struct cli_simulated *simulated)
{
    const struct cairn_replay_counts *replay = &simulated->replay;
    const uint64_t breaks = replay->trace_ons + replay->gaps + replay->overflows +
                            replay->discards + replay->unknown_qs;

    if (!simulated->replayed)
        return;
    if (breaks > 1 || replay->gaps)
        tell_breaks(report, replay, breaks);
    if (replay->halts) {
        cairn_output_format(
            report->output,
            "  feed: %" PRIu64 " time%s the flow breaks off where no branch and no "
            "exception ends it: a Debug halt was told, so that it is traced to there",
            replay->halts, cairn_plural(replay->halts));
        cairn_output_line(report->output);
    }
    if (replay->unknown_isa) {
        cairn_output_format(report->output,
                            "  feed: %" PRIu64 " instructions are A64, of which %s traces nothing: "
                            "the unit was not told of them",
                            replay->unknown_isa, cairn_protocol_name(simulated->protocol));
        cairn_output_line(report->output);
    }
    if (replay->assumed) {
        cairn_output_format(report->output,
                            "  feed: of %" PRIu64
                            " instructions the flow does not say whether they "
                            "passed their condition, if they have one: taken as passed",
                            replay->assumed);
        cairn_output_line(report->output);
    }
    if (replay->events || replay->data || replay->instrumentation) {
        cairn_output_format(report->output,
                            "  feed: not told, since they are the old unit's: %" PRIu64
                            " Event%s, %" PRIu64 " data transfer%s, %" PRIu64 " instrumentation",
                            replay->events, cairn_plural(replay->events), replay->data,
                            cairn_plural(replay->data), replay->instrumentation);
        cairn_output_line(report->output);
    }
}

/* --- lists --- */

static void tell_run(const struct report *report, const struct cli_simulated *simulated,
                     const struct cairn_explained *run)
{
    char terms[CLI_TERMS_TEXT], place[PLACE_TEXT];

    cli_simulate_terms(run, terms);
    place_text(report, simulated, run, place);
    cairn_output_format(report->output, "  %14" PRIu64 "  %14" PRIu64 "  %10" PRIu64 "  %-28s  %s",
                        run->at, run->instructions, run->pieces, terms, place);
    cairn_output_line(report->output);
}

static void tell_event(const struct report *report, const struct cli_simulated *simulated,
                       const struct cairn_explained *record)
{
    struct cairn_output *output = report->output;
    char place[PLACE_TEXT];
    const char *between = "";

    place_text(report, simulated, record, place);
    cairn_output_format(output, "  %14" PRIu64 "  clock %-12" PRIu64 "  ", record->at,
                        record->clock);
    for (unsigned n = 0; n < CAIRN_EXPLAIN_EVENTS; n++)
        if (record->events >> n & 1u) {
            cairn_output_format(output, "%sETEEvent %u", between, n);
            between = ", ";
        }
    if (record->events & CAIRN_UNIT_ATB_TRIGGER)
        cairn_output_text(output, " (ATB trigger)");
    for (unsigned n = 0; n < 4; n++)
        if ((unsigned)record->reached >> n & 1u) {
            cairn_output_format(output, "%scounter %u is %u", between, n, record->counters[n]);
            between = ", ";
        }
    if (record->moved) {
        cairn_output_format(output, "%ssequencer in state %u", between, record->sequencer);
        between = ", ";
    }
    for (unsigned n = 0; n < 8; n++)
        if ((unsigned)record->firing >> n & 1u) {
            cairn_output_format(output, "%ssingle-shot %u fires", between, n);
            between = ", ";
        }
    if (record->address)
        cairn_output_format(output, "  behind %s", place);
    cairn_output_line(output);
}

static void tell_lists(const struct report *report, const struct cli_simulated *simulated)
{
    const struct cli_simulate *options = report->simulation->options;

    if (options->list) {
        cairn_output_format(report->output, "  %14s  %14s  %10s  %-28s  %s", "at instruction",
                            "instructions", "blocks", "term", "from");
        cairn_output_line(report->output);
        for (size_t i = 0; i < simulated->list_count; i++)
            if (simulated->list[i].kind == CAIRN_EXPLAINED_RUN)
                tell_run(report, simulated, &simulated->list[i]);
    }
    if (options->events)
        for (size_t i = 0; i < simulated->list_count; i++)
            if (simulated->list[i].kind != CAIRN_EXPLAINED_RUN)
                tell_event(report, simulated, &simulated->list[i]);
    uint64_t runs = 0;
    for (size_t i = 0; i < simulated->explainer.row_count; i++)
        runs += simulated->explainer.rows[i].runs;
    if (simulated->list_lost ||
        (options->list && simulated->keeps_list && runs > simulated->list_count)) {
        cairn_output_format(report->output,
                            "  ... and more: only the first %zu entries of such lists are kept",
                            simulated->list_count);
        cairn_output_line(report->output);
    }
}

/* --- a unit --- */

static void tell_verdict(const struct report *report, const struct cli_simulated *simulated)
{
    const uint64_t told = simulated->explainer.told;
    uint64_t traced = 0;
    char reason[CLI_REASON_TEXT];

    for (size_t i = 0; i < simulated->explainer.row_count; i++)
        if (simulated->explainer.rows[i].traced)
            traced += simulated->explainer.rows[i].instructions;
    cairn_output_format(report->output, "%s (%s): ", simulated->name,
                        cairn_protocol_name(simulated->protocol));
    if (told == 0 && simulated->replay.unknown_isa) {
        cairn_output_format(
            report->output,
            "nothing is traced: what was executed is A64, of which %s traces nothing; "
            "try --protocol ete or etmv4",
            cairn_protocol_name(simulated->protocol));
    } else if (told == 0) {
        cairn_output_text(report->output,
                          "nothing was executed, as far as the feed says: nothing is traced");
    } else if (traced == 0) {
        cli_simulate_reason(simulated, report->space, reason);
        cairn_output_format(report->output, "nothing is traced: %s", reason);
    } else if (traced == told) {
        cairn_output_format(report->output, "all of %" PRIu64 " instruction%s %s traced", told,
                            cairn_plural(told), told == 1 ? "is" : "are");
    } else {
        cairn_output_format(report->output,
                            "%" PRIu64 " of %" PRIu64 " instructions are traced (%.2f%%)", traced,
                            told, share(traced, told));
    }
    cairn_output_line(report->output);
}

static bool needs_a_look(const struct cli_simulated *simulated)
{
    return simulated->counters.traced == 0 || simulated->counters.overflows > 0;
}

enum cli_exit cli_simulate_report(const struct cli_simulation *simulation,
                                  struct cairn_image *image)
{
    struct report report = {.simulation = simulation, .output = simulation->session->output};
    const bool json = simulation->session->options->format == CLI_FORMAT_JSON;
    enum cli_exit result = CLI_CLEAN;

    if (cairn_space_new(image, &report.space) != CAIRN_OK) {
        cli_session_say(simulation->session, "out of memory");
        return CLI_UNUSABLE;
    }
    report.naming = cairn_naming_new();
    if (json)
        cairn_json_begin(report.output, simulation->session->command->name);
    for (size_t i = 0; i < simulation->count && cli_session_goes_on(simulation->session); i++) {
        const struct cli_simulated *simulated = simulation->list[i];

        if (needs_a_look(simulated))
            result = CLI_GAPS;
        if (json) {
            cli_simulate_json(simulation, simulated, report.space);
            continue;
        }
        tell_verdict(&report, simulated);
        tell_table(&report, simulated);
        tell_bytes(&report, simulated);
        tell_fifo(&report, simulated);
        tell_resources(&report, simulated);
        tell_feed(&report, simulated);
        tell_lists(&report, simulated);
    }
    cairn_naming_free(report.naming);
    cairn_space_free(report.space);
    return result;
}
