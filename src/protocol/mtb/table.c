/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol as a table. Packets only: what is behind them is not set. */
#include "protocol/mtb/mtb.h"

const struct cairn_protocol cairn_mtb = {
    .id = CAIRN_PROTOCOL_MTB,
    .name = "MTB",
    .configure = cairn_mtb_configure,
    .describe_config = cairn_mtb_describe_config,
    .spans = cairn_mtb_spans,
    .kinds = cairn_mtb_kind_names,
    .kind_count = CAIRN_MTB_KIND_COUNT,
    .describe_packet = cairn_mtb_describe_packet,
    .packets_new = cairn_mtb_packets_new,
    .packets_free = cairn_mtb_packets_free,
    .packets_run = cairn_mtb_packets_run,
    .packets_finish = cairn_mtb_packets_finish,
    .writer_new = cairn_mtb_writer_new,
    .writer_free = cairn_mtb_writer_free,
    .writer_write = cairn_mtb_writer_write,
};
