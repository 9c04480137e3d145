/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/call_list.h"
#include "report/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum match { MATCH_UNKNOWN = 0, MATCH_NO = 1, MATCH_YES = 2 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* --- words --- */

static const char *function_name(struct cairn_call_list *list, const struct cairn_call *call,
                                 char text[CAIRN_CALL_NAME])
{
    struct cairn_calls_function function = {.size = sizeof function};

    if (call->function == 0 || cairn_calls_function(list->calls, call->function, &function)) {
        if (call->address == 0)
            return NULL;
        snprintf(text, CAIRN_CALL_NAME, "0x%llx", (unsigned long long)call->address);
        return text;
    }
    if (function.name)
        return cairn_naming_whole(list->naming, function.name);
    snprintf(text, CAIRN_CALL_NAME, "0x%llx [%s]", (unsigned long long)call->address,
             function.object ? last_part(function.object) : "unknown");
    return text;
}

const char *cairn_call_list_name(struct cairn_call_list *list, const struct cairn_call *call,
                                 char text[CAIRN_CALL_NAME])
{
    char copy[CAIRN_CALL_NAME];
    const char *name = function_name(list, call, copy);

    if (call->kind == CAIRN_CALL_EXCEPTION) {
        snprintf(text, CAIRN_CALL_NAME, "%s%s%.480s",
                 cairn_exception_name(list->config, call->exception), name ? ": " : "",
                 name ? name : "");
        return text;
    }
    if (call->kind == CAIRN_CALL_SIGNAL) {
        snprintf(text, CAIRN_CALL_NAME, "signal: %.480s", name ? name : "[unknown]");
        return text;
    }
    snprintf(text, CAIRN_CALL_NAME, "%s", name ? name : "[unknown]");
    return text;
}

static uint64_t time_of_system(const struct cairn_call_list *list, uint64_t timestamp)
{
    return list->system ? cairn_clock_time(list->system, timestamp) : timestamp;
}

uint64_t cairn_call_list_time(const struct cairn_call_list *list,
                              const struct cairn_call_moment *moment)
{
    switch (list->clock) {
    case CAIRN_CLOCK_CYCLES: return moment->total_cycles;
    case CAIRN_CLOCK_TIME:
        return moment->timestamp ? time_of_system(list, moment->timestamp) : CAIRN_CALL_NOT_KNOWN;
    case CAIRN_CLOCK_INSTRUCTIONS: break;
    }
    return moment->executed;
}

uint64_t cairn_call_list_took(const struct cairn_call_list *list, const struct cairn_call *call)
{
    if (call->end == CAIRN_CALL_SWITCHED)
        return CAIRN_CALL_NOT_KNOWN;
    switch (list->clock) {
    case CAIRN_CLOCK_CYCLES:
        return call->ended.total_cycles ? call->ended.cycles - call->began.cycles
                                        : CAIRN_CALL_NOT_KNOWN;
    case CAIRN_CLOCK_TIME: {
        const uint64_t began = time_of_system(list, call->began.timestamp);
        const uint64_t ended = time_of_system(list, call->ended.timestamp);

        return call->began.timestamp && call->ended.timestamp && began <= ended
                   ? ended - began
                   : CAIRN_CALL_NOT_KNOWN;
    }
    case CAIRN_CLOCK_INSTRUCTIONS: break;
    }
    return call->ended.instructions - call->began.instructions;
}

void cairn_call_list_thread(const struct cairn_call_list *list, uint32_t thread,
                            char text[CAIRN_CALL_NAME])
{
    struct cairn_calls_thread one = {.size = sizeof one};
    char name[CAIRN_THREAD_TEXT], context[CAIRN_THREAD_TEXT + 1] = "", stack[24] = "";

    (void)cairn_calls_thread(list->calls, thread, &one);
    const struct cairn_thread known =
        cairn_thread_of(list->capture, list->source_index, one.vmid, one.context_id, false);

    if (one.others)
        snprintf(context, sizeof context, " other contexts");
    else if (*cairn_thread_text(&known, name))
        snprintf(context, sizeof context, " %s", name);
    else if (one.vmid)
        snprintf(context, sizeof context, " vmid 0x%x context 0x%x", one.vmid, one.context_id);
    else if (one.context_id || (thread && !one.stack))
        snprintf(context, sizeof context, " context 0x%x", one.context_id);
    if (one.stack)
        snprintf(stack, sizeof stack, " stack %" PRIu32, one.stack + 1);
    snprintf(text, CAIRN_CALL_NAME, "%.380s%s%s", list->source, context, stack);
}

