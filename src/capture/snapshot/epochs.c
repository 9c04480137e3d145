/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/snapshot/epochs.h"

#include <string.h>

#include "base/error.h"
#include "capture/snapshot/dumps.h"

/* Without to= an epoch lasts as long as the source. UINT64_MAX would make one that begins at 0 a
 * layer for always, and that is weaker than one that ends: of two epochs the later must win. */
#define OPEN_END (UINT64_MAX - 1)

/* False, with a remark, when the section cannot be an epoch. */
static bool check(struct cairn_capture *capture, const struct cairn_snapshot_device *device,
                  const struct cairn_snapshot_dump *epoch)
{
    const char *problem = epoch->broken         ? "has a number that cannot be read"
                          : !epoch->file        ? "has no file="
                          : !epoch->has_address ? "has no address="
                          : !epoch->has_from    ? "has no from="
                          : epoch->has_to && epoch->to <= epoch->from
                              ? "ends where it begins, or before"
                              : NULL;
    if (problem)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: [%s] %s, so it adds no memory; flow through memory that changed "
                          "may be wrong.",
                          device->ini, epoch->section, problem);
    return !problem;
}

/* The file of an epoch; the same as before in nearly every case. NULL: memory is out. */
static const char *find_file(struct cairn_capture *capture, const struct cairn_files *files,
                             const char *folder, const struct cairn_snapshot_dump *epoch,
                             const char **last_name, const char **last_path)
{
    if (!*last_name || strcmp(*last_name, epoch->file) != 0) {
        *last_path = cairn_snapshot_find(capture, files, folder, epoch->file);
        *last_name = epoch->file;
    }
    return *last_path;
}

static cairn_status add_device(struct cairn_capture *capture, const struct cairn_files *files,
                               const char *folder, const struct cairn_snapshot_device *device,
                               uint32_t source)
{
    const char *name = NULL, *path = NULL;
    for (size_t i = 0; i < device->epoch_count; i++) {
        const struct cairn_snapshot_dump *epoch = &device->epochs[i];
        if (!check(capture, device, epoch))
            continue;
        const struct cairn_dump_place place = {
            .what = cairn_arena_format(&capture->arena, "[%.100s] of %.100s", epoch->section,
                                       device->name ? device->name : device->ini),
            .path = find_file(capture, files, folder, epoch, &name, &path),
            .space = epoch->space,
            .address = epoch->address,
            .length = epoch->length,
            .offset = epoch->offset,
            .has_address = true,
            .has_length = epoch->has_length,
            .from = epoch->from,
            .to = epoch->has_to && epoch->to < OPEN_END ? epoch->to : OPEN_END,
        };
        if (!place.what || !place.path)
            return CAIRN_E_MEMORY;
        if (place.from >= place.to || !cairn_dump_check(capture, files, &place))
            continue;
        const cairn_status status = cairn_dump_add(capture, &place, source);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

cairn_status cairn_snapshot_add_epochs(struct cairn_capture *capture,
                                       const struct cairn_files *files, const char *folder,
                                       const struct cairn_snapshot *snapshot,
                                       const struct cairn_snapshot_device *const *device_of,
                                       struct cairn_error *error)
{
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const struct cairn_snapshot_device *device = &snapshot->devices[i];
        if (device->epoch_count && !cairn_is_trace_unit(device))
            cairn_capture_say(capture, CAIRN_WARNING,
                              "%s: has [epoch] sections, which belong into the file of a trace "
                              "source, whose bytes they count; they are ignored.",
                              device->ini);
        if (device->epochs_lost)
            cairn_capture_doubt(capture,
                                "%s: memory changed more often than the recording could tell (%llu "
                                "changes are missing); flow through memory that changed may be "
                                "wrong from byte %llu of the trace on.",
                                device->ini, (unsigned long long)device->epochs_lost,
                                (unsigned long long)device->lost_from);
    }
    for (size_t i = 0; i < capture->source_count; i++) {
        const struct cairn_snapshot_device *device = device_of[i];
        if (!device || !cairn_is_trace_unit(device))
            continue;
        const cairn_status status = add_device(capture, files, folder, device, (uint32_t)i);
        if (status != CAIRN_OK)
            return cairn_fail(error, status, "not enough memory for the snapshot's epochs");
    }
    return CAIRN_OK;
}
