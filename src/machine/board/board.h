/* SPDX-License-Identifier: BSD-2-Clause */
/* A board: a machine of QEMU's whose cores of A profile have a trace unit, a Trace Buffer Unit and branch records,
 * behind the System registers that software on it names. This is the plugin that QEMU loads for it.
 *
 *     host/         what is needed of QEMU           registers.c   System registers: a PE's answers
 *     code.c        translated code                  follow.c      what is executed, told to the PEs
 *     levels.c      exceptions and their returns     board.c       where QEMU loads it
 *     findings.c    barriers that are missing        log.c         a log of registers
 *     settings.c    what it is told to do            memory.c      what software does to the trace buffer
 *
 * Each core has a PE (<cairn/pe.h>), which is touched by the core's thread alone; the machine's reset, which
 * another thread does, has all of them stopped. Nothing is told to a PE that neither traces nor records. */
#ifndef CAIRN_MACHINE_BOARD_BOARD_H
#define CAIRN_MACHINE_BOARD_BOARD_H

#include <stdatomic.h>

#include "machine/host/code.h"
#include "machine/host/host.h"
#include "machine/qemu/abi.h"
#include "pe/pe.h"

#define CAIRN_BOARD_CORES 64
#define CAIRN_BOARD_MIRRORS 48 /* QEMU's registers that a PE looks at */

struct cairn_board_mirror {
    const struct cairn_host_register *reg;
    const char *name;
    uint32_t encoding;
    uint64_t value;
};

/* What the last line of a log is. */
enum cairn_board_fence { CAIRN_BOARD_NO_FENCE, CAIRN_BOARD_ISB, CAIRN_BOARD_DSB };

/* What is to be logged of a core. */
struct cairn_board_log {
    int file;
    bool failed;
    const char *level;
    uint64_t executed;      /* instructions, since the last line */
    uint64_t address, size; /* or memory, in a row */
    bool branched;          /* among the instructions is one that the trace tells of */
    bool stores;            /* of the memory */
    bool crossed;           /* levels were, since the last line */
    enum cairn_board_fence last_fence;
    bool is_complete;     /* a DSB came behind an ISB, and nothing else since */
    bool is_synchronized; /* the last line is an ISB */
};

struct cairn_board_core {
    struct cairn_host_core host;
    struct cairn_pe *pe;
    const struct cairn_host_code *code; /* being executed; NULL: not known */
    uint64_t from;                      /* what of it is in front of there was told */
    bool partial;                       /* it may have been left before its end */
    bool live;                          /* the PE is told what is executed */
    bool clocked;                       /* and of cycles */
    bool timed;                         /* and of time */
    uint64_t flushes;                   /* of translations, as the PE knows of them */
    struct cairn_context context;       /* as the PE was told */
    struct cairn_board_mirror mirrors[CAIRN_BOARD_MIRRORS];
    unsigned mirror_count;
    struct cairn_board_log log;
};

struct cairn_board_settings {
    enum cairn_pe_order order;
    bool finds; /* barriers that are missing */
    uint64_t seed;
    const char *log, *names; /* files; NULL: none */
    uint64_t found;          /* a descriptor that gets a byte for each finding; 0: none */
};

struct cairn_board {
    qemu_id id;
    struct cairn_board_settings settings;
    bool started, failed;
    unsigned count;
    struct cairn_board_core cores[CAIRN_BOARD_CORES];
    struct cairn_unit *scanner; /* how code is divided into blocks */
    struct cairn_arch arch;
    _Atomic uint64_t flushes; /* TLB maintenance that other cores take part in */
    _Atomic uint64_t refused; /* bytes of trace that what is at their address did not take */
    _Atomic uint64_t lost;    /* times at which a PE was executing code that nothing is known of */
};
extern struct cairn_board cairn_board;

/* --- board.c --- */

/* Once, when the first code is translated, the cores are there. False: they could not be made. */
bool cairn_board_start(void);
/* The core whose thread calls; NULL: none. */
struct cairn_board_core *cairn_board_here(void);
/* A line for the user. */
void cairn_board_say(const char *text);
/* What keeps the board from being what was asked for; the machine does not go on. */
void cairn_board_fail(const char *why);

/* --- registers.c --- */

