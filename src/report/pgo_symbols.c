/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/pgo_symbols.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "image/elf.h"
#include "image/elf_symbols.h"

/* What linkers call the source of all that they compile at once (LTO). BOLT passes over it. */
#define LTO_SOURCE "ld-temp.o"

struct pgo_reading {
    struct Elf *elf;
    struct cairn_pgo_function *list;
    size_t count, room;
};

static cairn_status add(struct pgo_reading *reading, const GElf_Sym *symbol, const char *name,
                        const char *source, unsigned machine)
{
    const uint64_t first = cairn_symbol_address(symbol, machine);
    uint64_t last = cairn_symbol_section_last(reading->elf, symbol);

    if (symbol->st_size && symbol->st_size - 1 < last - first)
        last = first + (symbol->st_size - 1);
    if (last < first)
        return CAIRN_OK;
    if (cairn_grow((void **)&reading->list, reading->count, &reading->room, sizeof *reading->list))
        return CAIRN_E_MEMORY;
    const bool is_local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
    reading->list[reading->count++] = (struct cairn_pgo_function){
        .first = first,
        .last = last,
        .name = name,
        .source = is_local ? source : NULL,
        .number = is_local,
    };
    return CAIRN_OK;
}

/* Symbols of a source file follow the symbol of its name. */
static cairn_status read_table(struct pgo_reading *reading, Elf_Scn *section)
{
    GElf_Ehdr ehdr;
    GElf_Shdr shdr;
    struct cairn_strings strings;
    const char *source = NULL;
    cairn_status status = CAIRN_OK;
    Elf_Data *const data = elf_getdata(section, NULL);

    if (!data || !gelf_getehdr(reading->elf, &ehdr) || !gelf_getshdr(section, &shdr) ||
        !cairn_strings_read(reading->elf, shdr.sh_link, &strings))
        return CAIRN_OK;
    const size_t entry = gelf_fsize(reading->elf, ELF_T_SYM, 1, EV_CURRENT);
    const size_t count = entry ? data->d_size / entry : 0;
    for (size_t i = 0; i < count && i <= INT32_MAX && !status; i++) {
        GElf_Sym symbol;

        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_name >= strings.size)
            continue;
        const char *const text = strings.data + symbol.st_name;
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            source = *text && strcmp(text, LTO_SOURCE) ? text : NULL;
        else if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && cairn_symbol_names_code(&symbol, text))
            status = add(reading, &symbol, text, source, ehdr.e_machine);
    }
    return status;
}

static cairn_status read_tables(struct pgo_reading *reading, GElf_Word type)
{
    Elf_Scn *section = NULL;
    GElf_Shdr shdr;

    while ((section = elf_nextscn(reading->elf, section)) != NULL)
        if (gelf_getshdr(section, &shdr) && shdr.sh_type == type)
            return read_table(reading, section);
    return CAIRN_OK;
}

/* Of those at one address the one that is kept comes first: global, then by name. */
static int by_address(const void *a, const void *b)
{
    const struct cairn_pgo_function *const one = a, *const other = b;

    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return strcmp(one->name, other->name);
}

static int compare_sources(const char *one, const char *other)
{
    if (!one || !other)
        return !one - !other;
    return strcmp(one, other);
}

/* Those of one name and source together, in the order of their addresses. */
static int by_name(const void *a, const void *b)
{
    const struct cairn_pgo_function *const *const one = a, *const *const other = b;
    int order = strcmp((*one)->name, (*other)->name);

    order = order ? order : compare_sources((*one)->source, (*other)->source);
    return order ? order : (*one > *other) - (*one < *other);
}

/* Those of one name together, whatever their sources, in the order of their addresses. */
static int by_name_alone(const void *a, const void *b)
{
    const struct cairn_pgo_function *const *const one = a, *const *const other = b;
    const int order = strcmp((*one)->name, (*other)->name);

    return order ? order : (*one > *other) - (*one < *other);
}

/* Of one name and source from 1 on. */
static void number_by_source(struct cairn_pgo_function **order, size_t count)
{
    qsort(order, count, sizeof *order, by_name);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(order[i]->name, order[i - 1]->name) &&
            !compare_sources(order[i]->source, order[i - 1]->source))
            order[i]->number = order[i - 1]->number + 1;
}

/* Without a source: among all of the name, those that have one as well. */
static void number_by_name(struct cairn_pgo_function **order, size_t count)
{
    uint32_t number = 1;

    qsort(order, count, sizeof *order, by_name_alone);
    for (size_t i = 0; i < count; i++) {
        number = i && !strcmp(order[i]->name, order[i - 1]->name) ? number + 1 : 1;
        if (!order[i]->source)
            order[i]->number = number;
    }
}

/* Local functions of one name get the numbers that tell them apart. */
static cairn_status number_all(struct pgo_reading *reading)
{
    struct cairn_pgo_function **const order = malloc((reading->count + 1) * sizeof *order);
    size_t count = 0;

    if (!order)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < reading->count; i++)
        if (reading->list[i].number)
            order[count++] = &reading->list[i];
    if (count) {
        number_by_source(order, count);
        number_by_name(order, count);
    }
    free(order);
    return CAIRN_OK;
}

/* One function an address; what reaches into the next one ends in front of it. */
static void make_disjoint(struct pgo_reading *reading)
{
    size_t kept = 0;

    for (size_t i = 1; i < reading->count; i++) {
        if (reading->list[i].first == reading->list[kept].first)
            continue;
        if (reading->list[kept].last >= reading->list[i].first)
            reading->list[kept].last = reading->list[i].first - 1;
        reading->list[++kept] = reading->list[i];
    }
    reading->count = reading->count ? kept + 1 : 0;
}

cairn_status cairn_pgo_functions_read(const struct cairn_file *file,
                                      struct cairn_pgo_functions *functions)
{
    struct pgo_reading reading = {.elf = cairn_elf_begin(file)};
    cairn_status status = CAIRN_OK;

    *functions = (struct cairn_pgo_functions){0};
    if (!reading.elf)
        return CAIRN_OK;
    status = read_tables(&reading, SHT_SYMTAB);
    if (!status && !reading.count)
        status = read_tables(&reading, SHT_DYNSYM);
    if (!status && reading.count) {
        qsort(reading.list, reading.count, sizeof *reading.list, by_address);
        status = number_all(&reading);
        make_disjoint(&reading);
    }
    *functions = (struct cairn_pgo_functions){reading.elf, reading.list, reading.count};
    if (status)
        cairn_pgo_functions_clear(functions);
    return status;
}

void cairn_pgo_functions_clear(struct cairn_pgo_functions *functions)
{
    if (functions->elf)
        elf_end(functions->elf);
    free(functions->list);
    *functions = (struct cairn_pgo_functions){0};
}

const struct cairn_pgo_function *
cairn_pgo_functions_find(const struct cairn_pgo_functions *functions, uint64_t address)
{
    size_t from = 0, until = functions->count;

    while (from < until) {
        const size_t middle = from + (until - from) / 2;

        if (functions->list[middle].first <= address)
            from = middle + 1;
        else
            until = middle;
    }
    return from && functions->list[from - 1].last >= address ? &functions->list[from - 1] : NULL;
}
