/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct accesses and barriers: what software does, in all lanes (lane.c) and for the findings. */
#include "pe/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "pe/lane.h"

/* Stores that software left without a barrier, and that are remembered. */
#define SOFTWARE_MOST 4096u

/* A store of software: what trace writes there is ordered with it by a DSB and a CSE (R_DFHWV). */
struct cairn_software {
    uint64_t address, size, place;
    bool complete; /* a DSB is behind it */
};

/* Stores of trace that lane EARLY has made, and that are remembered. */
#define EARLY_MOST 4096u

/* Memory that trace has been written to, if it was early: if it is late the operation has not even happened. Stores side by
 * side between two Context synchronization events are one, for a barrier orders all of them or none. */
struct cairn_early_store {
    uint64_t address, size;
    uint64_t number; /* of the youngest operation */
};

/* --- findings --- */

static void find(const struct cairn_access_order *order, struct cairn_order_finding finding)
{
    if (!order->tell)
        return;
    finding.place = finding.place ? finding.place : order->place;
    order->tell(order->context, &finding);
}

/* What is missing between an operation and a direct access behind it: the barriers that were not there,
 * in order. */
static uint32_t missing_behind(const struct cairn_access_order *order, uint64_t operation,
                               bool reads)
{
    uint32_t missing = 0;

    if (operation > order->synchronized)
        missing |= CAIRN_PE_MISSES_CSE;
    if (operation > order->drained)
        missing |= CAIRN_PE_MISSES_TSB;
    if (reads)
        missing |= CAIRN_PE_MISSES_CSE2;
    return missing;
}

/* What an operation needs to be complete. */
static uint32_t missing_to_complete(const struct cairn_access_order *order, uint64_t operation)
{
    uint32_t missing = missing_behind(order, operation, false) | CAIRN_PE_MISSES_DSB;

    if (operation <= order->drained && operation > order->drained_prohibited)
        missing |= CAIRN_PE_MISSES_PROHIBITION;
    return missing;
}

/* --- beginning and end --- */

void cairn_order_begin(struct cairn_access_order *order, const enum cairn_lane_kind *lanes,
                       unsigned lane_count, uint64_t seed, const struct cairn_pe_registers *values)
{
    *order = (struct cairn_access_order){.lane_count = lane_count};
    memset(order->operation_bits, 0xff, sizeof order->operation_bits);
    for (uint32_t reg = 0; reg < CAIRN_PE_REGISTERS; reg++)
        cairn_set_add(&order->operation_writes, reg);
    for (unsigned i = 0; i < lane_count; i++) {
        struct cairn_access_lane *lane = &order->lanes[i];

        lane->kind = lanes[i];
        lane->index = i;
        lane->random = seed * CAIRN_GOLDEN + 1;
        lane->direct = lane->seen = *values;
    }
}

void cairn_order_end(struct cairn_access_order *order)
{
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_free(&order->lanes[i]);
    free(order->software);
    order->software = NULL;
    order->software_count = order->software_room = 0;
    free(order->early);
    order->early = NULL;
    order->early_count = order->early_room = 0;
}

/* --- direct accesses --- */

void cairn_order_write(struct cairn_access_order *order, uint32_t reg, uint64_t value)
{
    const uint64_t operation = order->accessed[reg];
    const struct cairn_access_lane *actual = &order->lanes[0];
    const uint64_t before = actual->direct.value[reg];
    const bool differs = (value ^ before) & order->operation_bits[reg];

    if (differs && operation > order->drained)
        find(order, (struct cairn_order_finding){.rule = "R_TSPXF",
                                                 .reg = reg,
                                                 .missing = missing_behind(order, operation, false),
                                                 .since = order->last_place,
                                                 .values = {before, value}});
    else if (differs && operation > order->drained_prohibited)
        find(order, (struct cairn_order_finding){.rule = "R_ZCDDS",
                                                 .reg = reg,
                                                 .missing = CAIRN_PE_MISSES_PROHIBITION,
                                                 .since = order->last_place,
                                                 .values = {before, value}});
    order->write_place[reg] = order->place;
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_write(&order->lanes[i], reg, value);
}

uint64_t cairn_order_read(struct cairn_access_order *order, uint32_t reg)
{
    uint64_t least = 0, most = 0;

    for (unsigned i = 0; i < order->lane_count; i++) {
        const uint64_t value = cairn_lane_read(&order->lanes[i], reg);

        if (i == 0 || value < least)
            least = value;
        if (i == 0 || value > most)
            most = value;
    }
    if (least != most)
        find(order, (struct cairn_order_finding){
                        .rule = "R_VTNCS",
                        .reg = reg,
                        .missing = missing_behind(order, order->written[reg], true),
                        .since = order->last_place,
                        .values = {least, most}});
    return order->lanes[0].direct.value[reg];
}

