/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and configurations in words: names come from the one list in <cairn/etmv3.h>, field names
 * are the specification's. */
#include <stdio.h>

#include "protocol/etmv3/etmv3.h"
#include "protocol/fields.h"

#define ATOMS_TEXT 40

const struct cairn_kind_name cairn_etmv3_kind_names[CAIRN_ETMV3_KIND_COUNT] = {
#define CAIRN_ETMV3_NAME(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_ETMV3_PACKETS(CAIRN_ETMV3_NAME)
#undef CAIRN_ETMV3_NAME
};

static const char *data_text(const struct cairn_etmv3_config *etm)
{
    static const char *const texts[] = {"none", "values", "addresses", "addresses and values"};

    return texts[(etm->data_address ? 2 : 0) | (etm->data_value ? 1 : 0)];
}

size_t cairn_etmv3_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity)
{
    const struct cairn_etmv3_config *etm = cairn_etmv3_of(config);
    struct cairn_field_list all = {.fields = fields, .capacity = fields ? capacity : 0};
    struct cairn_field_list *list = &all;

    cairn_fields_add_format(list, "version", "ETMv3.%u", etm->minor);
    cairn_fields_add_text(list, "profile", etm->m_profile ? "M" : "A or R");
    cairn_fields_add(list, "trace ID", CAIRN_FIELD_HEX, etm->trace_id);
    cairn_fields_add_text(list, "branch encoding", etm->alternative ? "alternative" : "original");
    cairn_fields_add(list, "direct branch packets", CAIRN_FIELD_FLAG, etm->branch_output);
    cairn_fields_add(list, "cycle-accurate", CAIRN_FIELD_FLAG, etm->cycle_accurate);
    cairn_fields_add(list, "context id bytes", CAIRN_FIELD_DECIMAL, etm->context_bytes);
    cairn_fields_add_text(list, "data trace", data_text(etm));
    cairn_fields_add(list, "coprocessor transfers", CAIRN_FIELD_FLAG, etm->cprt);
    cairn_fields_add(list, "data-only mode", CAIRN_FIELD_FLAG, etm->data_only);
    cairn_fields_add(list, "data suppression", CAIRN_FIELD_FLAG, etm->suppression);
    cairn_fields_add(list, "timestamps", CAIRN_FIELD_FLAG, etm->timestamps);
    if (etm->timestamp_bits)
        cairn_fields_add_format(list, "timestamp form", "%u bits, %s", etm->timestamp_bits,
                                etm->gray ? "Gray code" : "natural binary");
    cairn_fields_add(list, "VMID trace", CAIRN_FIELD_FLAG, etm->vmid);
    cairn_fields_add(list, "Security Extensions", CAIRN_FIELD_FLAG, etm->security);
    cairn_fields_add(list, "Virtualization Extensions", CAIRN_FIELD_FLAG, etm->virtualization);
    cairn_fields_add(list, "atoms of 32-bit Thumb", CAIRN_FIELD_DECIMAL,
                     etm->wide_is_one_atom ? 1 : 2);
    cairn_fields_add(list, "LSM traces PC first", CAIRN_FIELD_FLAG, etm->loads_pc_first);
    return list->count;
}

static const char *state_text(unsigned state)
{
    static const char *const texts[] = {"ARM", "Thumb", "Jazelle", "ThumbEE"};

    return texts[state & 3];
}

static const char *reason_text(unsigned reason)
{
    static const char *const texts[] = {"periodic", "trace on", "after overflow", "debug exit"};

    return texts[reason & 3];
}

/* An address of which `known` says whether it is whole. */
static void add_address(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_ADDRESS)
        cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->address);
    else
        cairn_fields_add(list, "low bits of address", CAIRN_FIELD_HEX, packet->address);
    if (packet->address_bits < 32 && packet->address_bits)
        cairn_fields_add(list, "bits traced", CAIRN_FIELD_DECIMAL, packet->address_bits);
}

