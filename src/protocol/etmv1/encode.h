/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ETMv1 puts into its FIFO: addresses, compressed against the one before, Context IDs and
 * values (IHI0014 5.5.4, 5.6.3, 5.7), and how pipeline statuses and versions are numbered. When bytes
 * leave is the port's matter: unit/etmv1/port.h. The packets of ETMv1 are single bytes. */
#ifndef CAIRN_PROTOCOL_ETMV1_ENCODE_H
#define CAIRN_PROTOCOL_ETMV1_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PIPESTAT (table 5-1) */
enum cairn_etmv1_pipestat {
    CAIRN_ETMV1_PIPESTAT_IE = 0,
    CAIRN_ETMV1_PIPESTAT_ID = 1,
    CAIRN_ETMV1_PIPESTAT_IN = 2,
    CAIRN_ETMV1_PIPESTAT_WT = 3,
    CAIRN_ETMV1_PIPESTAT_BE = 4,
    CAIRN_ETMV1_PIPESTAT_BD = 5,
    CAIRN_ETMV1_PIPESTAT_TR = 6,
    CAIRN_ETMV1_PIPESTAT_TD = 7,
};

/* Why an address is whole (table 5-3). */
enum cairn_etmv1_why {
    CAIRN_ETMV1_WHY_NORMAL = 0,
    CAIRN_ETMV1_WHY_ENABLED = 1,
    CAIRN_ETMV1_WHY_OVERFLOW = 2,
    CAIRN_ETMV1_WHY_DEBUG = 3,
    CAIRN_ETMV1_WHY_PERIODIC = 4, /* ETMv1.2 and later; before, WHY_NORMAL */
};

/* What the versions have that others lack. */
struct cairn_etmv1_edition {
    uint8_t minor;
    bool context_ids; /* Context ID trace, WHY_PERIODIC, start/stop, ETMTECR2, ETMSCR */
    bool jazelle;     /* addresses of bytecodes */
    bool has_status;  /* ETMSR, with the pending overflow */
};

/* By the protocol number, ETMCCR[30:28] (1.2). NULL: no version has the number (6), or it is not that
 * of an ETMv1 (bit 31 is 1). */
const struct cairn_etmv1_edition *cairn_etmv1_edition_of(uint32_t ETMCCR);

#define CAIRN_ETMV1_WHOLE_ADDRESS 5u
#define CAIRN_ETMV1_WHOLE_CONTEXT 4u
#define CAIRN_ETMV1_BRANCH_BYTES (CAIRN_ETMV1_WHOLE_ADDRESS + CAIRN_ETMV1_WHOLE_CONTEXT)
#define CAIRN_ETMV1_WHOLE_VALUE 8u

/* What addresses are compressed against: the last ones that were output. All 0 before. */
struct cairn_etmv1_encoder {
    uint32_t branch; /* bit 0: Thumb state, or that of a bytecode's address */
    uint32_t data;
    uint8_t context_bytes; /* 0, 1, 2 or 4 (ETMCR[15:14]) */
};

struct cairn_etmv1_target {
    uint32_t address;
    bool thumb, jazelle;
    bool full; /* five packets, whatever has changed */
    uint8_t why;
    uint32_t context_id;
};

/* How many packets a branch to there takes: it is output only if there is room. */
size_t cairn_etmv1_branch_size(const struct cairn_etmv1_encoder *encoder,
                               const struct cairn_etmv1_target *target);
/* Its packets. */
size_t cairn_etmv1_encode_branch(struct cairn_etmv1_encoder *encoder,
                                 const struct cairn_etmv1_target *target,
                                 uint8_t bytes[CAIRN_ETMV1_BRANCH_BYTES]);
/* The address of a transfer. */
size_t cairn_etmv1_encode_data_address(struct cairn_etmv1_encoder *encoder, uint32_t address,
                                       bool full, uint8_t bytes[CAIRN_ETMV1_WHOLE_ADDRESS]);
/* A value of `count` bytes, 1 to 8, in the order that they have in memory (4.9.2). */
size_t cairn_etmv1_encode_value(uint64_t value, unsigned count, bool big_endian,
                                uint8_t bytes[CAIRN_ETMV1_WHOLE_VALUE]);

#endif
