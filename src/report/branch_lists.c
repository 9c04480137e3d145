/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/branch_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "capture/arena.h"

static void clear_binary(struct cairn_listed_binary *binary)
{
    free(binary->path);
    free(binary->build_id);
    free(binary->module.symbol);
}

void cairn_branch_lists_clear(struct cairn_branch_lists *lists)
{
    for (size_t i = 0; i < lists->binary_count; i++)
        clear_binary(&lists->binaries[i]);
    free(lists->binaries);
    cairn_table_clear(&lists->by_binary);
    free(lists->lists);
    cairn_table_clear(&lists->by_list);
    free(lists->bytes);
    free(lists->samples);
    free(lists->branches);
    *lists = (struct cairn_branch_lists){0};
}

static int by_number(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

/* --- binaries --- */

static int by_text(const char *one, const char *other)
{
    if (!one || !other)
        return (one != NULL) - (other != NULL);
    return strcmp(one, other);
}

static int by_module(const struct cairn_listed_module *one, const struct cairn_listed_module *other)
{
    int order = by_number(one->first, other->first);

    order = order ? order : by_number(one->end, other->end);
    order = order ? order : by_text(one->symbol, other->symbol);
    order = order ? order : by_number(one->symbol_address, other->symbol_address);
    return order ? order : by_number(one->symbol_size, other->symbol_size);
}

static int by_key(const struct cairn_listed_binary *one, const struct cairn_listed_binary *other)
{
    int order = by_number(one->kind, other->kind);

    order = order ? order : by_text(one->path, other->path);
    order = order ? order : by_text(one->build_id, other->build_id);
    order = order ? order : by_number(one->kernel_start, other->kernel_start);
    order = order ? order : by_number(one->has_module, other->has_module);
    return order ? order : by_module(&one->module, &other->module);
}

static uint32_t hash_text(uint32_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = cairn_table_hash(hash, (uint8_t)*text);
    return hash;
}

/* False: memory is out. */
static bool copy_text(const char *text, char **copy)
{
    *copy = text ? strdup(text) : NULL;
    return *copy || !text;
}

static cairn_status copy_binary(const struct cairn_listed_binary *from,
                                struct cairn_listed_binary *to)
{
    *to = *from;
    const bool has_path = copy_text(from->path, &to->path);
    const bool has_build_id = copy_text(from->build_id, &to->build_id);
    const bool has_symbol = copy_text(from->module.symbol, &to->module.symbol);

    if (has_path && has_build_id && has_symbol)
        return CAIRN_OK;
    clear_binary(to);
    return CAIRN_E_MEMORY;
}

cairn_status cairn_branch_lists_binary(struct cairn_branch_lists *lists,
                                       const struct cairn_listed_binary *wanted, uint32_t *binary)
{
    const uint32_t hash = hash_text(hash_text(0, wanted->path), wanted->build_id);
    size_t at = cairn_table_begin(&lists->by_binary, hash);
    uint32_t item;

    while ((item = cairn_table_next(&lists->by_binary, hash, &at)) != CAIRN_TABLE_NONE)
        if (!by_key(&lists->binaries[item], wanted)) {
            *binary = item;
            return CAIRN_OK;
        }
    if (lists->binary_count == CAIRN_LISTED_BINARIES_MOST)
        return CAIRN_E_LIMIT;
    cairn_status status = cairn_grow((void **)&lists->binaries, lists->binary_count,
                                     &lists->binary_room, sizeof *lists->binaries);
    if (!status)
        status = copy_binary(wanted, &lists->binaries[lists->binary_count]);
    if (status)
        return status;
    *binary = (uint32_t)lists->binary_count++;
    return cairn_table_add(&lists->by_binary, hash, *binary);
}

/* --- lists --- */

static uint64_t add(struct cairn_branch_lists *lists, uint64_t one, uint64_t other)
{
    if (one <= UINT64_MAX - other)
        return one + other;
    lists->is_saturated = true;
    return UINT64_MAX;
}

static size_t bytes_of(uint32_t bits)
{
    return (bits + 7u) / 8u;
}

static uint8_t last_mask(uint32_t bits)
{
    return (uint8_t)(0xff >> (-bits & 7));
}

static uint32_t hash_list(const struct cairn_branch_list *list, const uint8_t *bits)
{
    const size_t size = bytes_of(list->bits);
    uint32_t hash = cairn_table_hash(list->address, (uint64_t)list->binary << 32 | list->bits);

    for (size_t i = 0; i + 1 < size; i++)
        hash = cairn_table_hash((uint64_t)hash << 8 | bits[i], i);
    return cairn_table_hash((uint64_t)hash << 8 | (bits[size - 1] & last_mask(list->bits)), size);
}

static bool is_list(const struct cairn_branch_lists *lists, const struct cairn_branch_list *list,
                    const struct cairn_branch_list *wanted, const uint8_t *bits)
{
    const size_t last = bytes_of(wanted->bits) - 1;
    const uint8_t *const own = lists->bytes + list->at;

    return list->binary == wanted->binary && list->address == wanted->address &&
           list->bits == wanted->bits && !memcmp(own, bits, last) &&
           own[last] == (bits[last] & last_mask(wanted->bits));
}

cairn_status cairn_branch_lists_add(struct cairn_branch_lists *lists,
                                    const struct cairn_branch_list *list, const uint8_t *bits)
{
    uint32_t item;

    if (!list->bits || !list->count)
        return CAIRN_OK;
    const uint32_t hash = hash_list(list, bits);
    const size_t size = bytes_of(list->bits);
    size_t at = cairn_table_begin(&lists->by_list, hash);

    while ((item = cairn_table_next(&lists->by_list, hash, &at)) != CAIRN_TABLE_NONE)
        if (is_list(lists, &lists->lists[item], list, bits)) {
            lists->lists[item].count = add(lists, lists->lists[item].count, list->count);
            return CAIRN_OK;
        }
    if (lists->list_count == CAIRN_LISTED_MOST || list->bits > CAIRN_LISTED_BITS_MOST ||
        lists->byte_count + size > CAIRN_LISTED_BYTES_MOST) {
        lists->left_out = add(lists, lists->left_out, list->count);
        return CAIRN_OK;
    }
    cairn_status status = cairn_enlarge(&lists->bytes, &lists->byte_room, lists->byte_count + size,
                                        sizeof *lists->bytes);
    if (!status)
        status = cairn_grow((void **)&lists->lists, lists->list_count, &lists->list_room,
                            sizeof *lists->lists);
    if (!status)
        status = cairn_table_add(&lists->by_list, hash, (uint32_t)lists->list_count);
    if (status)
        return status;
    struct cairn_branch_list *const made = &lists->lists[lists->list_count++];
    *made = *list;
    made->at = lists->byte_count;
    memcpy(lists->bytes + made->at, bits, size);
    lists->bytes[made->at + size - 1] &= last_mask(list->bits);
    lists->byte_count += size;
    return CAIRN_OK;
}

cairn_status cairn_branch_lists_add_sample(struct cairn_branch_lists *lists,
                                           const struct cairn_listed_sample *sample,
                                           const struct cairn_listed_branch *branches)
{
    if (lists->sample_count == CAIRN_LISTED_MOST ||
        lists->branch_count + sample->count > CAIRN_LISTED_BRANCHES_MOST) {
        lists->left_out = add(lists, lists->left_out, 1);
        return CAIRN_OK;
    }
    cairn_status status =
        cairn_enlarge(&lists->branches, &lists->branch_room, lists->branch_count + sample->count,
                      sizeof *lists->branches);
    if (!status)
        status = cairn_grow((void **)&lists->samples, lists->sample_count, &lists->sample_room,
                            sizeof *lists->samples);
    if (status)
        return status;
    struct cairn_listed_sample *const made = &lists->samples[lists->sample_count++];
    *made = *sample;
    made->first = lists->branch_count;
    if (sample->count)
        memcpy(&lists->branches[made->first], branches, sample->count * sizeof *branches);
    lists->branch_count += sample->count;
    return CAIRN_OK;
}

/* --- several --- */

static struct cairn_listed_end end_of(const struct cairn_listed_end *end, const uint32_t *numbers)
{
    return (struct cairn_listed_end){.binary = end->binary == CAIRN_PGO_NONE ? CAIRN_PGO_NONE
                                                                             : numbers[end->binary],
                                     .address = end->address};
}

static cairn_status merge_sample(struct cairn_branch_lists *lists,
                                 const struct cairn_branch_lists *other,
                                 const struct cairn_listed_sample *sample, const uint32_t *numbers)
{
    const size_t before = lists->branch_count;
    const struct cairn_listed_sample made = {.at = end_of(&sample->at, numbers),
                                             .count = sample->count};
    const cairn_status status = cairn_branch_lists_add_sample(
        lists, &made, sample->count ? &other->branches[sample->first] : NULL);

    for (size_t i = before; i < lists->branch_count; i++) {
        struct cairn_listed_branch *const branch = &lists->branches[i];

        branch->from = end_of(&branch->from, numbers);
        branch->to = end_of(&branch->to, numbers);
    }
    return status;
}

static cairn_status merge_all(struct cairn_branch_lists *lists,
                              const struct cairn_branch_lists *other, uint32_t *numbers)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < other->binary_count && !status; i++)
        status = cairn_branch_lists_binary(lists, &other->binaries[i], &numbers[i]);
    for (size_t i = 0; i < other->list_count && !status; i++) {
        struct cairn_branch_list list = other->lists[i];

        list.binary = numbers[list.binary];
        status = cairn_branch_lists_add(lists, &list, other->bytes + other->lists[i].at);
    }
    for (size_t i = 0; i < other->sample_count && !status; i++)
        status = merge_sample(lists, other, &other->samples[i], numbers);
    return status;
}

