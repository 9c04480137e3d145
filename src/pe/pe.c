/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE: made, and told what is executed. access.c has its registers, join.c what its parts tell each
 * other. */
#include "pe/pe.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "pe/sysreg.h"
#include "pe/translate_fields.h"
#include "unit/model.h"

/* --- made --- */

#define BRANCH_CHOICES                                                                             \
    (CAIRN_PE_BRANCHES_RECORD_ISB | CAIRN_PE_BRANCHES_INJECT_ANYWHERE |                            \
     CAIRN_PE_BRANCHES_COUNT_INJECTIONS | CAIRN_PE_BRANCHES_PARTLY_FAILED |                        \
     CAIRN_PE_BRANCHES_PREDICTED)

static struct cairn_pe_features features_of(const struct cairn_pe_options *options)
{
    const uint32_t flags = options->flags;
    const bool brbe = flags & CAIRN_PE_HAS_BRBE;

    return (struct cairn_pe_features){
        .EL2 = flags & CAIRN_PE_HAS_EL2,
        .EL3 = flags & CAIRN_PE_HAS_EL3,
        .secure_EL2 = flags & CAIRN_PE_HAS_SECURE_EL2,
        .realms = flags & CAIRN_PE_HAS_REALMS,
        .brbe = !brbe                            ? 0
                : flags & CAIRN_PE_HAS_BRBE_V1P1 ? 2
                                                 : 1,
        .records = (uint8_t)options->branch_records,
        .trbe = flags & CAIRN_PE_HAS_TRBE,
        .counters = (uint8_t)options->counters,
        .transactions = flags & CAIRN_PE_HAS_TRANSACTIONS,
        .trace_filter = true,
        .fine_traps = true,
    };
}

static cairn_status make_unit(struct cairn_pe *pe, const struct cairn_unit_options *given,
                              struct cairn_error *error)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    cairn_status status;

    if (!given)
        return CAIRN_OK;
    if (cairn_options_read(&options, sizeof options, given) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "the trace unit's options are larger than this version knows");
    pe->bus = options.sink;
    pe->bus_context = options.sink_context;
    options.sink = cairn_pe_sink;
    options.sink_context = pe;
    options.port = NULL;
    options.outputs = cairn_pe_outputs;
    options.outputs_context = pe;
    status = cairn_unit_new(&options, &pe->unit, error);
    if (status == CAIRN_OK)
        pe->unit->unnumbered = true;
    return status;
}

static void find_operation_registers(struct cairn_pe *pe)
{
    for (size_t i = 0; i < CAIRN_PE_SINGLES; i++) {
        const struct cairn_pe_sysreg *sysreg = cairn_pe_sysreg_at(i);

        pe->order.operation_bits[i] = sysreg->by_operation;
        if (sysreg->by_operation)
            cairn_set_add(&pe->operation_reads, (uint32_t)i);
    }
    cairn_set_add(&pe->operation_writes, CAIRN_PE_TRBPTR_EL1);
    cairn_set_add(&pe->operation_writes, CAIRN_PE_TRBSR_EL1);
    cairn_set_add(&pe->operation_writes, CAIRN_PE_TRBTRG_EL1);
    pe->order.operation_writes = pe->operation_writes;
}

static uint32_t brbe_flags(uint32_t choices)
{
    return (choices & CAIRN_PE_BRANCHES_RECORD_ISB ? CAIRN_BRBE_RECORDS_ISB : 0) |
           (choices & CAIRN_PE_BRANCHES_INJECT_ANYWHERE ? CAIRN_BRBE_INJECTS_ANYWHERE : 0) |
           (choices & CAIRN_PE_BRANCHES_COUNT_INJECTIONS ? CAIRN_BRBE_INJECTION_COUNTS : 0) |
           (choices & CAIRN_PE_BRANCHES_PARTLY_FAILED ? CAIRN_BRBE_PARTLY_FAILED : 0) |
           (choices & CAIRN_PE_BRANCHES_PREDICTED ? CAIRN_BRBE_PREDICTS : 0);
}

