/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for addresses: by the layer that has the memory, where that is an ELF file's, and else by
 * the files that were said to name it. */
#include "base/sizes.h"
#include "image/frames.h"
#include "image/handlers.h"
#include "image/layer.h"
#include "image/lines.h"
#include "image/names.h"
#include "image/space.h"
#include "image/symbol.h"

#include <string.h>

/* What names an address: a layer that is an ELF file's, or names; neither, or a layer without. */
struct namer {
    const struct cairn_layer *layer; /* or NULL: there is no memory */
    size_t index;                    /* of it */
    struct cairn_window window;      /* of it around the address */
    const struct cairn_names *names; /* or NULL */
};

static struct namer find_namer(const struct cairn_space *space, uint64_t address)
{
    struct cairn_image *image = cairn_space_image(space);
    struct namer namer = {0};
    struct cairn_place place;

    if (cairn_space_window(space, address, &namer.window)) {
        namer.layer = &cairn_image_layers(image)->list[namer.window.layer];
        namer.index = namer.window.layer;
        if (namer.layer->is_elf)
            return namer;
    }
    if (cairn_space_place(space, &place))
        namer.names = cairn_names_find(cairn_image_names(image), &place, address);
    return namer;
}

/* Where no memory is of an ELF file, what a file says of an address does not depend on what memory is there. */
static bool only_names_tell(const struct cairn_space *space)
{
    return cairn_image_layers(cairn_space_image(space))->elf_count == 0;
}

/* What says which file an address is of; `layer` only if that does. */
static struct namer find_file_namer(const struct cairn_space *space, uint64_t address)
{
    struct namer namer = {0};
    struct cairn_place place;

    if (!only_names_tell(space))
        return find_namer(space, address);
    if (cairn_space_place(space, &place))
        namer.names =
            cairn_names_find(cairn_image_names(cairn_space_image(space)), &place, address);
    return namer;
}

static cairn_status find_symbol(const struct cairn_space *space, const struct namer *namer,
                                uint64_t address, const char **name, uint64_t *offset)
{
    if (namer->names)
        return cairn_names_symbol(namer->names, address, name, offset);
    return namer->layer
               ? cairn_image_symbol(cairn_space_image(space), namer->index, address, name, offset)
               : CAIRN_E_NOT_FOUND;
}

cairn_status cairn_space_symbol(const struct cairn_space *space, uint64_t address,
                                const char **name, uint64_t *offset)
{
    if (!space || !name || !offset)
        return CAIRN_E_ARGUMENT;
    const struct namer namer = find_file_namer(space, address);

    return find_symbol(space, &namer, address, name, offset);
}

static bool find_line(const struct namer *namer, uint64_t address, const char **file,
                      uint32_t *line)
{
    if (namer->names)
        return !cairn_file_line(namer->names->file, address - namer->names->bias, file, line);
    return namer->layer->is_elf && namer->layer->file &&
           !cairn_file_line(namer->layer->file, address - namer->layer->bias, file, line);
}

cairn_status cairn_symbolize(const struct cairn_space *space, uint64_t address,
                             struct cairn_symbol *symbol)
{
    struct cairn_symbol made;

    if (!space || !symbol)
        return CAIRN_E_ARGUMENT;
    const struct namer namer = find_namer(space, address);

    if (!namer.layer && !namer.names)
        return CAIRN_E_NOT_FOUND;
    memset(&made, 0, sizeof made); /* what is between the members is the caller's to see, too */
    made.object = namer.names ? namer.names->path : namer.layer->name;
    if (find_symbol(space, &namer, address, &made.function, &made.offset)) {
        made.function = NULL;
        made.offset = 0;
    }
    if (!find_line(&namer, address, &made.file, &made.line)) {
        made.file = NULL;
        made.line = 0;
    }
    return cairn_info_write(symbol, &made, sizeof made);
}

/* Narrows *first..*last to the addresses around one at which the same tells. */
static void narrow(const struct cairn_space *space, const struct namer *namer, uint64_t address,
                   uint64_t *first, uint64_t *last)
{
    const struct cairn_window *const window = &namer->window;
    struct cairn_place place;

    if (namer->layer) {
        *first = *first > window->address ? *first : window->address;
        if (window->address + (window->size - 1) < *last)
            *last = window->address + (window->size - 1);
    } else if (!only_names_tell(space)) {
        *first = *last = address;
        return;
    }
    if (namer->names && cairn_space_place(space, &place))
        cairn_names_narrow(cairn_image_names(cairn_space_image(space)), &place, address, first,
                           last);
}

