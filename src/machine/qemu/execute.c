/* SPDX-License-Identifier: BSD-2-Clause */
/* Executed code. A TB is told when the next one begins: only then is known how it ended. */
#include <sched.h>

#include "machine/qemu/plugin.h"

const struct cairn_qemu_tb cairn_qemu_nothing = {
    .entry = UINT64_MAX, .next = UINT64_MAX, .target = UINT64_MAX};

/* So many cycles more, and those that are owed. */
static void pass(struct cairn_qemu_thread *thread, uint32_t cycles)
{
    cycles += thread->cycles_owed;
    thread->cycles_owed = 0;
    if (!cycles)
        return;
    thread->time += cycles;
    cairn_processor_cycles(&thread->processor, cycles);
    if (thread->timed)
        cairn_processor_time(&thread->processor, thread->time);
}

void cairn_qemu_settle_cycles(struct cairn_qemu_thread *thread)
{
    pass(thread, 0);
}

/* What a unit tells is of the last instruction, whose cycle comes behind all others: so it does not show
 * where a block was cut. It is told with those of the next block, or before anything else is.
 * `tb`: whose data is to be told with it; or NULL */
static void tell_block(struct cairn_qemu_thread *thread, const struct cairn_block *block,
                       bool taken, const struct cairn_qemu_tb *tb)
{
    if (thread->clocked)
        pass(thread, block->count - 1);
    cairn_processor_execute(&thread->processor, block, taken);
    if (CAIRN_UNLIKELY(cairn_qemu.data) && tb)
        cairn_qemu_data_tell(thread, tb);
    thread->cycles_owed = thread->clocked;
}

static __attribute__((noinline)) void tell(struct cairn_qemu_thread *thread,
                                           const struct cairn_qemu_tb *tb, bool taken)
{
    const struct cairn_block *block = tb->blocks;

    if (CAIRN_UNLIKELY(cairn_qemu.every_one) && tb->condition != CAIRN_COND_AL)
        taken = thread->passed;
    /* What is P0 inside a TB is an ISB or a wait: always E. */
    for (uint32_t i = tb->count; i > 1; i--)
        tell_block(thread, block++, true, NULL);
    tell_block(thread, block, taken, tb);
}

void cairn_qemu_complete(struct cairn_qemu_thread *thread, cairn_entry next)
{
    const struct cairn_qemu_tb *tb = thread->previous;

    tell(thread, tb, tb->always || next != tb->next);
    thread->previous = &cairn_qemu_nothing;
}

void cairn_qemu_complete_return(struct cairn_qemu_thread *thread, uint32_t value)
{
    const struct cairn_qemu_tb *tb = thread->previous;
    struct cairn_block last = tb->blocks[tb->count - 1];

    last.flags |= CAIRN_INSN_ERET;
    last.target = value;
    thread->previous = &cairn_qemu_nothing;
    for (uint32_t i = 0; i + 1 < tb->count; i++)
        tell_block(thread, &tb->blocks[i], true, NULL);
    tell_block(thread, &last, true, tb);
}

/* The instructions of `block` in front of `stop`. */
static struct cairn_block cut(const struct cairn_qemu_tb *tb, const struct cairn_block *block,
                              uint64_t stop)
{
    const uint8_t *bytes = tb->bytes + (block->address - cairn_entry_address(tb->entry));
    struct cairn_block part = {.address = block->address, .isa = block->isa};
    struct cairn_insn insn;

    while (part.size < block->size && block->address + part.size < stop) {
        const unsigned size = cairn_insn_decode(&cairn_qemu.arch, (enum cairn_isa)block->isa,
                                                block->address + part.size, bytes + part.size,
                                                block->size - part.size, &insn);
        if (size == 0)
            break;
        part.size += size;
        part.last_size = (uint8_t)size;
        part.count++;
    }
    return part;
}

void cairn_qemu_complete_until(struct cairn_qemu_thread *thread, cairn_entry stop)
{
    const struct cairn_qemu_tb *tb = thread->previous;
    const uint64_t address = cairn_entry_address(stop);

    thread->previous = &cairn_qemu_nothing;
    for (uint32_t i = 0; i < tb->count && tb->blocks[i].address < address; i++) {
        const struct cairn_block *block = &tb->blocks[i];
        if (block->address + block->size <= address) {
            tell_block(thread, block, true, NULL);
        } else {
            const struct cairn_block part = cut(tb, block, address);
            tell_block(thread, &part, false, NULL);
        }
    }
}

static void prohibit(struct cairn_qemu_thread *thread, bool prohibited)
{
    if (thread->prohibited != prohibited) {
        cairn_qemu_settle_cycles(thread);
        cairn_processor_prohibit(&thread->processor, prohibited);
    }
    thread->prohibited = prohibited;
}

void cairn_qemu_lose(struct cairn_qemu_thread *thread)
{
    if (thread->previous == &cairn_qemu_nothing)
        return;
    thread->previous = &cairn_qemu_nothing;
    atomic_fetch_add_explicit(&cairn_qemu.control->discontinuities, 1, memory_order_relaxed);
    /* The next block may happen to be where the last one told leads, and still not follow it. */
    prohibit(thread, true);
}

