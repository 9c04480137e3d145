/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol as a table. */
#include "protocol/etmv2/etmv2.h"
#include "protocol/words_of_levels.h"

/* What a Cancel may take back (IHI0014 6.7.1). */
static bool is_p0(const struct cairn_config *config, unsigned element_kind)
{
    (void)config;
    return element_kind == CAIRN_ELEMENT_ATOM;
}

const struct cairn_protocol cairn_etmv2 = {
    .about = &cairn_etmv2_about,
    .configure = cairn_etmv2_configure,
    .describe_config = cairn_etmv2_describe_config,
    .kinds = cairn_etmv2_kind_names,
    .kind_count = CAIRN_ETMV2_KIND_COUNT,
    .describe_packet = cairn_etmv2_describe_packet,
    .exception_name = cairn_etmv2_exception_name,
    .is_p0 = is_p0,
    .packets_new = cairn_etmv2_packets_new,
    .packets_free = cairn_etmv2_packets_free,
    .packets_run = cairn_etmv2_packets_run,
    .packets_finish = cairn_etmv2_packets_finish,
    .elements_new = cairn_etmv2_elements_new,
    .elements_free = cairn_etmv2_elements_free,
    .elements_run = cairn_etmv2_elements_run,
    .resolver_new = cairn_etmv2_resolver_new,
    .resolver_free = cairn_etmv2_resolver_free,
    .resolver_run = cairn_etmv2_resolver_run,
    .resolver_finish = cairn_etmv2_resolver_finish,
    CAIRN_WORDS_OF_LEVELS,
};
