/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/prohibit.h"

#include <cairn/unit.h>

/* --- self-hosted trace --- */

static bool external_noninvasive(const struct cairn_pe_view *view)
{
    return (view->authentication->signals & (CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN)) != 0;
}

static bool external_secure_noninvasive(const struct cairn_pe_view *view)
{
    return external_noninvasive(view) &&
           (view->authentication->signals & (CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN)) != 0;
}

static bool external_realm_noninvasive(const struct cairn_pe_view *view)
{
    return external_noninvasive(view) && view->authentication->RLPIDEN;
}

/* The Effective value of MDCR_EL3.STE: without EL3 Secure trace is enabled. */
static bool secure_trace_enable(const struct cairn_pe_view *view)
{
    return !view->features->EL3 || CAIRN_GETS(view->registers, MDCR_EL3, MDCR_EL3_STE);
}

static bool realm_trace_enable(const struct cairn_pe_view *view)
{
    return CAIRN_GETS(view->registers, MDCR_EL3, MDCR_EL3_RLTE);
}

/* TFO takes the filters out of force, but where software has opened a Security state to its own trace that
 * the debugger may not see. */
bool cairn_pe_self_hosted_trace(const struct cairn_pe_view *view)
{
    if (!view->features->trace_filter)
        return false;
    if (!view->authentication->TFO)
        return true;
    if (view->features->realms) {
        if (view->features->secure_EL2 && secure_trace_enable(view) &&
            !external_secure_noninvasive(view))
            return true;
        return realm_trace_enable(view) && !external_realm_noninvasive(view);
    }
    return secure_trace_enable(view) && !external_secure_noninvasive(view);
}

bool cairn_pe_trace_buffer_enabled(const struct cairn_pe_view *view)
{
    return view->features->trbe && cairn_pe_self_hosted_trace(view) &&
           CAIRN_GETS(view->registers, TRBLIMITR_EL1, TRBLIMITR_E);
}

/* --- the owner --- */

/* The Security state that SCR_EL3 gives the levels below EL3. */
static uint8_t lower_security(const struct cairn_pe_view *view)
{
    const bool NS = CAIRN_GETS(view->registers, SCR_EL3, SCR_EL3_NS);

    if (!view->features->EL3)
        return view->state->security;
    if (view->features->realms && CAIRN_GETS(view->registers, SCR_EL3, SCR_EL3_NSE))
        return NS ? CAIRN_REALM : CAIRN_ROOT; /* Root: reserved, nobody's */
    return NS ? CAIRN_NONSECURE : CAIRN_SECURE;
}

static uint8_t owning_security(const struct cairn_pe_view *view)
{
    const bool upper = CAIRN_GETS(view->registers, MDCR_EL3, MDCR_EL3_NSTB) >> 1;
    const bool extended =
        view->features->realms && CAIRN_GETS(view->registers, MDCR_EL3, MDCR_EL3_NSTBE);

    if (!view->features->EL3)
        return view->state->security;
    if (!extended)
        return upper ? CAIRN_NONSECURE : CAIRN_SECURE;
    if (upper || view->choices & CAIRN_PE_PROHIBIT_RESERVED_IS_REALM)
        return CAIRN_REALM;
    return CAIRN_NONSECURE;
}

/* R_SKVWG, R_XWDZV, R_SHXTV for an owning Security state. */
static struct cairn_pe_owner owner_in(const struct cairn_pe_view *view, uint8_t security)
{
    const bool has_EL2 = cairn_pe_has_EL2(view->features, view->registers, security);
    const bool is_EL2 = has_EL2 && !CAIRN_GETS(view->registers, MDCR_EL2, MDCR_EL2_E2TB);
    struct cairn_pe_owner owner = {.defined = true, .security = security, .EL = is_EL2 ? 2 : 1};

    if (is_EL2)
        owner.E2H = CAIRN_GETS(view->registers, HCR_EL2, HCR_EL2_E2H);
    else
        owner.stage2 = has_EL2 && CAIRN_GETS(view->registers, HCR_EL2, HCR_EL2_VM);
    owner.disagrees = security != lower_security(view);
    return owner;
}

struct cairn_pe_owner cairn_pe_trace_buffer_owner_programmed(const struct cairn_pe_view *view)
{
    return owner_in(view, owning_security(view));
}

struct cairn_pe_owner cairn_pe_trace_buffer_owner(const struct cairn_pe_view *view)
{
    static const struct cairn_pe_owner none;

    return cairn_pe_trace_buffer_enabled(view) ? cairn_pe_trace_buffer_owner_programmed(view)
                                               : none;
}

