/* SPDX-License-Identifier: BSD-2-Clause */
/* One way of decoding a capture with Cairn, pass after pass. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "load.h"
#include "peer.h"

/* What is made of the trace. */
enum bench_mode {
    BENCH_MODE_PACKETS,     /* packets: kinds, places, and addresses with whose they are */
    BENCH_MODE_SCAN,        /* packets with whole addresses, resolved: what the engine takes */
    BENCH_MODE_PACKET_LIST, /* packets with every column of <cairn/packet.h> */
    BENCH_MODE_REFERENCE,   /* flow records by the reference path */
    BENCH_MODE_COUNTS,   /* the engine: a 64-bit counter a path, instructions summed up of them */
    BENCH_MODE_PATH_IDS, /* ... a column of path ids */
    BENCH_MODE_BLOCKS,   /* ... every block with its outcome in a list */
    BENCH_MODE_INSTRUCTIONS, /* ... every instruction's address in a list */
    BENCH_MODE_CALLBACK,     /* ... a function called for every range */
    BENCH_MODE_COUNT,
};

const char *bench_mode_name(enum bench_mode mode);
/* How far the peer goes beside it. */
enum bench_depth bench_mode_depth(enum bench_mode mode);
/* True: made of the engine, which learns from pass to pass. */
bool bench_mode_learns(enum bench_mode mode);

struct bench_runner;

struct bench_runner *bench_runner_new(enum bench_mode mode, unsigned threads,
                                      const struct bench_capture *loaded,
                                      struct cairn_image *image);
void bench_runner_free(struct bench_runner *runner); /* NULL is fine */

/* A pass over every source. Engines keep their tables for the next one, and nothing else. */
void bench_runner_run(struct bench_runner *runner);

/* The same with everything counted that came out: instructions, or packets. Not to be timed. */
uint64_t bench_runner_check(struct bench_runner *runner);

/* Of the engines, all sources together; zeros where there are none. */
struct bench_tables {
    uint64_t paths; /* in the dictionaries now */
    uint64_t bytes; /* of all tables now */
    uint64_t generations;
    uint64_t misses;
    uint64_t hot_bytes;
    uint64_t scanned_bytes;
    uint64_t cold_bytes;
};
struct bench_tables bench_runner_tables(const struct bench_runner *runner);

#endif
