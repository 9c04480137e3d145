/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit a thread: made when the thread executes its first TB, disabled when it ends, or when
 * the process does. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/clocked.h"
#include "machine/qemu/plugin.h"

enum {
    LOOK_EVERY = 1 << 18, /* instructions */
    NAME_SIZE = 32,
    PATIENCE_MS = 1000, /* for a thread on its way into the kernel */
    CPUS = 1 << 16,     /* whose start is kept; of those behind, a thread waits for a start point */
};

__thread struct cairn_qemu_thread *cairn_qemu_self __attribute__((tls_model("initial-exec")));
static __thread bool refused __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_qemu_thread *threads;
static uint64_t thread_count;
/* Whether the thread that a vCPU is for is created by one that is traced; by the vCPU's number. */
static _Atomic bool inherits[CPUS];

/* --- begin and end --- */

static bool make_unit(struct cairn_qemu_thread *thread)
{
    struct cairn_unit_options options = cairn_qemu_unit_options();
    struct cairn_error error = {0};

    options.sink = cairn_recorded_source_sink;
    options.sink_context = thread->source;
    if (cairn_qemu.settings.explain) {
        thread->explainer = calloc(1, sizeof *thread->explainer);
        if (!thread->explainer)
            return false;
        thread->explainer->sink = cairn_recorded_source_explained;
        thread->explainer->sink_context = thread->source;
        cairn_explain(thread->explainer, &options);
    }
    if (!cairn_qemu.settings.around.is_wanted) {
        if (cairn_unit_new(&options, &thread->unit, NULL) != CAIRN_OK)
            return false;
        thread->processor = cairn_processor_of_unit(thread->unit);
        return true;
    }
    if (cairn_around_new(&cairn_qemu.settings.around, &options, thread->source,
                         cairn_qemu_core_name(), &thread->around, &error) != CAIRN_OK) {
        cairn_qemu_complain(error.text);
        return false;
    }
    thread->processor = cairn_around_processor(thread->around);
    thread->unit = thread->processor.unit;
    return true;
}

static void free_unit(struct cairn_qemu_thread *thread)
{
    if (thread->around)
        cairn_around_free(thread->around);
    else
        cairn_unit_free(thread->unit);
    thread->around = NULL;
    thread->unit = NULL;
    free(thread->explainer);
    thread->explainer = NULL;
}

static void start_unit(struct cairn_qemu_thread *thread)
{
    struct cairn_context context = {.EL = 0, .security = CAIRN_NONSECURE, .SF = cairn_qemu.is_a64};

    if (cairn_qemu.settings.context_is_thread)
        context.context_id = (uint32_t)syscall(SYS_gettid);
    thread->clocked = cairn_unit_is_clocked(thread->unit) || cairn_qemu.settings.fifo_bytes > 0 ||
                      cairn_processor_is_timed(&thread->processor);
    thread->timed = (cairn_unit_needs(thread->unit) & CAIRN_UNIT_NEEDS_TIME) != 0;
    cairn_processor_enable(&thread->processor);
    cairn_processor_context(&thread->processor, &context);
}

/* QEMU gives the name that a thread takes to the thread that executes it. Before that it is QEMU's
 * own, which stands for none. */
static void own_name(char name[16])
{
    memset(name, 0, 16);
    if (prctl(PR_GET_NAME, name) != 0 || !strncmp(name, program_invocation_short_name, 15))
        name[0] = 0;
}

void cairn_qemu_thread_name(struct cairn_qemu_thread *thread)
{
    char name[sizeof thread->name];

    own_name(name);
    if (cairn_qemu.is_machine || !strcmp(name, thread->name))
        return;
    memcpy(thread->name, name, sizeof name);
    (void)!cairn_recorded_source_thread(thread->source, (uint64_t)syscall(SYS_gettid), name);
}

/* A recording that cannot be written any more tells so by itself. */
static void introduce(struct cairn_qemu_thread *thread)
{
    own_name(thread->name);
    if (!cairn_qemu.is_machine)
        (void)!cairn_recorded_source_thread(thread->source, (uint64_t)syscall(SYS_gettid),
                                            thread->name);
}

static struct cairn_qemu_thread *make_thread(unsigned cpu, cairn_entry entry)
{
    const bool started = cpu < CPUS && atomic_load(&inherits[cpu]);
    struct cairn_qemu_thread *thread = calloc(1, sizeof *thread);
    char name[NAME_SIZE];

