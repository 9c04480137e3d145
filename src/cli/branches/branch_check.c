/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow is told to a Branch Record Buffer that is programmed as the one of the dump. Behind each record
 * the dump is laid beside the youngest ones: what differs costs, and the cheapest place is the dump's, of
 * equal ones the last of the first source. Where the flow has a gap any number of records may be of it, which costs too: more than
 * one field that differs, less than two. */
#include "cli/branches/branch_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"

#define FIELD_COST 4u
#define LOST_COST 5u
#define NO_COST UINT32_MAX

/* A source's flow beside stacks that have one programming. */
struct check_run {
    struct cli_branch_check **checks;
    size_t count, source;
    /* the youngest, a ring */
    struct cli_branch_flow_entry ring[CLI_BRANCHES_MOST];
    size_t youngest, filled;
    size_t since_gap; /* entries behind the youngest gap */
    uint64_t total;
    bool gap; /* between the youngest and what comes next */
    bool has_ended;
};

/* Entry j, 0 the youngest. */
static const struct cli_branch_flow_entry *entry_at(const struct check_run *run, size_t j)
{
    return &run->ring[(run->youngest + CLI_BRANCHES_MOST - j) % CLI_BRANCHES_MOST];
}

/* --- one beside the other --- */

static uint32_t differences(const struct cairn_branch *branch,
                            const struct cli_branch_flow_entry *entry)
{
    const uint32_t both = CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET;
    const uint32_t halves = branch->flags & entry->branch.flags & both;
    uint32_t differs = 0;

    if ((branch->flags ^ entry->branch.flags) & both)
        differs |= CLI_BRANCH_DIFFERS_HALVES;
    if ((halves & CAIRN_BRANCH_SOURCE) && !entry->unknown_source &&
        branch->source != entry->branch.source)
        differs |= CLI_BRANCH_DIFFERS_SOURCE;
    if ((halves & CAIRN_BRANCH_TARGET) && !entry->unknown_target) {
        if (branch->target != entry->branch.target)
            differs |= CLI_BRANCH_DIFFERS_TARGET;
        if (branch->EL != entry->branch.EL)
            differs |= CLI_BRANCH_DIFFERS_EL;
    }
    if (branch->type != entry->branch.type)
        differs |= CLI_BRANCH_DIFFERS_TYPE;
    return differs;
}

static uint32_t cost_of(const struct cairn_branch *branch,
                        const struct cli_branch_flow_entry *entry)
{
    return FIELD_COST * (uint32_t)__builtin_popcount(differences(branch, entry));
}

/* --- a place --- */

/* Where there is no gap: record i is beside entry i, and those for which there is none are older than the flow.
 * Stops when it costs more than `most`. */
static uint32_t plain_cost(const struct check_run *run, const struct cli_branch_check *check,
                           uint32_t most)
{
    uint32_t cost = 0;

    for (size_t i = 0; i < check->count && cost <= most; i++)
        cost += i < run->filled ? cost_of(&check->branches[i], entry_at(run, i)) : LOST_COST;
    return cost;
}

static bool gap_behind(const struct check_run *run, size_t j)
{
    return j == 0 ? run->gap : entry_at(run, j - 1)->gap_before;
}

/* With gaps: of the records in front of i beside the entries in front of j the least cost, as far as it is not
 * more than is looked for, and whether the last of these records is of the gap in front of entry j. */
struct check_table {
    uint32_t cost[CLI_BRANCHES_MOST + 1][CLI_BRANCHES_MOST + 1];
    bool lost[CLI_BRANCHES_MOST + 1][CLI_BRANCHES_MOST + 1];
};

static void offer(struct check_table *table, size_t i, size_t j, uint32_t cost, bool lost)
{
    if (cost >= table->cost[i][j])
        return;
    table->cost[i][j] = cost;
    table->lost[i][j] = lost;
}

static bool fill_row(const struct check_run *run, const struct cli_branch_check *check,
                     struct check_table *table, size_t i, uint32_t most)
{
    const size_t last = i < run->filled ? i : run->filled;
    bool any = false;

    for (size_t j = 0; j <= i + 1; j++)
        table->cost[i + 1][j] = NO_COST;
    for (size_t j = 0; j <= last; j++) {
        const uint32_t cost = table->cost[i][j];

        if (cost > most)
            continue;
        any = true;
        if (j == run->filled)
            offer(table, i + 1, j, cost + LOST_COST, true);
        else
            offer(table, i + 1, j + 1, cost + cost_of(&check->branches[i], entry_at(run, j)),
                  false);
        if (j < run->filled && gap_behind(run, j))
            offer(table, i + 1, j, cost + LOST_COST, true);
    }
    return any;
}

