/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions of the M profile, of which QEMU tells no plugin. They show at the start of a TB: IPSR
 * has changed, or LR is an EXC_RETURN behind a branch that may have been a return. The frame that
 * EXC_RETURN names tells the rest: the return address, and with the stacked IPSR what was
 * interrupted (DDI0403 B1.5.6 to B1.5.8).
 *
 *     stacked IPSR is that of `previous`      an exception was taken there
 *     it is one beneath, that is active, too  `previous` returned, and this one was chained to it
 *     it is another one                       that was taken, and preempted at its first
 * instruction
 */
#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

enum {
    DEPTH = 256, /* exceptions that are active at the same time: one for each priority */
    STEPS = 8,   /* exceptions that are taken with no instruction in between */
    IPSR = 0x1ff,
    HARD_FAULT = 3,
    DEBUG_MONITOR = 12,
    FRAME_LR = 0x14,
    FRAME_XPSR = 0x1c,
    FRAME = 0x20,
    FRAME_EXTENDED = 0x68, /* with floating-point registers */
    XPSR_PADDED = 1 << 9,
    CONTROL_SPSEL = 1 << 1,
    CONTROL_FPCA = 1 << 2,
    RETURN_SPSEL = 1 << 2, /* EXC_RETURN: the frame is on the process stack */
    RETURN_THREAD = 1 << 3,
    RETURN_BASIC = 1 << 4, /* the frame has no floating-point registers */
};

struct step {
    uint32_t number;
    uint32_t value;   /* EXC_RETURN, at its entry */
    uint32_t frame;   /* on the stack */
    cairn_entry back; /* return address */
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

static void push(const struct step *step)
{
    if (depth < DEPTH)
        active[depth++] = *step;
}

static void pop_to(uint32_t number)
{
    while (depth > 0 && active[depth - 1].number != number)
        depth--;
}

static bool is_exc_return(uint32_t value)
{
    return value >> 24 == 0xff;
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

/* Faults and calls are of an instruction; whatever else comes between two. */
static enum cairn_qemu_why cause(uint32_t number)
{
    return number >= HARD_FAULT && number <= DEBUG_MONITOR ? CAIRN_QEMU_FAULT : CAIRN_QEMU_BETWEEN;
}

bool cairn_qemu_may_chain(const struct cairn_qemu_tb *previous)
{
    return previous->returns && *cairn_qemu_core.exception != 0 &&
           is_exc_return(cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR]);
}

/* The EXC_RETURN that led here, of which LR has nothing left: as the handler was given it, with the
 * bits that show in where it led. */
static uint32_t value_of_return(uint32_t at_entry, uint32_t number)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const uint32_t control = *core->control[*core->secure != 0];
    uint32_t value = at_entry & ~(uint32_t)(RETURN_SPSEL | RETURN_THREAD | RETURN_BASIC);

    if (number == 0)
        value |= RETURN_THREAD;
    if (number == 0 && (control & CONTROL_SPSEL))
        value |= RETURN_SPSEL;
    if (!(*core->control[CAIRN_QEMU_CORE_SECURE] & CONTROL_FPCA))
        value |= RETURN_BASIC;
    return value;
}

/* What the core reads or writes by itself. Its words are still in memory, as nothing was executed
 * since. Those of floating-point registers are not told: they are written later, if at all. */
static void tell_frame(struct cairn_qemu_thread *thread, uint32_t frame, uint32_t flags)
{
    uint32_t words[FRAME / 4] = {0};

    if (!cairn_qemu_core_read(frame, words, sizeof words))
        flags |= CAIRN_UNIT_DATA_NO_VALUE;
    for (uint32_t i = 0; i < FRAME / 4; i++) {
        const struct cairn_unit_transfer word = {.address = frame + 4 * i,
                                                 .value = words[i],
                                                 .bytes = 4,
                                                 .flags = flags | CAIRN_UNIT_DATA_STACKING};

        cairn_unit_data(thread->unit, &word);
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

static bool leave(struct cairn_qemu_thread *thread, uint32_t number)
{
    if (!thread->previous->returns || thread->partial || depth == 0)
        return false;
    const uint32_t value = value_of_return(active[depth - 1].value, number);
    cairn_qemu_complete_return(thread, value);
    tell_frame(thread, popped_frame(value), 0);
    pop_to(number);
    return true;
}

/* What was entered with no instruction in between, the newest first, and the IPSR it came from. */
struct entries {
    struct step steps[STEPS];
    unsigned count;
    uint32_t base;
};

static bool find_entries(struct entries *entries, uint32_t number, cairn_entry entry)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    uint32_t value = core->registers[CAIRN_QEMU_CORE_LR];
    uint32_t sp = core->registers[CAIRN_QEMU_CORE_SP];
    uint32_t words[3]; /* LR, return address, xPSR */

    for (entries->count = 0; entries->count < STEPS;) {
        const uint32_t frame = value & RETURN_SPSEL ? *core->other_sp : sp;

        if (!is_exc_return(value) || !is_vector(number, entry) ||
            !cairn_qemu_core_read(frame + FRAME_LR, words, sizeof words))
            return false;
        entries->steps[entries->count++] =
            (struct step){.number = number, .value = value, .frame = frame, .back = words[1] | 1};
        entries->base = words[2] & IPSR;
        if (is_active(entries->base))
            return true;
        sp = frame + (value & RETURN_BASIC ? FRAME : FRAME_EXTENDED) +
             (words[2] & XPSR_PADDED ? 4 : 0);
        number = entries->base;
        entry = words[1] | 1;
        value = words[0];
    }
    return false;
}

static bool enter(struct cairn_qemu_thread *thread, uint32_t number, cairn_entry entry)
{
    struct entries entries;

    if (!find_entries(&entries, number, entry))
        return false;
    const struct step *first = &entries.steps[entries.count - 1];
    const bool chained = entries.base != thread->exception;
    if (!chained) {
        cairn_qemu_machine_settle(thread, first->back, cause(first->number));
    } else {
        if (!thread->previous->returns || thread->partial)
            return false;
        cairn_qemu_complete_return(thread, first->value);
        pop_to(entries.base);
    }
    for (unsigned i = entries.count; i-- > 0;) {
        const struct step *step = &entries.steps[i];
        cairn_unit_exception(thread->unit, step->number, cairn_entry_address(step->back),
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
                              .value = cairn_qemu_core.registers[CAIRN_QEMU_CORE_LR]};

    cairn_qemu_lose(thread);
    depth = 0;
    if (number != 0)
        push(&step);
}

bool cairn_qemu_excepted(struct cairn_qemu_thread *thread, cairn_entry entry)
{
    const uint32_t number = *cairn_qemu_core.exception;
    const bool changed = number != thread->exception;
    bool known;

    /* An exception that is pending again when its handler returns is chained to itself. */
    if (!changed && !(cairn_qemu_may_chain(thread->previous) && is_vector(number, entry)))
        return false;
    known = changed && is_active(number) ? leave(thread, number) : enter(thread, number, entry);
    if (!known)
        lose(thread, number);
    thread->exception = number;
    return true;
}