static cairn_status make_parts(struct cairn_pe *pe, const struct cairn_pe_options *options)
{
    const struct cairn_pe_trbe_options trbe = {.align = (uint8_t)options->trbe_align,
                                               .abort_delay = options->abort_delay};
    const struct cairn_pmu_config pmu = {.features = pe->features, .ETE = true};
    const struct cairn_brbe_options brbe = {.flags = brbe_flags(options->branch_choices),
                                            .invalidate_shift = options->branch_invalidation,
                                            .skid = options->branch_skid};
    const enum cairn_lane_kind lanes[] = {(enum cairn_lane_kind)options->order, CAIRN_LANE_EARLY,
                                          CAIRN_LANE_LATE};
    const bool several = options->finds;
    struct cairn_pe_registers values;
    cairn_status status;

    memset(&values, 0, sizeof values);
    cairn_pe_registers_reset(&values, &pe->features, CAIRN_PE_RESET_COLD, 0);
    values.value[CAIRN_PE_OSLSR_EL1] &= ~CAIRN_PE_OSLSR_OSLK; /* as the trace unit's is */
    values.value[CAIRN_PE_TRBIDR_EL1] = CAIRN_PUT(0, TRBIDR_ALIGN, options->trbe_align);
    if (pe->has_brbe)
        values.value[CAIRN_PE_BRBIDR0_EL1] = cairn_brbe_identity(&pe->features);
    /* All granules, and physical addresses of 48 bits. */
    values.value[CAIRN_PE_ID_AA64MMFR0_EL1] = CAIRN_PUT(UINT64_C(0), ID_AA64MMFR0_PARANGE, 5) |
                                              CAIRN_PUT(UINT64_C(0), ID_AA64MMFR0_TGRAN16, 1);
    cairn_order_begin(&pe->order, lanes, several ? 3 : 1, options->seed, &values);
    for (unsigned i = 0; pe->has_trbe && i < pe->order.lane_count; i++) {
        struct cairn_pe_trbe_outside outside = cairn_pe_lane_outside(&pe->lanes[i]);

        pe->lanes[i].pe = pe;
        pe->lanes[i].lane = &pe->order.lanes[i];
        status = cairn_pe_trbe_begin(&pe->lanes[i].trbe, &trbe, &outside, &pe->features, &pe->state,
                                     &pe->authentication, &pe->order.lanes[i].seen);
        if (status != CAIRN_OK)
            return status;
    }
    if (pe->has_brbe) {
        status = cairn_brbe_begin(&pe->brbe, &pe->features, &brbe, NULL);
        if (status != CAIRN_OK)
            return CAIRN_E_ARGUMENT;
    }
    pe->pmu_registers = values;
    status = cairn_pmu_init(&pe->pmu, &pmu, &pe->pmu_registers);
    if (status != CAIRN_OK)
        return status;
    cairn_pe_join(pe);
    return CAIRN_OK;
}

cairn_status cairn_pe_new(const struct cairn_pe_options *given, struct cairn_pe **made,
                          struct cairn_error *error)
{
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_pe *pe;
    cairn_status status;

    *made = NULL;
    if (cairn_options_read(&options, sizeof options, given) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "the options are larger than this version knows");
    if (options.order > CAIRN_PE_RANDOM || options.trbe_align > 11 || options.counters > 31 ||
        options.abort_delay == UINT32_MAX)
        return cairn_fail(
            error, CAIRN_E_ARGUMENT,
            "a PE with such an order, alignment, delay or number of counters cannot be");
    if (options.branch_choices & ~BRANCH_CHOICES)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "this version does not know all of the branch_choices, 0x%x",
                          (unsigned)options.branch_choices);
    pe = calloc(1, sizeof *pe);
    if (!pe)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory");
    pe->features = features_of(&options);
    pe->has_trbe = pe->features.trbe;
    pe->has_brbe = pe->features.brbe > 0;
    pe->authentication.signals =
        CAIRN_UNIT_DBGEN | CAIRN_UNIT_NIDEN | CAIRN_UNIT_SPIDEN | CAIRN_UNIT_SPNIDEN;
    pe->state = cairn_pe_state_out_of_reset(&pe->features);
    pe->tell = options.tell;
    pe->memory = options.memory;
    pe->walk = options.walk;
    pe->line = options.line;
    pe->counter_line = options.counter_line;
    pe->cti = options.cti;
    pe->aborts = options.aborts;
    pe->system_error = options.system_error;
    pe->unknown = options.unknown;
    pe->reset = options.reset;
    pe->caller = options.context;
    status = make_parts(pe, &options);
    find_operation_registers(pe);
    if (status == CAIRN_OK)
        status = make_unit(pe, options.unit, error);
    else
        (void)cairn_fail(error, status, "a PE with these options cannot be");
    if (status != CAIRN_OK) {
        cairn_pe_free(pe);
        return status;
    }
    if (pe->unit) {
        cairn_pe_late_unit_begin(pe, options.order, options.seed);
        cairn_unit_authenticate(pe->unit, pe->authentication.signals | CAIRN_UNIT_SELF_HOSTED);
    }
    cairn_pe_follow(pe);
    *made = pe;
    return CAIRN_OK;
}

