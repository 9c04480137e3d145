/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shell.h"
#include "capture/model.h"
#include "cli/options/options.h"
#include "cli/screen/watch.h"
#include "cli/session/images.h"
#include "cli/session/spool.h"
#include "cli/session/units.h"
#include "cli/session/whose.h"
#include "report/counts.h"

void cli_session_say(struct cli_session *session, const char *format, ...)
{
    va_list arguments;

    if (session->output)
        cairn_output_flush(session->output);
    fprintf(stderr, "cairn %s: ", session->command->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

bool cli_session_goes_on(const struct cli_session *session)
{
    return cairn_output_wanted(session->output) && !cli_interrupted();
}

static bool same_file(const char *path, const char *other)
{
    struct stat a, b;

    return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Replacing a file that is being read would pull the ground away from under the decoder. */
const char *cli_session_file(const struct cli_session *session, const char *path)
{
    return session->is_spooled ? NULL : path;
}

bool cli_session_reads(const struct cli_session *session, const char *path)
{
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_layer_info layer = {.size = sizeof layer};

    for (size_t i = 0; i < session->options->programming.words.count; i++)
        if (same_file(path, session->options->programming.words.items[i]))
            return true;
    if (session->options->capture && same_file(path, session->options->capture))
        return true;
    if (!session->capture)
        return false;
    struct cairn_image *image = cairn_capture_image(session->capture);
    for (size_t i = 0; i < cairn_capture_buffer_count(session->capture); i++)
        if (!cairn_capture_buffer(session->capture, i, &buffer) && buffer.path &&
            same_file(path, buffer.path))
            return true;
    for (size_t i = 0; i < cairn_image_layer_count(image); i++)
        if (!cairn_image_layer(image, i, &layer) && layer.name && same_file(path, layer.name))
            return true;
    return false;
}

enum cli_exit cli_session_open_file(struct cli_session *session, const char *path,
                                    struct cairn_output *output)
{
    if (cli_session_reads(session, path)) {
        cli_session_say(session, "--output %s is one of the files that are read; choose another",
                        path);
        return CLI_UNUSABLE;
    }
    const int mode = session->options->force ? O_TRUNC : O_EXCL;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666);
    if (fd < 0 && errno == EEXIST) {
        cli_session_say(session, "%s exists; give --force to replace it", path);
        return CLI_UNUSABLE;
    }
    if (fd < 0) {
        cli_session_say(session, "cannot write %s: %s", path, strerror(errno));
        return CLI_UNUSABLE;
    }
    cairn_output_init(output, fd);
    return CLI_CLEAN;
}

static enum cli_exit open_output(struct cli_session *session)
{
    const char *path = session->options->output;

    session->output = malloc(sizeof *session->output);
    if (!session->output) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    cairn_output_init(session->output, STDOUT_FILENO);
    if (!path || !strcmp(path, "-"))
        return CLI_CLEAN;
    const bool existed = access(path, F_OK) == 0;
    const enum cli_exit result = cli_session_open_file(session, path, session->output);
    session->made_output = !result && !existed;
    return result;
}

/* So that the corrected command need not replace it. */
static void remove_empty(const struct cli_session *session, int fd)
{
    const char *const path = session->options->output;
    struct stat mine, there;

    if (session->made_output && path && !fstat(fd, &mine) && S_ISREG(mine.st_mode) &&
        !mine.st_size && !lstat(path, &there) && mine.st_dev == there.st_dev &&
        mine.st_ino == there.st_ino)
        unlink(path);
}

void cli_session_discard(struct cli_session *session)
{
    if (!session->made_output)
        return;
    cairn_output_flush(session->output);
    if (ftruncate(session->output->fd, 0))
        cli_session_say(session, "cannot empty %s: %s", session->options->output, strerror(errno));
}

/* Numbers do not show that a recording lacks something, or that nobody knows whose its trace is. */
static void tell_doubts(struct cli_session *session)
{
    struct cairn_remark remark;

    if (!(session->command->options & CLI_TELLS_THREADS))
        return;
    for (size_t i = 0; !cairn_capture_remark(session->capture, i, &remark); i++)
        if (session->capture->is_perf ? remark.severity >= CAIRN_WARNING
                                      : session->capture->remarks[i].is_doubt)
            cli_session_say(session, "%s", remark.text);
}

/* True when `wanted`, as the user wrote it, names the source. */
static bool source_matches(const char *wanted, size_t index, const struct cairn_source_info *info)
{
    uint64_t number;
    bool hex = wanted[0] == '0' && (wanted[1] == 'x' || wanted[1] == 'X');

    if (!strcmp(wanted, info->name))
        return true;
    if (!cli_number(wanted, &number))
        return false;
    return hex ? info->trace_id >= 0 && number == (uint64_t)info->trace_id : number == index;
}

static bool any_source_matches(const struct cli_session *session, const char *wanted)
{
    struct cairn_source_info info = {.size = sizeof info};

    for (size_t i = 0; i < cairn_capture_source_count(session->capture); i++)
        if (!cairn_capture_source(session->capture, i, &info) && source_matches(wanted, i, &info))
            return true;
    return false;
}

static bool source_chosen(const struct cli_session *session, size_t index,
                          const struct cairn_source_info *info)
{
    const struct cli_list *wanted = &session->options->sources;

    for (size_t i = 0; i < wanted->count; i++)
        if (source_matches(wanted->items[i], index, info))
            return true;
    return !wanted->count;
}

static int survey_progress(void *context, uint64_t done, uint64_t total)
{
    struct cli_progress *progress = context;

    progress->total = total;
    cli_progress_update(progress, done);
    return cli_interrupted();
}

static enum cli_exit survey(struct cli_session *session)
{
    for (size_t i = 0; i < cairn_capture_buffer_count(session->capture); i++) {
        struct cairn_buffer_account account = {.size = sizeof account};
        struct cairn_error error = {.status = CAIRN_OK};
        struct cli_progress progress;
        cli_progress_start(&progress, "survey", 0);
        cairn_status status =
            cairn_capture_survey(session->capture, i, &account, survey_progress, &progress, &error);
        cli_progress_end(&progress);
        if (status && !cli_interrupted()) {
            cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
            return CLI_UNUSABLE;
        }
    }
    return CLI_CLEAN;
}

static bool survey_needed(const struct cli_session *session, enum cli_survey when)
{
    const struct cli_list *wanted = &session->options->sources;

    if (when == CLI_SURVEY_ALWAYS || !cairn_capture_source_count(session->capture))
        return true;
    for (size_t i = 0; i < wanted->count; i++)
        if (!any_source_matches(session, wanted->items[i]))
            return true;
    return false;
}

static enum cli_exit choose_sources(struct cli_session *session)
{
    const struct cli_list *wanted = &session->options->sources;
    size_t count = cairn_capture_source_count(session->capture);
    struct cairn_source_info info = {.size = sizeof info};
    char word[CAIRN_SHELL_ROOM];

    for (size_t i = 0; i < wanted->count; i++) {
        if (any_source_matches(session, wanted->items[i]))
            continue;
        cli_session_say(session, "no source is called %s; `cairn info %s` lists them",
                        wanted->items[i], cairn_shell_file(session->options->capture, word));
        return CLI_UNUSABLE;
    }
    session->sources = calloc(count ? count : 1, sizeof *session->sources);
    if (!session->sources) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    for (size_t i = 0; i < count; i++)
        if (!cairn_capture_source(session->capture, i, &info) && source_chosen(session, i, &info))
            session->sources[session->source_count++] = i;
    return CLI_CLEAN;
}

static cairn_status open_capture(struct cli_session *session, struct cairn_error *error)
{
    struct cairn_capture_options open = session->options->open;
    const char *path = session->options->capture;
    const char *opened;
    const cairn_status status = cli_spool_open(path, &opened, error);

    if (status)
        return status;
    if (cairn_counts_is_file(opened))
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "%s: these are counts, and no trace: `cairn profile`, `coverage`, `pgo` and `export` "
            "read them, `merge` adds them up. This command needs the capture",
            path);
    session->is_spooled = opened != path;
    if (session->is_spooled)
        open.name = CLI_SPOOL_NAME;
    return cairn_capture_open(opened, &open, &session->capture, error);
}

enum cli_exit cli_session_open(struct cli_session *session, const struct cli_command *command,
                               const struct cli_options *options, enum cli_survey when)
{
    struct cairn_error error = {.status = CAIRN_OK};

    *session = (struct cli_session){.command = command, .options = options};
    cairn_status status = open_capture(session, &error);
    if (status) {
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    if (cli_images_add(session) || open_output(session))
        return CLI_UNUSABLE;
    if (survey_needed(session, when) && survey(session))
        return CLI_UNUSABLE;
    if (choose_sources(session) || cli_whose_choose(session))
        return CLI_UNUSABLE;
    tell_doubts(session);
    return cli_images_find(session);
}

enum cli_exit cli_session_open_output(struct cli_session *session,
                                      const struct cli_command *command,
                                      const struct cli_options *options)
{
    *session = (struct cli_session){.command = command, .options = options};
    return open_output(session);
}

enum cli_exit cli_session_close(struct cli_session *session, enum cli_exit result)
{
    struct cairn_output *output = session->output;

    if (output) {
        cairn_output_flush(output);
        if (output->state == CAIRN_OUTPUT_CLOSED)
            result = CLI_CLEAN;
        if (output->fd != STDOUT_FILENO && (result == CLI_UNUSABLE || cli_interrupted()))
            remove_empty(session, output->fd);
        if (output->fd != STDOUT_FILENO && close(output->fd) && !output->error) {
            output->state = CAIRN_OUTPUT_FAILED;
            output->error = errno;
        }
        if (output->state == CAIRN_OUTPUT_FAILED) {
            cli_session_say(session, "cannot write the listing: %s", strerror(output->error));
            result = CLI_UNUSABLE;
        }
    }
    if (session->capture)
        cli_units_tell(session, cairn_capture_image(session->capture));
    cli_whose_end(session);
    free(output);
    free(session->sources);
    free(session->threads.list);
    cli_images_free(session);
    cairn_capture_free(session->capture);
    return cli_interrupted() ? CLI_INTERRUPTED : result;
}

struct cairn_config *cli_session_config(struct cli_session *session, size_t source,
                                        struct cairn_error *error)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_config *config = NULL;

    cairn_status status = cairn_capture_source(session->capture, source, &info);
    if (status) {
        error->status = status;
        return NULL;
    }
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    wanted.protocol = info.protocol;
    wanted.arch = info.arch;
    wanted.source = (uint32_t)source;
    wanted.registers = info.registers;
    wanted.register_count = info.register_count;
    status = cairn_config_new(&wanted, &config, error);
    if (!status)
        return config;
    if (!error->status) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "%s", cairn_status_text(status));
    }
    return NULL;
}

void cli_session_say_refused(struct cli_session *session, const char *source,
                             const struct cairn_error *why)
{
    cli_session_say(session, "%s: left out: %s", source ? source : "a source",
                    why->text[0] ? why->text : cairn_status_text(why->status));
}
