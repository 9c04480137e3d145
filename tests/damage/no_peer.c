/* SPDX-License-Identifier: BSD-2-Clause */
/* Where libopencsd is not installed. */
#include "damage.h"

const char *damage_peer_version(void)
{
    return NULL;
}

bool damage_peer_decode(const struct bench_source *source, struct cairn_image *image,
                        struct damage_list *list)
{
    (void)source;
    (void)image;
    (void)list;
    return false;
}
