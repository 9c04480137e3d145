/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a trace port as buffers: value change dumps, and OpenOCD's `etm dump` (docs/trace-port.md). */
#ifndef CAIRN_CAPTURE_PORT_PORT_H
#define CAIRN_CAPTURE_PORT_PORT_H

#include "capture/model.h"
#include "capture/port/pins.h"

/* Whether the file begins as one of these does. */
bool cairn_port_is(const char *path);

/* What the file says of the trace unit behind the port. */
struct cairn_port_source {
    const char *type; /* "ETMv1" */
    /* ETMCR, as far as the file has it or the port shows it; 0 of 1. */
    struct cairn_register registers[1];
    size_t register_count;
    bool instead; /* of what was given for it */
};

/* Makes `buffer`, which has its name, path and format, one of the port's bytes, and says what was found. */
CAIRN_MUST_CHECK cairn_status cairn_port_attach(struct cairn_capture *capture,
                                                const struct cairn_port_request *request,
                                                struct cairn_buffer *buffer,
                                                struct cairn_port_source *source,
                                                struct cairn_error *error);

/* The same of a dump of an ETB's RAM, whose registers are those of `etb`: of ETMv1 and ETMv2, whose cycles are in it.
 * What other trace units write is there as it is. */
struct cairn_etb;
CAIRN_MUST_CHECK cairn_status cairn_port_attach_etb(struct cairn_capture *capture,
                                                    const struct cairn_port_request *request,
                                                    const struct cairn_etb *etb,
                                                    struct cairn_buffer *buffer,
                                                    struct cairn_port_source *source,
                                                    struct cairn_error *error);

#endif
