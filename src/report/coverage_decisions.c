/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions of several conditions, and whether their branches show MC/DC.
 *
 * Where a compiler makes a branch of each condition (short-circuit evaluation), the branches of a decision
 * are a graph. If it is a tree, so that each condition is come to by one way only, then both ways of each
 * branch are enough: the one way up the tree holds the conditions before it, and those behind it are not
 * evaluated or decide by themselves. Where two ways come together in front of a condition, as in
 * (a && b) || c, the counts do not tell by which of them it was come to. Branches that lead to more than
 * two places are no decision: a switch. */
#include "report/coverage.h"

#include <stdlib.h>

enum {
    STEPS_MOST = 4096,     /* instructions between two conditions */
    CONDITIONS_MOST = 256, /* of a decision; the rest of a longer one is left out of the look */
};

static size_t find_insn(const struct cairn_coverage *coverage, uint32_t object, uint64_t address)
{
    size_t from = 0, until = coverage->insn_count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;
        const struct cairn_coverage_insn *const insn = &coverage->insns[middle];

        if (insn->object < object || (insn->object == object && insn->address < address))
            from = middle + 1;
        else
            until = middle;
    }
    return from < coverage->insn_count && coverage->insns[from].object == object &&
                   coverage->insns[from].address == address
               ? from
               : coverage->insn_count;
}

/* The decision's condition that comes next at an address; NONE: it is left, or begins again, and *exit is
 * where. Calls come back. */
static uint32_t follow(const struct cairn_coverage *coverage, const uint32_t *list, uint32_t count,
                       uint32_t from, uint64_t address, uint64_t *exit)
{
    const struct cairn_coverage_insn *const begin = &coverage->insns[list[from]];
    uint64_t at = address;

    for (unsigned steps = 0; steps < STEPS_MOST; steps++) {
        const size_t found = find_insn(coverage, begin->object, at);
        const struct cairn_coverage_insn *const insn = &coverage->insns[found];

        *exit = at;
        if (found == coverage->insn_count || insn->line != begin->line ||
            insn->function != begin->function || insn->copy != begin->copy)
            return CAIRN_COVERAGE_NONE;
        for (uint32_t i = 0; i < count; i++)
            if (list[i] == found)
                return insn->address > begin->address ? i : CAIRN_COVERAGE_NONE;
        if (insn->ends_block && !insn->is_call && !insn->target)
            return CAIRN_COVERAGE_NONE;
        at = insn->ends_block && !insn->is_call ? insn->target : at + insn->size;
    }
    return CAIRN_COVERAGE_NONE;
}

/* What the branches of a line are to each other. */
struct decision_shape {
    bool has_joins; /* two ways lead to one of the conditions */
    unsigned exits; /* places that they lead to; 3: more than 2 */
};

static void add_exit(struct decision_shape *shape, uint64_t exits[2], uint64_t exit)
{
    for (unsigned i = 0; i < shape->exits && i < 2; i++)
        if (exits[i] == exit)
            return;
    if (shape->exits < 2)
        exits[shape->exits] = exit;
    if (shape->exits < 3)
        shape->exits++;
}

static struct decision_shape shape_of(const struct cairn_coverage *coverage, const uint32_t *list,
                                      uint32_t count)
{
    struct decision_shape shape = {false, 0};
    bool is_known[CONDITIONS_MOST] = {false};
    uint64_t exits[2], exit = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[list[i]];
        const uint64_t ways[2] = {insn->target, insn->address + insn->size};

        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = follow(coverage, list, count, i, ways[k], &exit);

            if (to == CAIRN_COVERAGE_NONE)
                add_exit(&shape, exits, exit);
            else
                shape.has_joins |= is_known[to];
            if (to != CAIRN_COVERAGE_NONE)
                is_known[to] = true;
        }
    }
    return shape;
}

static cairn_status add_decision(struct cairn_coverage *coverage, const uint32_t *list,
                                 uint32_t count, bool is_whole)
{
    const struct cairn_coverage_insn *const first = &coverage->insns[list[0]];
    struct cairn_coverage_decision made = {.line = first->line,
                                           .function = first->function,
                                           .address = first->address,
                                           .conditions = count};
    const struct decision_shape shape = shape_of(coverage, list, count);
    bool is_told = true;

    if (shape.exits > 2) /* a switch, or several decisions */
        return CAIRN_OK;
    for (uint32_t i = 0; i < count; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[list[i]];
        const bool both = insn->taken && insn->taken < insn->told;

        made.conditions_met += both;
        is_told = is_told && (both || insn->told == insn->executed);
    }
    made.verdict = CAIRN_DECISION_NOT_MET;
    if (made.conditions_met == count)
        made.verdict = !is_whole || shape.has_joins ? CAIRN_DECISION_OPEN : CAIRN_DECISION_MET;
    else if (!is_told)
        made.verdict = CAIRN_DECISION_OPEN;
    if (cairn_grow((void **)&coverage->decisions, coverage->decision_count,
                   &coverage->decision_room, sizeof *coverage->decisions))
        return CAIRN_E_MEMORY;
    coverage->decisions[coverage->decision_count++] = made;
    return CAIRN_OK;
}

static void count_decision(struct cairn_coverage_sums *sums, uint32_t verdict)
{
    sums->decisions++;
    sums->decisions_met += verdict == CAIRN_DECISION_MET;
    sums->decisions_open += verdict == CAIRN_DECISION_OPEN;
}

cairn_status cairn_coverage_decide(struct cairn_coverage *coverage)
{
    const struct cairn_coverage_insn *const insns = coverage->insns;
    uint32_t list[CONDITIONS_MOST];
    uint32_t count = 0;
    bool is_whole = true;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < coverage->by_line_count && !status; i++) {
        const uint32_t at = coverage->by_line[i];
        const struct cairn_coverage_insn *const next =
            i + 1 < coverage->by_line_count ? &insns[coverage->by_line[i + 1]] : NULL;

        if (insns[at].choice == CAIRN_CHOICE_BRANCH && count == CONDITIONS_MOST)
            is_whole = false;
        else if (insns[at].choice == CAIRN_CHOICE_BRANCH)
            list[count++] = at;
        if (next && next->line == insns[at].line && next->function == insns[at].function &&
            next->copy == insns[at].copy)
            continue;
        if (count > 1)
            status = add_decision(coverage, list, count, is_whole);
        count = 0;
        is_whole = true;
    }
    for (size_t i = 0; i < coverage->decision_count; i++) {
        const struct cairn_coverage_decision *const one = &coverage->decisions[i];
        struct cairn_coverage_line *const line = &coverage->lines[one->line];

        count_decision(&coverage->sums, one->verdict);
        count_decision(&line->sums, one->verdict);
        count_decision(&coverage->files[line->file].sums, one->verdict);
        if (one->function != CAIRN_COVERAGE_NONE)
            count_decision(&coverage->functions[one->function].sums, one->verdict);
    }
    return status;
}
