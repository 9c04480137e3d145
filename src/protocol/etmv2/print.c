/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and configurations in words, to be read beside the waveforms of a logic analyser: cycles are
 * those of the capture, from 0; statuses and packets have the specification's names. */
#include "protocol/etmv2/etmv2.h"
#include "protocol/fields.h"

const struct cairn_kind_name cairn_etmv2_kind_names[CAIRN_ETMV2_KIND_COUNT] = {
#define CAIRN_ETMV2_NAME(NAME, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_ETMV2_PACKETS(CAIRN_ETMV2_NAME)
#undef CAIRN_ETMV2_NAME
};

size_t cairn_etmv2_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity)
{
    static const char *const data[] = {"none", "values", "addresses", "addresses and values"};
    static const char *const vectors[] = {"0 or 0xffff0000", "0", "0xffff0000"};
    const struct cairn_etmv2_config *etm = cairn_etmv2_of(config);
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    cairn_fields_add_format(&list, "version", "ETMv2.%u", etm->minor);
    cairn_fields_add(&list, "trace port pins", CAIRN_FIELD_DECIMAL, etm->pins);
    cairn_fields_add_text(&list, "exception vectors", vectors[etm->vectors]);
    cairn_fields_add(&list, "direct branch packets", CAIRN_FIELD_FLAG, etm->branch_output);
    cairn_fields_add(&list, "cycle-accurate", CAIRN_FIELD_FLAG, etm->cycle_accurate);
    cairn_fields_add(&list, "context id bytes", CAIRN_FIELD_DECIMAL, etm->context_bytes);
    cairn_fields_add_text(&list, "data trace",
                          data[(etm->data_address ? 2 : 0) | (etm->data_value ? 1 : 0)]);
    cairn_fields_add(&list, "coprocessor transfers", CAIRN_FIELD_FLAG, etm->cprt);
    cairn_fields_add(&list, "LSM traces PC first", CAIRN_FIELD_FLAG, etm->loads_pc_first);
    return list.count;
}

static const char *state_text(unsigned state)
{
    return state == CAIRN_STATE_THUMB ? "Thumb" : "ARM";
}

static const char *reason_text(unsigned reason)
{
    static const char *const texts[] = {"periodic", "trace on", "after overflow", "debug exit"};

    return texts[reason & 3];
}

static void add_place(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    const bool known = (packet->flags & CAIRN_PACKET_HAS_ADDRESS) != 0;

    cairn_fields_add(list, known ? "address" : "low bits of address", CAIRN_FIELD_HEX,
                     packet->address);
    cairn_fields_add(list, "bits traced", CAIRN_FIELD_DECIMAL, packet->address_bits);
}

static void add_status(struct cairn_field_list *list, unsigned kind,
                       const struct cairn_packet_fields *packet)
{
    static const char *const atoms[] = {"N", "E", "NN", "EN", "NE", "EE"};

    cairn_fields_add(list, "TRACEPKT", CAIRN_FIELD_HEX, packet->value);
    if (kind == CAIRN_ETMV2_TR)
        cairn_fields_add_text(
            list, "status", cairn_etmv2_kind_names[CAIRN_ETMV2_IE + (packet->type & 15)].mnemonic);
    if (packet->atom_count)
        cairn_fields_add_text(list, "atoms",
                              atoms[(packet->atom_count == 1 ? 0 : 2) +
                                    (packet->atoms & (packet->atom_count == 1 ? 1 : 3))]);
    if (packet->flags & CAIRN_PACKET_HAS_COUNT)
        cairn_fields_add(list, "TFO value", CAIRN_FIELD_DECIMAL, packet->count);
    else if (packet->info & CAIRN_ETMV2_TFO_CYCLE)
        cairn_fields_add(list, "TFO low nibble", CAIRN_FIELD_FLAG, 1);
    if (packet->info & CAIRN_ETMV2_GAP_NIBBLE)
        cairn_fields_add(list, "gap nibble", CAIRN_FIELD_FLAG, 1);
    if (packet->info & CAIRN_ETMV2_MARKED)
        cairn_fields_add(list, "capture trigger", CAIRN_FIELD_FLAG, 1);
    if (packet->info & CAIRN_ETMV2_LOST)
        cairn_fields_add(list, "cycles missing", CAIRN_FIELD_FLAG, 1);
}

