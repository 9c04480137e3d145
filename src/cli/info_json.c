/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/info.h"
#include "report/event.h"

#define FIELDS_MAX 64
#define TEXT_MAX 4096

/* A string of the capture: jansson takes UTF-8 only. */
static json_t *string(const char *text)
{
    char copy[TEXT_MAX];

    if (!text)
        return json_null();
    cairn_text_to_utf8(text, copy, sizeof copy);
    return json_string(copy);
}

static json_t *hex(uint64_t value)
{
    char text[19];

    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *ledger_object(const struct cairn_ledger *ledger)
{
    json_t *object = json_object();

    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (ledger->account[account].bytes)
            json_object_set_new(object, cairn_account_word(account),
                                number(ledger->account[account].bytes));
    return object;
}

static json_t *field_value(const struct cairn_field *field)
{
    switch (field->type) {
    case CAIRN_FIELD_DECIMAL: return number(field->value);
    case CAIRN_FIELD_HEX: return hex(field->value);
    case CAIRN_FIELD_FLAG: return json_boolean(field->value != 0);
    case CAIRN_FIELD_TEXT: return string(field->text);
    case CAIRN_FIELD_UNKNOWN: break;
    }
    return json_null();
}

static json_t *config_object(const struct cairn_config *config)
{
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_config_describe(config, fields, FIELDS_MAX);
    json_t *object = json_object();

    for (size_t i = 0; i < count && i < FIELDS_MAX; i++)
        json_object_set_new(object, fields[i].name, field_value(&fields[i]));
    return object;
}

static json_t *notes_array(const struct cairn_config *config)
{
    json_t *array = json_array();
    const char *note;

    for (size_t i = 0; (note = cairn_config_note(config, i)); i++)
        json_array_append_new(array, string(note));
    return array;
}

static json_t *source_object(const struct cli_audit *audit, size_t index)
{
    const struct cli_audit_source *source = &audit->sources[index];
    const struct cairn_source_info *info = &source->info;
    json_t *object = json_object();

    json_object_set_new(object, "index", number(index));
    json_object_set_new(object, "name", string(info->name));
    json_object_set_new(object, "protocol", string(cairn_protocol_name(info->protocol)));
    json_object_set_new(object, "type", string(info->type));
    json_object_set_new(object, "core", string(info->core));
    json_object_set_new(object, "core_type", string(info->core_type));
    if (info->trace_id >= 0)
        json_object_set_new(object, "trace_id", number((uint64_t)info->trace_id));
    json_object_set_new(object, "buffer", number(info->buffer));
    json_object_set_new(object, "bytes", number(source->bytes));
    json_object_set_new(object, "decoded", json_boolean(source->state == CLI_AUDIT_DECODED));
    json_object_set_new(object, "packets_only",
                        json_boolean(source->state == CLI_AUDIT_PACKETS_ONLY));
    if (source->why.status)
        json_object_set_new(object, "error", string(source->why.text));
    if (source->config) {
        json_object_set_new(object, "configuration", config_object(source->config));
        json_object_set_new(object, "notes", notes_array(source->config));
        json_object_set_new(object, "instructions", number(source->summary.instructions));
    }
    json_object_set_new(object, "ledger", ledger_object(&source->ledger));
    return object;
}

static json_t *buffer_object(const struct cli_audit_buffer *buffer)
{
    struct cli_overhead overhead[CLI_OVERHEAD_COUNT];
    json_t *object = json_object();
    json_t *ledger = json_object();

    cli_info_overhead(&buffer->account, overhead);
    for (size_t i = 0; i < CLI_OVERHEAD_COUNT; i++)
        json_object_set_new(ledger, overhead[i].key, number(overhead[i].bytes));
    json_object_set_new(object, "name", string(buffer->info.name));
    json_object_set_new(object, "path", string(buffer->info.path));
    json_object_set_new(object, "format", string(cairn_format_name(buffer->info.format)));
    json_object_set_new(object, "bytes", number(buffer->info.bytes));
    json_object_set_new(object, "ledger", ledger);
    json_object_set_new(object, "accounted", number(buffer->accounted));
    json_object_set_new(object, "adds_up", json_boolean(buffer->accounted == buffer->info.bytes));
    return object;
}

static json_t *image_array(const struct cli_audit *audit)
{
    const struct cairn_image *image = cairn_capture_image(audit->session->capture);
    json_t *array = json_array();
    struct cairn_layer_info layer = {.size = sizeof layer};

    for (size_t i = 0; i < cairn_image_layer_count(image); i++) {
        if (cairn_image_layer(image, i, &layer))
            continue;
        json_t *object = json_object();
        json_object_set_new(object, "name", string(layer.name));
        json_object_set_new(object, "address", hex(layer.address));
        json_object_set_new(object, "bytes", number(layer.bytes));
        json_object_set_new(object, "elf", json_boolean(layer.is_elf));
        json_object_set_new(object, "build_id", string(layer.build_id));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *remark_array(const struct cli_audit *audit)
{
    json_t *array = json_array();
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(audit->session->capture, i, &remark); i++)
        json_array_append_new(array, string(remark.text));
    return array;
}

static json_t *module_array(const struct cairn_capture *capture)
{
    static const char *const states[] = {"used", "missing", "changed"};
    json_t *array = json_array();
    struct cairn_module_info module = {.size = sizeof module};

    for (size_t i = 0; !cairn_capture_module(capture, i, &module); i++) {
        json_t *object = json_object();
        json_object_set_new(object, "path", string(module.path));
        json_object_set_new(object, "build_id", string(module.build_id));
        json_object_set_new(object, "bias", hex(module.bias));
        json_object_set_new(object, "address", hex(module.address));
        json_object_set_new(object, "length", number(module.length));
        json_object_set_new(object, "state", string(states[module.state]));
        json_array_append_new(array, object);
    }
    return array;
}

/* What ran; null where the capture does not say. */
static json_t *program_object(const struct cairn_capture *capture)
{
    struct cairn_program_info program = {.size = sizeof program};

    if (cairn_capture_program(capture, &program))
        return json_null();
    json_t *object = json_object();
    json_t *arguments = json_array();
    for (size_t i = 0; i < program.argument_count; i++)
        json_array_append_new(arguments, string(program.arguments[i]));
    json_object_set_new(object, "path", string(program.path));
    json_object_set_new(object, "arguments", arguments);
    json_object_set_new(object, "exit_status",
                        program.exit_status < 0 ? json_null() : json_integer(program.exit_status));
    json_object_set_new(object, "modules", module_array(capture));
    return object;
}

void cli_info_json(const struct cli_audit *audit)
{
    struct cairn_output *output = audit->session->output;
    json_t *root = json_object();
    json_t *buffers = json_array();
    json_t *sources = json_array();

    for (size_t i = 0; i < audit->buffer_count; i++)
        json_array_append_new(buffers, buffer_object(&audit->buffers[i]));
    for (size_t i = 0; i < audit->source_count; i++)
        json_array_append_new(sources, source_object(audit, i));
    json_object_set_new(root, "capture", string(audit->session->options->capture));
    json_object_set_new(root, "program", program_object(audit->session->capture));
    json_object_set_new(root, "buffers", buffers);
    json_object_set_new(root, "sources", sources);
    json_object_set_new(root, "images", image_array(audit));
    json_object_set_new(root, "remarks", remark_array(audit));
    char *text = json_dumps(root, JSON_COMPACT);
    if (text)
        cairn_output_text(output, text);
    else
        cli_session_say(audit->session, "out of memory");
    cairn_output_line(output);
    free(text);
    json_decref(root);
}
