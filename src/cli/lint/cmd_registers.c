/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/programmed.h"
#include "pe/fields/fields.h"
#include "report/json_fields.h"
#include "unit/script.h"

enum {
    KEY_PROTOCOL = CLI_OWN_KEY,
    KEY_EXPLAIN,
    KEY_ALL,
};

static const struct cli_option own_options[] = {
    CLI_PROGRAMMED_PROTOCOL(KEY_PROTOCOL),
    {"explain", KEY_EXPLAIN | CLI_FIRST, NULL,
     "Add what each field does, and where the specification has it."},
    {"all", KEY_ALL | CLI_FIRST, NULL,
     "Of a file every register with its fields. Default: those that are 0 are named in one line."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_PROTOCOL:
        options->programming.protocol = cli_programmed_protocol(argument);
        return options->programming.protocol != CAIRN_PROTOCOL_UNKNOWN;
    case KEY_EXPLAIN: options->programming.explain = true; break;
    case KEY_ALL: options->all = true; break;
    }
    return true;
}

/* One register to be told of: of the PE, or of a trace unit. */
struct shown {
    struct cli_session *session;
    const struct cli_trace_unit *unit;
    unsigned of;
    struct cairn_register_place place;
    struct cairn_pe_sysreg_place pe;
    char name[CAIRN_REGISTER_NAME];
    uint64_t value;
};

/* False: no register of that name is known here. */
static bool find(struct shown *it, enum cairn_protocol_id protocol, const char *name)
{
    it->pe = cairn_pe_sysreg_named(name);
    it->of = it->pe.sysreg ? CAIRN_OF_PE : cairn_of_protocol(protocol);
    if (it->pe.sysreg) {
        cairn_pe_sysreg_name(it->pe, it->name);
        return true;
    }
    it->place = cairn_register_place_of(it->of, name);
    if (it->place.family)
        cairn_register_name(it->place, it->name);
    return it->place.family != NULL;
}

static size_t fields_of(const struct shown *it,
                        const struct cairn_register_field *fields[CAIRN_FIELDS_MOST])
{
    return it->pe.sysreg ? cairn_pe_fields(it->pe, fields)
                         : cairn_register_fields(it->of, it->place, fields);
}

static bool describe(const struct shown *it, const struct cairn_register_field *field,
                     char words[CAIRN_FIELD_WORDS])
{
    return it->pe.sysreg ? cairn_pe_field_describe(field, it->value, words)
                         : cairn_field_describe(it->of, field, it->value, words);
}

static void put_position(const struct cairn_register_field *field, char text[8])
{
    if (field->high == field->low)
        snprintf(text, 8, "%u", field->high);
    else
        snprintf(text, 8, "%u:%u", field->high, field->low);
}

/* Bits that no field of the register has. */
static uint64_t strays(const struct shown *it)
{
    uint64_t reserved =
        it->pe.sysreg ? cairn_pe_reserved(it->pe) : cairn_register_reserved(it->of, it->place);
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = fields_of(it, fields);

    for (size_t i = 0; i < count; i++)
        if (fields[i]->meaning == CAIRN_MEANS_RESERVED)
            reserved &= ~cairn_field_mask(fields[i]);
    return it->value & reserved;
}

static void text_of(const struct shown *it)
{
    struct cairn_output *output = it->session->output;
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = fields_of(it, fields);

    cairn_output_format(output, "%s 0x%0*" PRIx64, it->name,
                        it->pe.sysreg ? 16 : it->place.family->bits / 4, it->value);
    cairn_output_line(output);
    for (size_t i = 0; i < count; i++) {
        char position[8], words[CAIRN_FIELD_WORDS], number[24];
        const uint64_t value = cairn_field_value(fields[i], it->value);
        if (fields[i]->meaning == CAIRN_MEANS_RESERVED && value == 0)
            continue;
        describe(it, fields[i], words);
        put_position(fields[i], position);
        snprintf(number, sizeof number, "0x%" PRIx64, value);
        if (strcmp(words, number) != 0)
            cairn_output_format(output, "%7s  %-12s %-6s %s", position, fields[i]->name, number,
                                words);
        else
            cairn_output_format(output, "%7s  %-12s %s", position, fields[i]->name, number);
        cairn_output_line(output);
        if (it->session->options->programming.explain) {
            cairn_output_format(output, "         %s [%s]", fields[i]->text, fields[i]->section);
            cairn_output_line(output);
        }
    }
    if (strays(it)) {
        cairn_output_format(output, "         bits 0x%" PRIx64 " are reserved", strays(it));
        cairn_output_line(output);
    }
}

