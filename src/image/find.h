/* SPDX-License-Identifier: BSD-2-Clause */
/* What a text names: the parts of cairn_image_find. */
#ifndef CAIRN_IMAGE_FIND_H
#define CAIRN_IMAGE_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/image.h>

#include "image/file.h"
#include "image/name.h"

#define CAIRN_MATCHES_MOST 65536u

/* A file that names code, where it is loaded. */
struct cairn_object {
    const char *path;
    struct cairn_file *file;
    uint64_t bias;
};

/* A place; the texts are the matches'. */
struct cairn_found {
    uint64_t first, last; /* where it is loaded */
    enum cairn_match_kind kind;
    enum cairn_likeness like; /* of a name */
    bool is_entry;
    bool chooses;
    bool is_local; /* a symbol that only its source file sees */
    const struct cairn_object *object;
    char *path, *function, *file;
    uint32_t line;
};

struct cairn_matches {
    struct cairn_found *list;
    size_t count, capacity;
};

/* Adds a copy of `found`, whose texts are copied, the path from its object. CAIRN_E_MEMORY;
 * CAIRN_E_LIMIT. */
CAIRN_MUST_CHECK cairn_status cairn_matches_add(struct cairn_matches *matches,
                                                const struct cairn_found *found);
/* Leaves the first `count`. */
void cairn_matches_cut(struct cairn_matches *matches, size_t count);
/* Leaves those for which `keep` is true. */
void cairn_matches_keep(struct cairn_matches *matches,
                        bool (*keep)(const struct cairn_found *found, void *context),
                        void *context);

/* find_symbols.c: the symbols that go by the name. */
CAIRN_MUST_CHECK cairn_status cairn_find_symbols(const struct cairn_object *object,
                                                 const struct cairn_name *name,
                                                 struct cairn_matches *matches);
/* The names that are nearest to one that no symbol has. */
void cairn_find_near(const struct cairn_object *object, const char *wanted,
                     struct cairn_near *near);

/* find_lines.c: of a source line, of `line` or the next one that has code. What no file has lets
 * `lines` say why. */
struct cairn_line_search {
    const char *source; /* the file, or the end of its path, of `length` letters */
    size_t length;
    uint32_t line;
    bool has_debug;  /* of the answer: there is debug information */
    bool has_source; /* in which the file is; */
    uint32_t last;   /* whose last line with code this is */
    struct cairn_near near;
};
CAIRN_MUST_CHECK cairn_status cairn_find_lines(const struct cairn_object *object,
                                               struct cairn_line_search *search,
                                               struct cairn_matches *matches);

/* find_debug.c: copies of the function inside others. */
CAIRN_MUST_CHECK cairn_status cairn_find_inlined(const struct cairn_object *object,
                                                 const struct cairn_name *name,
                                                 struct cairn_matches *matches);
/* The source file of the code at an address (without bias), to be freed; NULL: not known. */
char *cairn_find_source(const struct cairn_object *object, uint64_t address);

#endif
