/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/elf_symbols.h"

#include <string.h>

bool cairn_strings_read(Elf *elf, size_t section, struct cairn_strings *strings)
{
    const Elf_Data *const data = elf_rawdata(elf_getscn(elf, section), NULL);
    if (!data || !data->d_buf || data->d_size == 0)
        return false;
    const char *const last = memrchr(data->d_buf, '\0', data->d_size);
    if (!last)
        return false;
    strings->data = data->d_buf;
    strings->size = (size_t)(last - strings->data) + 1;
    return true;
}

/* $a, $t, $d, $x, alone or with a suffix behind a dot (ELF for the Arm Architecture, 5.5.5). */
static bool is_mapping_symbol(const char *text)
{
    return text[0] == '$' && text[1] != '\0' && strchr("atdx", text[1]) &&
           (text[2] == '\0' || text[2] == '.');
}

bool cairn_symbol_names_code(const GElf_Sym *symbol, const char *text)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_COMMON || text[0] == '\0')
        return false;
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC: return true;
    /* An absolute label is a constant of the linker script and no address. */
    case STT_NOTYPE: return symbol->st_shndx != SHN_ABS && !is_mapping_symbol(text);
    default: return false;
    }
}

uint64_t cairn_symbol_address(const GElf_Sym *symbol, unsigned machine)
{
    const bool interworks = machine == EM_ARM && GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE;

    return interworks ? symbol->st_value & ~UINT64_C(1) : symbol->st_value;
}

bool cairn_symbol_value(Elf *elf, const char *name, uint64_t *value)
{
    Elf_Scn *section = NULL;
    struct cairn_strings strings;
    GElf_Shdr shdr;
    GElf_Sym sym;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_SYMTAB ||
            !cairn_strings_read(elf, shdr.sh_link, &strings))
            continue;
        Elf_Data *const data = elf_getdata(section, NULL);
        const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
        const size_t count = data && entry ? data->d_size / entry : 0;

        for (size_t i = 0; i < count && i <= INT32_MAX; i++)
            if (gelf_getsym(data, (int)i, &sym) && sym.st_name < strings.size &&
                sym.st_shndx != SHN_UNDEF && !strcmp(strings.data + sym.st_name, name)) {
                *value = sym.st_value;
                return true;
            }
    }
    return false;
}

bool cairn_elf_section_address(Elf *elf, const char *name, uint64_t *address)
{
    Elf_Scn *section = NULL;
    size_t names;
    GElf_Shdr shdr;

    if (elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *const own =
            gelf_getshdr(section, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

        if (own && !strcmp(own, name)) {
            *address = shdr.sh_addr;
            return true;
        }
    }
    return false;
}

uint64_t cairn_symbol_section_last(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr shdr;
    if (symbol->st_shndx >= SHN_LORESERVE ||
        !gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &shdr) || shdr.sh_size == 0 ||
        shdr.sh_size - 1 > UINT64_MAX - shdr.sh_addr)
        return UINT64_MAX;
    return shdr.sh_addr + shdr.sh_size - 1;
}
