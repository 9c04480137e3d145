/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace unit model is to <cairn/unit.h>: one const table. unit.c turns the public functions
 * into calls of it. A model is added by adding a folder and one line in the list of unit.c. */
#ifndef CAIRN_UNIT_MODEL_H
#define CAIRN_UNIT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/access.h>

/* How a model's registers are reached: the members mean what the public function of the same name
 * means. */
struct cairn_unit_ways_in {
    enum cairn_answer (*mrs)(struct cairn_unit *unit, uint32_t sysreg, unsigned EL, uint64_t *value,
                             struct cairn_error *why);
    enum cairn_answer (*msr)(struct cairn_unit *unit, uint32_t sysreg, unsigned EL, uint64_t value,
                             struct cairn_error *why);
    enum cairn_answer (*load)(struct cairn_unit *unit, uint32_t offset, uint32_t bytes,
                              uint32_t flags, uint64_t *value, struct cairn_error *why);
    enum cairn_answer (*store)(struct cairn_unit *unit, uint32_t offset, uint32_t bytes,
                               uint32_t flags, uint64_t value, struct cairn_error *why);
    cairn_status (*register_info)(const struct cairn_unit *unit, size_t index,
                                  struct cairn_unit_register_info *info);
    cairn_status (*register_find)(const struct cairn_unit *unit, const char *name,
                                  struct cairn_unit_register_info *info);
    void (*deny_external)(struct cairn_unit *unit, bool ETAD);
    bool (*denied)(struct cairn_unit *unit);
    enum cairn_session (*session)(const struct cairn_unit *unit);
    cairn_status (*access_options)(struct cairn_unit *unit,
                                   const struct cairn_access_options *options);
    void (*os_lock)(struct cairn_unit *unit, bool locked);
    void (*reset)(struct cairn_unit *unit, enum cairn_reset kind);
    void (*power)(struct cairn_unit *unit, enum cairn_power power);
    uint64_t (*tsb)(struct cairn_unit *unit);
};

#include "unit/seen.h"

/* The members mean what the public function of the same name means. Those from synchronize_context
 * on may be NULL: the unit does not look at what they tell, and cannot be asked for it. */
struct cairn_unit_model {
    enum cairn_protocol_id protocol;

    cairn_status (*create)(const struct cairn_unit_options *options, struct cairn_unit **unit,
                           struct cairn_error *error); /* `options` has its whole size */
    void (*free)(struct cairn_unit *unit);
    cairn_status (*status)(const struct cairn_unit *unit);
    void (*counters)(const struct cairn_unit *unit, struct cairn_unit_counters *counters);
    cairn_status (*read)(const struct cairn_unit *unit, const char *name, uint64_t *value);
    cairn_status (*write)(struct cairn_unit *unit, const char *name, uint64_t value,
                          struct cairn_error *error);
    cairn_status (*register_at)(const struct cairn_unit *unit, size_t index,
                                struct cairn_register *value);
    struct cairn_config *(*config)(const struct cairn_unit *unit);
    void (*enable)(struct cairn_unit *unit);
    void (*disable)(struct cairn_unit *unit);
    void (*context)(struct cairn_unit *unit, const struct cairn_context *context);
    void (*execute)(struct cairn_unit *unit, const struct cairn_block *block, bool taken);
    void (*exception)(struct cairn_unit *unit, unsigned type, uint64_t address, enum cairn_isa isa);
    void (*prohibit)(struct cairn_unit *unit, bool prohibited);
    void (*flush)(struct cairn_unit *unit);
    uint64_t (*position)(struct cairn_unit *unit);

    void (*synchronize_context)(struct cairn_unit *unit);
    void (*data)(struct cairn_unit *unit, const struct cairn_unit_transfer *transfer);
    void (*data_pending)(struct cairn_unit *unit, uint32_t transfers);
    void (*debug_state)(struct cairn_unit *unit, bool debug);
    void (*low_power)(struct cairn_unit *unit, bool low);
    void (*cycles)(struct cairn_unit *unit, uint64_t cycles);
    void (*time)(struct cairn_unit *unit, uint64_t time);
    void (*clock_stopped)(struct cairn_unit *unit);
    void (*inputs)(struct cairn_unit *unit, uint32_t inputs);
    void (*hint)(struct cairn_unit *unit, unsigned hint);
    void (*authenticate)(struct cairn_unit *unit, uint32_t signals);
    void (*pmu_event)(struct cairn_unit *unit, uint32_t number);
    void (*event)(struct cairn_unit *unit, unsigned number);
    uint32_t (*needs)(const struct cairn_unit *unit); /* NULL: all that a unit can look at */
    void (*speculate)(struct cairn_unit *unit, bool speculative);
    uint64_t (*mark)(const struct cairn_unit *unit);
    cairn_status (*resolve)(struct cairn_unit *unit, uint64_t mark);
    cairn_status (*cancel)(struct cairn_unit *unit, uint64_t mark);
    cairn_status (*mispredict)(struct cairn_unit *unit);
    void (*transaction_start)(struct cairn_unit *unit);
    void (*transaction_commit)(struct cairn_unit *unit);
    void (*transaction_fail)(struct cairn_unit *unit);
    void (*request_sync)(struct cairn_unit *unit);
    uint64_t (*offer)(struct cairn_unit *unit);
    uint64_t (*pending)(const struct cairn_unit *unit);
    bool (*stalls)(const struct cairn_unit *unit);
    bool misses; /* `data` knows CAIRN_UNIT_DATA_MISSED and what returns */
    const struct cairn_unit_ways_in *port; /* NULL: registers are reached by name only */
};

/* What ends a block besides a P0 instruction (struct cairn_unit.block_ends). */
enum {
    /* the feed tells of every instruction that has a condition whether it passed it */
    CAIRN_BLOCK_ENDS_CONDITION = 1 << 0,
    /* the feed tells what an instruction transfers */
    CAIRN_BLOCK_ENDS_TRANSFER = 1 << 1,
    /* the feed tells what moves between core registers and coprocessors */
    CAIRN_BLOCK_ENDS_MOVE = 1 << 2,
};

bool cairn_unit_has_model(enum cairn_protocol_id protocol);

/* Every model's unit begins with this. */
struct cairn_unit {
    /* model->execute, one load nearer: it is called for every block that is executed */
    void (*execute)(struct cairn_unit *unit, const struct cairn_block *block, bool taken);
    const struct cairn_unit_model *model;
    struct cairn_arch arch;
    uint32_t p0_kinds;   /* bit n: instructions of kind n are P0 */
    uint32_t block_ends; /* CAIRN_BLOCK_ENDS_... */
    struct cairn_unit_sight sight;
    uint64_t cycles; /* told */
    bool
        unnumbered; /* `outputs` does not look at the clock's number: clocks without an event in them
                        need not be counted for it */
};

extern const struct cairn_unit_model cairn_etmv4_unit_model;
extern const struct cairn_unit_model cairn_ete_unit_model;
extern const struct cairn_unit_model cairn_mtb_unit_model;
extern const struct cairn_unit_model cairn_ptm_unit_model;
extern const struct cairn_unit_model cairn_etmv3_unit_model;
extern const struct cairn_unit_model cairn_etmv2_unit_model;
extern const struct cairn_unit_model cairn_etmv1_unit_model;

#endif
