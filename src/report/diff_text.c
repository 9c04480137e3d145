/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison for people: the first parting in full, the next ones a line each, then what differs most. */
#include "report/diff_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Instructions in front of a parting, and behind it, that are shown. */
enum { SHOWN_BEFORE = 4, SHOWN_BEHIND = 4, CHAIN_SHOWN = 12, EXCEPTIONS_SHOWN = 12 };

static const char side_names[] = "AB";

static void put_address(const struct cairn_diff_view *view, uint64_t address,
                        const struct cairn_diff_where *where)
{
    cairn_output_format(view->output, "0x%" PRIx64, address);
    if (!where->function)
        return;
    cairn_output_format(view->output, " <%s", cairn_naming_short(view->naming, where->function));
    if (where->offset)
        cairn_output_format(view->output, "+0x%" PRIx64, where->offset);
    cairn_output_char(view->output, '>');
}

static void put_line(const struct cairn_diff_view *view, const struct cairn_diff_where *where)
{
    const char *const slash = where->file ? strrchr(where->file, '/') : NULL;

    if (where->file)
        cairn_output_format(view->output, "  %s:%u", slash ? slash + 1 : where->file, where->line);
}

/* One instruction; `mark` in front of it. */
static unsigned put_insn(const struct cairn_diff_view *view, unsigned side, uint32_t number,
                         uint64_t address, const char *mark)
{
    const struct cairn_diff *const diff = view->diff;
    const struct cairn_diff_run *const run = &diff->runs[side];
    const enum cairn_isa isa = (enum cairn_isa)diff->blocks[number].isa;
    const struct cairn_arch *const arch = cairn_config_arch(run->sources[0].config);
    struct cairn_insn insn = {.size = isa == CAIRN_ISA_T32 ? 2 : 4};
    struct cairn_diff_where where;
    char text[128] = "";

    (void)cairn_diff_where(diff, side, number, address, &where);
    if (cairn_space_insn(run->space, arch, isa, address, &insn))
        cairn_disassemble(view->disasm, arch, isa, address, &insn, text, sizeof text);
    cairn_output_text(view->output, mark);
    put_address(view, address, &where);
    cairn_output_format(view->output, "  %s", text);
    if (insn.kind == CAIRN_INSN_BRANCH_DIRECT) {
        struct cairn_diff_where target = {0};

        if (!cairn_space_symbol(run->space, insn.target, &target.function, &target.offset) &&
            target.function) {
            cairn_output_format(view->output, " <%s",
                                cairn_naming_short(view->naming, target.function));
            if (target.offset)
                cairn_output_format(view->output, "+0x%" PRIx64, target.offset);
            cairn_output_char(view->output, '>');
        }
    }
    put_line(view, &where);
    cairn_output_line(view->output);
    return insn.size;
}

static unsigned size_at(const struct cairn_diff *diff, unsigned side, uint32_t number,
                        uint64_t address)
{
    const struct cairn_diff_run *const run = &diff->runs[side];
    const enum cairn_isa isa = (enum cairn_isa)diff->blocks[number].isa;
    struct cairn_insn insn = {.size = 2};

    if (isa != CAIRN_ISA_T32)
        return 4;
    (void)cairn_space_insn(run->space, cairn_config_arch(run->sources[0].config), isa, address,
                           &insn);
    return insn.size;
}

/* The instructions of a block up to one of it. */
static void put_before(const struct cairn_diff_view *view, unsigned side, uint32_t number,
                       uint64_t address)
{
    const struct cairn_diff *const diff = view->diff;
    const struct cairn_diff_block *const block = &diff->blocks[number];
    uint64_t recent[SHOWN_BEFORE];
    uint64_t at = block->seen[side].address;
    unsigned count = 0;

    if (cairn_space_select(diff->runs[side].space, &block->seen[side].place))
        return;
    for (uint32_t i = 0; i < block->instructions && at != address; i++) {
        recent[count++ % SHOWN_BEFORE] = at;
        at += size_at(diff, side, number, at);
    }
    for (unsigned i = count > SHOWN_BEFORE ? count - SHOWN_BEFORE : 0; i < count; i++)
        (void)put_insn(view, side, number, recent[i % SHOWN_BEFORE], "      ");
    (void)put_insn(view, side, number, address, "    > ");
}

