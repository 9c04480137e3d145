/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn info` for programs: one object, as docs/json.md has it. What is not known is null. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/info/info.h"
#include "cli/info/info_settings.h"
#include "cli/info/info_threads.h"
#include "report/event.h"
#include "report/json_fields.h"

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

/* Every account, so that the keys are always the same. */
static json_t *ledger_object(const struct cairn_ledger *ledger)
{
    json_t *object = json_object();

    for (unsigned account = 0; account <= CAIRN_GAP_LOST; account++)
        json_object_set_new(object, cairn_json_account(account),
                            number(ledger->account[account].bytes));
    return object;
}

static json_t *setting_value(const struct cli_setting *setting)
{
    switch (setting->type) {
    case CLI_SETTING_NUMBER: return number(setting->value);
    case CLI_SETTING_HEX: return hex(setting->value);
    case CLI_SETTING_FLAG: return json_boolean(setting->value != 0);
    case CLI_SETTING_TEXT_OF: return string(setting->text);
    case CLI_SETTING_NONE: break;
    }
    return json_null();
}

/* Those that every protocol has are always there; null where this one has not. */
static json_t *config_object(const struct cairn_config *config)
{
    static const char *const common[] = {
        "version",         "branch_broadcast",  "return_stack",   "cycle_counting",
        "cycle_threshold", "timestamps",        "timestamp_bits", "timestamp_encoding",
        "context_id",      "context_id_bytes",  "vmid",           "data_trace",
        "q_elements",      "speculation_depth",
    };
    struct cli_settings settings;
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        json_object_set_new(object, common[i], json_null());
    cli_settings_of(&settings, config);
    for (size_t i = 0; i < settings.count; i++)
        json_object_set_new(object, settings.items[i].key, setting_value(&settings.items[i]));
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

static const char *profile_word(enum cairn_profile profile)
{
    switch (profile) {
    case CAIRN_PROFILE_A: return "A";
    case CAIRN_PROFILE_R: return "R";
    case CAIRN_PROFILE_M: return "M";
    }
    return "?";
}

static json_t *architecture(const struct cairn_source_info *info)
{
    return info->core || info->core_type
               ? json_sprintf("Armv%u.%u-%s", info->arch.major, info->arch.minor,
                              profile_word(info->arch.profile))
               : json_null();
}

/* That of the frames; where there are none, what the registers say. */
static json_t *trace_id(const struct cli_audit_source *source)
{
    const unsigned said = source->config ? cli_settings_trace_id(source->config) : 0;

    if (source->info.trace_id >= 0)
        return number((uint64_t)source->info.trace_id);
    return said ? number(said) : json_null();
}

static const char *state_word(enum cli_audit_state state)
{
    switch (state) {
    case CLI_AUDIT_DECODED: return "decoded";
    case CLI_AUDIT_OTHER_PROTOCOL: return "other_protocol";
    case CLI_AUDIT_NO_CONFIG: return "not_configured";
    case CLI_AUDIT_REFUSED: return "refused";
    case CLI_AUDIT_NOT_CHOSEN: return "not_chosen";
    case CLI_AUDIT_PACKETS_ONLY: return "packets_only";
    }
    return "unknown";
}

static json_t *source_object(const struct cli_audit *audit, size_t index)
{
    const struct cli_audit_source *source = &audit->sources[index];
    const struct cairn_source_info *info = &source->info;
    json_t *object = json_object();

    json_object_set_new(object, "index", number(index));
    json_object_set_new(object, "name", string(info->name));
    json_object_set_new(object, "protocol",
                        info->protocol == CAIRN_PROTOCOL_UNKNOWN
                            ? json_null()
                            : string(cairn_protocol_name(info->protocol)));
    json_object_set_new(object, "unit_type", string(info->type));
    json_object_set_new(object, "core", string(info->core));
    json_object_set_new(object, "core_type", string(info->core_type));
    json_object_set_new(object, "thread_id",
                        info->thread_id ? number(info->thread_id) : json_null());
    json_object_set_new(object, "thread_name", string(info->thread_name));
    json_object_set_new(object, "architecture", architecture(info));
    json_object_set_new(object, "trace_id", trace_id(source));
    json_object_set_new(object, "buffer", number(info->buffer));
    json_object_set_new(object, "bytes", number(source->bytes));
    json_object_set_new(object, "state", string(state_word(source->state)));
    json_object_set_new(object, "decoded", json_boolean(source->state == CLI_AUDIT_DECODED));
    json_object_set_new(object, "packets_only",
                        json_boolean(source->state == CLI_AUDIT_PACKETS_ONLY));
    json_object_set_new(object, "error",
                        source->why.status ? string(source->why.text) : json_null());
    json_object_set_new(object, "configuration",
                        source->config ? config_object(source->config) : json_null());
    json_object_set_new(object, "notes",
                        source->config ? notes_array(source->config) : json_array());
    json_object_set_new(object, "instructions",
                        source->state == CLI_AUDIT_DECODED ? number(source->summary.instructions)
                                                           : json_null());
    json_object_set_new(object, "ledger", ledger_object(&source->ledger));
    return object;
}

static json_t *buffer_object(const struct cli_audit *audit, const struct cli_audit_buffer *buffer)
{
    struct cli_overhead overhead[CLI_OVERHEAD_COUNT];
    json_t *object = json_object();
    json_t *ledger = json_object();

    cli_info_overhead(&buffer->account, overhead);
    for (size_t i = 0; i < CLI_OVERHEAD_COUNT; i++)
        json_object_set_new(ledger, overhead[i].key, number(overhead[i].bytes));
    json_object_set_new(object, "name", string(buffer->info.name));
    json_object_set_new(object, "path",
                        string(cli_session_file(audit->session, buffer->info.path)));
    json_object_set_new(object, "format", string(cairn_format_name(buffer->info.format)));
    json_object_set_new(object, "bytes", number(buffer->info.bytes));
    json_object_set_new(object, "ledger", ledger);
    json_object_set_new(object, "accounted", number(buffer->accounted));
    json_object_set_new(object, "adds_up", json_boolean(buffer->accounted == buffer->info.bytes));
    return object;
}

/* The bits of a mask as what they stand for; null: all of four. */
static json_t *mask_array(unsigned mask, json_t *(*member)(unsigned bit))
{
    json_t *array;

    if (mask == 0x0f)
        return json_null();
    array = json_array();
    for (unsigned bit = 0; bit < 4; bit++)
        if (mask >> bit & 1)
            json_array_append_new(array, member(bit));
    return array;
}

static json_t *el_member(unsigned bit)
{
    return number(bit);
}

static json_t *security_member(unsigned bit)
{
    return string(cairn_security_name(bit));
}

/* Where memory is found; null for what it does not depend on. */
static json_t *scope_object(const struct cli_audit *audit, const struct cairn_scope *scope)
{
    const bool always = !scope->epoch_to || scope->epoch_to == UINT64_MAX;
    const bool is_of_source =
        scope->source != CAIRN_ANY_SOURCE && scope->source < audit->source_count;
    json_t *object = json_object();

    json_object_set_new(object, "source",
                        is_of_source ? string(audit->sources[scope->source].info.name)
                                     : json_null());
    json_object_set_new(object, "el", mask_array(scope->el_mask, el_member));
    json_object_set_new(object, "security", mask_array(scope->security_mask, security_member));
    json_object_set_new(object, "vmid", scope->any_vmid ? json_null() : number(scope->vmid));
    json_object_set_new(object, "context_id",
                        scope->any_context_id ? json_null() : number(scope->context_id));
    json_object_set_new(object, "from", always ? json_null() : number(scope->epoch_from));
    json_object_set_new(object, "to", always ? json_null() : number(scope->epoch_to));
    return object;
}

static const char *order_word(enum cairn_order order)
{
    switch (order) {
    case CAIRN_ORDER_LITTLE: return "little";
    case CAIRN_ORDER_BE8: return "be8";
    case CAIRN_ORDER_BE32: return "be32";
    }
    return "unknown";
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
        json_object_set_new(object, "order", string(order_word(layer.order)));
        json_object_set_new(object, "scope", scope_object(audit, &layer.scope));
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
        json_object_set_new(object, "file", string(module.file));
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
    json_t *environment = json_array();
    for (size_t i = 0; i < program.environment_count; i++)
        json_array_append_new(environment, string(program.environment[i]));
    json_object_set_new(object, "path", string(program.path));
    json_object_set_new(object, "arguments", arguments);
    json_object_set_new(object, "exit_status",
                        program.exit_status < 0 ? json_null() : json_integer(program.exit_status));
    json_object_set_new(object, "signal", string(program.signal));
    json_object_set_new(object, "recorder", string(program.recorder));
    json_object_set_new(object, "host", string(program.host));
    json_object_set_new(object, "guest", string(program.guest));
    json_object_set_new(object, "folder", string(program.folder));
    json_object_set_new(object, "environment", environment);
    json_object_set_new(object, "modules", module_array(capture));
    return object;
}

bool cli_info_json(const struct cli_audit *audit)
{
    struct cairn_output *output = audit->session->output;
    json_t *root = json_object();
    json_t *buffers = json_array();
    json_t *sources = json_array();

    for (size_t i = 0; i < audit->buffer_count; i++)
        json_array_append_new(buffers, buffer_object(audit, &audit->buffers[i]));
    for (size_t i = 0; i < audit->source_count; i++)
        json_array_append_new(sources, source_object(audit, i));
    json_object_set_new(root, "type", json_string("info"));
    json_object_set_new(root, "schema", json_integer(CAIRN_JSON_SCHEMA));
    json_object_set_new(root, "version", json_string(cairn_version()));
    json_object_set_new(root, "command", json_string(audit->session->command->name));
    json_object_set_new(root, "capture", string(audit->session->options->capture));
    json_object_set_new(root, "program", program_object(audit->session->capture));
    json_object_set_new(root, "threads", cli_info_threads_json(audit));
    json_object_set_new(root, "buffers", buffers);
    json_object_set_new(root, "sources", sources);
    json_object_set_new(root, "images", image_array(audit));
    json_object_set_new(root, "remarks", remark_array(audit));
    char *text = json_dumps(root, JSON_COMPACT);
    const bool done = text != NULL;
    if (done) {
        cairn_output_text(output, text);
        cairn_output_line(output);
    }
    free(text);
    json_decref(root);
    return done;
}
