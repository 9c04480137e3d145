/* SPDX-License-Identifier: BSD-2-Clause */
/* What all views of coverage share. */
#include "report/coverage_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/code.h>

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

const char *cairn_coverage_name(const struct cairn_coverage_view *view,
                                const struct cairn_coverage_function *function)
{
    return cairn_naming_whole(view->naming, function->name);
}

const char *cairn_coverage_others(const struct cairn_coverage *coverage, uint32_t object,
                                  char text[CAIRN_COVERAGE_NAME])
{
    snprintf(text, CAIRN_COVERAGE_NAME, "[%.500s]", last_part(coverage->objects[object].path));
    return text;
}

uint64_t cairn_coverage_entered(const struct cairn_coverage_function *function)
{
    return function->entered ? function->entered : function->is_hit;
}

const char *cairn_coverage_went(const struct cairn_coverage_insn *insn)
{
    if (!insn->executed)
        return "never";
    if (!insn->told)
        return "not_told";
    if (insn->taken && insn->taken < insn->told)
        return "both";
    return insn->taken ? "taken" : "not_taken";
}

void cairn_coverage_put(struct cairn_output *output, const char *text)
{
    const char *begin = text;

    for (; *text; text++) {
        if ((unsigned char)*text >= ' ' && *text != '\x7f')
            continue;
        cairn_output_data(output, begin, (size_t)(text - begin));
        cairn_output_text(output, "\xef\xbf\xbd");
        begin = text + 1;
    }
    cairn_output_data(output, begin, (size_t)(text - begin));
}

uint64_t cairn_coverage_lost(const struct cairn_coverage *coverage)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < coverage->source_count; i++)
        lost += coverage->sources[i].lost_bytes;
    return lost;
}

uint64_t cairn_coverage_overflows(const struct cairn_coverage *coverage)
{
    uint64_t times = 0;

    for (size_t i = 0; i < coverage->source_count; i++)
        times += coverage->sources[i].overflows;
    return times;
}

struct cairn_coverage_share cairn_coverage_share(uint64_t part, uint64_t all)
{
    /* no count of code comes near 2^54 */
    const uint64_t tenths = all ? part * 1000 / all : 1000;

    return (struct cairn_coverage_share){.whole = (unsigned)(tenths / 10),
                                         .tenths = (unsigned)(tenths % 10)};
}

void cairn_coverage_disassemble(const struct cairn_coverage_view *view,
                                const struct cairn_coverage_insn *insn, char *text, size_t size)
{
    const struct cairn_arch *const arch = &view->coverage->objects[insn->object].arch;
    struct cairn_insn decoded;

    cairn_coverage_decode(view->coverage, insn, &decoded);
    cairn_disassemble(view->disasm, arch, (enum cairn_isa)insn->isa, insn->address, &decoded, text,
                      size);
}

/* --- functions in the order of sources --- */

static int by_place(const void *left, const void *right, void *context)
{
    const struct cairn_coverage_function *const list = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const struct cairn_coverage_function *const a = &list[one], *const b = &list[other];

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    const int order = strcmp(a->name, b->name);
    return order ? order : (one > other) - (one < other);
}

uint32_t *cairn_coverage_functions(const struct cairn_coverage *coverage)
{
    uint32_t *const list = malloc((coverage->function_count + 1) * sizeof *list);

    if (!list)
        return NULL;
    for (size_t i = 0; i < coverage->function_count; i++)
        list[i] = (uint32_t)i;
    qsort_r(list, coverage->function_count, sizeof *list, by_place, coverage->functions);
    return list;
}
