/* SPDX-License-Identifier: BSD-2-Clause */
/* One stream of frames taken apart for one trace ID. */
#ifndef CAIRN_TESTS_TAKEN_H
#define CAIRN_TESTS_TAKEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/frames.h"

#define MOST 65536

struct taken {
    struct cairn_frames frames;
    size_t count;
    uint8_t bytes[MOST];
    uint64_t file_offset[MOST]; /* of each byte */
};

struct pace {
    size_t chunk;       /* bytes a call gets at most */
    size_t bytes, runs; /* capacity of the output */
};
/* Everything in one call. */
#define AT_ONCE ((struct pace){MOST * 2, MOST, MOST})

/* Checks besides that runs cover the bytes and that the accounts add up to `size`; the caller
 * frees. */
struct taken *take(struct cairn_frame_layout layout, unsigned id, const uint8_t *data, size_t size,
                   struct pace pace);
/* Expects these bytes at several paces. */
void expect(struct cairn_frame_layout layout, unsigned id, const uint8_t *data, size_t size,
            const uint8_t *wanted, size_t wanted_size);
#define EXPECT(layout, id, stream, ...)                                                            \
    do {                                                                                           \
        const uint8_t wanted_[] = {__VA_ARGS__};                                                   \
        expect(layout, id, stream, sizeof(stream), wanted_, sizeof wanted_);                       \
    } while (0)

#define MEMORY ((struct cairn_frame_layout){.port = false})
#define PORT ((struct cairn_frame_layout){.port = true, .hunt = true})

#define FSYNC 0xff, 0xff, 0xff, 0x7f
#define HSYNC 0xff, 0x7f

#endif
