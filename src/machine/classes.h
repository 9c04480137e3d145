/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace unit calls an exception, by the class that a syndrome register has of it. */
#ifndef CAIRN_MACHINE_CLASSES_H
#define CAIRN_MACHINE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* EC: of ESR_ELx or HSR (Arm ARM); EL: where it was taken to; executed: the instruction that it returns behind was. One of
 * CAIRN_EXCEPTION_... by DDI0608 tables D3.13 and D3.14. */
uint8_t cairn_exception_of_class(unsigned EC, unsigned EL, bool executed, bool to_a32);

#endif
