/* SPDX-License-Identifier: BSD-2-Clause */
/* What the models of units with pins, ETMv1 and ETMv2, have in common: registers and resources, where
 * execution is, what hides it, the trigger. Both units begin with it; how a cycle is shown is the matter of
 * each. */
#ifndef CAIRN_UNIT_ETMV1_PINS_UNIT_H
#define CAIRN_UNIT_ETMV1_PINS_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etm/pins.h"
#include "unit/etmv1/registers.h"
#include "unit/etmv3/resources.h"
#include "unit/model.h"

struct cairn_pins_location {
    uint32_t address;
    uint8_t isa; /* of a block; CAIRN_ISA_UNKNOWN: nobody knows where */
};

/* Of the instruction told last, as an exception asks. */
struct cairn_pins_last {
    struct cairn_pins_location place;
    bool aborted;  /* some of its transfers was */
    bool excepted; /* it ends with an exception already */
};

/* What one version has of its own. */
struct cairn_pins_version {
    bool v2;
    uint32_t fifo_least, fifo_most; /* bytes */
    /* What comes is not to be seen; an exception leads to its vector. */
    void (*hide)(struct cairn_unit *base);
};

struct cairn_pins_unit {
    struct cairn_unit base;
    const struct cairn_pins_version *version;
    struct cairn_etm_pins *pins; /* of the version's port */
    struct cairn_etmv1_registers registers;
    struct cairn_etmv3_resources resources;
    struct cairn_unit_counters counters;

    /* the program; valid while enabled */
    bool enabled;
    bool moves; /* between core and coprocessors have packets */
    bool branch_output;
    bool watches; /* some resource is looked at */
    bool triggers;
    bool waits_for_port; /* options.fifo_bytes is 0 */

    /* where execution is */
    bool debug;
    bool in_region; /* prohibited */
    struct cairn_pins_location next;

    /* what the decoder knows */
    bool overflowed; /* nothing is traced until the FIFO is empty */
    bool after_overflow, after_debug;

    uint64_t stalled; /* cycles of the core */
};

static inline struct cairn_pins_unit *cairn_pins_unit(struct cairn_unit *unit)
{
    return (struct cairn_pins_unit *)unit;
}

static inline const struct cairn_pins_unit *cairn_pins_unit_const(const struct cairn_unit *unit)
{
    return (const struct cairn_pins_unit *)unit;
}

/* --- functions of the models' tables --- */
void cairn_pins_unit_free(struct cairn_unit *base);
cairn_status cairn_pins_unit_status(const struct cairn_unit *base);
void cairn_pins_unit_counters(const struct cairn_unit *base, struct cairn_unit_counters *counters);
cairn_status cairn_pins_unit_read(const struct cairn_unit *base, const char *name, uint64_t *value);
cairn_status cairn_pins_unit_write(struct cairn_unit *base, const char *name, uint64_t value,
                                   struct cairn_error *error);
cairn_status cairn_pins_unit_register_at(const struct cairn_unit *base, size_t index,
                                         struct cairn_register *value);
struct cairn_config *cairn_pins_unit_config(const struct cairn_unit *base);
void cairn_pins_unit_prohibit(struct cairn_unit *base, bool prohibited);
void cairn_pins_unit_authenticate(struct cairn_unit *base, uint32_t signals);

/* --- what the versions ask --- */
/* Fills in a new unit, all of it 0, whose port's pins are `pins`. The caller frees it if this fails. */
cairn_status
cairn_pins_unit_begin(struct cairn_pins_unit *unit, const struct cairn_unit_model *model,
                      const struct cairn_pins_version *version, struct cairn_etm_pins *pins,
                      const struct cairn_unit_options *options, struct cairn_error *error);
/* The program, decoded: what both have of it. */
void cairn_pins_unit_load(struct cairn_pins_unit *unit);
/* The registers stay as software reads them now, and the unit traces no more. */
void cairn_pins_unit_unload(struct cairn_pins_unit *unit);

bool cairn_pins_trace_enable(const struct cairn_pins_unit *unit);
/* Whether the trigger occurs now: once until the Programming bit is set again (2.4). */
bool cairn_pins_trigger(struct cairn_pins_unit *unit);

/* Whether the path that was told leads to another place than this one. */
bool cairn_pins_is_elsewhere(const struct cairn_pins_unit *unit, struct cairn_pins_location place);
/* Where a block leads; nowhere: only an address tells. */
struct cairn_pins_location cairn_pins_successor(const struct cairn_block *block, bool taken);
/* Whether an exception at this address ends the instruction told last: that was told though it did not
 * complete, it called, or it is abandoned by a reset (4.5.3). */
bool cairn_pins_ends_last(const struct cairn_pins_unit *unit, const struct cairn_pins_last *last,
                          unsigned type, uint32_t address);
/* An instruction that has not been told, and raises an exception or is cancelled by it. */
struct cairn_etmv3_instruction cairn_pins_excepted(struct cairn_pins_location place);
/* The vectors (HIVECS), and that of a type CAIRN_EXCEPTION_... */
uint32_t cairn_pins_vectors(const struct cairn_pins_unit *unit);
struct cairn_pins_location cairn_pins_vector(const struct cairn_pins_unit *unit, unsigned type);

/* For whoever asks: an instruction, and why it is not traced. */
struct cairn_unit_seen cairn_pins_seen(const struct cairn_pins_unit *unit,
                                       const struct cairn_etmv3_instruction *instruction,
                                       uint8_t isa);
uint32_t cairn_pins_why(const struct cairn_pins_unit *unit, bool enabled, bool traced);
/* A block that nothing is traced of: CAIRN_UNIT_WHY_DISABLED, _DEBUG; 0: it may be. */
uint32_t cairn_pins_why_asleep(const struct cairn_pins_unit *unit);

#endif
