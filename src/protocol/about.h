/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rest of the library and the program need to know of a protocol to find, name, configure,
 * check and record a source of it: one const descriptor, in the protocol's own folder. Nothing else
 * outside that folder, and that of its trace unit model, tells one protocol from another.
 *
 * A member that is not given means what its comment says of 0 or NULL. Lists end with NULL, or with
 * an entry whose name or text is NULL. */
#ifndef CAIRN_PROTOCOL_ABOUT_H
#define CAIRN_PROTOCOL_ABOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/packet.h>

/* A register whose value says that the trace unit is of this protocol. */
struct cairn_witness {
    const char *name;
    uint64_t mask, value; /* register & mask == value; mask 0: that it is there is enough */
    unsigned rank;        /* of two that speak for different protocols the lower is believed */
};

/* A register's number, its offset / 4, which debuggers write down behind its name (IHI0064 7.3,
 * IHI0035 3.16). */
struct cairn_register_number {
    const char *name;
    unsigned number;
};

/* A part of a register that decides how long packets are, so that a wrong value shows. */
struct cairn_register_part {
    const char *name;
    unsigned shift, width;
    bool by_frame; /* a wrong value loses the framing: what is odd alone does not speak of it */
    bool may_lack; /* 0 is assumed where the register is not given */
    const char *meaning; /* for a sentence: "bit 12, cycle-accurate" */
};

/* What helps against a gap. */
struct cairn_gap_advice {
    enum cairn_account account;
    const char *text;
};

/* What `cairn record` has to know of a trace unit of the protocol. */
enum cairn_record_trait {
    CAIRN_RECORD_DEFAULT = 1 << 0,         /* recorded where no protocol is asked for */
    CAIRN_RECORD_MACHINE_DEFAULT = 1 << 1, /* the same for firmware on a board */
    CAIRN_RECORD_A64 = 1 << 2,             /* A64 is traced, not A32 and T32 alone */
    CAIRN_RECORD_DATA = 1 << 3,            /* loads and stores may be traced */
    CAIRN_RECORD_RETURN_STACK = 1 << 4,    /* there is one */
    /* the unit wants to know of every instruction whether it passed its condition */
    CAIRN_RECORD_EVERY_INSTRUCTION = 1 << 5,
    CAIRN_RECORD_T32_ALONE = 1 << 6, /* A32 leaves nothing in the trace */
    /* what runs behind the last P0 instruction is in the trace only if something ends it */
    CAIRN_RECORD_WANTS_END = 1 << 7,
    CAIRN_RECORD_SURROUNDED = 1 << 8, /* a PE with a trace buffer and counters is around it */
};

struct cairn_about {
    enum cairn_protocol_id id;
    const char *name; /* "ETMv4"; in lower case what --protocol takes */

    /* Type names of captures begin with one of these; a version may follow ("ETM4.1"). */
    const char *const *types;
    /* The type that a written capture names, where the registers decide it; NULL: `type`. */
    const char *(*type_of)(const struct cairn_register *registers, size_t count);
    const char *type;

    /* Names of the register with the trace ID, the usual one first; NULL: there is no trace ID. */
    const char *const *id_registers;
    unsigned id_shift; /* where the ID stands in it */

    /* Names of all registers, # for a number; those that decoding needs come first, for of two as
     * near to a misspelt name the first is told. NULL: not known here, so that any may be right. */
    const char *const *registers;
    const char *register_prefix; /* that names may or may not begin with; NULL: none */
    const char *needed;          /* what decoding needs, for a sentence */
    const struct cairn_register_number *numbers;
    const struct cairn_witness *witnesses;
    const struct cairn_register_part *parts;

    /* Synchronisation in the bytes: so many zero bytes, then 0x80. 0: there is none. */
    unsigned sync_zeros;
    const char *sync_text;     /* of these, for a sentence ("5 or more") */
    const char *sync_register; /* which sets how often */
    const char *family;        /* protocols that look alike there, for a sentence; NULL: the name */

    bool no_flow;      /* its elements are no program's flow */
    bool info_has_T;   /* a Trace Info tells whether a transaction is open */
    bool beside_cores; /* the source belongs to no core */
    bool samples;      /* its bytes are samples of a trace port (protocol/samples.h): no frames */
    bool counts; /* opcodes say how much data there is: what comes first is the first transfer */
    bool memory; /* a file of it is a dump of memory: no frames, and maybe written in circles */
    const char *arch;               /* assumed where no core is given; NULL: any A profile */
    const char *assumed;            /* what that comes to, for a sentence; NULL as well */
    unsigned first_arch, last_arch; /* of the cores that have one; 0: no bound */

    /* The protocol that this one is taken for most easily; 0: none. */
    enum cairn_protocol_id rival;
    const char *choose; /* what to do where this is the protocol, and a capture says another */
    const struct cairn_gap_advice *gap_advice; /* instead of what is said of most protocols */
    const struct cairn_gap_advice *gap_names;  /* and what gaps are, in place of what most have */
    const char *mismatch_advice;               /* the same where flow contradicts the image */
    const char *over_commit_advice;            /* and where what was taken back was never there */
    /* and where data of instructions did not come though nothing overflowed; NULL: that is nothing strange */
    const char *lost_data_advice;

    /* Of A and R profile cores: exception number n as ETE's packets have it (<cairn/unit.h>); NULL: they
     * are the same numbers. */
    const uint8_t *exceptions;
    unsigned exception_count;

    unsigned record;         /* enum cairn_record_trait */
    const char *record_core; /* a core that has one and executes programs; NULL: any A64 core */
};

/* How far a protocol is decoded. */
enum cairn_depth {
    CAIRN_DEPTH_NONE = 0, /* known by name */
    CAIRN_DEPTH_PACKETS,
    CAIRN_DEPTH_ELEMENTS,
    CAIRN_DEPTH_FLOW,
};

/* Never NULL: of a protocol that is not in the registry, one without name and registers. */
const struct cairn_about *cairn_about(enum cairn_protocol_id protocol);
/* Every one in the registry, in its order; NULL past the last. */
const struct cairn_about *cairn_about_at(size_t index);
enum cairn_depth cairn_protocol_depth(enum cairn_protocol_id protocol);

#endif
