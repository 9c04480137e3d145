/* SPDX-License-Identifier: BSD-2-Clause */
/* Listings as JSON lines, one object a record, as docs/json.md has them. Offsets, lengths, counts and
 * IDs are numbers; addresses, opcodes and values of 64 bits are strings with 0x, since many readers
 * hold 53 bits only. What a record of a type always has is null where it is not known; a flag is
 * true or not there. */
#include <string.h>

#include "report/data.h"
#include "report/event.h"
#include "report/json_fields.h"
#include "report/report.h"

#define FIELDS_MAX 48

static void write_name(struct cairn_output *output, const char *name)
{
    cairn_output_text(output, ",\"");
    cairn_output_text(output, name);
    cairn_output_text(output, "\":");
}

static void write_string(struct cairn_output *output, const char *name, const char *text)
{
    write_name(output, name);
    cairn_output_json(output, text);
}

static void write_number(struct cairn_output *output, const char *name, uint64_t value)
{
    write_name(output, name);
    cairn_output_decimal(output, value);
}

static void write_hex_value(struct cairn_output *output, uint64_t value)
{
    cairn_output_text(output, "\"0x");
    cairn_output_hex(output, value, 0);
    cairn_output_char(output, '"');
}

static void write_hex(struct cairn_output *output, const char *name, uint64_t value)
{
    write_name(output, name);
    write_hex_value(output, value);
}

static void write_null(struct cairn_output *output, const char *name)
{
    write_name(output, name);
    cairn_output_text(output, "null");
}

/* A number, or null. */
static void write_known(struct cairn_output *output, const char *name, bool known, uint64_t value)
{
    if (known)
        write_number(output, name, value);
    else
        write_null(output, name);
}

static void write_true(struct cairn_output *output, const char *name)
{
    write_name(output, name);
    cairn_output_text(output, "true");
}

/* The beginning of every record: what it is and where it comes from. */
static void write_start(struct cairn_listing *listing, const char *type,
                        const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;

    cairn_output_text(output, "{\"type\":");
    cairn_output_json(output, type);
    write_string(output, "source", listing->source->name);
    write_number(output, "offset", origin->offset);
    write_known(output, "file_offset", origin->file_offset != CAIRN_FILE_OFFSET_UNKNOWN,
                origin->file_offset);
    write_number(output, "length", origin->length);
}

static void write_end(struct cairn_output *output)
{
    cairn_output_char(output, '}');
    cairn_output_line(output);
}

static void json_heading(struct cairn_listing *listing)
{
    (void)listing; /* every record names its source */
}

static void json_note(struct cairn_listing *listing, const char *text)
{
    cairn_output_text(listing->output, "{\"type\":\"note\"");
    write_string(listing->output, "source", listing->source->name);
    write_string(listing->output, "text", text);
    write_end(listing->output);
}

static void json_packet(struct cairn_listing *listing, const struct cairn_packet_batch *batch,
                        size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_packet_describe(listing->config, batch, index, fields, FIELDS_MAX);

    write_start(listing, "packet", origin);
    write_name(output, "bytes");
    cairn_output_char(output, '"');
    cairn_output_bytes(output, origin->bytes, origin->byte_count, 0);
    cairn_output_char(output, '"');
    if (origin->byte_count < origin->length)
        write_true(output, "bytes_cut");
    write_string(output, "kind", cairn_packet_mnemonic(listing->config, batch->kind[index]));
    write_string(output, "name", cairn_packet_name(listing->config, batch->kind[index]));
    write_string(output, "account", cairn_json_account(batch->account[index]));
    write_name(output, "fields");
    cairn_json_packet_fields(output, fields, count < FIELDS_MAX ? count : FIELDS_MAX);
    write_end(output);
}

static void json_element(struct cairn_listing *listing, const struct cairn_element_batch *batch,
                         size_t index, const struct cairn_origin *origin)
{
    struct cairn_output *output = listing->output;
    struct cairn_field fields[FIELDS_MAX];
    size_t count = cairn_element_describe(listing->config, batch, index, fields, FIELDS_MAX);
    const struct cairn_element_data *data = cairn_element_data_at(batch, index);

    write_start(listing, "element", origin);
    write_string(output, "kind", cairn_element_name(batch->kind[index]));
    write_number(output, "nth", data->nth);
    write_name(output, "fields");
    cairn_json_element_fields(output, batch->kind[index], data, fields,
                              count < FIELDS_MAX ? count : FIELDS_MAX);
    write_end(output);
}

