/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/symbol.h"

#include "image/elf.h"
#include "image/elf_symbols.h"
#include "image/interval.h"
#include "image/kallsyms.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a lookup needs of a symbol. */
struct name {
    uint64_t start;
    const char *text;
    bool is_label;
};

struct cairn_symbols {
    struct Elf *elf; /* owns the strings, or */
    char *text;      /* does: of a kernel's list */
    struct name *names;
    struct cairn_intervals intervals; /* owner: index into names */
};

/* A symbol while the table is made. */
struct candidate {
    uint64_t start;
    uint64_t size;        /* 0: reaches to the next symbol */
    uint64_t section_end; /* last address of its section; UINT64_MAX when unknown */
    const char *text;
    unsigned preference; /* of symbols with one start and one size: the lower */
    size_t index;
};

struct candidates {
    struct candidate *list;
    size_t count;
};

enum { PREFER_LABEL = 4 }; /* added to what comes before it */

/* Functions before labels, and global before weak before local names. */
static unsigned preference_of(const GElf_Sym *sym)
{
    const unsigned label = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? PREFER_LABEL : 0;
    switch (GELF_ST_BIND(sym->st_info)) {
    case STB_GLOBAL: return label;
    case STB_WEAK: return label + 1;
    default: return label + 2;
    }
}

static cairn_status read_table(struct Elf *elf, Elf_Scn *section, struct candidates *candidates)
{
    GElf_Ehdr ehdr;
    GElf_Shdr shdr;
    struct cairn_strings strings;
    Elf_Data *const data = elf_getdata(section, NULL);
    if (!data || !gelf_getehdr(elf, &ehdr) || !gelf_getshdr(section, &shdr) ||
        !cairn_strings_read(elf, shdr.sh_link, &strings))
        return CAIRN_OK;
    const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    const size_t count = entry ? data->d_size / entry : 0;
    candidates->list = calloc(count + 1, sizeof *candidates->list);
    if (!candidates->list)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym) || sym.st_name >= strings.size)
            continue;
        const char *const text = strings.data + sym.st_name;
        if (!cairn_symbol_names_code(&sym, text))
            continue;
        candidates->list[candidates->count++] = (struct candidate){
            .start = cairn_symbol_address(&sym, ehdr.e_machine),
            .size = sym.st_size,
            .section_end = cairn_symbol_section_last(elf, &sym),
            .text = text,
            .preference = preference_of(&sym),
            .index = i,
        };
    }
    return CAIRN_OK;
}

static cairn_status read_kind(struct Elf *elf, GElf_Word type, struct candidates *candidates)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr shdr;
        if (gelf_getshdr(section, &shdr) && shdr.sh_type == type)
            return read_table(elf, section, candidates);
    }
    return CAIRN_OK;
}

