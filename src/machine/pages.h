/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a program's memory, byte by byte: a hash of pages with a mask each. */
#ifndef CAIRN_MACHINE_PAGES_H
#define CAIRN_MACHINE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#define CAIRN_PAGE_BITS 12u
#define CAIRN_PAGE_BYTES (1u << CAIRN_PAGE_BITS)

/* Exception levels that may have other memory at the same addresses: as the trace tells them apart. */
enum cairn_pages_space {
    CAIRN_PAGES_ANY,
    CAIRN_PAGES_EL1, /* and EL0 */
    CAIRN_PAGES_EL3,
    CAIRN_PAGES_EL2,  /* in any security state */
    CAIRN_PAGES_EL2S, /* of snapshots alone, whose names of EL2 say the state: what EL2 has, again */
    CAIRN_PAGES_SPACES
};
/* As snapshots name it; NULL: any. */
const char *cairn_pages_space_name(uint32_t space);

struct cairn_page {
    uint64_t number; /* address >> CAIRN_PAGE_BITS */
    uint64_t order;  /* how many were there before it */
    uint64_t epoch;  /* of the newest change in it */
    uint8_t known[CAIRN_PAGE_BYTES / 8];
    uint8_t bytes[CAIRN_PAGE_BYTES];
};

struct cairn_pages {
    struct cairn_page **slots; /* open addressing */
    size_t slot_count, count;
    struct cairn_page *last; /* found last: code is local */
};

/* What a range is, compared with what is known of it. */
struct cairn_pages_answer {
    bool unknown;   /* at least one byte was not known */
    bool changed;   /* at least one byte was another */
    uint64_t epoch; /* the newest of its pages */
};

/* address + size must not exceed 2^64. */
struct cairn_pages_answer cairn_pages_compare(struct cairn_pages *pages, uint64_t address,
                                              const uint8_t *bytes, size_t size);

/* Makes the bytes known: those that are known already take the new value if `over` is set. The
 * pages' epoch becomes `epoch` where that is newer. */
enum cairn_pages_set { CAIRN_PAGES_KEEP = 0, CAIRN_PAGES_OVER = 1 };
CAIRN_MUST_CHECK cairn_status cairn_pages_set(struct cairn_pages *pages, uint64_t address,
                                              const uint8_t *bytes, size_t size,
                                              enum cairn_pages_set how, uint64_t epoch);

/* The pages in the order of their addresses; the caller frees the list, not the pages. NULL: memory
 * is out (never for no pages). */
struct cairn_page **cairn_pages_list(const struct cairn_pages *pages);

/* The page with that number; NULL: nothing of it is known. */
const struct cairn_page *cairn_pages_find(struct cairn_pages *pages, uint64_t number);

void cairn_pages_clear(struct cairn_pages *pages);

static inline bool cairn_page_knows(const struct cairn_page *page, unsigned at)
{
    return page->known[at / 8] >> at % 8 & 1;
}

#endif
