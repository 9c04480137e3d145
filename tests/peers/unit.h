/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit for tests only: watches a machine run, writes a legal trace of it with every freedom
 * that the protocol leaves drawn at random, and keeps what the trace tells. */
#ifndef CAIRN_TESTS_PEERS_UNIT_H
#define CAIRN_TESTS_PEERS_UNIT_H

#include "emit.h"
#include "truth.h"

struct peer_trace {
    struct peer_settings settings;
    struct peer_program program;
    struct peer_bytes bytes;
    struct peer_truth truth;
    bool lossy; /* some P0 elements were never resolved: their packets become gaps */
};

/* Draws the program and its trace. False when the generator failed. */
bool peer_trace_make(struct peer_trace *trace, struct cairn_config *config,
                     struct peer_random *random);

#endif
