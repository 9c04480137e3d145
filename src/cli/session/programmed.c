/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/programmed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/trace_unit.h"
#include "cli/options/protocols.h"
#include "pe/fields/fields.h"
#include "unit/model.h"
#include "unit/script.h"

#define NEAR_MOST 3u
#define WORD_MOST 128u

bool cli_programmed_is_modelled(enum cairn_protocol_id protocol)
{
    return !cairn_of_protocol(protocol) && cairn_unit_has_model(protocol);
}

enum cairn_protocol_id cli_programmed_protocol(const char *word)
{
    const enum cairn_protocol_id protocol = cli_protocols_find(true, word);
    char choice[CLI_PROTOCOLS_TEXT];

    if (protocol != CAIRN_PROTOCOL_UNKNOWN)
        return protocol;
    cli_protocols_choice(true, choice);
    fprintf(stderr, "cairn: --protocol %s: expected %s\n", word, choice);
    return CAIRN_PROTOCOL_UNKNOWN;
}

struct cli_trace_unit *cli_programmed_unit(struct cli_programmed *programmed, const char *name)
{
    for (size_t i = 0; i < programmed->unit_count; i++) {
        struct cli_trace_unit *unit = &programmed->units[i];
        if (!name || !unit->name ? name == unit->name : !strcmp(unit->name, name))
            return unit;
    }
    struct cli_trace_unit *grown =
        realloc(programmed->units, (programmed->unit_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    programmed->units = grown;
    struct cli_trace_unit *unit = &grown[programmed->unit_count];
    *unit = (struct cli_trace_unit){.name = name ? strdup(name) : NULL};
    if (name && !unit->name)
        return NULL;
    programmed->unit_count++;
    return unit;
}

bool cli_unit_set(struct cli_trace_unit *unit, const char *name, uint64_t value)
{
    const size_t length = strcspn(name, "( ");

    for (size_t i = 0; i < unit->register_count; i++)
        if (strlen(unit->registers[i].name) == length &&
            strncasecmp(unit->registers[i].name, name, length) == 0) {
            unit->registers[i].value = value;
            return true;
        }
    struct cairn_register *grown =
        realloc(unit->registers, (unit->register_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    unit->registers = grown;
    char *copy = strndup(name, length);
    if (!copy)
        return false;
    for (char *at = copy; *at; at++) /* as the specification writes it */
        *at = (char)toupper((unsigned char)*at);
    grown[unit->register_count++] = (struct cairn_register){.name = copy, .value = value};
    return true;
}

static bool get(const struct cli_trace_unit *unit, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < unit->register_count; i++)
        if (!strcasecmp(unit->registers[i].name, name)) {
            *value = unit->registers[i].value;
            return true;
        }
    return false;
}

void cli_programmed_free(struct cli_programmed *programmed)
{
    for (size_t i = 0; i < programmed->unit_count; i++) {
        struct cli_trace_unit *unit = &programmed->units[i];
        for (size_t j = 0; j < unit->register_count; j++)
            free((char *)(uintptr_t)unit->registers[j].name);
        free(unit->registers);
        free(unit->script);
        free(unit->name);
    }
    free(programmed->units);
}

/* --- words --- */

/* "TRCVICTLR=0x201" and no path: what stands before = is a name. */
bool cli_programmed_is_word(const char *word)
{
    const size_t length = strcspn(word, "=");

    if (!word[length] || length == 0)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && !strchr("_.:-", word[i]))
            return false;
    return true;
}

/* These tell of the PE's System registers as well. */
static bool takes_pe(const struct cli_session *session)
{
    return session->command == &cli_command_registers || session->command == &cli_command_lint;
}

static bool is_of_pe(const struct cli_session *session, const char *name)
{
    return takes_pe(session) && cairn_pe_sysreg_named(name).sysreg;
}

static void say_unknown(struct cli_session *session, unsigned units, const char *name)
{
    char near[NEAR_MOST][CAIRN_REGISTER_NAME];
    size_t count = 0;

    /* No register of a trace unit alone is called so. */
    if (takes_pe(session) && strcasestr(name, "_EL"))
        count = cairn_pe_names_near(name, near, NEAR_MOST);
    if (!count)
        count = cairn_register_names_near(units, name, near, NEAR_MOST);
    if (count)
        cli_session_say(session, "there is no register %s. Did you mean %s%s%s%s%s?", name, near[0],
                        count > 1 ? ", " : "", count > 1 ? near[1] : "", count > 2 ? ", " : "",
                        count > 2 ? near[2] : "");
    else
        cli_session_say(session,
                        "there is no register %s in the trace units that are known here: ETE, "
                        "ETMv4, PTM, ETMv3, MTB",
                        name);
}

static void say_fields(struct cli_session *session, const char *name, const char *field,
                       const struct cairn_register_field *const *fields, size_t count)
{
    char names[400];
    size_t length = 0;

    names[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof names - 40; i++)
        if (fields[i]->meaning != CAIRN_MEANS_RESERVED)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? ", " : "", fields[i]->name);
    cli_session_say(session, "%s has no field %s; it has %s", name, field, names);
}

static void say_field(struct cli_session *session, unsigned unit, struct cairn_register_place place,
                      const char *name, const char *field)
{
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];

