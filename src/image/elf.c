/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/elf.h"

#include "base/error.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID_MAX 64 /* bytes; SHA-512 is the longest that is in use */

/* The ELF header's fields that matter here, whatever the class and byte order. */
struct header {
    unsigned encoding; /* ELFDATA2LSB, ELFDATA2MSB */
    bool is_64;
    uint16_t machine;
    uint16_t type;
    uint32_t flags;
    uint64_t entry;
    uint64_t phoff;
    uint64_t phnum;
    uint64_t phentsize;
};

static bool in_file(const struct cairn_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->identity.size && size <= file->identity.size - offset;
}

/* Converts one structure of the file to this machine's byte order and alignment. */
static bool convert(const struct cairn_file *file, const struct header *header, Elf_Type type,
                    uint64_t offset, size_t size, void *to)
{
    if (!in_file(file, offset, size))
        return false;
    memcpy(to, file->data + offset, size);
    Elf_Data data = {.d_buf = to, .d_type = type, .d_version = EV_CURRENT, .d_size = size};
    return (header->is_64 ? elf64_xlatetom(&data, &data, header->encoding)
                          : elf32_xlatetom(&data, &data, header->encoding)) != NULL;
}

/* e_phnum is 16 bits wide; PN_XNUM says that the number is in the first section header. */
static uint64_t many_segments(const struct cairn_file *file, const struct header *header,
                              uint64_t shoff)
{
    if (header->is_64) {
        Elf64_Shdr first;
        return convert(file, header, ELF_T_SHDR, shoff, sizeof first, &first) ? first.sh_info : 0;
    }
    Elf32_Shdr first;
    return convert(file, header, ELF_T_SHDR, shoff, sizeof first, &first) ? first.sh_info : 0;
}

static bool read_header_64(const struct cairn_file *file, struct header *header)
{
    Elf64_Ehdr ehdr;
    if (!convert(file, header, ELF_T_EHDR, 0, sizeof ehdr, &ehdr))
        return false;
    header->machine = ehdr.e_machine;
    header->type = ehdr.e_type;
    header->flags = ehdr.e_flags;
    header->entry = ehdr.e_entry;
    header->phoff = ehdr.e_phoff;
    header->phentsize = ehdr.e_phentsize;
    header->phnum =
        ehdr.e_phnum == PN_XNUM ? many_segments(file, header, ehdr.e_shoff) : ehdr.e_phnum;
    return true;
}

static bool read_header_32(const struct cairn_file *file, struct header *header)
{
    Elf32_Ehdr ehdr;
    if (!convert(file, header, ELF_T_EHDR, 0, sizeof ehdr, &ehdr))
        return false;
    header->machine = ehdr.e_machine;
    header->type = ehdr.e_type;
    header->flags = ehdr.e_flags;
    header->entry = ehdr.e_entry;
    header->phoff = ehdr.e_phoff;
    header->phentsize = ehdr.e_phentsize;
    header->phnum =
        ehdr.e_phnum == PN_XNUM ? many_segments(file, header, ehdr.e_shoff) : ehdr.e_phnum;
    return true;
}

static cairn_status read_header(const struct cairn_file *file, const char *path,
                                struct header *header, struct cairn_error *error)
{
    const uint8_t *const ident = file->data;
    if (!in_file(file, 0, EI_NIDENT) || memcmp(ident, ELFMAG, SELFMAG) != 0)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: is not an ELF file; if it is a memory dump, give its address "
                          "(FILE@ADDRESS)",
                          path);
    header->encoding = ident[EI_DATA];
    header->is_64 = ident[EI_CLASS] == ELFCLASS64;
    if ((!header->is_64 && ident[EI_CLASS] != ELFCLASS32) ||
        (header->encoding != ELFDATA2LSB && header->encoding != ELFDATA2MSB))
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: its ELF header is damaged: class %u, data encoding %u", path,
                          ident[EI_CLASS], ident[EI_DATA]);
    if (!(header->is_64 ? read_header_64(file, header) : read_header_32(file, header)))
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: is truncated inside its ELF header (%llu bytes)", path,
                          (unsigned long long)file->identity.size);
    if (header->machine != EM_ARM && header->machine != EM_AARCH64)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "%s: is an ELF file for machine %u, not for Arm (40) or AArch64 (183)",
                          path, header->machine);
    return CAIRN_OK;
}

/* AArch64 instructions are always little endian. So are AArch32's since Armv7; a big-endian file
 * without EF_ARM_BE8 is of the older kind (ELF for the Arm Architecture, section 5.2.1). */
static enum cairn_order order_of(const struct header *header)
{
    if (header->encoding == ELFDATA2LSB)
        return CAIRN_ORDER_LITTLE;
    if (header->machine == EM_ARM && !(header->flags & EF_ARM_BE8))
        return CAIRN_ORDER_BE32;
    return CAIRN_ORDER_BE8;
}

