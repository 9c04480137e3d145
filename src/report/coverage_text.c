/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage as tables for people. */
#include "report/coverage_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"

#define MISSING_SHOWN 8u

static void put_share(struct cairn_output *output, const char *what, uint64_t part, uint64_t all)
{
    const struct cairn_coverage_share share = cairn_coverage_share(part, all);

    cairn_output_format(output, "%-13s %10" PRIu64 " of %10" PRIu64 "  %3u.%u %%", what, part, all,
                        share.whole, share.tenths);
}

static void put_total(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage_sums *const sums = &view->coverage->sums;
    struct cairn_output *const output = view->output;

    if (!sums->functions)
        return;
    put_share(output, "functions", sums->functions_hit, sums->functions);
    cairn_output_line(output);
    if (sums->lines) {
        put_share(output, "lines", sums->lines_hit, sums->lines);
        cairn_output_line(output);
    }
    put_share(output, "instructions", sums->insns_hit, sums->insns);
    cairn_output_line(output);
    put_share(output, "branches", sums->both, sums->branches);
    cairn_output_format(output, "  both ways, and %" PRIu64 " one way only", sums->one);
    cairn_output_line(output);
    if (sums->conditions) {
        put_share(output, "conditions", sums->conditions_both, sums->conditions);
        cairn_output_format(output,
                            "  passed and failed, and %" PRIu64
                            " one of it only (other instructions than branches)",
                            sums->conditions_one);
        cairn_output_line(output);
    }
    if (sums->decisions) {
        put_share(output, "decisions", sums->decisions_met, sums->decisions);
        cairn_output_format(output, "  MC/DC shown, and %" PRIu64 " that it cannot be decided of",
                            sums->decisions_open);
        cairn_output_line(output);
    }
}

/* Whether something ran that is no file's. */
static bool has_memory(const struct cairn_coverage *coverage)
{
    for (size_t i = 0; i < coverage->object_count; i++)
        if (!coverage->objects[i].file && coverage->objects[i].others.insns)
            return true;
    return false;
}

/* What can never be known is no "never executed". */
static void put_unknown(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;
    const uint64_t lost = cairn_coverage_lost(coverage);
    const uint64_t overflows = cairn_coverage_overflows(coverage);

    if (lost) {
        cairn_output_format(output,
                            "not known: %" PRIu64
                            " byte%s of trace could not be followed: what is said not "
                            "to have run may have run there",
                            lost, lost == 1 ? "" : "s");
        cairn_output_line(output);
    }
    if (overflows) {
        cairn_output_format(output,
                            "not known: trace units overflowed %" PRIu64
                            " time%s: what is said not "
                            "to have run may have run there",
                            overflows, overflows == 1 ? "" : "s");
        cairn_output_line(output);
    }
    if (coverage->others.insns) {
        cairn_output_format(
            output,
            "not known: code without symbols, of which %" PRIu64 " instruction%s ran: how much "
            "more of it there is%s",
            coverage->others.insns, cairn_plural(coverage->others.insns),
            has_memory(coverage) ? ". --image FILE.elf names the code of a dump" : "");
        cairn_output_line(output);
    }
    for (size_t i = 0; i < coverage->object_count; i++) {
        if (!coverage->objects[i].partial)
            continue;
        cairn_output_text(output, "not known: ");
        cairn_coverage_put(output, coverage->objects[i].path);
        cairn_output_format(output, CAIRN_COVERAGE_PARTIAL, coverage->objects[i].partial,
                            coverage->objects[i].partial == 1 ? "" : "s");
        cairn_output_line(output);
    }
    if (!coverage->missing_count)
        return;
    cairn_output_format(output, "not known: code without an image at");
    for (size_t i = 0; i < coverage->missing_count && i < MISSING_SHOWN; i++)
        cairn_output_format(output, "%s 0x%" PRIx64, i ? "," : "", coverage->missing[i].address);
    if (coverage->missing_count > MISSING_SHOWN)
        cairn_output_format(output, " and %s%zu more addresses",
                            coverage->has_more_missing ? "at least " : "",
                            coverage->missing_count - MISSING_SHOWN);
    cairn_output_line(output);
}

static void put_source(const struct cairn_coverage_view *view,
                       const struct cairn_coverage_source *source)
{
    const char *const slash = strrchr(source->capture, '/');

    cairn_coverage_put(view->output, source->capture);
    /* the one source of a raw buffer is called as that is */
    if (strcmp(slash ? slash + 1 : source->capture, source->name) != 0) {
        cairn_output_char(view->output, ' ');
        cairn_coverage_put(view->output, source->name);
    }
    cairn_output_format(view->output, ": %" PRIu64 " instruction%s, %" PRIu64 " byte%s of trace",
                        source->instructions, source->instructions == 1 ? "" : "s", source->bytes,
                        source->bytes == 1 ? "" : "s");
    if (source->lost_bytes)
        cairn_output_format(view->output, ", %" PRIu64 " not followed", source->lost_bytes);
    if (source->overflows)
        cairn_output_format(view->output, ", %" PRIu64 " overflow%s of the trace unit",
                            source->overflows, source->overflows == 1 ? "" : "s");
    cairn_output_line(view->output);
}