    say_fields(session, name, field, fields, cairn_register_fields(unit, place, fields));
}

static bool put_field(struct cli_session *session, struct cli_trace_unit *unit, const char *name,
                      const struct cairn_register_field *field, const char *word, bool known,
                      uint64_t part)
{
    uint64_t value = 0;

    if (!known) {
        cli_session_say(session,
                        "%s.%s=%s: expected a number of %u bit%s, or a word for one of its values "
                        "(cairn registers --explain %s=0)",
                        name, field->name, word, field->high - field->low + 1u,
                        field->high == field->low ? "" : "s", name);
        return false;
    }
    get(unit, name, &value);
    value = (value & ~cairn_field_mask(field)) | part << field->low;
    return cli_unit_set(unit, name, value);
}

static bool set_field_of_pe(struct cli_session *session, struct cli_trace_unit *unit,
                            const char *name, const char *field_name, const char *word)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);
    const struct cairn_register_field *field = cairn_pe_field_of(place, field_name);
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    uint64_t part = 0;

    if (!field) {
        say_fields(session, name, field_name, fields, cairn_pe_fields(place, fields));
        return false;
    }
    const bool known = cairn_pe_field_parse(field, word, &part);
    return put_field(session, unit, name, field, word, known, part);
}

/* The field's bits of the register as it was given so far. */
static bool set_field(struct cli_session *session, struct cli_trace_unit *unit, const char *name,
                      const char *field_name, const char *word)
{
    const struct cairn_register_field *field = NULL;
    struct cairn_register_place place = {NULL, 0};
    unsigned of = cairn_of_protocol(unit->protocol);
    uint64_t part = 0;

    if (is_of_pe(session, name))
        return set_field_of_pe(session, unit, name, field_name, word);
    if (!of)
        of = CAIRN_OF_ANY;
    for (unsigned one = 1; one <= CAIRN_OF_ANY && !field; one <<= 1) {
        const struct cairn_register_place here = cairn_register_place_of(one & of, name);
        if (!here.family)
            continue;
        place = here;
        field = cairn_register_field_of(one, here, field_name);
        if (!field && (one == CAIRN_OF_MTB || !(of & ~(2 * one - 1) & cairn_register_units(name))))
            say_field(session, one, here, name, field_name);
    }
    if (!place.family)
        say_unknown(session, of, name);
    if (!field)
        return false;
    const bool known = cairn_field_parse(field, word, &part);
    return put_field(session, unit, name, field, word, known, part);
}

static bool set_word(struct cli_session *session, struct cli_trace_unit *unit, char *name,
                     const char *word)
{
    char *dot = strchr(name, '.');
    uint64_t value;

    if (dot) {
        *dot = '\0';
        const bool done = set_field(session, unit, name, dot + 1, word);
        *dot = '.';
        return done;
    }
    if (!cairn_script_number(word, &value)) {
        cli_session_say(session, "%s=%s: the value is no number, decimal or 0x... of 64 bits", name,
                        word);
        return false;
    }
    return cli_unit_set(unit, name, value);
}

