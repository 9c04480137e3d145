/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the files that a recording names are those that ran, by the bytes that it recorded. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_VERIFY_H
#define CAIRN_CAPTURE_SNAPSHOT_VERIFY_H

#include "capture/model.h"

/* Compares the code of each module's file with what was recorded there, and writes `differing` and
 * `differs_at`. A file without a build-id of which an instruction differs is CAIRN_MODULE_CHANGED, and
 * gives no names any more; one whose build-id is right is believed, for a program may change its own
 * code. When the modules and their names are known, and before anybody looks at the image. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_verify(struct cairn_capture *capture);

#endif
