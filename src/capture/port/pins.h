/* SPDX-License-Identifier: BSD-2-Clause */
/* Which wires of a file are which signals of the port: what --pins says, what the file's names say. */
#ifndef CAIRN_CAPTURE_PORT_PINS_H
#define CAIRN_CAPTURE_PORT_PINS_H

#include <cairn/status.h>

#include "capture/port/connectors.h"

/* Synchronisation in the bits of TRACEDATA: so many bytes of 00, or of FF, and one of 80, or of 7F, which is as
 * many equal bits, 7 more, and another one, which is the last of a byte (IHI0014 7.7.2). */
struct cairn_port_sync {
    unsigned bytes; /* 0: it is not known */
    bool ones;      /* FF and 7F */
};

/* What a user says of a port; all of it may be left out. */
struct cairn_port_request {
    const char *what; /* the file, for sentences */
    enum cairn_port_kind kind;
    const char *pins; /* a map, SIGNAL=WIRE, or both, with commas between; NULL */
    const char *mode; /* NULL */
    unsigned width;   /* 0 */
    uint64_t etmcr;
    bool has_etmcr;
    struct cairn_port_sync sync; /* of what comes by TRACEDATA */
};

#define CAIRN_PORT_ASSIGNED 64
#define CAIRN_PORT_ASSIGNED_NAME 128
/* SIGNAL=WIRE */
struct cairn_port_assignment {
    unsigned slot, bits;
    char wire[CAIRN_PORT_ASSIGNED_NAME];
    int index;     /* WIRE[index]; -1: none */
    bool inverted; /* !WIRE */
};

struct cairn_port_pins {
    enum cairn_port_map map;
    struct cairn_port_assignment assigned[CAIRN_PORT_ASSIGNED];
    size_t assigned_count;
};

CAIRN_MUST_CHECK cairn_status cairn_port_pins_read(const struct cairn_port_request *request,
                                                   struct cairn_port_pins *pins,
                                                   struct cairn_error *error);

/* A wire of the file. */
#define CAIRN_PORT_WIRE_NAME (CAIRN_PORT_ASSIGNED_NAME + 16)
struct cairn_port_found {
    uint32_t variable; /* the file's, or CAIRN_PORT_NO_SLOT */
    uint32_t position; /* of the bit in it, from its right end */
    uint8_t assigned;  /* by which item of --pins, from 1; 0: by its name */
    bool twice;        /* another wire has such a name, too */
    bool inverted;     /* low is 1 */
    bool cut;          /* the name was longer */
    char name
        [CAIRN_PORT_WIRE_NAME]; /* "POD[3]", for sentences; as --pins has it, with its scope if that has */
};

/* The bits of a variable of the file, and whether one of them is wanted. */
struct cairn_port_variable {
    const char *path; /* "top.board.TRACEDATA" */
    const char *name; /* the last part of it */
    unsigned size;
    int left, right; /* of the range behind the name; both -1: none */
    uint32_t index;  /* what becomes cairn_port_found.variable */
};
bool cairn_port_pins_offer(const struct cairn_port_pins *pins,
                           const struct cairn_port_variable *variable,
                           struct cairn_port_found found[CAIRN_PORT_SLOTS]);

/* One more wire for `known`, with its index unless that is -1, if there is room, which " ..." is left; letters that are none
 * (control characters) are told as ?. */
void cairn_port_tell_wire(char *known, size_t size, const char *name, int index);

/* How the port is sampled. */
struct cairn_port_layout {
    enum cairn_port_kind kind;
    const struct cairn_port_clocking *clocking;
    unsigned width;
    struct cairn_port_wire wires[CAIRN_PORT_WIRES];
    struct cairn_port_found at[CAIRN_PORT_WIRES]; /* variable NO_SLOT: the wire is always 0 */
    size_t wire_count;
    struct cairn_port_found clock;
    bool no_sync, no_ctl; /* TRACESYNC, TRACECTL are not in the file */
    uint64_t inverted; /* wires, bit i that with number i, of which low is 1; the clock's as well */
    struct cairn_port_sync sync;
    /* What it was made from, to make another one of the same file. */
    struct cairn_port_pins pins;
    struct cairn_port_found found[CAIRN_PORT_SLOTS];
};
#define CAIRN_PORT_CLOCK_WIRE 63u
/* `known`: names of the file, for the sentence that says what is missing. */
CAIRN_MUST_CHECK cairn_status
cairn_port_lay_out(const struct cairn_port_request *request, const struct cairn_port_pins *pins,
                   const struct cairn_port_found found[CAIRN_PORT_SLOTS], const char *known,
                   struct cairn_port_layout *layout, struct cairn_error *error);

/* Of the same file with another width or mode, all else as it is. False: it has no wires for that. */
bool cairn_port_lay_out_as(const struct cairn_port_layout *as, unsigned width,
                           enum cairn_port_mode mode, struct cairn_port_layout *layout);

#endif
