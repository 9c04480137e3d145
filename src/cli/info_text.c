/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "cli/info.h"
#include "report/event.h"

#define FIELDS_MAX 64
#define PIECES_SHOWN 8 /* of one dump, each in a line of its own */
#define NAME_WIDTH 34
#define ARCH_TEXT 32

void cli_info_overhead(const struct cairn_buffer_account *account,
                       struct cli_overhead overhead[CLI_OVERHEAD_COUNT])
{
    const struct cli_overhead all[CLI_OVERHEAD_COUNT] = {
        {"frame ID and auxiliary bytes", "framing", account->framing},
        {"frame synchronisation", "sync", account->sync},
        {"null and reserved IDs", "null_id", account->null_id},
        {"trigger ID", "trigger_id", account->trigger_id},
        {"gap: before the first frame", "unaligned", account->unaligned},
        {"gap: before the first ID", "no_id", account->no_id},
        {"gap: incomplete last frame", "truncated", account->truncated},
    };
    memcpy(overhead, all, sizeof all);
}

static void heading(struct cairn_output *output, const char *text)
{
    cairn_output_text(output, text);
    cairn_output_line(output);
}

static void print_buffers(const struct cli_audit *audit, struct cairn_output *output)
{
    heading(output, "buffers");
    for (size_t i = 0; i < audit->buffer_count; i++) {
        const struct cairn_buffer_info *info = &audit->buffers[i].info;
        cairn_output_format(output, "  %s: %s, %s, %llu byte%s", info->name, info->path,
                            cairn_format_name(info->format), (unsigned long long)info->bytes,
                            cairn_plural(info->bytes));
        cairn_output_line(output);
    }
}

static void field_value(const struct cairn_field *field, char *text, size_t capacity)
{
    switch (field->type) {
    case CAIRN_FIELD_DECIMAL:
        snprintf(text, capacity, "%llu", (unsigned long long)field->value);
        return;
    case CAIRN_FIELD_HEX:
        snprintf(text, capacity, "0x%llx", (unsigned long long)field->value);
        return;
    case CAIRN_FIELD_FLAG: snprintf(text, capacity, "%s", field->value ? "yes" : "no"); return;
    case CAIRN_FIELD_TEXT: snprintf(text, capacity, "%s", field->text ? field->text : ""); return;
    case CAIRN_FIELD_UNKNOWN: snprintf(text, capacity, "unknown"); return;
    }
    snprintf(text, capacity, "?");
}

static void print_config(const struct cairn_config *config, struct cairn_output *output)
{
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_config_describe(config, fields, FIELDS_MAX);
    const char *note;

    for (size_t i = 0; i < count && i < FIELDS_MAX; i++) {
        char value[64];
        field_value(&fields[i], value, sizeof value);
        cairn_output_format(output, "       %-*s %s", NAME_WIDTH - 5, fields[i].name, value);
        cairn_output_line(output);
    }
    for (size_t i = 0; (note = cairn_config_note(config, i)); i++) {
        cairn_output_format(output, "       note: %s", note);
        cairn_output_line(output);
    }
}

static const char *profile_letter(enum cairn_profile profile)
{
    switch (profile) {
    case CAIRN_PROFILE_A: return "A";
    case CAIRN_PROFILE_R: return "R";
    case CAIRN_PROFILE_M: return "M";
    }
    return "?";
}

static void print_source(const struct cli_audit *audit, size_t index, struct cairn_output *output)
{
    const struct cli_audit_source *source = &audit->sources[index];
    const struct cairn_source_info *info = &source->info;

    cairn_output_format(output, "  %zu  %s: %s", index, info->name,
                        source->state == CLI_AUDIT_NO_CONFIG ? "no trace unit configured"
                                                             : cairn_protocol_name(info->protocol));
    if (info->type && info->protocol == CAIRN_PROTOCOL_UNKNOWN)
        cairn_output_format(output, " (%s)", info->type);
    if (info->trace_id >= 0)
        cairn_output_format(output, ", trace ID 0x%02x", (unsigned)info->trace_id);
    cairn_output_format(output, ", buffer %s, %llu byte%s", audit->buffers[info->buffer].info.name,
                        (unsigned long long)source->bytes, cairn_plural(source->bytes));
    cairn_output_line(output);
    if (info->core || info->core_type) {
        cairn_output_format(output, "       %-*s %s%s%s, Armv%u.%u-%s", NAME_WIDTH - 5, "core",
                            info->core ? info->core : "", info->core && info->core_type ? ", " : "",
                            info->core_type ? info->core_type : "", info->arch.major,
                            info->arch.minor, profile_letter(info->arch.profile));
        cairn_output_line(output);
    }
    if (source->config)
        print_config(source->config, output);
    if (source->state == CLI_AUDIT_REFUSED || source->why.status) {
        cairn_output_format(output, "       %s", source->why.text);
        cairn_output_line(output);
    }
}

