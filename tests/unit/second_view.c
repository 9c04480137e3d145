/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparators (D7.4 to D7.6), the ViewInst function (D6.8), and what speculation and transactions
 * leave of it (D6.7, D7.9). */
#include "second_resources.h"

#include <assert.h>

enum { PE_COMPARATORS = 1, SINGLE_SHOTS = 3, SACS, ARCS, CIDS, VMIDS }; /* Table D7.1 */

#define ACATR_CONTEXTTYPE(r) ((r) >> 2 & 3u)
#define ACATR_CONTEXT(r) ((r) >> 4 & 7u)
#define ACATR_EXLEVEL_S(r) ((unsigned)((r) >> 8) & 15u)
#define ACATR_EXLEVEL_NS(r) ((unsigned)((r) >> 12) & 7u)
#define SSCC_SACS(r) ((r)&0xffffu)
#define SSCC_ARCS(r) ((r) >> 16 & 0xffu)
#define VICTLR_EVENT(r) ((r)&0xffu)
#define VICTLR_SSSTATUS (1u << 9)
#define VICTLR_TRCRESET (1u << 10)
#define VICTLR_TRCERR (1u << 11)
#define VICTLR_EXLEVEL_S(r) ((r) >> 16 & 15u)
#define VICTLR_EXLEVEL_NS(r) ((r) >> 20 & 7u)
#define VIIE_INCLUDE(r) ((r)&0xffu)
#define VIIE_EXCLUDE(r) ((r) >> 16 & 0xffu)
#define VISS_START(r) ((r)&0xffffu)
#define VISS_STOP(r) ((r) >> 16 & 0xffffu)
#define VIPCSS_START(r) ((r)&0xffu)
#define VIPCSS_STOP(r) ((r) >> 16 & 0xffu)
#define RSR_TA (1u << 12)
#define INSTRUCTION 4u /* bytes, of A64 */

/* --- D7.5, D7.6: context identifier comparators --- */

/* D7.15 to D7.22: byte j counts unless its mask bit is set. */
static bool identifier(const uint64_t values[8], const uint32_t masks[2], unsigned n, uint32_t is)
{
    const unsigned mask = masks[n / 4] >> 8 * (n % 4) & 0xff;

    for (unsigned j = 0; j < 4; j++)
        if (!(mask >> j & 1) && (values[n] >> 8 * j & 0xff) != (is >> 8 * j & 0xff))
            return false;
    return true;
}

static bool cid(const struct second *s, unsigned n)
{
    return identifier(s->reg.cidcvr, s->reg.cidcctlr, n, s->context.context_id);
}

static bool vmid(const struct second *s, unsigned n)
{
    return identifier(s->reg.vmidcvr, s->reg.vmidcctlr, n, s->context.vmid);
}

/* --- D7.4: address comparators --- */

/* D6.16, D7.1: the bit of the level inhibits. EL3 has its bit among those of Secure state. */
static bool at_level(const struct second *s, unsigned exlevel_s, unsigned exlevel_ns)
{
    const bool secure = s->context.security == SECOND_SECURE || s->context.level == 3;

    return !((secure ? exlevel_s : exlevel_ns) >> s->context.level & 1);
}

/* D7.1 and D7.4; D7.10 and D7.13 for an ARC, with the lower SAC's register */
static bool attributes(const struct second *s, uint64_t acatr)
{
    const unsigned type = ACATR_CONTEXTTYPE(acatr), m = ACATR_CONTEXT(acatr);

    return at_level(s, ACATR_EXLEVEL_S(acatr), ACATR_EXLEVEL_NS(acatr)) &&
           (!(type & 1) || cid(s, m)) && (!(type & 2) || vmid(s, m));
}

/* D7.5, D7.6 */
static bool sac(const struct second *s, unsigned n, uint64_t address)
{
    return address == s->reg.acvr[n] && attributes(s, s->reg.acatr[n]);
}

/* D7.7 to D7.9, D7.14 */
static bool arc(const struct second *s, unsigned n, uint64_t address)
{
    return address >= s->reg.acvr[2 * n] && address <= s->reg.acvr[2 * n + 1] &&
           attributes(s, s->reg.acatr[2 * n]);
}

static uint64_t address_of(const struct second_block *block, unsigned i)
{
    return block->address + INSTRUCTION * i;
}

/* Those that match an instruction of the block (R_HMYMX: at least once). */
static void compare_block(struct second *s, const struct second_block *block)
{
    s->line[PE_COMPARATORS] = (uint16_t)(s->levels >> 8 & 0xff); /* D7.12, R_BDWHM */
    for (unsigned n = 0; n < 16; n++)
        for (unsigned i = 0; i < block->count; i++) {
            s->line[SACS] |= (uint16_t)((unsigned)sac(s, n, address_of(block, i)) << n);
            if (n < 8)
                s->line[ARCS] |= (uint16_t)((unsigned)arc(s, n, address_of(block, i)) << n);
        }
    for (unsigned n = 0; n < 8; n++) {
        s->line[CIDS] |= (uint16_t)((unsigned)cid(s, n) << n);   /* R_BKQKQ */
        s->line[VMIDS] |= (uint16_t)((unsigned)vmid(s, n) << n); /* R_VWYMY */
    }
}