void cairn_pe_free(struct cairn_pe *pe)
{
    if (!pe)
        return;
    if (pe->unit) {
        cairn_unit_disable(pe->unit);
        cairn_pe_pass_trace(pe, false);
        cairn_order_settle(&pe->order);
        cairn_unit_free(pe->unit);
    }
    cairn_order_end(&pe->order);
    cairn_pe_tables_free(pe->tables);
    free(pe->trace);
    free(pe);
}

cairn_status cairn_pe_status(const struct cairn_pe *pe)
{
    if (pe->status == CAIRN_OK && pe->unit)
        return cairn_unit_status(pe->unit);
    return pe->status;
}

struct cairn_unit *cairn_pe_unit(struct cairn_pe *pe)
{
    return pe->unit;
}

/* --- the program --- */

void cairn_pe_at(struct cairn_pe *pe, uint64_t place)
{
    cairn_order_at(&pe->order, place);
}

struct cairn_context cairn_pe_identified(const struct cairn_pe *pe,
                                         const struct cairn_context *context)
{
    const uint64_t *const seen = pe->order.lanes[0].seen.value;
    struct cairn_context identified = *context;

    if (!pe->identified) /* each system call of a recorded program comes here */
        return identified;
    const struct cairn_pe_view view = cairn_pe_view_now(pe);

    identified.context_id = (uint32_t)seen[CAIRN_PE_CONTEXTIDR_EL1];
    identified.vmid = (uint32_t)seen[CAIRN_PE_CONTEXTIDR_EL2];
    if (!pe->features.EL2 || (cairn_pe_self_hosted_trace(&view) &&
                              !CAIRN_GETS(&pe->order.lanes[0].seen, TRFCR_EL2, TRFCR_EL2_CX)))
        identified.vmid = 0;
    return identified;
}

void cairn_pe_tell_context(struct cairn_pe *pe, const struct cairn_context *context)
{
    pe->context = cairn_pe_identified(pe, context);
    if (pe->unit) {
        cairn_unit_context(pe->unit, &pe->context);
        cairn_pe_pass_trace(pe, false);
    }
}

struct cairn_pe_state cairn_pe_state_of(const struct cairn_pe *pe,
                                        const struct cairn_context *context)
{
    struct cairn_pe_state state = pe->state;

    state.EL = context->EL;
    state.security = context->security;
    state.aarch32 = !context->SF;
    return state;
}

void cairn_pe_enter(struct cairn_pe *pe, const struct cairn_context *context)
{
    if (!cairn_pe_hears(pe))
        return;
    pe->state = cairn_pe_state_of(pe, context);
    cairn_pe_tell_context(pe, context);
    cairn_pe_follow(pe);
}

/* Registers that decide about this instruction were written, and no Context synchronization event came. */
static void depend(struct cairn_pe *pe, bool branches)
{
    static const uint32_t filters[] = {CAIRN_PE_TRFCR_EL1, CAIRN_PE_TRFCR_EL2};
    static const uint32_t records[] = {CAIRN_PE_BRBCR_EL1, CAIRN_PE_BRBCR_EL2, CAIRN_PE_BRBFCR_EL1};
    struct cairn_pe_view view = cairn_pe_view_now(pe);
    bool answers[3];

    for (unsigned i = 0; i < pe->order.lane_count; i++) {
        view.registers = &pe->order.lanes[i].seen;
        answers[i] = cairn_pe_trace_prohibited(&view);
    }
    for (unsigned i = 1; i < pe->order.lane_count; i++)
        if (answers[i] != answers[0]) {
            cairn_order_depend(&pe->order, filters[0], 3, "R_NRLDV");
            cairn_order_depend(&pe->order, filters[1], 3, "R_NRLDV");
            break;
        }
    if (pe->unit && !pe->prohibited)
        cairn_pe_late_unit_depend(pe);
    for (unsigned i = 0; branches && pe->has_brbe && i < 3; i++)
        cairn_order_depend(&pe->order, records[i], UINT64_MAX, "I_CPBKF");
}

