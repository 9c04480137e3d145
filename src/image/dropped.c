/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/dropped.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "image/dropped_lines.h"
#include "image/dwarf.h"
#include "image/elf_symbols.h"

enum {
    NAMES_MAX = 32, /* of one address */
    DEPTH_MAX = 64, /* of entries inside of each other */
};

/* The names of what begins at address 0. */
struct names {
    const char *list[NAMES_MAX];
    size_t count;
    bool has_symbols; /* anywhere */
};

static bool has_code_at_zero(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr shdr;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &shdr) && shdr.sh_addr == 0 && shdr.sh_size > 0 &&
            (shdr.sh_flags & SHF_ALLOC) && (shdr.sh_flags & SHF_EXECINSTR))
            return true;
    return false;
}

static void read_names(Elf *elf, struct names *names)
{
    Elf_Scn *section = NULL;
    struct cairn_strings strings;
    GElf_Ehdr ehdr;
    GElf_Shdr shdr;
    GElf_Sym sym;

    while (gelf_getehdr(elf, &ehdr) && (section = elf_nextscn(elf, section)) != NULL) {
        if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_SYMTAB ||
            !cairn_strings_read(elf, shdr.sh_link, &strings))
            continue;
        Elf_Data *const data = elf_getdata(section, NULL);
        const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
        const size_t count = data && entry ? data->d_size / entry : 0;

        for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
            if (!gelf_getsym(data, (int)i, &sym) || sym.st_name >= strings.size ||
                !cairn_symbol_names_code(&sym, strings.data + sym.st_name))
                continue;
            names->has_symbols = true;
            if (cairn_symbol_address(&sym, ehdr.e_machine) == 0 && names->count < NAMES_MAX)
                names->list[names->count++] = strings.data + sym.st_name;
        }
    }
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* The linker's name may have a suffix of the compiler (.constprop.0), or be a mangled one that is not told. */
static bool is_named(const struct names *names, Dwarf_Die *die)
{
    const char *const linked = text_of(die, DW_AT_linkage_name);
    const char *const name = linked ? linked : text_of(die, DW_AT_name);
    const size_t length = name ? strlen(name) : 0;

    for (size_t i = 0; length && i < names->count; i++) {
        const char *const one = names->list[i];

        if (strncmp(one, name, length) == 0 && (one[length] == '\0' || one[length] == '.'))
            return true;
        if (!linked && one[0] == '_' && (one[1] == 'Z' || one[1] == 'R') && strstr(one, name))
            return true;
    }
    return false;
}

static uint64_t line_of(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line;

    return dwarf_attr_integrate(function, DW_AT_decl_line, &attribute) &&
                   dwarf_formudata(&attribute, &line) == 0
               ? line
               : 0;
}

/* Where the range of it ends that begins at 0; 0: none does. */
static uint64_t end_at_zero(Dwarf_Die *die)
{
    Dwarf_Addr base, first, end;
    ptrdiff_t at = 0;

    while ((at = dwarf_ranges(die, at, &base, &first, &end)) > 0)
        if (first == 0 && end > 0)
            return end;
    return 0;
}

static bool has_functions(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return true;
    default: return false;
    }
}

static bool find_function(const struct names *names, Dwarf_Die *parent, unsigned depth,
                          struct cairn_lowest *lowest)
{
    Dwarf_Die die;

    if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&die);
        const uint64_t end = tag == DW_TAG_subprogram ? end_at_zero(&die) : 0;

        if (end && is_named(names, &die)) {
            lowest->function = dwarf_dieoffset(&die);
            lowest->end = end;
            lowest->line = line_of(&die);
            return true;
        }
        if (has_functions(tag) && find_function(names, &die, depth + 1, lowest))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static bool is_assembly(Dwarf_Die *unit)
{
    return dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
}