static void print_scope(const struct cli_audit *audit, const struct cairn_scope *scope,
                        struct cairn_output *output)
{
    if (scope->source != CAIRN_ANY_SOURCE && scope->source < audit->source_count)
        cairn_output_format(output, ", for %s", audit->sources[scope->source].info.name);
    if (scope->el_mask != 0x0f)
        for (unsigned el = 0; el < 4; el++)
            if (scope->el_mask >> el & 1)
                cairn_output_format(output, ", EL%u", el);
    if (scope->security_mask != 0x0f)
        for (unsigned security = 0; security < 4; security++)
            if (scope->security_mask >> security & 1)
                cairn_output_format(output, ", %s", cairn_security_name(security));
    if (!scope->any_vmid)
        cairn_output_format(output, ", VMID 0x%x", scope->vmid);
    if (!scope->any_context_id)
        cairn_output_format(output, ", context id 0x%x", scope->context_id);
    if (scope->epoch_to && scope->epoch_to != UINT64_MAX)
        cairn_output_format(output, ", offsets 0x%llx to 0x%llx",
                            (unsigned long long)scope->epoch_from,
                            (unsigned long long)scope->epoch_to);
}

static void print_layer(const struct cli_audit *audit, const struct cairn_layer_info *layer,
                        struct cairn_output *output)
{
    cairn_output_format(
        output, "  0x%llx..0x%llx  %llu byte%s, %s%s", (unsigned long long)layer->address,
        (unsigned long long)(layer->address + layer->bytes), (unsigned long long)layer->bytes,
        cairn_plural(layer->bytes), layer->is_elf ? "ELF " : "", layer->name);
    if (layer->build_id)
        cairn_output_format(output, ", build-id %s", layer->build_id);
    if (layer->order != CAIRN_ORDER_LITTLE)
        cairn_output_format(output, ", %s", layer->order == CAIRN_ORDER_BE8 ? "BE8" : "BE32");
    print_scope(audit, &layer->scope, output);
    cairn_output_line(output);
}

/* How many layers from `first` on are pieces of one dump. */
static size_t pieces_from(const struct cairn_image *image, size_t first)
{
    struct cairn_layer_info layer = {.size = sizeof layer}, next = layer;
    size_t count = 1;

    if (cairn_image_layer(image, first, &layer) || layer.is_elf)
        return 1;
    while (!cairn_image_layer(image, first + count, &next) && !next.is_elf &&
           !strcmp(next.name, layer.name))
        count++;
    return count;
}

/* Recordings have memory in many pieces: what was executed, and no byte more. */
static void print_pieces(const struct cairn_image *image, size_t first, size_t count,
                         struct cairn_output *output)
{
    uint64_t low = UINT64_MAX, high = 0, bytes = 0;
    struct cairn_layer_info layer = {.size = sizeof layer, .name = ""};
    size_t passing = 0;

    for (size_t i = first; i < first + count; i++) {
        if (cairn_image_layer(image, i, &layer))
            continue;
        low = layer.address < low ? layer.address : low;
        high = layer.address + layer.bytes > high ? layer.address + layer.bytes : high;
        bytes += layer.bytes;
        passing += layer.scope.epoch_to && layer.scope.epoch_to != UINT64_MAX;
    }
    cairn_output_format(output, "  0x%llx..0x%llx  %llu byte%s in %zu piece%s, %s",
                        (unsigned long long)low, (unsigned long long)high,
                        (unsigned long long)bytes, cairn_plural(bytes), count, cairn_plural(count),
                        layer.name);
    if (passing)
        cairn_output_format(output, ", %zu of them for a part of the trace", passing);
    cairn_output_line(output);
}

static void print_images(const struct cli_audit *audit, struct cairn_output *output)
{
    const struct cairn_image *image = cairn_capture_image(audit->session->capture);
    size_t count = cairn_image_layer_count(image);

    heading(output, count ? "images" : "images: none (give the program with --image)");
    for (size_t i = 0; i < count;) {
        const size_t pieces = pieces_from(image, i);
        struct cairn_layer_info layer = {.size = sizeof layer};
        if (pieces > PIECES_SHOWN) {
            print_pieces(image, i, pieces, output);
            i += pieces;
            continue;
        }
        if (!cairn_image_layer(image, i++, &layer))
            print_layer(audit, &layer, output);
    }
}

