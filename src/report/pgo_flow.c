/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace executed, by files: addresses in memory become addresses in the file that was there. */
#include "report/pgo.h"

#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "image/frames.h"

/* Addresses around the last one that are of one binary. */
struct pgo_stretch {
    uint32_t place;
    uint64_t first, last;
    uint64_t bias;
    uint32_t binary; /* NONE: no file has or names what is there */
};

#define STRETCHES 16u /* that are remembered: branches go back and forth between a few files */

struct pgo_finder {
    struct cairn_pgo *pgo;
    struct cairn_capture *capture;
    const struct cairn_counted *counted;
    struct cairn_space *space;
    struct pgo_stretch stretches[STRETCHES];
    unsigned next;
};

/* Build-ids may be cut or padded where they were recorded. */
static bool is_same_id(const char *one, const char *other)
{
    const size_t first = strlen(one), second = strlen(other);

    return !strncmp(one, other, first < second ? first : second);
}

/* What the capture calls the file at `path`, of that build-id; itself, where it does not know it. */
static void name_file(const struct pgo_finder *finder, const struct cairn_code_file *code,
                      const char **path, const char **build_id, const char **code_path)
{
    struct cairn_module_info module = {.size = sizeof module};

    *path = code->path;
    *code_path = NULL;
    *build_id = code->file->build_id;
    for (size_t i = 0; !cairn_capture_module(finder->capture, i, &module); i++) {
        const bool is_it = (module.file && !strcmp(module.file, code->path)) ||
                           (module.code && !strcmp(module.code, code->path));

        if (is_it || (*build_id && module.build_id && is_same_id(*build_id, module.build_id))) {
            *path = module.path;
            *code_path = module.code;
            *build_id = module.build_id ? module.build_id : *build_id;
            if (is_it)
                return;
        }
    }
}

static uint64_t base_of(const struct cairn_file *file, const char *path)
{
    struct cairn_segments segments;
    uint64_t base = 0;

    if (cairn_elf_segments(file, path, &segments, NULL))
        return 0;
    if (segments.count)
        base = segments.list[0].address;
    cairn_segments_clear(&segments);
    return base;
}

static cairn_status find_binary(struct pgo_finder *finder, const struct cairn_code_file *code,
                                uint32_t *found)
{
    const char *path, *build_id, *code_path;

    name_file(finder, code, &path, &build_id, &code_path);
    cairn_status status = cairn_pgo_binary(finder->pgo, path, build_id, found);
    if (status == CAIRN_E_LIMIT) {
        *found = CAIRN_PGO_NONE;
        return CAIRN_OK;
    }
    if (status)
        return status;
    struct cairn_pgo_binary *const binary = &finder->pgo->binaries[*found];
    if (!binary->file) {
        binary->file = code->file;
        cairn_pgo_find_code(binary, code_path, true);
        cairn_pgo_find_code(binary, path, false);
        binary->base = base_of(binary->code ? binary->code : code->file, code->path);
        binary->file_path = strdup(code->path);
        status = binary->file_path ? CAIRN_OK : CAIRN_E_MEMORY;
    }
    return status;
}

static cairn_status look(struct pgo_finder *finder, uint32_t place, uint64_t address,
                         const struct pgo_stretch **found)
{
    struct cairn_code_file code;

    for (unsigned i = 0; i < STRETCHES; i++) {
        const struct pgo_stretch *const stretch = &finder->stretches[i];

        if (stretch->place == place && address >= stretch->first && address <= stretch->last) {
            *found = stretch;
            return CAIRN_OK;
        }
    }
    cairn_status status =
        cairn_space_select(finder->space, cairn_counted_place(finder->counted, place));
    struct pgo_stretch *const made = &finder->stretches[finder->next++ % STRETCHES];
    *made = (struct pgo_stretch){
        .place = place, .first = address, .last = address, .binary = CAIRN_PGO_NONE};
    if (!status && cairn_space_code_file(finder->space, address, &code)) {
        made->first = code.first;
        made->last = code.last;
        made->bias = code.bias;
        status = find_binary(finder, &code, &made->binary);
    }
    *found = made;
    return status;
}

