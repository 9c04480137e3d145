/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in an archive, which is made here byte by byte, after APPNOTE.TXT: one that is stored, one that is packed, one that
 * is encrypted, and one behind a comment; and archives that are cut, or damaged in any byte, which give files that are in
 * them, if any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/stored.h"

enum { ROOM = 1024 };

struct bytes {
    uint8_t data[ROOM];
    size_t size;
};

static void put(struct bytes *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes->data[bytes->size++] = (uint8_t)(value >> 8 * i);
}

static void put_text(struct bytes *bytes, const char *text)
{
    memcpy(bytes->data + bytes->size, text, strlen(text));
    bytes->size += strlen(text);
}

struct entry {
    const char *name;
    unsigned flags, method, extra, comment;
    size_t packed, size;
    size_t header, data; /* where they are */
};

static const struct entry entries[] = {
    {.name = "a/packed", .method = 8, .packed = 5, .size = 9},
    {.name = "a/stored", .extra = 7, .packed = 20, .size = 20},
    {.name = "a/secret", .flags = 1, .packed = 20, .size = 20},
    {.name = "a/empty"},
    {.name = "last", .comment = 3, .packed = 3, .size = 3},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void put_header(struct bytes *bytes, struct entry *entry)
{
    entry->header = bytes->size;
    put(bytes, 0x04034b50, 4);
    put(bytes, 20, 2); /* version */
    put(bytes, entry->flags, 2);
    put(bytes, entry->method, 2);
    put(bytes, 0, 8); /* time, date, CRC */
    put(bytes, entry->packed, 4);
    put(bytes, entry->size, 4);
    put(bytes, strlen(entry->name), 2);
    put(bytes, entry->extra, 2);
    put_text(bytes, entry->name);
    put(bytes, 0, entry->extra);
    entry->data = bytes->size;
    for (size_t i = 0; i < entry->packed; i++)
        put(bytes, i + 1, 1);
}

static void put_entry(struct bytes *bytes, const struct entry *entry)
{
    put(bytes, 0x02014b50, 4);
    put(bytes, 20, 2); /* made by */
    put(bytes, 20, 2);
    put(bytes, entry->flags, 2);
    put(bytes, entry->method, 2);
    put(bytes, 0, 8);
    put(bytes, entry->packed, 4);
    put(bytes, entry->size, 4);
    put(bytes, strlen(entry->name), 2);
    put(bytes, 0, 2); /* extra */
    put(bytes, entry->comment, 2);
    put(bytes, 0, 8); /* disk, attributes */
    put(bytes, entry->header, 4);
    put_text(bytes, entry->name);
    put(bytes, 0, entry->comment);
}

static void make(struct bytes *bytes, struct entry *made, const char *comment)
{
    bytes->size = 0;
    memcpy(made, entries, sizeof entries);
    for (size_t i = 0; i < ENTRIES; i++)
        put_header(bytes, &made[i]);
    const size_t list = bytes->size;
    for (size_t i = 0; i < ENTRIES; i++)
        put_entry(bytes, &made[i]);
    const size_t list_size = bytes->size - list;
    put(bytes, 0x06054b50, 4);
    put(bytes, 0, 4); /* disks */
    put(bytes, ENTRIES, 2);
    put(bytes, ENTRIES, 2);
    put(bytes, list_size, 4);
    put(bytes, list, 4);
    put(bytes, strlen(comment), 2);
    put_text(bytes, comment);
}

static void found(void **unused)
{
    static const char *const comments[] = {"", "PK\5\6 and more than twenty-two bytes of it"};
    (void)unused;

    for (size_t n = 0; n < 2; n++) {
        struct bytes bytes;
        struct entry made[ENTRIES];
        struct cairn_stored stored;

        make(&bytes, made, comments[n]);
        for (size_t i = 0; i < ENTRIES; i++) {
            const bool is_stored = i == 1 || i == 4;

            assert_int_equal(cairn_stored_find(bytes.data, bytes.size, made[i].name, &stored),
                             is_stored);
            if (!is_stored) {
                assert_false(cairn_stored_at(bytes.data, bytes.size, made[i].data, &stored));
                continue;
            }
            assert_int_equal(stored.offset, made[i].data);
            assert_int_equal(stored.size, made[i].size);
            for (size_t at = 0; at < made[i].size; at++) {
                assert_true(cairn_stored_at(bytes.data, bytes.size, made[i].data + at, &stored));
                assert_int_equal(stored.offset, made[i].data);
                assert_int_equal(stored.name_length, strlen(made[i].name));
                assert_memory_equal(stored.name, made[i].name, stored.name_length);
            }
            assert_false(cairn_stored_at(bytes.data, bytes.size, made[i].data - 1, &stored));
            assert_false(
                cairn_stored_at(bytes.data, bytes.size, made[i].data + made[i].size, &stored));
        }
        assert_false(cairn_stored_find(bytes.data, bytes.size, "a/store", &stored));
        assert_false(cairn_stored_find(bytes.data, bytes.size, "stored", &stored));
    }
}

/* Where a sanitizer looks, bytes behind the end are those of nobody. */
static void ask(const struct bytes *bytes, size_t size)
{
    uint8_t *const own = malloc(size + !size);
    struct cairn_stored stored;

    assert_non_null(own);
    memcpy(own, bytes->data, size);
    for (size_t i = 0; i < ENTRIES; i++)
        if (cairn_stored_find(own, size, entries[i].name, &stored))
            assert_true(stored.size && stored.offset <= size &&
                        stored.size <= size - stored.offset);
    for (size_t at = 0; at < size; at += 7)
        if (cairn_stored_at(own, size, at, &stored)) {
            assert_true(at - stored.offset < stored.size && stored.size <= size - stored.offset);
            assert_true((const uint8_t *)stored.name >= own &&
                        (const uint8_t *)stored.name + stored.name_length <= own + size);
        }
    free(own);
}

static void damaged(void **unused)
{
    static const uint8_t others[] = {0, 1, 0x7f, 0x80, 0xff};
    struct entry made[ENTRIES];
    struct bytes bytes;
    (void)unused;

    make(&bytes, made, "");
    for (size_t size = 0; size <= bytes.size; size++)
        ask(&bytes, size);
    for (size_t i = 0; i < bytes.size; i++)
        for (size_t n = 0; n < sizeof others; n++) {
            const uint8_t was = bytes.data[i];

            bytes.data[i] = others[n];
            ask(&bytes, bytes.size);
            bytes.data[i] = was;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found), cmocka_unit_test(damaged)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
