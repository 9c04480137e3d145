/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `branches` where there is a capture: --brbe and --check. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches/branches.h"
#include "pe/fields.h"

/* --- --brbe --- */

struct flow_listing {
    struct cli_branch_list *list;
    struct cli_branch_stack *stack;
    struct cli_branch_dump *dump;
    uint64_t records;
    size_t number;
};

/* A half that nobody saw is listed as one that is not recorded. */
static void forget_unseen(struct cairn_branch *branch)
{
    if (branch->flags & CAIRN_BRANCH_SOURCE_UNKNOWN)
        branch->flags &= ~(uint32_t)CAIRN_BRANCH_SOURCE;
    if (branch->flags & CAIRN_BRANCH_TARGET_UNKNOWN) {
        branch->flags &= ~(uint32_t)CAIRN_BRANCH_TARGET;
        branch->EL = 0;
    }
}

static void tell_buffer(struct flow_listing *listing, const struct cairn_pe *pe, uint64_t behind)
{
    struct cli_branch_stack *stack = listing->stack;

    stack->behind = behind;
    for (size_t i = 0; i < CLI_BRANCHES_MOST; i++)
        stack->branches[i].size = sizeof stack->branches[i];
    stack->count = cairn_pe_branches(pe, stack->branches, CLI_BRANCHES_MOST);
    cairn_branch_mark_rolled_back(stack->branches, stack->count);
    for (size_t i = 0; i < stack->count; i++)
        forget_unseen(&stack->branches[i]);
    cli_branch_tell(listing->list, stack, listing->number++);
}

static void flow_added(void *context, const struct cairn_pe *pe,
                       const struct cairn_branch_registers *record)
{
    struct flow_listing *listing = context;
    const uint64_t every = listing->list->session->options->every;

    (void)record;
    listing->records++;
    if (every && listing->records % every == 0)
        tell_buffer(listing, pe, listing->records);
}

static void flow_ended(void *context, const struct cairn_pe *pe)
{
    tell_buffer(context, pe, 0);
}

bool cli_branches_flow(struct cli_branch_list *list)
{
    struct cli_session *session = list->session;
    struct cli_branch_programming programming = {.records = 32};
    struct flow_listing listing = {
        .list = list,
        .stack = calloc(1, sizeof *listing.stack),
        .dump = calloc(1, sizeof *listing.dump),
    };
    const struct cli_branch_follower follower = {flow_added, NULL, flow_ended, &listing};
    struct cli_branch_flows flows = {0};
    bool done = listing.stack && listing.dump;

    if (!done)
        cli_session_say(session, "out of memory");
    done = done && cli_branch_programming_read(&programming, session, session->options->brbe) &&
           cli_branch_flows_open(&flows, session);
    for (size_t i = 0; done && i < flows.count && cli_session_goes_on(session); i++) {
        *listing.dump =
            (struct cli_branch_dump){.name = flows.names[i], .capacity = programming.records};
        *listing.stack = (struct cli_branch_stack){.dump = listing.dump,
                                                   .path = session->options->capture,
                                                   .of_flow = true,
                                                   .has_predictions = true,
                                                   .has_cycles = true};
        listing.records = 0;
        done = cli_branch_model_run(&flows, i, &programming, &follower);
    }
    list->unread += flows.unread;
    cli_branch_flows_free(&flows);
    free(listing.stack);
    free(listing.dump);
    return done;
}

/* --- --check --- */

/* What the dump says of how its buffer was programmed, and --brbe over it. */
static bool programming_of(struct cli_session *session, const struct cli_branch_stack *stack,
                           struct cli_branch_programming *programming)
{
    static const struct {
        enum cli_branch_control control;
        const char *name;
    } registers[] = {{CLI_BRANCH_FCR, "BRBFCR_EL1"},
                     {CLI_BRANCH_CR_EL1, "BRBCR_EL1"},
                     {CLI_BRANCH_CR_EL2, "BRBCR_EL2"}};

    *programming = (struct cli_branch_programming){.records = CLI_BRANCHES_MOST};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (stack->dump->controls[registers[i].control].line)
            (void)cli_branch_programming_set(programming, registers[i].name,
                                             stack->dump->controls[registers[i].control].value);
    if (session->options->brbe &&
        !cli_branch_programming_read(programming, session, session->options->brbe))
        return false;
    const bool has_filter = cli_branch_programming_has(programming, "BRBFCR_EL1");
    if (has_filter && (cli_branch_programming_has(programming, "BRBCR_EL1") ||
                       cli_branch_programming_has(programming, "BRBCR_EL2")))
        return true;
    cli_session_say(
        session,
        "%s%s%s: %s is not in the dump, and says what was recorded: add it, or give it as "
        "--brbe %s=VALUE",
        stack->path, stack->dump->name ? ", " : "", stack->dump->name ? stack->dump->name : "",
        has_filter ? "BRBCR_EL1" : "BRBFCR_EL1", has_filter ? "BRBCR_EL1" : "BRBFCR_EL1");
    return false;
}

/* A section that has the name of a source is of that one. */
static const char *wanted_source(const struct cli_branch_flows *flows,
                                 const struct cli_branch_stack *stack)
{
    for (size_t i = 0; stack->dump->name && i < flows->count; i++)
        if (!strcmp(flows->names[i], stack->dump->name))
            return stack->dump->name;
    return NULL;
}

static void count_check(struct cli_branch_totals *totals, const struct cli_branch_check *check)
{
    if (!check->count)
        return;
    if (!check->fits) {
        totals->fit_nowhere++;
        return;
    }
    totals->differing += check->disagree;
    totals->not_in_flow += check->lost;
}

bool cli_branches_check(struct cli_branch_list *list, struct cli_branch_stack *stacks, size_t count)
{
    struct cli_session *session = list->session;
    struct cli_branch_check *checks = calloc(count + 1, sizeof *checks);
    struct cli_branch_flows flows = {0};
    bool done = checks != NULL;

    if (!done)
        cli_session_say(session, "out of memory");
    done = done && cli_branch_flows_open(&flows, session);
    for (size_t i = 0; done && i < count; i++) {
        checks[i].branches = stacks[i].branches;
        checks[i].count = stacks[i].count;
        checks[i].wanted = wanted_source(&flows, &stacks[i]);
        done = programming_of(session, &stacks[i], &checks[i].programming);
    }
    done = done && cli_branch_checks_run(&flows, checks, count);
    for (size_t i = 0; done && i < count && cli_session_goes_on(session); i++) {
        stacks[i].check = &checks[i];
        stacks[i].beside = checks[i].found ? flows.names[checks[i].source] : NULL;
        count_check(&list->totals, &checks[i]);
        cli_branch_tell(list, &stacks[i], i);
    }
    list->unread += flows.unread;
    cli_branch_flows_free(&flows);
    free(checks);
    return done;
}