/* Of copies that are all named so, the linker keeps the first. Assembly need not have functions. */
static void find_lowest(struct cairn_dwarf *dwarf, const struct names *names,
                        cairn_whole_unit *whole_unit)
{
    struct cairn_lowest *const lowest = &dwarf->lowest;
    struct cairn_split split;
    Dwarf_Off at = 0, next;
    Dwarf_Die unit, whole;
    size_t header;

    while (!lowest->function &&
           dwarf_nextcu(dwarf->dwarf, at, &next, &header, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(dwarf->dwarf, at + header, &unit) && end_at_zero(&unit)) {
            (void)whole_unit(dwarf, &unit, &whole, &split);
            if (find_function(names, &whole, 0, lowest)) {
                lowest->unit = dwarf_dieoffset(&unit);
            } else if (!lowest->unit && is_assembly(&unit)) {
                lowest->unit = dwarf_dieoffset(&unit);
                lowest->end = 1;
            }
        }
        at = next;
    }
}

void cairn_dropped_find(struct cairn_dwarf *dwarf, Elf *elf, cairn_whole_unit *whole_unit)
{
    struct cairn_kept_lines kept = {.program = UINT64_MAX};
    struct names names = {0};
    Dwarf_Attribute attribute;
    Dwarf_Word program;
    GElf_Ehdr ehdr;
    Dwarf_Die unit;

    /* In a file that is not linked everything is at 0. */
    dwarf->lowest.is_unknown = !elf || !gelf_getehdr(elf, &ehdr) || ehdr.e_type == ET_REL;
    if (!dwarf->lowest.is_unknown && has_code_at_zero(elf)) {
        read_names(elf, &names);
        dwarf->lowest.is_unknown = !names.has_symbols;
        if (names.has_symbols)
            find_lowest(dwarf, &names, whole_unit);
    }
    if (dwarf->lowest.is_unknown)
        return;
    if (dwarf->lowest.unit && dwarf_offdie(dwarf->dwarf, dwarf->lowest.unit, &unit) &&
        dwarf_attr(&unit, DW_AT_stmt_list, &attribute) &&
        dwarf_formudata(&attribute, &program) == 0)
        kept = (struct cairn_kept_lines){
            .program = program, .end = dwarf->lowest.end, .line = dwarf->lowest.line};
    dwarf->lines = cairn_dropped_lines(dwarf->elf, &kept);
}

/* What is inlined at 0 goes with the function that it is in. */
static bool may_be_at_zero(const struct cairn_lowest *lowest, Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_inlined_subroutine: return true;
    case DW_TAG_subprogram:
        return lowest->is_unknown || (lowest->function && dwarf_dieoffset(die) == lowest->function);
    default: return lowest->is_unknown || (lowest->unit && dwarf_dieoffset(die) == lowest->unit);
    }
}

/* lld's are -1 and -2, in the lists of ranges as what the others are counted from; newer ones put 1 into lists, as GNU ld
 * does. No instruction is there. */
static bool is_no_address(uint64_t address)
{
    return address == 1 || address >= UINT64_MAX - 1;
}

ptrdiff_t cairn_dropped_ranges(const struct cairn_dwarf *dwarf, Dwarf_Die *die, ptrdiff_t at,
                               Dwarf_Addr *base, Dwarf_Addr *first, Dwarf_Addr *end)
{
    if (at == 0)
        *base = 0; /* libdw leaves it as it is where there is a single range, of DW_AT_low_pc */
    while ((at = dwarf_ranges(die, at, base, first, end)) > 0)
        if (*first < *end && !is_no_address(*base) && !is_no_address(*first) &&
            (*first || may_be_at_zero(&dwarf->lowest, die)))
            break;
    return at;
}

bool cairn_dropped_has(const struct cairn_dwarf *dwarf, Dwarf_Die *die, uint64_t address)
{
    Dwarf_Addr base, first, end;
    ptrdiff_t at = 0;

    while ((at = cairn_dropped_ranges(dwarf, die, at, &base, &first, &end)) > 0)
        if (first <= address && address < end)
            return true;
    return false;
}

bool cairn_dropped_is(const struct cairn_dwarf *dwarf, Dwarf_Die *die)
{
    Dwarf_Addr base, first, end;

    return dwarf_ranges(die, 0, &base, &first, &end) > 0 &&
           cairn_dropped_ranges(dwarf, die, 0, &base, &first, &end) <= 0;
}
