/* SPDX-License-Identifier: BSD-2-Clause */
/* What the type name and the registers of a trace unit say of its stream. */
#ifndef CAIRN_CAPTURE_TRACE_UNIT_H
#define CAIRN_CAPTURE_TRACE_UNIT_H

#include <cairn/capture.h>

/* "ETM4", "ETM4.1", "ETMv4", "ETE", "ETM3.5", "PTM1.0", "PFT1.1", "STM", "ITM" ... in any case;
 * CAIRN_PROTOCOL_UNKNOWN for any other name. */
enum cairn_protocol_id cairn_protocol_of_type(const char *type);

/* Room for the names of all protocols. */
#define CAIRN_PROTOCOL_LIST 256
/* Every name, in the registry's order, "ETMv4, ETE and MTB" with " and " for `last`: for a sentence
 * about one that is not known. */
void cairn_protocol_list(const char *last, char text[CAIRN_PROTOCOL_LIST]);

/* The type that an unknown one may be a slip for ("MTB" for "MTBB"); NULL: none is near. */
const char *cairn_protocol_near(const char *type);

/* What the protocols' witnesses among the registers say (TRCDEVARCH, ETMIDR ...); *witness is the
 * one that told, NULL with CAIRN_PROTOCOL_UNKNOWN when none does. */
enum cairn_protocol_id cairn_protocol_of_registers(const struct cairn_register *registers,
                                                   size_t count,
                                                   const struct cairn_register **witness);

/* "ETMv4", "ETE" ... for sentences. */
const char *cairn_protocol_word(enum cairn_protocol_id protocol);

/* NULL when there is no register of that name. */
const struct cairn_register *cairn_register_find(const struct cairn_register *registers,
                                                 size_t count, const char *name);

/* The register that holds the trace ID of a protocol ("TRCTRACEIDR", also where there is none), and
 * the ID, or -1. */
const char *cairn_trace_id_register(enum cairn_protocol_id protocol);
int cairn_trace_id_of(enum cairn_protocol_id protocol, const struct cairn_register *registers,
                      size_t count);

#endif
