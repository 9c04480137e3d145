/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/branches/branch_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/pipeline.h>
#include <cairn/replay.h>

#include "cli/branches/branch_dump.h"
#include "cli/screen/watch.h"
#include "pe/pe.h"

#define WORD_MOST 64u
#define RECORDS_DEFAULT 32u

/* --- how it is programmed --- */

bool cli_branch_programming_has(const struct cli_branch_programming *programming, const char *name)
{
    for (size_t i = 0; i < programming->count; i++)
        if (!strcasecmp(programming->registers[i].name, name))
            return true;
    return false;
}

bool cli_branch_programming_set(struct cli_branch_programming *programming, const char *name,
                                uint64_t value)
{
    size_t at = 0;

    while (at < programming->count && strcasecmp(programming->registers[at].name, name) != 0)
        at++;
    if (at == CLI_BRANCH_REGISTERS_MOST || strlen(name) >= sizeof programming->registers[at].name)
        return false;
    snprintf(programming->registers[at].name, sizeof programming->registers[at].name, "%s", name);
    programming->registers[at].value = value;
    programming->count += at == programming->count;
    return true;
}

static bool is_capacity(uint64_t value)
{
    return value == 8 || value == 16 || value == 32 || value == 64;
}

/* BRBFCR, BRBCR: with _EL1 behind it. */
static void whole_name(const char *name, char whole[WORD_MOST])
{
    const bool is_short = !strcasecmp(name, "BRBFCR") || !strcasecmp(name, "BRBCR");

    snprintf(whole, WORD_MOST, "%.40s%s", name, is_short ? "_EL1" : "");
}

static bool take_assignment(struct cli_branch_programming *programming, struct cli_session *session,
                            char *word)
{
    char *equals = strchr(word, '=');
    char name[WORD_MOST];
    uint64_t value;

    if (!equals || !cli_number(equals + 1, &value)) {
        cli_session_say(session, "--brbe: \"%s\": expected NAME=VALUE, such as BRBFCR_EL1=0x7e0000",
                        word);
        return false;
    }
    *equals = '\0';
    if (!strcasecmp(word, "NUMREC")) {
        if (!is_capacity(value)) {
            cli_session_say(session, "--brbe: NUMREC is 8, 16, 32 or 64");
            return false;
        }
        programming->records = (uint32_t)value;
        return true;
    }
    whole_name(word, name);
    if (!cairn_pe_encoding(name)) {
        cli_session_say(session,
                        "--brbe: there is no register %s: those that decide what is recorded are "
                        "BRBFCR_EL1, BRBCR_EL1, BRBCR_EL2, HCR_EL2, MDCR_EL3 and SCR_EL3",
                        word);
        return false;
    }
    if (cli_branch_programming_set(programming, name, value))
        return true;
    cli_session_say(session, "--brbe: more than %u registers", CLI_BRANCH_REGISTERS_MOST);
    return false;
}

/* How many records each buffer of a raw dump has. */
static bool take_raw(struct cli_branch_programming *programming, struct cli_session *session,
                     const char *word)
{
    uint64_t records;

    if (!cli_number(word, &records) || records < 1 || records > CLI_BRANCHES_MOST) {
        cli_session_say(session, "--brbe: \"%s\": a buffer of a raw dump has 1 to 64 records",
                        word);
        return false;
    }
    programming->raw = (uint32_t)records;
    return true;
}

/* It says what FILE is, and what follows goes with that. */
static bool take_first(struct cli_session *session, bool is_first)
{
    if (!is_first)
        cli_session_say(session, "--brbe: \"raw\" is the first word of it, as raw,32,BRBFCR=VALUE");
    return is_first;
}

