/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of a trace buffer in memory (FEAT_TRBE): its registers, given with those of the trace unit, say
 * which bytes are trace and in which order. */
#ifndef CAIRN_CAPTURE_TRBE_TRBE_H
#define CAIRN_CAPTURE_TRBE_TRBE_H

#include <cairn/trbe.h>

#include "capture/model.h"

/* Whether one of the registers is a trace buffer's. */
bool cairn_trbe_is_given(const struct cairn_register *registers, size_t count);

/* Where a dump is in memory. */
struct cairn_trbe_place {
    uint64_t address; /* of its first byte: the buffer's base, unless it is given */
    bool is_given;
};

/* What the registers, and the names beside them (docs/trbe.md), say of a session. CAIRN_E_CONFIG names
 * what is missing. */
CAIRN_MUST_CHECK cairn_status cairn_trbe_session_of(const struct cairn_register *registers,
                                                    size_t count,
                                                    struct cairn_trbe_session *session,
                                                    struct cairn_trbe_place *dump,
                                                    struct cairn_error *error);

/* A core file (ELF, ET_CORE) has memory of many addresses. */
struct cairn_trbe_piece {
    uint64_t address, length;
    uint64_t offset; /* in the file */
};
struct cairn_trbe_core {
    struct cairn_trbe_piece *pieces; /* in the file's order; free() */
    size_t count;
};
/* By the first bytes of a file. */
#define CAIRN_TRBE_CORE_HEAD 64u
bool cairn_trbe_is_core(const uint8_t *head, size_t size);
/* `physical`: by physical addresses, else by virtual ones. */
CAIRN_MUST_CHECK cairn_status cairn_trbe_core_read(const char *path, bool physical,
                                                   struct cairn_trbe_core *core,
                                                   struct cairn_error *error);

/* Where the trace is in a dump. In a core file it may be in pieces. */
#define CAIRN_TRBE_SPANS 256
struct cairn_trbe_spans {
    struct cairn_span span[CAIRN_TRBE_SPANS]; /* of the dump, oldest first */
    size_t count;
    uint64_t unwritten; /* bytes of the buffer that are not of the session, */
    uint64_t outside;   /* and of the dump that are not of the buffer */
};
/* Of a source, whose dump has `size` bytes. `path` is its file's, which may be a core file; NULL: it is
 * none. Says in remarks what the registers tell. */
CAIRN_MUST_CHECK cairn_status cairn_trbe_spans_of(struct cairn_capture *capture,
                                                  const struct cairn_source_info *source,
                                                  const char *path, uint64_t size,
                                                  struct cairn_trbe_spans *spans,
                                                  struct cairn_error *error);

#endif
