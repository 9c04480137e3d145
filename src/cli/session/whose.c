/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/session/whose.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "capture/model.h"
#include "cli/options/options.h"

#define CORE "cpu_"
#define NAMES_TEXT 256 /* of a thread; more are left out */

/* Numbers of threads that contexts had, in whichever worker thread they were asked. */
struct cli_whose_seen {
    atomic_bool zero, other;
    atomic_bool wanted; /* one of those that are asked for */
};

/* --- threads --- */

static bool has_number(const struct cli_numbers *numbers, uint64_t value)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->list[i] == value)
            return true;
    return !numbers->count;
}

static bool has_name(const struct cli_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (name && !strcmp(names->items[i], name))
            return true;
    return !names->count;
}

static bool asks_threads(const struct cli_whose *whose)
{
    return whose->processes.count || whose->threads.count || whose->names.count;
}

bool cli_whose_wants_sample(const struct cli_whose *whose, uint32_t process, uint32_t thread,
                            const char *name, uint32_t cpu)
{
    return has_number(&whose->processes, process) && has_number(&whose->threads, thread) &&
           has_number(&whose->cpus, cpu) && has_name(&whose->names, name);
}

/* Whether it was ever called so: its name is the last one. */
static bool was_called(const struct cairn_capture *capture, const struct cli_list *names,
                       const struct cairn_thread_info *thread)
{
    for (size_t i = cairn_capture_first_name(capture, thread->thread_id);
         i < capture->name_count && capture->names[i].thread_id == thread->thread_id; i++)
        if (has_name(names, capture->names[i].name))
            return true;
    return has_name(names, thread->name);
}

static bool wants_thread(const struct cairn_capture *capture, const struct cli_whose *whose,
                         const struct cairn_thread_info *thread)
{
    return has_number(&whose->processes, thread->process_id) &&
           has_number(&whose->threads, thread->thread_id) &&
           was_called(capture, &whose->names, thread);
}

/* The names that a thread had while there was trace, where these are several; true: they are. */
static bool list_names(const struct cli_session *session, uint64_t thread, char *text, size_t size)
{
    const struct cairn_capture *const capture = session->capture;
    const char *last = NULL;
    size_t used = 0, count = 0;

    for (size_t i = cairn_capture_first_name(capture, thread);
         i < capture->name_count && capture->names[i].thread_id == thread && used < size; i++) {
        const struct cairn_named *const name = &capture->names[i];

        if (name->is_elsewhen || (last && !strcmp(last, name->name)))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", last ? ", " : "", name->name);
        if (last && used < size)
            used += (size_t)snprintf(text + used, size - used, " (from %.6f s on)",
                                     (double)name->time / 1e9);
        last = name->name;
        count++;
    }
    for (char *letter = text; count && *letter; letter++) /* names may have anything in them */
        if ((unsigned char)*letter < ' ' || *letter == 0x7f)
            *letter = '?';
    return count > 1;
}

/* Contexts say no names: all that was executed by a thread that had one is taken. */
static void say_names(struct cli_session *session)
{
    struct cairn_thread_info thread = {.size = sizeof thread};
    char text[NAMES_TEXT], first[NAMES_TEXT];
    size_t count = 0;
    uint64_t number = 0;

    for (size_t i = 0; !cairn_capture_thread(session->capture, i, &thread); i++)
        if (wants_thread(session->capture, &session->options->whose, &thread) &&
            list_names(session, thread.thread_id, count ? text : first, NAMES_TEXT) && !count++)
            number = thread.thread_id;
    if (count)
        cli_session_say(session,
                        "thread %" PRIu64 " was called %s%s: --comm takes all that it executed, "
                        "whatever it was called then. --time FROM,TO chooses parts by time",
                        number, first, count > 1 ? ", and others had several names as well" : "");
}

/* A source that is one thread's: of whichever process, where several had its number one after the other. Of
 * recordings no process is told. */
