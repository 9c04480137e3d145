/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout is that of PKWARE's APPNOTE.TXT: an end record, which tells where the list of files is, and in front of each
 * file a header of its own. */
#include "image/stored.h"

#include <string.h>

#include "base/bytes.h"

#define END_SIGNATURE 0x06054b50u
enum { END_AT_LIST_SIZE = 12, END_AT_LIST = 16, END_AT_COMMENT = 20, END_SIZE = 22 };
#define COMMENT_MOST 0xffffu

#define ENTRY_SIGNATURE 0x02014b50u
enum {
    ENTRY_AT_FLAGS = 8,
    ENTRY_AT_METHOD = 10,
    ENTRY_AT_PACKED = 20,
    ENTRY_AT_SIZE = 24,
    ENTRY_AT_NAME_LENGTH = 28,
    ENTRY_AT_EXTRA_LENGTH = 30,
    ENTRY_AT_COMMENT_LENGTH = 32,
    ENTRY_AT_HEADER = 42,
    ENTRY_SIZE = 46,
};
#define IS_ENCRYPTED 1u
#define METHOD_STORED 0u

#define HEADER_SIGNATURE 0x04034b50u
enum { HEADER_AT_NAME_LENGTH = 26, HEADER_AT_EXTRA_LENGTH = 28, HEADER_SIZE = 30 };

/* What is left of the list. */
struct list {
    const uint8_t *archive;
    size_t size;
    size_t at, end;
};

static bool begins_with(const uint8_t *archive, size_t size, size_t at, size_t length,
                        uint32_t signature)
{
    return at <= size && length <= size - at && cairn_load_le32(archive + at) == signature;
}

static bool find_list(const uint8_t *archive, size_t size, struct list *list)
{
    const size_t furthest = size > END_SIZE + COMMENT_MOST ? size - END_SIZE - COMMENT_MOST : 0;

    for (size_t at = size < END_SIZE ? 0 : size - END_SIZE + 1; at-- > furthest;) {
        if (!begins_with(archive, size, at, END_SIZE, END_SIGNATURE) ||
            cairn_load_le16(archive + at + END_AT_COMMENT) != size - at - END_SIZE)
            continue;
        const size_t from = cairn_load_le32(archive + at + END_AT_LIST);
        const size_t length = cairn_load_le32(archive + at + END_AT_LIST_SIZE);

        *list = (struct list){archive, size, from, from + length};
        return from <= at && length <= at - from;
    }
    return false;
}

/* Where the bytes of an entry are; false: they are none that are stored. */
static bool take(const struct list *list, const uint8_t *entry, struct cairn_stored *stored)
{
    const size_t header = cairn_load_le32(entry + ENTRY_AT_HEADER);

    if ((cairn_load_le16(entry + ENTRY_AT_FLAGS) & IS_ENCRYPTED) ||
        cairn_load_le16(entry + ENTRY_AT_METHOD) != METHOD_STORED ||
        !begins_with(list->archive, list->size, header, HEADER_SIZE, HEADER_SIGNATURE))
        return false;
    const size_t at = header + HEADER_SIZE +
                      cairn_load_le16(list->archive + header + HEADER_AT_NAME_LENGTH) +
                      cairn_load_le16(list->archive + header + HEADER_AT_EXTRA_LENGTH);

    *stored = (struct cairn_stored){
        .offset = at,
        .size = cairn_load_le32(entry + ENTRY_AT_SIZE),
        .name = (const char *)entry + ENTRY_SIZE,
        .name_length = cairn_load_le16(entry + ENTRY_AT_NAME_LENGTH),
    };
    return stored->size && stored->size == cairn_load_le32(entry + ENTRY_AT_PACKED) &&
           at <= list->size && stored->size <= list->size - at;
}

/* The next entry of the list; NULL: there is none. */
static const uint8_t *next(struct list *list)
{
    const uint8_t *const entry = list->archive + list->at;

    if (!begins_with(list->archive, list->end, list->at, ENTRY_SIZE, ENTRY_SIGNATURE))
        return NULL;
    const size_t name = cairn_load_le16(entry + ENTRY_AT_NAME_LENGTH);
    const size_t length = ENTRY_SIZE + name + cairn_load_le16(entry + ENTRY_AT_EXTRA_LENGTH) +
                          cairn_load_le16(entry + ENTRY_AT_COMMENT_LENGTH);

    if (ENTRY_SIZE + name > list->end - list->at)
        return NULL;
    list->at = length < list->end - list->at ? list->at + length : list->end;
    return entry;
}

bool cairn_stored_find(const uint8_t *archive, size_t size, const char *name,
                       struct cairn_stored *stored)
{
    const size_t length = strlen(name);
    const uint8_t *entry;
    struct list list;

    if (!find_list(archive, size, &list))
        return false;
    while ((entry = next(&list)) != NULL)
        if (cairn_load_le16(entry + ENTRY_AT_NAME_LENGTH) == length &&
            !memcmp(entry + ENTRY_SIZE, name, length))
            return take(&list, entry, stored);
    return false;
}

bool cairn_stored_at(const uint8_t *archive, size_t size, uint64_t offset,
                     struct cairn_stored *stored)
{
    const uint8_t *entry;
    struct list list;

    if (!find_list(archive, size, &list))
        return false;
    while ((entry = next(&list)) != NULL)
        if (take(&list, entry, stored) && offset >= stored->offset &&
            offset - stored->offset < stored->size)
            return true;
    return false;
}
