/* SPDX-License-Identifier: BSD-2-Clause */
/* The QEMU plugin: each thread of a user program, or the core of a machine, has a trace unit, which
 * is told what QEMU executes.
 *
 *     plugin.c     QEMU loads it; its arguments are settled (settings.c)
 *     translate.c  QEMU translates code: a static record of it
 *     execute.c    the code is executed: its blocks are told to the thread's unit
 *     step.c       the same, one instruction at a time
 *     data.c       what an instruction loads and stores
 *     signals.c    flow that no instruction explains: signal handlers
 *     syscalls.c   the program calls the kernel
 *     threads.c    threads begin and end, the process ends or forks
 *     death.c      a signal kills the process
 *     guest.c      registers and memory of the program
 *     modules.c    which files its code is from
 *     filters.c    what of it is traced, by names that are looked up in those files
 *
 * and of a whole machine, whose one core is of M profile:
 *
 *     machine.c    the code is executed, the machine ends
 *     exceptions.c exceptions are entered and returned from
 *     crossings.c  Secure code calls Non-secure code, or the other way round
 *     core.c       the core's state and memory
 *
 * In user mode a vCPU is a host thread, so what belongs to a vCPU belongs to the thread; a machine
 * has one. */
#ifndef CAIRN_MACHINE_QEMU_PLUGIN_H
#define CAIRN_MACHINE_QEMU_PLUGIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "machine/around.h"
#include "machine/filters.h"
#include "machine/qemu/abi.h"
#include "machine/qemu/data.h"
#include "machine/recording.h"

#define CAIRN_LIKELY(x) __builtin_expect(!!(x), 1)
#define CAIRN_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* An address and its instruction set in one number: the address, and bit 0 set in T32. */
typedef uint64_t cairn_entry;

/* A translation block of QEMU: straight-line code that is entered at its beginning only, and left
 * at its end, or inside by a fault, or when QEMU gives up an atomic instruction in order to execute
 * it alone. Static but for `epoch`, `program` and `special`. */
struct cairn_qemu_tb {
    cairn_entry entry;
    cairn_entry next;       /* without a branch; equal to `target` if it always branches directly */
    cairn_entry target;     /* of a direct branch; equal to `next` if there is none */
    _Atomic uint64_t epoch; /* of the image, that these bytes belong to */
    _Atomic uint32_t program; /* of the units, that this code needs: cairn_qemu_filters_mapped */
    bool anywhere;            /* the branch at the end is indirect */
    bool always;          /* the last instruction does not fall through: `taken` whatever comes */
    bool guarded;         /* what comes next does not prove that the end was executed */
    _Atomic bool special; /* a signal handler begins here, or it cannot be seen */
    bool calls_kernel;    /* ends with SVC, of a user program */
    bool returns;         /* the branch at the end may be an exception return */
    bool may_skip;        /* the last instruction is conditional */
    bool transfers;       /* data trace, and the last instruction loads or stores */
    bool moves;           /* or it moves words to or from a coprocessor */
    uint8_t condition;    /* of the last instruction, if not CAIRN_COND_AL, and by IT */
    uint8_t isa;          /* enum cairn_isa */
    uint8_t it;           /* ITSTATE at the entry */
    uint32_t last;        /* offset of the last instruction */
    uint32_t size;        /* bytes; 0: code of the emulator's own, which cannot be seen */
    uint32_t instructions;
    uint32_t count; /* blocks */
    struct cairn_qemu_tb *chain;
    uint64_t hash;
    uint8_t *bytes; /* behind the blocks */
    struct cairn_block blocks[];
};

/* Who may touch a thread's unit. The thread itself while it runs; while it is in the kernel it
 * parks the unit, and whoever ends the recording may take it. */
enum cairn_qemu_state {
    CAIRN_QEMU_RUNNING,
    CAIRN_QEMU_BUSY, /* in a system call's callback, about to park */
    CAIRN_QEMU_PARKED,
    CAIRN_QEMU_TAKEN, /* ended: nothing is told any more */
};

