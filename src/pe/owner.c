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

static void find_of_owner(struct cairn_pe *pe, const char *rule, uint32_t reg, uint32_t missing,
                          uint64_t since)
{
    const struct cairn_order_finding finding = {
        .rule = rule, .reg = reg, .missing = missing, .place = pe->order.place, .since = since};

    if (pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
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

/* It is enabled: by then what was written before has to be in force. */
static void enable(struct cairn_pe *pe, const struct cairn_pe_owner *owner)
{
    const struct cairn_pe_registers *direct = &pe->order.lanes[0].direct;

    for (uint32_t reg = 0; reg < CAIRN_PE_SINGLES; reg++)
        if (is_of_regime(owner, direct, reg) && is_late_in(pe, reg))
            find_of_owner(pe, "S_YKCNB", CAIRN_PE_TRBLIMITR_EL1, CAIRN_PE_MISSES_CSE,
                          pe->order.write_place[reg]);
    for (uint32_t reg = 0; reg < CAIRN_PE_SINGLES; reg++)
        if (is_of_buffer(reg) && is_late_in(pe, reg))
            find_of_owner(pe, "R_DJMD", reg, CAIRN_PE_MISSES_CSE, pe->order.write_place[reg]);
}

void cairn_pe_depend_on_owner(struct cairn_pe *pe, uint32_t reg, uint64_t value)
{
    const struct cairn_pe_registers *direct = &pe->order.lanes[0].direct;
    const uint64_t since = pe->order.write_place[CAIRN_PE_TRBLIMITR_EL1];
    const bool on = CAIRN_GETS(direct, TRBLIMITR_EL1, TRBLIMITR_E);
    const bool stays = reg == CAIRN_PE_TRBLIMITR_EL1 && on && CAIRN_GET(value, TRBLIMITR_E);
    const uint32_t missing = CAIRN_PE_MISSES_CSE | (on ? CAIRN_PE_MISSES_DISABLED : 0u);
    struct cairn_pe_view view = cairn_pe_view_now(pe);
    struct cairn_pe_owner owner;

    view.registers = direct;
    owner = cairn_pe_trace_buffer_owner_programmed(&view);
    if (reg == CAIRN_PE_TRBLIMITR_EL1 && !on && CAIRN_GET(value, TRBLIMITR_E))
        enable(pe, &owner);
    if (value == direct->value[reg] || (!on && !may_be_enabled(pe)))
        return;
    if (is_of_regime(&owner, direct, reg))
        find_of_owner(pe, "S_YKCNB", reg, missing, since);
    else if (is_of_buffer(reg) || stays)
        find_of_owner(pe, "R_DJMD", reg, missing, since);
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
