/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage as one page of HTML that needs nothing else: totals, files, functions, and the sources. */
#include "report/coverage_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "report/coverage_markup.h"
#include "report/coverage_page.h"

#define MISSING_SHOWN 64u
#define LINES_MOST 1000000u /* of a source file */

struct coverage_page {
    const struct cairn_coverage_view *view;
    const struct cairn_coverage *coverage;
    struct cairn_output *output;
};

static void put(const struct coverage_page *page, const char *text)
{
    cairn_output_text(page->output, text);
}

static void put_escaped(const struct coverage_page *page, const char *text)
{
    cairn_markup_text(page->output, text, strlen(text));
}

/* A path, which a narrow column may break behind its slashes, and need not in the midst of a name. */
static void put_path(const struct coverage_page *page, const char *path)
{
    for (const char *at = path; *at;) {
        const char *const slash = strchr(at, '/');
        const size_t length = slash ? (size_t)(slash - at) + 1 : strlen(at);

        cairn_markup_text(page->output, at, length);
        at += length;
        if (slash && *at)
            put(page, "<wbr>");
    }
}

/* `more`: what `number` of all are that are no part of it and yet not its opposite, in their own colour. */
static void put_card(const struct coverage_page *page, const char *name, uint64_t part,
                     uint64_t all, const char *more, const char *colour, uint64_t number)
{
    const struct cairn_coverage_share share = cairn_coverage_share(part, all);
    const struct cairn_coverage_share rest = cairn_coverage_share(number, all);

    if (!all)
        return;
    cairn_output_format(page->output,
                        "<div class=\"card\"><span>%s</span><b>%u.%u %%</b><span>%" PRIu64
                        " of %" PRIu64,
                        name, share.whole, share.tenths, part, all);
    if (more)
        cairn_output_format(page->output, "; %" PRIu64 " %s", number, more);
    cairn_output_format(page->output, "</span><span class=\"bar\"><i style=\"width:%u.%u%%\"></i>",
                        share.whole, share.tenths);
    if (number)
        cairn_output_format(page->output, "<i class=\"%s\" style=\"width:%u.%u%%\"></i>", colour,
                            rest.whole, rest.tenths);
    put(page, "</span></div>\n");
}

static void put_totals(const struct coverage_page *page)
{
    const struct cairn_coverage_sums *const sums = &page->coverage->sums;

    put(page, "<div class=\"cards\">\n");
    put_card(page, "Functions", sums->functions_hit, sums->functions, NULL, NULL, 0);
    put_card(page, "Lines", sums->lines_hit, sums->lines, NULL, NULL, 0);
    put_card(page, "Instructions", sums->insns_hit, sums->insns, NULL, NULL, 0);
    put_card(page, "Branches, both ways", sums->both, sums->branches, "one way only", "half",
             sums->one);
    put_card(page, "Conditions, both ways", sums->conditions_both, sums->conditions, "one way only",
             "half", sums->conditions_one);
    put_card(page, "Decisions, MC/DC", sums->decisions_met, sums->decisions, "undecided", "open",
             sums->decisions_open);
    put(page, "</div>\n");
}

static void put_sources(const struct coverage_page *page)
{
    put(page, "<p class=\"soft\">");
    for (size_t i = 0; i < page->coverage->source_count; i++) {
        const struct cairn_coverage_source *const source = &page->coverage->sources[i];

        put_escaped(page, source->capture);
        put(page, " ");
        put_escaped(page, source->name);
        cairn_output_format(page->output,
                            ": %" PRIu64 " instruction%s, %" PRIu64 " byte%s of trace<br>\n",
                            source->instructions, cairn_plural(source->instructions), source->bytes,
                            cairn_plural(source->bytes));
    }
    put(page, "</p>\n");
}

