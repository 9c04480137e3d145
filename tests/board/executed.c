/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU plugin that is as plain as can be: each instruction of a range of addresses that a core is about to execute, as
 * eight bytes of a file, in the machine's order; the core in bits 63:56. It shares no code with the board's plugin, not even
 * the declarations of QEMU's interface.
 *
 * -plugin executed.so,out=FILE,first=ADDRESS,last=ADDRESS[,kernel=NUMBER,entry=ADDRESS,times=NUMBER]
 *
 * kernel: so many of addresses with bit 63 set, too, from soon behind each of the first `times` times on that `entry` is
 * executed; of a machine with one core. Its instructions have a callback only where they are wanted, for which all code is
 * translated anew. An instruction that faults is told before, and again when it is executed after all. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS ((UINT64_C(1) << 56) - 1)
#define VISIBLE __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct info; /* not looked at */

extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t,
                                                  void (*)(uint64_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                                   void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
extern void qemu_plugin_reset(uint64_t, void (*)(uint64_t));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

VISIBLE int qemu_plugin_version = 1;
VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static uint64_t first, last, kernel, entry, times;
static uint64_t left; /* of the kernel's */
static uint64_t plugin;
static bool is_wanted; /* the kernel's instructions have callbacks */

static void begin(uint64_t id);

/* Once all vCPUs have come out of what is translated. */
static void want_kernel(bool wanted)
{
    if (is_wanted == wanted)
        return;
    is_wanted = wanted;
    qemu_plugin_reset(plugin, begin);
}

static void told(unsigned cpu, void *address)
{
    const uint64_t word = (uint64_t)cpu << 56 | ((uintptr_t)address & ADDRESS);
    const bool of_kernel = (uint64_t)(uintptr_t)address >> 63;

    if (of_kernel && left == 0)
        return;
    pthread_mutex_lock(&lock);
    left -= of_kernel;
    if (kernel > 0 && times > 0 && (uintptr_t)address == entry) {
        left = kernel;
        times--;
        want_kernel(true);
    }
    fwrite(&word, sizeof word, 1, out);
    if (left == 0 && times == 0)
        want_kernel(false);
    pthread_mutex_unlock(&lock);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);

    (void)id;
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        const uint64_t address = qemu_plugin_insn_vaddr(insn);

        if ((address >= first && address <= last) || (is_wanted && address >> 63))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, told, 0, (void *)(uintptr_t)address);
    }
}

static void ended(uint64_t id, void *data)
{
    (void)id, (void)data;
    fclose(out);
}

static void begin(uint64_t id)
{
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
}

VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
    (void)info;
    plugin = id;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            out = fopen(argv[i] + 4, "wb");
        if (!strncmp(argv[i], "first=", 6))
            first = strtoull(argv[i] + 6, NULL, 0);
        if (!strncmp(argv[i], "last=", 5))
            last = strtoull(argv[i] + 5, NULL, 0);
        if (!strncmp(argv[i], "kernel=", 7))
            kernel = strtoull(argv[i] + 7, NULL, 0);
        if (!strncmp(argv[i], "entry=", 6))
            entry = strtoull(argv[i] + 6, NULL, 0);
        if (!strncmp(argv[i], "times=", 6))
            times = strtoull(argv[i] + 6, NULL, 0);
    }
    if (!out)
        return 1;
    begin(id);
    return 0;
}
