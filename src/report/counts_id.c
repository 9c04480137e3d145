/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/counts_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf.h"

uint64_t cairn_counts_checksum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a's offset and prime */

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

void cairn_counts_file_id(const struct cairn_file *file, char id[CAIRN_COUNTS_ID])
{
    char *const build_id = file->build_id ? strdup(file->build_id) : cairn_elf_build_id(file);

    if (build_id)
        snprintf(id, CAIRN_COUNTS_ID, "build-id:%.150s", build_id);
    else
        snprintf(id, CAIRN_COUNTS_ID, "bytes:%016" PRIx64 ":%" PRIu64,
                 cairn_counts_checksum(file->data, (size_t)file->identity.size),
                 file->identity.size);
    free(build_id);
}
