/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction loads and stores: QEMU tells of each access when it has taken place, and the
 * unit is told when the instruction is known to be complete. */
#ifndef CAIRN_MACHINE_QEMU_DATA_H
#define CAIRN_MACHINE_QEMU_DATA_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_qemu_tb;
struct cairn_qemu_thread;
struct qemu_insn;

#define CAIRN_QEMU_ACCESSES 64 /* of one instruction: VLD4.8 makes 32 */

struct cairn_qemu_access {
    uint32_t address;
    uint8_t size;
    bool store, known, big_endian;
    uint8_t bytes[8]; /* in the order of memory, if known */
};

/* A store exclusive, whose access QEMU does not tell of if it failed, or tells of as a load: from
 * its registers. */
struct cairn_qemu_exclusive {
    bool pending;  /* it is the instruction that is executed */
    bool resolved; /* `failed` is known from its result */
    bool failed;
    uint32_t address;
    uint64_t value; /* of both registers: the one at the lower address is the lower half */
};

struct cairn_qemu_data {
    uint32_t registers[16]; /* of a machine: R0 to R15 in front of the instruction */
    unsigned count;
    struct cairn_qemu_access list[CAIRN_QEMU_ACCESSES];
    struct cairn_qemu_exclusive exclusive;
};

/* Whether units so configured trace data. */
bool cairn_qemu_traces_data(void);
/* An instruction that may access memory is translated: it will be heard of. */
void cairn_qemu_watch_data(struct qemu_insn *insn);

/* `next` is about to begin: what came of a store exclusive in front of it shows. */
void cairn_qemu_data_result(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *next);
/* `tb`, one instruction, begins. */
void cairn_qemu_data_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb);
/* `tb` is complete, and the unit was told of it. Nothing is pending afterwards. */
void cairn_qemu_data_tell(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb);

#endif
