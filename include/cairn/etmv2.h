/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of ETMv2.0 and v2.1 (IHI0014 chapter 6), whose bytes are samples of a trace port: four
 * bytes a cycle, {PIPESTAT, flags, TRACEPKT low byte first}, as docs/formats.md has them.
 *
 * Each cycle is a packet of its status, and behind it those packets of the FIFO whose last byte was
 * on the pins in this cycle: they have the bytes of TRACEPKT, the status has what is left of the four.
 * A packet of the FIFO belongs to an older cycle as a rule, that of the status which placed it.
 *
 * CAIRN_ETMV2_PACKETS(X): X(NAME, account, "specification's name", "section").
 *
 * What the members of struct cairn_packet_fields are here:
 *
 *   all
 *     info: CAIRN_ETMV2_...; context.context_id
 *   IE to PNDN, TFO (6.1)
 *     type: PIPESTAT, for TR the one that it stands for, which is on TRACEPKT[3:0]; value: TRACEPKT;
 *     atom_count, atoms; CAIRN_PACKET_HAS_COUNT: the offset of a TFO is whole with this cycle, and is
 *     `count`. CAIRN_PACKET_CONTRADICTION: it cannot be what this trace unit put out, with what came
 *     before; how packets and statuses belong together is not known from here on. CAIRN_PACKET_SBZ: pins
 *     that are 0, or the gap nibble that is 6, are not.
 *   the packets of the FIFO
 *     count: so many cycles before this one was its status; cycles: so many before it was its first byte
 *   RESERVED, OUT_OF_STEP
 *     CAIRN_PACKET_HAS_COUNT: decoding goes on with the TFO of `count` cycles before this one; what
 *     statuses in front of that placed in the FIFO is lost
 *   BRANCH_ADDRESS (6.7.1)
 *     address: whole with CAIRN_PACKET_HAS_ADDRESS; address_bits: how many low bits the packet has;
 *     state; CAIRN_PACKET_CANCEL: the E bit. CAIRN_PACKET_HAS_EXCEPTION: it is that of an exception
 *     vector, and `type` is which (numbers are those of ETMv3)
 *   NORMAL_DATA, LOAD_MISS_OCCURRED, LOAD_MISS_DATA (6.4.2, 6.4.3)
 *     address, with CAIRN_PACKET_HAS_ADDRESS if traced and whole; address_bits: 0 if there is none;
 *     value, with CAIRN_PACKET_HAS_VALUE; size; tag: TT, 0 to 3
 *   NORMAL_TFO, LSM_IN_PROGRESS_TFO (6.5.4, 6.5.5)
 *     reason; address, state; CAIRN_PACKET_HAS_CONTEXT_ID. CAIRN_PACKET_LSIP: address is that of the LSM,
 *     whose state is `type`; value is that of the current instruction, whose state is `state`, and
 *     address_bits says how many bits of it the packet has. CAIRN_PACKET_CONTRADICTION: one in progress
 *     where trace was on already */
#ifndef CAIRN_ETMV2_H
#define CAIRN_ETMV2_H

