/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of a function with how often they were executed, and the source between them. */
#include "report/profile_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "image/frames.h"
#include "report/code.h"
#include "report/source.h"

struct annotating {
    const struct cairn_profile_view *view;
    struct cairn_code **codes; /* by source of the profile */
    struct cairn_sources *sources;
    const char *file; /* that was written last */
    uint32_t line;
};

/* The code of the source that a block is of, with its memory selected. */
static struct cairn_code *code_of(struct annotating *annotating,
                                  const struct cairn_block_count *block)
{
    const struct cairn_profiled *profile = annotating->view->profile;

    for (size_t i = 0; i < profile->source_count; i++) {
        if (profile->sources[i].index != block->source)
            continue;
        if (!annotating->codes[i] && cairn_code_new(profile->sources[i].config, profile->image,
                                                    &annotating->codes[i]) != CAIRN_OK)
            return NULL;
        cairn_code_select_place(annotating->codes[i], &block->place);
        return annotating->codes[i];
    }
    return NULL;
}

#define SOURCE_TEXT_MAX 200u /* letters */

static void put_source(struct annotating *annotating, struct cairn_code *code, uint64_t address)
{
    const struct cairn_code_place *place = cairn_code_place(code, address);
    struct cairn_output *output = annotating->view->output;

    if (!place || place->count == 0 || !place->frames[0].file || !place->frames[0].line)
        return;
    const struct cairn_frame *frame = &place->frames[0];
    if (annotating->line == frame->line && annotating->file &&
        strcmp(annotating->file, frame->file) == 0)
        return;
    annotating->file = frame->file;
    annotating->line = frame->line;
    const struct cairn_source_line line =
        cairn_sources_line(annotating->sources, frame->file, frame->line, &place->changed);
    cairn_output_harmless(output, frame->file);
    cairn_output_format(output, ":%" PRIu32, frame->line);
    if (line.state == CAIRN_SOURCE_FOUND) {
        cairn_output_text(output, "  ");
        cairn_source_line_write(output, &line, SOURCE_TEXT_MAX);
    }
    cairn_output_line(output);
}

static void put_insn(struct annotating *annotating, const struct cairn_profile_insn *insn)
{
    const struct cairn_profiled *profile = annotating->view->profile;
    struct cairn_output *output = annotating->view->output;
    struct cairn_code *code = code_of(annotating, &profile->counted.list[insn->block]);
    const struct cairn_code_line *line;

    if (!code)
        return;
    put_source(annotating, code, insn->address);
    cairn_output_format(output, "%14" PRIu64, insn->executed);
    if (profile->has_cycles)
        cairn_output_format(output, " %14" PRIu64, insn->cycles);
    if (insn->flags & CAIRN_BLOCK_BRANCH)
        cairn_output_format(output, " %14" PRIu64, insn->taken);
    else
        cairn_output_format(output, " %14s", "");
    line = cairn_code_line(code, (enum cairn_isa)insn->isa, insn->address);
    cairn_output_format(output, "  %10" PRIx64 "  %s", insn->address, line ? line->text : "");
    cairn_output_line(output);
}

/* Between two that were executed there is code that was not. */
static void put_between(struct annotating *annotating, uint64_t from, uint64_t to)
{
    cairn_output_format(annotating->view->output,
                        "%14s %*s  %10" PRIx64 "  not executed: %" PRIu64 " byte%s", "-",
                        annotating->view->profile->has_cycles ? 29 : 14, "", from, to - from,
                        cairn_plural(to - from));
    cairn_output_line(annotating->view->output);
}

static bool is_of(const struct cairn_function *function, const struct cairn_profile_insn *insn)
{
    return function->object == insn->object ||
           (function->object && insn->object && strcmp(function->object, insn->object) == 0);
}

