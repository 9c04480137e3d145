/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ELF file loads into memory. The headers are read here and not by libelf, which refuses a
 * file that has lost its section headers: truncated files and dumps of loaded programs. */
#ifndef CAIRN_IMAGE_ELF_H
#define CAIRN_IMAGE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

#include "image/file.h"

/* Zeros that one segment adds behind its file bytes are cut at this size, so that a header cannot
 * claim the whole address space. */
#define CAIRN_ELF_ZEROS_MAX (UINT64_C(1) << 30)

/* One run of loaded bytes: file bytes, or zeros. */
struct cairn_segment {
    uint64_t address; /* without bias */
    uint64_t size;    /* never 0; address + size may be beyond 2^64 */
    uint64_t offset;  /* in the file; meaningless for zeros */
    bool is_zeros;
    bool executable;
};

struct cairn_segments {
    struct cairn_segment *list;
    size_t count;
    enum cairn_order order;
    uint64_t zeros_max;  /* the largest size of a run of zeros */
    uint64_t lost;       /* bytes of executable segments that the file should have and has not */
    uint16_t machine;    /* EM_ARM or EM_AARCH64 */
    bool is_fixed;       /* linked for the addresses that it says: ET_EXEC */
    uint64_t entry;      /* where execution begins, without bias, if it does in this file */
    bool is_interpreted; /* it names another file (PT_INTERP) in which it begins */
};

/* Reads the ELF header and the PT_LOAD segments of a file for Arm. What the file has lost by
 * truncation is left out. Not ELF, no Arm, or nothing to load: CAIRN_E_FORMAT or
 * CAIRN_E_UNSUPPORTED, with the reason in *error. */
CAIRN_MUST_CHECK cairn_status cairn_elf_segments(const struct cairn_file *file, const char *path,
                                                 struct cairn_segments *segments,
                                                 struct cairn_error *error);
void cairn_segments_clear(struct cairn_segments *segments);

/* The file's GNU build-id in lower-case hex, to be freed; NULL when it has none. */
char *cairn_elf_build_id(const struct cairn_file *file);

/* What a file can be asked for, whether or not it has the code itself. */
struct cairn_elf_facts {
    char *build_id;   /* as cairn_elf_build_id; to be freed */
    bool has_symbols; /* more than what is linked at run time */
    bool has_lines;   /* DWARF debug information */
    bool has_code;    /* as cairn_elf_has_code */
};
/* Of the file at `path`; false when it is no ELF file for Arm that can be read. */
bool cairn_elf_look(const char *path, struct cairn_elf_facts *facts);

/* CAIRN_OK when the file is an ELF file for Arm; else as cairn_elf_segments. */
CAIRN_MUST_CHECK cairn_status cairn_elf_check(const struct cairn_file *file, const char *path,
                                              struct cairn_error *error);

/* False: it is debug information that was split off, with sections of code that have no bytes. */
bool cairn_elf_has_code(const struct cairn_file *file);

/* Opens the mapped file for libelf; NULL when libelf refuses it. Ends with elf_end. */
struct Elf;
struct Elf *cairn_elf_begin(const struct cairn_file *file);

#endif
