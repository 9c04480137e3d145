/* SPDX-License-Identifier: BSD-2-Clause */
/* When resource events are active (DDI0608 D7.3), and which resources anything uses. */
#include <string.h>

#include "unit/lint/lint.h"

#define TYPE_PAIR 0x80u
#define SEL 0x1fu
#define SELECTORS 32u
#define CONTROLS 8u

static enum cairn_lint_truth inverted(enum cairn_lint_truth truth, bool invert)
{
    if (invert && truth == CAIRN_LINT_NEVER)
        return CAIRN_LINT_ALWAYS;
    if (invert && truth == CAIRN_LINT_ALWAYS)
        return CAIRN_LINT_NEVER;
    return truth;
}

enum cairn_lint_truth cairn_lint_selector(const struct cairn_lint_run *run, unsigned selector)
{
    enum cairn_lint_truth truth = CAIRN_LINT_DEPENDS;
    uint64_t value;

    if (selector < 2) /* R_NRSGN, R_SXSQT */
        return selector == 0 ? CAIRN_LINT_NEVER : CAIRN_LINT_ALWAYS;
    if (!cairn_lint_get_n(run, "TRCRSCTLR", selector, &value))
        return CAIRN_LINT_UNKNOWN;
    if (cairn_register_bits(value, 15, 0) == 0)
        truth = CAIRN_LINT_NEVER;
    return inverted(truth, value >> 20 & 1);
}

static enum cairn_lint_truth pair_truth(const struct cairn_lint_run *run, unsigned pair)
{
    const enum cairn_lint_truth a = cairn_lint_selector(run, 2 * pair);
    const enum cairn_lint_truth b = cairn_lint_selector(run, 2 * pair + 1);
    enum cairn_lint_truth truth = CAIRN_LINT_DEPENDS;
    uint64_t value;

    if (pair == 0 || !cairn_lint_get_n(run, "TRCRSCTLR", 2 * pair, &value))
        return CAIRN_LINT_UNKNOWN;
    if (a == CAIRN_LINT_NEVER || b == CAIRN_LINT_NEVER)
        truth = CAIRN_LINT_NEVER;
    else if (a == CAIRN_LINT_UNKNOWN || b == CAIRN_LINT_UNKNOWN)
        truth = CAIRN_LINT_UNKNOWN;
    else if (a == CAIRN_LINT_ALWAYS && b == CAIRN_LINT_ALWAYS)
        truth = CAIRN_LINT_ALWAYS;
    return inverted(truth, value >> 21 & 1);
}

enum cairn_lint_truth cairn_lint_event(const struct cairn_lint_run *run, unsigned event)
{
    if (event & TYPE_PAIR)
        return pair_truth(run, event & 0xf);
    return cairn_lint_selector(run, event & SEL);
}

/* What an event of a register uses. */
static void use_events(struct cairn_lint_run *run, struct cairn_register_place place,
                       uint64_t value)
{
    const struct cairn_register_field *fields[CAIRN_FIELDS_MOST];
    const size_t count = cairn_register_fields(run->unit, place, fields);

    for (size_t i = 0; i < count; i++) {
        if (fields[i]->meaning != CAIRN_MEANS_EVENT)
            continue;
        const unsigned event = (unsigned)cairn_field_value(fields[i], value);
        if (event & TYPE_PAIR)
            run->used.pairs |= 1u << (event & 0xf);
        else if (event)
            run->used.selectors |= 1u << (event & SEL);
    }
}

static void use_selector(struct cairn_lint_run *run, unsigned selector)
{
    uint64_t value;

    if (!cairn_lint_get_n(run, "TRCRSCTLR", selector, &value))
        return;
    const uint32_t select = cairn_register_bits(value, 15, 0);
    switch (cairn_register_bits(value, 19, 16)) {
    case 0: run->used.inputs |= select; break;
    case 2:
        run->used.counters |= select & 0xf;
        run->used.states |= select >> 4 & 0xf;
        break;
    case 3: run->used.controls |= select & 0xff; break;
    case 4: run->used.sacs |= select; break;
    case 5: run->used.arcs |= select & 0xff; break;
    default: break;
    }
}

void cairn_lint_find_used(struct cairn_lint_run *run)
{
    struct cairn_register_place place;
    size_t index = 0;
    uint64_t value;

    memset(&run->used, 0, sizeof run->used);
    if (!(run->unit & CAIRN_OF_BOTH))
        return;
    while (cairn_lint_given(run, &index, &place, &value))
        if (place.family->units & run->unit)
            use_events(run, place, value);
    for (unsigned n = 2; n < SELECTORS; n++)
        if ((run->used.selectors >> n | run->used.pairs >> n / 2) & 1)
            use_selector(run, n);
    for (unsigned n = 0; n < CONTROLS; n++)
        if ((run->used.controls >> n & 1) && cairn_lint_get_n(run, "TRCSSCCR", n, &value)) {
            run->used.sacs |= cairn_register_bits(value, 15, 0);
            run->used.arcs |= cairn_register_bits(value, 23, 16);
        }
    value = cairn_lint_value(run, "TRCVISSCTLR");
    run->used.sacs |= cairn_register_bits(value, 15, 0) | cairn_register_bits(value, 31, 16);
    value = cairn_lint_value(run, "TRCVIIECTLR");
    run->used.arcs |= cairn_register_bits(value, 7, 0) | cairn_register_bits(value, 23, 16);
    if (cairn_lint_bits(run, "TRCCONFIGR", 3, 3))
        run->used.arcs |= cairn_lint_bits(run, "TRCBBCTLR", 7, 0);
    if (cairn_lint_bits(run, "TRCCONFIGR", 14, 13))
        run->used.arcs |= cairn_lint_bits(run, "TRCQCTLR", 7, 0);
}