const char *cairn_call_end_word(uint32_t end)
{
    switch ((enum cairn_call_end)end) {
    case CAIRN_CALL_RETURNED: return NULL;
    case CAIRN_CALL_JUMPED: return "jumped";
    case CAIRN_CALL_UNWOUND: return "unwound";
    case CAIRN_CALL_CUT: return "cut";
    case CAIRN_CALL_OPEN: return "open";
    case CAIRN_CALL_SWITCHED: return "switched";
    }
    return NULL;
}

bool cairn_call_list_room(void *array, size_t *count, size_t index, size_t size)
{
    void **at = array;

    if (index < *count)
        return true;
    const size_t wanted = index + index / 2 + 16;
    char *grown = realloc(*at, wanted * size);
    if (!grown)
        return false;
    memset(grown + *count * size, 0, (wanted - *count) * size);
    *at = grown;
    *count = wanted;
    return true;
}

bool cairn_call_list_names(struct cairn_call_list *list, uint32_t thread)
{
    if (!cairn_call_list_room(&list->named, &list->named_count, thread, 1) ||
        (list->named[thread] & 1))
        return false;
    list->named[thread] |= 1;
    return true;
}

bool cairn_call_list_counts(struct cairn_call_list *list, uint32_t thread, unsigned counter)
{
    const uint8_t mask = (uint8_t)(2u << counter);

    if (!cairn_call_list_room(&list->named, &list->named_count, thread, 1) ||
        (list->named[thread] & mask))
        return false;
    list->named[thread] |= mask;
    return true;
}

/* --- what is listed --- */

bool cairn_call_is_wanted(const struct cairn_wanted *wanted, const struct cairn_calls *calls,
                          const struct cairn_call *call, uint8_t **known, size_t *count)
{
    struct cairn_calls_function function = {.size = sizeof function};
    const uint32_t id = call->function;

    if (!id || !cairn_call_list_room(known, count, id, 1))
        return false;
    if ((*known)[id] == MATCH_UNKNOWN) {
        if (cairn_calls_function(calls, id, &function))
            return false;
        if (!function.name) /* all code of a file that has no symbols is one function */
            return cairn_wanted_is(wanted, NULL, function.object, call->address);
        (*known)[id] = cairn_wanted_is(wanted, function.name, function.object, function.address)
                           ? MATCH_YES
                           : MATCH_NO;
    }
    return (*known)[id] == MATCH_YES;
}

static bool matches(struct cairn_call_list *list, const struct cairn_call *call)
{
    return cairn_call_is_wanted(list->function, list->calls, call, &list->matches,
                                &list->match_count);
}

static bool has_clock(const struct cairn_call_list *list, const struct cairn_call_moment *moment)
{
    switch (list->clock) {
    case CAIRN_CLOCK_CYCLES: return moment->total_cycles != 0;
    case CAIRN_CLOCK_TIME: return moment->timestamp != 0;
    case CAIRN_CLOCK_INSTRUCTIONS: break;
    }
    return true;
}

static void put(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    list->has_clock = list->has_clock || has_clock(list, &line->call.ended);
    if (line->kind == CAIRN_LINE_OPEN && list->format->only_ends)
        return;
    list->has_lines = true;
    list->lines++;
    if (!list->last) {
        list->format->line(list, line);
        return;
    }
    list->ring[list->ring_at] = *line;
    list->ring_at = (list->ring_at + 1) % list->last;
    list->ring_count += list->ring_count < list->last;
}

static void release(struct cairn_call_list *list)
{
    if (!list->is_held)
        return;
    list->is_held = false;
    put(list, &list->held);
}

/* How far in a call is to be listed; false: not at all. `begins`: it is the one that was asked for
 * when it is of that function. */
static bool level_of(struct cairn_call_list *list, const struct cairn_call *call, bool begins,
                     uint32_t *level)
{
    uint32_t lowest = 0;

    if (list->function) {
        if (!cairn_call_list_room(&list->inside, &list->inside_count, call->thread,
                                  sizeof *list->inside))
            return false;
        uint32_t *inside = &list->inside[call->thread];

        if (begins && (*inside == 0 || call->depth + 1 < *inside))
            *inside = matches(list, call) ? call->depth + 1 : 0;
        if (*inside == 0)
            return false;
        lowest = *inside - 1;
    }
    *level = call->depth - lowest;
    return *level < list->depth;
}