/* R_XVVYX: of which Single-shot Comparator Controls a selected comparator matched. */
static unsigned single_shots(const struct second *s)
{
    unsigned matched = 0;

    for (unsigned n = 0; n < 8; n++)
        if ((s->line[SACS] & SSCC_SACS(s->reg.sscc[n])) ||
            (s->line[ARCS] & SSCC_ARCS(s->reg.sscc[n])) ||
            (s->line[PE_COMPARATORS] & s->reg.sspcic[n]))
            matched |= 1u << n;
    return matched;
}

/* --- D6.8: ViewInst --- */

/* R_KCYTR by instruction; R_PTTKL, R_WJLMR, R_SMGJZ: what holds for one holds for the block. */
static bool start_stop(struct second *s, const struct second_block *block)
{
    bool active = false;

    for (unsigned i = 0; i < block->count; i++) {
        /* D6.22, D6.23 */
        bool start = s->line[PE_COMPARATORS] & VIPCSS_START(s->reg.vipcssctlr);
        bool stop = s->line[PE_COMPARATORS] & VIPCSS_STOP(s->reg.vipcssctlr);

        for (unsigned n = 0; n < 16; n++) {
            const bool match = sac(s, n, address_of(block, i));

            start = start || (match && (VISS_START(s->reg.vissctlr) >> n & 1));
            stop = stop || (match && (VISS_STOP(s->reg.vissctlr) >> n & 1));
        }
        s->deeds[SECOND_STARTED] += start && !(s->reg.victlr & VICTLR_SSSTATUS);
        if (start)
            s->reg.victlr |= VICTLR_SSSTATUS;
        active = active || (s->reg.victlr & VICTLR_SSSTATUS);
        s->deeds[SECOND_STOPPED] += stop && (s->reg.victlr & VICTLR_SSSTATUS);
        if (stop)
            s->reg.victlr &= ~VICTLR_SSSTATUS;
    }
    return active;
}

/* R_SKZHH by instruction, R_RNPWD, R_PLCQJ; I_LBNVM */
static enum second_verdict include_exclude(struct second *s, const struct second_block *block)
{
    const unsigned include = VIIE_INCLUDE(s->reg.viiectlr);
    const unsigned exclude = VIIE_EXCLUDE(s->reg.viiectlr);
    bool included = include == 0, all = true;
    unsigned around = exclude; /* those that have the whole block */

    for (unsigned i = 0; i < block->count; i++) {
        unsigned match = 0;

        for (unsigned n = 0; n < 8; n++)
            match |= (unsigned)arc(s, n, address_of(block, i)) << n;
        included = included || (match & include);
        all = all && (match & exclude);
        around &= match;
    }
    s->deeds[SECOND_EXCLUDED] += all;
    if (!included || around)
        return SECOND_NOT_TRACED;
    return all ? SECOND_EITHER : SECOND_TRACED;
}

/* D6.10 */
static enum second_verdict view(struct second *s, const struct second_block *block)
{
    const bool S = start_stop(s, block);
    const enum second_verdict I = include_exclude(s, block);
    const bool E = at_level(s, VICTLR_EXLEVEL_S(s->reg.victlr), VICTLR_EXLEVEL_NS(s->reg.victlr));
    const bool N = second_event(s, VICTLR_EVENT(s->reg.victlr)); /* D6.15, R_NBKRP */

    s->deeds[SECOND_VIEW_BY_EVENT] += S && E && I == SECOND_TRACED && !N;
    return S && E && N ? I : SECOND_NOT_TRACED;
}

/* --- D6.7, D7.9: what is certain, and when --- */

static void resolve_oldest(struct second *s, unsigned *fire)
{
    const struct second_entry *entry = &s->entries[0];

    switch (entry->kind) {
    case SECOND_BLOCK:
        if (s->resolved_inside)
            s->transactional |= entry->matched;
        else
            *fire |= entry->matched;
        break;
    case SECOND_BEGIN:
        s->resolved_inside = true;
        s->transactional = 0;
        break;
    case SECOND_COMMIT:
        *fire |= s->transactional;
        s->resolved_inside = false;
        s->transactional = 0;
        break;
    case SECOND_FAIL: /* R_SDDWY */
        s->deeds[SECOND_NOT_FIRED] += s->transactional != 0;
        s->resolved_inside = false;
        s->transactional = 0;
        break;
    case SECOND_FORGET: /* R_XRSYH */ s->transactional = 0; break;
    }
    s->unresolved--;
    s->resolved++;
    for (size_t i = 0; i < s->unresolved; i++)
        s->entries[i] = s->entries[i + 1];
}

void second_resolve(struct second *s, uint64_t mark)
{
    unsigned fire = 0;

    while (s->unresolved && s->resolved < mark)
        resolve_oldest(s, &fire);
    second_fire(s, fire);
}

