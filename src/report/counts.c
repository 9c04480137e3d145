/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts.h"

#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"

#define N CAIRN_COLUMN_NUMBER
#define T CAIRN_COLUMN_TEXT
#define SUM CAIRN_COLUMN_SUM
#define MODULO CAIRN_COLUMN_MODULO

const struct cairn_counts_schema cairn_counts_schemas[CAIRN_COUNTS_TABLES] = {
    [CAIRN_COUNTS_FLAGS] = {1, 2, false, {N, CAIRN_COLUMN_BITS}},
    [CAIRN_COUNTS_SUMS] = {1, 2, true, {N, SUM}},
    [CAIRN_COUNTS_ARCHS] = {4, 4, false, {N, N, N, N}},
    [CAIRN_COUNTS_OBJECTS] = {1,
                              5,
                              false,
                              {T, CAIRN_COLUMN_LEAST_TEXT, CAIRN_COLUMN_LEAST, CAIRN_COLUMN_LEAST,
                               CAIRN_COLUMN_MOST}},
    [CAIRN_COUNTS_SOURCES] = {7,
                              12,
                              false,
                              {T, N, T, N, N, CAIRN_COLUMN_ARCH, N, SUM, SUM, SUM, SUM, MODULO}},
    [CAIRN_COUNTS_BINARIES] = {2,
                               7,
                               false,
                               {T, T, CAIRN_COLUMN_LEAST, CAIRN_COLUMN_LEAST_TEXT, SUM,
                                CAIRN_COLUMN_LEAST_TEXT, CAIRN_COLUMN_BITS}},
    [CAIRN_COUNTS_REGISTERS] = {4, 4, false, {CAIRN_COLUMN_SOURCE, N, T, N}},
    [CAIRN_COUNTS_ACCOUNTS] = {2,
                               5,
                               false,
                               {CAIRN_COLUMN_SOURCE, N, MODULO, MODULO, CAIRN_COLUMN_BITS}},
    [CAIRN_COUNTS_MEMORY] = {7,
                             7,
                             false,
                             {CAIRN_COLUMN_OBJECT, N, N, N, CAIRN_COLUMN_OBJECT, N, T}},
    [CAIRN_COUNTS_BLOCKS] = {8,
                             13,
                             true,
                             {CAIRN_COLUMN_OBJECT, N, N, N, N, N, N, N, CAIRN_COLUMN_ARCH,
                              CAIRN_COLUMN_BITS, SUM, SUM, SUM}},
    [CAIRN_COUNTS_NODES] = {12,
                            16,
                            false,
                            {N, N, N, N, CAIRN_COLUMN_SOURCE, N, N, CAIRN_COLUMN_OBJECT, N, N,
                             CAIRN_COLUMN_OBJECT, N, CAIRN_COLUMN_LEAST, SUM, SUM, SUM}},
    [CAIRN_COUNTS_MISSING] = {1, 2, true, {N, SUM}},
    [CAIRN_COUNTS_RANGES] = {3, 4, true, {CAIRN_COLUMN_BINARY, N, N, SUM}},
    [CAIRN_COUNTS_ADDRESSES] = {2, 3, true, {CAIRN_COLUMN_BINARY, N, SUM}},
    [CAIRN_COUNTS_BRANCHES] = {6,
                               8,
                               true,
                               {CAIRN_COLUMN_BINARY, N, CAIRN_COLUMN_BINARY, N, N, N, SUM, SUM}},
};

void cairn_counts_clear(struct cairn_counts *counts)
{
    for (size_t i = 0; i < counts->text_count; i++)
        free(counts->texts[i].bytes);
    free(counts->texts);
    cairn_table_clear(&counts->by_text);
    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES; i++)
        free(counts->tables[i].cells);
    *counts = (struct cairn_counts){0};
}

/* --- texts --- */

static uint32_t text_hash(const char *bytes, size_t size)
{
    return (uint32_t)(cairn_counts_checksum((const uint8_t *)bytes, size) >> 32);
}

static int compare_texts(const struct cairn_counts_text *one, const struct cairn_counts_text *other)
{
    const size_t common = one->size < other->size ? one->size : other->size;
    const int order = common ? memcmp(one->bytes, other->bytes, common) : 0;

    return order ? order : (one->size > other->size) - (one->size < other->size);
}

static bool find_text(const struct cairn_counts *counts, const struct cairn_counts_text *wanted,
                      uint32_t hash, uint64_t *text)
{
    size_t at = cairn_table_begin(&counts->by_text, hash);
    uint32_t item;

    while ((item = cairn_table_next(&counts->by_text, hash, &at)) != CAIRN_TABLE_NONE)
        if (compare_texts(&counts->texts[item], wanted) == 0) {
            *text = item;
            return true;
        }
    return false;
}

