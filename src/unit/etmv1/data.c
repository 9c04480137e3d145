/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers -> data packets (IHI0014 5.7). */
#include "unit/etmv1/core.h"

#define GROUP_MOST (CAIRN_ETMV1_WHOLE_ADDRESS + CAIRN_ETMV1_WHOLE_VALUE)

/* Of all transfers of an instruction the first one decides (5.7.2). Moves to and from coprocessors
 * have no address, and ViewData does not bear on them (4.11.3). */
static bool is_wanted(struct cairn_etmv1_unit *unit, const struct cairn_unit_transfer *transfer)
{
    struct cairn_etmv1_step *last = &unit->last;

    if (transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR)
        return unit->common.moves && unit->values;
    if (!last->chosen)
        last->viewed = !unit->common.watches ||
                       cairn_etmv3_view_data(&unit->common.resources, &unit->common.registers.file);
    last->chosen = true;
    return last->viewed && (unit->values || unit->addresses);
}

/* A data address is compressed against one of the same period, if trace was on since (5.7.5). */
static bool is_address_whole(const struct cairn_etmv1_unit *unit)
{
    return !unit->data_known || unit->port.pins.clock - unit->data_at >= CAIRN_ETMV1_PERIOD;
}

/* A value that the feed does not know is 0: how many bytes there are is the instruction's to say. Which
 * of them is the highest the trace does not tell (4.9.2): a core with big-endian transfers has all so. */
static size_t encode_value(struct cairn_etmv1_unit *unit,
                           const struct cairn_unit_transfer *transfer, uint8_t *bytes)
{
    if (transfer->flags & CAIRN_UNIT_DATA_BIG_ENDIAN)
        unit->common.registers.BIGENDIAN = 1;
    const bool big_endian = unit->common.registers.BIGENDIAN != 0;
    const uint64_t value = transfer->flags & CAIRN_UNIT_DATA_NO_VALUE ? 0 : transfer->value;

    return cairn_etmv1_encode_value(value, transfer->bytes, big_endian, bytes);
}

static void trace_transfer(struct cairn_etmv1_unit *unit,
                           const struct cairn_unit_transfer *transfer)
{
    struct cairn_etmv1_encoder encoder = unit->encoder;
    struct cairn_etmv1_step *last = &unit->last;
    const bool has_address =
        unit->addresses && !last->addressed && !(transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR);
    const bool whole = has_address && is_address_whole(unit);
    uint8_t bytes[GROUP_MOST];
    size_t size = 0;

    last->data = true;
    if (last->overflows)
        return;
    if (has_address)
        size = cairn_etmv1_encode_data_address(&encoder, (uint32_t)transfer->address, whole, bytes);
    if (unit->values)
        size += encode_value(unit, transfer, bytes + size);
    if (!cairn_etmv1_make_room(unit, size)) {
        last->overflows = true;
        return;
    }
    if (whole) {
        unit->data_known = true;
        unit->data_at = unit->port.pins.clock;
    }
    last->addressed = last->addressed || has_address;
    unit->encoder = encoder;
    unit->common.counters.bytes += size;
    cairn_etmv1_port_push(&unit->port, bytes, size, false);
}

void cairn_etmv1_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer)
{
    struct cairn_etmv1_unit *unit = cairn_etmv1_unit(base);
    struct cairn_etmv1_step *last = &unit->last;

    if (!unit->common.enabled || unit->common.debug || unit->common.resources.prohibited)
        return;
    cairn_etmv1_pass_time(unit);
    if (unit->common.watches)
        cairn_etmv3_see_transfer(&unit->common.resources, &unit->common.registers.file, transfer);
    if (last->pending && last->passed) {
        if (transfer->flags & CAIRN_UNIT_DATA_ABORTED)
            last->aborted = true; /* it is traced like the others (5.7.4) */
        if (is_wanted(unit, transfer))
            trace_transfer(unit, transfer);
    }
    if (unit->common.watches)
        cairn_etmv1_sample(unit);
}
