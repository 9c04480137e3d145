/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls as Chrome's trace viewer and others read them: JSON Object Format of Trace Event Format. */
#include <inttypes.h>
#include <stdio.h>

#include "report/call_timeline.h"

#define NANOSECONDS 1000u /* in a microsecond */

static void begin_chrome(struct cairn_call_list *list)
{
    cairn_output_text(list->output, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

static void end_chrome(struct cairn_call_list *list)
{
    cairn_output_text(list->output, "\n]}\n");
    cairn_output_line(list->output);
}

static void next_event(struct cairn_call_list *list)
{
    cairn_output_text(list->output, list->told++ ? ",\n" : "\n");
}

static void chrome_event(struct cairn_call_list *list, const char *phase, uint64_t process,
                         uint64_t thread)
{
    next_event(list);
    cairn_output_format(list->output, "{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, phase,
                        process, thread);
}

static void chrome_head(struct cairn_call_list *list, const char *phase, uint32_t thread)
{
    const struct cairn_call_whose *const whose = cairn_timeline_whose(list, thread);

    chrome_event(list, phase, whose->process, whose->thread);
}

static void put_name(struct cairn_call_list *list, const char *what, const char *name)
{
    cairn_output_format(list->output, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    cairn_output_json(list->output, name);
    cairn_output_text(list->output, "}}");
}

/* Of what is of no process that is known, and of the source's counters. */
static void name_source(struct cairn_call_list *list)
{
    if (list->is_named)
        return;
    list->is_named = true;
    chrome_event(list, "M", cairn_timeline_source(list), 0);
    put_name(list, "process_name", list->source);
}

static void chrome_names(struct cairn_call_list *list, uint32_t thread)
{
    char text[CAIRN_CALL_NAME];

    if (!cairn_timeline_names(list, thread))
        return;
    if (!cairn_timeline_whose(list, thread)->is_process)
        name_source(list);
    if (cairn_timeline_process(list, thread, text)) {
        chrome_head(list, "M", thread);
        put_name(list, "process_name", text);
    }
    chrome_head(list, "M", thread);
    cairn_timeline_thread(list, thread, text);
    put_name(list, "thread_name", text);
}

static void put_time(struct cairn_call_list *list, const char *key, uint64_t at)
{
    cairn_output_format(list->output, ",\"%s\":%" PRIu64 ".%03u", key, at / NANOSECONDS,
                        (unsigned)(at % NANOSECONDS));
}

static void put_gap(struct cairn_call_list *list, const struct cairn_timeline_event *event)
{
    cairn_output_text(list->output, event->kind == CAIRN_TIMELINE_GAP
                                        ? ",\"cat\":\"gap\",\"s\":\"t\",\"name\":"
                                        : ",\"cat\":\"gap\",\"name\":");
    cairn_output_json(list->output, cairn_timeline_gap(event->line));
}

static void put_call(struct cairn_call_list *list, const struct cairn_call *call)
{
    const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    char text[CAIRN_CALL_NAME];

    cairn_output_format(list->output, ",\"cat\":\"%s\",\"name\":", handles ? "exception" : "call");
    cairn_output_json(list->output, cairn_call_list_name(list, call, text));
    cairn_output_format(list->output, ",\"args\":{\"address\":\"0x%" PRIx64 "\"}", call->address);
}

/* Counters are told apart by process and name alone. */
static void put_count(struct cairn_call_list *list, const struct cairn_timeline_event *event)
{
    char text[CAIRN_CALL_NAME], name[2 * CAIRN_CALL_NAME];

    cairn_call_list_thread(list, event->line->call.thread, text);
    snprintf(name, sizeof name, "%s%s%s", cairn_timeline_counter(list, event->counter),
             event->counter == CAIRN_COUNTER_DEPTH ? ": " : "",
             event->counter == CAIRN_COUNTER_DEPTH ? text : "");
    cairn_output_text(list->output, ",\"name\":");
    cairn_output_json(list->output, name);
    cairn_output_format(list->output, ",\"args\":{\"value\":%.6g}", event->value);
}

static void put_chrome(struct cairn_call_list *list, const struct cairn_timeline_event *event)
{
    static const char *const phases[] = {
        [CAIRN_TIMELINE_BEGIN] = "B", [CAIRN_TIMELINE_END] = "E",     [CAIRN_TIMELINE_GAP] = "i",
        [CAIRN_TIMELINE_LOST] = "X",  [CAIRN_TIMELINE_COUNTER] = "C",
    };

    const uint32_t thread = event->line->call.thread;
    const bool is_of_source =
        event->kind == CAIRN_TIMELINE_COUNTER && event->counter != CAIRN_COUNTER_DEPTH;

    chrome_names(list, thread);
    if (is_of_source) {
        name_source(list);
        chrome_event(list, phases[event->kind], cairn_timeline_source(list), 0);
    } else {
        chrome_head(list, phases[event->kind], thread);
    }
    put_time(list, "ts", event->at);
    switch (event->kind) {
    case CAIRN_TIMELINE_BEGIN: put_call(list, &event->line->call); break;
    case CAIRN_TIMELINE_END: break;
    case CAIRN_TIMELINE_LOST: put_time(list, "dur", event->until - event->at); /* fall through */
    case CAIRN_TIMELINE_GAP: put_gap(list, event); break;
    case CAIRN_TIMELINE_COUNTER: put_count(list, event); break;
    }
    cairn_output_char(list->output, '}');
}

static void chrome_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    cairn_timeline_line(list, line, put_chrome);
}

const struct cairn_call_format cairn_calls_chrome = {
    .name = "chrome",
    .begin = begin_chrome,
    .line = chrome_line,
    .end = end_chrome,
    .wants_opens = true,
};