struct cairn_qemu_thread {
    const struct cairn_qemu_tb
        *previous; /* began to execute, not told yet; or cairn_qemu_nothing */
    struct cairn_unit *unit;
    struct cairn_processor processor; /* around it, or it alone */
    uint64_t epoch;                   /* that the source is at */
    uint32_t program;                 /* that the unit has */
    bool started;                     /* its start/stop function, when it last created a thread */
    int64_t left;                     /* instructions until the next look at the world */
    bool partial;                     /* `previous` may not have reached its end */
    bool clocked;                     /* the unit wants cycles or time */
    bool timed;                       /* and time */
    bool prohibited;                  /* told so */
    bool passed;                      /* `previous` has a condition, and it held when it began */
    uint32_t exception;               /* of a machine: its IPSR when `previous` began */
    bool secure;                      /* of a machine: it was in Secure state then */
    uint32_t waiting;            /* the exception that was pending then, if `previous` may return */
    uint32_t cycles_owed;        /* passed, and not told yet */
    uint64_t time;               /* cycles told: instructions, where clocked */
    _Atomic int state;           /* enum cairn_qemu_state */
    struct cairn_qemu_data data; /* of `previous` */
    uint64_t accounted;          /* instructions that the recording's counter has */
    uint64_t unseen;             /* the same, of those that the trace unit has no packets of */
    struct cairn_recorded_source *source;
    struct cairn_explainer *explainer; /* or NULL */
    struct cairn_around *around;       /* or NULL: a unit alone */
    char name[16];                     /* as the recording knows it */
    struct cairn_qemu_thread *chain;
};

/* Tells the recording of the calling thread's name, if it has another one than before. */
void cairn_qemu_thread_name(struct cairn_qemu_thread *thread);

/* How units are made: from the plugin's arguments. */
struct cairn_qemu_settings {
    char *folder;
    char *core;
    char *note;
    char *told; /* lines about the program for the recording; or NULL */
    enum cairn_protocol_id protocol;
    uint32_t choices;
    uint32_t return_stack_depth;
    bool context_is_thread;
    bool overwrite;
    bool explain;
    uint32_t fifo_bytes, fifo_drain;
    uint64_t limit; /* of a machine: instructions after which it ends; 0: none */
    size_t register_count;
    struct cairn_register *registers;
    struct cairn_around_settings around;
    struct cairn_filters filters; /* that are known from the beginning */
    struct cairn_qemu_name *names;
    size_t name_count;
    char *program; /* path of the program's file; NULL: not told */
};

/* A filter whose addresses are known when its file is mapped. */
struct cairn_qemu_name {
    enum cairn_filter_use use;
    bool own; /* of the program's file alone */
    char *text;
};

struct cairn_qemu {
    qemu_id id;
    bool is_a64;
    bool is_machine; /* not a user program */
    bool data;       /* the trace has what is loaded and stored */
    bool every_one;  /* the trace tells of every instruction whether it passed its condition: a TB
                        is one instruction, by QEMU's -singlestep */
    struct cairn_arch arch;
    struct cairn_qemu_settings settings;
    struct cairn_recording *recording;
    struct cairn_recording_control *control;
    bool leaves_a32_out;        /* the trace unit has no packets of it */
    struct cairn_unit *scanner; /* never enabled: configured as all are, for cairn_unit_scan */
    _Atomic bool stopped;       /* no new threads, nothing to instrument */
    bool abandoned;             /* this is the child of a fork: recording belongs to the parent */
};
extern struct cairn_qemu cairn_qemu;

/* The thread's own; NULL before it executed anything and after it ended. */
extern __thread struct cairn_qemu_thread *cairn_qemu_self
    __attribute__((tls_model("initial-exec")));

/* Stands for "nothing to tell": after a system call, an exception, at the start. */
extern const struct cairn_qemu_tb cairn_qemu_nothing;

static inline uint64_t cairn_entry_address(cairn_entry entry)
{
    return entry & ~UINT64_C(1);
}

