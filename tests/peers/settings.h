/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit that a random trace comes from: its protocol, its registers, its habits. */
#ifndef CAIRN_TESTS_PEERS_SETTINGS_H
#define CAIRN_TESTS_PEERS_SETTINGS_H

#include "walk.h"

enum { PEER_REGISTERS = 7 };

struct peer_settings {
    enum cairn_protocol_id protocol;
    enum peer_family family;
    unsigned minor; /* of the protocol's version */
    uint32_t maxspec;
    uint32_t threshold; /* of cycle counting */
    bool commopt;
    bool cycles;
    bool timestamps;
    bool context_ids;
    bool vmids;
    bool return_stack;
    bool waits_are_p0;
    unsigned without; /* PEER_OP_... and PEER_SHAPE_... that the programs do without */
    /* Whether the trace stays inside what libopencsd 1.3.3 decodes right: see opencsd.h. */
    bool shared;
    bool commits_with_cycles;  /* Commits inside Cycle Count packets */
    bool source_addresses;     /* ETE: Source Address elements, N atoms omitted */
    bool omits;                /* N atoms are left out in front of them, and of exceptions */
    bool late_mispredicts;     /* a Mispredict behind the Commit of its Atom */
    bool mispredicts_links;    /* Branch with Link instructions whose Atom was wrong at first */
    bool syncs_in_speculation; /* a Trace Info while P0 elements are outstanding */
    bool ignores;              /* Ignore packets: from ETMv4.3 */
    bool losses;               /* Overflow and Discard with P0 elements outstanding */
    bool target_exceptions;    /* Exceptions with E=10 */
    bool voided_addresses;     /* Target Addresses between an Atom and its Mispredict */
    unsigned steps;
    unsigned stack_depth; /* of the unit's return stack */
    bool packs_long;      /* atoms go into the longest format, otherwise into any */
    struct peer_rules rules;
    struct cairn_register registers[PEER_REGISTERS];
    struct cairn_arch arch;
};

enum peer_register {
    PEER_TRCCONFIGR,
    PEER_TRCIDR0,
    PEER_TRCIDR1,
    PEER_TRCIDR2,
    PEER_TRCIDR8,
    PEER_TRCDEVARCH,
    PEER_TRCCCCTLR,
};

/* Draws everything but the protocol and the family. */
void peer_settings_draw(struct peer_settings *settings, struct peer_random *random,
                        enum cairn_protocol_id protocol, enum peer_family family);

/* The configuration for the library; NULL after a message when it is refused. */
struct cairn_config *peer_settings_config(const struct peer_settings *settings);

/* One line about the settings. */
void peer_settings_print(const struct peer_settings *settings);

#endif
