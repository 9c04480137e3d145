/* SPDX-License-Identifier: BSD-2-Clause */
/* A TARMAC log as what a Branch Record Buffer sees: read once for who its processors are, and once more for each. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/files.h"
#include "cli/branches/branch_flows.h"
#include "cli/screen/watch.h"
#include "machine/tarmac/tarmac.h"

#define HEAD_MOST (64u << 10) /* what is looked at to tell whether it is a log */

struct branch_log {
    int fd;
    uint64_t at, end; /* of the file */
    struct cli_progress *progress;
};

static long read_log(void *context, char *bytes, size_t size)
{
    struct branch_log *log = context;
    const uint64_t left = log->end - log->at;
    const int64_t got =
        cli_interrupted()
            ? 0
            : cairn_input_read(log->fd, bytes, left < size ? (size_t)left : size, log->at);

    if (got < 0)
        return -EIO;
    log->at += (uint64_t)got;
    if (log->progress)
        cli_progress_update(log->progress, log->at);
    return (long)got;
}

bool cli_branch_is_log(const char *path)
{
    struct branch_log log = {.fd = -1};
    struct cairn_tarmac_reader *reader = NULL;
    struct cairn_tarmac_record record = {.kind = CAIRN_TARMAC_END};
    char head[1024];
    const size_t size = cairn_input_head(path, head, sizeof head);

    if (!size || memchr(head, 0, size) ||
        cairn_input_open(path, &log.fd, &log.end, NULL) != CAIRN_OK)
        return false;
    if (log.end > HEAD_MOST)
        log.end = HEAD_MOST;
    if (cairn_tarmac_reader_new(read_log, &log, &reader) == CAIRN_OK)
        while (cairn_tarmac_next(reader, &record, NULL) == CAIRN_OK &&
               record.kind != CAIRN_TARMAC_END && record.kind != CAIRN_TARMAC_INSTRUCTION)
            ;
    cairn_tarmac_reader_free(reader);
    cairn_input_close(log.fd);
    return record.kind == CAIRN_TARMAC_INSTRUCTION;
}

static cairn_status open_log(const char *path, struct branch_log *log,
                             struct cairn_tarmac_reader **reader, struct cairn_error *error)
{
    const cairn_status status = cairn_input_open(path, &log->fd, &log->end, error);

    return status == CAIRN_OK ? cairn_tarmac_reader_new(read_log, log, reader) : status;
}

/* --- who its processors are --- */

static bool is_chosen(const struct cli_list *wanted, const char *name)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (!strcmp(wanted->items[i], name))
            return true;
    return !wanted->count;
}

/* False: there is no memory. */
static bool take_names(struct cli_branch_flows *flows, const struct cairn_tarmac_reader *reader,
                       const bool executes[CAIRN_TARMAC_CPUS])
{
    for (uint32_t cpu = 0; cpu < CAIRN_TARMAC_CPUS; cpu++) {
        const char *name = executes[cpu] ? cairn_tarmac_reader_cpu(reader, cpu) : NULL;

        if (!name || !is_chosen(&flows->session->options->sources, name))
            continue;
        flows->names[flows->count] = strdup(name);
        if (!flows->names[flows->count++])
            return false;
    }
    return true;
}

static void say_counts(struct cli_branch_flows *flows, const struct cairn_tarmac_counts *counts)
{
    flows->unread = counts->unparsable;
    for (size_t i = 0; i < counts->note_count; i++)
        cli_session_say(flows->session, "%s:%" PRIu64 ": not understood: %s", flows->log,
                        counts->notes[i].line, counts->notes[i].text);
    if (counts->unparsable > counts->note_count)
        cli_session_say(flows->session, "%s: %" PRIu64 " lines in all were not understood",
                        flows->log, counts->unparsable);
}

static bool has_name(const struct cli_branch_flows *flows, const char *name)
{
    for (size_t i = 0; i < flows->count; i++)
        if (!strcmp(flows->names[i], name))
            return true;
    return false;
}

/* False after a message. */
static bool has_all(const struct cli_branch_flows *flows, const char *first)
{
    const struct cli_list *wanted = &flows->session->options->sources;

    for (size_t i = 0; i < wanted->count; i++)
        if (!has_name(flows, wanted->items[i])) {
            cli_session_say(
                flows->session,
                "%s: no processor %s executes an instruction in the log; its first one is %s",
                flows->log, wanted->items[i], first);
            return false;
        }
    return true;
}

bool cli_branch_log_names(struct cli_branch_flows *flows)
{
    struct cli_session *session = flows->session;
    struct branch_log log = {.fd = -1};
    struct cairn_tarmac_reader *reader = NULL;
    struct cairn_tarmac_record record = {.kind = CAIRN_TARMAC_INSTRUCTION};
    struct cairn_error error = {.status = CAIRN_OK};
    bool executes[CAIRN_TARMAC_CPUS] = {false}, done;
    cairn_status status = open_log(flows->log, &log, &reader, &error);

    flows->names = calloc(CAIRN_TARMAC_CPUS, sizeof *flows->names);
    if (!flows->names)
        status = CAIRN_E_MEMORY;
    while (status == CAIRN_OK && record.kind != CAIRN_TARMAC_END) {
        status = cairn_tarmac_next(reader, &record, &error);
        if (status == CAIRN_OK && record.kind == CAIRN_TARMAC_INSTRUCTION)
            executes[record.cpu] = true;
    }
    if (status == CAIRN_OK && !take_names(flows, reader, executes))
        status = CAIRN_E_MEMORY;
    done = status == CAIRN_OK && has_all(flows, cairn_tarmac_reader_cpu(reader, 0));
    if (status == CAIRN_OK)
        say_counts(flows, cairn_tarmac_reader_counts(reader));
    else
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
    cairn_tarmac_reader_free(reader);
    cairn_input_close(log.fd);
    return done && cli_session_goes_on(session);
}

/* --- what one of them does --- */

cairn_status cli_branch_log_run(const struct cli_branch_flows *flows, size_t flow,
                                const struct cli_branch_log_pe *pe, struct cairn_error *error)
{
    struct cli_progress progress;
    struct branch_log log = {.fd = -1, .progress = &progress};
    struct cairn_tarmac_reader *reader = NULL;
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options options = CAIRN_TARMAC_OPTIONS_INIT;
    struct cairn_tarmac_result result;
    const char *core = flows->session->options->open.core;
    cairn_status status = open_log(flows->log, &log, &reader, error);

    unit.arch = cairn_arch_any_a();
    if (core)
        (void)cairn_arch_from_name(core, &unit.arch);
    options.unit = &unit;
    options.choices = CAIRN_TARMAC_NO_HALTS;
    options.cpu = flows->names[flow];
    options.pe = pe->make;
    options.pe_context = pe->context;
    cli_progress_start(&progress, "branches", log.end);
    if (status == CAIRN_OK)
        status = cairn_tarmac_feed(reader, &options, &result, error);
    cli_progress_end(&progress);
    cairn_tarmac_reader_free(reader);
    cairn_input_close(log.fd);
    return status;
}
