/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions in the order of their addresses, each once. They come in runs that are in order already: one that
 * the code of all blocks makes, one of the functions that were executed. */
#include "report/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

/* More runs than that are sorted as if nothing was known of them. */
#define RUNS_MOST 64u

int cairn_coverage_compare(const struct cairn_coverage_insn *a, const struct cairn_coverage_insn *b)
{
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->isa != b->isa)
        return a->isa < b->isa ? -1 : 1;
    return (a->memory > b->memory) - (a->memory < b->memory);
}

static int by_address(const void *left, const void *right)
{
    return cairn_coverage_compare(left, right);
}

void cairn_coverage_join(struct cairn_coverage_insn *same, const struct cairn_coverage_insn *insn)
{
    same->executed += insn->executed;
    same->told += insn->told;
    same->taken += insn->taken;
    /* a block that begins inside of an IT block does not show the condition */
    if (insn->choice > same->choice)
        same->choice = insn->choice;
}

void cairn_coverage_reserve(struct cairn_coverage *coverage, size_t more)
{
    const size_t left = CAIRN_COVERAGE_INSNS_MAX - coverage->insn_count;
    const size_t wanted = coverage->insn_count + (more < left ? more : left);

    if (wanted <= coverage->insn_room)
        return;
    struct cairn_coverage_insn *const grown = cairn_pages_grow(
        coverage->insns, coverage->insn_count * sizeof *grown, wanted * sizeof *grown);
    if (!grown)
        return;
    coverage->insns = grown;
    coverage->insn_room = wanted;
}

static inline cairn_status append(struct cairn_coverage *coverage,
                                  const struct cairn_coverage_insn *insn)
{
    if (coverage->insn_count == CAIRN_COVERAGE_INSNS_MAX)
        return CAIRN_E_LIMIT;
    if (coverage->insn_count == coverage->insn_room &&
        cairn_grow((void **)&coverage->insns, coverage->insn_count, &coverage->insn_room,
                   sizeof *coverage->insns))
        return CAIRN_E_MEMORY;
    coverage->insns[coverage->insn_count++] = *insn;
    coverage->has_conditions |= insn->choice == CAIRN_CHOICE_CONDITION;
    return CAIRN_OK;
}

/* Whether it comes behind all of the run. */
static inline bool is_next(const struct cairn_coverage *coverage,
                           const struct cairn_coverage_insn *insn)
{
    return coverage->run == coverage->insn_count ||
           cairn_coverage_compare(&coverage->insns[coverage->insn_count - 1], insn) < 0;
}

cairn_status cairn_coverage_add(struct cairn_coverage *coverage,
                                const struct cairn_coverage_insn *insn)
{
    if (!is_next(coverage, insn))
        coverage->run = coverage->insn_count;
    return append(coverage, insn);
}

cairn_status cairn_coverage_add_up(struct cairn_coverage *coverage,
                                   const struct cairn_coverage_insn *insn)
{
    struct cairn_coverage_insn *const list = coverage->insns;
    size_t low = coverage->run, high = coverage->insn_count;

    if (is_next(coverage, insn))
        return append(coverage, insn);
    coverage->has_conditions |= insn->choice == CAIRN_CHOICE_CONDITION;
    if (coverage->cursor >= low && coverage->cursor < high &&
        cairn_coverage_compare(&list[coverage->cursor], insn) == 0) {
        cairn_coverage_join(&list[coverage->cursor++], insn);
        return CAIRN_OK;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (cairn_coverage_compare(&list[middle], insn) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (cairn_coverage_compare(&list[low], insn) == 0) {
        cairn_coverage_join(&list[low], insn);
        coverage->cursor = low + 1;
        return CAIRN_OK;
    }
    coverage->run = coverage->insn_count;
    return append(coverage, insn);
}

size_t cairn_coverage_first(const struct cairn_coverage_insn *list, size_t count, uint32_t object)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (list[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where runs begin, and the end; 0: there are too many. *has_same: one has an instruction twice in a row. */
static size_t find_runs(const struct cairn_coverage *coverage, size_t runs[RUNS_MOST + 1],
                        bool *has_same)
{
    size_t count = 0;

    for (size_t i = 0; i < coverage->insn_count; i++) {
        const int order =
            i ? cairn_coverage_compare(&coverage->insns[i - 1], &coverage->insns[i]) : 1;

        *has_same |= order == 0;
        if (order <= 0)
            continue;
        if (count == RUNS_MOST)
            return 0;
        runs[count++] = i;
    }
    runs[count] = coverage->insn_count;
    return count;
}

static void merge_two(const struct cairn_coverage_insn *from, size_t one, size_t other, size_t end,
                      struct cairn_coverage_insn *to)
{
    const size_t middle = other;

    for (size_t at = one; at < end; at++)
        to[at] =
            other == end || (one < middle && cairn_coverage_compare(&from[one], &from[other]) <= 0)
                ? from[one++]
                : from[other++];
}

/* False: memory is short, or there is no order to make use of. *has_same: some may be there twice. */
static bool merge_runs(struct cairn_coverage *coverage, bool *has_same)
{
    size_t runs[RUNS_MOST + 1];
    size_t count = find_runs(coverage, runs, has_same);

    if (count == 0)
        return coverage->insn_count == 0;
    *has_same |= count > 1;
    while (count > 1) {
        struct cairn_coverage_insn *const to = cairn_pages_new(coverage->insn_count * sizeof *to);
        size_t made = 0;

        if (!to)
            return false;
        for (size_t i = 0; i < count; i += 2) {
            const size_t other = runs[i + 1], end = i + 2 <= count ? runs[i + 2] : other;

            merge_two(coverage->insns, runs[i], other, end, to);
            runs[made++] = runs[i];
        }
        runs[made] = coverage->insn_count;
        count = made;
        free(coverage->insns);
        coverage->insns = to;
        coverage->insn_room = coverage->insn_count;
    }
    return true;
}

/* What comes now is a run of its own. */
static void begin_run(struct cairn_coverage *coverage)
{
    coverage->run = coverage->cursor = coverage->insn_count;
}

void cairn_coverage_sort(struct cairn_coverage *coverage)
{
    bool has_same = false;
    size_t made = 0;

    if (coverage->run == coverage->insn_count) /* nothing came since it was sorted */
        return;
    if (coverage->run == 0) { /* it came in order */
        begin_run(coverage);
        return;
    }
    if (!merge_runs(coverage, &has_same)) {
        qsort(coverage->insns, coverage->insn_count, sizeof *coverage->insns, by_address);
        has_same = true;
    }
    struct cairn_coverage_insn *const list = coverage->insns;
    for (size_t i = 0; i < coverage->insn_count && has_same; i++)
        if (made && cairn_coverage_compare(&list[made - 1], &list[i]) == 0)
            cairn_coverage_join(&list[made - 1], &list[i]);
        else if (made++ != i)
            list[made - 1] = list[i];
    if (has_same)
        coverage->insn_count = made;
    begin_run(coverage);
}
