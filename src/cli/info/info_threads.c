/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/info/info_threads.h"

#include <stdio.h>
#include <string.h>

#include "capture/model.h"

#define NAME_TEXT 64
#define NAMES_TEXT 256
#define SOURCES_TEXT 64 /* letters; more sources are dots */

bool cli_info_has_thread(const struct cli_audit *audit, size_t source, uint64_t thread)
{
    const struct cli_audit_source *const one = &audit->sources[source];
    const enum cairn_thread_mark mark = one->info.thread_mark;

    if (one->info.thread_id)
        return one->info.thread_id == thread;
    for (size_t i = 0; i < one->context_count; i++) {
        const struct cairn_context *const context = &one->contexts[i];

        if ((mark == CAIRN_THREAD_CONTEXT_ID && context->context_id == thread) ||
            (mark == CAIRN_THREAD_VMID && context->vmid == thread))
            return true;
    }
    return false;
}

static void name_sources(const struct cli_audit *audit, uint64_t thread, char text[SOURCES_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < audit->source_count; i++) {
        const char *const name = audit->sources[i].info.name;

        if (!cli_info_has_thread(audit, i, thread))
            continue;
        if (used + strlen(name) + sizeof ", ..." >= SOURCES_TEXT) {
            strcpy(text + used, used ? ", ..." : "...");
            return;
        }
        used += (size_t)snprintf(text + used, SOURCES_TEXT - used, "%s%s", used ? ", " : "", name);
    }
}

/* Its last name, and others that it had while there was trace. */
static void name_thread(const struct cli_audit *audit, const struct cairn_thread_info *thread,
                        char text[NAMES_TEXT])
{
    const struct cairn_capture *const capture = audit->session->capture;
    const char *last = NULL;
    size_t used =
        (size_t)snprintf(text, NAMES_TEXT, "%.*s", NAME_TEXT, thread->name ? thread->name : "-");

    for (size_t i = cairn_capture_first_name(capture, thread->thread_id);
         i < capture->name_count && capture->names[i].thread_id == thread->thread_id &&
         used < NAMES_TEXT - 2 * NAME_TEXT;
         i++) {
        const struct cairn_named *const name = &capture->names[i];

        if (name->is_elsewhen || !thread->name || !strcmp(name->name, thread->name) ||
            (last && !strcmp(name->name, last)))
            continue;
        used += (size_t)snprintf(text + used, NAMES_TEXT - used, "%s%.*s",
                                 last ? ", " : " (before: ", NAME_TEXT, name->name);
        last = name->name;
    }
    if (last)
        snprintf(text + used, NAMES_TEXT - used, ")");
}

void cli_info_threads_text(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[] = {"processes", "thread", "name", "trace in"};
    struct cairn_thread_info thread = {.size = sizeof thread};
    struct cli_table table;

    if (!cairn_capture_thread_count(audit->session->capture))
        return;
    table = (struct cli_table){.columns = sizeof names / sizeof *names};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        table.align[i] = i < 2 ? CLI_RIGHT : CLI_LEFT;
        cli_table_cell(&table, "%s", names[i]);
    }
    for (size_t i = 0; !cairn_capture_thread(audit->session->capture, i, &thread); i++) {
        char sources[SOURCES_TEXT], names_of[NAMES_TEXT];

        name_sources(audit, thread.thread_id, sources);
        if (!sources[0] && !page->all)
            continue;
        cli_table_cell(&table, "  %llu", (unsigned long long)thread.process_id);
        cli_table_cell(&table, "%llu", (unsigned long long)thread.thread_id);
        name_thread(audit, &thread, names_of);
        cli_table_cell(&table, "%s", names_of);
        cli_table_cell(&table, "%s", sources[0] ? sources : "-");
    }
    cli_table_end(&table, page);
}

/* What it was called while there was trace, one name after the other. */
static json_t *list_names(const struct cairn_capture *capture, uint64_t thread)
{
    json_t *const list = json_array();
    const char *last = NULL;

    for (size_t i = cairn_capture_first_name(capture, thread);
         i < capture->name_count && capture->names[i].thread_id == thread; i++) {
        const struct cairn_named *const name = &capture->names[i];
        char text[NAME_TEXT];

        if (name->is_elsewhen || (last && !strcmp(last, name->name)))
            continue;
        json_t *const object = json_object();

        cairn_text_to_utf8(name->name, text, sizeof text);
        json_object_set_new(object, "name", json_string(text));
        json_object_set_new(object, "since", json_integer((json_int_t)name->time));
        json_array_append_new(list, object);
        last = name->name;
    }
    return list;
}

json_t *cli_info_threads_json(const struct cli_audit *audit)
{
    struct cairn_thread_info thread = {.size = sizeof thread};
    json_t *const list = json_array();

    for (size_t i = 0; !cairn_capture_thread(audit->session->capture, i, &thread); i++) {
        json_t *const object = json_object();
        json_t *const sources = json_array();
        char name[NAME_TEXT] = "";

        if (thread.name)
            cairn_text_to_utf8(thread.name, name, sizeof name);

        for (size_t n = 0; n < audit->source_count; n++)
            if (cli_info_has_thread(audit, n, thread.thread_id))
                json_array_append_new(sources, json_integer((json_int_t)n));
        json_object_set_new(object, "process_id", json_integer((json_int_t)thread.process_id));
        json_object_set_new(object, "thread_id", json_integer((json_int_t)thread.thread_id));
        json_object_set_new(object, "name", thread.name ? json_string(name) : json_null());
        json_object_set_new(object, "names", list_names(audit->session->capture, thread.thread_id));
        json_object_set_new(object, "sources", sources);
        json_array_append_new(list, object);
    }
    return list;
}
