/* SPDX-License-Identifier: BSD-2-Clause */
/* Of which binary of a profile is what a capture has in memory: addresses there become addresses in the file. */
#ifndef CAIRN_REPORT_PGO_PLACES_H
#define CAIRN_REPORT_PGO_PLACES_H

#include "report/pgo.h"

struct cairn_pgo_places;

/* Binaries are added to the profile as they are met. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_places_new(struct cairn_pgo *pgo,
                                                   struct cairn_capture *capture,
                                                   struct cairn_pgo_places **places);
void cairn_pgo_places_free(struct cairn_pgo_places *places); /* NULL is fine */

struct cairn_pgo_home {
    uint32_t binary; /* CAIRN_PGO_NONE: no file has or names what is there */
    uint64_t bias;   /* address here minus address in the file */
};
CAIRN_MUST_CHECK cairn_status cairn_pgo_places_find(struct cairn_pgo_places *places,
                                                    const struct cairn_place *place,
                                                    uint64_t address, struct cairn_pgo_home *home);

#endif