    if (!thread)
        return NULL;
    if (cairn_qemu.is_machine)
        snprintf(name, sizeof name, "cpu_%llu", (unsigned long long)thread_count++);
    else
        snprintf(name, sizeof name, "thread_%llu", (unsigned long long)++thread_count);
    if (cairn_recorded_source_new(cairn_qemu.recording, name, &thread->source, NULL) == CAIRN_OK &&
        make_unit(thread) && cairn_qemu_filters_begin(thread, started, entry) == CAIRN_OK &&
        cairn_recorded_source_describe(thread->source, thread->unit) == CAIRN_OK) {
        introduce(thread);
        start_unit(thread);
        thread->previous = &cairn_qemu_nothing;
        thread->left = LOOK_EVERY;
        thread->chain = threads;
        threads = thread;
        return thread;
    }
    free_unit(thread);
    free(thread);
    return NULL;
}

/* In the thread that creates the other one, which is in its system call then. */
void cairn_qemu_on_cpu_init(qemu_id id, unsigned cpu)
{
    (void)id;
    if (cpu < CPUS)
        atomic_store(&inherits[cpu], cairn_qemu_self && cairn_qemu_self->started);
}

void cairn_qemu_thread_creates(struct cairn_qemu_thread *thread)
{
    thread->started = cairn_qemu_filters_start() && cairn_filters_started(thread->unit);
}

struct cairn_qemu_thread *cairn_qemu_thread_begin(unsigned cpu, cairn_entry entry)
{
    if (refused || atomic_load_explicit(&cairn_qemu.stopped, memory_order_relaxed))
        return NULL;
    pthread_mutex_lock(&lock);
    cairn_qemu_self = make_thread(cpu, entry);
    pthread_mutex_unlock(&lock);
    if (!cairn_qemu_self) {
        refused = true;
        atomic_fetch_add_explicit(&cairn_qemu.control->discontinuities, 1, memory_order_relaxed);
    }
    return cairn_qemu_self;
}

static void account(struct cairn_qemu_thread *thread)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(thread->unit, &counters);
    atomic_fetch_add_explicit(&cairn_qemu.control->instructions,
                              counters.instructions - thread->accounted, memory_order_relaxed);
    thread->accounted = counters.instructions;
    if (!cairn_qemu.leaves_a32_out)
        return;
    const uint64_t unseen = counters.instructions - counters.traced;
    atomic_fetch_add_explicit(&cairn_qemu.control->unseen, unseen - thread->unseen,
                              memory_order_relaxed);
    thread->unseen = unseen;
}

/* A thread with an empty trace, and why. */
static void account_start(const struct cairn_qemu_thread *thread)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(thread->unit, &counters);
    if (counters.traced == 0 && cairn_qemu_filters_start() && !cairn_filters_started(thread->unit))
        atomic_fetch_add_explicit(&cairn_qemu.control->not_started, 1, memory_order_relaxed);
}

void cairn_qemu_thread_end(struct cairn_qemu_thread *thread)
{
    thread->previous = &cairn_qemu_nothing;
    if (thread->unit) {
        cairn_qemu_settle_cycles(thread);
        cairn_processor_end(&thread->processor);
        cairn_processor_disable(&thread->processor);
        if (thread->explainer) {
            cairn_explain_end(thread->explainer);
            cairn_explain_rows(thread->explainer, thread->unit);
        }
        account(thread);
        account_start(thread);
        /* Without it the source has its registers from the start, only without final status. */
        (void)!cairn_recorded_source_describe(thread->source, thread->unit);
        if (thread->around)
            cairn_around_end(thread->around);
        free_unit(thread);
    }
    atomic_store(&thread->state, CAIRN_QEMU_TAKEN);
}

void cairn_qemu_thread_flush(struct cairn_qemu_thread *thread)
{
    cairn_qemu_settle_cycles(thread);
    (void)cairn_processor_position(&thread->processor);
    account(thread);
}

void cairn_qemu_on_cpu_exit(qemu_id id, unsigned cpu)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;

    (void)id;
    (void)cpu;
    if (!thread || cairn_qemu.abandoned)
        return;
    pthread_mutex_lock(&lock);
    for (struct cairn_qemu_thread **link = &threads; *link; link = &(*link)->chain) {
        if (*link == thread) {
            *link = thread->chain;
            break;
        }
    }
    cairn_qemu_self = NULL;
    refused = true;
    cairn_qemu_thread_name(thread);
    cairn_qemu_thread_end(thread);
    pthread_mutex_unlock(&lock);
    free(thread);
}

/* --- from outside --- */

