/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and configurations in words: names come from the one list in <cairn/ptm.h>. */
#include "protocol/ptm/ptm.h"

#include "protocol/fields.h"

const struct cairn_kind_name cairn_ptm_kind_names[CAIRN_PTM_KIND_COUNT] = {
#define CAIRN_PTM_NAME(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_PTM_PACKETS(CAIRN_PTM_NAME)
#undef CAIRN_PTM_NAME
};

#define ATOM_TEXT 6 /* five letters and the end */

size_t cairn_ptm_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                 size_t capacity)
{
    const struct cairn_ptm_config *ptm = cairn_ptm_of(config);
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    cairn_fields_add_format(&list, "version", "%u.%u", (unsigned)ptm->major, (unsigned)ptm->minor);
    cairn_fields_add(&list, "trace id", CAIRN_FIELD_HEX, ptm->trace_id);
    cairn_fields_add(&list, "return stack", CAIRN_FIELD_FLAG, ptm->return_stack);
    cairn_fields_add(&list, "branch broadcast", CAIRN_FIELD_FLAG, ptm->branch_broadcast);
    cairn_fields_add(&list, "cycle counting", CAIRN_FIELD_FLAG, ptm->cycle_accurate);
    cairn_fields_add(&list, "timestamps", CAIRN_FIELD_FLAG, ptm->timestamps);
    cairn_fields_add(&list, "timestamp bits", CAIRN_FIELD_DECIMAL, ptm->timestamp_bits);
    cairn_fields_add_text(&list, "timestamp encoding", ptm->timestamp_binary ? "binary" : "Gray");
    cairn_fields_add(&list, "context id bytes", CAIRN_FIELD_DECIMAL, ptm->context_id_size);
    cairn_fields_add(&list, "VMID", CAIRN_FIELD_FLAG, ptm->vmid);
    cairn_fields_add(&list, "virtualization", CAIRN_FIELD_FLAG, ptm->virtualization);
    cairn_fields_add(&list, "DMB and DSB are waypoints", CAIRN_FIELD_FLAG,
                     ptm->barriers_are_waypoints);
    cairn_fields_add(&list, "DMB and DSB give timestamps", CAIRN_FIELD_FLAG,
                     ptm->barriers_give_time);
    cairn_fields_add(&list, "32-bit Thumb is one waypoint", CAIRN_FIELD_FLAG, ptm->thumb32_is_one);
    return list.count;
}

static void add_address(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    static const char *const states[] = {"ARM", "Thumb", "Jazelle", "ThumbEE"};

    if (packet->flags & CAIRN_PACKET_HAS_ADDRESS) {
        cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->address);
        cairn_fields_add_text(list, "state", states[packet->state & 3]);
    } else {
        cairn_fields_add(list, "address", CAIRN_FIELD_UNKNOWN, 0);
    }
    cairn_fields_add(list, "address bits", CAIRN_FIELD_DECIMAL, packet->address_bits);
}

static void add_context(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT) {
        cairn_fields_add(list, "NS", CAIRN_FIELD_FLAG, packet->context.security == CAIRN_NONSECURE);
        cairn_fields_add(list, "Hyp", CAIRN_FIELD_FLAG, packet->context.EL == 2);
    }
    if (packet->flags & CAIRN_PACKET_HAS_VMID)
        cairn_fields_add(list, "VMID", CAIRN_FIELD_HEX, packet->context.vmid);
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        cairn_fields_add(list, "CONTEXTID", CAIRN_FIELD_HEX, packet->context.context_id);
}

/* Where cycles are counted, every packet that comes here has a count. */
static void add_count(struct cairn_field_list *list, const struct cairn_config *config,
                      const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_CYCLES)
        cairn_fields_add(list, "cycle count", CAIRN_FIELD_DECIMAL, packet->cycles);
    else if (cairn_ptm_of(config)->cycle_accurate)
        cairn_fields_add(list, "cycle count", CAIRN_FIELD_UNKNOWN, 0);
}

static void add_sync(struct cairn_field_list *list, const struct cairn_config *config,
                     const struct cairn_packet_fields *packet)
{
    static const char *const reasons[] = {"periodic", "trace on", "after overflow", "debug exit"};

    cairn_fields_add_text(list, "reason", reasons[packet->reason & 3]);
    add_address(list, packet);
    add_context(list, packet);
    if (packet->reason != CAIRN_PTM_PERIODIC)
        add_count(list, config, packet);
}

