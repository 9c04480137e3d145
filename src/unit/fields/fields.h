/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of the trace units that are modelled, field by field, and what a value of each
 * field means: for people who program one, and for what checks their programming.
 *   etmv4_table.h  ETE and ETMv4      etm_table.h  PTM and ETMv3      mtb_table.h  MTB
 *   fields.c       finding registers and fields by name
 *   words.c        values that have names
 *   describe.c     values in words, and words back to values */
#ifndef CAIRN_UNIT_FIELDS_H
#define CAIRN_UNIT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/packet.h>

/* Kinds of trace units, a bit each: a row may be of several. */
#define CAIRN_OF_ETE 1u
#define CAIRN_OF_ETMV4 2u
#define CAIRN_OF_PTM 4u
#define CAIRN_OF_ETMV3 8u
#define CAIRN_OF_MTB 16u
#define CAIRN_OF_BOTH (CAIRN_OF_ETE | CAIRN_OF_ETMV4)
#define CAIRN_OF_ETM (CAIRN_OF_PTM | CAIRN_OF_ETMV3)
#define CAIRN_OF_ANY 31u

/* The bit of a protocol; 0: its trace units are not modelled. */
unsigned cairn_of_protocol(enum cairn_protocol_id protocol);
enum cairn_protocol_id cairn_protocol_of(unsigned unit);

/* Who writes a register. */
enum cairn_family_access {
    CAIRN_FAMILY_PROGRAM,    /* software */
    CAIRN_FAMILY_STATE,      /* software and the unit */
    CAIRN_FAMILY_STATUS,     /* the unit: read-only */
    CAIRN_FAMILY_BUILT,      /* nobody: it says what was built */
    CAIRN_FAMILY_WRITE_ONLY, /* software, and it cannot be read */
    CAIRN_FAMILY_FREE,       /* software, whatever state the unit is in */
    CAIRN_FAMILY_PE,         /* of the PE, not of the unit */
};

/* A register, or several that differ by their number: TRCRSCTLR2 to TRCRSCTLR31. */
struct cairn_register_family {
    const char *name;
    uint64_t mask;   /* bits that the model of the unit has; 0: it has no such register */
    uint16_t offset; /* in the memory map, of the first; 0xffff: not there */
    uint8_t step;
    uint8_t count; /* 1, and no number in the name where `first` is CAIRN_NO_NUMBER */
    uint8_t first;
    uint8_t bits;   /* 32 or 64 */
    uint8_t units;  /* CAIRN_OF_... */
    uint8_t access; /* enum cairn_family_access */
};
#define CAIRN_NO_NUMBER 0xffu
#define CAIRN_REGISTER_NAME 24u /* room for a name with its number */

/* What the values of a field are. Those behind CAIRN_MEANS_WORDS have their words in words.c; what
 * has no word there is reserved. */
enum cairn_meaning {
    CAIRN_MEANS_NUMBER,
    CAIRN_MEANS_HEX,
    CAIRN_MEANS_ADDRESS,
    CAIRN_MEANS_FLAG,     /* 0 no, 1 yes */
    CAIRN_MEANS_RESERVED, /* of a read-only register: nothing */
    CAIRN_MEANS_EVENT,    /* resource event of ETMv4 and ETE: TYPE 7, SEL 4:0 */
    CAIRN_MEANS_EVENT17,  /* event of the ETMs before: function 16:14, B 13:7, A 6:0 */
    CAIRN_MEANS_SELECT,   /* resources of TRCRSCTLR.GROUP */
    CAIRN_MEANS_SACS,     /* a bit a single address comparator, from 0 on */
    CAIRN_MEANS_ARCS,     /* a bit an address range comparator */
    CAIRN_MEANS_PES,      /* a bit a PE comparator input */
    CAIRN_MEANS_SACS1,    /* the same from 1 on: ETMs before ETMv4 */
    CAIRN_MEANS_ARCS1,
    CAIRN_MEANS_MMDS,   /* memory map decodes from 1 on */
    CAIRN_MEANS_ICES,   /* EmbeddedICE watchpoint inputs from 1 on */
    CAIRN_MEANS_EVENTS, /* a bit an event number */
    CAIRN_MEANS_EXTINS, /* a bit an external input selector */
    CAIRN_MEANS_BYTES,  /* a bit a byte of an identifier that is not compared */
    CAIRN_MEANS_LEVELS, /* a bit an Exception level that is left out */
    CAIRN_MEANS_LEVELS_BUILT,
    CAIRN_MEANS_PERIOD, /* 2^N bytes; 0 none; 8 to 20 */
    CAIRN_MEANS_COUNT,  /* of things that there are at most 8 of */
    CAIRN_MEANS_COUNT_MINUS_1,
    CAIRN_MEANS_PAIRS_MINUS_1, /* NUMRSPAIR: 0 none from ETMv4.3 on, else N + 1 pairs */
    CAIRN_MEANS_CCSIZE,        /* N + 12 bits */
    CAIRN_MEANS_RING,          /* 2^(N + 4) bytes */
    CAIRN_MEANS_POINTER,       /* bits 31:3 of an address */
    CAIRN_MEANS_PAIRINV,       /* only of even numbers (R_KTNJM): 1 inverts the pair */
    CAIRN_MEANS_CNTCHAIN,      /* only of odd numbers (D7.7.1) */
    CAIRN_MEANS_TRACE_ID,
    CAIRN_MEANS_WORDS, /* from here on: words.c */
    CAIRN_MEANS_ENABLE,
    CAIRN_MEANS_INSTP0,
    CAIRN_MEANS_COND,
    CAIRN_MEANS_QE,
    CAIRN_MEANS_VMIDOPT,
    CAIRN_MEANS_MODE,
    CAIRN_MEANS_GROUP,
    CAIRN_MEANS_CONTEXTTYPE,
    CAIRN_MEANS_ACCESS,
    CAIRN_MEANS_DATAMATCH,
    CAIRN_MEANS_DATASIZE,
    CAIRN_MEANS_SSSTATUS,
    CAIRN_MEANS_STATE4,
    CAIRN_MEANS_INSTP0_BUILT,
    CAIRN_MEANS_TRCDATA,
    CAIRN_MEANS_CONDTYPE,
    CAIRN_MEANS_QSUPP,
    CAIRN_MEANS_TSSIZE,
    CAIRN_MEANS_COMMOPT,
    CAIRN_MEANS_COMMTRANS,
    CAIRN_MEANS_MAJOR,
    CAIRN_MEANS_ADDRESS_SIZE,
    CAIRN_MEANS_ID_SIZE,
    CAIRN_MEANS_VMID_SIZE,
    CAIRN_MEANS_DATA_SIZE,
    CAIRN_MEANS_VMIDOPT_BUILT,
    CAIRN_MEANS_WFXMODE,
    CAIRN_MEANS_SYNCPR,
    CAIRN_MEANS_IDSIZE7,
    CAIRN_MEANS_SEQSTATES,
    CAIRN_MEANS_AUTH,
    CAIRN_MEANS_ARCHPART,
    CAIRN_MEANS_TYPE_MAJOR,
    CAIRN_MEANS_TYPE_SUB,
    CAIRN_MEANS_LOCK,
    CAIRN_MEANS_TS_SELF,
    CAIRN_MEANS_TRIGGER_MODE,
    CAIRN_MEANS_FILL_MODE,
    CAIRN_MEANS_PORT_SIZE,
    CAIRN_MEANS_PORT_MODE,
    CAIRN_MEANS_DATA_ACCESS,
    CAIRN_MEANS_CONTEXT_BYTES,
    CAIRN_MEANS_EXCLUDE,
    CAIRN_MEANS_ACTR_TYPE,
    CAIRN_MEANS_ACTR_TYPE_PTM,
    CAIRN_MEANS_ACTR_SIZE,
    CAIRN_MEANS_ACTR_DATA,
    CAIRN_MEANS_ACTR_CONTEXT,
    CAIRN_MEANS_ACTR_SECURITY,
    CAIRN_MEANS_ACTR_MODES,
    CAIRN_MEANS_STATE3,
    CAIRN_MEANS_ETM_MAJOR,
    CAIRN_MEANS_BRANCH,
    CAIRN_MEANS_TIMESTAMP_CODE,
    CAIRN_MEANS_COUNT_OF_MEANINGS,
};

