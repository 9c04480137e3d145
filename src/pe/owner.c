/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace buffer and the registers of the translation regime that owns it, in the order that a context switch
 * needs (DDI0608 G3.1): the unit may walk tables ahead whenever it is enabled. */
#include "pe/pe.h"
#include "pe/sysreg.h"

#define HCR_EL2_VM 0, 0

/* That the regime's translations go by. Of two ranges the one that the buffer is in counts. */
static bool is_of_regime(const struct cairn_pe_owner *owner,
                         const struct cairn_pe_registers *registers, uint32_t reg)
{
    const bool upper = registers->value[CAIRN_PE_TRBBASER_EL1] >> 55 & 1;
    const bool translates = !CAIRN_GETS(registers, TRBLIMITR_EL1, TRBLIMITR_nVM);

    switch (reg) {
    case CAIRN_PE_VTTBR_EL2:
    case CAIRN_PE_VTCR_EL2: return owner->EL == 1 && CAIRN_GETS(registers, HCR_EL2, HCR_EL2_VM);
    case CAIRN_PE_TTBR0_EL1: return translates && owner->EL == 1 && !upper;
    case CAIRN_PE_TTBR1_EL1: return translates && owner->EL == 1 && upper;
    case CAIRN_PE_TCR_EL1:
    case CAIRN_PE_MAIR_EL1:
    case CAIRN_PE_SCTLR_EL1: return translates && owner->EL == 1;
    case CAIRN_PE_TTBR0_EL2: return translates && owner->EL == 2 && !upper;
    case CAIRN_PE_TTBR1_EL2: return translates && owner->EL == 2 && upper;
    case CAIRN_PE_TCR_EL2:
    case CAIRN_PE_MAIR_EL2:
    case CAIRN_PE_SCTLR_EL2: return translates && owner->EL == 2;
    default: return false;
    }
}

static void find_of_owner(struct cairn_pe *pe, uint32_t reg, uint32_t missing, uint64_t since)
{
    const struct cairn_order_finding finding = {.rule = "S_YKCNB",
                                                .reg = reg,
                                                .missing = missing,
                                                .place = pe->order.place,
                                                .since = since};

    if (pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}

/* Enabled in any order. */
static bool may_be_enabled(const struct cairn_pe *pe)
{
    for (unsigned i = 0; i < pe->order.lane_count; i++)
        if (CAIRN_GETS(&pe->order.lanes[i].seen, TRBLIMITR_EL1, TRBLIMITR_E))
            return true;
    return false;
}

/* A register of the regime that is not what was written, in some order. */
static bool is_late_in(const struct cairn_pe *pe, uint32_t reg)
{
    for (unsigned i = 0; i < pe->order.lane_count; i++) {
        const struct cairn_access_lane *lane = &pe->order.lanes[i];

        if (cairn_set_has(&lane->dirty, reg) && lane->seen.value[reg] != lane->direct.value[reg])
            return true;
    }
    return false;
}

void cairn_pe_depend_on_owner(struct cairn_pe *pe, uint32_t reg, uint64_t value)
{
    const struct cairn_pe_registers *direct = &pe->order.lanes[0].direct;
    const uint64_t since = pe->order.write_place[CAIRN_PE_TRBLIMITR_EL1];
    struct cairn_pe_view view = cairn_pe_view_now(pe);
    struct cairn_pe_owner owner;

    view.registers = direct;
    owner = cairn_pe_trace_buffer_owner_programmed(&view);
    if (reg == CAIRN_PE_TRBLIMITR_EL1) {
        if (!CAIRN_GET(value, TRBLIMITR_E) || CAIRN_GET(direct->value[reg], TRBLIMITR_E))
            return;
        for (uint32_t other = 0; other < CAIRN_PE_SINGLES; other++)
            if (is_of_regime(&owner, direct, other) && is_late_in(pe, other))
                find_of_owner(pe, reg, CAIRN_PE_MISSES_CSE, pe->order.write_place[other]);
        return;
    }
    if (!is_of_regime(&owner, direct, reg) || value == direct->value[reg] || !may_be_enabled(pe))
        return;
    find_of_owner(
        pe, reg,
        CAIRN_PE_MISSES_CSE |
            (CAIRN_GETS(direct, TRBLIMITR_EL1, TRBLIMITR_E) ? CAIRN_PE_MISSES_DISABLED : 0u),
        since);
}

void cairn_pe_depend_on_records(struct cairn_pe *pe, uint32_t encoding, uint32_t fresh)
{
    const struct cairn_order_finding finding = {.rule = "R_PGDLX",
                                                .reg = CAIRN_PE_OF_RECORDS | encoding,
                                                .missing = CAIRN_PE_MISSES_CSE,
                                                .place = pe->order.place,
                                                .since = pe->late_pmu.counted_place};

    if (fresh > 0 && pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}
