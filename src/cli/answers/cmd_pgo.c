/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit/audit.h"
#include "cli/command.h"
#include "cli/screen/watch.h"
#include "cli/session/session.h"
#include "cli/session/spool.h"
#include "cli/session/whose.h"
#include "report/pgo.h"

enum {
    KEY_FORMAT = CLI_OWN_KEY,
    KEY_BINARY,
    KEY_COMMENTS,
    KEY_INDIRECT,
    KEY_ROWS,
};

static const struct cli_option own_options[] = {
    {"format", KEY_FORMAT | CLI_FIRST, "autofdo|llvm|bolt|bolt-preaggregated",
     "autofdo (default): AutoFDO's text, for create_llvm_prof --profiler=text and create_gcov, as\n"
     "simpleperf inject writes it. llvm: LLVM's sample profile, for clang -fprofile-sample-use and\n"
     "llvm-profdata. bolt: fdata, for llvm-bolt and merge-fdata. bolt-preaggregated: counts by\n"
     "address, for perf2bolt -pa."},
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

static bool take_format(struct cli_options *options, const char *argument)
{
    static const char *const names[] = {
        [CLI_PGO_AUTOFDO] = "autofdo",
        [CLI_PGO_LLVM] = "llvm",
        [CLI_PGO_BOLT] = "bolt",
        [CLI_PGO_PREAGGREGATED] = "bolt-preaggregated",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(argument, names[i])) {
            options->pgo.format = (enum cli_pgo_format)i;
            return true;
        }
    fprintf(
        stderr,
        "cairn pgo: --format %s: expected autofdo, llvm, bolt or bolt-preaggregated. See `cairn "
        "pgo --help`.\n",
        argument);
    return false;
}

static bool take_comments(struct cli_options *options, const char *argument)
{
    static const char *const names[] = {
        [CAIRN_PGO_BEHIND] = "behind",
        [CAIRN_PGO_BEFORE] = "before",
        [CAIRN_PGO_NO_COMMENTS] = "none",
    };

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(argument, names[i])) {
            options->pgo.comments = i;
            return true;
        }
    fprintf(stderr,
            "cairn pgo: --comments %s: expected behind, before or none. See `cairn pgo --help`.\n",
            argument);
    return false;
}

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    switch (key) {
    case KEY_FORMAT: return take_format(options, argument);
    case KEY_COMMENTS: return take_comments(options, argument);
    case KEY_BINARY: options->pgo.binary = argument; break;
    case KEY_INDIRECT: options->pgo.with_indirect = true; break;
    case KEY_ROWS: options->pgo.rows = true; break;
    }
    return true;
}

/* --- from a trace --- */

struct pgo_run {
    struct cli_session *session;
    struct cairn_pgo pgo;
    size_t decoded;
    bool gaps;
};

/* llvm and bolt make the same of either. */
static bool is_by_name(enum cli_pgo_format format)
{
    return format == CLI_PGO_LLVM || format == CLI_PGO_BOLT;
}

static bool wants_place(void *context, const struct cairn_place *place)
{
    return cli_whose_wants(context, place->context_id, place->vmid);
}

static cairn_status count_source(struct pgo_run *run, size_t source, struct cairn_config *config,
                                 struct cairn_error *error)
{
    const struct cli_options *const options = run->session->options;
    struct cairn_capture *const capture = run->session->capture;
    struct cairn_image *const image = cairn_capture_image(capture);
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    struct cairn_pipeline *pipeline = NULL;
    struct cairn_counted *counted = NULL;
    struct cli_progress progress;
    struct cairn_pipeline_options wanted = CAIRN_PIPELINE_OPTIONS_INIT;

    cairn_status status = cairn_capture_source(capture, source, &info);
    if (!status)
        status = cairn_capture_buffer(capture, info.buffer, &buffer);
    if (status)
        return status;
    cli_progress_start(&progress, info.name, buffer.bytes);
    wanted.flags = options->reference ? CAIRN_PIPELINE_REFERENCE : 0;
    wanted.jobs = options->jobs;
    wanted.table_bytes = options->table_bytes;
    wanted.progress = cli_progress_watch;
    wanted.context = &progress;
    status = cairn_pipeline_new(capture, source, config, image, &wanted, &pipeline, error);
    if (!status)
        status = cairn_counted_new(image, config, &counted);
    if (!status) {
        const struct cairn_consumer consumer = cairn_counted_consumer(counted);

        if (options->pgo.rows && !is_by_name(options->pgo.format))
            cairn_counted_want_rows(counted, CAIRN_ROWS_TO_TAKEN);
        else if (cairn_config_tells(config) & CAIRN_TELLS_CONDITIONS)
            cairn_counted_want_rows(counted, CAIRN_ROWS_TO_BRANCH);
        if (cli_whose_asks(run->session))
            cairn_counted_filter(counted, wants_place, run->session);
        status = cairn_pipeline_add(pipeline, &consumer);
    }
    if (!status)
        status = cairn_pipeline_run(pipeline);
    cli_progress_end(&progress);
    if (!status && !cli_interrupted())
        status = cairn_counted_finish(counted);
    if (!status && !cli_interrupted())
        status = cairn_pgo_add_counted(&run->pgo, capture, counted);
    if (!status)
        run->gaps |= cli_audit_gap_bytes(cairn_pipeline_ledger(pipeline)) != 0;
    cairn_counted_free(counted);
    cairn_pipeline_free(pipeline);
    return status;
}

