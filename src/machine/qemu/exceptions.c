/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of the M profile, of which QEMU tells no plugin. They show at the start of a TB: IPSR
 * or the security state has changed, or LR is an EXC_RETURN behind a branch that may have been a
 * return. The frame that EXC_RETURN names tells the rest: the return address, and with the stacked
 * IPSR what was interrupted (DDI0403 B1.5.6 to B1.5.8; DDI0553 B3.18 to B3.22 for Armv8-M).
 *
 *     stacked IPSR is that of `previous`      an exception was taken there
 *     it is one beneath, that is active, too  `previous` returned, and this one was chained to it
 *     the same, it was not pending before,    `previous` returned there, and this one was taken at
 *     and registers are as they were stacked  once
 *     it is another one, or the same that     that was taken, and preempted at its first
 *     stands at its first instruction again   instruction
 *
 * Each security state has an exception of the same number, and a call from a Secure handler to
 * Non-secure code shows IPSR as 1: crossings.c, for which a call is as an exception here. */
#include <string.h>

#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

enum {
    DEPTH = 256, /* exceptions that are active at the same time: one for each priority */
    STEPS = 8,   /* exceptions that are taken with no instruction in between */
    IPSR = 0x1ff,
    FUNCTION_CALLED = 1, /* in Non-secure code that a Secure handler has called */
    HARD_FAULT = 3,
    DEBUG_MONITOR = 12,
    FRAME_LR = 0x14,
    FRAME_XPSR = 0x1c,
    FRAME = 0x20,
    FRAME_EXTENDED = 0x68, /* with floating-point registers */
    XPSR_PADDED = 1 << 9,
    REGISTERS_IN_FRAME = 5, /* R0 to R3, R12 */
    CONTROL_SPSEL = 1 << 1,
    CONTROL_FPCA = 1 << 2,
    RETURN_TO_SECURE = 1 << 0, /* EXC_RETURN: ES, of the handler itself */
    RETURN_SPSEL = 1 << 2,     /* the frame is on the process stack, if ES = S */
    RETURN_THREAD = 1 << 3,
    RETURN_BASIC = 1 << 4,   /* the frame has no floating-point registers */
    RETURN_DEFAULT = 1 << 5, /* DCRS: with ES, the other callee-saved registers are in none */
    RETURN_SECURE = 1 << 6,  /* S: the frame is on a stack of Secure state */
    SG_SIZE = 4,
    CALLEE_REGISTERS = 0x28, /* what is below such a frame: a signature and R4 to R11 */
};

struct step {
    uint32_t number;
    uint32_t value;   /* EXC_RETURN, at its entry; 0: a call to Non-secure code */
    uint32_t frame;   /* on the stack */
    bool secure;      /* the state that its handler runs in */
    cairn_entry back; /* return address */
};

#define FNC_RETURN UINT32_C(0xfeffffff)
#define ICSR 0xe000ed04u /* VECTPENDING: its bits 20:12 */
#define ICSR_PENDING 12

/* The stack pointers as they are, or were. */
struct stacks {
    uint32_t main[CAIRN_QEMU_CORE_BANKS], process[CAIRN_QEMU_CORE_BANKS];
};

/* Entered and not returned from, the newest last. A machine has one core. */
static struct step active[DEPTH];
static unsigned depth;

static bool is_active(uint32_t number)
{
    for (unsigned i = 0; i < depth; i++)
        if (active[i].number == number)
            return true;
    return number == 0;
}

/* The exception of this security state. */
static bool is_active_there(uint32_t number, bool secure)
{
    for (unsigned i = 0; i < depth; i++)
        if (active[i].number == number && active[i].secure == secure)
            return true;
    return number == 0;
}

static void push(const struct step *step)
{
    if (depth < DEPTH)
        active[depth++] = *step;
}

/* The newest has ended, and whatever is above `number`. */
static void pop_to(uint32_t number)
{
    if (depth > 0)
        depth--;
    while (depth > 0 && active[depth - 1].number != number)
        depth--;
}

