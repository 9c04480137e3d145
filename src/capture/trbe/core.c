/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory in a core file: what its program headers say. A machine's dump (vmcore, QEMU's
 * dump-guest-memory) has the kernel's linear map there, by virtual and by physical addresses. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "capture/trbe/trbe.h"

/* ELF-64, little endian (the System V ABI's generic part): offsets of what is read. */
#define CLASS_64 2
#define DATA_LITTLE 1
#define TYPE_CORE 4
#define LOADED 1u
#define COUNT_IS_ELSEWHERE 0xffffu
#define ENTRY_SIZE 56u
enum { AT_CLASS = 4, AT_DATA = 5, AT_TYPE = 16, AT_TABLE = 32, AT_ENTRY_SIZE = 54, AT_COUNT = 56 };
enum { AT_KIND = 0, AT_OFFSET = 8, AT_VIRTUAL = 16, AT_PHYSICAL = 24, AT_FILE_SIZE = 32 };

bool cairn_trbe_is_core(const uint8_t *head, size_t size)
{
    return size >= CAIRN_TRBE_CORE_HEAD &&
           !memcmp(head,
                   "\x7f"
                   "ELF",
                   4) &&
           head[AT_CLASS] == CLASS_64 && head[AT_DATA] == DATA_LITTLE &&
           cairn_load_le16(head + AT_TYPE) == TYPE_CORE;
}

static void take(struct cairn_trbe_core *core, const uint8_t *entry, bool physical, uint64_t size)
{
    const uint64_t offset = cairn_load_le64(entry + AT_OFFSET);
    uint64_t length = cairn_load_le64(entry + AT_FILE_SIZE);

    if (cairn_load_le32(entry + AT_KIND) != LOADED || offset >= size)
        return;
    if (length > size - offset)
        length = size - offset; /* the file was cut */
    core->pieces[core->count++] = (struct cairn_trbe_piece){
        .address = cairn_load_le64(entry + (physical ? AT_PHYSICAL : AT_VIRTUAL)),
        .length = length,
        .offset = offset,
    };
}

static cairn_status read_table(int fd, uint64_t size, const char *path, bool physical,
                               struct cairn_trbe_core *core, struct cairn_error *error)
{
    uint8_t head[CAIRN_TRBE_CORE_HEAD];

    if (cairn_input_read(fd, head, sizeof head, 0) != (int64_t)sizeof head)
        return cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", path);
    const uint64_t table = cairn_load_le64(head + AT_TABLE);
    const unsigned count = cairn_load_le16(head + AT_COUNT);
    const size_t bytes = (size_t)count * ENTRY_SIZE;
    if (count == COUNT_IS_ELSEWHERE || cairn_load_le16(head + AT_ENTRY_SIZE) != ENTRY_SIZE ||
        table > size || bytes > size - table)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: the program headers of this core file are not in it, or are others "
                          "than known; write the trace buffer out of it, and give DUMP",
                          path);
    uint8_t *entries = malloc(bytes + 1);
    core->pieces = calloc(count + 1, sizeof *core->pieces);
    if (!entries || !core->pieces) {
        free(entries);
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to open it", path);
    }
    const bool is_whole = cairn_input_read(fd, entries, bytes, table) == (int64_t)bytes;
    for (unsigned i = 0; is_whole && i < count; i++)
        take(core, entries + (size_t)i * ENTRY_SIZE, physical, size);
    free(entries);
    return is_whole ? CAIRN_OK : cairn_fail(error, CAIRN_E_IO, "%s: cannot be read", path);
}

cairn_status cairn_trbe_core_read(const char *path, bool physical, struct cairn_trbe_core *core,
                                  struct cairn_error *error)
{
    uint64_t size;
    int fd;

    *core = (struct cairn_trbe_core){.count = 0};
    cairn_status status = cairn_input_open(path, &fd, &size, error);
    if (!status)
        status = read_table(fd, size, path, physical, core, error);
    cairn_input_close(fd);
    return status;
}
