/* SPDX-License-Identifier: BSD-2-Clause */
/* What a packet says of itself, in one line. */
#ifndef CAIRN_TESTS_PROTOCOL_DESCRIBE_TEXT_H
#define CAIRN_TESTS_PROTOCOL_DESCRIBE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/packet.h>

/* "name=value ...": numbers as they are shown, in hex with 0x, flags as yes and no, "?" for what is not
 * known. Of a packet of this kind and these fields, at this offset. */
const char *describe_packet(const struct cairn_config *config, unsigned kind, uint64_t offset,
                            const struct cairn_packet_fields *fields);
const char *describe_config(const struct cairn_config *config);

#endif
