/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/handlers.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "image/elf.h"

/* Call sites of one table that are looked at, and of all. */
#define SITES_MOST (1u << 16)
#define ALL_SITES_MOST (1u << 23)

/* How a pointer is written (LSB 5.0, 10.5.1). */
enum {
    PE_OMIT = 0xff,
    PE_FORMAT = 0x0f,
    PE_ABSOLUTE = 0x00,
    PE_ULEB128 = 0x01,
    PE_UDATA2 = 0x02,
    PE_UDATA4 = 0x03,
    PE_UDATA8 = 0x04,
    PE_SLEB128 = 0x09,
    PE_SDATA2 = 0x0a,
    PE_SDATA4 = 0x0b,
    PE_SDATA8 = 0x0c,
    PE_BASE = 0x70,
    PE_PC_RELATIVE = 0x10,
    PE_INDIRECT = 0x80,
};

/* Code with a table of its call sites. */
struct covered {
    uint64_t first, end;
    uint64_t table; /* address */
};

struct bytes {
    const uint8_t *data;
    size_t size, at;
    uint64_t address; /* of data[0] */
    bool is_big, is_64;
    bool failed;
};

struct cairn_handlers {
    struct Elf *elf; /* owns the bytes */
    bool is_big, is_64;
    struct covered *list; /* ascending */
    size_t count, room;
    uint64_t *pads; /* where exceptions land, ascending */
    size_t pad_count, pad_room;
};

/* --- bytes --- */

static uint64_t take(struct bytes *bytes, size_t size)
{
    if (bytes->size - bytes->at < size) {
        bytes->failed = true;
        bytes->at = bytes->size;
        return 0;
    }
    const uint8_t *const at = bytes->data + bytes->at;
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[bytes->is_big ? size - 1 - i : i] << 8 * i;
    bytes->at += size;
    return value;
}

static uint64_t take_leb(struct bytes *bytes, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)take(bytes, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !bytes->failed);
    if (is_signed && shift < 64 && byte & 0x40)
        value |= UINT64_MAX << shift;
    return value;
}

static uint64_t extend(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);

    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* Without what it is relative to. */
static uint64_t take_format(struct bytes *bytes, uint8_t encoding)
{
    switch (encoding & PE_FORMAT) {
    case PE_ABSOLUTE: return take(bytes, bytes->is_64 ? 8 : 4);
    case PE_ULEB128: return take_leb(bytes, false);
    case PE_UDATA2: return take(bytes, 2);
    case PE_UDATA4: return take(bytes, 4);
    case PE_UDATA8:
    case PE_SDATA8: return take(bytes, 8);
    case PE_SLEB128: return take_leb(bytes, true);
    case PE_SDATA2: return extend(take(bytes, 2), 16);
    case PE_SDATA4: return extend(take(bytes, 4), 32);
    default: bytes->failed = true; return 0;
    }
}

/* An address; 0 is none. */
static uint64_t take_pointer(struct bytes *bytes, uint8_t encoding)
{
    const uint64_t here = bytes->address + bytes->at;
    const uint64_t value = take_format(bytes, encoding);

    if (encoding & PE_INDIRECT ||
        ((encoding & PE_BASE) != 0 && (encoding & PE_BASE) != PE_PC_RELATIVE))
        bytes->failed = true;
    if (!value || bytes->failed)
        return 0;
    const uint64_t pointer = encoding & PE_PC_RELATIVE ? here + value : value;
    return bytes->is_64 ? pointer : pointer & UINT32_MAX;
}

/* --- .eh_frame --- */

/* What a CIE says of its FDEs. */
struct common {
    uint8_t pointers, tables; /* how these are written */
    bool has_data;
};

static bool read_common(struct bytes bytes, struct common *common)
{
    char text[8];
    size_t length = 0;

    *common = (struct common){.pointers = PE_ABSOLUTE, .tables = PE_OMIT};
    const uint64_t version = take(&bytes, 1);
    do
        text[length] = (char)take(&bytes, 1);
    while (text[length] && ++length < sizeof text);
    if (length == sizeof text || bytes.failed || (version != 1 && version != 3))
        return false;
    (void)take_leb(&bytes, false); /* code alignment factor */
    (void)take_leb(&bytes, true);  /* data alignment factor */
    if (version == 1)
        (void)take(&bytes, 1);
    else
        (void)take_leb(&bytes, false); /* return address register */
    if (text[0] != 'z')
        return length == 0 && !bytes.failed;
    common->has_data = true;
    (void)take_leb(&bytes, false);
    for (size_t i = 1; i < length && !bytes.failed; i++)
        switch (text[i]) {
        case 'L': common->tables = (uint8_t)take(&bytes, 1); break;
        case 'R': common->pointers = (uint8_t)take(&bytes, 1); break;
        case 'P': (void)take_format(&bytes, (uint8_t)take(&bytes, 1)); break;
        case 'S':
        case 'B':
        case 'G': break;
        default: return false;
        }
    return !bytes.failed;
}

