/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that a caller's function reads, kept by the page: each is asked for once. */
#ifndef CAIRN_IMAGE_LIVE_PAGES_H
#define CAIRN_IMAGE_LIVE_PAGES_H

#include <cairn/image.h>

struct cairn_live_pages;

/* Of the addresses from `first` to `last`, both included. */
CAIRN_MUST_CHECK cairn_status cairn_live_pages_new(uint64_t first, uint64_t last,
                                                   cairn_image_read *read, void *context,
                                                   struct cairn_live_pages **pages);
void cairn_live_pages_free(struct cairn_live_pages *pages);

/* The bytes around `address`: where they begin and how many they are. They stay where they are as
 * long as `pages`. NULL: there are none. May be called by several threads at once. */
const uint8_t *cairn_live_pages_find(struct cairn_live_pages *pages, uint64_t address,
                                     uint64_t *first, size_t *count);

#endif
