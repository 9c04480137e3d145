/* SPDX-License-Identifier: BSD-2-Clause */
/* A random case: registers, an address, an operation; its descriptors come up as walks read them. */
#ifndef QEMU_RANDOM_H
#define QEMU_RANDOM_H

#include "pe/translate.h"

#define DESCRIPTORS 64

enum operation {
    S1E1R,
    S1E1W,
    S1E0R,
    S1E0W,
    S12E1R,
    S12E1W,
    S12E0R,
    S12E0W,
    S1E2R,
    S1E2W,
    S1E1RP,
    S1E1WP,
    OPERATIONS
};

struct descriptor {
    uint64_t address, first, now; /* before and after the walk */
};

struct random_case {
    enum operation operation;
    uint64_t address;
    bool PAN;
    struct cairn_pe_registers registers;
    struct descriptor descriptors[DESCRIPTORS];
    unsigned count;
    bool unfit; /* a walk left the places that both sides see alike */
    bool DS;    /* an address may reach into bits that are else shareability */
    bool FWB;
    bool has_VHE, has_HPD;
    bool large; /* granules of 64KB among them */
    uint64_t state;
};

/* Registers that the machine sets, in its order. */
extern const enum cairn_pe_register case_registers[16];

void make_case(struct random_case *c, uint64_t seed,
               const struct cairn_pe_registers *identification);
/* Of a case, as walks see it; user is the case. */
enum cairn_pe_memory_answer case_read(void *user, uint64_t address, unsigned security,
                                      uint64_t *value);
enum cairn_pe_memory_answer case_update(void *user, uint64_t address, unsigned security,
                                        uint64_t expected, uint64_t value);

#endif
