/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile for pprof: the message Profile of its profile.proto. Its fields come in any order, and so they
 * are written as they are made: texts in front of what names them. */
#include "report/profile_view.h"

#include <stdlib.h>

#include "report/protobuf.h"

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_TEXT = 2,
    MAPPING_ID = 1,
    MAPPING_FILE = 5,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILES = 8,
    MAPPING_HAS_LINES = 9,
    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4,
    FUNCTION_START = 5,
};

struct pprof {
    const struct cairn_profile_view *view;
    const struct cairn_profile_frames *frames;
    uint64_t strings; /* written so far */
    uint64_t thread_key, thread_text;
    const char **objects; /* a mapping each */
    size_t object_count;
};

static void put(struct pprof *pprof, unsigned field, const struct cairn_protobuf *message)
{
    struct cairn_protobuf head;

    head.used = 0;
    cairn_protobuf_message(&head, field, message->used);
    cairn_output_data(pprof->view->output, head.bytes, head.used);
    cairn_output_data(pprof->view->output, message->bytes, message->used);
}

static uint64_t put_string(struct pprof *pprof, const char *text)
{
    char copy[CAIRN_PROFILE_NAME * 2];
    struct cairn_protobuf message;

    message.used = 0;
    cairn_text_to_utf8(text, copy, sizeof copy);
    cairn_protobuf_text(&message, PROFILE_STRING, copy);
    cairn_output_data(pprof->view->output, message.bytes, message.used);
    return pprof->strings++;
}

static void put_field(struct pprof *pprof, unsigned field, uint64_t value)
{
    struct cairn_protobuf message;

    message.used = 0;
    cairn_protobuf_number(&message, field, value);
    cairn_output_data(pprof->view->output, message.bytes, message.used);
}

static void put_type(struct pprof *pprof, unsigned field, const char *type, const char *unit)
{
    struct cairn_protobuf message;
    const uint64_t type_text = put_string(pprof, type), unit_text = put_string(pprof, unit);

    message.used = 0;
    cairn_protobuf_number(&message, TYPE_TYPE, type_text);
    cairn_protobuf_number(&message, TYPE_UNIT, unit_text);
    put(pprof, field, &message);
}

/* The number of the file that a function is of, which is written when it is first met; 0: of none. */
static cairn_status mapping_of(struct pprof *pprof, const char *object, uint64_t *mapping)
{
    struct cairn_protobuf message;

    *mapping = 0;
    if (!object)
        return CAIRN_OK;
    for (size_t i = 0; i < pprof->object_count; i++)
        if (pprof->objects[i] == object) {
            *mapping = i + 1;
            return CAIRN_OK;
        }
    const char **grown =
        realloc(pprof->objects, (pprof->object_count + 1) * sizeof *pprof->objects);
    if (!grown)
        return CAIRN_E_MEMORY;
    pprof->objects = grown;
    pprof->objects[pprof->object_count++] = object;
    *mapping = pprof->object_count;
    const uint64_t file = put_string(pprof, object);
    message.used = 0;
    cairn_protobuf_number(&message, MAPPING_ID, *mapping);
    cairn_protobuf_number(&message, MAPPING_FILE, file);
    cairn_protobuf_number(&message, MAPPING_HAS_FUNCTIONS, 1);
    cairn_protobuf_number(&message, MAPPING_HAS_FILES, 1);
    cairn_protobuf_number(&message, MAPPING_HAS_LINES, 1);
    put(pprof, PROFILE_MAPPING, &message);
    return CAIRN_OK;
}

