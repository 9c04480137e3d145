/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts_take.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "capture/arena.h"
#include "image/elf.h"
#include "image/frames.h"

struct cairn_counts_loaded {
    const struct cairn_file *file; /* NULL: memory */
    uint64_t bias;
    uint64_t object; /* reference */
    bool has_code;
};

void cairn_counts_taker_free(struct cairn_counts_taker *taker)
{
    cairn_table_clear(&taker->pages);
    free(taker->page_list);
    free(taker->loaded);
    free(taker->by_layer);
    cairn_counts_versions_clear(&taker->versions);
}

cairn_status cairn_counts_set(struct cairn_counts *counts, enum cairn_counts_flag flag)
{
    const uint64_t cells[] = {(uint64_t)flag, 1};

    return cairn_counts_add(counts, CAIRN_COUNTS_FLAGS, cells);
}

cairn_status cairn_counts_increase(struct cairn_counts *counts, enum cairn_counts_sum sum,
                                   uint64_t more)
{
    const uint64_t cells[] = {(uint64_t)sum, more};

    return more ? cairn_counts_add(counts, CAIRN_COUNTS_SUMS, cells) : CAIRN_OK;
}

static cairn_status take_text(struct cairn_counts *counts, const char *text, uint64_t *number)
{
    return cairn_counts_text(counts, text ? text : "", text ? strlen(text) : 0, number);
}

/* --- sources --- */

static cairn_status take_arch(struct cairn_counts *counts, const struct cairn_arch *arch,
                              uint64_t *row)
{
    const uint64_t cells[] = {(uint64_t)arch->profile, arch->major, arch->minor, arch->features};

    *row = counts->tables[CAIRN_COUNTS_ARCHS].count;
    for (size_t i = 0; i < *row; i++)
        if (memcmp(cairn_counts_row(counts, CAIRN_COUNTS_ARCHS, i), cells, sizeof cells) == 0) {
            *row = i;
            return CAIRN_OK;
        }
    return cairn_counts_add(counts, CAIRN_COUNTS_ARCHS, cells);
}

static cairn_status take_registers(struct cairn_counts *counts,
                                   const struct cairn_source_info *info, uint64_t row)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < info->register_count && !status; i++) {
        uint64_t cells[] = {row, i, 0, info->registers[i].value};

        status = take_text(counts, info->registers[i].name, &cells[2]);
        if (!status)
            status = cairn_counts_add(counts, CAIRN_COUNTS_REGISTERS, cells);
    }
    return status;
}

cairn_status cairn_counts_take_source(struct cairn_counts *counts,
                                      const struct cairn_counts_source *source, uint64_t *row)
{
    uint64_t capture, name, arch;
    cairn_status status = take_text(counts, source->capture, &capture);

    if (!status)
        status = take_text(counts, source->info->name, &name);
    if (!status)
        status = take_arch(counts, cairn_config_arch(source->config), &arch);
    if (status)
        return status;
    const uint64_t cells[] = {capture,
                              cairn_config_source(source->config),
                              name,
                              source->fingerprint,
                              (uint64_t)cairn_config_protocol(source->config),
                              arch,
                              source->size,
                              source->bytes,
                              source->instructions,
                              source->cycles,
                              source->overflows,
                              cairn_counts_which(source->from, source->from + source->bytes)};
    *row = counts->tables[CAIRN_COUNTS_SOURCES].count;
    status = cairn_counts_add(counts, CAIRN_COUNTS_SOURCES, cells);
    if (!status)
        status = take_registers(counts, source->info, *row);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS && !status && source->ledger; i++) {
        const struct cairn_account_sum *const sum = &source->ledger->account[i];
        const uint64_t account[] = {*row, i, sum->bytes, sum->packets,
                                    source->ledger->lost[i] != 0};

        if (sum->bytes || sum->packets || source->ledger->lost[i])
            status = cairn_counts_add(counts, CAIRN_COUNTS_ACCOUNTS, account);
    }
    return status;
}

/* --- objects --- */

static cairn_status add_object(struct cairn_counts_taker *taker, const char *id, const char *path,
                               enum cairn_counts_object_kind kind, uint64_t bias, uint64_t *object)
{
    uint64_t cells[] = {0, 0, (uint64_t)kind, bias, bias};
    cairn_status status = take_text(taker->counts, id, &cells[0]);

    if (!status)
        status = take_text(taker->counts, path, &cells[1]);
    if (!status)
        status = cairn_counts_add(taker->counts, CAIRN_COUNTS_OBJECTS, cells);
    *object = taker->counts->tables[CAIRN_COUNTS_OBJECTS].count;
    return status;
}

