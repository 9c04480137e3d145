/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for opencsd.c where the library is not installed. */
#include "opencsd.h"

#include <stddef.h>

const char *peer_opencsd_version(void)
{
    return NULL;
}

bool peer_decode_opencsd(const struct peer_trace *trace, struct peer_random *random,
                         struct peer_truth *truth)
{
    (void)trace;
    (void)random;
    (void)truth;
    return false;
}
