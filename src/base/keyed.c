/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/keyed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS sizeof(uint64_t)
#define VALUES 256u /* of a digit */

static unsigned digit_of(const struct cairn_keyed *one, unsigned digit)
{
    return (unsigned)(one->key >> 8 * digit) & (VALUES - 1);
}

static int compare(const void *left, const void *right)
{
    const struct cairn_keyed *const a = left, *const b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* How many have each value of each digit. */
static void count_values(const struct cairn_keyed *list, size_t count,
                         size_t counts[DIGITS][VALUES])
{
    for (size_t i = 0; i < count; i++)
        for (unsigned digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(&list[i], digit)]++;
}

/* In the order of a digit, those with the same value as they were. */
static void order_by(unsigned digit, size_t counts[VALUES], const struct cairn_keyed *from,
                     size_t count, struct cairn_keyed *to)
{
    size_t begin = 0;

    for (unsigned value = 0; value < VALUES; value++) {
        const size_t values = counts[value];

        counts[value] = begin;
        begin += values;
    }
    for (size_t i = 0; i < count; i++)
        to[counts[digit_of(&from[i], digit)]++] = from[i];
}

/* By the lowest digit first. One that all keys have alike changes nothing: of addresses most are. */
void cairn_keyed_sort(struct cairn_keyed *list, size_t count)
{
    size_t counts[DIGITS][VALUES] = {{0}};
    struct cairn_keyed *const room = count > 1 ? malloc(count * sizeof *room) : NULL;
    struct cairn_keyed *from = list, *to = room;

    if (count > 1 && !room)
        qsort(list, count, sizeof *list, compare);
    if (!room)
        return;
    count_values(list, count, counts);
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        if (counts[digit][digit_of(list, digit)] == count)
            continue;
        order_by(digit, counts[digit], from, count, to);
        struct cairn_keyed *const swap = from;
        from = to;
        to = swap;
    }
    if (from != list)
        memcpy(list, from, count * sizeof *list);
    free(room);
}
