/* SPDX-License-Identifier: BSD-2-Clause */
/* libopencsd through its C interface: one decode tree a source, memory as buffers, a sink that
 * counts. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "load.h"

struct bench_peer;

/* "1.3.3" */
const char *bench_peer_version(void);

/* Ends the program with a message when libopencsd refuses the source. */
struct bench_peer *bench_peer_new(const struct bench_capture *loaded,
                                  const struct bench_source *source);
void bench_peer_free(struct bench_peer *peer);

/* Decodes the whole source once; the instructions of its ranges. */
uint64_t bench_peer_run(struct bench_peer *peer);

#endif
