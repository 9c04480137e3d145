/* SPDX-License-Identifier: BSD-2-Clause */
/* One source's bytes for its decoder, in pieces: small ones at first, so that a listing begins at
 * once, then larger ones. Remembers where they were in the file, and tells the progress. */
#ifndef CAIRN_CLI_INTAKE_H
#define CAIRN_CLI_INTAKE_H

#include <cairn/capture.h>

#include "cli/watch.h"

/* A part of the source's bytes. */
struct cli_piece {
    const uint8_t *data; /* valid until the next call */
    size_t size;         /* 0: the source has ended */
    uint64_t offset;     /* of data[0] in the source's bytes */
};

struct cli_intake;

/* Pieces grow up to about `piece_max` bytes; 0: as the reader gives them. `progress` NULL: none. */
CAIRN_MUST_CHECK cairn_status cli_intake_new(const struct cairn_capture *capture, size_t source,
                                             size_t piece_max, struct cli_progress *progress,
                                             struct cli_intake **intake, struct cairn_error *error);
void cli_intake_free(struct cli_intake *intake); /* NULL is fine */

CAIRN_MUST_CHECK cairn_status cli_intake_next(struct cli_intake *intake, struct cli_piece *piece);

/* Shows the progress: `used` bytes of the current piece are decoded. */
void cli_intake_progress(struct cli_intake *intake, size_t used);

/* Where a byte of the source is in its file, or UINT64_MAX when that was too long ago to know. */
uint64_t cli_intake_file_offset(const struct cli_intake *intake, uint64_t offset);

#endif