static bool is_exc_return(uint32_t value)
{
    return value >> 24 == 0xff;
}

void cairn_qemu_call_begins(uint32_t number)
{
    push(&(struct step){.number = number});
}

void cairn_qemu_call_ends(uint32_t number)
{
    pop_to(number);
}

static bool is_vector(uint32_t number, cairn_entry entry)
{
    uint32_t handler = 0;

    for (unsigned bank = 0; bank < CAIRN_QEMU_CORE_BANKS; bank++)
        if (cairn_qemu_core_read(*cairn_qemu_core.vectors[bank] + 4 * number, &handler,
                                 sizeof handler) &&
            (handler | 1) == entry)
            return true;
    return false;
}

uint32_t cairn_qemu_waiting(void)
{
    uint32_t state = 0;

    return cairn_qemu_core_read(ICSR, &state, sizeof state) ? state >> ICSR_PENDING & IPSR : 0;
}

bool cairn_qemu_at_handler(cairn_entry entry)
{
    const uint32_t number = *cairn_qemu_core.exception;

    return number != 0 && is_exc_return(cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR]) &&
           is_vector(number, entry);
}

/* Faults and calls are of an instruction; whatever else comes between two. */
static enum cairn_qemu_why cause(uint32_t number)
{
    return number >= HARD_FAULT && number <= DEBUG_MONITOR ? CAIRN_QEMU_FAULT : CAIRN_QEMU_BETWEEN;
}

/* An exception has interrupted that of the same number of the other state, or what that called. */
static bool is_nested(void)
{
    return depth > 1 && active[depth - 1].number == active[depth - 2].number;
}

bool cairn_qemu_may_chain(const struct cairn_qemu_tb *previous)
{
    if (!previous->anywhere || *cairn_qemu_core.exception == 0)
        return false;
    return is_exc_return(cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR])
               ? previous->returns || cairn_qemu_core.has_security
               : previous->returns && is_nested();
}

static void set_bit(uint32_t *value, uint32_t bit, bool is_set)
{
    *value = is_set ? *value | bit : *value & ~bit;
}

/* Whose CONTROL.SPSEL an EXC_RETURN has: that of the handler's state, which it returns to or not.
 */
static bool bank_of_handler(uint32_t value)
{
    return cairn_qemu_core.has_security ? (value & RETURN_TO_SECURE) != 0
                                        : *cairn_qemu_core.secure != 0;
}

/* The EXC_RETURN that led here, of which LR has nothing left: as the handler was given it, with the
 * bits that show in where it led. */
static uint32_t value_of_return(uint32_t at_entry, uint32_t number)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const uint32_t control = *core->control[bank_of_handler(at_entry)];
    uint32_t value = at_entry;

    set_bit(&value, RETURN_THREAD, number == 0);
    set_bit(&value, RETURN_SPSEL,
            (number == 0 || core->has_security) && (control & CONTROL_SPSEL) != 0);
    set_bit(&value, RETURN_BASIC, !(*core->control[CAIRN_QEMU_CORE_SECURE] & CONTROL_FPCA));
    if (core->has_security)
        set_bit(&value, RETURN_SECURE, *core->secure != 0);
    return value;
}

/* The EXC_RETURN by which a handler was left for another one, which was given `next`: the bits of
 * the handler's own side as that was given them. */
static uint32_t value_of_chain(uint32_t next)
{
    const uint32_t own = depth > 0 ? active[depth - 1].value : 0;
    uint32_t mask = RETURN_TO_SECURE | RETURN_DEFAULT;

    if (!cairn_qemu_core.has_security || own == 0)
        return next;
    if ((own ^ next) & RETURN_TO_SECURE)
        mask |= RETURN_SPSEL;
    return (next & ~mask) | (own & mask);
}

/* What the core reads or writes by itself. Its words are still in memory, as nothing was executed
 * since. Those of floating-point registers are not told: they are written later, if at all. */
