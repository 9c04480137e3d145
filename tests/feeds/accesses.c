/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU plugin that lists every access to memory of an AArch32 program's only thread: what data
 * trace must equal. It shares no code with the recorder, not even the declarations of QEMU's
 * interface.
 *
 * -plugin accesses.so,out=FILE     a line an access: INSTRUCTION ADDRESS BYTES, and "-" in front of
 * the first of each instruction that was executed. BYTES are those in memory behind the access,
 * lowest address first; of a machine's devices only how many, as "??". */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct info; /* not looked at */

extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t,
                                                  void (*)(uint64_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                                   void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                             void (*)(unsigned, uint32_t, uint64_t, void *), int,
                                             int, void *);
extern void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern unsigned qemu_plugin_mem_size_shift(uint32_t);
/* QEMU's, in user mode: where the program's address 0 is. A machine is read from as a debugger
 * would. */
extern uintptr_t guest_base __attribute__((weak));
extern void cpu_physical_memory_rw(uint64_t, void *, uint64_t, bool) __attribute__((weak));
struct qemu_plugin_hwaddr;
extern struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t, uint64_t);
extern bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *);

VISIBLE int qemu_plugin_version = 1;
VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv);

static FILE *out;
static bool fresh; /* an instruction began */

static void told(unsigned cpu, void *address)
{
    (void)cpu, (void)address;
    fresh = true;
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *insn)
{
    const unsigned size = 1u << qemu_plugin_mem_size_shift(info);
    unsigned char bytes[16] = {0};
    bool is_device = false;

    (void)cpu;
    if (!out)
        return;
    if (&guest_base) {
        memcpy(bytes, (const void *)(uintptr_t)(guest_base + address), size);
    } else {
        is_device = qemu_plugin_hwaddr_is_io(qemu_plugin_get_hwaddr(info, address));
        if (!is_device)
            cpu_physical_memory_rw(address, bytes, size, false);
    }
    fprintf(out, "%s%llx %llx ", fresh ? "-" : "", (unsigned long long)(uintptr_t)insn,
            (unsigned long long)address);
    for (unsigned i = 0; i < size; i++)
        is_device ? fputs("??", out) : fprintf(out, "%02x", bytes[i]);
    fputc('\n', out);
    fresh = false;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);

        qemu_plugin_register_vcpu_insn_exec_cb(insn, told, 0, NULL);
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, 0, 3, address);
    }
}

static void ended(uint64_t id, void *data)
{
    (void)id, (void)data;
    if (out)
        fclose(out);
}

VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], "out=", 4))
            out = fopen(argv[i] + 4, "w");
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
