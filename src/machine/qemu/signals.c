/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals. No callback tells of one: the program is suddenly at the entry of a handler, with a
 * frame on its stack in which the kernel's part (here QEMU's) saved where it came from. The frames'
 * layout is Linux's user interface: asm/ucontext.h, asm/sigcontext.h of arm64 and arm. */
#include <signal.h>
#include <string.h>

#include "machine/qemu/plugin.h"

enum {
    SIGNALS = 64,
    SIGINFO_SIZE = 128,
    SIGINFO_CODE = 8, /* of si_code; si_signo is at 0 */
    /* struct rt_sigframe of AArch64: siginfo, then ucontext with flags, link, stack, mask, and the
     * machine context aligned to 16: fault_address, x0 to x30, sp, pc, pstate */
    A64_X0 = SIGINFO_SIZE + 176 + 8,
    A64_SP = A64_X0 + 31 * 8,
    A64_PC = A64_SP + 8,
    A64_FP_REGISTER = 29,
    A64_LINK_REGISTER = 30,
    /* struct ucontext of AArch32: flags, link, the alternate stack (where, flags, size), then
     * trap_no, error_code, oldmask, r0 to r15, cpsr. It is at the stack pointer, or behind a
     * siginfo. */
    A32_STACK = 8,
    A32_STACK_SIZE = 16,
    A32_R0 = 20 + 12,
    A32_KEPT_REGISTER = 4, /* r4 to r11: as they were when the signal came */
    A32_KEPT_COUNT = 8,
    A32_SP_REGISTER = 13,
    A32_LINK_REGISTER = 14,
    A32_PC_REGISTER = 15,
    A32_CPSR = A32_R0 + 16 * 4,
    T_BIT = 1 << 5,
    MODE = 0x1f,
    USER_MODE = 0x10,
    FRAMES_MAX = SIGNALS, /* one on another */
    BUS_ALIGNMENT = 1,    /* BUS_ADRALN */
};

/* The registers at the entry of a handler that a frame is recognised by. */
struct entry_state {
    uint64_t sp, first, second;    /* r0 and r1, x0 and x1 */
    uint64_t fp;                   /* AArch64 */
    uint32_t kept[A32_KEPT_COUNT]; /* AArch32 */
};

struct frame {
    uint64_t number; /* of the signal */
    bool has_code;   /* there is a siginfo */
    int32_t code;
    struct entry_state state; /* as saved */
    cairn_entry back;
};

static bool read_word(uint64_t address, size_t size, uint64_t *value)
{
    *value = 0;
    return cairn_qemu_guest_read(address, value, size);
}

/* The siginfo is filled in only if the handler asked for it, and is then its second argument. */
static bool read_siginfo(const struct entry_state *at, struct frame *frame)
{
    uint64_t number = 0, code = 0;

    frame->has_code = at->second == at->sp && read_word(at->sp, 4, &number) &&
                      number == frame->number && read_word(at->sp + SIGINFO_CODE, 4, &code);
    frame->code = (int32_t)code;
    return frame->has_code;
}

/* The frame pointer leads to a frame record that the kernel made of the same two registers that it
 * saved in the context: no other code does that. */
static bool has_record_a64(const struct entry_state *at)
{
    const uint64_t saved = at->sp + A64_X0;
    uint64_t fp = 0, link = 0, record_fp = 1, record_link = 1;

    return read_word(saved + A64_FP_REGISTER * 8, 8, &fp) &&
           read_word(saved + A64_LINK_REGISTER * 8, 8, &link) && read_word(at->fp, 8, &record_fp) &&
           read_word(at->fp + 8, 8, &record_link) && at->fp > at->sp && record_fp == fp &&
           record_link == link;
}

static bool read_frame_a64(const struct entry_state *at, struct frame *frame)
{
    const uint64_t saved = at->sp + A64_X0;

    (void)read_siginfo(at, frame);
    return at->sp % 16 == 0 && has_record_a64(at) && read_word(saved, 8, &frame->state.first) &&
           read_word(saved + 8, 8, &frame->state.second) &&
           read_word(saved + A64_FP_REGISTER * 8, 8, &frame->state.fp) &&
           read_word(at->sp + A64_SP, 8, &frame->state.sp) &&
           read_word(at->sp + A64_PC, 8, &frame->back);
}

/* Below what was interrupted, or on the alternate stack, which may be anywhere. */
static bool has_place_a32(const struct entry_state *at, uint64_t context, uint64_t interrupted)
{
    uint64_t stack = 0, size = 0;

    return interrupted > at->sp ||
           (read_word(context + A32_STACK, 4, &stack) &&
            read_word(context + A32_STACK_SIZE, 4, &size) && at->sp - stack < size);
}

static bool read_frame_a32(const struct entry_state *at, struct frame *frame)
{
    const uint64_t context = read_siginfo(at, frame) ? at->sp + SIGINFO_SIZE : at->sp;
    const uint64_t saved = context + A32_R0;
    uint64_t cpsr = 0;

    if (at->sp % 8 != 0 ||
        !cairn_qemu_guest_read(saved + A32_KEPT_REGISTER * 4, frame->state.kept,
                               sizeof frame->state.kept) ||
        memcmp(frame->state.kept, at->kept, sizeof at->kept) != 0 ||
        !read_word(saved, 4, &frame->state.first) ||
        !read_word(saved + 4, 4, &frame->state.second) ||
        !read_word(saved + A32_SP_REGISTER * 4, 4, &frame->state.sp) ||
        !read_word(saved + A32_PC_REGISTER * 4, 4, &frame->back) ||
        !read_word(context + A32_CPSR, 4, &cpsr) || (cpsr & MODE) != USER_MODE)
        return false;
    frame->back = (frame->back & ~UINT64_C(1)) | ((cpsr & T_BIT) != 0);
    return has_place_a32(at, context, frame->state.sp);
}