static void put_unknown(const struct coverage_page *page)
{
    const struct cairn_coverage *const coverage = page->coverage;
    const uint64_t lost = cairn_coverage_lost(coverage);
    const uint64_t overflows = cairn_coverage_overflows(coverage);

    if (lost)
        cairn_output_format(page->output,
                            "<p class=\"note\">Not known: %" PRIu64
                            " byte%s of trace could not be followed. What "
                            "is shown as not executed may have been executed there.</p>\n",
                            lost, lost == 1 ? "" : "s");
    if (overflows)
        cairn_output_format(page->output,
                            "<p class=\"note\">Not known: trace units overflowed %" PRIu64
                            " time%s. What is shown as not executed may have been executed "
                            "there.</p>\n",
                            overflows, overflows == 1 ? "" : "s");
    if (coverage->others.insns)
        cairn_output_format(page->output,
                            "<p class=\"note\">Not known: code without symbols, of which %" PRIu64
                            " instructions were executed: how much more of it there is.</p>\n",
                            coverage->others.insns);
    for (size_t i = 0; i < coverage->object_count; i++) {
        if (!coverage->objects[i].partial)
            continue;
        put(page, "<p class=\"note\">Not known: ");
        put_escaped(page, coverage->objects[i].path);
        cairn_output_format(page->output, CAIRN_COVERAGE_PARTIAL, coverage->objects[i].partial,
                            coverage->objects[i].partial == 1 ? "" : "s");
        put(page, ".</p>\n");
    }
    if (!coverage->missing_count)
        return;
    put(page, "<p class=\"note\">Not known: code that was executed, but has no image, at");
    for (size_t i = 0; i < coverage->missing_count && i < MISSING_SHOWN; i++)
        cairn_output_format(page->output, "%s <code>0x%" PRIx64 "</code>", i ? "," : "",
                            coverage->missing[i].address);
    if (coverage->missing_count > MISSING_SHOWN)
        cairn_output_format(page->output, " and %s%zu more addresses",
                            coverage->has_more_missing ? "at least " : "",
                            coverage->missing_count - MISSING_SHOWN);
    put(page, ".</p>\n");
}

/* --- tables --- */

static void put_cell(const struct coverage_page *page, uint64_t part, uint64_t all)
{
    const struct cairn_coverage_share share = cairn_coverage_share(part, all);

    if (all)
        cairn_output_format(page->output,
                            "<td data-v=\"%u.%u\">%u.%u %%</td><td data-v=\"%" PRIu64 "\">%" PRIu64
                            "/%" PRIu64 "</td>",
                            share.whole, share.tenths, share.whole, share.tenths, part, part, all);
    else
        put(page, "<td data-v=\"-1\">-</td><td data-v=\"-1\">-</td>");
}

static void put_sums(const struct coverage_page *page, const struct cairn_coverage_sums *sums)
{
    put_cell(page, sums->lines_hit, sums->lines);
    put_cell(page, sums->insns_hit, sums->insns);
    put_cell(page, 2 * sums->both + sums->one, 2 * sums->branches);
}

#define SUMS_HEAD                                                                                  \
    "<th scope=\"col\">Lines</th><th scope=\"col\">of</th><th scope=\"col\">Instructions</th>"     \
    "<th scope=\"col\">of</th><th scope=\"col\">Ways of branches</th><th scope=\"col\">of</th>"

static void put_files(const struct coverage_page *page)
{
    const struct cairn_coverage *const coverage = page->coverage;

    if (!coverage->file_count)
        return;
    put(page, "<h2>Files</h2>\n<div class=\"wide\"><table class=\"sort\"><thead><tr>"
              "<th scope=\"col\" class=\"name\">File</th>" SUMS_HEAD "</tr></thead><tbody>\n");
    for (size_t i = 0; i < coverage->file_count; i++) {
        cairn_output_format(page->output, "<tr><td class=\"name\"><a href=\"#f%zu\">", i);
        put_path(page, coverage->files[i].name);
        put(page, "</a></td>");
        put_sums(page, &coverage->files[i].sums);
        put(page, "</tr>\n");
    }
    put(page, "</tbody></table></div>\n");
}

