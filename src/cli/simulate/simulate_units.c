/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers as they are given, or as hardware had them: a model takes what it has. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/options/protocols.h"
#include "cli/simulate/simulate.h"
#include "unit/model.h"

static bool put(struct cli_simulated_registers *registers, const char *name, uint64_t value)
{
    for (size_t i = 0; i < registers->count; i++)
        if (!strcasecmp(registers->list[i].name, name)) {
            registers->list[i].value = value;
            return true;
        }
    struct cairn_register *grown = realloc(registers->list, (registers->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    registers->list = grown;
    char *copy = strdup(name);
    if (!copy)
        return false;
    grown[registers->count++] = (struct cairn_register){.name = copy, .value = value};
    return true;
}

void cli_simulate_registers_free(struct cli_simulated_registers *registers)
{
    for (size_t i = 0; i < registers->count; i++)
        free((char *)(uintptr_t)registers->list[i].name);
    free(registers->list);
}

/* --- which unit --- */

/* Of several programmed ones that of the source's name; a single one is everybody's. */
static const struct cli_trace_unit *find(const struct cli_simulation *simulation,
                                         const char *source)
{
    const struct cli_programmed *programmed = simulation->programmed;
    const struct cli_trace_unit *only = NULL;
    size_t count = 0;

    for (size_t i = 0; i < programmed->unit_count; i++) {
        const struct cli_trace_unit *unit = &programmed->units[i];

        if (unit->name && source && !strcmp(unit->name, source))
            return unit;
        if (!unit->protocol && programmed->from_file)
            continue; /* --source has not chosen it */
        only = unit;
        count++;
    }
    if (count == 1)
        return only;
    cli_session_say(
        simulation->session,
        "the registers are of %zu trace units, and none of them is called %s: choose one "
        "of them by giving its INI file",
        count, source ? source : "as the program's threads are");
    return NULL;
}

/* Names of two kinds of units are meant of the kind that the feed's own unit is, if that is one of them. */
static enum cairn_protocol_id protocol_of(const struct cli_simulation *simulation,
                                          const struct cli_trace_unit *unit,
                                          const struct cairn_source_info *info)
{
    const enum cairn_protocol_id given = simulation->session->options->programming.protocol;
    unsigned units = CAIRN_OF_ANY;

    if (given)
        return given;
    if (unit->protocol && !unit->guessed)
        return unit->protocol;
    for (size_t i = 0; i < unit->register_count; i++)
        units &= cairn_register_units(unit->registers[i].name);
    if (info && (cairn_of_protocol(info->protocol) & units))
        return info->protocol;
    if (unit->protocol)
        return unit->protocol;
    return info && cairn_unit_has_model(info->protocol)
               ? info->protocol
               : cli_protocols_recorded(simulation->options->record.machine
                                            ? CAIRN_RECORD_MACHINE_DEFAULT
                                            : CAIRN_RECORD_DEFAULT);
}

/* --- what the model takes --- */

/* Given as a word, for this unit or for all. */
static bool is_word(const struct cli_simulation *simulation, const char *name)
{
    const struct cli_list *words = &simulation->session->options->programming.words;

    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        const char *colon;

        if (!cli_programmed_is_word(word))
            continue;
        colon = strchr(word, ':');
        if (colon && colon < strchr(word, '='))
            word = colon + 1;
        const size_t length = strcspn(word, ".=");
        if (length == strlen(name) && !strncasecmp(word, name, length))
            return true;
    }
    return false;
}

struct trial {
    const struct cli_simulation *simulation;
    const char *source;
    const struct cairn_arch *arch;
    enum cairn_protocol_id protocol;
    struct cairn_register *accepted;
    size_t count;
};

static bool fits(const struct trial *trial, size_t count, struct cairn_error *error)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;

    options.protocol = trial->protocol;
    options.arch = *trial->arch;
    options.registers = trial->accepted;
    options.register_count = count;
    if (cairn_unit_new(&options, &unit, error) != CAIRN_OK)
        return false;
    cairn_unit_free(unit);
    return true;
}

static void tell_left_out(const struct trial *trial, const struct cairn_register *given, bool there,
                          uint64_t kept)
{
    struct cli_session *session = trial->simulation->session;
    const char *source = trial->source ? trial->source : "";
    const char *colon = trial->source ? ": " : "";

    if (there)
        cli_session_say(
            session,
            "%s%s%s is 0x%" PRIx64 " in the registers given; of that the %s model takes "
            "0x%" PRIx64,
            source, colon, given->name, given->value, cairn_protocol_name(trial->protocol), kept);
    else if (given->value)
        cli_session_say(
            session,
            "%s%s%s = 0x%" PRIx64 " of the registers given is left out: the %s model does "
            "not take it",
            source, colon, given->name, given->value, cairn_protocol_name(trial->protocol));
}

/* As much of a value as the model has, bit by bit. */
static void try_register(struct trial *trial, const struct cairn_register *given)
{
    struct cairn_register *last = &trial->accepted[trial->count];

    *last = *given;
    if (fits(trial, trial->count + 1, NULL)) {
        trial->count++;
        return;
    }
    last->value = 0;
    const bool there = fits(trial, trial->count + 1, NULL);
    for (unsigned bit = 64; there && bit-- > 0;) {
        const uint64_t one = given->value & UINT64_C(1) << bit;

        last->value |= one;
        if (one && !fits(trial, trial->count + 1, NULL))
            last->value &= ~one;
    }
    tell_left_out(trial, given, there, last->value);
    trial->count += there;
}