void cairn_order_set(struct cairn_access_order *order, uint32_t reg, uint64_t value)
{
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_set(&order->lanes[i], reg, value);
}

void cairn_order_depend(struct cairn_access_order *order, uint32_t reg, uint64_t bits,
                        const char *rule)
{
    const struct cairn_access_lane *actual = &order->lanes[0];

    for (unsigned i = 0; i < order->lane_count; i++) {
        const struct cairn_access_lane *lane = &order->lanes[i];

        if (!cairn_set_has(&lane->dirty, reg) ||
            !((lane->seen.value[reg] ^ lane->direct.value[reg]) & bits))
            continue;
        find(order, (struct cairn_order_finding){
                        .rule = rule,
                        .reg = reg,
                        .missing = CAIRN_PE_MISSES_CSE,
                        .since = order->write_place[reg],
                        .values = {lane->seen.value[reg], actual->direct.value[reg]}});
        return;
    }
}

/* --- what is traced --- */

void cairn_order_operation(struct cairn_access_order *order,
                           const struct cairn_register_set *accesses,
                           const struct cairn_register_set *writes, unsigned kind,
                           const uint8_t *bytes, size_t size)
{
    const uint64_t number = ++order->last;

    order->last_place = order->place;
    for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++) {
        for (uint64_t left = accesses->words[word]; left != 0; left &= left - 1) {
            const uint32_t reg = 64 * word + (uint32_t)__builtin_ctzll(left);

            cairn_order_depend(order, reg, order->operation_bits[reg], "R_BFJKD");
            order->accessed[reg] = number;
        }
        for (uint64_t left = writes->words[word]; left != 0; left &= left - 1)
            order->written[64 * word + (uint32_t)__builtin_ctzll(left)] = number;
    }
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_trace(order, &order->lanes[i],
                         &(struct cairn_operation_told){number, kind, bytes, size});
}

void cairn_order_step(struct cairn_access_order *order)
{
    for (unsigned i = 0; i < order->lane_count; i++)
        if (order->lanes[i].kind != CAIRN_LANE_EARLY)
            cairn_lane_step(order, &order->lanes[i]);
}

/* --- barriers --- */

void cairn_order_cse(struct cairn_access_order *order)
{
    size_t kept = 0;

    order->synchronized = order->last;
    order->visible = order->drained;
    for (size_t i = 0; i < order->software_count; i++) /* those behind a DSB are ordered now */
        if (!order->software[i].complete)
            order->software[kept++] = order->software[i];
    order->software_count = kept;
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_cse(&order->lanes[i]);
}

void cairn_order_precede(struct cairn_access_order *order)
{
    order->synchronized = order->last;
}

void cairn_order_tsb(struct cairn_access_order *order, bool prohibited)
{
    order->drained = order->synchronized;
    if (prohibited)
        order->drained_prohibited = order->synchronized;
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_tsb(order, &order->lanes[i], order->synchronized);
}

static void forget_early(struct cairn_access_order *order)
{
    size_t kept = 0;

    for (size_t i = 0; i < order->early_count; i++)
        if (order->early[i].number > order->complete)
            order->early[kept++] = order->early[i];
    order->early_count = kept;
}

void cairn_order_dsb(struct cairn_access_order *order)
{
    order->complete = order->drained_prohibited;
    forget_early(order);
    for (size_t i = 0; i < order->software_count; i++)
        order->software[i].complete = true;
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_dsb(order, &order->lanes[i], order->complete);
}

void cairn_order_settle(struct cairn_access_order *order)
{
    for (unsigned i = 0; i < order->lane_count; i++)
        cairn_lane_settle(order, &order->lanes[i]);
    order->synchronized = order->drained = order->drained_prohibited = order->last;
    order->visible = order->complete = order->last;
    order->software_count = order->early_count = 0;
}

/* --- memory --- */

/* Trace that is written there early, and late is not; or the other way round, where the two are at different places. */
static bool may_be_late(const struct cairn_access_order *order, uint64_t address, uint64_t size,
                        uint64_t *operation, uint64_t *at)
{
    for (unsigned i = 0; i < order->lane_count; i++)
        if (cairn_lane_waits(&order->lanes[i], address, size, operation, at))
            return true;
    for (size_t i = 0; i < order->early_count; i++) {
        const struct cairn_early_store *store = &order->early[i];

        if (store->address + store->size <= address || address + size <= store->address)
            continue;
        *operation = store->number;
        *at = store->address > address ? store->address : address;
        return true;
    }
    return false;
}

