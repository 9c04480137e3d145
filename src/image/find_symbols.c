/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols by their names. */
#include "image/find.h"

#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "image/elf_symbols.h"
#include "image/kallsyms.h"
#include "image/symbol.h"

struct walk;
/* A symbol that names code; `source` is the file that it is local to, or NULL. */
typedef cairn_status visit(struct walk *walk, const GElf_Sym *symbol, const char *text,
                           const char *source);

struct walk {
    const struct cairn_object *object;
    Elf *elf;
    unsigned machine;
    visit *visit;
    const struct cairn_name *name;
    struct cairn_matches *matches;
    bool compares_all;  /* what cairn_name_may_be says no of as well */
    bool has_more;      /* there are such */
    bool has_versions;  /* the table that is walked is .dynsym */
    int index;          /* of the symbol in it */
    const char *wanted; /* for `near` */
    struct cairn_near *near;
    uint64_t start, next; /* for the extent of what has no size */
    size_t section;
};

static cairn_status walk_table(struct walk *walk, Elf_Scn *section, const GElf_Shdr *header)
{
    struct cairn_strings strings;
    Elf_Data *const data = elf_getdata(section, NULL);
    const char *source = NULL;
    cairn_status status = CAIRN_OK;

    if (!data || !cairn_strings_read(walk->elf, header->sh_link, &strings))
        return CAIRN_OK;
    const size_t entry = gelf_fsize(walk->elf, ELF_T_SYM, 1, EV_CURRENT);
    const size_t count = entry ? data->d_size / entry : 0;
    for (size_t i = 0; i < count && i <= INT32_MAX && !status; i++) {
        GElf_Sym symbol;

        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_name >= strings.size)
            continue;
        const char *const text = strings.data + symbol.st_name;
        walk->index = (int)i;
        /* In front of the symbols that are local to it. */
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            source = *text ? text : NULL;
        else if (cairn_symbol_names_code(&symbol, text))
            status = walk->visit(walk, &symbol, text,
                                 GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? source : NULL);
    }
    return status;
}

static cairn_status walk_tables(struct walk *walk)
{
    Elf_Scn *section = NULL;
    cairn_status status = CAIRN_OK;

    while (!status && (section = elf_nextscn(walk->elf, section)) != NULL) {
        GElf_Shdr header;

        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        walk->has_versions = header.sh_type == SHT_DYNSYM;
        status = walk_table(walk, section, &header);
    }
    return status;
}

/* --- sizes and versions --- */

static cairn_status see_next(struct walk *walk, const GElf_Sym *symbol, const char *text,
                             const char *source)
{
    const uint64_t start = cairn_symbol_address(symbol, walk->machine);

    (void)text, (void)source;
    if (symbol->st_shndx == walk->section && start > walk->start && start < walk->next)
        walk->next = start;
    return CAIRN_OK;
}

/* What has no size reaches to the next symbol of its section, or to that's end. */
static uint64_t last_of(const struct walk *walk, const GElf_Sym *symbol)
{
    const uint64_t start = cairn_symbol_address(symbol, walk->machine);
    const uint64_t end = cairn_symbol_section_last(walk->elf, symbol);

    if (symbol->st_size > 0)
        return symbol->st_size - 1 <= UINT64_MAX - start ? start + (symbol->st_size - 1)
                                                         : UINT64_MAX;
    struct walk other = *walk;
    other.visit = see_next;
    other.start = start;
    other.section = symbol->st_shndx;
    other.next = UINT64_MAX;
    (void)!walk_tables(&other);
    if (other.next != UINT64_MAX && other.next - 1 < end)
        return other.next - 1;
    return end != UINT64_MAX && end >= start ? end : start;
}

