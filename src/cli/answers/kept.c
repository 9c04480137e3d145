/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/audit/audit.h"
#include "cli/session/spool.h"

uint64_t cli_kept_lost(const struct cairn_counts *counts)
{
    struct cairn_ledger ledger;
    uint64_t lost = 0;

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_SOURCES].count; i++) {
        cairn_counts_ledger(counts, i, &ledger);
        lost += cli_audit_gap_bytes(&ledger);
    }
    return lost;
}

const char *cli_kept_name(const struct cairn_counts *counts, const char *name)
{
    const size_t count = counts->tables[CAIRN_COUNTS_SOURCES].count;
    uint64_t capture = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t one =
            cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, i)[CAIRN_COUNTS_SOURCE_CAPTURE];

        if (i && one != capture)
            return name;
        capture = one;
    }
    return count ? counts->texts[capture].bytes : name;
}

/* Sources of which some bytes were not counted, or were counted more often than others. */
static size_t say_sources(const struct cli_command *command, const char *name,
                          const struct cairn_counts *counts)
{
    size_t missing = 0, twice = 0, odd = 0;
    const uint64_t *first = NULL;

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_SOURCES].count; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, i);
        const uint64_t size = row[CAIRN_COUNTS_SOURCE_SIZE], bytes = row[CAIRN_COUNTS_SOURCE_BYTES];

        const bool is_odd = !cairn_counts_is_whole(counts, i);

        /* as many bytes as there are, and not each of them once: some are missing, and others there twice */
        missing += is_odd && bytes <= size;
        twice += is_odd && bytes >= size;
        odd += is_odd;
        first = is_odd && !first ? row : first;
    }
    if (!first)
        return 0;
    const char *const source = counts->texts[first[CAIRN_COUNTS_SOURCE_NAME]].bytes;
    const char *const capture = counts->texts[first[CAIRN_COUNTS_SOURCE_CAPTURE]].bytes;
    fprintf(
        stderr,
        "cairn %s: %s: %zu source%s not whole (%zu counted in part, %zu counted more than once): the "
        "first is %s of %s, with %" PRIu64 " of %" PRIu64
        " bytes. Merge each shard of each capture once\n",
        command->name, name, odd, odd == 1 ? " is" : "s are", missing, twice, source, capture,
        first[CAIRN_COUNTS_SOURCE_BYTES], first[CAIRN_COUNTS_SOURCE_SIZE]);
    return odd;
}

/* Files of one path and several builds are kept apart, which is worth a word. */
static void say_builds(const struct cli_command *command, const struct cairn_counts *counts)
{
    const size_t count = counts->tables[CAIRN_COUNTS_OBJECTS].count;
    size_t *const seen = calloc(counts->text_count + 1, sizeof *seen); /* by path: object and 1 */
    const uint64_t *one = NULL, *other = NULL;
    size_t more = 0;

    for (size_t i = 0; i < count && seen; i++) {
        const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, i);
        size_t *const before = &seen[row[CAIRN_COUNTS_OBJECT_PATH]];

        if (*before && !one) {
            one = row;
            other = cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, *before - 1);
        } else if (*before) {
            more++;
        }
        *before = i + 1;
    }
    free(seen);
    if (!one)
        return;
    fprintf(stderr, "cairn %s: there are several builds of %s (%s and %s): they are kept apart",
            command->name, counts->texts[one[CAIRN_COUNTS_OBJECT_PATH]].bytes,
            counts->texts[other[CAIRN_COUNTS_OBJECT_ID]].bytes,
            counts->texts[one[CAIRN_COUNTS_OBJECT_ID]].bytes);
    if (more)
        fprintf(stderr, ", and so are %zu more", more);
    fprintf(stderr, "\n");
}

static bool cannot(const struct cli_command *command, const char *why)
{
    fprintf(stderr, "cairn %s: %s\n", command->name, why);
    return false;
}

/* What cannot be added up so that it means something. */
bool cli_kept_fits(const struct cli_command *command, const struct cairn_counts *counts)
{
    const struct cairn_counts_rows *const memory = &counts->tables[CAIRN_COUNTS_MEMORY];

    if (cairn_counts_flag(counts, CAIRN_COUNTS_NO_CALLS) &&
        cairn_counts_flag(counts, CAIRN_COUNTS_HAS_CALLS))
        return cannot(
            command,
            "some of these have chains of calls, and others were counted with --no-calls. Count "
            "all of them the same way");
    if (cairn_counts_flag(counts, CAIRN_COUNTS_WHOLE_RANGES) &&
        cairn_counts_flag(counts, CAIRN_COUNTS_SHORT_RANGES))
        return cannot(
            command,
            "some of these were counted with --whole-ranges, and others without. Count all of "
            "them the same way");
    for (size_t i = 1; i < memory->count; i++) {
        const uint64_t *const one = cairn_counts_row(counts, CAIRN_COUNTS_MEMORY, i - 1);
        const uint64_t *const other = cairn_counts_row(counts, CAIRN_COUNTS_MEMORY, i);

        if (one[CAIRN_COUNTS_MEMORY_OBJECT] != other[CAIRN_COUNTS_MEMORY_OBJECT] ||
            one[CAIRN_COUNTS_MEMORY_VERSION] != other[CAIRN_COUNTS_MEMORY_VERSION] ||
            one[CAIRN_COUNTS_MEMORY_ADDRESS] != other[CAIRN_COUNTS_MEMORY_ADDRESS])
            continue;
        fprintf(stderr,
                "cairn %s: the memory %s is not the same in all of these: at 0x%llx it has other "
                "bytes. Merge counts of one build\n",
                command->name,
                counts
                    ->texts[cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS,
                                             one[CAIRN_COUNTS_MEMORY_OBJECT] -
                                                 1)[CAIRN_COUNTS_OBJECT_PATH]]
                    .bytes,
                (unsigned long long)one[CAIRN_COUNTS_MEMORY_ADDRESS]);
        return false;
    }
    return true;
}

