/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/ptm/ptm.h"

#define COUNT(X) ((X)&32 ? 5u : (X)&16 ? 4u : (X)&8 ? 3u : (X)&4 ? 2u : (X)&2 ? 1u : 0u)
#define BIT(X, I) ((I) < COUNT(X) ? (~(X) >> ((COUNT(X) - 1 - (I)) & 7u) & 1u) << (I) : 0u)
#define ONE(X)                                                                                     \
    {                                                                                              \
        COUNT(X), BIT(X, 0) | BIT(X, 1) | BIT(X, 2) | BIT(X, 3) | BIT(X, 4)                        \
    }
#define FOUR(X) ONE(X), ONE((X) + 1u), ONE((X) + 2u), ONE((X) + 3u)
#define SIXTEEN(X) FOUR(X), FOUR((X) + 4u), FOUR((X) + 8u), FOUR((X) + 12u)
const struct cairn_ptm_atom_form cairn_ptm_atoms_of[64] = {SIXTEEN(0u), SIXTEEN(16u), SIXTEEN(32u),
                                                           SIXTEEN(48u)};