/* What was built decides what others may be. */
static bool is_identity(const char *name)
{
    static const char *const beginnings[] = {"TRCIDR", "TRCDEV", "ETMIDR", "ETMCC", "MTB_BASE"};

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncasecmp(name, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static bool settle(struct trial *trial, struct cli_simulated_registers *registers)
{
    struct cairn_error error = {.status = CAIRN_OK};

    trial->accepted = calloc(registers->count + 1, sizeof *trial->accepted);
    if (!trial->accepted) {
        cli_session_say(trial->simulation->session, "out of memory");
        return false;
    }
    trial->count = registers->count;
    if (trial->count)
        memcpy(trial->accepted, registers->list, trial->count * sizeof *trial->accepted);
    if (fits(trial, trial->count, NULL))
        return true;
    trial->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < registers->count; i++)
            if (is_identity(registers->list[i].name) == (pass == 0) &&
                !is_word(trial->simulation, registers->list[i].name))
                try_register(trial, &registers->list[i]);
    for (size_t i = 0; i < registers->count; i++)
        if (is_word(trial->simulation, registers->list[i].name))
            trial->accepted[trial->count++] = registers->list[i];
    if (fits(trial, trial->count, &error))
        return true;
    cli_session_say(trial->simulation->session,
                    "%s (`cairn registers` shows what a value says, `cairn lint` what is wrong)",
                    error.text);
    return false;
}

/* --- all of it --- */

/* What the model has in that register if nobody writes it. */
static uint64_t default_of(enum cairn_protocol_id protocol, const struct cairn_arch *arch,
                           const char *name)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    uint64_t value = 0;

    options.protocol = protocol;
    options.arch = *arch;
    if (cairn_unit_new(&options, &unit, NULL) == CAIRN_OK)
        (void)!cairn_unit_read(unit, name, &value);
    cairn_unit_free(unit);
    return value;
}

static bool get(const struct cli_simulated_registers *registers, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < registers->count; i++)
        if (!strcasecmp(registers->list[i].name, name)) {
            *value = registers->list[i].value;
            return true;
        }
    return false;
}

/* A word is over everything else, bits of a register over what it has there. */
static bool put_word(const struct cli_simulation *simulation, const struct cairn_arch *arch,
                     struct cli_simulated_registers *registers, const char *word)
{
    struct cli_trace_unit over = {.protocol = registers->protocol};
    const char *begin = word + (word[strcspn(word, ":=")] == ':' ? strcspn(word, ":") + 1 : 0);
    char name[CAIRN_REGISTER_NAME];
    uint64_t value;
    bool done;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, ".="), begin);
    if (!get(registers, name, &value))
        value = default_of(registers->protocol, arch, name);
    done = cli_unit_set(&over, name, value) &&
           cli_programmed_word(simulation->session, &over, word) &&
           put(registers, name, over.registers[0].value);
    for (size_t i = 0; i < over.register_count; i++)
        free((char *)(uintptr_t)over.registers[i].name);
    free(over.registers);
    return done;
}

static bool put_words(const struct cli_simulation *simulation, const char *source,
                      const struct cairn_arch *arch, struct cli_simulated_registers *registers)
{
    const struct cli_list *words = &simulation->session->options->programming.words;
    bool done = true;

    for (size_t i = 0; done && i < words->count; i++) {
        const char *word = words->items[i];
        const size_t colon = strcspn(word, ":=");

        if (cli_programmed_is_word(word) &&
            (word[colon] == '=' ||
             (source && strlen(source) == colon && !strncmp(source, word, colon))))
            done = put_word(simulation, arch, registers, word);
    }
    return done;
}

bool cli_simulate_registers(const struct cli_simulation *simulation, const char *source,
                            const struct cairn_source_info *info, const struct cairn_arch *arch,
                            struct cli_simulated_registers *registers)
{
    const struct cli_trace_unit *unit = find(simulation, source);
    bool done = unit != NULL;

    *registers = (struct cli_simulated_registers){.protocol = CAIRN_PROTOCOL_UNKNOWN};
    if (!unit)
        return false;
    registers->protocol = protocol_of(simulation, unit, info);
    if (!cairn_unit_has_model(registers->protocol)) {
        cli_session_say(simulation->session, "%s%sthere is no trace unit model of %s: --protocol",
                        source ? source : "", source ? ": " : "",
                        cairn_protocol_name(registers->protocol));
        return false;
    }
    if (info && info->protocol == registers->protocol && !simulation->programmed->from_file) {
        registers->over = info->name;
        for (size_t i = 0; done && i < info->register_count; i++)
            done = put(registers, info->registers[i].name, info->registers[i].value);
    }
    for (size_t i = 0; done && i < unit->register_count && simulation->programmed->from_file; i++)
        done = put(registers, unit->registers[i].name, unit->registers[i].value);
    done = done && put_words(simulation, source, arch, registers);
    if (!done) {
        cli_session_say(simulation->session, "out of memory");
        return false;
    }

    struct trial trial = {
        .simulation = simulation, .source = source, .arch = arch, .protocol = registers->protocol};
    done = settle(&trial, registers);
    if (done) {
        /* Names stay those of the list: what is not accepted is freed at its end. */
        for (size_t i = 0; i < trial.count; i++)
            for (size_t k = i; k < registers->count; k++)
                if (registers->list[k].name == trial.accepted[i].name) {
                    registers->list[k] = registers->list[i];
                    registers->list[i] = trial.accepted[i];
                    break;
                }
        for (size_t i = trial.count; i < registers->count; i++)
            free((char *)(uintptr_t)registers->list[i].name);
        registers->count = trial.count;
    }
    free(trial.accepted);
    return done;
}