/* How often it was executed counts, or is added up alone. */
enum pgo_taking { TAKE_COUNT = 1, TAKE_SUM = 2 };

static cairn_status take_range(struct pgo_finder *finder, const struct cairn_counted_range *range,
                               unsigned taking)
{
    const struct pgo_stretch *stretch;
    const uint64_t executed = range->count * range->instructions;
    cairn_status status = look(finder, range->place, range->address, &stretch);

    if (status)
        return status;
    if (taking & TAKE_SUM) {
        if (stretch->binary == CAIRN_PGO_NONE)
            finder->pgo->outside += executed;
        else
            finder->pgo->binaries[stretch->binary].executed += executed;
    }
    if (stretch->binary == CAIRN_PGO_NONE || !(taking & TAKE_COUNT))
        return CAIRN_OK;
    return cairn_pgo_add_range(finder->pgo,
                               &(struct cairn_pgo_range){.binary = stretch->binary,
                                                         .first = range->address - stretch->bias,
                                                         .last = range->last - stretch->bias,
                                                         .count = range->count});
}

static cairn_status take_branch(struct pgo_finder *finder,
                                const struct cairn_counted_branch *branch)
{
    const struct pgo_stretch *stretch;
    struct cairn_pgo_branch made = {.count = branch->count,
                                    .to_binary = CAIRN_PGO_NONE,
                                    .is_indirect = branch->kind == CAIRN_INSN_BRANCH_INDIRECT};
    cairn_status status = look(finder, branch->from_place, branch->from, &stretch);

    if (status)
        return status;
    made.from_binary = stretch->binary;
    made.from = stretch->binary == CAIRN_PGO_NONE ? 0 : branch->from - stretch->bias;
    if (branch->has_target)
        status = look(finder, branch->to_place, branch->to, &stretch);
    if (branch->has_target && !status && stretch->binary != CAIRN_PGO_NONE) {
        made.to_binary = stretch->binary;
        made.to = branch->to - stretch->bias;
        made.has_target = true;
    }
    if (status || (made.from_binary == CAIRN_PGO_NONE && made.to_binary == CAIRN_PGO_NONE))
        return status;
    return cairn_pgo_add_branch(finder->pgo, &made);
}

static cairn_status take_all(struct pgo_finder *finder)
{
    size_t range_count, row_count, branch_count;
    const struct cairn_counted_range *ranges = cairn_counted_ranges(finder->counted, &range_count);
    const struct cairn_counted_range *rows = cairn_counted_rows(finder->counted, &row_count);
    const struct cairn_counted_branch *branches =
        cairn_counted_branches(finder->counted, &branch_count);
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < range_count && !status; i++)
        status = take_range(finder, &ranges[i], row_count ? TAKE_SUM : TAKE_SUM | TAKE_COUNT);
    for (size_t i = 0; i < row_count && !status; i++)
        status = take_range(finder, &rows[i], TAKE_COUNT);
    for (size_t i = 0; i < branch_count && !status; i++)
        status = take_branch(finder, &branches[i]);
    finder->pgo->left_out += cairn_counted_left_out(finder->counted);
    return status;
}

cairn_status cairn_pgo_add_counted(struct cairn_pgo *pgo, struct cairn_capture *capture,
                                   const struct cairn_counted *counted)
{
    struct pgo_finder finder = {.pgo = pgo, .capture = capture, .counted = counted};
    cairn_status status = cairn_space_new(cairn_capture_image(capture), &finder.space);

    for (unsigned i = 0; i < STRETCHES; i++)
        finder.stretches[i] = (struct pgo_stretch){.first = 1};
    if (!status)
        status = take_all(&finder);
    cairn_space_free(finder.space);
    return status;
}
