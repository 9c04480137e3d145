/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../peers/opencsd.h"

/* ERET of A32, which libopencsd does not know; branches with pointer authentication, which it does
 * not know in ETMv4. */
#define A32_ERET_MASK 0x0fffffffu
#define A32_ERET 0x0160006eu
#define A64_PAUTH_MASK 0xfe1ff800u
#define A64_PAUTH 0xd61f0800u

static bool op_is_shared(const struct trip_work *work, const struct peer_op *op)
{
    if (op->flags & PEER_OP_OTHER_ISA)
        return false;
    if (op->isa == CAIRN_ISA_A32 && (op->code & A32_ERET_MASK) == A32_ERET)
        return false;
    return op->isa != CAIRN_ISA_A64 || work->trip.options.protocol == CAIRN_PROTOCOL_ETE ||
           (op->code & A64_PAUTH_MASK) != A64_PAUTH;
}

static bool steps_are_shared(const struct trip_work *work)
{
    for (uint32_t i = 0; i < work->trip.count; i++) {
        const struct trip_step *step = &work->trip.steps[i];

        switch ((enum trip_step_kind)step->kind) {
        case TRIP_MISPREDICT:
        case TRIP_TRANSACTION_START: return false;
        case TRIP_CONTEXT: /* that of a Trace Info: a Context Same is enough, and does not count */
            if (step->context.EL == 0 && step->context.security == CAIRN_SECURE &&
                !step->context.SF)
                return false;
            break;
        case TRIP_EXCEPTION:
            if (step->type == CAIRN_EXCEPTION_PE_RESET)
                return false;
            break;
        case TRIP_BLOCK:
            if (!op_is_shared(work, trip_op(&work->program, step->first + step->count - 1)))
                return false;
            break;
        default: break;
        }
    }
    return true;
}

static bool is_speculative(const struct trip_work *work)
{
    for (uint32_t i = 0; i < work->trip.count; i++)
        if (work->trip.steps[i].kind == TRIP_SPECULATE)
            return true;
    return false;
}

bool trip_peer_shares(const struct trip_work *work)
{
    const struct trip_options *o = &work->trip.options;

    return work->trace.size <= PEER_BYTES && work->said.overflows == 0 && !work->truth.lost &&
           o->minor > 0 && o->q == 0 && !(o->choices & CAIRN_UNIT_OMIT_NOT_TAKEN) &&
           !(o->return_stack && (o->choices & CAIRN_UNIT_EXPLICIT_ADDRESSES)) &&
           !(o->cycles && !o->commopt && o->maxspec > 0) &&
           !(o->timestamps && o->timestamp_markers) &&
           !(o->return_stack && o->maxspec > 0 && (is_speculative(work) || work->said.syncs > 1)) &&
           !(o->choices & CAIRN_UNIT_SEPARATE_PACKETS) && steps_are_shared(work);
}

static void set_registers(const struct trip_work *work, struct peer_trace *trace)
{
    static const struct {
        enum peer_register index;
        const char *name;
    } names[PEER_REGISTERS] = {
        {PEER_TRCCONFIGR, "TRCCONFIGR"}, {PEER_TRCIDR0, "TRCIDR0"}, {PEER_TRCIDR1, "TRCIDR1"},
        {PEER_TRCIDR2, "TRCIDR2"},       {PEER_TRCIDR8, "TRCIDR8"}, {PEER_TRCDEVARCH, "TRCDEVARCH"},
        {PEER_TRCCCCTLR, "TRCCCCTLR"},
    };
    struct cairn_register registers[TRIP_REGISTERS_MAX];
    const size_t count = trip_options_registers(&work->trip.options, registers);

    for (size_t n = 0; n < PEER_REGISTERS; n++)
        for (size_t i = 0; i < count; i++)
            if (strcmp(registers[i].name, names[n].name) == 0)
                trace->settings.registers[names[n].index] = registers[i];
}

static bool same(const struct trip_work *work, const struct trip_said_entry *ours,
                 const struct peer_entry *theirs)
{
    if (ours->kind == TRIP_EXCEPT)
        return theirs->kind == PEER_EXCEPTION && theirs->type == ours->type &&
               theirs->address == ours->value;
    return theirs->kind == ours->kind &&
           theirs->address == trip_op(&work->program, ours->op)->address &&
           theirs->isa == trip_op(&work->program, ours->op)->isa;
}

bool trip_peer_agrees(const struct trip_work *work)
{
    static struct peer_trace trace;
    static struct peer_truth theirs;
    struct peer_random random = {.state = work->trip.seed};

    trace.settings.protocol = work->trip.options.protocol;
    trace.program = work->program.base;
    memcpy(trace.bytes.data, work->trace.bytes, work->trace.size);
    trace.bytes.size = work->trace.size;
    set_registers(work, &trace);
    if (!peer_decode_opencsd(&trace, &random, &theirs))
        return false;
    for (uint32_t i = 0; i < work->said.count; i++)
        if (i >= theirs.count || !same(work, &work->said.entries[i], &theirs.entries[i])) {
            const struct trip_said_entry *ours = &work->said.entries[i];

            printf("# libopencsd differs at entry %" PRIu32 " of %" PRIu32
                   " (%zu): kind %u at %" PRIx64 " type %x instead of kind %u at %" PRIx64
                   " type %x\n",
                   i, work->said.count, theirs.count, theirs.entries[i].kind,
                   theirs.entries[i].address, theirs.entries[i].type, ours->kind,
                   ours->op == TRIP_NO_OP ? ours->value
                                          : trip_op(&work->program, ours->op)->address,
                   ours->type);
            return false;
        }
    if (theirs.count == work->said.count)
        return true;
    printf("# libopencsd says %zu entries instead of %" PRIu32 "\n", theirs.count,
           work->said.count);
    return false;
}
