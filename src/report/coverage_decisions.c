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
    STEPS_MOST = 4096,         /* instructions between two conditions */
    ALL_STEPS_MOST = 1u << 16, /* and of all ways of a decision */
    CONDITIONS_MOST = 256,     /* of a decision; of a longer one nothing can be said */
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

/* Which condition of the ascending list it is; NONE: none. */
static uint32_t find_condition(const uint32_t *list, uint32_t count, size_t insn)
{
    uint32_t from = 0, until = count;

    while (from < until) {
        const uint32_t middle = from + (until - from) / 2;

        if (list[middle] < insn)
            from = middle + 1;
        else
            until = middle;
    }
    return from < count && list[from] == insn ? from : CAIRN_COVERAGE_NONE;
}

/* The decision's condition that comes next at an address; NONE: it is left, or begins again, and *exit is
 * where. Calls come back. *left: steps that all ways may still have; 0 afterwards: it is not known. */
static uint32_t follow(const struct cairn_coverage *coverage, const uint32_t *list, uint32_t count,
                       uint32_t from, uint64_t address, uint64_t *exit, unsigned *left)
{
    const struct cairn_coverage_insn *const begin = &coverage->insns[list[from]];
    uint64_t at = address, mark = 0;

    for (unsigned steps = 0; steps < STEPS_MOST && *left; steps++, --*left) {
        if (steps && at == mark) /* in a circle */
            break;
        if (!(steps & (steps - 1)))
            mark = at;
        const size_t found = find_insn(coverage, begin->object, at);
        const struct cairn_coverage_insn *const insn = &coverage->insns[found];

        *exit = at;
        if (found == coverage->insn_count || insn->line != begin->line ||
            insn->function != begin->function || insn->copy != begin->copy)
            return CAIRN_COVERAGE_NONE;
        const uint32_t condition = find_condition(list, count, found);
        if (condition != CAIRN_COVERAGE_NONE)
            return insn->address > begin->address ? condition : CAIRN_COVERAGE_NONE;
        if (insn->ends_block && !insn->is_call && !insn->target)
            return CAIRN_COVERAGE_NONE;
        at = insn->ends_block && !insn->is_call ? insn->target : at + insn->size;
    }
    *left = 0; /* a loop that no condition ends */
    return CAIRN_COVERAGE_NONE;
}

/* What the branches of a line are to each other. */
struct decision_shape {
    bool is_known;
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
    struct decision_shape shape = {.is_known = false};
    unsigned left = ALL_STEPS_MOST;
    bool is_known[CONDITIONS_MOST] = {false};
    uint64_t exits[2], exit = 0;

    for (uint32_t i = 0; i < count && left; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[list[i]];
        const uint64_t ways[2] = {insn->target, insn->address + insn->size};

        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = follow(coverage, list, count, i, ways[k], &exit, &left);

            if (!left)
                break;
            if (to == CAIRN_COVERAGE_NONE)
                add_exit(&shape, exits, exit);
            else
                shape.has_joins |= is_known[to];
            if (to != CAIRN_COVERAGE_NONE)
                is_known[to] = true;
        }
    }
    shape.is_known = left != 0;
    return shape;
}

/* The conditional branches of a line in one function, or in one copy of it. */
struct decision_line {
    uint32_t list[CONDITIONS_MOST];
    uint32_t count; /* in the list */
    uint32_t all;   /* with those that it has no room for */
    uint32_t met;   /* both ways */
    bool is_untold; /* the trace does not tell an outcome */
};

static void add_condition(struct decision_line *line, const struct cairn_coverage_insn *insn,
                          uint32_t number)
{
    const bool both = insn->taken && insn->taken < insn->told;

    line->all++;
    line->met += both;
    line->is_untold |= !both && insn->told != insn->executed;
    if (line->count < CONDITIONS_MOST)
        line->list[line->count++] = number;
}

static cairn_status add_decision(struct cairn_coverage *coverage, const struct decision_line *line)
{
    const struct cairn_coverage_insn *const first = &coverage->insns[line->list[0]];
    struct cairn_coverage_decision made = {.line = first->line,
                                           .function = first->function,
                                           .address = first->address,
                                           .conditions = line->all,
                                           .conditions_met = line->met};
    /* of conditions that are left out it would not be known what they lead to */
    const struct decision_shape shape = line->all == line->count
                                            ? shape_of(coverage, line->list, line->count)
                                            : (struct decision_shape){.is_known = false};

    if (shape.is_known && shape.exits > 2) /* a switch, or several decisions */
        return CAIRN_OK;
    made.verdict = CAIRN_DECISION_NOT_MET;
    if (made.conditions_met == made.conditions)
        made.verdict =
            !shape.is_known || shape.has_joins ? CAIRN_DECISION_OPEN : CAIRN_DECISION_MET;
    else if (line->is_untold || !shape.is_known)
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
    struct decision_line line = {.count = 0};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < coverage->by_line_count && !status; i++) {
        const uint32_t at = coverage->by_line[i];
        const struct cairn_coverage_insn *const next =
            i + 1 < coverage->by_line_count ? &insns[coverage->by_line[i + 1]] : NULL;

        if (insns[at].choice == CAIRN_CHOICE_BRANCH)
            add_condition(&line, &insns[at], at);
        if (next && next->line == insns[at].line && next->function == insns[at].function &&
            next->copy == insns[at].copy)
            continue;
        if (line.all > 1)
            status = add_decision(coverage, &line);
        line.count = line.all = line.met = 0;
        line.is_untold = false;
    }
    for (size_t i = 0; i < coverage->decision_count; i++) {
        const struct cairn_coverage_decision *const one = &coverage->decisions[i];
        struct cairn_coverage_line *const place = &coverage->lines[one->line];

        count_decision(&coverage->sums, one->verdict);
        count_decision(&place->sums, one->verdict);
        count_decision(&coverage->files[place->file].sums, one->verdict);
        if (one->function != CAIRN_COVERAGE_NONE)
            count_decision(&coverage->functions[one->function].sums, one->verdict);
    }
    return status;
}