static uint8_t take_prediction(struct cairn_pe *pe)
{
    static const uint8_t predictions[] = {[CAIRN_PE_NOT_PREDICTED] = CAIRN_BRBE_NOT_TOLD,
                                          [CAIRN_PE_PREDICTED] = CAIRN_BRBE_HIT,
                                          [CAIRN_PE_MISPREDICTED] = CAIRN_BRBE_MISS};
    const unsigned prediction = pe->prediction;

    pe->prediction = CAIRN_PE_NOT_PREDICTED;
    return predictions[prediction];
}

void cairn_pe_predict(struct cairn_pe *pe, enum cairn_pe_prediction prediction)
{
    pe->prediction =
        (uint8_t)(prediction <= CAIRN_PE_MISPREDICTED ? prediction : CAIRN_PE_NOT_PREDICTED);
}

static void tell_branch(struct cairn_pe *pe, const struct cairn_block *block, bool taken)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);
    const struct cairn_brbe_branch branch = {
        .source = pe->last,
        .target = block->target,
        .flags = block->flags,
        .kind = (uint8_t)block->kind,
        .prediction = take_prediction(pe),
        .taken = taken,
        .has_target = block->kind == CAIRN_INSN_BRANCH_DIRECT,
        .calculated = true,
    };

    cairn_brbe_branch(&pe->brbe, &now, &branch);
}

void cairn_pe_aim(struct cairn_pe *pe, uint64_t address)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    if (pe->has_brbe)
        cairn_brbe_target(&pe->brbe, &now, address);
}

/* Between two instructions of a random order anything that was written may have come into force. */
static void step(struct cairn_pe *pe)
{
    const struct cairn_access_lane *lane = &pe->order.lanes[0];
    uint64_t waits = 0;

    for (unsigned word = 0; lane->kind == CAIRN_LANE_RANDOM && word < CAIRN_ORDER_WORDS; word++)
        waits |= lane->dirty.words[word];
    cairn_order_step(&pe->order);
    if (waits)
        cairn_pe_follow(pe);
}

void cairn_pe_execute(struct cairn_pe *pe, const struct cairn_block *block, bool taken)
{
    const bool branches =
        block->kind == CAIRN_INSN_BRANCH_DIRECT || block->kind == CAIRN_INSN_BRANCH_INDIRECT;
    const bool returns = block->flags & CAIRN_INSN_ERET;

    if (!cairn_pe_hears(pe))
        return;
    cairn_pe_aim(pe, block->address);
    /* Of what is between two branches the trace says nothing by itself: where an ISB comes behind the write before the next
     * branch does, nothing is open. */
    if (pe->order.lane_count > 1 && (branches || returns))
        depend(pe, branches && taken);
    if (pe->order.lane_count > 1 || pe->late_pmu.count > 0)
        cairn_pe_late_pmu_depend(pe);
    if (pe->unit) {
        cairn_unit_execute(pe->unit, block, taken);
        cairn_pe_pass_trace(pe,
                            !pe->prohibited && cairn_unit_session(pe->unit) != CAIRN_SESSION_IDLE);
    }
    pe->last = block->address + block->size - block->last_size;
    cairn_pmu_retired(&pe->pmu, block, taken, &pe->state);
    if (branches && pe->prediction != CAIRN_PE_NOT_PREDICTED)
        cairn_pmu_predicted(&pe->pmu,
                            pe->prediction == CAIRN_PE_PREDICTED ? CAIRN_PMU_PREDICTED
                                                                 : CAIRN_PMU_MISPREDICTED,
                            &pe->state);
    if (pe->has_brbe && (branches || block->kind == CAIRN_INSN_ISB) && !returns)
        tell_branch(pe, block, taken);
    else if (!returns) /* that of an exception return is known when it has gone somewhere */
        pe->prediction = CAIRN_PE_NOT_PREDICTED;
    step(pe);
    if (block->kind == CAIRN_INSN_ISB && taken)
        cairn_pe_synchronize(pe);
}

