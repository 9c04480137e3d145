/* SPDX-License-Identifier: BSD-2-Clause */
/* Data packets as DATA elements (IHI0014 7.4). */
#include "protocol/etmv3/elements.h"

static unsigned data_kind(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER: return CAIRN_DATA_PLACEHOLDER;
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA: return CAIRN_DATA_LATE;
    case CAIRN_ETMV3_VALUE_NOT_TRACED: return CAIRN_DATA_NOT_TRACED;
    case CAIRN_ETMV3_DATA_SUPPRESSED: return CAIRN_DATA_SUPPRESSED;
    case CAIRN_ETMV3_STORE_FAILED: return CAIRN_DATA_STORE_FAILED;
    default: return CAIRN_DATA_NORMAL;
    }
}

/* A placeholder stands for all before it with its tag, but that the second of two in a row is the
 * other half of a 64-bit value. */
static void open_tag(struct cairn_etmv3_tags *tags, unsigned number, uint64_t offset)
{
    struct cairn_etmv3_tag *tag = &tags->tag[number];

    if (tags->last != number || tag->count == CAIRN_ETMV3_OPEN)
        tag->count = 0;
    tag->offset[tag->count++] = offset;
    tags->last = (uint8_t)number;
}

/* Of a late value that has just come, for Store failed behind it (7.4.7). */
static void note_late(struct cairn_etmv3_tags *tags, unsigned number, bool known, uint64_t offset)
{
    tags->late = (uint8_t)number;
    tags->late_known = known;
    tags->late_offset = offset;
}

/* False: there is none, so the value is of one that was lost, or came before the trace. */
static bool answer(struct cairn_etmv3_tag *tag, uint64_t *offset)
{
    if (tag->count == 0)
        return false;
    *offset = tag->offset[0];
    tag->offset[0] = tag->offset[1];
    tag->count--;
    return true;
}

void cairn_etmv3_part(struct cairn_etmv3_tags *tags, unsigned kind)
{
    if (kind == CAIRN_ETMV3_IGNORE)
        return;
    if (kind != CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER)
        tags->last = 0;
    if (kind != CAIRN_ETMV3_STORE_FAILED)
        tags->late = 0;
}

unsigned cairn_etmv3_data(struct cairn_etmv3_tags *tags, unsigned kind, uint64_t offset,
                          const struct cairn_packet_fields *fields, struct cairn_element_data *data)
{
    const unsigned what = data_kind(kind);
    const bool failed_late = what == CAIRN_DATA_STORE_FAILED && tags->late != 0;
    bool known = true;

    data->address = fields->address;
    data->value = fields->value;
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        data->info |= CAIRN_DATA_HAS_ADDRESS;
    else
        data->address = 0;
    if (fields->flags & CAIRN_PACKET_HAS_VALUE)
        data->info |= CAIRN_DATA_HAS_VALUE;
    if (fields->flags & CAIRN_PACKET_BIG_ENDIAN)
        data->info |= CAIRN_DATA_BIG_ENDIAN;
    if (fields->info & 1)
        data->info |= CAIRN_DATA_FIRST;
    data->cycles = CAIRN_DATA_FORM(what, fields->size, fields->tag);
    if (what == CAIRN_DATA_PLACEHOLDER)
        open_tag(tags, fields->tag, offset);
    if (what == CAIRN_DATA_LATE) {
        known = answer(&tags->tag[fields->tag], &data->address);
        note_late(tags, fields->tag, known, data->address);
    }
    if (failed_late) {
        known = tags->late_known;
        data->address = tags->late_offset;
        data->cycles = CAIRN_DATA_FORM(what, 0, tags->late);
    }
    return known ? 0 : CAIRN_ELEMENT_UNKNOWN;
}
