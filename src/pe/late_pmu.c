/* SPDX-License-Identifier: BSD-2-Clause */
/* The Performance Monitors' registers: when what is written counts, and when what was counted shows. */
#include "pe/pe.h"
#include "pe/pmu_count.h"

#define CYCLE CAIRN_PMU_CYCLE_COUNTER

static bool is_late(const struct cairn_pe *pe)
{
    return pe->order.lanes[0].kind != CAIRN_LANE_EARLY;
}

static bool is_watched(const struct cairn_pe *pe)
{
    return pe->order.lane_count > 1;
}

static void find_of_pmu(struct cairn_pe *pe, struct cairn_order_finding finding)
{
    finding.missing = CAIRN_PE_MISSES_CSE;
    finding.place = pe->order.place;
    if (pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}

/* The register that PMXEVTYPER_EL0 or PMXEVCNTR_EL0 is at present; others as they are. */
static uint32_t resolve(const struct cairn_pe_registers *registers, uint32_t reg)
{
    const uint32_t selected = (uint32_t)CAIRN_GETS(registers, PMSELR_EL0, PMSELR_SEL);

    if (reg == CAIRN_PE_PMXEVTYPER_EL0)
        return selected == CYCLE ? (uint32_t)CAIRN_PE_PMCCFILTR_EL0
                                 : CAIRN_PE_PMEVTYPER0_EL0 + selected;
    if (reg == CAIRN_PE_PMXEVCNTR_EL0 && selected != CYCLE)
        return CAIRN_PE_PMEVCNTR0_EL0 + selected;
    return reg;
}

/* Where `shown` has what the register counts; less than it has: nowhere. */
static unsigned shown_at(uint32_t reg)
{
    if (reg >= CAIRN_PE_PMEVCNTR0_EL0 && reg < CAIRN_PE_PMEVTYPER0_EL0)
        return reg - CAIRN_PE_PMEVCNTR0_EL0;
    if (reg == CAIRN_PE_PMCCNTR_EL0)
        return CYCLE;
    if (reg == CAIRN_PE_PMOVSSET_EL0 || reg == CAIRN_PE_PMOVSCLR_EL0)
        return CAIRN_PE_LATE_FLAGS;
    return UINT32_MAX;
}

static uint64_t *counted(struct cairn_pe *pe, unsigned n)
{
    return &pe->pmu_registers.value[n == CYCLE                 ? (uint32_t)CAIRN_PE_PMCCNTR_EL0
                                    : n == CAIRN_PE_LATE_FLAGS ? (uint32_t)CAIRN_PE_PMOVSSET_EL0
                                                               : CAIRN_PE_PMEVCNTR0_EL0 + n];
}

/* --- writing --- */

static void show_written(struct cairn_pe *pe, uint32_t reg, uint64_t value)
{
    const unsigned n = shown_at(reg);

    if (n != UINT32_MAX)
        pe->late_pmu.shown[n] = *counted(pe, n);
    if (reg != CAIRN_PE_PMCR_EL0)
        return;
    for (unsigned i = 0; CAIRN_GET(value, PMCR_P) && i < CAIRN_PE_EVENT_COUNTERS; i++)
        pe->late_pmu.shown[i] = *counted(pe, i);
    if (CAIRN_GET(value, PMCR_C))
        pe->late_pmu.shown[CYCLE] = *counted(pe, CYCLE);
}

static void count_first(struct cairn_pe *pe, unsigned count)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;

    for (unsigned i = 0; i < count; i++) {
        const uint32_t reg = resolve(&pe->pmu_registers, late->writes[i].reg);

        cairn_pmu_write(&pe->pmu, (enum cairn_pe_register)late->writes[i].reg,
                        late->writes[i].value, &late->writes[i].state);
        show_written(pe, reg, late->writes[i].value);
    }
    late->count -= count;
    for (unsigned i = 0; i < late->count; i++)
        late->writes[i] = late->writes[i + count];
}

