/* SPDX-License-Identifier: BSD-2-Clause */
/* libopencsd through its C API: buffer memory accessors, a sink that counts. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "load.h"

/* How far it decodes. */
enum bench_depth {
    BENCH_PACKETS, /* packet processing only */
    BENCH_FLOW,    /* all: ranges of instructions */
};

struct bench_peer;

/* A decode tree for one source; the memory stays the image's. */
struct bench_peer *bench_peer_new(enum bench_depth depth, const struct bench_source *source,
                                  struct cairn_image *image);
void bench_peer_free(struct bench_peer *peer);

/* Tells each range too: the offset of its packet, its first instruction and its end. */
typedef void (*bench_peer_range)(void *context, uint64_t offset, uint64_t start, uint64_t end,
                                 bool is_t32);
void bench_peer_listen(struct bench_peer *peer, bench_peer_range range, void *context);

/* Decodes the source from its beginning to its end; returns instructions, or packets (0 for ETE).
 */
uint64_t bench_peer_run(struct bench_peer *peer);

const char *bench_peer_version(void);

#endif