cairn_status cairn_branch_lists_merge(struct cairn_branch_lists *lists,
                                      const struct cairn_branch_lists *other)
{
    uint32_t *const numbers = calloc(other->binary_count + 1, sizeof *numbers);

    if (!numbers)
        return CAIRN_E_MEMORY;
    const cairn_status status = merge_all(lists, other, numbers);
    free(numbers);
    lists->left_out = add(lists, lists->left_out, other->left_out);
    lists->is_saturated |= other->is_saturated;
    return status;
}

/* Whether it is still of a binary. */
static bool keep_end(struct cairn_listed_end *end, const bool *kept)
{
    if (end->binary != CAIRN_PGO_NONE && !kept[end->binary])
        *end = (struct cairn_listed_end){.binary = CAIRN_PGO_NONE};
    return end->binary != CAIRN_PGO_NONE;
}

static bool keep_sample(struct cairn_branch_lists *lists, struct cairn_listed_sample *sample,
                        const bool *kept)
{
    bool is_kept = keep_end(&sample->at, kept);

    for (size_t i = sample->first; i < sample->first + sample->count; i++) {
        is_kept |= keep_end(&lists->branches[i].from, kept);
        is_kept |= keep_end(&lists->branches[i].to, kept);
    }
    return is_kept;
}

