/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of a file, opened for libdw. */
#ifndef CAIRN_IMAGE_DWARF_H
#define CAIRN_IMAGE_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "image/common.h"
#include "image/dropped.h"
#include "image/file.h"

struct cairn_package;

/* All zero: nothing. */
struct cairn_dwarf {
    Elf *elf;
    Dwarf *dwarf; /* NULL: there is none */
    const struct cairn_file *file;
    bool looked_for_package;
    struct cairn_package *package; /* of the file's split units, or NULL */
    struct cairn_common common;
    struct cairn_lowest lowest;
    void *lines; /* that libdw reads in place of the file's, or NULL */
};

/* Opens it, whatever of it is compressed. The file has to stay. False: there is none. */
bool cairn_dwarf_open(struct cairn_dwarf *dwarf, const struct cairn_file *file);
void cairn_dwarf_close(struct cairn_dwarf *dwarf);

/* Of a unit that was compiled with -gsplit-dwarf the file has only where it is and its lines: functions and what is inlined
 * are in another file (.dwo), or in a package of these (.dwp). */
struct cairn_split {
    const char *name; /* of the other file, as the compiler was told; NULL: the unit is not split */
    const char *folder; /* that the compiler ran in, or NULL */
};

/* The whole unit: *whole is *unit, or the other part of it, which libdw then knows to belong there. False: that is not
 * here, and *whole is *unit. */
bool cairn_dwarf_whole(struct cairn_dwarf *dwarf, Dwarf_Die *unit, Dwarf_Die *whole,
                       struct cairn_split *split);

/* The folder that the compiler of a unit ran in, or NULL. */
const char *cairn_dwarf_folder(Dwarf_Die *unit);

/* libdw on a file of which sections may be compressed. *made is the descriptor of the file that it reads in place of the
 * mapped one, to be closed, or -1. */
Dwarf *cairn_dwarf_begin(const struct cairn_file *file, Elf **elf, int *made);

#endif
