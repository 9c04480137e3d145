/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of calls of a profile: folded stacks, and speedscope's file. */
#include "report/profile_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

static const char *exception_of(const struct cairn_profiled *profile, uint32_t source,
                                uint32_t exception)
{
    return cairn_exception_name(profile->sources[source].config, exception - 1);
}

static struct cairn_profile_frame key_of(const struct cairn_profiled *profile, uint32_t node)
{
    const struct cairn_profile_node *one = &profile->nodes[node];
    struct cairn_profile_frame key = {.exception = one->exception, .function = one->function};

    while (key.exception && key.source < one->source &&
           strcmp(exception_of(profile, key.source, key.exception),
                  exception_of(profile, one->source, key.exception)) != 0)
        key.source++;
    return key;
}

static int compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const void *left, const void *right)
{
    const struct cairn_profile_frame *a = left, *b = right;
    int order = compare(a->exception, b->exception);

    if (!order)
        order = compare(a->function, b->function);
    return order ? order : compare(a->source, b->source);
}

cairn_status cairn_profile_frames(const struct cairn_profiled *profile,
                                  struct cairn_profile_frames *frames)
{
    struct cairn_profile_frame *list = malloc((profile->node_count + 1) * sizeof *list);
    size_t count = 0;

    if (!list)
        return CAIRN_E_MEMORY;
    for (uint32_t i = 1; i < profile->node_count; i++)
        list[i - 1] = key_of(profile, i);
    if (profile->node_count > 1)
        qsort(list, profile->node_count - 1, sizeof *list, by_key);
    for (uint32_t i = 1; i < profile->node_count; i++)
        if (count == 0 || by_key(&list[count - 1], &list[i - 1]) != 0)
            list[count++] = list[i - 1];
    *frames = (struct cairn_profile_frames){list, count};
    return CAIRN_OK;
}

size_t cairn_profile_frame_of(const struct cairn_profiled *profile,
                              const struct cairn_profile_frames *frames, uint32_t node)
{
    const struct cairn_profile_frame key = key_of(profile, node);
    const struct cairn_profile_frame *found =
        bsearch(&key, frames->list, frames->count, sizeof key, by_key);

    return found ? (size_t)(found - frames->list) : 0;
}

const char *cairn_profile_frame_name(const struct cairn_profile_view *view,
                                     struct cairn_profile_frame frame,
                                     char text[CAIRN_PROFILE_NAME])
{
    char copy[CAIRN_PROFILE_NAME];

    if (!frame.exception)
        return cairn_profile_name(view, frame.function, text);
    const char *kind = exception_of(view->profile, frame.source, frame.exception);
    if (frame.function)
        snprintf(text, CAIRN_PROFILE_NAME, "%.100s: %.400s", kind,
                 cairn_profile_name(view, frame.function, copy));
    else
        snprintf(text, CAIRN_PROFILE_NAME, "%s", kind);
    return text;
}

const char *cairn_profile_frame_file(const struct cairn_profile_view *view, uint32_t number,
                                     uint32_t *line)
{
    const struct cairn_function *function = &view->profile->functions.list[number];
    const char *file;

    if (number == 0 || !function->name ||
        !cairn_profile_declaration(view->profile, &function->place, function->address, &file, line))
        return NULL;
    return file;
}

/* --- chains --- */

cairn_status cairn_profile_walk(const struct cairn_profiled *profile,
                                const struct cairn_profile_thread *thread, cairn_profile_tell *tell,
                                void *context)
{
    uint32_t *chain = malloc(CAIRN_PROFILE_CHAIN_MAX * sizeof *chain);
    uint32_t at = profile->nodes[thread->root].child;
    size_t depth = 0;
    cairn_status status = CAIRN_OK;

    if (!chain)
        return CAIRN_E_MEMORY;
    while (at && !status) {
        const struct cairn_profile_node *node = &profile->nodes[at];
        const bool is_last = depth + 1 == CAIRN_PROFILE_CHAIN_MAX;

        chain[depth++] = at;
        const struct cairn_profile_sum *all = &profile->sums[at];
        if (is_last && all->instructions)
            status = tell(context, thread, chain, depth, all->instructions, all->cycles);
        else if (!is_last && (node->instructions || node->cycles))
            status = tell(context, thread, chain, depth, node->instructions, node->cycles);
        if (node->child && !is_last) {
            at = node->child;
            continue;
        }
        for (; at != thread->root && !profile->nodes[at].next; at = profile->nodes[at].parent)
            depth--;
        if (at == thread->root)
            break;
        depth--;
        at = profile->nodes[at].next;
    }
    free(chain);
    return status;
}

/* --- folded --- */

struct folding {
    const struct cairn_profile_view *view;
    char thread[CAIRN_PROFILE_NAME];
};

/* A name may have no separator of the format. */
static void put_folded(struct cairn_output *output, const char *name)
{
    for (; *name; name++)
        cairn_output_char(output, *name == ';' || (unsigned char)*name < ' ' ? ':' : *name);
}