static void tell_frame(struct cairn_qemu_thread *thread, uint32_t frame, uint32_t flags)
{
    uint32_t words[FRAME / 4] = {0};

    cairn_qemu_settle_cycles(thread);
    if (!cairn_qemu_core_read(frame, words, sizeof words))
        flags |= CAIRN_UNIT_DATA_NO_VALUE;
    for (uint32_t i = 0; i < FRAME / 4; i++) {
        const struct cairn_unit_transfer word = {.address = frame + 4 * i,
                                                 .value = words[i],
                                                 .bytes = 4,
                                                 .flags = flags | CAIRN_UNIT_DATA_STACKING};

        cairn_processor_data(&thread->processor, &word);
    }
}

/* Where the frame was that a return has taken from the stack. */
static uint32_t popped_frame(uint32_t value)
{
    const uint32_t sp = cairn_qemu_core.registers[CAIRN_QEMU_CORE_SP];
    const uint32_t frame = sp - (value & RETURN_BASIC ? FRAME : FRAME_EXTENDED);
    uint32_t xpsr = 0;

    if (cairn_qemu_core_read(frame - 4 + FRAME_XPSR, &xpsr, sizeof xpsr) && (xpsr & XPSR_PADDED) &&
        (sp & 4))
        return frame - 4;
    return frame;
}

/* The return by `value` led to Non-secure code at SG, which QEMU has executed at once. */
static bool is_through_gateway(uint32_t value, cairn_entry entry)
{
    return cairn_qemu_core.has_security && *cairn_qemu_core.secure && !(value & RETURN_SECURE) &&
           cairn_qemu_is_behind_gateway(entry);
}

static bool leave(struct cairn_qemu_thread *thread, uint32_t number, cairn_entry entry)
{
    if (!thread->previous->returns || thread->partial || depth == 0)
        return false;
    if (active[depth - 1].number == FUNCTION_CALLED) {
        cairn_qemu_complete_return(thread, FNC_RETURN); /* branched to in Secure state */
        pop_to(number);
        return true;
    }
    const uint32_t given = active[depth - 1].value;
    const bool enters = is_through_gateway(given, entry);
    uint32_t value = value_of_return(given, number);
    if (enters)
        value &= ~(uint32_t)RETURN_SECURE;
    cairn_qemu_complete_return(thread, value);
    tell_frame(thread, popped_frame(value), 0);
    pop_to(number);
    if (enters && cairn_qemu_pass_gateway(thread, entry))
        cairn_qemu_machine_settle(thread, entry, CAIRN_QEMU_BETWEEN);
    return true;
}

/* The core is in a handler. */
static struct stacks find_stacks(void)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const bool here = *core->secure != 0;
    struct stacks stacks;

    stacks.main[here] = core->registers[CAIRN_QEMU_CORE_SP];
    stacks.process[here] = *core->other_sp;
    stacks.main[!here] = *core->other_main;
    stacks.process[!here] = *core->other_process;
    return stacks;
}

/* The stack pointer that the frame of an EXC_RETURN is at, or above. */
static uint32_t *stack_of(struct stacks *stacks, uint32_t value)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const bool own = bank_of_handler(value);
    const bool bank = core->has_security ? (value & RETURN_SECURE) != 0 : own;
    const bool process =
        bank == own ? (value & RETURN_SPSEL) != 0
                    : (value & RETURN_THREAD) != 0 && (*core->control[bank] & CONTROL_SPSEL) != 0;

    return process ? &stacks->process[bank] : &stacks->main[bank];
}

/* Where Secure code was interrupted for a Non-secure handler, its other registers are stacked, too;
 * a Secure handler that is chained to that one leaves them there. */
static uint32_t below_frame(uint32_t value)
{
    return cairn_qemu_core.has_security && (value & RETURN_SECURE) &&
                   !((value & RETURN_TO_SECURE) && (value & RETURN_DEFAULT))
               ? CALLEE_REGISTERS
               : 0;
}

