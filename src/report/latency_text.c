/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "report/latency.h"

enum { WIDTH = 11, WIDE = 19, BAR = 40, LINEAR_BINS = 20, FROM_SHOWN = 4 };

static const char *const clock_units[CAIRN_CLOCKS] = {"instructions", "cycles", "ticks"};

/* --- groups --- */

const char *cairn_latency_name(const struct cairn_latency_view *view,
                               const struct cairn_latency_group *group, char text[CAIRN_CALL_NAME])
{
    char copy[CAIRN_CALL_NAME];
    const char *name = group->function
                           ? cairn_latency_function(view->latency, group->function, copy)
                           : "not known";

    if (view->latency->of == CAIRN_LATENCY_PAIRS && view->latency->period)
        snprintf(text, CAIRN_CALL_NAME, "from %.200s to the next time", view->begin);
    else if (view->latency->of == CAIRN_LATENCY_PAIRS)
        snprintf(text, CAIRN_CALL_NAME, "from %.200s to %.200s", view->begin, view->end);
    else if (!group->exception)
        snprintf(text, CAIRN_CALL_NAME, "%.500s", name);
    else if (group->address && group->function)
        snprintf(text, CAIRN_CALL_NAME, "%s%s: 0x%" PRIx64 " %.400s",
                 group->kind == CAIRN_CALL_SIGNAL ? "signal by " : "", group->exception,
                 group->address, name);
    else
        snprintf(text, CAIRN_CALL_NAME, "%s%s: %.400s",
                 group->kind == CAIRN_CALL_SIGNAL ? "signal by " : "", group->exception, name);
    return text;
}

static size_t linear_bins(const struct cairn_spread *spread, struct cairn_latency_bin *bins)
{
    const uint64_t range = spread->greatest - spread->least;
    const uint64_t width = range / LINEAR_BINS + 1;
    size_t count = 0;

    for (uint64_t first = spread->least;; first += width) {
        bins[count++] = (struct cairn_latency_bin){
            first, first + width, cairn_spread_between(spread, first, first + width)};
        if (spread->greatest - first < width || count == CAIRN_LATENCY_BINS_MAX)
            return count;
    }
}

size_t cairn_latency_bins(const struct cairn_latency_view *view,
                          const struct cairn_latency_group *group,
                          struct cairn_latency_bin bins[CAIRN_LATENCY_BINS_MAX])
{
    const struct cairn_spread *spread = &group->high[view->clock];
    size_t count = 0;

    if (spread->count == 0)
        return 0;
    if (view->linear)
        return linear_bins(spread, bins);
    for (unsigned power = 0; power <= 64; power++) {
        const uint64_t first = power ? UINT64_C(1) << (power - 1) : 0;
        const uint64_t end = power < 64 ? UINT64_C(1) << power : 0;

        if ((end && end <= spread->least) || first > spread->greatest)
            continue;
        bins[count++] =
            (struct cairn_latency_bin){first, end, cairn_spread_between(spread, first, end)};
    }
    return count;
}

/* --- numbers --- */

static double shown(const struct cairn_latency_view *view, double value)
{
    return view->frequency ? value * 1e9 / (double)view->frequency : value;
}

static void write_value(const struct cairn_latency_view *view, uint64_t value, char text[24])
{
    if (view->frequency)
        snprintf(text, 24, "%.0f", shown(view, (double)value));
    else
        snprintf(text, 24, "%" PRIu64, value);
}

static void write_span(const struct cairn_latency_view *view, uint64_t low, uint64_t high,
                       char text[50])
{
    char first[24], last[24];

    write_value(view, low, first);
    write_value(view, high, last);
    if (strcmp(first, last))
        snprintf(text, 50, "%s..%s", first, last);
    else
        snprintf(text, 50, "%s", first);
}

static void put_cell(const struct cairn_latency_view *view, uint64_t low, uint64_t high)
{
    char text[50];

    write_span(view, low, high, text);
    cairn_output_format(view->output, " %*s", view->width, text);
}

static void put_mean(const struct cairn_latency_view *view, double low, double high)
{
    char text[64];

    if (low < high)
        snprintf(text, sizeof text, "%.1f..%.1f", shown(view, low), shown(view, high));
    else
        snprintf(text, sizeof text, "%.1f", shown(view, low));
    cairn_output_format(view->output, " %*s", view->width, text);
}

/* --- the table --- */

