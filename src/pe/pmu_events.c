/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/pmu_events.h"

#define PAGE_SHIFT 8
#define IN_PAGE 0xffu

static const struct cairn_pmu_event_row rows[] = {
#define E(number, name, class, needs)                                                              \
    {number, CAIRN_PMU_NEEDS_##needs, CAIRN_PMU_CLASS_##class, #name},
    CAIRN_PMU_EVENTS(E)
#undef E
};

static const uint32_t pages[CAIRN_PMU_PAGES] = {0x00, 0x40, 0x81};

const struct cairn_pmu_event_row *cairn_pmu_event_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct cairn_pmu_event_row *cairn_pmu_event_row(uint32_t number)
{
    size_t low = 0;
    size_t high = sizeof rows / sizeof rows[0];

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (rows[middle].number == number)
            return &rows[middle];
        if (rows[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* CAIRN_PMU_PAGES: it is in none. */
static unsigned find_page(uint32_t number)
{
    unsigned page = 0;

    while (page < CAIRN_PMU_PAGES && pages[page] != number >> PAGE_SHIFT)
        page++;
    return page;
}

bool cairn_pmu_events_have(const struct cairn_pmu_events *events, uint32_t number)
{
    const unsigned page = find_page(number);

    if (page < CAIRN_PMU_PAGES)
        return events->pages[page][(number & IN_PAGE) / 64] >> (number % 64) & 1u;
    for (unsigned n = 0; n < events->other_count; n++)
        if (events->others[n] == number)
            return true;
    return false;
}

cairn_status cairn_pmu_events_add(struct cairn_pmu_events *events, uint32_t number)
{
    const unsigned page = find_page(number);

    if (number > UINT16_MAX)
        return CAIRN_E_ARGUMENT;
    if (cairn_pmu_events_have(events, number))
        return CAIRN_OK;
    if (page == CAIRN_PMU_PAGES && events->other_count == CAIRN_PMU_OTHERS)
        return CAIRN_E_LIMIT;
    if (page < CAIRN_PMU_PAGES)
        events->pages[page][(number & IN_PAGE) / 64] |= UINT64_C(1) << (number % 64);
    else
        events->others[events->other_count++] = (uint16_t)number;
    events->count++;
    return CAIRN_OK;
}

static bool has(enum cairn_pmu_needs needs, const struct cairn_pe_features *features, bool ETE)
{
    switch (needs) {
    case CAIRN_PMU_NEEDS_NOTHING: return true;
    case CAIRN_PMU_NEEDS_HOST: return false;
    case CAIRN_PMU_NEEDS_ETE: return ETE;
    case CAIRN_PMU_NEEDS_ETE_EL2: return ETE && features->EL2;
    case CAIRN_PMU_NEEDS_TRBE: return features->trbe;
    case CAIRN_PMU_NEEDS_BRBE: return features->brbe != 0;
    case CAIRN_PMU_NEEDS_TME: return features->transactions;
    }
    return false;
}

void cairn_pmu_events_of(struct cairn_pmu_events *events, const struct cairn_pe_features *features,
                         bool ETE)
{
    *events = (struct cairn_pmu_events){0};
    /* Every number of the table lies in a page, so that adding cannot fail. */
    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++)
        if (has((enum cairn_pmu_needs)rows[n].needs, features, ETE))
            (void)cairn_pmu_events_add(events, rows[n].number);
}