/* The least cost, or more than `most`; and how many entries are beside records then. */
static uint32_t table_cost(const struct check_run *run, const struct cli_branch_check *check,
                           struct check_table *table, uint32_t most, size_t *entries)
{
    uint32_t least = NO_COST;

    table->cost[0][0] = 0;
    for (size_t i = 0; i < check->count; i++)
        if (!fill_row(run, check, table, i, most))
            return NO_COST;
    for (size_t j = 0; j <= check->count && j <= run->filled; j++)
        if (table->cost[check->count][j] < least) {
            least = table->cost[check->count][j];
            *entries = j;
        }
    return least;
}

/* --- the best place so far --- */

static void set_beside(const struct check_run *run, struct cli_branch_check *check, size_t i,
                       size_t j, bool lost)
{
    struct cli_branch_beside *at = &check->beside[i];

    if (j >= run->filled)
        *at = (struct cli_branch_beside){.place = CLI_BRANCH_BEFORE};
    else if (lost)
        *at = (struct cli_branch_beside){.place = j || !run->has_ended ? CLI_BRANCH_IN_GAP
                                                                       : CLI_BRANCH_BEHIND};
    else
        *at = (struct cli_branch_beside){.place = CLI_BRANCH_IN_FLOW,
                                         .differs =
                                             differences(&check->branches[i], entry_at(run, j)),
                                         .flow = *entry_at(run, j)};
}

static void count_beside(struct cli_branch_check *check)
{
    size_t agree = 0, compared = 0;

    check->disagree = check->lost = 0;
    for (size_t i = 0; i < check->count; i++) {
        const bool is_in = check->beside[i].place == CLI_BRANCH_IN_FLOW;

        check->lost += !is_in;
        check->disagree += check->beside[i].differs != 0;
        compared += is_in;
        agree += is_in && !check->beside[i].differs;
    }
    check->fits = agree > 0 && 2 * agree >= compared;
}

/* The place is the dump's, as far as is known. NULL table: there is no gap. */
static void settle(const struct check_run *run, struct cli_branch_check *check, uint32_t cost,
                   const struct check_table *table, size_t entries)
{
    check->found = true;
    check->cost = cost;
    check->number = run->total; /* whatever is younger than the flow is not counted there */
    check->source = run->source;
    for (size_t i = check->count; i-- > 0;) {
        const bool lost = table && table->lost[i + 1][entries];
        const size_t j = !table ? i : lost ? entries : --entries;

        set_beside(run, check, i, j, lost);
    }
    count_beside(check);
}

/* --- which places can be better --- */

static size_t slot_of(uint64_t address)
{
    return (size_t)(address * CAIRN_GOLDEN >> 58);
}

/* Addresses that have one slot are one another's here: that may only make more of them known. */
static void know_sources(struct cli_branch_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (check->branches[i].flags & CAIRN_BRANCH_SOURCE)
            check->sources[slot_of(check->branches[i].source)] = 1;
}

static void meet(struct cli_branch_check *check, const struct cli_branch_flow_entry *entry)
{
    const bool has_source = (entry->branch.flags & CAIRN_BRANCH_SOURCE) && !entry->unknown_source;

    check->met = check->met << 1 |
                 (has_source ? check->sources[slot_of(entry->branch.source)] : UINT64_C(1));
}

/* As many entries of those that can be beside the records have a source that none of them has: each costs a field
 * at least, or a lost record. */
static uint32_t least_cost(const struct cli_branch_check *check)
{
    const uint64_t youngest = check->count < 64 ? (UINT64_C(1) << check->count) - 1 : UINT64_MAX;

    return FIELD_COST *
           (uint32_t)(check->count - (size_t)__builtin_popcountll(check->met & youngest));
}

static void look(const struct check_run *run, struct cli_branch_check *check)
{
    struct check_table table;
    const bool gaps = run->gap || run->since_gap < check->count;
    uint32_t most = LOST_COST * (uint32_t)check->count; /* all lost is no place */
    size_t entries = 0;

    if (check->found)
        most = check->cost + (check->source == run->source); /* another source has to be better */
    if (!most || least_cost(check) >= most)
        return;
    most--;
    const uint32_t cost =
        gaps ? table_cost(run, check, &table, most, &entries) : plain_cost(run, check, most);
    if (cost <= most)
        settle(run, check, cost, gaps ? &table : NULL, entries);
}

