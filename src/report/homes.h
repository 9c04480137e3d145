/* SPDX-License-Identifier: BSD-2-Clause */
/* Where code is at home: in a file, at an address there. One file may be loaded at many addresses, and its code is one
 * code. Files are the same as counts take them to be: by build-id, or else by what is in them. */
#ifndef CAIRN_REPORT_HOMES_H
#define CAIRN_REPORT_HOMES_H

#include "base/table.h"
#include "calls/functions.h"

/* A file. The lowest of the biases that it was told to be loaded with stands for all of them. */
struct cairn_home {
    const struct cairn_file *file;
    const char *path;
    char *id;        /* NULL: nobody had to ask yet */
    bool is_placed;  /* the rest is known: */
    uint64_t bias;   /* address here minus address in the file, */
    uint32_t source; /* in the capture, */
    struct cairn_place place;
};

/* All zero: empty. */
struct cairn_homes {
    struct cairn_home *list; /* 0 is none: code of no file */
    size_t room, count;
    struct cairn_home_file {
        const struct cairn_file *file;
        uint32_t home;
    } * files;
    size_t file_room, file_count;
    struct cairn_table by_file;
    /* What was found last, as long as that space is at that place: */
    const struct cairn_space *space;
    struct cairn_held held;
    struct cairn_code_file code;
    uint32_t code_home; /* 0: nothing was */
    uint32_t *
        same; /* of each function asked for: the first that is the same, itself too; 0: not asked for */
    size_t same_room;
    struct cairn_table by_function;
};

void cairn_homes_free(struct cairn_homes *homes);

/* The home of what is at an address under the selected place; 0: it has none. */
CAIRN_MUST_CHECK cairn_status cairn_homes_at(struct cairn_homes *homes,
                                             const struct cairn_space *space, uint64_t address,
                                             uint32_t *home, uint64_t *bias);

/* Code of it was executed there. */
void cairn_homes_tell(struct cairn_homes *homes, uint32_t home, uint64_t bias,
                      const struct cairn_place *place, uint32_t source);

/* Whether the file has an address where it stands for all: then its place is selected. */
CAIRN_MUST_CHECK cairn_status cairn_homes_hold(struct cairn_homes *homes, struct cairn_space *space,
                                               uint32_t home, uint64_t in_file, bool *holds);

/* The first function asked for that is the same in the same file; of code without a symbol, what a file has of it.
 * Selects places. */
CAIRN_MUST_CHECK cairn_status cairn_homes_function(struct cairn_homes *homes,
                                                   struct cairn_space *space,
                                                   const struct cairn_functions *functions,
                                                   uint32_t function, uint32_t *same);

#endif