static Elf_Scn *section_of(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

/* Whether version `number` of those that the file defines has this name. */
static bool defines_version(Elf *elf, unsigned number, const char *version)
{
    GElf_Shdr header;
    Elf_Scn *const section = section_of(elf, SHT_GNU_verdef, &header);
    Elf_Data *const data = section ? elf_getdata(section, NULL) : NULL;
    struct cairn_strings strings;
    GElf_Verdef one;

    if (!data || !cairn_strings_read(elf, header.sh_link, &strings))
        return false;
    for (int at = 0; gelf_getverdef(data, at, &one); at += (int)one.vd_next) {
        GElf_Verdaux name;

        if (one.vd_ndx == number)
            return gelf_getverdaux(data, at + (int)one.vd_aux, &name) &&
                   name.vda_name < strings.size &&
                   strcmp(strings.data + name.vda_name, version) == 0;
        if (one.vd_next == 0 || one.vd_next > INT32_MAX / 2 || at > INT32_MAX / 2)
            break;
    }
    return false;
}

/* The names in .dynsym are without their versions, which have sections of their own. */
static bool has_version(const struct walk *walk, const char *text)
{
    GElf_Shdr header;
    GElf_Versym number;

    if (!walk->name->version || strchr(text, '@'))
        return true;
    Elf_Scn *const section =
        walk->has_versions ? section_of(walk->elf, SHT_GNU_versym, &header) : NULL;
    Elf_Data *const data = section ? elf_getdata(section, NULL) : NULL;

    return data && gelf_getversym(data, walk->index, &number) &&
           defines_version(walk->elf, number & 0x7fffu, walk->name->version);
}

/* --- names --- */

static cairn_status add(struct walk *walk, const GElf_Sym *symbol, const char *text,
                        const char *source, enum cairn_likeness like, bool is_part)
{
    const uint64_t bias = walk->object->bias;

    return cairn_matches_add(walk->matches,
                             &(struct cairn_found){
                                 .first = cairn_symbol_address(symbol, walk->machine) + bias,
                                 .last = last_of(walk, symbol) + bias,
                                 .kind = is_part ? CAIRN_MATCH_PART : CAIRN_MATCH_FUNCTION,
                                 .like = like,
                                 .is_entry = !is_part,
                                 .chooses = GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
                                 .is_local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL,
                                 .object = walk->object,
                                 .function = (char *)(uintptr_t)text,
                                 .file = (char *)(uintptr_t)source,
                             });
}

static cairn_status compare(struct walk *walk, const GElf_Sym *symbol, const char *text,
                            const char *source)
{
    bool is_part;

    if (cairn_name_may_be(walk->name, text) == walk->compares_all) {
        walk->has_more |= strncmp(text, "_Z", 2) == 0;
        return CAIRN_OK;
    }
    const enum cairn_likeness like = cairn_name_compare(walk->name, text, &is_part);

    return like == CAIRN_LIKE_NOT || !has_version(walk, text)
               ? CAIRN_OK
               : add(walk, symbol, text, source, like, is_part);
}

static bool begin(struct walk *walk)
{
    GElf_Ehdr header;

    walk->elf = cairn_elf_begin(walk->object->file);
    if (!walk->elf || !gelf_getehdr(walk->elf, &header)) {
        elf_end(walk->elf);
        return false;
    }
    walk->machine = header.e_machine;
    return true;
}

static cairn_status see_near(struct walk *walk, const GElf_Sym *symbol, const char *text,
                             const char *source)
{
    char *const word = cairn_name_short(text);

    (void)symbol, (void)source;
    if (!word)
        return CAIRN_E_MEMORY;
    cairn_near_add(walk->near, walk->wanted, word);
    free(word);
    return CAIRN_OK;
}

/* --- a kernel's list --- */

typedef cairn_status visit_listed(struct walk *walk, uint64_t address, const char *name);

/* A file that is no ELF file is a list of symbols (kallsyms), without sizes. */
static cairn_status walk_list(struct walk *walk, visit_listed *see)
{
    const struct cairn_file *const file = walk->object->file;
    struct cairn_kallsym listed;
    cairn_status status = CAIRN_OK;

    for (size_t at = 0;
         !status && cairn_kallsyms_next((const char *)file->data, (size_t)file->identity.size, &at,
                                        &listed);) {
        if (!cairn_kallsym_is_code(&listed))
            continue;
        char *const name = strndup(listed.name, listed.length);

        status = name ? see(walk, listed.address, name) : CAIRN_E_MEMORY;
        free(name);
    }
    return status;
}

static cairn_status compare_listed(struct walk *walk, uint64_t address, const char *name)
{
    const uint64_t bias = walk->object->bias;
    const struct cairn_symbols *symbols;
    uint64_t first, last;
    bool is_part;

    if (!cairn_name_may_be(walk->name, name))
        return CAIRN_OK;
    const enum cairn_likeness like = cairn_name_compare(walk->name, name, &is_part);
    if (like == CAIRN_LIKE_NOT || cairn_file_symbols(walk->object->file, &symbols) ||
        cairn_symbols_extent(symbols, address, &first, &last))
        return CAIRN_OK;
    return cairn_matches_add(walk->matches,
                             &(struct cairn_found){
                                 .first = address + bias,
                                 .last = last + bias,
                                 .kind = is_part ? CAIRN_MATCH_PART : CAIRN_MATCH_FUNCTION,
                                 .like = like,
                                 .is_entry = !is_part,
                                 .object = walk->object,
                                 .function = (char *)(uintptr_t)name,
                             });
}

static cairn_status near_listed(struct walk *walk, uint64_t address, const char *name)
{
    (void)address;
    return see_near(walk, NULL, name, NULL);
}

cairn_status cairn_find_symbols(const struct cairn_object *object, const struct cairn_name *name,
                                struct cairn_matches *matches)
{
    struct walk walk = {.object = object, .visit = compare, .name = name, .matches = matches};
    const size_t before = matches->count;

    if (!begin(&walk))
        return walk_list(&walk, compare_listed);
    cairn_status status = walk_tables(&walk);
    if (!status && matches->count == before && walk.has_more) {
        walk.compares_all = true;
        status = walk_tables(&walk);
    }
    elf_end(walk.elf);
    return status;
}

void cairn_find_near(const struct cairn_object *object, const char *wanted, struct cairn_near *near)
{
    struct walk walk = {.object = object, .visit = see_near, .wanted = wanted, .near = near};

    if (!begin(&walk)) {
        (void)!walk_list(&walk, near_listed);
        return;
    }
    (void)!walk_tables(&walk);
    elf_end(walk.elf);
}
