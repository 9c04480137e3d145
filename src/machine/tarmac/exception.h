/* SPDX-License-Identifier: BSD-2-Clause */
/* What a log shows of an exception, into what an Exception element tells: the type (DDI0608 D3.5)
 * and the preferred return address (D2.2.2.1). */
#ifndef CAIRN_MACHINE_TARMAC_EXCEPTION_H
#define CAIRN_MACHINE_TARMAC_EXCEPTION_H

#include "machine/tarmac/tarmac.h"

enum cairn_tarmac_cause {
    CAIRN_TARMAC_NO_CAUSE = 0, /* an event that is no exception */
    CAIRN_TARMAC_RESET,
    CAIRN_TARMAC_IRQ,
    CAIRN_TARMAC_FIQ,
    CAIRN_TARMAC_SERROR,
    CAIRN_TARMAC_SYNC, /* the syndrome register tells which, or the instruction */
    CAIRN_TARMAC_CALL,
    CAIRN_TARMAC_UNDEFINED,
    CAIRN_TARMAC_PREFETCH,
    CAIRN_TARMAC_DATA,
};

/* An exception that was taken, and the registers that it wrote. */
struct cairn_tarmac_exception {
    uint8_t cause; /* enum cairn_tarmac_cause */
    bool to_a32;   /* taken to AArch32 state */
    bool has_address, has_elr, has_link, has_esr, has_spsr;
    uint8_t esr_el;   /* of the register that `esr` is from */
    uint64_t address; /* where the log says that it was taken */
    uint64_t elr;     /* ELR_ELx, ELR_hyp: the preferred return address itself */
    uint64_t link;    /* r14 of an AArch32 mode: beyond it, by the cause's offset */
    uint64_t esr;
    uint64_t spsr;
};

/* The instruction that was listed last before it. */
struct cairn_tarmac_before {
    bool exists;
    bool may_stay; /* a branch that may lead to itself */
    bool aborted;  /* one of its memory accesses, or its fetch, or the line says it */
    uint8_t isa;
    uint8_t size; /* 0: unknown opcode */
    uint32_t opcode;
    uint64_t address;
    bool has_next; /* `next`: where it leads, as far as it can be known from it alone */
    uint64_t next;
};

struct cairn_tarmac_outcome {
    uint8_t type;     /* CAIRN_EXCEPTION_... */
    uint8_t isa;      /* at `address` */
    bool executed;    /* the instruction before it was */
    bool has_address; /* false: nothing tells the return address */
    uint64_t address;
};

/* What an Event record stands for. *to_a32 where its name tells. */
enum cairn_tarmac_cause cairn_tarmac_cause(const struct cairn_tarmac_record *record, bool *to_a32);

/* Notes a register write behind the exception, if it is one of those that tell something. */
void cairn_tarmac_exception_register(struct cairn_tarmac_exception *exception,
                                     const struct cairn_tarmac_record *record);

void cairn_tarmac_exception_resolve(const struct cairn_tarmac_exception *exception,
                                    const struct cairn_tarmac_before *before,
                                    struct cairn_tarmac_outcome *outcome);

/* SVC, HVC or SMC. */
bool cairn_tarmac_is_call(uint8_t isa, uint32_t opcode);

/* True when the register has this name; case is ignored. */
bool cairn_tarmac_register_is(const struct cairn_tarmac_record *record, const char *name);

#endif
