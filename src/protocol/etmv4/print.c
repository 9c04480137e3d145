/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and configurations in words: names come from the one list in <cairn/etmv4.h>, field names
 * are the specification's. */
#include "protocol/etmv4/etmv4.h"

#include <stdio.h>

#include "protocol/fields.h"

const struct cairn_kind_name cairn_etmv4_kind_names[CAIRN_ETMV4_KIND_COUNT] = {
#define CAIRN_ETMV4_NAME(NAME, FIRST, LAST, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_ETMV4_PACKETS(CAIRN_ETMV4_NAME)
#undef CAIRN_ETMV4_NAME
};

/* Trace Info: PLCTL says which sections follow, INFO what is on (DDI0608 D5.7; ETMv4's bits in
 * docs/trace.md). */
#define PLCTL_INFO 0x01u
#define PLCTL_KEY 0x02u
#define PLCTL_SPEC 0x04u
#define PLCTL_CYCT 0x08u
#define INFO_CC 0x01u
#define INFO_T 0x40u
#define INFO_COND_SHIFT 1u
#define INFO_COND_MASK 0x7u
#define INFO_P0_LOADS 0x10u
#define INFO_P0_STORES 0x20u

#define EXCEPTION_ENTRY_MASK 0x03u /* in `info` of an exception that is an exact match */
#define EXCEPTION_PENDING 0x80u    /* in `info` of an ETMv4 exception: a fault is pending */
#define ATOM_TEXT 33               /* 32 letters and the end */

bool cairn_etmv4_is_p0(const struct cairn_config *config, unsigned element_kind)
{
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    switch (element_kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_Q: return true;
    case CAIRN_ELEMENT_TRANSACTION_START: return etm->commtrans_is_p0;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: return etm->exception_return_is_p0;
    case CAIRN_ELEMENT_FUNCTION_RETURN: return etm->function_return;
    default: return false;
    }
}

static const char *cond_text(enum cairn_etmv4_cond cond)
{
    switch (cond) {
    case CAIRN_ETMV4_COND_NONE: return "no";
    case CAIRN_ETMV4_COND_LOADS: return "loads";
    case CAIRN_ETMV4_COND_STORES: return "stores";
    case CAIRN_ETMV4_COND_LOADS_STORES: return "loads and stores";
    case CAIRN_ETMV4_COND_ALL: return "all";
    }
    return "?";
}

static const char *q_text(unsigned qe)
{
    switch (qe) {
    case 0: return "no";
    case CAIRN_ETMV4_Q_COUNTED: return "with count";
    case CAIRN_ETMV4_Q_UNCOUNTED: return "without count";
    default: return "with and without count";
    }
}

static const char *profile_text(enum cairn_profile profile)
{
    switch (profile) {
    case CAIRN_PROFILE_A: return "A";
    case CAIRN_PROFILE_R: return "R";
    case CAIRN_PROFILE_M: return "M";
    }
    return "?";
}

static const char *data_text(const struct cairn_etmv4_config *etm)
{
    if (etm->data_address)
        return etm->data_value ? "addresses and values" : "addresses";
    return etm->data_value ? "values" : "no";
}

