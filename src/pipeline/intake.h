/* SPDX-License-Identifier: BSD-2-Clause */
/* One source's bytes for its decoder, in pieces: small ones at first, so that a listing begins at
 * once, then larger ones. Remembers where they were in the file, and tells the progress. */
#ifndef CAIRN_PIPELINE_INTAKE_H
#define CAIRN_PIPELINE_INTAKE_H

#include <cairn/capture.h>

/* A part of the source's bytes. */
struct cairn_piece {
    const uint8_t *data; /* valid until the next call */
    size_t size;         /* 0: the source has ended */
    uint64_t offset;     /* of data[0] in the source's bytes */
    bool lost; /* trace was lost in front of it (cairn_reader_lost), or behind all; never inside */
};

struct cairn_intake;

/* Who is told how far the file is used; non-zero ends the source early. */
struct cairn_intake_watch {
    int (*progress)(void *context, uint64_t done); /* may be NULL */
    void *context;
};

/* Pieces grow up to about `piece_max` bytes; 0: as the reader gives them. */
CAIRN_MUST_CHECK cairn_status cairn_intake_new(const struct cairn_capture *capture, size_t source,
                                               size_t piece_max,
                                               const struct cairn_intake_watch *watch,
                                               struct cairn_intake **intake,
                                               struct cairn_error *error);
void cairn_intake_free(struct cairn_intake *intake); /* NULL is fine */

/* The first piece begins at this offset of the source's bytes. Before that one. */
CAIRN_MUST_CHECK cairn_status cairn_intake_seek(struct cairn_intake *intake, uint64_t offset);
/* For this intake the source ends there. */
void cairn_intake_until(struct cairn_intake *intake, uint64_t offset);

CAIRN_MUST_CHECK cairn_status cairn_intake_next(struct cairn_intake *intake,
                                                struct cairn_piece *piece);

/* Tells the progress: `used` bytes of the current piece are decoded. */
void cairn_intake_progress(struct cairn_intake *intake, size_t used);

/* Asks whether to go on. Once false it stays so. */
bool cairn_intake_goes_on(struct cairn_intake *intake);

/* Where a byte of the source is in its file, or UINT64_MAX when that was too long ago to know. */
uint64_t cairn_intake_file_offset(const struct cairn_intake *intake, uint64_t offset);

#endif