static void take_source(struct pgo_run *run, size_t source)
{
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_source_info info = {.size = sizeof info};

    if (cairn_capture_source(run->session->capture, source, &info))
        return;
    if (!cairn_protocol_decodes(info.protocol)) {
        if (run->session->options->sources.count)
            cli_session_say(run->session, "%s: %s is not decoded to what was executed", info.name,
                            info.type ? info.type : cairn_protocol_name(info.protocol));
        run->gaps |= run->session->options->sources.count != 0;
        return;
    }
    struct cairn_config *config = cli_session_config(run->session, source, &error);
    const cairn_status status = config ? count_source(run, source, config, &error) : error.status;

    cairn_config_unref(config);
    if (config && !status)
        run->decoded++;
    else if (!cli_interrupted())
        cli_session_say(run->session, "%s: %s", info.name,
                        error.status ? error.text : cairn_status_text(status));
    run->gaps |= !config || status;
}

static enum cli_exit take_trace(struct pgo_run *run)
{
    struct cli_session *const session = run->session;

    for (size_t i = 0; i < session->source_count && cli_session_goes_on(session); i++)
        take_source(run, session->sources[i]);
    if (cli_interrupted())
        return CLI_UNUSABLE;
    if (run->decoded)
        return CLI_CLEAN;
    cli_session_say(session, "no source of it could be decoded; `cairn info %s` tells why",
                    session->options->capture);
    return CLI_UNUSABLE;
}

/* --- from samples --- */

struct pgo_choice {
    const struct cli_session *session;
    const char *untold; /* an option that asks for what samples do not say */
    const char *record; /* and what makes them say it */
};

static bool goes_on(void *context)
{
    return cli_session_goes_on(((const struct pgo_choice *)context)->session);
}

static bool wants_sample(void *context, const struct cairn_pgo_sample *sample)
{
    struct pgo_choice *const choice = context;
    const struct cli_options *const options = choice->session->options;
    const struct cli_whose *const whose = &options->whose;
    const bool asks_time = options->open.time_from || options->open.time_to;
    const uint64_t to = options->open.time_to ? options->open.time_to : UINT64_MAX;

    if (asks_time && !sample->has_time) {
        choice->untold = "--time";
        choice->record = "-T";
    } else if (whose->cpus.count && !sample->has_cpu) {
        choice->untold = "--cpu";
        choice->record = "--sample-cpu";
    }
    return sample->time >= options->open.time_from && sample->time <= to &&
           cli_whose_wants_sample(whose, sample->process, sample->thread, sample->name,
                                  sample->cpu);
}

static bool takes_options(struct cli_session *session)
{
    const struct cli_options *const options = session->options;
    const char *const given = options->sources.count  ? "--source"
                              : options->images.count ? "--image"
                              : options->reference    ? "--reference"
                                                      : NULL;

    if (given)
        cli_session_say(session,
                        "%s: these are samples, not a trace: leave out %s. Files are looked for "
                        "where they were, and by --sysroot and --debug-dir",
                        options->capture, given);
    return !given;
}

static void say_samples(struct cli_session *session, const char *path,
                        const struct cairn_pgo_samples *told)
{
    if (told->is_cut)
        cli_session_say(session,
                        "%s: nothing is read from offset 0x%" PRIx64
                        " on: it is cut off or damaged there. Copy it again, or record anew",
                        path, told->cut_at);
    if (told->packed)
        cli_session_say(session,
                        "%s: %" PRIu64
                        " compressed records cannot be unpacked: what was in them is "
                        "missing. Copy the file again, or record anew",
                        path, told->packed);
    if (told->unreadable)
        cli_session_say(session, "%s: %" PRIu64 " samples cannot be read, and are left out", path,
                        told->unreadable);
    if (told->is_full)
        cli_session_say(session,
                        "%s: more files were mapped than there is room for (65,536 mappings, of a "
                        "process the last 4,096; 8,192 files): what is of the others is left out. "
                        "Record one program (perf record -b -- PROGRAM)",
                        path);
    if (told->unmapped)
        cli_session_say(session,
                        "%s: %" PRIu64 " addresses of branches and samples are in no file that was "
                        "mapped there, and left out",
                        path, told->unmapped);
    if (!told->samples && told->unwanted)
        cli_session_say(session, "%s: no sample is of that process, thread, processor or time",
                        path);
    else if (!told->samples)
        cli_session_say(session,
                        "%s: there is no branch stack in it: record with `perf record -b` or `-j "
                        "any,save_type,priv`",
                        path);
}

