/* SPDX-License-Identifier: BSD-2-Clause */
/* The RAM of an Embedded Trace Buffer, dumped in words of 32 bits, the low byte first: its registers say where
 * the oldest word is, and of ETMv1 and ETMv2 a word has as many cycles as fit in. */
#ifndef CAIRN_CAPTURE_PORT_ETB_H
#define CAIRN_CAPTURE_PORT_ETB_H

#include "capture/model.h"
#include "capture/port/cycle.h"

/* Registers of the buffer that are given with those of the trace unit: ETB_STS, ETB_RWP, ETB_RDP; and ETB_WIDTH,
 * which is none: bits of a word of the RAM, 24 unless told. */
struct cairn_etb {
    bool is_given; /* one of them */
    bool has_status, has_pointer;
    bool full; /* ETB_STS.Full: every word has been written, the oldest one is at the pointer */
    uint64_t pointer; /* ETB_RWP, a word */
    uint64_t depth;   /* ETB_RDP, words; 0: as many as the dump has */
    uint64_t width;
};
struct cairn_etb cairn_etb_of(const struct cairn_register *registers, size_t count);

/* A dump of `size` bytes as samples of a port of so many pins. Its bytes are those of cycles in the order of the
 * file. CAIRN_E_CONFIG: no cycle fits into a word, or there can be no such port. */
CAIRN_MUST_CHECK cairn_status cairn_etb_view(struct cairn_capture *capture, const char *what,
                                             const struct cairn_etb *etb, enum cairn_port_kind kind,
                                             unsigned pins, uint64_t size,
                                             const struct cairn_buffer_view **view, uint64_t *bytes,
                                             struct cairn_error *error);

/* Sets the order of a buffer, a word of which is `word` bytes of it. */
CAIRN_MUST_CHECK cairn_status cairn_etb_order(struct cairn_capture *capture, const char *what,
                                              const struct cairn_etb *etb,
                                              struct cairn_buffer *buffer,
                                              struct cairn_error *error);

#endif
