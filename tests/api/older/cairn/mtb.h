/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of the Micro Trace Buffer of Cortex-M0+, M23 and M33 (DDI0486 2.3.1).
 *
 * A packet is two little-endian words: the source with the A bit in bit 0, the destination with the
 * S bit in bit 0. The trace is in RAM that is written round and round, so cairn_packets_run wants
 * the bytes in the order of the trace: cairn_config_spans (<cairn/packet.h>) says which bytes of a
 * dump come when, and the readers of <cairn/capture.h> give them in that order.
 *
 * Members of struct cairn_packet_fields in these kinds:
 *   address  the destination: bits 31:1 of word 1. CAIRN_PACKET_HAS_ADDRESS unless it is in system
 *            space, 0xe0000000 and above, where no code is: EXC_RETURN, FNC_RETURN, lockup
 *   value    the source: bits 31:1 of word 0 (CAIRN_PACKET_HAS_VALUE, size 4)
 *   info     CAIRN_MTB_A, CAIRN_MTB_S, CAIRN_MTB_JOINED
 *   state    CAIRN_STATE_THUMB; sub_isa 1; address_bits 32
 *
 * CAIRN_MTB_PACKETS(X): X(NAME, account, "name", "section"). */
#ifndef CAIRN_MTB_H
#define CAIRN_MTB_H

#define CAIRN_MTB_PACKETS(X)                                                                       \
    /* not packets of the protocol */                                                              \
    X(RESERVED, CAIRN_GAP_RESERVED, "Reserved", "2.3.1") /* an instruction where none can be */    \
    X(INCOMPLETE, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "2.3.1")                           \
    X(UNWRITTEN, CAIRN_ACCOUNT_PADDING, "Unwritten", "POSITION") /* of the buffer */               \
    X(OUTSIDE, CAIRN_ACCOUNT_PADDING, "Outside of the buffer", "MASTER")                           \
    /* execution trace packets */                                                                  \
    X(BRANCH, CAIRN_ACCOUNT_FLOW, "Branch", "2.3.1") /* A = 0: by the instruction at source */     \
    X(EXCEPTION, CAIRN_ACCOUNT_FLOW, "Exception or debug", "2.3.1")      /* A = 1 */               \
    X(EXCEPTION_RETURN, CAIRN_ACCOUNT_FLOW, "Exception return", "2.3.1") /* to an EXC_RETURN */    \
    X(RETURN_TARGET, CAIRN_ACCOUNT_FLOW, "Exception return target", "2.3.1") /* and from there */

enum cairn_mtb_kind {
#define CAIRN_MTB_ENUM(NAME, ACCOUNT, TEXT, SECTION) CAIRN_MTB_##NAME,
    CAIRN_MTB_PACKETS(CAIRN_MTB_ENUM)
#undef CAIRN_MTB_ENUM
};

/* `value` of an Exception element and record: of which type, or whether a debugger wrote the PC, is
 * not in the packet. */
#define CAIRN_MTB_EXCEPTION_TYPE 0xffffu

/* an exception, or a PC written in Debug state: the source did not execute, it is where
 * execution would have gone on */
#define CAIRN_MTB_A (1u << 0)
/* the first packet since trace started: nothing is known of what ran before its source */
#define CAIRN_MTB_S (1u << 1)
/* RETURN_TARGET: the packet before it is the first of the two that an exception return has */
#define CAIRN_MTB_JOINED (1u << 2)

#endif