static void put_functions(const struct coverage_page *page)
{
    const struct cairn_coverage *const coverage = page->coverage;

    put(page,
        "<h2>Functions</h2>\n<div class=\"wide\"><table class=\"sort\"><thead><tr>"
        "<th scope=\"col\" class=\"name\">Function</th><th scope=\"col\">Entered</th>" SUMS_HEAD
        "</tr></thead><tbody>\n");
    for (size_t i = 0; i < coverage->function_count && cairn_output_wanted(page->output); i++) {
        const struct cairn_coverage_function *const one = &coverage->functions[i];
        const uint64_t entered = cairn_coverage_entered(one);

        put(page, "<tr><td class=\"name\">");
        if (one->file != CAIRN_COVERAGE_NONE)
            cairn_output_format(page->output, "<a href=\"#f%" PRIu32 "l%" PRIu32 "\">", one->file,
                                one->line);
        put_escaped(page, cairn_coverage_name(page->view, one));
        if (one->file != CAIRN_COVERAGE_NONE)
            put(page, "</a>");
        cairn_output_format(page->output, "</td><td data-v=\"%" PRIu64 "\">%" PRIu64 "</td>",
                            entered, entered);
        if (one->is_partial)
            cairn_output_format(
                page->output,
                "<td data-v=\"-1\">-</td><td data-v=\"-1\">-</td><td data-v=\"-1\">-</td>"
                "<td data-v=\"%" PRIu64 "\">%" PRIu64
                "/?</td><td data-v=\"-1\">-</td><td data-v=\"-1\">-</td>",
                one->sums.insns_hit, one->sums.insns_hit);
        else
            put_sums(page, &one->sums);
        put(page, "</tr>\n");
    }
    for (size_t i = 0; i < coverage->object_count; i++) {
        const struct cairn_coverage_sums *const sums = &coverage->objects[i].others;
        char text[CAIRN_COVERAGE_NAME];

        if (!sums->insns)
            continue;
        put(page, "<tr><td class=\"name\">");
        put_escaped(page, cairn_coverage_others(coverage, (uint32_t)i, text));
        cairn_output_format(
            page->output,
            " <span class=\"soft\">code without symbols: only what ran</span></td>"
            "<td data-v=\"-1\">-</td><td data-v=\"-1\">-</td><td data-v=\"-1\">-</td>"
            "<td data-v=\"-1\">-</td><td data-v=\"%" PRIu64 "\">%" PRIu64
            "/?</td><td data-v=\"-1\">-</td><td data-v=\"-1\">-</td></tr>\n",
            sums->insns, sums->insns);
    }
    put(page, "</tbody></table></div>\n");
}

/* --- sources --- */

/* "taken 3, not 4; taken 0, not 0" */
static void put_ways(const struct coverage_page *page, const struct cairn_coverage_line *line)
{
    const struct cairn_coverage *const coverage = page->coverage;
    bool any = false;

    for (size_t i = line->first_insn; i < line->first_insn + line->insn_count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[coverage->by_line[i]];

        if (insn->choice != CAIRN_CHOICE_BRANCH)
            continue;
        put(page, any ? "&#10;" : "");
        any = true;
        if (!insn->executed)
            put(page, "a branch that was never executed");
        else if (!insn->told)
            put(page, "a branch whose outcome the trace does not tell");
        else
            cairn_output_format(page->output, "a branch: taken %" PRIu64 ", not taken %" PRIu64,
                                insn->taken, insn->told - insn->taken);
    }
}

static void put_line(const struct coverage_page *page, uint32_t file, uint32_t number,
                     const struct cairn_coverage_line *line, const struct cairn_source_line *text)
{
    struct cairn_output *const output = page->output;
    const struct cairn_coverage_sums *const sums = line ? &line->sums : NULL;
    const bool is_half =
        line && line->count &&
        (2 * sums->both + sums->one < 2 * sums->branches || sums->insns_hit < sums->insns);

    cairn_output_format(output, "<tr id=\"f%" PRIu32 "l%" PRIu32 "\"", file, number);
    if (line)
        cairn_output_format(output, " class=\"%s\"",
                            !line->count ? "no"
                            : is_half    ? "half"
                                         : "yes");
    cairn_output_format(output, "><td class=\"soft\">%" PRIu32 "</td>", number);
    if (!line) {
        put(page, "<td></td><td></td><td></td><td>");
    } else {
        /* so that nobody has to tell colours apart */
        cairn_output_format(output, "<td class=\"mark\">%s</td><td>%" PRIu64 "</td><td",
                            !line->count ? "&#10007;"
                            : is_half    ? "&#9680;"
                                         : "&#10003;",
                            line->count);
        if (sums->branches) {
            put(page, " title=\"");
            put_ways(page, line);
            cairn_output_format(output, "\">%" PRIu64 "/%" PRIu64, 2 * sums->both + sums->one,
                                2 * sums->branches);
        } else {
            put(page, ">");
        }
        put(page, "</td><td>");
    }
    if (text->state == CAIRN_SOURCE_FOUND)
        cairn_markup_text(output, text->text, text->length);
    put(page, "</td></tr>\n");
}

