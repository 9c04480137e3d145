/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer's trace port: a FIFO of bytes, and the pins of one cycle after the other (IHI0014
 * 6.1 to 6.3, 6.5.1). It knows nothing of packets: groups of bytes go in, each with the status of its
 * cycle. */
#ifndef CAIRN_TESTS_ETMV2_PORT_H
#define CAIRN_TESTS_ETMV2_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Table 6-1. Where an instruction was executed, a bit each: PLACES packets, FAILED its condition. */
enum sw_status {
    SW_IE = 0,
    SW_DE = 1,
    SW_IN = 2,
    SW_DN = 3,
    SW_WT = 4,
    SW_DW = 5,
    SW_TR = 6,
    SW_TD = 7,
    SW_PTIE = 8,
    SW_PNIE = 12,
    SW_PLACES = 1,
    SW_FAILED = 2,
};

enum {
    SW_TFO_MAX = 95, /* Table 6-4: the largest value that a TFO can have */
    SW_FIFO = 256,
    SW_GAP = 0x6,
    SW_LONE_BYTE = 0x66, /* 6.2: on the upper eight of sixteen pins */
};

struct sw_port {
    unsigned pins;  /* 4, 8 or 16 */
    unsigned depth; /* of the FIFO, in bytes: at most SW_FIFO */
    /* Pins of which nothing is said have noise on them. 0: they are 0. */
    uint64_t noise;
    uint8_t fifo[SW_FIFO];
    unsigned head;
    unsigned count;
    bool half; /* four pins: the low nibble of the first byte is out */
    /* What is left of a TFO's value, in what the pins take in a cycle, and the gap nibble. */
    uint8_t due[3];
    unsigned due_count;
    uint8_t *samples; /* four bytes a cycle, as in src/protocol/samples.h */
    size_t size;
    size_t capacity;
    bool is_full; /* of samples: the run was too long for its buffer */
};

/* A cycle of status, which is not TR or TD: SW_WT is nothing at all, and shows as TD where the FIFO is
 * empty. counted: idle cycles count (6.11). The group's bytes are of the packets placed in this cycle;
 * the caller has seen to it that there is room. */
void sw_port_cycle(struct sw_port *port, enum sw_status status, bool is_trigger, bool is_counted,
                   const uint8_t *group, unsigned size);
/* A cycle of a TFO, of which the packet is placed. */
void sw_port_tfo(struct sw_port *port, bool is_trigger, const uint8_t *packet, unsigned size);

bool sw_port_has_room(const struct sw_port *port, unsigned size);
/* Whether a TFO can be output: the pins are not busy with another, and its value can be told. */
bool sw_port_takes_tfo(const struct sw_port *port, unsigned size);
/* TRACEPKT[7:0] of the TFO of a value. */
uint8_t sw_tfo_pins(unsigned value);

#endif