/* A symbol in the midst of the function that was executed: it has a listing of its own. */
static void put_inside(struct annotating *annotating, uint32_t function, uint64_t from, uint64_t to)
{
    char text[CAIRN_PROFILE_NAME];

    cairn_output_format(
        annotating->view->output, "%14s %*s  %10" PRIx64 "  executed as %s: %" PRIu64 " byte%s", "",
        annotating->view->profile->has_cycles ? 29 : 14, "", from,
        cairn_profile_name(annotating->view, function, text), to - from, cairn_plural(to - from));
    cairn_output_line(annotating->view->output);
}

/* From `next` to the instruction `to`: what is of other symbols is among insns[first ..]. */
static void put_up_to(struct annotating *annotating, const struct cairn_function *function,
                      size_t first, const struct cairn_profile_insn *to, uint64_t next)
{
    const struct cairn_profiled *profile = annotating->view->profile;

    for (size_t i = first; next < to->address && &profile->insns[i] < to;) {
        const struct cairn_profile_insn *insn = &profile->insns[i++];
        uint64_t end = insn->address + insn->size;

        if (insn->address < next || !is_of(function, insn))
            continue;
        if (insn->address > next)
            put_between(annotating, next, insn->address);
        for (; &profile->insns[i] < to && profile->insns[i].address <= end &&
               profile->insns[i].function == insn->function;
             i++)
            end = profile->insns[i].address + profile->insns[i].size;
        end = end < to->address ? end : to->address;
        put_inside(annotating, insn->function, insn->address, end);
        next = end;
    }
    if (to->address > next)
        put_between(annotating, next, to->address);
}

static void put_function(struct annotating *annotating, uint32_t function)
{
    const struct cairn_profiled *profile = annotating->view->profile;
    const struct cairn_function *one = &profile->functions.list[function];
    struct cairn_output *output = annotating->view->output;
    char text[CAIRN_PROFILE_NAME];
    uint64_t next = one->address;
    size_t first = 0; /* behind the last one of the function */

    cairn_output_format(output, "%s: %" PRIu64 " instruction%s",
                        cairn_profile_name(annotating->view, function, text),
                        profile->totals[function].self,
                        cairn_plural(profile->totals[function].self));
    if (one->object) {
        cairn_output_text(output, "  (");
        cairn_output_harmless(output, one->object);
        cairn_output_char(output, ')');
    }
    cairn_output_line(output);
    cairn_output_format(output, "%14s", "times");
    if (profile->has_cycles)
        cairn_output_format(output, " %14s", "cycles");
    cairn_output_format(output, " %14s  %10s  instruction", "taken", "address");
    cairn_output_line(output);
    annotating->file = NULL;
    for (size_t i = 0; i < profile->insn_count && cairn_output_wanted(output); i++) {
        const struct cairn_profile_insn *insn = &profile->insns[i];

        if (insn->function != function)
            continue;
        if (!one->name && first == 0) /* nobody knows where code without a symbol begins */
            next = insn->address;
        put_up_to(annotating, one, first, insn, next);
        put_insn(annotating, insn);
        first = i + 1;
        next = insn->address + insn->size;
    }
}

cairn_status cairn_profile_annotate(const struct cairn_profile_view *view,
                                    const struct cairn_wanted *wanted, size_t *found)
{
    const struct cairn_profiled *profile = view->profile;
    const struct cairn_function *const list = profile->functions.list;
    struct annotating annotating = {.view = view};

    *found = 0;
    annotating.codes = calloc(profile->source_count + 1, sizeof(struct cairn_code *));
    if (!annotating.codes)
        return CAIRN_E_MEMORY;
    annotating.sources = cairn_sources_new(NULL, 0);
    for (uint32_t i = 1; i < profile->functions.count; i++)
        if (profile->totals[i].self &&
            cairn_wanted_is(wanted, list[i].name, list[i].object, list[i].address)) {
            if ((*found)++)
                cairn_output_line(view->output);
            put_function(&annotating, i);
        }
    for (size_t i = 0; i < profile->source_count; i++)
        cairn_code_free(annotating.codes[i]);
    free(annotating.codes);
    cairn_sources_free(annotating.sources);
    return CAIRN_OK;
}
