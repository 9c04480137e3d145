/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/consumers.h"

#include <stdlib.h>

#include "base/sizes.h"

void cairn_consumers_free(struct cairn_consumers *consumers)
{
    free(consumers->list);
    *consumers = (struct cairn_consumers){0};
}

cairn_status cairn_consumers_add(struct cairn_consumers *consumers,
                                 const struct cairn_consumer *consumer)
{
    struct cairn_consumer given = {.size = sizeof given};

    if (!consumer)
        return CAIRN_E_ARGUMENT;
    cairn_status status = cairn_options_read(&given, sizeof given, consumer);
    if (status)
        return status;
    struct cairn_consumer *grown =
        realloc(consumers->list, (consumers->count + 1) * sizeof *consumers->list);
    if (!grown)
        return CAIRN_E_MEMORY;
    consumers->list = grown;
    consumers->list[consumers->count++] = given;
    return CAIRN_OK;
}

cairn_status cairn_consumers_begin(const struct cairn_consumers *consumers,
                                   struct cairn_config *config)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < consumers->count && !status; i++)
        if (consumers->list[i].begin)
            status = consumers->list[i].begin(consumers->list[i].context, config);
    return status;
}

cairn_status cairn_consumers_words(const struct cairn_consumers *consumers,
                                   const struct cairn_word_batch *batch)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < consumers->count && !status; i++)
        if (consumers->list[i].words)
            status = consumers->list[i].words(consumers->list[i].context, batch);
    return status;
}

cairn_status cairn_consumers_events(const struct cairn_consumers *consumers,
                                    const struct cairn_flow_batch *batch)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < consumers->count && !status && batch->count; i++)
        if (consumers->list[i].events)
            status = consumers->list[i].events(consumers->list[i].context, batch);
    return status;
}

bool cairn_consumers_want_counts(const struct cairn_consumers *consumers)
{
    for (size_t i = 0; i < consumers->count; i++)
        if (consumers->list[i].dictionary_ends)
            return true;
    return false;
}

cairn_status cairn_consumers_dictionary(const struct cairn_consumers *consumers,
                                        const struct cairn_dictionary *dictionary,
                                        struct cairn_tally *tally)
{
    cairn_status status = CAIRN_OK;

    const bool any = tally->known > 1; /* path 0 is none */

    cairn_tally_close(tally);
    for (size_t i = 0; i < consumers->count && !status && any; i++)
        if (consumers->list[i].dictionary_ends)
            status = consumers->list[i].dictionary_ends(consumers->list[i].context, dictionary,
                                                        tally->words, tally->known);
    cairn_tally_clear(tally);
    return status;
}

void cairn_consumers_end(struct cairn_consumers *consumers, const struct cairn_ledger *ledger,
                         cairn_status status)
{
    for (size_t i = 0; i < consumers->count && !consumers->ended; i++)
        if (consumers->list[i].end)
            consumers->list[i].end(consumers->list[i].context, ledger, status);
    consumers->ended = true;
}