struct cairn_register_field {
    const char *of; /* a family's name, or a register's with its number: "TRCIDR4" */
    const char *name;
    const char *section; /* where it stands; where the position is from, if another place */
    const char *text;    /* what it does, a sentence */
    uint8_t units;
    uint8_t high, low;
    uint8_t meaning; /* enum cairn_meaning */
};

/* All families and fields, NULL past the last. */
const struct cairn_register_family *cairn_register_family_at(size_t index);
const struct cairn_register_field *cairn_register_field_at(size_t index);

/* A register of a unit: its family and its number in it. */
struct cairn_register_place {
    const struct cairn_register_family *family; /* NULL: none */
    unsigned number;                            /* 0 where the name has none */
};

/* The register of that name, in any case, that one of `units` has: the first in their order where
 * several have. MTB's may be written without MTB_. */
struct cairn_register_place cairn_register_place_of(unsigned units, const char *name);
/* Which kinds of units have a register of that name. */
unsigned cairn_register_units(const char *name);
void cairn_register_name(struct cairn_register_place place, char name[CAIRN_REGISTER_NAME]);

/* Numbers all registers of all units, from 0 on, in the order of the tables. */
unsigned cairn_register_slot(struct cairn_register_place place);

/* The nearest names that `units` have, nearest first; how many of `most`. */
size_t cairn_register_names_near(unsigned units, const char *name,
                                 char (*names)[CAIRN_REGISTER_NAME], size_t most);

#define CAIRN_FIELDS_MOST 64u
/* The fields of a register, the highest bits first; how many. */
size_t cairn_register_fields(unsigned unit, struct cairn_register_place place,
                             const struct cairn_register_field *fields[CAIRN_FIELDS_MOST]);
const struct cairn_register_field *
cairn_register_field_of(unsigned unit, struct cairn_register_place place, const char *name);

static inline uint64_t cairn_field_mask(const struct cairn_register_field *field)
{
    return (UINT64_MAX >> (63 - (field->high - field->low))) << field->low;
}

static inline uint64_t cairn_field_value(const struct cairn_register_field *field, uint64_t value)
{
    return (value & cairn_field_mask(field)) >> field->low;
}

/* Bits that no field has. */
uint64_t cairn_register_reserved(unsigned unit, struct cairn_register_place place);

#define CAIRN_FIELD_WORDS 256u
/* What the field says in a register of this value. Returns false where the specification reserves
 * the value; `text` then says so. */
bool cairn_field_describe(unsigned unit, const struct cairn_register_field *field, uint64_t value,
                          char text[CAIRN_FIELD_WORDS]);
/* A word for a value of a field: a number, a word that cairn_field_describe gives, yes or no, and of
 * events "never", "always", "selector 2", "pair 3". False: none of these. */
bool cairn_field_parse(const struct cairn_register_field *field, const char *word, uint64_t *value);

/* The word of a value; NULL: it is reserved, or the values of this meaning have no names. */
const char *cairn_meaning_word(unsigned meaning, uint64_t value);
/* The value of a word, in any case. */
bool cairn_meaning_value(unsigned meaning, const char *word, uint64_t *value);

#endif
