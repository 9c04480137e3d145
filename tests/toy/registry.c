/* SPDX-License-Identifier: BSD-2-Clause */
/* src/protocol/registry.c with the toy's line. */
#include "protocol/protocols.h"

CAIRN_PROTOCOL_DECLARE(cairn_toy)

#define LINE(protocol) &protocol,
const struct cairn_protocol *const cairn_protocols[] = {CAIRN_PROTOCOLS(LINE) /* and one more: */
                                                        LINE(cairn_toy)};
const size_t cairn_protocol_count = sizeof cairn_protocols / sizeof *cairn_protocols;
