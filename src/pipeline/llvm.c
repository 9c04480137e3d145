/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/llvm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* LLVM 13 and older print less of A64, and no system that still lives has them only. */
#define OLDEST 14
/* A release comes every half year. A version that does not exist yet costs a look at the linker's
 * cache. */
#define NEWEST 34
#define PATH_SIZE 48

typedef void llvm_initialize(void);
typedef void llvm_version(unsigned *major, unsigned *minor, unsigned *patch); /* from LLVM 16 on */

static bool initialize_targets(void *library)
{
    static const char *const names[] = {
        "LLVMInitializeAArch64TargetInfo",   "LLVMInitializeAArch64TargetMC",
        "LLVMInitializeAArch64Disassembler", "LLVMInitializeARMTargetInfo",
        "LLVMInitializeARMTargetMC",         "LLVMInitializeARMDisassembler"};
    enum { COUNT = sizeof names / sizeof *names };
    llvm_initialize *initialize[COUNT];

    for (size_t i = 0; i < COUNT; i++)
        if (!cairn_library_find(library, names[i], &initialize[i]))
            return false;
    for (size_t i = 0; i < COUNT; i++)
        initialize[i]();
    return true;
}

/* The major version that a library's file name has: "libLLVM-14.so.1", "libLLVM.so.19.1". 0: none. */
static unsigned version_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t digits = strcspn(name, "0123456789");

    return (unsigned)strtoul(name + digits, NULL, 10);
}

/* Takes the library if it is fit. */
static bool take(void *library, const char *path, struct cairn_llvm *llvm)
{
    struct cairn_llvm found = {.major = version_in(path)};
    llvm_version *version = NULL;

    if (cairn_library_find(library, "LLVMGetVersion", &version)) {
        unsigned minor = 0, patch = 0;

        version(&found.major, &minor, &patch);
        snprintf(found.name, sizeof found.name, "LLVM %u.%u.%u", found.major, minor, patch);
    } else {
        snprintf(found.name, sizeof found.name, "LLVM %u", found.major);
    }
    if (found.major < OLDEST ||
        !cairn_library_find(library, "LLVMCreateDisasmCPUFeatures", &found.create) ||
        !cairn_library_find(library, "LLVMSetDisasmOptions", &found.set_options) ||
        !cairn_library_find(library, "LLVMDisasmInstruction", &found.disassemble) ||
        !cairn_library_find(library, "LLVMDisasmDispose", &found.dispose) ||
        !initialize_targets(library))
        return false;
    *llvm = found;
    return true;
}

static bool open_one(const char *path, struct cairn_llvm *llvm)
{
    void *const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    return library && take(library, path, llvm);
}

/* LLVM's own names, those of Debian before 18, and what a developer's package has besides. */
static bool open_version(unsigned version, struct cairn_llvm *llvm)
{
    char paths[3][PATH_SIZE];

    snprintf(paths[0], sizeof paths[0], "libLLVM.so.%u.1", version);
    snprintf(paths[1], sizeof paths[1], "libLLVM-%u.so.1", version);
    snprintf(paths[2], sizeof paths[2], "libLLVM-%u.so", version);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (open_one(paths[i], llvm))
            return true;
    return false;
}

bool cairn_llvm_open(const char *const *names, struct cairn_llvm *llvm)
{
    if (names) {
        while (*names && !open_one(*names, llvm))
            names++;
        return *names != NULL;
    }
    for (unsigned version = NEWEST; version >= OLDEST; version--)
        if (open_version(version, llvm))
            return true;
    return open_one("libLLVM.so", llvm);
}

/* --- dialects --- */

/* A target of an architecture that a version does not know has no instructions, and a feature that
 * it does not know it names on standard error. So that each is asked for what it has: a row is of
 * its version and those behind it, up to the next row of the dialect. As permissive as they can be
 * made: which core it is matters little to a reader. Before Armv8 there were instructions that Armv8
 * took away (SWP, coprocessor accesses). */
#define A64_14                                                                                     \
    "+v9.3a,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme-f64,+sme-i64,+tme,+mte,+ls64," \
    "+hbc,+mops,+aes,+sha2,+sha3,+sm4,+fullfp16,+fp16fml,+f32mm,+f64mm,+bf16,+i8mm,+dotprod,+rme," \
    "+brbe,+ete,+trbe,+tracev8.4,+spe,+spe-eef,+rand,+predres,+sb,+ssbs,+pauth,+crc,+xs,+wfxt,"    \
    "+perfmon,+altnzcv,+flagm,+el2vmsa,+el3,+ccidx,+mpam,+am,+amvs,+fgt,+ecv,+hcx,+lor,+pan-rwv,"  \
    "+ccpp,+ccdp,+uaops,+dit,+sel2,+tlb-rmi,+bti,+specrestrict,+CONTEXTIDREL2"
#define V8_14                                                                                      \
    "+fp-armv8,+neon,+crypto,+crc,+fullfp16,+fp16fml,+dotprod,+bf16,+i8mm,+ras,+sb,+dsp,+hwdiv,"   \
    "+hwdiv-arm,+mp,+virtualization,+trustzone"
#define V8_16 V8_14 ",+clrbhb"
#define V7                                                                                         \
    "+vfp4,+neon,+fp16,+dsp,+hwdiv,+hwdiv-arm,+mp,+virtualization,+trustzone,+perfmon,+v7clrex"
#define V81M "+mve.fp,+fp-armv8d16,+fp64,+fullfp16,+lob,+pacbti,+dsp,+8msecext,+hwdiv"

static const struct {
    enum cairn_llvm_dialect dialect;
    unsigned since;
    const char *triple;
    const char *features;
} rows[] = {
    {CAIRN_LLVM_A64, 14, "aarch64-none-elf", A64_14},
    {CAIRN_LLVM_A64, 15, "aarch64-none-elf", "+all"},
    {CAIRN_LLVM_A32, 14, "armv9.3a-none-eabi", V8_14},
    {CAIRN_LLVM_A32, 16, "armv9.4a-none-eabi", V8_16},
    {CAIRN_LLVM_A32, 19, "armv9.5a-none-eabi", V8_16},
    {CAIRN_LLVM_A32, 22, "armv9.6a-none-eabi", V8_16},
    {CAIRN_LLVM_A32_V7, 14, "armv7a-none-eabi", V7},
    {CAIRN_LLVM_T32, 14, "thumbv9.3a-none-eabi", V8_14},
    {CAIRN_LLVM_T32, 16, "thumbv9.4a-none-eabi", V8_16},
    {CAIRN_LLVM_T32, 19, "thumbv9.5a-none-eabi", V8_16},
    {CAIRN_LLVM_T32, 22, "thumbv9.6a-none-eabi", V8_16},
    {CAIRN_LLVM_T32_V7, 14, "thumbv7a-none-eabi", V7},
    {CAIRN_LLVM_T32_M, 14, "thumbv8.1m.main-none-eabi", V81M},
};

void *cairn_llvm_context(const struct cairn_llvm *llvm, enum cairn_llvm_dialect dialect)
{
    void *context = NULL;

    for (size_t i = sizeof rows / sizeof rows[0]; i-- > 0;) {
        if (rows[i].dialect != dialect || rows[i].since > llvm->major)
            continue;
        context = llvm->create(rows[i].triple, "", rows[i].features, NULL, 0, NULL, NULL);
        break;
    }
    if (context)
        llvm->set_options(context, CAIRN_LLVM_PRINT_IMMEDIATES_IN_HEX);
    return context;
}
