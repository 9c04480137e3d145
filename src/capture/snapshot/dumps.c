/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/dumps.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "image/layer.h"

#define EL(n) (1u << (n))
#define ANY_EL 0x0fu
#define SECURITY(s) (1u << (s))
#define ANY_SECURITY 0x0fu

/* Arm debuggers' names. Bare EL2 was Non-secure before Armv8.4 gave Secure state one (EL2S). SP and
 * NP are physical: the addresses are those of a flat mapping. */
static const struct {
    const char *name;
    uint8_t el_mask, security_mask;
} spaces[] = {
    {"", ANY_EL, ANY_SECURITY},
    {"any", ANY_EL, ANY_SECURITY},
    {"memory", ANY_EL, ANY_SECURITY},
    {"P", ANY_EL, ANY_SECURITY},
    {"S", ANY_EL, SECURITY(CAIRN_SECURE)},
    {"secure", ANY_EL, SECURITY(CAIRN_SECURE)},
    {"SP", ANY_EL, SECURITY(CAIRN_SECURE)},
    {"N", ANY_EL, SECURITY(CAIRN_NONSECURE)},
    {"NS", ANY_EL, SECURITY(CAIRN_NONSECURE)},
    {"NP", ANY_EL, SECURITY(CAIRN_NONSECURE)},
    {"nonsecure", ANY_EL, SECURITY(CAIRN_NONSECURE)},
    {"non-secure", ANY_EL, SECURITY(CAIRN_NONSECURE)},
    {"R", ANY_EL, SECURITY(CAIRN_REALM)},
    {"realm", ANY_EL, SECURITY(CAIRN_REALM)},
    {"root", ANY_EL, SECURITY(CAIRN_ROOT)},
    {"EL0", EL(0), ANY_SECURITY},
    {"EL0S", EL(0), SECURITY(CAIRN_SECURE)},
    {"EL0N", EL(0), SECURITY(CAIRN_NONSECURE)},
    {"EL0R", EL(0), SECURITY(CAIRN_REALM)},
    {"EL1", EL(0) | EL(1), ANY_SECURITY},
    {"EL1S", EL(0) | EL(1), SECURITY(CAIRN_SECURE)},
    {"EL1N", EL(0) | EL(1), SECURITY(CAIRN_NONSECURE)},
    {"EL1R", EL(0) | EL(1), SECURITY(CAIRN_REALM)},
    {"EL2", EL(2), SECURITY(CAIRN_NONSECURE)},
    {"EL2N", EL(2), SECURITY(CAIRN_NONSECURE)},
    {"EL2S", EL(2), SECURITY(CAIRN_SECURE)},
    {"EL2R", EL(2), SECURITY(CAIRN_REALM)},
    {"H", EL(2), SECURITY(CAIRN_NONSECURE)},
    {"EL3", EL(3), ANY_SECURITY},
};

bool cairn_space_masks(const char *name, uint8_t *el_mask, uint8_t *security_mask)
{
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (!strcasecmp(name, spaces[i].name)) {
            *el_mask = spaces[i].el_mask;
            *security_mask = spaces[i].security_mask;
            return true;
        }
    }
    *el_mask = ANY_EL;
    *security_mask = ANY_SECURITY;
    return false;
}

static bool check_extent(struct cairn_capture *capture, const struct cairn_dump_place *place,
                         uint64_t size)
{
    if (place->offset >= size) {
        cairn_capture_say_as(
            capture, "CAIRN-MISSING-FILE", CAIRN_WARNING,
            "%s: offset 0x%llx is not inside %s, which has 0x%llx bytes: no memory is "
            "taken from it.",
            place->what, (unsigned long long)place->offset, place->path, (unsigned long long)size);
        return false;
    }
    const uint64_t there = size - place->offset;
    if (place->has_length && place->length > there)
        cairn_capture_say_as(
            capture, "CAIRN-MISSING-FILE", CAIRN_WARNING,
            "%s: %s is too short: memory from 0x%llx to 0x%llx is missing; flow there "
            "becomes gaps.",
            place->what, place->path, (unsigned long long)(place->address + there),
            (unsigned long long)(place->address + place->length - 1));
    return true;
}

