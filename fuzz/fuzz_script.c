/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as a register script: every line is an access or an error, in order; the rules about it
 * tell nothing that is no finding of a rule; and registers of any value have words. */
#include <stdlib.h>
#include <string.h>

#include <cairn/lint.h>

#include "unit/fields/fields.h"
#include "unit/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REGISTERS_MOST 24u

static void check_finding(void *context, const struct cairn_lint_finding *finding)
{
    const unsigned *lines = context;
    struct cairn_lint_rule_info rule = {.size = sizeof rule};
    bool known = false;

    for (size_t i = 0; !known && cairn_lint_rule(i, &rule) == CAIRN_OK; i++)
        known = strcmp(rule.code, finding->code) == 0 && finding->severity <= rule.severity;
    if (!known || finding->line > *lines || !finding->what[0])
        abort();
}

/* Lines rise, and names end. */
static unsigned read_all(const char *text, size_t size)
{
    struct cairn_script script;
    struct cairn_script_access access;
    struct cairn_error error;
    cairn_status status;
    unsigned line = 0;

    cairn_script_begin(&script, "fuzz", text, size);
    while ((status = cairn_script_next(&script, &access, &error)) != CAIRN_E_NOT_FOUND) {
        if (script.line <= line || (status != CAIRN_OK && status != CAIRN_E_FORMAT))
            abort();
        line = script.line;
        if (status == CAIRN_OK &&
            (access.line != line || !memchr(access.name, 0, sizeof access.name)))
            abort();
    }
    if (script.left != 0)
        abort();
    return script.line;
}

/* What a value of a field means, and that its bits make up the register. */
static void describe(unsigned unit, struct cairn_register_place place, uint64_t value)
{
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(unit, place, fields);
    char text[CAIRN_FIELD_WORDS];
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t back;
        cairn_field_describe(unit, fields[i], value, text);
        if (!text[0] || !memchr(text, 0, sizeof text))
            abort();
        if (cairn_field_parse(fields[i], text, &back) && fields[i]->meaning > CAIRN_MEANS_WORDS &&
            back != cairn_field_value(fields[i], value))
            abort();
        sum |= cairn_field_value(fields[i], value) << fields[i]->low;
    }
    if (count && (sum & ~value))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4,
                                                       CAIRN_PROTOCOL_PTM, CAIRN_PROTOCOL_ETMV3,
                                                       CAIRN_PROTOCOL_MTB};
    struct cairn_register registers[REGISTERS_MOST];
    char names[REGISTERS_MOST][CAIRN_REGISTER_NAME];
    struct cairn_lint_unit unit = {.size = sizeof unit};
    unsigned lines;
    size_t count = 0;

    if (size < 2 || size > 1u << 16)
        return 0;
    /* A byte chooses the protocol, one how many registers of nine bytes follow; the rest is text. */
    unit.protocol = protocols[data[0] % 5];
    const size_t wanted = data[1] % (REGISTERS_MOST + 1);
    const unsigned of = cairn_of_protocol(unit.protocol);
    data += 2;
    size -= 2;
    for (; count < wanted && size >= 9; data += 9, size -= 9) {
        struct cairn_register_place place = {NULL, 0};
        uint64_t value = 0;
        size_t at = data[0];
        while (!(place.family = cairn_register_family_at(at)))
            at /= 2;
        place.number = place.family->first == CAIRN_NO_NUMBER
                           ? 0
                           : (unsigned)(place.family->first + data[1] % place.family->count);
        for (unsigned i = 1; i < 9; i++)
            value = value << 8 | data[i];
        if (!(place.family->units & of))
            continue;
        describe(of, place, value);
        cairn_register_name(place, names[count]);
        registers[count] = (struct cairn_register){.name = names[count], .value = value};
        count++;
    }
    unit.registers = registers;
    unit.register_count = count;
    lines = 0;
    if (cairn_lint(&unit, check_finding, &lines, NULL) != CAIRN_OK)
        abort();
    lines = read_all((const char *)data, size);
    unit.script = (const char *)data;
    unit.script_size = size;
    const cairn_status status = cairn_lint(&unit, check_finding, &lines, NULL);
    if (status != CAIRN_OK && status != CAIRN_E_FORMAT)
        abort();
    return 0;
}