/* For the findings: what it was before, and what it will be. */
static void note_write(struct cairn_pe *pe, uint32_t named, uint64_t value,
                       const struct cairn_pe_state *state)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;
    uint32_t reg;
    unsigned n;

    if (!late->is_open) {
        late->is_open = true;
        late->before = late->after = pe->pmu_registers;
        late->written = pe->pmu;
        late->written.registers = &late->after;
        late->written.config.calls = (struct cairn_pmu_calls){0};
        late->counters = 0;
        late->looked_place = 0;
    }
    reg = resolve(&late->after, named);
    n = shown_at(reg);
    if (n <= CYCLE)
        late->counters |= UINT32_C(1) << n;
    if (reg == CAIRN_PE_PMCR_EL0 && CAIRN_GET(value, PMCR_P))
        late->counters |= (UINT32_C(1) << CYCLE) - 1;
    if (reg == CAIRN_PE_PMCR_EL0 && CAIRN_GET(value, PMCR_C))
        late->counters |= UINT32_C(1) << CYCLE;
    if (reg == CAIRN_PE_PMCNTENSET_EL0 || reg == CAIRN_PE_PMCNTENCLR_EL0)
        late->enables = reg;
    if (reg == CAIRN_PE_PMOVSSET_EL0 || reg == CAIRN_PE_PMOVSCLR_EL0)
        late->flags = reg;
    pe->order.write_place[reg] = pe->order.place;
    if (reg == CAIRN_PE_PMCR_EL0)
        for (unsigned i = 0; i <= CYCLE; i++)
            if (late->counters >> i & 1 && i < CYCLE && CAIRN_GET(value, PMCR_P))
                pe->order.write_place[CAIRN_PE_PMEVCNTR0_EL0 + i] = pe->order.place;
    if (reg == CAIRN_PE_PMCR_EL0 && CAIRN_GET(value, PMCR_C))
        pe->order.write_place[CAIRN_PE_PMCCNTR_EL0] = pe->order.place;
    cairn_pmu_write(&late->written, (enum cairn_pe_register)named, value, state);
}

/* An access through PMSELR_EL0, which was written and not synchronized. */
static void depend_on_selection(struct cairn_pe *pe, uint32_t named)
{
    const struct cairn_pe_late_pmu *late = &pe->late_pmu;
    const uint64_t before = late->before.value[CAIRN_PE_PMSELR_EL0];
    const uint64_t after = late->after.value[CAIRN_PE_PMSELR_EL0];

    if ((named != CAIRN_PE_PMXEVTYPER_EL0 && named != CAIRN_PE_PMXEVCNTR_EL0) || !late->is_open ||
        before == after)
        return;
    find_of_pmu(pe,
                (struct cairn_order_finding){.rule = "G1.2",
                                             .reg = CAIRN_PE_PMSELR_EL0,
                                             .since = pe->order.write_place[CAIRN_PE_PMSELR_EL0],
                                             .values = {before, after}});
}

void cairn_pe_late_pmu_write(struct cairn_pe *pe, uint32_t reg, uint64_t value,
                             const struct cairn_pe_state *state)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;
    const uint32_t written = resolve(&pe->pmu_registers, reg);

    if (state && is_watched(pe)) {
        depend_on_selection(pe, reg);
        note_write(pe, reg, value, state);
    }
    if (!state || !is_late(pe)) {
        count_first(pe, late->count);
        cairn_pmu_write(&pe->pmu, (enum cairn_pe_register)reg, value, state);
        show_written(pe, written, value);
        return;
    }
    if (late->count == CAIRN_PE_LATE_WRITES)
        count_first(pe, 1);
    late->writes[late->count].reg = reg;
    late->writes[late->count].value = value;
    late->writes[late->count++].state = *state;
}

/* --- reading --- */

/* The register as it would be read if its counter were still what it was. */
static uint64_t read_shown(struct cairn_pe *pe, unsigned n, uint32_t reg,
                           const struct cairn_pe_state *state)
{
    uint64_t *place = counted(pe, n);
    const uint64_t now = *place;
    uint64_t value, *other = &pe->pmu_registers.value[CAIRN_PE_PMOVSCLR_EL0];

    *place = pe->late_pmu.shown[n];
    if (n == CAIRN_PE_LATE_FLAGS)
        *other = *place;
    value = cairn_pmu_read(&pe->pmu, (enum cairn_pe_register)reg, state);
    *place = now;
    if (n == CAIRN_PE_LATE_FLAGS)
        *other = now;
    return value;
}

