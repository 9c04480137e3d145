/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Trace Buffer Unit does by itself: while it is Enabled it may prefetch translations, by the registers of the
 * owning translation regime as they are then, whether anything is traced or not (DDI0608 E1.2.1.2, G3.1). */
#include "pe/pe.h"

#include <string.h>

#define TRCPRGCTLR CAIRN_SYSREG(2, 1, 0, 1, 0)

struct enabled {
    bool now;   /* TRBLIMITR_EL1.E, as written */
    bool still; /* it was, and what wrote 0 may not count yet */
};

static struct enabled enabled_now(const struct cairn_pe *pe)
{
    struct enabled enabled = {
        .now = CAIRN_GETS(&pe->order.lanes[0].direct, TRBLIMITR_EL1, TRBLIMITR_E)};

    for (unsigned i = 0; i < pe->order.lane_count && !enabled.now; i++)
        enabled.still |= CAIRN_GETS(&pe->order.lanes[i].seen, TRBLIMITR_EL1, TRBLIMITR_E);
    return enabled;
}

/* Bits by which the owner's accesses are translated. */
static uint64_t translating(const struct cairn_pe_owner *owner, uint32_t reg)
{
    const bool is_EL2 = owner->EL == 2;

    switch (reg) {
    case CAIRN_PE_TTBR0_EL1:
    case CAIRN_PE_TTBR1_EL1:
    case CAIRN_PE_TCR_EL1:
    case CAIRN_PE_MAIR_EL1:
    case CAIRN_PE_SCTLR_EL1: return is_EL2 ? 0 : UINT64_MAX;
    case CAIRN_PE_TTBR0_EL2:
    case CAIRN_PE_TTBR1_EL2:
    case CAIRN_PE_TCR_EL2:
    case CAIRN_PE_MAIR_EL2:
    case CAIRN_PE_SCTLR_EL2: return is_EL2 ? UINT64_MAX : 0;
    case CAIRN_PE_VTTBR_EL2:
    case CAIRN_PE_VTCR_EL2: return owner->stage2 ? UINT64_MAX : 0;
    case CAIRN_PE_HCR_EL2: return is_EL2 ? CAIRN_MASK(HCR_EL2_E2H) : CAIRN_MASK(HCR_EL2_VM);
    default: return 0;
    }
}

static void find(const struct cairn_pe *pe, const char *rule, uint32_t reg, uint32_t missing,
                 uint32_t since, uint64_t before, uint64_t written)
{
    const struct cairn_order_finding finding = {.rule = rule,
                                                .reg = reg,
                                                .missing = missing,
                                                .place = pe->order.place,
                                                .since = pe->order.write_place[since],
                                                .values = {before, written}};

    pe->order.tell(pe->order.context, &finding);
}

/* It is switched on, and the registers it translates by were written, without a Context synchronization event. */
static void check_enabling(const struct cairn_pe *pe, const struct cairn_pe_owner *owner,
                           uint64_t before, uint64_t written)
{
    for (uint32_t reg = 0; reg < CAIRN_PE_REGISTERS; reg++)
        for (unsigned i = 0; translating(owner, reg) && i < pe->order.lane_count; i++) {
            const struct cairn_access_lane *lane = &pe->order.lanes[i];
            const uint64_t differs = lane->seen.value[reg] ^ lane->direct.value[reg];

            if (!cairn_set_has(&lane->dirty, reg) || !(differs & translating(owner, reg)))
                continue;
            find(pe, "S_PKLXF", reg, CAIRN_BARRIER_CSE, reg, lane->seen.value[reg],
                 lane->direct.value[reg]);
            break;
        }
    if (owner->disagrees)
        find(pe, "S_YKCNB", CAIRN_PE_TRBLIMITR_EL1, CAIRN_BARRIER_OFF, CAIRN_PE_SCR_EL3, before,
             written);
}

