/* SPDX-License-Identifier: BSD-2-Clause */
/* What a random program did, as it was told to the ETMv3 model, and as its trace has it. */
#ifndef CAIRN_TESTS_UNIT_ETMV3_HISTORY_H
#define CAIRN_TESTS_UNIT_ETMV3_HISTORY_H

#include "etmv3_bench.h"
#include "etmv3_program.h"

#define LIST 8192u
#define WORD 4u

/* `insn` of transfers that belong to none: the core stacks by itself, or the instruction was taken
 * back when some of its transfers were done. */
#define MOVED_BY_ENTRY SIZE_MAX
#define MOVED_BY_RETURN (SIZE_MAX - 1)
#define MOVED_BY_CANCELLED (SIZE_MAX - 2)

#define TYPE_RETURN 0x1000u /* `type` of an exception return */

struct executed {
    uint32_t address; /* bit 0: Thumb */
    bool passed;
    bool uncertain; /* what took it back may be lost */
    bool implied;   /* by an LSiP I-sync, which has no cycle for it */
    uint32_t context_id;
    uint8_t security;
    uint64_t cycles; /* told up to here */
};

struct moved {
    uint32_t address, value;
    size_t insn; /* in the list of what was executed */
    bool known;  /* its value */
    uint64_t packet;
};

struct taken {
    size_t insn; /* in front of this one */
    unsigned type;
};

struct history {
    size_t insns, moves, exceptions;
    size_t aborts;  /* of loads and stores that were traced */
    size_t implied; /* instructions */
    struct executed insn[LIST];
    struct moved move[LIST];
    struct taken exception[LIST];
};

extern struct program program;
extern struct history told, seen;
extern struct setting setting;
extern cairn_unit_watch *tell_watch; /* NULL, or who sees what the model generates */

struct setting {
    uint32_t id, control;
    bool filters; /* ETMTECR1 includes the first half of each program only */
    bool by_data; /* or what follows a transfer to some addresses */
    bool cycles, value, address;
    bool coprocessor, coprocessor_viewed;               /* has data; if ViewData allows it */
    enum { VIEW_ALL, VIEW_INCLUDE, VIEW_EXCLUDE } view; /* ViewData: addresses of data */
    bool m_profile;
    bool aborts; /* loads and stores may end in one */
    uint32_t context_mask;
};

/* Tells the bench's model of a program, up to when it is disabled. `what` may be in it: */
#define TELL_CYCLES (1u << 0)
#define TELL_DATA (1u << 1)
#define TELL_M_PROFILE (1u << 2)
#define TELL_TOO_MUCH (1u << 3)    /* the FIFO overflows */
#define TELL_NO_EXCHANGE (1u << 4) /* direct branches keep the instruction set */
#define TELL_NO_CANCEL (1u << 5)
/* A and R profiles: ETMv3.0 to v3.2. With TELL_NO_CANCEL, as up to v3.1 it is the handler's address
 * that tells a Data Abort, and a program's handlers are anywhere. */
#define TELL_OLD (1u << 6)
#define TELL_DATA_ONLY (1u << 7) /* no instructions: ETMCR[20] */
void tell_program(uint64_t seed, unsigned what);

/* Fails where no instruction begins. */
const struct program_insn *insn_at(uint32_t address);
/* The bench's trace -> `seen`, by packets, elements and the resolver. */
void see(void);
/* The program's bytes. */
struct cairn_image *program_image(void);
/* The flow that the trace and the program's bytes give is what was told. */
void expect_flow(void);

#endif
