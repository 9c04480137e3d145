/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls: an exception to the kernel, whose execution is not seen; and those calls that tell
 * what will become of the thread. */
#include "machine/qemu/plugin.h"

/* asm/unistd.h of arm64 and arm; 0 where a target does not have the call. */
struct numbers {
    int64_t sigaction, rt_sigaction, exit, execve, execveat;
    int64_t mmap, munmap, mremap;
    int64_t clone, clone3;
    int64_t prctl;
};
static const struct numbers aarch64 = {.rt_sigaction = 134,
                                       .exit = 93,
                                       .execve = 221,
                                       .execveat = 281,
                                       .mmap = 222,
                                       .munmap = 215,
                                       .mremap = 216,
                                       .clone = 220,
                                       .clone3 = 435,
                                       .prctl = 167};
static const struct numbers arm = {.sigaction = 67,
                                   .rt_sigaction = 174,
                                   .exit = 1,
                                   .execve = 11,
                                   .execveat = 387,
                                   .mmap = 192,
                                   .munmap = 91,
                                   .mremap = 163,
                                   .clone = 120,
                                   .clone3 = 435,
                                   .prctl = 172};

static const struct numbers *numbers(void)
{
    return cairn_qemu.is_a64 ? &aarch64 : &arm;
}

/* The handler is the first word of every struct sigaction; 0 and 1 are SIG_DFL and SIG_IGN. */
static void learn_handler(uint64_t action)
{
    uint64_t handler = 0;

    if (action != 0 && cairn_qemu_guest_read(action, &handler, cairn_qemu.is_a64 ? 8 : 4) &&
        handler > 1)
        cairn_qemu_handler(handler);
}

static void leave_for_kernel(struct cairn_qemu_thread *thread)
{
    const struct cairn_qemu_tb *previous = thread->previous;

    if (!previous->calls_kernel) {
        cairn_qemu_lose(thread);
        return;
    }
    cairn_qemu_complete(thread, cairn_qemu_behind(previous));
    cairn_qemu_except(thread, CAIRN_EXCEPTION_CALL, cairn_qemu_behind(previous));
}

void cairn_qemu_leave_at_end(struct cairn_qemu_thread *thread)
{
    const struct cairn_qemu_tb *previous = thread->previous;

    if (thread->unit && previous->calls_kernel && !previous->may_skip)
        leave_for_kernel(thread);
}

static bool replaces_program(int64_t number)
{
    return number == numbers()->execve || number == numbers()->execveat;
}

void cairn_qemu_on_syscall(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
                           uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                           uint64_t a8)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;
    int state = CAIRN_QEMU_RUNNING;

    (void)a1, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    if (cairn_qemu.abandoned)
        return;
    if (number == numbers()->rt_sigaction || (number && number == numbers()->sigaction))
        learn_handler(a2);
    if (!thread || !atomic_compare_exchange_strong(&thread->state, &state, CAIRN_QEMU_BUSY))
        return;
    leave_for_kernel(thread);
    if (number == numbers()->exit) {
        /* Parked, so that who ends the recording meanwhile takes the unit, and does not wait, with
         * the lock in its hands, for a thread that waits for the lock. */
        atomic_store(&thread->state, CAIRN_QEMU_PARKED);
        cairn_qemu_on_cpu_exit(id, cpu);
        return;
    }
    if (cairn_qemu_asked_to_end()) {
        cairn_qemu_thread_end_all(thread);
        return;
    }
    if (number == numbers()->clone || number == numbers()->clone3)
        cairn_qemu_thread_creates(thread);
    cairn_qemu_thread_flush(thread);
    atomic_store(&thread->state, CAIRN_QEMU_PARKED);
    if (replaces_program(number)) {
        atomic_fetch_add(&cairn_qemu.control->execs, 1);
        if (cairn_qemu_all_in_kernel())
            atomic_store(&cairn_qemu.control->finished, 1);
    }
}

void cairn_qemu_on_syscall_return(qemu_id id, unsigned cpu, int64_t number, int64_t result)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;
    int state = CAIRN_QEMU_PARKED;

    (void)id;
    (void)cpu;
    if (number == numbers()->prctl && result == 0 && thread && !cairn_qemu.abandoned &&
        atomic_compare_exchange_strong(&thread->state, &state, CAIRN_QEMU_BUSY)) {
        cairn_qemu_thread_name(thread);
        atomic_store(&thread->state, CAIRN_QEMU_PARKED);
    }
    if (number == numbers()->mmap || number == numbers()->munmap || number == numbers()->mremap)
        cairn_qemu_mappings_change();
    /* Whoever returns from it was not replaced. */
    if (thread && !cairn_qemu.abandoned && replaces_program(number) &&
        atomic_load(&thread->state) == CAIRN_QEMU_PARKED) {
        atomic_fetch_sub(&cairn_qemu.control->execs, 1);
        atomic_store(&cairn_qemu.control->finished, 0);
    }
}