cairn_status cairn_counts_text(struct cairn_counts *counts, const char *bytes, size_t size,
                               uint64_t *text)
{
    const struct cairn_counts_text wanted = {(char *)(uintptr_t)bytes, size};
    const uint32_t hash = text_hash(bytes, size);

    if (find_text(counts, &wanted, hash, text))
        return CAIRN_OK;
    if (counts->text_count == CAIRN_COUNTS_ROWS_MOST)
        return CAIRN_E_LIMIT;
    char *const copy = malloc(size + 1);
    if (!copy ||
        cairn_grow((void **)&counts->texts, counts->text_count, &counts->text_room,
                   sizeof *counts->texts) ||
        cairn_table_add(&counts->by_text, hash, (uint32_t)counts->text_count)) {
        free(copy);
        return CAIRN_E_MEMORY;
    }
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = 0;
    *text = counts->text_count;
    counts->texts[counts->text_count++] = (struct cairn_counts_text){copy, size};
    return CAIRN_OK;
}

/* --- rows --- */

cairn_status cairn_counts_add(struct cairn_counts *counts, enum cairn_counts_table_id table,
                              const uint64_t *cells)
{
    struct cairn_counts_rows *const rows = &counts->tables[table];
    const size_t size = cairn_counts_schemas[table].columns * sizeof *cells;

    if (rows->count == CAIRN_COUNTS_ROWS_MOST)
        return CAIRN_E_LIMIT;
    if (cairn_grow((void **)&rows->cells, rows->count, &rows->room, size))
        return CAIRN_E_MEMORY;
    memcpy((char *)rows->cells + rows->count++ * size, cells, size);
    return CAIRN_OK;
}

static uint64_t find_number(const struct cairn_counts *counts, enum cairn_counts_table_id table,
                            uint64_t which)
{
    for (size_t i = 0; i < counts->tables[table].count; i++)
        if (cairn_counts_row(counts, table, i)[0] == which)
            return cairn_counts_row(counts, table, i)[1];
    return 0;
}

uint64_t cairn_counts_flag(const struct cairn_counts *counts, enum cairn_counts_flag flag)
{
    return find_number(counts, CAIRN_COUNTS_FLAGS, flag);
}

uint64_t cairn_counts_sum(const struct cairn_counts *counts, enum cairn_counts_sum sum)
{
    return find_number(counts, CAIRN_COUNTS_SUMS, sum);
}

