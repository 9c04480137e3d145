/* SPDX-License-Identifier: BSD-2-Clause */
/* LLVM 19's disassembler through its C API, loaded at run time: the tests build without it. */
#ifndef TESTS_ISA_LLVM_DISASM_H
#define TESTS_ISA_LLVM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct llvm_disasm; /* one disassembler; not for two threads at once */

/* Loads the library and its two Arm targets. False: it is not installed. */
bool llvm_load(void);

/* NULL if LLVM does not know the target. */
struct llvm_disasm *llvm_disasm_new(const char *triple, const char *features);
void llvm_disasm_free(struct llvm_disasm *disasm);

/* Bytes of the instruction, or 0 where LLVM knows none; text is "" then. */
size_t llvm_disasm_text(struct llvm_disasm *disasm, uint64_t address, uint8_t *bytes, size_t size,
                        char *text, size_t text_size);

#endif
