/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU plugin that is as plain as can be: each instruction that a core is about to execute, once some core has come to an
 * address, as eight bytes of a file, in the machine's order; the core in bits 63:56. It shares no code with what records, not
 * even the declarations of QEMU's interface. An instruction that faults is told before, and again when it is executed after
 * all.
 *
 * -plugin everything.so,out=FILE[,from=ADDRESS]     without an address from the first one on */
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
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

VISIBLE int qemu_plugin_version = 1;
VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static uintptr_t from;
static bool began = true;

static void told(unsigned cpu, void *address)
{
    const uint64_t word = (uint64_t)cpu << 56 | ((uintptr_t)address & ADDRESS);

    if (!began && (uintptr_t)address != from)
        return;
    pthread_mutex_lock(&lock);
    began = true;
    if (out)
        fwrite(&word, sizeof word, 1, out);
    pthread_mutex_unlock(&lock);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);

        qemu_plugin_register_vcpu_insn_exec_cb(insn, told, 0,
                                               (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
    }
}

/* Another core may still go on. */
static void ended(uint64_t id, void *data)
{
    (void)id, (void)data;
    pthread_mutex_lock(&lock);
    fclose(out);
    out = NULL;
    pthread_mutex_unlock(&lock);
}

VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            out = fopen(argv[i] + 4, "wb");
        if (!strncmp(argv[i], "from=", 5)) {
            from = (uintptr_t)strtoull(argv[i] + 5, NULL, 0);
            began = false;
        }
    }
    if (!out)
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
