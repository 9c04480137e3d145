/* SPDX-License-Identifier: BSD-2-Clause */
/* Where in a buffer with frames a byte of one trace ID is. Only counting tells: the frames are gone
 * through once, nothing is copied, and on the way the state of the frames is kept at places that are
 * evenly spaced. What is behind the last place counted so far is counted when it is asked for. All
 * sources of a buffer and all readers of a capture share what was counted, in any threads. */
#ifndef CAIRN_CAPTURE_MEASURE_H
#define CAIRN_CAPTURE_MEASURE_H

#include "capture/frames.h"

struct cairn_buffer;

/* The measures of a capture's buffers. NULL when memory is out. */
struct cairn_measures;
struct cairn_measures *cairn_measures_new(void);
void cairn_measures_free(struct cairn_measures *measures); /* NULL is fine */

/* A place between two bytes of the buffer, in the order of the trace. */
struct cairn_measure_place {
    uint64_t taken;             /* bytes before it */
    struct cairn_frames frames; /* their state there: account.data[id] are before it of an ID */
};

/* Who is told how far counting is: non-zero ends it. `call` may be NULL. */
struct cairn_measure_watch {
    int (*call)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* The last place kept in front of byte `offset` of ID `id` that has fewer, or before the buffer's end if there is no
 * such byte. CAIRN_E_IO when the buffer cannot be read, CAIRN_E_MEMORY, CAIRN_E_LIMIT when it was
 * ended. */
CAIRN_MUST_CHECK cairn_status cairn_measure_find(struct cairn_measures *measures, size_t index,
                                                 const struct cairn_buffer *buffer, unsigned id,
                                                 uint64_t offset,
                                                 const struct cairn_measure_watch *watch,
                                                 struct cairn_measure_place *place);

/* How many bytes of the ID there are. */
CAIRN_MUST_CHECK cairn_status cairn_measure_size(struct cairn_measures *measures, size_t index,
                                                 const struct cairn_buffer *buffer, unsigned id,
                                                 const struct cairn_measure_watch *watch,
                                                 uint64_t *size);

#endif
