/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol as a table. */
#include "protocol/etmv1/etmv1.h"
#include "protocol/pass_on.h"
#include "protocol/words_of_levels.h"

const struct cairn_protocol cairn_etmv1 = {
    .about = &cairn_etmv1_about,
    .configure = cairn_etmv1_configure,
    .describe_config = cairn_etmv1_describe_config,
    .kinds = cairn_etmv1_kind_names,
    .kind_count = CAIRN_ETMV1_KIND_COUNT,
    .describe_packet = cairn_etmv1_describe_packet,
    .exception_name = cairn_etmv1_exception_name,
    .packets_new = cairn_etmv1_packets_new,
    .packets_free = cairn_etmv1_packets_free,
    .packets_run = cairn_etmv1_packets_run,
    .packets_finish = cairn_etmv1_packets_finish,
    .elements_new = cairn_etmv1_elements_new,
    .elements_free = cairn_etmv1_elements_free,
    .elements_run = cairn_etmv1_elements_run,
    CAIRN_PASS_ON,
    .pins_new = cairn_etmv1_pins_new,
    .pins_free = cairn_etmv1_pins_free,
    .pins_need = cairn_etmv1_pins_need,
    .pins_take = cairn_etmv1_pins_take,
    .pins_give = cairn_etmv1_pins_give,
    .pins_end = cairn_etmv1_pins_end,
    CAIRN_WORDS_OF_LEVELS,
};