/* What was entered with no instruction in between, the newest first, and the IPSR it came from. */
struct entries {
    struct step steps[STEPS];
    unsigned count;
    uint32_t base;
};

/* Whether the handler that was interrupted had been entered anew, chained to itself. */
static bool is_new(const struct cairn_qemu_thread *thread, uint32_t number, uint32_t frame,
                   const uint32_t words[2])
{
    if (is_nested() && frame == active[depth - 1].frame) /* the other state's, as before */
        return false;
    return number == thread->exception && number != 0 && thread->previous->returns &&
           !thread->partial && is_exc_return(words[0]) && is_vector(number, words[1] | 1);
}

/* Nothing else was entered before; IPSR 1 is no exception's. */
static bool is_known(uint32_t base)
{
    return is_active(base) || (base == FUNCTION_CALLED && cairn_qemu_core.has_security);
}

static bool find_entries(const struct cairn_qemu_thread *thread, struct entries *entries,
                         uint32_t number, cairn_entry entry)
{
    uint32_t value = cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR];
    struct stacks stacks = find_stacks();
    uint32_t words[3]; /* LR, return address, xPSR */

    for (entries->count = 0; entries->count < STEPS;) {
        uint32_t *sp = stack_of(&stacks, value);
        const uint32_t frame = *sp + below_frame(value);

        if (!is_exc_return(value) || !is_vector(number, entry) ||
            !cairn_qemu_core_read(frame + FRAME_LR, words, sizeof words))
            return false;
        entries->steps[entries->count++] = (struct step){.number = number,
                                                         .value = value,
                                                         .frame = frame,
                                                         .secure = bank_of_handler(value),
                                                         .back = words[1] | 1};
        entries->base = words[2] & IPSR;
        if (is_known(entries->base) && !is_new(thread, entries->base, frame, words))
            return true;
        *sp = frame + (value & RETURN_BASIC ? FRAME : FRAME_EXTENDED) +
              (words[2] & XPSR_PADDED ? 4 : 0);
        number = entries->base;
        entry = words[1] | 1;
        value = words[0];
    }
    return false;
}

/* Whether the registers are those of the frame: they were taken from it before it was made. Of
 * Armv8.1-M, and where the handler is Non-secure, they have been cleared and tell nothing. */
static bool is_restored(const struct step *step)
{
    static const uint32_t cleared[REGISTERS_IN_FRAME];
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const uint32_t now[REGISTERS_IN_FRAME] = {core->registers[0], core->registers[1],
                                              core->registers[2], core->registers[3],
                                              core->registers[12]};
    uint32_t then[REGISTERS_IN_FRAME];

    if (!cairn_qemu_core_read(step->frame, then, sizeof then))
        return false;
    return memcmp(then, now, sizeof now) == 0 ||
           (core->has_security && (!*core->secure || cairn_qemu.arch.minor > 0) &&
            memcmp(cleared, now, sizeof now) == 0);
}

static enum cairn_qemu_crossing cross(struct cairn_qemu_thread *thread, bool secure,
                                      uint32_t number, cairn_entry at)
{
    const enum cairn_qemu_crossing crossing = cairn_qemu_cross(thread, secure, number, at);

    if (crossing != CAIRN_QEMU_CROSSED_NOT) {
        thread->exception = number;
        thread->secure = secure;
    }
    return crossing;
}

/* `step` was taken as soon as `previous` had changed security state, or had returned from a call.
 */
static void cross_before(struct cairn_qemu_thread *thread, const struct step *step, uint32_t base)
{
    const bool secure = (step->value & RETURN_SECURE) != 0;

    const bool ended = thread->exception == FUNCTION_CALLED && base != FUNCTION_CALLED;

    if (cairn_qemu_core.has_security && (secure != thread->secure || (secure && ended)))
        (void)cross(thread, secure, base, step->back);
}

