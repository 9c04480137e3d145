/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/pgo.h"

#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "image/elf.h"

/* Lists that are that long are counted together before they grow. */
#define COMPACT_FIRST ((size_t)1 << 16)
/* Longer rows between two branches of a sample are no rows: something between them was not recorded. */
#define ROW_MOST (UINT64_C(1) << 20)

void cairn_pgo_clear(struct cairn_pgo *pgo)
{
    for (size_t i = 0; i < pgo->binary_count; i++) {
        struct cairn_pgo_binary *const binary = &pgo->binaries[i];

        if (binary->owns_code)
            cairn_file_close(binary->code);
        if (binary->owns_file)
            cairn_file_close(binary->file);
        free(binary->path);
        free(binary->build_id);
        free(binary->file_path);
    }
    free(pgo->binaries);
    free(pgo->ranges);
    free(pgo->addresses);
    free(pgo->branches);
    memset(pgo, 0, sizeof *pgo);
}

/* --- binaries --- */

static int compare_ids(const char *one, const char *other)
{
    if (!one || !other)
        return !one - !other;
    return strcmp(one, other);
}

cairn_status cairn_pgo_binary(struct cairn_pgo *pgo, const char *path, const char *build_id,
                              uint32_t *binary)
{
    for (size_t i = 0; i < pgo->binary_count; i++)
        if (!strcmp(pgo->binaries[i].path, path) &&
            !compare_ids(pgo->binaries[i].build_id, build_id)) {
            *binary = (uint32_t)i;
            return CAIRN_OK;
        }
    if (pgo->binary_count == CAIRN_PGO_BINARIES_MOST)
        return CAIRN_E_LIMIT;
    if (cairn_grow((void **)&pgo->binaries, pgo->binary_count, &pgo->binary_room,
                   sizeof *pgo->binaries))
        return CAIRN_E_MEMORY;
    struct cairn_pgo_binary *const made = &pgo->binaries[pgo->binary_count];
    *made = (struct cairn_pgo_binary){
        .path = strdup(path), .build_id = build_id ? strdup(build_id) : NULL, .chosen = true};
    if (!made->path || (build_id && !made->build_id)) {
        free(made->path);
        free(made->build_id);
        return CAIRN_E_MEMORY;
    }
    *binary = (uint32_t)pgo->binary_count++;
    return CAIRN_OK;
}

bool cairn_pgo_open(struct cairn_pgo *pgo, struct cairn_pgo_binary *binary, const char *path)
{
    if (cairn_file_open(path, &binary->file, NULL))
        return false;
    binary->owns_file = true;
    binary->file->folders = &pgo->folders;
    binary->file->origin = strdup(binary->path); /* without it less is found */
    return true;
}

void cairn_pgo_find_code(struct cairn_pgo_binary *binary, const char *path, bool is_known)
{
    struct cairn_file *file = NULL;

    if (!binary->code && cairn_elf_has_code(binary->file))
        binary->code = binary->file;
    if (binary->code || !path || cairn_file_open(path, &file, NULL))
        return;
    char *const build_id = is_known ? NULL : cairn_elf_build_id(file);
    char *const wanted = is_known ? NULL : cairn_elf_build_id(binary->file);
    if (cairn_elf_has_code(file) &&
        (is_known || (build_id && wanted && !strcmp(build_id, wanted)))) {
        binary->code = file;
        binary->owns_code = true;
    } else {
        cairn_file_close(file);
    }
    free(build_id);
    free(wanted);
}

/* --- orders --- */

