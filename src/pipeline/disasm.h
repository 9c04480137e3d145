/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of one instruction, for people to read. Nothing is decided by it. */
#ifndef CAIRN_PIPELINE_DISASM_H
#define CAIRN_PIPELINE_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/code.h>

/* As cairn_disasm_new, with the names under which the dynamic linker is asked for LLVM, NULL behind
 * the last; none of them there means opcodes. */
struct cairn_disasm *cairn_disasm_new_from(const char *const *libraries);

/* Whether a text was asked for that only LLVM has, and LLVM is not there; loads nothing. */
bool cairn_disasm_lacked_names(const struct cairn_disasm *disasm);

/* The next text, and no other, is of a T32 instruction under this ITSTATE (Arm ARM; 0: outside a
 * block). */
void cairn_disasm_in_it(struct cairn_disasm *disasm, uint8_t it);

/* The ITSTATE of the T32 instruction behind `size` bytes of code, as it is when that code was run
 * from the top: looks back at most 14 bytes for the IT instruction that covers it. `bytes` are
 * halfwords in little endian; the more of them (32 are enough for most code), the surer. */
uint8_t cairn_disasm_it_behind(const uint8_t *bytes, size_t size);

#endif
