/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of ETMv3.0 to v3.5, instruction and data trace. One list: parser, writer, printer,
 * docs and tests all come from it.
 * CAIRN_ETMV3_PACKETS(X): X(NAME, mask, match, account, "specification's name", "section"): a
 * header byte with (byte & mask) == match begins it; where several rows fit, the last one counts.
 * Sections are IHI0014's (issue Q where it says so).
 *
 * What the members of struct cairn_packet_fields are here:
 *
 *   BRANCH (7.3.5)
 *     address: whole with CAIRN_PACKET_HAS_ADDRESS, else only its low bits are known (no I-sync
 *     yet); address_bits: how many low bits the packet carried; state; info: which information
 *     bytes it has, bit n for byte n, with CAIRN_PACKET_HAS_INFO; type: the exception's number,
 *     with CAIRN_PACKET_HAS_EXCEPTION; CAIRN_PACKET_CANCEL; resume; context.security (NS) and
 *     context.EL (2: Hyp), with CAIRN_PACKET_HAS_CONTEXT if information byte 0 is there. The
 *     deprecated exception in the fifth byte has CAIRN_ETMV3_EXCEPTION_OLD + EEE as type.
 *     A reset: context.vmid is 0, with CAIRN_PACKET_HAS_VMID if VMIDs are traced, and
 *     context.context_id is 0, because it is not known.
 *     Halting debug (1 of the A and R profile, and EEE 7): address and state are as traced and mean
 *     nothing, so there is neither CAIRN_PACKET_HAS_ADDRESS nor CAIRN_PACKET_HAS_CONTEXT, and what
 *     is behind it is in the state and context of before.
 *     CAIRN_PACKET_CONTRADICTION: the information bytes, or Can, Exception, Resume, Hyp and NS in
 *     them, are not those of any event (Tables 4-2, 7-9 and 7-18, Figures 7-26 to 7-29), or
 *     ThumbEE begins or ends without all of the address (Table 7-14), or the exception's number is
 *     reserved.
 *   I_SYNC, I_SYNC_CYCLES (7.7.3; 7.10.5 of issue Q)
 *     reason, context, state, address (32 bits), CAIRN_PACKET_HAS_CONTEXT_ID.
 *     CAIRN_PACKET_LSIP: address is that of the data instruction, whose state is `type` and whose
 *     NS and Hyp are in `count`; value is the address of the current instruction, and address_bits,
 *     info, state and context belong to it.
 *     CAIRN_PACKET_DATA_ONLY: no address. CAIRN_PACKET_CONTRADICTION: a periodic one with a count
 *     or LSiP, a count where cycles are not traced, Non-secure without the Security Extensions, or
 *     Hyp in Secure state.
 *   CYCLE_COUNT, I_SYNC_CYCLES (7.3.4)
 *     cycles, as traced; with CAIRN_PACKET_HAS_CYCLES unless it is UNKNOWN: a zero, or a gap over
 *     which this version does not count. CAIRN_PACKET_CONTRADICTION: cycles are not traced.
 *   P_HEADER_... (7.3.1)
 *     atom_count, atoms. Cycle-accurate ones: cycles is how many W they have, with
 *     CAIRN_PACKET_HAS_CYCLES; in format 1 a W comes before each atom, elsewhere all of them
 *     before the first. CAIRN_PACKET_CONTRADICTION: it has no atoms.
 *   NORMAL_DATA (7.4.2), OUT_OF_ORDER_PLACEHOLDER, OUT_OF_ORDER_DATA (7.4.3), VALUE_NOT_TRACED
 *   (7.4.5)
 *     address: with CAIRN_PACKET_HAS_ADDRESS if traced and all of it is known, which ends at an
 *     I-sync that is not periodic (7.7.4) and, up to v3.2, at suppressed data (7.4.6);
 *     address_bits: 0 if the packet has none; CAIRN_PACKET_BIG_ENDIAN, with a known address only;
 *     info bit 0: the header's A; value with CAIRN_PACKET_HAS_VALUE; size: bytes by the header's
 *     SS; tag.
 *   EXCEPTION_ENTRY (7.5.3)
 *     CAIRN_PACKET_CONTRADICTION: data are not traced, so that it has none to announce.
 *   STORE_FAILED (7.4.7)
 *     CAIRN_PACKET_CONTRADICTION: there is no value of 0 directly before it.
 *   CONTEXT_ID (7.3.6), VMID (7.3.7 of issue Q)
 *     context. In every packet context.context_id and context.vmid are 0 before the first packet
 *     that tells them; each I-sync that has atoms behind it has a VMID packet before them.
 *   TIMESTAMP (7.7 of issue Q)
 *     value: natural binary, with CAIRN_PACKET_HAS_TIMESTAMP once all of its bits are known (0: the
 *     unit does not know the time); type 1: R, the clock changed; address_bits: how many low bits
 *     the packet carried. */
