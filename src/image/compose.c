/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/compose.h"

#include "base/bytes.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define PACKED_ZSTD 2u /* ELFCOMPRESS_ZSTD, which the elf.h of older C libraries has not */
#define SECTIONS_MOST 32u
/* What zlib can make of a byte at most. Of real sections it is ten; a size that is beyond belief gets no memory. */
#define RATIO_MOST 1032u

/* --- writing --- */

/* Names one behind the other, as .shstrtab has them; its own is the last. To be freed. */
static char *list_names(const struct cairn_section *sections, size_t count, size_t *size)
{
    static const char own[] = ".shstrtab";
    char *names;

    *size = 1 + sizeof own;
    for (size_t i = 0; i < count; i++)
        *size += strlen(sections[i].name) + 1;
    names = calloc(1, *size);
    char *at = names ? names + 1 : NULL;
    for (size_t i = 0; at && i < count; i++)
        at = stpcpy(at, sections[i].name) + 1;
    if (at)
        memcpy(at, own, sizeof own);
    return names;
}

static bool put_part(Elf_Scn *section, const void *bytes, size_t size, uint64_t align)
{
    Elf_Data *const data = elf_newdata(section);

    if (!data)
        return false;
    *data = (Elf_Data){.d_buf = (void *)(uintptr_t)bytes,
                       .d_type = ELF_T_BYTE,
                       .d_size = size,
                       .d_align = (size_t)align,
                       .d_version = EV_CURRENT};
    return true;
}

/* libelf finds the size and the place. */
static bool put_section(Elf *elf, const struct cairn_section *made, size_t name, unsigned type)
{
    Elf_Scn *const section = elf_newscn(elf);
    const uint64_t align = made->flags & SHF_COMPRESSED ? sizeof(uint64_t) : 1;
    GElf_Shdr header;

    if (!section || !gelf_getshdr(section, &header))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (made->parts[i].size &&
            !put_part(section, made->parts[i].bytes, made->parts[i].size, i ? 1 : align))
            return false;
    header.sh_name = (GElf_Word)name;
    header.sh_type = type;
    header.sh_flags = made->flags;
    header.sh_addralign = align;
    return gelf_update_shdr(section, &header) != 0;
}

static bool put_header(Elf *elf, Elf *like, size_t names)
{
    GElf_Ehdr header, other;

    if (!gelf_getehdr(like, &other) || !gelf_newehdr(elf, gelf_getclass(like)) ||
        !gelf_getehdr(elf, &header))
        return false;
    header.e_ident[EI_DATA] = other.e_ident[EI_DATA];
    header.e_type = other.e_type;
    header.e_machine = other.e_machine;
    header.e_flags = other.e_flags;
    header.e_version = EV_CURRENT;
    header.e_shstrndx = (GElf_Half)names;
    return gelf_update_ehdr(elf, &header) != 0;
}

static bool put_all(Elf *elf, Elf *like, const struct cairn_section *sections, size_t count,
                    const char *names, size_t size)
{
    const struct cairn_section last = {.parts[0] = {names, size}};
    size_t name = 1;

    if (!put_header(elf, like, count + 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!put_section(elf, &sections[i], name, SHT_PROGBITS))
            return false;
        name += strlen(sections[i].name) + 1;
    }
    return put_section(elf, &last, name, SHT_STRTAB) && elf_update(elf, ELF_C_WRITE) >= 0;
}

int cairn_compose(struct Elf *like, const struct cairn_section *sections, size_t count)
{
    size_t size;
    char *const names = list_names(sections, count, &size);
    int descriptor = names ? memfd_create("cairn-debug", MFD_CLOEXEC) : -1;
    Elf *const elf = descriptor >= 0 ? elf_begin(descriptor, ELF_C_WRITE, NULL) : NULL;

    if (descriptor >= 0 && (!elf || !put_all(elf, like, sections, count, names, size))) {
        close(descriptor);
        descriptor = -1;
    }
    elf_end(elf);
    free(names);
    return descriptor;
}

struct Elf *cairn_compose_open(int descriptor)
{
    Elf *const elf = elf_begin(descriptor, ELF_C_READ_MMAP_PRIVATE, NULL);

    /* nothing of it is left to be read then */
    if (elf && elf_cntl(elf, ELF_C_FDREAD) != 0) {
        elf_end(elf);
        return NULL;
    }
    return elf;
}

/* --- what is taken of a file --- */

struct gathered {
    struct cairn_section list[SECTIONS_MOST];
    size_t count;
    void *owned[2 * SECTIONS_MOST]; /* to be freed */
    size_t owned_count;
};

static void *own(struct gathered *gathered, void *bytes)
{
    if (bytes)
        gathered->owned[gathered->owned_count++] = bytes;
    return bytes;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* What tells of lines and functions, and where the rest of it is: not of variables, calls and macros, which can be much. */
static bool is_read(const char *name)
{
    static const char *const read[] = {"info",    "types",    "abbrev",   "addr",
                                       "aranges", "line",     "str",      "str_offsets",
                                       "ranges",  "rnglists", "line_str", "cu_index"};
    const char *const rest = begins(name, ".debug_")    ? name + strlen(".debug_")
                             : begins(name, ".zdebug_") ? name + strlen(".zdebug_")
                                                        : NULL;
    const char *const dot = rest ? strchr(rest, '.') : NULL;
    const size_t length = dot ? (size_t)(dot - rest) : rest ? strlen(rest) : 0;

    if (!rest)
        return strcmp(name, ".gnu_debugaltlink") == 0;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strlen(read[i]) == length && strncmp(read[i], rest, length) == 0)
            return !dot || strcmp(dot, ".dwo") == 0;
    return false;
}

