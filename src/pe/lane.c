/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/lane.h"

#include <stdlib.h>
#include <string.h>

/* Without any barrier all happens in finite time (R_GTCKK): what waits longer than this does not. */
#define OPERATIONS_MOST 65536u
#define BYTES_MOST (UINT64_C(1) << 20)

struct cairn_operation {
    uint64_t number;
    unsigned kind;
    uint8_t *bytes;
    size_t size;
};

struct cairn_waiting_store {
    uint64_t address, number;
    uint8_t *bytes;
    size_t size;
    uint8_t space;
};

static uint64_t draw(struct cairn_access_lane *lane)
{
    lane->random ^= lane->random << 13;
    lane->random ^= lane->random >> 7;
    lane->random ^= lane->random << 17;
    return lane->random;
}

bool cairn_lane_happens(struct cairn_access_lane *lane, uint64_t times)
{
    return lane->kind == CAIRN_LANE_RANDOM && (draw(lane) >> 20) % times == 0;
}

void *cairn_lane_room(void *list, size_t count, size_t *room, size_t size)
{
    const size_t wanted = *room ? 2 * *room : 16;
    void *more;

    if (count < *room)
        return list;
    more = realloc(list, wanted * size);
    if (more)
        *room = wanted;
    return more;
}

void cairn_lane_free(struct cairn_access_lane *lane)
{
    for (size_t i = 0; i < lane->operation_count; i++)
        free(lane->operations[i].bytes);
    for (size_t i = 0; i < lane->store_count; i++)
        free(lane->stores[i].bytes);
    free(lane->operations);
    free(lane->stores);
    lane->operations = NULL;
    lane->stores = NULL;
    lane->operation_count = lane->store_count = 0;
}

/* --- registers --- */

static void show(struct cairn_access_lane *lane, uint32_t reg)
{
    lane->direct.value[reg] = lane->seen.value[reg];
    cairn_set_remove(&lane->fresh, reg);
    cairn_set_remove(&lane->settled, reg);
}

/* A direct write comes behind what trace operations have written (in the order of coherence). */
static void see(struct cairn_access_lane *lane, uint32_t reg)
{
    lane->seen.value[reg] = lane->direct.value[reg];
    cairn_set_remove(&lane->dirty, reg);
    cairn_set_remove(&lane->fresh, reg);
    cairn_set_remove(&lane->settled, reg);
}

void cairn_lane_set(struct cairn_access_lane *lane, uint32_t reg, uint64_t value)
{
    lane->direct.value[reg] = value;
    see(lane, reg);
}

void cairn_lane_write(struct cairn_access_lane *lane, uint32_t reg, uint64_t value)
{
    lane->direct.value[reg] = value;
    if (lane->kind == CAIRN_LANE_EARLY)
        see(lane, reg);
    else
        cairn_set_add(&lane->dirty, reg);
}

uint64_t cairn_lane_read(struct cairn_access_lane *lane, uint32_t reg)
{
    if (cairn_set_has(&lane->fresh, reg) && !cairn_set_has(&lane->dirty, reg) &&
        (lane->kind == CAIRN_LANE_EARLY || cairn_lane_happens(lane, 2)))
        show(lane, reg);
    return lane->direct.value[reg];
}

void cairn_lane_cse(struct cairn_access_lane *lane)
{
    for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++) {
        for (uint64_t left = lane->dirty.words[word]; left != 0; left &= left - 1)
            see(lane, 64 * word + (uint32_t)__builtin_ctzll(left));
        for (uint64_t left = lane->settled.words[word]; left != 0; left &= left - 1)
            show(lane, 64 * word + (uint32_t)__builtin_ctzll(left));
    }
}

/* --- operations --- */

/* What an operation has changed of `seen`. */
static void note_changes(const struct cairn_access_order *order, struct cairn_access_lane *lane,
                         const struct cairn_pe_registers *before)
{
    for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++)
        for (uint64_t left = order->operation_writes.words[word]; left != 0; left &= left - 1) {
            const uint32_t reg = 64 * word + (uint32_t)__builtin_ctzll(left);

            if (lane->seen.value[reg] == before->value[reg])
                continue;
            cairn_set_add(&lane->fresh, reg);
            if (lane->kind == CAIRN_LANE_EARLY)
                show(lane, reg);
        }
}

void cairn_lane_completed(struct cairn_access_lane *lane, uint32_t reg)
{
    cairn_set_add(&lane->fresh, reg);
    cairn_set_add(&lane->settled, reg);
    if (lane->kind == CAIRN_LANE_EARLY)
        show(lane, reg);
}

static void perform(struct cairn_access_order *order, struct cairn_access_lane *lane,
                    const struct cairn_operation_told *told)
{
    struct cairn_pe_registers before; /* those that an operation may write */

    lane->performing = told->number;
    for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++)
        for (uint64_t left = order->operation_writes.words[word]; left != 0; left &= left - 1) {
            const uint32_t reg = 64 * word + (uint32_t)__builtin_ctzll(left);

            before.value[reg] = lane->seen.value[reg];
        }
    order->operate(order->context, lane, told->kind, told->bytes, told->size);
    note_changes(order, lane, &before);
}

static void perform_first(struct cairn_access_order *order, struct cairn_access_lane *lane,
                          size_t count)
{
    if (count == 0) /* there may be no memory for any yet */
        return;
    for (size_t i = 0; i < count; i++) {
        struct cairn_operation *operation = &lane->operations[i];

        perform(order, lane,
                &(struct cairn_operation_told){operation->number, operation->kind, operation->bytes,
                                               operation->size});
        free(operation->bytes);
    }
    lane->operation_count -= count;
    memmove(lane->operations, lane->operations + count,
            lane->operation_count * sizeof *lane->operations);
}

