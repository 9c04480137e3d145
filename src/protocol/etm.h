/* SPDX-License-Identifier: BSD-2-Clause */
/* What ETMv3 and PTM share to those who decode no packet of theirs: PTM has ETMv3's registers. */
#ifndef CAIRN_PROTOCOL_ETM_H
#define CAIRN_PROTOCOL_ETM_H

#include "protocol/about.h"

extern const char *const cairn_etm_registers[];
extern const char *const cairn_etm_id_registers[];
extern const struct cairn_register_number cairn_etm_numbers[];
/* struct cairn_about.exceptions: four bits (IHI0014 table 7-11, IHI0035 4.5.4). */
#define CAIRN_ETM_EXCEPTIONS 16u
extern const uint8_t cairn_etm_exceptions[CAIRN_ETM_EXCEPTIONS];

#define CAIRN_ETM_NEEDED "ETMCR, ETMIDR, ETMCCER and ETMTRACEIDR"

/* ETMIDR[11:8] counts from 0 for ETMv1, and PFTv1 follows ETMv3 (IHI0014, IHI0035). */
#define CAIRN_ETM_WITNESSES(major)                                                                 \
    {                                                                                              \
        {"ETMIDR", 0xf00, (major) << 8, 2}, {0},                                                   \
    }

#define CAIRN_ETM_CONTEXT_ID                                                                       \
    {                                                                                              \
        "ETMCR", 14, 2, false, true, "bits 15:14, the size of context IDs"                         \
    }
#define CAIRN_ETM_CYCLES                                                                           \
    {                                                                                              \
        "ETMCR", 12, 1, false, true, "bit 12, cycle-accurate"                                      \
    }
#define CAIRN_ETM_TIMESTAMPS                                                                       \
    {                                                                                              \
        "ETMCCER", 29, 1, false, false, "bit 29, the size of timestamps"                           \
    }

#define CAIRN_ETM_MISMATCH                                                                         \
    "the image is probably not what ran: another build or load address, or code that changed at "  \
    "run time; or ETMCR bit 12 (cycle-accurate) is not as it was, which makes other atoms of the " \
    "same bytes"
#define CAIRN_ETM_GAP_ADVICE                                                                       \
    {CAIRN_GAP_RESERVED,                                                                           \
     "the bytes are damaged, or they are not of this protocol or this trace ID, or ETMCR is not "  \
     "as it was (context IDs, cycle counts, data trace): compare it, ETMIDR, the frame layout "    \
     "and the trace ID with what the hardware is set to"},                                         \
        {CAIRN_GAP_TRUNCATED,                                                                      \
         "the buffer was full, or it was read before the trace unit was flushed: set the "         \
         "programming bit (ETMCR bit 10) and wait for ETMSR bit 1, flush the formatter, then "     \
         "read"},                                                                                  \
        {CAIRN_GAP_OVERFLOW,                                                                       \
         "trace less (filters, no data, cycle counts or timestamps), or let the trace unit stall " \
         "the core where it can (ETMCR bit 7, ETMFFLR)"},                                          \
        {CAIRN_GAP_NOT_DECODED,                                                                    \
         "code in ThumbEE and Jazelle state is not followed: nothing, unless the program has "     \
         "none; flow goes on with the next address in ARM or Thumb state"},                        \
    {                                                                                              \
        CAIRN_GAP_RETURN_STACK,                                                                    \
            "ETMCR bit 29 may be given as 1 although the trace was made without the return "       \
            "stack, the image may be of another build, or calls were lost before"                  \
    }

#endif
