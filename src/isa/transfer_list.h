/* SPDX-License-Identifier: BSD-2-Clause */
/* What the lists of transfers of A32 and T32 share: adding to a list. */
#ifndef CAIRN_ISA_TRANSFER_LIST_H
#define CAIRN_ISA_TRANSFER_LIST_H

#include "isa/insn.h"

enum { CAIRN_BYTE = 1, CAIRN_HALFWORD = 2, CAIRN_WORD = 4, CAIRN_REG_PC = 15 };

/* A list in the making: what is said about all of it, and the list. */
struct cairn_transfer_draft {
    const struct cairn_arch *arch;
    uint32_t order; /* CAIRN_TRANSFERS_PC_FIRST ... */
    struct cairn_transfers *out;
};

/* CAIRN_TRANSFER_LOAD if `load` is 1. */
static inline uint8_t cairn_memory_kind(uint32_t load)
{
    return load ? CAIRN_TRANSFER_LOAD : CAIRN_TRANSFER_STORE;
}

/* Nothing is known: what is in the list is dropped. */
void cairn_transfers_unknown(struct cairn_transfer_draft *draft);

/* One more; beyond CAIRN_TRANSFERS_MAX the list is UNKNOWN. */
void cairn_transfers_add(struct cairn_transfer_draft *draft, struct cairn_transfer transfer);

/* One transfer of a core register at the lowest address. */
void cairn_transfers_core(struct cairn_transfer_draft *draft, uint8_t kind, uint8_t size,
                          uint32_t number);

/* Two words, first the register at the lower address. */
void cairn_transfers_pair(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t first,
                          uint32_t second);

/* LDM, STM: words in the order of the registers' numbers. */
void cairn_transfers_multiple(struct cairn_transfer_draft *draft, uint8_t kind, uint32_t registers);

void cairn_transfers_swap(struct cairn_transfer_draft *draft, uint8_t size, uint32_t loaded,
                          uint32_t stored);
void cairn_transfers_rfe(struct cairn_transfer_draft *draft);
void cairn_transfers_srs(struct cairn_transfer_draft *draft);

/* Bits 27:25 110, and bits 27:24 1110 with bit 4: the same in A32 and T32 (T32: word >> 29 is 7).
 */
void cairn_coprocessor_memory(struct cairn_transfer_draft *draft, uint32_t word);
void cairn_coprocessor_register(struct cairn_transfer_draft *draft, uint32_t word);

/* VLDn, VSTn: bits 23 and 21:0 are the same in A32 and T32. */
void cairn_element_transfers(struct cairn_transfer_draft *draft, uint32_t word);

void cairn_a32_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn);
void cairn_t16_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn);
void cairn_t32_list(struct cairn_transfer_draft *draft, const struct cairn_insn *insn);

#endif
