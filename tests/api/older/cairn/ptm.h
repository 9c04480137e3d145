/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of Program Flow Trace (PFT 1.0 and 1.1), the protocol of Program Trace Macrocells.
 * One list: parser, printer, docs and tests all come from it.
 * CAIRN_PTM_PACKETS(X): X(NAME, mask, header, account, "specification's name", "section"): a packet
 * begins with each byte that is `header` under `mask`. Sections are those of IHI0035.
 *
 * Members of struct cairn_packet_fields, by kind:
 *
 * - INSTRUCTION_SYNC (4.5.2): address, state, reason (enum cairn_ptm_reason); +CONTEXT:
 *   context.security is NS, context.EL is 2 in Hyp mode, else 0; +CONTEXT_ID with ETMCR[15:14];
 *   +CYCLES
 * - BRANCH_ADDRESS (4.5.4): address, address_bits = low bits that the packet itself carried, state;
 *   with information bytes +INFO, info = how many, +CONTEXT; +EXCEPTION and type for an Exception
 *   field that is not 0; +CYCLES
 * - ATOM (4.5.3): atom_count, atoms; +CYCLES: of the one atom there is then
 * - WAYPOINT_UPDATE (4.5.5): address, address_bits, state; +INFO, info
 * - CONTEXT_ID (4.5.7): +CONTEXT_ID, context.context_id
 * - VMID (4.5.8): +VMID, context.vmid
 * - TIMESTAMP (4.5.9): value as binary, 0 = unknown; +TIMESTAMP when all its bits are known;
 *   size = bytes of value in the packet; info 1 = R, the clock has changed; +CYCLES
 *
 * What a packet leaves out keeps its last value, and `context` is whole behind every packet that
 * has to do with it. An address without +ADDRESS is not known yet: a short one before the first
 * I-sync behind the start or behind damage. A cycle count that should be there and has no +CYCLES
 * is unknown: the counter overflowed (`cycles` is then CAIRN_PTM_OVERFLOW), or an I-sync of PFT 1.1
 * follows an overflow or Debug state (4.4). */
#ifndef CAIRN_PTM_H
#define CAIRN_PTM_H

#define CAIRN_PTM_PACKETS(X)                                                                       \
    /* not packets of the protocol: what damage looks like */                                      \
    X(NOT_SYNC, 0x00, 0xff, CAIRN_GAP_NO_SYNC, "Not synchronised", "4.5.1")                        \
    X(RESERVED, 0x00, 0xff, CAIRN_GAP_RESERVED, "Reserved", "4.5")                                 \
    X(CUT, 0x00, 0xff, CAIRN_GAP_CUT, "Cut by synchronisation", "4.5.1")                           \
    X(INCOMPLETE_SYNC, 0x00, 0xff, CAIRN_ACCOUNT_PADDING, "Incomplete A-sync at the end", "4.5.1") \
    X(INCOMPLETE, 0x00, 0xff, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "4.5")                 \
    /* packets */                                                                                  \
    X(ALIGNMENT_SYNC, 0xff, 0x00, CAIRN_ACCOUNT_PADDING, "A-sync", "4.5.1")                        \
    X(INSTRUCTION_SYNC, 0xff, 0x08, CAIRN_ACCOUNT_FLOW, "I-sync", "4.5.2")                         \
    X(ATOM, 0x81, 0x80, CAIRN_ACCOUNT_FLOW, "Atom", "4.5.3")                                       \
    X(BRANCH_ADDRESS, 0x01, 0x01, CAIRN_ACCOUNT_FLOW, "Branch address", "4.5.4")                   \
    X(WAYPOINT_UPDATE, 0xff, 0x72, CAIRN_ACCOUNT_FLOW, "Waypoint update", "4.5.5")                 \
    X(TRIGGER, 0xff, 0x0c, CAIRN_ACCOUNT_METADATA, "Trigger", "4.5.6")                             \
    X(CONTEXT_ID, 0xff, 0x6e, CAIRN_ACCOUNT_FLOW, "Context ID", "4.5.7")                           \
    X(VMID, 0xff, 0x3c, CAIRN_ACCOUNT_FLOW, "VMID", "4.5.8")                                       \
    X(TIMESTAMP, 0xfb, 0x42, CAIRN_ACCOUNT_METADATA, "Timestamp", "4.5.9")                         \
    X(EXCEPTION_RETURN, 0xff, 0x76, CAIRN_ACCOUNT_FLOW, "Exception return", "4.5.10")              \
    X(IGNORE, 0xff, 0x66, CAIRN_ACCOUNT_PADDING, "Ignore", "4.5.11")

enum cairn_ptm_kind {
#define CAIRN_PTM_ENUM(NAME, MASK, HEADER, ACCOUNT, TEXT, SECTION) CAIRN_PTM_##NAME,
    CAIRN_PTM_PACKETS(CAIRN_PTM_ENUM)
#undef CAIRN_PTM_ENUM
};

/* Why there is an I-sync (4.5.2). */
enum cairn_ptm_reason {
    CAIRN_PTM_PERIODIC = 0,
    CAIRN_PTM_TRACE_ON = 1,
    CAIRN_PTM_AFTER_OVERFLOW = 2,
    CAIRN_PTM_DEBUG_EXIT = 3,
};

/* The cycle count of a counter that overflowed (4.5.4). */
#define CAIRN_PTM_OVERFLOW 0xffffffffu

#endif
