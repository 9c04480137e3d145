/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file of an ETMv4 or ETE trace unit, by name; and what the programmed values mean.
 * The fields: docs/trace.md, "Registers". */
#ifndef CAIRN_UNIT_ETMV4_REGISTERS_H
#define CAIRN_UNIT_ETMV4_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "unit/etmv4/counters.h"

#define CAIRN_UNIT_SACS 16u /* single address comparators: TRCACVR0 to 15 */
#define CAIRN_UNIT_ARCS 8u  /* address range comparators: pairs of them */
#define CAIRN_UNIT_CIDS 8u  /* context identifier comparators */
#define CAIRN_UNIT_VMIDS 8u
#define CAIRN_UNIT_SELECTORS 32u /* resource selectors: TRCRSCTLR2 to 31 */
#define CAIRN_UNIT_INPUTS 4u     /* External Input Selectors */
#define CAIRN_UNIT_ETE_EVENTS 4u
#define CAIRN_UNIT_SSCS 8u /* single-shot comparator controls */
#define CAIRN_UNIT_REGISTERS_MAX 256u
#define CAIRN_UNIT_MAXSPEC 4096u /* TRCIDR8: deeper is not followed by decoders either */

struct cairn_unit_registers {
    enum cairn_protocol_id protocol;
    uint64_t values[CAIRN_UNIT_REGISTERS_MAX]; /* in the order of the table in registers.c */
};

/* Resets all to the defaults of a unit of this protocol for a PE of this architecture: everything
 * that the model can do is implemented (TRCIDR), and the unit is programmed to trace everything, in
 * every Exception level, without options. MAXSPEC is 0. */
void cairn_unit_registers_reset(struct cairn_unit_registers *registers,
                                enum cairn_protocol_id protocol, const struct cairn_arch *arch);

/* A list of values as options give it, in any order: identification registers first, since they
 * decide which others there are. */
cairn_status cairn_unit_registers_program(struct cairn_unit_registers *registers,
                                          const struct cairn_register *list, size_t count,
                                          struct cairn_error *error);

/* As cairn_unit_read and cairn_unit_write; `identification` allows writing what is read-only to
 * software (TRCIDRn, TRCDEVARCH): what was built, not what is programmed. */
cairn_status cairn_unit_registers_read(const struct cairn_unit_registers *registers,
                                       const char *name, uint64_t *value);
cairn_status cairn_unit_registers_write(struct cairn_unit_registers *registers, const char *name,
                                        uint64_t value, bool identification,
                                        struct cairn_error *error);

/* What register `index` holds when `value` is written to it: bits that it has not read as 0, or as 1.
 * False: the value is reserved, and the error says so. */
bool cairn_unit_registers_holds(const struct cairn_unit_registers *registers, unsigned index,
                                uint64_t value, uint64_t *held, struct cairn_error *error);

/* As cairn_unit_register. */
cairn_status cairn_unit_registers_list(const struct cairn_unit_registers *registers, size_t index,
                                       struct cairn_register *value);
/* All of them, `capacity` at most; how many. */
size_t cairn_unit_registers_list_all(const struct cairn_unit_registers *registers,
                                     struct cairn_register *list, size_t capacity);

/* State that the unit keeps in registers: TRCPRGCTLR.EN, TRCVICTLR.SSSTATUS, TRCRSR (ETE's, kept
 * for ETMv4 too), the resources, and TRCSTATR, where a disabled unit is idle and stable at once. */
struct cairn_unit_state {
    bool enabled;
    bool start_stop;                /* SSSTATUS */
    bool traced;                    /* TRCRSR.TA */
    uint8_t kept_events;            /* TRCRSR.EVENT */
    uint8_t kept_inputs;            /* TRCRSR.EXTIN */
    struct cairn_counters counters; /* TRCCNTVR */
    uint8_t sequencer;              /* TRCSEQSTR.STATE */
    uint8_t fired;                  /* bit n: TRCSSCSR<n>.STATUS */
    uint8_t pending;                /* TRCSSCSR<n>.PENDING */
};
void cairn_unit_registers_load(const struct cairn_unit_registers *registers,
                               struct cairn_unit_state *state);
void cairn_unit_registers_store(struct cairn_unit_registers *registers,
                                const struct cairn_unit_state *state);

/* One address comparator, DDI0608 D7.4. */
struct cairn_unit_comparator {
    uint64_t address;      /* TRCACVR */
    uint8_t levels_secure; /* bit n: EL n is left out (TRCACATR.EXLEVEL_S) */
    uint8_t levels_nonsecure;
    uint8_t levels_realm; /* EXLEVEL_RL */
    uint8_t context_type; /* 0 none, 1 context id, 2 virtual context id, 3 both */
    uint8_t context;      /* which CID, VMID comparator */
};

/* A resource event: TRC...EVENT fields, D7.3. */
struct cairn_unit_selection {
    uint8_t select; /* selector 0 to 31, or pair 0 to 15 */
    bool pair;
};

/* TRCRSCTLR.GROUP, Table D7.1. */
enum cairn_unit_group {
    CAIRN_GROUP_INPUTS,  /* External Input Selectors */
    CAIRN_GROUP_PES,     /* PE Comparator Inputs */
    CAIRN_GROUP_DERIVED, /* 0 to 3: CounterAtZero; 4 to 7: SequencerState */
    CAIRN_GROUP_SINGLE_SHOTS,
    CAIRN_GROUP_SACS,
    CAIRN_GROUP_ARCS,
    CAIRN_GROUP_CIDS,
    CAIRN_GROUP_VMIDS,
    CAIRN_GROUPS,
};

