/* SPDX-License-Identifier: BSD-2-Clause */
/* A comparison for people: the first parting in full, the next ones a line each. */
#include "report/diff_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff_kept.h"

/* Instructions in front of a parting, and behind it, that are shown. */
enum { SHOWN_BEFORE = 4, SHOWN_BEHIND = 4, CHAIN_SHOWN = 12 };

static const char side_names[] = "AB";

void cairn_diff_put_address(const struct cairn_diff_view *view, uint64_t address,
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

void cairn_diff_put_line(const struct cairn_diff_view *view, const struct cairn_diff_where *where)
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
    const struct cairn_arch *const arch = diff->blocks[number].seen[side].arch;
    struct cairn_insn insn = {.size = isa == CAIRN_ISA_T32 ? 2 : 4};
    struct cairn_diff_where where;
    char text[128] = "";

    (void)cairn_diff_where(diff, side, number, address, &where);
    if (cairn_space_insn(run->space, arch, isa, address, &insn))
        cairn_disassemble(view->disasm, arch, isa, address, &insn, text, sizeof text);
    cairn_output_text(view->output, mark);
    cairn_diff_put_address(view, address, &where);
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
    cairn_diff_put_line(view, &where);
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
    (void)cairn_space_insn(run->space, diff->blocks[number].seen[side].arch, isa, address, &insn);
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
        uint32_t chain;

        number = cairn_diff_token(diff, thread, ++token, &chain);
        if (number == CAIRN_DIFF_GAP)
            return;
        address = diff->blocks[number].seen[side].address;
    }
}

static void put_chain(const struct cairn_diff_view *view, const struct cairn_diff_thread *thread,
                      size_t token)
{
    const struct cairn_diff *const diff = view->diff;
    uint32_t chain;
    int shown = 0;

    (void)cairn_diff_token(diff, thread, token, &chain);
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

    bool returns = false;
    const char *const exception = cairn_diff_exception(diff, pair, parting, side, &returns);

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
    if (exception)
        cairn_output_format(view->output,
                            returns ? "is interrupted, and the handler of %s returns elsewhere: to "
                                    : "takes an exception, %s, and goes on at ",
                            exception);
    else if (strcmp(what, "taken") == 0)
        cairn_output_text(view->output, "takes the branch, to ");
    else if (strcmp(what, "not_taken") == 0)
        cairn_output_text(view->output, "does not take it, and goes on at ");
    else if (strcmp(what, "begins") == 0)
        cairn_output_text(view->output, "begins at ");
    else if (strcmp(what, "goes_on") == 0)
        cairn_output_text(view->output, "goes on at ");
    else
        cairn_output_text(view->output, "goes to ");
    cairn_diff_put_address(view, address, &where);
    cairn_diff_put_line(view, &where);
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
        uint32_t chain;
        const uint32_t number =
            cairn_diff_token(diff, thread, parting->to[CAIRN_DIFF_A].token, &chain);
        const uint64_t address =
            cairn_diff_insn(diff, CAIRN_DIFF_A, number, parting->to[CAIRN_DIFF_A].skip);

        (void)cairn_diff_where(diff, CAIRN_DIFF_A, number, address, &where);
        cairn_output_text(view->output, "  they meet again at ");
        cairn_diff_put_address(view, address, &where);
        cairn_diff_put_line(view, &where);
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

static const char *short_what(const char *what)
{
    static const char *const texts[][2] = {
        {"taken", "takes it"},
        {"not_taken", "does not take it"},
        {"goes_to", "goes to"},
        {"goes_on", "goes on"},
        {"end", "ends"},
        {"gap", "has a gap"},
        {"exception", "takes an exception"},
        {"elsewhere", "returns elsewhere"},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i][0], what) == 0)
            return texts[i][1];
    return what;
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
        cairn_diff_put_address(view, address, &where);
        cairn_diff_put_line(view, &where);
    }
    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++)
        cairn_output_format(view->output, "%s %c %s", side ? "," : " ", side_names[side],
                            short_what(cairn_diff_what(view->diff, pair, parting, side)));
    put_counts(view, "; ", parting->instructions);
    cairn_output_line(view->output);
}

/* Partings of a kind, in their order, but one. */
static size_t put_others(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair,
                         bool known, const struct cairn_diff_parting *first, const char *title,
                         size_t shown)
{
    bool is_titled = false;

    for (size_t i = 0; i < pair->parting_count && shown < view->partings; i++) {
        const struct cairn_diff_parting *const parting = &pair->partings[i];

        if (parting == first || is_known(parting) != known)
            continue;
        if (!is_titled)
            cairn_output_format(view->output, "%s, behind instruction of A, of B:\n", title);
        is_titled = true;
        put_short(view, pair, parting);
        shown++;
    }
    return shown;
}

/* The first one that is known to be one in full, or if none is the first that may be. */
static void put_partings(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair)
{
    const struct cairn_diff_parting *first = pair->parting_count ? &pair->partings[0] : NULL;

    for (size_t i = 0; i < pair->parting_count; i++)
        if (is_known(&pair->partings[i])) {
            first = &pair->partings[i];
            break;
        }
    if (!first)
        return;
    put_first(view, pair, first);
    const size_t known = put_others(view, pair, true, first, "then", is_known(first));
    const size_t open =
        put_others(view, pair, false, first, "not known whether they part", !is_known(first));
    if (pair->ways > known || pair->unknowns > open)
        cairn_output_format(view->output, "  ... (--partings N shows more)\n");
}

