/* SPDX-License-Identifier: BSD-2-Clause */
/* LLVM's disassembler through its C interface, out of whichever version of the library is there. */
#ifndef CAIRN_PIPELINE_LLVM_H
#define CAIRN_PIPELINE_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of the interface that is used, declared here so that a build needs no LLVM. It is the
 * same in every version from 14 on. */
typedef void *cairn_llvm_create(const char *triple, const char *cpu, const char *features,
                                void *info, int tag_type, void *op_info, void *symbol_lookup);
typedef int cairn_llvm_set_options(void *context, uint64_t options);
typedef size_t cairn_llvm_disassemble(void *context, uint8_t *bytes, uint64_t size,
                                      uint64_t address, char *text, size_t text_size);
typedef void cairn_llvm_dispose(void *context);

#define CAIRN_LLVM_PRINT_IMMEDIATES_IN_HEX 2

/* One context each: what an opcode is depends on these. */
enum cairn_llvm_dialect {
    CAIRN_LLVM_A64,
    CAIRN_LLVM_A32,
    CAIRN_LLVM_A32_V7,
    CAIRN_LLVM_T32,
    CAIRN_LLVM_T32_V7,
    CAIRN_LLVM_T32_M,
    CAIRN_LLVM_DIALECTS,
};

#define CAIRN_LLVM_NAME 64

struct cairn_llvm {
    cairn_llvm_create *create;
    cairn_llvm_set_options *set_options;
    cairn_llvm_disassemble *disassemble;
    cairn_llvm_dispose *dispose;
    unsigned major;
    char name[CAIRN_LLVM_NAME]; /* "LLVM 19.1.7", "LLVM 14" */
};

/* Opens the first library of `names` (ended by NULL) that has all of this and is LLVM 14 or later,
 * and passes over the others. `names` NULL: what distributions call it, the newest first. A library
 * that was opened is never closed: it registers targets and exit handlers of its own. False: there
 * is none, and *llvm is untouched. */
bool cairn_llvm_open(const char *const *names, struct cairn_llvm *llvm);

/* A context for a dialect, with what this version knows of it; NULL: it knows nothing of it. Ends
 * by llvm->dispose. */
void *cairn_llvm_context(const struct cairn_llvm *llvm, enum cairn_llvm_dialect dialect);

#endif