struct cairn_pe_owner cairn_pe_trace_buffer_regime(const struct cairn_pe_view *view)
{
    struct cairn_pe_owner owner = cairn_pe_trace_buffer_owner_programmed(view);

    if (owner.disagrees && view->choices & CAIRN_PE_PROHIBIT_TRANSLATES_AS_CURRENT) {
        owner = owner_in(view, lower_security(view));
        owner.disagrees = true;
    }
    return owner;
}

/* --- prohibited --- */

static bool is_opened(const struct cairn_pe_view *view)
{
    switch (view->state->security) {
    case CAIRN_NONSECURE: return true;
    case CAIRN_SECURE: return secure_trace_enable(view);
    case CAIRN_REALM: return realm_trace_enable(view);
    default: return false; /* Root */
    }
}

/* The Effective value of HCR_EL2.TGE. */
static bool is_general(const struct cairn_pe_view *view)
{
    return cairn_pe_has_EL2(view->features, view->registers, view->state->security) &&
           CAIRN_GETS(view->registers, HCR_EL2, HCR_EL2_TGE);
}

static bool is_owner_in_context(const struct cairn_pe_view *view)
{
    const struct cairn_pe_owner owner = cairn_pe_trace_buffer_owner(view);

    if (!owner.defined)
        return true;
    return view->state->security == owner.security && view->state->EL <= owner.EL &&
           !(owner.EL == 1 && is_general(view));
}

static bool is_filter_open(const struct cairn_pe_view *view)
{
    switch (view->state->EL) {
    case 0:
        return is_general(view) ? CAIRN_GETS(view->registers, TRFCR_EL2, TRFCR_EL2_E0HTRE)
                                : CAIRN_GETS(view->registers, TRFCR_EL1, TRFCR_EL1_E0TRE);
    case 1: return CAIRN_GETS(view->registers, TRFCR_EL1, TRFCR_EL1_E1TRE);
    case 2: return CAIRN_GETS(view->registers, TRFCR_EL2, TRFCR_EL2_E2TRE);
    default: return false; /* EL3 has no such control in AArch64 */
    }
}

/* Not self-hosted: what the authentication interface leaves to an external debugger. EL3 is Secure there,
 * or Root, which takes both. */
static bool is_external_allowed(const struct cairn_pe_view *view)
{
    switch (view->state->security) {
    case CAIRN_NONSECURE: return external_noninvasive(view);
    case CAIRN_SECURE: return external_secure_noninvasive(view);
    case CAIRN_REALM: return external_realm_noninvasive(view);
    default: return external_secure_noninvasive(view) && external_realm_noninvasive(view);
    }
}

bool cairn_pe_trace_prohibited(const struct cairn_pe_view *view)
{
    if (!cairn_pe_self_hosted_trace(view))
        return !is_external_allowed(view);
    return !(is_opened(view) && is_owner_in_context(view) && is_filter_open(view));
}

/* --- timestamps --- */

enum { TS_NONE = 0, TS_VIRTUAL = 1, TS_OFFSET = 2, TS_PHYSICAL = 3 };

enum cairn_pe_timestamp cairn_pe_trace_timestamp(const struct cairn_pe_view *view, bool ecv)
{
    static const enum cairn_pe_timestamp counts[] = {
        [TS_VIRTUAL] = CAIRN_PE_TIMESTAMP_VIRTUAL,
        [TS_OFFSET] = CAIRN_PE_TIMESTAMP_OFFSET_PHYSICAL,
        [TS_PHYSICAL] = CAIRN_PE_TIMESTAMP_PHYSICAL,
    };
    const unsigned reserved =
        view->choices & CAIRN_PE_PROHIBIT_RESERVED_TS_IS_PHYSICAL ? TS_PHYSICAL : TS_VIRTUAL;
    unsigned TS = TS_NONE;

    if (!cairn_pe_self_hosted_trace(view))
        return CAIRN_PE_TIMESTAMP_CORESIGHT;
    if (view->features->EL2) {
        TS = (unsigned)CAIRN_GETS(view->registers, TRFCR_EL2, TRFCR_TS);
        if (TS == TS_OFFSET && !ecv)
            TS = reserved;
    }
    if (TS == TS_NONE) {
        TS = (unsigned)CAIRN_GETS(view->registers, TRFCR_EL1, TRFCR_TS);
        if (TS == TS_NONE || (TS == TS_OFFSET && !ecv))
            TS = reserved;
    }
    return counts[TS];
}