size_t cairn_etmv4_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity)
{
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    cairn_fields_add_format(&list, "version", "%u.%u", (unsigned)etm->major, (unsigned)etm->minor);
    cairn_fields_add_text(&list, "profile", profile_text(etm->profile));
    cairn_fields_add(&list, "trace id", CAIRN_FIELD_HEX, etm->trace_id);
    cairn_fields_add(&list, "return stack", CAIRN_FIELD_FLAG, etm->return_stack);
    cairn_fields_add(&list, "branch broadcast", CAIRN_FIELD_FLAG, etm->branch_broadcast);
    cairn_fields_add(&list, "cycle counting", CAIRN_FIELD_FLAG, etm->cc_enabled);
    cairn_fields_add(&list, "cycle count threshold", CAIRN_FIELD_DECIMAL, etm->cc_threshold);
    cairn_fields_add(&list, "cycle counter bits", CAIRN_FIELD_DECIMAL, etm->ccsize_bits);
    cairn_fields_add(&list, "timestamps", CAIRN_FIELD_FLAG, etm->timestamps);
    cairn_fields_add(&list, "timestamp bits", CAIRN_FIELD_DECIMAL, etm->tssize_bits);
    cairn_fields_add(&list, "timestamp markers", CAIRN_FIELD_FLAG,
                     etm->tsmark && etm->timestamp_marker);
    cairn_fields_add(&list, "context id", CAIRN_FIELD_FLAG, etm->context_id);
    cairn_fields_add(&list, "virtual context id", CAIRN_FIELD_FLAG, etm->vmid);
    cairn_fields_add_text(&list, "virtual context id source",
                          etm->vmidopt ? "CONTEXTIDR_EL2" : "VTTBR_EL2.VMID");
    cairn_fields_add(&list, "speculation depth", CAIRN_FIELD_DECIMAL, etm->maxspec);
    cairn_fields_add(&list, "commit mode", CAIRN_FIELD_DECIMAL, etm->commopt);
    cairn_fields_add_text(&list, "Q elements", q_text(etm->qe));
    cairn_fields_add(&list, "address bits", CAIRN_FIELD_DECIMAL, etm->address_size * 8u);
    cairn_fields_add(&list, "WFI and WFE are P0", CAIRN_FIELD_FLAG, etm->wfx_is_p0);
    if (etm->is_ete) {
        cairn_fields_add(&list, "Transaction Start is P0", CAIRN_FIELD_FLAG, etm->commtrans_is_p0);
        cairn_fields_add(&list, "instrumentation", CAIRN_FIELD_FLAG,
                         etm->ite && etm->instrumentation);
        return list.count;
    }
    cairn_fields_add(&list, "loads are P0", CAIRN_FIELD_FLAG, etm->loads_are_p0);
    cairn_fields_add(&list, "stores are P0", CAIRN_FIELD_FLAG, etm->stores_are_p0);
    cairn_fields_add_text(&list, "conditional instructions", cond_text(etm->cond));
    cairn_fields_add_text(&list, "data trace", data_text(etm));
    return list.count;
}

/* "EEN", the oldest first. */
static void add_atoms(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    char text[ATOM_TEXT];
    unsigned count = packet->atom_count < ATOM_TEXT ? packet->atom_count : ATOM_TEXT - 1;
    if (count == 0)
        return;
    for (unsigned i = 0; i < count; i++)
        text[i] = (packet->atoms >> i) & 1 ? 'E' : 'N';
    text[count] = '\0';
    cairn_fields_add_format(list, "atoms", "%s", text);
}

static void add_address(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    if (!(packet->flags & CAIRN_PACKET_HAS_ADDRESS))
        return;
    cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->address);
    cairn_fields_add_text(list, "sub_isa", packet->sub_isa ? "IS1" : "IS0");
    if (packet->address_bits == 0)
        cairn_fields_add(list, "history entry", CAIRN_FIELD_DECIMAL,
                         packet->info & EXCEPTION_ENTRY_MASK);
    else
        cairn_fields_add(list, "address bits", CAIRN_FIELD_DECIMAL, packet->address_bits);
}

static void add_context(struct cairn_field_list *list, const struct cairn_config *config,
                        const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT)
        cairn_fields_add_context(list, config, &packet->context, packet->flags);
}

static void add_exception(struct cairn_field_list *list, const struct cairn_config *config,
                          const struct cairn_packet_fields *packet)
{
    cairn_fields_add_text(list, "exception", cairn_etmv4_exception_name(config, packet->type));
    cairn_fields_add(list, "TYPE", CAIRN_FIELD_HEX, packet->type);
    cairn_fields_add_text(list, "E", packet->flags & CAIRN_PACKET_E10 ? "10" : "01");
    if (packet->info & EXCEPTION_PENDING)
        cairn_fields_add(list, "fault pending", CAIRN_FIELD_FLAG, 1);
    add_address(list, packet);
    add_context(list, config, packet);
}

static void add_trace_info(struct cairn_field_list *list, const struct cairn_etmv4_config *etm,
                           const struct cairn_packet_fields *packet)
{
    unsigned info = packet->info;
    if (packet->type & PLCTL_INFO) {
        cairn_fields_add(list, "CC", CAIRN_FIELD_FLAG, (info & INFO_CC) != 0);
        if (etm->is_ete) {
            cairn_fields_add(list, "T", CAIRN_FIELD_FLAG, (info & INFO_T) != 0);
        } else {
            cairn_fields_add(list, "COND", CAIRN_FIELD_DECIMAL,
                             (info >> INFO_COND_SHIFT) & INFO_COND_MASK);
            cairn_fields_add(list, "P0 loads", CAIRN_FIELD_FLAG, (info & INFO_P0_LOADS) != 0);
            cairn_fields_add(list, "P0 stores", CAIRN_FIELD_FLAG, (info & INFO_P0_STORES) != 0);
        }
    }
    if (packet->type & PLCTL_KEY)
        cairn_fields_add(list, "KEY", CAIRN_FIELD_DECIMAL, packet->value);
    if (packet->type & PLCTL_SPEC)
        cairn_fields_add(list, "SPEC", CAIRN_FIELD_DECIMAL, packet->count);
    if (packet->type & PLCTL_CYCT)
        cairn_fields_add(list, "CYCT", CAIRN_FIELD_DECIMAL, packet->cycles);
}

