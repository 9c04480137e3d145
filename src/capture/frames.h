/* SPDX-License-Identifier: BSD-2-Clause */
/* The CoreSight trace formatter's frames (IHI0029 chapter D4) taken apart.
 *
 * A frame is 16 bytes. Bytes 0, 2 ... 14 hold a new trace ID (bit 0 set, ID in bits 7:1) or data
 * (bit 0 clear; the data's own bit 0 is in byte 15); bytes 1, 3 ... 13 hold data. Byte 15, the
 * auxiliary byte, has a bit for each even byte: the data bit, or, for an ID, whether the next byte
 * still belongs to the old ID.
 *
 * In a trace port's stream synchronisation packets stand between frames (FSYNC: FF FF FF 7F) and
 * inside them (HSYNC: FF 7F), always where an even byte is due: ID 0x7F is never used, so they
 * cannot be mistaken for anything else. In memory a frame made of four FSYNCs is a barrier that
 * software writes where data was lost: the current ID is unknown behind it. */
#ifndef CAIRN_CAPTURE_FRAMES_H
#define CAIRN_CAPTURE_FRAMES_H

#include <stdbool.h>

#include <cairn/capture.h>

#define CAIRN_FRAME_SIZE 16
#define CAIRN_FRAME_NO_ID 0x80 /* no ID byte was seen yet */
#define CAIRN_FRAME_ID_COUNT 128

/* What a frame can add to an output at most. */
#define CAIRN_FRAME_MAX_DATA 15
#define CAIRN_FRAME_MAX_RUNS 8
/* Bytes that must be free in an output for another frame: whole words are stored, ahead of what
 * counts. */
#define CAIRN_FRAME_ROOM 32

/* DSTREAM writes blocks of 512 bytes, the last 8 of each its own. */
#define CAIRN_DSTREAM_BLOCK 512
#define CAIRN_DSTREAM_PAYLOAD 504

/* How the frames lie in the file. */
struct cairn_frame_layout {
    bool port;    /* a trace port's stream: FSYNC and HSYNC occur */
    bool hunt;    /* port: a frame starts behind the first FSYNC only; else at offset 0 */
    bool blocks;  /* port: DSTREAM's blocks */
    uint8_t skip; /* memory: bytes of a cut frame before the first whole one, 0 to 15 */
};

/* Names trace IDs that carry data of trace sources: 0x01 to 0x6f (IHI0029 D4.2.4). */
static inline bool cairn_trace_id_is_source(unsigned id)
{
    return id >= 0x01 && id <= 0x6f;
}
#define CAIRN_TRACE_ID_TRIGGER 0x7d

/* State between calls; constant size. */
struct cairn_frames {
    struct cairn_frame_layout layout;
    bool aligned; /* port: the next byte begins a frame or continues `frame` */
    bool half;    /* port: `first` is the first byte of a halfword */
    bool held;    /* port: FF FF was seen, which may become FSYNC */
    uint8_t ones; /* port: FF bytes in a row while hunting */
    uint8_t first;
    uint8_t last_odd; /* port: second byte of the halfword before the held one */
    uint8_t id;       /* current, or CAIRN_FRAME_NO_ID */
    uint8_t skip;     /* memory: of layout.skip, bytes that are still to come */
    uint8_t filled;   /* bytes in `frame`, which is not whole yet */
    uint8_t frame[CAIRN_FRAME_SIZE];
    uint64_t pair_at[CAIRN_FRAME_SIZE / 2]; /* file offset of each halfword in `frame` */
    uint64_t held_at;
    uint64_t position; /* file offset of the next byte; memory: of the frame in `frame` */
    uint64_t cut; /* frames that an FSYNC cut short: bytes were lost, or this is no port stream */
    uint64_t reserved; /* ID bytes that name a reserved ID: noise, or no frames at all */
    uint64_t stray;    /* memory: frames that begin with an FSYNC and are no barrier */
    struct cairn_buffer_account
        account; /* of the bytes before `position`, except those in `frame` */
};

/* Where the data of one trace ID goes. */
struct cairn_frames_out {
    uint8_t id;
    uint8_t *bytes;
    size_t byte_capacity; /* at least CAIRN_FRAME_ROOM */
    size_t byte_count;
    struct cairn_run *runs;
    size_t run_capacity; /* at least CAIRN_FRAME_MAX_RUNS */
    size_t run_count;
    uint64_t offset; /* in the source's bytes, of the next byte */
};

void cairn_frames_init(struct cairn_frames *frames, struct cairn_frame_layout layout);

/* Takes in data[0, size), which follows what earlier calls took, and appends the bytes of out->id
 * to *out (NULL: counts only). Returns how many bytes it took: fewer than `size` only when *out has
 * no room for another frame. */
size_t cairn_frames_run(struct cairn_frames *frames, const uint8_t *data, size_t size,
                        struct cairn_frames_out *out);

/* The buffer has ended: what is left in an incomplete frame goes to its account, and the accounts
 * add up to `position`. */
void cairn_frames_finish(struct cairn_frames *frames);

/* The sum of all members of an account. */
uint64_t cairn_buffer_account_sum(const struct cairn_buffer_account *account);

#endif