#ifndef CAIRN_ETMV3_H
#define CAIRN_ETMV3_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_ETMV3_PACKETS(X)                                                                     \
    /* not packets of the protocol: what damage looks like */                                      \
    X(NOT_SYNC, 0x00, 0xff, CAIRN_GAP_NO_SYNC, "Not synchronised", "7.7.2")                        \
    X(RESERVED, 0x00, 0xff, CAIRN_GAP_RESERVED, "Reserved", "7.2")                                 \
    X(CUT, 0x00, 0xff, CAIRN_GAP_CUT, "Cut by synchronisation", "7.7.2")                           \
    X(INCOMPLETE_SYNC, 0x00, 0xff, CAIRN_ACCOUNT_PADDING, "Incomplete A-sync at the end", "7.7.2") \
    X(INCOMPLETE, 0x00, 0xff, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "7.2")                 \
    /* packets */                                                                                  \
    X(BRANCH, 0x01, 0x01, CAIRN_ACCOUNT_FLOW, "Branch address", "7.3.5")                           \
    X(OUT_OF_ORDER_DATA, 0x93, 0x00, CAIRN_ACCOUNT_METADATA, "Out-of-order data", "7.4.3")         \
    X(OUT_OF_ORDER_PLACEHOLDER, 0xd3, 0x50, CAIRN_ACCOUNT_METADATA, "Out-of-order placeholder",    \
      "7.4.3")                                                                                     \
    X(NORMAL_DATA, 0xd3, 0x02, CAIRN_ACCOUNT_METADATA, "Normal data", "7.4.2")                     \
    X(A_SYNC, 0xff, 0x00, CAIRN_ACCOUNT_PADDING, "A-sync", "7.7.2")                                \
    X(CYCLE_COUNT, 0xff, 0x04, CAIRN_ACCOUNT_METADATA, "Cycle count", "7.3.4")                     \
    X(I_SYNC, 0xff, 0x08, CAIRN_ACCOUNT_FLOW, "I-sync", "7.7.3")                                   \
    X(TRIGGER, 0xff, 0x0c, CAIRN_ACCOUNT_METADATA, "Trigger", "7.8.1")                             \
    X(VMID, 0xff, 0x3c, CAIRN_ACCOUNT_FLOW, "VMID", "7.3.7 of issue Q")                            \
    X(TIMESTAMP, 0xfb, 0x42, CAIRN_ACCOUNT_METADATA, "Timestamp", "7.7 of issue Q")                \
    X(STORE_FAILED, 0xff, 0x50, CAIRN_ACCOUNT_METADATA, "Store failed", "7.4.7")                   \
    X(DATA_SUPPRESSED, 0xff, 0x62, CAIRN_ACCOUNT_METADATA, "Data suppressed", "7.4.6")             \
    X(IGNORE, 0xff, 0x66, CAIRN_ACCOUNT_PADDING, "Ignore", "7.8.2")                                \
    X(VALUE_NOT_TRACED, 0xef, 0x6a, CAIRN_ACCOUNT_METADATA, "Value not traced", "7.4.5")           \
    X(CONTEXT_ID, 0xff, 0x6e, CAIRN_ACCOUNT_FLOW, "Context ID", "7.3.6")                           \
    X(I_SYNC_CYCLES, 0xff, 0x70, CAIRN_ACCOUNT_FLOW, "I-sync with cycle count", "7.7.3")           \
    X(EXCEPTION_EXIT, 0xff, 0x76, CAIRN_ACCOUNT_FLOW, "Exception exit", "7.5.4")                   \
    X(EXCEPTION_ENTRY, 0xff, 0x7e, CAIRN_ACCOUNT_FLOW, "Exception entry", "7.5.3")                 \
    X(P_HEADER_F1, 0x83, 0x80, CAIRN_ACCOUNT_FLOW, "P-header format 1", "7.3.1")                   \
    X(P_HEADER_F2, 0xf3, 0x82, CAIRN_ACCOUNT_FLOW, "P-header format 2", "7.3.1")                   \
    /* the same headers in cycle-accurate mode */                                                  \
    X(P_HEADER_CYCLES_F1, 0xa3, 0x80, CAIRN_ACCOUNT_FLOW, "Cycle-accurate P-header format 1",      \
      "7.3.1")                                                                                     \
    X(P_HEADER_CYCLES_F2, 0xf3, 0x82, CAIRN_ACCOUNT_FLOW, "Cycle-accurate P-header format 2",      \
      "7.3.1")                                                                                     \
    X(P_HEADER_CYCLES_F3, 0xa3, 0xa0, CAIRN_ACCOUNT_FLOW, "Cycle-accurate P-header format 3",      \
      "7.3.1")                                                                                     \
    X(P_HEADER_CYCLES_F4, 0xfb, 0x92, CAIRN_ACCOUNT_FLOW, "Cycle-accurate P-header format 4",      \
      "7.3.1")                                                                                     \
    X(P_HEADER_CYCLES_F0, 0xff, 0x80, CAIRN_ACCOUNT_FLOW, "Cycle-accurate P-header format 0",      \
      "7.3.1")

