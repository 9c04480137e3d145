/* SPDX-License-Identifier: BSD-2-Clause */
/* Which protocols this build decodes, in the words of the command line. */
#ifndef CAIRN_CLI_PROTOCOLS_H
#define CAIRN_CLI_PROTOCOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <cairn/packet.h>

#define CLI_PROTOCOLS_TEXT 160

/* "etmv4, ete, etmv3 or ptm": what --protocol takes. `flow`: those decoded to flow alone. */
void cli_protocols_choice(bool flow, char text[CLI_PROTOCOLS_TEXT]);

/* The protocol of such a word, in any case; CAIRN_PROTOCOL_UNKNOWN for any other. */
enum cairn_protocol_id cli_protocols_find(bool flow, const char *word);

/* "this version decodes ETMv4 and ETE, and the packets of ETMv3 and PTM". */
void cli_protocols_sentence(char text[CLI_PROTOCOLS_TEXT]);

/* "ETMv3: packets are decoded, flow is not yet". */
void cli_protocols_packets_only(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT]);

#endif