static void put_sums(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair)
{
    struct cairn_output *const output = view->output;
    const uint64_t *const common = pair->common;
    const bool is_same = pair->ways + pair->unknowns == 0;

    if (is_same && pair->by_lines && common[CAIRN_DIFF_A] + common[CAIRN_DIFF_B] == 0)
        cairn_output_text(output, "nothing was compared");
    else if (is_same && pair->by_lines)
        cairn_output_format(
            output,
            "the same functions and lines: %" PRIu64 " instruction%s in A, %" PRIu64 " in B",
            common[CAIRN_DIFF_A], cairn_diff_plural(common[CAIRN_DIFF_A]), common[CAIRN_DIFF_B]);
    else if (is_same)
        cairn_output_format(output, "the same: %" PRIu64 " instruction%s", common[CAIRN_DIFF_A],
                            cairn_diff_plural(common[CAIRN_DIFF_A]));
    else if (common[CAIRN_DIFF_A] == common[CAIRN_DIFF_B])
        cairn_output_format(output, "in common %" PRIu64 " instruction%s", common[CAIRN_DIFF_A],
                            cairn_diff_plural(common[CAIRN_DIFF_A]));
    else
        cairn_output_format(output,
                            "in common the functions and lines of %" PRIu64
                            " instructions in A, %" PRIu64 " in B",
                            common[CAIRN_DIFF_A], common[CAIRN_DIFF_B]);
    if (!is_same)
        cairn_output_format(
            output, "; parted %" PRIu64 " time%s: %" PRIu64 " in A only, %" PRIu64 " in B only",
            pair->ways, cairn_diff_plural(pair->ways), pair->own[CAIRN_DIFF_A],
            pair->own[CAIRN_DIFF_B]);
    cairn_output_line(output);
    if (pair->nameless[CAIRN_DIFF_A] || pair->nameless[CAIRN_DIFF_B])
        cairn_output_format(output,
                            "not compared, for the code has neither symbols nor lines: %" PRIu64
                            " in A, %" PRIu64 " in B\n",
                            pair->nameless[CAIRN_DIFF_A], pair->nameless[CAIRN_DIFF_B]);
    if (pair->unknowns)
        cairn_output_format(output,
                            "not known, because of gaps or a beginning elsewhere, %" PRIu64
                            " time%s: %" PRIu64 " in A, %" PRIu64 " in B\n",
                            pair->unknowns, cairn_diff_plural(pair->unknowns),
                            pair->hidden[CAIRN_DIFF_A], pair->hidden[CAIRN_DIFF_B]);
    else if (pair->hidden[CAIRN_DIFF_A] || pair->hidden[CAIRN_DIFF_B])
        cairn_output_format(output, "not compared: %" PRIu64 " in A, %" PRIu64 " in B\n",
                            pair->hidden[CAIRN_DIFF_A], pair->hidden[CAIRN_DIFF_B]);
}

static void put_builds(const struct cairn_diff_view *view)
{
    const struct cairn_diff *const diff = view->diff;

    for (size_t i = 1; i < diff->object_count; i++) {
        const struct cairn_diff_object *const object = &diff->objects[i];

        if (object->files[CAIRN_DIFF_A] && object->twin != CAIRN_DIFF_NONE)
            cairn_output_format(view->output,
                                "two builds, compared by functions and source lines: %s and %s\n",
                                object->path, diff->objects[object->twin].path);
    }
}

static void put_pair(const struct cairn_diff_view *view, const struct cairn_diff_pair *pair)
{
    struct cairn_diff *const diff = view->diff;
    struct cairn_output *const output = view->output;
    char name[CAIRN_DIFF_NAME];

    for (unsigned side = 0; side < CAIRN_DIFF_SIDES; side++) {
        const struct cairn_diff_thread *const thread = cairn_diff_thread_of(diff, pair, side);

        if (!thread)
            continue;
        cairn_diff_thread_name(diff, thread, name);
        cairn_output_format(output, "%c: %s: %s: %" PRIu64 " instruction%s", side_names[side],
                            diff->runs[side].capture, name, thread->instructions,
                            cairn_diff_plural(thread->instructions));
        if (thread->handled)
            cairn_output_format(output, ", and %" PRIu64 " of handlers", thread->handled);
        if (thread->gaps)
            cairn_output_format(output, ", %" PRIu64 " gap%s", thread->gaps,
                                cairn_diff_plural(thread->gaps));
        if (!cairn_diff_thread_of(diff, pair, !side))
            cairn_output_format(output, ": %c has no thread to compare with", side_names[!side]);
        cairn_output_line(output);
    }
    if (pair->threads[CAIRN_DIFF_A] == CAIRN_DIFF_NONE ||
        pair->threads[CAIRN_DIFF_B] == CAIRN_DIFF_NONE)
        return;
    if (pair->rule != CAIRN_DIFF_BY_CONTEXT && diff->pair_count > 1)
        cairn_output_format(output, "compared because of the order in which their threads came\n");
    if (pair->by_lines)
        put_builds(view);
    put_partings(view, pair);
    put_sums(view, pair);
}

cairn_status cairn_diff_text(const struct cairn_diff_view *view)
{
    for (size_t i = 0; i < view->diff->pair_count && cairn_output_wanted(view->output); i++) {
        if (i)
            cairn_output_format(view->output, "\n");
        put_pair(view, &view->diff->pairs[i]);
    }
    return cairn_diff_put_tables(view);
}
