/* SPDX-License-Identifier: BSD-2-Clause */
/* Executed memory of a machine, which has other bytes at one address for each process, and after code changed itself. Each
 * page is kept in versions; a source has one version of a page at a time, which it turns to before it executes what other
 * versions have otherwise. A version gets what is executed while a source has it, as long as it is not otherwise known. */
#ifndef CAIRN_MACHINE_VERSIONS_H
#define CAIRN_MACHINE_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/pages.h"
#include "machine/recording.h"

#define CAIRN_VERSIONS_PAGES (1u << 18) /* the most pages */
#define CAIRN_VERSIONS_NONE UINT32_MAX

struct cairn_versions; /* thread safe */

/* NULL: memory is out. */
struct cairn_versions *cairn_versions_new(struct cairn_recording *recording);
void cairn_versions_free(struct cairn_versions *versions);

/* The number of the page of an address in a space (enum cairn_pages_space); every source begins with version 0 of it.
 * CAIRN_VERSIONS_NONE: there are too many, or memory is out. */
uint32_t cairn_versions_page(struct cairn_versions *versions, uint32_t space, uint64_t address);

/* A version of the page that has these bytes of it, which are in one page: `now` if that can be. CAIRN_VERSIONS_NONE as
 * above. */
uint32_t cairn_versions_find(struct cairn_versions *versions, uint32_t page, uint64_t address,
                             const uint8_t *bytes, uint32_t size, uint32_t now);

/* Whether that version has the bytes, or does now. */
bool cairn_versions_take(struct cairn_versions *versions, uint32_t page, uint32_t version,
                         uint64_t address, const uint8_t *bytes, uint32_t size);

/* The source has that version of the page from `position` on. */
CAIRN_MUST_CHECK cairn_status cairn_versions_turn(struct cairn_versions *versions,
                                                  const struct cairn_recorded_source *source,
                                                  uint32_t page, uint32_t version,
                                                  uint64_t position);

#endif
