/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/modules.h"

#include <stdlib.h>
#include <string.h>

/* What the file was when it was mapped; where it could not be read then, what it is now. */
static bool inspect(const struct cairn_mapped *mapped, uint64_t *bias, char **build_id,
                    uint64_t *gone)
{
    const struct cairn_journal_file *file = &mapped->file;

    *build_id = NULL;
    if (!file->is_elf)
        return cairn_mapped_inspect(mapped->path, mapped->executed,
                                    mapped->offset + (mapped->executed - mapped->address), bias,
                                    build_id);
    /* Nothing would tell its successor from it. */
    if (!file->build_id[0] && !cairn_mapped_is_there(mapped->path, file)) {
        ++*gone;
        return false;
    }
    *bias = file->bias;
    *build_id = file->build_id[0] ? strdup(file->build_id) : NULL;
    return true;
}

/* The path, build-id and bias of one mapping go into the arena. False: it is no module. */
static cairn_status take_mapping(struct cairn_arena *arena, const struct cairn_mapped *mapped,
                                 struct cairn_module *module, bool *taken, uint64_t *gone)
{
    char *build_id = NULL;
    cairn_status status = CAIRN_OK;

    *module = (struct cairn_module){.from = mapped->from, .to = mapped->to};
    *taken = inspect(mapped, &module->told.bias, &build_id, gone);
    if (!*taken)
        return CAIRN_OK;
    module->told.address = mapped->address;
    module->told.length = mapped->length;
    module->told.path = cairn_arena_text(arena, mapped->path);
    if (build_id)
        module->told.build_id = cairn_arena_text(arena, build_id);
    if (!module->told.path || (build_id && !module->told.build_id))
        status = CAIRN_E_MEMORY;
    free(build_id);
    return status;
}

static bool is_same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Another part of the same file: what is between them is the file's as well. */
static bool join(struct cairn_module *module, const struct cairn_module *other)
{
    struct cairn_snapshot_module *one = &module->told;
    const struct cairn_snapshot_module *two = &other->told;

    if (module->from != other->from || module->to != other->to || one->bias != two->bias ||
        strcmp(one->path, two->path) != 0 || !is_same_text(one->build_id, two->build_id))
        return false;
    const uint64_t first = one->address < two->address ? one->address : two->address;
    const uint64_t a = one->address + (one->length - 1), b = two->address + (two->length - 1);

    one->address = first;
    one->length = (a > b ? a : b) - first + 1;
    return true;
}

static cairn_status add_firmware(struct cairn_arena *arena,
                                 const struct cairn_recorded_program *program,
                                 struct cairn_module *module, bool *taken, uint64_t *gone)
{
    struct cairn_journal_file now;
    const struct cairn_journal_file *file = program->file;

    if (!file) {
        cairn_mapped_look_at(program->path, &now);
        file = &now;
    }
    *module = (struct cairn_module){.to = UINT64_MAX};
    *taken = file->is_elf;
    /* Nothing would tell its successor from it. */
    if (*taken && !file->build_id[0] && !cairn_mapped_is_there(program->path, file)) {
        ++*gone;
        *taken = false;
    }
    module->told.path = cairn_arena_text(arena, program->path);
    if (file->build_id[0])
        module->told.build_id = cairn_arena_text(arena, file->build_id);
    return module->told.path && (module->told.build_id || !file->build_id[0]) ? CAIRN_OK
                                                                              : CAIRN_E_MEMORY;
}

cairn_status cairn_modules_make(struct cairn_arena *arena, const struct cairn_mapped_list *mapped,
                                const struct cairn_recorded_program *program,
                                struct cairn_module **modules, size_t *count, uint64_t *gone)
{
    struct cairn_module *list = cairn_arena_alloc(arena, (mapped->count + 1) * sizeof *list);
    size_t made = 0;

    if (!list)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i <= mapped->count; i++) {
        const bool last = i == mapped->count;
        bool taken = false;
        cairn_status status = CAIRN_OK;

        if (!last)
            status = take_mapping(arena, &mapped->list[i], &list[made], &taken, gone);
        else if (program && program->alone && program->path)
            status = add_firmware(arena, program, &list[made], &taken, gone);
        if (status != CAIRN_OK)
            return status;
        for (size_t j = 0; j < made && taken && !last; j++)
            taken = !join(&list[j], &list[made]);
        made += taken;
    }
    *modules = list;
    *count = made;
    return CAIRN_OK;
}
