/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/pgo_lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/arena.h"
#include "capture/files.h"
#include "cli/screen/watch.h"

/* --- which files --- */

/* Names of files: as given, and the lines of texts that are named by @FILE. */
struct names {
    struct cli_list list;
    char **texts; /* that names point into, owned */
    size_t text_count, text_room;
};

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->text_count; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->list.items);
}

static bool is_text(const char *word)
{
    return word && word[0] == '@' && word[1];
}

static cairn_status add_lines(struct names *names, const char *path, struct cairn_error *error)
{
    const struct cairn_files files = cairn_files_of_system();
    char *text, *rest = NULL;
    size_t size;
    cairn_status status = files.read_text(files.context, path, &text, &size, error);

    if (status)
        return status;
    if (cairn_grow((void **)&names->texts, names->text_count, &names->text_room,
                   sizeof *names->texts)) {
        free(text);
        return CAIRN_E_MEMORY;
    }
    names->texts[names->text_count++] = text;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (!cli_list_add(&names->list, line))
            return CAIRN_E_MEMORY;
    return CAIRN_OK;
}

static cairn_status add_word(struct names *names, const char *word, struct cairn_error *error)
{
    if (is_text(word))
        return add_lines(names, word + 1, error);
    return cli_list_add(&names->list, word) ? CAIRN_OK : CAIRN_E_MEMORY;
}

static bool gather(struct pgo_run *run, struct names *names)
{
    const struct cli_options *const options = run->session->options;
    struct cairn_error error = {.status = CAIRN_OK};
    const char *word = options->capture;
    cairn_status status = add_word(names, word, &error);

    for (size_t i = 0; i < options->further.count && !status; i++) {
        word = options->further.items[i];
        status = add_word(names, word, &error);
    }
    if (status)
        cli_session_say(run->session, "%s: %s", word,
                        error.status                  ? error.text
                        : status == CAIRN_E_NOT_FOUND ? "there is no such file"
                                                      : cairn_status_text(status));
    return !status;
}

bool cli_pgo_are_lists(const struct cli_options *options)
{
    return is_text(options->capture) || cairn_branch_lists_is_file(options->capture);
}

/* --- read --- */

static bool takes_options(struct cli_session *session)
{
    const struct cli_options *const options = session->options;
    const struct cli_whose *const whose = &options->whose;
    const char *const given = options->sources.count                             ? "--source"
                              : options->images.count                            ? "--image"
                              : options->reference                               ? "--reference"
                              : options->open.time_from || options->open.time_to ? "--time"
                              : whose->processes.count                           ? "--pid"
                              : whose->threads.count                             ? "--tid"
                              : whose->names.count                               ? "--comm"
                              : whose->cpus.count                                ? "--cpu"
                              : options->open.kcore                              ? "--kcore"
                                                                                 : NULL;

    if (given)
        cli_session_say(
            session,
            "%s: these are branch lists, which do not say who executed what, or when: leave "
            "out %s. Files are looked for where they were, and by --sysroot, --debug-dir "
            "and --vmlinux",
            options->capture, given);
    return !given;
}

/* What is damaged is left out: of thousands that phones send some are. */
static enum cli_exit read_list(struct pgo_run *run, const char *path)
{
    struct cairn_error error = {.status = CAIRN_OK};
    const cairn_status status = cairn_branch_lists_open(run->lists, path, &error);

    if (!status) {
        run->decoded++;
        return CLI_CLEAN;
    }
    cli_session_say(run->session, "%s", error.status ? error.text : cairn_status_text(status));
    if (status != CAIRN_E_MEMORY && status != CAIRN_E_LIMIT && cairn_branch_lists_is_file(path))
        return CLI_GAPS;
    if (status == CAIRN_E_FORMAT)
        cli_session_say(run->session,
                        "%s: this is no branch list, and several captures are taken of those alone",
                        path);
    return CLI_UNUSABLE;
}

static enum cli_exit read_all(struct pgo_run *run, const struct cli_list *names)
{
    enum cli_exit result = CLI_CLEAN, one = CLI_CLEAN;
    struct cli_progress progress;

    cli_progress_start(&progress, "files", names->count);
    for (size_t i = 0; i < names->count && one != CLI_UNUSABLE && !cli_interrupted(); i++) {
        one = read_list(run, names->items[i]);
        result = one > result ? one : result;
        cli_progress_update(&progress, i + 1);
    }
    cli_progress_end(&progress);
    if (cli_interrupted())
        return CLI_UNUSABLE; /* a part of the files would look like all of them */
    if (one != CLI_UNUSABLE && !run->decoded) {
        if (!names->count)
            cli_session_say(run->session, "%s: it names no file", run->session->options->capture);
        return CLI_UNUSABLE;
    }
    return result;
}

