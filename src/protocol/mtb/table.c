/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol as a table. */
#include "protocol/mtb/mtb.h"
#include "protocol/pass_on.h"
#include "protocol/words_of_levels.h"

const struct cairn_protocol cairn_mtb = {
    .about = &cairn_mtb_about,
    .configure = cairn_mtb_configure,
    .describe_config = cairn_mtb_describe_config,
    .spans = cairn_mtb_spans,
    .kinds = cairn_mtb_kind_names,
    .kind_count = CAIRN_MTB_KIND_COUNT,
    .describe_packet = cairn_mtb_describe_packet,
    .exception_name = cairn_mtb_exception_name,
    .packets_new = cairn_mtb_packets_new,
    .packets_free = cairn_mtb_packets_free,
    .packets_run = cairn_mtb_packets_run,
    .packets_finish = cairn_mtb_packets_finish,
    .elements_new = cairn_mtb_elements_new,
    .elements_free = cairn_mtb_elements_free,
    .elements_run = cairn_mtb_elements_run,
    CAIRN_PASS_ON,
    .writer_new = cairn_mtb_writer_new,
    .writer_free = cairn_mtb_writer_free,
    .writer_write = cairn_mtb_writer_write,
    CAIRN_WORDS_OF_LEVELS,
};
