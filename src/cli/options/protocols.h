/* SPDX-License-Identifier: BSD-2-Clause */
/* Which protocols this build decodes, in the words of the command line. */
#ifndef CAIRN_CLI_OPTIONS_PROTOCOLS_H
#define CAIRN_CLI_OPTIONS_PROTOCOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <cairn/packet.h>

#include "protocol/about.h"

#define CLI_PROTOCOLS_TEXT 160

/* "etmv4, ete, etmv3 or ptm": what --protocol takes. `records`: of `cairn record`. */
void cli_protocols_choice(bool records, char text[CLI_PROTOCOLS_TEXT]);

/* "etmv4 ete etmv3 ptm": the same for machines. */
void cli_protocols_words(bool records, char text[CLI_PROTOCOLS_TEXT]);

/* "etmv4": one of them. */
void cli_protocols_word(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT]);

/* The protocol of such a word, in any case; CAIRN_PROTOCOL_UNKNOWN for any other. */
enum cairn_protocol_id cli_protocols_find(bool records, const char *word);

/* The first protocol that is recorded with that trait (CAIRN_RECORD_DEFAULT). */
enum cairn_protocol_id cli_protocols_recorded(enum cairn_record_trait trait);

/* "this version decodes ETMv4 and ETE, and the packets of ETMv3 and PTM". */
void cli_protocols_sentence(char text[CLI_PROTOCOLS_TEXT]);

/* "ETMv3: packets are decoded, flow is not yet". */
void cli_protocols_packets_only(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT]);

#endif
