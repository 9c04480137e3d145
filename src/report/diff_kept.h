/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a thread, packed: about two bits a block. A program goes from a block to few others, so that a list of
 * those, which only grows, makes of what comes next a small number; its chain of calls follows from the one before. */
#ifndef CAIRN_REPORT_DIFF_KEPT_H
#define CAIRN_REPORT_DIFF_KEPT_H

#include "report/diff.h"

/* Of a page, which is unpacked without the ones in front of it. */
#define CAIRN_DIFF_PAGE_BYTES 512u
/* No token takes less than a bit. */
#define CAIRN_DIFF_PAGE_TOKENS (CAIRN_DIFF_PAGE_BYTES * 8)

/* A place in the tokens of a thread, and what is there. */
struct cairn_diff_cursor {
    const struct cairn_diff *diff;
    const struct cairn_diff_thread *thread;
    size_t position; /* of the token that is read next */
    size_t page;
    uint32_t bit;
    uint32_t token, chain; /* that was read last */
};

void cairn_diff_seek(struct cairn_diff_cursor *cursor, const struct cairn_diff *diff,
                     const struct cairn_diff_thread *thread, size_t position);
/* Reads the next token; false: there is none. */
bool cairn_diff_read(struct cairn_diff_cursor *cursor);

/* A token of a thread and its chain of calls, wherever it is; GAP: there is none. */
uint32_t cairn_diff_token(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                          size_t position, uint32_t *chain);

/* Marks in their order. All zero, but for the thread: in front of the first one. */
struct cairn_diff_marks {
    const struct cairn_diff_thread *thread;
    size_t page;
    uint32_t byte;
    struct cairn_diff_mark mark; /* that was read last */
    uint64_t timestamp;          /* the last one */
};
bool cairn_diff_next_mark(struct cairn_diff_marks *marks);
/* The last mark of a kind that stands in front of a token, or of what comes before it. */
bool cairn_diff_find_mark(const struct cairn_diff_thread *thread, uint32_t kind, size_t token,
                          bool before_too, struct cairn_diff_mark *mark);

/* A page more, for whoever packs; none, and the run is full, where there is no more room. */
CAIRN_MUST_CHECK cairn_status cairn_diff_add_page(struct cairn_diff_run *run,
                                                  struct cairn_diff_pages *pages,
                                                  struct cairn_diff_page page);
void cairn_diff_free_pages(struct cairn_diff_pages *pages);

#endif