static void say_limits(struct pgo_run *run)
{
    if (run->lists->left_out)
        cli_session_say(run->session,
                        "%" PRIu64
                        " branch lists and samples are left out: there are more than there is room "
                        "for. Merge fewer files at a time",
                        run->lists->left_out);
    if (run->lists->is_saturated)
        cli_session_say(run->session,
                        "some counts are more than 64 bits have, and are the most that these have");
    run->gaps |= run->lists->left_out || run->lists->is_saturated;
}

enum cli_exit cli_pgo_read_lists(struct pgo_run *run)
{
    struct names names = {.texts = NULL};
    enum cli_exit result = CLI_UNUSABLE;

    if (takes_options(run->session) && gather(run, &names))
        result = read_all(run, &names.list);
    free_names(&names);
    run->gaps |= result == CLI_GAPS;
    return result;
}

/* --- followed --- */

static bool goes_on(void *context)
{
    return cli_session_goes_on(context);
}

static void say_unfollowed(struct pgo_run *run, const struct cairn_listed_profile *told)
{
    if (told->missing)
        cli_session_say(run->session,
                        "%" PRIu64
                        " %s not in the profile, since %s code is not here: %s%s. Tell where "
                        "the files are that were executed (--sysroot, --debug-dir, --vmlinux)",
                        told->missing, told->missing == 1 ? "binary is" : "binaries are",
                        told->missing == 1 ? "its" : "their", told->first_missing,
                        told->missing > 1 ? ", ..." : "");
    if (told->modules)
        cli_session_say(run->session,
                        "%" PRIu64
                        " %s of a kernel %s not in the profile: files of modules are not "
                        "linked, and their lists are not followed",
                        told->modules, told->modules == 1 ? "module" : "modules",
                        told->modules == 1 ? "is" : "are");
    if (told->unfollowed)
        cli_session_say(run->session,
                        "%" PRIu64 " %s not followed: the code has none where the lists say so, or "
                        "they are behind a return whose target the trace left out (return stack)",
                        told->unfollowed, told->unfollowed == 1 ? "branch is" : "branches are");
    run->gaps |= told->missing || told->modules || told->unfollowed;
}

enum cli_exit cli_pgo_follow_lists(struct pgo_run *run)
{
    const struct cli_options *const options = run->session->options;
    struct cairn_listed_profile told = {
        .options = &options->open,
        .rows = options->pgo.rows && !cli_pgo_is_by_name(options->pgo.format),
        .goes_on = goes_on,
        .context = run->session,
    };

    say_limits(run);
    if (cairn_branch_lists_settle(run->lists) ||
        cairn_branch_lists_profile(run->lists, &told, &run->pgo)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (cli_interrupted())
        return CLI_UNUSABLE;
    say_unfollowed(run, &told);
    if (options->pgo.format == CLI_PGO_JSON)
        cairn_pgo_json_lists(run->session->output, run->decoded, run->lists->list_count,
                             run->lists->sample_count, told.missing + told.modules,
                             told.unfollowed);
    if (run->pgo.range_count || run->pgo.branch_count || run->pgo.address_count)
        return CLI_CLEAN;
    cli_session_say(run->session, "nothing of the branch lists is in the profile");
    return CLI_UNUSABLE;
}

/* --- written --- */

bool cli_pgo_can_write_lists(const struct cli_options *options)
{
    if (options->output || !isatty(STDOUT_FILENO))
        return true;
    fprintf(stderr, "cairn pgo: branch lists are no text for a terminal: name a file with -o FILE, "
                    "or send standard output to one\n");
    return false;
}

static bool wants_binary(void *context, const struct cairn_listed_binary *binary)
{
    return cli_pgo_is_called(binary->path, binary->build_id, context);
}

enum cli_exit cli_pgo_write_lists(struct pgo_run *run)
{
    const char *const name = run->session->options->pgo.binary;
    cairn_status status = CAIRN_OK;

    say_limits(run);
    if (name)
        status = cairn_branch_lists_keep(run->lists, wants_binary, (void *)name);
    if (!status && !run->lists->list_count && !run->lists->sample_count) {
        cli_session_say(run->session,
                        name ? "--binary %s: there is nothing of it" : "there is nothing to list",
                        name);
        return CLI_UNUSABLE;
    }
    if (!status)
        status = cairn_branch_lists_settle(run->lists);
    if (!status)
        status =
            cairn_branch_lists_write(run->lists, CAIRN_LISTED_MESSAGE_MOST, run->session->output);
    if (status) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    return run->gaps ? CLI_GAPS : CLI_CLEAN;
}
