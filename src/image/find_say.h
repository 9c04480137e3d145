/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of texts that name nothing, or too much. Each function returns the status of its
 * sentence. */
#ifndef CAIRN_IMAGE_FIND_SAY_H
#define CAIRN_IMAGE_FIND_SAY_H

#include "image/find.h"

struct cairn_finder {
    struct cairn_object *objects;
    size_t object_count;
    unsigned flags;
    struct cairn_error *error;
};

/* A piece of the text. */
struct cairn_slice {
    const char *text;
    size_t length;
};

/* How much of it a sentence shows. */
int cairn_slice_shown(struct cairn_slice piece);

/* Whether the qualifier is a file's name, or the end of its path: of one of them, of any. */
bool cairn_find_is_object(const struct cairn_finder *finder, size_t index,
                          struct cairn_slice qualifier);
bool cairn_find_any_object(const struct cairn_finder *finder, struct cairn_slice qualifier);

cairn_status cairn_find_no_memory(const struct cairn_finder *finder);
/* Of a search that ended with this status. */
cairn_status cairn_find_failed(const struct cairn_finder *finder, struct cairn_slice piece,
                               cairn_status status);
cairn_status cairn_find_no_object(const struct cairn_finder *finder, struct cairn_slice text);
/* `qualifier`: the files that were looked at; NULL: all. */
cairn_status cairn_find_no_function(const struct cairn_finder *finder, struct cairn_slice name,
                                    const struct cairn_slice *qualifier);
cairn_status cairn_find_no_line(const struct cairn_finder *finder,
                                const struct cairn_line_search *search);
cairn_status cairn_find_no_qualifier(const struct cairn_finder *finder,
                                     struct cairn_slice qualifier, struct cairn_slice name);
cairn_status cairn_find_no_number(const struct cairn_finder *finder, struct cairn_slice piece);
cairn_status cairn_find_several(const struct cairn_finder *finder, struct cairn_slice piece,
                                const struct cairn_matches *found);

#endif