static struct second_before before(const struct second *s)
{
    const struct second_before result = {s->reg.victlr, s->reg.rsr & RSR_TA, s->owed || s->doubt,
                                         s->inside, s->outer};
    return result;
}

static void remember(struct second *s, enum second_told kind, unsigned matched,
                     const struct second_before *was)
{
    assert(s->unresolved < SECOND_UNRESOLVED);
    s->entries[s->unresolved].kind = kind;
    s->entries[s->unresolved].matched = matched;
    s->entries[s->unresolved++].before = *was;
    if (!s->speculative)
        second_resolve(s, UINT64_MAX);
}

void second_tell(struct second *s, enum second_told kind, unsigned matched)
{
    const struct second_before was = before(s);

    remember(s, kind, matched, &was);
}

void second_speculate(struct second *s, bool speculative)
{
    s->speculative = speculative;
    if (!speculative)
        second_resolve(s, UINT64_MAX);
}

uint64_t second_mark(const struct second *s)
{
    return s->resolved + s->unresolved;
}

/* R_HYLDM, R_CJTJM. What is owed may be told at once, by the Exception of R_KDVTX. */
void second_cancel(struct second *s, uint64_t mark)
{
    const size_t at = (size_t)(mark - s->resolved);
    const struct second_before *was = &s->entries[at].before;

    if (at == s->unresolved)
        return;
    for (size_t i = at; i < s->unresolved; i++)
        s->deeds[SECOND_NOT_FIRED] += s->entries[i].matched != 0;
    s->deeds[SECOND_UNDONE] += s->reg.victlr != was->victlr;
    s->reg.victlr = was->victlr;
    s->reg.rsr = (s->reg.rsr & ~RSR_TA) | was->rsr;
    s->owed = false;
    s->doubt = was->owed;
    s->inside = was->inside;
    s->outer = was->outer;
    s->unresolved = at;
}

void second_forget_unresolved(struct second *s)
{
    for (size_t i = 0; i < s->unresolved; i++)
        s->deeds[SECOND_NOT_FIRED] += s->entries[i].matched != 0;
    s->resolved += s->unresolved;
    s->unresolved = 0;
    s->resolved_inside = s->inside = s->owed = s->doubt = false;
    s->transactional = 0;
}

void second_transaction(struct second *s, enum second_told kind)
{
    s->transaction = kind == SECOND_BEGIN;
    if (!s->enabled)
        return;
    second_tell(s, kind, 0);
    s->inside = kind == SECOND_BEGIN;
    if (kind == SECOND_BEGIN)
        s->outer = s->reg.victlr;
    if (kind == SECOND_FAIL) { /* R_CYQZV */
        s->deeds[SECOND_UNDONE] += s->reg.victlr != s->outer;
        s->reg.victlr = s->outer;
        s->doubt = s->owed;
        s->owed = false;
    }
}

/* --- what the PE does --- */

bool second_observes(const struct second *s)
{
    return s->enabled && !s->prohibited && !s->debug;
}

enum second_verdict second_execute(struct second *s, const struct second_block *block)
{
    const struct second_before was = before(s);
    enum second_verdict verdict;
    unsigned matched;

    if (s->has_block)
        second_next_clock(s);
    s->has_block = true;
    if (!second_observes(s))
        return SECOND_NOT_TRACED;
    s->told = true;
    s->line[0] |= (uint16_t)(s->levels & 0xf);
    compare_block(s, block);
    matched = single_shots(s);
    s->deeds[SECOND_PE_MATCH] += s->line[PE_COMPARATORS] && s->reg.vipcssctlr;
    remember(s, SECOND_BLOCK, matched, &was);
    verdict = view(s, block);
    if (s->owed && verdict != SECOND_TRACED) {
        s->deeds[SECOND_OWED]++;
        verdict = SECOND_TRACED;
    }
    return s->doubt && verdict == SECOND_NOT_TRACED ? SECOND_EITHER : verdict;
}

/* R_BFSWZ, R_MLTTK */
static void set_ta(struct second *s, bool traced)
{
    s->reg.rsr = (s->reg.rsr & ~RSR_TA) | (traced ? RSR_TA : 0);
}

void second_settle(struct second *s, const struct second_block *block, bool traced)
{
    if (!second_observes(s)) /* R_BJQDP */
        return;
    set_ta(s, traced);
    s->owed = traced && !block->p0;
    s->doubt = false;
}

/* R_DPMBQ; R_LTLBB, R_GPKSH, R_NZNDM, R_YFKGM. Whether it is traced. */
bool second_exception(struct second *s, enum second_exception type)
{
    const bool ta = s->reg.rsr & RSR_TA;
    const bool forced = (type == SECOND_SYSTEM_ERROR && (s->reg.victlr & VICTLR_TRCERR)) ||
                        (type == SECOND_PE_RESET && (s->reg.victlr & VICTLR_TRCRESET));

    if (!second_observes(s))
        return false;
    second_tell(s, SECOND_BLOCK, 0);
    set_ta(s, ta || (forced && s->choices.forced_sets_ta));
    s->owed = s->doubt = false;
    s->deeds[SECOND_FORCED] += forced && !ta;
    return ta || forced;
}
