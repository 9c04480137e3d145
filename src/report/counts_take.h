/* SPDX-License-Identifier: BSD-2-Clause */
/* What a capture executed, put into counts. */
#ifndef CAIRN_REPORT_COUNTS_TAKE_H
#define CAIRN_REPORT_COUNTS_TAKE_H

#include <cairn/capture.h>
#include <cairn/flow.h>

#include "report/counts.h"
#include "report/counts_versions.h"
#include "report/pgo.h"
#include "report/profile.h"

struct cairn_counts_loaded; /* a file where it is loaded */

/* Of one capture. Zero it, set the first three, and free it in the end. */
struct cairn_counts_taker {
    struct cairn_counts *counts;
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_counts_loaded *loaded;
    size_t loaded_count, loaded_room;
    uint32_t *by_layer;       /* which one is the memory of a layer, and 1 */
    struct cairn_table pages; /* of memory, that are in the counts */
    uint64_t *page_list;
    size_t page_count, page_room;
    struct cairn_counts_versions versions;
};
void cairn_counts_taker_free(struct cairn_counts_taker *taker);

struct cairn_counts_source {
    const char *capture;
    const struct cairn_source_info *info;
    struct cairn_config *config;
    uint64_t size, fingerprint; /* of all its bytes */
    uint64_t from, bytes;       /* that were counted: where they begin, and how many */
    uint64_t instructions, cycles, overflows;
    const struct cairn_ledger *ledger;
};
/* *row: where it is in the table, until the counts are settled. */
CAIRN_MUST_CHECK cairn_status cairn_counts_take_source(struct cairn_counts *counts,
                                                       const struct cairn_counts_source *source,
                                                       uint64_t *row);
CAIRN_MUST_CHECK cairn_status cairn_counts_take_blocks(struct cairn_counts_taker *taker,
                                                       const struct cairn_block_counts *blocks,
                                                       const struct cairn_arch *arch);
#define CAIRN_COUNTS_NO_ROW UINT64_MAX
/* counts_tree.c: chains of calls; `sources`: the rows of the profile's sources, CAIRN_COUNTS_NO_ROW of one that failed. */
CAIRN_MUST_CHECK cairn_status cairn_counts_take_calls(struct cairn_counts_taker *taker,
                                                      const struct cairn_profiled *profile,
                                                      const uint64_t *sources);
CAIRN_MUST_CHECK cairn_status cairn_counts_take_pgo(struct cairn_counts *counts,
                                                    const struct cairn_pgo *pgo);
CAIRN_MUST_CHECK cairn_status cairn_counts_set(struct cairn_counts *counts,
                                               enum cairn_counts_flag flag);
CAIRN_MUST_CHECK cairn_status cairn_counts_increase(struct cairn_counts *counts,
                                                    enum cairn_counts_sum sum, uint64_t more);

/* The object that has an address under the selected place, as a reference, and the address in it. 0: there is no memory. */
CAIRN_MUST_CHECK cairn_status cairn_counts_locate(struct cairn_counts_taker *taker,
                                                  uint64_t address, uint64_t *object,
                                                  uint64_t *in_object);

#endif
