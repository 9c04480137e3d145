/* SPDX-License-Identifier: BSD-2-Clause */
#include "second.h"

/* F1.1.4 */
static bool may_record(const struct second_parts *p, const struct second_settings *s,
                       struct second_place at)
{
    bool EL2_is_on = p->EL2;

    if (at.secure && !(p->EL3 && s->EEL2))
        EL2_is_on = false;
    if (at.aarch32 || at.debug)
        return false;
    if (at.EL == 3)
        return p->v1p1 && p->EL3 && s->E3BREC != s->E3BREW;
    if (p->EL3 && s->SBRBE == 0)
        return false;
    if (p->EL3 && s->SBRBE == 1 && at.secure)
        return false;
    if (at.EL == 2)
        return s->E2BRE;
    if (at.EL == 1)
        return s->E1BRE;
    if (EL2_is_on && s->TGE)
        return s->E0HBRE;
    return s->E0BRE;
}

static bool may_before(const struct second_parts *p, const struct second_step *s)
{
    return may_record(p, &s->settings, s->from);
}

static bool may_behind(const struct second_parts *p, const struct second_step *s)
{
    return may_record(p, &s->settings, s->to);
}

static bool both(const struct second_parts *p, const bool bit[3])
{
    return p->EL2 ? bit[1] && bit[2] : bit[1];
}

static bool recording_EL3(const struct second_parts *p, const struct second_settings *s)
{
    return p->v1p1 && p->EL3 && s->E3BREC != s->E3BREW;
}

/* The step makes a record, if nothing is paused. */
static bool makes_one(const struct second_parts *p, const struct second_step *s)
{
    const bool before = may_before(p, s), behind = may_behind(p, s);

    switch (s->deed) {
    case BRANCH:
        if (s->branch == BARRIER)
            return before && p->records_ISB && s->settings.filter[DIRECT] != s->settings.EnI;
        return before && s->taken && s->settings.filter[s->branch] != s->settings.EnI;
    case EXCEPTION:
        if (!before && !behind)
            return false;
        return s->to.EL == 3 ? recording_EL3(p, &s->settings) : s->settings.EXCEPTION[s->to.EL];
    case ERET:
        if (!before && !behind)
            return false;
        return s->from.EL == 3 ? recording_EL3(p, &s->settings) : s->settings.ERTN[s->from.EL];
    case HALT: return before;
    case RESUME: return behind;
    default: return false;
    }
}

/* The overflow flags that are up behind step `at` are some that freeze. */
static bool freezing(const struct second_parts *p, const struct second_step *steps, size_t at)
{
    const struct second_settings *s = &steps[at].settings;
    uint32_t flags = 0;

    for (size_t i = 0; i <= at; i++)
        if (steps[i].deed == OVERFLOW)
            flags = steps[i].overflow;
    for (unsigned n = 0; n < p->counters; n++) {
        const bool is_EL2s = p->EL2 && n >= s->HPMN;
        if ((flags >> n & 1) && s->FZP[is_EL2s ? 2 : 1])
            return true;
    }
    return false;
}

/* PAUSED just before step `at`: the last word that was had on it. */
static bool paused_before(const struct second_parts *p, const struct second_step *steps, size_t at)
{
    for (size_t i = at; i-- > 0;) {
        if (may_behind(p, &steps[i]) && freezing(p, steps, i))
            return true;
        if (steps[i].deed == CONTROL)
            return steps[i].paused;
    }
    return false;
}

static bool is_record(const struct second_parts *p, const struct second_step *steps, size_t at)
{
    return makes_one(p, &steps[at]) && !paused_before(p, steps, at);
}

/* F1.1.7: something failed in the open, or LASTFAILED was written, and no record took it since. */
static bool carries_failure(const struct second_parts *p, const struct second_step *steps,
                            size_t at)
{
    for (size_t i = at; i-- > 0;) {
        if (steps[i].deed == TX_FAIL && may_before(p, &steps[i]))
            return true;
        if (steps[i].deed == CONTROL)
            return steps[i].last_failed;
        if (is_record(p, steps, i))
            return false;
    }
    return false;
}

/* Bits of BRBINF for the cycles, F1.1.2. */
static uint64_t cycle_bits(const struct second_parts *p, const struct second_step *steps, size_t at)
{
    const uint64_t unknown = UINT64_C(1) << 46;
    uint64_t sum = 0;
    size_t previous = at;
    unsigned exponent = 0;

    if (!both(p, steps[at].settings.CC))
        return unknown;
    /* back to the record before it: nothing on the way may make the count unknown */
    for (size_t i = at;; i--) {
        const bool was_prohibited = steps[i].deed == SET && i > 0 ? !may_behind(p, &steps[i - 1])
                                                                  : !may_before(p, &steps[i]);
        const bool counted = i > 0 && both(p, steps[i - 1].settings.CC);

        if (i < at && is_record(p, steps, i)) {
            previous = i;
            break;
        }
        sum += steps[i].cycles;
        if ((was_prohibited && may_behind(p, &steps[i])) || !counted)
            return unknown;
        if (steps[i].deed == IALL)
            return unknown;
        if (steps[i].deed == CONTROL && !steps[i].paused && paused_before(p, steps, i))
            return unknown;
        if (i == 0)
            return unknown;
    }
    (void)previous;
    if (sum >= 1u << 20)
        return UINT64_C(0x3fff) << 32;
    for (exponent = 0; sum >= (exponent ? 512 : 256); exponent++)
        if (exponent)
            sum /= 2;
    return (uint64_t)(exponent << 8 | (sum & 0xff)) << 32;
}

static unsigned type_of(const struct second_step *s)
{
    static const uint8_t branches[] = {8, 2, 3, 5, 1, 0, 0};

    switch (s->deed) {
    case BRANCH: return branches[s->branch];
    case EXCEPTION: return s->type;
    case ERET: return 7;
    case HALT: return 0x21;
    default: return 0x39;
    }
}

static struct second_record make(const struct second_parts *p, const struct second_step *steps,
                                 size_t at)
{
    const struct second_step *s = &steps[at];
    const bool source = s->deed != RESUME && may_before(p, s);
    const bool target = s->deed != HALT && may_behind(p, s);
    struct second_record r = {0, 0, 0};

    r.inf = (unsigned)source << 1 | target;
    r.inf |= type_of(s) << 8 | cycle_bits(p, steps, at);
    if (carries_failure(p, steps, at))
        r.inf |= 1u << 17;
    if (source) {
        r.source = s->source;
        if (s->from.transactional)
            r.inf |= 1u << 16;
        if ((s->deed == BRANCH || s->deed == ERET) && s->missed && both(p, s->settings.MPRED))
            r.inf |= 1u << 5;
    }
    if (target) {
        r.target = s->branch == BARRIER && s->deed == BRANCH ? s->source + 4 : s->target;
        r.inf |= s->to.EL << 6;
    }
    return r;
}

unsigned second_select(const struct second_parts *parts, const struct second_step *steps,
                       size_t count, struct second_record *records)
{
    unsigned found = 0;

    for (size_t i = count; i-- > 0 && found < parts->records;) {
        if (steps[i].deed == IALL)
            break;
        if (steps[i].deed == INJECT && !may_before(parts, &steps[i]))
            records[found++] =
                (struct second_record){3 | 5u << 8, steps[i].source, steps[i].target};
        else if (is_record(parts, steps, i))
            records[found++] = make(parts, steps, i);
    }
    return found;
}
