/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/simulate.h"

static enum cli_exit simulate(struct cli_session *session, const struct cli_programmed *programmed)
{
    return cli_simulate_capture(session, programmed);
}

static enum cli_exit run(const struct cli_options *given)
{
    struct cli_options options = *given;
    struct cli_session session;
    struct cli_programmed programmed = {0};

    options.capture = options.simulate->feed;
    enum cli_exit result =
        cli_session_open(&session, &cli_command_simulate, &options, CLI_SURVEY_NEVER);
    if (!result && options.programming.words.count == 0) {
        if (!cli_programmed_unit(&programmed, NULL))
            result = CLI_UNUSABLE;
        else
            programmed.units[0].protocol = options.programming.protocol;
    } else if (!result && !cli_programmed_read(&programmed, &session)) {
        result = CLI_UNUSABLE;
    }
    if (!result)
        result = simulate(&session, &programmed);
    cli_programmed_free(&programmed);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_simulate = {
    .name = "simulate",
    .summary = "tell what a trace unit that is programmed so would trace",
    .arguments = "NAME=VALUE... | FILE --capture CAPTURE",
    .description = "",
    .output = "",
    .exit_status = "",
    .examples = "",
    .own = cli_simulate_options,
    .take_own = cli_simulate_take,
    .free_own = cli_simulate_free,
    .options = CLI_TAKES_WORDS | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_PROGRAM,
    .run = run,
};
