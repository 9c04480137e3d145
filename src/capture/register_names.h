/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the trace units' registers, so that a misspelt one is noticed. */
#ifndef CAIRN_CAPTURE_REGISTER_NAMES_H
#define CAIRN_CAPTURE_REGISTER_NAMES_H

#include <stdbool.h>

#include <cairn/packet.h>

/* False where the registers of a protocol are not known here, so that any name may be right. */
bool cairn_register_names_known(enum cairn_protocol_id protocol);
/* True when a trace unit of the protocol has a register of that name, in any case of letters. */
bool cairn_register_name_exists(enum cairn_protocol_id protocol, const char *name);
/* What may have been meant by a name that does not exist: one that a letter or two tell apart,
 * those that decoding needs before others; NULL when there is none. */
const char *cairn_register_name_near(enum cairn_protocol_id protocol, const char *name);
/* Names that so many letters tell apart are no slip (cairn_letters_apart). */
#define CAIRN_NAMES_FAR 3u
/* Those that decoding needs, for a sentence ("POSITION, MASTER, FLOW and BASE"). */
const char *cairn_register_names_needed(enum cairn_protocol_id protocol);

#endif
