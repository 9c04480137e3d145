/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements by name and in words: the same for every protocol, but for what its table answers. */
#include <cairn/element.h>

#include "protocol/fields.h"
#include "protocol/protocol.h"

#define INFO_CC 0x01u /* Trace Info INFO (DDI0608 D5.7) */
#define INFO_T 0x40u

const char *cairn_element_name(unsigned kind)
{
    switch ((enum cairn_element_kind)kind) {
    case CAIRN_ELEMENT_TRACE_INFO: return "Trace Info";
    case CAIRN_ELEMENT_TRACE_ON: return "Trace On";
    case CAIRN_ELEMENT_ATOM: return "Atom";
    case CAIRN_ELEMENT_EXCEPTION: return "Exception";
    case CAIRN_ELEMENT_SOURCE_ADDRESS: return "Source Address";
    case CAIRN_ELEMENT_Q: return "Q";
    case CAIRN_ELEMENT_TARGET_ADDRESS: return "Target Address";
    case CAIRN_ELEMENT_CONTEXT: return "Context";
    case CAIRN_ELEMENT_COMMIT: return "Commit";
    case CAIRN_ELEMENT_CANCEL: return "Cancel";
    case CAIRN_ELEMENT_MISPREDICT: return "Mispredict";
    case CAIRN_ELEMENT_DISCARD: return "Discard";
    case CAIRN_ELEMENT_OVERFLOW: return "Overflow";
    case CAIRN_ELEMENT_CYCLE_COUNT: return "Cycle Count";
    case CAIRN_ELEMENT_TIMESTAMP: return "Timestamp";
    case CAIRN_ELEMENT_TIMESTAMP_MARKER: return "Timestamp Marker";
    case CAIRN_ELEMENT_EVENT: return "Event";
    case CAIRN_ELEMENT_TRANSACTION_START: return "Transaction Start";
    case CAIRN_ELEMENT_TRANSACTION_COMMIT: return "Transaction Commit";
    case CAIRN_ELEMENT_TRANSACTION_FAILURE: return "Transaction Failure";
    case CAIRN_ELEMENT_EXCEPTION_RETURN: return "Exception Return";
    case CAIRN_ELEMENT_FUNCTION_RETURN: return "Function Return";
    case CAIRN_ELEMENT_INSTRUMENTATION: return "Instrumentation";
    case CAIRN_ELEMENT_DATA_SYNC: return "Data Synchronization Marker";
    case CAIRN_ELEMENT_CONDITIONAL: return "Conditional";
    case CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH: return "Branch Future Flush";
    case CAIRN_ELEMENT_GAP: return "Gap";
    case CAIRN_ELEMENT_WAYPOINT_UPDATE: return "Waypoint Update";
    case CAIRN_ELEMENT_DATA: return "Data";
    case CAIRN_ELEMENT_STACKING: return "Stacking";
    case CAIRN_ELEMENT_CANCELLED: return "Cancelled";
    case CAIRN_ELEMENT_A_SYNC: break;
    }
    return "Unknown";
}

bool cairn_element_is_p0(const struct cairn_config *config, unsigned kind)
{
    return config->protocol->is_p0 && config->protocol->is_p0(config, kind);
}

const char *cairn_exception_name(const struct cairn_config *config, unsigned type)
{
    return config->protocol->exception_name ? config->protocol->exception_name(config, type)
                                            : "unknown";
}

static void add_address(struct cairn_field_list *list, const struct cairn_element_data *data)
{
    cairn_fields_add(list, "address", CAIRN_FIELD_HEX, data->address);
    cairn_fields_add_text(list, "sub_isa", data->sub_isa ? "IS1" : "IS0");
}

/* `value`, or the specification's UNKNOWN. */
static void add_known(struct cairn_field_list *list, const char *name, enum cairn_field_type type,
                      unsigned flags, uint64_t value)
{
    bool unknown = (flags & CAIRN_ELEMENT_UNKNOWN) != 0;
    cairn_fields_add(list, name, unknown ? CAIRN_FIELD_UNKNOWN : type, unknown ? 0 : value);
}

