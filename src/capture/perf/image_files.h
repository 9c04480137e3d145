/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of mappings on this machine. A library of a thousand processes is looked for once. */
#ifndef CAIRN_CAPTURE_PERF_IMAGE_FILES_H
#define CAIRN_CAPTURE_PERF_IMAGE_FILES_H

#include "base/table.h"
#include "capture/perf/trace.h"
#include "capture/snapshot/search.h"

/* By path and build-id. All but the first two zero; to be cleared. */
struct cairn_perf_image_files {
    struct cairn_arena *arena; /* texts of what is found */
    struct cairn_module_search search;
    struct cairn_table table;
    struct cairn_perf_image_file *list;
    size_t count, room;
};

/* Of a mapping of a file: `info` is set, with the bias; *code is the file that has its code, or NULL where it is not
 * here. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_file(struct cairn_perf_image_files *files,
                                                   const struct cairn_perf_mapping *mapping,
                                                   const char *build_id,
                                                   struct cairn_module_info *info,
                                                   const char **code, enum cairn_order *order);
void cairn_perf_image_files_clear(struct cairn_perf_image_files *files);

#endif
