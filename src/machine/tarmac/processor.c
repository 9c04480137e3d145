/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/tarmac/processor.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "machine/tarmac/block.h"
#include "protocol/about.h"

#define VTTBR_VMID_SHIFT 48 /* VTTBR_EL2.VMID; with 8 bits the upper ones are zero */

/* --- contexts --- */

/* EL0 to EL3 of a mode. Secure privileged AArch32 modes are at EL3 where EL3 uses AArch32, and so
 * it is for a processor that was not seen in AArch64 state: its highest level resets into that. */
static uint8_t level_of(const struct cairn_tarmac_processor *p,
                        const struct cairn_tarmac_record *record)
{
    switch ((enum cairn_tarmac_mode)record->mode) {
    case CAIRN_TARMAC_MODE_EL0:
    case CAIRN_TARMAC_MODE_USR: return 0;
    case CAIRN_TARMAC_MODE_EL1: return 1;
    case CAIRN_TARMAC_MODE_EL2:
    case CAIRN_TARMAC_MODE_HYP: return 2;
    case CAIRN_TARMAC_MODE_EL3:
    case CAIRN_TARMAC_MODE_MON: return 3;
    case CAIRN_TARMAC_MODE_FIQ:
    case CAIRN_TARMAC_MODE_IRQ:
    case CAIRN_TARMAC_MODE_SVC:
    case CAIRN_TARMAC_MODE_ABT:
    case CAIRN_TARMAC_MODE_UND:
    case CAIRN_TARMAC_MODE_SYS: return record->security == CAIRN_SECURE && !p->seen_a64 ? 3 : 1;
    case CAIRN_TARMAC_MODE_NONE:
    case CAIRN_TARMAC_MODE_M_PROFILE: break;
    }
    return p->has_context ? p->context.EL : 1;
}

static struct cairn_context context_of(const struct cairn_tarmac_processor *p,
                                       const struct cairn_tarmac_record *record)
{
    struct cairn_context context = {.EL = level_of(p, record), .SF = record->isa == CAIRN_ISA_A64};

    if (record->security != CAIRN_TARMAC_NO_SECURITY)
        context.security = record->security;
    else if (record->mode == CAIRN_TARMAC_MODE_NONE && p->has_context)
        context.security = p->context.security;
    else
        context.security = context.EL == 3 ? CAIRN_SECURE : CAIRN_NONSECURE;
    return context;
}

/* A Context element counts from the P0 element before it. So new identifiers wait for the next P0
 * element or exception behind the write: an ISB follows it, or the write has no sure effect yet. */
static void identify(struct cairn_tarmac_processor *p, struct cairn_context *context)
{
    /* CONTEXTIDR has a Secure bank only where EL3 uses AArch32. */
    const bool banked = context->security == CAIRN_SECURE && !p->seen_a64;

    if (!p->is_open && !p->block.count)
        p->ids = p->written;
    context->context_id = p->ids.context[banked ? 0 : 1];
    context->vmid = p->ids.vmid;
}

static bool same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->SF == b->SF && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

static void enter_context(struct cairn_tarmac_processor *p, const struct cairn_context *context)
{
    if (p->has_context && same_context(&p->context, context))
        return;
    cairn_tarmac_flush(p);
    p->context = *context;
    p->has_context = true;
    cairn_processor_context(&p->around_unit, context);
}

/* --- exceptions --- */

static bool is_told(const struct cairn_tarmac_record *record)
{
    return record->size && !record->aborted;
}

static void describe_pending(struct cairn_tarmac_processor *p, struct cairn_tarmac_before *before)
{
    const struct cairn_tarmac_record *record = &p->pending;

    *before = (struct cairn_tarmac_before){.exists = p->has_pending,
                                           .isa = record->isa,
                                           .aborted = p->pending_aborted || record->aborted};
    if (!p->has_pending)
        return;
    before->size = record->size;
    before->opcode = record->opcode;
    before->address = record->address;
    if (!is_told(record))
        return;
    const struct cairn_tarmac_slot *slot = cairn_tarmac_look(p, record);
    before->has_next = cairn_tarmac_leads(slot, record->passed, &before->next);
    before->may_stay = record->passed &&
                       (slot->kind == CAIRN_INSN_BRANCH_INDIRECT ||
                        (slot->kind == CAIRN_INSN_BRANCH_DIRECT && slot->target == slot->address));
}

/* Tells the pending instruction, and with a PE that it does not lead to `next`, if it does not: branches that
 * nobody saw are between them. A unit alone finds that out itself. */