static cairn_status add_covered(struct cairn_handlers *handlers, const struct covered *covered)
{
    if (cairn_enlarge(&handlers->list, &handlers->room, handlers->count + 1, sizeof *covered))
        return CAIRN_E_MEMORY;
    handlers->list[handlers->count++] = *covered;
    return CAIRN_OK;
}

static cairn_status read_code(struct cairn_handlers *handlers, struct bytes bytes,
                              const struct common *common)
{
    struct covered covered = {.first = take_pointer(&bytes, common->pointers)};
    const uint64_t size = take_format(&bytes, common->pointers & PE_FORMAT);

    if (common->has_data) {
        (void)take_leb(&bytes, false);
        if (common->tables != PE_OMIT)
            covered.table = take_pointer(&bytes, common->tables);
    }
    covered.end = covered.first + size;
    if (bytes.failed || !covered.first || covered.end <= covered.first || !covered.table)
        return CAIRN_OK;
    return add_covered(handlers, &covered);
}

static cairn_status read_frames(struct cairn_handlers *handlers, struct bytes section)
{
    cairn_status status = CAIRN_OK;

    while (!status && section.size - section.at > 8) {
        const uint64_t length = take(&section, 4);
        const size_t begin = section.at;

        /* 0: the end of what one object file had; all ones: a form that nobody writes */
        if (length == 0)
            continue;
        if (length < 4 || length > section.size - begin)
            break;
        const uint64_t back = take(&section, 4);
        struct bytes entry = section;
        struct common common;

        entry.size = begin + (size_t)length;
        section.at = entry.size;
        if (back == 0 || back > begin || begin - back + 8 > section.size)
            continue;
        struct bytes first = entry;
        first.at = begin - (size_t)back;
        const uint64_t common_length = take(&first, 4);
        if (common_length < 4 || common_length > section.size - first.at)
            continue;
        first.size = first.at + (size_t)common_length;
        if (take(&first, 4) != 0 || !read_common(first, &common))
            continue;
        status = read_code(handlers, entry, &common);
    }
    return status;
}

static int by_first(const void *left, const void *right)
{
    const struct covered *const a = left, *const b = right;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->table > b->table) - (a->table < b->table);
}

/* The bytes of the section at an address, from there on; of `name` if that is not NULL. */
static bool find_section(const struct cairn_handlers *handlers, const char *name, uint64_t address,
                         struct bytes *bytes)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(handlers->elf, &names))
        return false;
    while ((section = elf_nextscn(handlers->elf, section)) != NULL) {
        GElf_Shdr shdr;

        if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS ||
            !(shdr.sh_flags & SHF_ALLOC))
            continue;
        if (name) {
            const char *const text = elf_strptr(handlers->elf, names, shdr.sh_name);

            if (!text || strcmp(text, name) != 0)
                continue;
        } else if (address < shdr.sh_addr || address - shdr.sh_addr >= shdr.sh_size) {
            continue;
        }
        const Elf_Data *const data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf)
            return false;
        *bytes = (struct bytes){
            .data = data->d_buf,
            .size = data->d_size,
            .address = shdr.sh_addr,
            .is_big = handlers->is_big,
            .is_64 = handlers->is_64,
        };
        bytes->at = name ? 0 : (size_t)(address - shdr.sh_addr);
        return bytes->at <= bytes->size;
    }
    return false;
}

void cairn_handlers_free(struct cairn_handlers *handlers)
{
    if (!handlers)
        return;
    free(handlers->list);
    free(handlers->pads);
    elf_end(handlers->elf);
    free(handlers);
}

/* --- a table of call sites --- */

