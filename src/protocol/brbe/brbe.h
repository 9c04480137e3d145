/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch records (DDI0608 part F): what their parts are, and how the parts of this folder share them. */
#ifndef CAIRN_PROTOCOL_BRBE_BRBE_H
#define CAIRN_PROTOCOL_BRBE_BRBE_H

#include <cairn/brbe.h>

/* Exceptions and Debug state have this bit in TYPE, instructions do not. */
#define CAIRN_BRANCH_TYPE_EXCEPTION 0x20u

/* VALID: {source, target}. */
#define CAIRN_BRANCH_BOTH (CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET)

/* Fields of BRBINF<n>_EL1: the lowest bit and how many. */
#define CAIRN_BRBINF_FIELDS(X)                                                                     \
    X(CCU, 46, 1)                                                                                  \
    X(CC, 32, 14)                                                                                  \
    X(LASTFAILED, 17, 1)                                                                           \
    X(T, 16, 1)                                                                                    \
    X(TYPE, 8, 6)                                                                                  \
    X(EL, 6, 2)                                                                                    \
    X(MPRED, 5, 1)                                                                                 \
    X(VALID, 0, 2)

enum cairn_brbinf_field {
#define CAIRN_BRBINF_ENUM(NAME, LOW, BITS)                                                         \
    CAIRN_BRBINF_##NAME = LOW, CAIRN_BRBINF_##NAME##_BITS = BITS,
    CAIRN_BRBINF_FIELDS(CAIRN_BRBINF_ENUM)
#undef CAIRN_BRBINF_ENUM
};

#define CAIRN_BRBINF_MASK(NAME)                                                                    \
    (((UINT64_C(1) << CAIRN_BRBINF_##NAME##_BITS) - 1) << CAIRN_BRBINF_##NAME)
#define CAIRN_BRBINF_GET(value, NAME)                                                              \
    ((unsigned)((value) >> CAIRN_BRBINF_##NAME) & ((1u << CAIRN_BRBINF_##NAME##_BITS) - 1))
#define CAIRN_BRBINF_PUT(NAME, bits) ((uint64_t)(bits) << CAIRN_BRBINF_##NAME)

/* VALID's two bits, of BRBINF<n>_EL1 (F1.1.1). */
#define CAIRN_BRBINF_VALID_TARGET 1u
#define CAIRN_BRBINF_VALID_SOURCE 2u

bool cairn_branch_type_is_known(unsigned type);

/* The branch `at` places behind the first of a stack. */
static inline struct cairn_branch *cairn_branch_at(struct cairn_branch *branches, size_t at)
{
    return (struct cairn_branch *)(void *)((char *)branches + at * branches->size);
}

#endif
