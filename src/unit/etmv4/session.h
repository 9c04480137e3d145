/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides whether a unit is enabled, and what programmers see of it: programming states
 * (DDI0608 D8.3), the OS Lock, resets, power (D6.5), and when writes are seen by whom (D8.2). */
#ifndef CAIRN_UNIT_ETMV4_SESSION_H
#define CAIRN_UNIT_ETMV4_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <cairn/access.h>

#include "unit/etmv4/registers.h"

struct cairn_etmv4_unit;

/* Registers besides those of D8.2's Table D8.1 that a unit changes by itself, as they were seen. */
struct cairn_session_view {
    uint64_t VICTLR;
    uint64_t RSR;
    uint64_t STATR;
};

/* Of an MSR that waits for a Context synchronization event. */
struct cairn_session_late {
    bool waits;
    bool value;
};

struct cairn_unit_session {
    struct cairn_access_options options;
    enum cairn_power power;
    bool os_locked;
    bool software_locked; /* ETMv4: TRCLSR.SLK */
    bool sticky_down;     /* TRCPDSR.STICKYPD */
    bool ETAD;
    bool STAD;
    uint8_t claims;
    uint32_t PDCR;
    uint64_t random; /* of UNKNOWN values */

    bool began;        /* the unit was enabled or disabled since it was made or reset */
    uint64_t since;    /* the PE clock then */
    uint64_t accesses; /* since then */

    uint64_t late_registers[(CAIRN_UNIT_REGISTERS_MAX + 63) / 64]; /* a bit each that waits */
    uint64_t late_values[CAIRN_UNIT_REGISTERS_MAX];
    struct cairn_session_late late_enable;
    struct cairn_session_late late_lock;
    struct cairn_session_view seen;  /* by MRS */
    struct cairn_session_view shown; /* to debuggers, while the unit is neither Stable nor Idle */
    bool authentication_waits;
    uint64_t AUTHSTATUS; /* that waits */
};

/* Called when the unit is made. */
void cairn_session_begin(struct cairn_etmv4_unit *unit);
/* An access was answered. */
void cairn_session_count(struct cairn_etmv4_unit *unit);

enum cairn_session cairn_session_state(const struct cairn_etmv4_unit *unit);
/* TRCSTATR. */
uint64_t cairn_session_status(const struct cairn_etmv4_unit *unit);
bool cairn_session_has_power(const struct cairn_etmv4_unit *unit);
/* TRCPRGCTLR.EN, or the OS Lock, becomes that; the unit is enabled or disabled if that makes it so. */
void cairn_session_enable(struct cairn_etmv4_unit *unit, bool EN);
void cairn_session_lock(struct cairn_etmv4_unit *unit, bool locked);

/* A value for what is UNKNOWN. */
uint64_t cairn_session_unknown(struct cairn_etmv4_unit *unit);
/* A register that software programs takes one, of those that it can hold. */
void cairn_session_forget(struct cairn_etmv4_unit *unit, unsigned index);

/* --- views.c: when what was written is seen --- */

/* What an MRS, or a debugger, reads of a register of the register file; TRCSTATR included. */
uint64_t cairn_session_read_direct(const struct cairn_etmv4_unit *unit, unsigned index);
uint64_t cairn_session_read_external(const struct cairn_etmv4_unit *unit, unsigned index);
/* An MSR, or a debugger, writes it. The value is one that the register can hold. */
void cairn_session_write_direct(struct cairn_etmv4_unit *unit, unsigned index, uint64_t value);
void cairn_session_write_external(struct cairn_etmv4_unit *unit, unsigned index, uint64_t value);
/* An MSR writes TRCPRGCTLR.EN, or OSLAR_EL1 (ETMv4: TRCOSLAR). */
void cairn_session_enable_direct(struct cairn_etmv4_unit *unit, bool EN);
void cairn_session_lock_direct(struct cairn_etmv4_unit *unit, bool locked);
/* A Context synchronization event. */
void cairn_session_synchronize(struct cairn_etmv4_unit *unit);
/* The unit begins to be disabled: what debuggers see of it until it is Stable. */
void cairn_session_keep_shown(struct cairn_etmv4_unit *unit);
/* Nothing waits any more, and what is seen is what is. */
void cairn_session_refresh(struct cairn_etmv4_unit *unit);
/* TRCAUTHSTATUS has a new value (R_WYWMJ). */
void cairn_session_authenticate(struct cairn_etmv4_unit *unit, uint64_t AUTHSTATUS);

/* --- state.c --- */

/* Behind a Context synchronization event. */
void cairn_unit_synchronized(struct cairn_etmv4_unit *unit);

/* --- unit.c --- */

/* The unit becomes enabled, or disabled. */
void cairn_unit_start(struct cairn_etmv4_unit *unit);
void cairn_unit_stop(struct cairn_etmv4_unit *unit);
/* The present value of a register. */
uint64_t cairn_unit_live(const struct cairn_etmv4_unit *unit, unsigned index);

#endif
