/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction fetch: an address in a space -> a classified instruction. */
#ifndef CAIRN_FLOW_FETCH_H
#define CAIRN_FLOW_FETCH_H

#include <cairn/image.h>
#include <cairn/isa.h>

#define CAIRN_FETCH_KEPT 4u
#define CAIRN_FETCH_ABSENT 8u

/* What was found of a space's selection. A program goes back and forth between a few files, and to
 * find one is more work than to read an instruction. */
struct cairn_fetch {
    const struct cairn_space *space;
    struct cairn_arch arch;
    struct cairn_window window; /* that the last fetch used; .size 0 when there is none */
    struct cairn_window kept[CAIRN_FETCH_KEPT]; /* used before it */
    unsigned next_kept;                         /* to be given up */
    uint64_t absent[CAIRN_FETCH_ABSENT];        /* where no memory is, by address */
    uint8_t absent_known;                       /* a bit each: there is one */
};

/* To be called when the space's selection changes. */
static inline void cairn_fetch_forget(struct cairn_fetch *fetch)
{
    fetch->window.size = 0;
    for (unsigned i = 0; i < CAIRN_FETCH_KEPT; i++)
        fetch->kept[i].size = 0;
    fetch->absent_known = 0;
}

/* The instruction at `address`; its size in bytes, or 0 when the image does not have all of it. */
unsigned cairn_fetch_insn(struct cairn_fetch *fetch, enum cairn_isa isa, uint64_t address,
                          struct cairn_insn *insn);

#endif
