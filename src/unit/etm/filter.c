/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparators and what is made of them. */
#include "unit/etm/filter.h"

/* ETMTECR1 (3.16.9) */
#define TECR1_RANGES 0xffu
#define TECR1_EXCLUDE (1u << 24)
#define TECR1_START_STOP (1u << 25)
/* ETMTSSCR */
#define TSSCR_STOP 16
/* ETMACTR (3.16.13) */
#define ACTR_TYPE 0x7u
#define ACTR_CONTEXT 8
#define ACTR_HYP (1u << 14)
#define ACTR_VMID (1u << 15)
/* Event registers (3.8.3) */
#define EVENT_FUNCTION 14
#define EVENT_B 7
#define EVENT_RESOURCE 0x7fu
#define ALWAYS 0x6fu
#define HYP_EL 2u

static bool context_matches(const struct cairn_etm_registers *registers, unsigned number,
                            const struct cairn_etm_run *run)
{
    const uint32_t mask = registers->values[CAIRN_ETM_ETMCIDCMR];
    const uint32_t value = registers->values[CAIRN_ETM_ETMCIDCVR + number];

    return !run->prohibited && ((run->context.context_id ^ value) & ~mask) == 0;
}

static bool vmid_matches(const struct cairn_etm_registers *registers,
                         const struct cairn_etm_run *run)
{
    return !run->prohibited && run->context.vmid == registers->values[CAIRN_ETM_ETMVMIDCVR];
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

    if (run->prohibited || (type & ACTR_TYPE) != CAIRN_ETMACTR_EXECUTE ||
        !mode_matches(type, &run->context))
        return false;
    if (context > 0 && !context_matches(registers, context - 1, run))
        return false;
    return !(type & ACTR_VMID) || vmid_matches(registers, run);
}

/* 3.4.2 */
static bool address_matches(const struct cairn_etm_registers *registers, unsigned number,
                            const struct cairn_etm_run *run)
{
    const uint32_t address = registers->values[CAIRN_ETM_ETMACVR + number];

    return !run->empty && run->first <= address && address <= run->last &&
           conditions_hold(registers, number, run);
}

/* 3.4.3: some of the run is in the range; with `whole`, all of it. */
static bool range_matches(const struct cairn_etm_registers *registers, unsigned pair,
                          const struct cairn_etm_run *run, bool whole)
{
    const uint32_t low = registers->values[CAIRN_ETM_ETMACVR + 2 * pair];
    const uint32_t high = registers->values[CAIRN_ETM_ETMACVR + 2 * pair + 1];
    const uint32_t last = run->empty ? run->first : run->last;

    return low <= (whole ? run->first : last) && high > (whole ? last : run->first) &&
           conditions_hold(registers, 2 * pair, run);
}

/* Table of resources: 3.8.1. */
static bool resource(const struct cairn_etm_registers *registers, unsigned number,
                     const struct cairn_etm_run *run, bool start_stop)
{
    if (number < 0x10)
        return address_matches(registers, number, run);
    if (number < 0x18)
        return range_matches(registers, number - 0x10, run, false);
    if (number >= 0x58 && number < 0x5b)
        return context_matches(registers, number - 0x58, run);
    if (number >= 0x60 && number < 0x64)
        return run->inputs >> (number - 0x60) & 1;
    switch (number) {
    case 0x5b: return vmid_matches(registers, run);
    case 0x5f: return start_stop;
    case 0x6d: return !run->prohibited && run->context.security != CAIRN_SECURE;
    case 0x6e: return run->prohibited;
    case ALWAYS: return true;
    default: return false;
    }
}

bool cairn_etm_event(const struct cairn_etm_registers *registers, uint32_t event,
                     const struct cairn_etm_run *run, bool start_stop)
{
    const bool a = resource(registers, event & EVENT_RESOURCE, run, start_stop);
    const bool b = resource(registers, event >> EVENT_B & EVENT_RESOURCE, run, start_stop);

    switch (event >> EVENT_FUNCTION & 7) {
    case 0: return a;
    case 1: return !a;
    case 2: return a && b;
    case 3: return !a && b;
    case 4: return !a && !b;
    case 5: return a || b;
    case 6: return !a || b;
    default: return !a || !b;
    }
}

/* 3.3.3: a run with a start or stop point is traced to its end; what holds behind it is the stop.
 */
static bool start_stop_of(const struct cairn_etm_registers *registers,
                          const struct cairn_etm_run *run, bool *start_stop)
{
    const uint32_t points = registers->values[CAIRN_ETM_ETMTSSCR];
    bool starts = false, stops = false;
    bool active;

    for (unsigned i = 0; i < CAIRN_ETM_ADDRESSES; i++) {
        const bool start = points >> i & 1, stop = points >> (i + TSSCR_STOP) & 1;

        if ((start || stop) && address_matches(registers, i, run)) {
            starts |= start;
            stops |= stop;
        }
    }
    active = *start_stop || starts;
    *start_stop = active && !stops;
    return active;
}

static bool in_ranges(const struct cairn_etm_registers *registers, const struct cairn_etm_run *run,
                      bool whole)
{
    const uint32_t ranges = registers->values[CAIRN_ETM_ETMTECR1] & TECR1_RANGES;

    for (unsigned i = 0; i < CAIRN_ETM_PAIRS; i++)
        if ((ranges >> i & 1) && range_matches(registers, i, run, whole))
            return true;
    return false;
}

bool cairn_etm_trace_enable(const struct cairn_etm_registers *registers,
                            const struct cairn_etm_run *run, bool *start_stop)
{
    const uint32_t control = registers->values[CAIRN_ETM_ETMTECR1];
    const bool active = start_stop_of(registers, run, start_stop);

    if (!cairn_etm_event(registers, registers->values[CAIRN_ETM_ETMTEEVR], run, active))
        return false;
    if ((control & TECR1_START_STOP) && !active)
        return false;
    return control & TECR1_EXCLUDE ? !in_ranges(registers, run, true)
                                   : in_ranges(registers, run, false);
}

bool cairn_etm_traces_all(const struct cairn_etm_registers *registers)
{
    return registers->values[CAIRN_ETM_ETMTECR1] == TECR1_EXCLUDE &&
           registers->values[CAIRN_ETM_ETMTEEVR] == ALWAYS &&
           registers->values[CAIRN_ETM_ETMTSSCR] == 0;
}
