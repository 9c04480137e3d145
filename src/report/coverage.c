/* SPDX-License-Identifier: BSD-2-Clause */
/* What captures executed, by file and address in it. */
#include "report/coverage.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/keyed.h"
#include "flow/fetch.h"
#include "image/frames.h"
#include "image/layer.h"
#include "image/space.h"

/* Instructions of one block that are looked at: as many as the decoder walks. */
#define BLOCK_MOST (1u << 20)

void cairn_coverage_free(struct cairn_coverage *coverage)
{
    cairn_profile_free(&coverage->profile);
    for (size_t i = 0; i < coverage->object_count; i++)
        cairn_pgo_functions_clear(&coverage->objects[i].functions);
    for (size_t i = 0; i < coverage->image_count; i++)
        cairn_image_unref(coverage->images[i]);
    cairn_table_clear(&coverage->by_name);
    cairn_table_clear(&coverage->by_place);
    cairn_table_clear(&coverage->by_missing);
    free(coverage->images);
    free(coverage->sources);
    free(coverage->missing);
    free(coverage->objects);
    free(coverage->insns);
    free(coverage->files);
    free(coverage->lines);
    free(coverage->by_line);
    free(coverage->functions);
    free(coverage->decisions);
    cairn_arena_free(&coverage->arena);
    *coverage = (struct cairn_coverage){0};
}

cairn_status cairn_coverage_capture(struct cairn_coverage *coverage, struct cairn_image *image)
{
    if (cairn_grow((void **)&coverage->images, coverage->image_count, &coverage->image_room,
                   sizeof *coverage->images))
        return CAIRN_E_MEMORY;
    coverage->images[coverage->image_count++] = cairn_image_ref(image);
    return cairn_profile_begin(&coverage->profile, image);
}

/* --- sources --- */

cairn_status cairn_coverage_miss(struct cairn_coverage *coverage, uint64_t address, uint64_t times)
{
    const uint32_t hash = cairn_table_hash(address, 0);
    size_t at = cairn_table_begin(&coverage->by_missing, hash);
    uint32_t item;

    while ((item = cairn_table_next(&coverage->by_missing, hash, &at)) != CAIRN_TABLE_NONE)
        if (coverage->missing[item].address == address) {
            coverage->missing[item].times += times;
            return CAIRN_OK;
        }
    if (coverage->missing_count == CAIRN_COVERAGE_MISSING_MAX) {
        coverage->has_more_missing = true;
        return CAIRN_OK;
    }
    if (cairn_grow((void **)&coverage->missing, coverage->missing_count, &coverage->missing_room,
                   sizeof *coverage->missing) ||
        cairn_table_add(&coverage->by_missing, hash, (uint32_t)coverage->missing_count))
        return CAIRN_E_MEMORY;
    coverage->missing[coverage->missing_count++] =
        (struct cairn_coverage_missing){.address = address, .times = times};
    return CAIRN_OK;
}

static cairn_status take_events(void *context, const struct cairn_flow_batch *batch)
{
    struct cairn_coverage *const coverage = context;
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++)
        if (batch->kind[i] == CAIRN_FLOW_GAP && batch->value[i] == CAIRN_GAP_NO_IMAGE)
            status = cairn_coverage_miss(coverage, batch->address[i], 1);
        else if (batch->kind[i] == CAIRN_FLOW_OVERFLOW)
            coverage->sources[coverage->source_count - 1].overflows++;
    return status;
}

cairn_status cairn_coverage_begin(struct cairn_coverage *coverage, const char *capture,
                                  const char *name, struct cairn_pipeline *pipeline)
{
    const struct cairn_consumer events = {
        .size = sizeof events, .context = coverage, .events = take_events};

    if (cairn_grow((void **)&coverage->sources, coverage->source_count, &coverage->source_room,
                   sizeof *coverage->sources))
        return CAIRN_E_MEMORY;
    struct cairn_coverage_source *const source = &coverage->sources[coverage->source_count];
    *source = (struct cairn_coverage_source){.capture = cairn_arena_text(&coverage->arena, capture),
                                             .name = cairn_arena_text(&coverage->arena, name)};
    if (!source->capture || !source->name)
        return CAIRN_E_MEMORY;
    coverage->source_count++;
    const cairn_status status = cairn_profile_add(&coverage->profile, source->name, pipeline);
    return status ? status : cairn_pipeline_add(pipeline, &events);
}

/* --- objects --- */