static void add_atom(struct cairn_field_list *list, unsigned flags)
{
    bool is_e = (flags & CAIRN_ELEMENT_E) != 0;
    bool was_e = (flags & CAIRN_ELEMENT_INITIAL_E) != 0;
    cairn_fields_add_text(list, "status", is_e ? "E" : "N");
    if (is_e != was_e)
        cairn_fields_add_text(list, "initially", was_e ? "E" : "N");
}

/* Why the address cannot be followed. */
static void add_reason(struct cairn_field_list *list, unsigned flags,
                       const struct cairn_element_data *data)
{
    if (data->reason && !(flags & CAIRN_ELEMENT_LOST))
        cairn_fields_add_text(list, "reason", cairn_account_name((enum cairn_account)data->reason));
}

static void add_target(struct cairn_field_list *list, unsigned flags,
                       const struct cairn_element_data *data)
{
    if (!(flags & CAIRN_ELEMENT_UNKNOWN)) {
        add_address(list, data);
        return;
    }
    cairn_fields_add(list, "address", CAIRN_FIELD_UNKNOWN, 0);
    add_reason(list, flags, data);
}

static void add_exception(struct cairn_field_list *list, const struct cairn_config *config,
                          unsigned flags, const struct cairn_element_data *data)
{
    cairn_fields_add_text(list, "exception", cairn_exception_name(config, (unsigned)data->value));
    cairn_fields_add(list, "TYPE", CAIRN_FIELD_HEX, data->value);
    if (flags & CAIRN_ELEMENT_UNKNOWN)
        cairn_fields_add(list, "address", CAIRN_FIELD_UNKNOWN, 0);
    else
        add_address(list, data);
}

static const char *data_kind_text(unsigned kind)
{
    switch ((enum cairn_data_kind)kind) {
    case CAIRN_DATA_NORMAL: return "normal";
    case CAIRN_DATA_PLACEHOLDER: return "out-of-order placeholder";
    case CAIRN_DATA_LATE: return "out-of-order value";
    case CAIRN_DATA_NOT_TRACED: return "value not traced";
    case CAIRN_DATA_SUPPRESSED: return "suppressed";
    case CAIRN_DATA_STORE_FAILED: return "store failed";
    case CAIRN_DATA_PINS: return "pins";
    }
    return "unknown";
}

/* What a cycle of the pins says beside its bytes. */
static void add_pins(struct cairn_field_list *list, const struct cairn_element_data *data)
{
    static const struct {
        unsigned mark;
        const char *name;
    } marks[] = {
        {CAIRN_PINS_BREAK, "break"},       {CAIRN_PINS_HERE, "cancelled"},
        {CAIRN_PINS_BRANCH, "branch"},     {CAIRN_PINS_ANEW, "anew"},
        {CAIRN_PINS_OVERFLOW, "overflow"}, {CAIRN_PINS_SYNC, "sync"},
        {CAIRN_PINS_FENCE, "end"},         {CAIRN_PINS_CERTAIN, "certain"},
    };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (data->address & marks[i].mark)
            cairn_fields_add(list, marks[i].name, CAIRN_FIELD_FLAG, 1);
}

static void add_data(struct cairn_field_list *list, unsigned flags,
                     const struct cairn_element_data *data)
{
    const unsigned kind = CAIRN_DATA_KIND(data->cycles);

    cairn_fields_add_text(list, "kind", data_kind_text(kind));
    if (data->info & CAIRN_DATA_HAS_ADDRESS)
        cairn_fields_add(list, "address", CAIRN_FIELD_HEX, data->address);
    if (data->info & CAIRN_DATA_HAS_VALUE) {
        cairn_fields_add(list, "value", CAIRN_FIELD_HEX, data->value);
        cairn_fields_add(list, "size", CAIRN_FIELD_DECIMAL, CAIRN_DATA_SIZE(data->cycles));
    }
    if (kind == CAIRN_DATA_PINS)
        add_pins(list, data);
    if (CAIRN_DATA_HAS_TAG(data->cycles))
        cairn_fields_add(list, "tag", CAIRN_FIELD_DECIMAL, CAIRN_DATA_TAG(data->cycles));
    if (CAIRN_DATA_IS_LATE(data->cycles))
        add_known(list, "placeholder", CAIRN_FIELD_DECIMAL, flags, data->address);
    if (data->info & CAIRN_DATA_BIG_ENDIAN)
        cairn_fields_add(list, "big-endian", CAIRN_FIELD_FLAG, 1);
}