bool cli_programmed_word(struct cli_session *session, struct cli_trace_unit *unit, const char *word)
{
    const char *value = strchr(word, '=') + 1;
    const char *name = strchr(word, ':');
    char text[WORD_MOST];

    name = name && name < value ? name + 1 : word;
    snprintf(text, sizeof text, "%.*s", (int)(value - 1 - name), name);
    return set_word(session, unit, text, value);
}

/* One word, for the unit it names or for all. */
static bool assign(struct cli_programmed *programmed, struct cli_session *session, const char *word)
{
    const size_t name = strcspn(word, ":=");
    char source[WORD_MOST];

    if (strlen(word) >= WORD_MOST) {
        cli_session_say(session, "%.40s...: the word is too long", word);
        return false;
    }
    if (word[name] == ':') {
        snprintf(source, sizeof source, "%.*s", (int)name, word);
        struct cli_trace_unit *unit = cli_programmed_unit(programmed, source);
        return unit && cli_programmed_word(session, unit, word);
    }
    if (!programmed->unit_count && !cli_programmed_unit(programmed, NULL))
        return false;
    for (size_t i = 0; i < programmed->unit_count; i++)
        if (!cli_programmed_word(session, &programmed->units[i], word))
            return false;
    return true;
}

/* --- protocols --- */

/* Which kinds of units have all the registers of a script, of those that some unit has. */
static unsigned units_of_script(const struct cli_trace_unit *unit)
{
    struct cairn_script script;
    struct cairn_script_access access;
    unsigned units = CAIRN_OF_ANY;
    cairn_status status = CAIRN_OK;

    cairn_script_begin(&script, "", unit->script, unit->script_size);
    while (unit->script && status != CAIRN_E_NOT_FOUND) {
        status = cairn_script_next(&script, &access, NULL);
        if (status != CAIRN_OK || !access.name[0])
            continue;
        const unsigned these = cairn_register_units(access.name);
        if (these & units)
            units &= these;
    }
    return units;
}

/* Registers of the PE alone say nothing of a trace unit. */
static bool is_pe_alone(const struct cli_session *session, const struct cli_trace_unit *unit)
{
    for (size_t i = 0; i < unit->register_count; i++)
        if (!is_of_pe(session, unit->registers[i].name))
            return false;
    return unit->register_count && !unit->script;
}

static void guess(struct cli_trace_unit *unit)
{
    const struct cairn_register *witness;
    unsigned units = units_of_script(unit);

    unit->protocol = cairn_protocol_of_registers(unit->registers, unit->register_count, &witness);
    if (cairn_of_protocol(unit->protocol))
        return;
    for (size_t i = 0; i < unit->register_count; i++) {
        const unsigned these = cairn_register_units(unit->registers[i].name);
        if (these & units)
            units &= these;
    }
    unit->protocol = cairn_protocol_of(units);
    unit->guessed = (units & (units - 1)) != 0;
}

/* Names that no unit has are wrong; of a file they may be another unit's, or a debugger's own. A unit
 * whose fields are in no table has the names that its model has, and that will say so. */
static bool check_names(struct cli_programmed *programmed, struct cli_session *session,
                        const char *word)
{
    char name[WORD_MOST];
    const char *begin = strchr(word, ':');

    begin = begin && begin < strchr(word, '=') ? begin + 1 : word;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "=."), begin);
    if (is_of_pe(session, name))
        return true;
    for (size_t i = 0; i < programmed->unit_count; i++)
        if (cairn_register_place_of(cairn_of_protocol(programmed->units[i].protocol), name)
                .family ||
            cli_programmed_is_modelled(programmed->units[i].protocol))
            return true;
    say_unknown(session,
                programmed->unit_count ? cairn_of_protocol(programmed->units[0].protocol)
                                       : CAIRN_OF_ANY,
                name);
    return false;
}