static bool enter(struct cairn_qemu_thread *thread, uint32_t number, cairn_entry entry)
{
    struct entries entries;

    if (!find_entries(thread, &entries, number, entry))
        return false;
    const struct step *first = &entries.steps[entries.count - 1];
    const bool nested = is_nested() && first->frame == active[depth - 1].frame;
    if (!nested)
        cross_before(thread, first, entries.base);
    const bool left = nested || entries.base != thread->exception;
    /* Code is alike, and registers may be by chance: what is chained was pending before. */
    const bool chained = left && (thread->waiting == first->number || !is_restored(first));
    if (!left) {
        cairn_qemu_machine_settle(thread, first->back, cause(first->number));
    } else {
        if (!thread->previous->returns || thread->partial)
            return false;
        cairn_qemu_complete_return(thread, value_of_chain(first->value));
        if (!chained)
            tell_frame(thread, first->frame, 0);
        pop_to(entries.base);
    }
    for (unsigned i = entries.count; i-- > 0;) {
        const struct step *step = &entries.steps[i];
        cairn_qemu_settle_cycles(thread);
        cairn_processor_exception(&thread->processor, step->number, cairn_entry_address(step->back),
                                  CAIRN_ISA_T32);
        if (!chained || step != first)
            tell_frame(thread, step->frame, CAIRN_UNIT_DATA_STORE);
        push(step);
    }
    return true;
}

/* Reset, or something that is not known here: the exceptions that are active are forgotten. */
static void lose(struct cairn_qemu_thread *thread, uint32_t number)
{
    const struct step step = {.number = number,
                              .value = cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR],
                              .secure = *cairn_qemu_core.secure != 0};

    cairn_qemu_lose(thread);
    depth = 0;
    if (number != 0)
        push(&step);
}

/* Whether what led here ended an exception, where it may as well have begun one. */
static bool is_return(uint32_t number, cairn_entry entry)
{
    const bool secure = *cairn_qemu_core.secure != 0;

    if (!is_active(number))
        return false;
    return is_active_there(number, secure) || !cairn_qemu_at_handler(entry);
}

/* Whether an exception that had interrupted another of its number has returned. */
static bool is_back(const struct cairn_qemu_thread *thread, cairn_entry entry)
{
    if (!thread->previous->returns || !is_nested())
        return false;
    const struct step *top = &active[depth - 1];
    return is_through_gateway(top->value, entry)
               ? entry == top->back + SG_SIZE
               : entry == top->back && popped_frame(top->value) == top->frame;
}

/* IPSR and the state are as before; but an exception may be chained to itself, if it is pending
 * again when its handler returns, or one of the same number of the other state interrupts it where
 * that has called this state, or returns there. */
static bool is_unchanged(const struct cairn_qemu_thread *thread, cairn_entry entry)
{
    const struct cairn_qemu_tb *previous = thread->previous;
    const bool chains = previous->returns && cairn_qemu_at_handler(entry);

    if (!cairn_qemu_core.has_security)
        return !chains;
    if (cairn_qemu_at_handler(entry))
        return !previous->anywhere && !thread->partial && cairn_qemu_leads(previous, entry);
    return !is_back(thread, entry);
}

bool cairn_qemu_excepted(struct cairn_qemu_thread *thread, cairn_entry entry)
{
    const uint32_t number = *cairn_qemu_core.exception;
    const bool secure = *cairn_qemu_core.secure != 0;
    const bool changed = number != thread->exception || secure != thread->secure;
    bool known;

    if (!changed && is_unchanged(thread, entry))
        return false;
    if (secure != thread->secure && !cairn_qemu_at_handler(entry) && !is_back(thread, entry)) {
        const enum cairn_qemu_crossing crossing = cross(thread, secure, number, entry);
        if (crossing != CAIRN_QEMU_CROSSED_NOT)
            return crossing == CAIRN_QEMU_CROSSED_BACK;
    }
    known = is_return(number, entry) && (changed || !cairn_qemu_at_handler(entry))
                ? leave(thread, number, entry)
                : enter(thread, number, entry);
    if (!known)
        lose(thread, number);
    thread->exception = number;
    thread->secure = secure;
    return true;
}
