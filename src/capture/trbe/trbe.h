/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of a trace buffer in memory (FEAT_TRBE): its registers, given with those of the trace unit, say
 * which bytes are trace and in which order. */
#ifndef CAIRN_CAPTURE_TRBE_TRBE_H
#define CAIRN_CAPTURE_TRBE_TRBE_H

#include <cairn/trbe.h>

#include "capture/model.h"

/* Whether one of the registers is a trace buffer's. */
bool cairn_trbe_is_given(const struct cairn_register *registers, size_t count);

/* What the registers, and the names beside them (docs/trbe.md), say of a session. *dump is the address
 * of the dump's first byte: the buffer's base unless it is given. CAIRN_E_CONFIG names what is missing. */
CAIRN_MUST_CHECK cairn_status cairn_trbe_session_of(const struct cairn_register *registers,
                                                    size_t count,
                                                    struct cairn_trbe_session *session,
                                                    uint64_t *dump, struct cairn_error *error);

/* Where the trace is in a dump. */
struct cairn_trbe_spans {
    struct cairn_span span[CAIRN_TRBE_RANGES]; /* of the dump, oldest first */
    size_t count;
    uint64_t unwritten; /* bytes of the buffer that are not of the session, */
    uint64_t outside;   /* and of the dump that are not of the buffer */
};
/* Of a source, whose dump has `size` bytes. Says in remarks what the registers tell. */
CAIRN_MUST_CHECK cairn_status cairn_trbe_spans_of(struct cairn_capture *capture,
                                                  const struct cairn_source_info *source,
                                                  uint64_t size, struct cairn_trbe_spans *spans,
                                                  struct cairn_error *error);

#endif