bool cli_kept_say(const struct cli_command *command, const char *name,
                  const struct cairn_counts *counts)
{
    bool odd = say_sources(command, name, counts) != 0;

    const uint64_t refused = cairn_counts_sum(counts, CAIRN_COUNTS_REFUSED);

    say_builds(command, counts);
    if (refused)
        fprintf(stderr,
                "cairn %s: %s: %" PRIu64 " source%s could not be decoded, and %s not in it\n",
                command->name, name, refused, refused == 1 ? "" : "s", refused == 1 ? "is" : "are");
    if (cairn_counts_flag(counts, CAIRN_COUNTS_PARTIAL)) {
        fprintf(stderr,
                "cairn %s: %s: counting was stopped by Ctrl-C: these are counts of a part\n",
                command->name, name);
        odd = true;
    }
    if (cairn_counts_flag(counts, CAIRN_COUNTS_SATURATED)) {
        fprintf(stderr, "cairn %s: %s: some counts are larger than fits, and are 2^64 - 1 in it\n",
                command->name, name);
        odd = true;
    }
    return odd;
}

void cli_kept_say_lost(const struct cli_command *command, const struct cairn_counts *counts)
{
    const uint64_t lost = cli_kept_lost(counts);
    uint64_t instructions = 0;

    for (size_t i = 0; i < counts->tables[CAIRN_COUNTS_SOURCES].count; i++)
        instructions |=
            cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, i)[CAIRN_COUNTS_SOURCE_INSTRUCTIONS];
    if (lost && !instructions)
        fprintf(stderr,
                "cairn %s: nothing was executed, as far as this trace could be followed: %" PRIu64
                " byte%s of it could not be. `cairn check` tells why\n",
                command->name, lost, cairn_plural(lost));
    else if (lost)
        fprintf(stderr,
                "cairn %s: %" PRIu64
                " byte%s of trace could not be followed, and what was executed "
                "there is not counted. `cairn check` tells why\n",
                command->name, lost, cairn_plural(lost));
}

/* What is about decoding says nothing of counts. */
static bool takes_options(struct cli_session *session)
{
    const struct cli_options *const options = session->options;
    const char *const given = options->sources.count                             ? "--source"
                              : options->reference                               ? "--reference"
                              : options->whose.processes.count                   ? "--pid"
                              : options->whose.threads.count                     ? "--tid"
                              : options->whose.names.count                       ? "--comm"
                              : options->whose.cpus.count                        ? "--cpu"
                              : options->open.time_from || options->open.time_to ? "--time"
                                                                                 : NULL;

    if (given)
        cli_session_say(session,
                        "%s: these are counts, and no trace: leave out %s, or count anew with it",
                        options->capture, given);
    return !given;
}

static void say_missing(struct cli_session *session, const struct cli_counts_file *kept)
{
    const struct cairn_counts *const counts = &kept->counts;
    const uint64_t *const row =
        cairn_counts_row(counts, CAIRN_COUNTS_OBJECTS, kept->given.first_missing);

    cli_session_say(
        session,
        "%zu file%s that %s executed %s not here: %s (%s)%s. What is of %s has no names. Tell where "
        "files are: --sysroot, --debug-dir, --image",
        kept->given.missing, kept->given.missing == 1 ? "" : "s",
        kept->given.missing == 1 ? "was" : "were", kept->given.missing == 1 ? "is" : "are",
        counts->texts[row[CAIRN_COUNTS_OBJECT_PATH]].bytes,
        counts->texts[row[CAIRN_COUNTS_OBJECT_ID]].bytes, kept->given.missing > 1 ? ", ..." : "",
        kept->given.missing == 1 ? "it" : "them");
}

enum cli_exit cli_kept_session(struct cli_session *session, const struct cli_command *command,
                               const struct cli_options *options)
{
    return cairn_counts_is_file(cli_spool_look(options->capture))
               ? cli_session_open_output(session, command, options)
               : cli_session_open(session, command, options, CLI_SURVEY_NEVER);
}

cairn_status cli_kept_read(struct cairn_counts *counts, const char *path, struct cairn_error *error)
{
    const char *opened;
    const cairn_status status = cli_spool_open(path, &opened, error);

    return status ? status
                  : cairn_counts_open(counts, opened, strcmp(path, "-") ? path : "standard input",
                                      error);
}

bool cli_kept_open(struct cli_session *session, struct cli_counts_file *kept, bool finds)
{
    const struct cli_options *const options = session->options;
    struct cairn_error error = {.status = CAIRN_OK};

    if (!takes_options(session))
        return false;
    cairn_status status = cli_kept_read(&kept->counts, options->capture, &error);
    kept->given.counts = &kept->counts;
    if (!status && finds)
        status = cairn_counts_find(&kept->given, &options->open, options->images.items,
                                   options->images.count, &error);
    if (status) {
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
        return false;
    }
    kept->is_odd = cli_kept_say(session->command, options->capture, &kept->counts);
    if (kept->given.missing)
        say_missing(session, kept);
    return true;
}

enum cli_exit cli_kept_result(const struct cli_counts_file *kept)
{
    return kept->is_odd || cli_kept_lost(&kept->counts) ||
                   cairn_counts_sum(&kept->counts, CAIRN_COUNTS_REFUSED)
               ? CLI_GAPS
               : CLI_CLEAN;
}

void cli_kept_close(struct cli_counts_file *kept)
{
    cairn_counts_given_free(&kept->given);
    cairn_counts_clear(&kept->counts);
}
