/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers -> data packets (IHI0014 6.4.2 to 6.4.4, 6.8). */
#include "unit/etm/words.h"
#include "unit/etmv2/core.h"

/* How many instructions begin before the value of a tag comes: so that they overtake each other. */
static const uint8_t late_instructions[CAIRN_ETMV2_UNIT_TAGS] = {5, 2, 4, 3};

#define DATA_MOST (2 * CAIRN_ETMV2_DATA_BYTES)
#define TAG_SHIFT 16u
#define BEHIND_DATA (2 * CAIRN_ETMV2_CONTEXT_BYTES + CAIRN_ETMV2_WHOLE_ADDRESS)

/* --- values that were missed --- */

/* The cycle in hand, which has to take so many words more. */
static struct cairn_etmv2_cycle *cycle_for(struct cairn_etmv2_unit *unit, unsigned moved,
                                           unsigned returned)
{
    const struct cairn_etmv2_cycle *now = &unit->now;

    cairn_etmv2_show_held(unit); /* it may be a TFO, at which the counter begins again */
    if (now->used && (now->ended || now->moved + moved > CAIRN_ETMV2_MOVED ||
                      now->returned + returned > CAIRN_ETMV2_RETURNED ||
                      now->size + DATA_MOST + BEHIND_DATA > CAIRN_ETMV2_GROUP))
        cairn_etmv2_show_now(unit);
    if (!unit->now.used) {
        unit->now.used = true;
        unit->now.counts = unit->tracing;
        cairn_etmv2_put_context(unit); /* it was told in this cycle */
    }
    unit->now.moved += (uint8_t)moved;
    unit->now.returned += (uint8_t)returned;
    return &unit->now;
}

static void put_late(struct cairn_etmv2_unit *unit, unsigned tag)
{
    struct cairn_etmv2_late *late = &unit->late[tag];
    const unsigned words = late->words;
    struct cairn_etmv2_cycle *cycle = cycle_for(unit, 0, words);
    uint8_t packet[CAIRN_ETMV2_DATA_BYTES];

    if (late->words == 0) /* what was in hand had no room */
        return;
    late->words = 0;
    for (unsigned i = 0; i < words; i++)
        cairn_etmv2_add(cycle, packet,
                        cairn_etmv2_encode_miss_data(&unit->encoder, late->values[i], tag, packet));
}

void cairn_etmv2_return_data(struct cairn_etmv2_unit *unit)
{
    for (unsigned tag = 0; tag < CAIRN_ETMV2_UNIT_TAGS; tag++)
        if (unit->late[tag].words > 0 && unit->late[tag].due > 0 && --unit->late[tag].due == 0)
            put_late(unit, tag);
}

void cairn_etmv2_return_all_data(struct cairn_etmv2_unit *unit)
{
    for (unsigned tag = 0; tag < CAIRN_ETMV2_UNIT_TAGS; tag++)
        if (unit->late[tag].words > 0)
            put_late(unit, tag);
}

void cairn_etmv2_forget_data(struct cairn_etmv2_unit *unit)
{
    for (unsigned tag = 0; tag < CAIRN_ETMV2_UNIT_TAGS; tag++)
        unit->late[tag].words = 0;
}

/* The tag of a load whose value is to come later; CAIRN_ETMV2_UNIT_TAGS: it comes at once. */
static unsigned choose_tag(const struct cairn_etmv2_unit *unit,
                           const struct cairn_unit_transfer *transfer)
{
    const uint32_t at_once = CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_NO_VALUE |
                             CAIRN_UNIT_DATA_COPROCESSOR | CAIRN_UNIT_DATA_ABORTED;
    unsigned tag = 0;

    if (transfer->flags & CAIRN_UNIT_DATA_MISSED)
        return transfer->flags >> TAG_SHIFT & (CAIRN_ETMV2_UNIT_TAGS - 1);
    if (!(unit->choices & CAIRN_UNIT_DATA_OUT_OF_ORDER) || !unit->encoder.has_values ||
        (transfer->flags & at_once))
        return CAIRN_ETMV2_UNIT_TAGS;
    while (tag < CAIRN_ETMV2_UNIT_TAGS && unit->late[tag].words > 0)
        tag++;
    return tag;
}

/* --- whether --- */

/* What is looked at while the instruction executes whose transfer it is (2.11.2). */
static struct cairn_etmv3_resources resources_of_mover(const struct cairn_etmv2_unit *unit)
{
    struct cairn_etmv3_resources resources = unit->common.resources;

    resources.instruction_matches = unit->mover.matches;
    resources.instruction_ranges = unit->mover.ranges;
    return resources;
}

/* Of each transfer (2.6.5), but not of those between core and coprocessors (4.11.3). */
static bool wants(const struct cairn_etmv2_unit *unit, const struct cairn_unit_transfer *transfer)
{
    const struct cairn_etmv3_resources resources = resources_of_mover(unit);

    if (transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR)
        return unit->common.moves && unit->encoder.has_values;
    return unit->data && (!unit->common.watches ||
                          cairn_etmv3_view_data(&resources, &unit->common.registers.file));
}

/* TraceEnable at a transfer goes by what executes: what was excluded by its address stays so. */
static bool is_enabled(const struct cairn_etmv2_unit *unit)
{
    const struct cairn_etmv3_resources resources = resources_of_mover(unit);

    if (!unit->common.watches || cairn_etmv2_is_beneath(unit))
        return cairn_pins_trace_enable(&unit->common);
    return cairn_etmv3_trace_enable(&resources, &unit->common.registers.file);
}

