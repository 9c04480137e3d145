/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions of several conditions, and whether their branches show MC/DC.
 *
 * Where a compiler makes a branch of each condition (short-circuit evaluation), the branches of a decision
 * are a graph. If it is a tree, so that each condition is come to by one way only, then both ways of each
 * branch are enough: the one way up the tree holds the conditions before it, and those behind it are not
 * evaluated or decide by themselves. Where two ways come together in front of a condition, as in
 * (a && b) || c, the counts do not tell by which of them it was come to. Branches that lead to more than
 * two places are no decision: a switch.
 *
 * Statements in braces within the parentheses of a decision, as GNU C has them, are in the function that the decision is
 * in: whether their branches are conditions of it is not looked at.
 *
 * An optimised branch may stand for several conditions: `a | b`, a conditional compare, a range. Nothing in
 * it tells how many, so that it shows nothing of the source. */
#include "report/coverage.h"

#include <stdlib.h>

#include "image/lines.h"

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

/* The conditional branches of an expression in one function, or in one copy of it. */
struct decision {
    uint32_t list[CONDITIONS_MOST]; /* ascending */
    uint32_t count;                 /* in the list */
    uint32_t all;                   /* with those that it has no room for */
    uint32_t met;                   /* both ways */
    uint32_t compares;              /* conditions that only set flags for the next one */
    bool is_untold;                 /* the trace does not tell an outcome */
    bool has_block;                 /* statements stand in braces within it */
    uint32_t only; /* the one line of an expression of several that is looked at; NONE: all */
    enum cairn_optimisation optimisation;
};

/* Of the same expression in the same function and copy; of it, of one line only. */
static bool is_of_expression(const struct cairn_coverage *coverage,
                             const struct cairn_coverage_insn *insn,
                             const struct cairn_coverage_insn *begin, uint32_t only)
{
    return insn->line != CAIRN_COVERAGE_NONE && insn->function == begin->function &&
           insn->copy == begin->copy &&
           (only == CAIRN_COVERAGE_NONE
                ? coverage->lines[insn->line].first == coverage->lines[begin->line].first
                : insn->line == only);
}

/* The decision's condition that comes next at an address; NONE: it is left, or begins again, and *exit is
 * where. Calls come back. *left: steps that all ways may still have; 0 afterwards: it is not known. */
static uint32_t follow(const struct cairn_coverage *coverage, const struct decision *decision,
                       uint32_t from, uint64_t address, uint64_t *exit, unsigned *left)
{
    const struct cairn_coverage_insn *const begin = &coverage->insns[decision->list[from]];
    uint64_t at = address, mark = 0;

    for (unsigned steps = 0; steps < STEPS_MOST && *left; steps++, --*left) {
        if (steps && at == mark) /* in a circle */
            break;
        if (!(steps & (steps - 1)))
            mark = at;
        const size_t found = find_insn(coverage, begin->object, at);
        const struct cairn_coverage_insn *const insn = &coverage->insns[found];

        *exit = at;
        if (found == coverage->insn_count ||
            !is_of_expression(coverage, insn, begin, decision->only))
            return CAIRN_COVERAGE_NONE;
        const uint32_t condition = find_condition(decision->list, decision->count, found);
        if (condition != CAIRN_COVERAGE_NONE)
            return insn->address > begin->address ? condition : CAIRN_COVERAGE_NONE;
        at = insn->ends_block && !insn->is_call ? cairn_coverage_target(coverage, insn)
                                                : at + insn->size;
        if (!at)
            return CAIRN_COVERAGE_NONE;
    }
    *left = 0; /* a loop that no condition ends */
    return CAIRN_COVERAGE_NONE;
}

/* What the branches of a decision are to each other. */
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

