/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of one instruction, for people to read. Nothing is decided by it. */
#ifndef CAIRN_REPORT_DISASM_H
#define CAIRN_REPORT_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/isa.h>

/* A disassembler that uses LLVM 19 where the machine has it. The library is loaded at the first
 * text, since that costs 60 ms and 50 MB, and then stays loaded. One thread. */
struct cairn_disasm;

/* NULL when memory is short; the other calls take that and print opcodes. */
struct cairn_disasm *cairn_disasm_new(void);

/* As cairn_disasm_new, with the names under which the dynamic linker is asked for LLVM, NULL behind
 * the last; none of them there means opcodes. */
struct cairn_disasm *cairn_disasm_new_from(const char *const *libraries);
void cairn_disasm_free(struct cairn_disasm *disasm); /* NULL is fine */

/* Whether LLVM is there; loads it. */
bool cairn_disasm_has_names(struct cairn_disasm *disasm);

/* Writes the instruction as `mnemonic operands`, one space between and no tab, cut at `size` bytes
 * and terminated. What a direct branch, an ADR or an A64 literal load refers to is printed as an
 * absolute address, 0x and hexadecimal digits. Where LLVM is missing or does not know the opcode:
 * `.inst 0x` and 8 digits, in T32 `.inst.n 0x` and 4 or `.inst.w 0x` and 8.
 *
 * The text depends on the arguments only, never on earlier calls: instructions of an IT block are
 * printed as outside of one, unless cairn_disasm_in_it says otherwise. */
void cairn_disasm_text(struct cairn_disasm *disasm, const struct cairn_arch *arch,
                       enum cairn_isa isa, uint64_t address, const struct cairn_insn *insn,
                       char *text, size_t size);

/* The next text is of a T32 instruction under this ITSTATE (Arm ARM; 0: outside a block). */
void cairn_disasm_in_it(struct cairn_disasm *disasm, uint8_t it);

/* The ITSTATE of the T32 instruction behind `size` bytes of code, as it is when that code was run
 * from the top: looks back at most 14 bytes for the IT instruction that covers it. `bytes` are
 * halfwords in little endian; the more of them (32 are enough for most code), the surer. */
uint8_t cairn_disasm_it_behind(const uint8_t *bytes, size_t size);

#endif