/* NULL: the trace does not tell, or the last instruction is no P0 instruction. */
static const char *outcome(unsigned flags)
{
    if (!(flags & CAIRN_FLOW_P0) || (flags & CAIRN_FLOW_UNKNOWN))
        return NULL;
    return flags & CAIRN_FLOW_TAKEN ? "E" : "N";
}

static void write_instruction(struct cairn_listing *listing, enum cairn_isa isa, uint64_t *address)
{
    struct cairn_output *output = listing->output;
    const struct cairn_code_line *line = cairn_code_line(listing->code, isa, *address);

    cairn_output_text(output, "{\"address\":");
    write_hex_value(output, *address);
    if (line) {
        write_name(output, "opcode");
        cairn_output_text(output, "\"0x");
        cairn_output_hex(output, line->opcode, 2u * line->size);
        cairn_output_char(output, '"');
        write_string(output, "text", line->text);
        if (line->symbol) {
            write_string(output, "symbol", line->symbol);
            write_number(output, "symbol_offset", line->symbol_offset);
        }
    }
    cairn_output_char(output, '}');
    *address += line ? line->size : cairn_code_size(listing->code, isa, *address);
}

static void write_code(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index)
{
    uint64_t address = batch->address[index];

    write_name(listing->output, "code");
    cairn_output_char(listing->output, '[');
    for (uint32_t i = 0; i < batch->instructions[index]; i++) {
        if (!cairn_output_wanted(listing->output))
            return;
        if (i)
            cairn_output_char(listing->output, ',');
        write_instruction(listing, batch->isa[index], &address);
    }
    cairn_output_char(listing->output, ']');
}

static void json_range(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index)
{
    struct cairn_output *output = listing->output;
    unsigned flags = batch->flags[index];
    const char *result = outcome(flags);

    write_string(output, "isa", cairn_isa_name(batch->isa[index]));
    write_hex(output, "address", batch->address[index]);
    write_hex(output, "end", batch->value[index]);
    write_number(output, "instructions", batch->instructions[index]);
    if (result)
        write_string(output, "p0", result);
    else
        write_null(output, "p0");
    if (flags & CAIRN_FLOW_TRANSACTION)
        write_true(output, "transaction");
    if (flags & CAIRN_FLOW_IMPRECISE)
        write_true(output, "imprecise");
    if (flags & CAIRN_FLOW_INFERRED)
        write_true(output, "inferred");
    if (flags & CAIRN_FLOW_LINK)
        write_true(output, "link");
    if (flags & CAIRN_FLOW_RETURN)
        write_true(output, "return");
    if (flags & CAIRN_FLOW_DISCONTINUITY)
        write_true(output, "discontinuity");
    if (listing->detail == CAIRN_DETAIL_INSTRUCTIONS)
        write_code(listing, batch, index);
}

static void json_context(struct cairn_output *output, const struct cairn_config *config,
                         uint64_t address, uint64_t value)
{
    struct cairn_context context = cairn_flow_context(address, value);
    const unsigned tells = cairn_config_tells(config);

    write_known(output, "el", (tells & CAIRN_TELLS_EL) || context.EL, context.EL);
    if (tells & CAIRN_TELLS_SECURITY)
        write_string(output, "security", cairn_security_name(context.security));
    else
        write_null(output, "security");
    write_name(output, "sf");
    cairn_output_text(output, context.SF ? "true" : "false");
    write_number(output, "vmid", context.vmid);
    write_number(output, "context_id", context.context_id);
}

static void json_exception(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                           size_t index)
{
    uint64_t type = batch->value[index];

    write_number(listing->output, "exception", type);
    write_string(listing->output, "exception_name",
                 cairn_exception_name(listing->config, (unsigned)type));
    if (batch->flags[index] & CAIRN_FLOW_UNKNOWN)
        write_null(listing->output, "address");
    else
        write_hex(listing->output, "address", batch->address[index]);
}