static bool is_object(const struct cairn_coverage_object *object,
                      const struct cairn_code_file *code, const char *path)
{
    if (!code)
        return !object->file && strcmp(object->path, path) == 0;
    if (!object->file)
        return false;
    return object->file == code->file || cairn_file_is_same(object->file, code->file) ||
           (object->file->build_id && code->file->build_id &&
            strcmp(object->file->build_id, code->file->build_id) == 0);
}

static void look_at_file(struct cairn_coverage_object *object)
{
    struct Elf *const elf = object->functions.elf;
    GElf_Ehdr ehdr;
    GElf_Phdr phdr;
    size_t count = 0;
    bool is_loaded = false;

    if (!elf || !gelf_getehdr(elf, &ehdr) || elf_getphdrnum(elf, &count))
        return;
    /* also of segments whose bytes were taken out: a file of debug information */
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
            continue;
        if (!is_loaded || phdr.p_vaddr < object->base)
            object->base = phdr.p_vaddr;
        is_loaded = true;
    }
    object->is_aarch64 = ehdr.e_machine == EM_AARCH64;
}

/* The object of a file, or (`code` NULL) of the memory of that name. */
static cairn_status find_object(struct cairn_coverage *coverage, const struct cairn_code_file *code,
                                const char *path, const struct cairn_arch *arch, uint32_t *found)
{
    for (size_t i = coverage->object_count; i > 0; i--)
        if (is_object(&coverage->objects[i - 1], code, path)) {
            *found = (uint32_t)(i - 1);
            return CAIRN_OK;
        }
    if (cairn_grow((void **)&coverage->objects, coverage->object_count, &coverage->object_room,
                   sizeof *coverage->objects))
        return CAIRN_E_MEMORY;
    struct cairn_coverage_object *const object = &coverage->objects[coverage->object_count];
    *object = (struct cairn_coverage_object){
        .path = cairn_arena_text(&coverage->arena, !code       ? path
                                                   : code->own ? code->own
                                                               : code->path),
        .file = code ? code->file : NULL,
        .arch = *arch};
    if (!object->path)
        return CAIRN_E_MEMORY;
    if (code) {
        const cairn_status status = cairn_pgo_functions_read(code->file, &object->functions);
        if (status)
            return status;
        object->is_split = code->own != NULL;
        look_at_file(object);
        object->image = coverage->profile.image;
        object->bias = code->bias;
        (void)cairn_space_place(coverage->profile.space, &object->place);
    }
    *found = (uint32_t)coverage->object_count++;
    return CAIRN_OK;
}

/* --- blocks --- */

static const struct cairn_arch *arch_of(const struct cairn_profiled *profile, uint32_t source)
{
    for (size_t i = 0; i < profile->source_count; i++)
        if (profile->sources[i].index == source)
            return cairn_config_arch(profile->sources[i].config);
    return NULL;
}

/* Where a block's code is: its object, and what is to be taken from its addresses. */
struct coverage_place {
    uint32_t object;
    uint64_t bias, memory;
    uint64_t first, last; /* addresses that this is so for */
};

static cairn_status find_place(struct cairn_coverage *coverage, const struct cairn_arch *arch,
                               uint64_t address, struct coverage_place *place)
{
    const struct cairn_space *const space = coverage->profile.space;
    struct cairn_layer_info layer = {.size = sizeof layer};
    struct cairn_window window;
    struct cairn_code_file code;

    if (cairn_space_code_file(space, address, &code)) {
        *place = (struct coverage_place){.bias = code.bias, .first = code.first, .last = code.last};
        return find_object(coverage, &code, NULL, arch, &place->object);
    }
    *place = (struct coverage_place){.first = address, .last = address};
    if (cairn_space_window(space, address, &window) &&
        cairn_image_layer(coverage->profile.image, window.layer, &layer) == CAIRN_OK) {
        const struct cairn_layer *const raw =
            &cairn_image_layers(coverage->profile.image)->list[window.layer];

        place->first = window.address;
        place->last = window.address + (window.size - 1);
        place->memory = cairn_layer_place(raw);
    }
    return find_object(coverage, NULL, layer.name ? layer.name : "memory", arch, &place->object);
}

/* The memory that blocks are looked at in. */
struct coverage_memory {
    struct cairn_held held;
    struct cairn_fetch fetch;
    struct coverage_place found; /* where its code was last */
};

