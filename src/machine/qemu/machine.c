/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine's code, executed; and its end. As in execute.c a TB is told when the next one begins.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

void cairn_qemu_machine_settle(struct cairn_qemu_thread *thread, cairn_entry stop,
                               enum cairn_qemu_why why)
{
    const struct cairn_qemu_tb *previous = thread->previous;

    if (previous == &cairn_qemu_nothing)
        return;
    const bool inside = cairn_qemu_contains(previous, stop);
    const bool at_last = inside && stop - previous->entry == previous->last;
    if (!thread->partial && cairn_qemu_leads(previous, stop) &&
        !(at_last && why == CAIRN_QEMU_FAULT))
        cairn_qemu_complete(thread, stop);
    else if (inside)
        cairn_qemu_complete_until(thread, stop);
    else
        cairn_qemu_lose(thread);
}

/* True if the machine is to end here. */
static bool reached_limit(struct cairn_qemu_thread *thread)
{
    const uint64_t limit = cairn_qemu.settings.limit;

    if (limit == 0)
        return false;
    if (thread->accounted >= limit)
        return true;
    if ((uint64_t)thread->left > limit - thread->accounted)
        thread->left = (int64_t)(limit - thread->accounted);
    return false;
}

/* False: the recording has ended. */
static bool look(struct cairn_qemu_thread *thread)
{
    cairn_qemu_thread_look(thread);
    if (thread->unit && reached_limit(thread))
        cairn_qemu_thread_end_all(thread);
    if (atomic_load_explicit(&cairn_qemu.stopped, memory_order_relaxed))
        cairn_qemu_quit();
    return thread->unit != NULL;
}

/* NULL once the machine was found to be one that cannot be recorded. */
static struct cairn_qemu_thread *start(const struct cairn_qemu_tb *tb)
{
    struct cairn_qemu_thread *thread = NULL;

    if (atomic_load_explicit(&cairn_qemu.stopped, memory_order_relaxed))
        return NULL;
    if (cairn_qemu_core_find()) {
        thread = cairn_qemu_thread_begin(0, tb->entry);
    } else {
        static const char why[] = "cairn: the machine's core is no Cortex-M, or this QEMU does not "
                                  "show its state as Debian 12's (7.2) does\n";
        atomic_store(&cairn_qemu.stopped, true);
        if (write(STDERR_FILENO, why, sizeof why - 1) > 0)
            cairn_qemu_quit();
    }
    if (thread) {
        thread->left = -1; /* the limit may be near */
        thread->secure = *cairn_qemu_core.secure != 0;
    }
    return thread;
}

/* A return may be chained to what is pending when it is executed. What makes an exception pending
 * ends its TB, as every access to a device does under -icount. */
static inline void look_at_pending(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    if (CAIRN_UNLIKELY(tb->returns) && thread->exception != 0)
        thread->waiting = cairn_qemu_waiting();
}

static __attribute__((noinline)) void on_tb_slowly(const struct cairn_qemu_tb *tb)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;

    if (!thread)
        thread = start(tb);
    if (!thread || atomic_load_explicit(&thread->state, memory_order_relaxed) != CAIRN_QEMU_RUNNING)
        return;
    if (cairn_qemu.data)
        cairn_qemu_data_result(thread, tb);
    if (!cairn_qemu_excepted(thread, tb->entry))
        cairn_qemu_machine_settle(thread, tb->entry, CAIRN_QEMU_BETWEEN);
    if (thread->left < 0 && !look(thread))
        return;
    thread->left -= tb->instructions;
    cairn_qemu_begin(thread, tb);
    look_at_pending(thread, tb);
    if (cairn_qemu.every_one)
        thread->passed = cairn_qemu_condition_holds(tb->condition);
    if (cairn_qemu.data)
        cairn_qemu_data_begin(thread, tb);
}

/* What most TBs cost besides the unit. */
void cairn_qemu_on_machine_tb(unsigned cpu, void *data)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;
    const struct cairn_qemu_tb *tb = data;

    (void)cpu;
    if (CAIRN_UNLIKELY(!thread)) {
        on_tb_slowly(tb);
        return;
    }

    const struct cairn_qemu_tb *previous = thread->previous;
    const cairn_entry entry = tb->entry;
    const bool leads = previous->anywhere | (entry == previous->next) | (entry == previous->target);
    const uint64_t epoch = atomic_load_explicit(&tb->epoch, memory_order_relaxed);
    if (CAIRN_UNLIKELY(!leads | thread->partial | (tb->size == 0) | (epoch > thread->epoch) |
                       (thread->left < 0) | thread->clocked | (previous->count != 1) |
                       cairn_qemu.every_one) ||
        CAIRN_UNLIKELY(*cairn_qemu_core.exception != thread->exception) ||
        CAIRN_UNLIKELY((*cairn_qemu_core.secure != 0) != thread->secure) ||
        CAIRN_UNLIKELY(cairn_qemu_may_chain(previous))) {
        on_tb_slowly(tb);
        return;
    }

    const bool taken = previous->always | (entry != previous->next);
    thread->previous = tb;
    thread->partial = tb->guarded;
    thread->left -= tb->instructions;
    look_at_pending(thread, tb);
    cairn_processor_execute(&thread->processor, previous->blocks, taken);
}

/* A semihosting call that ends the machine does so while it is executed. */
void cairn_qemu_machine_end(struct cairn_qemu_thread *thread)
{
    if (!thread || !thread->unit || thread->previous == &cairn_qemu_nothing)
        return;
    const struct cairn_qemu_tb *previous = thread->previous;
    const cairn_entry pc = cairn_qemu_core.registers[CAIRN_QEMU_CORE_PC] | 1;
    if (thread == cairn_qemu_self && pc == previous->entry + previous->last &&
        !cairn_qemu_leads(previous, pc))
        cairn_qemu_complete(thread, cairn_qemu_behind(previous));
    else if (!cairn_qemu_excepted(thread, pc)) /* whose handler did not begin */
        cairn_qemu_machine_settle(thread, pc, CAIRN_QEMU_BETWEEN);
}

/* QEMU is about to end by it; the handler is called once. */
static void on_abort(int number)
{
    (void)number;
    cairn_qemu_on_exit(cairn_qemu.id, NULL);
}

void cairn_qemu_watch_abort(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_abort;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGABRT, &action, NULL);
}