static void tell_pending(struct cairn_tarmac_processor *p, const uint64_t *next)
{
    cairn_tarmac_executed(p, &p->pending, next);
    if (!next || !p->shared->options->pe ||
        cairn_tarmac_may_lead(cairn_tarmac_look(p, &p->pending), p->pending.passed, *next))
        return;
    cairn_tarmac_flush(p);
    p->is_open = true;
    cairn_tarmac_break(p);
}

/* Tells the pending instruction, if it was executed, and the exception behind it. */
static void tell_exception(struct cairn_tarmac_processor *p,
                           const struct cairn_tarmac_outcome *outcome, uint64_t time)
{
    struct cairn_tarmac_result *result = p->shared->result;

    if (p->has_pending) {
        if (outcome->executed && is_told(&p->pending))
            tell_pending(p, outcome->has_address ? &outcome->address : NULL);
        else
            result->aborted++;
    }
    p->has_pending = false;
    cairn_tarmac_flush(p);
    if (!outcome->has_address || (p->is_open && p->open_end != outcome->address))
        cairn_tarmac_break(p);
    if (outcome->has_address || outcome->type == CAIRN_EXCEPTION_PE_RESET) {
        cairn_tarmac_clock(p, time);
        cairn_processor_exception(&p->around_unit, outcome->type, outcome->address,
                                  (enum cairn_isa)outcome->isa);
        p->is_open = false;
        result->exceptions++;
    }
}

static void settle_exception(struct cairn_tarmac_processor *p)
{
    struct cairn_tarmac_before before;
    struct cairn_tarmac_outcome outcome;

    describe_pending(p, &before);
    cairn_tarmac_exception_resolve(&p->exception, &before, &outcome);
    tell_exception(p, &outcome, p->exception_time);
    memset(&p->exception, 0, sizeof p->exception);
}

/* The cause of an exception whose vector `record` may be the first instruction of. */
static enum cairn_tarmac_cause vector_cause(const struct cairn_tarmac_processor *p,
                                            const struct cairn_tarmac_record *record,
                                            const struct cairn_context *context)
{
    static const uint8_t a32[8] = {CAIRN_TARMAC_NO_CAUSE, CAIRN_TARMAC_UNDEFINED, CAIRN_TARMAC_CALL,
                                   CAIRN_TARMAC_PREFETCH, CAIRN_TARMAC_DATA,      CAIRN_TARMAC_SYNC,
                                   CAIRN_TARMAC_IRQ,      CAIRN_TARMAC_FIQ};
    /* Bit n: entry n of the table is entered in this mode. */
    static const uint8_t entries[] = {
        [CAIRN_TARMAC_MODE_UND] = 0x02, [CAIRN_TARMAC_MODE_SVC] = 0x04,
        [CAIRN_TARMAC_MODE_ABT] = 0x18, [CAIRN_TARMAC_MODE_IRQ] = 0x40,
        [CAIRN_TARMAC_MODE_FIQ] = 0x80, [CAIRN_TARMAC_MODE_HYP] = 0xfe,
        [CAIRN_TARMAC_MODE_MON] = 0xdc,
    };
    static const uint8_t a64[4] = {CAIRN_TARMAC_SYNC, CAIRN_TARMAC_IRQ, CAIRN_TARMAC_FIQ,
                                   CAIRN_TARMAC_SERROR};
    const uint64_t address = record->address;

    if (!context->EL || context->EL < p->context.EL)
        return CAIRN_TARMAC_NO_CAUSE;
    if (record->isa == CAIRN_ISA_A64) {
        /* The upper half of the table is for exceptions from lower levels. */
        const bool from_below = context->EL > p->context.EL;
        if ((address & 0x7f) || (address >> 10 & 1) != from_below)
            return CAIRN_TARMAC_NO_CAUSE;
        return a64[address >> 7 & 3];
    }
    if ((address & 3) || record->mode >= sizeof entries ||
        !(entries[record->mode] >> (address >> 2 & 7) & 1))
        return CAIRN_TARMAC_NO_CAUSE;
    return a32[address >> 2 & 7];
}

/* Execution went from the pending instruction to where it does not lead, and no line says why. True
 * if it was an exception, and told. */