/* A function, and the only location in it. */
static cairn_status put_frame(struct pprof *pprof, size_t index)
{
    const struct cairn_profile_frame frame = pprof->frames->list[index];
    const struct cairn_function *function = &pprof->view->profile->functions.list[frame.function];
    const bool known = frame.function != 0;
    struct cairn_protobuf message, line_message;
    char text[CAIRN_PROFILE_NAME];
    uint32_t line = 0;
    uint64_t mapping;
    const char *file = cairn_profile_frame_file(pprof->view, frame.function, &line);
    const cairn_status status = mapping_of(pprof, known ? function->object : NULL, &mapping);

    if (status)
        return status;
    const uint64_t name = put_string(pprof, cairn_profile_frame_name(pprof->view, frame, text));
    const uint64_t system = known && function->name ? put_string(pprof, function->name) : name;
    const uint64_t path = file ? put_string(pprof, file) : 0;
    message.used = 0;
    cairn_protobuf_number(&message, FUNCTION_ID, index + 1);
    cairn_protobuf_number(&message, FUNCTION_NAME, name);
    cairn_protobuf_number(&message, FUNCTION_SYSTEM_NAME, system);
    cairn_protobuf_number(&message, FUNCTION_FILE, path);
    cairn_protobuf_number(&message, FUNCTION_START, line);
    put(pprof, PROFILE_FUNCTION, &message);
    line_message.used = message.used = 0;
    cairn_protobuf_number(&line_message, LINE_FUNCTION, index + 1);
    cairn_protobuf_number(&line_message, LINE_LINE, line);
    cairn_protobuf_number(&message, LOCATION_ID, index + 1);
    cairn_protobuf_number(&message, LOCATION_MAPPING, mapping);
    cairn_protobuf_number(&message, LOCATION_ADDRESS, known ? function->address : 0);
    cairn_protobuf_nested(&message, LOCATION_LINE, &line_message);
    put(pprof, PROFILE_LOCATION, &message);
    return CAIRN_OK;
}

static cairn_status put_sample(void *context, const struct cairn_profile_thread *thread,
                               const uint32_t *chain, size_t count, uint64_t instructions,
                               uint64_t cycles)
{
    struct pprof *pprof = context;
    const struct cairn_profile_view *view = pprof->view;
    struct cairn_protobuf message, list;

    (void)thread;
    message.used = list.used = 0;
    for (size_t i = count; i > 0; i--) /* innermost first */
        cairn_protobuf_varint(
            &list, cairn_profile_frame_of(view->profile, pprof->frames, chain[i - 1]) + 1);
    cairn_protobuf_nested(&message, SAMPLE_LOCATION, &list);
    list.used = 0;
    cairn_protobuf_varint(&list, instructions);
    if (view->profile->has_cycles)
        cairn_protobuf_varint(&list, cycles);
    cairn_protobuf_nested(&message, SAMPLE_VALUE, &list);
    if (view->by_thread) {
        list.used = 0;
        cairn_protobuf_number(&list, LABEL_KEY, pprof->thread_key);
        cairn_protobuf_number(&list, LABEL_TEXT, pprof->thread_text);
        cairn_protobuf_nested(&message, SAMPLE_LABEL, &list);
    }
    put(pprof, PROFILE_SAMPLE, &message);
    return cairn_output_wanted(view->output) ? CAIRN_OK : CAIRN_E_LIMIT;
}

cairn_status cairn_profile_pprof(const struct cairn_profile_view *view)
{
    struct cairn_profile_frames frames = {0};
    struct pprof pprof = {.view = view, .frames = &frames};
    char text[CAIRN_PROFILE_NAME];
    cairn_status status = cairn_profile_frames(view->profile, &frames);

    (void)put_string(&pprof, ""); /* number 0 is none */
    put_type(&pprof, PROFILE_SAMPLE_TYPE, "instructions", "count");
    if (view->profile->has_cycles)
        put_type(&pprof, PROFILE_SAMPLE_TYPE, "cycles", "count");
    put_type(&pprof, PROFILE_PERIOD_TYPE, "instructions", "count");
    put_field(&pprof, PROFILE_PERIOD, 1);
    pprof.thread_key = put_string(&pprof, "thread");
    for (size_t i = 0; i < frames.count && !status; i++)
        status = put_frame(&pprof, i);
    for (size_t i = 0; i < view->profile->thread_count && !status; i++) {
        pprof.thread_text =
            put_string(&pprof, cairn_profile_thread_name(view, &view->profile->threads[i], text));
        status = cairn_profile_walk(view->profile, &view->profile->threads[i], put_sample, &pprof);
    }
    free(pprof.objects);
    free(frames.list);
    return cairn_output_wanted(view->output) ? status : CAIRN_OK;
}
