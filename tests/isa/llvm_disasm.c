/* SPDX-License-Identifier: BSD-2-Clause */
#include "llvm_disasm.h"

#include <dlfcn.h>

/* llvm-c/Disassembler.h, in the few shapes that are needed. */
static struct {
    void *(*create)(const char *triple, const char *cpu, const char *features, void *info,
                    int tag_type, void *get_op_info, void *look_up);
    size_t (*instruction)(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
                          size_t text_size);
    void (*dispose)(void *context);
} llvm;

static bool resolve(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

static bool initialise(void *library)
{
    static const char *const names[] = {
        "LLVMInitializeAArch64TargetInfo",   "LLVMInitializeAArch64TargetMC",
        "LLVMInitializeAArch64Disassembler", "LLVMInitializeARMTargetInfo",
        "LLVMInitializeARMTargetMC",         "LLVMInitializeARMDisassembler"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void (*function)(void) = NULL;
        if (!resolve(library, names[i], &function))
            return false;
        function();
    }
    return true;
}

bool llvm_load(void)
{
    static const char *const names[] = {"libLLVM.so.19.1", "libLLVM-19.so", "libLLVM-19.so.1",
                                        "/usr/lib/llvm-19/lib/libLLVM-19.so"};
    void *library = NULL;

    for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library != NULL && initialise(library) &&
           resolve(library, "LLVMCreateDisasmCPUFeatures", &llvm.create) &&
           resolve(library, "LLVMDisasmInstruction", &llvm.instruction) &&
           resolve(library, "LLVMDisasmDispose", &llvm.dispose);
}

struct llvm_disasm *llvm_disasm_new(const char *triple, const char *features)
{
    return llvm.create(triple, "", features, NULL, 0, NULL, NULL);
}

void llvm_disasm_free(struct llvm_disasm *disasm)
{
    llvm.dispose(disasm);
}

size_t llvm_disasm_text(struct llvm_disasm *disasm, uint64_t address, uint8_t *bytes, size_t size,
                        char *text, size_t text_size)
{
    text[0] = '\0';

    const size_t length = llvm.instruction(disasm, bytes, size, address, text, text_size);

    if (length == 0)
        text[0] = '\0';
    return length;
}
