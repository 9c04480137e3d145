/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements that leave a trace unit: packets, the buffer, the FIFO. */
#include "unit/pipe.h"

#include <stdlib.h>

#include "base/error.h"

cairn_status cairn_unit_pipe_init(struct cairn_unit_pipe *pipe,
                                  const struct cairn_unit_options *options,
                                  struct cairn_error *error)
{
    if (options->fifo_bytes != 0 && options->fifo_bytes < CAIRN_PIPE_LEAST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "a trace unit's buffer has at least %u bytes, not %u", CAIRN_PIPE_LEAST,
                          options->fifo_bytes);
    pipe->out.bytes = malloc(CAIRN_PIPE_BUFFER);
    if (!pipe->out.bytes)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for a trace unit");
    pipe->out.capacity = CAIRN_PIPE_BUFFER;
    pipe->sink = options->sink;
    pipe->sink_context = options->sink_context;
    pipe->taker.port = options->port;
    pipe->taker.context = options->port_context;
    pipe->watch = options->watch;
    pipe->watch_context = options->watch_context;
    pipe->fifo_bytes = options->fifo_bytes;
    pipe->fifo_drain = options->fifo_drain;
    return CAIRN_OK;
}

cairn_status cairn_unit_pipe_open(struct cairn_unit_pipe *pipe, struct cairn_config *config,
                                  uint32_t choices)
{
    void *encoder = NULL;
    const cairn_status status = config->protocol->encoder_new(config, choices, &encoder);

    if (status != CAIRN_OK)
        return status;
    if (pipe->encoder)
        pipe->protocol->encoder_free(pipe->encoder);
    pipe->protocol = config->protocol;
    pipe->encoder = encoder;
    if (!pipe->taker.port)
        pipe->fifo_left = cairn_unit_pipe_generated(pipe);
    pipe->fifo_carry = 0;
    return CAIRN_OK;
}

void cairn_unit_pipe_free(struct cairn_unit_pipe *pipe)
{
    if (pipe->encoder)
        pipe->protocol->encoder_free(pipe->encoder);
    free(pipe->out.bytes);
}

/* `out` is from `drained` on, what waits for the port from `fifo_left` on. */
static void offer(struct cairn_unit_pipe *pipe, uint64_t cycles)
{
    const size_t taken = (size_t)(pipe->fifo_left - pipe->drained);

    pipe->fifo_left += cairn_unit_taker_offer(&pipe->taker, pipe->out.bytes + taken,
                                              pipe->out.size - taken, cycles, &pipe->status);
    if (pipe->fifo_left < cairn_unit_pipe_generated(pipe))
        return;
    pipe->drained = pipe->fifo_left;
    pipe->out.size = 0;
}

static void drain(struct cairn_unit_pipe *pipe)
{
    if (pipe->taker.port) {
        offer(pipe, 0);
        return;
    }
    if (pipe->out.size == 0)
        return;
    if (pipe->sink && pipe->status == CAIRN_OK)
        pipe->status = pipe->sink(pipe->sink_context, pipe->out.bytes, pipe->out.size);
    if (pipe->status == CAIRN_OK)
        pipe->delivered += pipe->out.size;
    pipe->drained += pipe->out.size;
    pipe->out.size = 0;
}

static void make_space(struct cairn_unit_pipe *pipe)
{
    if (pipe->out.capacity - pipe->out.size >= CAIRN_ENCODER_ROOM)
        return;
    if (!pipe->taker.port) {
        drain(pipe);
        return;
    }
    pipe->drained += cairn_unit_taker_make_space(
        &pipe->out, (size_t)(pipe->fifo_left - pipe->drained), &pipe->status);
    if (pipe->fifo_left < pipe->drained)
        pipe->fifo_left = pipe->drained;
}

void cairn_unit_pipe_put(struct cairn_unit_pipe *pipe, unsigned kind, uint16_t flags,
                         const struct cairn_element_data *data)
{
    if (pipe->watch)
        pipe->watch(pipe->watch_context, kind, flags, data);
    pipe->elements++;
    make_space(pipe);
    pipe->protocol->encoder_put(pipe->encoder, kind, flags, data, &pipe->out);
}

void cairn_unit_pipe_pack(struct cairn_unit_pipe *pipe)
{
    make_space(pipe);
    pipe->protocol->encoder_flush(pipe->encoder, &pipe->out);
}

void cairn_unit_pipe_flush(struct cairn_unit_pipe *pipe)
{
    cairn_unit_pipe_pack(pipe);
    drain(pipe);
}

/* --- the FIFO --- */

void cairn_unit_pipe_cycles(struct cairn_unit_pipe *pipe, uint64_t cycles)
{
    const uint64_t in = cairn_unit_pipe_level(pipe);
    uint64_t left = in;

    if (pipe->taker.port) {
        offer(pipe, cycles);
        return;
    }
    if (pipe->fifo_drain == 0) {
        left = 0;
    } else if (cycles < UINT64_MAX / UINT32_MAX / 2) {
        const uint64_t sixteenths = cycles * pipe->fifo_drain + pipe->fifo_carry;

        left = sixteenths / 16;
        pipe->fifo_carry = (uint32_t)(sixteenths % 16);
    }
    if (left >= in) {
        left = in;
        pipe->fifo_carry = 0;
    }
    pipe->fifo_left += left;
}

void cairn_unit_pipe_drain(struct cairn_unit_pipe *pipe)
{
    cairn_unit_pipe_flush(pipe);
    if (pipe->taker.port)
        return;
    pipe->fifo_left = cairn_unit_pipe_generated(pipe);
    pipe->fifo_carry = 0;
}

bool cairn_unit_pipe_lacks_room(const struct cairn_unit_pipe *pipe)
{
    return pipe->fifo_bytes > 0 &&
           cairn_unit_pipe_level(pipe) + cairn_unit_margin(pipe->fifo_bytes) > pipe->fifo_bytes;
}

bool cairn_unit_pipe_has_room(struct cairn_unit_pipe *pipe)
{
    if (pipe->taker.port && cairn_unit_pipe_lacks_room(pipe))
        offer(pipe, 0);
    return !cairn_unit_pipe_lacks_room(pipe);
}

bool cairn_unit_pipe_wait(struct cairn_unit_pipe *pipe)
{
    if (!pipe->taker.port) {
        if (pipe->fifo_drain > 0)
            pipe->taker.stalled +=
                (16 * cairn_unit_pipe_level(pipe) + pipe->fifo_drain - 1) / pipe->fifo_drain;
        pipe->fifo_left = cairn_unit_pipe_generated(pipe);
        return true;
    }
    while (cairn_unit_pipe_lacks_room(pipe) && cairn_unit_taker_may_wait(&pipe->taker)) {
        cairn_unit_taker_wait(&pipe->taker, 1);
        offer(pipe, 1);
    }
    return !cairn_unit_pipe_lacks_room(pipe);
}

bool cairn_unit_pipe_is_empty(struct cairn_unit_pipe *pipe)
{
    if (pipe->taker.port)
        offer(pipe, 0);
    return pipe->fifo_bytes == 0 || cairn_unit_pipe_level(pipe) == 0;
}

void cairn_unit_pipe_offer(struct cairn_unit_pipe *pipe)
{
    drain(pipe);
}

uint64_t cairn_unit_pipe_pending(const struct cairn_unit_pipe *pipe)
{
    if (pipe->status != CAIRN_OK)
        return 0;
    return pipe->taker.port ? cairn_unit_pipe_level(pipe) : pipe->out.size;
}
