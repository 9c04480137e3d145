/* SPDX-License-Identifier: BSD-2-Clause */
/* A QEMU plugin that is as plain as can be: it is told of every instruction before it executes, and
 * keeps a count and a hash of the addresses, in order, for each thread. What a recording must
 * equal. It shares no code with the recorder, not even the declarations of QEMU's interface.
 *
 * -plugin addresses.so,out=FILE     a line a thread: COUNT HASH, and both as they were where the last
 *                                   block begins, in which the process's end found the thread (the
 *                                   same again, where that ends with SVC: it went into the kernel);
 *                                   and behind it, with list=FILE, all addresses of thread 0, one a
 *                                   line
 *
 * The one thing that is not plain: an instruction that faults is told before, and does not execute.
 * A64 loads and stores whose access was not told either are taken back, and UDF and BRK never
 * count. What faults in A32 and T32 is in the list. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FEW_THREADS 4096
#define PRIME 0x100000001b3ull

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct info; /* not looked at */

extern void qemu_plugin_register_vcpu_init_cb(uint64_t, void (*)(uint64_t, unsigned));
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t,
                                                  void (*)(uint64_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *,
                                                 void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                                   void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                             void (*)(unsigned, uint32_t, uint64_t, void *), int,
                                             int, void *);
extern void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);

VISIBLE int qemu_plugin_version = 1;
VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv);

struct thread {
    uint64_t count;
    uint64_t hash;
    uint64_t count_before; /* both where the last block begins */
    uint64_t hash_before;
    bool calls_kernel; /* it ends with SVC */
    uint64_t waiting;  /* address of the instruction told last */
    bool waits;        /* there is one, not in the hash yet */
    bool must_access;  /* and it is a load or store whose access was not told yet */
};

static struct thread threads[FEW_THREADS];
static unsigned thread_of[FEW_THREADS]; /* by vCPU: numbers are used again */
static unsigned thread_count;
static const char *out_path;
static FILE *list;

static void take(struct thread *thread)
{
    if (!thread->waits || thread->must_access)
        return;
    thread->hash = (thread->hash ^ thread->waiting) * PRIME;
    thread->count++;
    if (list && thread == threads)
        fprintf(list, "%llx\n", (unsigned long long)thread->waiting);
}

/* A block begins: what was told before has executed. */
static void begun(unsigned cpu, void *calls_kernel)
{
    struct thread *thread = &threads[thread_of[cpu % FEW_THREADS]];

    take(thread);
    thread->waits = false;
    thread->count_before = thread->count;
    thread->hash_before = thread->hash;
    thread->calls_kernel = calls_kernel != NULL;
}

static void told(unsigned cpu, void *address)
{
    struct thread *thread = &threads[thread_of[cpu % FEW_THREADS]];

    take(thread);
    thread->waiting = (uintptr_t)address;
    thread->waits = true;
    thread->must_access = false;
}

static void told_access(unsigned cpu, void *address)
{
    told(cpu, address);
    threads[thread_of[cpu % FEW_THREADS]].must_access = true;
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)info, (void)address, (void)data;
    threads[thread_of[cpu % FEW_THREADS]].must_access = false;
}

/* Loads and stores of the A64 base set; prefetches access nothing that is told. */
static bool is_access(uint32_t word)
{
    if ((word >> 25 & 5) != 4)
        return false;
    return (word & 0xff000000) != 0xd8000000 && (word & 0xffc00000) != 0xf9800000 &&
           (word & 0xffe00c00) != 0xf8a00800 && (word & 0xffe00c00) != 0xf8800000;
}

static bool a64;

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    const size_t count = qemu_plugin_tb_n_insns(block);
    uint32_t last = 0;

    (void)id;
    if (a64 && count > 0)
        memcpy(&last, qemu_plugin_insn_data(qemu_plugin_tb_get_insn(block, count - 1)),
               sizeof last);
    qemu_plugin_register_vcpu_tb_exec_cb(block, begun, 0, last == 0xd4000001 ? &threads : NULL);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);
        uint32_t word = 0;

        if (a64)
            memcpy(&word, qemu_plugin_insn_data(insn), sizeof word);
        if (a64 && (word >> 16 == 0 || (word & 0xffe0001f) == 0xd4200000)) /* UDF, BRK */
            continue;
        if (a64 && is_access(word)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, told_access, 0, address);
            qemu_plugin_register_vcpu_mem_cb(insn, accessed, 0, 3, NULL);
        } else {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, told, 0, address);
        }
    }
}

static void started(uint64_t id, unsigned cpu)
{
    (void)id;
    if (thread_count < FEW_THREADS && cpu < FEW_THREADS)
        thread_of[cpu] = __atomic_fetch_add(&thread_count, 1, __ATOMIC_SEQ_CST);
}

static void ended(uint64_t id, void *data)
{
    (void)id, (void)data;
    FILE *out = out_path ? fopen(out_path, "w") : NULL;

    for (unsigned i = 0; out && i < thread_count && i < FEW_THREADS; i++) {
        struct thread *thread = &threads[i];
        take(thread);
        if (thread->calls_kernel) {
            thread->count_before = thread->count;
            thread->hash_before = thread->hash;
        }
        fprintf(out, "%llu %016llx %llu %016llx\n", (unsigned long long)thread->count,
                (unsigned long long)thread->hash, (unsigned long long)thread->count_before,
                (unsigned long long)thread->hash_before);
    }
    if (out)
        fclose(out);
    if (list)
        fclose(list);
}

VISIBLE int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
    /* The structure begins with the target's name. */
    a64 = !strcmp(*(const char *const *)(const void *)info, "aarch64");
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4))
            out_path = strdup(argv[i] + 4);
        if (!strncmp(argv[i], "list=", 5))
            list = fopen(argv[i] + 5, "w");
    }
    qemu_plugin_register_vcpu_init_cb(id, started);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
