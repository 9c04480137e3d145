/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a Micro Trace Buffer through the public functions, and the packets as text. */
#ifndef CAIRN_TESTS_PROTOCOL_MTB_SESSION_H
#define CAIRN_TESTS_PROTOCOL_MTB_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/mtb.h>
#include <cairn/packet.h>

#define MTB_TEXT 8192
#define MTB_REGISTERS 5

/* Registers by name; the list ends at the first without one. */
struct mtb_registers {
    struct cairn_register list[MTB_REGISTERS];
};

cairn_status mtb_try(const struct mtb_registers *registers, struct cairn_config **config,
                     struct cairn_error *error);
struct cairn_config *mtb_configure(const struct mtb_registers *registers);

/* Little-endian words as bytes; returns how many. */
size_t mtb_bytes(const char *words, uint8_t *bytes, size_t capacity);

/* Decodes bytes that are in the order of the trace, `step` at once (0: all), in batches of
 * `capacity`. A packet is "OFFSET KIND SOURCE>DESTINATION FLAGS", with A, S and J for flags; others
 * are "OFFSET KIND LENGTH". "; " stands between. Checks that every byte is in one packet, and
 * the account of each. */
void mtb_decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t step,
                size_t capacity, char text[MTB_TEXT]);

/* The same in every way of cutting; `dump` is in the order of memory. */
void mtb_assert(const struct mtb_registers *registers, const char *dump, const char *wanted);

#endif
