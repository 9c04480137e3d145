/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `branches` where there is a capture: --brbe and --check. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches.h"
#include "pe/fields.h"

/* A source of the session's capture. */
static const char *source_name(const struct cli_session *session, size_t source)
{
    struct cairn_source_info info = {.size = sizeof info};

    return cairn_capture_source(session->capture, source, &info) == CAIRN_OK ? info.name : NULL;
}

/* A capture may have sources that trace no core. */
static bool choose_flows(struct cli_session *session)
{
    struct cairn_source_info info = {.size = sizeof info};
    size_t kept = 0;

    for (size_t i = 0; i < session->source_count; i++)
        if (cairn_capture_source(session->capture, session->sources[i], &info) == CAIRN_OK &&
            cairn_protocol_decodes(info.protocol))
            session->sources[kept++] = session->sources[i];
    session->source_count = kept;
    if (kept)
        return true;
    cli_session_say(session, "%s: no source of it is decoded to instructions",
                    session->options->capture);
    return false;
}

/* --- --brbe --- */

struct flow_listing {
    struct cli_branch_list *list;
    struct cli_branch_stack *stack;
    struct cli_branch_dump *dump;
    uint64_t records;
    size_t number;
};

/* Where an exception led to, or came back from, and the flow has nothing, the model has address 0: nobody knows. */
static void forget_unseen(struct cairn_branch *branch)
{
    const bool is_return = branch->type == CAIRN_BRANCH_EXCEPTION_RETURN;

    if (is_return && (branch->flags & CAIRN_BRANCH_SOURCE) && !branch->source)
        branch->flags &= ~(uint32_t)CAIRN_BRANCH_SOURCE;
    if (cli_branch_is_exception(branch->type) && (branch->flags & CAIRN_BRANCH_TARGET) &&
        !branch->target) {
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
    bool done = listing.stack && listing.dump;

    if (!done)
        cli_session_say(session, "out of memory");
    done = done && choose_flows(session) &&
           cli_branch_programming_read(&programming, session, session->options->brbe);
    for (size_t i = 0; done && i < session->source_count && cli_session_goes_on(session); i++) {
        const char *name = source_name(session, session->sources[i]);

        *listing.dump = (struct cli_branch_dump){.name = strdup(name ? name : ""),
                                                 .capacity = programming.records};
        *listing.stack = (struct cli_branch_stack){.dump = listing.dump,
                                                   .path = session->options->capture,
                                                   .of_flow = true,
                                                   .has_predictions = true,
                                                   .has_cycles = true};
        listing.records = 0;
        done = cli_branch_model_run(session, session->sources[i], &programming, &follower);
        free(listing.dump->name);
    }
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
static const char *wanted_source(const struct cli_session *session,
                                 const struct cli_branch_stack *stack)
{
    for (size_t i = 0; stack->dump->name && i < session->source_count; i++) {
        const char *name = source_name(session, session->sources[i]);

        if (name && !strcmp(name, stack->dump->name))
            return stack->dump->name;
    }
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
    bool done = checks != NULL;

    if (!done)
        cli_session_say(session, "out of memory");
    done = done && choose_flows(session);
    for (size_t i = 0; done && i < count; i++) {
        checks[i].branches = stacks[i].branches;
        checks[i].count = stacks[i].count;
        checks[i].wanted = wanted_source(session, &stacks[i]);
        done = programming_of(session, &stacks[i], &checks[i].programming);
    }
    done = done && cli_branch_checks_run(session, checks, count);
    for (size_t i = 0; done && i < count && cli_session_goes_on(session); i++) {
        stacks[i].check = &checks[i];
        stacks[i].beside = checks[i].found ? source_name(session, checks[i].source) : NULL;
        count_check(&list->totals, &checks[i]);
        cli_branch_tell(list, &stacks[i], i);
    }
    free(checks);
    return done;
}
