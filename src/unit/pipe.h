/* SPDX-License-Identifier: BSD-2-Clause */
/* From elements to the sink: the encoder, the bytes that wait, and the FIFO of a trace unit whose
 * elements leave at once (none is speculative). */
#ifndef CAIRN_UNIT_PIPE_H
#define CAIRN_UNIT_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "protocol/protocol.h"
#include "unit/port.h"

#define CAIRN_PIPE_BUFFER 16384u /* bytes kept before the sink gets them */
#define CAIRN_PIPE_LEAST 64u     /* a FIFO of fewer bytes holds no waypoint */

struct cairn_unit_pipe {
    const struct cairn_protocol *protocol;
    void *encoder; /* NULL until the unit is enabled */
    struct cairn_encoder_out out;
    uint64_t drained;   /* bytes that left `out` */
    uint64_t delivered; /* of them, to the sink, or to nobody where there is none; with a port
                           see fifo_left */
    uint64_t elements;  /* put */
    cairn_status status;
    cairn_unit_sink *sink;
    void *sink_context;
    struct cairn_unit_taker taker; /* instead */
    cairn_unit_watch *watch;
    void *watch_context;
    uint32_t fifo_bytes; /* 0: it never overflows */
    uint32_t fifo_drain; /* bytes every 16 cycles */
    uint32_t fifo_carry; /* sixteenths of a byte */
    uint64_t fifo_left;  /* bytes that have left the FIFO; the others are in it. With a port:
                            that it took */
};

/* Takes sink, watch and FIFO out of the options. CAIRN_E_CONFIG, CAIRN_E_MEMORY. */
cairn_status cairn_unit_pipe_init(struct cairn_unit_pipe *pipe,
                                  const struct cairn_unit_options *options,
                                  struct cairn_error *error);
/* A new encoder: the unit is enabled, its registers are these. */
cairn_status cairn_unit_pipe_open(struct cairn_unit_pipe *pipe, struct cairn_config *config,
                                  uint32_t choices);
void cairn_unit_pipe_free(struct cairn_unit_pipe *pipe);

/* An element, on its way. An A-sync is CAIRN_ELEMENT_A_SYNC. */
void cairn_unit_pipe_put(struct cairn_unit_pipe *pipe, unsigned kind, uint16_t flags,
                         const struct cairn_element_data *data);
/* Completes packets. */
void cairn_unit_pipe_pack(struct cairn_unit_pipe *pipe);
/* Completes packets, and the sink gets all there is; the port is offered it. */
void cairn_unit_pipe_flush(struct cairn_unit_pipe *pipe);

static inline uint64_t cairn_unit_pipe_generated(const struct cairn_unit_pipe *pipe)
{
    return pipe->drained + pipe->out.size;
}

/* Bytes in the FIFO. */
static inline uint64_t cairn_unit_pipe_level(const struct cairn_unit_pipe *pipe)
{
    return cairn_unit_pipe_generated(pipe) - pipe->fifo_left;
}

/* Cycles pass, in which bytes leave the FIFO. */
void cairn_unit_pipe_cycles(struct cairn_unit_pipe *pipe, uint64_t cycles);
/* Time passes until all that was generated has left: the sink gets it. No time passes for a port,
 * which is offered it. */
void cairn_unit_pipe_drain(struct cairn_unit_pipe *pipe);
/* Whether there is room for the packets of one waypoint; a port may make some. */
bool cairn_unit_pipe_has_room(struct cairn_unit_pipe *pipe);
/* The same as the FIFO is. */
bool cairn_unit_pipe_lacks_room(const struct cairn_unit_pipe *pipe);
/* The PE waits until there is. False: a port takes nothing for too long. */
bool cairn_unit_pipe_wait(struct cairn_unit_pipe *pipe);
/* Whether all that was generated has left the FIFO, for a port that may take it now. */
bool cairn_unit_pipe_is_empty(struct cairn_unit_pipe *pipe);
/* Offers what waits, to the sink as well. */
void cairn_unit_pipe_offer(struct cairn_unit_pipe *pipe);
/* Bytes that neither sink nor port has got. */
uint64_t cairn_unit_pipe_pending(const struct cairn_unit_pipe *pipe);
/* Where in the stream that leaves the unit it is, packets being complete. */
static inline uint64_t cairn_unit_pipe_position(const struct cairn_unit_pipe *pipe)
{
    return pipe->taker.port ? cairn_unit_pipe_generated(pipe) : pipe->delivered;
}

#endif
