/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocols of this build: a line each. */
#include "protocol/protocols.h"

#define LINE(protocol) &protocol,
const struct cairn_protocol *const cairn_protocols[] = {CAIRN_PROTOCOLS(LINE)};
const size_t cairn_protocol_count = sizeof cairn_protocols / sizeof *cairn_protocols;