/* How far an instruction is that is paused, or resumed. */
static void add_transfers(struct cairn_field_list *list, unsigned flags,
                          const struct cairn_element_data *data)
{
    if (flags & CAIRN_ELEMENT_PAUSED)
        cairn_fields_add(list, "transfers", CAIRN_FIELD_DECIMAL, data->info);
}

static void add_conditional(struct cairn_field_list *list, const struct cairn_element_data *data)
{
    static const char *const names[] = {"flush",  "instruction", "instruction", "result",
                                        "result", "result",      "result"};

    if (data->info >= sizeof names / sizeof *names)
        return;
    cairn_fields_add_text(list, "what", names[data->info]);
    switch ((enum cairn_conditional_kind)data->info) {
    case CAIRN_CONDITIONAL_FLUSH: break;
    case CAIRN_CONDITIONAL_INSTRUCTION:
        cairn_fields_add(list, "key", CAIRN_FIELD_DECIMAL, data->value);
        break;
    case CAIRN_CONDITIONAL_INSTRUCTIONS:
        cairn_fields_add(list, "next keys", CAIRN_FIELD_DECIMAL, data->value);
        if (data->cycles)
            cairn_fields_add(list, "same key", CAIRN_FIELD_FLAG, 1);
        break;
    case CAIRN_CONDITIONAL_RESULT:
        cairn_fields_add(list, "key", CAIRN_FIELD_DECIMAL, data->value);
        cairn_fields_add(list, "result", CAIRN_FIELD_HEX,
                         CAIRN_CONDITIONAL_RESULT_BITS(data->cycles));
        cairn_fields_add(list, "CI", CAIRN_FIELD_DECIMAL, CAIRN_CONDITIONAL_CI(data->cycles));
        break;
    case CAIRN_CONDITIONAL_RESULT_NEXT:
        cairn_fields_add(list, "next keys", CAIRN_FIELD_DECIMAL, data->value);
        cairn_fields_add(list, "token", CAIRN_FIELD_DECIMAL, data->cycles);
        break;
    case CAIRN_CONDITIONAL_RESULT_TOKENS:
        cairn_fields_add(list, "tokens", CAIRN_FIELD_HEX, data->value);
        break;
    case CAIRN_CONDITIONAL_RESULT_TOKEN:
        cairn_fields_add(list, "token", CAIRN_FIELD_DECIMAL, data->cycles);
        break;
    }
}