void cairn_pe_except(struct cairn_pe *pe, unsigned type, uint64_t address, enum cairn_isa isa)
{
    /* An indirect branch went there, if it was the last instruction. */
    cairn_pe_aim(pe, address);
    if (pe->unit) {
        cairn_unit_exception(pe->unit, type, address, isa);
        cairn_pe_pass_trace(pe,
                            !pe->prohibited && cairn_unit_session(pe->unit) != CAIRN_SESSION_IDLE);
    }
}

void cairn_pe_excepted(struct cairn_pe *pe, const struct cairn_pe_exception *exception)
{
    const struct cairn_pe_state before = pe->state;

    cairn_pmu_exception(&pe->pmu, 0, &before);
    pe->state = cairn_pe_state_of(pe, &exception->to);
    /* What it synchronizes counts before its record is made (I_ZCHRF). */
    cairn_pe_cse(pe);
    if (pe->has_brbe) {
        const struct cairn_brbe_side from = {&pe->order.lanes[0].seen, &before};
        const struct cairn_brbe_side to = cairn_pe_side(pe);
        const struct cairn_brbe_exception record = {.source = exception->address,
                                                    .target = exception->vector,
                                                    .type = (uint8_t)(0x20 | exception->type)};

        cairn_brbe_exception(&pe->brbe, &from, &to, &record);
        cairn_brbe_synchronize(&pe->brbe);
    }
    cairn_pe_tell_context(pe, &exception->to);
    cairn_pe_follow(pe);
}

void cairn_pe_exception(struct cairn_pe *pe, const struct cairn_pe_exception *given)
{
    struct cairn_pe_exception exception = {.size = 0};

    if (!cairn_pe_hears(pe))
        return;
    memcpy(&exception, given, given->size < sizeof exception ? given->size : sizeof exception);
    cairn_pe_except(pe, exception.type, exception.address, exception.isa);
    cairn_pe_excepted(pe, &exception);
}

void cairn_pe_return(struct cairn_pe *pe, uint64_t target, const struct cairn_context *to)
{
    const struct cairn_pe_state before = pe->state;

    if (!cairn_pe_hears(pe))
        return;
    pe->state = cairn_pe_state_of(pe, to);
    cairn_pe_cse(pe);
    if (pe->has_brbe) {
        const struct cairn_brbe_side from = {&pe->order.lanes[0].seen, &before};
        const struct cairn_brbe_side now = cairn_pe_side(pe);
        const struct cairn_brbe_return record = {
            .source = pe->last, .target = target, .prediction = take_prediction(pe)};

        cairn_brbe_return(&pe->brbe, &from, &now, &record);
        cairn_brbe_synchronize(&pe->brbe);
    }
    cairn_pe_tell_context(pe, to);
    cairn_pe_follow(pe);
}

/* No trace is generated behind what was before the last Context synchronization event: tracing is prohibited (R_ZCDDS)
 * or the trace unit disabled (R_XQVZW in Debug state, S_FMBCL elsewhere). */
static bool is_silent(const struct cairn_pe *pe)
{
    const enum cairn_session session = pe->unit ? cairn_unit_session(pe->unit) : CAIRN_SESSION_IDLE;

    if (session != CAIRN_SESSION_ENABLING && session != CAIRN_SESSION_RUNNING)
        return true; /* what it has left it may still write out, and generates nothing */
    return pe->prohibited && !pe->state.debug;
}

