/* SPDX-License-Identifier: BSD-2-Clause */
/* What both decoders get: a capture's sources as plain bytes without frames, and its memory. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <cairn/capture.h>

struct bench_source {
    struct cairn_source_info info;
    struct cairn_config *config;
    uint8_t *bytes;
    size_t size;
    struct cairn_register *registers; /* of `info`, where no capture keeps them; else NULL */
};

struct bench_capture {
    struct cairn_capture *capture; /* NULL: generated */
    struct cairn_image *image;
    struct bench_source *sources;
    size_t source_count;
    size_t bytes; /* of all sources */
};

/* Ends the program with a message when something could not be done. */
void bench_must(cairn_status status, const struct cairn_error *error, const char *what);

/* Loads every source of a capture that is decoded, at most its first `limit` bytes (0: all). */
void bench_load(const char *path, size_t limit, struct bench_capture *loaded);
void bench_unload(struct bench_capture *loaded);

/* The memory of the capture once more, from its files, for those who have touched nothing yet; with
 * a reference for the caller. */
struct cairn_image *bench_fresh_image(const char *path, const struct bench_capture *loaded);

/* memory.c: an image of many small pieces, as recordings have it (what was executed and nothing
 * else), as one of few large ones; others are given back as they are. A reference for the caller.
 * libopencsd goes through its accessors one by one: what is measured should be the decoding. */
struct cairn_image *bench_merged(struct cairn_image *image);

#endif
