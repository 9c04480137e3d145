/* SPDX-License-Identifier: BSD-2-Clause */
/* A program at EL0, and a driver at EL1 that collects its trace from two halves of a buffer: when a timer or the
 * buffer's interrupt, after its latency, has it do so, it changes halves, and what is in the other one is copied away
 * while the program goes on, so many bytes a block. Another PE beside it does the same with a plain sink. */
#ifndef PE_WHOLE_COLLECTOR_H
#define PE_WHOLE_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/pe.h>

enum {
    COLLECTOR_HALF = 4096,
    COLLECTOR_STREAM = 1 << 17,
    COLLECTOR_BLOCKS = 4000,
    COLLECTOR_PLACES = 1 << 12, /* of blocks in the program */
};

#define COLLECTOR_BASE UINT64_C(0x80000000)
#define COLLECTOR_CODE UINT64_C(0x10000)
#define COLLECTOR_NEVER UINT32_MAX

enum collector_method {
    COLLECTOR_FILL, /* Fill mode; the interrupt comes when it is full, and nothing is collected then */
    COLLECTOR_WRAP,    /* Wrap mode, begun so that it wraps at the watermark (DDI0608 G3.2, 1) */
    COLLECTOR_TRIGGER, /* Fill mode, with a Trigger Event at the watermark (G3.2, 2) */
    COLLECTOR_CIRCULAR,
    COLLECTOR_METHODS,
};

struct collector_plan {
    enum collector_method method;
    enum cairn_pe_order order;
    uint32_t period;    /* blocks between two ticks of the timer, or COLLECTOR_NEVER */
    uint32_t latency;   /* blocks from TRBIRQ to the driver */
    uint32_t rate;      /* bytes that are copied while a block is executed, at least 1 */
    uint32_t watermark; /* bytes; of WRAP and TRIGGER */
};

struct collector {
    struct collector_plan plan;
    struct cairn_pe *pe, *plain;
    uint64_t draws;
    uint32_t now;  /* blocks that were executed */
    uint32_t due;  /* block at which the interrupt arrives, or COLLECTOR_NEVER */
    uint64_t next; /* address */
    uint64_t executed[COLLECTOR_BLOCKS];
    /* the buffer, and what was written to it since it was switched on */
    uint8_t memory[2 * COLLECTOR_HALF];
    uint32_t half;
    size_t written;
    size_t raised; /* that much was, when TRBIRQ became high; SIZE_MAX: it did not */
    /* what the driver knows, by registers and counters alone */
    uint64_t wraps, generated; /* TRB_WRAP, and bytes of the trace unit, before the session */
    struct {
        uint32_t base, at, left; /* oldest byte first; it may come round once */
    } piece;
    uint8_t taken[COLLECTOR_STREAM];
    size_t taken_size;
    uint64_t lost; /* as it tells */
    /* what is to be expected, by sizes and the clock */
    uint8_t stream[COLLECTOR_STREAM]; /* of the plain sink */
    size_t stream_size;
    size_t seen; /* of it, up to the last change of halves */
    struct {
        size_t from, size;
        uint32_t since;
    } last; /* piece of it that is being copied */
    uint8_t wanted[COLLECTOR_STREAM];
    size_t wanted_size;
    uint64_t missing;
    uint32_t changes; /* of halves */
};

/* Runs so many blocks. Fails the test where a register says anything else than what happened. */
void collector_run(struct collector *collector, const struct collector_plan *plan, uint64_t seed,
                   uint32_t blocks);
/* What was taken, decoded, is what was executed. */
void collector_assert_flow(const struct collector *collector);
void collector_end(struct collector *collector);

#endif