static void add_cycle_count(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_COUNT)
        cairn_fields_add(list, "COMMIT", CAIRN_FIELD_DECIMAL, packet->count);
    if (packet->flags & CAIRN_PACKET_HAS_CYCLES)
        cairn_fields_add(list, "cycle count", CAIRN_FIELD_DECIMAL, packet->cycles);
    else
        cairn_fields_add(list, "cycle count", CAIRN_FIELD_UNKNOWN, 0);
}

static void add_timestamp(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    cairn_fields_add(list, "TS", CAIRN_FIELD_HEX, packet->value);
    if (packet->flags & CAIRN_PACKET_HAS_CYCLES)
        cairn_fields_add(list, "COUNT", CAIRN_FIELD_DECIMAL, packet->cycles);
}

/* "0,2": the events that occurred. */
static void add_events(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    char text[8] = "";
    size_t length = 0;
    for (unsigned event = 0; event < 4; event++) {
        if (!((packet->type >> event) & 1))
            continue;
        if (length != 0)
            text[length++] = ',';
        text[length++] = (char)('0' + event);
    }
    text[length] = '\0';
    cairn_fields_add_format(list, "events", "%s", text);
}

static void add_q(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_COUNT)
        cairn_fields_add(list, "COUNT", CAIRN_FIELD_DECIMAL, packet->count);
    else
        cairn_fields_add(list, "COUNT", CAIRN_FIELD_UNKNOWN, 0);
    add_address(list, packet);
}