static cairn_status add_block(struct cairn_coverage *coverage, const struct cairn_block_count *one,
                              struct coverage_memory *memory)
{
    struct coverage_place *const place = &memory->found;
    struct cairn_fetch *const fetch = &memory->fetch;
    const enum cairn_isa isa = (enum cairn_isa)one->block.isa;
    uint64_t at = one->block.address;
    uint8_t it = 0;
    cairn_status status = CAIRN_OK;

    for (uint32_t i = 0; i < one->block.instructions && !status; i++) {
        const bool is_last = i + 1 == one->block.instructions;
        const bool is_told = is_last && (one->block.flags & CAIRN_BLOCK_P0);
        struct cairn_insn insn = {.size = is_last ? one->block.last_size : 4};

        if (at < place->first || at > place->last)
            status = find_place(coverage, &fetch->arch, at, place);
        if (status)
            break;
        if (!cairn_fetch_insn(fetch, isa, at, &insn))
            insn.cond = CAIRN_COND_AL;
        const bool is_branch =
            insn.kind == CAIRN_INSN_BRANCH_DIRECT || insn.kind == CAIRN_INSN_BRANCH_INDIRECT;
        const bool has_condition = (insn.flags & CAIRN_INSN_CONDITIONAL) ||
                                   insn.cond < CAIRN_COND_AL ||
                                   cairn_it_condition(it) < CAIRN_COND_AL;
        const struct cairn_coverage_insn made = {
            .address = at - place->bias,
            .executed = one->executed,
            .told = is_told ? one->executed : 0,
            .taken = is_told ? one->taken : 0,
            .memory = place->memory,
            .object = place->object,
            .function = CAIRN_COVERAGE_NONE,
            .line = CAIRN_COVERAGE_NONE,
            .copy = CAIRN_COVERAGE_NONE,
            .opcode = insn.opcode,
            .isa = one->block.isa,
            .size = insn.size,
            .choice = !has_condition ? CAIRN_CHOICE_NONE
                      : is_branch    ? CAIRN_CHOICE_BRANCH
                                     : CAIRN_CHOICE_CONDITION,
            .ends_block = is_branch,
            .is_call = is_branch && (insn.flags & CAIRN_INSN_LINK),
        };

        status = cairn_coverage_add_up(coverage, &made);
        it = insn.flags & CAIRN_INSN_IT ? insn.it : cairn_it_advance(it);
        at += insn.size;
        if (isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
    }
    return status;
}

/* Whether a block's code is where that of the one before it is: in the function of a symbol of one file. */
static bool is_beside(const struct cairn_profiled *profile, const struct cairn_block_count *before,
                      const struct cairn_block_count *one)
{
    return before && before->is_whole && one->is_whole && before->function == one->function &&
           before->source == one->source && profile->functions.list[one->function].name;
}

static cairn_status select_memory(const struct cairn_profiled *profile,
                                  const struct cairn_block_count *one,
                                  struct coverage_memory *memory)
{
    const cairn_status status = cairn_space_select(profile->space, &one->place);