static bool has_shares(const struct cairn_latency_view *view)
{
    const struct cairn_latency *latency = view->latency;

    return latency->of == CAIRN_LATENCY_EXCEPTIONS && !latency->period &&
           latency->whole[view->clock] > 0 && view->clock != CAIRN_CLOCK_TIME;
}

static void put_head(const struct cairn_latency_view *view)
{
    static const char *const columns[] = {"min", "mean", "p50", "p90", "p99", "max"};

    cairn_output_format(view->output, "%9s", "count");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        cairn_output_format(view->output, " %*s", view->width, columns[i]);
    if (view->latency->period)
        cairn_output_format(view->output, " %*s", view->width, "jitter");
    cairn_output_format(view->output, "%s  what", has_shares(view) ? "    share" : "");
    cairn_output_line(view->output);
}

/* With what it is at least or at most in front, where it is not known whole. */
static void put_share(const struct cairn_latency_view *view, uint64_t self, const char *bound)
{
    char text[32];

    if (!has_shares(view))
        return;
    if (view->latency->is_whole_unknown[view->clock])
        snprintf(text, sizeof text, "?");
    else
        snprintf(text, sizeof text, "%s%.2f%%", bound,
                 100.0 * (double)self / (double)view->latency->whole[view->clock]);
    cairn_output_format(view->output, " %8s", text);
}

static void put_row(const struct cairn_latency_view *view, const struct cairn_latency_group *group)
{
    static const unsigned parts[] = {500, 900, 990};
    const struct cairn_spread *low = &group->low[view->clock], *high = &group->high[view->clock];
    char text[CAIRN_CALL_NAME];

    cairn_output_format(view->output, "%9" PRIu64, group->count);
    if (low->count) {
        put_cell(view, low->least, high->least);
        put_mean(view, cairn_spread_mean(low), cairn_spread_mean(high));
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            put_cell(view, cairn_spread_at(low, parts[i]), cairn_spread_at(high, parts[i]));
        put_cell(view, low->greatest, high->greatest);
        if (view->latency->period)
            put_cell(view, low->greatest > high->least ? low->greatest - high->least : 0,
                     high->greatest - low->least);
    } else {
        for (unsigned i = 0; i < 6u + view->latency->period; i++)
            cairn_output_format(view->output, " %*s", view->width, "?");
    }
    put_share(view, group->self[view->clock], group->self_unknown[view->clock] ? ">=" : "");
    cairn_output_format(view->output, "  %s", cairn_latency_name(view, group, text));
    cairn_output_line(view->output);
}

static void put_rest(const struct cairn_latency_view *view, uint64_t self, const char *bound,
                     const char *what)
{
    cairn_output_format(view->output, "%*s", 9 + 6 * (view->width + 1), "");
    put_share(view, self, bound);
    cairn_output_format(view->output, "  %s", what);
    cairn_output_line(view->output);
}

static void put_outside(const struct cairn_latency_view *view)
{
    const struct cairn_latency *latency = view->latency;
    const uint64_t whole = latency->whole[view->clock];
    uint64_t inside = 0, others = 0, unknown = 0, others_unknown = 0;

    if (!has_shares(view))
        return;
    for (uint32_t i = 0; i < latency->group_count; i++) {
        const struct cairn_latency_group *group = &latency->groups[i];

        inside += group->self[view->clock];
        unknown += group->self_unknown[view->clock];
        others += group->is_wanted ? 0 : group->self[view->clock];
        others_unknown += group->is_wanted ? 0 : group->self_unknown[view->clock];
    }
    if (others || others_unknown)
        put_rest(view, others, others_unknown ? ">=" : "", "other exceptions");
    put_rest(view, inside < whole ? whole - inside : 0, unknown ? "<=" : "",
             latency->lost || latency->unbegun
                 ? "outside of exceptions, or in some of which the beginning was not seen"
                 : "outside of exceptions");
}

static void put_unbegun(const struct cairn_latency_view *view)
{
    const uint64_t count = view->latency->unbegun;

    if (count == 0)
        return;
    cairn_output_format(view->output,
                        view->latency->of == CAIRN_LATENCY_PAIRS
                            ? "%" PRIu64 " end%s without a begin"
                            : "%" PRIu64
                              " exception%s returned, of which the beginning was not seen",
                        count, count == 1 ? "" : "s");
    cairn_output_line(view->output);
}

/* --- details --- */

static bool tells_switches(const struct cairn_latency_view *view)
{
    return view->latency->of != CAIRN_LATENCY_PAIRS && !view->latency->period &&
           view->clock != CAIRN_CLOCK_TIME;
}

