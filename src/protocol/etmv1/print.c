/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations and packets as named fields, for listings: a cycle reads as on a logic analyser, with
 * what its lanes carry beside it. */
#include "protocol/etmv1/etmv1.h"
#include "protocol/fields.h"

enum { LANE_BITS = 16, BYTE_PINS = 8 };

const struct cairn_kind_name cairn_etmv1_kind_names[CAIRN_ETMV1_KIND_COUNT] = {
#define NAMES(NAME, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_ETMV1_PACKETS(NAMES)
#undef NAMES
};

static const char *data_text(const struct cairn_etmv1_config *etm)
{
    if (etm->data_address)
        return etm->data_value ? "addresses and values" : "addresses";
    return etm->data_value ? "values" : "none";
}

size_t cairn_etmv1_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity)
{
    const struct cairn_etmv1_config *etm = cairn_etmv1_of(config);
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    cairn_fields_add_format(&list, "version", "ETMv1.%u", etm->minor);
    cairn_fields_add(&list, "trace port pins", CAIRN_FIELD_DECIMAL, etm->pins);
    cairn_fields_add(&list, "cycle-accurate", CAIRN_FIELD_FLAG, etm->cycle_accurate);
    cairn_fields_add(&list, "context id bytes", CAIRN_FIELD_DECIMAL, etm->context_bytes);
    cairn_fields_add_text(&list, "data trace", data_text(etm));
    cairn_fields_add(&list, "coprocessor transfers", CAIRN_FIELD_FLAG, etm->cprt);
    cairn_fields_add(&list, "direct branch packets", CAIRN_FIELD_FLAG, etm->branch_output);
    cairn_fields_add(&list, "high vectors", CAIRN_FIELD_FLAG, etm->high_vectors);
    cairn_fields_add(&list, "big-endian", CAIRN_FIELD_FLAG, etm->big_endian);
    cairn_fields_add(&list, "vectors come late", CAIRN_FIELD_FLAG, etm->executes_last);
    return list.count;
}

static const char *state_text(unsigned state)
{
    switch (state) {
    case CAIRN_STATE_ARM: return "ARM";
    case CAIRN_STATE_THUMB: return "Thumb";
    default: return "Jazelle";
    }
}

/* NULL: there is none. */
static const char *reason_text(unsigned reason)
{
    switch ((enum cairn_etmv1_reason)reason) {
    case CAIRN_ETMV1_NORMAL: break;
    case CAIRN_ETMV1_TRACE_ON: return "trace on";
    case CAIRN_ETMV1_OVERFLOW: return "after overflow";
    case CAIRN_ETMV1_DEBUG_EXIT: return "debug exit";
    case CAIRN_ETMV1_PERIODIC: return "periodic";
    }
    return NULL;
}

static void add_branch(struct cairn_field_list *list, const struct cairn_etmv1_config *etm,
                       const struct cairn_packet_fields *packet)
{
    const char *reason =
        cairn_etmv1_is_reserved_reason(etm, packet->reason) ? NULL : reason_text(packet->reason);

    if (packet->flags & CAIRN_PACKET_HAS_COUNT)
        cairn_fields_add(list, "APO", CAIRN_FIELD_DECIMAL, packet->count);
    if (packet->info & CAIRN_ETMV1_ABANDONED)
        cairn_fields_add(list, "abandoned", CAIRN_FIELD_FLAG, 1);
    if (!(packet->flags & CAIRN_PACKET_HAS_ADDRESS)) {
        if (!(packet->info & CAIRN_ETMV1_ABANDONED))
            cairn_fields_add(list, "address", CAIRN_FIELD_UNKNOWN, 0);
        return;
    }
    cairn_fields_add(list, "address", CAIRN_FIELD_HEX, packet->address);
    cairn_fields_add(list, "bits traced", CAIRN_FIELD_DECIMAL, packet->address_bits);
    cairn_fields_add_text(list, "state", state_text(packet->state));
    if (reason)
        cairn_fields_add_text(list, "reason", reason);
    else if (packet->reason != CAIRN_ETMV1_NORMAL)
        cairn_fields_add(list, "reserved reason", CAIRN_FIELD_DECIMAL, packet->reason);
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        cairn_fields_add(list, "Context ID", CAIRN_FIELD_HEX, packet->context.context_id);
}

static void add_lane(struct cairn_field_list *list, const char *name, uint32_t lane)
{
    const unsigned nth = CAIRN_ETMV1_LANE_NTH(lane), of = CAIRN_ETMV1_LANE_OF(lane);
    const char *what;

    switch ((enum cairn_etmv1_lane)CAIRN_ETMV1_LANE_WHAT(lane)) {
    case CAIRN_ETMV1_LANE_ADDRESS: what = "address"; break;
    case CAIRN_ETMV1_LANE_CONTEXT_ID: what = "Context ID"; break;
    case CAIRN_ETMV1_LANE_DATA: cairn_fields_add_text(list, name, "data"); return;
    case CAIRN_ETMV1_LANE_OPEN: cairn_fields_add_text(list, name, "data or nothing"); return;
    case CAIRN_ETMV1_LANE_STATUS: cairn_fields_add_text(list, name, "status"); return;
    case CAIRN_ETMV1_LANE_NOTHING:
    default: cairn_fields_add_text(list, name, "nothing"); return;
    }
    if (of)
        cairn_fields_add_format(list, name, "%s %u of %u", what, nth, of);
    else
        cairn_fields_add_format(list, name, "%s %u, cut short", what, nth);
}

static void add_pins(struct cairn_field_list *list, const struct cairn_etmv1_config *etm,
                     const struct cairn_packet_fields *packet)
{
    if (packet->info & CAIRN_ETMV1_SYNC)
        cairn_fields_add(list, "TRACESYNC", CAIRN_FIELD_FLAG, 1);
    cairn_fields_add(list, "TRACEPKT", CAIRN_FIELD_HEX, packet->value);
    add_lane(list, "carries", packet->atoms);
    if (etm->pins > BYTE_PINS)
        add_lane(list, "upper carries", packet->atoms >> LANE_BITS);
}

size_t cairn_etmv1_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    if (index >= batch->count || !batch->kind || !batch->fields)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    const unsigned kind = batch->kind[index];

    if (kind == CAIRN_ETMV1_INCOMPLETE || kind == CAIRN_ETMV1_RESERVED)
        return 0;
    if (kind == CAIRN_ETMV1_TR && packet->type < CAIRN_ETMV1_KIND_COUNT)
        cairn_fields_add_text(&list, "status", cairn_etmv1_kind_names[packet->type].mnemonic);
    if (packet->type == CAIRN_ETMV1_APO)
        cairn_fields_add(&list, "APO", CAIRN_FIELD_DECIMAL, packet->count);
    if (packet->type == CAIRN_ETMV1_BE || packet->type == CAIRN_ETMV1_BD)
        add_branch(&list, cairn_etmv1_of(config), packet);
    add_pins(&list, cairn_etmv1_of(config), packet);
    if (packet->info & CAIRN_ETMV1_CAPTURE_TRIGGER)
        cairn_fields_add(&list, "capture trigger", CAIRN_FIELD_FLAG, 1);
    if (packet->info & CAIRN_ETMV1_LOST)
        cairn_fields_add(&list, "cycles missing", CAIRN_FIELD_FLAG, 1);
    if (packet->info & CAIRN_ETMV1_CONTRADICTION)
        cairn_fields_add(&list, "contradiction", CAIRN_FIELD_FLAG, 1);
    return list.count;
}