/* By its name, its number, or its trace ID written with 0x. */
static bool is_called(const struct cli_trace_unit *unit, const char *word)
{
    uint64_t number;

    if (unit->name && !strcmp(word, unit->name))
        return true;
    if (!unit->is_source || !cli_number(word, &number))
        return false;
    if (word[0] == '0' && (word[1] | 0x20) == 'x')
        return unit->trace_id >= 0 && number == (uint64_t)unit->trace_id;
    return number == unit->source;
}

static bool is_wanted(const struct cli_options *options, const struct cli_trace_unit *unit)
{
    for (size_t i = 0; i < options->sources.count; i++)
        if (is_called(unit, options->sources.items[i]))
            return true;
    return options->sources.count == 0;
}

static bool choose(struct cli_programmed *programmed, struct cli_session *session)
{
    size_t kept = 0;

    for (size_t i = 0; i < programmed->unit_count; i++) {
        struct cli_trace_unit unit = programmed->units[i];
        if (is_wanted(session->options, &unit)) {
            programmed->units[i] = programmed->units[kept];
            programmed->units[kept++] = unit;
        }
    }
    if (kept == 0)
        cli_session_say(session, "no source is called %s", session->options->sources.items[0]);
    for (size_t i = kept; i < programmed->unit_count; i++) {
        programmed->units[i].protocol = CAIRN_PROTOCOL_UNKNOWN; /* not to be told of */
        programmed->units[i].left_out = true;
    }
    return kept > 0;
}

bool cli_programmed_read(struct cli_programmed *programmed, struct cli_session *session)
{
    const struct cli_programming *given = &session->options->programming;

    if (given->words.count == 0) {
        cli_session_say(session, "which registers? Usage: cairn %s [OPTION]... %s",
                        session->command->name, session->command->arguments);
        return false;
    }
    for (size_t i = 0; i < given->words.count; i++)
        if (!cli_programmed_is_word(given->words.items[i]) &&
            !cli_programmed_path(programmed, session, given->words.items[i]))
            return false;
    for (size_t i = 0; i < programmed->unit_count && given->protocol; i++)
        programmed->units[i].protocol = given->protocol;
    if (!programmed->unit_count && given->protocol) {
        struct cli_trace_unit *unit = NULL;
        bool named = false;
        for (size_t i = 0; i < given->words.count; i++)
            named |= strchr(given->words.items[i], ':') != NULL;
        if (!named && !(unit = cli_programmed_unit(programmed, NULL)))
            return false;
        if (unit)
            unit->protocol = given->protocol;
    }
    for (size_t i = 0; i < given->words.count; i++)
        if (cli_programmed_is_word(given->words.items[i]) &&
            !assign(programmed, session, given->words.items[i]))
            return false;
    for (size_t i = 0; i < programmed->unit_count; i++) {
        struct cli_trace_unit *unit = &programmed->units[i];
        if (given->protocol)
            unit->protocol = given->protocol;
        if (!unit->protocol && !is_pe_alone(session, unit))
            guess(unit);
    }
    for (size_t i = 0; i < given->words.count; i++)
        if (session->command->options & CLI_TAKES_WORDS &&
            cli_programmed_is_word(given->words.items[i]) &&
            !check_names(programmed, session, given->words.items[i]))
            return false;
    return choose(programmed, session);
}

bool cli_programmed_script(struct cli_session *session, struct cli_trace_unit *unit)
{
    struct cairn_script script;
    struct cairn_script_access access;
    struct cairn_error error;
    cairn_status status;

    if (!unit->script)
        return true;
    cairn_script_begin(&script, unit->script_name, unit->script, unit->script_size);
    while ((status = cairn_script_next(&script, &access, &error)) == CAIRN_OK)
        if (access.has_value && access.kind != CAIRN_SCRIPT_WAIT &&
            !cli_unit_set(unit, access.name, access.value))
            return false;
    if (status == CAIRN_E_NOT_FOUND)
        return true;
    cli_session_say(session, "%s", error.text);
    return false;
}