/* What a thread executed next. */
static void put_behind(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                       size_t token, unsigned side, uint32_t number, uint64_t address)
{
    const struct cairn_diff *const diff = view->diff;
    const struct cairn_diff_thread *const thread = &diff->runs[side].threads[pair->threads[side]];

    for (unsigned shown = 0; shown < SHOWN_BEHIND;) {
        const struct cairn_diff_block *const block = &diff->blocks[number];
        const uint64_t end = block->seen[side].address + (block->end - block->first);

        for (uint32_t i = 0; i < block->instructions && address != end && shown < SHOWN_BEHIND;
             i++, shown++)
            address += put_insn(view, side, number, address, "      ");
        if (++token >= thread->count || thread->tokens[token] == CAIRN_DIFF_GAP)
            return;
        number = thread->tokens[token];
        address = diff->blocks[number].seen[side].address;
    }
}

static void put_chain(const struct cairn_diff_view *view, const struct cairn_diff_thread *thread,
                      size_t token)
{
    const struct cairn_diff *const diff = view->diff;
    uint32_t chain = token < thread->count ? thread->chains[token] : 0;
    int shown = 0;

    if (!chain)
        return;
    cairn_output_text(view->output, "  in ");
    for (; chain && shown < CHAIN_SHOWN; chain = diff->chains[chain].parent, shown++) {
        if (shown)
            cairn_output_text(view->output, shown == 1 ? ", called by " : " < ");
        cairn_output_text(view->output,
                          cairn_naming_short(view->naming, diff->names[diff->chains[chain].name]));
    }
    if (chain)
        cairn_output_text(view->output, " < ...");
    cairn_output_line(view->output);
}

static void put_what(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                     const struct cairn_diff_parting *parting, unsigned side)
{
    const struct cairn_diff *const diff = view->diff;
    const struct cairn_diff_thread *const thread = &diff->runs[side].threads[pair->threads[side]];
    const char *const what = cairn_diff_what(diff, pair, parting, side);
    struct cairn_diff_where where;
    uint64_t address;
    uint32_t number;
    size_t token;
    const bool goes_on = cairn_diff_next(diff, pair, parting, side, &number, &address, &token);

    cairn_output_format(view->output, "  %c ", side_names[side]);
    if (strcmp(what, "gap") == 0) {
        const uint64_t account = cairn_diff_account(thread, token);

        cairn_output_format(view->output, "has a %s",
                            cairn_account_name((enum cairn_account)account));
        cairn_output_line(view->output);
        return;
    }
    if (!goes_on) {
        cairn_output_text(view->output, "ends here: there is no more of it in the trace");
        if (thread->ended_in[0])
            cairn_output_format(view->output, ", which ends in %s", thread->ended_in);
        cairn_output_line(view->output);
        return;
    }
    (void)cairn_diff_where(diff, side, number, address, &where);
    if (strcmp(what, "taken") == 0)
        cairn_output_text(view->output, "takes the branch, to ");
    else if (strcmp(what, "not_taken") == 0)
        cairn_output_text(view->output, "does not take it, and goes on at ");
    else if (strcmp(what, "begins") == 0)
        cairn_output_text(view->output, "begins at ");
    else
        cairn_output_text(view->output, "goes to ");
    put_address(view, address, &where);
    put_line(view, &where);
    cairn_output_line(view->output);
    put_behind(view, pair, token, side, number, address);
}

static void put_counts(const struct cairn_diff_view *view, const char *text,
                       const uint64_t counts[CAIRN_DIFF_SIDES])
{
    cairn_output_format(view->output, "%s%" PRIu64 " instruction%s in A, %" PRIu64 " in B", text,
                        counts[CAIRN_DIFF_A], counts[CAIRN_DIFF_A] == 1 ? "" : "s",
                        counts[CAIRN_DIFF_B]);
}

