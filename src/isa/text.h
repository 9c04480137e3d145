/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of the instructions that src/isa knows: what decides the flow, and what its neighbours in
 * the encoding are (exception calls, barriers, hints, transactions, IT). Mnemonics and operands are
 * written as LLVM's disassembler has them, so that a listing reads the same with it and without. */
#ifndef CAIRN_ISA_TEXT_H
#define CAIRN_ISA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/isa.h>

/* Writes `mnemonic operands`, cut at `size` bytes and terminated; what the instruction names
 * relative to itself as an absolute address, 0x and hexadecimal digits. `insn` is what
 * cairn_insn_decode said of it under the same `arch` and `isa`; `it` is the ITSTATE under which it
 * runs (T32; else 0). False for all other instructions, and then nothing is written. */
bool cairn_insn_text(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                     const struct cairn_insn *insn, uint8_t it, char *text, size_t size);

/* --- what the texts of the three instruction sets share --- */

struct cairn_text {
    char *start;
    size_t size;
    size_t length; /* what was written, the terminator not counted; cut at size - 1 */
};

void cairn_text_put(struct cairn_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* " 0x8000": an absolute address as an operand. */
void cairn_text_target(struct cairn_text *text, uint64_t target);

/* "eq" ... "le", "al", "nv". */
const char *cairn_text_condition(unsigned cond);

/* The same, as a suffix of an AArch32 mnemonic: "" for AL and what is above. */
const char *cairn_text_suffix(unsigned cond);

/* "r0" ... "r12", "sp", "lr", "pc". */
const char *cairn_text_r(unsigned number);

/* "{r4, pc}" of the 16 bits of a list. */
void cairn_text_list(struct cairn_text *text, uint32_t list);

/* The option of DSB and DMB, "ishst"; NULL where it has no name and is a number. */
const char *cairn_text_barrier(unsigned option);

/* One instruction set each; as cairn_insn_text. */
bool cairn_a64_text(uint64_t address, const struct cairn_insn *insn, struct cairn_text *text);
bool cairn_a32_text(const struct cairn_arch *arch, const struct cairn_insn *insn,
                    struct cairn_text *text);
bool cairn_t32_text(const struct cairn_arch *arch, const struct cairn_insn *insn, unsigned cond,
                    struct cairn_text *text);

/* The AArch32 hint of a number, "wfe"; NULL where it has no name. */
const char *cairn_text_hint(const struct cairn_arch *arch, uint32_t number);

/* AArch32 barriers: "dsb", "dmb", "isb" by bits 7:4 of the last halfword, and the option. */
void cairn_text_aarch32_barrier(const struct cairn_arch *arch, uint32_t word, const char *suffix,
                                struct cairn_text *text);

/* AArch32 MCR that is a barrier of before Armv7. */
void cairn_text_mcr(struct cairn_text *text, uint32_t word, unsigned cond);

#endif