#define CAIRN_ETMV2_PACKETS(X)                                                                     \
    /* what damage looks like */                                                                   \
    X(RESERVED, CAIRN_GAP_RESERVED, "Reserved", "6.4.1")                                           \
    X(OUT_OF_STEP, CAIRN_GAP_RESERVED, "Out of step", "6.5.1")                                     \
    X(INCOMPLETE, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "6.1")                             \
    /* PIPESTAT, in the order of its values */                                                     \
    X(IE, CAIRN_ACCOUNT_FLOW, "Instruction Executed", "6.1")                                       \
    X(DE, CAIRN_ACCOUNT_FLOW, "Instruction Executed with Data", "6.1")                             \
    X(IN, CAIRN_ACCOUNT_FLOW, "Instruction Not Executed", "6.1")                                   \
    X(DN, CAIRN_ACCOUNT_FLOW, "Instruction Not Executed with Data", "6.1")                         \
    X(WT, CAIRN_ACCOUNT_METADATA, "Wait", "6.1")                                                   \
    X(DW, CAIRN_ACCOUNT_FLOW, "Wait with Data", "6.1")                                             \
    X(TR, CAIRN_ACCOUNT_METADATA, "Trigger", "6.1.7")                                              \
    X(TD, CAIRN_ACCOUNT_PADDING, "Trace Disabled", "6.1.6")                                        \
    X(PTIE, CAIRN_ACCOUNT_FLOW, "Branch phantom taken plus IE", "6.1.2")                           \
    X(PTDE, CAIRN_ACCOUNT_FLOW, "Branch phantom taken plus DE", "6.1.2")                           \
    X(PTIN, CAIRN_ACCOUNT_FLOW, "Branch phantom taken plus IN", "6.1.2")                           \
    X(PTDN, CAIRN_ACCOUNT_FLOW, "Branch phantom taken plus DN", "6.1.2")                           \
    X(PNIE, CAIRN_ACCOUNT_FLOW, "Branch phantom not taken plus IE", "6.1.2")                       \
    X(PNDE, CAIRN_ACCOUNT_FLOW, "Branch phantom not taken plus DE", "6.1.2")                       \
    X(PNIN, CAIRN_ACCOUNT_FLOW, "Branch phantom not taken plus IN", "6.1.2")                       \
    X(PNDN, CAIRN_ACCOUNT_FLOW, "Branch phantom not taken plus DN", "6.1.2")                       \
    X(TFO, CAIRN_ACCOUNT_FLOW, "Trace FIFO offset", "6.5.1") /* PIPESTAT is TD */                  \
    /* packets of the FIFO */                                                                      \
    X(BRANCH_ADDRESS, CAIRN_ACCOUNT_FLOW, "Branch address", "6.7.1")                               \
    X(NORMAL_DATA, CAIRN_ACCOUNT_METADATA, "Normal data", "6.4.2")                                 \
    X(LOAD_MISS_OCCURRED, CAIRN_ACCOUNT_METADATA, "Load miss occurred", "6.4.3")                   \
    X(LOAD_MISS_DATA, CAIRN_ACCOUNT_METADATA, "Load miss data", "6.4.3")                           \
    X(VALUE_NOT_TRACED, CAIRN_ACCOUNT_METADATA, "Value not traced", "6.4.4")                       \
    X(CONTEXT_ID, CAIRN_ACCOUNT_FLOW, "Context ID", "6.4.5")                                       \
    X(NORMAL_TFO, CAIRN_ACCOUNT_FLOW, "Normal TFO packet", "6.5.4")                                \
    X(LSM_IN_PROGRESS_TFO, CAIRN_ACCOUNT_FLOW, "LSM in progress TFO packet", "6.5.5")

enum cairn_etmv2_kind {
#define CAIRN_ETMV2_ENUM(NAME, ACCOUNT, TEXT, SECTION) CAIRN_ETMV2_##NAME,
    CAIRN_ETMV2_PACKETS(CAIRN_ETMV2_ENUM)
#undef CAIRN_ETMV2_ENUM
};

/* `info` of a status */
#define CAIRN_ETMV2_IN_STEP (1u << 0)    /* it is known which packets are its */
#define CAIRN_ETMV2_TFO_CYCLE (1u << 1)  /* TRACEPKT has a part of a TFO's offset */
#define CAIRN_ETMV2_GAP_NIBBLE (1u << 2) /* TRACEPKT has the gap nibble behind it (6.5.1) */
#define CAIRN_ETMV2_COUNTED (1u << 3)    /* TD that counts as a cycle (6.11) */
#define CAIRN_ETMV2_MARKED (1u << 4)     /* the capture device marked its trigger here */
#define CAIRN_ETMV2_LOST (1u << 5)       /* cycles are missing in front of this one */

/* `info` of a packet of the FIFO: bits of its header */
#define CAIRN_ETMV2_A (1u << 0) /* the first data packet of its instruction */
#define CAIRN_ETMV2_C (1u << 1) /* another one of the same cycle follows */

/* `reason` of a TFO packet (Table 6-7). */
enum cairn_etmv2_reason {
    CAIRN_ETMV2_PERIODIC = 0, /* an instruction executed in the cycle of the TFO, at the address */
    CAIRN_ETMV2_TRACE_ON = 1,
    CAIRN_ETMV2_OVERFLOW = 2,
    CAIRN_ETMV2_DEBUG_EXIT = 3,
};

#endif
