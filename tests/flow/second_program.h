/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs of a few A32 and T32 instructions, and what a processor might do with them, put
 * down twice: as events for the second writer of ETMv3, and as what a decoder has to find out.
 * Opcodes are from the Arm ARM, not from src/isa. */
#ifndef CAIRN_TESTS_FLOW_SECOND_PROGRAM_H
#define CAIRN_TESTS_FLOW_SECOND_PROGRAM_H

#include "../protocol/second_writer.h"

enum {
    SECOND_INSNS = 96, /* of each instruction set */
    SECOND_CODE_BYTES = SECOND_INSNS * 4,
    SECOND_ARM_BASE = 0x8000,
    SECOND_THUMB_BASE = 0x20000,
    SECOND_LINE = 48,
    SECOND_LINES_MAX = 1024,
};

enum second_insn_kind {
    SECOND_PLAIN,
    SECOND_LOAD,
    SECOND_LOAD_TWO, /* two words */
    SECOND_DIRECT,
    SECOND_INDIRECT,
};

struct second_insn {
    uint32_t address;
    uint32_t target; /* of DIRECT */
    uint8_t size;
    bool thumb;
    bool exchanges; /* DIRECT: into the other instruction set */
    bool may_fail;  /* has a condition */
    enum second_insn_kind kind;
};

enum second_sets { SECOND_BOTH_SETS, SECOND_THUMB_ALONE };

struct second_program {
    uint8_t arm[SECOND_CODE_BYTES];
    uint8_t thumb[SECOND_CODE_BYTES];
    struct second_insn insns[2 * SECOND_INSNS]; /* A32, then T32 */
};

/* THUMB_ALONE: nothing changes the instruction set, as on the M profile. */
void second_program(struct second_program *program, uint64_t *seed, enum second_sets sets);

/* One run of it: what was written, and a line for each instruction ("8000 E"), exception
 * ("exception e"), return from one ("return") and start of trace ("on"). */
struct second_run {
    struct second_program program;
    struct second_settings settings;
    bool halves; /* ETMIDR[18] clear: a 32-bit T32 instruction has two atoms (4.5.4) */
    struct second_writer writer;
    size_t count;
    char line[SECOND_LINES_MAX][SECOND_LINE];
};

/* False: the writer refused an event. */
bool second_run(struct second_run *run, uint64_t seed);

/* splitmix64; and a number below `count`. */
uint64_t second_next(uint64_t *seed);
unsigned second_below(uint64_t *seed, unsigned count);

#endif
