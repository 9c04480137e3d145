/* SPDX-License-Identifier: BSD-2-Clause */
#include "scripts.h"

#include <stdlib.h>

/* Fewer where a person waits. */
static uint64_t script_seeds(void)
{
    return getenv("CAIRN_QUICK") && SEEDS > 100 ? 100 : SEEDS;
}

void script_load(const char *name, struct script_text *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s%s", SCRIPTS, name);
    file = fopen(path, "r");
    assert_non_null(file);
    text->all[fread(text->all, 1, sizeof text->all - 1, file)] = '\0';
    fclose(file);
    text->count = 0;
    for (char *line = text->all; line && *line;) {
        char *next = strchr(line, '\n');

        assert_true(text->count < SCRIPT_LINES);
        text->lines[text->count++] = line;
        if (next)
            *next++ = '\0';
        line = next;
    }
}

void script_run(struct pe_bench *b, const struct script_text *text, size_t without,
                enum cairn_pe_order order, uint64_t seed)
{
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_error error;
    char script[8192];
    size_t size = 0;

    for (size_t i = 0; i < text->count; i++)
        size += (size_t)snprintf(script + size, sizeof script - size, "%s\n",
                                 i + 1 == without ? "" : text->lines[i]);
    options.order = order;
    options.seed = seed;
    pe_bench_begin(b, SCRIPT_BASE, &options);
    /* A unit that does not take what is written too soon may never come to what is waited for. */
    if (pe_bench_try(b, script, &error) != CAIRN_OK && !b->found)
        fail_msg("%s", error.text);
    cairn_pe_settle(b->pe);
    pe_bench_end(b);
}

size_t script_line(const struct script_text *text, char letter)
{
    for (size_t i = 0; i < text->count; i++) {
        const size_t length = strlen(text->lines[i]);

        if (length > 3 && text->lines[i][length - 1] == letter &&
            strncmp(text->lines[i] + length - 3, "# ", 2) == 0)
            return i + 1;
    }
    fail_msg("no line %c", letter);
    return 0;
}

void assert_script_silent(const char *name)
{
    static struct pe_bench b;
    struct script_text text;

    script_load(name, &text);
    for (uint64_t seed = 0; seed < script_seeds(); seed++) {
        script_run(&b, &text, 0, seed ? CAIRN_PE_RANDOM : CAIRN_PE_LATE, seed);
        if (b.found)
            fail_msg("%s, seed %u: line %u: %s %s, since %u", name, (unsigned)seed,
                     (unsigned)b.first.place, b.first.rule, b.name, (unsigned)b.first.since);
    }
}

void assert_script_finds(const char *name, char letter, const char *rule, const char *reg,
                         uint32_t missing)
{
    static struct pe_bench b;
    struct script_text text;

    script_load(name, &text);
    for (uint64_t seed = 0; seed < script_seeds(); seed++) {
        script_run(&b, &text, letter ? script_line(&text, letter) : 0,
                   seed == 0   ? CAIRN_PE_EARLY
                   : seed == 1 ? CAIRN_PE_LATE
                               : CAIRN_PE_RANDOM,
                   seed);
        if (!b.found)
            fail_msg("%s without %c, seed %u: nothing", name, letter, (unsigned)seed);
        if (strcmp(b.first.rule, rule) != 0 || strcmp(b.name, reg) != 0 ||
            b.first.missing != missing)
            fail_msg("%s without %c, seed %u: line %u: %s %s %x, since %u", name, letter,
                     (unsigned)seed, (unsigned)b.first.place, b.first.rule, b.name,
                     (unsigned)b.first.missing, (unsigned)b.first.since);
    }
}
