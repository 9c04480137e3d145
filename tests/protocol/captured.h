/* SPDX-License-Identifier: BSD-2-Clause */
/* The sources of the real captures (CAIRN_CAPTURES) that have flow, one after the other. */
#ifndef CAIRN_TESTS_PROTOCOL_CAPTURED_H
#define CAIRN_TESTS_PROTOCOL_CAPTURED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/capture.h>

#define CAPTURED_MOST (1u << 21) /* bytes: no source of the captures is longer */

struct captured {
    const struct cairn_capture *capture;
    size_t index;
    struct cairn_source_info info;
    struct cairn_config *config; /* of its registers */
};

/* Calls `each` for every one, in every snapshot; skips the test where there are no captures. */
void captured_each(void (*each)(void *context, const struct captured *source), void *context);
/* All bytes of the source; the caller frees. */
uint8_t *captured_bytes(const struct captured *source, size_t *size);

#endif