static cairn_status add_loaded(struct cairn_counts_taker *taker,
                               const struct cairn_counts_loaded *loaded,
                               const struct cairn_counts_loaded **found)
{
    if (cairn_grow((void **)&taker->loaded, taker->loaded_count, &taker->loaded_room,
                   sizeof *taker->loaded))
        return CAIRN_E_MEMORY;
    taker->loaded[taker->loaded_count] = *loaded;
    *found = &taker->loaded[taker->loaded_count++];
    return CAIRN_OK;
}

/* Debug information that was split off is the program's: whether it is there or not, the object is the same. */
static void id_of_program(const struct cairn_code_file *code, char id[CAIRN_COUNTS_ID])
{
    struct cairn_file *own = NULL;

    if (code->own && cairn_file_open(code->own, &own, NULL))
        own = NULL;
    cairn_counts_file_id(own ? own : code->file, id);
    cairn_file_close(own);
}

static cairn_status find_file(struct cairn_counts_taker *taker, const struct cairn_code_file *code,
                              const struct cairn_counts_loaded **found)
{
    struct cairn_counts_loaded made = {.file = code->file, .bias = code->bias};
    char id[CAIRN_COUNTS_ID];

    for (size_t i = taker->loaded_count; i-- > 0;)
        if (taker->loaded[i].file == code->file && taker->loaded[i].bias == code->bias) {
            *found = &taker->loaded[i];
            return CAIRN_OK;
        }
    id_of_program(code, id);
    made.has_code = code->own || cairn_elf_has_code(code->file);
    const cairn_status status = add_object(taker, id, code->own ? code->own : code->path,
                                           made.has_code ? CAIRN_COUNTS_FILE : CAIRN_COUNTS_NAMES,
                                           code->bias, &made.object);
    return status ? status : add_loaded(taker, &made, found);
}

static cairn_status find_memory(struct cairn_counts_taker *taker, size_t layer,
                                const struct cairn_counts_loaded **found)
{
    struct cairn_layer_info info = {.size = sizeof info};
    struct cairn_counts_loaded made = {.bias = 0};
    char id[CAIRN_COUNTS_ID];

    if (!taker->by_layer)
        taker->by_layer = calloc(cairn_image_layer_count(taker->image), sizeof *taker->by_layer);
    if (!taker->by_layer)
        return CAIRN_E_MEMORY;
    if (taker->by_layer[layer]) {
        *found = &taker->loaded[taker->by_layer[layer] - 1];
        return CAIRN_OK;
    }
    (void)cairn_image_layer(taker->image, layer, &info);
    const char *const name = info.name ? info.name : "memory";
    snprintf(id, sizeof id, "memory:%.150s", name);
    cairn_status status = add_object(taker, id, name, CAIRN_COUNTS_UNNAMED, 0, &made.object);
    if (!status)
        status = add_loaded(taker, &made, found);
    if (!status)
        taker->by_layer[layer] = (uint32_t)taker->loaded_count;
    return status;
}

static cairn_status find_loaded(struct cairn_counts_taker *taker, uint64_t address,
                                const struct cairn_counts_loaded **found)
{
    struct cairn_code_file code;
    struct cairn_window window;

    *found = NULL;
    if (cairn_space_code_file(taker->space, address, &code))
        return find_file(taker, &code, found);
    if (cairn_space_window(taker->space, address, &window))
        return find_memory(taker, window.layer, found);
    return CAIRN_OK;
}

cairn_status cairn_counts_locate(struct cairn_counts_taker *taker, uint64_t address,
                                 uint64_t *object, uint64_t *in_object)
{
    const struct cairn_counts_loaded *loaded;
    const cairn_status status = find_loaded(taker, address, &loaded);

    *object = !status && loaded ? loaded->object : 0;
    *in_object = !status && loaded ? address - loaded->bias : address;
    return status;
}

/* --- memory that is in no file --- */