/* A single-shot comparator control: TRCSSCCR, TRCSSPCICR. */
struct cairn_unit_single_shot {
    uint16_t sacs;
    uint8_t arcs;
    uint8_t pes;
};

/* The programmed values, decoded. Refreshed when the unit is enabled. */
struct cairn_unit_program {
    bool is_ete;
    /* TRCCONFIGR, and what goes with each option */
    bool branch_broadcast;
    bool broadcast_includes;  /* TRCBBCTLR.MODE: ranges are where it is active, else where not */
    uint8_t broadcast_ranges; /* TRCBBCTLR.RANGE */
    bool cycle_counting;
    uint32_t cycle_threshold; /* TRCCCCTLR.THRESHOLD, at least TRCIDR3.CCITMIN */
    uint32_t cycle_max;       /* 2^CCSIZE - 1 */
    bool timestamps;
    struct cairn_unit_selection timestamp_event; /* TRCTSCTLR */
    bool timestamp_markers;                      /* TRCIDR0.TSMARK */
    bool return_stack;
    bool context_id;
    bool vmid;
    bool vmid_allowed; /* true; a feed's TRFCR_EL2.CX is not modelled yet */
    uint8_t q;         /* TRCCONFIGR.QE: 0 off, 1 with count only, 3 both kinds */
    bool q_includes;   /* TRCQCTLR.MODE */
    uint8_t q_ranges;
    uint32_t sync_period; /* bytes; 0: no periodic requests (TRCSYNCPR) */
    bool no_overflow;     /* TRCSTALLCTLR.NOOVERFLOW, where implemented */
    /* ETEEvents */
    uint8_t events_traced;                                     /* TRCEVENTCTL1R.INSTEN */
    struct cairn_unit_selection events[CAIRN_UNIT_ETE_EVENTS]; /* TRCEVENTCTL0R */
    uint8_t event_count;                                       /* those that are there */
    bool atb_trigger;                                          /* TRCEVENTCTL1R.ATB */
    bool low_power_override;                                   /* TRCEVENTCTL1R.LPOVERRIDE */
    /* ViewInst */
    struct cairn_unit_selection view_event; /* TRCVICTLR.EVENT */
    uint8_t levels_secure; /* bit n: EL n is not traced (TRCVICTLR.EXLEVEL_S, and EL3) */
    uint8_t levels_nonsecure;
    uint8_t levels_realm; /* ETE 1.2 (RME): EXLEVEL_RL */
    bool force_errors;    /* TRCVICTLR.TRCERR */
    bool force_resets;    /* TRCVICTLR.TRCRESET */
    uint8_t include;      /* TRCVIIECTLR */
    uint8_t exclude;
    uint16_t start; /* TRCVISSCTLR */
    uint16_t stop;
    uint8_t pe_start; /* TRCVIPCSSCTLR */
    uint8_t pe_stop;
    /* comparators and selectors */
    struct cairn_unit_comparator comparators[CAIRN_UNIT_SACS];
    uint64_t context_values[CAIRN_UNIT_CIDS];
    uint32_t context_masks[CAIRN_UNIT_CIDS]; /* bits that are compared */
    uint64_t vmid_values[CAIRN_UNIT_VMIDS];
    uint32_t vmid_masks[CAIRN_UNIT_VMIDS];
    uint32_t selectors[CAIRN_UNIT_SELECTORS]; /* TRCRSCTLR; resources that are not there cut out */
    uint8_t selector_count; /* selectors that are there, 0 (FALSE) and 1 (TRUE) included */
    uint16_t selected_inputs[CAIRN_UNIT_INPUTS]; /* TRCEXTINSELR: PMU event numbers */
    uint8_t input_count;                         /* External Input Selectors that are there */
    /* counters, sequencer, single-shots: what is not there has no events, and matches nothing */
    struct cairn_counter_program counters[CAIRN_UNIT_COUNTERS];
    struct cairn_unit_selection decrements[CAIRN_UNIT_COUNTERS]; /* TRCCNTCTLR.CNTEVENT */
    struct cairn_unit_selection reloads[CAIRN_UNIT_COUNTERS];    /* TRCCNTCTLR.RLDEVENT */
    struct cairn_unit_selection forwards[3];                     /* TRCSEQEVR.F */
    struct cairn_unit_selection backwards[3];                    /* TRCSEQEVR.B */
    struct cairn_unit_selection sequencer_reset;                 /* TRCSEQRSTEVR */
    struct cairn_unit_single_shot single_shots[CAIRN_UNIT_SSCS];
    uint8_t multi_shots; /* bit n: TRCSSCCR<n>.RST */
    uint8_t shots_used;  /* bit n: it compares with something */
    /* what was built */
    bool first_bytes; /* single address comparators match the first byte of an instruction */
    uint32_t maxspec;
    bool commopt;
    bool commtrans_is_p0;
    bool wfx_is_p0;
    bool realm;             /* context packets have NSE */
    uint8_t pe_comparators; /* TRCIDR4.NUMPC */
    uint16_t cycle_minimum; /* TRCIDR3.CCITMIN */
    /* true when every block outside Prohibited regions and Debug state is viewed, whatever it is:
     * nothing to evaluate per block */
    bool views_all;
};

void cairn_unit_program_read(const struct cairn_unit_registers *registers,
                             struct cairn_unit_program *program);

#endif
