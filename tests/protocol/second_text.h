/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of the second writer, and packets of the library, in the same words: a line each, the
 * atoms of neighbouring P-headers in one, so that how they are packed makes no difference. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_TEXT_H
#define CAIRN_TESTS_PROTOCOL_SECOND_TEXT_H

#include "etmv3_session.h"
#include "second_events.h"

enum { SECOND_LINE_SIZE = 4096 };

struct second_lines {
    size_t count;
    char line[SECOND_EVENTS_MAX * 2][SECOND_LINE_SIZE];
};

/* From event `first` on, or packet `first`. */
void second_lines_of_events(const struct second_list *list, size_t first,
                            struct second_lines *lines);
void second_lines_of_packets(const struct second_settings *settings,
                             const struct etmv3_list *packets, size_t first,
                             struct second_lines *lines);

#endif
