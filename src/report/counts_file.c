/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of counts: the word "cairncnt", then numbers of seven bits a byte, the lowest first, of which all but the last
 * byte have bit 7: the version; how many texts there are, each with its length; of each table how many rows. A row
 * begins with how many of its columns are as in the row before, up to the first that differs: of that follows by how
 * much it is more, of the others what they are. At the end stands a checksum (FNV-1a, 8 bytes). There is one way to
 * write the same counts. */
#include "report/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "capture/arena.h"
#include "capture/files.h"

#define MAGIC "cairncnt"
#define MAGIC_SIZE 8u
#define SUM_SIZE 8u
#define LEAST_SIZE (MAGIC_SIZE + 1 + SUM_SIZE)

bool cairn_counts_is_file(const char *path)
{
    char head[MAGIC_SIZE];

    return path && cairn_input_head(path, head, sizeof head) == sizeof head &&
           memcmp(head, MAGIC, MAGIC_SIZE) == 0;
}

/* --- written --- */

struct writing {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

static void put_bytes(struct writing *to, const void *bytes, size_t size)
{
    if (to->failed || !size)
        return;
    if (to->room - to->size < size) {
        const size_t room = (to->room + size) * 2;
        uint8_t *const grown = realloc(to->bytes, room);

        to->failed = !grown;
        if (!grown)
            return;
        to->bytes = grown;
        to->room = room;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_varint(struct writing *to, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;

    for (; value > 0x7f; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    put_bytes(to, bytes, size);
}

static void put_table(struct writing *to, const struct cairn_counts *counts, unsigned table)
{
    static const uint64_t none[CAIRN_COUNTS_COLUMNS_MOST];
    const struct cairn_counts_schema *const schema = &cairn_counts_schemas[table];
    const uint64_t *before = none;

    put_varint(to, counts->tables[table].count);
    for (size_t i = 0; i < counts->tables[table].count; i++) {
        const uint64_t *const row = cairn_counts_row(counts, (enum cairn_counts_table_id)table, i);
        unsigned same = 0;

        while (same + 1 < schema->keys && row[same] == before[same])
            same++;
        put_varint(to, same);
        put_varint(to, row[same] - before[same]);
        for (unsigned column = same + 1; column < schema->columns; column++)
            put_varint(to, row[column]);
        before = row;
    }
}

cairn_status cairn_counts_write(const struct cairn_counts *counts, uint8_t **bytes, size_t *size)
{
    struct writing to = {0};
    uint8_t sum[SUM_SIZE];

    put_bytes(&to, MAGIC, MAGIC_SIZE);
    put_varint(&to, CAIRN_COUNTS_VERSION);
    put_varint(&to, counts->text_count);
    for (size_t i = 0; i < counts->text_count; i++) {
        put_varint(&to, counts->texts[i].size);
        put_bytes(&to, counts->texts[i].bytes, counts->texts[i].size);
    }
    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES; i++)
        put_table(&to, counts, i);
    if (!to.failed) {
        cairn_store_le64(sum, cairn_counts_checksum(to.bytes, to.size));
        put_bytes(&to, sum, sizeof sum);
    }
    if (to.failed) {
        free(to.bytes);
        return CAIRN_E_MEMORY;
    }
    *bytes = to.bytes;
    *size = to.size;
    return CAIRN_OK;
}

/* --- read --- */

struct reading {
    const uint8_t *bytes;
    size_t at, size;
    bool failed; /* there is no such number */
};

static uint64_t take_varint(struct reading *from)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && from->at < from->size; shift += 7) {
        const uint8_t byte = from->bytes[from->at++];

        /* only nine times seven bits and one more fit, and no number ends in an empty byte */
        if ((shift == 63 && byte > 1) || (shift && !byte))
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    from->failed = true;
    return 0;
}

/* How many things of at least `least` bytes follow. */
static size_t take_count(struct reading *from, size_t least)
{
    const uint64_t count = take_varint(from);

    if (count > (from->size - from->at) / least || count > CAIRN_COUNTS_ROWS_MOST)
        from->failed = true;
    return from->failed ? 0 : (size_t)count;
}

static cairn_status take_texts(struct reading *from, struct cairn_counts *counts)
{
    const size_t count = take_count(from, 1);
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count && !from->failed && !status; i++) {
        const uint64_t size = take_varint(from);
        uint64_t text = 0;

        if (from->failed || size > from->size - from->at) {
            from->failed = true;
            break;
        }
        status =
            cairn_counts_text(counts, (const char *)from->bytes + from->at, (size_t)size, &text);
        from->at += (size_t)size;
        from->failed |= !status && text != i;
    }
    return status;
}

static size_t most_of(const struct cairn_counts *counts, enum cairn_counts_column column)
{
    switch (column) {
    case CAIRN_COLUMN_TEXT:
    case CAIRN_COLUMN_LEAST_TEXT: return counts->text_count;
    case CAIRN_COLUMN_ARCH: return counts->tables[CAIRN_COUNTS_ARCHS].count;
    case CAIRN_COLUMN_SOURCE: return counts->tables[CAIRN_COUNTS_SOURCES].count;
    case CAIRN_COLUMN_OBJECT: return counts->tables[CAIRN_COUNTS_OBJECTS].count + 1;
    case CAIRN_COLUMN_BINARY: return counts->tables[CAIRN_COUNTS_BINARIES].count + 1;
    default: return SIZE_MAX;
    }
}

static bool refers_right(const struct cairn_counts *counts,
                         const struct cairn_counts_schema *schema, const uint64_t *row)
{
    bool right = true;

    for (unsigned i = 0; i < schema->columns; i++) {
        const size_t most = most_of(counts, (enum cairn_counts_column)schema->column[i]);

        right &= most == SIZE_MAX || row[i] < most;
    }
    return right;
}

static cairn_status take_table(struct reading *from, struct cairn_counts *counts, unsigned table)
{
    const struct cairn_counts_schema *const schema = &cairn_counts_schemas[table];
    const size_t count = take_count(from, (size_t)2 + schema->columns - schema->keys);
    uint64_t row[CAIRN_COUNTS_COLUMNS_MOST] = {0};
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count && !from->failed && !status; i++) {
        const uint64_t same = take_varint(from);
        const uint64_t more = take_varint(from);

        if (from->failed || same >= schema->keys || (i && !more) || more > UINT64_MAX - row[same]) {
            from->failed = true;
            break;
        }
        row[same] += more;
        for (unsigned column = (unsigned)same + 1; column < schema->columns; column++)
            row[column] = take_varint(from);
        from->failed |= !refers_right(counts, schema, row);
        if (!from->failed)
            status = cairn_counts_add(counts, (enum cairn_counts_table_id)table, row);
    }
    return status;
}

