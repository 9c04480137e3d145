/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/a64_table.h"

enum {
    P = CAIRN_A64_PLAIN,
    L = CAIRN_A64_LOAD,
    S = CAIRN_A64_STORE,
    H = CAIRN_A64_HARD,
    B = CAIRN_A64_BRANCH,
    U = CAIRN_A64_RESERVED,
};

#define ALL(c)                                                                                     \
    {                                                                                              \
        c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c                                             \
    }
/* Bit 22 is L, or the low bit of opc: pairs, structures. */
#define BY_L                                                                                       \
    {                                                                                              \
        S, S, L, L, S, S, L, L, S, S, L, L, S, S, L, L                                             \
    }
/* Bit 24 clear: a literal, or PRFM. Set: LDAPUR, CPY*, tags, and so on. */
#define LITERAL(c)                                                                                 \
    {                                                                                              \
        c, c, c, c, c, c, c, c, H, H, H, H, H, H, H, H                                             \
    }
/* One register: opc (bits 23:22) 00 stores; opc 10 is what the argument says. With bit 24 clear and
 * bit 21 set it is a register offset, an atomic, or LDRAA. */
#define SINGLE(c)                                                                                  \
    {                                                                                              \
        S, H, L, H, c, H, L, H, S, S, L, L, c, c, L, L                                             \
    }

/* By bits 28:25. Bits 29:27 are 001 and 011, or 101 and 111, in the four groups of loads and
 * stores. */
#define EVEN(reserved, sve, literal)                                                               \
    {                                                                                              \
        [0x0] = ALL(reserved), [0x2] = ALL(sve), [0x4] = ALL(H), [0x6] = BY_L, [0xa] = ALL(B),     \
        [0xb] = ALL(B), [0xc] = LITERAL(literal), [0xe] = LITERAL(L)                               \
    }
#define ODD(reserved, sve, opc10)                                                                  \
    {                                                                                              \
        [0x0] = ALL(reserved), [0x2] = ALL(sve), [0x4] = BY_L, [0x6] = BY_L, [0xa] = ALL(B),       \
        [0xb] = ALL(B), [0xc] = SINGLE(opc10), [0xe] = SINGLE(S)                                   \
    }

/* Bit 31 set: SME in the reserved group, memory among SVE. */
const uint8_t cairn_a64_classes[8][16][16] = {
    EVEN(U, P, L), ODD(P, P, L), EVEN(P, P, L), ODD(P, P, L),
    EVEN(H, H, L), ODD(H, L, L), EVEN(H, H, P), ODD(H, S, P),
};
