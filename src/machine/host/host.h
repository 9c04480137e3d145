/* SPDX-License-Identifier: BSD-2-Clause */
/* What is needed of QEMU besides its plugin interface, which shows neither registers nor levels: a core's state, the
 * System registers that QEMU has, memory by physical address, the interrupt controller. All of it is looked up at run
 * time, and whether it is as in Debian 12's QEMU (7.2) is found out before anything is used. */
#ifndef CAIRN_MACHINE_HOST_HOST_H
#define CAIRN_MACHINE_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A core; NULL where a call says so. */
struct cairn_host_core {
    void *cpu;
    uint8_t *state; /* QEMU's structure of an A profile core's registers */
    const uint64_t *X, *PC;
    const uint32_t *PSTATE; /* but for NZCV; in AArch64 state */
    const uint8_t *is_A64;
    void *registers; /* QEMU's table of System registers */
    void
        *interrupts[2]; /* enum cairn_host_line, at the interrupt controller; NULL: there is none */
    unsigned index;
};

/* Interrupts of a core. */
enum cairn_host_line { CAIRN_HOST_TRBIRQ, CAIRN_HOST_PMUIRQ };

struct cairn_host_register;
/* The answers of an access function: QEMU's. */
#define CAIRN_HOST_PERMITTED 0
#define CAIRN_HOST_TRAP 4
#define CAIRN_HOST_UNDEFINED 8
typedef int cairn_host_may(void *state, const struct cairn_host_register *reg, bool is_read);
typedef uint64_t cairn_host_read(void *state, const struct cairn_host_register *reg);
typedef void cairn_host_write(void *state, const struct cairn_host_register *reg, uint64_t value);
typedef void cairn_host_reset(void *state, const struct cairn_host_register *reg);

/* QEMU 7.2's description of a System register. */
struct cairn_host_register {
    const char *name;
    uint8_t cp, CRn, CRm, op0, op1, op2;
    int state, type, access, secure;
    void *opaque;
    uint64_t reset_value;
    ptrdiff_t field, banks[2];
    cairn_host_may *may;
    cairn_host_read *read;
    cairn_host_write *write;
    cairn_host_read *raw_read;
    cairn_host_write *raw_write;
    cairn_host_reset *reset;
    void *originals[3];
};

/* NULL, or why this QEMU is not one that can be used; once, before anything else here. */
const char *cairn_host_find(void);
/* Core `index`, when QEMU has made it. False: there is none. NULL in *why, or why it is not as expected. */
bool cairn_host_core(unsigned index, struct cairn_host_core *core, const char **why);
/* The register that has this encoding (CAIRN_SYSREG); NULL: QEMU has none. */
const struct cairn_host_register *cairn_host_register(const struct cairn_host_core *core,
                                                      uint32_t encoding);
/* Its value, where QEMU keeps one. */
uint64_t cairn_host_value(const struct cairn_host_core *core,
                          const struct cairn_host_register *reg);
/* Defines a register, in the place of one that QEMU has. The rest of `reg` is filled in; it stays QEMU's. */
void cairn_host_define(const struct cairn_host_core *core, struct cairn_host_register *reg,
                       uint32_t encoding, unsigned EL, bool reads, bool writes);
/* Memory at a physical address; false: nothing is there. */
bool cairn_host_load(const struct cairn_host_core *core, bool secure, uint64_t address, void *bytes,
                     size_t size);
bool cairn_host_store(const struct cairn_host_core *core, bool secure, uint64_t address,
                      const void *bytes, size_t size);
/* How many of the bytes are in front of the first one that nothing is at. */
size_t cairn_host_writable(const struct cairn_host_core *core, bool secure, uint64_t address,
                           size_t size);
void cairn_host_interrupt(const struct cairn_host_core *core, enum cairn_host_line line,
                          bool level);
/* In the thread of a core that will execute nothing more: others need not wait for it, neither for QEMU's lock nor for what
 * one of them has to do alone. The answer is for cairn_host_left. */
bool cairn_host_leave(const struct cairn_host_core *core);
void cairn_host_left(bool locked);
/* The system counter (CNTPCT_EL0). */
uint64_t cairn_host_count(const struct cairn_host_core *core);
/* `before` and `after` each exception and each return from one. */
typedef void cairn_host_crossing(void *core, void *context);
void cairn_host_watch_levels(const struct cairn_host_core *core, cairn_host_crossing *after,
                             void *context);

#endif