static cairn_status take_page(struct cairn_counts_taker *taker,
                              const struct cairn_counts_loaded *loaded, uint64_t owner,
                              const struct cairn_window *window, uint64_t address)
{
    const uint64_t object = loaded->object, bias = loaded->bias;
    const uint64_t page = address / CAIRN_COUNTS_PAGE * CAIRN_COUNTS_PAGE;
    const uint64_t from = page > window->address ? page : window->address;
    const uint64_t behind = window->address + window->size;
    const uint64_t to =
        behind - from > CAIRN_COUNTS_PAGE - (from - page) ? page + CAIRN_COUNTS_PAGE : behind;
    const uint32_t hash = cairn_table_hash(from, object);
    size_t at = cairn_table_begin(&taker->pages, hash);
    uint32_t item;

    while ((item = cairn_table_next(&taker->pages, hash, &at)) != CAIRN_TABLE_NONE)
        if (taker->page_list[2 * item] == from && taker->page_list[2 * item + 1] == object)
            return CAIRN_OK;
    if (cairn_grow((void **)&taker->page_list, taker->page_count, &taker->page_room,
                   2 * sizeof *taker->page_list) ||
        cairn_table_add(&taker->pages, hash, (uint32_t)taker->page_count))
        return CAIRN_E_MEMORY;
    taker->page_list[2 * taker->page_count] = from;
    taker->page_list[2 * taker->page_count++ + 1] = object;
    uint64_t cells[] = {object, 0, from - bias, (uint64_t)window->order, owner, 0, 0};
    const cairn_status status =
        cairn_counts_text(taker->counts, (const char *)window->bytes + (from - window->address),
                          (size_t)(to - from), &cells[CAIRN_COUNTS_MEMORY_BYTES]);
    return status ? status : cairn_counts_add(taker->counts, CAIRN_COUNTS_MEMORY, cells);
}

static cairn_status take_memory(struct cairn_counts_taker *taker,
                                const struct cairn_counts_loaded *loaded, uint64_t from,
                                uint64_t size)
{
    const struct cairn_counts_loaded *owner;
    cairn_status status = CAIRN_OK;
    struct cairn_window window;
    uint64_t done = 0;

    while (done < size && !status && cairn_space_window(taker->space, from + done, &window)) {
        owner = loaded;
        if (!loaded->file) /* a block may go on in the memory behind */
            status = find_memory(taker, window.layer, &owner);
        if (!status)
            status = take_page(taker, loaded, owner->object, &window, from + done);
        const uint64_t left = window.address + window.size - (from + done);
        const uint64_t of_page = CAIRN_COUNTS_PAGE - (from + done) % CAIRN_COUNTS_PAGE;
        done += left < of_page ? left : of_page;
    }
    return status;
}

/* The block's own bytes, as far as they are there, window by window; what they come to is the version. */
static cairn_status take_version(struct cairn_counts_taker *taker,
                                 const struct cairn_counts_loaded *loaded, uint64_t from,
                                 uint64_t size, uint64_t *version)
{
    struct cairn_counts *const counts = taker->counts;
    const size_t first = counts->tables[CAIRN_COUNTS_MEMORY].count;
    const struct cairn_counts_loaded *owner = loaded;
    uint64_t sum = from - loaded->bias;
    cairn_status status = CAIRN_OK;
    struct cairn_window window;

    for (uint64_t done = 0, part;
         !status && done < size && cairn_space_window(taker->space, from + done, &window);
         done += part) {
        const uint64_t there = window.address + window.size - (from + done);
        const uint8_t *const bytes = window.bytes + (from + done - window.address);
        const uint64_t place = cairn_counts_versions_place(taker->image, &window);
        uint64_t cells[] = {
            loaded->object, 0, from + done - loaded->bias, (uint64_t)window.order, 0, place, 0};

        part = size - done < there ? size - done : there;
        sum = (sum * CAIRN_GOLDEN ^ place) * CAIRN_GOLDEN ^
              cairn_counts_checksum(bytes, (size_t)part);
        if (!loaded->file)
            status = find_memory(taker, window.layer, &owner);
        cells[CAIRN_COUNTS_MEMORY_OWNER] = owner->object;
        if (!status)
            status = cairn_counts_text(counts, (const char *)bytes, (size_t)part,
                                       &cells[CAIRN_COUNTS_MEMORY_BYTES]);
        if (!status)
            status = cairn_counts_add(counts, CAIRN_COUNTS_MEMORY, cells);
    }
    *version = sum | UINT64_C(1) << 63; /* 0 is none */
    for (size_t i = first; i < counts->tables[CAIRN_COUNTS_MEMORY].count; i++)
        counts->tables[CAIRN_COUNTS_MEMORY]
            .cells[i * CAIRN_COUNTS_MEMORY_COLUMNS + CAIRN_COUNTS_MEMORY_VERSION] = *version;
    return status;
}

/* --- blocks --- */

/* What tells blocks apart, as calls/counted.c has it. */
#define SAME_FLAGS (CAIRN_BLOCK_P0 | CAIRN_BLOCK_BRANCH | CAIRN_BLOCK_INDIRECT)
/* And what else a record tells as well as a path. */
#define MORE_FLAGS (CAIRN_BLOCK_LINK | CAIRN_BLOCK_RETURN | CAIRN_BLOCK_CONDITIONAL)