    *memory = (struct coverage_memory){
        .held = {.from = 1}, /* none, unless it is there */
        .fetch = {.space = profile->space, .arch = *arch_of(profile, one->source)},
        .found = {.first = 1},
    };
    if (!status)
        cairn_space_held(profile->space, &memory->held);
    return status;
}

/* Blocks are told apart by their addresses: another source may have another program there, or other memory. So what
 * one has executed becomes instructions before the next one is counted. */
cairn_status cairn_coverage_blocks(struct cairn_coverage *coverage)
{
    struct cairn_profiled *const profile = &coverage->profile;
    const size_t count = profile->counted.count ? profile->counted.count - 1 : 0;
    struct cairn_keyed *const order = malloc((count + 1) * sizeof *order);
    const struct cairn_block_count *before = NULL;
    struct coverage_memory memory = {.held = {.from = 1}};
    size_t insns = 0;
    cairn_status status = order ? CAIRN_OK : CAIRN_E_MEMORY;

    for (size_t i = 0; i < count && order; i++) {
        const struct cairn_code_block *const block = &profile->counted.list[i + 1].block;

        order[i] = (struct cairn_keyed){block->address, (uint32_t)i + 1};
        insns += block->instructions <= BLOCK_MOST ? block->instructions : 0;
    }
    if (order)
        cairn_keyed_sort(order, count);
    cairn_coverage_reserve(coverage, insns);
    for (size_t i = 0; i < count && !status; i++) {
        const struct cairn_block_count *const one = &profile->counted.list[order[i].item];

        if (one->executed == 0 || one->block.instructions > BLOCK_MOST ||
            !arch_of(profile, one->source))
            continue;
        if (!is_beside(profile, before, one) && !cairn_held_has(&memory.held, &one->place)) {
            before = NULL;
            if (select_memory(profile, one, &memory))
                continue;
        }
        before = one;
        status = add_block(coverage, one, &memory);
    }
    free(order);
    cairn_block_counts_free(&profile->counted);
    /* so that many take no more memory than twice their code, nor much time for being many */
    if (!status && coverage->insn_count / 2 >= coverage->sorted_count) {
        cairn_coverage_sort(coverage);
        coverage->sorted_count = coverage->insn_count;
    }
    return status;
}

cairn_status cairn_coverage_end(struct cairn_coverage *coverage, const struct cairn_ledger *ledger,
                                uint64_t lost_bytes)
{
    struct cairn_profiled *const profile = &coverage->profile;

    if (!profile->calls) /* it has not begun */
        return CAIRN_OK;
    struct cairn_coverage_source *const source = &coverage->sources[coverage->source_count - 1];
    const cairn_status status = cairn_profile_added(profile);

    source->bytes = ledger ? ledger->total : 0;
    source->lost_bytes = lost_bytes;
    source->instructions = profile->sources[profile->source_count - 1].instructions;
    return status ? status : cairn_coverage_blocks(coverage);
}

void cairn_coverage_captured(struct cairn_coverage *coverage)
{
    cairn_coverage_sort(coverage);
    coverage->sorted_count = coverage->insn_count;
    cairn_profile_free(&coverage->profile);
}

/* --- sorted --- */

static int by_missing(const void *left, const void *right)
{
    const struct cairn_coverage_missing *const a = left, *const b = right;

    return (a->address > b->address) - (a->address < b->address);
}

static int by_path(const void *left, const void *right, void *context)
{
    const struct cairn_coverage_object *const objects = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const int order = strcmp(objects[one].path, objects[other].path);

    return order ? order : (one > other) - (one < other);
}

static bool ends_in(const char *path, const char *name)
{
    const size_t length = strlen(path), wanted = strlen(name);

    return wanted && wanted <= length && !strcmp(path + length - wanted, name) &&
           (wanted == length || name[0] == '/' || path[length - wanted - 1] == '/');
}

#define BUILD_ID_LEAST 8u /* digits that tell one file from another */

/* Leaves out what is of other files than `binary`. */
static void choose_binary(struct cairn_coverage *coverage)
{
    const char *const name = coverage->binary;
    size_t kept = 0;

    if (!name)
        return;
    for (size_t i = 0; i < coverage->object_count; i++) {
        struct cairn_coverage_object *const object = &coverage->objects[i];
        const char *const build_id = object->file ? object->file->build_id : NULL;

        object->is_unwanted =
            !ends_in(object->path, name) &&
            (!build_id || strlen(name) < BUILD_ID_LEAST || strncmp(build_id, name, strlen(name)));
    }
    for (size_t i = 0; i < coverage->insn_count; i++)
        if (!coverage->objects[coverage->insns[i].object].is_unwanted)
            coverage->insns[kept++] = coverage->insns[i];
    coverage->insn_count = kept;
}

/* By their paths, so that it does not matter which capture came first. Their instructions get the new numbers when their
 * functions are looked at. */
static cairn_status sort_objects(struct cairn_coverage *coverage)
{
    const size_t count = coverage->object_count;
    uint32_t *const order = malloc((count + 1) * sizeof *order);
    struct cairn_coverage_object *const made = malloc((count + 1) * sizeof *made);

    if (order && made) {
        for (size_t i = 0; i < count; i++)
            order[i] = (uint32_t)i;
        qsort_r(order, count, sizeof *order, by_path, coverage->objects);
        for (size_t i = 0; i < count; i++) {
            made[i] = coverage->objects[order[i]];
            made[i].number = order[i];
        }
        if (count)
            memcpy(coverage->objects, made, count * sizeof *made);
    }
    const bool failed = !order || !made;
    free(order);
    free(made);
    return failed ? CAIRN_E_MEMORY : CAIRN_OK;
}

cairn_status cairn_coverage_settle(struct cairn_coverage *coverage)
{
    if (coverage->missing_count)
        qsort(coverage->missing, coverage->missing_count, sizeof *coverage->missing, by_missing);
    choose_binary(coverage);
    cairn_status status = sort_objects(coverage);
    if (!status)
        status = cairn_coverage_code(coverage);
    if (!status)
        status = cairn_coverage_lines(coverage);
    return status ? status : cairn_coverage_decide(coverage);
}