/* --- tables --- */

static void put_ratio(struct cairn_output *output, uint64_t part, uint64_t all)
{
    const struct cairn_coverage_share share = cairn_coverage_share(part, all);
    char text[64];

    snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, part, all);
    if (all)
        cairn_output_format(output, "%13s %3u.%u%%", text, share.whole, share.tenths);
    else
        cairn_output_format(output, "%20s", "-");
}

static void put_branches(struct cairn_output *output, const struct cairn_coverage_sums *sums)
{
    char text[96];

    snprintf(text, sizeof text, "%" PRIu64 "+%" PRIu64 "/%" PRIu64, sums->both, sums->one,
             sums->branches);
    cairn_output_format(output, " %13s", sums->branches ? text : "-");
}

static void put_sums(struct cairn_output *output, const struct cairn_coverage_sums *sums,
                     bool is_partial)
{
    if (is_partial)
        cairn_output_format(output, "%11" PRIu64 "/?       ", sums->insns_hit);
    else
        put_ratio(output, sums->insns_hit, sums->insns);
    if (is_partial)
        cairn_output_format(output, "%20s", "-");
    else
        put_ratio(output, sums->lines_hit, sums->lines);
    put_branches(output, sums);
}

static void put_line_of(struct cairn_output *output, const char *file, uint32_t line)
{
    cairn_output_text(output, "  ");
    cairn_coverage_put(output, file);
    cairn_output_format(output, ":%" PRIu32, line);
}

static void put_functions(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "%20s%20s %13s %12s  function", "instructions", "lines", "branches",
                        "entered");
    cairn_output_line(output);
    for (size_t i = 0; i < coverage->function_count && cairn_output_wanted(output); i++) {
        const struct cairn_coverage_function *const function = &coverage->functions[i];

        put_sums(output, &function->sums, function->is_partial);
        cairn_output_format(output, " %12" PRIu64 "  ", cairn_coverage_entered(function));
        cairn_coverage_put(output, cairn_coverage_name(view, function));
        if (function->file != CAIRN_COVERAGE_NONE)
            put_line_of(output, coverage->files[function->file].name, function->line);
        cairn_output_line(output);
    }
}

/* Of code without symbols it is not known how much more there is. */
static void put_others(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    for (size_t i = 0; i < coverage->object_count; i++) {
        const struct cairn_coverage_sums *const sums = &coverage->objects[i].others;
        char text[CAIRN_COVERAGE_NAME];

        if (!sums->insns)
            continue;
        cairn_output_format(output, "%15" PRIu64 "/?", sums->insns);
        cairn_output_format(output, "%23s", "-");
        put_branches(output, sums);
        cairn_output_format(output, " %12s  %s  code without symbols: only what ran", "-",
                            cairn_coverage_others(coverage, (uint32_t)i, text));
        cairn_output_line(output);
    }
}

static void put_files(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "%20s%20s %13s  file", "instructions", "lines", "branches");
    cairn_output_line(output);
    for (size_t i = 0; i < coverage->file_count && cairn_output_wanted(output); i++) {
        put_sums(output, &coverage->files[i].sums, false);
        cairn_output_text(output, "  ");
        cairn_coverage_put(output, coverage->files[i].name);
        cairn_output_line(output);
    }
}

#define SOURCE_TEXT_MAX 200u /* letters */

static void put_lines(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    for (size_t i = 0; i < coverage->line_count && cairn_output_wanted(output); i++) {
        const struct cairn_coverage_line *const line = &coverage->lines[i];
        const struct cairn_coverage_file *const file = &coverage->files[line->file];

        if (i == file->first_line) {
            cairn_coverage_put(output, file->name);
            cairn_output_line(output);
            cairn_output_format(output, "%12s %13s %6s", "times", "branches", "line");
            cairn_output_line(output);
        }
        const struct cairn_source_line text =
            cairn_sources_line(view->sources, file->path, line->number, &file->changed);
        cairn_output_format(output, "%12" PRIu64, line->count);
        put_branches(output, &line->sums);
        cairn_output_format(output, " %6" PRIu32, line->number);
        if (text.state == CAIRN_SOURCE_FOUND) {
            cairn_output_text(output, "  ");
            cairn_source_line_write(output, &text, SOURCE_TEXT_MAX);
        }
        cairn_output_line(output);
    }
}

