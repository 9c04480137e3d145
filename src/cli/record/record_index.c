/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/index/index.h"
#include "cli/record/record.h"

/* What came of it, in a line. */
static void tell(const struct cairn_source_info *source, uint64_t bytes, cairn_status status,
                 const char *path)
{
    struct stat info;

    if (status)
        fprintf(stderr, "cairn record: %s: no index was written: %s\n", source->name,
                cairn_status_text(status));
    else if (bytes < CLI_INDEX_LEAST)
        fprintf(stderr,
                "cairn record: %s: no index is needed: of %" PRIu64
                " bytes of trace everything is found at once\n",
                source->name, bytes);
    else if (path && !stat(path, &info))
        fprintf(stderr, "cairn record: %s: an index of %lld bytes\n", source->name,
                (long long)info.st_size);
    else
        fprintf(stderr, "cairn record: %s: no index was written: %s\n", source->name,
                cli_interrupted() ? "it was stopped" : "it would be too large to be of use");
}

/* False: it should have one, and has none. */
static bool write_one(struct cairn_capture *capture, size_t source,
                      const struct cli_options *options)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cli_progress progress;
    char *path;

    if (cairn_capture_source(capture, source, &info) || !cairn_protocol_decodes(info.protocol) ||
        cairn_capture_buffer(capture, info.buffer, &buffer) ||
        (!options->record->index && buffer.bytes < CLI_INDEX_UNASKED))
        return true;
    cli_progress_start(&progress, "index", buffer.bytes);
    const cairn_status status =
        cli_index_write(capture, source, options->jobs, cli_progress_watch, &progress);
    cli_progress_end(&progress);
    path = cli_index_path(capture, source);
    if (status || !options->record->quiet)
        tell(&info, buffer.bytes, status, path);
    free(path);
    return status == CAIRN_OK || (status == CAIRN_E_LIMIT && !cli_interrupted());
}

/* Nothing is ever written beside what somebody else has made. */
static bool is_recording(struct cairn_capture *capture)
{
    static const char own[] = "cairn ";
    struct cairn_program_info program = {.size = sizeof program};

    return !cairn_capture_program(capture, &program) && program.recorder &&
           !strncmp(program.recorder, own, sizeof own - 1);
}

bool cli_record_index(const struct cli_options *options)
{
    const struct cairn_capture_options open = CAIRN_CAPTURE_OPTIONS_INIT;
    const char *folder = options->record->folder;
    struct cairn_capture *capture;
    struct cairn_error error = {.status = CAIRN_OK};

    cli_watch_start(); /* Ctrl-C ends this, and no longer a program */
    if (cairn_capture_open(folder, &open, &capture, &error)) {
        fprintf(stderr, "cairn record: %s\n", error.text);
        return false;
    }
    const bool own = is_recording(capture);
    if (!own)
        fprintf(stderr,
                "cairn record: %s is no recording of `cairn record`: an index is written of those "
                "alone\n",
                folder);
    bool done = own;
    for (size_t i = 0; own && i < cairn_capture_source_count(capture) && !cli_interrupted(); i++)
        done = write_one(capture, i, options) && done;
    cairn_capture_free(capture);
    return done && !cli_interrupted();
}