static void json_text(struct cairn_output *output, const char *key, const char *value)
{
    cairn_output_format(output, ",\"%s\":", key);
    if (value)
        cairn_output_json(output, value);
    else
        cairn_output_text(output, "null");
}

static void json_of(const struct shown *it)
{
    struct cairn_output *output = it->session->output;
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = fields_of(it, fields);
    const char *between = "";

    cairn_output_format(output, "{\"type\":\"register\",\"schema\":%d", CAIRN_JSON_SCHEMA);
    json_text(output, "source", it->unit->name);
    json_text(output, "protocol", it->pe.sysreg ? "PE" : cairn_protocol_name(it->unit->protocol));
    json_text(output, "name", it->name);
    cairn_output_format(
        output, ",\"value\":\"0x%" PRIx64 "\",\"reserved_bits\":\"0x%" PRIx64 "\",\"fields\":[",
        it->value, strays(it));
    for (size_t i = 0; i < count; i++) {
        char words[CAIRN_FIELD_WORDS];
        if (fields[i]->meaning == CAIRN_MEANS_RESERVED)
            continue;
        const bool permitted = describe(it, fields[i], words);
        cairn_output_format(output,
                            "%s{\"name\":\"%s\",\"high\":%u,\"low\":%u,\"value\":\"0x%" PRIx64 "\"",
                            between, fields[i]->name, fields[i]->high, fields[i]->low,
                            cairn_field_value(fields[i], it->value));
        json_text(output, "text", words);
        cairn_output_format(output, ",\"permitted\":%s", permitted ? "true" : "false");
        if (it->session->options->programming.explain) {
            json_text(output, "meaning", fields[i]->text);
            json_text(output, "section", fields[i]->section);
        }
        cairn_output_char(output, '}');
        between = ",";
    }
    cairn_output_text(output, "]}");
    cairn_output_line(output);
}

static bool is_condensed(const struct cli_session *session, const struct cli_programmed *programmed,
                         const struct shown *it)
{
    return programmed->from_file && !session->options->all && it->value == 0 &&
           session->options->format == CLI_FORMAT_TEXT;
}

/* In the order of the tables, which is that of the memory map; then the PE's, and what is unknown. */
static int compare_registers(const void *one, const void *other, void *protocol)
{
    struct shown a = {0}, b = {0};
    const bool has_a = find(&a, *(const enum cairn_protocol_id *)protocol,
                            ((const struct cairn_register *)one)->name);
    const bool has_b = find(&b, *(const enum cairn_protocol_id *)protocol,
                            ((const struct cairn_register *)other)->name);

    if (has_a != has_b)
        return has_a ? -1 : 1;
    if (!a.pe.sysreg != !b.pe.sysreg)
        return a.pe.sysreg ? 1 : -1;
    if (a.pe.sysreg != b.pe.sysreg)
        return a.pe.sysreg < b.pe.sysreg ? -1 : 1;
    if (a.pe.sysreg)
        return a.pe.number < b.pe.number ? -1 : a.pe.number > b.pe.number;
    if (a.place.family != b.place.family)
        return a.place.family < b.place.family ? -1 : 1;
    return a.place.number < b.place.number ? -1 : a.place.number > b.place.number;
}

static void tell_zeros(struct cli_session *session, const struct cli_programmed *programmed,
                       const struct cli_trace_unit *unit)
{
    struct cairn_output *output = session->output;
    const char *before = "0: ";
    size_t column = 0;

    for (size_t i = 0; i < unit->register_count; i++) {
        struct shown it = {.value = unit->registers[i].value};
        if (!is_condensed(session, programmed, &it) ||
            !find(&it, unit->protocol, unit->registers[i].name))
            continue;
        column += strlen(before) + strlen(unit->registers[i].name);
        if (column > 96) {
            cairn_output_text(output, ",");
            cairn_output_line(output);
            before = "   ";
            column = strlen(before) + strlen(unit->registers[i].name);
        }
        cairn_output_format(output, "%s%s", before, unit->registers[i].name);
        before = ", ";
    }
    if (column)
        cairn_output_line(output);
}

static void tell_unknown(struct cli_session *session, const struct cli_trace_unit *unit)
{
    struct shown it = {0};

    for (size_t i = 0; i < unit->register_count; i++)
        if (!find(&it, unit->protocol, unit->registers[i].name))
            cli_session_say(session, "%s%s%s is no register of %s that is known here",
                            unit->name ? unit->name : "", unit->name ? ": " : "",
                            unit->registers[i].name,
                            unit->protocol ? cairn_protocol_name(unit->protocol) : "a PE");
}