static bool infer_exception(struct cairn_tarmac_processor *p,
                            const struct cairn_tarmac_record *record,
                            const struct cairn_context *context)
{
    struct cairn_tarmac_exception exception = p->exception;
    struct cairn_tarmac_before before;
    struct cairn_tarmac_outcome outcome;

    describe_pending(p, &before);
    if (!before.has_next || record->address == before.next ||
        record->address == before.address + before.size)
        return false;
    exception.cause = (uint8_t)vector_cause(p, record, context);
    if (exception.cause == CAIRN_TARMAC_NO_CAUSE)
        return false;
    exception.to_a32 = record->isa != CAIRN_ISA_A64;
    exception.has_link = false; /* a call's, as likely */
    const bool is_msr = before.isa == CAIRN_ISA_A64 && (before.opcode & 0xfff00000u) == 0xd5100000u;
    if (exception.has_elr && !is_msr) {
        cairn_tarmac_exception_resolve(&exception, &before, &outcome);
    } else {
        /* gem5 does not list instructions that fault: the one that is listed was executed, and the
         * next one took the exception. */
        const bool call = cairn_tarmac_is_call(before.isa, before.opcode);
        exception.has_elr = exception.has_esr = exception.has_spsr = false;
        exception.has_address = true;
        exception.address = before.next;
        cairn_tarmac_exception_resolve(&exception, &before, &outcome);
        if (!call && (exception.cause == CAIRN_TARMAC_SYNC))
            outcome.type = CAIRN_EXCEPTION_TRAP;
    }
    tell_exception(p, &outcome, record->time);
    p->shared->result->inferred++;
    return true;
}

/* --- records --- */

static void settle(struct cairn_tarmac_processor *p, const struct cairn_tarmac_record *record,
                   const struct cairn_context *context)
{
    if (p->exception.cause != CAIRN_TARMAC_NO_CAUSE) {
        settle_exception(p);
    } else if (p->has_pending && !is_told(&p->pending)) {
        if (p->pending.aborted)
            p->shared->result->aborted++;
        else
            p->shared->result->untold++;
        cairn_tarmac_break(p);
    } else if (p->has_pending && !(record && infer_exception(p, record, context))) {
        tell_pending(p, record ? &record->address : NULL);
        if (record && record->address != p->pending.address + p->pending.size)
            cairn_tarmac_break(p); /* nothing, if it was a branch that ended its block */
    }
    p->has_pending = false;
}

bool cairn_tarmac_has_trace(const struct cairn_tarmac_shared *shared, enum cairn_isa isa)
{
    if (isa == CAIRN_ISA_A64)
        return cairn_about(shared->options->unit->protocol)->record & CAIRN_RECORD_A64;
    return isa != CAIRN_ISA_UNKNOWN;
}

static void take_instruction(struct cairn_tarmac_processor *p,
                             const struct cairn_tarmac_record *record)
{
    p->seen_a64 |= record->isa == CAIRN_ISA_A64;
    struct cairn_context context = context_of(p, record);

    settle(p, record, &context);
    identify(p, &context);
    memset(&p->exception, 0, sizeof p->exception);
    if (!cairn_tarmac_has_trace(p->shared, record->isa)) {
        p->shared->result->untold++;
        cairn_tarmac_break(p);
        return;
    }
    enter_context(p, &context);
    p->pending = *record;
    p->has_pending = true;
    p->pending_aborted = false;
}

static void take_event(struct cairn_tarmac_processor *p, const struct cairn_tarmac_record *record)
{
    struct cairn_tarmac_exception *e = &p->exception;
    bool to_a32;
    const uint8_t cause = (uint8_t)cairn_tarmac_cause(record, &to_a32);

    if (cause == CAIRN_TARMAC_NO_CAUSE || !p->has_context)
        return;
    if (e->cause != CAIRN_TARMAC_NO_CAUSE) {
        /* Two lines for one exception, or one straight after the other. */
        const bool same = e->has_address && record->has_address && e->address == record->address &&
                          !e->has_elr && !e->has_link && !e->has_esr && !e->has_spsr;
        if (same && cause == CAIRN_TARMAC_SYNC)
            return;
        if (!same)
            settle_exception(p);
    }
    *e = (struct cairn_tarmac_exception){.cause = cause,
                                         .to_a32 = to_a32,
                                         .has_address = record->has_address,
                                         .address = record->address};
    p->exception_time = record->time;
}

static void take_register(struct cairn_tarmac_processor *p,
                          const struct cairn_tarmac_record *record)
{
    if (!record->has_value)
        return;
    if (record->name_size >= 10 && !strncasecmp(record->name, "CONTEXTIDR", 10)) {
        const bool secure = cairn_tarmac_register_is(record, "CONTEXTIDR_S");
        const bool other = cairn_tarmac_register_is(record, "CONTEXTIDR_NS");
        /* EL2's own is not the context id of trace; the names without a bank mean the one there is.
         */
        if (cairn_tarmac_register_is(record, "CONTEXTIDR_EL2"))
            return;
        if (!other)
            p->written.context[0] = (uint32_t)record->value;
        if (!secure)
            p->written.context[1] = (uint32_t)record->value;
    } else if (cairn_tarmac_register_is(record, "VTTBR_EL2") ||
               cairn_tarmac_register_is(record, "VTTBR")) {
        p->written.vmid = (uint32_t)(record->value >> VTTBR_VMID_SHIFT);
    } else {
        cairn_tarmac_exception_register(&p->exception, record);
    }
}