static cairn_status take_block(struct cairn_counts_taker *taker,
                               const struct cairn_block_count *one, uint64_t arch)
{
    const struct cairn_code_block *const block = &one->block;
    const struct cairn_counts_loaded *found;
    struct cairn_counts_loaded loaded = {0};
    uint64_t size = block->end - block->address, version = 0;

    if (block->isa != CAIRN_ISA_A64)
        size &= UINT32_MAX;
    cairn_status status = cairn_space_select(taker->space, &one->place);
    if (!status)
        status = find_loaded(taker, block->address, &found);
    if (!status && found)
        loaded = *found;
    if (!status && found && !(loaded.file && loaded.has_code))
        status = cairn_counts_versions_any(&taker->versions, block->address, size)
                     ? take_version(taker, &loaded, block->address, size, &version)
                     : take_memory(taker, &loaded, block->address, size);
    if (status)
        return status;
    const uint64_t cells[] = {loaded.object,
                              block->address - loaded.bias,
                              size,
                              block->instructions,
                              block->isa,
                              block->last_size,
                              block->flags & SAME_FLAGS,
                              version,
                              arch,
                              block->flags & MORE_FLAGS,
                              one->executed,
                              one->taken,
                              one->cycles};
    return cairn_counts_add(taker->counts, CAIRN_COUNTS_BLOCKS, cells);
}

cairn_status cairn_counts_take_blocks(struct cairn_counts_taker *taker,
                                      const struct cairn_block_counts *blocks,
                                      const struct cairn_arch *arch)
{
    uint64_t row;
    cairn_status status = take_arch(taker->counts, arch, &row);

    if (!status && !taker->versions.is_made)
        status = cairn_counts_versions_make(&taker->versions, taker->image);
    for (uint32_t i = 1; i < blocks->count && !status; i++)
        if (blocks->list[i].executed || blocks->list[i].cycles)
            status = take_block(taker, &blocks->list[i], row);
    return status;
}

/* --- for compilers --- */

static uint64_t reference(uint32_t binary, uint64_t first)
{
    return binary == CAIRN_PGO_NONE ? 0 : first + binary + 1;
}

static cairn_status take_binary(struct cairn_counts *counts, const struct cairn_pgo_binary *binary)
{
    uint64_t cells[] = {0, 0, binary->base, 0, binary->executed, 0, binary->is_recorded};
    char id[CAIRN_COUNTS_ID];
    const char *key = binary->build_id ? NULL : binary->path;

    if (key && binary->file) {
        cairn_counts_file_id(binary->code ? binary->code : binary->file, id);
        key = id;
    }
    cairn_status status = take_text(counts, key, &cells[CAIRN_COUNTS_BINARY_KEY]);
    if (!status)
        status = take_text(counts, binary->build_id, &cells[CAIRN_COUNTS_BINARY_BUILD_ID]);
    if (!status)
        status = take_text(counts, binary->file_path, &cells[CAIRN_COUNTS_BINARY_FILE]);
    if (!status)
        status = take_text(counts, binary->path, &cells[CAIRN_COUNTS_BINARY_PATH]);
    return status ? status : cairn_counts_add(counts, CAIRN_COUNTS_BINARIES, cells);
}

cairn_status cairn_counts_take_pgo(struct cairn_counts *counts, const struct cairn_pgo *pgo)
{
    const uint64_t first = counts->tables[CAIRN_COUNTS_BINARIES].count;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < pgo->binary_count && !status; i++)
        status = take_binary(counts, &pgo->binaries[i]);
    for (size_t i = 0; i < pgo->range_count && !status; i++) {
        const struct cairn_pgo_range *const one = &pgo->ranges[i];
        const uint64_t cells[] = {reference(one->binary, first), one->first, one->last, one->count};

        status = cairn_counts_add(counts, CAIRN_COUNTS_RANGES, cells);
    }
    for (size_t i = 0; i < pgo->address_count && !status; i++) {
        const struct cairn_pgo_address *const one = &pgo->addresses[i];
        const uint64_t cells[] = {reference(one->binary, first), one->address, one->count};

        status = cairn_counts_add(counts, CAIRN_COUNTS_ADDRESSES, cells);
    }
    for (size_t i = 0; i < pgo->branch_count && !status; i++) {
        const struct cairn_pgo_branch *const one = &pgo->branches[i];
        const uint64_t cells[] = {reference(one->from_binary, first),
                                  one->from,
                                  reference(one->to_binary, first),
                                  one->to,
                                  one->has_target,
                                  one->is_indirect,
                                  one->count,
                                  one->mispredicted};

        status = cairn_counts_add(counts, CAIRN_COUNTS_BRANCHES, cells);
    }
    if (!status)
        status = cairn_counts_increase(counts, CAIRN_COUNTS_OUTSIDE, pgo->outside);
    return status ? status : cairn_counts_increase(counts, CAIRN_COUNTS_LEFT_OUT, pgo->left_out);
}
