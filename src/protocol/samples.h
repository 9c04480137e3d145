/* SPDX-License-Identifier: BSD-2-Clause */
/* A source whose bytes are samples of a trace port: ETMv1 and ETMv2 (IHI0014 chapters 5, 6 and 8), of
 * which no packet can be told without the pipeline status of its cycle and of those before it.
 *
 * Four bytes are one cycle of the trace port's clock, after (de)multiplexing, in the order of time:
 *
 *   byte 0     PIPESTAT[2:0] (ETMv1) or [3:0] (ETMv2); bits 7:4 are 0
 *   byte 1     flags, below; bits 7:3 are 0
 *   byte 2, 3  TRACEPKT[15:0], low byte first; pins that the port does not have are 0
 *
 * So that (offset / 4) is the cycle, and offsets, ledgers, windows and cuts mean what they mean for other
 * sources. The containers of capture/port/ write samples, the protocols read them, and trace unit models
 * write them again. */
#ifndef CAIRN_PROTOCOL_SAMPLES_H
#define CAIRN_PROTOCOL_SAMPLES_H

#include <stdint.h>

enum {
    CAIRN_SAMPLE_BYTES = 4,
    /* flags */
    CAIRN_SAMPLE_SYNC = 1 << 0,    /* TRACESYNC (ETMv1 only) */
    CAIRN_SAMPLE_TRIGGER = 1 << 1, /* the capture device marked its trigger here; a trigger of the
                                      trace unit's is in PIPESTAT (TR) */
    CAIRN_SAMPLE_LOST = 1 << 2, /* cycles are missing in front of this one (the device was full, was
                                      stopped, or could not tell the pins) */
};

struct cairn_sample {
    uint8_t pipestat;
    uint8_t flags;
    uint16_t packet;
};

static inline struct cairn_sample cairn_sample_load(const uint8_t bytes[CAIRN_SAMPLE_BYTES])
{
    return (struct cairn_sample){
        .pipestat = bytes[0],
        .flags = bytes[1],
        .packet = (uint16_t)(bytes[2] | bytes[3] << 8),
    };
}

static inline void cairn_sample_store(uint8_t bytes[CAIRN_SAMPLE_BYTES], struct cairn_sample sample)
{
    bytes[0] = sample.pipestat;
    bytes[1] = sample.flags;
    bytes[2] = (uint8_t)sample.packet;
    bytes[3] = (uint8_t)(sample.packet >> 8);
}

#endif