/* A stable word, whatever the sentence for people becomes. */
static const char *warning_word(unsigned warning)
{
    switch ((enum cairn_flow_warning)warning) {
    case CAIRN_WARNING_RESERVED_N: return "reserved_n";
    case CAIRN_WARNING_UNCERTAIN: return "uncertain";
    case CAIRN_WARNING_TARGET_MISMATCH: return "target_mismatch";
    case CAIRN_WARNING_IMPRECISE: return "imprecise";
    case CAIRN_WARNING_UNDEFINED: return "undefined";
    case CAIRN_WARNING_SF_IS1: return "sf_is1";
    case CAIRN_WARNING_TRANSACTION_UNRESOLVED: return "transaction_unresolved";
    case CAIRN_WARNING_TRANSACTION_NESTED: return "transaction_nested";
    case CAIRN_WARNING_OVER_COMMIT: return "over_commit";
    case CAIRN_WARNING_CONTINUES: return "continues";
    case CAIRN_WARNING_CONTEXT_SBZ: return "context_sbz";
    case CAIRN_WARNING_STALE_RETURN: return "stale_return";
    case CAIRN_WARNING_SOURCE_ISA: return "source_isa";
    }
    return "unknown";
}

static void json_warning(struct cairn_output *output, uint64_t address, uint64_t value)
{
    write_hex(output, "address", address);
    write_string(output, "warning", warning_word((unsigned)value));
    write_string(output, "text", cairn_flow_warning_text((unsigned)value));
}

/* As a key of JSON: "from_coprocessor". */
static void write_direction(struct cairn_output *output, const char *direction)
{
    char word[CAIRN_JSON_KEY_MAX];

    cairn_json_key(direction, word);
    write_string(output, "direction", word);
}

/* What its instruction says of a data transfer. */
static void json_data_instruction(struct cairn_listing *listing,
                                  const struct cairn_flow_batch *batch, size_t index)
{
    struct cairn_output *output = listing->output;
    const struct cairn_code_line *code;
    struct cairn_data_line line;

    cairn_data_line(listing, batch, index, &line);
    if (line.has_address)
        write_hex(output, "data_address", line.address);
    if (line.implied)
        write_true(output, "data_address_implied");
    if (line.direction)
        write_direction(output, line.direction);
    if (line.name[0]) {
        write_string(output, "register", line.name);
        if (!line.certain)
            write_true(output, "register_uncertain");
    }
    if (line.size)
        write_number(output, "transfer_size", line.size);
    if (!line.has_instruction)
        return;
    write_string(output, "isa", cairn_isa_name(line.isa));
    code = listing->detail == CAIRN_DETAIL_DATA
               ? cairn_code_line(listing->code, line.isa, line.instruction)
               : NULL;
    if (!code)
        return;
    write_string(output, "text", code->text);
    if (code->symbol) {
        write_string(output, "symbol", code->symbol);
        write_number(output, "symbol_offset", code->symbol_offset);
    }
}

static void json_data(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      size_t index)
{
    struct cairn_output *output = listing->output;
    const unsigned flags = batch->flags[index];
    const uint32_t form = batch->instructions[index];
    const bool late = CAIRN_FLOW_DATA_IS_LATE(form);

    write_string(output, "data", cairn_json_data(CAIRN_FLOW_DATA_KIND(form)));
    if (flags & CAIRN_FLOW_HAS_VALUE) {
        write_hex(output, "value", batch->value[index]);
        write_number(output, "size", CAIRN_FLOW_DATA_SIZE(form));
    }
    if (CAIRN_FLOW_DATA_HAS_TAG(form))
        write_number(output, "tag", CAIRN_FLOW_DATA_TAG(form));
    if (flags & CAIRN_FLOW_BIG_ENDIAN)
        write_true(output, "big_endian");
    if (flags & CAIRN_FLOW_BY_CORE)
        write_true(output, "by_core");
    else if (late && !(flags & CAIRN_FLOW_UNKNOWN))
        write_number(output, "placeholder", batch->address[index]);
    else if (!late && !(flags & CAIRN_FLOW_UNKNOWN)) {
        write_hex(output, "address", cairn_flow_data_instruction(batch->address[index]));
        write_number(output, "transfer", CAIRN_FLOW_DATA_TRANSFER(form));
    }
    json_data_instruction(listing, batch, index);
}

