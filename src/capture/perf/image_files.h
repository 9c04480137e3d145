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

/* A mapped file that was looked for. */
struct cairn_perf_code {
    struct cairn_module_info info; /* with the bias */
    const char *path;              /* of the file with its code; NULL: it is not here */
    enum cairn_order order;
    uint64_t entry;      /* where execution begins if it does in this file, in memory; 0: nowhere */
    bool is_interpreted; /* it begins in another one, that this names */
};

/* Of a mapping of a file. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_file(struct cairn_perf_image_files *files,
                                                   const struct cairn_perf_mapping *mapping,
                                                   const char *build_id,
                                                   struct cairn_perf_code *code);
void cairn_perf_image_files_clear(struct cairn_perf_image_files *files);

#endif
