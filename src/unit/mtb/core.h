/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a Micro Trace Buffer (DDI0486): it notes where execution does not go on in order, in
 * a ring of RAM. Nothing leaves it while it traces; disabling it gives the sink the RAM that is
 * written, from its lowest address.
 *   unit.c   registers, enabling, the RAM
 *   trace.c  what the PE does: packets */
#ifndef CAIRN_UNIT_MTB_CORE_H
#define CAIRN_UNIT_MTB_CORE_H

#include "unit/model.h"

enum cairn_mtb_register {
    CAIRN_MTB_POSITION,
    CAIRN_MTB_MASTER,
    CAIRN_MTB_FLOW,
    CAIRN_MTB_BASE,
    CAIRN_MTB_REGISTERS,
};

/* POSITION: the pointer is bits 31:3 */
#define CAIRN_MTB_WRAP (UINT32_C(1) << 2)
#define CAIRN_MTB_POINTER (~UINT32_C(7))
/* MASTER */
#define CAIRN_MTB_MASK UINT32_C(0x1f)
#define CAIRN_MTB_TSTARTEN (UINT32_C(1) << 5)
#define CAIRN_MTB_TSTOPEN (UINT32_C(1) << 6)
#define CAIRN_MTB_HALTREQ (UINT32_C(1) << 9)
#define CAIRN_MTB_EN (UINT32_C(1) << 31)
/* FLOW: the watermark is bits 31:3 */
#define CAIRN_MTB_AUTOSTOP (UINT32_C(1) << 0)
#define CAIRN_MTB_AUTOHALT (UINT32_C(1) << 1)
/* cairn_unit_inputs: the signals TSTART and TSTOP */
#define CAIRN_MTB_TSTART 1u
#define CAIRN_MTB_TSTOP 2u

enum cairn_mtb_wait {
    CAIRN_MTB_WAIT_NOTHING,
    CAIRN_MTB_WAIT_BRANCH,    /* from `source`, to what is told next */
    CAIRN_MTB_WAIT_RETURN,    /* the same, by an EXC_RETURN or FNC_RETURN (M profile) */
    CAIRN_MTB_WAIT_EXCEPTION, /* preferred return address `source` */
};

struct cairn_mtb_unit {
    struct cairn_unit base; /* first */
    uint32_t registers[CAIRN_MTB_REGISTERS];
    uint8_t *ram; /* 2^(MASK + 4) bytes; NULL until the unit is enabled */
    uint64_t delivered;
    struct cairn_unit_counters counters;
    cairn_status status;
    cairn_unit_sink *sink;
    void *sink_context;

    bool in_session; /* enabled, and not disabled since: there is something to give out */
    bool prohibited; /* what is told is not seen */
    bool debug;
    bool seen;           /* `next` follows what was told last */
    bool starts;         /* the next packet is the first since trace started: S */
    uint8_t wait;        /* enum cairn_mtb_wait */
    bool was_prohibited; /* since the exception that waits */
    bool popped;         /* registers were, by the return that waits: nothing is chained to it */
    uint32_t source;
    uint32_t value; /* EXC_RETURN, FNC_RETURN */
    uint32_t next;
};

static inline struct cairn_mtb_unit *cairn_mtb_unit(struct cairn_unit *base)
{
    return (struct cairn_mtb_unit *)base;
}

static inline const struct cairn_mtb_unit *cairn_mtb_unit_const(const struct cairn_unit *base)
{
    return (const struct cairn_mtb_unit *)base;
}

static inline bool cairn_mtb_traces(const struct cairn_mtb_unit *unit)
{
    return (unit->registers[CAIRN_MTB_MASTER] & CAIRN_MTB_EN) != 0;
}

/* unit.c: EN is set. Trace starts: nothing is known of what ran before. */
void cairn_mtb_start(struct cairn_mtb_unit *unit);
/* Two words, into the RAM. */
void cairn_mtb_write(struct cairn_mtb_unit *unit, uint32_t word0, uint32_t word1);

/* trace.c */
void cairn_mtb_unit_context(struct cairn_unit *base, const struct cairn_context *context);
void cairn_mtb_unit_execute(struct cairn_unit *base, const struct cairn_block *block, bool taken);
void cairn_mtb_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                              enum cairn_isa isa);
void cairn_mtb_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer);
void cairn_mtb_unit_prohibit(struct cairn_unit *base, bool prohibited);
void cairn_mtb_unit_debug_state(struct cairn_unit *base, bool debug);
void cairn_mtb_unit_inputs(struct cairn_unit *base, uint32_t inputs);

#endif
