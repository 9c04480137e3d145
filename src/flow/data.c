/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/data.h"

#include "isa/insn.h"

enum {
    DATA_ADDRESS_SHIFT = 32, /* of a record's `address` */
    TRANSFER_MOST = 0xff,    /* of its `instructions` */
    SIZE_SHIFT = 8,
    TAG_SHIFT = 12,
    KIND_SHIFT = 16,
};

bool cairn_data_has(const struct cairn_follow_rules *rules, const struct cairn_arch *arch,
                    enum cairn_isa isa, const struct cairn_insn *insn)
{
    struct cairn_transfers transfers;

    if ((insn->flags & (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)) || cairn_insn_is_bxj(isa, insn))
        return true;
    if (!rules->coprocessor_data)
        return false;
    cairn_insn_transfers(arch, isa, insn, 0, &transfers);
    return transfers.count > 0;
}

void cairn_data_record(const struct cairn_element_data *element, unsigned element_flags,
                       struct cairn_word_event *record)
{
    const uint32_t form = element->cycles;
    const unsigned kind = CAIRN_DATA_KIND(form);

    record->kind = CAIRN_FLOW_DATA;
    record->value = element->value;
    record->instructions = CAIRN_DATA_SIZE(form) << SIZE_SHIFT | CAIRN_DATA_TAG(form) << TAG_SHIFT |
                           (uint32_t)kind << KIND_SHIFT;
    record->flags = (element_flags & CAIRN_ELEMENT_UNKNOWN) ? CAIRN_FLOW_UNKNOWN : 0;
    if (element->info & CAIRN_DATA_HAS_VALUE)
        record->flags |= CAIRN_FLOW_HAS_VALUE;
    if (element->info & CAIRN_DATA_BIG_ENDIAN)
        record->flags |= CAIRN_FLOW_BIG_ENDIAN;
    record->address = 0;
    if (CAIRN_FLOW_DATA_IS_LATE(record->instructions)) {
        record->address = element->address;
    } else if (element->info & CAIRN_DATA_HAS_ADDRESS) {
        record->address = element->address << DATA_ADDRESS_SHIFT;
        record->flags |= CAIRN_FLOW_HAS_ADDRESS;
    }
}

static void begin(struct cairn_word_data *data, const struct cairn_word_event *record)
{
    data->known = true;
    data->address = (uint32_t)record->address;
    data->isa = record->isa;
    data->transfers = data->done;
    data->done = 0;
    data->big_endian = false;
}

/* Whether the packet tells of one of the instruction's transfers. */
static bool is_transfer(unsigned kind)
{
    return kind == CAIRN_DATA_NORMAL || kind == CAIRN_DATA_PLACEHOLDER ||
           kind == CAIRN_DATA_NOT_TRACED;
}

/* The order of bytes comes with an address; the packets behind it say nothing of it (7.4.2), and it
 * is the same throughout an instruction. */
static void order_bytes(struct cairn_word_data *data, struct cairn_word_event *record)
{
    if (record->flags & CAIRN_FLOW_HAS_ADDRESS)
        data->big_endian = (record->flags & CAIRN_FLOW_BIG_ENDIAN) != 0;
    else if (data->big_endian)
        record->flags |= CAIRN_FLOW_BIG_ENDIAN;
}

/* Of an instruction that did not execute. Values are discarded (7.4.12), also those that come
 * later. That data is missing from there on is told, as it is of what executes next, too. */
static bool drop(struct cairn_word_data *data, struct cairn_word_event *record, unsigned kind)
{
    if (kind == CAIRN_DATA_PLACEHOLDER)
        data->dropped |= (uint8_t)(1u << CAIRN_FLOW_DATA_TAG(record->instructions));
    if (kind != CAIRN_DATA_SUPPRESSED)
        return false;
    record->flags |= CAIRN_FLOW_UNKNOWN;
    return true;
}

/* A late value names its placeholder, and so does what says that it was not stored. */
static bool is_late_of_dropped(const struct cairn_word_data *data,
                               const struct cairn_word_event *record)
{
    return !(record->flags & CAIRN_FLOW_UNKNOWN) &&
           (data->dropped >> CAIRN_FLOW_DATA_TAG(record->instructions) & 1);
}

static bool own(struct cairn_word_data *data, struct cairn_word_event *record)
{
    const unsigned kind = CAIRN_FLOW_DATA_KIND(record->instructions);

    if (record->isa != CAIRN_ISA_UNKNOWN) /* it says itself whose it is */
        return true;
    if (CAIRN_FLOW_DATA_IS_LATE(record->instructions))
        return !is_late_of_dropped(data, record);
    if (data->whose == CAIRN_DATA_OF_CANCELLED)
        return drop(data, record, kind);
    if (kind == CAIRN_DATA_PLACEHOLDER)
        data->dropped &= (uint8_t) ~(1u << CAIRN_FLOW_DATA_TAG(record->instructions));
    switch ((enum cairn_data_whose)data->whose) {
    case CAIRN_DATA_OF_CORE: record->flags |= CAIRN_FLOW_BY_CORE; return true;
    case CAIRN_DATA_OF_LAST:
    case CAIRN_DATA_OF_PAUSED:
    case CAIRN_DATA_OF_UNKNOWN:
    case CAIRN_DATA_OF_CANCELLED:
    case CAIRN_DATA_RESUMES: break;
    }
    if (!data->known || data->whose == CAIRN_DATA_OF_UNKNOWN) {
        record->flags |= CAIRN_FLOW_UNKNOWN;
        return true;
    }
    record->address |= data->address;
    record->isa = data->isa;
    /* Store failed is about the transfer before it (7.4.7). */
    record->instructions |= kind == CAIRN_DATA_STORE_FAILED && data->transfers > 0
                                ? data->transfers - 1u
                                : data->transfers;
    if (!is_transfer(kind))
        return true;
    order_bytes(data, record);
    if (data->transfers < TRANSFER_MOST)
        data->transfers++;
    return true;
}

bool cairn_data_pass(struct cairn_word_data *data, bool m_profile, struct cairn_word_event *record)
{
    switch (record->kind) {
    case CAIRN_FLOW_RANGE:
        data->whose = CAIRN_DATA_OF_LAST;
        if (record->flags & CAIRN_FLOW_TRANSFER)
            begin(data, record);
        data->done = 0;
        return true;
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_TRACE_ON:
    case CAIRN_FLOW_OVERFLOW:
        data->whose = CAIRN_DATA_OF_LAST;
        data->known = false;
        data->done = 0;
        return true;
    case CAIRN_FLOW_EXCEPTION: /* in front of a paused instruction that was about to go on */
        data->done = 0;
        return true;
    case CAIRN_FLOW_EXCEPTION_RETURN:
        data->done = 0;
        if (m_profile)
            data->whose = CAIRN_DATA_OF_CORE;
        return true;
    case CAIRN_FLOW_DATA: return own(data, record);
    case CAIRN_WORD_DATA:
        if (record->value == CAIRN_DATA_RESUMES) {
            data->done = (uint8_t)record->instructions;
            return false;
        }
        data->whose = (uint8_t)record->value;
        if (data->whose == CAIRN_DATA_OF_PAUSED)
            begin(data, record);
        data->done = 0;
        return false;
    default: return true;
    }
}
