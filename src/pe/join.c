/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a PE tell each other: trace to the buffer, triggers, events to the PMU and from it to
 * the trace unit, overflow to the branch records, findings to the caller. */
#include <stdlib.h>
#include <string.h>

#include "pe/pe.h"
#include "pe/sysreg.h"

/* Kinds of trace operations. */
enum {
    OPERATION_BYTES,
    OPERATION_TRIGGER, /* a Detected Trigger: of the trace unit, not of an instruction */
};

struct cairn_pe_view cairn_pe_view_now(const struct cairn_pe *pe)
{
    return (struct cairn_pe_view){.features = &pe->features,
                                  .registers = &pe->order.lanes[0].seen,
                                  .state = &pe->state,
                                  .authentication = &pe->authentication};
}

/* --- trace --- */

static __attribute__((noinline)) cairn_status hand_out(struct cairn_pe *pe, const uint8_t *bytes,
                                                       size_t size)
{
    if (pe->tap && size > 0) {
        const cairn_status status = pe->tap(pe->tap_context, bytes, size);

        if (status != CAIRN_OK)
            return status;
    }
    if (!pe->attends)
        return pe->bus ? pe->bus(pe->bus_context, bytes, size) : CAIRN_OK;
    if (pe->trace_size + size > pe->trace_room) {
        const size_t room = 2 * (pe->trace_size + size);
        uint8_t *more = realloc(pe->trace, room);

        if (!more)
            return CAIRN_E_MEMORY;
        pe->trace = more;
        pe->trace_room = room;
    }
    memcpy(pe->trace + pe->trace_size, bytes, size);
    pe->trace_size += size;
    return CAIRN_OK;
}

/* In a recording that nobody else listens to: at each system call. */
cairn_status cairn_pe_sink(void *context, const uint8_t *bytes, size_t size)
{
    struct cairn_pe *pe = context;

    if (pe->attends || pe->bus || !pe->tap)
        return hand_out(pe, bytes, size);
    return pe->tap(pe->tap_context, bytes, size);
}

void cairn_pe_outputs(void *context, uint64_t clock, uint32_t events)
{
    struct cairn_pe *pe = context;

    (void)clock;
    for (unsigned n = 0; n < 4; n++)
        if (events >> n & 1u)
            cairn_pe_tell_cti(pe, CAIRN_PE_CTI_TRACE + n);
    if (!pe->attends)
        return;
    for (unsigned n = 0; n < 4; n++)
        pe->occurred[n] += events >> n & 1u;
}

/* External outputs are events of the PMU, and number 0 is the Detected Trigger (I_YRQCN). It comes behind
 * the bytes that the unit wrote in the same call. */
static void pass_outputs(struct cairn_pe *pe)
{
    const bool trigger = pe->occurred[0] > 0;

    for (uint32_t n = 0; n < 4; n++) {
        const uint64_t times = pe->occurred[n];

        pe->occurred[n] = 0;
        if (times > 0)
            cairn_pmu_event(&pe->pmu, CAIRN_PMU_TRCEXTOUT0 + n, times, &pe->state);
    }
    if (trigger && pe->has_trbe)
        cairn_order_operation(&pe->order, &pe->operation_reads, &pe->operation_writes,
                              OPERATION_TRIGGER, NULL, 0);
}

static void pass_bytes(struct cairn_pe *pe, bool traced)
{
    const struct cairn_register_set none = {{0}};
    const bool buffered =
        pe->has_trbe && CAIRN_GETS(&pe->order.lanes[0].seen, TRBLIMITR_EL1, TRBLIMITR_E);
    const size_t size = pe->trace_size;

    pe->trace_size = 0;
    if (!pe->has_trbe) {
        if (size > 0 && pe->bus && pe->status == CAIRN_OK)
            pe->status = pe->bus(pe->bus_context, pe->trace, size);
        return;
    }
    if (size == 0 && (!traced || pe->order.lane_count == 1))
        return;
    cairn_order_operation(&pe->order, buffered || traced ? &pe->operation_reads : &none,
                          buffered ? &pe->operation_writes : &none, OPERATION_BYTES, pe->trace,
                          size);
    if (pe->order.status != CAIRN_OK && pe->status == CAIRN_OK)
        pe->status = pe->order.status;
}

void cairn_pe_pass_trace(struct cairn_pe *pe, bool traced)
{
    pass_bytes(pe, traced);
    pass_outputs(pe);
}

static size_t to_bus(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    const struct cairn_pe_lane *lane = context;
    struct cairn_pe *pe = lane->pe;

    (void)cycles;
    if (lane->lane->index == 0 && pe->bus && pe->status == CAIRN_OK)
        pe->status = pe->bus(pe->bus_context, bytes, size);
    return size;
}

static void operate(void *context, struct cairn_access_lane *lane, unsigned kind,
                    const uint8_t *bytes, size_t size)
{
    struct cairn_pe *pe = context;
    struct cairn_pe_trbe *trbe = &pe->lanes[lane->index].trbe;
    size_t done = 0;

    cairn_pe_trbe_update(trbe);
    if (kind == OPERATION_TRIGGER)
        cairn_pe_trbe_detected_trigger(trbe);
    while (done < size) {
        const size_t taken = cairn_pe_trbe_port(trbe, bytes + done, size - done, 0);

        if (taken == 0)
            break;
        done += taken;
    }
    if (trbe->flush_wanted)
        cairn_pe_trbe_flushed(trbe);
}

static void line(void *context, bool level)
{
    const struct cairn_pe_lane *lane = context;

    if (lane->lane->index == 0 && lane->pe->line)
        lane->pe->line(lane->pe->caller, level);
}

