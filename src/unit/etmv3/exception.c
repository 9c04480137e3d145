/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions (IHI0014 4.5.3, 7.3.5, 7.5). */
#include "unit/etmv3/core.h"

/* Exception numbers of packets, A and R profile (table 7-11 and kin). */
enum {
    HALT = 0x1,
    SMC = 0x2,
    HYP = 0x3,
    ASYNCHRONOUS_ABORT = 0x4,
    RESET = 0x8,
    UNDEFINED = 0x9,
    SVC = 0xa,
    PREFETCH_ABORT = 0xb,
    DATA_ABORT = 0xc,
    GENERIC = 0xd,
    IRQ = 0xe,
    FIQ = 0xf,
};

/* M profile: numbers as IPSR has them, and in packets (CM3 15.5.3). */
#define IPSR_RESET 1u
#define IPSR_SVC 11u
#define IPSR_PENDSV 14u
#define IPSR_IRQ0 16u
#define IPSR_MAX 511u
#define PACKET_RESET_M 0x11u

#define PAUSE_MAX 15u

static uint16_t packet_type_a(unsigned type)
{
    switch (type) {
    case CAIRN_EXCEPTION_PE_RESET: return RESET;
    case CAIRN_EXCEPTION_DEBUG_HALT: return HALT;
    case CAIRN_EXCEPTION_CALL: return SVC;
    case CAIRN_EXCEPTION_TRAP: return UNDEFINED;
    case CAIRN_EXCEPTION_SYSTEM_ERROR: return ASYNCHRONOUS_ABORT;
    case CAIRN_EXCEPTION_INST_DEBUG:
    case CAIRN_EXCEPTION_INST_FAULT: return PREFETCH_ABORT;
    case CAIRN_EXCEPTION_DATA_DEBUG:
    case CAIRN_EXCEPTION_ALIGNMENT:
    case CAIRN_EXCEPTION_DATA_FAULT: return DATA_ABORT;
    case CAIRN_EXCEPTION_IRQ: return IRQ;
    case CAIRN_EXCEPTION_FIQ: return FIQ;
    default: return GENERIC;
    }
}

static uint16_t packet_type_m(unsigned type)
{
    static const uint8_t system[IPSR_IRQ0] = {
        [1] = PACKET_RESET_M, [2] = 0xa,  [3] = 0x13, [4] = 0xd,  [5] = 0x15, [6] = 0x9,
        [11] = 0xb,           [12] = 0xc, [14] = 0xe, [15] = 0xf,
    };

    if (type > IPSR_MAX)
        type = IPSR_MAX;
    if (type < IPSR_IRQ0)
        return system[type];
    if (type == IPSR_IRQ0)
        return 8;
    return (uint16_t)(type < IPSR_IRQ0 + 8 ? type - IPSR_IRQ0 : type);
}

/* Which call it was shows in the context that it leads to. */
uint16_t cairn_etmv3_exception_type(const struct cairn_etmv3_unit *unit,
                                    const struct cairn_etmv3_unit_exception *exception)
{
    const struct cairn_context *context = &unit->resources.context;

    if (!exception->is_call)
        return exception->type;
    if (context->EL == 2 && unit->minor >= 5)
        return HYP;
    return !exception->from_secure && context->security == CAIRN_SECURE ? SMC : exception->type;
}

static bool is_reset(const struct cairn_etmv3_unit *unit, unsigned type)
{
    return type == (unit->m_profile ? IPSR_RESET : CAIRN_EXCEPTION_PE_RESET);
}

static bool is_halt(const struct cairn_etmv3_unit *unit, unsigned type)
{
    return !unit->m_profile && type == CAIRN_EXCEPTION_DEBUG_HALT;
}

/* SVC, SMC and Undefined Instruction are about instructions that have completed (table 4-2). */
static bool never_cancels(const struct cairn_etmv3_unit *unit, unsigned type)
{
    if (unit->m_profile)
        return type == IPSR_SVC;
    return type == CAIRN_EXCEPTION_CALL || type == CAIRN_EXCEPTION_TRAP;
}

/* The instruction told last did not complete if execution returns to it and does not lead there
 * anyway. */
