/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an image may have the vector table of an M profile core. Who asks compares its entries with
 * what was executed: a wrong place does no harm. */
#include "base/bytes.h"
#include "image/elf.h"
#include "image/frames.h"
#include "image/layer.h"
#include "image/names.h"
#include "image/space.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Places found so far. */
struct found {
    uint64_t *addresses;
    size_t count, capacity;
};

static void add(struct found *found, uint64_t address)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->addresses[i] == address)
            return;
    if (found->count < found->capacity)
        found->addresses[found->count++] = address;
}

/* As CMSIS, vendors' start-up files, Zephyr, FreeRTOS, ThreadX, Rust's cortex-m-rt call it. */
static bool is_table(const char *name)
{
    static const char *const names[] = {
        ".isr_vector",
        ".vectors",
        ".vector_table",
        ".intvec",
        "__Vectors",
        "__isr_vector",
        "g_pfnVectors",
        "__vector_table",
        "_vector_table",
        "vector_table",
        "__VECTOR_TABLE",
        "_vectors",
        "vectors",
        "__vectors",
        "isr_vector",
        "interruptVectors",
        "__interrupt_vector",
        "__RESET_VECTOR",
        "RESET",
        ".intvecs",
        "__vectors_start",
        "_vector_start",
        "__isr_vectors",
        "exception_table",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void add_symbols(struct Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t bias,
                        struct found *found)
{
    Elf_Data *const data = elf_getdata(section, NULL);
    const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    const size_t count = data && entry ? data->d_size / entry : 0;

    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name;

        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && is_table(name))
            add(found, symbol.st_value + bias);
    }
}

static void add_file(const struct cairn_file *file, uint64_t bias, struct found *found)
{
    struct Elf *const elf = cairn_elf_begin(file);
    Elf_Scn *section = NULL;
    size_t strings;

    if (elf && elf_getshdrstrndx(elf, &strings) == 0) {
        while ((section = elf_nextscn(elf, section)) != NULL) {
            GElf_Shdr header;
            const char *name;

            if (!gelf_getshdr(section, &header))
                continue;
            name = elf_strptr(elf, strings, header.sh_name);
            if (name && (header.sh_flags & SHF_ALLOC) && is_table(name))
                add(found, header.sh_addr + bias);
            if (header.sh_type == SHT_SYMTAB)
                add_symbols(elf, section, &header, bias, found);
        }
    }
    elf_end(elf);
}

size_t cairn_image_vectors(struct cairn_image *image, uint64_t *addresses, size_t capacity)
{
    const struct cairn_layers *const layers = cairn_image_layers(image);
    const struct cairn_names_list *const names = cairn_image_names(image);
    struct found found = {.addresses = addresses, .capacity = capacity};

    for (size_t i = 0; i < layers->count && found.count < capacity; i++)
        if (layers->list[i].is_elf && layers->list[i].file &&
            (i == 0 || layers->list[i].file != layers->list[i - 1].file))
            add_file(layers->list[i].file, layers->list[i].bias, &found);
    for (size_t i = 0; i < names->count && found.count < capacity; i++)
        add_file(names->list[i].file, names->list[i].bias, &found);
    add(&found, 0);
    for (size_t i = 0; i < layers->count && found.count < capacity; i++)
        add(&found, layers->list[i].address);
    return found.count;
}

static uint32_t word_of(const uint8_t *bytes, enum cairn_order order)
{
    if (order == CAIRN_ORDER_LITTLE)
        return cairn_load_le32(bytes);
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool file_word(const struct cairn_names *names, uint64_t address, uint32_t *word)
{
    struct cairn_segments segments;
    const uint64_t wanted = address - names->bias;
    bool found = false;

    if (cairn_elf_segments(names->file, names->path, &segments, NULL))
        return false;
    for (size_t i = 0; i < segments.count && !found; i++) {
        const struct cairn_segment *const segment = &segments.list[i];
        const uint64_t at = wanted - segment->address;

        if (segment->is_zeros || at >= segment->size || segment->size - at < sizeof *word)
            continue;
        *word = word_of(names->file->data + segment->offset + at, segments.order);
        found = true;
    }
    cairn_segments_clear(&segments);
    return found;
}

bool cairn_space_word(const struct cairn_space *space, uint64_t address, uint32_t *word)
{
    struct cairn_window window;
    struct cairn_place place;

    if (cairn_space_window(space, address, &window)) {
        const uint64_t at = address - window.address;
        if (window.size - at < sizeof *word)
            return false;
        *word = word_of(window.bytes + at, window.order);
        return true;
    }
    if (!cairn_space_place(space, &place))
        return false;
    const struct cairn_names *const names =
        cairn_names_find(cairn_image_names(cairn_space_image(space)), &place, address);
    return names && file_word(names, address, word);
}
