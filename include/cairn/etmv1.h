/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of ETMv1.0 to v1.3 (IHI0014 chapter 5). The source's bytes are samples of the trace
 * port, four bytes a cycle: PIPESTAT[2:0]; flags (bit 0 TRACESYNC, bit 1 the capture device's trigger,
 * bit 2 cycles are missing in front); TRACEPKT[15:0], low byte first (docs/etmv1.md).
 *
 * One cycle is one packet, and its kind is its pipeline status as the pins have it. What IHI0014 calls
 * packets, the bytes on TRACEPKT, are the lanes of cycles: 8 pins are one lane, 16 are two, and on 4
 * pins a byte is the low half and then the high half of one lane.
 *
 * Members of struct cairn_packet_fields:
 *   type     the status (CAIRN_ETMV1_IE to _TD), also where TR or the address packet offset is on the
 *            pins instead
 *   value    TRACEPKT (CAIRN_PACKET_HAS_VALUE), `size` the port's bytes, at least 1
 *   atoms    what the lanes carry, CAIRN_ETMV1_LANE_...: lane 0 in bits 15:0, lane 1 in 31:16
 *   info     CAIRN_ETMV1_...
 *   count    BE, BD: the address packet offset, if CAIRN_PACKET_HAS_COUNT; APO: its two bits of it
 *   address, address_bits, state, sub_isa, reason (Table 5-3), context.context_id
 *            BE, BD: of its branch address, wherever in the trace that is, if CAIRN_PACKET_HAS_ADDRESS.
 *            The cycle is held back until it is whole
 *   tag      BE, BD: the packet's account
 *
 * CAIRN_ETMV1_PACKETS(X): X(NAME, account, "name", "section"). The account is that of a cycle in the
 * synchronised part of the trace. */
#ifndef CAIRN_ETMV1_H
#define CAIRN_ETMV1_H

#define CAIRN_ETMV1_PACKETS(X)                                                                     \
    X(IE, CAIRN_ACCOUNT_FLOW, "Instruction Executed", "5.1")                                       \
    X(ID, CAIRN_ACCOUNT_FLOW, "Instruction Executed with Data", "5.1")                             \
    X(IN, CAIRN_ACCOUNT_FLOW, "Instruction Not Executed", "5.1")                                   \
    X(WT, CAIRN_ACCOUNT_METADATA, "Wait", "5.1")                                                   \
    X(BE, CAIRN_ACCOUNT_FLOW, "Branch Executed", "5.1")                                            \
    X(BD, CAIRN_ACCOUNT_FLOW, "Branch Executed with Data", "5.1")                                  \
    X(TR, CAIRN_ACCOUNT_METADATA, "Trigger", "5.1.1") /* the account is that of its status */      \
    X(TD, CAIRN_ACCOUNT_PADDING, "Trace Disabled", "5.1")                                          \
    X(APO, CAIRN_ACCOUNT_METADATA, "Address Packet Offset", "5.6.1")                               \
    /* not of the protocol */                                                                      \
    X(RESERVED, CAIRN_GAP_RESERVED, "Reserved", "5.1") /* no such sample: another protocol? */     \
    X(INCOMPLETE, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "5.1")

enum cairn_etmv1_kind {
#define CAIRN_ETMV1_ENUM(NAME, ACCOUNT, TEXT, SECTION) CAIRN_ETMV1_##NAME,
    CAIRN_ETMV1_PACKETS(CAIRN_ETMV1_ENUM)
#undef CAIRN_ETMV1_ENUM
};

/* In `info`. */
#define CAIRN_ETMV1_SYNC (1u << 0)            /* TRACESYNC: a branch address begins in lane 0 */
#define CAIRN_ETMV1_SYNC_TAKEN (1u << 1)      /* and a BE or BD of the trace is known to be its */
#define CAIRN_ETMV1_CAPTURE_TRIGGER (1u << 2) /* the capture device marked its trigger */
#define CAIRN_ETMV1_LOST (1u << 3)            /* cycles are missing in front of this one */
#define CAIRN_ETMV1_NOT_SYNC                                                                       \
    (1u << 4) /* where execution stands in front of the cycle is not known */
/* BE, BD: given up in its offset cycles (5.6.1): it has an address, which says nothing */
#define CAIRN_ETMV1_ABANDONED (1u << 5)
#define CAIRN_ETMV1_ADDRESS_TO_COME (1u << 6) /* BE, BD: which address is its own is known */
/* BE, BD: its offset contradicts the order of addresses, or its address is no legal one */
#define CAIRN_ETMV1_CONTRADICTION (1u << 7)

/* What a lane carries: CAIRN_ETMV1_LANE_WHAT, and of addresses and Context IDs which byte of how many,
 * from 1 (of 0: it is cut short). */
enum cairn_etmv1_lane {
    CAIRN_ETMV1_LANE_NOTHING = 0, /* TD, no such lane, or no data is traced */
    CAIRN_ETMV1_LANE_ADDRESS = 1,
    CAIRN_ETMV1_LANE_CONTEXT_ID = 2,
    CAIRN_ETMV1_LANE_DATA = 3,   /* of a Wait: it is there */
    CAIRN_ETMV1_LANE_OPEN = 4,   /* data, or nothing: the instructions tell */
    CAIRN_ETMV1_LANE_STATUS = 5, /* the status that a Trigger replaced */
};
#define CAIRN_ETMV1_LANE(what, nth, of)                                                            \
    ((uint32_t)(what) | (uint32_t)(nth) << 4 | (uint32_t)(of) << 8)
#define CAIRN_ETMV1_LANE_WHAT(lane) ((lane)&0xfu)
#define CAIRN_ETMV1_LANE_NTH(lane) ((lane) >> 4 & 0xfu)
#define CAIRN_ETMV1_LANE_OF(lane) ((lane) >> 8 & 0xfu)

/* Branch reasons (Table 5-3). */
enum cairn_etmv1_reason {
    CAIRN_ETMV1_NORMAL = 0,
    CAIRN_ETMV1_TRACE_ON = 1,
    CAIRN_ETMV1_OVERFLOW = 2,
    CAIRN_ETMV1_DEBUG_EXIT = 3,
    CAIRN_ETMV1_PERIODIC = 4, /* from v1.2 on */
};

#endif
