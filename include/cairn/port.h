/* SPDX-License-Identifier: BSD-2-Clause */
/* The pins of a trace port (IHI0014 chapter 8): writing what a trace unit wrote as waveforms, or as
 * OpenOCD's `etm dump`. cairn_capture_open reads both back (docs/trace-port.md). */
#ifndef CAIRN_PORT_H
#define CAIRN_PORT_H

#include <cairn/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a port is clocked (IHI0014 2.10). */
enum cairn_port_mode {
    CAIRN_PORT_MODE_DEFAULT = 0, /* NORMAL of ETMv1 and ETMv2, HALF_RATE of ETMv3 */
    CAIRN_PORT_MODE_NORMAL = 1,  /* rising edges */
    CAIRN_PORT_MODE_MULTIPLEXED =
        2, /* two signals a pin: one at the rising, one at the falling edge */
    CAIRN_PORT_MODE_DEMULTIPLEXED = 3,           /* two cycles at a rising edge: _B, and then _A */
    CAIRN_PORT_MODE_HALF_RATE = 4,               /* both edges */
    CAIRN_PORT_MODE_DEMULTIPLEXED_HALF_RATE = 5, /* two cycles at both edges */
    CAIRN_PORT_MODE_DYNAMIC = 6,                 /* ETMv3, on the chip: rising edges of its clock */
};

/* Zero it, then set `size`. */
struct cairn_vcd_options {
    size_t size; /* of this structure */
    /* Of the trace unit: "ETMv1" or "ETMv2", of which samples are written, 4 bytes a cycle: PIPESTAT;
     * TRACESYNC in bit 0 of the second byte; TRACEPKT in two bytes, the low one first. Or "ETMv3", of
     * which bytes are. */
    const char *type;
    enum cairn_port_mode mode;
    unsigned width; /* pins of TRACEPKT (4, 8, 16) or TRACEDATA (1, 2, 4, 8, 16, 24, 32) */
    /* Given what is to be written, in order; non-zero ends it with CAIRN_E_IO. */
    int (*write)(void *context, const void *bytes, size_t size);
    void *context;
    /* Not 0: each bit is a wire of its own, as some programs want it (sigrok before 0.6). */
    unsigned single_wires;
};

/* A value change dump (IEEE 1364) that is being written. */
struct cairn_vcd;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_vcd_new(const struct cairn_vcd_options *options,
                                                      struct cairn_vcd **vcd,
                                                      struct cairn_error *error);
CAIRN_API void cairn_vcd_free(struct cairn_vcd *vcd);

/* Samples, or bytes of an ETMv3, which wait until they fill the width of the port. CAIRN_E_ARGUMENT:
 * part of a sample, or bits of TRACEPKT above those that the port has; nothing of them is written. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_vcd_write(struct cairn_vcd *vcd, const void *bytes,
                                                        size_t size);
/* The trigger packet of an ETMv3, between two packets: behind Ignore packets, if need be, so that it is on
 * TRACEDATA[7:0], and with TRACECTL (7.8.1). */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_vcd_trigger(struct cairn_vcd *vcd);
/* Cycles without trace. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_vcd_idle(struct cairn_vcd *vcd, uint64_t cycles);
/* What still waits, filled up with Ignore packets, as with the Programming bit set (7.8.3), and the last
 * edge of the clock. Nothing may be written behind it. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_vcd_end(struct cairn_vcd *vcd);

/* OpenOCD's `etm dump` of ETMv1: its head, and a record of 12 bytes for each sample of 4. */
#define CAIRN_ETM_DUMP_HEAD 12
#define CAIRN_ETM_DUMP_RECORD 12
CAIRN_API void cairn_etm_dump_head(uint32_t status, uint32_t etmcr, uint32_t samples,
                                   uint8_t head[CAIRN_ETM_DUMP_HEAD]);
CAIRN_API void cairn_etm_dump_record(const uint8_t sample[4],
                                     uint8_t record[CAIRN_ETM_DUMP_RECORD]);

#ifdef __cplusplus
}
#endif
#endif