static enum cli_exit take_samples(struct pgo_run *run, const char *path)
{
    struct cli_session *const session = run->session;
    struct pgo_choice choice = {.session = session};
    struct cairn_pgo_samples told = {.wants = wants_sample, .goes_on = goes_on, .context = &choice};
    struct cairn_error error = {.status = CAIRN_OK};

    if (!takes_options(session))
        return CLI_UNUSABLE;
    const cairn_status status =
        cairn_pgo_add_samples(&run->pgo, path, &session->options->open, &told, &error);

    if (cli_interrupted())
        return CLI_UNUSABLE;
    if (status) {
        cli_session_say(session, "%s", error.status ? error.text : cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    if (choice.untold) {
        cli_session_say(session,
                        "%s: its samples do not say what %s chooses by. Leave it out, or record "
                        "with perf record -b %s",
                        session->options->capture, choice.untold, choice.record);
        return CLI_UNUSABLE;
    }
    say_samples(session, session->options->capture, &told);
    run->gaps |= told.is_cut || told.packed || told.unreadable || told.is_full;
    return told.samples ? CLI_CLEAN : CLI_UNUSABLE;
}

/* --- which binaries --- */

#define BUILD_ID_LEAST 8 /* digits */

static bool is_called(const struct cairn_pgo_binary *binary, const char *name)
{
    const size_t length = strlen(name), path = strlen(binary->path);

    if (length && length <= path && !strcmp(binary->path + path - length, name) &&
        (length == path || name[0] == '/' || binary->path[path - length - 1] == '/'))
        return true;
    return length >= BUILD_ID_LEAST && binary->build_id && !strncmp(binary->build_id, name, length);
}

/* What was recorded, or what was executed most. */
static uint32_t main_binary(const struct pgo_run *run)
{
    struct cairn_program_info program = {.size = sizeof program};
    uint32_t most = 0;

    if (run->session->capture && !cairn_capture_program(run->session->capture, &program) &&
        program.path)
        for (uint32_t i = 0; i < run->pgo.binary_count; i++)
            if (!strcmp(run->pgo.binaries[i].path, program.path))
                return i;
    for (uint32_t i = 1; i < run->pgo.binary_count; i++)
        if (run->pgo.binaries[i].executed > run->pgo.binaries[most].executed)
            most = i;
    return most;
}

static void list_binaries(const struct pgo_run *run)
{
    for (uint32_t i = 0; i < run->pgo.binary_count; i++)
        cli_session_say(run->session, "  %s%s%s", run->pgo.binaries[i].path,
                        run->pgo.binaries[i].build_id ? ", build-id " : "",
                        run->pgo.binaries[i].build_id ? run->pgo.binaries[i].build_id : "");
}

static enum cli_exit choose(struct pgo_run *run)
{
    const struct cli_pgo *const options = &run->session->options->pgo;
    size_t chosen = 0;

    if (options->binary) {
        for (uint32_t i = 0; i < run->pgo.binary_count; i++) {
            run->pgo.binaries[i].chosen = is_called(&run->pgo.binaries[i], options->binary);
            chosen += run->pgo.binaries[i].chosen;
        }
        if (chosen)
            return CLI_CLEAN;
        cli_session_say(run->session, "--binary %s: none of these was executed:", options->binary);
        list_binaries(run);
        return CLI_UNUSABLE;
    }
    if (run->pgo.binary_count < 2)
        return CLI_CLEAN;
    if (is_by_name(options->format)) {
        const uint32_t one = main_binary(run);

        for (uint32_t i = 0; i < run->pgo.binary_count; i++)
            run->pgo.binaries[i].chosen = i == one;
        cli_session_say(run->session,
                        "the profile is that of %s; --binary NAME chooses another of these:",
                        run->pgo.binaries[one].path);
    } else {
        cli_session_say(run->session,
                        "%zu binaries were executed, and most readers take one at a time: --binary "
                        "NAME chooses one of these:",
                        run->pgo.binary_count);
    }
    list_binaries(run);
    return CLI_CLEAN;
}

/* --- all of it --- */

static void say_left_out(struct pgo_run *run)
{
    const struct cairn_pgo *const pgo = &run->pgo;

    if (pgo->outside)
        cli_session_say(run->session,
                        "%" PRIu64
                        " instructions that were executed are of no file, and not in the "
                        "profile; `cairn check %s` tells of missing files",
                        pgo->outside, run->session->options->capture);
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
        if (run->pgo.binaries[i].chosen && !run->pgo.binaries[i].file) {
            first = run->pgo.binaries[i].path;
            count++;
        }
    if (count)
        cli_session_say(run->session,
                        "addresses are offsets in the file where it is not here, or not for Arm: "
                        "%s%s",
                        first, count > 1 ? ", ..." : "");
}

static enum cli_exit write_profile(struct pgo_run *run)
{
    const struct cli_pgo *const options = &run->session->options->pgo;
    const enum cairn_pgo_comments comments = (enum cairn_pgo_comments)options->comments;
    struct cairn_output *const output = run->session->output;

    if (!is_by_name(options->format))
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
    case CLI_PGO_JSON: break;
    }
    return run->gaps ? CLI_GAPS : CLI_CLEAN;
}

static enum cli_exit profile(struct pgo_run *run)
{
    if (cairn_pgo_settle(&run->pgo)) {
        cli_session_say(run->session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (!run->pgo.binary_count) {
        cli_session_say(
            run->session,
            "nothing was executed of which the file is here. Tell where files are (--sysroot, "
            "--debug-dir), or give one with --image FILE; `cairn info %s` lists them",
            run->session->options->capture);
        return CLI_UNUSABLE;
    }
    const enum cli_exit result = choose(run);
    say_left_out(run);
    return result ? result : write_profile(run);
}

static enum cli_exit run_samples(struct pgo_run *run, const struct cli_options *options)
{
    enum cli_exit result = cli_session_open_output(run->session, &cli_command_pgo, options);

    if (!result)
        result = take_samples(run, options->capture);
    return result ? result : profile(run);
}

static enum cli_exit run_trace(struct pgo_run *run, const struct cli_options *options)
{
    enum cli_exit result =
        cli_session_open(run->session, &cli_command_pgo, options, CLI_SURVEY_NEVER);

    if (!result)
        result = take_trace(run);
    return result ? result : profile(run);
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct pgo_run it = {.session = &session};

    if (options->pgo.comments == CAIRN_PGO_BEFORE && options->pgo.format == CLI_PGO_AUTOFDO) {
        fprintf(stderr, "cairn pgo: --comments before: AutoFDO's text begins with a number. Take "
                        "behind or none.\n");
        return CLI_UNUSABLE;
    }
    const enum cli_exit result = cairn_pgo_has_samples(options->capture) ? run_samples(&it, options)
                                                                         : run_trace(&it, options);
    cairn_pgo_clear(&it.pgo);
    return cli_session_close(&session, result);
}

const struct cli_command cli_command_pgo = {
    .name = "pgo",
    .summary = "write a profile that a compiler or linker optimises by",
    .arguments = "CAPTURE",
    .description =
        "Counts what was executed and writes it for the tools that make a program faster by it:\n"
        "AutoFDO and clang (which functions to inline, how branches go), BOLT (where code lies).\n"
        "CAPTURE is a trace, or a perf.data file of samples with branch stacks (perf record -b, or\n"
        "simpleperf record -b: BRBE, LBR). Each binary is counted by addresses in its file, of\n"
        "whatever processes executed it. Its file must be here: where it was recorded, or by\n"
        "--sysroot, --debug-dir or --image; of samples, autofdo and bolt-preaggregated do without.",
    .output =
        "autofdo: how many ranges, then first-last:count of each; how many sampled addresses,\n"
        "then address:count (of a trace none); how many branches, then from->to:count. Numbers\n"
        "are hex without 0x, counts decimal. Addresses are those of the file less that of its\n"
        "first segment. Behind it comments with the build-id and the path.\n"
        "bolt-preaggregated: F first last count, B from to count mispredicted; addresses of the\n"
        "file.\n"
        "docs/pgo.md has more, and how to use each.",
    .exit_status = "0   all of the trace became flow\n"
                   "1   the profile is of what could be decoded; there are gaps\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn pgo -o profile.txt perf.data\n"
                "cairn pgo --format llvm -o program.prof perf.data\n"
                "cairn pgo --format bolt -o program.fdata recording/",
    .options = CLI_TELLS_THREADS | CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_OUTPUT |
               CLI_TAKES_DECODER,
    .own = own_options,
    .take_own = take_own,
    .run = run,
};