static inline bool cairn_qemu_contains(const struct cairn_qemu_tb *tb, cairn_entry entry)
{
    return entry - tb->entry < tb->size;
}

/* Flow as the instructions say: `entry` can follow when all of `tb` was executed. */
static inline bool cairn_qemu_leads(const struct cairn_qemu_tb *tb, cairn_entry entry)
{
    return tb->anywhere || entry == tb->next || entry == tb->target;
}

/* The entry behind the last instruction. */
static inline cairn_entry cairn_qemu_behind(const struct cairn_qemu_tb *tb)
{
    return tb->entry + tb->size;
}

/* --- plugin.c --- */

/* How every unit is made, but for its sink. */
struct cairn_unit_options cairn_qemu_unit_options(void);
/* The core that the recording names. */
const char *cairn_qemu_core_name(void);
/* A line on standard error, of what keeps the recording from being what was asked for. */
void cairn_qemu_complain(const char *text);

/* --- quit.c --- */

/* Has the machine stopped, and QEMU end as if its window had been closed. */
void cairn_qemu_quit(void);

/* --- settings.c --- */

/* Reads "KEY=VALUE" (and with "options", the file it names). CAIRN_E_... with a sentence. */
cairn_status cairn_qemu_settings_read(struct cairn_qemu_settings *settings, const char *argument,
                                      struct cairn_error *error);
/* All of a plugin's arguments, over the defaults; there has to be a folder. */
cairn_status cairn_qemu_settings_take(struct cairn_qemu_settings *settings, int count,
                                      char **arguments, struct cairn_error *error);
void cairn_qemu_settings_free(struct cairn_qemu_settings *settings);

/* --- translate.c --- */

void cairn_qemu_translated(qemu_id id, struct qemu_tb *tb);
/* QEMU threw away all translated code; no thread executes any. */
void cairn_qemu_flushed(qemu_id id);
/* The record of T32 code that QEMU executes by itself; NULL without memory. */
const struct cairn_qemu_tb *cairn_qemu_stand_in(uint64_t address, const uint8_t *bytes,
                                                size_t size);
/* `entry` is a signal handler from here on. */
void cairn_qemu_handler(cairn_entry entry);
bool cairn_qemu_is_handler(cairn_entry entry);

/* --- execute.c --- */

void cairn_qemu_on_tb(unsigned cpu, void *tb);
void cairn_qemu_on_end(unsigned cpu, void *tb);
/* To be called before a unit is told anything but the next block: the cycle of the last one comes first. */
void cairn_qemu_settle_cycles(struct cairn_qemu_thread *thread);
/* All of `previous` was executed, and `next` follows. Nothing is pending afterwards. */
void cairn_qemu_complete(struct cairn_qemu_thread *thread, cairn_entry next);
/* `previous` was left in front of `stop`, which is inside it. Nothing is pending afterwards. */
void cairn_qemu_complete_until(struct cairn_qemu_thread *thread, cairn_entry stop);
/* All of `previous` was executed, and its end is an exception return by `value` (EXC_RETURN). */
void cairn_qemu_complete_return(struct cairn_qemu_thread *thread, uint32_t value);
/* Nothing is known of `previous`: a discontinuity. */
void cairn_qemu_lose(struct cairn_qemu_thread *thread);
/* An exception to the kernel; what follows is not seen until the next TB. */
void cairn_qemu_except(struct cairn_qemu_thread *thread, unsigned type, cairn_entry back);

/* `tb` begins; nothing is pending. */
void cairn_qemu_begin(struct cairn_qemu_thread *thread, const struct cairn_qemu_tb *tb);

/* The thread is at `tb`: what was pending is told as it turns out, and `tb` is pending. */
void cairn_qemu_follow(unsigned cpu, const struct cairn_qemu_tb *tb);

/* --- step.c --- */

/* Whether the flags of the calling thread's vCPU pass the condition; exact at the start of a TB. */
bool cairn_qemu_condition_holds(unsigned condition);
void cairn_qemu_on_step(unsigned cpu, void *tb);

/* --- machine.c --- */

