/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/simulate/simulate.h"
#include "machine/recording.h"

static bool is_snapshot(const char *path)
{
    const char *name = strrchr(path, '/');
    char inside[PATH_MAX];

    if (!strcmp(name ? name + 1 : path, "snapshot.ini"))
        return access(path, R_OK) == 0;
    return snprintf(inside, sizeof inside, "%s/snapshot.ini", path) < (int)sizeof inside &&
           access(inside, R_OK) == 0;
}

/* A capture that registers are given of is the feed, if there is no other. */
static const char *find_feed(const struct cli_options *options, const struct cli_simulate *simulate)
{
    const struct cli_list *words = &options->programming.words;

    if (simulate->feed || simulate->record.tarmac || options->program[0])
        return simulate->feed;
    for (size_t i = 0; i < words->count; i++)
        if (!cli_programmed_is_word(words->items[i]) && is_snapshot(words->items[i]))
            return words->items[i];
    return NULL;
}

/* What is fed, and that it is one thing. */
static bool complete(const struct cli_options *options, const struct cli_simulate *simulate)
{
    const bool program = options->program[0];
    const int feeds = (simulate->feed != NULL) + (simulate->record.tarmac != NULL) + program;
    struct cairn_error error = {.status = CAIRN_OK};
    const char *wrong = NULL;

    if (feeds == 0)
        wrong =
            "what did the processor do? Give a capture with --capture, a log with --tarmac, or a "
            "program behind --";
    else if (feeds > 1)
        wrong = "a capture, a log, a program: one of them, please";
    else if (simulate->record.machine && !program)
        wrong = "--machine is the board of a program that stands behind --";
    else if (simulate->record.folder &&
             cairn_recording_check(simulate->record.folder, simulate->record.force, &error))
        wrong = error.text;
    if (wrong)
        fprintf(stderr, "cairn simulate: %s. See `cairn simulate --help`.\n", wrong);
    return !wrong;
}

/* --source chooses among the sources of the feed, not among the units that registers are given of. */
static bool read_registers(struct cli_session *session, struct cli_programmed *programmed)
{
    const struct cli_options *kept = session->options;
    struct cli_options options = *kept;
    struct cli_trace_unit *unit;
    bool done = true;

    options.sources.count = 0;
    session->options = &options;
    if (options.programming.words.count > 0) {
        done = cli_programmed_read(programmed, session);
    } else {
        unit = cli_programmed_unit(programmed, NULL);
        done = unit != NULL;
        if (unit)
            unit->protocol = options.programming.protocol;
    }
    for (size_t i = 0; done && i < programmed->unit_count; i++)
        done = cli_programmed_script(session, &programmed->units[i]);
    session->options = kept;
    return done;
}

static enum cli_exit simulate(struct cli_session *session, const struct cli_programmed *programmed)
{
    struct cli_simulation simulation = {
        .session = session, .options = session->options->simulate, .programmed = programmed};
    struct cairn_capture *capture = NULL;
    enum cli_exit result = session->capture ? cli_simulate_capture(&simulation)
                                            : cli_simulate_run(&simulation, &capture);

    if (result == CLI_CLEAN || (result == CLI_GAPS && simulation.count > 0)) {
        const enum cli_exit told = cli_simulate_report(
            &simulation, cairn_capture_image(capture ? capture : session->capture));

        result = told > result ? told : result;
    }
    cli_simulation_free(&simulation);
    cairn_capture_free(capture);
    return result;
}

static enum cli_exit run(const struct cli_options *given)
{
    const struct cli_simulate none = {.record = {.fifo_drain = 16}};
    struct cli_simulate made = given->simulate ? *given->simulate : none;
    struct cli_options options = *given;
    struct cli_session session;
    struct cli_programmed programmed = {0};

    made.feed = find_feed(given, &made);
    if (!complete(given, &made))
        return CLI_UNUSABLE;
    options.simulate = &made;
    options.capture = made.feed;
    enum cli_exit result =
        made.feed ? cli_session_open(&session, &cli_command_simulate, &options, CLI_SURVEY_NEVER)
                  : cli_session_open_output(&session, &cli_command_simulate, &options);
    if (!result && !read_registers(&session, &programmed))
        result = CLI_UNUSABLE;
    if (!result)
        result = simulate(&session, &programmed);
    cli_programmed_free(&programmed);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_simulate = {
    .name = "simulate",
    .summary = "tell what a trace unit traces, and why not the rest",
    .arguments = "[NAME=VALUE | FILE]... --capture CAPTURE\n"
                 "    cairn simulate [OPTION]... [NAME=VALUE]... SNAPSHOT\n"
                 "    cairn simulate [OPTION]... [NAME=VALUE | FILE]... --tarmac LOG\n"
                 "    cairn simulate [OPTION]... [NAME=VALUE | FILE]... -- PROGRAM [ARGUMENT]...",
    .description =
        "Programs a model of a trace unit with these registers, tells it what some processor did, and\n"
        "says which instructions it traces, and of the others which term keeps them out: start/stop,\n"
        "include, exclude, event, Exception level ... So what a board would trace can be tried before\n"
        "there is a board, and one recording answers many questions: its flow is told to a unit with\n"
        "other registers, or of another protocol, whose trace -o writes as a capture.\n"
        "Registers are given as for `cairn lint`: words NAME=VALUE and NAME.FIELD=VALUE, a snapshot, an\n"
        "INI file of a trace unit, a folder of sysfs, lines, or a register script. Words beside a FILE\n"
        "are over it. Words without one are over the capture's own registers, if it is of the same kind\n"
        "of unit; with a program or log, over those of a unit that traces everything. A snapshot that\n"
        "registers are given of is the capture as well, if nothing else is.\n"
        "A program is run as `cairn record` runs it, and what it prints goes to standard error.",
    .output =
        "text, of each unit: the verdict; instructions and blocks by term, with the first place of each;\n"
        "bytes of trace; what the FIFO and the resources came to; where the feed does not say what was\n"
        "executed. With --list each run, with --events what the resources did. docs/simulate.md has\n"
        "every word.\n"
        "json: an object of type \"unit\" for each, \"term\" for each row of the table, \"run\" and \"event\"\n"
        "(docs/json.md, simulate.schema.json).",
    .exit_status = "0   each unit traces something\n"
                   "1   one traces nothing, or overflows; or part of a log could not be used\n"
                   "2   a register is wrong, or the feed cannot be read\n"
                   "127 QEMU is missing\n"
                   "130 stopped by Ctrl-C",
    .examples =
        "cairn simulate TRCVICTLR=0x201 TRCVIIECTLR=1 TRCACVR0=0x400600 TRCACVR1=0x40067c --capture trace\n"
        "cairn simulate --include parse_input --capture trace\n"
        "cairn simulate --list board.etm -- ./program input.txt\n"
        "cairn simulate --fifo 256 --drain 8 --clock 800M --capture trace\n"
        "cairn simulate --protocol ete -o converted --capture etmv4_snapshot",
    .own = cli_simulate_options,
    .take_own = cli_simulate_take,
    .free_own = cli_simulate_free,
    .options = CLI_TAKES_WORDS | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_PROGRAM,
    .run = run,
};
