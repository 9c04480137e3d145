/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of samples: the branch stacks of a perf.data file. */
#include <inttypes.h>

#include "base/letters.h"
#include "cli/answers/pgo_run.h"
#include "cli/screen/watch.h"
#include "cli/session/whose.h"

struct pgo_choice {
    const struct cli_session *session;
    const char *untold; /* an option that asks for what samples do not say */
    const char *record; /* and what makes them say it */
    struct cairn_listed_keeper keeper;
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

static cairn_status keep_stack(void *context, const struct cairn_pgo_stack *stack)
{
    return cairn_listed_keep(&((struct pgo_choice *)context)->keeper, stack);
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
        cli_session_say(session, "%s: %" PRIu64 " sample%s cannot be read, and %s left out", path,
                        told->unreadable, cairn_plural(told->unreadable),
                        told->unreadable == 1 ? "is" : "are");
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

enum cli_exit cli_pgo_take_samples(struct pgo_run *run, const char *path)
{
    struct cli_session *const session = run->session;
    struct pgo_choice choice = {.session = session,
                                .keeper = {.lists = run->lists, .pgo = &run->pgo}};
    struct cairn_pgo_samples told = {.wants = wants_sample,
                                     .goes_on = goes_on,
                                     .keep = run->lists ? keep_stack : NULL,
                                     .context = &choice};
    struct cairn_error error = {.status = CAIRN_OK};

    if (!takes_options(session))
        return CLI_UNUSABLE;
    const cairn_status status =
        cairn_pgo_add_samples(&run->pgo, path, &session->options->open, &told, &error);

    cairn_listed_keeper_clear(&choice.keeper);
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
    if (session->options->pgo.format == CLI_PGO_JSON)
        cairn_pgo_json_samples(session->output, &told);
    run->gaps |= told.is_cut || told.packed || told.unreadable || told.is_full;
    return told.samples ? CLI_CLEAN : CLI_UNUSABLE;
}
