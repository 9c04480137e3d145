/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "cli/index.h"
#include "cli/record.h"

void cli_record_index(const char *folder, uint32_t jobs)
{
    const struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_capture *capture;
    struct cairn_error error = {.status = CAIRN_OK};

    cli_watch_start(); /* Ctrl-C ends this, and no longer the program */
    if (cairn_capture_open(folder, &options, &capture, &error))
        return; /* whoever reads it is told why */
    for (size_t i = 0; !cairn_capture_source(capture, i, &info); i++) {
        struct cli_progress progress;

        if (!cairn_protocol_decodes(info.protocol) ||
            cairn_capture_buffer(capture, info.buffer, &buffer) || buffer.bytes < CLI_INDEX_LEAST)
            continue;
        cli_progress_start(&progress, "index", buffer.bytes);
        const cairn_status status =
            cli_index_write(capture, i, jobs, cli_progress_watch, &progress);
        cli_progress_end(&progress);
        if (status)
            fprintf(
                stderr,
                "cairn record: %s: no index was written (%s): functions are found as before, but "
                "not at once\n",
                info.name, cairn_status_text(status));
    }
    cairn_capture_free(capture);
}
