/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lint_bench.h"

#define REGISTERS 40u

struct told told[TOLD];
size_t told_count;

void tell(void *context, const struct cairn_lint_finding *finding)
{
    (void)context;
    assert_true(finding->size >= sizeof *finding);
    assert_true(strlen(finding->what) > 4 && strlen(finding->remedy) > 10);
    assert_non_null(finding->requirement);
    if (told_count == TOLD)
        return;
    snprintf(told[told_count].code, sizeof told[0].code, "%s", finding->code);
    snprintf(told[told_count].name, sizeof told[0].name, "%s", finding->name ? finding->name : "");
    snprintf(told[told_count].what, sizeof told[0].what, "%s", finding->what);
    told[told_count].severity = finding->severity;
    told[told_count++].line = finding->line;
}

/* "A=1 B=2", or a script: whatever has a line of accesses. */
uint32_t lint_flags;

cairn_status lint(enum cairn_protocol_id protocol, const char *text)
{
    struct cairn_register registers[REGISTERS];
    struct cairn_lint_unit unit = {.size = sizeof unit, .protocol = protocol, .flags = lint_flags};
    char names[REGISTERS][32];
    size_t count = 0;
    struct cairn_error error = {.status = CAIRN_OK};

    told_count = 0;
    if (!strchr(text, '=')) {
        unit.script = text;
        unit.script_size = strlen(text);
        unit.script_name = "test";
        return cairn_lint(&unit, tell, NULL, &error);
    }
    for (const char *at = text; *at; count++) {
        const size_t length = strcspn(at, "=");
        char *end;
        assert_true(count < REGISTERS && length < sizeof names[0]);
        snprintf(names[count], sizeof names[count], "%.*s", (int)length, at);
        registers[count].name = names[count];
        registers[count].value = strtoull(at + length + 1, &end, 0);
        at = end + strspn(end, " ");
    }
    unit.registers = registers;
    unit.register_count = count;
    return cairn_lint(&unit, tell, NULL, &error);
}

bool has(const char *code)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + strlen("CAIRN-LINT-"), code) == 0)
            return true;
    return false;
}

/* No note that only says what is not known. */
bool has_grave(const char *code)
{
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + strlen("CAIRN-LINT-"), code) == 0 &&
            told[i].severity != CAIRN_LINT_NOTE)
            return true;
    return false;
}

void expect(enum cairn_protocol_id protocol, const char *text, const char *code,
            enum cairn_lint_severity severity, const char *name, unsigned line)
{
    assert_int_equal(lint(protocol, text), CAIRN_OK);
    for (size_t i = 0; i < told_count; i++)
        if (strcmp(told[i].code + 11, code) == 0 && strcmp(told[i].name, name) == 0 &&
            told[i].line == line && told[i].severity == severity)
            return;
    fail_msg("\"%s\" does not give %s of %s in line %u", text, code, name, line);
}

bool is_told(enum cairn_protocol_id protocol, const char *code, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    assert_true((size_t)vsnprintf(text, sizeof text, format, arguments) < sizeof text);
    va_end(arguments);
    assert_int_equal(lint(protocol, text), CAIRN_OK);
    return has(code);
}

void expect_looks(const struct look *looks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct look *l = &looks[i];
        const unsigned bits = strncmp(l->name, "TRCACVR", 7) == 0 ? 64 : 32;

        if (is_told(l->protocol, l->code, "%s=0x%" PRIx64 " %s", l->name, l->value, l->rest) !=
            l->told)
            fail_msg("%s of %s=0x%" PRIx64 " %s", l->code, l->name, l->value, l->rest);
        for (unsigned bit = 0; bit < bits; bit++)
            if (is_told(l->protocol, l->code, "%s=0x%" PRIx64 " %s", l->name,
                        l->value ^ UINT64_C(1) << bit,
                        l->rest) != (l->told != (l->changes >> bit & 1)))
                fail_msg("%s of %s=0x%" PRIx64 " %s: bit %u", l->code, l->name, l->value, l->rest,
                         bit);
    }
}
