/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction loads and stores: QEMU tells of each access when it has taken place, and the
 * unit is told when the instruction is known to be complete. */
#ifndef CAIRN_MACHINE_QEMU_DATA_H
#define CAIRN_MACHINE_QEMU_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/isa.h>

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

#define CAIRN_QEMU_MOVES 2 /* words of one instruction: MCRR, MRRC */

/* Words between core registers and a coprocessor. */
struct cairn_qemu_moved {
    unsigned count;
    bool store; /* to the coprocessor */
    bool known[CAIRN_QEMU_MOVES];
    uint8_t number[CAIRN_QEMU_MOVES]; /* of the core's register */
    uint64_t value[CAIRN_QEMU_MOVES];
};

struct cairn_qemu_data {
    uint32_t registers[16]; /* of a machine: R0 to R15 in front of the instruction */
    unsigned count;
    struct cairn_qemu_access list[CAIRN_QEMU_ACCESSES];
    struct cairn_qemu_exclusive exclusive;
    struct cairn_qemu_moved moved;
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

/* Of the three above, what is about moves between registers. */
void cairn_qemu_moves_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb);
void cairn_qemu_moves_result(struct cairn_qemu_thread *thread);
void cairn_qemu_moves_tell(struct cairn_qemu_thread *thread);
/* Whether the instruction moves words between registers, and the trace has them. */
bool cairn_qemu_moves(enum cairn_isa isa, const struct cairn_insn *insn);

#endif
