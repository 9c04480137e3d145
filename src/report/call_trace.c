/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls as tracks of a timeline: the JSON of Chrome's trace viewer, and Perfetto's own format. */
#include <inttypes.h>

#include <stdlib.h>

#include "report/call_list.h"
#include "report/protobuf.h"

#define NANOSECONDS 1000u /* in a microsecond */

static uint64_t when(const struct cairn_call_list *list, const struct cairn_call_line *line)
{
    return cairn_call_list_time(list, line->kind == CAIRN_LINE_OPEN ? &line->call.began
                                                                    : &line->call.ended);
}

/* --- time --- */

#define EARLY_MAX 4096u

typedef void put_line(struct cairn_call_list *list, const struct cairn_call_line *line,
                      uint64_t at);

/* Calls that were open at the source's first time are told to begin there. */
static void start_at(struct cairn_call_list *list, uint64_t at, put_line *put)
{
    list->is_timed = true;
    list->latest = at;
    for (size_t i = 0; i < list->early_count; i++)
        if (list->early[i].kind == CAIRN_LINE_OPEN)
            put(list, &list->early[i], at);
    list->early_count = 0;
}

/* False: there is no room for another one. */
static bool has_room(struct cairn_call_list *list)
{
    size_t count = 0;

    if (!list->early)
        list->early = malloc(EARLY_MAX * sizeof *list->early);
    if (!list->early)
        return false;
    if (list->early_count < EARLY_MAX)
        return true;
    for (size_t i = 0; i < list->early_count; i++)
        if (list->early[i].kind == CAIRN_LINE_OPEN)
            list->early[count++] = list->early[i];
    list->early_count = count;
    return count < EARLY_MAX / 2;
}

/* When a call was that ended before the first time is not known: it is not told at all. */
static void forget(struct cairn_call_list *list, uint32_t thread)
{
    for (size_t i = list->early_count; i > 0; i--)
        if (list->early[i - 1].kind == CAIRN_LINE_OPEN &&
            list->early[i - 1].call.thread == thread) {
            list->early[i - 1].kind = CAIRN_LINE_CLOSE;
            break;
        }
    while (list->early_count && list->early[list->early_count - 1].kind != CAIRN_LINE_OPEN)
        list->early_count--;
}

/* Time does not go back on a track, whatever the timestamps do. */
static void put_in_time(struct cairn_call_list *list, const struct cairn_call_line *line,
                        put_line *put)
{
    const uint64_t at = when(list, line);

    if (at == CAIRN_CALL_NOT_KNOWN && !list->is_timed) {
        if (line->kind == CAIRN_LINE_CLOSE)
            forget(list, line->call.thread);
        if (line->kind != CAIRN_LINE_OPEN)
            return;
        if (has_room(list)) {
            list->early[list->early_count++] = *line;
            return;
        }
        start_at(list, 0, put); /* so many that they are told at once */
    }
    if (!list->is_timed)
        start_at(list, at, put);
    if (at != CAIRN_CALL_NOT_KNOWN && at > list->latest)
        list->latest = at;
    put(list, line, list->latest);
}

static const char *gap_name(const struct cairn_call_line *line)
{
    return line->account ? cairn_account_name((enum cairn_account)line->account) : "gap";
}

/* --- JSON: Trace Event Format, JSON Object Format --- */

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

static void chrome_put(struct cairn_call_list *list, const struct cairn_call_line *line,
                       uint64_t at)
{
    const struct cairn_call *call = &line->call;
    char text[CAIRN_CALL_NAME];

    chrome_names(list, call->thread);
    chrome_head(list,
                line->kind == CAIRN_LINE_GAP    ? "i"
                : line->kind == CAIRN_LINE_OPEN ? "B"
                                                : "E",
                call->thread);
    cairn_output_format(list->output, ",\"ts\":%" PRIu64 ".%03u", at / NANOSECONDS,
                        (unsigned)(at % NANOSECONDS));
    if (line->kind == CAIRN_LINE_GAP) {
        cairn_output_text(list->output, ",\"s\":\"t\",\"name\":");
        cairn_output_json(list->output, gap_name(line));
    } else if (line->kind == CAIRN_LINE_OPEN) {
        cairn_output_text(list->output, ",\"name\":");
        cairn_output_json(list->output, cairn_call_list_name(list, call, text));
        cairn_output_format(list->output, ",\"args\":{\"address\":\"0x%" PRIx64 "\"}",
                            call->address);
    }
    cairn_output_char(list->output, '}');
}

static void chrome_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    put_in_time(list, line, chrome_put);
}

const struct cairn_call_format cairn_calls_chrome = {
    .name = "chrome",
    .begin = begin_chrome,
    .line = chrome_line,
    .end = end_chrome,
    .wants_opens = true,
};

/* --- Perfetto: trace_packet.proto, track_event.proto, track_descriptor.proto --- */

enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10, /* trusted_packet_sequence_id */
    PACKET_TRACK_EVENT = 11,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORIES = 22,
    EVENT_NAME = 23,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    STATE_CLEARED = 1, /* SEQ_INCREMENTAL_STATE_CLEARED */
};

#define SEQUENCE 1u
#define THREADS_OF_SOURCE (UINT64_C(1) << 32)

static uint64_t process_track(const struct cairn_call_list *list)
{
    return (list->source_number + 1) * THREADS_OF_SOURCE;
}

static uint64_t thread_track(const struct cairn_call_list *list, uint32_t thread)
{
    return process_track(list) + 1 + thread;
}

static void put_packet(struct cairn_call_list *list, const struct cairn_protobuf *packet)
{
    struct cairn_protobuf head;

    head.used = 0;
    cairn_protobuf_message(&head, TRACE_PACKET, packet->used);
    cairn_output_data(list->output, head.bytes, head.used);
    cairn_output_data(list->output, packet->bytes, packet->used);
}

static void begin_packet(struct cairn_call_list *list, struct cairn_protobuf *packet)
{
    packet->used = 0;
    cairn_protobuf_number(packet, PACKET_SEQUENCE, SEQUENCE);
    if (list->told++ == 0)
        cairn_protobuf_number(packet, PACKET_SEQUENCE_FLAGS, STATE_CLEARED);
}

static void begin_perfetto(struct cairn_call_list *list)
{
    list->told = 0;
}

static void put_descriptor(struct cairn_call_list *list, uint64_t track, int field,
                           const struct cairn_protobuf *of)
{
    struct cairn_protobuf packet, descriptor;

    descriptor.used = 0;
    cairn_protobuf_number(&descriptor, TRACK_UUID, track);
    if (field == TRACK_THREAD)
        cairn_protobuf_number(&descriptor, TRACK_PARENT, process_track(list));
    cairn_protobuf_nested(&descriptor, (unsigned)field, of);
    begin_packet(list, &packet);
    cairn_protobuf_nested(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
    put_packet(list, &packet);
}

static void perfetto_names(struct cairn_call_list *list, uint32_t thread)
{
    struct cairn_protobuf of;
    char text[CAIRN_CALL_NAME], copy[CAIRN_CALL_NAME];

    if (!cairn_call_list_names(list, thread))
        return;
    of.used = 0;
    if (!list->is_named) {
        list->is_named = true;
        cairn_text_to_utf8(list->source, copy, sizeof copy);
        cairn_protobuf_number(&of, PROCESS_PID, list->source_number + 1);
        cairn_protobuf_text(&of, PROCESS_NAME, copy);
        put_descriptor(list, process_track(list), TRACK_PROCESS, &of);
    }
    of.used = 0;
    cairn_call_list_thread(list, thread, text);
    cairn_text_to_utf8(text, copy, sizeof copy);
    cairn_protobuf_number(&of, THREAD_PID, list->source_number + 1);
    /* One number for each thread of all sources: Perfetto takes those of one process apart by it. */
    cairn_protobuf_number(&of, THREAD_TID, (uint64_t)(list->source_number + 1) * 100000u + thread);
    cairn_protobuf_text(&of, THREAD_NAME, copy);
    put_descriptor(list, thread_track(list, thread), TRACK_THREAD, &of);
}

static void perfetto_put(struct cairn_call_list *list, const struct cairn_call_line *line,
                         uint64_t at)
{
    const struct cairn_call *call = &line->call;
    struct cairn_protobuf packet, event;
    char text[CAIRN_CALL_NAME], copy[CAIRN_CALL_NAME];
    unsigned type = TYPE_END;

    event.used = 0;
    perfetto_names(list, call->thread);
    if (line->kind == CAIRN_LINE_GAP)
        type = TYPE_INSTANT;
    else if (line->kind == CAIRN_LINE_OPEN)
        type = TYPE_BEGIN;
    cairn_protobuf_number(&event, EVENT_TYPE, type);
    cairn_protobuf_number(&event, EVENT_TRACK, thread_track(list, call->thread));
    if (type != TYPE_END) {
        const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;

        cairn_text_to_utf8(type == TYPE_INSTANT ? gap_name(line)
                                                : cairn_call_list_name(list, call, text),
                           copy, sizeof copy);
        cairn_protobuf_text(&event, EVENT_CATEGORIES,
                            type == TYPE_INSTANT ? "gap"
                            : handles            ? "exception"
                                                 : "call");
        cairn_protobuf_text(&event, EVENT_NAME, copy);
    }
    begin_packet(list, &packet);
    cairn_protobuf_number(&packet, PACKET_TIMESTAMP, at);
    cairn_protobuf_nested(&packet, PACKET_TRACK_EVENT, &event);
    put_packet(list, &packet);
}

static void perfetto_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    put_in_time(list, line, perfetto_put);
}

const struct cairn_call_format cairn_calls_perfetto = {
    .name = "perfetto",
    .begin = begin_perfetto,
    .line = perfetto_line,
    .wants_opens = true,
};