static void buffer_event(void *context, unsigned number)
{
    const struct cairn_pe_lane *lane = context;

    if (lane->lane->index == 0)
        cairn_pmu_event(&lane->pe->pmu, number, 1, &lane->pe->state);
}

static void remember(void *context, struct cairn_access_lane *lane, uint64_t address,
                     const uint8_t *bytes, size_t size)
{
    struct cairn_pe *pe = context;

    if (lane->index == 0 && pe->memory)
        pe->memory(pe->caller, address, bytes, size);
}

/* --- events --- */

static void exported(void *context, uint32_t number, uint64_t count)
{
    struct cairn_pe *pe = context;

    if (pe->unit && count > 0)
        cairn_unit_pmu_event(pe->unit, number);
}

static void overflow_interrupt(void *context, bool level)
{
    const struct cairn_pe *pe = context;

    if (level)
        cairn_pe_tell_cti(pe, CAIRN_PE_CTI_OVERFLOW);
    if (pe->counter_line)
        pe->counter_line(pe->caller, level);
}

static void overflowed(void *context, uint32_t counters)
{
    struct cairn_pe *pe = context;
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    (void)counters;
    if (pe->has_brbe)
        cairn_brbe_overflow(&pe->brbe, &now, pe->pmu_registers.value[CAIRN_PE_PMOVSCLR_EL0]);
}

static void captured(void *context, const struct cairn_pe_state *where, bool exception_related)
{
    struct cairn_pe *pe = context;

    if (exception_related)
        cairn_pmu_exception_event(&pe->pmu, CAIRN_PMU_BRB_FILTRATE);
    else
        cairn_pmu_event(&pe->pmu, CAIRN_PMU_BRB_FILTRATE, 1, where);
}

static uint64_t count(void *context)
{
    const struct cairn_pe *pe = context;

    return pe->count;
}

/* --- what follows --- */

/* Controls of the monitors that are the order's registers. */
static void follow_controls(struct cairn_pe *pe)
{
    static const uint32_t controls[] = {CAIRN_PE_MDCR_EL2, CAIRN_PE_MDCR_EL3};

    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        const uint64_t value = pe->order.lanes[0].seen.value[controls[i]];

        if (pe->pmu_registers.value[controls[i]] == value)
            continue;
        pe->pmu_registers.value[controls[i]] = value;
        cairn_pmu_changed(&pe->pmu);
    }
}

/* They may be traced from the write on, and have to be behind the next Context synchronization event (R_HXNXF). */
static void follow_identifiers(struct cairn_pe *pe)
{
    const struct cairn_context now = cairn_pe_identified(pe, &pe->context);

    if (now.context_id != pe->context.context_id || now.vmid != pe->context.vmid)
        cairn_pe_tell_context(pe, &now);
}

void cairn_pe_follow(struct cairn_pe *pe)
{
    const struct cairn_pe_view view = cairn_pe_view_now(pe);
    const bool prohibited = cairn_pe_trace_prohibited(&view) || pe->feed.unseen;

    if (pe->has_trbe)
        for (unsigned i = 0; i < pe->order.lane_count; i++)
            cairn_pe_trbe_update(&pe->lanes[i].trbe);
    if (pe->identified)
        follow_identifiers(pe);
    if (pe->unit && prohibited != pe->prohibited) {
        cairn_unit_prohibit(pe->unit, prohibited);
        cairn_pe_pass_trace(pe, false);
    }
    pe->prohibited = prohibited;
    follow_controls(pe);
    cairn_pmu_set_gate(&pe->pmu,
                       (struct cairn_pmu_gate){.self_hosted = cairn_pe_self_hosted_trace(&view),
                                               .prohibited = prohibited});
    if (pe->has_brbe) {
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        /* Software may have set or cleared the flags. */
        cairn_brbe_overflow(&pe->brbe, &now, pe->pmu_registers.value[CAIRN_PE_PMOVSCLR_EL0]);
    }
    cairn_pe_attend(pe);
}

void cairn_pe_cse(struct cairn_pe *pe)
{
    /* So that what was traced is known as such: hardware may flush there as well. */
    if (pe->unit && pe->order.lane_count > 1) {
        cairn_unit_flush(pe->unit);
        cairn_pe_pass_trace(pe, false);
    }
    cairn_order_cse(&pe->order);
    cairn_pe_late_unit_synchronize(pe);
    cairn_pe_late_pmu_synchronize(pe);
}

void cairn_pe_synchronize(struct cairn_pe *pe)
{
    cairn_pe_cse(pe);
    if (pe->has_brbe)
        cairn_brbe_synchronize(&pe->brbe);
    cairn_pe_follow(pe);
}

void cairn_pe_export(struct cairn_pe *pe, bool looks)
{
    pe->pmu.config.calls.exported = looks ? exported : NULL;
}

void cairn_pe_join(struct cairn_pe *pe)
{
    pe->order.operate = operate;
    pe->order.memory = remember;
    pe->order.tell = pe->tell ? cairn_pe_tell_finding : NULL;
    pe->order.context = pe;
    pe->pmu.config.calls =
        (struct cairn_pmu_calls){.user = pe, .line = overflow_interrupt, .overflow = overflowed};
    pe->brbe.host = (struct cairn_brbe_host){.context = pe, .count = count, .captured = captured};
}

struct cairn_pe_trbe_outside cairn_pe_lane_outside(struct cairn_pe_lane *lane)
{
    return (struct cairn_pe_trbe_outside){.store = cairn_pe_lane_write,
                                          .line = line,
                                          .event = buffer_event,
                                          .bus = to_bus,
                                          .system_error = cairn_pe_abort_system_error,
                                          .context = lane};
}
