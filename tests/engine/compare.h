/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine beside the reference path, record for record, however it is fed. */
#ifndef CAIRN_TESTS_ENGINE_COMPARE_H
#define CAIRN_TESTS_ENGINE_COMPARE_H

#include "reference.h"

/* How the engine is made and fed. */
struct engine_way {
    uint32_t flags; /* CAIRN_ENGINE_... */
    uint32_t jobs;
    uint64_t table_bytes;
    size_t part;          /* bytes that a thread decodes ahead; 0: as usual */
    uint64_t table_limit; /* not 0: less than the engine's least, so that dictionaries end often */
    size_t units;         /* room of a batch: 64 at least */
    size_t events;        /* the same of its events */
    size_t records;       /* room of a batch of flow records; 1 at least */
    size_t cut;           /* bytes a call; 0: all at once */
    bool append;          /* the batch is emptied only when it has no room left */
    uint64_t random;      /* not 0: each call gets 0 .. 2 * cut bytes, drawn from here */
    bool scanned; /* by the reader over the scan (protocol/words_of_scan.h), if there is one */
};

/* True when the engine gives what the reference gave: records, ledger, and in counts mode events
 * and how often each block was executed with which outcome. Otherwise writes the first difference
 * to `report` (NULL: nowhere). */
bool engine_compare(const struct engine_case *input, const struct engine_reference *reference,
                    const struct engine_way *way, FILE *report);

/* The usual ways: every kind of feeding, batch, table and mode once. */
#define ENGINE_WAYS 16
struct engine_way engine_way(unsigned index, uint64_t seed);

/* Makes the reference, and tries the ways whose bit is set in `ways`. */
bool engine_compare_ways(const struct engine_case *input, uint32_t ways, uint64_t seed,
                         FILE *report);
#define ENGINE_ALL_WAYS ((UINT32_C(1) << ENGINE_WAYS) - 1)
/* The same ways in the bits above, whatever else the engine has for the protocol: by words of its
 * own reader, if it has one, or of its levels (protocol/words_of_levels.h), by turns. */
#define ENGINE_BY_WORDS(ways) ((uint32_t)(ways) << ENGINE_WAYS)

#endif
