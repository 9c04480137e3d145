/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines of an ELF file's code, by its debug information. */
#ifndef CAIRN_IMAGE_LINES_H
#define CAIRN_IMAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#include "image/file.h"

struct cairn_lines;

/* The source file and line of an address of the file (no bias); *name lives as long as the file.
 * The debug information is opened at the first call; safe in any thread. CAIRN_E_NOT_FOUND. */
cairn_status cairn_file_line(struct cairn_file *file, uint64_t address, const char **name,
                             uint32_t *line);

/* How compilers number discriminators. */
enum cairn_discriminators {
    CAIRN_DISCRIMINATORS_PLAIN = 0, /* one after the other (GCC) */
    CAIRN_DISCRIMINATORS_LLVM = 1,  /* with other numbers in the same word */
};

/* What a unit's debug information says of how it was compiled. */
enum cairn_optimisation {
    CAIRN_OPTIMISATION_UNKNOWN = 0, /* nothing */
    CAIRN_OPTIMISATION_NONE = 1,
    CAIRN_OPTIMISATION_SOME = 2,
};

/* One level of what an address is in: a function, or one that was inlined into the next. The texts
 * live as long as the file. */
struct cairn_frame {
    const char *function;   /* as the linker knows it, where that is told; NULL: not known */
    const char *file;       /* of the address, or of the call that the level before is; or NULL */
    const char *directory;  /* that the compiler ran in, or NULL */
    const char *start_file; /* that the function is declared in, or NULL */
    uint32_t line;          /* 0: not known */
    uint32_t start_line;    /* that the function is declared in; 0: not known */
    uint32_t discriminator; /* that tells apart what is of one line, as the compiler numbers it */
    enum cairn_discriminators discriminators;
    enum cairn_optimisation optimisation;
    uint32_t scope; /* tells apart copies of functions that are inlined in one unit */
};
#define CAIRN_FRAME_NO_SCOPE UINT32_MAX /* it is not known */

/* The file's name behind the folder of the compilation, which libdw puts in front of it; NULL: it does not begin with
 * that. */
const char *cairn_frame_below(const struct cairn_frame *frame);

/* More levels than these are not told. */
#define CAIRN_FRAMES_MAX 16

/* The levels of an address of the file (no bias), innermost first: writes at most `capacity` of
 * them, and returns how many. 0: nothing is known. Safe in any thread. */
size_t cairn_file_frames(struct cairn_file *file, uint64_t address, struct cairn_frame *frames,
                         size_t capacity);

/* The outermost of them, by its function alone, which costs less: of it `file`, `line` and what goes with these are not told
 * where it is known where the function is declared. False: nothing is known. */
bool cairn_file_function_frame(struct cairn_file *file, uint64_t address,
                               struct cairn_frame *frame);

/* Whether that may know anything of an address. */
bool cairn_file_has_frames(struct cairn_file *file);

/* Units that were compiled with -gsplit-dwarf, and of which the other file (.dwo, .dwp) is not here: of their functions
 * nothing is known but lines. The texts live as long as the file. */
struct cairn_missing_units {
    size_t count;
    const char
        *name; /* of the first one's other file, as the compiler was told; NULL: none is missing */
    const char *folder; /* that the compiler ran in, or NULL */
    const char *
        common; /* the file that has what this one and others have in common (dwz -m), and is missing; or NULL */
};
/* Of those that were asked for until now. */
void cairn_file_missing_units(struct cairn_file *file, struct cairn_missing_units *missing);
/* Of all. */
void cairn_file_find_units(struct cairn_file *file, struct cairn_missing_units *missing);

/* The addresses in a row around one (no bias) that are of the same function, by the debug information. False: that
 * does not know. */
bool cairn_file_function(struct cairn_file *file, uint64_t address, uint64_t *first,
                         uint64_t *last);

void cairn_lines_free(struct cairn_lines *lines); /* NULL is fine */

#endif
