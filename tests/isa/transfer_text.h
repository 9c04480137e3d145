/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of transfers as a line of text: "L4:r1@0 L4:r2@4". Letter: L loads, S stores, F from and T
 * to a coprocessor; then the size, the register and the offset in bytes, without one for F and T.
 * Registers: r, s, d (with ".part", ".*" for all), c (coprocessor's), "flags", "psr", "-" (none),
 * "d0+" (several from d0 on). Behind the transfers "more", "assumed", "user"; "unknown" alone. */
#ifndef TESTS_ISA_TRANSFER_TEXT_H
#define TESTS_ISA_TRANSFER_TEXT_H

#include <cairn/isa.h>

enum { TRANSFER_TEXT_SIZE = 1024 };

void transfer_text(const struct cairn_transfers *transfers, char text[TRANSFER_TEXT_SIZE]);

#endif