void cairn_pe_barrier(struct cairn_pe *pe, enum cairn_pe_barrier barrier)
{
    if (!cairn_pe_hears(pe))
        return;
    cairn_pe_walked_check(pe);
    switch (barrier) {
    case CAIRN_PE_BARRIER_ISB:
        if (pe->unit) {
            cairn_unit_synchronize_context(pe->unit);
            cairn_pe_pass_trace(pe, false); /* of a unit that is disabled by it */
        }
        cairn_pe_synchronize(pe);
        break;
    case CAIRN_PE_BARRIER_DSB:
        cairn_order_dsb(&pe->order);
        cairn_pe_abort_complete(pe, pe->order.complete);
        cairn_pe_complete_maintenance(pe);
        break;
    case CAIRN_PE_BARRIER_TSB_CSYNC:
        if (pe->unit) {
            (void)cairn_unit_tsb(pe->unit);
            cairn_pe_pass_trace(pe, false);
            /* Without findings the unit is not made to write out at each Context synchronization event, and has
             * kept until now what was executed before it. What it kept from behind is written with it, which it
             * may be. */
            if (pe->order.lane_count == 1)
                cairn_order_precede(&pe->order);
        }
        cairn_order_tsb(&pe->order, is_silent(pe));
        break;
    }
    cairn_order_step(&pe->order);
    cairn_pe_follow(pe);
}

void cairn_pe_cycles(struct cairn_pe *pe, uint64_t cycles)
{
    if (pe->unit) {
        cairn_unit_cycles(pe->unit, cycles);
        cairn_pe_pass_trace(pe, false);
    }
    if (__builtin_expect(pe->power != CAIRN_POWER_NORMAL, 0)) {
        cairn_pmu_stopped_cycles(&pe->pmu, pe->power == CAIRN_POWER_STANDBY ? cycles : 0,
                                 &pe->state);
        return;
    }
    cairn_pmu_cycles(&pe->pmu, cycles, &pe->state);
    if (pe->has_brbe)
        cairn_brbe_cycles(&pe->brbe, cycles);
}

void cairn_pe_time(struct cairn_pe *pe, uint64_t value)
{
    pe->count = value;
    if (pe->unit)
        cairn_unit_time(pe->unit, value);
}

void cairn_pe_load(struct cairn_pe *pe, uint64_t address, uint64_t size)
{
    if (!cairn_pe_hears(pe))
        return;
    cairn_order_load(&pe->order, address, size);
    cairn_order_step(&pe->order);
}

void cairn_pe_store(struct cairn_pe *pe, uint64_t address, const uint8_t *bytes, size_t size)
{
    if (!cairn_pe_hears(pe))
        return;
    cairn_order_store(&pe->order, address, bytes, size);
    cairn_order_step(&pe->order);
}

static void bring_in_registers(struct cairn_pe *pe)
{
    cairn_pe_late_unit_synchronize(pe);
    cairn_pe_late_pmu_synchronize(pe);
    if (pe->unit && pe->order.lanes[0].kind != CAIRN_LANE_EARLY)
        cairn_unit_synchronize_context(pe->unit);
}

static void bring_in_trace(struct cairn_pe *pe)
{
    if (pe->unit)
        cairn_pe_pass_trace(pe, false);
    cairn_order_settle(&pe->order);
    cairn_pe_abort_complete(pe, UINT64_MAX);
    cairn_pe_complete_maintenance(pe);
    cairn_pe_follow(pe);
}

void cairn_pe_settle(struct cairn_pe *pe)
{
    bring_in_registers(pe);
    if (pe->unit)
        cairn_unit_flush(pe->unit);
    bring_in_trace(pe);
}

void cairn_pe_settle_as_told(struct cairn_pe *pe)
{
    bring_in_registers(pe);
    if (pe->unit)
        (void)cairn_unit_offer(pe->unit);
    bring_in_trace(pe);
}

bool cairn_pe_is_prohibited(const struct cairn_pe *pe)
{
    return pe->prohibited;
}

size_t cairn_pe_branches(const struct cairn_pe *pe, struct cairn_branch *branches, size_t count)
{
    size_t n = 0;

    if (cairn_pe_is_off(pe->power))
        return 0;
    while (pe->has_brbe && n < count && n < pe->brbe.valid) {
        const struct cairn_branch_registers record = cairn_brbe_record(&pe->brbe, (unsigned)n);

        if (cairn_branch_decode(&record, &branches[n], NULL) != CAIRN_OK)
            break;
        branches[n].flags |= cairn_brbe_untold(&pe->brbe, (unsigned)n);
        n++;
    }
    return n;
}
