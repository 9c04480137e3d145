/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/codes.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/options/options.h"

#define CODES_MAX 96

static const char prefix[] = "CAIRN-";

const struct cli_code *cli_code_find(const char *word)
{
    const struct cli_code *code;

    for (size_t i = 0; (code = cli_code_at(i)); i++)
        if (!strcasecmp(code->code, word) || !strcasecmp(code->code + sizeof prefix - 1, word))
            return code;
    return NULL;
}

/* As docs/findings.md has it. */
static void print(const struct cli_code *code)
{
    printf("## %s\n\n%s\n\n```\n%s\n```\n\nWhat to do: %s\n", code->code, code->meaning,
           code->example, code->help);
}

bool cli_code_explain(const char *word)
{
    const struct cli_code *code = cli_code_find(word);
    const char *names[CODES_MAX + 1], *without_prefix[CODES_MAX + 1];
    size_t count = 0;

    if (code) {
        print(code);
        return true;
    }
    if (!strcasecmp(word, "all")) {
        for (size_t i = 0; (code = cli_code_at(i)); i++) {
            printf("%s", i ? "\n" : "");
            print(code);
        }
        return true;
    }
    for (; count < CODES_MAX && (code = cli_code_at(count)); count++) {
        names[count] = code->code;
        without_prefix[count] = code->code + sizeof prefix - 1;
    }
    names[count] = NULL;
    without_prefix[count] = NULL;
    const char *near = cli_nearest(word, names);
    const char *bare = near ? NULL : cli_nearest(word, without_prefix);
    fprintf(stderr, "cairn check: --explain %s: there is no such code.", word);
    if (near || bare)
        fprintf(stderr, " Did you mean %s%s?", near ? "" : prefix, near ? near : bare);
    fprintf(stderr, " `cairn check --explain all` tells of all of them.\n");
    return false;
}