static bool wants_source(const struct cli_session *session, const struct cairn_source_info *info)
{
    const struct cli_whose *const whose = &session->options->whose;
    struct cairn_thread_info thread = {.size = sizeof thread};
    bool is_known = false;

    for (size_t i = 0; !cairn_capture_thread(session->capture, i, &thread); i++)
        if (thread.thread_id == info->thread_id) {
            if (wants_thread(session->capture, &session->options->whose, &thread))
                return true;
            is_known = true;
        }
    return !is_known && !whose->processes.count && has_number(&whose->threads, info->thread_id) &&
           has_name(&whose->names, info->thread_name);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

/* What a processor executes that has nothing to do is a thread of the number 0, which the system lists nowhere. */
static bool wants_idle(const struct cairn_capture *capture, const struct cli_whose *whose)
{
    static const struct cairn_thread_info idle = {.size = sizeof idle, .name = "swapper"};

    return wants_thread(capture, whose, &idle);
}

/* The numbers of the threads that are wanted. */
static bool gather_threads(struct cli_session *session)
{
    const size_t count = cairn_capture_thread_count(session->capture);
    struct cairn_thread_info thread = {.size = sizeof thread};

    session->threads.list = calloc(count + 2, sizeof *session->threads.list);
    session->seen = calloc(1, sizeof *session->seen);
    if (!session->threads.list || !session->seen)
        return false;
    session->threads.count =
        wants_idle(session->capture, &session->options->whose); /* its number is in the list */
    for (size_t i = 0; i < count; i++)
        if (!cairn_capture_thread(session->capture, i, &thread) &&
            wants_thread(session->capture, &session->options->whose, &thread))
            session->threads.list[session->threads.count++] = thread.thread_id;
    qsort(session->threads.list, session->threads.count, sizeof *session->threads.list,
          compare_numbers);
    return true;
}

bool cli_whose_asks(const struct cli_session *session)
{
    return session->threads.list != NULL;
}

bool cli_whose_asks_of(const struct cli_session *session, size_t source)
{
    struct cairn_source_info info = {.size = sizeof info};

    return cli_whose_asks(session) &&
           (cairn_capture_source(session->capture, source, &info) || !info.thread_id);
}

/* Said once: a line of memory that all threads wrote to would be passed between them. */
static void note(atomic_bool *seen)
{
    if (!atomic_load_explicit(seen, memory_order_relaxed))
        atomic_store_explicit(seen, true, memory_order_relaxed);
}

bool cli_whose_wants(const struct cli_session *session, uint32_t context_id, uint32_t vmid)
{
    const uint64_t thread =
        cairn_capture_thread_mark(session->capture) == CAIRN_THREAD_VMID ? vmid : context_id;

    if (!session->threads.list)
        return true;
    const bool is_wanted = bsearch(&thread, session->threads.list, session->threads.count,
                                   sizeof thread, compare_numbers) != NULL;
    note(thread ? &session->seen->other : &session->seen->zero);
    if (is_wanted)
        note(&session->seen->wanted);
    return is_wanted;
}

static void say_no_trace(struct cli_session *session)
{
    if (wants_idle(session->capture, &session->options->whose))
        cli_session_say(
            session,
            "the trace has nothing of thread 0 (swapper), as which a processor executes that "
            "has nothing to do: the recording is of some processes, or of user space "
            "alone. Record all (perf record -a, as root, without :u)");
    else
        cli_session_say(session,
                        "the trace has nothing of the threads that --pid, --tid and --comm choose, "
                        "though the capture names them");
}

void cli_whose_end(struct cli_session *session)
{
    if (session->seen && session->seen->zero && !session->seen->other)
        cli_session_say(session, "--pid, --tid and --comm choose %s of the trace: " CLI_NO_NUMBERS,
                        wants_idle(session->capture, &session->options->whose) ? "all" : "nothing");
    else if (session->seen && session->seen->other && !session->seen->wanted)
        say_no_trace(session);
    free(session->seen);
    session->seen = NULL;
}

/* --- sources --- */

static bool is_of_cpu(const struct cli_numbers *cpus, const struct cairn_source_info *info)
{
    uint64_t number;

    if (!cpus->count)
        return true;
    return info->core && !strncmp(info->core, CORE, strlen(CORE)) &&
           cli_number(info->core + strlen(CORE), &number) && has_number(cpus, number);
}

/* A source that does not say whose it is, where others do: they are known to be of one thread, of which this one is what
 * is left, or their contexts say so. */
static bool is_of_nobody(const struct cli_session *session, const struct cairn_source_info *info)
{
    struct cairn_source_info other = {.size = sizeof other};

    if (info->thread_id || info->thread_mark != CAIRN_THREAD_NOT_MARKED)
        return false;
    for (size_t i = 0; !cairn_capture_source(session->capture, i, &other); i++)
        if (other.thread_id || other.thread_mark != CAIRN_THREAD_NOT_MARKED)
            return true;
    return false;
}

/* Of what was asked for, each alone may fit a thread. */
static bool fits_some(const struct cli_session *session, const struct cli_whose *whose)
{
    struct cairn_thread_info thread = {.size = sizeof thread};

    for (size_t i = 0; !cairn_capture_thread(session->capture, i, &thread); i++)
        if (wants_thread(session->capture, whose, &thread))
            return true;
    return wants_idle(session->capture, whose);
}

static void say_no_thread(struct cli_session *session)
{
    const struct cli_whose *const whose = &session->options->whose;
    const struct cli_whose processes = {.processes = whose->processes};
    const struct cli_whose threads = {.threads = whose->threads};
    const struct cli_whose names = {.names = whose->names};
    char word[CAIRN_SHELL_ROOM];

    if (fits_some(session, &processes) && fits_some(session, &threads) &&
        fits_some(session, &names))
        cli_session_say(
            session,
            "there are threads for each of --pid, --tid and --comm that were given, and "
            "none that all of them fit; `cairn info %s` lists them",
            cairn_shell_file(session->options->capture, word));
    else
        cli_session_say(session, "no thread is so called or numbered; `cairn info %s` lists them",
                        cairn_shell_file(session->options->capture, word));
}

/* A source that is of several threads. */
static enum cli_exit ask_contexts(struct cli_session *session, const struct cairn_source_info *info)
{
    if (info->thread_mark == CAIRN_THREAD_NOT_MARKED) {
        cli_session_say(
            session,
            "%s: the trace does not say which thread it is of, so that --pid, --tid and "
            "--comm choose nothing of it. Record with contextid (perf record -e "
            "cs_etm/contextid/), or by thread (--per-thread)",
            info->name);
        return CLI_UNUSABLE;
    }
    if (!(session->command->options & CLI_TELLS_THREADS)) {
        cli_session_say(
            session,
            "%s: it is of several threads, which `cairn %s` does not tell apart: leave "
            "out --pid, --tid and --comm. `cairn flow`, `profile`, `calls`, `coverage` and "
            "`pgo` take them",
            info->name, session->command->name);
        return CLI_UNUSABLE;
    }
    if (cli_part_given(&session->options->part)) {
        cli_session_say(session,
                        "%s: it is of several threads, and a part of it is counted in instructions "
                        "of all: give either --pid, --tid and --comm, or a part (--last, --first, "
                        "--function, --around, --between)",
                        info->name);
        return CLI_UNUSABLE;
    }
    if (!cli_whose_asks(session) && !gather_threads(session)) {
        cli_session_say(session, "out of memory");
        return CLI_UNUSABLE;
    }
    if (session->threads.count)
        return CLI_CLEAN;
    say_no_thread(session);
    return CLI_UNUSABLE;
}

enum cli_exit cli_whose_choose(struct cli_session *session)
{
    const struct cli_whose *const whose = &session->options->whose;
    struct cairn_source_info info = {.size = sizeof info};
    size_t kept = 0, untold = 0;
    char word[CAIRN_SHELL_ROOM];

    if (!asks_threads(whose) && !whose->cpus.count)
        return CLI_CLEAN;
    for (size_t i = 0; i < session->source_count; i++) {
        if (cairn_capture_source(session->capture, session->sources[i], &info) ||
            !is_of_cpu(&whose->cpus, &info))
            continue;
        if (asks_threads(whose) && is_of_nobody(session, &info)) {
            untold++;
            continue;
        }
        if (asks_threads(whose) && !info.thread_id) {
            const enum cli_exit result = ask_contexts(session, &info);

            if (result)
                return result;
        } else if (asks_threads(whose) && !wants_source(session, &info)) {
            continue;
        }
        session->sources[kept++] = session->sources[i];
    }
    session->source_count = kept;
    if (untold)
        cli_session_say(
            session,
            "%zu source%s may be of the threads that are wanted, among others, and do%s not "
            "say what of it: what was executed there is left out",
            untold, untold == 1 ? "" : "s", untold == 1 ? "es" : "");
    if (kept && whose->names.count)
        say_names(session);
    if (kept)
        return CLI_CLEAN;
    cli_session_say(session, "no source is of that processor or thread; `cairn info %s` lists them",
                    cairn_shell_file(session->options->capture, word));
    return CLI_UNUSABLE;
}
