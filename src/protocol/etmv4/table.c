/* SPDX-License-Identifier: BSD-2-Clause */
/* The two protocols of this folder as tables: the same rooms, a different name. */
#include "protocol/etmv4/etmv4.h"

const struct cairn_protocol cairn_etmv4 = {
    .id = CAIRN_PROTOCOL_ETMV4,
    .name = "ETMv4",
    .configure = cairn_etmv4_configure,
};
const struct cairn_protocol cairn_ete = {
    .id = CAIRN_PROTOCOL_ETE,
    .name = "ETE",
    .configure = cairn_etmv4_configure,
};