static cairn_status fail_format(struct cairn_error *error, const char *name, const char *what)
{
    return cairn_fail(error, CAIRN_E_FORMAT,
                      "%s: %s. Copy it again, or write it anew with `cairn count`", name, what);
}

cairn_status cairn_counts_read(struct cairn_counts *counts, const char *name, const uint8_t *bytes,
                               size_t size, struct cairn_error *error)
{
    struct reading from = {.bytes = bytes, .at = MAGIC_SIZE, .size = size};
    cairn_status status = CAIRN_OK;

    if (size < MAGIC_SIZE || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: not a file of counts. `cairn count -o FILE CAPTURE` writes one",
                          name);
    const uint64_t version = size < LEAST_SIZE ? 0 : take_varint(&from);
    if (!from.failed && version != CAIRN_COUNTS_VERSION && version != 0)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "%s: counts of version %llu, and this is cairn %s, which reads version "
                          "%u. Take the cairn that wrote it, or count anew with this one",
                          name, (unsigned long long)version, cairn_version(), CAIRN_COUNTS_VERSION);
    if (from.failed || version == 0 ||
        cairn_load_le64(bytes + size - SUM_SIZE) != cairn_counts_checksum(bytes, size - SUM_SIZE))
        return fail_format(error, name, "the counts are cut off or damaged");
    from.size = size - SUM_SIZE;
    status = take_texts(&from, counts);
    for (unsigned i = 0; i < CAIRN_COUNTS_TABLES && !status && !from.failed; i++)
        status = take_table(&from, counts, i);
    if (!status && (from.failed || from.at != from.size))
        return fail_format(error, name, "the counts do not hold together");
    if (status)
        return cairn_fail(error, status, "%s: %s", name, cairn_status_text(status));
    /* one that another program wrote need not be in order */
    status = cairn_counts_settle(counts);
    return status ? cairn_fail(error, status, "%s: %s", name, cairn_status_text(status)) : status;
}

cairn_status cairn_counts_open(struct cairn_counts *counts, const char *path, const char *name,
                               struct cairn_error *error)
{
    uint64_t size = 0;
    int fd = -1;
    cairn_status status = cairn_input_open(path, &fd, &size, error);

    if (status)
        return status;
    uint8_t *const bytes = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (!bytes)
        status = cairn_fail(error, CAIRN_E_MEMORY, "%s: no memory for it", name);
    else if (cairn_input_read(fd, bytes, (size_t)size, 0) != (int64_t)size)
        status = cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", name);
    else
        status = cairn_counts_read(counts, name, bytes, (size_t)size, error);
    cairn_input_close(fd);
    free(bytes);
    return status;
}
