/* SPDX-License-Identifier: BSD-2-Clause */
/* The System registers of a PE field by field, as unit/fields/fields.h has those of trace units: the same
 * structures and words, and a few meanings more.
 *   trace_table.h    trace filter, trace buffer, branch records
 *   control_table.h  Performance Monitors, traps, debug, identification
 *   fields.c         finding fields          describe.c  values in words, and back */
#ifndef CAIRN_PE_FIELDS_FIELDS_H
#define CAIRN_PE_FIELDS_FIELDS_H

#include "pe/sysreg.h"
#include "unit/fields/fields.h"

#define CAIRN_OF_PE 32u /* beside CAIRN_OF_ANY, which are trace units */

/* Continues enum cairn_meaning. Those behind PE_WORDS have words, and what has none is reserved. */
enum cairn_pe_meaning {
    CAIRN_MEANS_PE_MSS = CAIRN_MEANS_COUNT_OF_MEANINGS, /* TRBSR_EL1.MSS: by EC */
    CAIRN_MEANS_PE_PAGE,                                /* bits 63:12 of an address */
    CAIRN_MEANS_PE_COUNTERS,                            /* a bit a counter; 31 is PMCCNTR_EL0 */
    CAIRN_MEANS_PE_CYCLES,                              /* BRBINF<n>_EL1.CC */
    CAIRN_MEANS_PE_ALIGN,                               /* TRBIDR_EL1.Align */
    CAIRN_MEANS_PE_ATTRIBUTES,                          /* as a byte of MAIR_ELx */
    CAIRN_MEANS_PE_WORDS,
    CAIRN_MEANS_PE_TS2,
    CAIRN_MEANS_PE_TM,
    CAIRN_MEANS_PE_FM,
    CAIRN_MEANS_PE_EC,
    CAIRN_MEANS_PE_SH,
    CAIRN_MEANS_PE_TYPE,
    CAIRN_MEANS_PE_VALID,
    CAIRN_MEANS_PE_BANK,
    CAIRN_MEANS_PE_NUMREC,
    CAIRN_MEANS_PE_CC_BUILT,
    CAIRN_MEANS_PE_EL,
    CAIRN_MEANS_PE_E2TB,
    CAIRN_MEANS_PE_NSTB,
    CAIRN_MEANS_PE_SBRBE,
    CAIRN_MEANS_PE_SPD32,
    CAIRN_MEANS_PE_BRBE_BUILT,
    CAIRN_MEANS_PE_BUILT,
};

/* The register's fields, the highest bits first; how many. */
size_t cairn_pe_fields(struct cairn_pe_sysreg_place place,
                       const struct cairn_register_field *list[CAIRN_FIELDS_MOST]);
const struct cairn_register_field *cairn_pe_field_of(struct cairn_pe_sysreg_place place,
                                                     const char *name);
/* All of them, NULL past the last. */
const struct cairn_register_field *cairn_pe_field_at(size_t index);
/* Bits that the register does not have; 0 of the host's. */
uint64_t cairn_pe_reserved(struct cairn_pe_sysreg_place place);

/* As cairn_field_describe and cairn_field_parse. */
bool cairn_pe_field_describe(const struct cairn_register_field *field, uint64_t value,
                             char text[CAIRN_FIELD_WORDS]);
bool cairn_pe_field_parse(const struct cairn_register_field *field, const char *word,
                          uint64_t *value);

/* The nearest names, nearest first; how many of `most`. */
size_t cairn_pe_names_near(const char *name, char (*names)[CAIRN_REGISTER_NAME], size_t most);

#endif
