/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the other part of a split unit is (cairn_dwarf_whole). */
#ifndef CAIRN_IMAGE_SPLIT_H
#define CAIRN_IMAGE_SPLIT_H

/* What a file with split units needs behind its strings: the path of another file is written there, for libdw to read. */
#define CAIRN_SPLIT_ROOM 4096

#endif
