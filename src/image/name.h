/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a symbol is what somebody calls by a name: as the file has it, without what compilers and
 * linkers append, or as it is written in C++, with template arguments that nobody writes or without (image/written.h). */
#ifndef CAIRN_IMAGE_NAME_H
#define CAIRN_IMAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <cairn/status.h>

/* A name that is looked for. */
struct cairn_name {
    char *text;          /* without version */
    const char *version; /* behind it in `text`, or NULL: any */
    char *plain;         /* reduced, and without blanks that mean nothing */
    const char *inside;  /* part of `plain` that a mangled name has in it; NULL: nobody knows */
    size_t inside_length;
};

/* CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_name_read(const char *text, size_t length,
                                              struct cairn_name *name);
void cairn_name_clear(struct cairn_name *name);

/* How a symbol goes by the name: the higher, the better. */
enum cairn_likeness {
    CAIRN_LIKE_NOT,
    CAIRN_LIKE_TAIL, /* ns::f of f */
    CAIRN_LIKE_COPY, /* f.constprop.0, f<int> of f */
    CAIRN_LIKE_SAME,
};

/* `is_part`: of a function, moved out of it, and no function that is called by name. */
enum cairn_likeness cairn_name_compare(const struct cairn_name *name, const char *symbol,
                                       bool *is_part);

/* True when a symbol's name may be worth cairn_name_compare, for a fraction of its cost. */
bool cairn_name_may_be(const struct cairn_name *name, const char *symbol);

/* What a symbol is called in the shortest way, for a comparison with a misspelt name: f of
 * "_ZN2ns1fEi", memcpy of "memcpy@@GLIBC_2.17". To be freed; NULL without memory. */
char *cairn_name_short(const char *symbol);
/* The same of a name as it is written: f of "ns::f(int)". */
char *cairn_name_last(const char *text, size_t length);

/* True when `path` is `wanted`, or ends with it behind a slash. */
bool cairn_path_ends(const char *path, const char *wanted, size_t length);

/* The names nearest to a misspelt one, best first. */
#define CAIRN_NEAR_MOST 3u
struct cairn_near {
    char *words[CAIRN_NEAR_MOST]; /* owned */
    unsigned distances[CAIRN_NEAR_MOST];
    size_t count;
};
/* Keeps a copy of `word` if it is near enough to `wanted`, and no worse than those that are kept. */
void cairn_near_add(struct cairn_near *near, const char *wanted, const char *word);
void cairn_near_clear(struct cairn_near *near);
/* "; did you mean 'main', 'min' or 'man'?", or nothing. */
void cairn_near_text(const struct cairn_near *near, char *text, size_t capacity);

#endif
