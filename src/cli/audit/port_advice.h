/* SPDX-License-Identifier: BSD-2-Clause */
/* What to give for the wires of a trace port, so that they are read otherwise. */
#ifndef CLI_PORT_ADVICE_H
#define CLI_PORT_ADVICE_H

#include "capture/port/variant.h"

#define CLI_PORT_ADVICE 520u

/* "try --pins 'TRACEPKT[3]=D7,TRACEPKT[4]=D6'": of each wire that moves, or of TRACECLK if its other edge counts. What --pins says
 * now goes in front of it, as "...,", which is explained. Words, where there is no list that --pins would take and
 * that is as long as a sentence may be. */
void cli_port_advise_pins(const struct cairn_port_layout *layout,
                          const struct cairn_port_variant *variant, char advice[CLI_PORT_ADVICE]);

#endif