static cairn_status fold(void *context, const struct cairn_profile_thread *thread,
                         const uint32_t *chain, size_t count, uint64_t instructions,
                         uint64_t cycles)
{
    struct folding *folding = context;
    const struct cairn_profile_view *view = folding->view;
    char text[CAIRN_PROFILE_NAME];

    (void)thread;
    (void)cycles;
    if (instructions == 0)
        return CAIRN_OK;
    if (view->by_thread)
        put_folded(view->output, folding->thread);
    for (size_t i = 0; i < count; i++) {
        if (i || view->by_thread)
            cairn_output_char(view->output, ';');
        put_folded(view->output,
                   cairn_profile_frame_name(view, key_of(view->profile, chain[i]), text));
    }
    cairn_output_format(view->output, " %" PRIu64, instructions);
    cairn_output_line(view->output);
    return cairn_output_wanted(view->output) ? CAIRN_OK : CAIRN_E_LIMIT;
}

cairn_status cairn_profile_folded(const struct cairn_profile_view *view)
{
    struct folding folding = {.view = view};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < view->profile->thread_count && !status; i++) {
        cairn_profile_thread_name(view, &view->profile->threads[i], folding.thread);
        status = cairn_profile_walk(view->profile, &view->profile->threads[i], fold, &folding);
    }
    return cairn_output_wanted(view->output) ? status : CAIRN_OK;
}

/* --- speedscope: https://www.speedscope.app/file-format-schema.json --- */

struct scope {
    const struct cairn_profile_view *view;
    const struct cairn_profile_frames *frames;
    bool weights; /* what is written now, or samples */
    bool any;
    uint64_t total;
};

static cairn_status put_sample(void *context, const struct cairn_profile_thread *thread,
                               const uint32_t *chain, size_t count, uint64_t instructions,
                               uint64_t cycles)
{
    struct scope *scope = context;
    struct cairn_output *output = scope->view->output;

    (void)thread;
    (void)cycles;
    if (instructions == 0)
        return CAIRN_OK;
    if (scope->any)
        cairn_output_char(output, ',');
    scope->any = true;
    if (scope->weights) {
        cairn_output_decimal(output, instructions);
        scope->total += instructions;
        return CAIRN_OK;
    }
    cairn_output_char(output, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            cairn_output_char(output, ',');
        cairn_output_decimal(output,
                             cairn_profile_frame_of(scope->view->profile, scope->frames, chain[i]));
    }
    cairn_output_char(output, ']');
    return cairn_output_wanted(output) ? CAIRN_OK : CAIRN_E_LIMIT;
}

static void put_frames(const struct cairn_profile_view *view,
                       const struct cairn_profile_frames *frames)
{
    struct cairn_output *output = view->output;
    char text[CAIRN_PROFILE_NAME];

    for (size_t i = 0; i < frames->count; i++) {
        uint32_t line;
        const char *file = cairn_profile_frame_file(view, frames->list[i].function, &line);

        cairn_output_text(output, i ? ",\n{\"name\":" : "\n{\"name\":");
        cairn_output_json(output, cairn_profile_frame_name(view, frames->list[i], text));
        if (file) {
            cairn_output_text(output, ",\"file\":");
            cairn_output_json(output, file);
            if (line)
                cairn_output_format(output, ",\"line\":%" PRIu32, line);
        }
        cairn_output_char(output, '}');
    }
}

static cairn_status put_profile(struct scope *scope, const struct cairn_profile_thread *thread,
                                bool first)
{
    struct cairn_output *output = scope->view->output;
    char text[CAIRN_PROFILE_NAME];

    cairn_output_text(output, first ? "\n" : ",\n");
    cairn_output_text(output, "{\"type\":\"sampled\",\"name\":");
    cairn_output_json(output, cairn_profile_thread_name(scope->view, thread, text));
    cairn_output_text(output, ",\"unit\":\"none\",\"startValue\":0,\"samples\":[");
    scope->weights = scope->any = false;
    cairn_status status = cairn_profile_walk(scope->view->profile, thread, put_sample, scope);
    cairn_output_text(output, "],\"weights\":[");
    scope->weights = true;
    scope->any = false;
    scope->total = 0;
    if (!status)
        status = cairn_profile_walk(scope->view->profile, thread, put_sample, scope);
    cairn_output_format(output, "],\"endValue\":%" PRIu64 "}", scope->total);
    return status;
}

cairn_status cairn_profile_speedscope(const struct cairn_profile_view *view, const char *name)
{
    struct cairn_output *output = view->output;
    struct cairn_profile_frames frames = {0};
    struct scope scope = {.view = view, .frames = &frames};
    cairn_status status = cairn_profile_frames(view->profile, &frames);

    if (status)
        return status;
    cairn_output_text(output, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                              "\"exporter\":\"cairn ");
    cairn_output_text(output, cairn_version());
    cairn_output_text(output, "\",\"name\":");
    cairn_output_json(output, name);
    cairn_output_text(output, ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
    put_frames(view, &frames);
    cairn_output_text(output, "\n]},\"profiles\":[");
    for (size_t i = 0; i < view->profile->thread_count && !status; i++)
        status = put_profile(&scope, &view->profile->threads[i], i == 0);
    cairn_output_text(output, "\n]}");
    cairn_output_line(output);
    free(frames.list);
    return cairn_output_wanted(output) ? status : CAIRN_OK;
}
