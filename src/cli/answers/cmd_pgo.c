/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/shell.h"
#include "cli/answers/pgo_input.h"
#include "cli/answers/pgo_lists.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/spool.h"
#include "cli/session/units.h"
#include "report/json_fields.h"

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_BINARY,
    KEY_COMMENTS,
    KEY_INDIRECT,
    KEY_ROWS,
};

static const struct cli_option own_options[] = {
    {"format", KEY_FORMAT | CLI_FIRST, "autofdo|llvm|bolt|bolt-preaggregated|json|branch-list",
     "autofdo (default): AutoFDO's text, for create_llvm_prof --profiler=text and create_gcov, as\n"
     "simpleperf inject writes it. llvm: LLVM's sample profile, for clang -fprofile-sample-use and\n"
     "llvm-profdata. bolt: fdata, for llvm-bolt and merge-fdata. bolt-preaggregated: counts by\n"
     "address, for perf2bolt -pa. json: how much there is of which binary and function, and what is\n"
     "left out (JSON lines). branch-list: simpleperf's small file, to be merged and made a profile of\n"
     "later, by it or by this command."},
    {"binary", KEY_BINARY | CLI_FIRST, "NAME",
     "Only this binary: its path as recorded or the end of it, or the beginning of its build-id\n"
     "(eight digits or more). Default: of llvm and bolt the program that was recorded, or that of\n"
     "which most was executed; else all."},
    {"indirect-targets", KEY_INDIRECT, NULL,
     "Of a trace, for autofdo and bolt-preaggregated: where indirect branches and returns went.\n"
     "Default: 0 for each, as simpleperf has it. Of llvm and bolt they are always known."},
    {"whole-ranges", KEY_ROWS, NULL,
     "Of a trace, for autofdo and bolt-preaggregated: ranges go on over branches that are not taken,\n"
     "as those of samples do and BOLT means them. Default: each ends at the next branch, taken or\n"
     "not, as simpleperf has it."},
    {"comments", KEY_COMMENTS, "behind|before|none",
     "For autofdo and bolt-preaggregated: lines with build-id and path behind what is of a binary\n"
     "(default), before it (bolt-preaggregated: as simpleperf before 2025), or none: perf2bolt\n"
     "refuses comments."},
    {0},
};

static const char *const formats[] = {"autofdo", "llvm",        "bolt", "bolt-preaggregated",
                                      "json",    "branch-list", NULL};
static const char *const comment_words[] = {"behind", "before", "none", NULL};

static bool take_words(const char *option, const char *argument, const char *const *words,
                       unsigned *number)
{
    int found = 0;

    if (!cli_option_word("pgo", option, argument, words, &found))
        return false;
    *number = (unsigned)found;
    return true;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    int format = 0;

    switch (key) {
    case KEY_FORMAT:
        if (!cli_option_format(options, "pgo", argument, formats, &format))
            return false;
        options->pgo.format = (enum cli_pgo_format)format;
        break;
    case KEY_COMMENTS:
        return take_words("comments", argument, comment_words, &options->pgo.comments);
    case KEY_BINARY: options->pgo.binary = argument; break;
    case KEY_INDIRECT: options->pgo.with_indirect = true; break;
    case KEY_ROWS: options->pgo.rows = true; break;
    }
    return true;
}

/* --- all of it --- */

static void say_left_out(struct pgo_run *run)
{
    const struct cairn_pgo *const pgo = &run->pgo;
    char word[CAIRN_SHELL_ROOM];

    if (pgo->outside)
        cli_session_say(run->session,
                        "%" PRIu64
                        " instructions that were executed are of no file, and not in the "
                        "profile; `cairn check %s` tells of missing files",
                        pgo->outside, cairn_shell_file(run->session->options->capture, word));
    if (pgo->left_out)
        cli_session_say(run->session,
                        "%" PRIu64 " executions are not counted: there is more than there "
                        "is room for. Profile less at a time (--source, --tid, --time)",
                        pgo->left_out);
    run->gaps |= pgo->left_out != 0;
}

static enum cli_exit write_llvm(struct pgo_run *run)
{
    uint64_t named, unnamed;

    if (cairn_pgo_llvm(&run->pgo, run->session->output, &named, &unnamed)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (named)
        return run->gaps ? CLI_GAPS : CLI_CLEAN;
    cli_session_say(run->session,
                    "there is no debug information of what was executed. Compile with -g (clang: "
                    "-gmlt -fdebug-info-for-profiling), or tell where it is (--debug-dir)");
    return CLI_UNUSABLE;
}

static void say_codeless(struct pgo_run *run)
{
    for (uint32_t i = 0; i < run->pgo.binary_count; i++) {
        const struct cairn_pgo_binary *const binary = &run->pgo.binaries[i];

        if (!binary->chosen || !binary->file || binary->code)
            continue;
        cli_session_say(run->session,
                        "%s: its code is not here (only its debug file): no flow between basic "
                        "blocks, and returns are not told from other branches",
                        binary->path);
        run->gaps = true;
    }
}

static enum cli_exit write_fdata(struct pgo_run *run)
{
    uint64_t named;