static void add_branch(struct cairn_field_list *list, const struct cairn_config *config,
                       const struct cairn_packet_fields *packet)
{
    if (packet->flags & CAIRN_PACKET_HAS_EXCEPTION) {
        cairn_fields_add_text(list, "exception", cairn_ptm_exception_name(config, packet->type));
        cairn_fields_add(list, "Exception", CAIRN_FIELD_HEX, packet->type);
    }
    add_address(list, packet);
    add_context(list, packet);
    add_count(list, config, packet);
}

/* "EEN", the oldest first. */
static void add_atoms(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    char text[ATOM_TEXT];
    const unsigned count = packet->atom_count < ATOM_TEXT ? packet->atom_count : ATOM_TEXT - 1;

    for (unsigned i = 0; i < count; i++)
        text[i] = (packet->atoms >> i) & 1 ? 'E' : 'N';
    text[count] = '\0';
    cairn_fields_add_format(list, "atoms", "%s", text);
}

static void add_timestamp(struct cairn_field_list *list, const struct cairn_config *config,
                          const struct cairn_packet_fields *packet)
{
    if (!(packet->flags & CAIRN_PACKET_HAS_TIMESTAMP) || packet->value == 0)
        cairn_fields_add(list, "TS", CAIRN_FIELD_UNKNOWN, 0);
    else
        cairn_fields_add(list, "TS", CAIRN_FIELD_HEX, packet->value);
    cairn_fields_add(list, "bytes", CAIRN_FIELD_DECIMAL, packet->size);
    if (packet->info & 1)
        cairn_fields_add(list, "clock changed", CAIRN_FIELD_FLAG, 1);
    add_count(list, config, packet);
}

/* Whether such a unit never writes such a packet (4.3), as with branch broadcast an atom that is E
 * (4.6): a sign of wrong registers. */
static bool is_stranger(const struct cairn_ptm_config *ptm, enum cairn_ptm_kind kind,
                        const struct cairn_packet_fields *packet)
{
    return (kind == CAIRN_PTM_EXCEPTION_RETURN && ptm->minor == 0 && !ptm->m_profile) ||
           (kind == CAIRN_PTM_VMID && !ptm->virtualization) ||
           (kind == CAIRN_PTM_ATOM && ptm->branch_broadcast && packet->atoms != 0);
}

static void add_content(struct cairn_field_list *list, const struct cairn_config *config,
                        enum cairn_ptm_kind kind, const struct cairn_packet_fields *packet)
{
    switch (kind) {
    case CAIRN_PTM_INSTRUCTION_SYNC: add_sync(list, config, packet); break;
    case CAIRN_PTM_BRANCH_ADDRESS: add_branch(list, config, packet); break;
    case CAIRN_PTM_WAYPOINT_UPDATE: add_address(list, packet); break;
    case CAIRN_PTM_ATOM:
        add_atoms(list, packet);
        add_count(list, config, packet);
        break;
    case CAIRN_PTM_CONTEXT_ID:
    case CAIRN_PTM_VMID: add_context(list, packet); break;
    case CAIRN_PTM_TIMESTAMP: add_timestamp(list, config, packet); break;
    case CAIRN_PTM_NOT_SYNC:
    case CAIRN_PTM_RESERVED:
    case CAIRN_PTM_CUT:
    case CAIRN_PTM_INCOMPLETE_SYNC:
    case CAIRN_PTM_INCOMPLETE:
    case CAIRN_PTM_ALIGNMENT_SYNC:
    case CAIRN_PTM_TRIGGER:
    case CAIRN_PTM_EXCEPTION_RETURN:
    case CAIRN_PTM_IGNORE: break;
    }
}

size_t cairn_ptm_describe_packet(const struct cairn_config *config,
                                 const struct cairn_packet_batch *batch, size_t index,
                                 struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    if (index >= batch->count || !batch->kind || !batch->fields)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    const enum cairn_ptm_kind kind = (enum cairn_ptm_kind)batch->kind[index];

    add_content(&list, config, kind, packet);
    if (is_stranger(cairn_ptm_of(config), kind, packet))
        cairn_fields_add(&list, "not of this unit", CAIRN_FIELD_FLAG, 1);
    if (packet->flags & CAIRN_PACKET_SBZ)
        cairn_fields_add(&list, "SBZ not zero", CAIRN_FIELD_FLAG, 1);
    return list.count;
}
