/* SPDX-License-Identifier: BSD-2-Clause */
/* A program run by a PE whose trace unit, branch records and performance monitors are on: what happened, told by
 * who made it happen; and what each of the three has of it. */
#ifndef PE_WHOLE_RUN_H
#define PE_WHOLE_RUN_H

#include <cairn/pe.h>

#include "program.h"

enum {
    WHOLE_EVENTS = 4096,
    WHOLE_BYTES = 1 << 16,
    WHOLE_RECORDS = 64,
    WHOLE_REGISTERS = 7,
    WHOLE_COUNTS = 5
};

/* No level: where the trace does not say, and Debug state. */
#define WHOLE_NOWHERE 0xffu
/* No type of a branch: execution comes into sight. */
#define WHOLE_ARRIVAL 0xffu
/* Of an instruction that is no branch. */
#define WHOLE_NO_TYPE 0xfeu

/* What an event is. All but the first are done by software, a debugger, or nobody, and in no trace. */
enum whole_deed {
    WHOLE_BRANCH, /* taken, an exception, the return from one, Debug state; an ISB that is executed */
    WHOLE_IALL,   /* BRB IALL */
    WHOLE_CONTROL, /* BRBFCR_EL1 is written, and an ISB */
    WHOLE_COUNTER, /* the counter that freezes is set: it overflows with the so manieth BRB_FILTRATE */
    WHOLE_FLAG,    /* its overflow flag is set, or cleared */
    WHOLE_INJECT,  /* BRB INJ of that record */
    WHOLE_SAVE,    /* paused, all records read and thrown away */
    WHOLE_RESTORE, /* those that are there thrown away, the saved ones injected */
    WHOLE_SYNC,    /* an ISB of the driver */
    WHOLE_FAILURE, /* the transaction fails */
};

struct whole_event {
    uint64_t source, target;
    uint64_t clock;   /* when it happened, its target was known */
    uint8_t deed;     /* enum whole_deed */
    uint8_t type;     /* enum cairn_branch_type, WHOLE_ARRIVAL */
    uint8_t from, to; /* levels, WHOLE_NOWHERE */
    bool isb;         /* WHOLE_BRANCH: its type is that of a direct branch */
    bool predicted;   /* correctly */
    bool transactional;
    bool undone; /* in a transaction that failed: the trace has it not */
    bool paused; /* BRBFCR_EL1.PAUSED just before, once whole_expect has gone through the run */
    /* what is written */
    bool pauses, last_failed, flag;
    uint8_t filters; /* BRBFCR_EL1 bits 22:16 */
    uint32_t count;
    struct cairn_branch record;
};

struct whole_totals {
    uint64_t instructions, branches, exceptions; /* branches whether taken or not */
};

struct whole_list {
    struct whole_event events[WHOLE_EVENTS];
    unsigned count;
    bool full;
    struct whole_totals totals;
    struct whole_totals undone; /* of `totals`, in transactions that failed */
    uint64_t mispredicted;      /* told as such */
    unsigned deeds[WHOLE_FAILURE + 1];
};

/* How a PE is programmed. A bit a level: `traced` is what TRFCR_ELx allow, `recorded` what BRBCR_ELx do. */
struct whole_settings {
    bool v1p1, secure, TGE, has_EL3_code, return_stack, at_their_levels;
    bool has_TRBE, buffered, owner_is_EL1; /* `buffered` with has_TRBE */
    bool transactions, halts;
    unsigned records, SBRBE, traced, recorded, E3BRE, sync_period;
    unsigned filters;                                    /* BRBFCR_EL1 bits 22:16 */
    bool EXCEPTION[3], ERTN[3], CC[3], MPRED[3], FZP[3]; /* BRBCR_EL1, BRBCR_EL2 */
    unsigned HPMN;                                       /* the counter that freezes is 4 */
    bool physical;                                       /* BRBCR_ELx.TS, else virtual */
    unsigned offset;                                     /* CNTVOFF_EL2 */
    uint32_t choices;                                    /* CAIRN_PE_BRANCHES_... */
    int shift;                                           /* branch_invalidation */
    unsigned skid;
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
    uint64_t counts
        [WHOLE_COUNTS]; /* INST_RETIRED, BR_RETIRED, EXC_TAKEN, BRB_FILTRATE, BR_MIS_PRED_RETIRED */
    uint64_t BRBFCR, BRBTS;
    char error[128];
};

void whole_settings_draw(struct whole_settings *settings, uint64_t *state);
/* The levels that are used, that are not in a Trace Prohibited region, that are not in a BRBE Prohibited region. */
unsigned whole_used(const struct whole_settings *settings);
unsigned whole_traced(const struct whole_settings *settings);
unsigned whole_recorded(const struct whole_settings *settings);

void whole_clear(struct whole_list *list);
void whole_add(struct whole_list *list, const struct whole_event *event);
/* enum cairn_branch_type of a branch instruction or an ISB; WHOLE_NO_TYPE. */
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
