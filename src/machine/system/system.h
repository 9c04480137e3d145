/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin that records whole machines whose cores are of A profile: each core has a trace unit outside of it, which is
 * told all that QEMU executes, at every level.
 *
 *     system.c   QEMU loads it; the cores' units      levels.c   exceptions and their returns, contexts
 *     code.c     translated code                      end.c      looks at the world, and the recording's end
 *     follow.c   what is executed                     host/, qemu/: what other plugins need, too
 *
 * A core's part is touched by the thread that executes it; when it waits for an interrupt, or the recording ends, by whoever
 * takes it (`state`). Code in AArch32 state is not told: it is a discontinuity. */
#ifndef CAIRN_MACHINE_SYSTEM_SYSTEM_H
#define CAIRN_MACHINE_SYSTEM_SYSTEM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/host/code.h"
#include "machine/host/host.h"
#include "machine/qemu/plugin.h"
#include "machine/versions.h"

#define CAIRN_SYSTEM_CORES 512

/* System registers of QEMU's; at EL1, EL2 and EL3 those that each has. */
struct cairn_system_registers {
    const uint64_t *ESR[4], *ELR[4];
    const uint64_t *SCR, *HCR, *CONTEXTIDR[3], *VTTBR; /* NULL: there is none */
};

enum cairn_system_state {
    CAIRN_SYSTEM_ABSENT,  /* it has executed nothing */
    CAIRN_SYSTEM_RUNNING, /* its thread has it */
    CAIRN_SYSTEM_WAITING, /* for an interrupt: nobody has it */
    CAIRN_SYSTEM_BUSY,    /* somebody is ending it */
    CAIRN_SYSTEM_ENDED,
};

struct cairn_system_core {
    const struct cairn_host_code
        *code; /* began to execute, not told yet; or cairn_system_nothing */
    struct cairn_unit *unit;
    uint32_t *versions; /* of each page, that its source has */
    int64_t left;       /* instructions until the next look */
    bool partial;       /* `code` may not have reached its end */
    bool clocked;       /* the unit wants cycles or time */
    bool timed;
    bool prohibited; /* told so */
    bool vmid_is_context;
    uint32_t cycles_owed;
    uint64_t accounted, traced;
    struct cairn_context context; /* as the unit was told */
    struct cairn_system_registers registers;
    struct cairn_host_core host;
    struct cairn_recorded_source *source;
    pthread_t thread;
    _Atomic int state; /* enum cairn_system_state */
};

struct cairn_system {
    qemu_id id;
    struct cairn_qemu_settings settings;
    struct cairn_arch arch;
    struct cairn_recording *recording;
    struct cairn_recording_control *control;
    struct cairn_versions *versions;
    struct cairn_unit *
        scanner; /* never enabled: how code is divided into blocks, what units are programmed with */
    _Atomic bool stopped;    /* nothing is told any more */
    _Atomic uint64_t traced; /* instructions, of all cores, that were accounted */
    struct cairn_system_core cores[CAIRN_SYSTEM_CORES];
};
extern struct cairn_system cairn_system;
extern const struct cairn_host_code cairn_system_nothing;

/* --- system.c --- */

/* Once, when the first code is translated, the cores are there. False: they are not as expected, which is told. */
bool cairn_system_start(void);
/* The core whose thread calls; NULL: none. */
struct cairn_system_core *cairn_system_here(void);
void cairn_system_complain(const char *text);
struct cairn_unit_options cairn_system_unit_options(void);
/* Makes the core's unit and source when it executes its first code; false: it is not traced. */
bool cairn_system_begin(struct cairn_system_core *core);

/* --- code.c --- */

void cairn_system_translated(qemu_id id, struct qemu_tb *tb);
void cairn_system_flushed(qemu_id id);

/* --- follow.c --- */

void cairn_system_on_code(unsigned cpu, void *code);
void cairn_system_on_end(unsigned cpu, void *code);
/* Execution is at `stop`. `faulted`: because of what is there, if that is in the code. Nothing is pending afterwards. */
void cairn_system_settle(struct cairn_system_core *core, uint64_t stop, bool faulted);
/* All of the code was executed, and what is at its end led on. */
void cairn_system_complete(struct cairn_system_core *core, bool taken);
/* Nothing is known of the code that is pending: a discontinuity. */
void cairn_system_lose(struct cairn_system_core *core);
void cairn_system_prohibit(struct cairn_system_core *core, bool prohibited);
/* Cycles that are owed are told, before anything but the next block is. */
void cairn_system_settle_cycles(struct cairn_system_core *core);

/* --- levels.c --- */

/* The registers of the core's that are looked at. */
void cairn_system_find_registers(struct cairn_system_core *core);
/* A register with this encoding is of the context. */
bool cairn_system_is_of_context(uint32_t encoding);
struct cairn_context cairn_system_context(const struct cairn_system_core *core);
/* The unit is told of the context if it is another one. */
void cairn_system_enter(struct cairn_system_core *core);
void cairn_system_crossed(void *cpu, void *core);

/* --- end.c --- */

/* Now and then, from the core's own thread. False: its recording has ended. */
bool cairn_system_look(struct cairn_system_core *core);
/* How many instructions until then. */
int64_t cairn_system_until_look(void);
/* The core is its thread's; false: somebody ended it. */
bool cairn_system_wake(struct cairn_system_core *core);
void cairn_system_on_wait(qemu_id id, unsigned cpu);
void cairn_system_on_exit(qemu_id id, void *data);

#endif
