/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/lint.h>
#include <cairn/pe.h>

#include "base/letters.h"
#include "cli/lint/lint_explain.h"
#include "cli/lint/lint_pe.h"
#include "cli/session/programmed.h"
#include "report/json_fields.h"
#include "unit/fields/fields.h"

enum {
    KEY_PROTOCOL = CLI_OWN_KEY,
    KEY_EXPLAIN,
    KEY_ALL,
};

static const struct cli_option own_options[] = {
    CLI_PROGRAMMED_PROTOCOL(KEY_PROTOCOL),
    {"explain", KEY_EXPLAIN | CLI_FIRST, "CODE",
     "Tell what a rule means (CAIRN-LINT-RANGE-ORDER, or RANGE-ORDER), with an example and what to\n"
     "do. `all`: of all of them. Nothing else is needed."},
    {"all", KEY_ALL | CLI_FIRST, NULL, "Tell notes as well."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_PROTOCOL:
        options->programming.protocol = cli_programmed_protocol(argument);
        return options->programming.protocol != CAIRN_PROTOCOL_UNKNOWN;
    case KEY_EXPLAIN: options->check.explain = argument; break;
    case KEY_ALL: options->all = true; break;
    }
    return true;
}

struct telling {
    struct cli_session *session;
    const struct cli_trace_unit *unit; /* NULL: of several */
    size_t counts[CAIRN_LINT_PROBLEM + 1];
};

static void tell_text(struct telling *telling, const struct cairn_lint_finding *finding)
{
    struct cairn_output *output = telling->session->output;
    char where[160];

    cli_lint_where(finding, telling->unit ? telling->unit->script_name : NULL, where, sizeof where);
    cairn_output_format(output, "%s: %s%s [%s; %s]", cli_lint_severity(finding->severity), where,
                        finding->what, finding->code, finding->requirement);
    cairn_output_line(output);
    cairn_output_format(output, "    what to do: %s", finding->remedy);
    cairn_output_line(output);
}

static void json_text(struct cairn_output *output, const char *key, const char *value)
{
    if (!value)
        return;
    cairn_output_format(output, ",\"%s\":", key);
    cairn_output_json(output, value);
}

static void tell_json(struct telling *telling, const struct cairn_lint_finding *finding)
{
    struct cairn_output *output = telling->session->output;

    cairn_output_format(output, "{\"type\":\"finding\",\"schema\":%d", CAIRN_JSON_SCHEMA);
    json_text(output, "code", finding->code);
    json_text(output, "requirement", finding->requirement);
    json_text(output, "severity", cli_lint_severity(finding->severity));
    json_text(output, "where", finding->unit);
    json_text(output, "name", finding->name);
    json_text(output, "what", finding->what);
    json_text(output, "advice", finding->remedy);
    if (finding->line)
        cairn_output_format(output, ",\"line\":%u", finding->line);
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

static void tell(void *context, const struct cairn_lint_finding *finding)
{
    struct telling *telling = context;

    if (cli_lint_is_of_pe(finding))
        return;
    telling->counts[finding->severity]++;
    if (telling->session->options->format == CLI_FORMAT_JSON)
        tell_json(telling, finding);
    else if (finding->severity != CAIRN_LINT_NOTE || telling->session->options->all)
        tell_text(telling, finding);
}

static void finish(const struct telling *telling)
{
    struct cairn_output *output = telling->session->output;
    const size_t problems = telling->counts[CAIRN_LINT_PROBLEM];
    const size_t warnings = telling->counts[CAIRN_LINT_WARNING];
    const size_t notes = telling->counts[CAIRN_LINT_NOTE];

    if (telling->session->options->format == CLI_FORMAT_JSON)
        cairn_output_format(output,
                            "{\"type\":\"result\",\"schema\":%d,\"problems\":%zu,\"warnings\":%zu,"
                            "\"notes\":%zu}",
                            CAIRN_JSON_SCHEMA, problems, warnings, notes);
    else
        cairn_output_format(output, "%zu problem%s, %zu warning%s, %zu note%s%s", problems,
                            cairn_plural(problems), warnings, cairn_plural(warnings), notes,
                            cairn_plural(notes),
                            notes && !telling->session->options->all ? " (--all)" : "");
    cairn_output_line(output);
}

static struct cairn_lint_unit unit_of(const struct cli_trace_unit *unit)
{
    return (struct cairn_lint_unit){
        .size = sizeof(struct cairn_lint_unit),
        .name = unit->name,
        .protocol = unit->protocol,
        .flags = unit->flags,
        .registers = unit->registers,
        .register_count = unit->register_count,
        .script = unit->script,
        .script_size = unit->script_size,
        .script_name = unit->script_name,
    };
}

/* Trace IDs of the units that share a bus: of one capture, or told apart by name. */
/* Whether two units give their trace to one bus, as far as one can know. */
static bool share_bus(const struct cli_trace_unit *one, const struct cli_trace_unit *other)
{
    if (one->is_source != other->is_source)
        return false;
    return !one->is_source || (one->capture == other->capture && one->buffer == other->buffer);
}

/* Each bus by itself: `told` says which units were on one already. */
static cairn_status lint_bus(const struct cli_programmed *programmed, struct telling *telling,
                             struct cairn_error *error)
{
    const size_t all = programmed->unit_count;
    struct cairn_lint_unit *units = calloc(all + 1, sizeof *units);
    const struct cairn_lint_unit **list = calloc(all + 1, sizeof *list);
    bool *told = calloc(all + 1, sizeof *told);
    cairn_status status = units && list && told ? CAIRN_OK : CAIRN_E_MEMORY;

    telling->unit = NULL;
    for (size_t first = 0; status == CAIRN_OK && first < all; first++) {
        size_t count = 0;

        for (size_t i = first; i < all; i++) {
            if (told[i] || !share_bus(&programmed->units[first], &programmed->units[i]))
                continue;
            told[i] = true;
            units[i] = unit_of(&programmed->units[i]);
            if (units[i].protocol && !(units[i].flags & CAIRN_LINT_OWN_SINK))
                list[count++] = &units[i];
        }
        status = cairn_lint_bus(list, count, tell, telling, error);
    }
    free(units);
    free(list);
    free(told);
    return status;
}

/* The PE's registers that a trace unit's rules do not know are left to its own. */
static cairn_status lint_unit(const struct cli_trace_unit *given, struct telling *telling,
                              struct cairn_error *error)
{
    struct cairn_lint_unit unit = unit_of(given);
    const unsigned of =
        cairn_of_protocol(unit.protocol ? unit.protocol : cairn_protocol_of(CAIRN_OF_ETE));
    struct cairn_register *known = calloc(unit.register_count + 1, sizeof *known);
    cairn_status status = CAIRN_OK;
    bool is_pe = true;
    size_t count = 0;

    if (!known)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < unit.register_count; i++) {
        const bool of_pe = cairn_pe_encoding(unit.registers[i].name) != 0;

        is_pe &= of_pe;
        if (!of_pe || cairn_register_place_of(of, unit.registers[i].name).family)
            known[count++] = unit.registers[i];
    }
    if (!unit.protocol && is_pe && count > 0) /* registers that the two share */
        unit.protocol = cairn_protocol_of(CAIRN_OF_ETE);
    unit.registers = known;
    unit.register_count = count;
    telling->unit = given;
    if (unit.protocol)
        status = cairn_lint(&unit, tell, telling, error);
    free(known);
    return status == CAIRN_OK ? cli_lint_pe(given, tell, telling) : status;
}

