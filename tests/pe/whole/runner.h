/* SPDX-License-Identifier: BSD-2-Clause */
/* A run that is going on: shared by who programs the PE, who executes, and what software does beside. */
#ifndef PE_WHOLE_RUNNER_H
#define PE_WHOLE_RUNNER_H

#include "run.h"

enum { WHOLE_CALLS = 8 };

/* Where trace goes with `buffered`. */
#define WHOLE_BUFFER UINT64_C(0x80000000)
/* Of the counter that freezes: its bit, of PMOVSSET_EL0. */
#define WHOLE_FREEZER 0x10u

struct whole_runner {
    struct whole_run *run;
    const struct whole_settings *settings;
    const struct whole_program *program;
    struct cairn_pe *pe;
    uint64_t state;
    unsigned level, word;
    unsigned filters; /* BRBFCR_EL1 bits 22:16 */
    bool pauses;      /* BRBFCR_EL1.PAUSED as written last */
    uint64_t clock;
    /* From where nothing is traced: an instruction has to come before the next event. */
    bool arrived;
    uint16_t calls[WHOLE_LEVELS][WHOLE_CALLS];
    unsigned depth[WHOLE_LEVELS];
    struct {
        uint8_t level;
        uint16_t word;
        bool valid;
    } saved[WHOLE_LEVELS]; /* ELR_ELx, SPSR_ELx */
    struct {
        unsigned depth, word; /* behind its TSTART */
        unsigned since;       /* the first event in it */
        struct whole_totals before;
    } transaction;
    struct {
        struct cairn_branch_registers records[WHOLE_RECORDS];
        unsigned count;
        bool there;
    } process; /* whose records were saved */
};

static inline unsigned whole_bit(unsigned value, unsigned position)
{
    return value >> position & 1;
}

/* setup.c: has a script leave everything at EL3, on, and counted from 0. */
bool whole_setup(struct whole_runner *runner, struct cairn_error *error);

/* run.c: an event of this kind, here and now; one that cannot be added is dropped, and the list is full. */
struct whole_event *whole_note(struct whole_runner *runner, enum whole_deed deed);
void whole_must(struct whole_runner *runner, enum cairn_pe_answer answer);

/* control.c: whether software that may program branch records is executed; and what it does. */
bool whole_controls(const struct whole_runner *runner);
void whole_control(struct whole_runner *runner);
void whole_invalidate(struct whole_runner *runner);

#endif