static const char *why_unknown(const struct cairn_latency_view *view)
{
    const bool is_apart = view->latency->without_exceptions;

    if (view->clock == CAIRN_CLOCK_INSTRUCTIONS)
        return is_apart ? "some code, or what exceptions took, is not known"
                        : "some code is not known";
    return is_apart ? "the clock, or what exceptions took, is not told" : "the clock is not told";
}

static void put_ends(const struct cairn_latency_view *view, const struct cairn_latency_group *group)
{
    static const char *const told[CAIRN_LATENCY_ENDS] = {
        NULL,
        "cut by a gap: trace was lost, or memory is missing",
        "still running at the end",
        "of which the beginning was not seen",
        "left by another way than a return",
        "that began again before they ended",
        "of which nothing was traced",
        "cut by a switch to another stack: which one went on is not known",
    };

    for (uint32_t end = CAIRN_LATENCY_CUT; end < CAIRN_LATENCY_ENDS; end++) {
        if (group->ends[end] == 0 ||
            (end == CAIRN_LATENCY_UNSEEN && view->clock != CAIRN_CLOCK_INSTRUCTIONS))
            continue;
        cairn_output_format(view->output, "  not measured: %" PRIu64 " %s", group->ends[end],
                            told[end]);
        cairn_output_line(view->output);
    }
    const uint64_t unseen =
        view->clock == CAIRN_CLOCK_INSTRUCTIONS ? group->ends[CAIRN_LATENCY_UNSEEN] : 0;
    if (group->unknown[view->clock] > unseen) {
        cairn_output_format(view->output, "  not measured: %" PRIu64 " of which %s",
                            group->unknown[view->clock] - unseen, why_unknown(view));
        cairn_output_line(view->output);
    }
    if (group->with_off && view->clock == CAIRN_CLOCK_INSTRUCTIONS) {
        cairn_output_format(view->output,
                            "  %" PRIu64 " have a part that was not traced, which is not in them",
                            group->with_off);
        cairn_output_line(view->output);
    }
    if (group->apart && tells_switches(view)) {
        cairn_output_format(view->output,
                            "  %" PRIu64
                            " were left for other threads or tasks: what those did is not in them",
                            group->apart);
        cairn_output_line(view->output);
    }
}

/* put_ends has something to tell. */
static bool is_limited(const struct cairn_latency_view *view,
                       const struct cairn_latency_group *group)
{
    const bool is_by_count = view->clock == CAIRN_CLOCK_INSTRUCTIONS;

    return group->count != group->low[view->clock].count || (is_by_count && group->with_off) ||
           (group->apart && tells_switches(view));
}

static void put_bins(const struct cairn_latency_view *view, const struct cairn_latency_group *group)
{
    struct cairn_latency_bin bins[CAIRN_LATENCY_BINS_MAX];
    const size_t count = cairn_latency_bins(view, group, bins);
    uint64_t most = 1;

    for (size_t i = 0; i < count; i++)
        most = bins[i].count > most ? bins[i].count : most;
    for (size_t i = 0; i < count; i++) {
        const size_t length =
            (size_t)((double)bins[i].count * BAR / (double)most + (bins[i].count ? 0.999 : 0));
        char text[50];

        write_span(view, bins[i].first, bins[i].end ? bins[i].end - 1 : UINT64_MAX, text);
        cairn_output_format(view->output, "  %23s %9" PRIu64 "%s", text, bins[i].count,
                            length ? " " : "");
        for (size_t k = 0; k < length && k < BAR; k++)
            cairn_output_char(view->output, '#');
        cairn_output_line(view->output);
    }
}

static void put_interrupted(const struct cairn_latency_view *view,
                            const struct cairn_latency_group *group)
{
    uint64_t others = group->from_others;
    char text[CAIRN_CALL_NAME];

    if (group->from_count == 0)
        return;
    cairn_output_text(view->output, "  interrupted:");
    for (uint32_t i = 0; i < group->from_count; i++) {
        if (i >= FROM_SHOWN) {
            others += group->from[i].count;
            continue;
        }
        cairn_output_format(view->output, "%s %s %" PRIu64, i ? "," : "",
                            cairn_latency_function(view->latency, group->from[i].function, text),
                            group->from[i].count);
    }
    if (others)
        cairn_output_format(view->output, ", others %" PRIu64, others);
    cairn_output_line(view->output);
}

