/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a random program on the trace unit model and on the second model of its resources. */
#ifndef CAIRN_TESTS_UNIT_SECOND_RUN_H
#define CAIRN_TESTS_UNIT_SECOND_RUN_H

#include "second_program.h"

struct second_difference {
    size_t step;
    char what[200];
    uint64_t outcome; /* of what was traced, of Event elements, of the state at the end: a hash */
};

/* False if the two differ; `difference` then says where, and what each of them has. `deeds`, unless
 * NULL: how often each was done. */
bool second_run(const struct second_program *program, struct second_difference *difference,
                unsigned deeds[SECOND_DEEDS]);

/* Prints what is told to both. */
extern bool second_tells;

#endif
