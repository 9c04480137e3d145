/* SPDX-License-Identifier: BSD-2-Clause */
/* The two protocols of this folder as tables: the same rooms, a different name. The functions here
 * only give each decoder's own type back to a `void *`. */
#include "protocol/etmv4/etmv4.h"
#include "protocol/etmv4/words.h"
#include "protocol/framing.h"
#include "protocol/typed.h"

CAIRN_TYPED_LEVELS(cairn_etmv4)

static void elements_shorten(void *state)
{
    cairn_etmv4_elements_shorten(state);
}

static uint32_t elements_depth(const void *state)
{
    return cairn_etmv4_elements_depth(state);
}

static cairn_status scan_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv4_scan *scan = NULL;
    cairn_status status = cairn_etmv4_scan_new(config, &scan);
    *state = scan;
    return status;
}

static void scan_free(void *state)
{
    cairn_etmv4_scan_free(state);
}

static cairn_status scan_run(void *state, const uint8_t *data, size_t size, size_t *position,
                             struct cairn_scan_batch *batch)
{
    return cairn_etmv4_scan_run(state, data, size, position, batch);
}

static cairn_status scan_finish(void *state, struct cairn_scan_batch *batch)
{
    return cairn_etmv4_scan_finish(state, batch);
}

static void scan_amid(void *state, uint64_t offset)
{
    cairn_etmv4_scan_amid(state, offset);
}

static const struct cairn_scan_ledger *scan_ledger(const void *state)
{
    return cairn_etmv4_scan_ledger(state);
}

/* Nothing is speculative, and Cycle Counts have packets of their own. */
static bool reader_serves(const struct cairn_config *config)
{
    struct cairn_hot_table table = {0};
    struct cairn_hot_cycles cycles;

    return cairn_etmv4_hot_table(config, &table) &&
           (!cairn_etmv4_of(config)->cc_enabled || cairn_etmv4_hot_cycles(config, &cycles));
}

#define CAIRN_ETMV4_ROOMS                                                                          \
    .configure = cairn_etmv4_configure, .describe_config = cairn_etmv4_describe_config,            \
    .kinds = cairn_etmv4_kind_names, .kind_count = CAIRN_ETMV4_KIND_COUNT,                         \
    .describe_packet = cairn_etmv4_describe_packet, .exception_name = cairn_etmv4_exception_name,  \
    .is_p0 = cairn_etmv4_is_p0, .find_sync = cairn_etmv4_find_sync, CAIRN_TYPED_MEMBERS,           \
    .elements_depth = elements_depth, .elements_shorten = elements_shorten, .scan_new = scan_new,  \
    .scan_free = scan_free, .scan_run = scan_run, .scan_finish = scan_finish,                      \
    .scan_ledger = scan_ledger, .scan_amid = scan_amid, .packets_amid = cairn_framing_amid,        \
    .reader_serves = reader_serves, .reader_amid = cairn_etmv4_reader_amid,                        \
    .reader_new = cairn_etmv4_reader_new, .reader_free = cairn_etmv4_reader_free,                  \
    .reader_words = cairn_etmv4_reader_words, .reader_finish = cairn_etmv4_reader_finish,          \
    .reader_stand = cairn_etmv4_reader_stand, .reader_begin_at = cairn_etmv4_reader_begin_at,      \
    .reader_packets = cairn_etmv4_reader_packets

const struct cairn_protocol cairn_etmv4 = {
    .about = &cairn_etmv4_about,
    CAIRN_ETMV4_ROOMS,
};

const struct cairn_protocol cairn_ete = {
    .about = &cairn_ete_about,
    CAIRN_ETMV4_ROOMS,
};