/* How many event counters the core has; before they are the PE's. */
unsigned cairn_board_counters(const struct cairn_board_core *core);
/* NULL, or why not. The core's PE is there, and nothing was executed yet. */
const char *cairn_board_registers(struct cairn_board_core *core);
/* The PE learns of QEMU's registers, whatever wrote them. */
void cairn_board_mirror(struct cairn_board_core *core);
/* The same of those that this code wrote, which was executed last; NULL: none is known. */
void cairn_board_mirror_behind(struct cairn_board_core *core, const struct cairn_host_code *code);
/* Whether a register with this encoding is QEMU's, and a PE looks at it. */
bool cairn_board_is_mirrored(uint32_t encoding);
/* Whether the PE is to be told what is executed. */
void cairn_board_attend(struct cairn_board_core *core);

/* --- code.c --- */

void cairn_board_translated(qemu_id id, struct qemu_tb *tb);
void cairn_board_flushed(qemu_id id);

/* --- follow.c --- */

void cairn_board_on_code(unsigned cpu, void *code);
void cairn_board_on_end(unsigned cpu, void *code);
/* In front of a barrier or TLB maintenance; `word` is it, in the `bytes` of the code that is being executed. */
void cairn_board_on_instruction(unsigned cpu, void *word);
/* Execution is at `stop`: tells what was executed before. */
void cairn_board_settle(struct cairn_board_core *core, uint64_t stop);
/* The same in front of an instruction of the code that is being executed. */
void cairn_board_settle_inside(struct cairn_board_core *core, uint64_t stop);
/* All of the code was executed. */
void cairn_board_complete(struct cairn_board_core *core, bool taken);
/* The PE is where the core is, without anything having led there. */
void cairn_board_enter(struct cairn_board_core *core);
/* What QEMU knows of the core's level and state. */
struct cairn_context cairn_board_context(struct cairn_board_core *core);

/* --- settings.c --- */

/* NULL, or what is wrong. */
const char *cairn_board_set(int argc, char **argv);
/* All that a core does is told to its PE: for the order of things, or for a log. */
static inline bool cairn_board_watches(void)
{
    return cairn_board.settings.finds || cairn_board.settings.log;
}

/* --- findings.c --- */

#define CAIRN_BOARD_PLACE 128
/* Functions' names are those of this ELF file. */
void cairn_board_names(const char *path);
/* An address, and its function if that is known. */
void cairn_board_place(uint64_t address, char text[CAIRN_BOARD_PLACE]);
/* A cairn_pe_tell; its context is the core. */
void cairn_board_find(void *core, const struct cairn_pe_finding *finding);
/* How many places were found. */
void cairn_board_sum_up(void);

/* --- log.c --- */

enum cairn_board_kind {
    CAIRN_BOARD_READS,
    CAIRN_BOARD_WRITES,
    CAIRN_BOARD_DOES,
    CAIRN_BOARD_REFUSED
};
struct cairn_board_access {
    enum cairn_board_kind kind;
    const char *name;
    uint32_t encoding;
    uint64_t value, PC;
};
/* NULL, or why not. */
const char *cairn_board_log_open(struct cairn_board_core *core);
void cairn_board_log_close(struct cairn_board_core *core);
/* The core begins anew. */
void cairn_board_log_reset(struct cairn_board_core *core);
void cairn_board_log_access(struct cairn_board_core *core, const struct cairn_board_access *access);
/* An ISB or DSB that orders nothing is left out. */
void cairn_board_log_barrier(struct cairn_board_core *core, enum cairn_pe_barrier barrier,
                             uint64_t PC);
void cairn_board_log_executed(struct cairn_board_core *core, const struct cairn_block *block);
/* The core is at another level, or once more at the same, by an exception or a return. */
void cairn_board_log_level(struct cairn_board_core *core);
/* In the trace buffer. */
void cairn_board_log_memory(struct cairn_board_core *core, bool stores, uint64_t address,
                            uint64_t size);

/* --- memory.c --- */

/* A qemu_on_access; `word` is the instruction, in the `bytes` of the code that is being executed. */
void cairn_board_on_access(unsigned cpu, uint32_t info, uint64_t address, void *word);

/* --- levels.c --- */

/* A cairn_host_crossing. */
void cairn_board_crossed(void *cpu, void *core);

#endif
