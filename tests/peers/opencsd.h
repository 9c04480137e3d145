/* SPDX-License-Identifier: BSD-2-Clause */
/* The same trace through libopencsd, by its C API.
 *
 * What libopencsd 1.3.3 has not or gets wrong, and how traces that are shared with it stay outside:
 *
 *   the case                                what it does              kept outside by
 *   --------------------------------------  ------------------------ ------------------------------
 *   Commits inside Cycle Count packets      ignores them              commits_with_cycles
 *   Source Address elements                 wrong in some cases       source_addresses
 *   a Mispredict behind its Atom's Commit   the Atom is out already   late_mispredicts
 *   E=10 exceptions with a return stack     pops before it looks at   target_exceptions
 *                                           the address: wrong, or
 *                                           crashes on an empty one
 *   a Target Address before a Mispredict    may crash removing it     voided_addresses
 *   events, timestamps, cycle counts in     never ends                times_in_speculation
 *   what a Cancel removes
 *   Trace Info with P0 elements             clears the return stack   syncs_in_speculation
 *   outstanding                             at once, not in order
 *   a Mispredict of a Branch with Link      pushes by the final       mispredicts_links
 *   with a return stack                     status, not the first
 *   a Context behind a direct branch that   takes the instruction     unit_context_spoils
 *   changed the instruction set             set of the last address
 *   ERET of A32                             not a branch              PEER_SHAPE_UNSHARED
 *   T32 of two bytes at the end of memory   reads four bytes          two more bytes of memory
 *   ETE 1.1 and later                       knows little of it        `minor` is 0
 */
#ifndef CAIRN_TESTS_PEERS_OPENCSD_H
#define CAIRN_TESTS_PEERS_OPENCSD_H

#include "decode.h"

/* Its version, or NULL when the test was built without it. */
const char *peer_opencsd_version(void);

/* What it says was executed. False after a message when it refuses the trace. */
bool peer_decode_opencsd(const struct peer_trace *trace, struct peer_random *random,
                         struct peer_truth *truth);

#endif