static struct decision_shape shape_of(const struct cairn_coverage *coverage,
                                      const struct decision *decision)
{
    struct decision_shape shape = {.is_known = false};
    unsigned left = ALL_STEPS_MOST;
    bool is_known[CONDITIONS_MOST] = {false};
    uint64_t exits[2], exit = 0;

    for (uint32_t i = 0; i < decision->count && left; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[decision->list[i]];
        const uint64_t ways[2] = {cairn_coverage_target(coverage, insn),
                                  insn->address + insn->size};

        for (unsigned k = 0; k < 2; k++) {
            const uint32_t to = follow(coverage, decision, i, ways[k], &exit, &left);

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

static void add_condition(struct decision *decision, const struct cairn_coverage_insn *insn,
                          uint32_t number)
{
    const bool both = insn->taken && insn->taken < insn->told;

    decision->all++;
    decision->met += both;
    decision->is_untold |= !both && insn->told != insn->executed;
    if (decision->count < CONDITIONS_MOST)
        decision->list[decision->count++] = number;
}

/* A compare under a condition: CCMP, CCMN, FCCMP; A32 and T32 CMP, CMN, TST and TEQ, whose flags are those of several
 * conditions. */
static bool is_merging(const struct cairn_coverage_insn *insn)
{
    const uint32_t opcode = insn->opcode;

    if (insn->isa == CAIRN_ISA_A64)
        return (opcode & 0x3fe00410) == 0x3a400000 || (opcode & 0xff200c00) == 0x1e200400;
    if (insn->choice != CAIRN_CHOICE_CONDITION)
        return false;
    if (insn->isa == CAIRN_ISA_A32)
        return (opcode & 0x0d900000) == 0x01100000 && (opcode & 0x02000090) != 0x90;
    if (insn->size == 2) /* CMP #, CMP, CMN, TST, CMP with high registers */
        return (opcode & 0xf800) == 0x2800 || (opcode & 0xff80) == 0x4280 ||
               (opcode & 0xffc0) == 0x4200 || (opcode & 0xff00) == 0x4500;
    /* TST, TEQ, CMN, CMP with constants, and with shifted registers: Rd is 15, flags are set */
    return ((opcode & 0xfa108f00) == 0xf0100f00 || (opcode & 0xfe108f00) == 0xea100f00);
}

static void look_at(struct decision *decision, const struct cairn_coverage_insn *insn,
                    uint32_t number)
{
    if (insn->choice == CAIRN_CHOICE_BRANCH)
        add_condition(decision, insn, number);
    else
        decision->compares += is_merging(insn);
    if (insn->optimisation == CAIRN_OPTIMISATION_SOME ||
        decision->optimisation == CAIRN_OPTIMISATION_SOME)
        decision->optimisation = CAIRN_OPTIMISATION_SOME;
    else if (insn->optimisation == CAIRN_OPTIMISATION_UNKNOWN)
        decision->optimisation = CAIRN_OPTIMISATION_UNKNOWN;
}

/* Conditions without a branch, as far as they can be seen: by the source's operators as well, though some may be left
 * out as they are constant. Without optimisation there are none; a compare of two words is of one condition. */
static uint32_t count_merged(const struct decision *decision,
                             const struct cairn_coverage_line *line)
{
    if (decision->optimisation == CAIRN_OPTIMISATION_NONE)
        return 0;
    const uint32_t wanted =
        line->operators && decision->only == CAIRN_COVERAGE_NONE ? line->operators + 1 : 0;
    const uint32_t missing = wanted > decision->all ? wanted - decision->all : 0;

    return missing > decision->compares ? missing : decision->compares;
}

/* Why both ways of each branch would not show it. */
static enum cairn_coverage_reason doubt_of(const struct decision *decision,
                                           const struct decision_shape *shape,
                                           const struct cairn_coverage_line *line, uint32_t merged)
{
    if (merged)
        return CAIRN_OPEN_MERGED;
    if (!shape->is_known)
        return CAIRN_OPEN_SIZE;
    if (shape->has_joins)
        return CAIRN_OPEN_JOINS;
    if (decision->optimisation != CAIRN_OPTIMISATION_NONE)
        return decision->optimisation == CAIRN_OPTIMISATION_SOME ? CAIRN_OPEN_OPTIMISED
                                                                 : CAIRN_OPEN_COMPILER;
    if (!line->has_text)
        return CAIRN_OPEN_SOURCE;
    return decision->only == CAIRN_COVERAGE_NONE ? CAIRN_OPEN_NOT : CAIRN_OPEN_LINES;
}

static cairn_status put_decision(struct cairn_coverage *coverage,
                                 const struct cairn_coverage_decision *made)
{
    if (cairn_grow((void **)&coverage->decisions, coverage->decision_count,
                   &coverage->decision_room, sizeof *coverage->decisions))
        return CAIRN_E_MEMORY;
    coverage->decisions[coverage->decision_count++] = *made;
    return CAIRN_OK;
}

/* `first`: the number of its first instruction. *is_several: it leads to more than two places, and is not put. */
static cairn_status add_decision(struct cairn_coverage *coverage, const struct decision *decision,
                                 uint32_t first, bool *is_several)
{
    const struct cairn_coverage_insn *const begin =
        &coverage->insns[decision->count ? decision->list[0] : first];
    const struct cairn_coverage_line *const line =
        &coverage->lines[coverage->lines[begin->line].first];
    struct cairn_coverage_decision made = {.line = decision->only == CAIRN_COVERAGE_NONE
                                                       ? coverage->lines[begin->line].first
                                                       : begin->line,
                                           .function = begin->function,
                                           .address = begin->address,
                                           .conditions = decision->all,
                                           .conditions_met = decision->met,
                                           .merged = count_merged(decision, line)};

    *is_several = false;
    const bool is_of_several = made.conditions + made.merged > 1;
    if ((decision->has_block && line->operators) || (line->has_block && is_of_several)) {
        made.reason = CAIRN_OPEN_BLOCK;
        made.verdict = CAIRN_DECISION_OPEN;
        return put_decision(coverage, &made);
    }
    if (made.conditions + made.merged < 2)
        return CAIRN_OK;
    /* of conditions that are left out it would not be known what they lead to */
    const struct decision_shape shape = decision->all == decision->count
                                            ? shape_of(coverage, decision)
                                            : (struct decision_shape){.is_known = false};

    const bool is_plain = decision->optimisation == CAIRN_OPTIMISATION_NONE;
    if (shape.is_known && shape.exits > 2 && (is_plain || (!line->operators && !made.merged))) {
        *is_several = true; /* a switch, or several decisions */
        return CAIRN_OK;
    }
    if (made.merged || made.conditions_met == made.conditions || shape.exits > 2)
        made.reason = doubt_of(decision, &shape, line, made.merged);
    else if (decision->is_untold)
        made.reason = CAIRN_OPEN_OUTCOMES;
    else if (!shape.is_known)
        made.reason = CAIRN_OPEN_SIZE;
    made.verdict = made.reason                              ? CAIRN_DECISION_OPEN
                   : made.conditions_met == made.conditions ? CAIRN_DECISION_MET
                                                            : CAIRN_DECISION_NOT_MET;
    return put_decision(coverage, &made);
}

static void count_decision(struct cairn_coverage_sums *sums, uint32_t verdict)
{
    sums->decisions++;
    sums->decisions_met += verdict == CAIRN_DECISION_MET;
    sums->decisions_open += verdict == CAIRN_DECISION_OPEN;
}

static int by_expression(const void *left, const void *right, void *context)
{
    const struct cairn_coverage *const coverage = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const struct cairn_coverage_insn *const a = &coverage->insns[one];
    const struct cairn_coverage_insn *const b = &coverage->insns[other];
    const uint32_t line = coverage->lines[a->line].first,
                   other_line = coverage->lines[b->line].first;

    if (line != other_line)
        return line < other_line ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->copy != b->copy)
        return a->copy < b->copy ? -1 : 1;
    return (one > other) - (one < other);
}

/* --- blocks within expressions --- */

/* Code of a function, or of a copy of it, in braces within an expression. */
struct block {
    uint32_t first; /* line of the expression */
    uint32_t function, copy;
    uint32_t insn; /* of the code */
    bool has_own;  /* the function also has code of the expression that is not in the braces */
    bool is_told;
};
struct blocks {
    struct block *list; /* by expression, function, copy */
    size_t count, room;
};

static int compare_numbers(uint32_t one, uint32_t other)
{
    return one < other ? -1 : one > other;
}

static int by_block(const void *left, const void *right)
{
    const struct block *const a = left, *const b = right;
    int order = compare_numbers(a->first, b->first);

    order = order ? order : compare_numbers(a->function, b->function);
    return order ? order : compare_numbers(a->copy, b->copy);
}

static struct block *find_block(const struct cairn_coverage *coverage, const struct blocks *blocks,
                                const struct cairn_coverage_insn *insn)
{
    const struct block wanted = {
        .first = coverage->lines[insn->line].first, .function = insn->function, .copy = insn->copy};

    return blocks->count ? bsearch(&wanted, blocks->list, blocks->count, sizeof wanted, by_block)
                         : NULL;
}

/* The body of a lambda begins where the expression does that has it, and is none of its conditions. */
static bool begins_there(const struct cairn_coverage *coverage, const struct block *block)
{
    if (block->function == CAIRN_COVERAGE_NONE)
        return false;
    const struct cairn_coverage_function *const function = &coverage->functions[block->function];
    const uint32_t line =
        function->insn_count ? coverage->insns[function->first_insn].line : CAIRN_COVERAGE_NONE;

    return line != CAIRN_COVERAGE_NONE && coverage->lines[line].first == block->first;
}

static cairn_status list_blocks(const struct cairn_coverage *coverage, struct blocks *blocks)
{
    size_t made = 0;

    for (size_t i = 0; i < coverage->by_line_count; i++) {
        const uint32_t number = coverage->by_line[i];
        const struct cairn_coverage_insn *const insn = &coverage->insns[number];
        uint32_t line = insn->line, outer = coverage->lines[line].outer;

        for (; outer != CAIRN_COVERAGE_NONE; outer = coverage->lines[line].outer) {
            if (cairn_grow((void **)&blocks->list, blocks->count, &blocks->room,
                           sizeof *blocks->list))
                return CAIRN_E_MEMORY;
            blocks->list[blocks->count++] = (struct block){
                .first = outer, .function = insn->function, .copy = insn->copy, .insn = number};
            if (outer == line)
                break;
            line = outer;
        }
    }
    if (blocks->count)
        qsort(blocks->list, blocks->count, sizeof *blocks->list, by_block);
    for (size_t i = 0; i < blocks->count; i++)
        if ((!made || by_block(&blocks->list[made - 1], &blocks->list[i])) &&
            !begins_there(coverage, &blocks->list[i]))
            blocks->list[made++] = blocks->list[i];
    blocks->count = made;
    for (size_t i = 0; i < coverage->by_line_count && made; i++) {
        const struct cairn_coverage_insn *const insn = &coverage->insns[coverage->by_line[i]];
        struct block *const block = find_block(coverage, blocks, insn);

        if (block)
            block->has_own = true;
    }
    return CAIRN_OK;
}

/* Decisions whose conditions are all in braces. */
static cairn_status add_blocks(struct cairn_coverage *coverage, const struct blocks *blocks)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < blocks->count && !status; i++) {
        const struct block *const block = &blocks->list[i];
        const struct cairn_coverage_decision made = {
            .line = block->first,
            .function = block->function,
            .address = coverage->insns[block->insn].address,
            .verdict = CAIRN_DECISION_OPEN,
            .reason = CAIRN_OPEN_BLOCK,
        };

        if (!block->is_told && block->has_own && coverage->lines[block->first].operators)
            status = put_decision(coverage, &made);
    }
    return status;
}

