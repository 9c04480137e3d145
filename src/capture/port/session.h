/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of sigrok (.sr, version 2 and the older 1): a ZIP archive with `version`, `metadata`, which is an INI
 * text, and the levels of all logic channels in `logic-1-1`, `logic-1-2` and so on: units of so many bytes, the lowest
 * first, in which channel n is bit n - 1. They are unpacked piece by piece: memory does not grow with them. */
#ifndef CAIRN_CAPTURE_PORT_SESSION_H
#define CAIRN_CAPTURE_PORT_SESSION_H

#include "capture/port/archive.h"
#include "capture/port/recording.h"

#define CAIRN_SIGROK_UNIT_MAX 64u /* bytes: 512 channels */
#define CAIRN_SIGROK_NAME 64u

/* A bit of a unit that is a wire of the layout. */
struct cairn_sigrok_bit {
    uint16_t byte;
    uint8_t bit;
    uint8_t wire;
};

/* What `metadata` says. */
struct cairn_sigrok {
    struct cairn_port_input input;
    struct cairn_port_layout layout;
    struct cairn_sigrok_bit taps[CAIRN_PORT_WIRES + 1];
    size_t tap_count;
    unsigned unit_size;
    char rate[CAIRN_SIGROK_NAME]; /* "24 MHz"; "": it is not said */
    char stem[CAIRN_SIGROK_NAME]; /* "logic-1": chunks are called so, with -NUMBER behind */
    bool more_devices;            /* besides the first */
    uint64_t chunks,
        missing; /* how many there are, and how many numbers in front of the last are not; */
    uint64_t missing_first; /* of those in front of the first; */
    uint64_t twice;         /* and how many have the number of another one */
};

/* True of a file that begins as one does: an archive whose first entry is one of a session's. */
bool cairn_sigrok_is(const uint8_t *head, size_t size);

/* Which channels the wires of its layout are. */
void cairn_sigrok_tap(struct cairn_sigrok *session);

/* Reads `metadata` and finds the port's wires. */
CAIRN_MUST_CHECK cairn_status cairn_sigrok_declare(struct cairn_sigrok *session,
                                                   const struct cairn_port_request *request,
                                                   struct cairn_error *error);

/* Its chunks in the order of their numbers. */
struct cairn_sigrok_chunk {
    uint64_t number; /* 0: the only one, which has no number */
    uint64_t index;  /* in the archive */
};
/* On the heap; NULL when memory is out, or there is none (*count is 0 then). */
struct cairn_sigrok_chunk *cairn_sigrok_chunks(const struct cairn_archive *archive,
                                               const char *stem, size_t *count);

#endif
