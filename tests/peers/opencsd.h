/* SPDX-License-Identifier: BSD-2-Clause */
/* The same trace through libopencsd, by its C API.
 *
 * What libopencsd 1.3.3 has not or gets wrong, and how traces that are shared with it stay outside:
 *
 *   the case                                what it does              kept outside by
 *   --------------------------------------  ------------------------  -----------------------------
 *   Commits inside Cycle Count packets      ignores them              commits_with_cycles
 *   Source Address elements where there is  wrong targets, crashes    source_addresses
 *   a return stack, or speculation
 *   ... of BLX with an immediate            gives the instruction     PEER_OP_OTHER_ISA is left out
 *                                           set behind it
 *   N atoms left out before an Exception    they have no outcome, or  omits, PEER_SHAPE_CALL
 *                                           that of taken ones
 *   a Mispredict behind its Atom's Commit   the Atom is out already   late_mispredicts
 *   a Target Address between an Atom and    corrects another Atom,    voided_addresses
 *   its Mispredict                          crashes
 *   a Mispredict of a Branch with Link      pushes by the final       mispredicts_links
 *   where there is a return stack           status, not the first
 *   E=10 exceptions where there is a        pops before it looks at   target_exceptions
 *   return stack                            the address; crashes if
 *                                           there is nothing to pop
 *   Trace Info with P0 elements             clears the stack before   syncs_in_speculation
 *   outstanding, and a return stack         they are resolved
 *   a Context behind a direct branch that   takes the instruction     unit_context_spoils
 *   changed the instruction set             set of the last address
 *   ERET of A32                             not a branch              PEER_SHAPE_UNSHARED
 *   T32 of two bytes at the end of memory   reads four bytes          two more bytes of memory
 *   Ignore packets before ETMv4.3           reserved                  ignores (for both)
 *
 * Of PTM (test_peers_ptm.c keeps outside):
 *
 *   a waypoint update                       addresses are compressed  no exceptions behind
 *                                           against it                instructions; no SVC
 *   ... at an undefined branch              it is taken               other exceptions
 *   information bytes without an exception  exception 0               one security state, no Hyp
 * mode N of BLX with an immediate              changes the instruction   PEER_OP_OTHER_ISA is left
 * out set
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