/* Every branch, exception and return of EL0 to EL2, with cycles. */
static void take_all(struct cli_branch_programming *programming)
{
    const struct cairn_brbe_preset_values branches = cairn_brbe_preset(CAIRN_BRBE_ALL_BRANCHES);
    const struct cairn_brbe_preset_values rest = cairn_brbe_preset(CAIRN_BRBE_CONTROL_PATH);
    const uint64_t controls = branches.BRBCR | rest.BRBCR | CAIRN_MASK(BRBCR_CC) |
                              CAIRN_MASK(BRBCR_EL1_E1BRE) | CAIRN_MASK(BRBCR_EL1_E0BRE);

    (void)cli_branch_programming_set(programming, "BRBFCR_EL1", branches.BRBFCR);
    (void)cli_branch_programming_set(programming, "BRBCR_EL1", controls);
    (void)cli_branch_programming_set(programming, "BRBCR_EL2", controls);
}

bool cli_branch_programming_read(struct cli_branch_programming *programming,
                                 struct cli_session *session, const char *text)
{
    char *copy = strdup(text), *rest = copy, *word;
    bool done = copy != NULL;

    if (!copy)
        cli_session_say(session, "out of memory");
    while (done && (word = strsep(&rest, ","))) {
        if (!strcasecmp(word, "all")) {
            take_all(programming);
        } else if (!strcasecmp(word, "raw")) {
            done = take_first(session, word == copy);
            programming->is_raw = true;
        } else if (programming->is_raw && !strchr(word, '=')) {
            done = take_raw(programming, session, word);
        } else {
            done = take_assignment(programming, session, word);
        }
    }
    free(copy);
    return done;
}

/* --- a run --- */

struct model_run {
    struct cairn_pe *pe;
    struct cairn_replay *replay;
    const struct cli_branch_follower *follower;
    const struct cli_branch_programming *programming;
};

static void added(void *context, const struct cairn_branch_registers *record)
{
    const struct model_run *run = context;

    if (run->follower->added)
        run->follower->added(run->follower->context, run->pe, record);
}

static void dropped(void *context)
{
    const struct model_run *run = context;

    if (run->follower->dropped)
        run->follower->dropped(run->follower->context);
}

/* What was not given does not stand against recording: MDCR_EL3.SBRBE; and BRBCR_EL2.CC and MPRED, which
 * both have to say so, are as in BRBCR_EL1. The buffer is neither paused nor frozen. */
static cairn_status program(const struct model_run *run,
                            const struct cli_branch_programming *programming)
{
    uint64_t controls = 0;
    cairn_status status = cairn_pe_write(run->pe, "MDCR_EL3", CAIRN_MASK(MDCR_EL3_SBRBE));

    for (size_t i = 0; i < programming->count; i++)
        if (!strcasecmp(programming->registers[i].name, "BRBCR_EL1"))
            controls = programming->registers[i].value;
    if (status == CAIRN_OK)
        status = cairn_pe_write(run->pe, "BRBCR_EL2",
                                controls & (CAIRN_MASK(BRBCR_CC) | CAIRN_MASK(BRBCR_MPRED)));
    for (size_t i = 0; i < programming->count && status == CAIRN_OK; i++) {
        uint64_t value = programming->registers[i].value;

        if (!strcasecmp(programming->registers[i].name, "BRBFCR_EL1"))
            value &= ~(CAIRN_MASK(BRBFCR_PAUSED) | CAIRN_MASK(BRBFCR_LASTFAILED) |
                       CAIRN_MASK(BRBFCR_BANK));
        status = cairn_pe_write(run->pe, programming->registers[i].name, value);
    }
    return status;
}

/* A reset in the flow: software programs it again, with what was recorded before. */
static void reset(void *context, enum cairn_reset kind, bool done)
{
    const struct model_run *run = context;

    (void)kind;
    if (done)
        (void)!program(run, run->programming); /* as it did once already */
}

static cairn_status make_pe(void *context, const struct cairn_unit_options *unit,
                            struct cairn_pe **pe, struct cairn_error *error)
{
    struct model_run *run = context;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    const uint32_t records = run->programming->records;

