/* SPDX-License-Identifier: BSD-2-Clause */
/* What a disassembler's text says about an instruction, in the terms of cairn/isa.h: an opinion
 * that owes nothing to src/isa. It reads LLVM 19's mnemonics and operands. */
#ifndef TESTS_ISA_ORACLE_H
#define TESTS_ISA_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/isa.h>

struct oracle {
    uint8_t kind;    /* enum cairn_insn_kind */
    uint8_t cond;    /* of branches, ISB and WFX */
    uint32_t flags;  /* all but CAIRN_INSN_NEVER_N */
    uint64_t target; /* of direct branches */
    uint8_t target_isa;
};

/* `text` is what LLVM printed for the instruction at `address`; "" where it knows none. */
struct oracle oracle_read(enum cairn_isa isa, uint64_t address, const char *text);

/* After this instruction LLVM's T32 decoder remembers an IT or VPT block. */
bool oracle_opens_block(const char *text);

#endif
