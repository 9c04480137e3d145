/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a trace port's source, read from its file wherever they are wanted. */
#ifndef CAIRN_CAPTURE_PORT_VIEW_H
#define CAIRN_CAPTURE_PORT_VIEW_H

#include "capture/model.h"
#include "capture/port/recording.h"

/* What a file turned out to be. */
struct cairn_port_summary {
    enum cairn_port_kind kind;
    uint64_t bytes;
    struct cairn_port_counts counts; /* of a VCD */
    unsigned rest;                   /* its last bits, which fill no byte */
    bool hunting;                    /* to the end: what is missing has no end */
    uint64_t status, etmcr, depth;   /* of an `etm dump` */
};

/* Goes through a recording once, for its size and for places from which to go on. `file` is copied. */
CAIRN_MUST_CHECK cairn_status cairn_port_view(struct cairn_capture *capture, const char *what,
                                              const struct cairn_port_recording *recording,
                                              const void *file, int fd,
                                              struct cairn_buffer_view **view,
                                              struct cairn_port_summary *summary,
                                              struct cairn_error *error);

/* What the view reads, and what its declarations say; false: it is no recording's (or NULL). */
bool cairn_port_recording_of(const struct cairn_buffer_view *view,
                             const struct cairn_port_recording **recording, const void **file);

/* Says of a buffer of samples, if its trace unit's trigger is in it, where (IHI0014 4.4.1). What is read is bounded. */
void cairn_port_say_trigger(struct cairn_capture *capture, const struct cairn_buffer *buffer);

/* OpenOCD's `etm dump`: true by the first bytes of such a file, and its size. */
bool cairn_etm_dump_is(const uint8_t *head, size_t head_size, uint64_t file_size);
const struct cairn_buffer_view *cairn_etm_dump_view(void);
/* Of its first 12 bytes. */
void cairn_etm_dump_summary(const uint8_t *head, uint64_t file_size,
                            struct cairn_port_summary *summary);

#endif
