/* SPDX-License-Identifier: BSD-2-Clause */
/* Address and context payloads, which many packets share (DDI0608 D5.47 to D5.59, D9.2.14). */
#ifndef CAIRN_ETMV4_ADDRESS_H
#define CAIRN_ETMV4_ADDRESS_H

#include "protocol/etmv4/cursor.h"
#include "protocol/etmv4/payload.h"

/* The forms of address payload; the sub_isa is part of each (DDI0608 D5.47 to D5.53). */
enum cairn_etmv4_form {
    CAIRN_ETMV4_FORM_NONE,
    CAIRN_ETMV4_FORM_EXACT,
    CAIRN_ETMV4_FORM_SHORT,
    CAIRN_ETMV4_FORM_32,
    CAIRN_ETMV4_FORM_64
};

struct cairn_etmv4_address_form {
    enum cairn_etmv4_form form;
    uint8_t sub_isa;
    uint8_t with_context;
};

/* The address payload that a packet kind begins with; FORM_NONE for none. */
struct cairn_etmv4_address_form cairn_etmv4_form_of(unsigned kind);

/* Reads an address of this form into fields; `header` names the entry of an exact match. False: what the entry
 * is was lost. */
bool cairn_etmv4_read_address(struct cairn_etmv4_cursor *in, const struct cairn_etmv4_state *state,
                              struct cairn_etmv4_address_form form, unsigned header,
                              struct cairn_packet_fields *fields);

/* Puts an address at the front of the history. */
void cairn_etmv4_push(struct cairn_etmv4_state *state, uint64_t address, uint8_t sub_isa);

/* Reads a context information byte and its identifiers into the state. */
void cairn_etmv4_read_context(struct cairn_etmv4_cursor *in,
                              const struct cairn_etmv4_config *config,
                              struct cairn_etmv4_state *state, struct cairn_packet_fields *fields);

#endif
