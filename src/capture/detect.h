/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bytes of a buffer themselves say about how they are laid out. */
#ifndef CAIRN_CAPTURE_DETECT_H
#define CAIRN_CAPTURE_DETECT_H

#include "capture/files.h"
#include "capture/frames.h"

/* How far is looked: enough for many synchronisations, little enough to be quick. */
#define CAIRN_DETECT_SAMPLE ((size_t)1 << 20)

/* What a guess rests on, for the remark that says so. */
struct cairn_format_guess {
    enum cairn_format format;
    struct cairn_frame_layout layout;
    unsigned id_count;  /* trace IDs that carry data, if frames */
    uint64_t reserved;  /* reserved IDs met when read as frames */
    size_t frame_syncs; /* alignment synchronisations in the sources, read as frames */
    size_t plain_syncs; /* the same in the bytes as they are */
};

/* Frames or not: frames must name no reserved ID (in the first 4 KiB at least: a memory that was
 * not filled holds anything behind the trace), and taking them apart must not lose alignment
 * synchronisations (at least 5 zeros, then 80: common to ETM, PTM, ETE and ITM). */
struct cairn_format_guess cairn_format_detect(const uint8_t *sample, size_t size,
                                              uint64_t file_size);

/* Where the first whole frame of a memory's frames begins, 0 to 15: at 0 unless another start is
 * clearly better. *reserved is the number of reserved IDs that speak against 0, when it stays. */
uint8_t cairn_frame_start(const uint8_t *sample, size_t size, uint64_t *reserved);

/* The layout of a trace port's stream: DSTREAM blocks or not, from a sample. */
struct cairn_frame_layout cairn_port_layout(const uint8_t *sample, size_t size);

/* The offset of the first FSYNC of a file, or its size when there is none. */
cairn_status cairn_first_fsync(const char *path, uint64_t *offset, uint64_t *size,
                               struct cairn_error *error);

/* Fills format (when AUTO) and layout of a buffer whose info is set otherwise, and says what was
 * guessed. A file that cannot be read keeps 0 bytes and gets a remark. */
struct cairn_capture;
struct cairn_buffer;
void cairn_buffer_inspect(struct cairn_capture *capture, struct cairn_buffer *buffer);

#endif