void cairn_qemu_on_machine_tb(unsigned cpu, void *tb);
/* Execution is at `stop`, because an exception was taken there or the machine was stopped: tells
 * what of `previous` was executed. `fault`: not the instruction at `stop`, in any case. */
enum cairn_qemu_why { CAIRN_QEMU_BETWEEN, CAIRN_QEMU_FAULT };
void cairn_qemu_machine_settle(struct cairn_qemu_thread *thread, cairn_entry stop,
                               enum cairn_qemu_why why);
/* The machine ends: what was executed last is told. */
void cairn_qemu_machine_end(struct cairn_qemu_thread *thread);
/* Has the recording ended in order when QEMU gives up (lockup). */
void cairn_qemu_watch_abort(void);

/* --- exceptions.c --- */

/* Execution of a machine is at `entry`. If that is because of an exception or the return from one:
 * tells what of `previous` was executed, and that. False: neither. */
bool cairn_qemu_excepted(struct cairn_qemu_thread *thread, cairn_entry entry);
/* Whether `previous` may have led to a handler without a change of IPSR. */
bool cairn_qemu_may_chain(const struct cairn_qemu_tb *previous);
/* The exception that would be taken next; 0: none is pending. */
uint32_t cairn_qemu_waiting(void);
/* Whether an exception has just been taken, as far as LR and the vectors say. */
bool cairn_qemu_at_handler(cairn_entry entry);
/* IPSR changes as if an exception `number` were taken, or returned from to `number`. */
void cairn_qemu_call_begins(uint32_t number);
void cairn_qemu_call_ends(uint32_t number);

/* --- crossings.c --- */

enum cairn_qemu_crossing {
    CAIRN_QEMU_CROSSED_NOT,  /* an exception, or nothing that is known */
    CAIRN_QEMU_CROSSED,      /* by a branch: what is pending leads to `entry` */
    CAIRN_QEMU_CROSSED_BACK, /* by a return, which was told */
};
/* Whether SG is in front of `entry`; and it was executed: what is pending led to it, and it is
 * pending. False without memory. */
bool cairn_qemu_is_behind_gateway(cairn_entry entry);
bool cairn_qemu_pass_gateway(struct cairn_qemu_thread *thread, cairn_entry entry);
/* The security state has changed to `secure`, IPSR is or was `number`, and execution is or was at
 * `at`, where no handler begins. */
enum cairn_qemu_crossing cairn_qemu_cross(struct cairn_qemu_thread *thread, bool secure,
                                          uint32_t number, cairn_entry at);

/* --- signals.c --- */

/* If the thread is at the entry of a signal handler because of a signal: tells what of `previous`
 * was executed, and the exception. False: an ordinary call. */
bool cairn_qemu_signalled(struct cairn_qemu_thread *thread);
/* The same for the calling thread, which dies of signal `number` where its registers are. */
void cairn_qemu_killed(struct cairn_qemu_thread *thread, int number);

/* --- death.c --- */

/* Has the recording ended in order when a signal kills the program. False where QEMU is not built
 * as expected: then what the units hold back at that moment is lost. */
bool cairn_qemu_watch_death(void);

/* --- syscalls.c --- */

void cairn_qemu_on_syscall(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
                           uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                           uint64_t a8);
/* The recording ends, with the thread's unit in the caller's hands, where the thread executes no more:
 * if it is on its way into the kernel, that is told, for no callback will. */
void cairn_qemu_leave_at_end(struct cairn_qemu_thread *thread);
void cairn_qemu_on_syscall_return(qemu_id id, unsigned cpu, int64_t number, int64_t result);

/* --- modules.c --- */

/* The program maps or unmaps memory. */
void cairn_qemu_mappings_change(void);
/* Code at the address is translated: tells the recording which file it is from, if any, and looks for
 * the names that wait for that. */
struct cairn_qemu_needs {
    uint64_t epoch;   /* that the code needs, of the image */
    uint32_t program; /* and of the units */
};
struct cairn_qemu_needs cairn_qemu_module(uint64_t address);
/* Whether `path` is mapped, from `offset` on, at the address of the program. */
bool cairn_qemu_is_mapped(uint64_t address, const char *path);