static void put_source(const struct coverage_page *page, uint32_t number)
{
    const struct cairn_coverage *const coverage = page->coverage;
    const struct cairn_coverage_file *const file = &coverage->files[number];
    const size_t end = file->first_line + file->line_count;
    const struct cairn_coverage_share share =
        cairn_coverage_share(file->sums.lines_hit, file->sums.lines);
    size_t at = file->first_line;
    struct cairn_source_line text =
        cairn_sources_line(page->view->sources, file->path, 1, &file->changed);

    cairn_output_format(page->output, "<details%s><summary id=\"f%" PRIu32 "\">",
                        coverage->file_count == 1 ? " open" : "", number);
    put_path(page, file->name);
    cairn_output_format(
        page->output, " <span class=\"soft\">%u.%u %% of %" PRIu64 " line%s</span></summary>\n",
        share.whole, share.tenths, file->sums.lines, cairn_plural(file->sums.lines));
    if (text.state == CAIRN_SOURCE_NO_FILE)
        put(page, "<p class=\"note\">The source file is not here: only lines with code are listed. "
                  "--source-path says where it is.</p>\n");
    else if (text.state == CAIRN_SOURCE_NEWER)
        put(page,
            "<p class=\"note\">The source file was changed after the program was made: its text "
            "would be in the wrong places.</p>\n");
    put(page,
        "<div class=\"code\"><table><thead><tr><th scope=\"col\">Line</th><th scope=\"col\"></th>"
        "<th scope=\"col\">Times</th><th scope=\"col\">Ways</th><th scope=\"col\">Source</th>"
        "</tr></thead><tbody>\n");
    const bool has_text = text.state == CAIRN_SOURCE_FOUND;
    for (uint32_t i = 1; has_text && i <= LINES_MOST && cairn_output_wanted(page->output); i++) {
        text = cairn_sources_line(page->view->sources, file->path, i, &file->changed);
        if (text.state != CAIRN_SOURCE_FOUND)
            break;
        const bool is_code = at < end && coverage->lines[at].number == i;
        put_line(page, number, i, is_code ? &coverage->lines[at] : NULL, &text);
        at += is_code;
    }
    text.state = CAIRN_SOURCE_NO_FILE;
    for (; at < end && cairn_output_wanted(page->output); at++)
        put_line(page, number, coverage->lines[at].number, &coverage->lines[at], &text);
    put(page, "</tbody></table></div></details>\n");
}

cairn_status cairn_coverage_html(const struct cairn_coverage_view *view)
{
    const struct coverage_page page = {view, view->coverage, view->output};

    put(&page, cairn_coverage_page_head);
    put(&page, "<h1>Coverage</h1>\n");
    put_sources(&page);
    put_totals(&page);
    put_unknown(&page);
    put_files(&page);
    put_functions(&page);
    if (view->coverage->file_count)
        put(&page,
            "<h2>Sources</h2>\n<p class=\"soft\">&#10003; executed; &#9680; executed, but not all of "
            "its instructions or ways of branches; &#10007; not executed. Lines without a mark have "
            "no code.</p>\n");
    for (uint32_t i = 0; i < view->coverage->file_count && cairn_output_wanted(view->output); i++)
        put_source(&page, i);
    put(&page, cairn_coverage_page_end);
    return CAIRN_OK;
}
