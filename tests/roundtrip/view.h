/* SPDX-License-Identifier: BSD-2-Clause */
/* ViewInst of a block, instruction by instruction as DDI0608 D6.8 puts it. */
#ifndef CAIRN_TESTS_ROUNDTRIP_VIEW_H
#define CAIRN_TESTS_ROUNDTRIP_VIEW_H

#include "case.h"

/* `active` is TRCVICTLR.SSSTATUS before and behind the block. */
bool trip_view(const struct trip_options *options, const struct trip_program *program,
               const struct trip_step *block, const struct cairn_context *context, uint32_t inputs,
               bool *active);

#endif
