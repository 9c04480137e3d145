/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls as Perfetto reads them: trace_packet.proto, track_event.proto, track_descriptor.proto, counter_descriptor.proto. */
#include "report/call_timeline.h"
#include "report/protobuf.h"

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
    TRACK_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORIES = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_COUNTER_DOUBLE = 44,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    STATE_CLEARED = 1, /* SEQ_INCREMENTAL_STATE_CLEARED */
};

#define SEQUENCE 1u
#define THREADS_OF_SOURCE (UINT64_C(1) << 32)
#define COUNTERS_OF_SOURCES (UINT64_C(1) << 60)
#define PROCESSES (UINT64_C(1) << 59) /* that are known, by their numbers */

static uint64_t source_track(const struct cairn_call_list *list)
{
    return (list->source_number + 1) * THREADS_OF_SOURCE;
}

static uint64_t thread_track(const struct cairn_call_list *list, uint32_t thread)
{
    return source_track(list) + 1 + thread;
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

static void put_track(struct cairn_call_list *list, uint64_t track, uint64_t parent,
                      const char *name, unsigned field, const struct cairn_protobuf *of)
{
    struct cairn_protobuf packet, descriptor;

    descriptor.used = 0;
    cairn_protobuf_number(&descriptor, TRACK_UUID, track);
    if (parent)
        cairn_protobuf_number(&descriptor, TRACK_PARENT, parent);
    if (name)
        cairn_protobuf_text(&descriptor, TRACK_NAME, name);
    cairn_protobuf_nested(&descriptor, field, of);
    begin_packet(list, &packet);
    cairn_protobuf_nested(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
    put_packet(list, &packet);
}

static void name_process(struct cairn_call_list *list, uint64_t track, uint64_t number,
                         const char *name)
{
    struct cairn_protobuf of;
    char copy[CAIRN_CALL_NAME];

    of.used = 0;
    cairn_text_to_utf8(name, copy, sizeof copy);
    cairn_protobuf_number(&of, PROCESS_PID, number);
    cairn_protobuf_text(&of, PROCESS_NAME, copy);
    put_track(list, track, 0, NULL, TRACK_PROCESS, &of);
}

/* Of what is of no process that is known, and of the source's counters. */
static void name_source(struct cairn_call_list *list)
{
    if (list->is_named)
        return;
    list->is_named = true;
    name_process(list, source_track(list), cairn_timeline_source(list), list->source);
}

static void perfetto_names(struct cairn_call_list *list, uint32_t thread)
{
    struct cairn_protobuf of;
    char text[CAIRN_CALL_NAME], copy[CAIRN_CALL_NAME];

    if (!cairn_timeline_names(list, thread))
        return;
    const struct cairn_call_whose *const whose = cairn_timeline_whose(list, thread);
    const uint64_t process = whose->is_process ? PROCESSES + whose->process : source_track(list);
    if (!whose->is_process)
        name_source(list);
    if (cairn_timeline_process(list, thread, text))
        name_process(list, process, whose->process, text);
    of.used = 0;
    cairn_timeline_thread(list, thread, text);
    cairn_text_to_utf8(text, copy, sizeof copy);
    cairn_protobuf_number(&of, THREAD_PID, whose->process);
    cairn_protobuf_number(&of, THREAD_TID, whose->thread);
    cairn_protobuf_text(&of, THREAD_NAME, copy);
    put_track(list, thread_track(list, thread), process, NULL, TRACK_THREAD, &of);
}

/* A counter's track is below its thread's or, of a source, its process's. */
static uint64_t counter_track(struct cairn_call_list *list,
                              const struct cairn_timeline_event *event)
{
    const uint32_t thread = event->line->call.thread;
    const bool is_of_thread = event->counter == CAIRN_COUNTER_DEPTH;
    const uint64_t parent = is_of_thread ? thread_track(list, thread) : source_track(list);
    const uint64_t track = parent + (event->counter + 1) * COUNTERS_OF_SOURCES;
    struct cairn_protobuf of;

    if (!cairn_call_list_counts(list, is_of_thread ? thread : 0, event->counter))
        return track;
    if (!is_of_thread)
        name_source(list);
    of.used = 0;
    put_track(list, track, parent, cairn_timeline_counter(list, event->counter), TRACK_COUNTER,
              &of);
    return track;
}

static void put_event(struct cairn_call_list *list, uint64_t at, const struct cairn_protobuf *event)
{
    struct cairn_protobuf packet;

    begin_packet(list, &packet);
    cairn_protobuf_number(&packet, PACKET_TIMESTAMP, at);
    cairn_protobuf_nested(&packet, PACKET_TRACK_EVENT, event);
    put_packet(list, &packet);
}

static void put_slice(struct cairn_call_list *list, unsigned type, uint32_t thread, uint64_t at,
                      const char *category, const char *name)
{
    struct cairn_protobuf event;
    char copy[CAIRN_CALL_NAME];

    event.used = 0;
    cairn_protobuf_number(&event, EVENT_TYPE, type);
    cairn_protobuf_number(&event, EVENT_TRACK, thread_track(list, thread));
    if (name) {
        cairn_text_to_utf8(name, copy, sizeof copy);
        cairn_protobuf_text(&event, EVENT_CATEGORIES, category);
        cairn_protobuf_text(&event, EVENT_NAME, copy);
    }
    put_event(list, at, &event);
}

static void put_value(struct cairn_call_list *list, const struct cairn_timeline_event *told)
{
    const uint64_t track = counter_track(list, told);
    struct cairn_protobuf event;

    event.used = 0;
    cairn_protobuf_number(&event, EVENT_TYPE, TYPE_COUNTER);
    cairn_protobuf_number(&event, EVENT_TRACK, track);
    if (told->counter == CAIRN_COUNTER_DEPTH || told->counter == CAIRN_COUNTER_EL)
        cairn_protobuf_number(&event, EVENT_COUNTER, (uint64_t)told->value);
    else
        cairn_protobuf_double(&event, EVENT_COUNTER_DOUBLE, told->value);
    put_event(list, told->at, &event);
}

static void put_perfetto(struct cairn_call_list *list, const struct cairn_timeline_event *event)
{
    const struct cairn_call *call = &event->line->call;
    const bool handles = call->kind == CAIRN_CALL_EXCEPTION || call->kind == CAIRN_CALL_SIGNAL;
    char text[CAIRN_CALL_NAME];

    perfetto_names(list, call->thread);
    switch (event->kind) {
    case CAIRN_TIMELINE_BEGIN:
        put_slice(list, TYPE_BEGIN, call->thread, event->at, handles ? "exception" : "call",
                  cairn_call_list_name(list, call, text));
        break;
    case CAIRN_TIMELINE_END: put_slice(list, TYPE_END, call->thread, event->at, NULL, NULL); break;
    case CAIRN_TIMELINE_GAP:
        put_slice(list, TYPE_INSTANT, call->thread, event->at, "gap",
                  cairn_timeline_gap(event->line));
        break;
    case CAIRN_TIMELINE_LOST:
        put_slice(list, TYPE_BEGIN, call->thread, event->at, "gap",
                  cairn_timeline_gap(event->line));
        put_slice(list, TYPE_END, call->thread, event->until, NULL, NULL);
        break;
    case CAIRN_TIMELINE_COUNTER: put_value(list, event); break;
    }
}

static void perfetto_line(struct cairn_call_list *list, const struct cairn_call_line *line)
{
    cairn_timeline_line(list, line, put_perfetto);
}

const struct cairn_call_format cairn_calls_perfetto = {
    .name = "perfetto",
    .begin = begin_perfetto,
    .line = perfetto_line,
    .wants_opens = true,
};
