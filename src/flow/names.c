/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow batches and the words for what is in them. */
#include <cairn/flow.h>

#include <stdlib.h>

const char *cairn_flow_kind_name(unsigned kind)
{
    static const char *const names[] = {
        [CAIRN_FLOW_RANGE] = "Range",
        [CAIRN_FLOW_GAP] = "Gap",
        [CAIRN_FLOW_TRACE_ON] = "Trace On",
        [CAIRN_FLOW_CONTEXT] = "Context",
        [CAIRN_FLOW_EXCEPTION] = "Exception",
        [CAIRN_FLOW_EXCEPTION_RETURN] = "Exception Return",
        [CAIRN_FLOW_TIMESTAMP] = "Timestamp",
        [CAIRN_FLOW_TIMESTAMP_MARKER] = "Timestamp Marker",
        [CAIRN_FLOW_CYCLES] = "Cycle Count",
        [CAIRN_FLOW_EVENT] = "Event",
        [CAIRN_FLOW_OVERFLOW] = "Overflow",
        [CAIRN_FLOW_DISCARD] = "Discard",
        [CAIRN_FLOW_TRANSACTION_START] = "Transaction Start",
        [CAIRN_FLOW_TRANSACTION_COMMIT] = "Transaction Commit",
        [CAIRN_FLOW_TRANSACTION_FAILURE] = "Transaction Failure",
        [CAIRN_FLOW_Q] = "Q",
        [CAIRN_FLOW_SYNC] = "Trace Info",
        [CAIRN_FLOW_INSTRUMENTATION] = "Instrumentation",
        [CAIRN_FLOW_WARNING] = "Warning",
        [CAIRN_FLOW_FUNCTION_RETURN] = "Function Return",
        [CAIRN_FLOW_DATA] = "Data",
    };

    return kind < sizeof names / sizeof names[0] ? names[kind] : "?";
}

const char *cairn_flow_warning_text(unsigned warning)
{
    static const char *const texts[] = {
        [CAIRN_WARNING_RESERVED_N] = "N for an instruction that cannot be N",
        [CAIRN_WARNING_UNCERTAIN] = "the last branch before a loss may be wrong",
        [CAIRN_WARNING_TARGET_MISMATCH] =
            "the trace and the image disagree on the target of a direct branch",
        [CAIRN_WARNING_IMPRECISE] =
            "what ran before the exception, or its data, may not be exactly as traced",
        [CAIRN_WARNING_UNDEFINED] = "an undefined instruction was reached",
        [CAIRN_WARNING_SF_IS1] = "AArch64 state with an IS1 address",
        [CAIRN_WARNING_TRANSACTION_UNRESOLVED] =
            "a transaction was too long to hold and is shown although it may have failed",
        [CAIRN_WARNING_TRANSACTION_NESTED] = "Transaction Start inside a transaction",
        [CAIRN_WARNING_OVER_COMMIT] = "more P0 elements resolved than are outstanding",
        [CAIRN_WARNING_CONTINUES] = "execution goes on after an exception without an address",
        [CAIRN_WARNING_STALE_RETURN] =
            "a return to a call from before flow was lost: calls in between may be missing",
        [CAIRN_WARNING_SOURCE_ISA] =
            "a Source Address says another instruction set (A32, T32) than the code is in",
        [CAIRN_WARNING_CONTEXT_SBZ] = "reserved bits are set in a context",
    };

    return warning < sizeof texts / sizeof texts[0] ? texts[warning] : "?";
}

cairn_status cairn_flow_batch_new(size_t capacity, struct cairn_flow_batch **batch)
{
    struct cairn_flow_batch *b;

    if (capacity == 0)
        return CAIRN_E_ARGUMENT;
    b = calloc(1, sizeof *b);
    if (!b)
        return CAIRN_E_MEMORY;
    b->size = sizeof *b;
    b->capacity = capacity;
    b->kind = calloc(capacity, sizeof *b->kind);
    b->isa = calloc(capacity, sizeof *b->isa);
    b->flags = calloc(capacity, sizeof *b->flags);
    b->instructions = calloc(capacity, sizeof *b->instructions);
    b->offset = calloc(capacity, sizeof *b->offset);
    b->length = calloc(capacity, sizeof *b->length);
    b->address = calloc(capacity, sizeof *b->address);
    b->value = calloc(capacity, sizeof *b->value);
    if (!b->kind || !b->isa || !b->flags || !b->instructions || !b->offset || !b->length ||
        !b->address || !b->value) {
        cairn_flow_batch_free(b);
        return CAIRN_E_MEMORY;
    }
    *batch = b;
    return CAIRN_OK;
}

void cairn_flow_batch_free(struct cairn_flow_batch *batch)
{
    if (!batch)
        return;
    free(batch->kind);
    free(batch->isa);
    free(batch->flags);
    free(batch->instructions);
    free(batch->offset);
    free(batch->length);
    free(batch->address);
    free(batch->value);
    free(batch);
}