static void look_all(const struct check_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        look(run, run->checks[i]);
}

/* --- what the flow has --- */

static void added(void *context, const struct cairn_pe *pe,
                  const struct cairn_branch_registers *record)
{
    struct check_run *run = context;
    struct cli_branch_flow_entry entry = {.branch = {.size = sizeof entry.branch}};

    (void)record;
    if (cairn_pe_branches(pe, &entry.branch, 1) != 1)
        return;
    entry.unknown_target = (entry.branch.flags & CAIRN_BRANCH_TARGET_UNKNOWN) != 0;
    entry.unknown_source = (entry.branch.flags & CAIRN_BRANCH_SOURCE_UNKNOWN) != 0;
    entry.gap_before = run->gap || entry.unknown_source;
    run->gap = entry.unknown_target;
    run->youngest = (run->youngest + 1) % CLI_BRANCHES_MOST;
    run->ring[run->youngest] = entry;
    run->filled += run->filled < CLI_BRANCHES_MOST;
    run->since_gap = entry.gap_before ? 1 : run->since_gap + (run->since_gap < SIZE_MAX);
    run->total++;
    for (size_t i = 0; i < run->count; i++)
        meet(run->checks[i], &entry);
    look_all(run);
}

/* The dump may have been taken in the gap. */
static void dropped(void *context)
{
    struct check_run *run = context;

    if (!run->total || run->gap)
        return;
    run->gap = true;
    look_all(run);
}

/* Or behind the end of the trace. */
static void ended(void *context, const struct cairn_pe *pe)
{
    struct check_run *run = context;

    (void)pe;
    run->has_ended = true;
    if (run->total) {
        run->gap = true;
        look_all(run);
    }
    for (size_t i = 0; i < run->count; i++) {
        run->checks[i]->recorded |= run->total > 0;
        if (run->checks[i]->found && run->checks[i]->source == run->source)
            run->checks[i]->total = run->total;
    }
}

/* --- all of them --- */

static bool is_same(const struct cli_branch_programming *one,
                    const struct cli_branch_programming *other)
{
    if (one->records != other->records || one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (strcmp(one->registers[i].name, other->registers[i].name) != 0 ||
            one->registers[i].value != other->registers[i].value)
            return false;
    return true;
}

/* Those of a source that are programmed as checks[first] is, if it is the first of them. */
static size_t gather(struct cli_branch_check *checks, size_t count, size_t first, const char *name,
                     struct cli_branch_check **same)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const bool is_of = !checks[i].wanted || !strcmp(checks[i].wanted, name);

        if (is_of && is_same(&checks[i].programming, &checks[first].programming)) {
            if (i < first)
                return 0;
            same[found++] = &checks[i];
        } else if (i == first)
            return 0;
    }
    return found;
}

/* False after a message. */
static bool run_source(const struct cli_branch_flows *flows, size_t source,
                       struct cli_branch_check *checks, size_t count,
                       struct cli_branch_check **same, struct check_run *run)
{
    const struct cli_branch_follower follower = {added, dropped, ended, run};
    bool done = true;

    for (size_t i = 0; done && i < count; i++) {
        const size_t found = gather(checks, count, i, flows->names[source], same);

        if (!found)
            continue;
        memset(run, 0, sizeof *run);
        run->checks = same;
        run->count = found;
        run->source = source;
        for (size_t k = 0; k < found; k++)
            same[k]->met = 0;
        done = cli_branch_model_run(flows, source, &checks[i].programming, &follower);
    }
    return done;
}

bool cli_branch_checks_run(const struct cli_branch_flows *flows, struct cli_branch_check *checks,
                           size_t count)
{
    struct cli_branch_check **same = calloc(count + 1, sizeof *same);
    struct check_run *run = malloc(sizeof *run);
    bool done = same && run;

    if (!done)
        cli_session_say(flows->session, "out of memory");
    for (size_t i = 0; i < count; i++)
        know_sources(&checks[i]);
    for (size_t i = 0; done && i < flows->count; i++)
        done = run_source(flows, i, checks, count, same, run);
    free(same);
    free(run);
    return done && cli_session_goes_on(flows->session);
}
