/* SPDX-License-Identifier: BSD-2-Clause */
/* Finishing a recording of a machine: its pages' versions, and where each source turned to which, made epochs. */
#ifndef CAIRN_MACHINE_TURNS_H
#define CAIRN_MACHINE_TURNS_H

#include "capture/snapshot/write.h"
#include "machine/journal.h"
#include "machine/memory.h"
#include "machine/pages.h"

struct cairn_turned;
struct cairn_turned_span;

struct cairn_turns {
    struct cairn_pages content;      /* version n at address n << CAIRN_PAGE_BITS */
    struct cairn_turned_span *spans; /* of version n; in the memory file */
    struct cairn_turned *turns;
    size_t turn_count, turn_capacity;
    bool secure_EL2;  /* what is of EL2 is told of its Secure state, too */
    size_t first_out; /* which turn is the first that there is no room for */
};

/* CAIRN_JOURNAL_VERSION_HAS: a version that pages begin with goes into `pages`. */
CAIRN_MUST_CHECK cairn_status cairn_turns_content(struct cairn_turns *turns,
                                                  struct cairn_pages pages[CAIRN_PAGES_SPACES],
                                                  const struct cairn_journal_record *record,
                                                  const uint8_t *payload);
/* CAIRN_JOURNAL_TURNED. */
CAIRN_MUST_CHECK cairn_status cairn_turns_take(struct cairn_turns *turns,
                                               const struct cairn_journal_record *record);
/* Writes the other versions, with what the page begins with where they are not known, and finds how many turns there is room for: of all sources, in the order in which they came. */
CAIRN_MUST_CHECK cairn_status cairn_turns_write(struct cairn_turns *turns,
                                                struct cairn_pages pages[CAIRN_PAGES_SPACES],
                                                struct cairn_memory_file *file,
                                                struct cairn_error *error);
/* The epochs of a source, of which `bytes` count, into its stream, whose epochs are to be freed. */
CAIRN_MUST_CHECK cairn_status cairn_turns_epochs(const struct cairn_turns *turns, uint32_t source,
                                                 uint64_t bytes,
                                                 struct cairn_snapshot_stream *stream);
void cairn_turns_clear(struct cairn_turns *turns);

#endif