uint64_t cairn_pe_late_pmu_read(struct cairn_pe *pe, uint32_t reg,
                                const struct cairn_pe_state *state)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;
    uint64_t now, before;
    unsigned n;

    if (state && is_watched(pe))
        depend_on_selection(pe, reg);
    /* A read comes behind all writes of the same register; the others may have come by now. */
    count_first(pe, late->count);
    now = cairn_pmu_read(&pe->pmu, (enum cairn_pe_register)reg, state);
    n = shown_at(resolve(&pe->pmu_registers, reg));
    if (!state || n == UINT32_MAX || (!is_late(pe) && !is_watched(pe)))
        return now;
    before = read_shown(pe, n, reg, state);
    if (before != now && is_watched(pe))
        find_of_pmu(pe, (struct cairn_order_finding){.rule = "Arm ARM",
                                                     .reg = resolve(&pe->pmu_registers, reg),
                                                     .since = late->counted_place,
                                                     .values = {before, now}});
    if (is_late(pe) && !cairn_lane_happens(&pe->order.lanes[0], 2))
        return before;
    late->shown[n] = *counted(pe, n); /* and no read goes back behind it */
    return now;
}

/* --- the program --- */

static uint32_t counting_by(struct cairn_pe *pe, struct cairn_pe_registers *registers)
{
    struct cairn_pmu *pmu = &pe->late_pmu.written;

    pmu->registers = registers;
    cairn_pmu_changed(pmu);
    return cairn_pmu_counting(pmu, &pe->state);
}

static void find_register(struct cairn_pe *pe, uint32_t reg)
{
    const struct cairn_pe_late_pmu *late = &pe->late_pmu;

    find_of_pmu(pe, (struct cairn_order_finding){
                        .rule = "G1.3",
                        .reg = reg,
                        .since = pe->order.write_place[reg],
                        .values = {late->before.value[reg], late->after.value[reg]}});
}

static bool differs(const struct cairn_pe_late_pmu *late, uint32_t reg, uint64_t bits)
{
    return ((late->before.value[reg] ^ late->after.value[reg]) & bits) != 0;
}

/* Why a counter counts by the one and not by the other; what it counts; or what it begins with. */
static void find_of_counter(struct cairn_pe *pe, unsigned n, bool appears)
{
    const struct cairn_pe_late_pmu *late = &pe->late_pmu;
    const bool is_cycle = n == CYCLE;
    const uint32_t type = is_cycle ? (uint32_t)CAIRN_PE_PMCCFILTR_EL0 : CAIRN_PE_PMEVTYPER0_EL0 + n;
    const uint32_t value = is_cycle ? (uint32_t)CAIRN_PE_PMCCNTR_EL0 : CAIRN_PE_PMEVCNTR0_EL0 + n;

    if (appears && differs(late, CAIRN_PE_PMCNTENSET_EL0, UINT64_C(1) << n))
        find_register(pe, late->enables);
    else if (differs(late, type, is_cycle && !appears ? 0 : UINT64_MAX))
        find_register(pe, type);
    else if (appears && differs(late, CAIRN_PE_PMCR_EL0, UINT64_MAX))
        find_register(pe, CAIRN_PE_PMCR_EL0);
    else if (appears && differs(late, CAIRN_PE_PMOVSSET_EL0, UINT64_MAX))
        find_register(pe, late->flags);
    else if (late->counters >> n & 1)
        find_register(pe, value);
}

void cairn_pe_late_pmu_depend(struct cairn_pe *pe)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;
    uint32_t before, after;

    late->counted_place = pe->order.place;
    if (late->count > 0 && cairn_lane_happens(&pe->order.lanes[0], 4))
        count_first(pe, 1);
    if (!late->is_open || (late->looked_place == pe->order.place && late->looked_place != 0 &&
                           late->looked.EL == pe->state.EL))
        return;
    late->looked_place = pe->order.place;
    late->looked = pe->state;
    before = counting_by(pe, &late->before);
    after = counting_by(pe, &late->after);
    for (uint32_t left = before | after; left != 0; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);

        find_of_counter(pe, n, (before ^ after) >> n & 1);
    }
}

void cairn_pe_late_pmu_synchronize(struct cairn_pe *pe)
{
    struct cairn_pe_late_pmu *late = &pe->late_pmu;

    late->is_open = false;
    if (!is_late(pe) && !is_watched(pe))
        return;
    count_first(pe, late->count);
    for (unsigned n = 0; n < CAIRN_PE_EVENT_COUNTERS + 2; n++)
        late->shown[n] = *counted(pe, n);
}