void cairn_tarmac_processor_take(struct cairn_tarmac_processor *processor,
                                 const struct cairn_tarmac_record *record)
{
    processor->time_unit = record->unit;
    switch ((enum cairn_tarmac_kind)record->kind) {
    case CAIRN_TARMAC_INSTRUCTION: take_instruction(processor, record); break;
    case CAIRN_TARMAC_REGISTER: take_register(processor, record); break;
    case CAIRN_TARMAC_EVENT: take_event(processor, record); break;
    case CAIRN_TARMAC_ABORTED:
        if (processor->exception.cause == CAIRN_TARMAC_NO_CAUSE)
            processor->pending_aborted = true;
        break;
    case CAIRN_TARMAC_END: break;
    }
}

/* --- making and ending --- */

struct cairn_tarmac_processor *cairn_tarmac_processor_new(struct cairn_tarmac_shared *shared)
{
    struct cairn_tarmac_processor *p = calloc(1, sizeof *p);

    if (p)
        p->shared = shared;
    return p;
}

static cairn_status make_unit(struct cairn_tarmac_processor *processor,
                              const struct cairn_unit_options *unit, struct cairn_error *error)
{
    const struct cairn_tarmac_options *options = processor->shared->options;
    cairn_status status;

    if (options->pe) {
        struct cairn_pe *pe = NULL;

        status = options->pe(options->pe_context, unit, &pe, error);
        if (status != CAIRN_OK)
            return status;
        processor->around_unit = cairn_processor_of_pe(pe);
        processor->unit = cairn_pe_unit(pe);
        return CAIRN_OK;
    }
    if (!options->around || !options->around->is_wanted || !processor->source) {
        status = cairn_unit_new(unit, &processor->unit, error);
        processor->around_unit = cairn_processor_of_unit(processor->unit);
        return status;
    }
    status = cairn_around_new(options->around, unit, processor->source, options->core,
                              &processor->around, error);
    if (status != CAIRN_OK)
        return status;
    processor->around_unit = cairn_around_processor(processor->around);
    processor->unit = processor->around_unit.unit;
    return CAIRN_OK;
}

cairn_status cairn_tarmac_processor_start(struct cairn_tarmac_processor *processor,
                                          const char *name, struct cairn_error *error)
{
    const struct cairn_tarmac_options *options = processor->shared->options;
    struct cairn_unit_options unit = *options->unit;
    cairn_status status;

    if (options->recording) {
        status = cairn_recorded_source_new(options->recording, name, &processor->source, error);
        if (status)
            return status;
        unit.sink = cairn_recorded_source_sink;
        unit.sink_context = processor->source;
    }
    processor->name = name;
    if (options->making)
        options->making(options->context, name, &unit);
    status = make_unit(processor, &unit, error);
    if (status)
        return status;
    if (processor->source) {
        status = cairn_recorded_source_describe(processor->source, processor->unit);
        if (status)
            return cairn_fail(error, status, "the registers of %s cannot be recorded", name);
    }
    if (!options->pe)
        cairn_processor_enable(&processor->around_unit);
    return CAIRN_OK;
}

void cairn_tarmac_processor_free(struct cairn_tarmac_processor *processor)
{
    if (!processor)
        return;
    if (processor->around)
        cairn_around_free(processor->around);
    else if (!processor->shared->options->pe)
        cairn_unit_free(processor->unit);
    free(processor);
}

cairn_status cairn_tarmac_processor_finish(struct cairn_tarmac_processor *processor,
                                           struct cairn_error *error)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};
    cairn_status status;

    if (!processor->unit)
        return CAIRN_OK;
    settle(processor, NULL, NULL);
    if (processor->shared->options->pe) {
        cairn_tarmac_flush(processor);
        cairn_processor_end(&processor->around_unit);
        cairn_pe_settle(processor->around_unit.pe);
    } else {
        cairn_tarmac_break(processor);
        cairn_processor_end(&processor->around_unit);
        cairn_processor_disable(&processor->around_unit);
    }
    if (processor->shared->options->ended)
        processor->shared->options->ended(processor->shared->options->context, processor->name,
                                          processor->unit);
    cairn_unit_counters(processor->unit, &counters);
    processor->shared->result->discontinuities += counters.discontinuities;
    if (processor->around)
        cairn_around_end(processor->around);
    status = cairn_processor_status(&processor->around_unit);
    if (status)
        return cairn_fail(error, status, "the trace could not be written: %s",
                          cairn_status_text(status));
    if (processor->source) {
        status = cairn_recorded_source_describe(processor->source, processor->unit);
        if (status)
            return cairn_fail(error, status, "the registers of a source cannot be recorded");
    }
    return CAIRN_OK;
}