static bool read_segment(const struct cairn_file *file, const struct header *header, uint64_t index,
                         Elf64_Phdr *phdr)
{
    const uint64_t offset = header->phoff + index * header->phentsize;
    if (offset < header->phoff)
        return false;
    if (header->is_64)
        return convert(file, header, ELF_T_PHDR, offset, sizeof *phdr, phdr);
    Elf32_Phdr narrow;
    if (!convert(file, header, ELF_T_PHDR, offset, sizeof narrow, &narrow))
        return false;
    *phdr = (Elf64_Phdr){
        .p_type = narrow.p_type,
        .p_flags = narrow.p_flags,
        .p_offset = narrow.p_offset,
        .p_vaddr = narrow.p_vaddr,
        .p_filesz = narrow.p_filesz,
        .p_memsz = narrow.p_memsz,
    };
    return true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void append(struct cairn_segments *segments, struct cairn_segment segment)
{
    if (segment.size == 0)
        return;
    if (segment.is_zeros && segment.size > segments->zeros_max)
        segments->zeros_max = segment.size;
    segments->list[segments->count++] = segment;
}

static void append_load(const struct cairn_file *file, const Elf64_Phdr *phdr,
                        struct cairn_segments *segments)
{
    const uint64_t claimed = smaller(phdr->p_filesz, phdr->p_memsz);
    const uint64_t there =
        phdr->p_offset < file->identity.size ? file->identity.size - phdr->p_offset : 0;
    append(segments, (struct cairn_segment){
                         .address = phdr->p_vaddr,
                         .size = smaller(claimed, there),
                         .offset = phdr->p_offset,
                         .executable = (phdr->p_flags & PF_X) != 0,
                     });
    if (phdr->p_flags & PF_X)
        segments->lost += claimed - smaller(claimed, there);
    const bool wraps = claimed > 0 && claimed - 1 >= UINT64_MAX - phdr->p_vaddr;
    if (phdr->p_flags & PF_X || wraps)
        return;
    append(segments, (struct cairn_segment){
                         .address = phdr->p_vaddr + claimed,
                         .size = smaller(phdr->p_memsz - claimed, CAIRN_ELF_ZEROS_MAX),
                         .is_zeros = true,
                     });
}

static bool has_file_bytes(const struct cairn_segments *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        if (!segments->list[i].is_zeros)
            return true;
    }
    return false;
}

cairn_status cairn_elf_segments(const struct cairn_file *file, const char *path,
                                struct cairn_segments *segments, struct cairn_error *error)
{
    struct header header = {0};
    const cairn_status status = read_header(file, path, &header, error);
    if (status)
        return status;
    if (header.phnum == 0)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: has no program headers; an object file (.o) must be linked first",
                          path);
    if (header.phentsize < (header.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: its ELF header is damaged: program headers of %u bytes", path,
                          (unsigned)header.phentsize);
    const uint64_t count = smaller(header.phnum, file->identity.size / header.phentsize);
    struct cairn_segments found = {
        .order = order_of(&header),
        .machine = header.machine,
        .is_fixed = header.type == ET_EXEC,
        .entry = header.entry,
    };
    found.list = calloc((size_t)count * 2 + 1, sizeof *found.list);
    if (!found.list)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: out of memory", path);
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Phdr phdr;
        if (!read_segment(file, &header, i, &phdr))
            break;
        if (phdr.p_type == PT_LOAD)
            append_load(file, &phdr, &found);
        found.is_interpreted |= phdr.p_type == PT_INTERP;
    }
    if (!has_file_bytes(&found)) {
        cairn_segments_clear(&found);
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "%s: none of its %llu segments loads bytes that the file has; it is "
                          "truncated, or holds debug information only",
                          path, (unsigned long long)header.phnum);
    }
    *segments = found;
    return CAIRN_OK;
}

void cairn_segments_clear(struct cairn_segments *segments)
{
    free(segments->list);
    *segments = (struct cairn_segments){0};
}

static void choose_version(void)
{
    elf_version(EV_CURRENT);
}

struct Elf *cairn_elf_begin(const struct cairn_file *file)
{
    /* libelf wants this said once a process, and does not lock. */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, choose_version) != 0)
        return NULL;
    /* libelf only reads what it is given here: it was not opened for writing. */
    return elf_memory((char *)(uintptr_t)file->data, (size_t)file->identity.size);
}

static char *hex_of(const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *const text = malloc(2 * size + 1);
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    text[2 * size] = '\0';
    return text;
}

char *cairn_elf_build_id(const struct cairn_file *file)
{
    struct Elf *const elf = cairn_elf_begin(file);
    if (!elf)
        return NULL;
    const void *bytes = NULL;
    const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
    char *const text = size > 0 && size <= BUILD_ID_MAX ? hex_of(bytes, (size_t)size) : NULL;
    elf_end(elf);
    return text;
}

cairn_status cairn_elf_check(const struct cairn_file *file, const char *path,
                             struct cairn_error *error)
{
    struct header header = {0};

    return read_header(file, path, &header, error);
}

/* Sections of symbols, and of DWARF: plain, or compressed as older tools named it. */
static void look_at_sections(struct Elf *elf, struct cairn_elf_facts *facts)
{
    Elf_Scn *section = NULL;
    size_t names = 0;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr shdr;

        if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS)
            continue;
        const char *const name = elf_strptr(elf, names, shdr.sh_name);
        facts->has_symbols |= shdr.sh_type == SHT_SYMTAB;
        facts->has_lines |=
            name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0);
    }
}

bool cairn_elf_look(const char *path, struct cairn_elf_facts *facts)
{
    struct cairn_file *file = NULL;

    *facts = (struct cairn_elf_facts){0};
    if (cairn_file_open(path, &file, NULL) != CAIRN_OK)
        return false;
    struct Elf *const elf =
        cairn_elf_check(file, path, NULL) == CAIRN_OK ? cairn_elf_begin(file) : NULL;
    if (elf) {
        look_at_sections(elf, facts);
        facts->build_id = cairn_elf_build_id(file);
        facts->has_code = cairn_elf_has_code(file);
        elf_end(elf);
    }
    cairn_file_close(file);
    return elf != NULL;
}

bool cairn_elf_has_code(const struct cairn_file *file)
{
    Elf *elf = cairn_elf_begin(file);
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool any = false, bytes = false;

    if (!elf)
        return true; /* without sections: its segments are code */
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR)) {
            any = true;
            bytes |= header.sh_type != SHT_NOBITS;
        }
    elf_end(elf);
    return bytes || !any;
}