static bool hold(struct cairn_access_lane *lane, const struct cairn_operation_told *told)
{
    struct cairn_operation *list = cairn_lane_room(lane->operations, lane->operation_count,
                                                   &lane->operation_room, sizeof *list);
    uint8_t *copy;

    if (!list)
        return false;
    lane->operations = list;
    copy = malloc(told->size + 1);
    if (!copy)
        return false;
    if (told->size > 0)
        memcpy(copy, told->bytes, told->size);
    lane->operations[lane->operation_count++] = (struct cairn_operation){
        .number = told->number, .kind = told->kind, .bytes = copy, .size = told->size};
    return true;
}

void cairn_lane_trace(struct cairn_access_order *order, struct cairn_access_lane *lane,
                      const struct cairn_operation_told *told)
{
    if (lane->kind != CAIRN_LANE_EARLY && order->status == CAIRN_OK) {
        if (lane->operation_count >= OPERATIONS_MOST)
            perform_first(order, lane, OPERATIONS_MOST / 2);
        if (hold(lane, told))
            return;
        order->status = CAIRN_E_MEMORY;
    }
    perform_first(order, lane, lane->operation_count);
    perform(order, lane, told);
}

void cairn_lane_tsb(struct cairn_access_order *order, struct cairn_access_lane *lane, uint64_t last)
{
    size_t count = 0;

    while (count < lane->operation_count && lane->operations[count].number <= last)
        count++;
    perform_first(order, lane, count);
    /* Of younger operations nothing has to be visible; those of an older one are, with the next CSE. */
    if (lane->performing <= last)
        for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++)
            lane->settled.words[word] = lane->fresh.words[word];
}

/* --- memory --- */

static void complete_first(struct cairn_access_order *order, struct cairn_access_lane *lane,
                           size_t count)
{
    if (count == 0)
        return;
    const uint8_t space = order->space;

    for (size_t i = 0; i < count; i++) {
        struct cairn_waiting_store *store = &lane->stores[i];

        order->space = store->space;
        order->memory(order->context, lane, store->address, store->bytes, store->size);
        lane->store_bytes -= store->size;
        free(store->bytes);
    }
    order->space = space;
    lane->store_count -= count;
    memmove(lane->stores, lane->stores + count, lane->store_count * sizeof *lane->stores);
}

static bool wait_with(const struct cairn_access_order *order, struct cairn_access_lane *lane,
                      uint64_t address, const uint8_t *bytes, size_t size)
{
    struct cairn_waiting_store *list =
        cairn_lane_room(lane->stores, lane->store_count, &lane->store_room, sizeof *list);
    uint8_t *copy;

    if (!list)
        return false;
    lane->stores = list;
    copy = malloc(size + 1);
    if (!copy)
        return false;
    memcpy(copy, bytes, size);
    lane->stores[lane->store_count++] = (struct cairn_waiting_store){.address = address,
                                                                     .number = lane->performing,
                                                                     .bytes = copy,
                                                                     .size = size,
                                                                     .space = order->space};
    lane->store_bytes += size;
    return true;
}

void cairn_lane_put(struct cairn_access_order *order, struct cairn_access_lane *lane,
                    uint64_t address, const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return;
    if (lane->kind != CAIRN_LANE_EARLY && order->status == CAIRN_OK) {
        while (lane->store_count > 0 && lane->store_bytes + size > BYTES_MOST)
            complete_first(order, lane, 1 + lane->store_count / 2);
        if (wait_with(order, lane, address, bytes, size))
            return;
        order->status = CAIRN_E_MEMORY;
    }
    complete_first(order, lane, lane->store_count);
    order->memory(order->context, lane, address, bytes, size);
}

void cairn_lane_dsb(struct cairn_access_order *order, struct cairn_access_lane *lane, uint64_t last)
{
    size_t count = 0;

    while (count < lane->store_count && lane->stores[count].number <= last)
        count++;
    complete_first(order, lane, count);
}

bool cairn_lane_waits(const struct cairn_access_lane *lane, uint64_t address, uint64_t size,
                      uint64_t *operation, uint64_t *at)
{
    for (size_t i = 0; i < lane->store_count; i++) {
        const struct cairn_waiting_store *store = &lane->stores[i];

        if (store->address + store->size <= address || address + size <= store->address)
            continue;
        *operation = store->number;
        *at = store->address > address ? store->address : address;
        return true;
    }
    return false;
}

void cairn_lane_settle(struct cairn_access_order *order, struct cairn_access_lane *lane)
{
    perform_first(order, lane, lane->operation_count);
    complete_first(order, lane, lane->store_count);
    lane->settled = lane->fresh;
    cairn_lane_cse(lane);
}

/* --- chance --- */

void cairn_lane_step(struct cairn_access_order *order, struct cairn_access_lane *lane)
{
    if (lane->kind != CAIRN_LANE_RANDOM)
        return;
    for (unsigned word = 0; word < CAIRN_ORDER_WORDS; word++) {
        for (uint64_t left = lane->dirty.words[word]; left != 0; left &= left - 1)
            if (cairn_lane_happens(lane, 4))
                see(lane, 64 * word + (uint32_t)__builtin_ctzll(left));
        for (uint64_t left = lane->fresh.words[word] & ~lane->dirty.words[word]; left != 0;
             left &= left - 1)
            if (cairn_lane_happens(lane, 4))
                show(lane, 64 * word + (uint32_t)__builtin_ctzll(left));
    }
    if (lane->operation_count > 0 && cairn_lane_happens(lane, 3))
        perform_first(order, lane, 1 + (size_t)(draw(lane) % lane->operation_count));
    if (lane->store_count > 0 && cairn_lane_happens(lane, 3))
        complete_first(order, lane, 1 + (size_t)(draw(lane) % lane->store_count));
}
