/* SPDX-License-Identifier: BSD-2-Clause */
/* A program, firmware or a log as the feed: recorded as `cairn record` does it, by the units that were asked
 * for, which leave besides what they made of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/simulate/simulate.h"
#include "machine/recording.h"

/* --- a log: the units are here --- */

static void making(void *context, const char *source, struct cairn_unit_options *unit)
{
    struct cli_simulation *simulation = context;
    struct cli_simulated *simulated = cli_simulated_new(simulation, source, unit->protocol);

    unit->fifo_bytes = simulation->options->record.fifo_bytes;
    unit->fifo_drain = simulation->options->record.fifo_drain;
    if (simulated)
        cli_simulated_watch(simulated, unit);
}

static void ended(void *context, const char *source, const struct cairn_unit *unit)
{
    struct cli_simulation *simulation = context;

    for (size_t i = 0; i < simulation->count; i++)
        if (!strcmp(simulation->list[i]->name, source))
            cli_simulated_end(simulation->list[i], unit);
}

/* --- a program: they were in QEMU --- */

static bool read_units(struct cli_simulation *simulation, struct cairn_capture *capture,
                       const char *folder)
{
    struct cairn_source_info info = {.size = sizeof info};

    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct cli_simulated *simulated;

        if (cairn_capture_source(capture, i, &info))
            continue;
        simulated = cli_simulated_new(simulation, info.name, info.protocol);
        if (!simulated)
            return false;
        if (!cli_simulated_read(simulated, folder))
            cli_session_say(
                simulation->session,
                "%s: it ended before it could tell what it saw; `cairn record` makes do "
                "with its trace",
                info.name);
        simulated->registers = calloc(info.register_count + 1, sizeof *simulated->registers);
        if (!simulated->registers)
            return false;
        if (info.register_count)
            memcpy(simulated->registers, info.registers,
                   info.register_count * sizeof *simulated->registers);
        simulated->register_count = info.register_count;
    }
    return true;
}

/* Sources of a log are in the order in which they are there as well. */
static void find_sources(struct cli_simulation *simulation, struct cairn_capture *capture)
{
    struct cairn_source_info info = {.size = sizeof info};

    for (size_t i = 0; i < cairn_capture_source_count(capture); i++)
        for (size_t k = 0; k < simulation->count; k++)
            if (!cairn_capture_source(capture, i, &info) &&
                !strcmp(info.name, simulation->list[k]->name))
                simulation->list[k]->source = i;
}

/* --- both --- */

/* The program's output goes where messages go, so that the answer is alone on standard output. */
static int part_output(void)
{
    fflush(NULL);
    const int kept = dup(STDOUT_FILENO);
    if (kept >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void join_output(int kept)
{
    if (kept < 0)
        return;
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static enum cli_exit record(const struct cli_options *options, bool *ran)
{
    struct cairn_unit *base = NULL, *unit = NULL;
    struct cli_filters filters = {.name_count = 0};
    enum cli_exit result = CLI_UNUSABLE;

    *ran = false;
    if (cli_record_unit(options, &base) && cli_record_unit(options, &unit) &&
        cli_record_filters(options, &filters) && cli_record_filter_unit(&filters, base, unit)) {
        const int kept = part_output();

        *ran = true;
        result = options->record->tarmac ? cli_record_run_log(options, unit)
                                         : cli_record_run_program(options, base, &filters);
        join_output(kept);
    }
    cli_record_filters_free(&filters);
    cairn_unit_free(unit);
    cairn_unit_free(base);
    return result;
}

static enum cli_exit look(struct cli_simulation *simulation, const char *folder,
                          struct cairn_capture **capture)
{
    struct cairn_error error = {.status = CAIRN_OK};

    /* Why there is no capture was told. */
    if (cairn_capture_open(folder, NULL, capture, &error) != CAIRN_OK)
        return CLI_UNUSABLE;
    if (simulation->options->record.tarmac)
        find_sources(simulation, *capture);
    else if (!read_units(simulation, *capture, folder))
        return CLI_UNUSABLE;
    return CLI_CLEAN;
}

enum cli_exit cli_simulate_run(struct cli_simulation *simulation, struct cairn_capture **capture)
{
    struct cli_session *session = simulation->session;
    struct cli_record wanted = simulation->options->record;
    struct cli_options options = *session->options;
    struct cli_simulated_registers registers;
    struct cairn_arch arch;
    const char *temporary = getenv("TMPDIR");
    char folder[4096];
    bool ran = false;
    enum cli_exit result = CLI_UNUSABLE;

    wanted.quiet = true;
    wanted.explain = true;
    wanted.making = making;
    wanted.ended = ended;
    wanted.context = simulation;
    options.record = &wanted;
    options.open.protocol = simulation->session->options->programming.protocol;
    if (!cli_record_machine_fits(&options))
        return CLI_UNUSABLE;
    arch = cairn_arch_any_a();
    if (cli_record_core(&options))
        (void)!cairn_arch_from_name(cli_record_core(&options), &arch);
    if (!cli_simulate_registers(simulation, NULL, NULL, &arch, &registers)) {
        cli_simulate_registers_free(&registers);
        return CLI_UNUSABLE;
    }
    options.open.protocol = registers.protocol;
    if (!cli_record_machine_fits(&options)) {
        cli_simulate_registers_free(&registers);
        return CLI_UNUSABLE;
    }
    options.open.registers = registers.list;
    options.open.register_count = registers.count;
    if (!wanted.folder) {
        snprintf(folder, sizeof folder, "%s/cairn-simulate-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp");
        wanted.folder = mkdtemp(folder);
    }
    if (!wanted.folder)
        cli_session_say(session, "%s: cannot be made: %s (TMPDIR says where)", folder,
                        strerror(errno));
    else
        result = record(&options, &ran);
    /* The program's status is its own. */
    if (ran && result != CLI_NOT_RUN && result != CLI_INTERRUPTED)
        result = look(simulation, wanted.folder, capture);
    if (wanted.folder && !simulation->options->record.folder)
        cairn_recording_discard(wanted.folder, true);
    cli_simulate_registers_free(&registers);
    return result;
}
