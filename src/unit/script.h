/* SPDX-License-Identifier: BSD-2-Clause */
/* Register scripts: what a driver or debugger does to a trace unit's registers, one access a line.
 *
 *     write TRCVICTLR 0x201        through memory; msr TRCVICTLR, 0x201: by an instruction
 *     read TRCSTATR                mrs x0, TRCSTATR; a value behind it is what was read
 *     wait TRCSTATR.IDLE 1         reads until the field, or the register, is that
 *     poll TRCSTATR.IDLE 1         the same by isb and mrs, again and again
 *     isb, dsb, tsb                barriers; what stands behind them is ignored
 *
 * Of a PE besides, where `of_pe` is set:
 *
 *     sys BRB_IALL                 a system instruction
 *     enter EL1n                   an exception to that level, or the return to it: EL0 to EL2 with s, n or
 *                                  r (Secure, Non-secure, Realm), and EL3
 *     run 100                      so many instructions are executed there
 *     load 0x80000000 64           software reads, or writes, so many bytes of memory there
 *     store 0x80000000 64
 *     map 0x80000000 0x40000000 65536    virtual addresses from the first on are these physical ones; with
 *                                  `ro` behind it read-only, with `noaf` the Access flag is 0
 *     unmap 0x80001000 4096
 *     tlbi VAE1 0x80001            TLB maintenance, with what is in its register, or without
 *     trigger 4                    a trigger output of the Cross-trigger Interface
 *     reset warm                   or cold, or trace: of the trace unit alone
 *     power down                   or normal, standby, retention, saved
 *     abort 0x40000000 4096        writes of trace to these physical addresses abort; with `async` or `serror` behind it
 *                                  asynchronously, or as a System error; with `none` they do not any more
 *
 * # begins a comment, and so do // and ;. Words are taken in any case, values are decimal or 0x... .
 * Nothing here knows which registers there are. */
#ifndef CAIRN_UNIT_SCRIPT_H
#define CAIRN_UNIT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

enum cairn_script_kind {
    CAIRN_SCRIPT_WRITE,
    CAIRN_SCRIPT_READ,
    CAIRN_SCRIPT_WAIT,
    CAIRN_SCRIPT_ISB,
    CAIRN_SCRIPT_DSB,
    CAIRN_SCRIPT_TSB,
    CAIRN_SCRIPT_SYS,
    CAIRN_SCRIPT_ENTER,
    CAIRN_SCRIPT_RUN,
    CAIRN_SCRIPT_LOAD,
    CAIRN_SCRIPT_STORE,
    CAIRN_SCRIPT_TLBI,
    CAIRN_SCRIPT_UNMAP,
    CAIRN_SCRIPT_MAP,
    CAIRN_SCRIPT_TRIGGER,
    CAIRN_SCRIPT_RESET,
    CAIRN_SCRIPT_POWER,
    CAIRN_SCRIPT_ABORT,
};

#define CAIRN_SCRIPT_NAME 32u

struct cairn_script_access {
    enum cairn_script_kind kind;
    bool by_instruction; /* msr, mrs, poll */
    bool has_value;
    unsigned line;                 /* from 1 */
    char name[CAIRN_SCRIPT_NAME];  /* of a register, as written */
    char field[CAIRN_SCRIPT_NAME]; /* "": the whole register */
    uint64_t value;                /* of run, load, store: the first number */
    uint64_t size;                 /* of load, store, unmap, abort; of map the physical address */
    uint64_t third;                /* of map: the size */
};

struct cairn_script {
    const char *name; /* for messages: the file's */
    const char *at;   /* what is still to be read */
    size_t left;
    unsigned line; /* of what was read last */
    bool of_pe;    /* false after cairn_script_begin */
};

/* A script of `size` bytes, which stay the caller's. */
void cairn_script_begin(struct cairn_script *script, const char *name, const char *text,
                        size_t size);

/* The next access. CAIRN_E_NOT_FOUND: there are no more. CAIRN_E_FORMAT: a line is none, and the
 * error says which, why and what is expected; the next call goes on behind it. */
CAIRN_MUST_CHECK cairn_status cairn_script_next(struct cairn_script *script,
                                                struct cairn_script_access *access,
                                                struct cairn_error *error);

/* True if the first line of the text that says anything begins with one of the words above. */
bool cairn_script_is_one(const char *text, size_t size);

/* "0x201" or "513", with nothing behind it. */
bool cairn_script_number(const char *text, uint64_t *value);

#endif
