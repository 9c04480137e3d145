/* SPDX-License-Identifier: BSD-2-Clause */
/* What is programmed, and what follows from it by the text: nothing here asks the library. */
#include "run.h"

#include <string.h>

void whole_settings_draw(struct whole_settings *s, uint64_t *state)
{
    static const uint8_t records[] = {8, 16, 32, 64};
    static const uint8_t SBRBE[] = {3, 3, 3, 3, 1, 0};

    memset(s, 0, sizeof *s);
    s->v1p1 = whole_percent(state, 50);
    s->secure = whole_percent(state, 15);
    s->TGE = !s->secure && whole_percent(state, 20);
    s->has_EL3_code = whole_percent(state, 30);
    s->return_stack = whole_percent(state, 50);
    s->has_TRBE = whole_percent(state, 80);
    s->records = records[whole_below(state, 4)];
    s->SBRBE = SBRBE[whole_below(state, 6)];
    /* Where EL0 to EL2 may program it themselves. */
    s->at_their_levels = s->SBRBE == 3 && !s->secure && !s->TGE && whole_percent(state, 50);
    s->traced = whole_percent(state, 50) ? 7 : whole_below(state, 8);
    s->recorded = whole_percent(state, 30) ? 7 : whole_below(state, 8);
    s->E3BRE = whole_below(state, 4);
    s->sync_period = whole_percent(state, 50) ? 0 : 8 + whole_below(state, 3);
    s->filters = whole_percent(state, 40) ? 1 : whole_below(state, 128);
    for (unsigned level = 1; level <= 2; level++) {
        s->EXCEPTION[level] = whole_percent(state, 70);
        s->ERTN[level] = whole_percent(state, 70);
        s->CC[level] = whole_percent(state, 80);
        s->MPRED[level] = whole_percent(state, 70);
    }
    s->transactions = whole_percent(state, 60);
    s->halts = whole_percent(state, 50);
    for (unsigned level = 1; level <= 2; level++)
        s->FZP[level] = whole_percent(state, 60);
    s->HPMN = whole_percent(state, 70) ? 6 : 4;
    s->physical = whole_percent(state, 50);
    s->offset = whole_below(state, 1000);
    if (whole_percent(state, 50))
        s->choices = whole_below(state, 16);
    s->shift = whole_percent(state, 50) ? 0 : (int)whole_below(state, 7) - 3;
    s->skid = whole_percent(state, 60) ? 0 : whole_below(state, 4);
    s->order = (enum cairn_pe_order)whole_below(state, 3);
    s->owner_is_EL1 = !s->TGE && whole_percent(state, 50);
}

unsigned whole_used(const struct whole_settings *s)
{
    const unsigned top = s->has_EL3_code ? 8 : 0;

    if (s->secure)
        return 3 | top;
    return (s->TGE ? 5 : 7) | top;
}

unsigned whole_traced(const struct whole_settings *s)
{
    unsigned levels = s->traced & 7;

    /* The owner is not in context above its own level (DDI0608 E1.2). */
    if (s->buffered && s->owner_is_EL1)
        levels &= 3;
    return levels & whole_used(s);
}

unsigned whole_recorded(const struct whole_settings *s)
{
    unsigned levels = s->recorded & 7;

    if (s->SBRBE == 0 || (s->SBRBE == 1 && s->secure))
        levels = 0;
    if (s->v1p1 && (s->E3BRE == 1 || s->E3BRE == 2))
        levels |= 8;
    return levels & whole_used(s);
}