bool cairn_dump_check(struct cairn_capture *capture, const struct cairn_files *files,
                      const struct cairn_dump_place *place)
{
    uint64_t size;
    uint8_t el_mask, security_mask;
    if (place->space && !cairn_space_masks(place->space, &el_mask, &security_mask))
        cairn_capture_say(
            capture, CAIRN_WARNING,
            "%s: memory space \"%.40s\" is not known; the memory is used in all (known "
            "are EL1S, EL1N, EL1R, EL2, EL2S, EL2R, EL3, S, N, R, ROOT ...).",
            place->what, place->space);
    if (place->has_length && place->length == 0) {
        cairn_capture_say(capture, CAIRN_NOTE, "%s: has length 0 and adds no memory.", place->what);
        return false;
    }
    if (!files->size_of(files->context, place->path, &size)) {
        if (place->has_address && place->has_length)
            cairn_capture_say_as(capture, "CAIRN-MISSING-FILE", CAIRN_WARNING,
                                 "%s: %s is missing: no memory from 0x%llx to 0x%llx; flow there "
                                 "becomes gaps. Put the file there, or add an image of that range.",
                                 place->what, place->path, (unsigned long long)place->address,
                                 (unsigned long long)(place->address + place->length - 1));
        else
            cairn_capture_say_as(capture, "CAIRN-MISSING-FILE", CAIRN_WARNING,
                                 "%s: %s is missing: no memory from 0x%llx on; flow there becomes "
                                 "gaps. Put the file there, or add an image of that range.",
                                 place->what, place->path, (unsigned long long)place->address);
        return false;
    }
    if (place->has_address)
        return check_extent(capture, place, size);
    if (cairn_file_is_elf(place->path))
        return true;
    cairn_capture_say(capture, CAIRN_WARNING,
                      "%s: has no address=, and %s is no ELF file that would tell: its memory is "
                      "left out.",
                      place->what, place->path);
    return false;
}

cairn_status cairn_dump_add(struct cairn_capture *capture, const struct cairn_dump_place *place,
                            uint32_t source)
{
    struct cairn_error error;
    struct cairn_scope scope = cairn_scope_any();
    scope.source = source;
    if (place->to) {
        scope.epoch_from = place->from;
        scope.epoch_to = place->to;
    }
    if (place->space)
        cairn_space_masks(place->space, &scope.el_mask, &scope.security_mask);
    const size_t before = cairn_image_layer_count(capture->image);
    /* an address, even of an ELF file, means raw bytes */
    cairn_status status = place->has_address
                              ? cairn_image_add_file(capture->image, place->path, place->offset,
                                                     place->has_length ? place->length : 0, &scope,
                                                     CAIRN_ORDER_LITTLE, place->address, &error)
                              : cairn_image_add_elf(capture->image, place->path, 0, &scope, &error);
    if (status == CAIRN_OK)
        return cairn_image_set_origin(capture->image, before, place->what);
    if (status == CAIRN_E_MEMORY)
        return status;
    cairn_capture_say(capture, CAIRN_WARNING, "%s: %s", place->what, error.text);
    return CAIRN_OK;
}

/* ---- which dumps are whose ---- */

/* Layers for one source each: cores times dumps must not run away. */
#define SCOPED_LIMIT 65536

/* One dump of one core. */
struct claim {
    const struct cairn_snapshot_dump *dump;
    const struct cairn_snapshot_device *core;
    size_t order; /* in the files */
};

static int compare_text(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "");
}