/* A cut of a source as a number that looks like chance (the end of MurmurHash3). */
static uint64_t cut_number(uint64_t at)
{
    at = (at ^ at >> 33) * UINT64_C(0xff51afd7ed558ccd);
    at = (at ^ at >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return at ^ at >> 33;
}

uint64_t cairn_counts_which(uint64_t from, uint64_t to)
{
    return cut_number(to) - cut_number(from);
}

bool cairn_counts_is_whole(const struct cairn_counts *counts, size_t source)
{
    const uint64_t *const row = cairn_counts_row(counts, CAIRN_COUNTS_SOURCES, source);
    const uint64_t size = row[CAIRN_COUNTS_SOURCE_SIZE];

    return row[CAIRN_COUNTS_SOURCE_BYTES] == size &&
           row[CAIRN_COUNTS_SOURCE_WHICH] == cairn_counts_which(0, size);
}

size_t cairn_counts_first_of(const struct cairn_counts *counts, enum cairn_counts_table_id table,
                             uint64_t wanted)
{
    size_t from = 0, until = counts->tables[table].count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (cairn_counts_row(counts, table, middle)[0] < wanted)
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

/* --- in order --- */

struct row_order {
    const uint64_t *cells;
    const struct cairn_counts_schema *schema;
};

static int by_keys(const void *left, const void *right, void *context)
{
    const struct row_order *const order = context;
    const uint64_t *const one = order->cells + *(const size_t *)left * order->schema->columns;
    const uint64_t *const other = order->cells + *(const size_t *)right * order->schema->columns;

    for (unsigned i = 0; i < order->schema->keys; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

/* Whether it still fits. */
static bool add_row(const struct cairn_counts_schema *schema, uint64_t *to, const uint64_t *from)
{
    bool fits = true;

    for (unsigned i = schema->keys; i < schema->columns; i++)
        switch ((enum cairn_counts_column)schema->column[i]) {
        case CAIRN_COLUMN_SUM:
            fits &= to[i] <= UINT64_MAX - from[i];
            to[i] = to[i] <= UINT64_MAX - from[i] ? to[i] + from[i] : UINT64_MAX;
            break;
        case CAIRN_COLUMN_MODULO: to[i] += from[i]; break;
        case CAIRN_COLUMN_ARCH:
        case CAIRN_COLUMN_LEAST:
        case CAIRN_COLUMN_LEAST_TEXT: to[i] = from[i] < to[i] ? from[i] : to[i]; break;
        case CAIRN_COLUMN_MOST: to[i] = from[i] > to[i] ? from[i] : to[i]; break;
        case CAIRN_COLUMN_BITS: to[i] |= from[i]; break;
        default: break;
        }
    return fits;
}

static bool says_something(const struct cairn_counts_schema *schema, const uint64_t *row)
{
    bool any = !schema->needs_sum;

    for (unsigned i = schema->keys; i < schema->columns; i++)
        any |= schema->column[i] == CAIRN_COLUMN_SUM && row[i];
    return any;
}

/* Sorts a table; (*map)[row] is the row that it becomes, to be freed. */
static cairn_status sort_table(struct cairn_counts_rows *rows,
                               const struct cairn_counts_schema *schema, uint64_t **map, bool *fits)
{
    const struct row_order order = {rows->cells, schema};
    const size_t width = schema->columns;
    size_t *const sorted = malloc((rows->count + 1) * sizeof *sorted);
    uint64_t *const made = malloc((rows->count + 1) * width * sizeof *made);
    size_t count = 0;

    *map = malloc((rows->count + 1) * sizeof **map);
    if (!sorted || !made || !*map) {
        free(sorted);
        free(made);
        return CAIRN_E_MEMORY;
    }
    for (size_t i = 0; i < rows->count; i++)
        sorted[i] = i;
    if (rows->count)
        qsort_r(sorted, rows->count, sizeof *sorted, by_keys, (void *)(uintptr_t)&order);
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t *const row = rows->cells + sorted[i] * width;

        if (i && by_keys(&sorted[i - 1], &sorted[i], (void *)(uintptr_t)&order) == 0) {
            *fits &= add_row(schema, made + (count - 1) * width, row);
        } else {
            if (count && !says_something(schema, made + (count - 1) * width))
                count--;
            memcpy(made + count++ * width, row, width * sizeof *row);
        }
        (*map)[sorted[i]] = count - 1;
    }
    if (count && !says_something(schema, made + (count - 1) * width))
        count--;
    free(sorted);
    free(rows->cells);
    *rows = (struct cairn_counts_rows){.cells = made, .count = count, .room = rows->count + 1};
    return CAIRN_OK;
}

/* What is a reference into it becomes one by `map`; `offset`: references are rows and that. */
static void remap(struct cairn_counts *counts, enum cairn_counts_column column, const uint64_t *map,
                  uint64_t offset)
{
    for (unsigned table = 0; table < CAIRN_COUNTS_TABLES; table++) {
        const struct cairn_counts_schema *const schema = &cairn_counts_schemas[table];

        for (unsigned i = 0; i < schema->columns; i++)
            for (size_t row = 0; schema->column[i] == column && row < counts->tables[table].count;
                 row++) {
                uint64_t *const cell = counts->tables[table].cells + row * schema->columns + i;

                if (*cell >= offset)
                    *cell = map[*cell - offset] + offset;
            }
    }
}

static int by_text(const void *left, const void *right, void *context)
{
    const struct cairn_counts_text *const texts = context;

    return compare_texts(&texts[*(const size_t *)left], &texts[*(const size_t *)right]);
}

/* Texts are each there once: only their order changes. */
static cairn_status sort_texts(struct cairn_counts *counts)
{
    const size_t count = counts->text_count;
    size_t *const sorted = malloc((count + 1) * sizeof *sorted);
    uint64_t *const map = calloc(count + 1, sizeof *map);
    struct cairn_counts_text *const made = malloc((count + 1) * sizeof *made);
    cairn_status status = sorted && map && made ? CAIRN_OK : CAIRN_E_MEMORY;

    if (!status) {
        for (size_t i = 0; i < count; i++)
            sorted[i] = i;
        if (count)
            qsort_r(sorted, count, sizeof *sorted, by_text, counts->texts);
        for (size_t i = 0; i < count; i++) {
            made[i] = counts->texts[sorted[i]];
            map[sorted[i]] = i;
        }
        if (count)
            memcpy(counts->texts, made, count * sizeof *made);
        remap(counts, CAIRN_COLUMN_TEXT, map, 0);
        remap(counts, CAIRN_COLUMN_LEAST_TEXT, map, 0);
        cairn_table_clear(&counts->by_text);
    }
    for (size_t i = 0; i < count && !status; i++)
        status =
            cairn_table_add(&counts->by_text,
                            text_hash(counts->texts[i].bytes, counts->texts[i].size), (uint32_t)i);
    free(sorted);
    free(map);
    free(made);
    return status;
}

static cairn_status settle_table(struct cairn_counts *counts, unsigned table, bool *fits)
{
    static const struct {
        uint8_t table, column, offset;
    } references[] = {
        {CAIRN_COUNTS_ARCHS, CAIRN_COLUMN_ARCH, 0},
        {CAIRN_COUNTS_OBJECTS, CAIRN_COLUMN_OBJECT, 1},
        {CAIRN_COUNTS_SOURCES, CAIRN_COLUMN_SOURCE, 0},
        {CAIRN_COUNTS_BINARIES, CAIRN_COLUMN_BINARY, 1},
    };
    uint64_t *map = NULL;
    const cairn_status status =
        sort_table(&counts->tables[table], &cairn_counts_schemas[table], &map, fits);

    for (size_t i = 0; i < sizeof references / sizeof references[0] && !status; i++)
        if (references[i].table == table)
            remap(counts, (enum cairn_counts_column)references[i].column, map,
                  references[i].offset);
    free(map);
    return status;
}

cairn_status cairn_counts_compact(struct cairn_counts *counts, enum cairn_counts_table_id table)
{
    const uint64_t saturated[] = {CAIRN_COUNTS_SATURATED, 1};
    bool fits = true;
    const cairn_status status = settle_table(counts, table, &fits);

    return status || fits ? status : cairn_counts_add(counts, CAIRN_COUNTS_FLAGS, saturated);
}

cairn_status cairn_counts_settle(struct cairn_counts *counts)
{
    const uint64_t saturated[] = {CAIRN_COUNTS_SATURATED, 1};
    bool fits = true;
    cairn_status status = sort_texts(counts);

    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES && !status; i++)
        status = settle_table(counts, i, &fits);
    if (!status && !fits) {
        status = cairn_counts_add(counts, CAIRN_COUNTS_FLAGS, saturated);
        if (!status)
            status = settle_table(counts, CAIRN_COUNTS_FLAGS, &fits);
    }
    counts->settled = 0;
    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES; i++)
        counts->settled += counts->tables[i].count;
    return status;
}

/* --- merged --- */

#define SETTLE_LEAST ((size_t)1 << 16) /* rows */

static cairn_status append_rows(struct cairn_counts *counts, const struct cairn_counts *other,
                                unsigned table, const uint64_t *texts,
                                const size_t before[CAIRN_COUNTS_TABLES])
{
    const struct cairn_counts_schema *const schema = &cairn_counts_schemas[table];
    uint64_t cells[CAIRN_COUNTS_COLUMNS_MOST];
    cairn_status status = CAIRN_OK;

    for (size_t row = 0; row < other->tables[table].count && !status; row++) {
        memcpy(cells, cairn_counts_row(other, (enum cairn_counts_table_id)table, row),
               schema->columns * sizeof *cells);
        for (unsigned i = 0; i < schema->columns; i++)
            switch ((enum cairn_counts_column)schema->column[i]) {
            case CAIRN_COLUMN_TEXT:
            case CAIRN_COLUMN_LEAST_TEXT: cells[i] = texts[cells[i]]; break;
            case CAIRN_COLUMN_ARCH: cells[i] += before[CAIRN_COUNTS_ARCHS]; break;
            case CAIRN_COLUMN_SOURCE: cells[i] += before[CAIRN_COUNTS_SOURCES]; break;
            case CAIRN_COLUMN_OBJECT:
                cells[i] += cells[i] ? before[CAIRN_COUNTS_OBJECTS] : 0;
                break;
            case CAIRN_COLUMN_BINARY:
                cells[i] += cells[i] ? before[CAIRN_COUNTS_BINARIES] : 0;
                break;
            default: break;
            }
        status = cairn_counts_add(counts, (enum cairn_counts_table_id)table, cells);
    }
    return status;
}

cairn_status cairn_counts_merge(struct cairn_counts *counts, const struct cairn_counts *other)
{
    uint64_t *const texts = malloc((other->text_count + 1) * sizeof *texts);
    cairn_status status = texts ? CAIRN_OK : CAIRN_E_MEMORY;
    size_t before[CAIRN_COUNTS_TABLES], rows = 0;

    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES; i++)
        before[i] = counts->tables[i].count;
    for (size_t i = 0; i < other->text_count && !status; i++)
        status = cairn_counts_text(counts, other->texts[i].bytes, other->texts[i].size, &texts[i]);
    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES && !status; i++) {
        status = append_rows(counts, other, i, texts, before);
        rows += counts->tables[i].count;
    }
    free(texts);
    /* so that many take no longer than a few times all of their rows, and no more memory */
    if (!status && rows > SETTLE_LEAST && rows / 2 >= counts->settled)
        status = cairn_counts_settle(counts);
    return status;
}