enum cairn_etmv3_kind {
#define CAIRN_ETMV3_ENUM(NAME, MASK, MATCH, ACCOUNT, TEXT, SECTION) CAIRN_ETMV3_##NAME,
    CAIRN_ETMV3_PACKETS(CAIRN_ETMV3_ENUM)
#undef CAIRN_ETMV3_ENUM
};

/* `reason` of an I-sync. */
enum cairn_etmv3_reason {
    CAIRN_ETMV3_PERIODIC = 0,
    CAIRN_ETMV3_TRACE_ON = 1,
    CAIRN_ETMV3_OVERFLOW = 2, /* tracing goes on behind an overflow */
    CAIRN_ETMV3_DEBUG_EXIT = 3,
};

/* `type` of a branch with the deprecated exception: this, and EEE (7.3.5). EEE 0 is reset,
 * Undefined Instruction, SVC, prefetch abort or data abort: the address tells. */
#define CAIRN_ETMV3_EXCEPTION_OLD 0x200u

/* `count` of an LSiP I-sync. */
#define CAIRN_ETMV3_LSIP_NS (1u << 0)
#define CAIRN_ETMV3_LSIP_HYP (1u << 1)

/* Of PTM as well, which has the same A-sync (IHI0035 4.5.1). For trace from a port narrower than a
 * byte, whose bytes may begin at any bit: finds the first
 * A-sync (47 zero bits or more, then a one; the low bit of a byte came first) that ends in
 * data[from, size), and tells how many bits have to be left out at the beginning of the data for
 * its bytes to be whole: 0 to 7. Returns the offset of the byte its last bit is in, or `size`. */
CAIRN_API size_t cairn_etmv3_find_shift(const uint8_t *data, size_t size, size_t from,
                                        unsigned *shift);

/* Leaves out the first `shift` bits (0 to 7): writes the whole bytes that are left, at most `size`,
 * and returns how many. `aligned` may be `data`. */
CAIRN_API size_t cairn_etmv3_align(const uint8_t *data, size_t size, unsigned shift,
                                   uint8_t *aligned);

#ifdef __cplusplus
}
#endif
#endif
