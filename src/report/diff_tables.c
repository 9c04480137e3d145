/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs in two runs, for people: how often what was executed in either, what in one of them alone, and exceptions. */
#include "report/diff_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXCEPTIONS_SHOWN = 12 };

static const char side_names[] = "AB";

static void put_ratio(struct cairn_output *output, const struct cairn_diff_row *row)
{
    const uint64_t a = row->instructions[CAIRN_DIFF_A], b = row->instructions[CAIRN_DIFF_B];

    /* what was opposite to gaps alone, the other one may have executed in them */
    if ((!a && b == row->unknown[CAIRN_DIFF_B]) || (!b && a == row->unknown[CAIRN_DIFF_A]))
        cairn_output_text(output, "  gap   ");
    else if (!a)
        cairn_output_text(output, "  B only");
    else if (!b)
        cairn_output_text(output, "  A only");
    else
        cairn_output_format(output, " %7.3f", (double)b / (double)a);
}

static char sign_of(uint64_t a, uint64_t b)
{
    if (a == b)
        return ' ';
    return b > a ? '+' : '-';
}

static bool is_different(const struct cairn_diff_row *row, bool has_cycles, bool has_calls)
{
    return row->instructions[CAIRN_DIFF_A] != row->instructions[CAIRN_DIFF_B] ||
           (has_cycles && row->cycles[CAIRN_DIFF_A] != row->cycles[CAIRN_DIFF_B]) ||
           (has_calls && row->calls[CAIRN_DIFF_A] != row->calls[CAIRN_DIFF_B]);
}

static void put_cycles(const struct cairn_diff_view *view)
{
    const struct cairn_diff_run *const a = &view->diff->runs[CAIRN_DIFF_A];
    const struct cairn_diff_run *const b = &view->diff->runs[CAIRN_DIFF_B];

    cairn_output_format(view->output,
                        "cycles: %" PRIu64 " in A, %" PRIu64
                        " in B; of handlers, or of nothing that "
                        "was executed, %" PRIu64 " and %" PRIu64 " more\n",
                        a->cycles, b->cycles, a->other_cycles, b->other_cycles);
}

