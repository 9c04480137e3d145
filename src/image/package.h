/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages of split debug information (.dwp): the .dwo files of a program in one, with an index (DWARF 5, 7.3.5; of DWARF 4
 * as GCC has it). libdw reads them from elfutils 0.191 on, and .dwo files always: so that is what is made of a unit. */
#ifndef CAIRN_IMAGE_PACKAGE_H
#define CAIRN_IMAGE_PACKAGE_H

#include <stdint.h>

struct cairn_package;

/* NULL: there is none at that path, or it is damaged. */
struct cairn_package *cairn_package_open(const char *path);
void cairn_package_close(struct cairn_package *package); /* NULL is fine */

/* The unit with that number as a file of its own: a descriptor, to be closed; -1: the package has none, or it is damaged. */
int cairn_package_unit(struct cairn_package *package, uint64_t id);

#endif
