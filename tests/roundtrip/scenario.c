/* SPDX-License-Identifier: BSD-2-Clause */
/* A failure as a scenario file (docs/scenarios.md): the trace that came out, and the flow that was
 * executed. What the trace unit was told stands on top, as a comment. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shrink.h"

enum { PATH_MOST = 1024 };

static const char *const step_names[TRIP_STEP_KINDS] = {
    [TRIP_ENABLE] = "enable",
    [TRIP_DISABLE] = "disable",
    [TRIP_CONTEXT] = "context",
    [TRIP_BLOCK] = "execute",
    [TRIP_EXCEPTION] = "exception",
    [TRIP_SYNCHRONIZE] = "synchronize_context",
    [TRIP_PROHIBIT] = "prohibit",
    [TRIP_DEBUG] = "debug_state",
    [TRIP_LOW_POWER] = "low_power",
    [TRIP_CYCLES] = "cycles",
    [TRIP_TIME] = "time",
    [TRIP_CLOCK_STOPPED] = "clock_stopped",
    [TRIP_INPUTS] = "inputs",
    [TRIP_EVENT] = "event",
    [TRIP_SPECULATE] = "speculate",
    [TRIP_RESOLVE] = "resolve",
    [TRIP_CANCEL] = "cancel",
    [TRIP_MISPREDICT] = "mispredict",
    [TRIP_TRANSACTION_START] = "transaction_start",
    [TRIP_TRANSACTION_COMMIT] = "transaction_commit",
    [TRIP_TRANSACTION_FAIL] = "transaction_fail",
    [TRIP_REQUEST_SYNC] = "request_sync",
    [TRIP_FLUSH] = "flush",
    [TRIP_POSITION] = "position",
};

static void write_block(FILE *file, const struct trip_work *work, const struct trip_step *step)
{
    static const char *const kinds[] = {[PEER_OP_PLAIN] = "",
                                        [PEER_OP_DIRECT] = " direct",
                                        [PEER_OP_INDIRECT] = " indirect",
                                        [PEER_OP_ISB] = " ISB",
                                        [PEER_OP_WAIT] = " wait",
                                        [PEER_OP_CALL] = " SVC",
                                        [TRIP_OP_TSTART] = " TSTART",
                                        [TRIP_OP_TCOMMIT] = " TCOMMIT"};
    const struct peer_op *first = trip_op(&work->program, step->first);
    const struct peer_op *last = trip_op(&work->program, step->first + step->count - 1);

    fprintf(file, "#   %" PRIu32 ": execute %" PRIx64 "-%" PRIx64 " %s%s%s%s%s", step->id,
            first->address, last->address, cairn_isa_name((enum cairn_isa)first->isa),
            kinds[last->kind], last->flags & PEER_OP_LINK ? " link" : "",
            last->flags & PEER_OP_ERET ? " ERET" : "", step->on ? " taken" : "");
    if (last->kind == PEER_OP_DIRECT)
        fprintf(file, " to %" PRIx64, trip_op(&work->program, last->target)->address);
    fputc('\n', file);
}

static void write_step(FILE *file, const struct trip_work *work, const struct trip_step *step)
{
    const char *name = step_names[step->kind];

    switch ((enum trip_step_kind)step->kind) {
    case TRIP_BLOCK: write_block(file, work, step); break;
    case TRIP_EXCEPTION:
        fprintf(file, "#   %" PRIu32 ": exception type %02x at %" PRIx64 "\n", step->id, step->type,
                trip_op(&work->program, step->first)->address);
        break;
    case TRIP_CONTEXT:
        fprintf(file, "#   context EL%u security %u SF%u vmid %" PRIx32 " id %" PRIx32 "\n",
                step->context.EL, step->context.security, step->context.SF, step->context.vmid,
                step->context.context_id);
        break;
    case TRIP_RESOLVE:
    case TRIP_CANCEL: fprintf(file, "#   %s at %" PRIu32 "\n", name, step->id); break;
    case TRIP_CYCLES:
    case TRIP_TIME: fprintf(file, "#   %s %" PRIu64 "\n", name, step->value); break;
    case TRIP_INPUTS:
    case TRIP_EVENT: fprintf(file, "#   %s %x\n", name, step->type); break;
    case TRIP_PROHIBIT:
    case TRIP_DEBUG:
    case TRIP_LOW_POWER:
    case TRIP_SPECULATE: fprintf(file, "#   %s %s\n", name, step->on ? "true" : "false"); break;
    default: fprintf(file, "#   %s\n", name); break;
    }
}

static void write_feed(FILE *file, const struct trip_work *work)
{
    const struct trip_options *o = &work->trip.options;
    struct cairn_register registers[TRIP_REGISTERS_MAX];
    const size_t count = trip_options_registers(o, registers);

    fprintf(file, "# Seed %" PRIu64 ": %s\n#\n", work->trip.seed, trip_problem(work));
    fprintf(file,
            "# The unit: choices %" PRIx32 ", return stack %" PRIu32 " deep, buffer of %" PRIu32
            " bytes (%" PRIu32 " leave in 16 cycles; a port takes %" PRIu32 "), Q of %" PRIu32
            " instructions\n",
            o->choices, o->stack_depth, o->fifo_bytes, o->fifo_drain, o->port, o->q_instructions);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "#   %s 0x%" PRIx64 "\n", registers[i].name, registers[i].value);
    fprintf(file, "# It is told:\n");
    for (uint32_t i = 0; i < work->trip.count; i++)
        write_step(file, work, &work->trip.steps[i]);
}

/* The registers that a decoder reads. */
static void write_config(FILE *file, const struct trip_work *work)
{
    static const char *const names[] = {"TRCCONFIGR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8"};
    const struct trip_options *o = &work->trip.options;
    struct cairn_register registers[TRIP_REGISTERS_MAX];
    const size_t count = trip_options_registers(o, registers);

    fprintf(file, "\n[config]\n  protocol %s\n  version %u.%u\n", cairn_protocol_name(o->protocol),
            o->protocol == CAIRN_PROTOCOL_ETE ? 1 : 4, o->minor);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (strcmp(registers[i].name, names[n]) == 0)
                fprintf(file, "  %s 0x%08" PRIx64 "\n", names[n], registers[i].value);
}

