/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction fetch: an address in a space -> a classified instruction. */
#ifndef CAIRN_FLOW_FETCH_H
#define CAIRN_FLOW_FETCH_H

#include <cairn/image.h>
#include <cairn/isa.h>

#define CAIRN_FETCH_KEPT 4u
#define CAIRN_FETCH_ABSENT 8u
#define CAIRN_FETCH_MEMORIES 4u

/* Windows of one memory. A program goes back and forth between a few files, and to find one is more
 * work than to read an instruction. */
struct cairn_fetch_memory {
    uint64_t number;                            /* 0: nobody's */
    struct cairn_window last;                   /* that was used when another memory was selected */
    struct cairn_window kept[CAIRN_FETCH_KEPT]; /* used before it */
};

/* What was found of a space's selections: a trace goes back and forth between a few of these, too. */
struct cairn_fetch {
    const struct cairn_space *space;
    struct cairn_arch arch;
    struct cairn_window window; /* that the last fetch used; .size 0 when there is none */
    struct cairn_fetch_memory memories[CAIRN_FETCH_MEMORIES];
    unsigned memory;                     /* selected now */
    unsigned next_kept;                  /* to be given up */
    uint64_t absent[CAIRN_FETCH_ABSENT]; /* where no memory is, by address */
    uint8_t absent_known;                /* a bit each: there is one */
};

/* To be called when the space's selection changes. Two selections have the same number, not 0, only
 * if they are of the same memory. */
void cairn_fetch_select(struct cairn_fetch *fetch, uint64_t number);

/* Byte order of fetch: BE32 memory (CAIRN_ORDER_BE32) has each unit of an instruction with its highest
 * byte first; elsewhere instructions are little endian. */
void cairn_fetch_reorder(enum cairn_isa isa, uint8_t *bytes, size_t size);

/* The instruction at `address`; its size in bytes, or 0 when the image does not have all of it. */
unsigned cairn_fetch_insn(struct cairn_fetch *fetch, enum cairn_isa isa, uint64_t address,
                          struct cairn_insn *insn);

/* Whether the image has this A64 instruction there; false also where it would take a search for its bytes. */
bool cairn_fetch_is(const struct cairn_fetch *fetch, uint64_t address, uint32_t opcode);

#endif