/* --- filters.c --- */

/* A file is mapped. Returns which program the units need in which its code is executed: a greater
 * number where names were found in it. */
uint32_t cairn_qemu_filters_mapped(const struct cairn_recorded_file *file);
/* Programs a thread's unit, which is disabled, with what is known by now; the code that it executes
 * first is at `entry`. `started`: it is a child of a thread that is traced. */
cairn_status cairn_qemu_filters_begin(struct cairn_qemu_thread *thread, bool started,
                                      cairn_entry entry);
/* The same of one that traces; nothing is pending, and it goes on at `entry`. */
void cairn_qemu_filters_renew(struct cairn_qemu_thread *thread, cairn_entry entry);
/* Whether threads have to come to a start point. */
bool cairn_qemu_filters_start(void);
void cairn_qemu_filters_free(void);

/* --- threads.c --- */

/* Makes the calling thread's unit and source. NULL when it cannot, or may not. `entry`: of the code
 * that it executes first. */
struct cairn_qemu_thread *cairn_qemu_thread_begin(unsigned cpu, cairn_entry entry);
/* The calling thread creates a thread, in which way ever: whether it is traced is told to that. */
void cairn_qemu_thread_creates(struct cairn_qemu_thread *thread);
void cairn_qemu_on_cpu_init(qemu_id id, unsigned cpu);
/* Ends the thread's tracing; the caller may touch its unit. Its state is TAKEN afterwards. */
void cairn_qemu_thread_end(struct cairn_qemu_thread *thread);
/* Writes out everything that was told; the caller may touch its unit. Done at every look and every
 * system call: whatever ends the process, no more than what came after is lost. */
void cairn_qemu_thread_flush(struct cairn_qemu_thread *thread);
/* Now and then, from the thread itself: counters, and requests from outside. */
void cairn_qemu_thread_look(struct cairn_qemu_thread *thread);
bool cairn_qemu_asked_to_end(void);
/* Ends the recording as far as can be without waiting: the thread's own part, and of the others
 * those in the kernel. Threads that execute do the same when they look. */
void cairn_qemu_thread_end_all(struct cairn_qemu_thread *thread);
/* Ends the tracing of every thread that is in the kernel, or with `running` of every one: then no
 * thread may be executing translated code. True if no thread is left. */
bool cairn_qemu_take_all(bool running);
/* The one thread that executes a machine; NULL before it does. */
struct cairn_qemu_thread *cairn_qemu_thread_only(void);
/* No thread is executing: everything that was told is written out. */
bool cairn_qemu_all_in_kernel(void);
bool cairn_qemu_is_previous(const struct cairn_qemu_tb *tb);
void cairn_qemu_on_cpu_exit(qemu_id id, unsigned cpu);
void cairn_qemu_on_exit(qemu_id id, void *data);
/* Lets a child process go its way untraced. */
bool cairn_qemu_watch_forks(void);

/* --- guest.c --- */

/* Finds what QEMU exports besides its interface. Registers cannot be read where it does not. */
void cairn_qemu_guest_init(bool is_a64);
bool cairn_qemu_guest_has_registers(void);
#define CAIRN_QEMU_SP 31 /* A64; in A32 and T32: r0 to r15 are 0 to 15 */
#define CAIRN_QEMU_PC 32
#define CAIRN_QEMU_CPSR 33
/* A register of the calling thread's vCPU: exact at the start of a TB and outside of TBs. */
bool cairn_qemu_guest_register(unsigned number, uint64_t *value);
/* Reads memory of the program; false if it is not there. */
bool cairn_qemu_guest_read(uint64_t address, void *bytes, size_t size);
/* Whether there is memory that the program may execute. */
bool cairn_qemu_guest_executes(uint64_t address);
void cairn_qemu_guest_base(uint64_t base);
/* Where an address of the program is in this process. */
uint64_t cairn_qemu_guest_host(uint64_t address);

#endif