/* A place that the linker's script marks names no function, though it has the address of one. */
static unsigned preference_of_listed(const struct cairn_kallsym *listed)
{
    static const char *const marks[] = {"_text", "_stext", "_etext", "_einittext", "_sinittext"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (listed->length == strlen(marks[i]) && !memcmp(listed->name, marks[i], listed->length))
            return PREFER_LABEL;
    switch (listed->type) {
    case 'T': return 0;
    case 'W':
    case 'w': return 1;
    default: return 2;
    }
}

/* A file that is no ELF file may be a kernel's list of symbols. They have no sizes. */
static cairn_status read_listed(const struct cairn_file *file, struct cairn_symbols *symbols,
                                struct candidates *candidates)
{
    const size_t size = (size_t)file->identity.size;
    struct cairn_kallsym listed;
    size_t count = 0;

    for (size_t at = 0; cairn_kallsyms_next((const char *)file->data, size, &at, &listed);)
        count += cairn_kallsym_is_code(&listed);
    if (!count)
        return CAIRN_OK;
    symbols->text = malloc(size + 1);
    candidates->list = calloc(count, sizeof *candidates->list);
    if (!symbols->text || !candidates->list)
        return CAIRN_E_MEMORY;
    memcpy(symbols->text, file->data, size);
    symbols->text[size] = '\0';
    for (size_t at = 0; cairn_kallsyms_next((const char *)file->data, size, &at, &listed);) {
        if (!cairn_kallsym_is_code(&listed) || candidates->count == count)
            continue;
        char *const text = symbols->text + (listed.name - (const char *)file->data);
        text[listed.length] = '\0';
        candidates->list[candidates->count] = (struct candidate){
            .start = listed.address,
            .section_end = UINT64_MAX,
            .text = text,
            .preference = preference_of_listed(&listed),
            .index = candidates->count,
        };
        candidates->count++;
    }
    return CAIRN_OK;
}

/* Ascending starts; of one start the symbol to be preferred first. */
static int by_start(const void *left, const void *right)
{
    const struct candidate *const a = left;
    const struct candidate *const b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if ((a->size == 0) != (b->size == 0))
        return a->size == 0 ? 1 : -1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->preference != b->preference)
        return a->preference < b->preference ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t last_of(const struct candidates *candidates, size_t index, uint64_t next_start)
{
    const struct candidate *const candidate = &candidates->list[index];
    if (candidate->size > 0) {
        const uint64_t room = UINT64_MAX - candidate->start;
        return candidate->start + (candidate->size - 1 < room ? candidate->size - 1 : room);
    }
    uint64_t last = candidate->section_end;
    if (next_start > candidate->start && next_start - 1 < last)
        last = next_start - 1;
    return last;
}

/* A rank that puts sized symbols before labels, then the later start (the inner symbol) before the
 * earlier one, then the order within one start. */
static uint64_t rank_of(const struct candidates *candidates, size_t group, size_t index)
{
    const uint64_t label = candidates->list[index].size == 0 ? UINT64_C(1) << 63 : 0;
    return label | (uint64_t)(candidates->count - group) << 32 | (index - group);
}

/* Sorted candidates claim what they cover; an owner is an index into them. */
static size_t claim(const struct candidates *candidates, struct cairn_claim *claims)
{
    const size_t count = candidates->count;
    size_t made = 0;
    for (size_t group = 0, end = 0; group < count; group = end) {
        const uint64_t start = candidates->list[group].start;
        while (end < count && candidates->list[end].start == start)
            end++;
        const uint64_t next_start = end < count ? candidates->list[end].start : 0;
        for (size_t i = group; i < end; i++) {
            const uint64_t last = last_of(candidates, i, next_start);
            if (last < start)
                continue;
            claims[made++] = (struct cairn_claim){
                .first = start,
                .last = last,
                .rank = rank_of(candidates, group, i),
                .owner = (uint32_t)i,
            };
        }
    }
    return made;
}

static cairn_status index_by_address(struct candidates *candidates, struct cairn_symbols *symbols)
{
    const size_t count = candidates->count;
    struct cairn_claim *const claims = calloc(count + 1, sizeof *claims);
    symbols->names = calloc(count + 1, sizeof *symbols->names);
    if (!claims || !symbols->names) {
        free(claims);
        return CAIRN_E_MEMORY;
    }
    if (count > 0)
        qsort(candidates->list, count, sizeof *candidates->list, by_start);
    const cairn_status status =
        cairn_intervals_flatten(claims, claim(candidates, claims), &symbols->intervals);
    for (size_t i = 0; i < count; i++)
        symbols->names[i] = (struct name){candidates->list[i].start, candidates->list[i].text,
                                          candidates->list[i].preference >= PREFER_LABEL};
    free(claims);
    return status;
}

cairn_status cairn_symbols_read(const struct cairn_file *file, struct cairn_symbols **symbols)
{
    struct cairn_symbols *const read = calloc(1, sizeof *read);
    if (!read)
        return CAIRN_E_MEMORY;
    struct candidates candidates = {0};
    cairn_status status = CAIRN_OK;
    read->elf = cairn_elf_begin(file);
    if (read->elf && elf_kind(read->elf) == ELF_K_ELF) {
        status = read_kind(read->elf, SHT_SYMTAB, &candidates);
        if (!status && candidates.count == 0) {
            free(candidates.list);
            candidates = (struct candidates){0};
            status = read_kind(read->elf, SHT_DYNSYM, &candidates);
        }
    } else {
        status = read_listed(file, read, &candidates);
    }
    if (!status)
        status = index_by_address(&candidates, read);
    free(candidates.list);
    if (status) {
        cairn_symbols_free(read);
        return status;
    }
    *symbols = read;
    return CAIRN_OK;
}

void cairn_symbols_free(struct cairn_symbols *symbols)
{
    if (!symbols)
        return;
    cairn_intervals_clear(&symbols->intervals);
    free(symbols->names);
    elf_end(symbols->elf);
    free(symbols->text);
    free(symbols);
}

size_t cairn_symbols_count(const struct cairn_symbols *symbols)
{
    return symbols->intervals.count;
}

cairn_status cairn_symbols_find(const struct cairn_symbols *symbols, uint64_t address,
                                const char **name, uint64_t *offset)
{
    const struct cairn_interval *const found = cairn_intervals_find(&symbols->intervals, address);
    if (!found)
        return CAIRN_E_NOT_FOUND;
    *name = symbols->names[found->owner].text;
    *offset = address - symbols->names[found->owner].start;
    return CAIRN_OK;
}

cairn_status cairn_symbols_extent(const struct cairn_symbols *symbols, uint64_t address,
                                  uint64_t *first, uint64_t *last)
{
    const struct cairn_interval *const found = cairn_intervals_find(&symbols->intervals, address);
    if (!found)
        return CAIRN_E_NOT_FOUND;
    *first = found->first;
    *last = found->last;
    return CAIRN_OK;
}

bool cairn_symbols_gap(const struct cairn_symbols *symbols, uint64_t address, uint64_t *first,
                       uint64_t *last)
{
    return cairn_intervals_gap(&symbols->intervals, address, first, last);
}

bool cairn_symbols_has_label(const struct cairn_symbols *symbols, uint64_t address)
{
    const struct cairn_interval *const found = cairn_intervals_find(&symbols->intervals, address);

    return found && symbols->names[found->owner].is_label;
}

cairn_status cairn_file_symbols(struct cairn_file *file, const struct cairn_symbols **symbols)
{
    struct cairn_symbols *table = atomic_load_explicit(&file->symbols, memory_order_acquire);
    if (table) {
        *symbols = table;
        return CAIRN_OK;
    }
    if (pthread_mutex_lock(&file->lock) != 0)
        return CAIRN_E_MEMORY;
    cairn_status status = CAIRN_OK;
    table = atomic_load_explicit(&file->symbols, memory_order_acquire);
    if (!table) {
        status = cairn_symbols_read(file, &table);
        if (!status)
            atomic_store_explicit(&file->symbols, table, memory_order_release);
    }
    pthread_mutex_unlock(&file->lock);
    if (!status)
        *symbols = table;
    return status;
}
