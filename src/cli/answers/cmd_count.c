/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answers/count.h"
#include "cli/answers/kept.h"
#include "cli/command.h"
#include "cli/screen/watch.h"

enum {
    KEY_SHARD = CLI_OWN_KEY,
    KEY_NO_CALLS,
    KEY_ROWS,
};

static const struct cli_option own_options[] = {
    {"shard", KEY_SHARD | CLI_FIRST, "I/N",
     "Only shard I of N, from 1 on: `cairn merge` of all N gives what is written without this\n"
     "option. Each shard has whole sources; with --no-calls it has a part of each source."},
    {"no-calls", KEY_NO_CALLS | CLI_FIRST, NULL,
     "Keep no chains of calls: `cairn profile` then has no totals, and one large source can be\n"
     "counted by several machines."},
    {"whole-ranges", KEY_ROWS, NULL,
     "For `cairn pgo`: ranges go on over branches that are not taken, as with its option."},
    {0},
};

#define SHARDS_MOST 65536u

static bool take_shard(struct cli_options *options, const char *argument)
{
    const char *const slash = strchr(argument, '/');
    char number[24] = {0};

    if (slash && (size_t)(slash - argument) < sizeof number) {
        memcpy(number, argument, (size_t)(slash - argument));
        if (cli_number(number, &options->count.shard) &&
            cli_number(slash + 1, &options->count.shards) && options->count.shard &&
            options->count.shard <= options->count.shards && options->count.shards <= SHARDS_MOST)
            return true;
    }
    fprintf(stderr,
            "cairn count: --shard %s: expected which one of how many, such as 1/4 (at most %u).\n",
            argument, SHARDS_MOST);
    return false;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_SHARD: return take_shard(options, argument);
    case KEY_NO_CALLS: options->count.no_calls = true; break;
    case KEY_ROWS: options->count.rows = true; break;
    }
    return true;
}

static enum cli_exit run(const struct cli_options *options)
{
    const struct cli_list *const captures = &options->programming.words;
    struct cairn_counts counts = {0};
    enum cli_exit result = CLI_CLEAN;

    if (!captures->count) {
        fprintf(stderr, "cairn count: which capture? Usage: cairn count [OPTION]... -o FILE "
                        "CAPTURE...\n");
        return CLI_UNUSABLE;
    }
    if (!cli_count_can_write(&cli_command_count, options))
        return CLI_UNUSABLE;
    for (size_t i = 0; i < captures->count && !cli_interrupted(); i++) {
        const enum cli_exit one =
            cli_count_capture(&cli_command_count, options, captures->items[i], &counts);

        if (one == CLI_UNUSABLE) {
            cairn_counts_clear(&counts);
            return one;
        }
        result = one ? one : result;
    }
    /* perhaps before a capture of which nothing says so */
    if ((cli_interrupted() && cairn_counts_set(&counts, CAIRN_COUNTS_PARTIAL)) ||
        cairn_counts_settle(&counts)) {
        fprintf(stderr, "cairn count: out of memory\n");
        result = CLI_UNUSABLE;
    } else if (!cli_kept_fits(&cli_command_count, &counts) ||
               !cli_count_write(&cli_command_count, options, &counts)) {
        result = CLI_UNUSABLE;
    }
    if (result == CLI_CLEAN && cli_kept_lost(&counts))
        result = CLI_GAPS;
    if (result != CLI_UNUSABLE && !cli_interrupted())
        cli_kept_say_lost(&cli_command_count, &counts);
    if (result != CLI_UNUSABLE && cli_interrupted()) {
        fprintf(stderr, "cairn count: stopped: %s has what was counted until then\n",
                cli_count_output_name(options));
        result = CLI_INTERRUPTED;
    }
    cairn_counts_clear(&counts);
    return result;
}

const struct cli_command cli_command_count = {
    .name = "count",
    .summary = "keep what was executed as a file of counts, to merge and to look at later",
    .arguments = "-o FILE CAPTURE...",
    .description =
        "Counts what captures executed, and writes it to a file that `cairn profile`, `coverage` and\n"
        "`pgo` read in place of a capture, with the same output. Counts are by files (their build-ids)\n"
        "and addresses in them, so that those of other runs, processes and machines fit together:\n"
        "`cairn merge` adds them up. The file is small, and needs no trace any more; for names and\n"
        "source lines the files that were executed must be found.",
    .output = "Nothing; the file has all, and docs/fleet.md describes it.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   counted with gaps, or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C; what was counted until then is in the file",
    .examples = "cairn count -o run.counts snapshot/\n"
                "cairn profile run.counts\n"
                "cairn count --no-calls --shard 1/4 -o 1.counts perf.data\n"
                "cairn merge 1.counts 2.counts 3.counts 4.counts -o all.counts",
    .options = CLI_ANSWERS | CLI_TAKES_WORDS,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
