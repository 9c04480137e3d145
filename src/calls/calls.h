/* SPDX-License-Identifier: BSD-2-Clause */
/* A source's calls with tables that other sources share: for what puts several together. */
#ifndef CAIRN_CALLS_CALLS_H
#define CAIRN_CALLS_CALLS_H

#include <cairn/calls.h>

#include "calls/counted.h"
#include "calls/functions.h"

/* The tables must live as long. `sink` NULL: only what is counted is wanted, and no stack is kept. */
CAIRN_MUST_CHECK cairn_status cairn_calls_make(
    struct cairn_config *config, struct cairn_image *image, struct cairn_functions *functions,
    struct cairn_block_counts *counted, const struct cairn_calls_sink *sink, struct cairn_calls **calls);

/* Where the source is now, of the thread that is executing. */
struct cairn_call_moment cairn_calls_now(const struct cairn_calls *calls);

#endif
