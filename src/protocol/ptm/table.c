/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM as a table. Its packets are decoded; what they mean for the flow is not. */
#include "protocol/ptm/ptm.h"

static bool is_p0(const struct cairn_config *config, unsigned element_kind)
{
    (void)config;
    (void)element_kind;
    return false; /* there are no elements */
}

const struct cairn_protocol cairn_ptm = {
    .id = CAIRN_PROTOCOL_PTM,
    .name = "PTM",
    .configure = cairn_ptm_configure,
    .describe_config = cairn_ptm_describe_config,
    .kinds = cairn_ptm_kind_names,
    .kind_count = CAIRN_PTM_KIND_COUNT,
    .describe_packet = cairn_ptm_describe_packet,
    .exception_name = cairn_ptm_exception_name,
    .is_p0 = is_p0,
    .find_sync = cairn_ptm_find_sync,
    .packets_new = cairn_ptm_parser_new,
    .packets_free = cairn_ptm_parser_free,
    .packets_run = cairn_ptm_parser_run,
    .packets_finish = cairn_ptm_parser_finish,
    .writer_new = cairn_ptm_writer_new,
    .writer_free = cairn_ptm_writer_free,
    .writer_write = cairn_ptm_writer_write,
};
