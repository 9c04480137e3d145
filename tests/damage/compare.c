/* SPDX-License-Identifier: BSD-2-Clause */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

enum {
    APART = 20000, /* differences that are looked for one by one */
    T32 = 1,
};

void damage_list_new(size_t capacity, struct damage_list *list)
{
    *list = (struct damage_list){.capacity = capacity,
                                 .address = malloc(capacity * sizeof *list->address),
                                 .offset = malloc(capacity * sizeof *list->offset),
                                 .doubt = malloc(capacity * sizeof *list->doubt)};
    bench_must(list->address && list->offset && list->doubt ? CAIRN_OK : CAIRN_E_MEMORY, NULL,
               "a list");
}

void damage_list_free(struct damage_list *list)
{
    free(list->address);
    free(list->offset);
    free(list->doubt);
}

void damage_list_doubt(struct damage_list *list, uint64_t offset, bool is_gap, unsigned which)
{
    if (list->doubt_count == list->capacity)
        list->full = true;
    else
        list->doubt[list->doubt_count++] = offset << 8 | (is_gap ? 0x80u : 0) | (which & 0x7fu);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool damage_is_told(const struct damage_list *clean, const struct damage_list *damaged)
{
    size_t i = 0;

    qsort(clean->doubt, clean->doubt_count, sizeof *clean->doubt, by_value);
    qsort(damaged->doubt, damaged->doubt_count, sizeof *damaged->doubt, by_value);
    for (size_t k = 0; k < damaged->doubt_count; k++) {
        while (i < clean->doubt_count && clean->doubt[i] < damaged->doubt[k])
            i++;
        if (i == clean->doubt_count || clean->doubt[i++] != damaged->doubt[k])
            return true;
    }
    return false;
}

void damage_list_range(struct damage_list *list, uint64_t offset, uint64_t start, uint64_t end,
                       bool is_t32)
{
    const uint64_t size = is_t32 ? 2 : 4;
    const bool wraps = end - start > UINT32_MAX; /* in AArch32 state */
    const uint64_t bytes = wraps ? (uint32_t)(end - start) : end - start;

    for (uint64_t at = start; at - start < bytes; at += size) {
        if (list->count == list->capacity) {
            list->full = true;
            return;
        }
        list->address[list->count] = at | (is_t32 ? T32 : 0);
        list->offset[list->count++] = offset;
    }
}

/* Length of the shortest edit script (Myers 1986), which needs no more than its furthest points; at
 * most `most`, which stands for more. */
static uint64_t distance(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t most)
{
    const int64_t bound = (int64_t)(n + m < most ? n + m : most);
    int64_t *furthest = calloc((size_t)(2 * bound + 3), sizeof *furthest);
    int64_t found = bound;

    bench_must(furthest ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "comparing");
    int64_t *v = furthest + bound + 1;

    for (int64_t d = 0; d <= bound && found == bound; d++) {
        for (int64_t k = -d; k <= d; k += 2) {
            int64_t x = k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;

            while (x < (int64_t)n && x - k < (int64_t)m && x - k >= 0 && a[x] == b[x - k])
                x++;
            v[k] = x;
            if (x >= (int64_t)n && x - k >= (int64_t)m) {
                found = d;
                break;
            }
        }
    }
    free(furthest);
    return (uint64_t)found;
}

struct damage_cost damage_compare(const struct damage_list *clean,
                                  const struct damage_list *damaged, uint64_t end)
{
    const uint64_t *a = clean->address, *b = damaged->address;
    size_t n = clean->count, m = damaged->count;

    while (n > 0 && clean->offset[n - 1] >= end)
        n--;
    while (n > 0 && m > 0 && *a == *b)
        a++, b++, n--, m--;
    while (n > 0 && m > 0 && a[n - 1] == b[m - 1])
        n--, m--;
    const uint64_t apart = distance(a, n, b, m, APART);

    if (apart >= APART) /* two flows that have little in common */
        return (struct damage_cost){n, m};
    return (struct damage_cost){(apart + n - m) / 2, (apart + m - n) / 2};
}