/* Each line of an expression that is several decisions, by itself. */
static cairn_status add_lines(struct cairn_coverage *coverage, const uint32_t *list, size_t count)
{
    uint32_t last = 0;
    cairn_status status = CAIRN_OK;

    for (uint32_t from = 0; from != CAIRN_COVERAGE_NONE && !status; from = last) {
        uint32_t only = CAIRN_COVERAGE_NONE, first = 0;
        bool is_several;

        for (size_t i = 0; i < count; i++)
            if (coverage->insns[list[i]].line >= from && coverage->insns[list[i]].line < only) {
                only = coverage->insns[list[i]].line;
                first = list[i];
            }
        if (only == CAIRN_COVERAGE_NONE)
            break;
        struct decision decision = {.only = only, .optimisation = CAIRN_OPTIMISATION_NONE};
        for (size_t i = 0; i < count; i++)
            if (coverage->insns[list[i]].line == only)
                look_at(&decision, &coverage->insns[list[i]], list[i]);
        status = add_decision(coverage, &decision, first, &is_several);
        last = only + 1;
    }
    return status;
}

/* The instructions of one expression in one function and copy. */
static cairn_status add_expression(struct cairn_coverage *coverage, const struct blocks *blocks,
                                   const uint32_t *list, size_t count)
{
    struct decision decision = {.only = CAIRN_COVERAGE_NONE,
                                .optimisation = CAIRN_OPTIMISATION_NONE};
    struct block *const block = find_block(coverage, blocks, &coverage->insns[list[0]]);
    bool is_several, is_long = false;

    for (size_t i = 0; i < count; i++) {
        look_at(&decision, &coverage->insns[list[i]], list[i]);
        is_long |= coverage->insns[list[i]].line != coverage->insns[list[0]].line;
    }
    if (block) {
        block->is_told = true;
        decision.has_block = true;
    }
    const cairn_status status = add_decision(coverage, &decision, list[0], &is_several);
    return status || !is_several || !is_long ? status : add_lines(coverage, list, count);
}

