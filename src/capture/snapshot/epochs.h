/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that changed in the course of a recording: [epochN] sections of a trace source
 * (docs/formats.md). */
#ifndef CAIRN_CAPTURE_SNAPSHOT_EPOCHS_H
#define CAIRN_CAPTURE_SNAPSHOT_EPOCHS_H

#include "capture/snapshot/description.h"

/* Adds the epochs of each source of the capture as layers of its own, above every dump. `device_of`
 * names the device of each source (NULL: none). Ones that cannot be are left out with a remark.
 * Fails only when memory is out. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_add_epochs(
    struct cairn_capture *capture, const struct cairn_files *files, const char *folder,
    const struct cairn_snapshot *snapshot, const struct cairn_snapshot_device *const *device_of,
    struct cairn_error *error);

#endif