/* The name of a section with bytes, or NULL. */
static const char *name_of(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    size_t names;

    if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS ||
        elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    return elf_strptr(elf, names, header->sh_name);
}

static bool is_older_form(const char *name)
{
    return begins(name, ".zdebug_");
}

bool cairn_is_packed(struct Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *const name = name_of(elf, section, &header);

        if (name && is_read(name) && (header.sh_flags & SHF_COMPRESSED || is_older_form(name)))
            return true;
    }
    return false;
}

/* By libzstd: libelf of elfutils 0.188 does not know it. False: it is not packed so, or cannot be unpacked. */
static bool unpack(struct gathered *gathered, Elf *elf, Elf_Scn *section,
                   struct cairn_section *made)
{
    GElf_Chdr header;
    const Elf_Data *const data = elf_getdata(section, NULL);
    const size_t head = gelf_getclass(elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);

    if (!data || !gelf_getchdr(section, &header) || header.ch_type != PACKED_ZSTD ||
        data->d_size < head || header.ch_size / RATIO_MOST > data->d_size ||
        header.ch_size >= SIZE_MAX)
        return false;
    void *const bytes = own(gathered, malloc((size_t)header.ch_size + 1));
    if (!bytes || ZSTD_decompress(bytes, (size_t)header.ch_size, (const char *)data->d_buf + head,
                                  data->d_size - head) != header.ch_size)
        return false;
    made->flags = 0;
    made->parts[0].bytes = bytes;
    made->parts[0].size = (size_t)header.ch_size;
    return true;
}

/* "ZLIB", the size as a number of 8 bytes, the highest first: as tools wrote it before there was SHF_COMPRESSED. The same
 * bytes with the header of today; without "ZLIB" it was unpacked since. */
static bool renew(struct gathered *gathered, Elf *elf, const char *name, struct cairn_section *made)
{
    enum { MAGIC = 4, HEAD = 12 };
    const uint8_t *const bytes = made->parts[0].bytes;
    char *const newer = own(gathered, strdup(name + 1));
    GElf_Ehdr like;

    if (!newer || !gelf_getehdr(elf, &like))
        return false;
    newer[0] = '.'; /* of ".zdebug_info" */
    made->name = newer;
    if (made->parts[0].size < HEAD || memcmp(bytes, "ZLIB", MAGIC) != 0)
        return true;
    const bool is_64 = gelf_getclass(elf) == ELFCLASS64;
    const uint64_t size = cairn_load_be64(bytes + MAGIC);
    Elf64_Chdr wide = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1};
    Elf32_Chdr narrow = {
        .ch_type = ELFCOMPRESS_ZLIB, .ch_size = (Elf32_Word)size, .ch_addralign = 1};
    Elf_Data data = {.d_buf = is_64 ? (void *)&wide : (void *)&narrow,
                     .d_type = ELF_T_CHDR,
                     .d_version = EV_CURRENT,
                     .d_size = is_64 ? sizeof wide : sizeof narrow};
    void *const header = own(gathered, malloc(data.d_size));
    if (!header || !gelf_xlatetof(elf, &data, &data, like.e_ident[EI_DATA]))
        return false;
    memcpy(header, data.d_buf, data.d_size);
    made->parts[1].bytes = bytes + HEAD;
    made->parts[1].size = made->parts[0].size - HEAD;
    made->parts[0].bytes = header;
    made->parts[0].size = data.d_size;
    made->flags = SHF_COMPRESSED;
    return true;
}

/* A section that cannot be read is left out. */
static void gather(struct gathered *gathered, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL && gathered->count < SECTIONS_MOST) {
        const char *const name = name_of(elf, section, &header);
        const Elf_Data *const data = name && is_read(name) ? elf_rawdata(section, NULL) : NULL;
        struct cairn_section made = {.name = name};

        if (!data || !data->d_size)
            continue;
        made.flags = header.sh_flags & SHF_COMPRESSED;
        made.parts[0].bytes = data->d_buf;
        made.parts[0].size = data->d_size;
        if (is_older_form(name) && !renew(gathered, elf, name, &made))
            continue;
        if (made.flags && !is_older_form(name))
            (void)unpack(gathered, elf, section, &made); /* else libelf will */
        gathered->list[gathered->count++] = made;
    }
}

int cairn_compose_debug(struct Elf *elf, size_t room)
{
    struct gathered *const gathered = calloc(1, sizeof *gathered);
    void *const zeros = room ? calloc(1, room) : NULL;
    int descriptor = -1;

    if (gathered && (zeros || !room)) {
        gather(gathered, elf);
        for (size_t i = 0; room && i < gathered->count; i++)
            if (!strcmp(gathered->list[i].name, ".debug_str") ||
                !strcmp(gathered->list[i].name, ".debug_line_str")) {
                gathered->list[i].parts[1].bytes = zeros;
                gathered->list[i].parts[1].size = room;
            }
        if (gathered->count)
            descriptor = cairn_compose(elf, gathered->list, gathered->count);
    }
    for (size_t i = 0; gathered && i < gathered->owned_count; i++)
        free(gathered->owned[i]);
    free(zeros);
    free(gathered);
    return descriptor;
}

const uint8_t *cairn_section_bytes(struct Elf *elf, const char *name, size_t *size)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *const found = name_of(elf, section, &header);

        if (!found || strcmp(found, name) != 0)
            continue;
        if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
            return NULL;
        const Elf_Data *const data = elf_rawdata(section, NULL);
        *size = data ? data->d_size : 0;
        return data ? data->d_buf : NULL;
    }
    return NULL;
}
