/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/port/variant.h"

#include <stdlib.h>
#include <string.h>

#include "capture/port/view.h"

#define CLOCK (UINT64_C(1) << CAIRN_PORT_CLOCK_WIRE)

struct cairn_port_variant cairn_port_variant_of(const struct cairn_port_layout *layout)
{
    struct cairn_port_variant variant = {.width = layout->width, .mode = layout->clocking->mode};

    for (size_t i = 0; i < CAIRN_PORT_WIRES; i++)
        variant.moved[i] = (uint8_t)i;
    return variant;
}

/* --- reading --- */

struct taking {
    uint8_t *bytes;
    size_t size, done;
    uint64_t reach;
};

static int take_bytes(void *context, const uint8_t *bytes, size_t size)
{
    struct taking *taking = context;
    const size_t left = taking->size - taking->done;

    memcpy(taking->bytes + taking->done, bytes, size < left ? size : left);
    taking->done += size < left ? size : left;
    return taking->done == taking->size;
}

static int take_place(void *context, const struct cairn_port_place *place)
{
    const struct taking *taking = context;

    return place->offset >= taking->reach;
}

static bool change(const struct cairn_port_layout *from, const struct cairn_port_variant *variant,
                   struct cairn_port_layout *layout)
{
    if (!cairn_port_lay_out_as(from, variant->width, variant->mode, layout))
        return false;
    if (variant->other_edge)
        layout->inverted ^= CLOCK;
    if (!variant->moves)
        return true;
    struct cairn_port_found at[CAIRN_PORT_WIRES];
    memcpy(at, layout->at, sizeof at);
    layout->inverted &= CLOCK;
    for (size_t i = 0; i < layout->wire_count; i++) {
        if (variant->moved[i] >= layout->wire_count)
            return false;
        layout->at[i] = at[variant->moved[i]];
        layout->inverted |= (uint64_t)layout->at[i].inverted << i;
    }
    return true;
}

int64_t cairn_port_read_variant(const struct cairn_buffer *buffer,
                                const struct cairn_port_variant *variant, uint8_t *bytes,
                                size_t size, uint64_t reach, uint64_t *read)
{
    const struct cairn_port_recording *recording;
    const void *from;
    struct taking taking = {.bytes = bytes, .size = size, .reach = reach};
    const struct cairn_port_taker taker = {take_bytes, take_place, &taking};
    struct cairn_port_place place;
    int64_t got = -1;
    uint64_t file_size;
    int fd = -1;

    *read = 0;
    if (!size || !cairn_port_recording_of(buffer->view, &recording, &from))
        return -1;
    void *file = malloc(recording->file_size), *stream = NULL;
    struct cairn_port_layout *layout = malloc(sizeof *layout);
    if (!file || !layout || cairn_input_open(buffer->info.path, &fd, &file_size, NULL) != CAIRN_OK)
        goto done;
    memcpy(file, from, recording->file_size);
    if (!change(recording->layout(file), variant, layout))
        goto done;
    *recording->layout(file) = *layout;
    recording->tap(file);
    recording->begin(file, &place);
    const uint64_t start = place.offset;
    taking.reach += start;
    stream = recording->open(file, fd, &place);
    if (stream && recording->run(stream, &place, &taker) == CAIRN_OK)
        got = (int64_t)taking.done;
    if (stream)
        recording->close(stream);
    *read = place.offset - start;
done:
    cairn_input_close(fd);
    free(layout);
    free(file);
    return got;
}

uint64_t cairn_port_read_weight(const struct cairn_buffer *buffer)
{
    const struct cairn_port_recording *recording;
    const void *file;

    /* a byte of a session's has eight wires, whose changes are 3 bytes and more each in a dump */
    return cairn_port_recording_of(buffer->view, &recording, &file) &&
                   recording == &cairn_sigrok_recording
               ? 4
               : 1;
}

const struct cairn_port_layout *cairn_port_layout_of(const struct cairn_buffer *buffer)
{
    const struct cairn_port_recording *recording;
    const void *file;

    if (!cairn_port_recording_of(buffer->view, &recording, &file))
        return NULL;
    return recording->layout((void *)(uintptr_t)file); /* it is not changed */
}

uint64_t cairn_port_variant_etmcr(const struct cairn_port_layout *layout,
                                  const struct cairn_port_variant *variant, uint64_t etmcr)
{
    const struct cairn_port_clocking *clocking = cairn_port_clocking(layout->kind, variant->mode);

    if (layout->kind == CAIRN_PORT_V3 || !clocking)
        return etmcr;
    return (etmcr & ~CAIRN_PORT_ETMCR) | cairn_port_etmcr_of_width(layout->kind, variant->width) |
           cairn_port_etmcr_of_clocking(clocking);
}