static void add_security(struct cairn_field_list *list, const struct cairn_config *config,
                         const struct cairn_packet_fields *packet)
{
    cairn_fields_add(list, "NS", CAIRN_FIELD_DECIMAL, packet->context.security & 1);
    if (cairn_etmv3_of(config)->virtualization)
        cairn_fields_add(list, "Hyp", CAIRN_FIELD_DECIMAL, packet->context.EL == 2);
}

/* What the vector says that the number does not (Table 7-9). */
static const char *old_exception_text(uint64_t address)
{
    static const char *const texts[8] = {"Processor reset", "Undefined Instruction",
                                         "Supervisor Call", "Prefetch Abort or software breakpoint",
                                         "Data Abort or software watchpoint"};
    const char *text = texts[address >> 2 & 7];

    return text ? text : "Reserved";
}

static const char *exception_text(const struct cairn_config *config,
                                  const struct cairn_packet_fields *packet)
{
    if (packet->type == CAIRN_ETMV3_EXCEPTION_OLD && packet->flags & CAIRN_PACKET_HAS_ADDRESS)
        return old_exception_text(packet->address);
    return cairn_etmv3_exception_name(config, packet->type);
}

static void add_branch(struct cairn_field_list *list, const struct cairn_config *config,
                       const struct cairn_packet_fields *packet)
{
    if (cairn_etmv3_is_halting(cairn_etmv3_of(config), packet)) {
        cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->address);
        cairn_fields_add_text(list, "address is", "not valid");
    } else {
        add_address(list, packet);
        cairn_fields_add_text(list, "state", state_text(packet->state));
    }
    if (packet->flags & CAIRN_PACKET_HAS_EXCEPTION) {
        cairn_fields_add_text(list, "exception", exception_text(config, packet));
        cairn_fields_add(list, "Exception", CAIRN_FIELD_HEX, packet->type & 0x1ff);
    }
    if (packet->flags & CAIRN_PACKET_CANCEL)
        cairn_fields_add(list, "Can", CAIRN_FIELD_DECIMAL, 1);
    if (packet->resume)
        cairn_fields_add(list, "Resume", CAIRN_FIELD_DECIMAL, packet->resume);
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT)
        add_security(list, config, packet);
    if (packet->flags & CAIRN_PACKET_HAS_VMID)
        cairn_fields_add(list, "VMID", CAIRN_FIELD_HEX, packet->context.vmid);
}

static void add_cycles(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    cairn_fields_add(list, "cycles",
                     packet->flags & CAIRN_PACKET_HAS_CYCLES ? CAIRN_FIELD_DECIMAL
                                                             : CAIRN_FIELD_UNKNOWN,
                     packet->flags & CAIRN_PACKET_HAS_CYCLES ? packet->cycles : 0);
}

static void add_sync(struct cairn_field_list *list, const struct cairn_config *config,
                     const struct cairn_packet_fields *packet)
{
    const bool lsip = packet->flags & CAIRN_PACKET_LSIP;

    cairn_fields_add_text(list, "reason", reason_text(packet->reason));
    if (packet->flags & CAIRN_PACKET_DATA_ONLY) {
        cairn_fields_add(list, "data-only", CAIRN_FIELD_FLAG, 1);
    } else {
        cairn_fields_add(list, lsip ? "data instruction" : "address", CAIRN_FIELD_HEX,
                         packet->address);
        cairn_fields_add_text(list, "state", state_text(lsip ? packet->type : packet->state));
    }
    if (lsip) {
        cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->value);
        cairn_fields_add_text(list, "its state", state_text(packet->state));
    }
    add_security(list, config, packet);
    if (lsip && packet->flags & CAIRN_PACKET_HAS_INFO) {
        cairn_fields_add(list, "data instruction's NS", CAIRN_FIELD_DECIMAL,
                         (packet->count & CAIRN_ETMV3_LSIP_NS) != 0);
        if (cairn_etmv3_of(config)->virtualization)
            cairn_fields_add(list, "data instruction's Hyp", CAIRN_FIELD_DECIMAL,
                             (packet->count & CAIRN_ETMV3_LSIP_HYP) != 0);
    }
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        cairn_fields_add(list, "Context ID", CAIRN_FIELD_HEX, packet->context.context_id);
}

