/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions for people: their text. Nothing is decided by it. */
#ifndef CAIRN_CODE_H
#define CAIRN_CODE_H

#include <cairn/isa.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A disassembler that uses LLVM, 14 or later, where the machine has it. The library is loaded at the
 * first text that only it has, since that costs 20 to 60 ms and 50 MB, and then stays loaded. One
 * thread. */
struct cairn_disasm;

/* NULL when memory is short; the other calls take that and do without LLVM. */
CAIRN_API struct cairn_disasm *cairn_disasm_new(void);
CAIRN_API void cairn_disasm_free(struct cairn_disasm *disasm); /* NULL is fine */

/* Whether LLVM is there; loads it. */
CAIRN_API bool cairn_disasm_has_names(struct cairn_disasm *disasm);

/* The library that is used, as "LLVM 19.1.7", and loads it; NULL: there is none. Valid as long as the
 * disassembler. */
CAIRN_API const char *cairn_disasm_name(struct cairn_disasm *disasm);

/* Writes the instruction as `mnemonic operands`, one space between and no tab, cut at `size` bytes
 * and terminated. What a direct branch, an ADR or an A64 literal load refers to is printed as an
 * absolute address, 0x and hexadecimal digits. Branches, calls, returns, exception calls, barriers,
 * hints, IT and transactions are this library's own text, in the same form; of others, where LLVM is
 * missing or does not know the opcode, `.inst 0x` and 8 digits, in T32 `.inst.n 0x` and 4 or
 * `.inst.w 0x` and 8. Instructions of an IT block are printed as outside of one. `insn`:
 * cairn_space_insn classifies what an image has. */
CAIRN_API void cairn_disassemble(struct cairn_disasm *disasm, const struct cairn_arch *arch,
                                 enum cairn_isa isa, uint64_t address,
                                 const struct cairn_insn *insn, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
