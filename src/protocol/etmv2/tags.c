/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv2/tags.h"

#include <string.h>

void cairn_etmv2_tags_clear(struct cairn_etmv2_tags *tags)
{
    memset(tags, 0, sizeof *tags);
    tags->last = CAIRN_ETMV2_NO_TAG;
}

void cairn_etmv2_tags_part(struct cairn_etmv2_tags *tags, unsigned kind)
{
    if (kind != CAIRN_ETMV2_LOAD_MISS_OCCURRED)
        tags->last = CAIRN_ETMV2_NO_TAG;
}

/* A miss takes the place of all before it with its tag: a value is of the most recent one. The second
 * of two side by side is the other half. */
static void open_miss(struct cairn_etmv2_tags *tags, unsigned number, uint64_t offset)
{
    struct cairn_etmv2_tag *tag = &tags->tag[number];

    if (tags->last != number || tag->count == CAIRN_ETMV2_OPEN)
        tag->count = 0;
    tag->offset[tag->count++] = offset;
    tags->last = (uint8_t)number;
}

/* False: there is none, and the value is to be ignored. */
static bool close_miss(struct cairn_etmv2_tag *tag, uint64_t *offset)
{
    if (tag->count == 0)
        return false;
    *offset = tag->offset[0];
    tag->offset[0] = tag->offset[1];
    tag->count--;
    return true;
}

static unsigned data_kind(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV2_LOAD_MISS_OCCURRED: return CAIRN_DATA_PLACEHOLDER;
    case CAIRN_ETMV2_LOAD_MISS_DATA: return CAIRN_DATA_LATE;
    case CAIRN_ETMV2_VALUE_NOT_TRACED: return CAIRN_DATA_NOT_TRACED;
    default: return CAIRN_DATA_NORMAL;
    }
}

unsigned cairn_etmv2_data(struct cairn_etmv2_tags *tags, unsigned kind, uint64_t offset,
                          const struct cairn_packet_fields *fields, struct cairn_element_data *data)
{
    data->value = fields->value;
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS) {
        data->address = fields->address;
        data->info |= CAIRN_DATA_HAS_ADDRESS;
    }
    if (fields->flags & CAIRN_PACKET_HAS_VALUE)
        data->info |= CAIRN_DATA_HAS_VALUE;
    if (fields->info & CAIRN_ETMV2_A)
        data->info |= CAIRN_DATA_FIRST;
    data->cycles = CAIRN_DATA_FORM(data_kind(kind), fields->size, fields->tag);
    if (kind == CAIRN_ETMV2_LOAD_MISS_OCCURRED)
        open_miss(tags, fields->tag, offset);
    if (kind == CAIRN_ETMV2_LOAD_MISS_DATA && !close_miss(&tags->tag[fields->tag], &data->address))
        return CAIRN_ELEMENT_UNKNOWN;
    return 0;
}