/* "EEN", or with the cycles "WEWN", "WEE", "WWWE". */
static void add_atoms(struct cairn_field_list *list, unsigned kind,
                      const struct cairn_packet_fields *packet)
{
    char text[ATOMS_TEXT];
    size_t size = 0;
    unsigned waits = packet->cycles & 15;
    const bool each = kind == CAIRN_ETMV3_P_HEADER_CYCLES_F1;

    for (; !each && waits; waits--)
        text[size++] = 'W';
    for (unsigned i = 0; i < packet->atom_count && i < 16; i++) {
        if (each)
            text[size++] = 'W';
        text[size++] = packet->atoms >> i & 1 ? 'E' : 'N';
    }
    text[size] = 0;
    cairn_fields_add_format(list, "atoms", "%s", text);
}

static void add_data(struct cairn_field_list *list, unsigned kind,
                     const struct cairn_packet_fields *packet)
{
    if (packet->tag)
        cairn_fields_add(list, "tag", CAIRN_FIELD_DECIMAL, packet->tag);
    if (packet->address_bits) {
        add_address(list, packet);
        cairn_fields_add(list, "BE", CAIRN_FIELD_DECIMAL,
                         (packet->flags & CAIRN_PACKET_BIG_ENDIAN) != 0);
    }
    if (kind == CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER || kind == CAIRN_ETMV3_VALUE_NOT_TRACED)
        return;
    cairn_fields_add(list, "size", CAIRN_FIELD_DECIMAL, packet->size);
    if (packet->flags & CAIRN_PACKET_HAS_VALUE)
        cairn_fields_add(list, "value", CAIRN_FIELD_HEX, packet->value);
}

static void add_timestamp(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    const bool known = packet->flags & CAIRN_PACKET_HAS_TIMESTAMP;

    cairn_fields_add(list, known ? "TS" : "low bits of TS",
                     known && packet->value == 0 ? CAIRN_FIELD_UNKNOWN : CAIRN_FIELD_HEX,
                     packet->value);
    cairn_fields_add(list, "bits traced", CAIRN_FIELD_DECIMAL, packet->address_bits);
    cairn_fields_add(list, "R", CAIRN_FIELD_DECIMAL, packet->type);
}

static void add_content(struct cairn_field_list *list, const struct cairn_config *config,
                        unsigned kind, const struct cairn_packet_fields *packet)
{
    switch (kind) {
    case CAIRN_ETMV3_BRANCH: add_branch(list, config, packet); break;
    case CAIRN_ETMV3_I_SYNC_CYCLES: add_cycles(list, packet); /* fall through */
    case CAIRN_ETMV3_I_SYNC: add_sync(list, config, packet); break;
    case CAIRN_ETMV3_CYCLE_COUNT: add_cycles(list, packet); break;
    case CAIRN_ETMV3_CONTEXT_ID:
        cairn_fields_add(list, "Context ID", CAIRN_FIELD_HEX, packet->context.context_id);
        break;
    case CAIRN_ETMV3_VMID:
        cairn_fields_add(list, "VMID", CAIRN_FIELD_HEX, packet->context.vmid);
        break;
    case CAIRN_ETMV3_TIMESTAMP: add_timestamp(list, packet); break;
    case CAIRN_ETMV3_NORMAL_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_VALUE_NOT_TRACED: add_data(list, kind, packet); break;
    default:
        if (kind >= CAIRN_ETMV3_P_HEADER_F1)
            add_atoms(list, kind, packet);
        break;
    }
}

size_t cairn_etmv3_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    if (index >= batch->count || !batch->kind || !batch->fields)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    add_content(&list, config, batch->kind[index], packet);
    if (packet->flags & CAIRN_PACKET_SBZ)
        cairn_fields_add(&list, "SBZ not zero", CAIRN_FIELD_FLAG, 1);
    if (packet->flags & CAIRN_PACKET_CONTRADICTION)
        cairn_fields_add(&list, "contradiction", CAIRN_FIELD_FLAG, 1);
    return list.count;
}