/* Whether an instruction can be of a decision: what is of an expression with && or || stands for it. */
static bool can_decide(const struct cairn_coverage *coverage,
                       const struct cairn_coverage_insn *insn)
{
    if (insn->line == CAIRN_COVERAGE_NONE)
        return false;
    return insn->choice == CAIRN_CHOICE_BRANCH || is_merging(insn) ||
           (insn->optimisation != CAIRN_OPTIMISATION_NONE &&
            coverage->lines[coverage->lines[insn->line].first].operators);
}

static void count_decisions(struct cairn_coverage *coverage)
{
    for (size_t i = 0; i < coverage->decision_count; i++) {
        const struct cairn_coverage_decision *const one = &coverage->decisions[i];
        struct cairn_coverage_line *const place = &coverage->lines[one->line];

        count_decision(&coverage->sums, one->verdict);
        count_decision(&place->sums, one->verdict);
        count_decision(&coverage->files[place->file].sums, one->verdict);
        if (one->function != CAIRN_COVERAGE_NONE)
            count_decision(&coverage->functions[one->function].sums, one->verdict);
    }
}

cairn_status cairn_coverage_decide(struct cairn_coverage *coverage)
{
    const struct cairn_coverage_insn *const insns = coverage->insns;
    uint32_t *const list = malloc((coverage->by_line_count + 1) * sizeof *list);
    size_t count = 0;
    struct blocks blocks = {0};
    cairn_status status = list ? CAIRN_OK : CAIRN_E_MEMORY;

    cairn_coverage_expressions(coverage);
    if (!status)
        status = list_blocks(coverage, &blocks);
    for (size_t i = 0; i < coverage->by_line_count && list; i++)
        if (can_decide(coverage, &insns[coverage->by_line[i]]))
            list[count++] = coverage->by_line[i];
    if (count)
        qsort_r(list, count, sizeof *list, by_expression, coverage);
    for (size_t from = 0, to; from < count && !status; from = to) {
        const struct cairn_coverage_insn *const begin = &insns[list[from]];

        for (to = from + 1; to < count && is_of_expression(coverage, &insns[list[to]], begin,
                                                           CAIRN_COVERAGE_NONE);)
            to++;
        status = add_expression(coverage, &blocks, &list[from], to - from);
    }
    if (!status)
        status = add_blocks(coverage, &blocks);
    free(blocks.list);
    free(list);
    count_decisions(coverage);
    return status;
}
