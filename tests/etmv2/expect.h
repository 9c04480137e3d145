/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder has to say of a run, as text: a line each, in the order of the program.
 *
 *   SAMPLE on trace|overflow|debug
 *   SAMPLE context HEX                        as many bytes as are traced; with `on`, and when it changes
 *   SAMPLE insn ADDRESS arm|thumb E|N KIND CYCLES [cancelled] [aborted] [periodic]
 *   SAMPLE data INSN ADDRESS VALUE [aborted]  - where it is not traced; aborted: a data abort made it invalid
 *   SAMPLE miss INSN ADDRESS TAG ITEM [aborted]
 *   SAMPLE late ITEM TAG VALUE                the value of that miss
 *   SAMPLE untraced INSN
 *   SAMPLE branch INSN TARGET                 the address behind the instruction was output
 *   SAMPLE exception INSN TARGET              so it was, and an exception cancels the instruction
 *   SAMPLE trigger
 *   SAMPLE lost                               from here on, by an overflow
 *   SAMPLE off
 *
 * KIND is `branch`, `first` or `second` of the halves of a Thumb BL, or `other`. An ADDRESS with + in front
 * follows from that of the first transfer, which the trace has. SAMPLE is the number of the port's cycle, CYCLES how many were counted before (6.11), both decimal; INSN the address of the instruction; all other
 * numbers are hexadecimal but for TAG and ITEM. */
#ifndef CAIRN_TESTS_ETMV2_EXPECT_H
#define CAIRN_TESTS_ETMV2_EXPECT_H

#include <stdio.h>

#include "trace.h"

void sw_expect_write(FILE *file, const struct sw_run *run, const struct sw_trace *trace);

#endif