    say_codeless(run);
    if (cairn_pgo_fdata(&run->pgo, run->session->output, &named)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (named)
        return run->gaps ? CLI_GAPS : CLI_CLEAN;
    cli_session_say(
        run->session,
        "nothing was executed that has a name: the file is not here (--sysroot, "
        "--debug-dir), it is not for Arm, or it has no symbols. Link without -s, or tell where its debug "
        "file is (--debug-dir)");
    return CLI_UNUSABLE;
}

/* Of these offsets in the file stand for addresses, which readers may take for those. */
static void say_elsewhere(struct pgo_run *run)
{
    const char *first = NULL;
    size_t count = 0;

    for (size_t i = run->pgo.binary_count; i-- > 0;)
        if (run->pgo.binaries[i].chosen && !run->pgo.binaries[i].file &&
            !run->pgo.binaries[i].has_addresses) {
            first = run->pgo.binaries[i].path;
            count++;
        }
    if (count)
        cli_session_say(run->session,
                        "addresses are offsets in the file where it is not here, or not for Arm: "
                        "%s%s",
                        first, count > 1 ? ", ..." : "");
}

static enum cli_exit write_json(struct pgo_run *run)
{
    if (cairn_pgo_json(&run->pgo, run->lost_bytes, run->session->output)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    return run->gaps ? CLI_GAPS : CLI_CLEAN;
}

static enum cli_exit write_profile(struct pgo_run *run)
{
    const struct cli_pgo *const options = &run->session->options->pgo;
    const enum cairn_pgo_comments comments = (enum cairn_pgo_comments)options->comments;
    struct cairn_output *const output = run->session->output;

    if (!cli_pgo_is_by_name(options->format) && options->format != CLI_PGO_JSON)
        say_elsewhere(run);
    switch (options->format) {
    case CLI_PGO_AUTOFDO:
        cairn_pgo_autofdo(&run->pgo, comments, options->with_indirect, output);
        break;
    case CLI_PGO_PREAGGREGATED:
        cairn_pgo_preaggregated(&run->pgo, comments, options->with_indirect, output);
        break;
    case CLI_PGO_LLVM: return write_llvm(run);
    case CLI_PGO_BOLT: return write_fdata(run);
    case CLI_PGO_JSON: return write_json(run);
    case CLI_PGO_LISTS: return cli_pgo_write_lists(run);
    }
    return run->gaps ? CLI_GAPS : CLI_CLEAN;
}

static enum cli_exit profile(struct pgo_run *run)
{
    char word[CAIRN_SHELL_ROOM];

    if (run->session->options->pgo.format == CLI_PGO_LISTS) {
        cli_pgo_say_listed(run);
        return write_profile(run);
    }
    if (cairn_pgo_settle(&run->pgo)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (!run->pgo.binary_count) {
        if (run->session->options->pgo.format == CLI_PGO_JSON)
            (void)write_json(run);
        cli_session_say(
            run->session,
            "nothing was executed of which the file is here. Tell where files are (--sysroot, "
            "--debug-dir), or give one with --image FILE; `cairn info %s` lists them",
            cairn_shell_file(run->session->options->capture, word));
        return CLI_UNUSABLE;
    }
    const enum cli_exit result = cli_pgo_choose(run);
    say_left_out(run);
    return result ? result : write_profile(run);
}

static void begin_json(struct pgo_run *run, enum cli_exit opened)
{
    if (!opened && run->session->options->pgo.format == CLI_PGO_JSON)
        cairn_json_begin(run->session->output, run->session->command->name);
}

static enum cli_exit run_samples(struct pgo_run *run, const struct cli_options *options)
{
    enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    begin_json(run, result);
    if (!result)
        result = cli_pgo_take_samples(run, options->capture);
    return result ? result : profile(run);
}

static enum cli_exit run_trace(struct pgo_run *run, const struct cli_options *options)
{
    enum cli_exit result =
        cli_session_open(run->session, &cli_command_pgo, options, CLI_SURVEY_NEVER);