static bool cancels_last(const struct cairn_etmv3_unit *unit, unsigned type, uint32_t address)
{
    const struct cairn_etmv3_place *next = &unit->next;

    if (is_reset(unit, type))
        return unit->last.traced;
    if (!unit->last.traced || never_cancels(unit, type))
        return false;
    return unit->last.aborted || (unit->last.place.address == address &&
                                  next->isa != CAIRN_ISA_UNKNOWN && next->address != address);
}

/* The core goes on with the instruction later (7.5.2): interrupts of transfers that began. With
 * instruction trace alone that is no different from a cancelled one. */
static uint8_t paused_transfers(const struct cairn_etmv3_unit *unit, unsigned type)
{
    if (!unit->m_profile || !unit->data || type < IPSR_PENDSV || unit->last.aborted ||
        unit->mover.beneath)
        return 0;
    return (uint8_t)(unit->mover.transfers <= PAUSE_MAX ? unit->mover.transfers : PAUSE_MAX);
}

static void note_pause(struct cairn_etmv3_unit *unit, uint32_t address, uint8_t transfers)
{
    if (transfers == 0)
        return;
    if (unit->pause_count == CAIRN_ETMV3_PAUSES) { /* too deep: the oldest begins anew */
        for (unsigned i = 1; i < CAIRN_ETMV3_PAUSES; i++)
            unit->pauses[i - 1] = unit->pauses[i];
        unit->pause_count--;
    }
    unit->pauses[unit->pause_count++] = (struct cairn_etmv3_pause){address, transfers};
}

/* Halting debug: its packet has no address (7.3.5). */
static void halt(struct cairn_etmv3_unit *unit)
{
    const struct cairn_etmv3_place unknown = {0, unit->last.place.isa};

    cairn_etmv3_stop(unit, unknown);
    unit->next = (struct cairn_etmv3_place){.isa = CAIRN_ISA_UNKNOWN};
}

/* A branch, or another exception, led to `place`, where this one is taken. A return that is
 * tail-chained leads nowhere (7.5.4), and one that is cancelled neither. */
static void settle_branch(struct cairn_etmv3_unit *unit, bool cancels,
                          struct cairn_etmv3_place place)
{
    const bool chains = unit->m_profile && unit->last.returns && !unit->last.popped;

    if (unit->exception.pending || (unit->owes_branch && !cancels && !chains))
        cairn_etmv3_introduce(unit, place);
    unit->owes_branch = false;
}

void cairn_etmv3_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    const struct cairn_etmv3_place place = {(uint32_t)address, (uint8_t)isa};
    const struct cairn_etmv3_place next = unit->next;

    if (!unit->enabled || unit->debug || unit->resources.prohibited)
        return;
    cairn_etmv3_end_return(unit);
    const bool cancels = cancels_last(unit, type, place.address);
    const bool here = cancels || is_reset(unit, type) || next.isa == CAIRN_ISA_UNKNOWN ||
                      place.address == next.address || place.address == unit->last.place.address;
    if (!here) {
        unit->counters.discontinuities++;
        cairn_etmv3_lose_path(unit);
    }
    unit->next = (struct cairn_etmv3_place){.isa = CAIRN_ISA_UNKNOWN};
    unit->stamp_wanted = true; /* also of one that is not traced (7.7.1 of issue Q) */
    if (unit->tracing && !is_reset(unit, type))
        settle_branch(unit, cancels, place);
    unit->owes_branch = false;
    unit->exception = (struct cairn_etmv3_unit_exception){
        .pending = true,
        .cancels = cancels,
        .paused = cancels ? paused_transfers(unit, type) : 0,
        .type = unit->m_profile ? packet_type_m(type) : packet_type_a(type),
        .from_secure = unit->resources.context.security == CAIRN_SECURE,
        .is_call = !unit->m_profile && type == CAIRN_EXCEPTION_CALL,
    };
    if (!unit->tracing)
        return;
    unit->counters.exceptions++;
    note_pause(unit, place.address, unit->exception.paused);
    if (is_halt(unit, type))
        halt(unit);
}