static cairn_status go_on(const struct cairn_call_list *list)
{
    /* Who reads is gone: what is left need not be decoded. */
    return cairn_output_wanted(list->output) ? CAIRN_OK : CAIRN_E_LIMIT;
}

static cairn_status enter(void *context, const struct cairn_call *call)
{
    struct cairn_call_list *list = context;
    uint32_t level;

    if (!level_of(list, call, true, &level)) /* most are not: nothing is copied for them */
        return CAIRN_OK;
    release(list);
    const struct cairn_call_line line = {.call = *call, .kind = CAIRN_LINE_OPEN, .level = level};
    if (list->format->wants_opens) {
        put(list, &line);
    } else {
        list->held = line;
        list->is_held = true;
    }
    return go_on(list);
}

static cairn_status leave(void *context, const struct cairn_call *call)
{
    struct cairn_call_list *list = context;
    uint32_t level = 0;
    const bool listed = level_of(list, call, false, &level);

    if (list->function && call->thread < list->inside_count &&
        list->inside[call->thread] == call->depth + 1)
        list->inside[call->thread] = 0;
    if (!listed)
        return CAIRN_OK;
    struct cairn_call_line line = {.call = *call, .kind = CAIRN_LINE_CLOSE, .level = level};
    if (list->is_held && list->held.call.thread == call->thread &&
        list->held.call.depth == call->depth) {
        list->is_held = false;
        line.kind = CAIRN_LINE_WHOLE;
    } else {
        release(list);
    }
    put(list, &line);
    return go_on(list);
}

static cairn_status gap(void *context, uint32_t thread, uint32_t account,
                        const struct cairn_call_moment *moment)
{
    struct cairn_call_list *list = context;
    struct cairn_call_line line = {
        .call = {.thread = thread, .began = *moment, .ended = *moment},
        .kind = CAIRN_LINE_GAP,
        .account = account,
    };

    if (list->function)
        return CAIRN_OK;
    release(list);
    put(list, &line);
    return go_on(list);
}

struct cairn_calls_sink cairn_call_list_sink(struct cairn_call_list *list)
{
    return (struct cairn_calls_sink){.size = sizeof(struct cairn_calls_sink),
                                     .context = list,
                                     .enter = enter,
                                     .leave = leave,
                                     .gap = gap};
}

/* --- sources --- */

cairn_status cairn_call_list_begin(struct cairn_call_list *list)
{
    if (list->last) {
        list->ring = calloc(list->last, sizeof *list->ring);
        if (!list->ring)
            return CAIRN_E_MEMORY;
    }
    list->format->begin(list);
    return CAIRN_OK;
}

void cairn_call_list_source(struct cairn_call_list *list)
{
    list->thread = 0;
    list->is_named = list->is_timed = false;
    list->early_count = 0;
    list->ring_at = list->ring_count = 0;
    free(list->named);
    free(list->matches);
    free(list->inside);
    free(list->counters.tracks);
    free(list->whose);
    list->whose = NULL;
    list->whose_count = 0;
    list->counters = (struct cairn_call_counters){0};
    list->named = list->matches = NULL;
    list->inside = NULL;
    list->named_count = list->match_count = list->inside_count = 0;
    if (list->format->source)
        list->format->source(list);
}

void cairn_call_list_source_end(struct cairn_call_list *list)
{
    release(list);

    const size_t first =
        list->last ? (list->ring_at + list->last - list->ring_count) % list->last : 0;

    for (size_t i = 0; i < list->ring_count && cairn_output_wanted(list->output); i++)
        list->format->line(list, &list->ring[(first + i) % list->last]);
    list->ring_count = 0;
    list->source_number++;
}

void cairn_call_list_end(struct cairn_call_list *list)
{
    if (list->format->end)
        list->format->end(list);
}

void cairn_call_list_free(struct cairn_call_list *list)
{
    free(list->ring);
    free(list->early);
    free(list->named);
    free(list->matches);
    free(list->inside);
    free(list->counters.tracks);
    free(list->whose);
    free(list->taken);
    cairn_table_clear(&list->taken_by);
}