static bool disagrees_by(const struct cairn_pe *pe, uint64_t SCR)
{
    struct cairn_pe_registers registers = pe->order.lanes[0].direct;
    struct cairn_pe_view view = cairn_pe_view_now(pe);

    registers.value[CAIRN_PE_SCR_EL3] = SCR;
    view.registers = &registers;
    return cairn_pe_trace_buffer_owner_programmed(&view).disagrees;
}

void cairn_pe_check_sequence(const struct cairn_pe *pe, uint32_t reg, uint64_t written)
{
    const uint64_t before = pe->order.lanes[0].direct.value[reg], differs = written ^ before;
    const struct enabled enabled = enabled_now(pe);
    const uint32_t missing = enabled.now ? CAIRN_BARRIER_OFF : CAIRN_BARRIER_CSE;
    struct cairn_pe_registers registers = pe->order.lanes[0].direct;
    struct cairn_pe_view view = cairn_pe_view_now(pe);
    struct cairn_pe_owner owner;

    view.registers = &registers;
    owner = cairn_pe_trace_buffer_owner_programmed(&view);
    if (reg == CAIRN_PE_TRBLIMITR_EL1 && CAIRN_GET(differs & written, TRBLIMITR_E))
        check_enabling(pe, &owner, before, written);
    if (!enabled.now && !enabled.still)
        return;
    if ((differs & translating(&owner, reg)) ||
        (reg == CAIRN_PE_SCR_EL3 && differs && disagrees_by(pe, written)))
        find(pe, "S_YKCNB", reg, missing, CAIRN_PE_TRBLIMITR_EL1, before, written);
}

/* --- the trace unit --- */

const char *cairn_pe_trace_register(const struct cairn_pe *pe, uint32_t encoding, char name[24])
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    for (size_t i = 0; cairn_unit_register_info(pe->unit, i, &info) == CAIRN_OK; i++)
        if (info.sysreg == encoding)
            return memcpy(name, info.name, sizeof info.name);
    return NULL;
}

/* The unit writes to it by itself while it is enabled. */
static bool is_state(const struct cairn_pe *pe, uint32_t encoding)
{
    static const char *const registers[] = {"TRCVICTLR", "TRCSEQSTR", "TRCCNTVR", "TRCSSCSR",
                                            "TRCRSR"};
    char room[24];
    const char *name = cairn_pe_trace_register(pe, encoding, room);

    for (size_t i = 0; name && i < sizeof registers / sizeof registers[0]; i++)
        if (strncmp(name, registers[i], strlen(registers[i])) == 0)
            return true;
    return false;
}

static void find_busy(const struct cairn_pe *pe, const char *rule, uint32_t encoding)
{
    const struct cairn_order_finding finding = {.rule = rule,
                                                .reg = CAIRN_ORDER_TRACE_REGISTER | encoding,
                                                .missing = CAIRN_BARRIER_IDLE,
                                                .place = pe->order.place,
                                                .since = pe->programmed};

    pe->order.tell(pe->order.context, &finding);
}

static bool looks(const struct cairn_pe *pe)
{
    return pe->unit && pe->order.tell && pe->order.lane_count > 1;
}

void cairn_pe_check_trace_read(const struct cairn_pe *pe, uint32_t encoding)
{
    enum cairn_session session;

    if (!looks(pe))
        return;
    session = cairn_unit_session(pe->unit);
    if (session != CAIRN_SESSION_IDLE && session != CAIRN_SESSION_STABLE && is_state(pe, encoding))
        find_busy(pe, "S_VKHHY", encoding);
}

void cairn_pe_check_trace_write(struct cairn_pe *pe, uint32_t encoding, enum cairn_answer answer)
{
    if (looks(pe) && answer == CAIRN_ANSWER_IGNORED &&
        cairn_unit_session(pe->unit) != CAIRN_SESSION_IDLE)
        find_busy(pe, "I_GDNWY", encoding);
    if (encoding == TRCPRGCTLR)
        pe->programmed = pe->order.place;
}
