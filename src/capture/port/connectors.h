/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals of a trace port by their names, and the pins of the connectors that carry them (IHI0014
 * chapter 8, Tables 8-2 to 8-9), as data. */
#ifndef CAIRN_CAPTURE_PORT_CONNECTORS_H
#define CAIRN_CAPTURE_PORT_CONNECTORS_H

#include "capture/port/modes.h"

/* Every signal, and every pin of two connectors, has a number. */
enum cairn_port_signal {
    CAIRN_PORT_SIGNAL_PIPESTAT = 0,
    CAIRN_PORT_SIGNAL_SYNC = 4,
    CAIRN_PORT_SIGNAL_PACKET = 5,
    CAIRN_PORT_SIGNAL_CLOCK = 21,
    CAIRN_PORT_SIGNAL_CTL = 22,
    CAIRN_PORT_SIGNAL_DATA = 23,
    CAIRN_PORT_SIGNAL_COUNT = 55,
};
/* Which of two: "TRACECLK", "TRACECLK_A", "TRACECLK_B". */
enum cairn_port_half { CAIRN_PORT_WHOLE = 0, CAIRN_PORT_A = 1, CAIRN_PORT_B = 2 };
#define CAIRN_PORT_HALVES 3u
#define CAIRN_PORT_PINS 38u /* 1 to 38 */
#define CAIRN_PORT_SLOT_PINS (CAIRN_PORT_HALVES * CAIRN_PORT_SIGNAL_COUNT)
#define CAIRN_PORT_SLOTS (CAIRN_PORT_SLOT_PINS + 2 * (CAIRN_PORT_PINS + 1))

static inline unsigned cairn_port_slot(enum cairn_port_half half, unsigned signal)
{
    return (unsigned)half * CAIRN_PORT_SIGNAL_COUNT + signal;
}

/* connector 0 or 1 */
static inline unsigned cairn_port_slot_of_pin(unsigned connector, unsigned pin)
{
    return CAIRN_PORT_SLOT_PINS + connector * (CAIRN_PORT_PINS + 1) + pin;
}

/* What a name is: "tracedata[3]", "PIPESTAT0", "TRACE_PKT_A", "pin 38", "b37". */
struct cairn_port_named {
    unsigned slot;
    unsigned bits; /* that follow from it, where the name has no index of its own */
};
/* False: of no signal. Letters may be in any case, and _ between them. */
bool cairn_port_named(const char *name, struct cairn_port_named *named);
/* "TRACEPKT[3]", "pin 38", "TRACECLK_A". */
#define CAIRN_PORT_SLOT_TEXT 32
void cairn_port_slot_text(unsigned slot, char text[CAIRN_PORT_SLOT_TEXT]);

/* Which wires of a file are the port's. */
enum cairn_port_map {
    CAIRN_PORT_MAP_NAMES = 0, /* those with the signals' names */
    CAIRN_PORT_MAP_NAMES_A,   /* of the first of two ports */
    CAIRN_PORT_MAP_NAMES_B,
    CAIRN_PORT_MAP_MICTOR, /* the pins of Table 8-3, of 8-5, 8-7 and 8-9 where the mode wants it */
    CAIRN_PORT_MAP_MICTOR_A, /* Table 8-6: the first of two ports */
    CAIRN_PORT_MAP_MICTOR_B,
    CAIRN_PORT_MAP_COUNT,
};
/* What --pins takes: "mictor38" ... */
const char *cairn_port_map_name(enum cairn_port_map map);

/* A signal of the port: what `bit` of a cycle is, sampled at `edge` of those that a sample takes. */
struct cairn_port_wire {
    uint8_t bit;
    uint8_t edge; /* 0; 1: the falling one */
    uint8_t half; /* enum cairn_port_half: of two cycles in one sample _B is the earlier */
};
/* All signals of a port: how many of them. ETMv1 and ETMv2 have up to 20, demultiplexed 40, and
 * ETMv3 33, TRACECTL last. */
#define CAIRN_PORT_WIRES 40u
size_t cairn_port_wires(enum cairn_port_kind kind, const struct cairn_port_clocking *clocking,
                        unsigned width, struct cairn_port_wire wires[CAIRN_PORT_WIRES]);

/* Where a wire is found; 0: the map has no pin for it. Slot 0 is PIPESTAT[0], which the map of names
 * answers with as well. */
#define CAIRN_PORT_NO_SLOT UINT32_MAX
unsigned cairn_port_wire_slot(enum cairn_port_map map, enum cairn_port_kind kind,
                              const struct cairn_port_clocking *clocking, unsigned width,
                              const struct cairn_port_wire *wire);
unsigned cairn_port_clock_slot(enum cairn_port_map map);
/* The slot of the signal itself, by its name. */
unsigned cairn_port_wire_signal(enum cairn_port_kind kind, const struct cairn_port_wire *wire);

/* Table 8-2: what trace signal 1 to 20 is. */
#define CAIRN_PORT_TRACE_SIGNALS 20u
enum { CAIRN_PORT_LOGIC_0 = 64, CAIRN_PORT_LOGIC_1 = 65 };
/* The bit of a cycle, or a level that never changes. */
unsigned cairn_port_trace_signal(enum cairn_port_kind kind, unsigned number);

/* Table 8-5: the same of a pin of an ETMv3's second connector; CAIRN_PORT_NO_SLOT: no trace signal. */
unsigned cairn_port_second_pin(unsigned pin);

/* What is on a pin of the single connector that is no trace signal (Table 8-3); NULL: a trace signal. */
const char *cairn_port_other_pin(unsigned pin);

#endif
