/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine decodes a case's trace as well, and must give what the reference path gives. */
#ifndef CAIRN_TESTS_ROUNDTRIP_ENGINE_H
#define CAIRN_TESTS_ROUNDTRIP_ENGINE_H

#include "said.h"

/* The trace as it is, and in some cases damaged, in ways drawn from the case's seed. False: the
 * first difference is in said->problem. */
bool trip_engine_agrees(const struct trip_case *trip, const struct trip_trace *trace,
                        struct trip_said *said);

#endif
