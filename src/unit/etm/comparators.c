/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/etm/comparators.h"

/* ETMACTR (3.16.13) */
#define ACTR_TYPE 0x7u
#define ACTR_CONTEXT 8
#define ACTR_HYP (1u << 14)
#define ACTR_VMID (1u << 15)
#define HYP_EL 2u

bool cairn_etm_context_matches(const struct cairn_etm_registers *registers, unsigned number,
                               const struct cairn_etm_run *run)
{
    const uint32_t mask = registers->values[CAIRN_ETM_ETMCIDCMR];
    const uint32_t value = registers->values[CAIRN_ETM_ETMCIDCVR + number];

    return ((run->context.context_id ^ value) & ~mask) == 0;
}

bool cairn_etm_vmid_matches(const struct cairn_etm_registers *registers,
                            const struct cairn_etm_run *run)
{
    return run->context.vmid == registers->values[CAIRN_ETM_ETMVMIDCVR];
}

/* Two bits each for Secure and Non-secure state: all modes, none, all but User, User only. */
static bool mode_matches(uint32_t type, const struct cairn_context *context)
{
    const bool non_secure = context->security != CAIRN_SECURE;
    const unsigned low = type >> (non_secure ? 11 : 10) & 1;
    const unsigned high = type >> (non_secure ? 13 : 12) & 1;

    if (context->EL == HYP_EL)
        return (type & ACTR_HYP) != 0;
    switch (high << 1 | low) {
    case 0: return true;
    case 1: return false;
    case 2: return context->EL != 0;
    default: return context->EL == 0;
    }
}

/* What an address comparator asks for besides the address. */
static bool conditions_hold(const struct cairn_etm_registers *registers, unsigned number,
                            const struct cairn_etm_run *run)
{
    const uint32_t type = registers->values[CAIRN_ETM_ETMACTR + number];
    const unsigned context = type >> ACTR_CONTEXT & 3;

    if ((type & ACTR_TYPE) != CAIRN_ETMACTR_EXECUTE || !mode_matches(type, &run->context))
        return false;
    if (context > 0 && !cairn_etm_context_matches(registers, context - 1, run))
        return false;
    return !(type & ACTR_VMID) || cairn_etm_vmid_matches(registers, run);
}

bool cairn_etm_address_matches(const struct cairn_etm_registers *registers, unsigned number,
                               const struct cairn_etm_run *run)
{
    const uint32_t address = registers->values[CAIRN_ETM_ETMACVR + number];

    return !run->empty && run->first <= address && address <= run->last &&
           conditions_hold(registers, number, run);
}

static uint32_t last_of(const struct cairn_etm_run *run)
{
    return run->empty ? run->first : run->last;
}

bool cairn_etm_range_touches(const struct cairn_etm_registers *registers, unsigned pair,
                             const struct cairn_etm_run *run)
{
    const uint32_t low = registers->values[CAIRN_ETM_ETMACVR + 2 * pair];
    const uint32_t high = registers->values[CAIRN_ETM_ETMACVR + 2 * pair + 1];

    return low <= last_of(run) && high > run->first && conditions_hold(registers, 2 * pair, run);
}

bool cairn_etm_range_holds(const struct cairn_etm_registers *registers, unsigned pair,
                           const struct cairn_etm_run *run)
{
    const uint32_t low = registers->values[CAIRN_ETM_ETMACVR + 2 * pair];
    const uint32_t high = registers->values[CAIRN_ETM_ETMACVR + 2 * pair + 1];

    return low <= run->first && high > last_of(run) && conditions_hold(registers, 2 * pair, run);
}
