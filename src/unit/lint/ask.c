/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rules share: the registers of a run, and telling. */
#include <stdarg.h>
#include <stdio.h>

#include "unit/lint/lint.h"

#define WHAT_MOST 400u

static bool get(const struct cairn_lint_run *run, struct cairn_register_place place,
                uint64_t *value)
{
    *value = 0;
    if (!place.family)
        return false;
    const unsigned slot = cairn_register_slot(place);
    if (!run->given[slot])
        return false;
    *value = run->values[slot];
    return true;
}

bool cairn_lint_get(const struct cairn_lint_run *run, const char *name, uint64_t *value)
{
    return get(run, cairn_register_place_of(run->unit, name), value);
}

bool cairn_lint_get_n(const struct cairn_lint_run *run, const char *array, unsigned number,
                      uint64_t *value)
{
    char name[CAIRN_REGISTER_NAME];

    snprintf(name, sizeof name, "%s%u", array, number);
    return cairn_lint_get(run, name, value);
}

uint64_t cairn_lint_value(const struct cairn_lint_run *run, const char *name)
{
    uint64_t value;

    cairn_lint_get(run, name, &value);
    return value;
}

uint32_t cairn_lint_bits(const struct cairn_lint_run *run, const char *name, unsigned high,
                         unsigned low)
{
    return cairn_register_bits(cairn_lint_value(run, name), high, low);
}

bool cairn_lint_has(const struct cairn_lint_run *run, const char *name)
{
    uint64_t value;

    return cairn_lint_get(run, name, &value);
}

bool cairn_lint_given(const struct cairn_lint_run *run, size_t *index,
                      struct cairn_register_place *place, uint64_t *value)
{
    const struct cairn_register_family *family;
    size_t slot = 0;

    for (size_t i = 0; (family = cairn_register_family_at(i)); i++)
        for (unsigned n = 0; n < family->count; n++, slot++) {
            if (slot < *index || !run->given[slot])
                continue;
            *place = (struct cairn_register_place){
                family, family->first == CAIRN_NO_NUMBER ? 0 : family->first + n};
            *value = run->values[slot];
            *index = slot + 1;
            return true;
        }
    return false;
}

void cairn_lint_list(uint64_t bits, unsigned first, char text[CAIRN_LINT_LIST])
{
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < 64 && length < CAIRN_LINT_LIST - 8; i++)
        if (bits >> i & 1)
            length += (size_t)snprintf(text + length, CAIRN_LINT_LIST - length, "%s%u",
                                       length ? ", " : "", i + first);
}

static void tell(struct cairn_lint_run *run, const char *name, enum cairn_lint_severity severity,
                 const char *format, va_list arguments)
{
    char what[WHAT_MOST];
    const struct cairn_lint_finding finding = {
        .size = sizeof finding,
        .code = run->rule->code,
        .requirement = run->rule->requirement,
        .severity = severity,
        .line = run->line,
        .unit = run->told->name,
        .name = name,
        .what = what,
        .remedy = run->rule->remedy,
    };

    vsnprintf(what, sizeof what, format, arguments);
    run->tell(run->context, &finding);
}

void cairn_lint_say(struct cairn_lint_run *run, const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(run, name, run->softly ? CAIRN_LINT_NOTE : run->rule->severity, format, arguments);
    va_end(arguments);
}

void cairn_lint_say_n(struct cairn_lint_run *run, const char *array, unsigned number,
                      const char *format, ...)
{
    char name[CAIRN_REGISTER_NAME];
    va_list arguments;

    snprintf(name, sizeof name, "%s%u", array, number);
    va_start(arguments, format);
    tell(run, name, run->softly ? CAIRN_LINT_NOTE : run->rule->severity, format, arguments);
    va_end(arguments);
}

void cairn_lint_of_state(struct cairn_lint_run *run, const char *name)
{
    const struct cairn_register_place place = cairn_register_place_of(run->unit, name);

    run->softly = place.family && (run->told->flags & CAIRN_LINT_AFTERWARDS) &&
                  !run->written[cairn_register_slot(place)];
}

void cairn_lint_note(struct cairn_lint_run *run, const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(run, name, CAIRN_LINT_NOTE, format, arguments);
    va_end(arguments);
}
