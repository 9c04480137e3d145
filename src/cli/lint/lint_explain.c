/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lint/lint_explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/pe.h>

#include "cli/options/options.h"
#include "cli/options/protocols.h"

#define CODES_MOST 128u
#define REGISTERS_MOST 16u
#define UNITS_MOST 2u
#define EXAMPLE_MOST 512u
#define SCRIPT "board.etm"

static const char prefix[] = "CAIRN-LINT-";

const char *cli_lint_severity(enum cairn_lint_severity severity)
{
    switch (severity) {
    case CAIRN_LINT_NOTE: return "note";
    case CAIRN_LINT_WARNING: return "warning";
    case CAIRN_LINT_PROBLEM: return "problem";
    }
    return "note";
}

void cli_lint_where(const struct cairn_lint_finding *finding, const char *script, char *text,
                    size_t size)
{
    char line[80] = "";

    if (finding->line)
        snprintf(line, sizeof line, "%.60s:%u: ", script ? script : "script", finding->line);
    snprintf(text, size, "%s%s%s%s%s", finding->unit ? finding->unit : "",
             finding->unit ? ": " : "", line, finding->name ? finding->name : "",
             finding->name ? ": " : "");
}

/* --- examples --- */

struct example {
    char text[EXAMPLE_MOST]; /* cut up */
    struct cairn_lint_unit units[UNITS_MOST];
    struct cairn_register registers[REGISTERS_MOST];
    size_t unit_count;
};

/* "ETE_0:TRCTRACEIDR=0x10 TRCVICTLR=0x201": values of one unit, or of several with names. */
static void read_words(struct example *example, enum cairn_protocol_id protocol)
{
    char *save = NULL;
    size_t count = 0;

    for (char *word = strtok_r(example->text, " ", &save); word && count < REGISTERS_MOST;
         word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '='), *colon = strchr(word, ':');
        if (!equals)
            continue;
        *equals = '\0';
        if (colon)
            *colon = '\0';
        example->registers[count] = (struct cairn_register){.name = colon ? colon + 1 : word,
                                                            .value = strtoull(equals + 1, NULL, 0)};
        if ((colon || !example->unit_count) && example->unit_count < UNITS_MOST)
            example->units[example->unit_count++] =
                (struct cairn_lint_unit){.size = sizeof(struct cairn_lint_unit),
                                         .name = colon ? word : NULL,
                                         .protocol = protocol,
                                         .registers = &example->registers[count]};
        example->units[example->unit_count - 1].register_count++;
        count++;
    }
}

static bool is_script(const char *example)
{
    return !strchr(example, '=');
}

struct wanted {
    const char *code;
    bool told;
};

/* The first finding of the rule that the example is for. */
static void print_finding(void *context, const struct cairn_lint_finding *finding)
{
    struct wanted *wanted = context;
    char where[160];

    if (wanted->told || strcmp(finding->code, wanted->code) != 0)
        return;
    wanted->told = true;
    cli_lint_where(finding, SCRIPT, where, sizeof where);
    printf("%s: %s%s [%s; %s]\n", cli_lint_severity(finding->severity), where, finding->what,
           finding->code, finding->requirement);
}

static void print_example(const struct cairn_lint_rule_info *rule)
{
    struct example example = {.unit_count = 0};
    const struct cairn_lint_unit *list[UNITS_MOST];
    struct wanted wanted = {rule->code, false};
    char protocol[CLI_PROTOCOLS_TEXT];
    cairn_status status = CAIRN_OK;

    snprintf(example.text, sizeof example.text, "%s", rule->example);
    if (rule->protocol == CAIRN_PROTOCOL_UNKNOWN) { /* of a PE */
        printf("$ cairn lint %s\n", rule->example);
        read_words(&example, rule->protocol);
        cairn_pe_lint(example.registers, example.units[0].register_count, NULL, print_finding,
                      &wanted);
        return;
    }
    cli_protocols_word(rule->protocol, protocol);
    if (is_script(rule->example)) {
        example.units[0] = (struct cairn_lint_unit){.size = sizeof example.units[0],
                                                    .protocol = rule->protocol,
                                                    .script = example.text,
                                                    .script_size = strlen(example.text),
                                                    .script_name = SCRIPT};
        example.unit_count = 1;
        printf("$ cat " SCRIPT "\n%s\n$ cairn lint --protocol %s " SCRIPT "\n", rule->example,
               protocol);
    } else {
        read_words(&example, rule->protocol);
        printf("$ cairn lint --protocol %s %s\n", protocol, rule->example);
    }
    for (size_t i = 0; status == CAIRN_OK && i < example.unit_count; i++) {
        list[i] = &example.units[i];
        status = cairn_lint(list[i], print_finding, &wanted, NULL);
    }
    if (status == CAIRN_OK)
        status = cairn_lint_bus(list, example.unit_count, print_finding, &wanted, NULL);
    (void)status; /* an example that says nothing is found by a test */
}

/* As docs/lint.md has it. */
static void print(const struct cairn_lint_rule_info *rule)
{
    printf("## %s\n\n%s (%s; %s)\n\n```\n", rule->code, rule->meaning,
           cli_lint_severity(rule->severity), rule->requirement);
    print_example(rule);
    printf("```\n\nWhat to do: %s.\n", rule->remedy);
}

/* Those of trace units, then those of PEs. */
static cairn_status find_rule(size_t index, struct cairn_lint_rule_info *rule)
{
    struct cairn_lint_rule_info other = {.size = sizeof other};
    size_t units = 0;

    if (cairn_lint_rule(index, rule) == CAIRN_OK)
        return CAIRN_OK;
    while (cairn_lint_rule(units, &other) == CAIRN_OK)
        units++;
    return cairn_pe_lint_rule(index - units, rule);
}

bool cli_lint_explain(const char *word)
{
    struct cairn_lint_rule_info rule = {.size = sizeof rule};
    const char *names[CODES_MOST + 1], *bare[CODES_MOST + 1];
    const bool all = !strcasecmp(word, "all");
    size_t count = 0;
    bool told = false;

    for (; count < CODES_MOST && find_rule(count, &rule) == CAIRN_OK; count++) {
        names[count] = rule.code;
        bare[count] = rule.code + sizeof prefix - 1;
        if (!all && strcasecmp(rule.code, word) && strcasecmp(bare[count], word))
            continue;
        printf("%s", told ? "\n" : "");
        print(&rule);
        told = true;
    }
    if (told)
        return true;
    names[count] = bare[count] = NULL;
    const char *near = cli_nearest(word, names);
    const char *short_near = near ? NULL : cli_nearest(word, bare);
    fprintf(stderr, "cairn lint: --explain %s: there is no such code.", word);
    if (near || short_near)
        fprintf(stderr, " Did you mean %s%s?", near ? "" : prefix, near ? near : short_near);
    fprintf(stderr, " `cairn lint --explain all` tells of all of them.\n");
    return false;
}
