/* SPDX-License-Identifier: BSD-2-Clause */
/* Value change dumps (IEEE 1364 clause 18) as logic analysers, sigrok and simulators write them, read
 * once through in constant memory. */
#ifndef CAIRN_CAPTURE_PORT_VCD_H
#define CAIRN_CAPTURE_PORT_VCD_H

#include "capture/port/recording.h"

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
    struct cairn_port_input input;
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

/* Which variables the wires of its layout are. */
void cairn_vcd_tap(struct cairn_vcd_file *file);

/* Reads the declarations and finds the port's wires. */
CAIRN_MUST_CHECK cairn_status cairn_vcd_declare(struct cairn_vcd_file *file,
                                                const struct cairn_port_request *request,
                                                struct cairn_error *error);

void cairn_vcd_begin(const struct cairn_vcd_file *file, struct cairn_port_place *place);
/* To the end of the file, or where the taker stops it. CAIRN_E_IO where it cannot be read. */
CAIRN_MUST_CHECK cairn_status cairn_vcd_run(const struct cairn_vcd_file *file,
                                            struct cairn_port_place *place,
                                            const struct cairn_port_taker *taker);

#endif