static void print_account(struct cairn_output *output, const char *indent, const char *name,
                          uint64_t bytes, uint64_t total)
{
    double percent = total ? 100.0 * (double)bytes / (double)total : 0.0;

    cairn_output_format(output, "  %s%-*s %14llu %8.3f%%", indent, NAME_WIDTH - (int)strlen(indent),
                        name, (unsigned long long)bytes, percent);
    cairn_output_line(output);
}

static void print_source_ledger(const struct cli_audit_source *source, struct cairn_output *output)
{
    const struct cairn_ledger *ledger = &source->ledger;
    char name[NAME_WIDTH + 1];

    snprintf(name, sizeof name, "source %s", source->info.name);
    print_account(output, "  ", name, source->bytes, source->bytes);
    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (ledger->account[account].bytes)
            print_account(output, "    ", cairn_account_name((enum cairn_account)account),
                          ledger->account[account].bytes, source->bytes);
}

static void print_ledger(const struct cli_audit *audit, size_t index, struct cairn_output *output)
{
    const struct cli_audit_buffer *buffer = &audit->buffers[index];
    struct cli_overhead overhead[CLI_OVERHEAD_COUNT];

    cairn_output_format(output, "  buffer %s", buffer->info.name);
    cairn_output_line(output);
    cli_info_overhead(&buffer->account, overhead);
    for (size_t i = 0; i < CLI_OVERHEAD_COUNT; i++)
        if (overhead[i].bytes)
            print_account(output, "  ", overhead[i].name, overhead[i].bytes, buffer->info.bytes);
    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].info.buffer == index)
            print_source_ledger(&audit->sources[i], output);
    print_account(output, "  ", "total", buffer->accounted, buffer->info.bytes);
    if (buffer->accounted == buffer->info.bytes)
        cairn_output_format(output, "    equals the file's %llu byte%s",
                            (unsigned long long)buffer->info.bytes,
                            cairn_plural(buffer->info.bytes));
    else
        cairn_output_format(output,
                            "    DOES NOT ADD UP to the file's %llu bytes: an error in cairn; "
                            "please report it with the capture",
                            (unsigned long long)buffer->info.bytes);
    cairn_output_line(output);
}

static void print_remarks(const struct cli_audit *audit, struct cairn_output *output)
{
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(audit->session->capture, i, &remark); i++) {
        if (!i)
            heading(output, "remarks");
        cairn_output_format(output, "  %s", remark.text);
        cairn_output_line(output);
    }
}

static const char *module_state(enum cairn_module_state state)
{
    switch (state) {
    case CAIRN_MODULE_USED: break;
    case CAIRN_MODULE_MISSING: return ", not here any more: no names";
    case CAIRN_MODULE_CHANGED: return ", changed since: no names";
    }
    return "";
}

/* What ran, if the capture says so. */
static void print_program(const struct cli_audit *audit, struct cairn_output *output)
{
    const struct cairn_capture *capture = audit->session->capture;
    struct cairn_program_info program = {.size = sizeof program};
    struct cairn_module_info module = {.size = sizeof module};

    if (cairn_capture_program(capture, &program))
        return;
    heading(output, "program");
    for (size_t i = 0; i < program.argument_count; i++)
        cairn_output_format(output, "%s%s", i ? " " : "  ", program.arguments[i]);
    if (program.argument_count)
        cairn_output_line(output);
    if (program.exit_status > 128)
        cairn_output_format(output, "  ended by signal %d", program.exit_status - 128);
    else if (program.exit_status >= 0)
        cairn_output_format(output, "  exit status %d", program.exit_status);
    if (program.exit_status >= 0)
        cairn_output_line(output);
    for (size_t i = 0; !cairn_capture_module(capture, i, &module); i++) {
        if (module.length)
            cairn_output_format(output, "  0x%llx..0x%llx  ", (unsigned long long)module.address,
                                (unsigned long long)(module.address + (module.length - 1)));
        else
            cairn_output_text(output, "  ");
        cairn_output_format(output, "%s, loaded at +0x%llx%s%s%s", module.path,
                            (unsigned long long)module.bias, module.build_id ? ", build-id " : "",
                            module.build_id ? module.build_id : "", module_state(module.state));
        cairn_output_line(output);
    }
}

void cli_info_text(const struct cli_audit *audit)
{
    struct cairn_output *output = audit->session->output;

    cairn_output_format(output, "capture %s", audit->session->options->capture);
    cairn_output_line(output);
    print_program(audit, output);
    print_buffers(audit, output);
    heading(output, "sources");
    for (size_t i = 0; i < audit->source_count; i++)
        print_source(audit, i, output);
    print_images(audit, output);
    print_remarks(audit, output);
    heading(output, "ledger                                         bytes    share");
    for (size_t i = 0; i < audit->buffer_count; i++)
        print_ledger(audit, i, output);
}