bool cairn_space_code_file(const struct cairn_space *space, uint64_t address,
                           struct cairn_code_file *found)
{
    const struct namer namer = find_file_namer(space, address);

    if (namer.names)
        *found = (struct cairn_code_file){namer.names->path,  namer.names->file, namer.names->bias,
                                          namer.names->first, namer.names->last, namer.names->own};
    else if (namer.layer && namer.layer->is_elf && namer.layer->file)
        *found = (struct cairn_code_file){
            namer.layer->name, namer.layer->file, namer.layer->bias, 0, UINT64_MAX, NULL};
    else
        return false;
    narrow(space, &namer, address, &found->first, &found->last);
    return true;
}

/* The file that has the names of an address, and what is added to its addresses; or NULL. */
static struct cairn_file *file_of(const struct namer *namer, uint64_t *bias)
{
    if (namer->names) {
        *bias = namer->names->bias;
        return namer->names->file;
    }
    if (!namer->layer || !namer->layer->is_elf)
        return NULL;
    *bias = namer->layer->bias;
    return namer->layer->file;
}

bool cairn_space_has_label(const struct cairn_space *space, uint64_t address)
{
    const struct namer namer = find_file_namer(space, address);
    const struct cairn_symbols *symbols;
    uint64_t bias;
    struct cairn_file *file = file_of(&namer, &bias);

    return file && cairn_file_symbols(file, &symbols) == CAIRN_OK &&
           cairn_symbols_has_label(symbols, address - bias);
}

size_t cairn_space_frames(const struct cairn_space *space, uint64_t address,
                          struct cairn_frame *frames, size_t capacity, struct timespec *changed)
{
    struct cairn_code_file code;

    if (!cairn_space_code_file(space, address, &code))
        return 0;
    *changed = code.file->identity.changed;
    return cairn_file_frames(code.file, address - code.bias, frames, capacity);
}

bool cairn_space_declaration(const struct cairn_space *space, uint64_t address, const char **file,
                             uint32_t *line)
{
    struct cairn_code_file code;
    struct cairn_frame frame;

    if (!cairn_space_code_file(space, address, &code) ||
        !cairn_file_function_frame(code.file, address - code.bias, &frame))
        return false;
    const bool is_declared = frame.start_file && frame.start_line;
    *file = is_declared ? frame.start_file : frame.file;
    *line = is_declared ? frame.start_line : frame.line;
    return *file && *line;
}

const char *cairn_space_object(const struct cairn_space *space, uint64_t address)
{
    const struct namer namer = find_file_namer(space, address);

    if (namer.names)
        return namer.names->own ? namer.names->own : namer.names->path;
    return namer.layer && namer.layer->is_elf ? namer.layer->name : NULL;
}

bool cairn_space_landing(const struct cairn_space *space, uint64_t site, uint64_t *landing)
{
    const struct namer namer = find_file_namer(space, site);
    const struct cairn_handlers *handlers;
    uint64_t bias, found;
    struct cairn_file *file = file_of(&namer, &bias);

    if (!file || cairn_file_handlers(file, &handlers) ||
        cairn_handlers_find(handlers, site - bias, &found))
        return false;
    *landing = found ? found + bias : 0;
    return true;
}

cairn_status cairn_image_symbol(struct cairn_image *image, size_t layer, uint64_t address,
                                const char **name, uint64_t *offset)
{
    if (!image || !name || !offset)
        return CAIRN_E_ARGUMENT;
    const struct cairn_layers *const layers = cairn_image_layers(image);
    if (layer >= layers->count)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_layer *const in = &layers->list[layer];
    if (!in->is_elf || address - in->address >= in->size)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_symbols *symbols = NULL;
    const cairn_status status = cairn_file_symbols(in->file, &symbols);
    if (status)
        return status;
    return cairn_symbols_find(symbols, address - in->bias, name, offset);
}
