/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv2/fifo.h"

static struct cairn_etmv2_group *group_at(struct cairn_etmv2_fifo *fifo, unsigned index)
{
    return &fifo->groups[(fifo->first + index) % CAIRN_ETMV2_FIFO];
}

bool cairn_etmv2_fifo_place(struct cairn_etmv2_fifo *fifo, uint64_t cycle, bool tfo)
{
    if (fifo->count == CAIRN_ETMV2_FIFO)
        return false;
    *group_at(fifo, fifo->count++) =
        (struct cairn_etmv2_group){.cycle = cycle, .at = UINT64_MAX, .tfo = tfo};
    return true;
}

void cairn_etmv2_fifo_offset(struct cairn_etmv2_fifo *fifo, unsigned bytes)
{
    for (unsigned i = fifo->count; i > 0; i--) {
        struct cairn_etmv2_group *group = group_at(fifo, i - 1);

        if (!group->tfo)
            continue;
        group->at = fifo->taken + bytes;
        return;
    }
}

void cairn_etmv2_fifo_forget(struct cairn_etmv2_fifo *fifo)
{
    fifo->first = 0;
    fifo->count = 0;
    fifo->size = 0;
    fifo->group_bytes = 0;
    fifo->state = (struct cairn_etmv2_state){.context_id = fifo->state.context_id};
}

void cairn_etmv2_fifo_seek(struct cairn_etmv2_fifo *fifo, uint64_t cycle)
{
    cairn_etmv2_fifo_forget(fifo);
    fifo->count = 1;
    fifo->groups[0] =
        (struct cairn_etmv2_group){.cycle = cycle, .at = UINT64_MAX, .tfo = true, .sought = true};
}

uint64_t cairn_etmv2_fifo_waits(const struct cairn_etmv2_fifo *fifo, uint64_t cycle)
{
    return fifo->count ? cycle - fifo->groups[fifo->first].cycle : 0;
}

static void pop(struct cairn_etmv2_fifo *fifo)
{
    fifo->first = (fifo->first + 1) % CAIRN_ETMV2_FIFO;
    fifo->count--;
    fifo->size = 0;
    fifo->group_bytes = 0;
}

/* How many groups are in front of the first TFO; all of them where there is none. */
static unsigned before_tfo(struct cairn_etmv2_fifo *fifo)
{
    unsigned index = 0;

    while (index < fifo->count && !group_at(fifo, index)->tfo)
        index++;
    return index;
}

/* The groups in front of the first TFO are not to be found any more. */
static void fall_out(struct cairn_etmv2_fifo *fifo, uint64_t cycle, unsigned kind,
                     struct cairn_etmv2_item *item)
{
    *item = (struct cairn_etmv2_item){.kind = (uint8_t)kind};
    for (unsigned left = before_tfo(fifo); left > 0; left--)
        pop(fifo);
    fifo->size = 0;
    fifo->group_bytes = 0;
    if (fifo->count == 0) {
        cairn_etmv2_fifo_forget(fifo);
        return;
    }
    fifo->state.data_known = 0;
    fifo->state.address_known = 0;
    group_at(fifo, 0)->sought = true;
    item->fields.flags |= CAIRN_PACKET_HAS_COUNT;
    item->fields.count = (uint32_t)(cycle - group_at(fifo, 0)->cycle);
}

static bool take_whole(struct cairn_etmv2_fifo *fifo, uint64_t cycle, struct cairn_etmv2_item *item)
{
    const struct cairn_etmv2_group group = *group_at(fifo, 0);

    item->kind = (uint8_t)cairn_etmv2_read(fifo->config, group.tfo, fifo->bytes, fifo->size,
                                           &fifo->state, &item->fields);
    item->fields.count = (uint32_t)(cycle - group.cycle);
    item->fields.cycles = (uint32_t)(cycle - fifo->packet_cycle);
    fifo->size = 0;
    if (!(item->fields.info & CAIRN_ETMV2_C))
        pop(fifo);
    return true;
}

/* The byte is where the packet of a TFO begins, but what is in front of that has not ended; or where it
 * begins has gone by, in the packet of another. */
static bool is_overtaken(struct cairn_etmv2_fifo *fifo, uint64_t position)
{
    const unsigned index = before_tfo(fifo);

    if (index == fifo->count)
        return false;
    if (index == 0)
        return fifo->size == 0 && group_at(fifo, 0)->at < position;
    return group_at(fifo, index)->at <= position;
}

bool cairn_etmv2_fifo_take(struct cairn_etmv2_fifo *fifo, uint64_t cycle, uint8_t byte,
                           struct cairn_etmv2_item *item)
{
    const uint64_t position = fifo->taken++;
    bool has_item = false;

    while (is_overtaken(fifo, position)) {
        if (group_at(fifo, 0)->tfo)
            pop(fifo);
        fall_out(fifo, cycle, CAIRN_ETMV2_OUT_OF_STEP, item);
        if (fifo->count == 0)
            return true;
        has_item = true;
    }
    struct cairn_etmv2_group *group = group_at(fifo, 0);

    if (group->tfo && fifo->size == 0 && position < group->at) {
        if (group->sought)
            return has_item;
        fall_out(fifo, cycle, CAIRN_ETMV2_OUT_OF_STEP, item);
        return true;
    }
    if (fifo->size == 0)
        fifo->packet_cycle = cycle;
    fifo->bytes[fifo->size++] = byte;
    fifo->group_bytes++;
    switch (cairn_etmv2_frame(fifo->config, group->tfo, fifo->bytes, fifo->size)) {
    case CAIRN_ETMV2_FRAME_MORE:
        if (fifo->size < CAIRN_ETMV2_LONGEST && fifo->group_bytes < CAIRN_ETMV2_FIFO)
            return has_item;
        break;
    case CAIRN_ETMV2_FRAME_WHOLE:
        if (fifo->group_bytes < CAIRN_ETMV2_FIFO)
            return take_whole(fifo, cycle, item);
        break;
    case CAIRN_ETMV2_FRAME_RESERVED: break;
    }
    pop(fifo);
    fall_out(fifo, cycle, CAIRN_ETMV2_RESERVED, item);
    return true;
}