static void json_event(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                       size_t index)
{
    struct cairn_output *output = listing->output;
    uint64_t address = batch->address[index];
    uint64_t value = batch->value[index];
    bool known = !(batch->flags[index] & CAIRN_FLOW_UNKNOWN);

    switch ((enum cairn_flow_kind)batch->kind[index]) {
    case CAIRN_FLOW_RANGE: json_range(listing, batch, index); return;
    case CAIRN_FLOW_GAP:
        write_string(output, "reason", cairn_json_account((unsigned)value));
        write_hex(output, "address", address);
        return;
    case CAIRN_FLOW_CONTEXT: json_context(output, listing->config, address, value); return;
    case CAIRN_FLOW_EXCEPTION: json_exception(listing, batch, index); return;
    case CAIRN_FLOW_TIMESTAMP:
        if (known)
            write_hex(output, "timestamp", value);
        else
            write_null(output, "timestamp");
        write_known(output, "cycles", batch->flags[index] & CAIRN_FLOW_CYCLES_VALID, address);
        return;
    case CAIRN_FLOW_CYCLES:
        write_known(output, "cycles", known, value);
        write_number(output, "total_cycles", address);
        return;
    case CAIRN_FLOW_EVENT: write_number(output, "event", value); return;
    case CAIRN_FLOW_TRANSACTION_FAILURE:
        if (value)
            write_true(output, "end_not_seen");
        return;
    case CAIRN_FLOW_Q: write_known(output, "instructions", known, value); return;
    case CAIRN_FLOW_INSTRUMENTATION:
        write_number(output, "el", address);
        write_hex(output, "value", value);
        return;
    case CAIRN_FLOW_WARNING: json_warning(output, address, value); return;
    case CAIRN_FLOW_DATA: json_data(listing, batch, index); return;
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_EXCEPTION_RETURN:
    case CAIRN_FLOW_TIMESTAMP_MARKER:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD:
    case CAIRN_FLOW_TRANSACTION_START:
    case CAIRN_FLOW_TRANSACTION_COMMIT:
    case CAIRN_FLOW_SYNC:
    case CAIRN_FLOW_FUNCTION_RETURN: return;
    }
    write_hex(output, "address", address);
    write_hex(output, "value", value);
}

/* The "type" of a record: a stable word, whatever the names for people become. */
static const char *flow_type(unsigned kind)
{
    switch ((enum cairn_flow_kind)kind) {
    case CAIRN_FLOW_RANGE: return "range";
    case CAIRN_FLOW_GAP: return "gap";
    case CAIRN_FLOW_TRACE_ON: return "trace_on";
    case CAIRN_FLOW_CONTEXT: return "context";
    case CAIRN_FLOW_EXCEPTION: return "exception";
    case CAIRN_FLOW_EXCEPTION_RETURN: return "exception_return";
    case CAIRN_FLOW_TIMESTAMP: return "timestamp";
    case CAIRN_FLOW_TIMESTAMP_MARKER: return "timestamp_marker";
    case CAIRN_FLOW_CYCLES: return "cycles";
    case CAIRN_FLOW_EVENT: return "event";
    case CAIRN_FLOW_OVERFLOW: return "overflow";
    case CAIRN_FLOW_DISCARD: return "discard";
    case CAIRN_FLOW_TRANSACTION_START: return "transaction_start";
    case CAIRN_FLOW_TRANSACTION_COMMIT: return "transaction_commit";
    case CAIRN_FLOW_TRANSACTION_FAILURE: return "transaction_failure";
    case CAIRN_FLOW_Q: return "q";
    case CAIRN_FLOW_SYNC: return "trace_info";
    case CAIRN_FLOW_INSTRUMENTATION: return "instrumentation";
    case CAIRN_FLOW_WARNING: return "warning";
    case CAIRN_FLOW_FUNCTION_RETURN: return "function_return";
    case CAIRN_FLOW_DATA: return "data";
    }
    return "unknown";
}

static void json_flow(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      size_t index, const struct cairn_origin *origin)
{
    write_start(listing, flow_type(batch->kind[index]), origin);
    json_event(listing, batch, index);
    write_end(listing->output);
}

const struct cairn_report cairn_report_json = {
    .name = "json",
    .heading = json_heading,
    .packet = json_packet,
    .element = json_element,
    .flow = json_flow,
    .note = json_note,
};