static const struct covered *find_covered(const struct cairn_handlers *handlers, uint64_t address)
{
    size_t low = 0, high = handlers->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (handlers->list[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < handlers->list[low - 1].end ? &handlers->list[low - 1] : NULL;
}

struct call_sites {
    struct bytes bytes;
    uint64_t function; /* that the sites are in, */
    uint64_t base;     /* and what landings are told from */
    uint32_t left;     /* that are looked at */
    uint8_t encoding;
};

/* Calls in a row. */
struct call_site {
    uint64_t first, size;
    uint64_t landing; /* 0: none */
};

static bool open_sites(const struct cairn_handlers *handlers, const struct covered *covered,
                       struct call_sites *sites)
{
    struct bytes *const bytes = &sites->bytes;

    if (!find_section(handlers, NULL, covered->table, bytes))
        return false;
    const uint8_t base = (uint8_t)take(bytes, 1);
    sites->function = covered->first;
    sites->left = SITES_MOST;
    sites->base = base == PE_OMIT ? covered->first : take_pointer(bytes, base);
    if ((uint8_t)take(bytes, 1) != PE_OMIT)
        (void)take_leb(bytes, false); /* where the table of types is */
    sites->encoding = (uint8_t)take(bytes, 1);
    const uint64_t length = take_leb(bytes, false);
    if (bytes->failed || length > bytes->size - bytes->at)
        return false;
    bytes->size = bytes->at + (size_t)length;
    return true;
}

/* False: there are no more. */
static bool next_site(struct call_sites *sites, struct call_site *site)
{
    struct bytes *const bytes = &sites->bytes;

    if (bytes->at == bytes->size || sites->left-- == 0)
        return false;
    site->first = sites->function + take_format(bytes, sites->encoding);
    site->size = take_format(bytes, sites->encoding);
    site->landing = take_format(bytes, sites->encoding);
    (void)take_leb(bytes, false); /* what is caught there */
    if (site->landing)
        site->landing += sites->base;
    return !bytes->failed;
}

cairn_status cairn_handlers_find(const struct cairn_handlers *handlers, uint64_t site,
                                 uint64_t *landing)
{
    const struct covered *const covered = find_covered(handlers, site);
    struct call_sites sites;
    struct call_site one;

    if (!covered || !open_sites(handlers, covered, &sites))
        return CAIRN_E_NOT_FOUND;
    *landing = 0;
    while (next_site(&sites, &one))
        if (site >= one.first && site - one.first < one.size) {
            *landing = one.landing;
            break;
        }
    return CAIRN_OK;
}

/* --- where exceptions land --- */

static int by_pad(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static cairn_status list_pads(struct cairn_handlers *handlers)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < handlers->count && seen < ALL_SITES_MOST; i++) {
        struct call_sites sites;
        struct call_site one;

        if (!open_sites(handlers, &handlers->list[i], &sites))
            continue;
        while (next_site(&sites, &one)) {
            seen++;
            if (!one.landing)
                continue;
            if (cairn_enlarge(&handlers->pads, &handlers->pad_room, handlers->pad_count + 1,
                              sizeof *handlers->pads))
                return CAIRN_E_MEMORY;
            handlers->pads[handlers->pad_count++] = one.landing;
        }
    }
    if (handlers->pad_count)
        qsort(handlers->pads, handlers->pad_count, sizeof *handlers->pads, by_pad);
    return CAIRN_OK;
}

bool cairn_handlers_any(const struct cairn_handlers *handlers, uint64_t first, uint64_t last)
{
    size_t low = 0, high = handlers->pad_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (handlers->pads[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < handlers->pad_count && handlers->pads[low] <= last;
}

cairn_status cairn_handlers_read(const struct cairn_file *file, struct cairn_handlers **handlers)
{
    struct cairn_handlers *const made = calloc(1, sizeof *made);
    struct bytes frames;
    GElf_Ehdr ehdr;
    cairn_status status = CAIRN_OK;

    if (!made)
        return CAIRN_E_MEMORY;
    made->elf = cairn_elf_begin(file);
    if (made->elf && gelf_getehdr(made->elf, &ehdr)) {
        made->is_big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
        made->is_64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
        if (find_section(made, ".gcc_except_table", 0, &frames) &&
            find_section(made, ".eh_frame", 0, &frames))
            status = read_frames(made, frames);
    }
    if (made->count)
        qsort(made->list, made->count, sizeof *made->list, by_first);
    if (!status)
        status = list_pads(made);
    if (status) {
        cairn_handlers_free(made);
        return status;
    }
    *handlers = made;
    return CAIRN_OK;
}

cairn_status cairn_file_handlers(struct cairn_file *file, const struct cairn_handlers **handlers)
{
    cairn_status status = CAIRN_OK;

    if (pthread_mutex_lock(&file->lock) != 0)
        return CAIRN_E_MEMORY;
    if (!file->handlers)
        status = cairn_handlers_read(file, &file->handlers);
    *handlers = file->handlers;
    pthread_mutex_unlock(&file->lock);
    return status;
}