void cairn_order_load(struct cairn_access_order *order, uint64_t address, uint64_t size)
{
    uint64_t operation, at;

    if (may_be_late(order, address, size, &operation, &at))
        find(order, (struct cairn_order_finding){.rule = "R_VLWDM",
                                                 .reg = CAIRN_PE_REGISTERS,
                                                 .missing = missing_to_complete(order, operation),
                                                 .address = at,
                                                 .since = order->last_place});
}

/* Of one that cannot be remembered nothing will be found. */
static void note_early(struct cairn_access_order *order, uint64_t address, uint64_t size,
                       uint64_t number)
{
    struct cairn_early_store *last =
        order->early_count > 0 ? &order->early[order->early_count - 1] : NULL;
    struct cairn_early_store *list;

    if (last && last->address + last->size == address && last->number > order->synchronized) {
        last->size += size;
        last->number = number;
        return;
    }
    if (order->early_count == EARLY_MOST) {
        order->early_count /= 2;
        memmove(order->early, order->early + EARLY_MOST - order->early_count,
                order->early_count * sizeof *order->early);
    }
    list = cairn_lane_room(order->early, order->early_count, &order->early_room, sizeof *list);
    if (!list)
        return;
    order->early = list;
    order->early[order->early_count++] =
        (struct cairn_early_store){.address = address, .size = size, .number = number};
}

void cairn_order_store(struct cairn_access_order *order, uint64_t address, const uint8_t *bytes,
                       size_t size)
{
    cairn_order_load(order, address, size); /* it is ordered with trace as a load is */
    if (order->lane_count > 1 && order->software_count < SOFTWARE_MOST) {
        struct cairn_software *list = cairn_lane_room(order->software, order->software_count,
                                                      &order->software_room, sizeof *list);

        if (!list) {
            order->status = CAIRN_E_MEMORY;
            return;
        }
        order->software = list;
        order->software[order->software_count++] =
            (struct cairn_software){.address = address, .size = size, .place = order->place};
    }
    for (unsigned i = 0; i < order->lane_count; i++)
        order->memory(order->context, &order->lanes[i], address, bytes, size);
}

void cairn_order_remap(struct cairn_access_order *order, uint64_t operation, uint64_t address)
{
    uint32_t missing = missing_behind(order, operation, false);

    if (order->lane_count == 1 || operation <= order->drained_prohibited)
        return;
    if (operation <= order->drained)
        missing |= CAIRN_PE_MISSES_PROHIBITION;
    find(order, (struct cairn_order_finding){.rule = "R_MRVPT",
                                             .reg = CAIRN_PE_REGISTERS,
                                             .missing = missing,
                                             .address = address,
                                             .since = order->last_place});
}

void cairn_order_answer(struct cairn_access_order *order, uint64_t operation, uint32_t reg)
{
    if (order->lane_count == 1 || operation <= order->complete)
        return;
    find(order, (struct cairn_order_finding){.rule = "R_NSFRQ",
                                             .reg = reg,
                                             .missing = missing_to_complete(order, operation),
                                             .since = order->last_place});
}

void cairn_order_lose(struct cairn_access_order *order, uint32_t reg)
{
    const uint64_t operation = order->written[reg];
    const uint32_t missing = missing_to_complete(order, operation);

    if (order->lane_count == 1 || operation <= order->complete)
        return;
    find(order, (struct cairn_order_finding){.rule = "R_GTCKK",
                                             .reg = CAIRN_PE_REGISTERS,
                                             .missing = missing,
                                             .address = order->lanes[0].direct.value[reg],
                                             .since = order->last_place});
}

void cairn_lane_store(struct cairn_access_order *order, struct cairn_access_lane *lane,
                      uint64_t address, const uint8_t *bytes, size_t size)
{
    /* Where a lane that is late will write is not known before it does, and then barriers may have come. */
    if (lane->kind == CAIRN_LANE_EARLY)
        for (size_t i = 0; i < order->software_count; i++) {
            const struct cairn_software *store = &order->software[i];

            if (address + size <= store->address || store->address + store->size <= address)
                continue;
            find(order, (struct cairn_order_finding){
                            .rule = "R_DFHWV",
                            .reg = CAIRN_PE_REGISTERS,
                            .missing = store->complete ? CAIRN_PE_MISSES_CSE2
                                                       : CAIRN_PE_MISSES_DSB | CAIRN_PE_MISSES_CSE2,
                            .address = address > store->address ? address : store->address,
                            .place = order->last_place,
                            .since = store->place});
            order->software[i] = order->software[--order->software_count];
            break;
        }
    if (order->lane_count > 1 && lane->index == 1 && size > 0)
        note_early(order, address, size, lane->performing);
    cairn_lane_put(order, lane, address, bytes, size);
}
