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

cairn_status cairn_pe_sink(void *context, const uint8_t *bytes, size_t size)
{
    struct cairn_pe *pe = context;

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

void cairn_pe_outputs(void *context, uint64_t clock, uint32_t events)
{
    struct cairn_pe *pe = context;

    (void)clock;
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

static size_t store(void *context, const struct cairn_pe_trbe_write *write,
                    struct cairn_pe_trbe_answer *answer)
{
    const struct cairn_pe_lane *lane = context;

    (void)answer;
    cairn_lane_store(&lane->pe->order, lane->lane, write->address, write->bytes, write->size);
    return write->size;
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

/* --- findings --- */

static const struct {
    const char *rule, *what, *remedy;
} rules[] = {
    {"R_VTNCS", "what trace operations wrote to the register may be seen or not",
     "read it behind a Context synchronization event, TSB CSYNC and another one"},
    {"R_TSPXF", "the write may reach the trace of instructions before it",
     "write it behind a Context synchronization event and TSB CSYNC"},
    {"R_ZCDDS",
     "the write may reach the trace of instructions before it, for the TSB CSYNC was executed "
     "where tracing is allowed",
     "prohibit tracing first (TRFCR_EL1, or an exception to a higher level), then TSB CSYNC"},
    {"R_BFJKD", "trace of this instruction may go by the value before the write or by the new one",
     "put a Context synchronization event (ISB, or the exception return) between the write and the code"},
    {"R_NRLDV",
     "whether this instruction is traced may go by the value before the write or by the new one",
     "put a Context synchronization event between the write and the code"},
    {"I_CPBKF",
     "whether this branch is recorded may go by the value before the write or by the new one",
     "put a Context synchronization event between the write and the code"},
    {"R_VLWDM", "trace may still be on its way to this memory",
     "prohibit tracing, then a Context synchronization event, TSB CSYNC and DSB, then look"},
    {"R_DFHWV", "what software stored there may overwrite trace",
     "put a DSB and a Context synchronization event between the stores and the code that is traced"},
    {"S_YKCNB",
     "the buffer is on, or may be still, and prefetches translations: by the value before the write, or the new one",
     "write TRBLIMITR_EL1.E 0 and a Context synchronization event before the owner's translation or Security "
     "state changes, and switch the buffer on behind that"},
    {"S_VKHHY",
     "the trace unit is enabled, or not stable yet, and writes to the register by itself",
     "write TRCPRGCTLR.EN 0 and wait for TRCSTATR.IDLE before its registers are saved"},
    {"I_GDNWY", "the trace unit is enabled, or not idle yet: the write changes nothing",
     "write TRCPRGCTLR.EN 0 and wait for TRCSTATR.IDLE before it is programmed"},
    {"S_PKLXF",
     "the buffer is switched on, and may translate by the value before this write or by the new one",
     "put a Context synchronization event between the write and the one of TRBLIMITR_EL1.E"},
};

static bool is_told(struct cairn_pe *pe, const struct cairn_order_finding *finding)
{
    const unsigned most = sizeof pe->told / sizeof *pe->told;

    for (unsigned i = 0; i < pe->told_count && i < most; i++)
        if (pe->told[i].place == finding->place && pe->told[i].reg == finding->reg)
            return true;
    pe->told[pe->told_count % most].place = finding->place;
    pe->told[pe->told_count % most].since = finding->since;
    pe->told[pe->told_count++ % most].reg = finding->reg;
    return false;
}

static void tell(void *context, const struct cairn_order_finding *finding)
{
    struct cairn_pe *pe = context;
    char name[24];
    struct cairn_pe_finding told = {
        .size = sizeof told,
        .rule = finding->rule,
        .address = finding->address,
        .missing = finding->missing,
        .place = finding->place,
        .since = finding->since,
        .values = {finding->values[0], finding->values[1]},
    };

    if (!pe->tell || is_told(pe, finding))
        return;
    if (finding->reg < CAIRN_PE_SINGLES)
        told.name = cairn_pe_name(cairn_pe_sysreg_at(finding->reg)->encoding, name);
    else if (finding->reg & CAIRN_ORDER_TRACE_REGISTER)
        told.name = cairn_pe_trace_register(pe, finding->reg & ~CAIRN_ORDER_TRACE_REGISTER, name);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].rule, finding->rule) == 0) {
            told.what = rules[i].what;
            told.remedy = rules[i].remedy;
        }
    pe->tell(pe->caller, &told);
}

/* --- what follows --- */

void cairn_pe_follow(struct cairn_pe *pe)
{
    const struct cairn_pe_view view = cairn_pe_view_now(pe);
    const bool prohibited = cairn_pe_trace_prohibited(&view);

    if (pe->has_trbe)
        for (unsigned i = 0; i < pe->order.lane_count; i++)
            cairn_pe_trbe_update(&pe->lanes[i].trbe);
    if (pe->unit && prohibited != pe->prohibited) {
        cairn_unit_prohibit(pe->unit, prohibited);
        cairn_pe_pass_trace(pe, false);
    }
    pe->prohibited = prohibited;
    cairn_pmu_set_gate(&pe->pmu,
                       (struct cairn_pmu_gate){.self_hosted = cairn_pe_self_hosted_trace(&view),
                                               .prohibited = prohibited});
    if (pe->has_brbe) {
        const struct cairn_brbe_side now = cairn_pe_side(pe);

        /* Software may have set or cleared the flags. */
        cairn_brbe_overflow(&pe->brbe, &now, pe->pmu_registers.value[CAIRN_PE_PMOVSCLR_EL0]);
    }
}

void cairn_pe_cse(struct cairn_pe *pe)
{
    /* So that what was traced is known as such: hardware may flush there as well. */
    if (pe->unit && pe->order.lane_count > 1) {
        cairn_unit_flush(pe->unit);
        cairn_pe_pass_trace(pe, false);
    }
    cairn_order_cse(&pe->order);
}

void cairn_pe_synchronize(struct cairn_pe *pe)
{
    cairn_pe_cse(pe);
    if (pe->has_brbe)
        cairn_brbe_synchronize(&pe->brbe);
    cairn_pe_follow(pe);
}

void cairn_pe_join(struct cairn_pe *pe)
{
    pe->order.operate = operate;
    pe->order.memory = remember;
    pe->order.tell = pe->tell ? tell : NULL;
    pe->order.context = pe;
    pe->pmu.config.calls =
        (struct cairn_pmu_calls){.user = pe, .overflow = overflowed, .exported = exported};
    pe->brbe.host = (struct cairn_brbe_host){.context = pe, .count = count, .captured = captured};
}

struct cairn_pe_trbe_outside cairn_pe_lane_outside(struct cairn_pe_lane *lane)
{
    return (struct cairn_pe_trbe_outside){
        .store = store, .line = line, .event = buffer_event, .bus = to_bus, .context = lane};
}
