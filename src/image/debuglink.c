/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/debuglink.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "image/file.h"

#define POLYNOMIAL UINT32_C(0xedb88320) /* of CRC-32, its bits from the lowest on */
#define LARGEST (UINT64_C(4) << 30) /* no debug information has more, and reading it would last */

bool cairn_debuglink_read(const char *path, struct cairn_debuglink *link)
{
    struct cairn_file *file = NULL;
    GElf_Word crc = 0;
    char *name = NULL;

    if (cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return false;
    struct Elf *const elf = cairn_elf_begin(file);
    if (elf) {
        const char *const found = dwelf_elf_gnu_debuglink(elf, &crc);

        name = found && *found && !strchr(found, '/') ? strdup(found) : NULL;
        elf_end(elf);
    }
    cairn_file_close(file);
    if (name)
        *link = (struct cairn_debuglink){.name = name, .crc = crc};
    return name != NULL;
}

static uint32_t crc_of(const uint8_t *bytes, uint64_t size)
{
    uint32_t table[256], crc = UINT32_MAX;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (unsigned bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
    }
    for (uint64_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

enum cairn_debuglink_match cairn_debuglink_match(const struct cairn_debuglink *link,
                                                 const char *owner, const char *path)
{
    enum cairn_debuglink_match match = CAIRN_DEBUGLINK_NONE;
    struct cairn_file *file = NULL, *own = NULL;

    if (cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return match;
    const bool is_owner =
        cairn_file_open(owner, &own, NULL) == CAIRN_OK && cairn_file_is_same(own, file);
    if (!is_owner && file->identity.size <= LARGEST)
        match = crc_of(file->data, file->identity.size) == link->crc ? CAIRN_DEBUGLINK_IS
                                                                     : CAIRN_DEBUGLINK_OTHER;
    cairn_file_close(own);
    cairn_file_close(file);
    return match;
}