static void add_content(struct cairn_field_list *list, const struct cairn_config *config,
                        enum cairn_etmv4_kind kind, const struct cairn_packet_fields *packet)
{
    switch (kind) {
    case CAIRN_ETMV4_TRACE_INFO: add_trace_info(list, cairn_etmv4_of(config), packet); break;
    case CAIRN_ETMV4_TIMESTAMP: add_timestamp(list, packet); break;
    case CAIRN_ETMV4_EXCEPTION: add_exception(list, config, packet); break;
    case CAIRN_ETMV4_PE_RESET:
    case CAIRN_ETMV4_TRANSACTION_FAILURE:
        cairn_fields_add_text(list, "E", packet->flags & CAIRN_PACKET_E10 ? "10" : "01");
        break;
    case CAIRN_ETMV4_INSTRUMENTATION:
        cairn_fields_add(list, "EL", CAIRN_FIELD_DECIMAL, packet->info);
        cairn_fields_add(list, "value", CAIRN_FIELD_HEX, packet->value);
        break;
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
    case CAIRN_ETMV4_CYCLE_COUNT_F2:
    case CAIRN_ETMV4_CYCLE_COUNT_F3: add_cycle_count(list, packet); break;
    case CAIRN_ETMV4_COMMIT:
        cairn_fields_add(list, "COMMIT", CAIRN_FIELD_DECIMAL, packet->count);
        break;
    case CAIRN_ETMV4_CANCEL_F1:
    case CAIRN_ETMV4_CANCEL_F2:
    case CAIRN_ETMV4_CANCEL_F3:
        add_atoms(list, packet);
        cairn_fields_add(list, "CANCEL", CAIRN_FIELD_DECIMAL, packet->count);
        cairn_fields_add(list, "mispredict", CAIRN_FIELD_FLAG,
                         (packet->flags & CAIRN_PACKET_MISPREDICT) != 0);
        break;
    case CAIRN_ETMV4_MISPREDICT:
    case CAIRN_ETMV4_ATOM_F1:
    case CAIRN_ETMV4_ATOM_F2:
    case CAIRN_ETMV4_ATOM_F3:
    case CAIRN_ETMV4_ATOM_F4:
    case CAIRN_ETMV4_ATOM_F5_1:
    case CAIRN_ETMV4_ATOM_F5_2:
    case CAIRN_ETMV4_ATOM_F6: add_atoms(list, packet); break;
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED:
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED:
        cairn_fields_add(list, "number", CAIRN_FIELD_DECIMAL, packet->type);
        break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
        cairn_fields_add(list, "key", CAIRN_FIELD_DECIMAL, packet->value);
        break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F3:
        cairn_fields_add(list, "NUM", CAIRN_FIELD_DECIMAL, (packet->value >> 1) & 0x3f);
        cairn_fields_add(list, "Z", CAIRN_FIELD_DECIMAL, packet->value & 1);
        break;
    case CAIRN_ETMV4_COND_RESULT_F1:
        cairn_fields_add(list, "CI", CAIRN_FIELD_DECIMAL,
                         packet->type & (packet->type & 4 ? 1 : 3));
        cairn_fields_add(list, "key", CAIRN_FIELD_DECIMAL, packet->value & UINT32_MAX);
        cairn_fields_add(list, "result", CAIRN_FIELD_HEX, packet->info & 0xf);
        if (packet->type & 4)
            break;
        cairn_fields_add(list, "second key", CAIRN_FIELD_DECIMAL, packet->value >> 32);
        cairn_fields_add(list, "second result", CAIRN_FIELD_HEX, packet->info >> 4);
        break;
    case CAIRN_ETMV4_COND_RESULT_F3:
        cairn_fields_add(list, "tokens", CAIRN_FIELD_HEX, packet->value);
        break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F2:
        cairn_fields_add(list, "CI", CAIRN_FIELD_DECIMAL, packet->type);
        break;
    case CAIRN_ETMV4_COND_RESULT_F2:
        cairn_fields_add(list, "K", CAIRN_FIELD_DECIMAL, (packet->type >> 2) & 1);
        cairn_fields_add(list, "token", CAIRN_FIELD_DECIMAL, packet->type & 3);
        break;
    case CAIRN_ETMV4_COND_RESULT_F4:
        cairn_fields_add(list, "token", CAIRN_FIELD_DECIMAL, packet->type & 3);
        break;
    case CAIRN_ETMV4_EVENT: add_events(list, packet); break;
    case CAIRN_ETMV4_CONTEXT_SAME:
    case CAIRN_ETMV4_CONTEXT: add_context(list, config, packet); break;
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
        add_address(list, packet);
        add_context(list, config, packet);
        break;
    case CAIRN_ETMV4_ADDRESS_EXACT:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1:
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1:
    case CAIRN_ETMV4_SOURCE_EXACT:
    case CAIRN_ETMV4_SOURCE_SHORT_IS0:
    case CAIRN_ETMV4_SOURCE_SHORT_IS1:
    case CAIRN_ETMV4_SOURCE_32_IS0:
    case CAIRN_ETMV4_SOURCE_32_IS1:
    case CAIRN_ETMV4_SOURCE_64_IS0:
    case CAIRN_ETMV4_SOURCE_64_IS1: add_address(list, packet); break;
    case CAIRN_ETMV4_Q_EXACT:
    case CAIRN_ETMV4_Q_SHORT_IS0:
    case CAIRN_ETMV4_Q_SHORT_IS1:
    case CAIRN_ETMV4_Q_32_IS0:
    case CAIRN_ETMV4_Q_32_IS1:
    case CAIRN_ETMV4_Q_COUNT:
    case CAIRN_ETMV4_Q: add_q(list, packet); break;
    case CAIRN_ETMV4_RESERVED:
        if (packet->flags & CAIRN_PACKET_FRAMED)
            cairn_fields_add_text(list, "length", "known");
        break;
    case CAIRN_ETMV4_TRACE_ON:
        if (packet->flags & CAIRN_PACKET_GOES_ON)
            cairn_fields_add_text(list, "goes_on_behind", "reserved packet");
        break;
    case CAIRN_ETMV4_NOT_SYNC:
    case CAIRN_ETMV4_CUT:
    case CAIRN_ETMV4_INCOMPLETE:
    case CAIRN_ETMV4_ALIGNMENT_SYNC:
    case CAIRN_ETMV4_DISCARD:
    case CAIRN_ETMV4_OVERFLOW:
    case CAIRN_ETMV4_BRANCH_FUTURE_FLUSH:
    case CAIRN_ETMV4_FUNCTION_RETURN:
    case CAIRN_ETMV4_EXCEPTION_RETURN:
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
    case CAIRN_ETMV4_COND_FLUSH:
    case CAIRN_ETMV4_IGNORE:
    case CAIRN_ETMV4_TIMESTAMP_MARKER: break;
    }
}

size_t cairn_etmv4_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};
    if (index >= batch->count || !batch->kind || !batch->fields)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    add_content(&list, config, (enum cairn_etmv4_kind)batch->kind[index], packet);
    if (packet->flags & CAIRN_PACKET_SBZ)
        cairn_fields_add(&list, "SBZ not zero", CAIRN_FIELD_FLAG, 1);
    return list.count;
}
