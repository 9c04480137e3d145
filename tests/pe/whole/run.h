/* SPDX-License-Identifier: BSD-2-Clause */
/* A program run by a PE whose trace unit, branch records and performance monitors are on: what happened, told by
 * who made it happen; and what each of the three has of it. */
#ifndef PE_WHOLE_RUN_H
#define PE_WHOLE_RUN_H

#include <cairn/pe.h>

#include "program.h"

enum { WHOLE_EVENTS = 4096, WHOLE_BYTES = 1 << 16, WHOLE_RECORDS = 64, WHOLE_REGISTERS = 7 };

/* No level: where the trace does not say. */
#define WHOLE_NOWHERE 0xffu
/* No type of a branch: execution comes into sight. */
#define WHOLE_ARRIVAL 0xffu

/* A branch that is taken, an exception or the return from one. */
struct whole_event {
    uint64_t source, target;
    uint8_t type;     /* enum cairn_branch_type, WHOLE_ARRIVAL */
    uint8_t from, to; /* levels, WHOLE_NOWHERE */
    uint8_t filters;  /* BRBFCR_EL1 bits 22:16 when it happened */
    bool paused;      /* BRBFCR_EL1.PAUSED */
    unsigned epoch;   /* times that records were thrown away, or recording went on after a pause */
    uint64_t clock;   /* when its target was known */
};

struct whole_list {
    struct whole_event events[WHOLE_EVENTS];
    unsigned count;
    unsigned cleared; /* events before the last BRB IALL */
    bool full;
    uint64_t instructions, branches, exceptions; /* branches whether taken or not */
};

/* How a PE is programmed. A bit a level: `traced` is what TRFCR_ELx allow, `recorded` what BRBCR_ELx do. */
struct whole_settings {
    bool v1p1, secure, TGE, has_EL3_code, return_stack, at_their_levels;
    bool has_TRBE, buffered, owner_is_EL1; /* `buffered` with has_TRBE */
    unsigned records, SBRBE, traced, recorded, E3BRE, sync_period;
    unsigned filters;                            /* BRBFCR_EL1 bits 22:16 */
    bool EXCEPTION[3], ERTN[3], CC[3], MPRED[3]; /* BRBCR_EL1, BRBCR_EL2 */
    enum cairn_pe_order order;
};

struct whole_run {
    struct whole_list truth;
    struct cairn_config *config;
    struct cairn_register registers[WHOLE_REGISTERS]; /* as tests/peers names them */
    uint8_t bytes[WHOLE_BYTES];
    size_t size;
    struct cairn_branch branches[WHOLE_RECORDS];
    size_t branch_count;
    uint64_t counts[4]; /* INST_RETIRED, BR_RETIRED, EXC_TAKEN, BRB_FILTRATE */
    char error[128];
};

void whole_settings_draw(struct whole_settings *settings, uint64_t *state);
/* The levels that are used, that are not in a Trace Prohibited region, that are not in a BRBE Prohibited region. */
unsigned whole_used(const struct whole_settings *settings);
unsigned whole_traced(const struct whole_settings *settings);
unsigned whole_recorded(const struct whole_settings *settings);

void whole_clear(struct whole_list *list);
void whole_add(struct whole_list *list, const struct whole_event *event);
/* enum cairn_branch_type of a branch instruction; 0 for what is none. */
uint8_t whole_type(const struct whole_program *program, unsigned level, unsigned word);
/* Sets the target that a direct branch has in the program; others' is left alone. */
void whole_aim(const struct whole_program *program, struct whole_event *event);

/* False: something could not be done, `error` says what. */
bool whole_run(struct whole_run *run, const struct whole_settings *settings,
               const struct whole_program *program, uint64_t state, unsigned steps);
void whole_run_end(struct whole_run *run);

/* What the trace says was executed. False after `error`. */
bool whole_follow(struct whole_run *run, const struct whole_program *program,
                  struct whole_list *list);

#endif
