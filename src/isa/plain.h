/* SPDX-License-Identifier: BSD-2-Clause */
/* Stretches of A64 instructions that cannot bear on flow, found by their major opcode alone. */
#ifndef CAIRN_ISA_PLAIN_H
#define CAIRN_ISA_PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* How many of the `count` A64 words at `bytes` come before the first that is in the group
 * "branches, exception generating and system instructions" or in the reserved and unallocated ones
 * (DDI0487 C4.1, op0). What is counted is CAIRN_INSN_OTHER under every architecture argument. */
size_t cairn_a64_plain_run(const uint8_t *bytes, size_t count);

/* The same, but passes over reserved and unallocated ones as well: zeros are such. What is counted
 * is CAIRN_INSN_OTHER or CAIRN_INSN_UNDEFINED. */
size_t cairn_a64_unbranched_run(const uint8_t *bytes, size_t count);

#endif