static void add_content(struct cairn_field_list *list, const struct cairn_config *config,
                        unsigned kind, unsigned flags, const struct cairn_element_data *data)
{
    switch ((enum cairn_element_kind)kind) {
    case CAIRN_ELEMENT_TRACE_INFO:
        cairn_fields_add(list, "CC", CAIRN_FIELD_FLAG, (data->info & INFO_CC) != 0);
        if (config->protocol->about->info_has_T)
            cairn_fields_add(list, "T", CAIRN_FIELD_FLAG, (data->info & INFO_T) != 0);
        cairn_fields_add(list, "SPEC", CAIRN_FIELD_DECIMAL, data->value);
        cairn_fields_add(list, "CYCT", CAIRN_FIELD_DECIMAL, data->cycles);
        break;
    case CAIRN_ELEMENT_ATOM: add_atom(list, flags); break;
    case CAIRN_ELEMENT_EXCEPTION: add_exception(list, config, flags, data); break;
    case CAIRN_ELEMENT_TARGET_ADDRESS: add_target(list, flags, data); break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS: add_address(list, data); break;
    case CAIRN_ELEMENT_WAYPOINT_UPDATE:
        add_address(list, data);
        add_reason(list, flags, data);
        break;
    case CAIRN_ELEMENT_CONTEXT:
        cairn_fields_add_context(list, config, &data->context,
                                 CAIRN_PACKET_HAS_VMID | CAIRN_PACKET_HAS_CONTEXT_ID);
        break;
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_COMMIT:
    case CAIRN_ELEMENT_CANCEL:
        add_known(list, "count", CAIRN_FIELD_DECIMAL, flags, data->value);
        break;
    case CAIRN_ELEMENT_TIMESTAMP:
        add_known(list, "value", CAIRN_FIELD_HEX, flags, data->value);
        if (flags & CAIRN_ELEMENT_CYCLES)
            cairn_fields_add(list, "cycles", CAIRN_FIELD_DECIMAL, data->cycles);
        break;
    case CAIRN_ELEMENT_EVENT:
        cairn_fields_add(list, "number", CAIRN_FIELD_DECIMAL, data->value);
        break;
    case CAIRN_ELEMENT_INSTRUMENTATION:
        cairn_fields_add(list, "EL", CAIRN_FIELD_DECIMAL, data->info);
        cairn_fields_add(list, "value", CAIRN_FIELD_HEX, data->value);
        break;
    case CAIRN_ELEMENT_DATA_SYNC:
        cairn_fields_add(list, "value", CAIRN_FIELD_HEX, data->value);
        break;
    case CAIRN_ELEMENT_CONDITIONAL: add_conditional(list, data); break;
    case CAIRN_ELEMENT_DATA: add_data(list, flags, data); break;
    case CAIRN_ELEMENT_CANCELLED:
        cairn_fields_add_text(list, "status", flags & CAIRN_ELEMENT_E ? "E" : "N");
        break;
    case CAIRN_ELEMENT_GAP:
        cairn_fields_add_text(list, "reason", cairn_account_name((enum cairn_account)data->value));
        break;
    case CAIRN_ELEMENT_TRACE_ON:
    case CAIRN_ELEMENT_MISPREDICT:
    case CAIRN_ELEMENT_DISCARD:
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
    case CAIRN_ELEMENT_TRANSACTION_START:
    case CAIRN_ELEMENT_TRANSACTION_COMMIT:
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
    case CAIRN_ELEMENT_FUNCTION_RETURN:
    case CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH:
    case CAIRN_ELEMENT_STACKING:
    case CAIRN_ELEMENT_A_SYNC: break;
    }
}

size_t cairn_element_describe(const struct cairn_config *config,
                              const struct cairn_element_batch *batch, size_t index,
                              struct cairn_field *fields, size_t capacity)
{
    static const struct {
        unsigned flag;
        const char *name;
    } marks[] = {
        {CAIRN_ELEMENT_APPROXIMATE, "approximate"},
        {CAIRN_ELEMENT_IMPLIED, "implied"},
        {CAIRN_ELEMENT_TRANSACTIONAL, "transactional"},
        {CAIRN_ELEMENT_UNCERTAIN, "uncertain"},
        {CAIRN_ELEMENT_HERE, "here"},
        {CAIRN_ELEMENT_CHECK, "check"},
        {CAIRN_ELEMENT_ADDRESSED, "addressed"},
        {CAIRN_ELEMENT_PAUSED, "paused"},
    };
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};
    if (index >= batch->count || !batch->kind || !batch->flags || !batch->data)
        return 0;
    unsigned flags = batch->flags[index];
    const struct cairn_element_data *data = cairn_element_data_at(batch, index);
    add_content(&list, config, batch->kind[index], flags, data);
    add_transfers(&list, flags, data);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (flags & marks[i].flag)
            cairn_fields_add(&list, marks[i].name, CAIRN_FIELD_FLAG, 1);
    if (flags & CAIRN_ELEMENT_LOST)
        cairn_fields_add_text(&list, "lost", cairn_account_name((enum cairn_account)data->reason));
    return list.count;
}
