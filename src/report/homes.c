/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/homes.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "image/file.h"
#include "image/frames.h"
#include "report/counts_id.h"

void cairn_homes_free(struct cairn_homes *homes)
{
    for (size_t i = 0; i < homes->count; i++)
        free(homes->list[i].id);
    free(homes->list);
    free(homes->files);
    free(homes->same);
    cairn_table_clear(&homes->by_file);
    cairn_table_clear(&homes->by_function);
    *homes = (struct cairn_homes){0};
}

/* --- files --- */

static bool take_id(struct cairn_home *home)
{
    char id[CAIRN_COUNTS_ID];

    if (home->id)
        return true;
    cairn_counts_file_id(home->file, id);
    home->id = strdup(id);
    return home->id != NULL;
}

/* What is in a file is looked at only if there is another one as long. */
static cairn_status find_equal(struct cairn_homes *homes, const struct cairn_file *file,
                               uint32_t *home)
{
    struct cairn_home other = {.file = file};
    cairn_status status = CAIRN_OK;

    *home = 0;
    for (size_t i = 1; i < homes->count && !*home && !status; i++) {
        struct cairn_home *const one = &homes->list[i];

        if (cairn_file_is_same(one->file, file))
            *home = (uint32_t)i;
        else if (one->file->identity.size != file->identity.size)
            continue;
        else if (!take_id(one) || !take_id(&other))
            status = CAIRN_E_MEMORY;
        else if (!strcmp(one->id, other.id))
            *home = (uint32_t)i;
    }
    free(other.id);
    return status;
}

static cairn_status home_of_file(struct cairn_homes *homes, const struct cairn_code_file *code,
                                 uint32_t *home)
{
    const uint32_t hash = cairn_table_hash((uint64_t)(uintptr_t)code->file, 0);
    size_t at = cairn_table_begin(&homes->by_file, hash);
    uint32_t item;

    while ((item = cairn_table_next(&homes->by_file, hash, &at)) != CAIRN_TABLE_NONE)
        if (homes->files[item].file == code->file) {
            *home = homes->files[item].home;
            return CAIRN_OK;
        }
    cairn_status status = find_equal(homes, code->file, home);
    if (!status && !*home) {
        *home = homes->count ? (uint32_t)homes->count : 1;
        status = cairn_enlarge(&homes->list, &homes->room, *home + 1, sizeof *homes->list);
        if (!status) {
            homes->list[*home] = (struct cairn_home){.file = code->file, .path = code->path};
            homes->count = *home + 1;
        }
    }
    if (!status)
        status = cairn_enlarge(&homes->files, &homes->file_room, homes->file_count + 1,
                               sizeof *homes->files);
    if (status)
        return status;
    homes->files[homes->file_count] = (struct cairn_home_file){code->file, *home};
    return cairn_table_add(&homes->by_file, hash, (uint32_t)homes->file_count++);
}

cairn_status cairn_homes_at(struct cairn_homes *homes, const struct cairn_space *space,
                            uint64_t address, uint32_t *home, uint64_t *bias)
{
    struct cairn_code_file *const code = &homes->code;
    struct cairn_place place;
    cairn_status status = CAIRN_OK;

    if (!homes->code_home || address < code->first || address > code->last ||
        homes->space != space || !cairn_space_place(space, &place) ||
        !cairn_held_has(&homes->held, &place)) {
        homes->code_home = 0;
        homes->space = space;
        cairn_space_held(space, &homes->held);
        if (cairn_space_code_file(space, address, code))
            status = home_of_file(homes, code, &homes->code_home);
    }
    *home = homes->code_home;
    *bias = *home ? code->bias : 0;
    return status;
}

void cairn_homes_tell(struct cairn_homes *homes, uint32_t home, uint64_t bias,
                      const struct cairn_place *place, uint32_t source)
{
    struct cairn_home *const one = &homes->list[home];

    if (one->is_placed && one->bias <= bias)
        return;
    one->is_placed = true;
    one->bias = bias;
    one->place = *place;
    one->source = source;
}

cairn_status cairn_homes_hold(struct cairn_homes *homes, struct cairn_space *space, uint32_t home,
                              uint64_t in_file, bool *holds)
{
    const struct cairn_home one = homes->list[home];
    uint32_t there = 0;
    uint64_t bias = 0;
    cairn_status status = CAIRN_OK;

    if (one.is_placed && cairn_space_select(space, &one.place) == CAIRN_OK)
        status = cairn_homes_at(homes, space, in_file + one.bias, &there, &bias);
    *holds = !status && there == home && bias == one.bias;
    return status;
}

/* --- functions --- */

/* What tells functions apart: all of it the same, and they are one. */
struct key {
    uint32_t home;
    uint64_t address; /* in the file, or if there is none where it is */
    const char *name, *object;
};

static bool is_text(const char *one, const char *other)
{
    return one == other || (one && other && !strcmp(one, other));
}

static cairn_status key_of(struct cairn_homes *homes, struct cairn_space *space,
                           const struct cairn_function *function, struct key *key)
{
    uint64_t bias = 0;
    cairn_status status = CAIRN_OK;

    *key = (struct key){.address = function->address, .name = function->name};
    if (function->name && cairn_space_select(space, &function->place) == CAIRN_OK)
        status = cairn_homes_at(homes, space, function->address, &key->home, &bias);
    key->address -= bias;
    key->object = key->home ? NULL : function->object;
    return status;
}

cairn_status cairn_homes_function(struct cairn_homes *homes, struct cairn_space *space,
                                  const struct cairn_functions *functions, uint32_t function,
                                  uint32_t *same)
{
    struct key key, other;
    cairn_status status =
        cairn_enlarge(&homes->same, &homes->same_room, (size_t)function + 1, sizeof *homes->same);

    *same = function;
    if (status || !function)
        return status;
    if (homes->same[function]) {
        *same = homes->same[function];
        return CAIRN_OK;
    }
    status = key_of(homes, space, &functions->list[function], &key);
    const uint32_t hash = cairn_table_hash(key.address, key.home);
    size_t at = cairn_table_begin(&homes->by_function, hash);
    uint32_t item = 0;
    while (!status &&
           (item = cairn_table_next(&homes->by_function, hash, &at)) != CAIRN_TABLE_NONE) {
        if (!is_text(functions->list[item].name, key.name))
            continue;
        status = key_of(homes, space, &functions->list[item], &other);
        if (!status && other.home == key.home && other.address == key.address &&
            is_text(other.object, key.object))
            break;
    }
    if (!status && item == CAIRN_TABLE_NONE)
        status = cairn_table_add(&homes->by_function, hash, function);
    else if (!status)
        *same = item;
    homes->same[function] = *same;
    return status;
}