bool cairn_qemu_asked_to_end(void)
{
    return atomic_load_explicit(&cairn_qemu.control->interrupt, memory_order_relaxed) != 0;
}

void cairn_qemu_thread_end_all(struct cairn_qemu_thread *thread)
{
    atomic_store(&cairn_qemu.stopped, true);
    cairn_qemu_thread_end(thread);
    if (cairn_qemu_take_all(false))
        atomic_store(&cairn_qemu.control->finished, 1);
}

void cairn_qemu_thread_look(struct cairn_qemu_thread *thread)
{
    thread->left = LOOK_EVERY;
    cairn_qemu_thread_flush(thread);
    cairn_qemu_thread_name(thread);
    if (cairn_processor_status(&thread->processor) != CAIRN_OK)
        cairn_qemu_thread_end(thread);
    else if (cairn_qemu_asked_to_end())
        cairn_qemu_thread_end_all(thread);
}

/* Makes the unit of a thread the caller's, if that is parked, or with `running` also if it executes
 * no translated code any more. Returns the state in which it was found. */
static int seize(struct cairn_qemu_thread *thread, bool running)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int state = atomic_load(&thread->state);

    for (int patience = PATIENCE_MS; patience > 0;) {
        if (state == CAIRN_QEMU_TAKEN || (state == CAIRN_QEMU_RUNNING && !running))
            return state;
        if (state == CAIRN_QEMU_BUSY) {
            patience--;
            nanosleep(&pause, NULL);
            state = atomic_load(&thread->state);
        } else if (atomic_compare_exchange_strong(&thread->state, &state, CAIRN_QEMU_BUSY)) {
            return state;
        }
    }
    return CAIRN_QEMU_BUSY;
}

bool cairn_qemu_take_all(bool running)
{
    bool all = true;

    pthread_mutex_lock(&lock);
    for (struct cairn_qemu_thread *thread = threads; thread; thread = thread->chain) {
        const int state = seize(thread, running);

        if (state == CAIRN_QEMU_RUNNING && running)
            cairn_qemu_leave_at_end(thread);
        if (state == CAIRN_QEMU_PARKED || (state == CAIRN_QEMU_RUNNING && running))
            cairn_qemu_thread_end(thread);
        else if (state != CAIRN_QEMU_TAKEN)
            all = false;
    }
    pthread_mutex_unlock(&lock);
    return all;
}

struct cairn_qemu_thread *cairn_qemu_thread_only(void)
{
    pthread_mutex_lock(&lock);
    struct cairn_qemu_thread *only = threads;
    pthread_mutex_unlock(&lock);
    return only;
}

bool cairn_qemu_all_in_kernel(void)
{
    bool all = true;

    pthread_mutex_lock(&lock);
    for (const struct cairn_qemu_thread *thread = threads; thread; thread = thread->chain) {
        const int state = atomic_load(&thread->state);
        all = all && (state == CAIRN_QEMU_PARKED || state == CAIRN_QEMU_TAKEN);
    }
    pthread_mutex_unlock(&lock);
    return all;
}

bool cairn_qemu_is_previous(const struct cairn_qemu_tb *tb)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (const struct cairn_qemu_thread *thread = threads; thread && !found; thread = thread->chain)
        found = thread->previous == tb;
    pthread_mutex_unlock(&lock);
    return found;
}

/* --- the process --- */

void cairn_qemu_on_exit(qemu_id id, void *data)
{
    (void)id;
    (void)data;
    if (cairn_qemu.abandoned)
        return;
    atomic_store(&cairn_qemu.stopped, true);
    if (cairn_qemu.is_machine)
        cairn_qemu_machine_end(cairn_qemu_thread_only());
    if (cairn_qemu_take_all(true))
        atomic_store(&cairn_qemu.control->finished, 1);
}

static void in_parent(void)
{
    if (!cairn_qemu.abandoned)
        atomic_fetch_add(&cairn_qemu.control->forks, 1);
}

/* Only the forking thread goes on, and any lock may be held for ever by a thread that is gone. */
static void in_child(void)
{
    cairn_qemu.abandoned = true;
    atomic_store(&cairn_qemu.stopped, true);
    refused = true;
    if (cairn_qemu_self) {
        cairn_qemu_self->previous = &cairn_qemu_nothing;
        atomic_store(&cairn_qemu_self->state, CAIRN_QEMU_TAKEN);
    }
    cairn_recording_abandon(cairn_qemu.recording);
}

bool cairn_qemu_watch_forks(void)
{
    return pthread_atfork(NULL, in_parent, in_child) == 0;
}
