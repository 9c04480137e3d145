/* SPDX-License-Identifier: BSD-2-Clause */
/* Random settings and lists of events for the second writer of ETMv3: what a processor might do,
 * kept to what the specification says that a trace unit traces. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_EVENTS_H
#define CAIRN_TESTS_PROTOCOL_SECOND_EVENTS_H

#include "second_writer.h"

enum { SECOND_EVENTS_MAX = 160 };

struct second_list {
    struct second_settings settings;
    bool security; /* ETMIDR[19] */
    size_t count;
    struct second_event events[SECOND_EVENTS_MAX];
};

void second_random(struct second_list *list, uint64_t seed);
/* The same in ARM and Thumb state alone. */
void second_random_followed(struct second_list *list, uint64_t seed);

#endif