static int compare_number(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

static int compare_dump(const struct cairn_snapshot_dump *one,
                        const struct cairn_snapshot_dump *other)
{
    int result = compare_number(one->address, other->address);
    result = result ? result : compare_number(one->offset, other->offset);
    result = result ? result : compare_number(one->length, other->length);
    result = result ? result : one->has_address - other->has_address;
    result = result ? result : one->has_length - other->has_length;
    result = result ? result : compare_text(one->file, other->file);
    return result ? result : compare_text(one->space, other->space);
}

static int compare_claim(const void *one, const void *other)
{
    const struct claim *a = one, *b = other;
    const int result = compare_dump(a->dump, b->dump);
    return result ? result : compare_number(a->order, b->order);
}

/* Claims of one dump, first in the files first. */
struct group {
    size_t first, count; /* in the sorted claims */
    size_t cores;        /* different ones */
    size_t order;
    struct cairn_dump_place place;
    bool usable;
};

static int compare_group(const void *one, const void *other)
{
    const struct group *a = one, *b = other;
    return compare_number(a->order, b->order);
}

/* A recording's memory is thousands of dumps of one file, which is looked for once. */
struct last_file {
    const struct cairn_files *files;
    char *path;
    uint64_t size;
};

static bool size_of_last(void *context, const char *path, uint64_t *size)
{
    struct last_file *const last = context;

    if (last->path && !strcmp(last->path, path)) {
        *size = last->size;
        return true;
    }
    if (!last->files->size_of(last->files->context, path, size))
        return false;
    free(last->path);
    last->path = strdup(path);
    last->size = *size;
    return true;
}

static bool respell_any(void *context, char *path)
{
    const struct last_file *const last = context;

    return last->files->respell(last->files->context, path);
}

struct adding {
    struct cairn_capture *capture;
    const struct cairn_files *files;
    const char *folder;
    const struct cairn_snapshot_device *const *core_of;
    size_t source_count; /* when it began */
    const struct claim *claims;
    size_t core_count; /* cores with dumps */
    size_t scoped;     /* layers for one source so far */
};

/* False: memory is out. */
static bool place_of(struct adding *adding, const struct claim *claim,
                     struct cairn_dump_place *place)
{
    const struct cairn_snapshot_dump *dump = claim->dump;
    struct cairn_arena *arena = &adding->capture->arena;
    *place = (struct cairn_dump_place){
        .what = cairn_arena_format(arena, "[%.100s] of %.100s", dump->section,
                                   claim->core->name ? claim->core->name : claim->core->ini),
        .path = cairn_snapshot_find(adding->capture, adding->files, adding->folder, dump->file),
        .space = dump->space,
        .address = dump->address,
        .length = dump->length,
        .offset = dump->offset,
        .has_address = dump->has_address,
        .has_length = dump->has_length,
    };
    return place->what && place->path;
}

static bool group_has(const struct adding *adding, const struct group *group,
                      const struct cairn_snapshot_device *core)
{
    for (size_t i = 0; i < group->count; i++) {
        if (adding->claims[group->first + i].core == core)
            return true;
    }
    return false;
}

static cairn_status add_group(struct adding *adding, const struct group *group)
{
    cairn_status status = cairn_dump_add(adding->capture, &group->place, CAIRN_ANY_SOURCE);
    if (group->cores == adding->core_count)
        return status; /* every core has it */
    for (size_t i = 0; i < adding->source_count && status == CAIRN_OK; i++) {
        if (!adding->core_of[i] || !group_has(adding, group, adding->core_of[i]))
            continue;
        if (adding->scoped++ < SCOPED_LIMIT)
            status = cairn_dump_add(adding->capture, &group->place, (uint32_t)i);
        else if (adding->scoped == SCOPED_LIMIT + 1)
            cairn_capture_say(adding->capture, CAIRN_PROBLEM,
                              "The cores' dumps need more than 65536 layers; the rest is shared by "
                              "all cores.");
    }
    return status;
}

static cairn_status add_claims(struct adding *adding, struct claim *claims, size_t count)
{
    struct group *groups = calloc(count, sizeof *groups);
    if (!groups)
        return CAIRN_E_MEMORY;
    qsort(claims, count, sizeof *claims, compare_claim);
    size_t group_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && !compare_dump(claims[i - 1].dump, claims[i].dump)) {
            groups[group_count - 1].count++;
            groups[group_count - 1].cores += claims[i].core != claims[i - 1].core;
        } else {
            groups[group_count++] =
                (struct group){.first = i, .count = 1, .cores = 1, .order = claims[i].order};
        }
    }
    qsort(groups, group_count, sizeof *groups, compare_group);
    adding->claims = claims;
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < group_count && status == CAIRN_OK; i++) {
        struct group *group = &groups[i];
        if (!place_of(adding, &claims[group->first], &group->place))
            status = CAIRN_E_MEMORY;
        else
            group->usable = cairn_dump_check(adding->capture, adding->files, &group->place);
    }
    /* Of two layers the image prefers the one added last, and of two dumps that overlap the one
     * that stands first in the snapshot is to win, as in OpenCSD. */
    for (size_t i = group_count; i-- > 0 && status == CAIRN_OK;) {
        if (groups[i].usable)
            status = add_group(adding, &groups[i]);
    }
    free(groups);
    return status;
}

cairn_status cairn_snapshot_add_dumps(struct cairn_capture *capture,
                                      const struct cairn_files *files, const char *folder,
                                      const struct cairn_snapshot *snapshot,
                                      const struct cairn_snapshot_device *const *core_of,
                                      struct cairn_error *error)
{
    struct last_file last = {.files = files};
    const struct cairn_files remembering = {
        .size_of = size_of_last, .respell = files->respell ? respell_any : NULL, .context = &last};
    struct adding adding = {.capture = capture,
                            .files = &remembering,
                            .folder = folder,
                            .core_of = core_of,
                            .source_count = capture->source_count};
    size_t most = 0;
    for (size_t i = 0; i < snapshot->device_count; i++)
        most += snapshot->devices[i].dump_count;
    if (!most)
        return CAIRN_OK;
    struct claim *claims = calloc(most, sizeof *claims);
    if (!claims)
        return cairn_fail(error, CAIRN_E_MEMORY, "not enough memory for the snapshot's dumps");
    size_t count = 0;
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct cairn_snapshot_device *core = &snapshot->devices[i];
        adding.core_count += core->dump_count != 0;
        for (size_t j = 0; j < core->dump_count; j++) {
            if (core->dumps[j].file) {
                claims[count] = (struct claim){&core->dumps[j], core, count};
                count++;
            } else {
                cairn_capture_say(capture, CAIRN_WARNING,
                                  "%s: [%s] has no file= and adds no memory.", core->ini,
                                  core->dumps[j].section);
            }
        }
    }
    cairn_status status = count ? add_claims(&adding, claims, count) : CAIRN_OK;
    free(last.path);
    free(claims);
    if (status != CAIRN_OK)
        cairn_fail(error, status, "not enough memory for the snapshot's dumps");
    return status;
}