static void put_meeting(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                        const struct cairn_diff_parting *parting)
{
    const struct cairn_diff *const diff = view->diff;
    const struct cairn_diff_thread *const thread =
        &diff->runs[CAIRN_DIFF_A].threads[pair->threads[CAIRN_DIFF_A]];
    struct cairn_diff_where where;

    if (!parting->meets || parting->to[CAIRN_DIFF_A].token >= thread->count) {
        put_counts(view, "  they do not meet again: ", parting->instructions);
        cairn_output_text(view->output, " are left");
    } else {
        const uint32_t number = thread->tokens[parting->to[CAIRN_DIFF_A].token];
        const uint64_t address =
            cairn_diff_insn(diff, CAIRN_DIFF_A, number, parting->to[CAIRN_DIFF_A].skip);

        (void)cairn_diff_where(diff, CAIRN_DIFF_A, number, address, &where);
        cairn_output_text(view->output, "  they meet again at ");
        put_address(view, address, &where);
        put_line(view, &where);
        put_counts(view, ", after ", parting->instructions);
    }
    cairn_output_line(view->output);
}

static bool is_known(const struct cairn_diff_parting *parting)
{
    return parting->kind == CAIRN_PARTING_WAYS || parting->kind == CAIRN_PARTING_END;
}

static void put_first(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                      const struct cairn_diff_parting *parting)
{
    const struct cairn_diff *const diff = view->diff;
    uint64_t address, times[CAIRN_DIFF_SIDES];
    uint32_t number;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        times[side] = cairn_diff_time(&diff->runs[side].threads[pair->threads[side]],
                                      parting->from[side].token);
    cairn_output_format(view->output, "%s behind instruction %" PRIu64 " of A, %" PRIu64 " of B",
                        is_known(parting) ? "they part" : "it is not known whether they part",
                        parting->before[CAIRN_DIFF_A], parting->before[CAIRN_DIFF_B]);
    if (times[CAIRN_DIFF_A] && times[CAIRN_DIFF_B])
        cairn_output_format(view->output, " (timestamps %" PRIu64 ", %" PRIu64 ")",
                            times[CAIRN_DIFF_A], times[CAIRN_DIFF_B]);
    cairn_output_char(view->output, ':');
    cairn_output_line(view->output);
    if (cairn_diff_common(diff, pair, parting, CAIRN_DIFF_A, &number, &address)) {
        put_chain(view, &diff->runs[CAIRN_DIFF_A].threads[pair->threads[CAIRN_DIFF_A]],
                  parting->from[CAIRN_DIFF_A].token - !parting->from[CAIRN_DIFF_A].skip);
        cairn_output_text(view->output, "  both execute");
        cairn_output_line(view->output);
        put_before(view, CAIRN_DIFF_A, number, address);
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        put_what(view, pair, parting, side);
    put_meeting(view, pair, parting);
}

static void put_short(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                      const struct cairn_diff_parting *parting)
{
    struct cairn_diff_where where;
    uint64_t address;
    uint32_t number;

    cairn_output_format(view->output, "  %10" PRIu64 " %10" PRIu64 "  ",
                        parting->before[CAIRN_DIFF_A], parting->before[CAIRN_DIFF_B]);
    if (cairn_diff_common(view->diff, pair, parting, CAIRN_DIFF_A, &number, &address)) {
        (void)cairn_diff_where(view->diff, CAIRN_DIFF_A, number, address, &where);
        put_address(view, address, &where);
        put_line(view, &where);
    }
    cairn_output_format(view->output, "  A %s, B %s",
                        cairn_diff_what(view->diff, pair, parting, CAIRN_DIFF_A),
                        cairn_diff_what(view->diff, pair, parting, CAIRN_DIFF_B));
    put_counts(view, "; ", parting->instructions);
    cairn_output_line(view->output);
}

static void put_pair(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair)
{
    struct cairn_diff *const diff = view->diff;
    struct cairn_output *const output = view->output;
    char name[CAIRN_DIFF_NAME];
    size_t shown = 0;

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        const struct cairn_diff_thread *const thread = cairn_diff_thread_of(diff, pair, side);

        if (!thread)
            continue;
        cairn_diff_thread_name(diff, thread, name);
        cairn_output_format(output, "%c: %s: %s: %" PRIu64 " instructions", side_names[side],
                            diff->runs[side].capture, name, thread->instructions);
        if (thread->handled)
            cairn_output_format(output, ", and %" PRIu64 " of handlers", thread->handled);
        if (thread->gaps)
            cairn_output_format(output, ", %" PRIu64 " gap%s", thread->gaps,
                                thread->gaps == 1 ? "" : "s");
        if (!cairn_diff_thread_of(diff, pair, !side))
            cairn_output_format(output, ": %c has no thread to compare with", side_names[!side]);
        cairn_output_line(output);
    }
    if (pair->threads[CAIRN_DIFF_A] == CAIRN_DIFF_NONE ||
        pair->threads[CAIRN_DIFF_B] == CAIRN_DIFF_NONE)
        return;
    if (pair->by_lines)
        cairn_output_format(output, "two builds: compared by functions and source lines\n");
    for (size_t i = 0; i < pair->parting_count && shown < view->partings; i++) {
        const struct cairn_diff_parting *const parting = &pair->partings[i];

        if (shown == 1 && i)
            cairn_output_format(output, "then, behind instruction of A, of B:\n");
        if (shown++ == 0)
            put_first(view, pair, parting);
        else
            put_short(view, pair, parting);
        /* what comes first is not known: the first that is follows in full */
        if (i == 0 && !is_known(parting) && shown < view->partings)
            shown = 0;
    }
    if (pair->ways + pair->unknowns > view->partings)
        cairn_output_format(output, "  ... (--partings N shows more)\n");
    if (pair->ways + pair->unknowns == 0)
        cairn_output_format(output, "the same: %" PRIu64 " instructions\n", pair->common);
    else
        cairn_output_format(output,
                            "in common %" PRIu64 " instructions; parted %" PRIu64 " times: %" PRIu64
                            " in A only, %" PRIu64 " in B only\n",
                            pair->common, pair->ways, pair->own[CAIRN_DIFF_A],
                            pair->own[CAIRN_DIFF_B]);
    if (pair->unknowns)
        cairn_output_format(output,
                            "not known, because of gaps or a beginning elsewhere, %" PRIu64
                            " times: %" PRIu64 " in A, %" PRIu64 " in B\n",
                            pair->unknowns, pair->hidden[CAIRN_DIFF_A], pair->hidden[CAIRN_DIFF_B]);
}

