/* SPDX-License-Identifier: BSD-2-Clause */
/* A64 at first sight: bits 31:21 tell what most words are (DDI0487 C4.1), and one look into a small
 * table costs less than a tree of branches that the processor mispredicts. */
#ifndef CAIRN_ISA_A64_TABLE_H
#define CAIRN_ISA_A64_TABLE_H

#include <stdint.h>

#include <cairn/isa.h>

/* The first four are a pair of bits: it loads, it stores. */
enum cairn_a64_class {
    CAIRN_A64_PLAIN = 0,
    CAIRN_A64_LOAD = 1,
    CAIRN_A64_STORE = 2,
    CAIRN_A64_LAST_PLAIN = 3,
    CAIRN_A64_HARD = 4,     /* may access memory: cairn_a64_transfers() knows */
    CAIRN_A64_BRANCH = 5,   /* branches, exceptions, system instructions */
    CAIRN_A64_RESERVED = 6, /* UDF, or unallocated */
};

_Static_assert(CAIRN_INSN_LOAD << 1 == CAIRN_INSN_STORE, "the two flags are neighbours");

/* [bits 31:29][bits 28:25][bits 24:21] */
extern const uint8_t cairn_a64_classes[8][16][16];

static inline uint8_t cairn_a64_class(uint32_t word)
{
    return cairn_a64_classes[word >> 29][word >> 25 & 15][word >> 21 & 15];
}

/* CAIRN_INSN_LOAD and CAIRN_INSN_STORE of a class up to LAST_PLAIN. */
static inline uint32_t cairn_a64_class_flags(uint8_t class)
{
    return class * CAIRN_INSN_LOAD;
}

#endif