static bool is_used(const struct trip_work *work, unsigned region)
{
    for (uint32_t i = 0; i < work->trip.count; i++) {
        const struct trip_step *step = &work->trip.steps[i];

        if ((step->kind == TRIP_BLOCK || step->kind == TRIP_EXCEPTION) &&
            trip_op(&work->program, step->first)->region == region)
            return true;
    }
    return false;
}

static void write_program(FILE *file, const struct trip_work *work)
{
    for (unsigned r = 0; r < work->program.base.region_count; r++) {
        const struct peer_region *region = &work->program.base.regions[r];

        if (!is_used(work, r))
            continue;
        fprintf(file, "\n[program %s]\n  at 0x%" PRIx64 "\n",
                cairn_isa_name((enum cairn_isa)region->isa), region->address);
        for (uint32_t i = region->first; i < region->first + region->count; i++) {
            const struct peer_op *op = trip_op(&work->program, i);

            fprintf(file, "  .inst%s 0x%0*" PRIx32 "\n",
                    op->isa != CAIRN_ISA_T32 ? ""
                    : op->size == 2          ? ".n"
                                             : ".w",
                    op->size * 2, op->code);
        }
    }
}

static void write_trace(FILE *file, const struct trip_trace *trace)
{
    struct cairn_packet_batch *batch = NULL;
    struct cairn_packets *packets = NULL;
    size_t at = 0;

    fprintf(file, "\n[trace]\n");
    if (!trace->config || cairn_packet_batch_new(trace->size + 1, &batch) != CAIRN_OK ||
        cairn_packets_new(trace->config, &packets) != CAIRN_OK ||
        cairn_packets_run(packets, trace->bytes, trace->size, &at, batch) != CAIRN_OK ||
        cairn_packets_finish(packets, batch) != CAIRN_OK)
        fprintf(file, "  // the packets cannot be listed\n");
    for (size_t i = 0; batch && i < batch->count; i++) {
        fprintf(file, "  bytes");
        for (uint64_t n = 0; n < batch->length[i]; n++)
            fprintf(file, " %02x", trace->bytes[batch->offset[i] + n]);
        fprintf(file, " // %s", cairn_packet_mnemonic(trace->config, batch->kind[i]));
        if (batch->fields[i].flags & CAIRN_PACKET_HAS_ADDRESS)
            fprintf(file, " %" PRIx64, batch->fields[i].address);
        if (batch->fields[i].atom_count > 0)
            fputc(' ', file);
        for (unsigned n = 0; n < batch->fields[i].atom_count; n++)
            fputc(batch->fields[i].atoms >> n & 1 ? 'E' : 'N', file);
        fputc('\n', file);
    }
    cairn_packets_free(packets);
    cairn_packet_batch_free(batch);
}

static void write_flow(FILE *file, const struct trip_work *work)
{
    fprintf(file, "\n[flow]\n");
    for (uint32_t i = 0; i < work->truth.count; i++) {
        const struct trip_entry *entry = &work->truth.entries[i];
        const struct peer_op *op = trip_op(&work->program, entry->op);

        if (entry->kind != TRIP_EXCEPT)
            fprintf(file, "  %" PRIx64 "%s %s\n", op->address,
                    entry->kind == TRIP_TAKEN       ? " E"
                    : entry->kind == TRIP_NOT_TAKEN ? " N"
                                                    : "",
                    cairn_isa_name((enum cairn_isa)op->isa));
        else if (entry->type == CAIRN_EXCEPTION_PE_RESET || !work->trace.config)
            fprintf(file, "  # exception PE-Reset ?\n");
        else
            fprintf(file, "  # exception %s %" PRIx64 "\n",
                    cairn_exception_name(work->trace.config, entry->type), op->address);
    }
    for (uint32_t i = 0; i < work->truth.event_count; i++)
        fprintf(file, "  # event %u\n", work->truth.events[i]);
}

void trip_write_scenario(struct trip_work *work, const char *folder)
{
    char path[PATH_MOST];
    FILE *file = stderr;

    if (folder) {
        snprintf(path, sizeof path, "%s/roundtrip-%" PRIu64 ".scn", folder, work->trip.seed);
        file = fopen(path, "w");
        if (!file) {
            printf("# %s cannot be written\n", path);
            return;
        }
        printf("# written to %s\n", path);
    }
    write_feed(file, work);
    write_config(file, work);
    write_program(file, work);
    write_trace(file, &work->trace);
    write_flow(file, work);
    if (folder)
        fclose(file);
}
