/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of unwinders of any bytes: where a call lands is a place where exceptions land. The first byte says how
 * many bytes, in eights, are .eh_frame; the rest is the table of call sites. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "image/handlers.h"

enum { HEADER = 1, NAMES = 64, SECTIONS = 4, MOST = 4096 };

#define FRAMES_ADDRESS 0x10000u
#define TABLE_ADDRESS 0x20000u

static const char names[NAMES] = "\0.eh_frame\0.gcc_except_table\0.shstrtab";

static void put_section(uint8_t *at, uint32_t name, uint32_t type, uint64_t flags, uint64_t address,
                        uint64_t offset, uint64_t size)
{
    cairn_store_le32(at, name);
    cairn_store_le32(at + 4, type);
    cairn_store_le64(at + 8, flags);
    cairn_store_le64(at + 16, address);
    cairn_store_le64(at + 24, offset);
    cairn_store_le64(at + 32, size);
}

/* An ELF file of 64 bits, little-endian, with the two sections. */
static size_t make_file(uint8_t *file, const uint8_t *data, size_t frames, size_t size)
{
    const size_t sections = sizeof(Elf64_Ehdr), bytes = sections + SECTIONS * sizeof(Elf64_Shdr);

    memset(file, 0, bytes);
    memcpy(file, ELFMAG, SELFMAG);
    file[EI_CLASS] = ELFCLASS64;
    file[EI_DATA] = ELFDATA2LSB;
    file[EI_VERSION] = EV_CURRENT;
    file[16] = ET_EXEC;
    file[18] = EM_AARCH64;
    file[20] = EV_CURRENT;
    cairn_store_le64(file + 40, sections);
    cairn_store_le16(file + 52, sizeof(Elf64_Ehdr));
    cairn_store_le16(file + 58, sizeof(Elf64_Shdr));
    cairn_store_le16(file + 60, SECTIONS);
    cairn_store_le16(file + 62, SECTIONS - 1);
    uint8_t *const headers = file + sections;
    put_section(headers + sizeof(Elf64_Shdr), 1, SHT_PROGBITS, SHF_ALLOC, FRAMES_ADDRESS, bytes,
                frames);
    put_section(headers + 2 * sizeof(Elf64_Shdr), 11, SHT_PROGBITS, SHF_ALLOC, TABLE_ADDRESS,
                bytes + frames, size - frames);
    put_section(headers + 3 * sizeof(Elf64_Shdr), 29, SHT_STRTAB, 0, 0, bytes + size, NAMES);
    if (size)
        memcpy(file + bytes, data, size);
    memcpy(file + bytes + size, names, NAMES);
    return bytes + size + NAMES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[MOST + 2 * NAMES + sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr)];
    struct cairn_handlers *handlers;

    if (size < HEADER || size - HEADER > MOST)
        return 0;
    const size_t rest = size - HEADER, wanted = (size_t)data[0] * 8;
    const size_t frames = wanted < rest ? wanted : rest;
    const struct cairn_file file = {
        .identity = {.size = make_file(bytes, data + HEADER, frames, rest)}, .data = bytes};
    if (cairn_handlers_read(&file, &handlers))
        return 0;
    for (uint64_t site = 0x1000; site < 0x1100; site++) {
        uint64_t landing;

        if (cairn_handlers_find(handlers, site, &landing) == CAIRN_OK && landing &&
            !cairn_handlers_any(handlers, landing, landing))
            abort();
    }
    cairn_handlers_free(handlers);
    return 0;
}