static bool read_frame_at(const struct entry_state *at, struct frame *frame)
{
    frame->number = at->first;
    if (at->first < 1 || at->first > SIGNALS)
        return false;
    return cairn_qemu.is_a64 ? read_frame_a64(at, frame) : read_frame_a32(at, frame);
}

static bool read_entry_state(struct entry_state *at, uint64_t *link)
{
    const bool is_a64 = cairn_qemu.is_a64;

    for (unsigned i = 0; i < A32_KEPT_COUNT && !is_a64; i++) {
        uint64_t value = 0;
        if (!cairn_qemu_guest_register(A32_KEPT_REGISTER + i, &value))
            return false;
        at->kept[i] = (uint32_t)value;
    }
    return cairn_qemu_guest_register(0, &at->first) && cairn_qemu_guest_register(1, &at->second) &&
           cairn_qemu_guest_register(is_a64 ? CAIRN_QEMU_SP : A32_SP_REGISTER, &at->sp) &&
           cairn_qemu_guest_register(is_a64 ? A64_LINK_REGISTER : A32_LINK_REGISTER, link) &&
           (!is_a64 || cairn_qemu_guest_register(A64_FP_REGISTER, &at->fp));
}

/* An ordinary call of the handler leaves a return address behind the call, or registers and a stack
 * as they come; a signal leaves its number in the first argument, and its frame at the stack
 * pointer. */
static bool read_frame(const struct cairn_qemu_tb *previous, struct frame *frame)
{
    struct entry_state at = {0};
    uint64_t link = 0;

    if (!read_entry_state(&at, &link) || link == cairn_qemu_behind(previous) ||
        !read_frame_at(&at, frame))
        return false;

    /* Signals that came together have their frames one on another: each saved the entry of a
     * handler that did not begin yet. The oldest tells where the program was. */
    struct frame older = {0};
    for (unsigned i = 0; i < FRAMES_MAX && cairn_qemu_is_handler(frame->back) &&
                         read_frame_at(&frame->state, &older);
         i++)
        *frame = older;
    return true;
}

/* Without a siginfo: what was interrupted was being executed, or cannot be. */
static bool looks_synchronous(const struct frame *frame, const struct cairn_qemu_tb *previous)
{
    return cairn_qemu_contains(previous, frame->back) ||
           !cairn_qemu_guest_executes(cairn_entry_address(frame->back));
}

static bool is_synchronous(const struct frame *frame, const struct cairn_qemu_tb *previous)
{
    switch (frame->number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP: return frame->has_code ? frame->code > 0 : looks_synchronous(frame, previous);
    default: return false;
    }
}

static unsigned exception_type(const struct frame *frame, bool inside)
{
    switch (frame->number) {
    case SIGSEGV: return inside ? CAIRN_EXCEPTION_DATA_FAULT : CAIRN_EXCEPTION_INST_FAULT;
    case SIGBUS:
        if (frame->has_code && frame->code == BUS_ALIGNMENT)
            return CAIRN_EXCEPTION_ALIGNMENT;
        return inside ? CAIRN_EXCEPTION_DATA_FAULT : CAIRN_EXCEPTION_INST_FAULT;
    case SIGTRAP: return CAIRN_EXCEPTION_INST_DEBUG;
    default: return CAIRN_EXCEPTION_TRAP;
    }
}

/* Tells what of the pending TB was executed before the signal, and the exception. */
static void interrupt(struct cairn_qemu_thread *thread, const struct frame *frame)
{
    const struct cairn_qemu_tb *previous = thread->previous;
    const bool inside = cairn_qemu_contains(previous, frame->back);
    const bool leads = cairn_qemu_leads(previous, frame->back) && !thread->partial;
    const bool synchronous = is_synchronous(frame, previous);
    const unsigned type = synchronous ? exception_type(frame, inside) : CAIRN_EXCEPTION_IRQ;

    /* What faulted is in the TB that began last, even if that leads to itself. */
    if (inside && (synchronous || !leads)) {
        cairn_qemu_complete_until(thread, frame->back);
    } else if (leads) {
        cairn_qemu_complete(thread, frame->back);
    } else {
        cairn_qemu_lose(thread);
        return;
    }
    cairn_qemu_except(thread, type, frame->back);
}

bool cairn_qemu_signalled(struct cairn_qemu_thread *thread)
{
    struct frame frame = {0};

    if (!read_frame(thread->previous, &frame))
        return false;
    interrupt(thread, &frame);
    return true;
}

void cairn_qemu_killed(struct cairn_qemu_thread *thread, int number)
{
    struct frame frame = {.number = (uint64_t)number};
    uint64_t cpsr = 0;

    if (thread->previous == &cairn_qemu_nothing)
        return;
    if (!cairn_qemu_guest_register(cairn_qemu.is_a64 ? CAIRN_QEMU_PC : A32_PC_REGISTER,
                                   &frame.back) ||
        !cairn_qemu_guest_register(CAIRN_QEMU_CPSR, &cpsr)) {
        cairn_qemu_lose(thread);
        return;
    }
    if (!cairn_qemu.is_a64 && (cpsr & T_BIT))
        frame.back |= 1;
    interrupt(thread, &frame);
}
