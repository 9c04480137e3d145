/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind <cairn/trbe.h> share. */
#ifndef CAIRN_PE_TRBE_DUMP_H
#define CAIRN_PE_TRBE_DUMP_H

#include <cairn/trbe.h>

#include "pe/fields.h"
#include "pe/registers.h"

/* TRBSR_EL1.EC and BSC (E1.2.2). */
enum {
    CAIRN_TRBE_EC_OTHER = 0x00,
    CAIRN_TRBE_EC_IMPLEMENTATION = 0x1f,
    CAIRN_TRBE_EC_STAGE_1 = 0x24,
    CAIRN_TRBE_EC_STAGE_2 = 0x25,
};
enum {
    CAIRN_TRBE_BSC_NOT_FILLED = 0,
    CAIRN_TRBE_BSC_FILLED = 1,
    CAIRN_TRBE_BSC_TRIGGER = 2,
};

/* Whether the pointer wrapped in the session, and what speaks for it. */
enum cairn_trbe_lap {
    CAIRN_TRBE_LAP_NONE = 0,     /* WRAP is 0 */
    CAIRN_TRBE_LAP_DONE = 1,     /* WRAP is 1 */
    CAIRN_TRBE_LAP_DOUBTFUL = 2, /* WRAP is 1, and something speaks against it */
    CAIRN_TRBE_LAP_STALE = 3,    /* WRAP is 1 and did not become so in the session */
    CAIRN_TRBE_LAP_LOST = 4,     /* WRAP is 0 and was 1 */
    CAIRN_TRBE_LAP_MOVED = 5,    /* the buffer was filled, but the pointer is not at the base */
};

/* A session that may be read: what cairn_trbe_extent_of found in between. */
struct cairn_trbe_reading {
    struct cairn_trbe_session session;
    struct cairn_trbe_status status;
    struct cairn_trbe_extent extent;
    enum cairn_trbe_lap lap;
    bool start_is_behind; /* it began behind the pointer, and did not wrap */
};
CAIRN_MUST_CHECK cairn_status cairn_trbe_read(const struct cairn_trbe_session *session,
                                              struct cairn_trbe_reading *reading,
                                              struct cairn_error *error);

/* 2^TRBIDR_EL1.Align; 1 where it is not known or reserved. */
uint64_t cairn_trbe_unit(const struct cairn_trbe_session *session);

static inline bool cairn_trbe_is_filled(const struct cairn_trbe_status *status)
{
    return status->reason == CAIRN_TRBE_FILLED;
}

#endif
