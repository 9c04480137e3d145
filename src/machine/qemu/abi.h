/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of QEMU's plugin interface that the plugin calls, declared by us: QEMU offers it to what
 * it loads, and building needs no QEMU. Interface version 1 (QEMU 4.2 to 8.2). Calls
 * outside that interface are looked up at run time: guest.c. */
#ifndef CAIRN_MACHINE_QEMU_ABI_H
#define CAIRN_MACHINE_QEMU_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_id;
struct qemu_tb;     /* a translation block, during its translation */
struct qemu_insn;   /* an instruction of it */
struct qemu_hwaddr; /* where an access goes; valid during its callback */

struct qemu_info {
    const char *target; /* "aarch64", "arm" */
    struct {
        int minimum;
        int current;
    } version;
    bool system;
    struct {
        int smp_cpus;
        int max_cpus;
    } machine;
};

enum qemu_registers { QEMU_REGISTERS_NONE = 0, QEMU_REGISTERS_READ = 1, QEMU_REGISTERS_WRITE = 2 };

enum qemu_accesses { QEMU_LOADS = 1, QEMU_STORES = 2, QEMU_LOADS_AND_STORES = 3 };

typedef void qemu_on_tb_translated(qemu_id id, struct qemu_tb *tb);
typedef void qemu_on_executed(unsigned cpu, void *data);
typedef void qemu_on_access(unsigned cpu, uint32_t info, uint64_t address, void *data);
typedef void qemu_on_cpu(qemu_id id, unsigned cpu);
typedef void qemu_on_flush(qemu_id id);
typedef void qemu_on_exit(qemu_id id, void *data);
typedef void qemu_on_syscall(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
                             uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                             uint64_t a8);
typedef void qemu_on_syscall_return(qemu_id id, unsigned cpu, int64_t number, int64_t result);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_id id, qemu_on_tb_translated *call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_tb *tb, qemu_on_executed *call,
                                          enum qemu_registers registers, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_insn *insn, qemu_on_executed *call,
                                            enum qemu_registers registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_insn *insn, qemu_on_access *call,
                                      enum qemu_registers registers, enum qemu_accesses which,
                                      void *data);
void qemu_plugin_register_vcpu_init_cb(qemu_id id, qemu_on_cpu *call);
void qemu_plugin_register_vcpu_exit_cb(qemu_id id, qemu_on_cpu *call);
void qemu_plugin_register_flush_cb(qemu_id id, qemu_on_flush *call);
void qemu_plugin_register_atexit_cb(qemu_id id, qemu_on_exit *call, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_id id, qemu_on_syscall *call);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_id id, qemu_on_syscall_return *call);

size_t qemu_plugin_tb_n_insns(const struct qemu_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_tb *tb);
struct qemu_insn *qemu_plugin_tb_get_insn(const struct qemu_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_insn *insn);

/* Of an access's info. */
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
bool qemu_plugin_mem_is_big_endian(uint32_t info);
struct qemu_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t address); /* NULL in user mode */
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_hwaddr *address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_hwaddr *address);

/* What QEMU looks for in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc, char **argv);

#endif
