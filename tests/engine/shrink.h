/* SPDX-License-Identifier: BSD-2-Clause */
/* The shortest trace that the engine still gets wrong. */
#ifndef CAIRN_TESTS_ENGINE_SHRINK_H
#define CAIRN_TESTS_ENGINE_SHRINK_H

#include "compare.h"

/* Takes bytes out of a trace that fails in one of `ways`, as long as it fails in that way. Writes
 * what is left, and its first difference, to `report`. */
void engine_shrink(const struct engine_case *input, uint32_t ways, uint64_t seed, FILE *report);

#endif