static int by_number(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

static int by_range(const void *a, const void *b)
{
    const struct cairn_pgo_range *const one = a, *const other = b;
    int order = by_number(one->binary, other->binary);

    order = order ? order : by_number(one->first, other->first);
    return order ? order : by_number(one->last, other->last);
}

static int by_address(const void *a, const void *b)
{
    const struct cairn_pgo_address *const one = a, *const other = b;
    const int order = by_number(one->binary, other->binary);

    return order ? order : by_number(one->address, other->address);
}

static int by_branch(const void *a, const void *b)
{
    const struct cairn_pgo_branch *const one = a, *const other = b;
    int order = by_number(one->from_binary, other->from_binary);

    order = order ? order : by_number(one->from, other->from);
    order = order ? order : by_number(one->to_binary, other->to_binary);
    order = order ? order : by_number(one->to, other->to);
    order = order ? order : by_number(one->has_target, other->has_target);
    return order ? order : by_number(one->is_indirect, other->is_indirect);
}

static uint64_t sum(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

static void compact_ranges(struct cairn_pgo *pgo)
{
    size_t kept = 0;

    if (!pgo->range_count)
        return;
    qsort(pgo->ranges, pgo->range_count, sizeof *pgo->ranges, by_range);
    for (size_t i = 1; i < pgo->range_count; i++)
        if (by_range(&pgo->ranges[kept], &pgo->ranges[i]) == 0)
            pgo->ranges[kept].count = sum(pgo->ranges[kept].count, pgo->ranges[i].count);
        else
            pgo->ranges[++kept] = pgo->ranges[i];
    pgo->range_count = kept + 1;
}

static void compact_addresses(struct cairn_pgo *pgo)
{
    size_t kept = 0;

    if (!pgo->address_count)
        return;
    qsort(pgo->addresses, pgo->address_count, sizeof *pgo->addresses, by_address);
    for (size_t i = 1; i < pgo->address_count; i++)
        if (by_address(&pgo->addresses[kept], &pgo->addresses[i]) == 0)
            pgo->addresses[kept].count = sum(pgo->addresses[kept].count, pgo->addresses[i].count);
        else
            pgo->addresses[++kept] = pgo->addresses[i];
    pgo->address_count = kept + 1;
}

static void compact_branches(struct cairn_pgo *pgo)
{
    size_t kept = 0;

    if (!pgo->branch_count)
        return;
    qsort(pgo->branches, pgo->branch_count, sizeof *pgo->branches, by_branch);
    for (size_t i = 1; i < pgo->branch_count; i++) {
        struct cairn_pgo_branch *const last = &pgo->branches[kept];

        if (by_branch(last, &pgo->branches[i]) == 0) {
            last->count = sum(last->count, pgo->branches[i].count);
            last->mispredicted = sum(last->mispredicted, pgo->branches[i].mispredicted);
        } else {
            pgo->branches[++kept] = pgo->branches[i];
        }
    }
    pgo->branch_count = kept + 1;
}

/* --- what is added --- */

/* Room for one more item. A list grows where counting together what is the same has not made much room. */
static cairn_status make_room(struct cairn_pgo *pgo, void (*compact)(struct cairn_pgo *pgo),
                              void **list, size_t *count, size_t *room, size_t size)
{
    if (*count < *room)
        return CAIRN_OK;
    if (*count >= COMPACT_FIRST) {
        compact(pgo);
        if (*count <= *room / 4 * 3)
            return CAIRN_OK;
    }
    return cairn_grow(list, *room, room, size);
}

cairn_status cairn_pgo_add_range(struct cairn_pgo *pgo, const struct cairn_pgo_range *range)
{
    const cairn_status status = make_room(pgo, compact_ranges, (void **)&pgo->ranges,
                                          &pgo->range_count, &pgo->range_room, sizeof *pgo->ranges);

    if (!status)
        pgo->ranges[pgo->range_count++] = *range;
    return status;
}

cairn_status cairn_pgo_add_address(struct cairn_pgo *pgo, const struct cairn_pgo_address *address)
{
    const cairn_status status =
        make_room(pgo, compact_addresses, (void **)&pgo->addresses, &pgo->address_count,
                  &pgo->address_room, sizeof *pgo->addresses);

    if (!status)
        pgo->addresses[pgo->address_count++] = *address;
    return status;
}

cairn_status cairn_pgo_add_branch(struct cairn_pgo *pgo, const struct cairn_pgo_branch *branch)
{
    const cairn_status status =
        make_room(pgo, compact_branches, (void **)&pgo->branches, &pgo->branch_count,
                  &pgo->branch_room, sizeof *pgo->branches);

    if (!status)
        pgo->branches[pgo->branch_count++] = *branch;
    return status;
}

/* --- samples --- */

static cairn_status add_taken(struct cairn_pgo *pgo, const struct cairn_pgo_taken *taken)
{
    if (taken->from.binary == CAIRN_PGO_NONE && taken->to.binary == CAIRN_PGO_NONE)
        return CAIRN_OK;
    return cairn_pgo_add_branch(pgo, &(struct cairn_pgo_branch){
                                         .from_binary = taken->from.binary,
                                         .to_binary = taken->to.binary,
                                         .from = taken->from.address,
                                         .to = taken->to.address,
                                         .count = 1,
                                         .mispredicted = taken->mispredicted,
                                         .has_target = taken->to.binary != CAIRN_PGO_NONE,
                                     });
}

static cairn_status add_row(struct cairn_pgo *pgo, const struct cairn_pgo_end *first,
                            const struct cairn_pgo_end *last)
{
    if (first->binary == CAIRN_PGO_NONE || first->binary != last->binary ||
        last->address < first->address || last->address - first->address > ROW_MOST)
        return CAIRN_OK;
    pgo->binaries[first->binary].executed += last->address - first->address;
    return cairn_pgo_add_range(pgo, &(struct cairn_pgo_range){.binary = first->binary,
                                                              .first = first->address,
                                                              .last = last->address,
                                                              .count = 1});
}

cairn_status cairn_pgo_add_stack(struct cairn_pgo *pgo, const struct cairn_pgo_stack *stack)
{
    cairn_status status = CAIRN_OK;

    if (stack->at.binary != CAIRN_PGO_NONE)
        status = cairn_pgo_add_address(
            pgo, &(struct cairn_pgo_address){
                     .binary = stack->at.binary, .address = stack->at.address, .count = 1});
    for (size_t i = 0; i < stack->count && !status; i++) {
        const struct cairn_pgo_taken *const taken = &stack->taken[i];

        status = add_taken(pgo, taken);
        /* what comes from nowhere that is known is the end of an interrupt, as a rule: no beginning of a row */
        if (!status && i && taken->from.binary != CAIRN_PGO_NONE)
            status = add_row(pgo, &taken->to, &taken[-1].from);
    }
    return status;
}

/* --- in order --- */

static int by_binary(const void *a, const void *b)
{
    const struct cairn_pgo_binary *const one = a, *const other = b;
    const int order = strcmp(one->path, other->path);

    return order ? order : compare_ids(one->build_id, other->build_id);
}

static uint32_t number_of(const struct cairn_pgo *pgo, const uint32_t *numbers, uint32_t binary)
{
    return binary < pgo->binary_count ? numbers[binary] : CAIRN_PGO_NONE;
}

/* Which number each binary gets; NULL: memory is short. */
static uint32_t *sort_binaries(struct cairn_pgo *pgo)
{
    const size_t count = pgo->binary_count;
    struct cairn_pgo_binary *const before = malloc((count + 1) * sizeof *before);
    uint32_t *const numbers = calloc(count + 1, sizeof *numbers);

    if (before && numbers && count) {
        memcpy(before, pgo->binaries, count * sizeof *before);
        qsort(pgo->binaries, count, sizeof *pgo->binaries, by_binary);
        for (size_t i = 0; i < count; i++) {
            const struct cairn_pgo_binary *const found =
                bsearch(&before[i], pgo->binaries, count, sizeof *found, by_binary);

            numbers[i] = found ? (uint32_t)(found - pgo->binaries) : CAIRN_PGO_NONE;
        }
    }
    free(before);
    if (before && numbers)
        return numbers;
    free(numbers);
    return NULL;
}

cairn_status cairn_pgo_settle(struct cairn_pgo *pgo)
{
    uint32_t *const numbers = sort_binaries(pgo);

    if (!numbers)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < pgo->range_count; i++)
        pgo->ranges[i].binary = number_of(pgo, numbers, pgo->ranges[i].binary);
    for (size_t i = 0; i < pgo->address_count; i++)
        pgo->addresses[i].binary = number_of(pgo, numbers, pgo->addresses[i].binary);
    for (size_t i = 0; i < pgo->branch_count; i++) {
        struct cairn_pgo_branch *const branch = &pgo->branches[i];

        branch->from_binary = number_of(pgo, numbers, branch->from_binary);
        branch->to_binary = number_of(pgo, numbers, branch->to_binary);
    }
    free(numbers);
    compact_ranges(pgo);
    compact_addresses(pgo);
    compact_branches(pgo);
    return CAIRN_OK;
}

/* All three lists begin with the binary. */
static size_t slice(const void *list, size_t all, size_t size, uint32_t binary, size_t *count)
{
    size_t bounds[2];

    for (unsigned which = 0; which < 2; which++) {
        size_t from = 0, until = all;

        while (from < until) {
            const size_t middle = from + (until - from) / 2;
            uint32_t at;

            memcpy(&at, (const char *)list + middle * size, sizeof at);
            if (at < binary || (which && at == binary))
                from = middle + 1;
            else
                until = middle;
        }
        bounds[which] = from;
    }
    *count = bounds[1] - bounds[0];
    return bounds[0];
}

_Static_assert(offsetof(struct cairn_pgo_range, binary) == 0 &&
                   offsetof(struct cairn_pgo_address, binary) == 0 &&
                   offsetof(struct cairn_pgo_branch, from_binary) == 0,
               "the binary comes first");

size_t cairn_pgo_ranges_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count)
{
    return slice(pgo->ranges, pgo->range_count, sizeof *pgo->ranges, binary, count);
}

size_t cairn_pgo_addresses_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count)
{
    return slice(pgo->addresses, pgo->address_count, sizeof *pgo->addresses, binary, count);
}

size_t cairn_pgo_branches_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count)
{
    return slice(pgo->branches, pgo->branch_count, sizeof *pgo->branches, binary, count);
}