    begin_json(run, result);
    if (!result)
        result = cli_pgo_take_trace(run);
    return result ? result : profile(run);
}

static enum cli_exit run_kept(struct pgo_run *run, const struct cli_options *options)
{
    struct cli_counts_file kept = {.counts = {0}};
    enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    begin_json(run, result);
    if (!result && options->pgo.format == CLI_PGO_LISTS) {
        cli_session_say(
            run->session,
            "%s: these are counts, which branch lists cannot be made of. Add them up by "
            "`cairn merge`, or give the capture",
            options->capture);
        return CLI_UNUSABLE;
    }
    if (!result)
        result = cli_pgo_take_kept(run->session, &kept, cli_pgo_is_by_name(options->pgo.format),
                                   &run->pgo);
    run->gaps = result == CLI_GAPS;
    run->lost_bytes = cli_kept_lost(&kept.counts);
    if (result != CLI_UNUSABLE)
        result = profile(run);
    cli_kept_close(&kept);
    return result;
}

static enum cli_exit run_lists(struct pgo_run *run, struct cairn_branch_lists *lists,
                               const struct cli_options *options)
{
    enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    begin_json(run, result);
    run->lists = lists;
    if (!result)
        result = cli_pgo_read_lists(run);
    if (result == CLI_UNUSABLE || options->pgo.format == CLI_PGO_LISTS)
        return result == CLI_UNUSABLE ? result : cli_pgo_write_lists(run);
    result = cli_pgo_follow_lists(run);
    return result ? result : profile(run);
}

static enum cli_exit refuse_further(struct pgo_run *run, const struct cli_options *options)
{
    const enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    if (!result)
        cli_session_say(
            run->session,
            "%s: one capture at a time: '%s' is one too many. Several are taken of branch "
            "lists alone, which --format branch-list makes",
            options->capture, options->further.items[0]);
    return CLI_UNUSABLE;
}

static enum cli_exit refuse_pipe(struct pgo_run *run, const struct cli_options *options)
{
    const enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    if (!result)
        cli_session_say(run->session,
                        "%s: samples and branch lists are read from files, and this comes through "
                        "a pipe: save it to a file first",
                        options->capture);
    return CLI_UNUSABLE;
}

/* True for samples and branch lists that are not in a file. */
static bool is_piped(const char *path)
{
    const char *const opened = cli_spool_look(path);

    return opened != path && (cairn_branch_lists_is_file(opened) || cairn_pgo_has_samples(opened));
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct pgo_run it = {
        .session = &session,
        .pgo.folders = {options->open.debug_folders, options->open.debug_folder_count}};
    struct cairn_branch_lists lists = {.binaries = NULL};

    if (options->pgo.comments == CAIRN_PGO_BEFORE && options->pgo.format == CLI_PGO_AUTOFDO) {
        fprintf(stderr, "cairn pgo: --comments before: AutoFDO's text begins with a number. Take "
                        "behind or none.\n");
        return CLI_UNUSABLE;
    }
    enum cli_exit result;

    if (options->pgo.format == CLI_PGO_LISTS && !cli_pgo_can_write_lists(options))
        return CLI_UNUSABLE;
    if (options->pgo.format == CLI_PGO_LISTS)
        it.lists = &lists;
    if (cli_pgo_are_lists(options))
        result = run_lists(&it, &lists, options);
    else if (options->further.count)
        result = refuse_further(&it, options);
    else if (is_piped(options->capture))
        result = refuse_pipe(&it, options);
    else if (cairn_counts_is_file(cli_spool_look(options->capture)))
        result = run_kept(&it, options);
    else if (cairn_pgo_has_samples(options->capture))
        result = run_samples(&it, options);
    else
        result = run_trace(&it, options);
    for (uint32_t i = 0; i < it.pgo.binary_count; i++)
        if (it.pgo.binaries[i].owns_file) /* the capture's are told of with it */
            cli_units_tell_file(&session, it.pgo.binaries[i].file);
    cairn_pgo_clear(&it.pgo);
    cairn_branch_lists_clear(&lists);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_pgo = {
    .name = "pgo",
    .summary = "write a profile that a compiler or linker optimises by",
    .arguments = "CAPTURE...",
    .description =
        "Counts what was executed and writes it for the tools that make a program faster by it:\n"
        "AutoFDO and clang (which functions to inline, how branches go), BOLT (where code lies).\n"
        "CAPTURE is a trace, or a perf.data file of samples with branch stacks (perf record -b, or\n"
        "simpleperf record -b: BRBE, LBR). Each binary is counted by addresses in its file, of\n"
        "whatever processes executed it. Its file must be here: where it was recorded, or by\n"
        "--sysroot, --debug-dir or --image; of samples, autofdo and bolt-preaggregated do without.\n"
        "Or any number of branch lists, of simpleperf or of --format branch-list, which are added up;\n"
        "@FILE stands for those that FILE names, one a line.",
    .output =
        "autofdo: how many ranges, then first-last:count of each; how many sampled addresses,\n"
        "then address:count (of a trace none); how many branches, then from->to:count. Numbers\n"
        "are hex without 0x, counts decimal. Addresses are those of the file less that of its\n"
        "first segment. Behind it comments with the build-id and the path.\n"
        "bolt-preaggregated: F first last count, B from to count mispredicted; addresses of the\n"
        "file.\n"
        "json: docs/json.md and pgo.schema.json have every key.\n"
        "docs/pgo.md has more, and how to use each.",
    .exit_status = "0   all of the trace became flow\n"
                   "1   the profile is of what could be decoded; there are gaps\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn pgo -o profile.txt perf.data\n"
                "cairn pgo --format llvm -o program.prof perf.data\n"
                "cairn pgo --format bolt -o program.fdata recording/\n"
                "cairn pgo --format branch-list -o all.data phones/*.data\n"
                "cairn pgo --binary libc.so --debug-dir symbols -o profile.txt all.data",
    .options = CLI_ANSWERS | CLI_TAKES_FURTHER,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