static void tell_unit(struct cli_session *session, const struct cli_programmed *programmed,
                      const struct cli_trace_unit *unit, bool first)
{
    const bool json = session->options->format == CLI_FORMAT_JSON;

    if (!json && (unit->name || programmed->unit_count > 1 || unit->guessed)) {
        cairn_output_format(session->output, "%s%s%s%s%s", first ? "" : "\n",
                            unit->name ? unit->name : "", unit->name ? " (" : "as ",
                            unit->protocol ? cairn_protocol_name(unit->protocol) : "PE",
                            unit->name ? ")" : "");
        if (unit->guessed)
            cairn_output_text(session->output, "; another kind of trace unit has registers of "
                                               "these names as well (--protocol)");
        cairn_output_line(session->output);
    }
    for (size_t i = 0; i < unit->register_count; i++) {
        struct shown it = {.session = session, .unit = unit, .value = unit->registers[i].value};
        if (!find(&it, unit->protocol, unit->registers[i].name) ||
            is_condensed(session, programmed, &it))
            continue;
        if (json)
            json_of(&it);
        else
            text_of(&it);
    }
    tell_zeros(session, programmed, unit);
    tell_unknown(session, unit);
}

/* A trace unit, or registers of a PE. */
static bool has_known(const struct cli_trace_unit *unit)
{
    bool known = unit->protocol != CAIRN_PROTOCOL_UNKNOWN;

    for (size_t i = 0; i < unit->register_count && !known; i++)
        known = cairn_pe_sysreg_named(unit->registers[i].name).sysreg != NULL;
    return known;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_programmed programmed = {0};
    enum cli_exit result = cli_session_open_output(&session, &cli_command_registers, options);
    bool first = true;

    if (!result && !cli_programmed_read(&programmed, &session))
        result = CLI_UNUSABLE;
    if (!result && options->format == CLI_FORMAT_JSON)
        cairn_json_begin(session.output, cli_command_registers.name);
    for (size_t i = 0; !result && i < programmed.unit_count; i++) {
        if (programmed.units[i].left_out || !has_known(&programmed.units[i]))
            continue;
        if (!cli_programmed_script(&session, &programmed.units[i]))
            result = CLI_UNUSABLE;
        else {
            if (programmed.from_file && programmed.units[i].register_count)
                qsort_r(programmed.units[i].registers, programmed.units[i].register_count,
                        sizeof *programmed.units[i].registers, compare_registers,
                        &programmed.units[i].protocol);
            tell_unit(&session, &programmed, &programmed.units[i], first);
        }
        first = false;
    }
    cli_programmed_free(&programmed);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_registers = {
    .name = "registers",
    .summary = "tell registers of trace units and PEs field by field, and put values together",
    .arguments = "NAME=VALUE... | FILE",
    .description =
        "Shows what the value of each register says, in words: TRCVICTLR=0x201, and of a PE's System\n"
        "registers of trace, branch records and Performance Monitors: TRBSR_EL1=0x20001. NAME.FIELD=VALUE\n"
        "puts a value together, field by field, from 0 or from what NAME=VALUE gave before; VALUE is\n"
        "a number or a word that is shown for one (yes, started, always, \"pair 3\").\n"
        "FILE is a snapshot, the INI file of one of its trace units, a folder of sysfs with a file a\n"
        "register (mgmt), a text with lines NAME: VALUE, or a register script (docs/lint.md). Words\n"
        "beside it are over what it says; SOURCE:NAME=VALUE is of one of its sources.",
    .output =
        "text: a register a block: its name and value, then a line for each field, the highest\n"
        "bits first: bits, name, value, and what that means. A reserved value says so.\n"
        "json: an object of type \"register\" for each (docs/json.md, registers.schema.json).",
    .exit_status = "0   the registers were shown\n"
                   "2   a name, field or value is wrong, or a file cannot be read",
    .examples = "cairn registers TRCVICTLR=0x006f0201\n"
                "cairn registers TRCVICTLR.EVENT=always TRCVICTLR.SSSTATUS=started\n"
                "cairn registers --explain --protocol etmv4 TRCCONFIGR=0x10c1\n"
                "cairn registers /sys/bus/coresight/devices/etm0/mgmt\n"
                "cairn registers --explain TRBSR_EL1=0x94120007 BRBINF0_EL1=0x6400002243\n"
                "cairn registers --all snapshot/",
    .own = own_options,
    .take_own = take_own,
    .options = CLI_TAKES_WORDS | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_OUTPUT,
    .run = run,
};
