/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Trace Buffer Unit does by itself: while it is Enabled it may prefetch translations, by the registers of the
 * owning translation regime as they are then, whether anything is traced or not (DDI0608 E1.2.1.2, G3.1). */
#include "pe/pe.h"

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

/* Whose writes the unit may ignore while it is enabled (R_DJMD); so it may one of TRBLIMITR_EL1 that leaves E as it
 * is. */
static bool is_of_buffer(uint32_t reg)
{
    switch (reg) {
    case CAIRN_PE_TRBPTR_EL1:
    case CAIRN_PE_TRBBASER_EL1:
    case CAIRN_PE_TRBTRG_EL1:
    case CAIRN_PE_TRBSR_EL1:
    case CAIRN_PE_TRBMAR_EL1: return true;
    default: return false;
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

/* Written, and in some order not in force yet where the buffer is switched on. */
static void check_late(const struct cairn_pe *pe, const char *rule, uint32_t reg, uint64_t bits)
{
    for (unsigned i = 0; bits && i < pe->order.lane_count; i++) {
        const struct cairn_access_lane *lane = &pe->order.lanes[i];
        const uint64_t seen = lane->seen.value[reg], written = lane->direct.value[reg];

        if (!cairn_set_has(&lane->dirty, reg) || !((seen ^ written) & bits))
            continue;
        find(pe, rule, reg, CAIRN_PE_MISSES_CSE, reg, seen, written);
        return;
    }
}

/* It is switched on: what it translates by, and its other registers, were written before. */
static void check_enabling(const struct cairn_pe *pe, const struct cairn_pe_owner *owner,
                           uint64_t before, uint64_t written)
{
    for (uint32_t reg = 0; reg < CAIRN_PE_REGISTERS; reg++)
        check_late(pe, "S_PKLXF", reg, translating(owner, reg));
    for (uint32_t reg = 0; reg < CAIRN_PE_REGISTERS; reg++)
        check_late(pe, "R_DJMD", reg, is_of_buffer(reg) ? UINT64_MAX : 0);
    if (owner->disagrees)
        find(pe, "S_YKCNB", CAIRN_PE_TRBLIMITR_EL1, CAIRN_PE_MISSES_OFF, CAIRN_PE_SCR_EL3, before,
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
    const uint32_t missing = enabled.now ? CAIRN_PE_MISSES_OFF : CAIRN_PE_MISSES_CSE;
    struct cairn_pe_view view = cairn_pe_view_now(pe);
    struct cairn_pe_owner owner;

    view.registers = &pe->order.lanes[0].direct;
    owner = cairn_pe_trace_buffer_owner_programmed(&view);
    if (reg == CAIRN_PE_TRBLIMITR_EL1 && CAIRN_GET(differs & written, TRBLIMITR_E))
        check_enabling(pe, &owner, before, written);
    if (!enabled.now && !enabled.still)
        return;
    if ((differs & translating(&owner, reg)) ||
        (reg == CAIRN_PE_SCR_EL3 && differs && disagrees_by(pe, written)))
        find(pe, "S_YKCNB", reg, missing, CAIRN_PE_TRBLIMITR_EL1, before, written);
    else if (differs && (is_of_buffer(reg) || (reg == CAIRN_PE_TRBLIMITR_EL1 && enabled.now &&
                                               !CAIRN_GET(differs, TRBLIMITR_E))))
        find(pe, "R_DJMD", reg, missing, CAIRN_PE_TRBLIMITR_EL1, before, written);
}