/* What lies between the code that was interrupted and the handler, where each instruction has its cycle. */
static void put_crossing(const struct cairn_latency_view *view, const char *what,
                         const struct cairn_spread *spread)
{
    if (spread->count == 0 || view->clock != CAIRN_CLOCK_CYCLES)
        return;
    cairn_output_format(view->output, "  %s:", what);
    put_cell(view, spread->least, spread->least);
    cairn_output_text(view->output, " at least,");
    put_mean(view, cairn_spread_mean(spread), cairn_spread_mean(spread));
    cairn_output_text(view->output, " mean,");
    put_cell(view, spread->greatest, spread->greatest);
    cairn_output_text(view->output, " at most");
    cairn_output_line(view->output);
}

static void put_worst(const struct cairn_latency_view *view,
                      const struct cairn_latency_group *group)
{
    for (uint32_t i = 0; i < group->worst_count[view->clock]; i++) {
        const struct cairn_latency_sample *sample = &group->worst[view->clock][i];
        const struct cairn_latency_span *span = &sample->span[view->clock];
        char text[50], word[CAIRN_SHELL_ROOM];

        write_span(view, span->low, span->high, text);
        cairn_output_format(view->output, "  longest: %s, from instruction %" PRIu64 ": cairn flow",
                            text, sample->from.moment.executed);
        for (size_t k = 0; k + 1 < view->word_count; k += 2) {
            cairn_output_format(view->output, " --%s ", view->words[k]);
            cairn_output_text(view->output, cairn_shell_word(view->words[k + 1], word));
        }
        cairn_output_text(view->output, " --source ");
        cairn_output_text(view->output, cairn_shell_word(sample->source, word));
        cairn_output_format(view->output, " --from 0x%" PRIx64 " --to 0x%" PRIx64 " ",
                            sample->from.offset, sample->to.offset + 1);
        cairn_output_text(view->output, cairn_shell_file(view->capture, word));
        cairn_output_line(view->output);
    }
}

static int compare_groups(const void *a, const void *b)
{
    const struct cairn_latency_group *const *one = a, *const *other = b;

    if ((*one)->count != (*other)->count)
        return (*one)->count > (*other)->count ? -1 : 1;
    return *one < *other ? -1 : 1;
}

/* Those that are wanted, the most frequent first. */
static const struct cairn_latency_group **in_order(const struct cairn_latency *latency,
                                                   size_t *count)
{
    const struct cairn_latency_group **list =
        calloc((size_t)latency->group_count + 1, sizeof(const struct cairn_latency_group *));

    *count = 0;
    for (uint32_t i = 0; list && i < latency->group_count; i++)
        if (latency->groups[i].is_wanted && latency->groups[i].count)
            list[(*count)++] = &latency->groups[i];
    if (list)
        qsort(list, *count, sizeof(const struct cairn_latency_group *), compare_groups);
    return list;
}

void cairn_latency_text(const struct cairn_latency_view *of)
{
    const struct cairn_latency *latency = of->latency;
    struct cairn_latency_view copy = *of;
    const struct cairn_latency_view *view = &copy;
    size_t count;
    const struct cairn_latency_group **list = in_order(latency, &count);
    bool inexact = false, rounded = false;
    char text[CAIRN_CALL_NAME];

    for (size_t i = 0; i < count; i++) {
        inexact = inexact || list[i]->inexact[of->clock];
        rounded = rounded || list[i]->low[view->clock].is_rounded ||
                  list[i]->high[view->clock].is_rounded;
    }
    copy.width = inexact ? WIDE : WIDTH;
    cairn_output_format(view->output, "in %s%s%s",
                        view->frequency ? "nanoseconds" : clock_units[view->clock],
                        inexact ? "; A..B is at least A and at most B" : "",
                        rounded ? "; percentiles are rounded to 12 bits" : "");
    cairn_output_line(view->output);
    put_head(view);
    for (size_t i = 0; i < count; i++)
        put_row(view, list[i]);
    put_outside(view);
    put_unbegun(view);
    for (size_t i = 0; i < count; i++) {
        if (i >= view->top && !is_limited(view, list[i]))
            continue;
        cairn_output_line(view->output);
        cairn_output_text(view->output, cairn_latency_name(view, list[i], text));
        cairn_output_line(view->output);
        put_ends(view, list[i]);
        if (i >= view->top)
            continue;
        put_bins(view, list[i]);
        put_interrupted(view, list[i]);
        put_crossing(view, "entry", &list[i]->entry);
        put_crossing(view, "return", &list[i]->back);
        put_worst(view, list[i]);
    }
    free(list);
}
