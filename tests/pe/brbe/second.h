/* SPDX-License-Identifier: BSD-2-Clause */
/* A second account of what a Branch Record Buffer records, written from DDI0608 part F alone and sharing
 * nothing with the library: a run is a list of steps, and records are looked up in the list. */
#ifndef BRBE_SECOND_H
#define BRBE_SECOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECOND_STEPS = 160, SECOND_RECORDS = 64 };

/* What is in force. */
struct second_settings {
    bool E0BRE, E1BRE, E0HBRE, E2BRE;
    bool EXCEPTION[3], ERTN[3]; /* of EL1 and EL2 */
    bool CC[3], MPRED[3], FZP[3];
    unsigned SBRBE;
    bool E3BREC, E3BREW, TGE, EEL2;
    bool EnI, filter[6]; /* in the order of enum second_branch */
    unsigned HPMN;
};

/* What the PE has. */
struct second_parts {
    bool EL2, EL3, v1p1, records_ISB;
    unsigned records, counters;
};

struct second_place {
    unsigned EL;
    bool secure, aarch32, debug, transactional;
};

enum second_branch {
    CONDITIONAL,
    DIRECT_CALL,
    INDIRECT_CALL,
    SUB_RETURN,
    INDIRECT,
    DIRECT,
    BARRIER
};

enum second_deed {
    SET,       /* settings change */
    CONTROL,   /* PAUSED and LASTFAILED are written */
    BRANCH,    /* taken or not */
    EXCEPTION, /* taken to `to` */
    ERET,
    HALT,
    RESUME,
    TX_START,
    TX_COMMIT,
    TX_FAIL,
    IALL,
    INJECT,
    OVERFLOW,
};

struct second_step {
    enum second_deed deed;
    unsigned cycles;                 /* before it */
    struct second_settings settings; /* in force at it, and behind it */
    struct second_place from, to;
    enum second_branch branch;
    unsigned type; /* of an exception: BRBINF.TYPE */
    bool taken, missed, paused, last_failed;
    uint32_t overflow;
    uint64_t source, target;
};

struct second_record {
    uint64_t inf, source, target;
};

/* The records behind `count` steps, youngest first; returns how many. */
unsigned second_select(const struct second_parts *parts, const struct second_step *steps,
                       size_t count, struct second_record *records);

#endif