/* --- tables --- */

static void put_ratio(struct cairn_output *output, const uint64_t counts[CAIRN_DIFF_SIDES])
{
    if (!counts[CAIRN_DIFF_A])
        cairn_output_text(output, "  B only");
    else if (!counts[CAIRN_DIFF_B])
        cairn_output_text(output, "  A only");
    else
        cairn_output_format(output, " %7.3f",
                            (double)counts[CAIRN_DIFF_B] / (double)counts[CAIRN_DIFF_A]);
}

static const char *file_part(const char *path)
{
    const char *const slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

static void put_row_name(const struct cairn_diff_view *view, const struct cairn_diff_row *row)
{
    struct cairn_output *const output = view->output;

    if (view->by != CAIRN_DIFF_BY_FUNCTION && row->file)
        cairn_output_format(output, "  %s:%u", row->file, row->line);
    if (view->by == CAIRN_DIFF_BY_BLOCK)
        cairn_output_format(output, "  0x%" PRIx64, row->address);
    if (row->function)
        cairn_output_format(output, "  %s", cairn_naming_short(view->naming, row->function));
    if (!row->object)
        cairn_output_text(output, row->function ? "" : "  [unknown]");
    else if (row->function)
        cairn_output_format(output, "  (%s)", file_part(row->object));
    else if (!row->file)
        cairn_output_format(output, "  [%s]", file_part(row->object));
    cairn_output_line(output);
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
    const cairn_status status = cairn_diff_rows(view->diff, view->by, &rows, &count);

    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        same += rows[i].instructions[CAIRN_DIFF_A] == rows[i].instructions[CAIRN_DIFF_B];
    if (count > same) {
        cairn_output_text(output, "\n           A            B        B - A   B / A");
        if (has_calls)
            cairn_output_text(output, "   calls A   calls B");
        if (has_cycles)
            cairn_output_text(output, "     cycles A     cycles B");
        cairn_output_format(output, "  %s\n", titles[view->by]);
    }
    for (size_t i = 0; i < count && (!view->top || shown < view->top); i++) {
        const struct cairn_diff_row *const row = &rows[i];
        const uint64_t a = row->instructions[CAIRN_DIFF_A], b = row->instructions[CAIRN_DIFF_B];

        if (a == b)
            break;
        shown++;
        cairn_output_format(output, "%12" PRIu64 " %12" PRIu64 " %c%11" PRIu64, a, b,
                            b > a ? '+' : '-', b > a ? b - a : a - b);
        put_ratio(output, row->instructions);
        if (has_calls)
            cairn_output_format(output, " %9" PRIu64 " %9" PRIu64, row->calls[CAIRN_DIFF_A],
                                row->calls[CAIRN_DIFF_B]);
        if (has_cycles)
            cairn_output_format(output, " %12" PRIu64 " %12" PRIu64, row->cycles[CAIRN_DIFF_A],
                                row->cycles[CAIRN_DIFF_B]);
        put_row_name(view, row);
    }
    if (count - same > shown)
        cairn_output_format(output, "... and %zu more that differ (--top N shows more)\n",
                            count - same - shown);
    if (count > same && same)
        cairn_output_format(output, "%zu %ss as often in both\n", same, titles[view->by]);
    free(rows);
    return CAIRN_OK;
}

static cairn_status put_coverage(const struct cairn_diff_view *view)
{
    struct cairn_output *const output = view->output;
    struct cairn_diff_row *rows = NULL;
    struct cairn_diff_way *ways = NULL;
    size_t count = 0, way_count = 0;
    cairn_status status = cairn_diff_rows(view->diff, CAIRN_DIFF_BY_LINE, &rows, &count);

    if (!status)
        status = cairn_diff_ways(view->diff, &ways, &way_count);
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES && !status; side++) {
        cairn_output_format(output, "\nexecuted in %c only:\n", side_names[side]);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].instructions[!side] || (!rows[i].file && !rows[i].function))
                continue;
            cairn_output_format(output, "%12" PRIu64, rows[i].instructions[side]);
            if (rows[i].file)
                cairn_output_format(output, "  %s:%u", rows[i].file, rows[i].line);
            else
                cairn_output_format(output, "  %s",
                                    cairn_naming_short(view->naming, rows[i].function));
            cairn_output_line(output);
        }
        for (size_t i = 0; i < way_count; i++) {
            const struct cairn_diff_block *const block = &view->diff->blocks[ways[i].block];
            const unsigned seen = block->seen[side].times ? side : !side;
            struct cairn_diff_where where;

            if (ways[i].side != side)
                continue;
            const uint64_t address = block->seen[seen].address + (block->last - block->first);
            (void)cairn_diff_where(view->diff, seen, ways[i].block, address, &where);
            cairn_output_format(output, "%12" PRIu64 "  branch ", ways[i].times);
            put_address(view, address, &where);
            cairn_output_text(output, ways[i].taken ? " taken" : " not taken");
            put_line(view, &where);
            cairn_output_line(output);
        }
    }
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

cairn_status cairn_diff_text(const struct cairn_diff_view *view)
{
    cairn_status status;

    for (size_t i = 0; i < view->diff->pair_count && cairn_output_wanted(view->output); i++) {
        if (i)
            cairn_output_format(view->output, "\n");
        put_pair(view, &view->diff->pairs[i]);
    }
    status = view->coverage ? put_coverage(view) : put_table(view);
    put_exceptions(view);
    return status;
}
