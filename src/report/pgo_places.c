/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/pgo_places.h"

#include <stdlib.h>
#include <string.h>

#include "image/elf.h"
#include "image/frames.h"
#include "image/space.h"

#define STRETCHES 16u /* that are remembered: branches go back and forth between a few files */

/* Addresses around the last one that are of one binary, as long as nothing else is there. */
struct pgo_stretch {
    struct cairn_place place;
    uint64_t from, until; /* offsets in the source */
    uint64_t first, last;
    struct cairn_pgo_home home;
};

struct cairn_pgo_places {
    struct cairn_pgo *pgo;
    struct cairn_capture *capture;
    struct cairn_space *space;
    struct pgo_stretch stretches[STRETCHES];
    unsigned next;
};

cairn_status cairn_pgo_places_new(struct cairn_pgo *pgo, struct cairn_capture *capture,
                                  struct cairn_pgo_places **places)
{
    struct cairn_pgo_places *const made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    made->pgo = pgo;
    made->capture = capture;
    for (unsigned i = 0; i < STRETCHES; i++)
        made->stretches[i] = (struct pgo_stretch){.first = 1};
    const cairn_status status = cairn_space_new(cairn_capture_image(capture), &made->space);
    if (status)
        free(made);
    else
        *places = made;
    return status;
}

void cairn_pgo_places_free(struct cairn_pgo_places *places)
{
    if (!places)
        return;
    cairn_space_free(places->space);
    free(places);
}

/* Build-ids may be cut or padded where they were recorded. */
static bool is_same_id(const char *one, const char *other)
{
    const size_t first = strlen(one), second = strlen(other);

    return !strncmp(one, other, first < second ? first : second);
}

/* What the capture calls the file at `path`, of that build-id; itself, where it does not know it. */
static void name_file(const struct cairn_pgo_places *places, const struct cairn_code_file *code,
                      const char **path, const char **build_id, const char **code_path)
{
    struct cairn_module_info module = {.size = sizeof module};

    *path = code->path;
    *code_path = NULL;
    *build_id = code->file->build_id;
    for (size_t i = 0; !cairn_capture_module(places->capture, i, &module); i++) {
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

static cairn_status find_binary(struct cairn_pgo_places *places, const struct cairn_code_file *code,
                                uint32_t *found)
{
    const char *path, *build_id, *code_path;

    name_file(places, code, &path, &build_id, &code_path);
    cairn_status status = cairn_pgo_binary(places->pgo, path, build_id, found);
    if (status == CAIRN_E_LIMIT) {
        *found = CAIRN_PGO_NONE;
        return CAIRN_OK;
    }
    if (status)
        return status;
    struct cairn_pgo_binary *const binary = &places->pgo->binaries[*found];
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

static bool is_of(const struct pgo_stretch *stretch, const struct cairn_place *place,
                  uint64_t address)
{
    const struct cairn_place *const own = &stretch->place;

    return address >= stretch->first && address <= stretch->last && own->source == place->source &&
           own->EL == place->EL && own->security == place->security && own->vmid == place->vmid &&
           own->context_id == place->context_id && place->offset >= stretch->from &&
           place->offset <= stretch->until;
}

cairn_status cairn_pgo_places_find(struct cairn_pgo_places *places, const struct cairn_place *place,
                                   uint64_t address, struct cairn_pgo_home *home)
{
    struct cairn_code_file code;

    for (unsigned i = 0; i < STRETCHES; i++)
        if (is_of(&places->stretches[i], place, address)) {
            *home = places->stretches[i].home;
            return CAIRN_OK;
        }
    cairn_status status = cairn_space_select(places->space, place);
    if (status)
        return status;
    struct pgo_stretch *const made = &places->stretches[places->next++ % STRETCHES];
    *made = (struct pgo_stretch){
        .place = *place, .first = address, .last = address, .home = {.binary = CAIRN_PGO_NONE}};
    cairn_space_hold(places->space, &made->from, &made->until);
    if (cairn_space_code_file(places->space, address, &code)) {
        made->first = code.first;
        made->last = code.last;
        made->home.bias = code.bias;
        status = find_binary(places, &code, &made->home.binary);
    }
    *home = made->home;
    return status;
}
