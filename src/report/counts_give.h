/* SPDX-License-Identifier: BSD-2-Clause */
/* What answers are made of, out of counts: the files that were executed, found again, and what was counted of
 * them, as if a capture had just been decoded. */
#ifndef CAIRN_REPORT_COUNTS_GIVE_H
#define CAIRN_REPORT_COUNTS_GIVE_H

#include <cairn/capture.h>

#include "report/counts.h"
#include "report/counts_files.h"
#include "report/coverage.h"
#include "report/pgo.h"
#include "report/profile.h"

/* Zero it, set `counts`, which must be settled and live longer, and free it in the end. */
struct cairn_counts_given {
    const struct cairn_counts *counts;
    struct cairn_image *image; /* each object is there for a source of its own: the object's row */
    struct cairn_counts_file *files; /* of each object */
    size_t missing;                  /* files that are not here, */
    size_t first_missing;            /* and the first of them */
    uint32_t *unnamed; /* of each object its code without a symbol, once it was looked for */
};
void cairn_counts_given_free(struct cairn_counts_given *given);

/* Looks for the files: where they were, by the options, and among `files`. */
CAIRN_MUST_CHECK cairn_status cairn_counts_find(struct cairn_counts_given *given,
                                                const struct cairn_capture_options *options,
                                                const char *const *files, size_t file_count,
                                                struct cairn_error *error);

/* Begins a profile with all of it, to be finished. CAIRN_E_FORMAT: the counts do not hold together. */
CAIRN_MUST_CHECK cairn_status cairn_counts_give_profile(struct cairn_counts_given *given,
                                                        struct cairn_profiled *profile);
/* What the ledger of a source was. */
void cairn_counts_ledger(const struct cairn_counts *counts, size_t source,
                         struct cairn_ledger *ledger);
CAIRN_MUST_CHECK cairn_status
cairn_counts_give_coverage(struct cairn_counts_given *given, struct cairn_coverage *coverage,
                           uint64_t (*lost_bytes)(const struct cairn_ledger *ledger));
/* CAIRN_E_UNSUPPORTED: several builds without a build-id have one path. */
CAIRN_MUST_CHECK cairn_status cairn_counts_give_pgo(const struct cairn_counts_given *given,
                                                    struct cairn_pgo *pgo);

/* --- between the files --- */

CAIRN_MUST_CHECK cairn_status cairn_counts_give_calls(struct cairn_counts_given *given,
                                                      struct cairn_profiled *profile);
/* The object that a row of binaries is: by its build-id, or where its file was; how many there are: none. */
size_t cairn_counts_object_of(const struct cairn_counts *counts, const uint64_t *binary);
/* What is added to an address in an object; 0 where it was loaded at several addresses. */
uint64_t cairn_counts_bias(const struct cairn_counts *counts, uint64_t object);
/* The function at an address in an object. */
uint32_t cairn_counts_function(struct cairn_counts_given *given, struct cairn_profiled *profile,
                               uint64_t object, uint64_t address);

#endif
