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

static void chrome_head(struct cairn_call_list *list, const char *phase, uint32_t thread)
{
    next_event(list);
    cairn_output_format(list->output, "{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, phase,
                        list->source_number + 1, thread + 1);
}

static void chrome_names(struct cairn_call_list *list, uint32_t thread)
{
    char text[CAIRN_CALL_NAME];

    if (!cairn_call_list_names(list, thread))
        return;
    if (!list->is_named) {
        list->is_named = true;
        chrome_head(list, "M", thread);
        cairn_output_text(list->output, ",\"name\":\"process_name\",\"args\":{\"name\":");
        cairn_output_json(list->output, list->source);
        cairn_output_text(list->output, "}}");
    }
    chrome_head(list, "M", thread);
    cairn_output_text(list->output, ",\"name\":\"thread_name\",\"args\":{\"name\":");
    cairn_call_list_thread(list, thread, text);
    cairn_output_json(list->output, text);
    cairn_output_text(list->output, "}}");
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

    chrome_names(list, event->line->call.thread);
    chrome_head(list, phases[event->kind], event->line->call.thread);
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
