/* SPDX-License-Identifier: BSD-2-Clause */
/* Which overflows freeze the Branch Record Buffer, and what time is captured then (DDI0608 F1.1.10); and
 * branch targets without their tags (I_KBDLR). */
#include "pe/brbe_filter.h"

/* BRBCR_EL1.TS, BRBCR_EL2.TS */
enum { TS_DELEGATE = 0, TS_VIRTUAL = 1, TS_OFFSET = 2, TS_PHYSICAL = 3 };

/* TCR_ELx, of a regime with two ranges of addresses and of one with one (Arm ARM). */
#define TBI0 37, 37
#define TBI1 38, 38
#define TBID0 51, 51
#define TBID1 52, 52
#define TBI 20, 20
#define TBID 29, 29

#define TAG_LOW 56

/* Bits `to`-1 down to `from`. */
static uint64_t bits_between(unsigned from, unsigned to)
{
    return (UINT64_C(1) << to) - (UINT64_C(1) << from);
}

bool cairn_brbe_asks_for_freeze(const struct cairn_pe_features *features,
                                const struct cairn_pe_registers *registers, uint64_t overflow)
{
    const unsigned N = features->counters;
    const bool FZP = CAIRN_GETS(registers, BRBCR_EL1, BRBCR_FZP);

    if (!features->EL2)
        return FZP && (overflow & bits_between(0, N));
    const unsigned HPMN = (unsigned)CAIRN_GETS(registers, MDCR_EL2, MDCR_EL2_HPMN);
    /* More than there are is all there are. */
    const unsigned border = HPMN < N ? HPMN : N;
    return (FZP && (overflow & bits_between(0, border))) ||
           (CAIRN_GETS(registers, BRBCR_EL2, BRBCR_FZP) && (overflow & bits_between(border, N)));
}

static uint64_t physical_offset(const struct cairn_pe_features *features,
                                const struct cairn_pe_registers *registers)
{
    if (features->EL3 && !CAIRN_GETS(registers, SCR_EL3, SCR_EL3_ECVEn))
        return 0;
    /* Without EL2 there is no CNTPOFF_EL2. */
    if (!features->EL2 || !CAIRN_GETS(registers, CNTHCTL_EL2, CNTHCTL_EL2_ECV))
        return 0;
    return registers->value[CAIRN_PE_CNTPOFF_EL2];
}

uint64_t cairn_brbe_timestamp(const struct cairn_pe_features *features,
                              const struct cairn_pe_registers *registers, uint64_t count,
                              unsigned reserved_TS, bool *reserved)
{
    uint64_t TS = features->EL2 ? CAIRN_GETS(registers, BRBCR_EL2, BRBCR_TS) : TS_DELEGATE;

    if (TS == TS_DELEGATE)
        TS = CAIRN_GETS(registers, BRBCR_EL1, BRBCR_TS);
    *reserved = TS == TS_DELEGATE;
    if (*reserved)
        TS = reserved_TS;
    switch (TS) {
    case TS_PHYSICAL: return count;
    case TS_OFFSET: return count - physical_offset(features, registers);
    default: return count - (features->EL2 ? registers->value[CAIRN_PE_CNTVOFF_EL2] : 0);
    }
}

uint64_t cairn_brbe_untag(const struct cairn_pe_features *features,
                          const struct cairn_brbe_side *side, uint64_t address)
{
    const struct cairn_pe_registers *registers = side->registers;
    const struct cairn_pe_state *state = side->state;
    const uint64_t low = address & (~UINT64_C(0) >> (64 - TAG_LOW));
    const bool upper = low >> (TAG_LOW - 1);
    const bool E2H = features->EL2 && CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H);
    uint64_t TCR = registers->value[CAIRN_PE_TCR_EL1];

    if (state->EL == 3)
        TCR = registers->value[CAIRN_PE_TCR_EL3];
    else if (state->EL == 2 ||
             (state->EL == 0 && E2H && cairn_pe_EL0_is_host(features, registers, state->security)))
        TCR = registers->value[CAIRN_PE_TCR_EL2];
    if (state->EL == 3 || (state->EL == 2 && !E2H))
        return CAIRN_GET(TCR, TBI) && !CAIRN_GET(TCR, TBID) ? low : address;
    if (upper)
        return CAIRN_GET(TCR, TBI1) && !CAIRN_GET(TCR, TBID1) ? low | ~UINT64_C(0) << TAG_LOW
                                                              : address;
    return CAIRN_GET(TCR, TBI0) && !CAIRN_GET(TCR, TBID0) ? low : address;
}
