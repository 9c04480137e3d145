/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture as both decoders of the benchmark get it: the bytes of each source without frames, and
 * the memory layers, all in memory before a clock runs. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <cairn.h>

struct bench_source {
    struct cairn_source_info info;
    struct cairn_config *config;
    uint8_t *bytes;
    size_t size;
};

struct bench_capture {
    struct cairn_capture *capture;
    struct cairn_image *image;
    struct bench_source *sources; /* those that are decoded and carry bytes */
    size_t source_count;
    size_t bytes; /* of all sources */
};

/* Ends the program with a message when the capture cannot be used. */
void bench_load(const char *path, struct bench_capture *loaded);
void bench_unload(struct bench_capture *loaded);

/* Ends the program with a message when a call failed. */
void bench_must(cairn_status status, const struct cairn_error *error, const char *what);

#endif
