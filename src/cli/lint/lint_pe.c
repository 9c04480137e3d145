/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lint/lint_pe.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/pe.h>

#include "unit/script.h"

#define TOLD_MOST 64u
#define VALUES_MOST 64u /* registers that a script writes */

bool cli_lint_is_of_pe(const struct cairn_lint_finding *finding)
{
    return strcmp(finding->code, "CAIRN-LINT-UNKNOWN-REGISTER") == 0 && finding->name &&
           cairn_pe_encoding(finding->name);
}

struct watching {
    cairn_lint_tell *tell;
    void *context;
    unsigned line;
    struct {
        const char *code;
        char name[24];
    } told[TOLD_MOST];
    size_t told_count;
    struct cairn_register *registers; /* the given ones, then the written ones */
    size_t given, count;
    char names[VALUES_MOST][CAIRN_SCRIPT_NAME];
};

static void tell_once(void *context, const struct cairn_lint_finding *finding)
{
    struct watching *w = context;
    struct cairn_lint_finding told = *finding;
    const char *name = finding->name ? finding->name : "";

    for (size_t i = 0; i < w->told_count; i++)
        if (w->told[i].code == finding->code && strcmp(w->told[i].name, name) == 0)
            return;
    if (w->told_count < TOLD_MOST) {
        w->told[w->told_count].code = finding->code;
        strncpy(w->told[w->told_count++].name, name, sizeof w->told[0].name - 1);
    }
    told.line = w->line;
    w->tell(w->context, &told);
}

/* The last value of a name counts. */
static void put(struct watching *w, const struct cairn_script_access *access)
{
    size_t i = w->given;

    while (i < w->count && strcasecmp(w->registers[i].name, access->name) != 0)
        i++;
    if (i == w->count) {
        if (w->count - w->given == VALUES_MOST)
            return;
        memcpy(w->names[i - w->given], access->name, sizeof access->name);
        w->registers[w->count++].name = w->names[i - w->given];
    }
    w->registers[i].value = access->value;
}

static bool enables(const struct cairn_script_access *access)
{
    return (strcasecmp(access->name, "TRBLIMITR_EL1") == 0 && access->value & 1) ||
           (strncasecmp(access->name, "BRBCR_EL", 8) == 0 && access->value & 3);
}

cairn_status cli_lint_pe(const struct cli_trace_unit *unit, cairn_lint_tell *tell, void *context)
{
    struct watching *w = calloc(1, sizeof *w);
    struct cairn_script script;
    struct cairn_script_access access;
    cairn_status status = CAIRN_OK;

    if (w)
        w->registers = calloc(unit->register_count + VALUES_MOST, sizeof *w->registers);
    if (!w || !w->registers) {
        free(w);
        return CAIRN_E_MEMORY;
    }
    w->tell = tell;
    w->context = context;
    w->given = w->count = unit->register_count;
    for (size_t i = 0; i < unit->register_count; i++)
        w->registers[i] = unit->registers[i];
    cairn_script_begin(&script, "", unit->script, unit->script_size);
    while (unit->script && status == CAIRN_OK) {
        status = cairn_script_next(&script, &access, NULL);
        if (status != CAIRN_OK || access.kind != CAIRN_SCRIPT_WRITE ||
            !cairn_pe_encoding(access.name))
            continue;
        put(w, &access);
        w->line = access.line;
        if (enables(&access))
            cairn_pe_lint(w->registers, w->count, unit->name, tell_once, w);
    }
    cairn_pe_lint(w->registers, w->count, unit->name, tell_once, w);
    free(w->registers);
    free(w);
    return CAIRN_OK;
}
