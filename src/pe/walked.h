/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of translation tables in the caller's memory that the Trace Buffer Unit's walks have read, and whether they
 * are still there: tables that change while trace is on its way to the pages they describe (R_MRVPT). */
#ifndef CAIRN_PE_WALKED_H
#define CAIRN_PE_WALKED_H

#include <stdbool.h>
#include <stdint.h>

/* Of two stages with four levels each, a walk reads 24: what several pages take. The oldest go first, and are compared
 * once more then. */
#define CAIRN_PE_WALKED_MOST 128u

struct cairn_pe_walked_word {
    uint64_t address;
    uint64_t value;
    uint64_t VA;        /* of the page that it was last read for */
    uint64_t operation; /* the youngest that wrote there */
    uint8_t security;   /* enum cairn_security */
    bool is_there;      /* else an External abort */
};

struct cairn_pe_walked {
    struct cairn_pe_walked_word words[CAIRN_PE_WALKED_MOST];
    unsigned count, next;
    uint64_t VA, operation; /* of the write that is under way */
};

struct cairn_pe;
/* A trace operation writes at that address: what was read for its page before is compared first. */
void cairn_pe_walked_use(struct cairn_pe *pe, uint64_t VA, uint64_t operation);
/* And reads this for it. */
void cairn_pe_walked_add(struct cairn_pe *pe, const struct cairn_pe_walked_word *word);
/* All that was read is read again, and a difference told: software has come to a barrier, or to TLB maintenance. */
void cairn_pe_walked_check(struct cairn_pe *pe);

#endif
