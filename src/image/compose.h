/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files put together in memory, of sections of others. libdw reads debug information as it lies in a file: where that
 * is packed in a way that it does not know, or in a package of many, a file is made that it can read. */
#ifndef CAIRN_IMAGE_COMPOSE_H
#define CAIRN_IMAGE_COMPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

struct cairn_section {
    const char *name;
    uint64_t flags; /* SHF_COMPRESSED: the first part begins with that header */
    struct {
        const void *bytes;
        size_t size;
    } parts[2]; /* one behind the other */
};

/* Writes a file with these sections, of the class, byte order and machine of `like`. Its descriptor; -1: there is no
 * memory for it. */
int cairn_compose(struct Elf *like, const struct cairn_section *sections, size_t count);

/* Opens such a file, with bytes that may be written to without changing it; the descriptor stays the caller's, and may be
 * closed. NULL: no memory. Ends with elf_end. */
struct Elf *cairn_compose_open(int descriptor);

/* The debug information of an ELF file in a file of its own; of sections that libelf cannot unpack (zstd, until 0.189)
 * plain. With `room`, its sections of strings have that many zeros behind them, and all of them have to be plain.
 * A descriptor; -1: no memory, or nothing that could be read. */
int cairn_compose_debug(struct Elf *elf, size_t room);

/* Whether sections of debug information are compressed: to unpack them, libelf writes to its headers. */
bool cairn_is_packed(struct Elf *elf);

/* The bytes of a section, unpacked; NULL: there is none, or it cannot be unpacked. `elf` may be written to. */
const uint8_t *cairn_section_bytes(struct Elf *elf, const char *name, size_t *size);

#endif