/* --- packets --- */

static size_t encode_word(struct cairn_etmv2_unit *unit, const struct cairn_etm_word *word,
                          bool wanted, unsigned tag, uint8_t packet[CAIRN_ETMV2_DATA_BYTES])
{
    struct cairn_etmv2_transfer transfer = {
        .address = word->address,
        .value = word->value,
        .first = word->has_address && !unit->mover.started,
    };

    if (!wanted)
        return cairn_etmv2_encode_not_traced(packet);
    if (transfer.first && unit->encoder.has_addresses)
        transfer.full = cairn_etmv2_takes_whole_data(unit);
    if (tag < CAIRN_ETMV2_UNIT_TAGS)
        return cairn_etmv2_encode_miss(&unit->encoder, &transfer, tag, packet);
    return cairn_etmv2_encode_data(&unit->encoder, &transfer, packet);
}

/* A miss that is told has a tag that is free, or that of the first half of its 64 bits. */
static void note_late(struct cairn_etmv2_unit *unit, const struct cairn_unit_transfer *transfer,
                      unsigned tag, uint32_t value)
{
    struct cairn_etmv2_late *late = &unit->late[tag];

    if (!unit->encoder.has_values)
        return;
    if (late->words == sizeof late->values / sizeof *late->values)
        late->words = 0;
    late->values[late->words++] = value;
    late->due = transfer->flags & CAIRN_UNIT_DATA_MISSED ? 0 : late_instructions[tag];
}

/* Once one transfer of an instruction has a packet, all that follow have (6.4.4). The halves of 64 bits
 * miss together, in one cycle (6.4.3). */
static void trace_transfer(struct cairn_etmv2_unit *unit,
                           const struct cairn_unit_transfer *transfer)
{
    struct cairn_etm_word words[2];
    const bool known = !unit->encoder.has_values || !(transfer->flags & CAIRN_UNIT_DATA_NO_VALUE);
    const bool wanted = known && wants(unit, transfer);
    const unsigned count = cairn_etm_words(transfer, words);

    if (!wanted && !unit->mover.started)
        return;
    struct cairn_etmv2_cycle *cycle = cycle_for(unit, count, 0);
    const unsigned tag = wanted ? choose_tag(unit, transfer) : CAIRN_ETMV2_UNIT_TAGS;

    for (unsigned i = 0; i < count && unit->tracing; i++) {
        uint8_t packet[CAIRN_ETMV2_DATA_BYTES];
        const size_t size = encode_word(unit, &words[i], wanted, tag, packet);

        cairn_etmv2_add(cycle, packet, size);
        unit->mover.started = true;
        if (tag == CAIRN_ETMV2_UNIT_TAGS)
            continue;
        note_late(unit, transfer, tag, words[i].value);
    }
}

/* --- trace begins with a transfer --- */

/* From the instruction that makes it, and if others execute beneath that, from the one that does just now.
 * If none does, the next one is told by a branch address (6.5.5). */
static void start_by_transfer(struct cairn_etmv2_unit *unit)
{
    const bool beneath = cairn_etmv2_is_beneath(unit);

    if (unit->tracing || unit->last.traced || unit->last.enabled ||
        unit->last.place.isa == CAIRN_ISA_UNKNOWN || unit->excepted || !is_enabled(unit))
        return;
    if (beneath && unit->last.left) {
        unit->mover.beneath = false;
        unit->mover.traced = cairn_etmv2_begin_trace(unit, unit->mover.place);
        unit->mover.beneath = true;
        unit->owes_branch = unit->mover.traced;
        return;
    }
    if (!cairn_etmv2_begin_trace(unit, unit->last.place))
        return;
    cairn_etmv2_trace_last(unit);
    unit->mover.traced = true;
}

void cairn_etmv2_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (!unit->common.enabled || unit->common.debug)
        return;
    /* traced if its miss was, wherever execution is meanwhile (6.4.3) */
    if (transfer->flags & CAIRN_UNIT_DATA_RETURNED) {
        const unsigned tag = transfer->flags >> TAG_SHIFT & (CAIRN_ETMV2_UNIT_TAGS - 1);

        if (unit->late[tag].words > 0)
            put_late(unit, tag);
        return;
    }
    if (unit->common.resources.prohibited)
        return;
    if (transfer->flags & CAIRN_UNIT_DATA_ABORTED) /* it is traced like the others (6.8.1) */
        unit->last.aborted = !cairn_etmv2_is_beneath(unit);
    if (unit->common.watches)
        cairn_etmv3_see_transfer(&unit->common.resources, &unit->common.registers.file, transfer);
    start_by_transfer(unit);
    if (unit->tracing && unit->mover.traced)
        trace_transfer(unit, transfer);
    if (unit->mover.pending > 0)
        unit->mover.pending--;
    if (unit->common.watches)
        cairn_etmv2_sample(unit);
}

void cairn_etmv2_unit_data_pending(struct cairn_unit *base, uint32_t transfers)
{
    struct cairn_etmv2_unit *unit = cairn_etmv2_unit(base);

    if (!unit->common.enabled || unit->common.debug || unit->common.resources.prohibited ||
        unit->last.place.isa == CAIRN_ISA_UNKNOWN || cairn_etmv2_is_beneath(unit))
        return;
    unit->mover.pending = transfers;
    unit->mover.several = transfers > 1;
    unit->mover.beneath = false;
}
