/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements as a vector file says them: "KIND name=value +FLAG; KIND ...". */
#ifndef CAIRN_TESTS_PROTOCOL_VECTOR_ELEMENTS_H
#define CAIRN_TESTS_PROTOCOL_VECTOR_ELEMENTS_H

#include "vector_decode.h"

/* Names that stand for numbers; the last one's text is NULL. */
struct vector_name {
    const char *text;
    uint64_t value;
};

bool vector_named(const struct vector_name *names, const char *text, uint64_t *value);
/* "?" when it has none. */
const char *vector_name_of(const struct vector_name *names, uint64_t value);

/* A number, or a name that every protocol has (SECURE, IS1, GAP_CUT). */
bool vector_value_of(const char *text, uint64_t *value);

/* "+FLAG" or "-FLAG"; got: the flags there are. */
bool vector_flag_matches(const struct vector_name *names, const char *word, uint64_t got,
                         bool *known);

bool vector_context_field(const struct cairn_context *context, const char *name, uint64_t *value);

const char *vector_element_name(unsigned kind);

/* "KIND ...; KIND ..." against a run of elements. NULL: there are none. */
bool vector_compare_elements(const struct vector_case *vector, size_t line, const char *expected,
                             const struct element *got, size_t count, const char *way);

#endif
