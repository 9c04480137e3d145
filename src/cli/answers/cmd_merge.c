/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "cli/answers/count.h"
#include "cli/answers/kept.h"
#include "cli/command.h"
#include "cli/screen/watch.h"

static bool say(const char *text)
{
    fprintf(stderr, "cairn merge: %s\n", text);
    return false;
}

static bool merge_file(struct cairn_counts *counts, const char *path)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_counts one = {0};
    cairn_status status = cli_kept_read(&one, path, &error);

    if (!status)
        status = cairn_counts_merge(counts, &one);
    cairn_counts_clear(&one);
    if (status)
        say(error.status ? error.text : cairn_status_text(status));
    return !status;
}

static enum cli_exit run(const struct cli_options *options)
{
    const struct cli_list *const files = &options->programming.words;
    struct cairn_counts counts = {0};
    struct cli_progress progress;
    enum cli_exit result = CLI_CLEAN;

    if (!files->count) {
        say("which counts? Usage: cairn merge FILE... -o FILE");
        return CLI_UNUSABLE;
    }
    if (!cli_count_can_write(&cli_command_merge, options))
        return CLI_UNUSABLE;
    cli_progress_start(&progress, "files", files->count);
    for (size_t i = 0; i < files->count && !result && !cli_interrupted(); i++) {
        if (!merge_file(&counts, files->items[i]))
            result = CLI_UNUSABLE;
        cli_progress_update(&progress, i + 1);
    }
    cli_progress_end(&progress);
    if (cli_interrupted()) {
        result = CLI_INTERRUPTED; /* a part of the files would look like all of them */
    } else if (!result && cairn_counts_settle(&counts)) {
        say("out of memory");
        result = CLI_UNUSABLE;
    }
    if (!result && (!cli_kept_fits(&cli_command_merge, &counts) ||
                    !cli_count_write(&cli_command_merge, options, &counts)))
        result = CLI_UNUSABLE;
    if (!result) {
        if (cli_kept_say(&cli_command_merge, cli_count_output_name(options), &counts))
            result = CLI_GAPS;
    }
    cairn_counts_clear(&counts);
    return result;
}

const struct cli_command cli_command_merge = {
    .name = "merge",
    .summary = "add up files of counts",
    .arguments = "FILE... -o FILE",
    .description =
        "Adds up files that `cairn count` wrote: of runs, processes, machines, or of shards of one\n"
        "capture. In which order, and in how many steps, makes no difference to a byte. What the files\n"
        "executed is told apart by build-id, or by the bytes of a file that has none, not by its path.",
    .output = "Nothing; the file has all, and docs/fleet.md describes it.",
    .exit_status =
        "0   merged\n"
        "1   merged, and some capture is there in part, or more than once\n"
        "2   a file cannot be read, or counts do not fit together, or the command line is\n"
        "    wrong; nothing was written\n"
        "130 stopped by Ctrl-C; nothing was written",
    .examples = "cairn merge monday.counts tuesday.counts -o week.counts\n"
                "cairn merge host*/run.counts -o fleet.counts && cairn coverage fleet.counts",
    .options = CLI_TAKES_OUTPUT | CLI_TAKES_WORDS,
    .run = run,
};
