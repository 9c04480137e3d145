/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether an AArch32 executable is firmware of a Cortex-M or a Linux program: nothing in an ELF
 * header says it, but each has something that the other has not. */
#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/record/record.h"

#define VECTORS_ALIGNED 0x80u /* VTOR has the upper bits only (DDI0403 B3.2.5) */
#define TAG_FILE 1u
#define TAG_CPU_RAW_NAME 4u
#define TAG_CPU_NAME 5u
#define TAG_CPU_ARCH_PROFILE 7u
#define TAG_COMPATIBILITY 32u /* above it the odd ones have text */

/* --- a Linux program --- */

static bool has_linux_note(Elf *elf, const GElf_Phdr *header)
{
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)header->p_offset, (size_t)header->p_filesz, ELF_T_NHDR);
    GElf_Nhdr note;
    size_t name = 0, text = 0;

    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &text)) > 0;)
        if (note.n_type == NT_GNU_ABI_TAG && note.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp((const char *)data->d_buf + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
            return true;
    return false;
}

bool cli_record_is_linux(Elf *elf, const GElf_Ehdr *file)
{
    size_t count = 0;

    if (file->e_ident[EI_OSABI] == ELFOSABI_GNU || elf_getphdrnum(elf, &count) != 0)
        return file->e_ident[EI_OSABI] == ELFOSABI_GNU;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) &&
            (header.p_type == PT_INTERP ||
             (header.p_type == PT_NOTE && has_linux_note(elf, &header))))
            return true;
    }
    return false;
}

/* --- firmware --- */

struct bytes {
    const uint8_t *at, *end;
};

static uint32_t take_number(struct bytes *bytes)
{
    uint32_t value = 0;

    for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
        const uint8_t byte = *bytes->at++;
        if (shift < 32)
            value |= (uint32_t)(byte & 0x7fu) << shift;
        if (!(byte & 0x80u))
            break;
    }
    return value;
}

static void skip_text(struct bytes *bytes)
{
    while (bytes->at < bytes->end && *bytes->at++)
        ;
}

/* The build attributes of the file, a tag and its value each; those of "aeabi" come first. */
static char profile_of(struct bytes bytes)
{
    while (bytes.at < bytes.end) {
        const uint32_t tag = take_number(&bytes);
        if (tag == TAG_CPU_ARCH_PROFILE)
            return (char)take_number(&bytes);
        if (tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME ||
            (tag > TAG_COMPATIBILITY && (tag & 1u))) {
            skip_text(&bytes);
        } else {
            take_number(&bytes);
            if (tag == TAG_COMPATIBILITY)
                skip_text(&bytes);
        }
    }
    return 0;
}

static bool is_for_m(Elf *elf)
{
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_ARM_ATTRIBUTES)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || data->d_size < 5)
            return false;
        struct bytes bytes = {(const uint8_t *)data->d_buf + 5,
                              (const uint8_t *)data->d_buf + data->d_size};
        skip_text(&bytes); /* the vendor's name */
        if (take_number(&bytes) != TAG_FILE || bytes.end - bytes.at < 4)
            return false;
        bytes.at += 4; /* the size of what follows */
        return profile_of(bytes) == 'M';
    }
    return false;
}

static bool is_loaded(Elf *elf, size_t count, uint32_t address)
{
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
            address - header.p_vaddr < header.p_filesz)
            return true;
    }
    return false;
}

/* A stack pointer, and the address of T32 code: how every core of M profile begins. */
static bool has_vectors(Elf *elf)
{
    size_t count = 0, size = 0;
    const uint8_t *raw = (const uint8_t *)elf_rawfile(elf, &size);

    if (!raw || elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
            header.p_vaddr % VECTORS_ALIGNED || header.p_filesz < 8 || header.p_offset > size ||
            size - header.p_offset < 8)
            continue;
        const uint32_t sp = cairn_load_le32(raw + header.p_offset);
        const uint32_t reset = cairn_load_le32(raw + header.p_offset + 4);
        if (sp != 0 && sp % 4 == 0 && (reset & 1) && is_loaded(elf, count, reset & ~1u))
            return true;
    }
    return false;
}

bool cli_record_is_firmware(Elf *elf, const GElf_Ehdr *file)
{
    return file->e_machine == EM_ARM && file->e_type == ET_EXEC &&
           !cli_record_is_linux(elf, file) && (is_for_m(elf) || has_vectors(elf));
}
