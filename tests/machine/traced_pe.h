/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE that traces EL0 and EL1 of Non-secure state, with nothing else on, and what becomes of its bytes. */
#ifndef MACHINE_TRACED_PE_H
#define MACHINE_TRACED_PE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/pe.h>

#define TRACED_BYTES 65536u
#define TRACED_BUFFER UINT64_C(0x80000000) /* where the trace buffer's memory begins */

struct traced_bytes {
    uint8_t bytes[TRACED_BYTES];
    size_t size;
};

/* A cairn_unit_sink: the context is a struct traced_bytes. */
cairn_status traced_take(void *context, const uint8_t *bytes, size_t size);
/* By name, at once. */
void traced_put(struct cairn_pe *pe, const char *name, uint64_t value);
uint64_t traced_get(struct cairn_pe *pe, const char *name);
/* Around a unit with these options, whose trace goes to its sink, or, where a test enables the trace buffer, to
 * `memory`, from TRACED_BUFFER on. `flags` besides those of CAIRN_PE_OPTIONS_INIT. */
struct cairn_pe *traced_pe(const struct cairn_unit_options *unit, struct traced_bytes *memory,
                           uint32_t flags);
/* The trace buffer is enabled, with `size` bytes, in Fill mode. */
void traced_enable_buffer(struct cairn_pe *pe, uint64_t size);

/* A branch record; 0: an address that is not in it. */
struct traced_record {
    unsigned type;
    uint64_t source, target;
};
/* The PE has exactly these, the youngest first. */
void traced_records(struct cairn_pe *pe, const struct traced_record *expected, size_t count);

#endif
