/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the second writer of ETMv3 as the elements that the library's encoder takes: what
 * docs/legacy.md and protocol/etmv3/encode.h say that they mean. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_ELEMENTS_H
#define CAIRN_TESTS_PROTOCOL_SECOND_ELEMENTS_H

#include <cairn/element.h>

#include "second_writer.h"

struct second_element {
    unsigned kind;
    uint16_t flags;
    struct cairn_element_data data;
};

struct second_elements {
    bool data_only;
    struct cairn_context context;
    size_t count, capacity;
    struct second_element *list; /* the caller's; what has no room is left out */
};

/* In ARM and Thumb state alone. What elements do not say is lost: IGNORE, `spare`, `informed` and
 * `whole`. */
void second_elements_add(struct second_elements *elements, const struct second_event *event);

#endif
