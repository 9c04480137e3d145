/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn info` for people: what fits a screen, unless everything is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "base/shell.h"
#include "cli/info/info.h"
#include "cli/info/info_image.h"
#include "cli/info/info_settings.h"
#include "cli/info/info_threads.h"
#include "cli/screen/page.h"
#include "report/event.h"

#define INDENT 4
#define PARAGRAPH_LINES 3 /* of a remark or a configuration */
#define BUILD_ID_SHOWN 12

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
        {"not written in the session", "unwritten", account->unwritten},
        {"memory outside of the buffer", "outside", account->outside},
    };
    memcpy(overhead, all, sizeof all);
}

static unsigned long long printable(uint64_t value)
{
    return value;
}

/* "14.9 kB"; up to 9999 as it is. */
static void write_size(char *text, size_t size, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes / 1000.0;
    size_t unit = 0;

    if (bytes < 10000) {
        snprintf(text, size, "%llu byte%s", printable(bytes), cairn_plural(bytes));
        return;
    }
    for (; value >= 999.95; unit++)
        value /= 1000.0;
    snprintf(text, size, "%.1f %s", value, units[unit]);
}

static void head(struct cli_table *table, size_t columns, const char *const *names,
                 unsigned right /* bit n: column n */)
{
    *table = (struct cli_table){.columns = columns};
    for (size_t i = 0; i < columns; i++) {
        table->align[i] = right >> i & 1 ? CLI_RIGHT : CLI_LEFT;
        cli_table_cell(table, "%s", names[i]);
    }
}

/* What ran, if the capture says so. */

static const char *module_state(enum cairn_module_state state)
{
    switch (state) {
    case CAIRN_MODULE_USED: break;
    case CAIRN_MODULE_MISSING: return "not here: no names";
    case CAIRN_MODULE_CHANGED: return "changed since: no names";
    }
    return "gives names";
}

static void print_modules(const struct cairn_capture *capture, struct cli_page *page)
{
    static const char *const names[] = {"modules", "range", "build-id", "state"};
    struct cairn_module_info module = {.size = sizeof module};
    struct cli_table table;

    head(&table, 4, names, 0);
    for (size_t i = 0; !cairn_capture_module(capture, i, &module); i++) {
        cli_table_cell(&table, "  %s", module.path);
        if (module.length)
            cli_table_cell(&table, "0x%llx..0x%llx", printable(module.address),
                           printable(module.address + module.length));
        else if (module.state == CAIRN_MODULE_MISSING && !module.bias)
            cli_table_cell(&table, "not told");
        else
            cli_table_cell(&table, "at +0x%llx", printable(module.bias));
        if (page->all)
            cli_table_cell(&table, "%s", module.build_id ? module.build_id : "none");
        else
            cli_table_cell(&table, "%.*s", BUILD_ID_SHOWN,
                           module.build_id ? module.build_id : "none");
        cli_table_cell(&table, "%s", module_state(module.state));
    }
    cli_table_end(&table, page);
}

/* As a shell would take it; NULL without memory. */
static char *command_line(const struct cairn_program_info *program)
{
    char *text = NULL, word[CAIRN_SHELL_ROOM];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t i = 0; out && i < program->argument_count; i++)
        fprintf(out, "%s%s", i ? " " : "", cairn_shell_word(program->arguments[i], word));
    if (!out || fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Of "qemu-aarch64 version 7.2.22 (Debian 1:7.2...)" what is in front of the bracket. */
static int without_bracket(const char *text)
{
    size_t length = strcspn(text, "(");

    while (length && text[length - 1] == ' ')
        length--;
    return (int)length;
}

static void print_program(const struct cli_audit *audit, struct cli_page *page)
{
    const struct cairn_capture *capture = audit->session->capture;
    struct cairn_program_info program = {.size = sizeof program};

    if (cairn_capture_program(capture, &program))
        return;
    char *line = command_line(&program);
    cli_page_section(page, "program");
    if ((line && *line) || program.path)
        cli_page_format(page, INDENT, 1, "  %s", line && *line ? line : program.path);
    page->failed |= !line;
    free(line);
    if (program.signal)
        cli_page_format(page, INDENT, 1, "  ended by %s", program.signal);
    else if (program.exit_status >= 0)
        cli_page_format(page, INDENT, 1, "  exit status %d", program.exit_status);
    if (program.recorder && program.guest && program.host)
        cli_page_format(page, INDENT, 1, "  recorded by %s with %.*s on %s", program.recorder,
                        without_bracket(program.guest), program.guest, program.host);
    print_modules(capture, page);
}

/* A path of the capture's folder as it is called there. */
static const char *inside(const struct cli_audit *audit, const char *path)
{
    const char *folder = audit->session->options->capture;
    const size_t length = strlen(folder);

    if (!length || strncmp(path, folder, length))
        return path;
    path += length;
    if (path[0] != '/' && folder[length - 1] != '/')
        return path - length;
    return path + strspn(path, "/");
}

static void print_buffers(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[] = {"buffers", "layout", "bytes", "file"};
    struct cli_table table;

    head(&table, 4, names, 1u << 2);
    for (size_t i = 0; i < audit->buffer_count; i++) {
        const struct cairn_buffer_info *info = &audit->buffers[i].info;
        cli_table_cell(&table, "  %s", info->name);
        cli_table_cell(&table, "%s", cairn_format_name(info->format));
        cli_table_cell(&table, "%llu", printable(info->bytes));
        const char *path = cli_session_file(audit->session, info->path);
        cli_table_cell(&table, "%s", path ? inside(audit, path) : "");
    }
    cli_table_end(&table, page);
}

/* "ETMv4 4.2", "STM", "no trace unit" */
static void protocol_cell(struct cli_table *table, const struct cli_audit_source *source)
{
    const struct cairn_source_info *info = &source->info;
    const struct cli_setting *version = NULL;
    struct cli_settings settings;

    if (source->config) {
        cli_settings_of(&settings, source->config);
        version = cli_settings_find(&settings, "version");
    }
    if (source->state == CLI_AUDIT_NO_CONFIG)
        cli_table_cell(table, "not configured");
    else if (info->protocol == CAIRN_PROTOCOL_UNKNOWN)
        cli_table_cell(table, "%s", info->type ? info->type : "unknown");
    else if (version)
        cli_table_cell(table, "%s %s", cairn_protocol_name(info->protocol), version->text);
    else
        cli_table_cell(table, "%s", cairn_protocol_name(info->protocol));
}

static void trace_id_cell(struct cli_table *table, const struct cli_audit_source *source)
{
    unsigned id = source->config ? cli_settings_trace_id(source->config) : 0;

    if (source->info.trace_id >= 0)
        id = (unsigned)source->info.trace_id;
    if (id || source->info.trace_id >= 0)
        cli_table_cell(table, "0x%02x", id);
    else
        cli_table_cell(table, "-");
}

static char profile_letter(enum cairn_profile profile)
{
    switch (profile) {
    case CAIRN_PROFILE_A: return 'A';
    case CAIRN_PROFILE_R: return 'R';
    case CAIRN_PROFILE_M: return 'M';
    }
    return '?';
}

static void core_cell(struct cli_table *table, const struct cairn_source_info *info)
{
    if (!info->core && !info->core_type)
        cli_table_cell(table, "-");
    else if (info->thread_id) /* its core is a name that the recorder made up */
        cli_table_cell(table, "thread %llu%s%s, Armv%u.%u-%c", printable(info->thread_id),
                       info->thread_name ? " " : "", info->thread_name ? info->thread_name : "",
                       info->arch.major, info->arch.minor, profile_letter(info->arch.profile));
    else
        cli_table_cell(table, "%s%s%s, Armv%u.%u-%c", info->core ? info->core : "",
                       info->core && info->core_type ? ", " : "",
                       info->core_type ? info->core_type : "", info->arch.major, info->arch.minor,
                       profile_letter(info->arch.profile));
}

static void stranger_row(const struct cli_audit *audit, size_t buffer, const struct cli_page *page,
                         struct cli_table *table)
{
    const struct cli_strangers strangers = cli_info_strangers(audit, buffer, page);

    if (!strangers.count)
        return;
    cli_table_cell(table, "  -  %zu IDs", strangers.count);
    cli_table_cell(table, "not configured");
    cli_table_cell(table, "0x%02x..0x%02x", (unsigned)strangers.first, (unsigned)strangers.last);
    cli_table_cell(table, "%s", audit->buffers[buffer].info.name);
    cli_table_cell(table, "-");
    cli_table_cell(table, "%llu", printable(strangers.bytes));
    cli_table_cell(table, "not decoded");
}

static void print_sources(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[] = {"sources", "protocol", "trace ID",    "buffer",
                                        "core",    "bytes",    "instructions"};
    struct cli_table table;

    head(&table, 7, names, 1u << 5 | 1u << 6);
    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        if (cli_info_is_stranger(audit, i, page))
            continue;
        cli_table_cell(&table, "  %zu  %s", i, source->info.name);
        protocol_cell(&table, source);
        trace_id_cell(&table, source);
        cli_table_cell(&table, "%s", audit->buffers[source->info.buffer].info.name);
        core_cell(&table, &source->info);
        cli_table_cell(&table, "%llu", printable(source->bytes));
        if (source->state == CLI_AUDIT_DECODED)
            cli_table_cell(&table, "%llu", printable(source->summary.instructions));
        else
            cli_table_cell(&table, "%s",
                           source->state == CLI_AUDIT_NOT_CHOSEN     ? "not chosen"
                           : source->state == CLI_AUDIT_PACKETS_ONLY ? "packets only"
                                                                     : "not decoded");
    }
    for (size_t i = 0; i < audit->buffer_count; i++)
        stranger_row(audit, i, page, &table);
    cli_table_end(&table, page);
}

/* What the image has: a row a file, the greatest first where not all may be shown. */

static int compare_sizes(const void *one, const void *other)
{
    const struct cli_image_file *a = one, *b = other;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return (a->low > b->low) - (a->low < b->low);
}

/* ", for ETM_0, EL1, Secure, VMID 0x3": nothing where it is for all. */
static void scope_words(const struct cli_audit *audit, const struct cairn_scope *scope, char *text,
                        size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    if (scope->source != CAIRN_ANY_SOURCE && scope->source < audit->source_count)
        used += (size_t)snprintf(text + used, size - used, ", for %.40s",
                                 audit->sources[scope->source].info.name);
    for (unsigned el = 0; el < 4 && scope->el_mask != 0x0f; el++)
        if (scope->el_mask >> el & 1)
            used += (size_t)snprintf(text + used, size - used, ", EL%u", el);
    for (unsigned state = 0; state < 4 && scope->security_mask != 0x0f; state++)
        if (scope->security_mask >> state & 1)
            used += (size_t)snprintf(text + used, size - used, ", %s", cairn_security_name(state));
    if (!scope->any_vmid)
        used += (size_t)snprintf(text + used, size - used, ", VMID 0x%x", scope->vmid);
    if (!scope->any_context_id)
        snprintf(text + used, size - used, ", context ID 0x%x", scope->context_id);
}

static void notes_cell(const struct cli_audit *audit, const struct cli_image_file *file,
                       const struct cli_page *page, struct cli_table *table)
{
    const struct cairn_layer_info *layer = &file->first;
    const char *id = layer->build_id;
    char scope[192], passing[64] = "", spaces[64] = "";

    scope_words(audit, &layer->scope, scope, sizeof scope);
    if (file->scopes > 1) {
        scope[0] = '\0';
        snprintf(spaces, sizeof spaces, ", in %zu contexts", file->scopes);
    }
    if (file->passing)
        snprintf(passing, sizeof passing, ", %zu for a part of the trace", file->passing);
    cli_table_cell(table, "%s%s%.*s%s%s%s%s", layer->is_elf ? "ELF" : "dump",
                   id ? ", build-id " : "", page->all ? 128 : BUILD_ID_SHOWN, id ? id : "",
                   layer->order == CAIRN_ORDER_BE8    ? ", BE8"
                   : layer->order == CAIRN_ORDER_BE32 ? ", BE32"
                                                      : "",
                   scope, spaces, passing);
}

static void print_image(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[] = {"image", "pieces", "range", "size", "what"};
    struct cli_image_file *files = NULL;
    struct cli_table table;
    char size[32];
    size_t count;

    page->failed |= !cli_image_files(cairn_capture_image(audit->session->capture), &files, &count);
    if (files && !page->all)
        qsort(files, count, sizeof *files, compare_sizes);
    if (!page->failed && !count)
        cli_page_section(page, "image: none (give the program with --image)");
    head(&table, 5, names, 1u << 1 | 1u << 3);
    for (size_t i = 0; i < count && files; i++) {
        write_size(size, sizeof size, files[i].bytes);
        cli_table_cell(&table, "  %s", inside(audit, files[i].first.name));
        cli_table_cell(&table, "%zu", files[i].pieces);
        cli_table_cell(&table, "0x%llx..0x%llx", printable(files[i].low), printable(files[i].high));
        cli_table_cell(&table, "%s", size);
        notes_cell(audit, &files[i], page, &table);
    }
    cli_table_end(&table, page);
    free(files);
}

/* Whether two sentences say the same of other numbers. */
static bool are_alike(const char *one, const char *other)
{
    static const char digits[] = "0123456789abcdefx";

    while (*one && *other) {
        const bool number = *one >= '0' && *one <= '9' && *other >= '0' && *other <= '9';
        if (!number && *one != *other)
            return false;
        one += number ? strspn(one, digits) : 1;
        other += number ? strspn(other, digits) : 1;
    }
    return *one == *other;
}

/* How many remarks from `first` on are alike, and side by side. */
static size_t count_alike(const struct cairn_capture *capture, size_t first)
{
    struct cairn_remark remark, next;
    size_t count = 1;

    if (cairn_capture_remark(capture, first, &remark))
        return 0;
    while (!cairn_capture_remark(capture, first + count, &next) &&
           are_alike(remark.text, next.text))
        count++;
    return count;
}

static void print_remarks(const struct cli_audit *audit, struct cli_page *page)
{
    const struct cairn_capture *capture = audit->session->capture;
    struct cairn_remark remark;
    size_t alike;

    cli_page_section(page, "remarks");
    for (size_t i = 0; !cairn_capture_remark(capture, i, &remark); i += alike) {
        alike = page->all ? 1 : count_alike(capture, i);
        if (alike > 1)
            cli_page_format(page, INDENT, PARAGRAPH_LINES + 1, "  %s (and %zu more like it)",
                            remark.text, alike - 1);
        else
            cli_page_format(page, INDENT, PARAGRAPH_LINES, "  %s", remark.text);
    }
    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].why.status && audit->sources[i].state != CLI_AUDIT_NO_CONFIG)
            cli_page_format(page, INDENT, PARAGRAPH_LINES, "  %s", audit->sources[i].why.text);
}

bool cli_info_text(const struct cli_audit *audit)
{
    struct cli_page page = {.all = audit->session->options->all};

    cli_page_section(&page, "%s", "");
    cli_page_format(&page, INDENT, 1, "capture %s", audit->session->options->capture);
    print_program(audit, &page);
    cli_info_threads_text(audit, &page);
    print_buffers(audit, &page);
    print_sources(audit, &page);
    cli_info_configurations(audit, &page);
    print_image(audit, &page);
    print_remarks(audit, &page);
    cli_info_ledger(audit, &page);
    return cli_page_print(&page, audit->session->output);
}