static enum cli_exit lint(struct cli_session *session, const struct cli_programmed *programmed)
{
    struct telling telling = {.session = session};
    struct cairn_error error = {.status = CAIRN_OK};
    cairn_status status = CAIRN_OK;

    if (session->options->format == CLI_FORMAT_JSON)
        cairn_json_begin(session->output, session->command->name);
    for (size_t i = 0; status == CAIRN_OK && i < programmed->unit_count; i++)
        status = lint_unit(&programmed->units[i], &telling, &error);
    if (status == CAIRN_OK)
        status = lint_bus(programmed, &telling, &error);
    if (status != CAIRN_OK) {
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    finish(&telling);
    return telling.counts[CAIRN_LINT_PROBLEM] + telling.counts[CAIRN_LINT_WARNING] ? CLI_GAPS
                                                                                   : CLI_CLEAN;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_programmed programmed = {0};

    if (options->check.explain)
        return cli_lint_explain(options->check.explain) ? CLI_CLEAN : CLI_UNUSABLE;
    enum cli_exit result = cli_session_open_output(&session, &cli_command_lint, options);
    if (!result && !cli_programmed_read(&programmed, &session))
        result = CLI_UNUSABLE;
    if (!result)
        result = lint(&session, &programmed);
    cli_programmed_free(&programmed);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_lint = {
    .name = "lint",
    .summary = "tell what is wrong with the programming of a trace unit",
    .arguments = "NAME=VALUE... | FILE",
    .description =
        "Looks at how a trace unit is programmed, before anything is traced: what the specification\n"
        "reserves or calls CONSTRAINED UNPREDICTABLE, what this unit was built without, and what is\n"
        "allowed and leaves the trace empty. Of a script, besides, in which order things are done:\n"
        "writes while the unit is enabled or not idle, the OS Lock, missing ISBs.\n"
        "FILE is a snapshot, the INI file of one of its trace units, a folder of sysfs with a file a\n"
        "register (mgmt), a text with lines NAME: VALUE, or a register script (docs/lint.md). Words\n"
        "beside it are over what it says. Registers of a PE's trace buffer and branch records (TRB*_EL1,\n"
        "BRBCR_ELx, BRBFCR_EL1) may be among the words. Give the identification registers\n"
        "(TRCIDR0 ...) as well: what is not given is taken for a unit that has everything.",
    .output =
        "text: each finding with its severity (problem, warning or note), source or line, register,\n"
        "what is wrong, [its code; the rule in the specification], and what to do. The last line\n"
        "counts them; notes stand under --all.\n"
        "json: an object of type \"finding\" for each, notes too, at the end one of type \"result\"\n"
        "(docs/json.md, lint.schema.json). docs/lint.md has each code.",
    .exit_status = "0   nothing is wrong; there may be notes\n"
                   "1   problems or warnings\n"
                   "2   a name or value is wrong, or a file cannot be read",
    .examples = "cairn lint TRCVICTLR=0x1 TRCVISSCTLR=0\n"
                "cairn lint BRBCR_EL1=0x3 BRBFCR_EL1=0\n"
                "cairn lint board.etm\n"
                "cairn lint --protocol etmv4 /sys/bus/coresight/devices/etm0\n"
                "cairn lint --all snapshot/\n"
                "cairn lint --explain RANGE-ORDER",
    .own = own_options,
    .take_own = take_own,
    .options = CLI_TAKES_WORDS | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_OUTPUT,
    .run = run,
};
