/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace port shows in one cycle, as one number, and what a capture device does with it
 * (IHI0014 4.3, 4.4 and 7.8). */
#ifndef CAIRN_CAPTURE_PORT_CYCLE_H
#define CAIRN_CAPTURE_PORT_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/samples.h"

/* The signals that a port of this architecture has. */
enum cairn_port_kind {
    CAIRN_PORT_UNKNOWN = 0,
    CAIRN_PORT_V1 = 1, /* PIPESTAT[2:0], TRACESYNC, TRACEPKT */
    CAIRN_PORT_V2 = 2, /* PIPESTAT[3:0], TRACEPKT */
    CAIRN_PORT_V3 = 3, /* TRACECTL, TRACEDATA */
};

/* "ETMv1.2", "etm9", "ETMv3" ...; CAIRN_PORT_UNKNOWN for any other word, or NULL. */
enum cairn_port_kind cairn_port_kind_of_type(const char *type);
/* "ETMv1"; NULL of CAIRN_PORT_UNKNOWN. */
const char *cairn_port_type(enum cairn_port_kind kind);

/* Bits of a cycle. ETMv1 and ETMv2: */
#define CAIRN_PORT_PIPESTAT 0u
#define CAIRN_PORT_SYNC 4u
#define CAIRN_PORT_PACKET 8u
/* ETMv3: TRACEDATA[0] is bit 0. */
#define CAIRN_PORT_CTL 32u

#define CAIRN_PORT_PACKET_MAX 16u
#define CAIRN_PORT_DATA_MAX 32u

/* PIPESTAT, of both versions */
enum { CAIRN_PORT_TR = 6, CAIRN_PORT_TD = 7 };

/* Table 4-1 and what 4.4 says of ETMv1 and ETMv2. */
struct cairn_port_rule {
    bool store;   /* false: the cycle holds nothing */
    bool trigger; /* the trace unit's trigger */
};
struct cairn_port_rule cairn_port_rule(enum cairn_port_kind kind, uint64_t cycle);

/* The sample of a cycle of ETMv1 or ETMv2, and back. Flags other than TRACESYNC are no pins. */
struct cairn_sample cairn_port_sample(enum cairn_port_kind kind, uint64_t cycle);
uint64_t cairn_port_cycle(enum cairn_port_kind kind, struct cairn_sample sample);

/* Whether a port of the kind can have so many pins of TRACEPKT or TRACEDATA. */
bool cairn_port_has_width(enum cairn_port_kind kind, unsigned width);
/* The width that ETMCR says (Table 3-6); 0: none that a port of 32 pins or fewer has. */
unsigned cairn_port_width_of_etmcr(enum cairn_port_kind kind, uint64_t etmcr);
/* The bits of ETMCR that say so; 0 also for widths that have no code. */
uint32_t cairn_port_etmcr_of_width(enum cairn_port_kind kind, unsigned width);

#endif
