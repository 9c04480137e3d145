/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/spread.h"

#include <stdlib.h>

enum { SPREAD_FIRST = 64 };

void cairn_spread_free(struct cairn_spread *spread)
{
    free(spread->values);
    cairn_table_clear(&spread->table);
    *spread = (struct cairn_spread){0};
}

static uint64_t round_off(const struct cairn_spread *spread, uint64_t value)
{
    const unsigned bits = value ? 64u - (unsigned)__builtin_clzll(value) : 0;
    const uint64_t cut =
        bits > CAIRN_SPREAD_BITS ? (UINT64_C(1) << (bits - CAIRN_SPREAD_BITS)) - 1 : 0;

    if (!spread->rounds_up)
        return value & ~cut;
    return value > UINT64_MAX - cut ? UINT64_MAX : (value + cut) & ~cut;
}

/* Rounded values are none that there was not. */
static uint64_t clamped(const struct cairn_spread *spread, uint64_t value)
{
    if (value < spread->least)
        return spread->least;
    return value > spread->greatest ? spread->greatest : value;
}

static cairn_status add_counted(struct cairn_spread *spread, uint64_t value, uint64_t count)
{
    const uint32_t hash = cairn_table_hash(value, 0);
    size_t at = cairn_table_begin(&spread->table, hash);
    uint32_t item;

    while ((item = cairn_table_next(&spread->table, hash, &at)) != CAIRN_TABLE_NONE)
        if (spread->values[item].value == value) {
            spread->values[item].count += count;
            return CAIRN_OK;
        }
    if (spread->value_count == spread->capacity) {
        const uint32_t wanted = spread->capacity ? spread->capacity * 2 : SPREAD_FIRST;
        struct cairn_spread_value *grown = realloc(spread->values, wanted * sizeof *grown);

        if (!grown)
            return CAIRN_E_MEMORY;
        spread->values = grown;
        spread->capacity = wanted;
    }
    spread->values[spread->value_count] = (struct cairn_spread_value){value, count};
    return cairn_table_add(&spread->table, hash, spread->value_count++);
}

/* There are too many different values. */
static cairn_status coarsen(struct cairn_spread *spread)
{
    struct cairn_spread_value *const old = spread->values;
    const uint32_t count = spread->value_count;
    cairn_status status = CAIRN_OK;

    spread->is_rounded = true;
    spread->values = NULL;
    spread->value_count = spread->capacity = 0;
    cairn_table_clear(&spread->table);
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_counted(spread, round_off(spread, old[i].value), old[i].count);
    free(old);
    return status;
}

cairn_status cairn_spread_add(struct cairn_spread *spread, uint64_t value)
{
    cairn_status status = CAIRN_OK;

    if (spread->count == 0 || value < spread->least)
        spread->least = value;
    if (value > spread->greatest)
        spread->greatest = value;
    spread->count++;
    spread->sum += (double)value;
    if (spread->value_count >= CAIRN_SPREAD_MAX && !spread->is_rounded)
        status = coarsen(spread);
    return status ? status
                  : add_counted(spread, spread->is_rounded ? round_off(spread, value) : value, 1);
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t one = ((const struct cairn_spread_value *)a)->value;
    const uint64_t other = ((const struct cairn_spread_value *)b)->value;

    return one < other ? -1 : one > other;
}

void cairn_spread_sort(struct cairn_spread *spread)
{
    if (spread->value_count)
        qsort(spread->values, spread->value_count, sizeof *spread->values, compare_values);
    cairn_table_clear(&spread->table);
}

uint64_t cairn_spread_at(const struct cairn_spread *spread, unsigned thousandths)
{
    const uint64_t whole = spread->count / 1000 * thousandths;
    const uint64_t rank = whole + (spread->count % 1000 * thousandths + 999) / 1000;
    uint64_t seen = 0;

    for (uint32_t i = 0; i < spread->value_count; i++) {
        seen += spread->values[i].count;
        if (seen >= rank && seen)
            return clamped(spread, spread->values[i].value);
    }
    return 0;
}

double cairn_spread_mean(const struct cairn_spread *spread)
{
    return spread->count ? spread->sum / (double)spread->count : 0;
}

uint64_t cairn_spread_between(const struct cairn_spread *spread, uint64_t first, uint64_t end)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < spread->value_count; i++) {
        const uint64_t value = clamped(spread, spread->values[i].value);

        if (value >= first && (end == 0 || value < end))
            count += spread->values[i].count;
    }
    return count;
}