static void add_data(struct cairn_field_list *list, unsigned kind,
                     const struct cairn_packet_fields *packet)
{
    if (kind == CAIRN_ETMV2_VALUE_NOT_TRACED)
        return;
    if (kind != CAIRN_ETMV2_LOAD_MISS_DATA)
        cairn_fields_add(list, "A", CAIRN_FIELD_FLAG, (packet->info & CAIRN_ETMV2_A) != 0);
    if (kind != CAIRN_ETMV2_NORMAL_DATA)
        cairn_fields_add(list, "tag", CAIRN_FIELD_DECIMAL, packet->tag);
    if (packet->address_bits)
        add_place(list, packet);
    if (!(packet->flags & CAIRN_PACKET_HAS_VALUE))
        return;
    cairn_fields_add(list, "size", CAIRN_FIELD_DECIMAL, packet->size);
    cairn_fields_add(list, "value", CAIRN_FIELD_HEX, packet->value);
}

static void add_branch(struct cairn_field_list *list, const struct cairn_config *config,
                       const struct cairn_packet_fields *packet)
{
    add_place(list, packet);
    cairn_fields_add_text(list, "state", state_text(packet->state));
    if (packet->flags & CAIRN_PACKET_CANCEL)
        cairn_fields_add(list, "E bit", CAIRN_FIELD_FLAG, 1);
    if (packet->flags & CAIRN_PACKET_HAS_EXCEPTION)
        cairn_fields_add_text(list, "exception", cairn_etmv2_exception_name(config, packet->type));
}

static void add_tfo(struct cairn_field_list *list, const struct cairn_packet_fields *packet)
{
    const bool in_progress = (packet->flags & CAIRN_PACKET_LSIP) != 0;

    cairn_fields_add_text(list, "reason", reason_text(packet->reason));
    if (in_progress) {
        cairn_fields_add(list, "LSM address", CAIRN_FIELD_HEX, packet->address);
        cairn_fields_add_text(list, "LSM state", state_text(packet->type));
    }
    cairn_fields_add(list, "address", CAIRN_FIELD_HEX,
                     in_progress ? packet->value : packet->address);
    cairn_fields_add_text(list, "state", state_text(packet->state));
    if (packet->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        cairn_fields_add(list, "Context ID", CAIRN_FIELD_HEX, packet->context.context_id);
}

/* Cycles of a packet of the FIFO: of its first byte and of the status that placed it. */
static void add_cycles(struct cairn_field_list *list, uint64_t cycle,
                       const struct cairn_packet_fields *packet)
{
    cairn_fields_add(list, "first cycle", CAIRN_FIELD_DECIMAL, cycle - packet->cycles);
    cairn_fields_add(list, "status cycle", CAIRN_FIELD_DECIMAL, cycle - packet->count);
}

static void add_content(struct cairn_field_list *list, const struct cairn_config *config,
                        unsigned kind, uint64_t cycle, const struct cairn_packet_fields *packet)
{
    switch (kind) {
    case CAIRN_ETMV2_INCOMPLETE: return;
    case CAIRN_ETMV2_RESERVED:
    case CAIRN_ETMV2_OUT_OF_STEP:
        if (packet->flags & CAIRN_PACKET_HAS_COUNT)
            cairn_fields_add(list, "goes on with TFO of cycle", CAIRN_FIELD_DECIMAL,
                             cycle - packet->count);
        return;
    case CAIRN_ETMV2_BRANCH_ADDRESS: add_branch(list, config, packet); break;
    case CAIRN_ETMV2_NORMAL_DATA:
    case CAIRN_ETMV2_LOAD_MISS_OCCURRED:
    case CAIRN_ETMV2_LOAD_MISS_DATA:
    case CAIRN_ETMV2_VALUE_NOT_TRACED: add_data(list, kind, packet); break;
    case CAIRN_ETMV2_CONTEXT_ID:
        cairn_fields_add(list, "Context ID", CAIRN_FIELD_HEX, packet->context.context_id);
        break;
    case CAIRN_ETMV2_NORMAL_TFO:
    case CAIRN_ETMV2_LSM_IN_PROGRESS_TFO: add_tfo(list, packet); break;
    default: add_status(list, kind, packet); return;
    }
    add_cycles(list, cycle, packet);
}

size_t cairn_etmv2_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};

    if (index >= batch->count || !batch->kind || !batch->fields || !batch->offset)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    const uint64_t cycle = batch->offset[index] / CAIRN_SAMPLE_BYTES;

    cairn_fields_add(&list, "cycle", CAIRN_FIELD_DECIMAL, cycle);
    add_content(&list, config, batch->kind[index], cycle, packet);
    if (packet->flags & CAIRN_PACKET_SBZ)
        cairn_fields_add(&list, "SBZ not zero", CAIRN_FIELD_FLAG, 1);
    if (packet->flags & CAIRN_PACKET_CONTRADICTION)
        cairn_fields_add(&list, "contradiction", CAIRN_FIELD_FLAG, 1);
    return list.count;
}
