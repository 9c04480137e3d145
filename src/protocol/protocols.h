/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of protocols. Adding one is a folder and a line here. */
#ifndef CAIRN_PROTOCOL_PROTOCOLS_H
#define CAIRN_PROTOCOL_PROTOCOLS_H

#include "protocol/protocol.h"

#define CAIRN_PROTOCOLS(LINE)                                                                      \
    LINE(cairn_etmv4)                                                                              \
    LINE(cairn_ete)                                                                                \
    LINE(cairn_etmv3)                                                                              \
    LINE(cairn_ptm)                                                                                \
    LINE(cairn_stm)                                                                                \
    LINE(cairn_itm)                                                                                \
    LINE(cairn_mtb)                                                                                \
    LINE(cairn_etmv1)

/* One folder, two protocols: etmv4/. */
#define CAIRN_PROTOCOL_DECLARE(protocol) extern const struct cairn_protocol protocol;
CAIRN_PROTOCOLS(CAIRN_PROTOCOL_DECLARE)

/* The same as a table (registry.c, which nothing else is in: a program with a registry of its own
 * links that instead). */
extern const struct cairn_protocol *const cairn_protocols[];
extern const size_t cairn_protocol_count;

#endif
