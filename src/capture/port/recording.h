/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of a port's wires, whatever kind of file it is in: gone through once, and then read from
 * places that were kept (view.c). */
#ifndef CAIRN_CAPTURE_PORT_RECORDING_H
#define CAIRN_CAPTURE_PORT_RECORDING_H

#include <cairn/status.h>

#include "capture/port/sampler.h"

/* Where the file is. */
struct cairn_port_input {
    int fd;
    const uint8_t *memory; /* instead of the file */
    uint64_t size;
};
/* As cairn_input_read, of either. */
int64_t cairn_port_input_read(const struct cairn_port_input *input, void *bytes, size_t size,
                              uint64_t offset);

/* A place at which reading can go on: of a value change dump in front of a time, of a session in front of
 * a unit. */
struct cairn_port_place {
    uint64_t offset; /* in the file; of a session in what its chunks hold, all of them together */
    uint64_t time;
    bool timed;      /* there was one */
    uint64_t chunk;  /* of a session: how many are in front of it; */
    uint64_t within; /* and bytes of it, unpacked */
    struct cairn_port_sampler sampler;
};

/* Given the bytes of the source from the place on; and, now and then, a place. Non-zero stops. */
struct cairn_port_taker {
    int (*bytes)(void *context, const uint8_t *bytes, size_t size);
    int (*place)(void *context, const struct cairn_port_place *place); /* NULL */
    void *context;
};

/* What a kind of file is to view.c. `file` is what its declarations say. */
struct cairn_port_recording {
    size_t file_size; /* sizeof *file */
    void (*begin)(const void *file, struct cairn_port_place *place);
    /* A stream from the place on; NULL when memory is out, or the file cannot be read. */
    void *(*open)(const void *file, int fd, const struct cairn_port_place *place);
    /* Goes on from `place`, which is where the stream is, to the end of the file or where the taker
     * stops it; then again from there. CAIRN_E_IO where it cannot be read. */
    cairn_status (*run)(void *stream, struct cairn_port_place *place,
                        const struct cairn_port_taker *taker);
    void (*close)(void *stream);
    struct cairn_port_layout *(*layout)(void *file);
    /* The layout is another one: its wires are looked up anew. */
    void (*tap)(void *file);
};
extern const struct cairn_port_recording cairn_vcd_recording;
extern const struct cairn_port_recording cairn_sigrok_recording;

#endif
