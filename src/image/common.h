/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information that several files have in common (dwz -m, .gnu_debugaltlink): names, and functions that were inlined. */
#ifndef CAIRN_IMAGE_COMMON_H
#define CAIRN_IMAGE_COMMON_H

#include <elfutils/libdw.h>

struct cairn_dwarf;
struct cairn_file;

/* All zero: the file has no other. */
struct cairn_common {
    char *missing; /* the name of the other one, which is not here; or NULL */
    struct cairn_file *file;
    Elf *elf;
    Dwarf *dwarf;
};

/* Looks for the other file (beside this one, and by its build-id in folders of debug files) and gives it to libdw. */
void cairn_common_open(struct cairn_dwarf *dwarf);
void cairn_common_close(struct cairn_common *common);

#endif
