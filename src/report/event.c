/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/event.h"

const char *cairn_account_word(unsigned account)
{
    switch ((enum cairn_account)account) {
    case CAIRN_ACCOUNT_FLOW: return "flow";
    case CAIRN_ACCOUNT_METADATA: return "metadata";
    case CAIRN_ACCOUNT_PADDING: return "padding";
    case CAIRN_GAP_NO_SYNC: return "no-sync";
    case CAIRN_GAP_RESERVED: return "reserved";
    case CAIRN_GAP_CUT: return "cut";
    case CAIRN_GAP_TRUNCATED: return "truncated";
    case CAIRN_GAP_NOT_DECODED: return "not-decoded";
    case CAIRN_GAP_NO_ADDRESS: return "no-address";
    case CAIRN_GAP_NO_IMAGE: return "no-image";
    case CAIRN_GAP_RETURN_STACK: return "return-stack";
    case CAIRN_GAP_OVERFLOW: return "overflow";
    case CAIRN_GAP_DISCARD: return "discard";
    case CAIRN_GAP_UNRESOLVED: return "unresolved";
    case CAIRN_GAP_LIMIT: return "limit";
    case CAIRN_GAP_INCONSISTENT: return "inconsistent";
    case CAIRN_GAP_FILTERED: return "filtered";
    case CAIRN_GAP_LOST: return "lost";
    }
    return "unknown";
}

const char *cairn_security_name(unsigned security)
{
    switch ((enum cairn_security)security) {
    case CAIRN_SECURE: return "Secure";
    case CAIRN_NONSECURE: return "Non-secure";
    case CAIRN_ROOT: return "Root";
    case CAIRN_REALM: return "Realm";
    }
    return "?";
}

static void write_number(struct cairn_output *output, const char *before, uint64_t value)
{
    cairn_output_text(output, before);
    cairn_output_decimal(output, value);
}

static void write_address(struct cairn_output *output, const char *before, uint64_t value)
{
    cairn_output_text(output, before);
    cairn_output_text(output, "0x");
    cairn_output_hex(output, value, 0);
}

static void write_context(struct cairn_output *output, const struct cairn_config *config,
                          uint64_t address, uint64_t value)
{
    struct cairn_context context = cairn_flow_context(address, value);
    const unsigned tells = cairn_config_tells(config);

    cairn_output_text(output, "context");
    if ((tells & CAIRN_TELLS_EL) || context.EL)
        cairn_output_format(output, " EL%u", context.EL);
    if (tells & CAIRN_TELLS_SECURITY)
        cairn_output_format(output, " %s", cairn_security_name(context.security));
    if (!(tells & CAIRN_TELLS_EL) && cairn_config_arch(config)->profile == CAIRN_PROFILE_M)
        cairn_output_text(output, " M profile");
    else
        cairn_output_text(output, context.SF ? " AArch64" : " AArch32");
    if (context.vmid)
        write_address(output, " vmid ", context.vmid);
    if (context.context_id)
        write_address(output, " context-id ", context.context_id);
}

static void write_gap(struct cairn_output *output, const struct cairn_flow_batch *batch,
                      size_t index)
{
    cairn_output_text(output, "gap ");
    cairn_output_text(output, cairn_account_word((unsigned)batch->value[index]));
    write_address(output, " ", batch->address[index]);
    write_number(output, " bytes ", batch->length[index]);
}

static void write_timestamp(struct cairn_output *output, const struct cairn_flow_batch *batch,
                            size_t index)
{
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        cairn_output_text(output, "timestamp unknown");
    else
        write_address(output, "timestamp ", batch->value[index]);
    if (batch->flags[index] & CAIRN_FLOW_CYCLES_VALID)
        write_number(output, " cycles ", batch->address[index]);
}

static void write_cycles(struct cairn_output *output, const struct cairn_flow_batch *batch,
                         size_t index)
{
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        cairn_output_text(output, "cycles unknown");
    else
        write_number(output, "cycles ", batch->value[index]);
    write_number(output, " total ", batch->address[index]);
}

static void write_exception(struct cairn_output *output, const struct cairn_config *config,
                            const struct cairn_flow_batch *batch, size_t index)
{
    cairn_output_text(output, "exception ");
    cairn_output_text(output, cairn_exception_name(config, (unsigned)batch->value[index]));
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        cairn_output_text(output, " at an unknown address");
    else
        write_address(output, " at ", batch->address[index]);
}

const char *cairn_data_word(uint32_t form)
{
    switch ((enum cairn_data_kind)CAIRN_FLOW_DATA_KIND(form)) {
    case CAIRN_DATA_NORMAL: return "transfer";
    case CAIRN_DATA_PLACEHOLDER: return "placeholder";
    case CAIRN_DATA_LATE: return "late";
    case CAIRN_DATA_NOT_TRACED: return "not traced";
    case CAIRN_DATA_SUPPRESSED: return "suppressed";
    case CAIRN_DATA_STORE_FAILED: return "store failed";
    case CAIRN_DATA_PINS: return "pins";
    }
    return "?";
}