static const char *file_part(const char *path)
{
    const char *const slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

/* Its name between brackets. */
static void put_object(struct cairn_output *output, const char *open, const char *path,
                       const char *close)
{
    cairn_output_text(output, open);
    cairn_output_harmless(output, file_part(path));
    cairn_output_text(output, close);
}

static void put_owner(const struct cairn_diff_view *view, const struct cairn_diff_row *row)
{
    struct cairn_output *const output = view->output;

    if (row->function)
        cairn_output_format(output, "  %s", cairn_naming_short(view->naming, row->function));
    if (!row->object)
        cairn_output_text(output, row->function ? "" : "  [unknown]");
    else if (row->function)
        put_object(output, "  (", row->object, ")");
    else if (!row->file)
        put_object(output, "  [", row->object, "]");
    cairn_output_line(output);
}

static void put_row_name(const struct cairn_diff_view *view, const struct cairn_diff_row *row)
{
    struct cairn_output *const output = view->output;

    if (view->by != CAIRN_DIFF_BY_FUNCTION && row->file)
        cairn_output_format(output, "  %s:%u", row->file, row->line);
    if (view->by == CAIRN_DIFF_BY_BLOCK)
        cairn_output_format(output, "  0x%" PRIx64, row->address);
    put_owner(view, row);
}

static cairn_status put_table(const struct cairn_diff_view *view)
{
    static const char *const titles[] = {"function", "line", "block"};
    struct cairn_output *const output = view->output;
    const bool has_cycles =
        view->diff->runs[CAIRN_DIFF_A].has_cycles && view->diff->runs[CAIRN_DIFF_B].has_cycles;
    const bool has_calls = view->by == CAIRN_DIFF_BY_FUNCTION;
    struct cairn_diff_row *rows;
    size_t count, shown = 0, same = 0;
    bool is_open = false;
    const cairn_status status = cairn_diff_rows(view->diff, view->by, &rows, &count);

    if (status)
        return status;
    for (size_t i = 0; i < count; i++) {
        same += !is_different(&rows[i], has_cycles, has_calls);
        is_open |= rows[i].unknown[CAIRN_DIFF_A] || rows[i].unknown[CAIRN_DIFF_B];
    }
    if (count > same) {
        cairn_output_text(output, "\n           A            B        B - A   B / A");
        if (has_calls)
            cairn_output_text(output, "   calls A   calls B");
        if (is_open)
            cairn_output_text(output, "  A at gaps of B  B at gaps of A");
        if (has_cycles)
            cairn_output_text(output, "     cycles A     cycles B");
        cairn_output_format(output, "  %s\n", titles[view->by]);
    }
    for (size_t i = 0; i < count && (!view->top || shown < view->top); i++) {
        const struct cairn_diff_row *const row = &rows[i];
        const uint64_t a = row->instructions[CAIRN_DIFF_A], b = row->instructions[CAIRN_DIFF_B];

        if (!is_different(row, has_cycles, has_calls))
            continue;
        shown++;
        cairn_output_format(output, "%12" PRIu64 " %12" PRIu64 " %c%11" PRIu64, a, b, sign_of(a, b),
                            b > a ? b - a : a - b);
        put_ratio(output, row);
        if (has_calls)
            cairn_output_format(output, " %9" PRIu64 " %9" PRIu64, row->calls[CAIRN_DIFF_A],
                                row->calls[CAIRN_DIFF_B]);
        if (is_open)
            cairn_output_format(output, " %15" PRIu64 " %15" PRIu64, row->unknown[CAIRN_DIFF_A],
                                row->unknown[CAIRN_DIFF_B]);
        if (has_cycles)
            cairn_output_format(output, " %12" PRIu64 " %12" PRIu64, row->cycles[CAIRN_DIFF_A],
                                row->cycles[CAIRN_DIFF_B]);
        put_row_name(view, row);
    }
    if (count - same > shown)
        cairn_output_format(output, "... and %zu more that differ (--top N shows more)\n",
                            count - same - shown);
    if (count > same && same)
        cairn_output_format(output, "%zu %s%s as often in both\n", same, titles[view->by],
                            cairn_diff_plural(same));
    if (has_cycles)
        put_cycles(view);
    free(rows);
    return CAIRN_OK;
}

static bool hides(const struct cairn_diff *diff)
{
    for (size_t i = 1; i < diff->block_count; i++)
        if (diff->blocks[i].seen[CAIRN_DIFF_A].hidden || diff->blocks[i].seen[CAIRN_DIFF_B].hidden)
            return true;
    return false;
}

static cairn_status put_coverage(const struct cairn_diff_view *view)
{
    struct cairn_output *const output = view->output;
    struct cairn_diff_row *rows = NULL;
    struct cairn_diff_way *ways = NULL;
    size_t count = 0, way_count = 0;
    cairn_status status = cairn_diff_rows(view->diff, CAIRN_DIFF_BY_COVERAGE, &rows, &count);

    if (!status)
        status = cairn_diff_ways(view->diff, &ways, &way_count);
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES && !status; side++) {
        size_t listed = 0;

        cairn_output_format(output, "\nexecuted in %c only:\n", side_names[side]);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].instructions[!side])
                continue;
            if (view->top && ++listed > view->top)
                continue;
            cairn_output_format(output, "%12" PRIu64, rows[i].instructions[side]);
            if (rows[i].file)
                cairn_output_format(output, "  %s:%u", rows[i].file, rows[i].line);
            else if (rows[i].end)
                cairn_output_format(output, "  0x%" PRIx64 " to 0x%" PRIx64, rows[i].address,
                                    rows[i].end);
            put_owner(view, &rows[i]);
        }
        for (size_t i = 0; i < way_count; i++) {
            const struct cairn_diff_block *const block = &view->diff->blocks[ways[i].block];
            const unsigned seen = block->seen[side].times ? side : !side;
            struct cairn_diff_where where;

            if (ways[i].side != side || (view->top && ++listed > view->top))
                continue;
            const uint64_t address = block->seen[seen].address + (block->last - block->first);
            (void)cairn_diff_where(view->diff, seen, ways[i].block, address, &where);
            cairn_output_format(output, "%12" PRIu64 "  branch ", ways[i].times);
            cairn_diff_put_address(view, address, &where);
            cairn_output_text(output, ways[i].taken ? " taken" : " not taken");
            cairn_diff_put_line(view, &where);
            cairn_output_line(output);
        }
        if (view->top && listed > view->top)
            cairn_output_format(output, "... and %zu more (--top N shows more)\n",
                                listed - view->top);
    }
    if (!status && hides(view->diff))
        cairn_output_format(output, "\nleft out: what was executed opposite to gaps alone\n");
    free(rows);
    free(ways);
    return status;
}

static bool is_told(const struct cairn_diff_exception *exception)
{
    return exception->is_apart || exception->times[CAIRN_DIFF_A] != exception->times[CAIRN_DIFF_B];
}

static void put_exceptions(const struct cairn_diff_view *view)
{
    const struct cairn_diff *const diff = view->diff;
    size_t shown = 0;

    for (size_t i = 0; i < diff->exception_count && shown < EXCEPTIONS_SHOWN; i++) {
        const struct cairn_diff_exception *const one = &diff->exceptions[i];

        if (!is_told(one))
            continue;
        if (!shown++)
            cairn_output_format(view->output,
                                "\n  taken in A       in B  handled in A       in B  exception\n");
        cairn_output_format(view->output, "%12" PRIu64 " %10" PRIu64, one->times[CAIRN_DIFF_A],
                            one->times[CAIRN_DIFF_B]);
        if (one->is_apart)
            cairn_output_format(view->output, " %13" PRIu64 " %10" PRIu64 "  %s\n",
                                one->instructions[CAIRN_DIFF_A], one->instructions[CAIRN_DIFF_B],
                                one->name);
        else
            cairn_output_format(view->output, " %13s %10s  %s\n", "in flow", "in flow", one->name);
    }
}

cairn_status cairn_diff_put_tables(const struct cairn_diff_view *view)
{
    const cairn_status status = view->coverage ? put_coverage(view) : put_table(view);

    put_exceptions(view);
    return status;
}
