/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements in the order a trace unit generates them -> the bytes it writes: atoms packed,
 * addresses, timestamps and cycle counts compressed, elements combined into one packet where a
 * packet can hold them (DDI0608 D6.11). The encoder knows no program and no filter, and decides
 * nothing but form.
 *
 * It is reached through struct cairn_protocol (encoder_new ...). What it takes in ETMv4 and ETE, for
 * other protocols see their encode.c:
 *   ATOM              encoder_atom, or put with CAIRN_ELEMENT_E
 *   TRACE_INFO        info = INFO byte (CC bit 0, T bit 6), value = SPEC, cycles = CYCT threshold;
 *                     put behind an Alignment Synchronization (below): the first one of all gets it
 *                     if it was forgotten
 *   TRACE_ON, DISCARD, OVERFLOW, TRANSACTION_START, TRANSACTION_COMMIT, TIMESTAMP_MARKER,
 *   EXCEPTION_RETURN, FUNCTION_RETURN     nothing
 *   TRANSACTION_FAILURE    nothing (DDI0608 D5.24)
 *   EXCEPTION         value = type, address, sub_isa; CAIRN_ELEMENT_UNKNOWN: PE Reset
 *   SOURCE_ADDRESS, TARGET_ADDRESS    address, sub_isa
 *   CONTEXT           context; identifiers are written as the configuration and their change ask.
 *                     Context and Target Address, in either order, share a packet where the context
 *                     has changed and the address is none of the last three; so do a Context and
 *                     the Exception put next
 *   Q                 value = count, or CAIRN_ELEMENT_UNKNOWN; its Target Address is put next
 *   COMMIT            value = count; CAIRN_ELEMENT_IMPLIED: takes no bytes, not even a call's
 *   CANCEL            value = count; several in a row become one.  MISPREDICT: nothing
 *   CYCLE_COUNT       value = cycles, or CAIRN_ELEMENT_UNKNOWN, which is also written for counts
 *                     below the threshold, or above it by 2^20 or more; a Commit put directly
 *                     before it shares its packet where TRCIDR0.COMMOPT is 0
 *   TIMESTAMP         value; CAIRN_ELEMENT_CYCLES: cycles
 *   EVENT             value = number 0 to 3; several in a row, ascending, share a packet
 *   CAIRN_ELEMENT_A_SYNC    an Alignment Synchronization packet
 *
 * An OVERFLOW directly behind a DISCARD is one packet, which decodes to both, as a lone OVERFLOW
 * does. Exception types are at most 31 (ETE) and 1023 (ETMv4). Addresses lose the bits below the
 * alignment of their instruction set, which no packet has. Kinds that the configuration has no
 * packets for are left out.
 *
 * An element stays inside the encoder while a later one may still share its packet; flush writes
 * all that is inside. */
#ifndef CAIRN_PROTOCOL_ENCODER_H
#define CAIRN_PROTOCOL_ENCODER_H

#include <stddef.h>
#include <stdint.h>

/* The same values as CAIRN_UNIT_EXPLICIT_ADDRESSES, CAIRN_UNIT_SEPARATE_PACKETS (ETMv4, ETE) and
 * CAIRN_UNIT_OVERFLOW_KEEPS_CYCLES (PTM) of <cairn/unit.h>; other bits of `choices` are ignored. */
#define CAIRN_ENCODER_EXPLICIT_ADDRESSES (1u << 4)
#define CAIRN_ENCODER_SEPARATE_PACKETS (1u << 5)
#define CAIRN_ENCODER_OVERFLOW_KEEPS_CYCLES (1u << 10)

/* One call of the encoder never writes more. */
#define CAIRN_ENCODER_ROOM 128u

/* Where the bytes go: the caller keeps CAIRN_ENCODER_ROOM bytes free behind `size`. */
struct cairn_encoder_out {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
};

#endif