    options.flags = CAIRN_PE_HAS_EL2 | CAIRN_PE_HAS_EL3 | CAIRN_PE_HAS_REALMS |
                    CAIRN_PE_HAS_SECURE_EL2 | CAIRN_PE_HAS_TRANSACTIONS | CAIRN_PE_HAS_BRBE |
                    CAIRN_PE_HAS_BRBE_V1P1;
    options.branch_records = records ? records : RECORDS_DEFAULT;
    options.counters = 0;
    options.unit = unit;
    options.reset = reset;
    options.context = run;
    cairn_status status = cairn_pe_new(&options, &run->pe, error);
    if (status != CAIRN_OK)
        return status;
    status = program(run, run->programming);
    run->pe->brbe.follower.added = added;
    run->pe->brbe.follower.dropped = dropped;
    run->pe->brbe.follower.context = run;
    *pe = run->pe;
    return status;
}

static cairn_status take_records(void *context, const struct cairn_flow_batch *batch)
{
    struct model_run *run = context;

    return cairn_replay_records(run->replay, batch);
}

static cairn_status replay(struct model_run *run, struct cli_session *session, size_t source,
                           struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_image *image = cairn_capture_image(session->capture);
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_pipeline_options piped = CAIRN_PIPELINE_OPTIONS_INIT;
    const struct cairn_consumer consumer = {
        .size = sizeof consumer, .context = run, .events = take_records};
    struct cairn_pipeline *pipeline = NULL;
    struct cli_progress progress;

    options.flags = CAIRN_REPLAY_NO_HALTS;
    options.pe = run->pe;
    cli_progress_start(&progress, "branches", 0);
    piped.progress = cli_progress_watch;
    piped.context = &progress;
    piped.jobs = session->options->jobs;
    cairn_status status =
        cairn_pipeline_new(session->capture, source, config, image, &piped, &pipeline, error);
    if (status == CAIRN_OK)
        status = cairn_replay_new(config, image, NULL, &options, &run->replay, error);
    if (status == CAIRN_OK)
        status = cairn_pipeline_add(pipeline, &consumer);
    if (status == CAIRN_OK)
        status = cairn_pipeline_run(pipeline);
    if (status == CAIRN_OK)
        status = cairn_replay_end(run->replay);
    cairn_pipeline_free(pipeline);
    cli_progress_end(&progress);
    return status;
}

static cairn_status run_capture(struct model_run *run, struct cli_session *session, size_t source,
                                struct cairn_error *error)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_config *config = NULL;
    cairn_status status = cairn_capture_source(session->capture, source, &info);

    if (status == CAIRN_OK) {
        unit.arch = info.arch;
        config = cli_session_config(session, source, error);
        status = config ? make_pe(run, &unit, &run->pe, error) : error->status;
    }
    if (status == CAIRN_OK)
        status = replay(run, session, source, config, error);
    cairn_config_unref(config);
    return status;
}

static cairn_status run_log(struct model_run *run, const struct cli_branch_flows *flows,
                            size_t flow, struct cairn_error *error)
{
    const struct cli_branch_log_pe pe = {make_pe, run};

    return cli_branch_log_run(flows, flow, &pe, error);
}

bool cli_branch_model_run(const struct cli_branch_flows *flows, size_t flow,
                          const struct cli_branch_programming *programming,
                          const struct cli_branch_follower *follower)
{
    struct cli_session *session = flows->session;
    struct model_run run = {.follower = follower, .programming = programming};
    struct cairn_error error = {.status = CAIRN_OK};
    const cairn_status status = flows->log
                                    ? run_log(&run, flows, flow, &error)
                                    : run_capture(&run, session, flows->sources[flow], &error);

    if (status == CAIRN_OK && run.pe && follower->ended && !cli_interrupted())
        follower->ended(follower->context, run.pe);
    if (status != CAIRN_OK && !cli_interrupted())
        cli_session_say(session, "%s%s%s", flows->log ? flows->log : "", flows->log ? ": " : "",
                        error.status ? error.text : cairn_status_text(status));
    cairn_replay_free(run.replay);
    cairn_pe_free(run.pe);
    return status == CAIRN_OK;
}
