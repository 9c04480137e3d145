/* SPDX-License-Identifier: BSD-2-Clause */
/* ZIP archives, by libzip: entries by name, read in order. Without libzip, which is loaded when the first one is opened, none can be. */
#ifndef CAIRN_CAPTURE_PORT_ARCHIVE_H
#define CAIRN_CAPTURE_PORT_ARCHIVE_H

#include "capture/port/recording.h"

struct cairn_archive;

/* `what` is the file, for sentences. The input is read as long as the archive is open. */
CAIRN_MUST_CHECK cairn_status cairn_archive_open(const struct cairn_port_input *input,
                                                 const char *what, struct cairn_archive **archive,
                                                 struct cairn_error *error);
void cairn_archive_close(struct cairn_archive *archive);

uint64_t cairn_archive_count(const struct cairn_archive *archive);
/* NULL: the entry has none that can be read. Valid as long as the archive. */
const char *cairn_archive_name(const struct cairn_archive *archive, uint64_t index);

/* A small text as a whole, with a 0 behind it; the caller frees *text. CAIRN_E_NOT_FOUND, CAIRN_E_LIMIT (it is longer
 * than `limit`), CAIRN_E_IO (damaged, packed in a way that is not known, or encrypted), CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_archive_text(struct cairn_archive *archive, const char *name,
                                                 size_t limit, char **text, size_t *size);

/* One entry is open at a time: the one before is closed. False: it cannot be. */
bool cairn_archive_enter(struct cairn_archive *archive, uint64_t index);
/* The next bytes of it; 0 at its end. Negative: it is damaged from here on. */
int64_t cairn_archive_read(struct cairn_archive *archive, void *bytes, size_t size);

#endif