void cairn_qemu_except(struct cairn_qemu_thread *thread, unsigned type, cairn_entry back)
{
    cairn_qemu_settle_cycles(thread);
    cairn_processor_exception(&thread->processor, type, cairn_entry_address(back),
                              cairn_qemu.is_a64 ? CAIRN_ISA_A64
                              : back & 1        ? CAIRN_ISA_T32
                                                : CAIRN_ISA_A32);
    prohibit(thread, true);
}

static inline bool is_special(const struct cairn_qemu_tb *tb)
{
    return atomic_load_explicit(&tb->special, memory_order_relaxed);
}

/* What became of `previous`, in every case that is not the plain one. */
static void settle(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    const struct cairn_qemu_tb *previous = thread->previous;

    if (previous == &cairn_qemu_nothing)
        return;
    if (is_special(tb) && cairn_qemu_is_handler(tb->entry)) {
        if (cairn_qemu_signalled(thread))
            return;
        /* Called or signalled: without registers nobody knows. */
        if (!cairn_qemu_guest_has_registers()) {
            cairn_qemu_lose(thread);
            return;
        }
    }
    if (cairn_qemu_leads(previous, tb->entry) && !thread->partial) {
        cairn_qemu_complete(thread, tb->entry);
    } else if (previous->calls_kernel && cairn_qemu_leads(previous, tb->entry)) {
        /* Skipped, or answered by the emulator without its callback for system calls. */
        cairn_qemu_complete(thread, tb->entry);
        if (!previous->may_skip)
            cairn_qemu_except(thread, CAIRN_EXCEPTION_CALL, cairn_qemu_behind(previous));
    } else if (cairn_qemu_contains(previous, tb->entry)) {
        cairn_qemu_complete_until(thread, tb->entry);
    } else {
        cairn_qemu_lose(thread);
    }
}

void cairn_qemu_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb)
{
    if (tb->size == 0) {
        prohibit(thread, true);
        return;
    }
    if (atomic_load_explicit(&tb->program, memory_order_relaxed) > thread->program)
        cairn_qemu_filters_renew(thread, tb->entry);
    const uint64_t epoch = atomic_load_explicit(&tb->epoch, memory_order_relaxed);
    if (epoch > thread->epoch) {
        cairn_qemu_settle_cycles(thread);
        const uint64_t position = cairn_processor_position(&thread->processor);
        thread->epoch = epoch;
        if (cairn_recorded_source_epoch(thread->source, epoch, position) != CAIRN_OK)
            atomic_fetch_add_explicit(&cairn_qemu.control->discontinuities, 1,
                                      memory_order_relaxed);
    }
    prohibit(thread, false);
    thread->previous = tb;
    thread->partial = tb->guarded;
}

/* Back from the kernel; false if somebody ended this thread's tracing meanwhile. */
static bool unpark(struct cairn_qemu_thread *thread)
{
    for (;;) {
        int state = CAIRN_QEMU_PARKED;
        if (atomic_compare_exchange_strong(&thread->state, &state, CAIRN_QEMU_RUNNING))
            return true;
        if (state != CAIRN_QEMU_BUSY)
            return state == CAIRN_QEMU_RUNNING;
        sched_yield();
    }
}

__attribute__((noinline)) void cairn_qemu_follow(unsigned cpu, const struct cairn_qemu_tb *tb)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;

    if (!thread)
        thread = cairn_qemu_thread_begin(cpu, tb->entry);
    if (!thread || !unpark(thread))
        return;
    if (thread->left < 0) {
        cairn_qemu_thread_look(thread);
        if (atomic_load_explicit(&thread->state, memory_order_relaxed) != CAIRN_QEMU_RUNNING)
            return;
    }
    settle(thread, tb);
    cairn_qemu_begin(thread, tb);
}

/* Run for every TB: what follows is all that most of them cost besides the unit. */
void cairn_qemu_on_tb(unsigned cpu, void *data)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;
    const struct cairn_qemu_tb *tb = data;

    if (CAIRN_UNLIKELY(!thread)) {
        cairn_qemu_follow(cpu, tb);
        return;
    }

    const struct cairn_qemu_tb *previous = thread->previous;
    const cairn_entry entry = tb->entry;
    const bool leads = previous->anywhere | (entry == previous->next) | (entry == previous->target);
    const uint64_t epoch = atomic_load_explicit(&tb->epoch, memory_order_relaxed);
    const uint32_t program = atomic_load_explicit(&tb->program, memory_order_relaxed);
    if (CAIRN_UNLIKELY(!leads | thread->partial | is_special(tb) | (epoch > thread->epoch) |
                       (program > thread->program) | (thread->left < 0))) {
        cairn_qemu_follow(cpu, tb);
        return;
    }

    const bool taken = previous->always | (entry != previous->next);
    thread->previous = tb;
    thread->partial = tb->guarded;
    thread->left -= tb->instructions;
    if (CAIRN_UNLIKELY(thread->clocked | (previous->count != 1)))
        tell(thread, previous, taken);
    else
        cairn_processor_execute(&thread->processor, previous->blocks, taken);
}

void cairn_qemu_on_end(unsigned cpu, void *data)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;

    (void)cpu;
    (void)data;
    if (CAIRN_LIKELY(thread != NULL))
        thread->partial = false;
}
