/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that a random program executes, made as it is reached: an instruction that has not been
 * executed before is drawn and stays. All of it is of ARMv5TE, as an ETM10's core has it. */
#ifndef CAIRN_TESTS_ETMV2_CODE_H
#define CAIRN_TESTS_ETMV2_CODE_H

#include "../peers/random.h"
#include "packets.h"

enum sw_what {
    SW_UNSET,
    SW_PLAIN,
    SW_BL_FIRST,  /* of Thumb's pair, each half an instruction */
    SW_BL_SECOND, /* a direct branch */
    SW_DIRECT,
    SW_INDIRECT, /* by a register */
    SW_LOAD,     /* one or more words, PC perhaps among them */
    SW_STORE,
    SW_SWAP,
    SW_FROM_CP,
    SW_CONTEXT_WRITE, /* MCR p15, 0, r0, c13, c0, 1 (4.7) */
    SW_SVC,
    SW_UNDEFINED,
};

struct sw_slot {
    enum sw_what what;
    uint32_t opcode;
    uint8_t size; /* 2 or 4 */
    bool is_conditional;
    bool is_entry;          /* something branches to it: not in the middle of a pair */
    bool stays;             /* an indirect branch that does not change between ARM and Thumb */
    bool loads_pc;          /* last of its words */
    bool is_lsm;            /* 4.10.1 */
    bool is_double;         /* LDRD, STRD: both words at once */
    uint8_t transfers;      /* how many words, halfwords or bytes */
    uint8_t bytes;          /* of each */
    struct sw_place target; /* of a direct branch */
};

enum {
    SW_REGIONS = 5,
    SW_REGION_BYTES = 0x200,
};

struct sw_region {
    struct sw_place begin;
    struct sw_slot slots[SW_REGION_BYTES / 2]; /* a halfword each; of ARM every second is used */
    uint8_t bytes[SW_REGION_BYTES];
};

/* Region 0 has the vectors; of the others some are ARM, some Thumb. */
struct sw_code {
    struct sw_region regions[SW_REGIONS];
    struct peer_random random;
};

void sw_code_begin(struct sw_code *code, uint64_t seed, bool has_high_vectors);
/* The instruction there, drawn if it is new. The place lies in a region. */
const struct sw_slot *sw_code_at(struct sw_code *code, struct sw_place place);
/* Somewhere to go: not among the vectors, not in the middle of a pair. */
struct sw_place sw_code_entry(struct sw_code *code, struct peer_random *random);
/* The same, in the instruction set of from. */
struct sw_place sw_code_entry_like(struct sw_code *code, struct peer_random *random,
                                   struct sw_place from);

#endif
