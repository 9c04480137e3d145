/* SPDX-License-Identifier: BSD-2-Clause */
/* Value change dumps (IEEE 1364 clause 18) as logic analysers, sigrok and simulators write them, read
 * once through in constant memory. */
#ifndef CAIRN_CAPTURE_PORT_VCD_H
#define CAIRN_CAPTURE_PORT_VCD_H

#include "capture/port/sampler.h"

/* Where the text is. */
struct cairn_vcd_input {
    int fd;
    const uint8_t *memory; /* instead of the file */
    uint64_t size;
};

/* A variable some bits of which are the port's. */
#define CAIRN_VCD_CODE 31u
struct cairn_vcd_variable {
    char code[CAIRN_VCD_CODE + 1]; /* by which changes name it */
    uint32_t size;                 /* bits */
};
#define CAIRN_VCD_VARIABLES (2 * CAIRN_PORT_SLOTS)

/* A bit of a variable that is a wire of the layout. */
struct cairn_vcd_tap {
    uint16_t variable;
    uint8_t wire;
    uint32_t position;
};

/* What the declarations say. */
struct cairn_vcd_file {
    struct cairn_vcd_input input;
    struct cairn_vcd_variable variables[CAIRN_VCD_VARIABLES];
    size_t variable_count;
    struct cairn_vcd_tap taps[CAIRN_PORT_WIRES + 1]; /* in the order of their variables */
    size_t tap_count;
    uint16_t first_tap[CAIRN_VCD_VARIABLES + 1];
    uint64_t changes; /* offset of what is behind the declarations */
    struct cairn_port_layout layout;
};

/* True of a file that begins as a dump does. */
bool cairn_vcd_is(const uint8_t *head, size_t size);

/* Reads the declarations and finds the port's wires. */
CAIRN_MUST_CHECK cairn_status cairn_vcd_declare(struct cairn_vcd_file *file,
                                                const struct cairn_port_request *request,
                                                struct cairn_error *error);

/* A place at which reading can go on: in front of a time. */
struct cairn_vcd_place {
    uint64_t offset; /* in the file */
    uint64_t time;
    bool timed; /* there was one */
    struct cairn_port_sampler sampler;
};
void cairn_vcd_begin(const struct cairn_vcd_file *file, struct cairn_vcd_place *place);

/* Given the bytes of the source from the place on; and, before a time, the place that it is. Non-zero stops. */
struct cairn_vcd_taker {
    int (*bytes)(void *context, const uint8_t *bytes, size_t size);
    int (*place)(void *context, const struct cairn_vcd_place *place); /* NULL */
    void *context;
};
/* To the end of the file, or where the taker stops it. CAIRN_E_IO where it cannot be read. */
CAIRN_MUST_CHECK cairn_status cairn_vcd_run(const struct cairn_vcd_file *file,
                                            struct cairn_vcd_place *place,
                                            const struct cairn_vcd_taker *taker);

#endif
