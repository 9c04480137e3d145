/* SPDX-License-Identifier: BSD-2-Clause */
/* All chosen sources of a capture through the engine, one after the other, for a consumer that puts
 * them together. */
#ifndef CAIRN_CLI_ANSWERS_SOURCES_H
#define CAIRN_CLI_ANSWERS_SOURCES_H

#include <cairn/pipeline.h>

#include "cli/session/session.h"

struct cli_sources {
    struct cli_session *session;
    void *context;
    bool exact_places; /* the packet of each event is wanted */
    bool all_threads;  /* threads that are not chosen are told, too */
    /* Adds consumers, and takes them away when the source has ended. The information is the capture's. */
    cairn_status (*begin)(void *context, const struct cairn_source_info *info,
                          struct cairn_image *image, struct cairn_pipeline *pipeline);
    cairn_status (*end)(void *context, const struct cairn_source_info *info,
                        const struct cairn_ledger *ledger);
    bool wants_records;                 /* no counts instead of records, and each record's packet */
    cairn_status status;                /* of the source that ends */
    size_t decoded, with_gaps, refused; /* sources */
    uint64_t lost_bytes;                /* of trace that gave no flow */
    struct cairn_source_info *infos;    /* owned */
};

/* CLI_CLEAN, CLI_GAPS or CLI_UNUSABLE; after Ctrl-C what was decoded until then is there. Tells what goes
 * wrong. */
enum cli_exit cli_sources_run(struct cli_sources *sources);
void cli_sources_free(struct cli_sources *sources);

#endif