cairn_status cairn_branch_lists_keep(struct cairn_branch_lists *lists,
                                     bool (*wants)(void *context,
                                                   const struct cairn_listed_binary *binary),
                                     void *context)
{
    bool *const kept = calloc(lists->binary_count + 1, sizeof *kept);
    size_t lists_kept = 0, samples_kept = 0;

    if (!kept)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < lists->binary_count; i++)
        kept[i] = wants(context, &lists->binaries[i]);
    for (size_t i = 0; i < lists->list_count; i++)
        if (kept[lists->lists[i].binary])
            lists->lists[lists_kept++] = lists->lists[i];
    for (size_t i = 0; i < lists->sample_count; i++)
        if (keep_sample(lists, &lists->samples[i], kept))
            lists->samples[samples_kept++] = lists->samples[i];
    free(kept);
    lists->list_count = lists_kept;
    lists->sample_count = samples_kept;
    return CAIRN_OK;
}

/* --- in order --- */

static int by_binary(const void *a, const void *b, void *context)
{
    const struct cairn_branch_lists *const lists = context;

    return by_key(&lists->binaries[*(const uint32_t *)a], &lists->binaries[*(const uint32_t *)b]);
}

static int by_list(const void *a, const void *b, void *context)
{
    const struct cairn_branch_lists *const lists = context;
    const struct cairn_branch_list *const one = a, *const other = b;
    const size_t size = bytes_of(one->bits < other->bits ? one->bits : other->bits);
    int order = by_number(one->binary, other->binary);

    order = order ? order : by_number(one->address, other->address);
    order = order ? order : memcmp(lists->bytes + one->at, lists->bytes + other->at, size);
    return order ? order : by_number(one->bits, other->bits);
}

/* Which number each binary gets: numbers[old] = new. */
static cairn_status sort_binaries(struct cairn_branch_lists *lists, uint32_t *numbers)
{
    const size_t count = lists->binary_count;
    uint32_t *const order = calloc(count + 1, sizeof *order);
    struct cairn_listed_binary *const sorted = calloc(count + 1, sizeof *sorted);

    if (!order || !sorted) {
        free(order);
        free(sorted);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count)
        qsort_r(order, count, sizeof *order, by_binary, lists);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = lists->binaries[order[i]];
        numbers[order[i]] = (uint32_t)i;
    }
    free(order);
    free(lists->binaries);
    lists->binaries = sorted;
    lists->binary_room = count + 1;
    return CAIRN_OK;
}

cairn_status cairn_branch_lists_settle(struct cairn_branch_lists *lists)
{
    uint32_t *const numbers = calloc(lists->binary_count + 1, sizeof *numbers);

    if (!numbers || sort_binaries(lists, numbers)) {
        free(numbers);
        return CAIRN_E_MEMORY;
    }
    cairn_table_clear(&lists->by_binary);
    cairn_table_clear(&lists->by_list);
    for (size_t i = 0; i < lists->list_count; i++)
        lists->lists[i].binary = numbers[lists->lists[i].binary];
    for (size_t i = 0; i < lists->sample_count; i++)
        lists->samples[i].at = end_of(&lists->samples[i].at, numbers);
    for (size_t i = 0; i < lists->branch_count; i++) {
        lists->branches[i].from = end_of(&lists->branches[i].from, numbers);
        lists->branches[i].to = end_of(&lists->branches[i].to, numbers);
    }
    free(numbers);
    if (lists->list_count)
        qsort_r(lists->lists, lists->list_count, sizeof *lists->lists, by_list, lists);
    return CAIRN_OK;
}
