/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the world outside, and the recording's end. */
#include <sched.h>
#include <time.h>

#include "base/bytes.h"
#include "machine/system/system.h"

enum {
    LOOK_EVERY = 1 << 18, /* instructions */
    PATIENCE_MS = 1000,   /* for a core that executes while another one ends the machine */
};
#define OPCODE 0xffe0001fu /* of an instruction that raises an exception */
#define HVC 0xd4000002u
#define SMC 0xd4000003u
#define HLT 0xd4400000u

static void account(struct cairn_system_core *core)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_counters(core->unit, &counters);
    atomic_fetch_add_explicit(&cairn_system.control->instructions,
                              counters.instructions - core->accounted, memory_order_relaxed);
    atomic_fetch_add_explicit(&cairn_system.traced, counters.traced - core->traced,
                              memory_order_relaxed);
    core->accounted = counters.instructions;
    core->traced = counters.traced;
}

/* Everything that was told is written out: whatever ends the process, no more than what comes after is lost. */
static void flush(struct cairn_system_core *core)
{
    cairn_system_settle_cycles(core);
    (void)cairn_unit_position(core->unit);
    account(core);
}

/* HVC and SMC of a core that is switched off: they call the emulator, which is not seen. */
static void leave(struct cairn_system_core *core, unsigned type, uint64_t back)
{
    if (core->prohibited)
        return;
    cairn_system_settle_cycles(core);
    cairn_unit_exception(core->unit, type, back, CAIRN_ISA_A64);
    cairn_system_prohibit(core, true);
}

/* Tells what was executed up to PC. `halted`: what is at PC is being executed, HLT of a semihosting call. */
static void settle_at_PC(struct cairn_system_core *core, bool halted)
{
    const struct cairn_host_code *code = core->code;
    const uint64_t PC = *core->host.PC;

    if (code == &cairn_system_nothing)
        return;
    const uint32_t word = cairn_load_le32(code->bytes + code->last) & OPCODE;
    if (halted && word == HLT && PC == code->address + code->last) {
        cairn_system_settle(core, PC, true);
        leave(core, CAIRN_EXCEPTION_DEBUG_HALT, PC);
        return;
    }
    cairn_system_settle(core, PC, false);
    if ((word == HVC || word == SMC) && PC == code->address + code->size)
        leave(core, CAIRN_EXCEPTION_CALL, PC);
}

/* The core's part is the caller's. */
static void end(struct cairn_system_core *core)
{
    core->code = &cairn_system_nothing;
    if (core->unit) {
        cairn_system_settle_cycles(core);
        cairn_unit_disable(core->unit);
        account(core);
        if (core->traced == 0 &&
            cairn_filters_have(&cairn_system.settings.filters, CAIRN_FILTER_START))
            atomic_fetch_add_explicit(&cairn_system.control->not_started, 1, memory_order_relaxed);
        (void)!cairn_recorded_source_describe(core->source, core->unit);
        cairn_unit_free(core->unit);
        core->unit = NULL;
    }
    atomic_store(&core->state, CAIRN_SYSTEM_ENDED);
}

int64_t cairn_system_until_look(void)
{
    const uint64_t limit = cairn_system.settings.limit;
    const uint64_t traced = atomic_load_explicit(&cairn_system.traced, memory_order_relaxed);

    if (limit == 0 || traced >= limit || limit - traced > LOOK_EVERY)
        return LOOK_EVERY;
    return (int64_t)(limit - traced);
}

static bool is_over(void)
{
    const uint64_t limit = cairn_system.settings.limit;

    return atomic_load_explicit(&cairn_system.stopped, memory_order_relaxed) ||
           atomic_load_explicit(&cairn_system.control->interrupt, memory_order_relaxed) ||
           (limit > 0 && atomic_load_explicit(&cairn_system.traced, memory_order_relaxed) >= limit);
}

bool cairn_system_look(struct cairn_system_core *core)
{
    flush(core);
    core->left = cairn_system_until_look();
    /* The disk is full: the machine goes on. */
    if (cairn_unit_status(core->unit) != CAIRN_OK) {
        end(core);
        return false;
    }
    if (!is_over())
        return true;
    if (!atomic_exchange(&cairn_system.stopped, true))
        cairn_qemu_quit();
    end(core);
    return false;
}

bool cairn_system_wake(struct cairn_system_core *core)
{
    int state = atomic_load_explicit(&core->state, memory_order_acquire);

    if (CAIRN_LIKELY(state == CAIRN_SYSTEM_RUNNING))
        return true;
    if (state == CAIRN_SYSTEM_ABSENT)
        return cairn_system_begin(core);
    state = CAIRN_SYSTEM_WAITING;
    return atomic_compare_exchange_strong(&core->state, &state, CAIRN_SYSTEM_RUNNING);
}

/* In the core's thread, which executes nothing until an interrupt comes, or it is switched on. */
void cairn_system_on_wait(qemu_id id, unsigned cpu)
{
    struct cairn_system_core *core = &cairn_system.cores[cpu < CAIRN_SYSTEM_CORES ? cpu : 0];

    (void)id;
    if (cpu >= CAIRN_SYSTEM_CORES || atomic_load(&core->state) != CAIRN_SYSTEM_RUNNING)
        return;
    const bool contexts = core->code->writes;
    settle_at_PC(core, false);
    if (contexts)
        cairn_system_enter(core);
    flush(core);
    atomic_store(&core->state, CAIRN_SYSTEM_WAITING);
}

/* --- the end --- */

/* Ends the core, if that is possible without waiting. `paused`: no core executes. */
static bool try_end(struct cairn_system_core *core, bool paused, bool is_own)
{
    int waiting = CAIRN_SYSTEM_WAITING;
    const int state = atomic_load(&core->state);

    if (state == CAIRN_SYSTEM_ENDED || state == CAIRN_SYSTEM_ABSENT)
        return true;
    if (state == CAIRN_SYSTEM_RUNNING && (paused || is_own)) {
        settle_at_PC(core, is_own);
        end(core);
        return true;
    }
    if (!atomic_compare_exchange_strong(&core->state, &waiting, CAIRN_SYSTEM_BUSY))
        return false;
    end(core);
    return true;
}

void cairn_system_on_exit(qemu_id id, void *data)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct cairn_system_core *here = cairn_system_here();
    bool all = false;

    (void)id;
    (void)data;
    atomic_store(&cairn_system.stopped, true);
    /* A core that is at a device, about to wait, or has to execute something alone would come to no look. */
    const bool locked = here && cairn_host_leave(&here->host);
    for (int patience = PATIENCE_MS; !all && patience > 0; patience--) {
        all = true;
        for (unsigned i = 0; i < CAIRN_SYSTEM_CORES; i++) {
            struct cairn_system_core *core = &cairn_system.cores[i];
            const bool is_own =
                core == here || (here && atomic_load(&core->state) == CAIRN_SYSTEM_RUNNING &&
                                 pthread_equal(core->thread, pthread_self()));

            all = try_end(core, !here, is_own) && all;
        }
        if (!all)
            nanosleep(&pause, NULL);
    }
    cairn_host_left(locked);
    if (all)
        atomic_store(&cairn_system.control->finished, 1);
}
