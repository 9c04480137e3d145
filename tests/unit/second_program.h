/* SPDX-License-Identifier: BSD-2-Clause */
/* Random legal programs of an ETE's resources, and what is told to it, for test_second_resources. */
#ifndef CAIRN_TESTS_UNIT_SECOND_PROGRAM_H
#define CAIRN_TESTS_UNIT_SECOND_PROGRAM_H

#include <stdio.h>

#include "second_resources.h"

enum second_step_kind {
    STEP_EXECUTE,
    STEP_CYCLES,
    STEP_INPUTS,
    STEP_PMU_EVENT,
    STEP_ETE_EVENT,
    STEP_CONTEXT,
    STEP_EXCEPTION,
    STEP_PROHIBIT,
    STEP_LOW_POWER,
    STEP_DEBUG,
    STEP_ASIDE,   /* what the resources have nothing to do with */
    STEP_DISABLE, /* compare all, perhaps program some state anew, and enable */
    STEP_SPECULATE,
    STEP_RESOLVE,
    STEP_CANCEL,
    STEP_TRANSACTION_START,
    STEP_TRANSACTION_COMMIT,
    STEP_TRANSACTION_FAIL,
    STEP_KINDS
};
/* What `value` means is the runner's to say: whatever it is, the step is legal, or does nothing. */
struct second_step {
    enum second_step_kind kind;
    uint32_t value;
};

#define STEPS 80u
#define CODE_AT UINT64_C(0x1000)
#define CODE_INSTRUCTIONS 64u
#define CONTEXTS 6u
#define PMU_EVENTS 5u

struct second_program {
    uint64_t seed;
    bool speculative; /* the second family: speculation and transactions */
    bool overflows;   /* the unit's buffer is small, so that only its resources can be compared */
    struct second_choices choices;
    struct second_registers reg;
    uint32_t configr, tsctlr; /* TRCCONFIGR, TRCTSCTLR: the resources know nothing of them */
    struct second_step steps[STEPS + 1];
    size_t step_count;
};

extern const struct second_context second_contexts[CONTEXTS];
extern const unsigned second_pmu_numbers[PMU_EVENTS];

void second_generate(struct second_program *program, uint64_t seed, bool speculative);
/* That no pair of selectors has one of the functions that Table D7.2 reserves. */
bool second_is_legal(const struct second_registers *reg);

/* A register by the specification's name, and where it is in struct second_registers. */
struct second_name {
    char name[16];
    size_t offset;
    bool wide;   /* 64 bits */
    bool zeroed; /* a shrunk program may have 0 there */
};
#define SECOND_NAMES 160u
size_t second_names(const struct second_name **names);
uint64_t second_value(const struct second_registers *reg, const struct second_name *name);
void second_set(struct second_registers *reg, const struct second_name *name, uint64_t value);

uint64_t second_random(uint64_t *state);
/* The fields of TRCRSR that there are. */
uint32_t second_rsr_mask(const struct second_program *program);
/* Its seed and registers. */
void second_print(const struct second_program *program);

#endif
