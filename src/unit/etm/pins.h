/* SPDX-License-Identifier: BSD-2-Clause */
/* What the trace ports of ETMv1 and ETMv2 have in common: a FIFO of bytes and pins, of which one sample
 * (protocol/samples.h) a cycle of the core is written (IHI0014 4.4, 5.1, 6.1). What a cycle shows is the
 * matter of each: unit/etmv1/port.h, unit/etmv2/port.h.
 *
 * Written is what a capture device keeps (4.4.2): all cycles but those with TD whose TRACEPKT[0] is 0. */
#ifndef CAIRN_UNIT_ETM_PINS_H
#define CAIRN_UNIT_ETM_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/samples.h"

#define CAIRN_ETM_PINS_FIFO 256u
#define CAIRN_ETM_PINS_SAMPLES 4096u                 /* kept before the sink gets them */
#define CAIRN_ETM_PINS_IDLE_MOST (UINT64_C(1) << 20) /* cycles with TD in a row that are written */
#define CAIRN_ETM_PINS_NARROW 4u
#define CAIRN_ETM_PINS_WIDE 16u

struct cairn_etm_pins {
    /* the FIFO */
    uint8_t bytes[CAIRN_ETM_PINS_FIFO];
    uint32_t head, count;
    uint32_t depth;
    /* the pins */
    uint8_t width;    /* of TRACEPKT: 4, 8 or 16 */
    bool high_nibble; /* of the oldest byte is to come: 4 pins */
    bool triggers;    /* the next cycle shows TR */
    bool lost;        /* cycles are missing in front of the next sample */
    uint64_t clock;   /* cycles */
    /* where samples go */
    cairn_unit_sink *sink;
    void *sink_context;
    cairn_status status;
    uint64_t delivered; /* bytes */
    size_t size;
    uint8_t samples[CAIRN_ETM_PINS_SAMPLES * CAIRN_SAMPLE_BYTES];
};

/* Time: at its end it stands still. */
static inline uint64_t cairn_etm_pins_later(uint64_t clock, uint64_t cycles)
{
    return cycles > UINT64_MAX - clock ? UINT64_MAX : clock + cycles;
}

static inline uint32_t cairn_etm_pins_room(const struct cairn_etm_pins *port)
{
    return port->depth - port->count;
}

/* Where the byte is that comes out behind `n` others. */
static inline uint32_t cairn_etm_pins_slot(const struct cairn_etm_pins *port, uint32_t n)
{
    return (port->head + n) % CAIRN_ETM_PINS_FIFO;
}

static inline uint64_t cairn_etm_pins_generated(const struct cairn_etm_pins *port)
{
    return port->delivered + port->size;
}

/* Bytes into the FIFO; there is room for them. */
void cairn_etm_pins_push(struct cairn_etm_pins *pins, const uint8_t *bytes, size_t size);
/* The oldest byte. */
uint8_t cairn_etm_pins_pop(struct cairn_etm_pins *pins);
/* The oldest byte, or with 4 pins a half of it, the low one first. */
unsigned cairn_etm_pins_take(struct cairn_etm_pins *pins);
/* The sample of a cycle. `flags`: CAIRN_SAMPLE_... */
void cairn_etm_pins_put(struct cairn_etm_pins *pins, unsigned pipestat, unsigned packet,
                        unsigned flags);
/* So many cycles pass in which nothing happens. A feed may pass any time in one call: what is written
 * of it has a bound, and what is left out is said. Returns how many are to be written, the others are
 * over. `counted`: each has a sample. */
uint64_t cairn_etm_pins_idle(struct cairn_etm_pins *pins, uint64_t cycles, bool counted);
/* The sink gets all samples. */
void cairn_etm_pins_deliver(struct cairn_etm_pins *pins);

#endif