static void put_where(const struct cairn_coverage_view *view, uint32_t function, uint64_t address,
                      uint32_t line)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    if (function != CAIRN_COVERAGE_NONE) {
        const struct cairn_coverage_function *const one = &coverage->functions[function];

        cairn_output_text(output, "  ");
        cairn_coverage_put(output, cairn_coverage_name(view, one));
        cairn_output_format(output, "+0x%" PRIx64, address - one->first);
    }
    if (line != CAIRN_COVERAGE_NONE)
        put_line_of(output, coverage->files[coverage->lines[line].file].name,
                    coverage->lines[line].number);
}

static void put_insns(const struct cairn_coverage_view *view, bool only_branches)
{
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "%12s %12s %12s %-9s %10s  %s", "times", "taken", "not taken",
                        "ways", "address", only_branches ? "where" : "instruction");
    cairn_output_line(output);
    for (size_t i = 0; i < coverage->insn_count && cairn_output_wanted(output); i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[i];
        char text[160];

        if (only_branches && insn->choice == CAIRN_CHOICE_NONE)
            continue;
        cairn_output_format(output, "%12" PRIu64, insn->executed);
        if (insn->choice == CAIRN_CHOICE_NONE || (insn->executed && !insn->told))
            cairn_output_format(output, " %12s %12s %-9s", "", "",
                                insn->choice == CAIRN_CHOICE_NONE ? "" : "not_told");
        else
            cairn_output_format(output, " %12" PRIu64 " %12" PRIu64 " %-9s", insn->taken,
                                insn->told - insn->taken, cairn_coverage_went(insn));
        cairn_output_format(output, " %10" PRIx64, insn->address);
        if (only_branches) {
            put_where(view, insn->function, insn->address, insn->line);
        } else {
            cairn_coverage_disassemble(view, insn, text, sizeof text);
            cairn_output_format(output, "  %-32s", text);
            put_where(view, insn->function, insn->address, insn->line);
        }
        cairn_output_line(output);
    }
}

static void put_decisions(const struct cairn_coverage_view *view)
{
    static const char *const verdicts[] = {"shown", "not shown", "undecided"};
    static const char *const reasons[] = {
        [CAIRN_OPEN_JOINS] = "two ways lead to one of its conditions",
        [CAIRN_OPEN_OUTCOMES] = "the trace does not tell an outcome",
        [CAIRN_OPEN_SIZE] = "too long",
        [CAIRN_OPEN_OPTIMISED] = "optimised: its branches need not be its conditions",
        [CAIRN_OPEN_COMPILER] = "nothing tells whether it was optimised",
        [CAIRN_OPEN_SOURCE] = "the source is not here: whether it is all of the decision",
        [CAIRN_OPEN_LINES] = "part of an expression of several decisions",
        [CAIRN_OPEN_BLOCK] = "statements stand in braces within it"};
    const struct cairn_coverage *const coverage = view->coverage;
    struct cairn_output *const output = view->output;

    cairn_output_format(output, "%-10s %12s %10s  where", "MC/DC", "both/all", "address");
    cairn_output_line(output);
    for (size_t i = 0; i < coverage->decision_count && cairn_output_wanted(output); i++) {
        const struct cairn_coverage_decision *const one = &coverage->decisions[i];
        char text[32];

        snprintf(text, sizeof text, "%" PRIu32 "/%" PRIu32, one->conditions_met, one->conditions);
        cairn_output_format(output, "%-10s %12s %10" PRIx64, verdicts[one->verdict], text,
                            one->address);
        put_where(view, one->function, one->address, one->line);
        if (one->reason == CAIRN_OPEN_MERGED)
            cairn_output_format(output,
                                "  (not decided by the object code: %" PRIu32
                                " or more of its conditions have no branch)",
                                one->merged);
        else if (one->reason)
            cairn_output_format(output, "  (%s)", reasons[one->reason]);
        cairn_output_line(output);
    }
}

cairn_status cairn_coverage_text(const struct cairn_coverage_view *view)
{
    const struct cairn_coverage *const coverage = view->coverage;

    for (size_t i = 0; i < coverage->source_count; i++)
        put_source(view, &coverage->sources[i]);
    put_total(view);
    put_unknown(view);
    cairn_output_line(view->output);
    switch (view->by) {
    case CAIRN_COVERAGE_BY_FUNCTION:
        put_functions(view);
        put_others(view);
        break;
    case CAIRN_COVERAGE_BY_LINE: put_lines(view); break;
    case CAIRN_COVERAGE_BY_FILE: put_files(view); break;
    case CAIRN_COVERAGE_BY_INSTRUCTION: put_insns(view, false); break;
    case CAIRN_COVERAGE_BY_BRANCH: put_insns(view, true); break;
    case CAIRN_COVERAGE_BY_DECISION: put_decisions(view); break;
    }
    return CAIRN_OK;
}