static void write_data(struct cairn_output *output, const struct cairn_flow_batch *batch,
                       size_t index)
{
    const unsigned flags = batch->flags[index];
    const uint32_t form = batch->instructions[index];

    cairn_output_text(output, "data ");
    cairn_output_text(output, cairn_data_word(form));
    if (flags & CAIRN_FLOW_HAS_ADDRESS)
        write_address(output, " at ", cairn_flow_data_address(batch->address[index]));
    if (flags & CAIRN_FLOW_HAS_VALUE)
        write_address(output, " value ", batch->value[index]);
    if (CAIRN_FLOW_DATA_HAS_TAG(form))
        write_number(output, " tag ", CAIRN_FLOW_DATA_TAG(form));
    if (flags & CAIRN_FLOW_BY_CORE)
        cairn_output_text(output, " by the core");
    else if (CAIRN_FLOW_DATA_IS_LATE(form))
        return;
    else if (flags & CAIRN_FLOW_UNKNOWN)
        cairn_output_text(output, " of an unknown instruction");
    else
        write_address(output, " of ", cairn_flow_data_instruction(batch->address[index]));
}

void cairn_event_write(struct cairn_output *output, const struct cairn_config *config,
                       const struct cairn_flow_batch *batch, size_t index)
{
    uint64_t value = batch->value[index];
    uint64_t address = batch->address[index];

    switch ((enum cairn_flow_kind)batch->kind[index]) {
    case CAIRN_FLOW_GAP: write_gap(output, batch, index); return;
    case CAIRN_FLOW_TRACE_ON: cairn_output_text(output, "trace on"); return;
    case CAIRN_FLOW_CONTEXT: write_context(output, config, address, value); return;
    case CAIRN_FLOW_EXCEPTION: write_exception(output, config, batch, index); return;
    case CAIRN_FLOW_EXCEPTION_RETURN: cairn_output_text(output, "exception return"); return;
    case CAIRN_FLOW_TIMESTAMP: write_timestamp(output, batch, index); return;
    case CAIRN_FLOW_TIMESTAMP_MARKER: cairn_output_text(output, "timestamp marker"); return;
    case CAIRN_FLOW_CYCLES: write_cycles(output, batch, index); return;
    case CAIRN_FLOW_EVENT: write_number(output, "event ", value); return;
    case CAIRN_FLOW_OVERFLOW: cairn_output_text(output, "overflow"); return;
    case CAIRN_FLOW_DISCARD: cairn_output_text(output, "discard"); return;
    case CAIRN_FLOW_TRANSACTION_START: cairn_output_text(output, "transaction start"); return;
    case CAIRN_FLOW_TRANSACTION_COMMIT: cairn_output_text(output, "transaction commit"); return;
    case CAIRN_FLOW_TRANSACTION_FAILURE:
        cairn_output_text(output,
                          value ? "transaction failure, end not seen" : "transaction failure");
        return;
    case CAIRN_FLOW_Q:
        if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
            cairn_output_text(output, "q without count");
        else
            write_number(output, "q instructions ", value);
        return;
    case CAIRN_FLOW_SYNC: cairn_output_text(output, "trace info"); return;
    case CAIRN_FLOW_INSTRUMENTATION:
        write_number(output, "instrumentation EL", address);
        write_address(output, " ", value);
        return;
    case CAIRN_FLOW_WARNING:
        write_address(output, "warning at ", address);
        cairn_output_text(output, ": ");
        cairn_output_text(output, cairn_flow_warning_text((unsigned)value));
        return;
    case CAIRN_FLOW_FUNCTION_RETURN: cairn_output_text(output, "function return"); return;
    case CAIRN_FLOW_DATA: write_data(output, batch, index); return;
    case CAIRN_FLOW_RANGE: break;
    }
    cairn_output_text(output, cairn_flow_kind_name(batch->kind[index]));
    write_address(output, " ", address);
    write_address(output, " ", value);
}

void cairn_source_write(struct cairn_output *output, const struct cairn_source_info *source,
                        const char *buffer)
{
    cairn_output_format(output, "== %s: %s", source->name, cairn_protocol_name(source->protocol));
    if (source->core_type)
        cairn_output_format(output, ", %s", source->core_type);
    if (source->core)
        cairn_output_format(output, " (%s)", source->core);
    if (source->trace_id >= 0)
        cairn_output_format(output, ", trace ID 0x%02x", (unsigned)source->trace_id);
    if (buffer)
        cairn_output_format(output, ", buffer %s", buffer);
}
